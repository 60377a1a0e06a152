#include "runner/gpu/Compile.h"
#include "runner/gpu/CompilerProcess.h"
#include "runner/gpu/Device.h"
#include "runner/gpu/Hash.h"
#include "runner/gpu/Headers.h"
#include "runner/gpu/Library.h"
#include "runner/gpu/Process.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <regex>
#include <sstream>

using namespace kcheck;
using namespace kcheck::gpu;
using protocol::CompileMessage;
using protocol::Source;
using Steady = std::chrono::steady_clock;

namespace {

double since(Steady::time_point T) { return std::chrono::duration<double, std::milli>(Steady::now() - T).count(); }

/// The text with comments and line continuations gone, so that directives can be seen as the preprocessor sees them.
std::string withoutComments(const std::string &Text) {
  std::string Out;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text.compare(I, 2, "\\\n") == 0) {
      ++I;
    } else if (Text.compare(I, 2, "//") == 0) {
      I = std::min(Text.find('\n', I), Text.size()) - 1;
    } else if (Text.compare(I, 2, "/*") == 0) {
      I = Text.find("*/", I + 2);
      if (I == std::string::npos)
        break;
      ++I;
      Out += ' ';
    } else {
      Out += Text[I];
    }
  }
  return Out;
}

bool leaves(const std::string &Name) {
  std::filesystem::path P = std::filesystem::path(Name).lexically_normal();
  return P.is_absolute() || (!P.empty() && *P.begin() == "..");
}

std::string refusedIn(const std::string &Text) {
  std::istringstream Lines(withoutComments(Text));
  for (std::string Line; std::getline(Lines, Line);) {
    size_t Hash = Line.find_first_not_of(" \t\f\v\r");
    if (Hash == std::string::npos || (Line[Hash] != '#' && Line.compare(Hash, 2, "%:") != 0))
      continue;
    size_t Word = Line.find_first_not_of(" \t#%:", Hash);
    size_t End = Word == std::string::npos ? Word : Line.find_first_of(" \t<\"", Word);
    std::string Name = Word == std::string::npos ? "" : Line.substr(Word, End == std::string::npos ? End : End - Word);
    if (Name != "include" && Name != "include_next" && Name != "embed" && Name != "import")
      continue;
    size_t Open = End == std::string::npos ? End : Line.find_first_not_of(" \t", End);
    if (Name != "include" || Open == std::string::npos || (Line[Open] != '<' && Line[Open] != '"'))
      return "'" + Line.substr(Hash, 60) + "' is not a plain include";
    size_t Close = Line.find(Line[Open] == '<' ? '>' : '"', Open + 1);
    std::string File = Line.substr(Open + 1, Close == std::string::npos ? Close : Close - Open - 1);
    if (leaves(File))
      return "the include of '" + File + "' leaves the candidate's folder";
  }
  // Assemblers read files too.
  return Text.find(".incbin") != std::string::npos ? ".incbin is not allowed" : "";
}

CompileMessage plainError(const Source &S, const std::string &Text) { return {{S.File, 1, 1}, "error", Text}; }

Binary failed(const Source &S, std::string Why) {
  Binary B;
  B.Messages.push_back(plainError(S, Why));
  B.Error = std::move(Why);
  return B;
}

std::string firstError(const std::vector<CompileMessage> &M) {
  for (const CompileMessage &X : M)
    if (X.Level == "error")
      return std::to_string(X.Where.Line) + ": " + X.Message;
  return "";
}

std::vector<std::string> includeFolders() {
  std::string Root = toolkitRoot();
  if (Root.empty())
    return {};
  return {Root + "/include", Root + "/include/cccl"};
}

/// NVRTC keeps parsed headers from one compile to the next in here; private to the process.
const std::string &pchFolder() {
  static TemporaryFolder Folder;
  return Folder.path();
}

/// Headers whose parsing costs more than a precompiled header's loading.
bool hasBigHeader(const Source &S) {
  auto has = [](const std::string &Text) {
    for (const char *H : {"cuda_fp16", "cuda_bf16", "cuda_fp8", "cooperative_groups", "mma.h", "cub/", "cuda/", "thrust/"})
      if (Text.find(H) != std::string::npos)
        return true;
    return false;
  };
  return has(S.DeviceText.empty() ? S.Text : S.DeviceText) || std::any_of(S.Includes.begin(), S.Includes.end(), [&](const auto &F) { return has(F.Text); });
}

/// Whether the text may need what NVRTC leaves out when told to be quick: textures, surfaces, the device runtime, and two of its
/// built-in headers. A wrong guess costs a second compile.
bool isPlain(const Source &S) {
  std::string Text = S.DeviceText.empty() ? S.Text : S.DeviceText;
  for (size_t At; (At = Text.find("#include <cuda_runtime.h>")) != std::string::npos;)
    Text.replace(At, 25, 25, ' '); // all that is in it is built in
  for (const char *W : {"tex", "surf", "cuda", "initializer_list", "std::", "#include"})
    if (Text.find(W) != std::string::npos)
      return false;
  return true;
}

class NvrtcRun {
public:
  NvrtcRun(const Nvrtc &N, const CompileRequest &R) : N(N), R(R), S(*R.Source) {}
  ~NvrtcRun() {
    if (P)
      N.destroy(&P);
  }

  Binary run() {
    auto T0 = Steady::now();
    Quick = isPlain(S);
    Binary B = once(hasBigHeader(S));
    if (!B.Ok && Quick) {
      Quick = false;
      N.destroy(&P);
      P = nullptr;
      B = once(hasBigHeader(S));
    }
    if (!B.Ok && BadOption) {
      N.destroy(&P);
      P = nullptr;
      B = once(false);
    }
    B.Ms = since(T0);
    B.With = "nvrtc " + std::to_string(N.Major) + "." + std::to_string(N.Minor);
    return B;
  }

private:
  Binary once(bool Pch) {
    std::vector<const char *> Texts, Names;
    const auto &Own = S.DeviceText.empty() || S.DeviceIncludes.empty() ? S.Includes : S.DeviceIncludes;
    for (const protocol::SourceFile &F : Own) {
      Texts.push_back(F.Text.c_str());
      Names.push_back(F.Path.c_str());
    }
    for (const BundledHeader &H : bundledHeaders()) {
      if (std::any_of(Own.begin(), Own.end(), [&](const protocol::SourceFile &F) { return F.Path == H.Name; }))
        continue; // the client brings its own
      Texts.push_back(H.Text);
      Names.push_back(H.Name);
    }
    const std::string &Text = S.DeviceText.empty() ? S.Text : S.DeviceText;
    if (N.create(&P, Text.c_str(), S.File.c_str(), int(Names.size()), Texts.data(), Names.data()))
      return failed(S, "NVRTC takes no program");
    for (const std::string &K : R.Kernels)
      N.addName(P, K.c_str());
    std::vector<std::string> Options = options(Pch);
    std::vector<const char *> Words;
    for (const std::string &O : Options)
      Words.push_back(O.c_str());
    Status Result = N.compile(P, int(Words.size()), Words.data());
    BadOption = Result == 5;
    Binary B;
    B.Messages = parseCompilerLog(log(), S);
    if (Result) {
      B.Error = firstError(B.Messages);
      if (B.Error.empty())
        B.Error = "NVRTC: " + log().substr(0, 200);
      return B;
    }
    for (const std::string &K : R.Kernels) {
      const char *Lowered = nullptr;
      if (N.loweredName(P, K.c_str(), &Lowered) == 0 && Lowered)
        B.Lowered[K] = Lowered;
    }
    size_t Size = 0;
    if (N.cubinSize(P, &Size) || !Size)
      return failed(S, "NVRTC gives no machine code for " + R.Arch);
    B.Cubin.resize(Size);
    B.Ok = N.cubin(P, B.Cubin.data()) == 0;
    return B;
  }

  std::vector<std::string> options(bool Pch) const {
    std::vector<std::string> O = {"--gpu-architecture=" + R.Arch, "--std=" + S.Standard, "--generate-line-info", "--pre-include=kcheck_prelude.h"};
    for (const std::string &D : S.Defines)
      O.push_back("--define-macro=" + D);
    for (const std::string &F : includeFolders())
      O.push_back("--include-path=" + F);
    for (const std::string &A : S.Args)
      if (A == "--use_fast_math" || A == "-use_fast_math" || A.starts_with("--fmad=") || A.starts_with("-fmad=") || A.starts_with("--maxrregcount"))
        O.push_back(A);
    if (Quick && N.Major >= 13)
      O.insert(O.end(), {"--minimal", "--builtin-initializer-list=false", "--builtin-move-forward=false"});
    if (R.FullDebug)
      O.push_back("--device-debug");
    if (Pch && N.Major >= 13 && !pchFolder().empty()) {
      O.push_back("--pch");
      O.push_back("--pch-dir=" + pchFolder());
      O.push_back("--pch-messages=false");
    }
    return O;
  }

  std::string log() const {
    size_t Size = 0;
    if (N.logSize(P, &Size) || Size < 2)
      return "";
    std::string Log(Size, '\0');
    N.log(P, Log.data());
    Log.resize(Size - 1);
    return Log;
  }

  const Nvrtc &N;
  const CompileRequest &R;
  const Source &S;
  Program P = nullptr;
  bool BadOption = false, Quick = false;
};

class NvccRun {
public:
  NvccRun(const CompileRequest &R, const std::string &Nvcc) : R(R), S(*R.Source), Nvcc(Nvcc) {}

  Binary run() {
    auto T0 = Steady::now();
    std::string Text = S.CallText.empty() ? S.Text : S.Text + "\n#line 1 \"kcheck-call\"\n" + S.CallText + "\n";
    bool Written = Folder.write("in/" + S.File, Text);
    for (const protocol::SourceFile &F : S.Includes)
      Written &= Folder.write("in/" + F.Path, F.Text);
    if (!Written)
      return failed(S, "the source cannot be written for nvcc");
    if (S.CallText.empty())
      device();
    else
      withHost();
    B.Ms = since(T0);
    B.With = "nvcc";
    return std::move(B);
  }

private:
  void device() {
    if (call({"-cubin", "-o", path("out.cubin")}, true))
      B.Cubin = readWhole(path("out.cubin"), B.Ok);
  }

  /// One compile for both sides, so that the names of kernels are the same on each; the device's half is among what nvcc keeps.
  void withHost() {
    if (!Folder.write("keep/.here", "") || !call({"-c", "-Xcompiler", "-fPIC", "--keep", "--keep-dir", path("keep"), "-o", path("host.o")}, true) ||
        !call({"-shared", "-cudart", "none", "-cudadevrt", "none", "-o", path("host.so"), path("host.o")}, false))
      return;
    bool Glue = Folder.write("glue.cpp", GlueText) /* as CUDA it would meet the device runtime's own */ &&
                call({"-shared", "-std=c++17", "-Xcompiler", "-fPIC", "-cudart", "none", "-cudadevrt", "none", "-o", path("glue.so"), path("glue.cpp")}, false);
    for (const auto &E : std::filesystem::directory_iterator(path("keep")))
      if (E.path().extension() == ".cubin")
        B.Cubin = readWhole(E.path(), B.Ok);
    B.Host = readWhole(path("host.so"), Glue);
    B.Glue = readWhole(path("glue.so"), Glue);
    if (!Glue || B.Cubin.empty())
      fail("nvcc gives no library of the host code");
  }

  std::string path(const char *Name) const { return Folder.path() + "/" + Name; }

  bool call(std::vector<std::string> Words, bool OfSource) {
    Words.insert(Words.begin(), {Nvcc, "-arch=" + R.Arch});
    if (OfSource) {
      Words.insert(Words.end(), {"-std=" + S.Standard, "-O2", "-lineinfo", "-Xcudafe", "--display_error_number", Folder.path() + "/in/" + S.File});
      for (const std::string &D : S.Defines)
        Words.push_back("-D" + D);
      Words.insert(Words.end(), S.Args.begin(), S.Args.end());
    }
    ProcessResult P = runProcess(Words, "", R.Seconds, {{"TMPDIR", Folder.path()}});
    if (OfSource)
      B.Messages = parseCompilerLog(P.Out, S);
    if (P.Status == 0)
      return true;
    std::string First = firstError(B.Messages);
    fail(P.TimedOut ? "nvcc took longer than " + std::to_string(int(R.Seconds)) + " s" : !First.empty() ? First : "nvcc ended with status " + std::to_string(P.Status));
    return false;
  }

  void fail(std::string Why) {
    B.Ok = false;
    B.Cubin.clear();
    B.Error = std::move(Why);
    if (B.Messages.empty())
      B.Messages.push_back(plainError(S, B.Error));
  }

  const CompileRequest &R;
  const Source &S;
  const std::string &Nvcc;
  TemporaryFolder Folder;
  Binary B;
};

} // namespace

/// Only what changes code, by name: others load code, name programs or read files.
static bool isHarmless(const std::string &A) {
  auto number = [](const std::string &Text) { return !Text.empty() && Text.size() <= 4 && Text.find_first_not_of("0123456789") == Text.npos; };
  for (const char *W : {"--use_fast_math", "-use_fast_math", "--fmad=true", "--fmad=false", "-fmad=true", "-fmad=false", "--extra-device-vectorization",
                        "-extra-device-vectorization", "--expt-relaxed-constexpr", "-expt-relaxed-constexpr", "--expt-extended-lambda", "-expt-extended-lambda",
                        "--extended-lambda", "-extended-lambda", "--ftz=true", "--ftz=false", "-ftz=true", "-ftz=false", "--prec-div=true", "--prec-div=false",
                        "-prec-div=true", "-prec-div=false", "--prec-sqrt=true", "--prec-sqrt=false", "-prec-sqrt=true", "-prec-sqrt=false", "-O0", "-O1", "-O2", "-O3"})
    if (A == W)
      return true;
  for (const char *W : {"--maxrregcount=", "-maxrregcount="})
    if (A.starts_with(W))
      return number(A.substr(strlen(W)));
  return false;
}

std::string gpu::refusedArgument(const Source &S) {
  for (const std::string &A : S.Args)
    if (!isHarmless(A))
      return "the compiler argument '" + A.substr(0, 60) + "' is not taken";
  static const std::regex Standard("c\\+\\+(03|11|14|17|20|23)"), Define(R"([A-Za-z_]\w*(\([^()\n]*\))?(=[^\n]*)?)");
  if (!std::regex_match(S.Standard, Standard))
    return "the language standard '" + S.Standard.substr(0, 20) + "' is not known";
  for (const std::string &D : S.Defines)
    if (!std::regex_match(D, Define))
      return "the macro definition '" + D.substr(0, 60) + "' is not taken";
  return "";
}

std::string gpu::refusedInclude(const Source &S) {
  std::string Why = refusedIn(S.Text + "\n" + S.CallText);
  if (Why.empty() && !S.DeviceText.empty())
    Why = refusedIn(S.DeviceText);
  for (const protocol::SourceFile &F : S.Includes) // DeviceIncludes are cut from these by the client, or its own
    if (Why.empty())
      Why = leaves(F.Path) ? "the include '" + F.Path + "' leaves the candidate's folder" : refusedIn(F.Text);
  return Why;
}

std::vector<CompileMessage> gpu::parseCompilerLog(const std::string &Log, const Source &S) {
  // "a.cu(12): error: text", "a.cu(12): error #20: text", "/tmp/x/in/a.cu(3): warning #177-D: text"; ptxas: "error   : text"
  static const std::regex Front(R"((?:^|\n)([^\n(]+)\((\d+)\): (?:catastrophic )?(error|warning|note)[^:\n]*: ([^\n]*))");
  static const std::regex Assembler(R"((?:^|\n)ptxas (error|fatal)\s*: ([^\n]*))");
  std::vector<CompileMessage> All;
  auto isOurs = [&](const std::string &File) {
    if (File == S.File || File.ends_with("/" + S.File))
      return true;
    return std::any_of(S.Includes.begin(), S.Includes.end(), [&](const protocol::SourceFile &F) { return File == F.Path || File.ends_with("/" + F.Path); });
  };
  for (auto I = std::sregex_iterator(Log.begin(), Log.end(), Front); I != std::sregex_iterator(); ++I) {
    const std::smatch &M = *I;
    CompileMessage C;
    bool Ours = isOurs(M[1]);
    C.Where.File = Ours ? std::filesystem::path(M[1].str()).filename().string() : "a header of the toolkit";
    C.Where.Line = Ours ? unsigned(std::stoul(M[2])) : 0;
    C.Where.Column = Ours ? 1 : 0;
    C.Level = M[3];
    C.Message = M[4];
    All.push_back(std::move(C));
  }
  for (auto I = std::sregex_iterator(Log.begin(), Log.end(), Assembler); I != std::sregex_iterator(); ++I)
    All.push_back({{S.File, 0, 0}, "error", (*I)[2]});
  return All;
}

std::string gpu::plainKernelName(std::string Name) {
  // The parameter list is the last parenthesis at depth 0 of angle brackets; a template's name has its return type before it.
  int Depth = 0;
  size_t Start = 0, End = Name.size();
  for (size_t I = 0; I < Name.size(); ++I) {
    if (Name[I] == '<')
      ++Depth;
    else if (Name[I] == '>')
      --Depth;
    else if (Name[I] == '(' && Depth == 0 && Name.compare(I, 21, "(anonymous namespace)") != 0) {
      End = I;
      break;
    } else if (Name[I] == ' ' && Depth == 0 && !(I + 11 <= Name.size() && Name.compare(I, 11, " namespace)") == 0))
      Start = I + 1;
  }
  Name = Name.substr(Start, End - Start);
  static const std::regex Cast(R"(\((?:unsigned |signed )?(?:int|long|short|char|bool)\))"), Suffix(R"(([<,(]-?\d+)[uUlL]+)");
  Name.erase(std::remove(Name.begin(), Name.end(), ' '), Name.end());
  size_t At;
  while ((At = Name.find("(anonymousnamespace)::")) != std::string::npos)
    Name.erase(At, 22);
  Name = std::regex_replace(Name, Cast, "");
  Name = std::regex_replace(Name, Suffix, "$1");
  return Name.starts_with("::") ? Name.substr(2) : Name;
}

std::string gpu::cacheKey(const CompileRequest &R, const std::string &Compilers) {
  const Source &S = *R.Source;
  Sha256 H;
  H.part("kcheck-gpu " KCHECK_VERSION).part(Compilers).part(R.Driver).part(R.Arch).part(R.Compiler).part(R.FullDebug ? "G" : "");
  H.part(S.Standard).part(S.File).part(S.Text).part(S.CallText).part(S.DeviceText);
  for (const auto *List : {&S.Defines, &S.Args, &R.Kernels}) {
    H.part(std::to_string(List->size()));
    for (const std::string &X : *List)
      H.part(X);
  }
  for (const auto *List : {&S.Includes, &S.DeviceIncludes}) {
    H.part(std::to_string(List->size()));
    for (const protocol::SourceFile &F : *List)
      H.part(F.Path).part(F.Text);
  }
  return H.hex();
}

Binary gpu::compileByNvrtc(const CompileRequest &R) {
  std::string Why;
  const Nvrtc *N = nvrtc(Why);
  return N ? NvrtcRun(*N, R).run() : failed(*R.Source, "no NVRTC: " + Why);
}

Binary gpu::compile(const CompileRequest &R, const Cache &C, CompilerProcess *Helper) {
  const Source &S = *R.Source;
  for (const std::string &Why : {refusedArgument(S), refusedInclude(S)})
    if (!Why.empty())
      return failed(S, Why);
  bool ByNvcc = R.Compiler == "nvcc" || !S.CallText.empty(); // host code is no business of NVRTC's
  std::string NoNvrtc, Nvcc = toolkitProgram("nvcc");
  const Nvrtc *N = ByNvcc ? nullptr : nvrtc(NoNvrtc);
  std::string Compilers = (N ? "nvrtc " + std::to_string(N->Major) + "." + std::to_string(N->Minor) : "") + "|" + Nvcc;
  std::string Key = cacheKey(R, Compilers);
  if (auto Known = C.find(Key))
    return *Known;
  Binary B;
  if (N) {
    std::optional<Binary> Elsewhere = Helper ? Helper->compile(R) : std::nullopt;
    B = Elsewhere ? std::move(*Elsewhere) : NvrtcRun(*N, R).run();
  }
  if (!B.Ok && (ByNvcc || R.Compiler != "nvrtc") && !Nvcc.empty()) {
    std::string First = B.Error;
    B = NvccRun(R, Nvcc).run();
    if (B.Ok && N)
      B.With += " (NVRTC refused it: " + First + ")";
  } else if (!N) {
    B = failed(S, ByNvcc ? "nvcc is not on this machine" : "no CUDA compiler: " + NoNvrtc + (Nvcc.empty() ? ", nvcc neither" : ""));
    B.NoCompiler = true;
    return B;
  }
  bool Whim = !B.Ok && B.Error.find("took longer") != std::string::npos; // of the machine's load, not of the source
  if (!Whim)
    C.store(Key, B);
  return B;
}
