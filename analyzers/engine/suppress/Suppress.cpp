#include "analyzers/engine/suppress/Suppress.h"
#include "analyzers/engine/suppress/NoLint.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace kcheck;

namespace {

/// The NOLINT comments of the candidate and of the headers that findings stand in, each read once.
class Comments {
public:
  explicit Comments(const FileReport &F) : F(F) {}

  const NoLint &of(const std::string &File) {
    std::string Key = File.empty() ? F.File : File;
    auto It = Files.find(Key);
    if (It == Files.end())
      It = Files.emplace(Key, read(Key)).first;
    return It->second;
  }

private:
  NoLint read(const std::string &File) {
    bool Python = llvm::sys::path::extension(File) == ".py";
    if (File == F.File)
      return NoLint(F.Text, Python);
    auto Buffer = llvm::MemoryBuffer::getFile(File);
    return NoLint(Buffer ? (*Buffer)->getBuffer() : llvm::StringRef(), Python);
  }

  const FileReport &F;
  std::map<std::string, NoLint> Files;
};

} // namespace

std::vector<std::string> kcheck::suppress(FileReport &F, const Policy &P, const SuppressOptions &O) {
  Comments C(F);
  for (Finding &X : F.Static.Findings) {
    const std::string &File = X.Where.File.empty() ? F.File : X.Where.File;
    if (!P.exemption(File, X.Rule, X.Tag).empty())
      X.SuppressedBy = "exempt";
    else if (O.NoLintComments && C.of(File).suppresses(X.Where.Line, X.Rule, X.Tag))
      X.SuppressedBy = "NOLINT";
    else
      continue;
    X.Suppressed = true;
  }
  if (O.Known)
    O.Known->apply(F);
  if (O.Changed)
    O.Changed->apply(F);
  conclude(F);
  std::vector<std::string> Problems;
  if (O.NoLintComments)
    for (const std::string &Text : C.of(F.File).Problems)
      Problems.push_back(F.File + ":" + Text);
  return Problems;
}
