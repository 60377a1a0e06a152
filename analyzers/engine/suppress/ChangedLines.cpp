#include "analyzers/engine/suppress/ChangedLines.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <unistd.h>

using namespace kcheck;
namespace path = llvm::sys::path;

/// The environment without what git tells a hook of its repository: those paths hold in the hook's folder only.
static std::vector<llvm::StringRef> outsideHook() {
  std::vector<llvm::StringRef> Out;
  for (char **E = environ; *E; ++E)
    if (llvm::StringRef V = *E; llvm::none_of(llvm::ArrayRef<llvm::StringRef>{"GIT_DIR=", "GIT_INDEX_FILE=", "GIT_WORK_TREE=", "GIT_PREFIX="}, [&](llvm::StringRef N) { return V.starts_with(N); }))
      Out.push_back(V);
  return Out;
}

/// What `git -C Folder Words…` prints, or what it complains about.
static llvm::Expected<std::string> git(llvm::StringRef Folder, std::vector<std::string> Words) {
  auto Program = llvm::sys::findProgramByName("git");
  if (!Program)
    return llvm::createStringError("git is not on the PATH");
  llvm::SmallString<64> Out, Err;
  if (llvm::sys::fs::createTemporaryFile("kcheck-git", "out", Out) || llvm::sys::fs::createTemporaryFile("kcheck-git", "err", Err))
    return llvm::createStringError("no temporary file for git's output");
  llvm::FileRemover RemoveOut(Out), RemoveErr(Err);
  Words.insert(Words.begin(), {*Program, "-C", Folder.empty() ? "." : Folder.str()});
  std::vector<llvm::StringRef> Argv(Words.begin(), Words.end());
  int Status = llvm::sys::ExecuteAndWait(*Program, Argv, outsideHook(), {llvm::StringRef("/dev/null"), llvm::StringRef(Out), llvm::StringRef(Err)}, /*SecondsToWait=*/60);
  auto Text = llvm::MemoryBuffer::getFile(Status == 0 ? Out : Err);
  std::string Printed = Text ? (*Text)->getBuffer().str() : std::string();
  if (Status != 0)
    return llvm::createStringError(llvm::StringRef(Printed).trim());
  return Printed;
}

llvm::Expected<ChangedLines> ChangedLines::since(llvm::StringRef Revision, llvm::StringRef Folder) {
  auto Commit = git(Folder, {"rev-parse", "--verify", "--end-of-options", (Revision + "^{commit}").str()});
  if (!Commit)
    return llvm::createStringError("--diff-base " + Revision + ": " + llvm::toString(Commit.takeError()));
  ChangedLines C;
  C.Revision = llvm::StringRef(*Commit).trim().str();
  return C;
}

ChangedLines::Ranges ChangedLines::parse(llvm::StringRef Diff) {
  Ranges Out;
  llvm::SmallVector<llvm::StringRef, 64> Lines;
  Diff.split(Lines, '\n');
  for (llvm::StringRef L : Lines) {
    if (!L.starts_with("@@ -")) // a line of the file has a sign in front
      continue;
    llvm::StringRef New = L.substr(L.find(" +") + 2).take_until([](char C) { return C == ' '; });
    auto [First, Count] = New.split(',');
    unsigned From = 0, N = 1;
    if (First.getAsInteger(10, From) || (!Count.empty() && Count.getAsInteger(10, N)))
      continue;
    Out.push_back(N ? std::pair{From, From + N - 1} : std::pair{From, From + 1});
  }
  return Out;
}

std::optional<ChangedLines::Ranges> ChangedLines::of(const std::string &File) const {
  llvm::StringRef Folder = path::parent_path(File);
  std::string Name = path::filename(File).str();
  auto Known = git(Folder, {"cat-file", "-e", Revision + ":./" + Name});
  auto Diff = Known ? git(Folder, {"diff", "-U0", "--no-color", "--no-ext-diff", "--merge-base", Revision, "--", Name}) : std::move(Known);
  if (!Diff) {
    llvm::consumeError(Diff.takeError());
    return std::nullopt;
  }
  return parse(*Diff);
}

void ChangedLines::apply(FileReport &F) const {
  std::map<std::string, std::optional<Ranges>> Files;
  auto Changed = [&](const Location &L) {
    const std::string &File = L.File.empty() ? F.File : L.File;
    auto It = Files.find(File);
    if (It == Files.end())
      It = Files.emplace(File, of(File)).first;
    return !It->second || llvm::any_of(*It->second, [&](const auto &R) { return L.Line >= R.first && L.Line <= R.second; });
  };
  for (Finding &X : F.Static.Findings) {
    if (X.Suppressed || Changed(X.Where) || llvm::any_of(X.Notes, [&](const FindingNote &N) { return Changed(N.Where); }))
      continue;
    X.Suppressed = true;
    X.SuppressedBy = "unchanged";
  }
}
