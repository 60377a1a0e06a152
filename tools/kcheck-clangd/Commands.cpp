#include "tools/kcheck-clangd/Commands.h"
#include "analyzers/engine/driver/Flags.h"
#include "analyzers/engine/driver/Toolkit.h"
#include "tools/kcheck-clangd/HeadersOnDisk.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace kcheck;

namespace {

bool namesCudaFile(llvm::StringRef File) { return File.ends_with(".cu") || File.ends_with(".cuh"); }

bool isCuda(const std::vector<std::string> &Words, llvm::StringRef File) {
  for (size_t I = 0; I < Words.size(); ++I)
    if (Words[I] == "-xcuda" || (Words[I] == "-x" && I + 1 < Words.size() && llvm::StringRef(Words[I + 1]).starts_with("cu")))
      return true;
  return namesCudaFile(File);
}

bool has(const std::vector<std::string> &Words, llvm::ArrayRef<llvm::StringRef> Prefixes) {
  return llvm::any_of(Words, [&](llvm::StringRef W) {
    return llvm::any_of(Prefixes, [&](llvm::StringRef P) { return W.starts_with(P); });
  });
}

/// What the project did not say.
std::vector<std::string> missingFlags(const std::vector<std::string> &Words, llvm::StringRef Arch) {
  std::vector<std::string> Out;
  const Toolkit &T = findToolkit("");
  static const std::string Ours = headersOnDisk("ours");
  std::string Note;
  bool OwnHeaders = has(Words, {"-nocudainc", "-nogpuinc"});
  if (!has(Words, {"--cuda-gpu-arch", "--offload-arch"}))
    Out.push_back("--cuda-gpu-arch=" + chooseArch(Arch, T, Note));
  Out.push_back("-Wno-unknown-cuda-version");
  if (OwnHeaders)
    return Out;
  auto Add = [&](std::initializer_list<std::string> More) { Out.insert(Out.end(), More); };
  if (!Ours.empty())
    Add({"-isystem", Ours + "/prelude", "-idirafter", Ours + "/torch"});
  if (has(Words, {"--cuda-path"}))
    return Out;
  if (T.found()) {
    Add({"--cuda-path=" + T.Root, "-idirafter", T.Include + "/cccl"});
    if (!Ours.empty())
      Add({"-include", "kcheck_minmax.h", "-include", "kcheck_cache_hints.h", "-include", "kcheck_nv_atomics.h", "-include", "kcheck_compiler_version.h"});
  } else if (!Ours.empty()) {
    Add({"-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.9", "-idirafter", Ours + "/cuda", "-include", "kcheck_bundled.h"});
  }
  return Out;
}

} // namespace

void kcheck::adjustCudaCommand(std::vector<std::string> &Words, llvm::StringRef Directory, llvm::StringRef File) {
  if (Words.empty() || !isCuda(Words, File))
    return;
  std::string Arch;
  if (llvm::sys::path::filename(Words[0]).starts_with("nvcc")) {
    llvm::Expected<ParseFlags> Flags = translateFlags(llvm::ArrayRef(Words).drop_front(), Directory);
    if (!Flags) {
      llvm::consumeError(Flags.takeError());
      return;
    }
    Arch = Flags->Arch;
    Words = {"clang++", "-std=" + (Flags->Standard.empty() ? "c++17" : Flags->Standard)};
    Words.insert(Words.end(), Flags->Clang.begin(), Flags->Clang.end());
    Words.push_back(File.str());
  }
  std::vector<std::string> More = missingFlags(Words, Arch);
  if (!namesCudaFile(File) && !has(Words, {"-x"}))
    More.insert(More.begin(), "-xcuda");
  Words.insert(Words.begin() + 1, More.begin(), More.end());
}
