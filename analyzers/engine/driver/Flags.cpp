#include "analyzers/engine/driver/Flags.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace kcheck;
using llvm::StringRef;

namespace {

/// Options whose value may follow as a word of its own or after '=', and that mean nothing to a parse.
bool takesIgnoredValue(StringRef Name) {
  static constexpr StringRef Names[] = {
      "-o", "--output-file", "-code", "--gpu-code", "-Xptxas", "--ptxas-options", "-Xnvlink", "--nvlink-options",
      "-Xlinker", "--linker-options", "-Xfatbin", "--fatbin-options", "-Xarchive", "--archive-options", "-Xcudafe",
      "-Xopencc", "-ccbin", "--compiler-bindir", "-allow-unsupported-compiler-dir", "--threads", "-t", "-maxrregcount",
      "--maxrregcount", "-diag-suppress", "--diag-suppress", "-diag-error", "--diag-error", "-diag-warn", "--diag-warn",
      "-MF", "-MT", "-MQ", "--dependency-output", "-odir", "--output-directory", "-idp", "--input-drive-prefix", "-ddp",
      "-dlink-time-opt", "-x", "--x", "-L", "--library-path", "-l", "--library", "-ftz", "--ftz", "-prec-div",
      "--prec-div", "-prec-sqrt", "--prec-sqrt", "-fmad", "--fmad", "-target-dir", "--target-directory", "-arch-list",
      "-split-compile", "--split-compile", "-cudart", "--cudart", "-cudadevrt", "--cudadevrt", "-default-stream",
      "--default-stream", "-O", "--optimize", "-dopt", "--dopt", "-run-args", "--run-args", "-keep-dir", "--keep-dir",
      "-Werror", "--Werror", "-target", "--target", "-arch-native", "-opt-info", "--opt-info", "-Xassembler", "-z", "-T",
      "-u", "-e", "-h", "-aux-triple", "-time", "--time", "-std-host", "--serialize-diagnostics", "-MJ", "-dumpdir"};
  return llvm::is_contained(Names, Name);
}

/// Names that take their value only after '=': the next word belongs to someone else.
bool onlyWithEquals(StringRef Name) { return Name == "-O" || Name == "-Werror" || Name == "--Werror" || Name == "-L" || Name == "-l"; }

/// Flags that would run code, read other command lines or reach around the front end's limits.
std::optional<StringRef> refusal(StringRef A) {
  if (A.starts_with("@") || A == "-optf" || A == "--options-file" || A.starts_with("--options-file=") || A.starts_with("-optf=") ||
      A.starts_with("--config"))
    return StringRef("reads a response file");
  for (StringRef P : {"-fplugin", "-fpass-plugin", "-load", "--load", "-plugin", "-add-plugin", "-Xclang=", "-fmodule-file", "-fmodule-map-file",
                      "-fprebuilt-module-path", "-ivfsoverlay", "-vfsoverlay", "-include-pch", "-fprofile-", "-B", "--gcc-toolchain", "-resource-dir",
                      "--sysroot", "-isysroot", "--cuda-path", "-dlopen", "-fembed", "--embed-dir", "-specs", "--specs", "-wrapper", "-fuse-ld", "-fthinlto"})
    if (A.starts_with(P))
      return StringRef("could load or read what the candidate must not");
  if (A == "-Xclang" || A == "-mllvm" || A == "-cc1" || A == "-cc1as" || A == "-Xpreprocessor" || A == "-Wp" || A == "-Xarch_device" || A == "-Xarch_host" ||
      A == "-imacros" || A == "-rewrite-objc")
    return StringRef("passes words to the front end unseen");
  return std::nullopt;
}

class Translator {
public:
  explicit Translator(StringRef Directory) : Directory(Directory) {}

  llvm::Error run(llvm::ArrayRef<std::string> Args) {
    for (size_t I = 0; I < Args.size(); ++I) {
      StringRef A = Args[I];
      if (auto Why = refusal(A))
        return llvm::createStringError("flag '" + A + "' refused: it " + *Why);
      if (!A.starts_with("-"))
        continue; // an input
      if (llvm::Error E = one(A, Args, I))
        return E;
    }
    return llvm::Error::success();
  }

  ParseFlags Out;

private:
  /// The value of option Name where A is Name, Name=V or (Joined) NameV.
  std::optional<std::string> valueOf(StringRef A, StringRef Name, bool Joined, llvm::ArrayRef<std::string> Args, size_t &I) {
    if (A == Name)
      return I + 1 < Args.size() ? Args[++I] : std::string();
    if (!A.consume_front(Name))
      return std::nullopt;
    if (A.consume_front("="))
      return A.str();
    return Joined ? std::optional(A.str()) : std::nullopt;
  }
  std::optional<std::string> value(StringRef A, llvm::ArrayRef<StringRef> Names, bool Joined, llvm::ArrayRef<std::string> Args, size_t &I) {
    for (StringRef N : Names)
      if (auto V = valueOf(A, N, Joined && !N.starts_with("--"), Args, I))
        return V;
    return std::nullopt;
  }

  std::string absolute(StringRef Path) {
    llvm::SmallString<256> P(Path);
    if (!Directory.empty())
      llvm::sys::path::make_absolute(Directory, P);
    llvm::sys::path::remove_dots(P, false);
    return P.empty() ? "." : std::string(P);
  }

  void folder(StringRef Flag, StringRef Value) {
    for (auto Rest = Value; !Rest.empty();) { // nvcc takes lists: -I a,b
      auto [Head, Tail] = Rest.split(',');
      std::string Path = absolute(Head);
      Out.Clang.push_back((Flag + Path).str());
      Out.IncludeDirs.push_back(Path);
      Rest = Tail;
    }
  }

  void arch(StringRef Text) {
    // "sm_90a", "compute_80", "arch=compute_80,code=[sm_80,compute_80]"
    for (StringRef Prefix : {"compute_", "sm_", "lto_"})
      for (size_t At = Text.find(Prefix); At != StringRef::npos; At = Text.find(Prefix, At + 1)) {
        StringRef Digits = Text.substr(At + Prefix.size());
        unsigned N = 0;
        StringRef Rest = Digits;
        if (Rest.consumeInteger(10, N) || N <= Highest)
          continue;
        Highest = N;
        Out.Arch = "sm_" + std::to_string(N) + Rest.take_while(llvm::isAlpha).str();
      }
  }

  llvm::Error hostFlags(StringRef List) {
    llvm::SmallVector<StringRef, 8> Parts;
    List.trim("\"'").split(Parts, ',', -1, false);
    std::vector<std::string> Words;
    for (StringRef P : Parts)
      for (StringRef W : llvm::split(P.trim("\"'"), ' '))
        if (!W.empty())
          Words.push_back(W.str());
    return run(Words);
  }

  llvm::Error one(StringRef A, llvm::ArrayRef<std::string> Args, size_t &I) {
    if (auto V = value(A, {"-Xcompiler", "--compiler-options"}, false, Args, I))
      return hostFlags(*V);
    if (auto V = value(A, {"-gencode", "--generate-code", "-arch", "--gpu-architecture", "--cuda-gpu-arch", "--offload-arch"}, false, Args, I)) {
      arch(*V);
      return llvm::Error::success();
    }
    if (auto V = value(A, {"-rdc", "--relocatable-device-code"}, false, Args, I)) {
      if (*V == "true")
        Out.Clang.push_back("-fgpu-rdc");
      return llvm::Error::success();
    }
    if (A == "-dc" || A == "--device-c" || A == "-fgpu-rdc") {
      Out.Clang.push_back("-fgpu-rdc");
      return llvm::Error::success();
    }
    if (auto V = value(A, {"-std", "--std"}, false, Args, I)) {
      StringRef S = *V;
      Out.Standard = S.starts_with("gnu++") ? S.str() : S.starts_with("c++") ? S.str() : "";
      return llvm::Error::success();
    }
    if (auto V = value(A, {"-isystem", "--system-include"}, true, Args, I)) {
      folder("-isystem", *V);
      return llvm::Error::success();
    }
    if (auto V = value(A, {"-iquote"}, true, Args, I)) {
      folder("-iquote", *V);
      return llvm::Error::success();
    }
    if (auto V = value(A, {"-idirafter"}, true, Args, I)) {
      folder("-idirafter", *V);
      return llvm::Error::success();
    }
    if (auto V = value(A, {"-include", "--pre-include"}, false, Args, I)) {
      llvm::SmallString<256> P(absolute(*V));
      Out.Clang.push_back("-include");
      Out.Clang.push_back(std::string(P));
      return llvm::Error::success();
    }
    if (auto V = value(A, {"--include-path", "-I"}, true, Args, I)) {
      folder("-I", *V);
      return llvm::Error::success();
    }
    if (auto V = value(A, {"--define-macro", "-D"}, true, Args, I)) {
      Out.Clang.push_back("-D" + *V);
      return llvm::Error::success();
    }
    if (auto V = value(A, {"--undefine-macro", "-U"}, true, Args, I)) {
      Out.Clang.push_back("-U" + *V);
      return llvm::Error::success();
    }
    if (keptAsIs(A)) {
      Out.Clang.push_back(A.str());
      return llvm::Error::success();
    }
    auto [Name, Value] = A.split('=');
    if (Value.empty() && !A.contains('=') && takesIgnoredValue(Name) && !onlyWithEquals(Name))
      ++I;
    return llvm::Error::success();
  }

  static bool keptAsIs(StringRef A) {
    return llvm::StringSwitch<bool>(A)
        .Cases({"-fno-exceptions", "-fexceptions", "-fno-rtti", "-frtti", "-fchar8_t", "-fno-char8_t", "-funsigned-char", "-fsigned-char"}, true)
        .Cases({"-fms-extensions", "-fopenmp", "-ffast-math", "-pthread"}, true)
        .Default(A.starts_with("-march=") || A == "-mavx" || A == "-mavx2" || A == "-mfma" || A == "-mf16c" || A.starts_with("-msse") || A.starts_with("-mavx512"));
  }

  std::string Directory;
  unsigned Highest = 0;
};

} // namespace

llvm::Expected<ParseFlags> kcheck::translateFlags(llvm::ArrayRef<std::string> Args, StringRef Directory) {
  Translator T(Directory);
  if (llvm::Error E = T.run(Args))
    return std::move(E);
  return std::move(T.Out);
}
