#include "analyzers/engine/PolicyTree.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace kcheck;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// True when a line says `root: true`; the file is validated as a whole elsewhere.
static bool endsWalk(llvm::StringRef File) {
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return false;
  llvm::StringRef Rest = (*Buffer)->getBuffer();
  while (!Rest.empty()) {
    auto [Line, After] = Rest.split('\n');
    if (Line.split('#').first.rtrim() == "root: true")
      return true;
    Rest = After;
  }
  return false;
}

const PolicyTree::Entry &PolicyTree::forFolder(const std::string &Dir, unsigned Depth) {
  auto It = Folders.find(Dir);
  if (It != Folders.end())
    return It->second;
  llvm::SmallString<256> Config(Dir), Git(Dir);
  path::append(Config, ".kcheck.yaml");
  path::append(Git, ".git");
  bool Here = fs::exists(Config);
  Entry E{&Base, ""};
  std::string Parent = path::parent_path(Dir).str();
  bool Top = Parent.empty() || Parent == Dir || Depth > 64 || fs::exists(Git) || (Here && endsWalk(Config));
  if (!Top)
    E = forFolder(Parent, Depth + 1);
  if (Here && E.Error.empty()) {
    llvm::Expected<Policy> P = Policy::load(Config, *E.P);
    llvm::Error Bad = P ? Over ? Over(*P) : llvm::Error::success() : P.takeError();
    if (Bad)
      E.Error = llvm::toString(std::move(Bad));
    else {
      Made.push_back(std::make_unique<Policy>(std::move(*P)));
      E.P = Made.back().get();
    }
  }
  return Folders[Dir] = E;
}

llvm::Expected<const Policy *> PolicyTree::forFile(llvm::StringRef File) {
  if (!Local || File == "-")
    return &Base;
  llvm::SmallString<256> Dir(File);
  fs::make_absolute(Dir);
  path::remove_dots(Dir, /*remove_dot_dot=*/true);
  path::remove_filename(Dir);
  std::lock_guard Guard(Lock);
  const Entry &E = forFolder(std::string(Dir), 0);
  if (!E.Error.empty())
    return llvm::createStringError(E.Error);
  return E.P;
}
