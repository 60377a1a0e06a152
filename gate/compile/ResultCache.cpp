#include "gate/compile/ResultCache.h"
#include "analyzers/engine/driver/BundledHeaders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include <algorithm>

using namespace kcheck;
using namespace kcheck::gate;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static constexpr llvm::StringLiteral Version = "kcheck-compile-2";
static constexpr size_t MaxEntries = 4000;

static bool belowFolder(llvm::StringRef File, llvm::StringRef Folder) {
  llvm::SmallString<256> A, B;
  if (fs::real_path(File, A) || fs::real_path(Folder, B))
    return false;
  return llvm::StringRef(A).starts_with((llvm::StringRef(B) + "/").str());
}

bool gate::localIncludes(const CompileJob &Job, std::vector<std::string> &Files) {
  llvm::StringSet<> Seen;
  struct Work {
    std::string Folder, Text;
  };
  llvm::SmallString<256> Own(Job.File);
  fs::make_absolute(Own);
  path::remove_filename(Own);
  std::vector<Work> Todo = {{std::string(Own), Job.Text}};
  while (!Todo.empty() && Seen.size() < 500) {
    Work W = std::move(Todo.back());
    Todo.pop_back();
    llvm::SmallVector<llvm::StringRef> Lines;
    llvm::StringRef(W.Text).split(Lines, '\n');
    for (llvm::StringRef L : Lines) {
      L = L.trim();
      if (!L.consume_front("#"))
        continue;
      L = L.ltrim();
      if (!L.consume_front("include") || L.starts_with("_next"))
        continue;
      L = L.trim();
      if (!L.starts_with("\"") && !L.starts_with("<"))
        return false;
      bool Quoted = L.front() == '"';
      llvm::StringRef Name = L.drop_front().take_until([&](char C) { return C == (Quoted ? '"' : '>'); });
      std::vector<std::string> Folders = Job.IncludeDirs;
      if (Quoted)
        Folders.insert(Folders.begin(), {W.Folder, std::string(Own)});
      for (const std::string &F : Folders) {
        llvm::SmallString<256> P(F);
        path::append(P, Name);
        if (!fs::is_regular_file(P))
          continue;
        if (!belowFolder(P, Job.Root) && llvm::none_of(Job.IncludeDirs, [&](auto &D) { return belowFolder(P, D); }))
          break;
        path::remove_dots(P, true);
        if (!Seen.insert(P).second)
          break;
        auto Buffer = llvm::MemoryBuffer::getFile(P);
        if (!Buffer)
          return false;
        Files.push_back(std::string(P));
        Todo.push_back({path::parent_path(P).str(), (*Buffer)->getBuffer().str()});
        break;
      }
    }
  }
  std::sort(Files.begin(), Files.end());
  return true;
}

std::optional<std::string> gate::cacheKey(const CompileJob &Job, llvm::StringRef Compiler, llvm::ArrayRef<std::string> Programs) {
  std::vector<std::string> Files;
  if (!localIncludes(Job, Files))
    return std::nullopt;
  llvm::SHA256 Hash;
  auto Add = [&](llvm::StringRef S) {
    uint64_t Size = S.size(); // so that two fields cannot run into each other
    Hash.update(llvm::StringRef(reinterpret_cast<const char *>(&Size), sizeof(Size)));
    Hash.update(S);
  };
  Add(Version);
  Add(Compiler);
  Add(Job.Text);
  Add(Job.Arch);
  if (Job.StandIns)
    Add(bundledHeadersDigest());
  Add(path::filename(Job.File));
  for (const std::string &F : Job.Flags)
    Add(F);
  for (const std::string &F : Files) {
    auto Buffer = llvm::MemoryBuffer::getFile(F);
    if (!Buffer)
      return std::nullopt;
    Add(F);
    Add((*Buffer)->getBuffer());
  }
  for (const std::string &P : Programs) {
    fs::file_status S;
    if (fs::status(P, S))
      continue;
    Add(P);
    Add(std::to_string(S.getSize()) + "/" + std::to_string(S.getLastModificationTime().time_since_epoch().count()));
  }
  return llvm::toHex(Hash.final(), true);
}

static std::string entryPath(llvm::StringRef Dir, llvm::StringRef Key) {
  llvm::SmallString<256> P(Dir);
  path::append(P, "compile", Key.take_front(2), Key.drop_front(2) + ".json");
  return std::string(P);
}

std::optional<CompileResult> gate::loadResult(llvm::StringRef Dir, llvm::StringRef Key) {
  auto Buffer = llvm::MemoryBuffer::getFile(entryPath(Dir, Key));
  if (!Buffer)
    return std::nullopt;
  llvm::Expected<llvm::json::Value> V = llvm::json::parse((*Buffer)->getBuffer());
  if (!V) {
    llvm::consumeError(V.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *O = V->getAsObject();
  if (!O || !O->getBoolean("accepted"))
    return std::nullopt;
  CompileResult R;
  R.How = *O->getBoolean("accepted") ? CompileResult::State::Accepted : CompileResult::State::Rejected;
  R.Compiler = O->getString("compiler").value_or("").str();
  R.NeedsRelaxed = O->getBoolean("needs_relaxed").value_or(false);
  R.Cached = true;
  if (const llvm::json::Array *A = O->getArray("errors"))
    for (const llvm::json::Value &E : *A)
      if (const llvm::json::Object *M = E.getAsObject())
        R.Errors.push_back({unsigned(M->getInteger("line").value_or(0)), unsigned(M->getInteger("column").value_or(0)),
                            M->getString("text").value_or("").str(), M->getBoolean("assembler").value_or(false), M->getString("types").value_or("").str()});
  return R;
}

/// Now and then the oldest half of an overfull folder goes.
static void trim(llvm::StringRef Folder) {
  std::vector<std::pair<llvm::sys::TimePoint<>, std::string>> Entries;
  std::error_code EC;
  for (fs::directory_iterator I(Folder, EC), E; I != E && !EC; I.increment(EC)) {
    fs::file_status S;
    if (!fs::status(I->path(), S))
      Entries.push_back({S.getLastModificationTime(), I->path()});
  }
  if (Entries.size() <= MaxEntries / 256)
    return;
  std::sort(Entries.begin(), Entries.end());
  for (size_t I = 0; I < Entries.size() / 2; ++I)
    fs::remove(Entries[I].second);
}

void gate::storeResult(llvm::StringRef Dir, llvm::StringRef Key, const CompileResult &R) {
  if (Dir.empty() || R.How == CompileResult::State::NotRun)
    return;
  llvm::json::Array Errors;
  for (const CompilerMessage &M : R.Errors)
    Errors.push_back(llvm::json::Object{{"line", M.Line}, {"column", M.Column}, {"text", llvm::json::fixUTF8(M.Text)}, {"assembler", M.FromAssembler}, {"types", llvm::json::fixUTF8(M.Types)}});
  llvm::json::Value V = llvm::json::Object{{"accepted", R.How == CompileResult::State::Accepted}, {"compiler", R.Compiler},
                                           {"needs_relaxed", R.NeedsRelaxed}, {"errors", std::move(Errors)}};
  std::string Path = entryPath(Dir, Key);
  if (fs::create_directories(path::parent_path(Path)))
    return;
  trim(path::parent_path(Path));
  llvm::SmallString<256> Temporary;
  int FD;
  if (fs::createUniqueFile(Path + "-%%%%%%", FD, Temporary))
    return;
  {
    llvm::raw_fd_ostream OS(FD, true);
    OS << V;
  }
  if (fs::rename(Temporary, Path))
    fs::remove(Temporary);
}
