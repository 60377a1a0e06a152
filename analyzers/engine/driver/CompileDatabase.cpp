#include "analyzers/engine/driver/CompileDatabase.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include <map>
#include <mutex>

using namespace kcheck;
using llvm::StringRef;
namespace path = llvm::sys::path;

static std::string absolute(StringRef Path, StringRef Directory) {
  llvm::SmallString<256> P(Path);
  if (Directory.empty())
    llvm::sys::fs::make_absolute(P);
  else
    llvm::sys::path::make_absolute(Directory, P);
  path::remove_dots(P, true);
  return std::string(P);
}

static std::vector<std::string> splitCommand(StringRef Line) {
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *, 32> Words;
  llvm::cl::TokenizeGNUCommandLine(Line, Saver, Words);
  return {Words.begin(), Words.end()};
}

/// Drops the compiler, and the launchers (ccache, env) before it.
static std::vector<std::string> withoutCompiler(std::vector<std::string> Words) {
  size_t First = 0;
  while (First < Words.size() && !StringRef(Words[First]).starts_with("-"))
    ++First;
  // "nvcc kernel.cu -c": the input may come first; it is dropped with the others later.
  First = std::min<size_t>(First, 1);
  for (StringRef Launcher : {"ccache", "sccache", "env", "distcc"})
    if (!Words.empty() && path::filename(Words[0]) == Launcher)
      First = std::min<size_t>(2, Words.size());
  Words.erase(Words.begin(), Words.begin() + First);
  return Words;
}

static llvm::Expected<std::vector<BuildCommand>> read(StringRef BuildDir) {
  llvm::SmallString<256> File(BuildDir);
  if (!StringRef(File).ends_with(".json"))
    path::append(File, "compile_commands.json");
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return llvm::createStringError(File.str() + ": " + Buffer.getError().message());
  auto Root = llvm::json::parse((*Buffer)->getBuffer());
  if (!Root)
    return llvm::createStringError(File.str() + ": " + llvm::toString(Root.takeError()));
  const llvm::json::Array *List = Root->getAsArray();
  if (!List)
    return llvm::createStringError(File.str() + ": not a list of compile commands");
  std::vector<BuildCommand> Out;
  for (const llvm::json::Value &V : *List) {
    const llvm::json::Object *O = V.getAsObject();
    auto Name = O ? O->getString("file") : std::nullopt;
    if (!Name)
      continue;
    BuildCommand C;
    C.Directory = absolute(O->getString("directory").value_or(path::parent_path(File)), path::parent_path(absolute(File, "")));
    C.File = absolute(*Name, C.Directory);
    std::vector<std::string> Words;
    if (const llvm::json::Array *Args = O->getArray("arguments")) {
      for (const llvm::json::Value &A : *Args)
        if (auto S = A.getAsString())
          Words.push_back(S->str());
    } else if (auto Line = O->getString("command")) {
      Words = splitCommand(*Line);
    }
    C.Args = withoutCompiler(std::move(Words));
    Out.push_back(std::move(C));
  }
  return Out;
}

llvm::Expected<const std::vector<BuildCommand> *> kcheck::readCompileDatabase(StringRef BuildDir) {
  static std::mutex M;
  static std::map<std::string, std::vector<BuildCommand>> Known;
  std::lock_guard<std::mutex> Lock(M);
  if (auto I = Known.find(BuildDir.str()); I != Known.end())
    return &I->second;
  auto Commands = read(BuildDir);
  if (!Commands)
    return Commands.takeError();
  return &(Known[BuildDir.str()] = std::move(*Commands));
}

static bool namesHeader(StringRef Source, StringRef Header) {
  auto Text = llvm::MemoryBuffer::getFile(Source);
  if (!Text)
    return false;
  StringRef Rest = (*Text)->getBuffer();
  for (size_t At = Rest.find(Header); At != StringRef::npos; At = Rest.find(Header, At + 1)) {
    StringRef Line = Rest.take_front(At);
    Line = Line.substr(Line.rfind('\n') + 1);
    if (Line.ltrim().starts_with("#") && Line.contains("include"))
      return true;
  }
  return false;
}

/// How near two files are: shared leading folders, then the same stem.
static unsigned nearness(StringRef A, StringRef B) {
  unsigned Score = 0;
  auto I = path::begin(A), J = path::begin(B);
  for (; I != path::end(A) && J != path::end(B) && *I == *J; ++I, ++J)
    Score += 4;
  if (path::stem(A) == path::stem(B))
    Score += 3;
  if (path::extension(B) == ".cu")
    Score += 1;
  return Score;
}

const BuildCommand *kcheck::commandFor(const std::vector<BuildCommand> &Commands, StringRef Named) {
  std::string File = absolute(Named, "");
  for (const BuildCommand &C : Commands)
    if (C.File == File)
      return &C;
  const BuildCommand *Best = nullptr;
  unsigned BestScore = 0;
  for (const BuildCommand &C : Commands) {
    unsigned Score = nearness(File, C.File) + (namesHeader(C.File, path::filename(File)) ? 1000 : 0);
    if (!Best || Score > BestScore) {
      Best = &C;
      BestScore = Score;
    }
  }
  return Best;
}
