#include "analyzers/engine/driver/Toolkit.h"
#include "clang/Basic/OffloadArch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <algorithm>
#include <map>
#include <mutex>

using namespace kcheck;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string below(llvm::StringRef A, llvm::StringRef B) {
  llvm::SmallString<128> P(A);
  path::append(P, B);
  return std::string(P);
}

/// CUDA_VERSION of cuda.h; a later toolkit has it in the first 200 lines too.
static unsigned versionIn(llvm::StringRef Include) {
  auto Text = llvm::MemoryBuffer::getFileSlice(below(Include, "cuda.h"), 1 << 16, 0);
  if (!Text)
    return 0;
  llvm::StringRef Rest = (*Text)->getBuffer().split("#define CUDA_VERSION").second.ltrim();
  unsigned V = 0;
  Rest.consumeInteger(10, V);
  return V;
}

static bool look(llvm::StringRef Root, Toolkit &T) {
  if (Root.empty())
    return false;
  for (llvm::StringRef Sub : {"include", "targets/x86_64-linux/include"}) {
    std::string Include = below(Root, Sub);
    if (!fs::exists(below(Include, "cuda_runtime.h")))
      continue;
    T.Root = Root.str();
    T.Include = Include;
    T.Version = versionIn(Include);
    return true;
  }
  return false;
}

/// The newest /usr/local/cuda-12.8 and the like.
static std::string newestVersioned() {
  std::string Best;
  std::pair<unsigned, unsigned> BestV;
  std::error_code EC;
  for (fs::directory_iterator I("/usr/local", EC), E; I != E && !EC; I.increment(EC)) {
    llvm::StringRef Name = path::filename(I->path());
    std::pair<unsigned, unsigned> V;
    if (!Name.consume_front("cuda-") || Name.consumeInteger(10, V.first))
      continue;
    if (Name.consume_front("."))
      Name.consumeInteger(10, V.second);
    if (V > BestV) {
      BestV = V;
      Best = I->path();
    }
  }
  return Best;
}

static Toolkit search(llvm::StringRef Wanted) {
  Toolkit T;
  if (const char *Hide = getenv("KCHECK_HIDE_CUDA"); Wanted == "none" || (Hide && *Hide && llvm::StringRef(Hide) != "0"))
    return T;
  if (!Wanted.empty()) {
    look(Wanted, T);
    return T;
  }
  for (const char *Name : {"CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (const char *Value = getenv(Name); Value && look(Value, T))
      return T;
  if (look("/usr/local/cuda", T) || look("/opt/cuda", T))
    return T;
  if (auto Nvcc = llvm::sys::findProgramByName("nvcc")) {
    llvm::SmallString<128> Real;
    if (!fs::real_path(*Nvcc, Real) && look(path::parent_path(path::parent_path(Real)), T))
      return T;
  }
  look(newestVersioned(), T);
  return T;
}

const Toolkit &kcheck::findToolkit(llvm::StringRef Wanted) {
  static std::mutex M;
  static std::map<std::string, Toolkit> Found;
  std::lock_guard<std::mutex> Lock(M);
  auto I = Found.find(Wanted.str());
  if (I == Found.end())
    I = Found.emplace(Wanted.str(), search(Wanted)).first;
  return I->second;
}

static unsigned lowestArch(unsigned Version) {
  if (Version >= 13000) return 75;
  if (Version >= 12000) return 50;
  if (Version >= 11000) return 35;
  return 30;
}

std::string kcheck::chooseArch(llvm::StringRef Wanted, const Toolkit &T, std::string &Note) {
  llvm::StringRef Name = Wanted;
  for (llvm::StringRef Prefix : {"sm_", "compute_", "lto_"})
    if (Name.consume_front(Prefix))
      break;
  unsigned Number = 0;
  llvm::StringRef Suffix = Name;
  if (Suffix.consumeInteger(10, Number) || Number < 10)
    return "sm_80"; // empty, native, all, all-major
  Suffix = Suffix.take_while(llvm::isAlpha);
  if (Number < lowestArch(T.Version)) {
    std::string Raised = "sm_" + std::to_string(lowestArch(T.Version));
    Note = ("architecture sm_" + llvm::Twine(Number) + " raised to " + Raised + ", the lowest of this toolkit").str();
    return Raised;
  }
  auto Known = [](const std::string &A) { return clang::StringToOffloadArch(A) != clang::OffloadArch::UNKNOWN; };
  std::string Exact = ("sm_" + llvm::Twine(Number) + Suffix).str();
  if (Known(Exact))
    return Exact;
  for (unsigned N = Number; N >= 50; --N)
    if (std::string A = "sm_" + std::to_string(N); Known(A)) {
      if (A != "sm_" + std::to_string(Number))
        Note = "architecture " + Exact + " is not known to the front end, parsed as " + A;
      return A;
    }
  return "sm_80";
}
