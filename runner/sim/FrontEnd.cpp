#include "runner/sim/FrontEnd.h"
#include "runner/sim/BundledHeaders.h"
#include "runner/protocol/StandIns.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Tool.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"

using namespace kcheck;
using namespace kcheck::sim;
using namespace clang;

namespace {

constexpr char NameLine[] = "kcheck kernel name";
constexpr char PchName[] = "/kcheck-src/kcheck-prefix.h";
constexpr char HostName[] = "/kcheck-src/kcheck-host.h";
constexpr char FatbinName[] = "/kcheck-src/kcheck.fatbin";
constexpr char OmpName[] = "/kcheck-src/openmp/omp.h";
constexpr char BundledRoot[] = "/kcheck-bundled/";

/// Headers that nearly every kernel file uses; also those whose absence in a candidate nobody should pay for.
constexpr char PrefixText[] = R"(
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cmath>
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cassert>
#include <climits>
)";

/// What nvcc declares for host code besides the toolkit's headers.
constexpr char HostText[] = R"(
#if !defined(KCHECK_HOST_H) && !defined(KCHECK_SIMULATOR)
#define KCHECK_HOST_H
#include "/kcheck-bundled/cuda/kcheck_nv_atomics.h"
#include "/kcheck-bundled/cuda/kcheck_compiler_version.h"
#define KCHECK_BOTH(T) static inline __attribute__((host, unused)) T min(T a, T b) { return b < a ? b : a; } \
  static inline __attribute__((host, unused)) T max(T a, T b) { return a < b ? b : a; }
KCHECK_BOTH(int) KCHECK_BOTH(unsigned) KCHECK_BOTH(long) KCHECK_BOTH(unsigned long) KCHECK_BOTH(long long)
KCHECK_BOTH(unsigned long long) KCHECK_BOTH(float) KCHECK_BOTH(double)
#undef KCHECK_BOTH
#define KCHECK_MIXED(A, B, T) static inline __attribute__((host, unused)) T min(A a, B b) { return min((T)a, (T)b); } \
  static inline __attribute__((host, unused)) T max(A a, B b) { return max((T)a, (T)b); } \
  static inline __attribute__((host, unused)) T min(B a, A b) { return min((T)a, (T)b); } \
  static inline __attribute__((host, unused)) T max(B a, A b) { return max((T)a, (T)b); }
KCHECK_MIXED(int, unsigned, unsigned) KCHECK_MIXED(long, unsigned long, unsigned long)
KCHECK_MIXED(long long, unsigned long long, unsigned long long) KCHECK_MIXED(float, double, double)
#undef KCHECK_MIXED
// Cache hints that Clang's headers do not have.
template <class T> struct kcheck_same { typedef T type; };
#define KCHECK_STORE(N) template <class T> static __inline__ __attribute__((device, unused)) void N(T *p, typename kcheck_same<T>::type v) { *p = v; }
KCHECK_STORE(__stcs) KCHECK_STORE(__stcg) KCHECK_STORE(__stwb) KCHECK_STORE(__stwt)
#undef KCHECK_STORE
#define KCHECK_LOAD(N) template <class T> static __inline__ __attribute__((device, unused)) T N(const T *p) { return *p; }
KCHECK_LOAD(__ldca) KCHECK_LOAD(__ldlu) KCHECK_LOAD(__ldcv)
#undef KCHECK_LOAD
// Clang knows managed variables in HIP only: here they are device variables that host code finds where the device has them.
#undef __managed__
#define __managed__ __attribute__((device, annotate("kcheck_managed")))
#endif
)";
constexpr char OmpText[] = R"(
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
double omp_get_wtime(void);
double omp_get_wtick(void);
int omp_get_max_threads(void);
int omp_get_num_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
void omp_set_num_threads(int);
void omp_set_dynamic(int);
int omp_get_num_devices(void);
#ifdef __cplusplus
}
#endif
)";

/// Files in memory, and the headers that travel inside the program: the compiler's own, so that the machine needs
/// no Clang, and declarations for machines without a toolkit. These are many: one is added when somebody asks for it.
class Files : public llvm::vfs::InMemoryFileSystem {
public:
  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override {
    bring(Path);
    return InMemoryFileSystem::status(Path);
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &Path) override {
    bring(Path);
    return InMemoryFileSystem::openFileForRead(Path);
  }

private:
  void bring(const llvm::Twine &Path) {
    llvm::SmallString<128> Name;
    Path.toVector(Name);
    llvm::sys::path::remove_dots(Name, true);
    llvm::StringRef Rest = Name;
    if (!Rest.consume_front(BundledRoot))
      return;
    if (auto Text = bundledHeader(Rest))
      addFile(Name, 0, llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(*Text)));
    else if (isBundledFolder(Rest))
      addFile(Name + "/.folder", 0, llvm::MemoryBuffer::getMemBuffer(""));
  }
};

class Collect : public DiagnosticConsumer {
public:
  Collect(std::vector<protocol::CompileMessage> &Out, std::string Root) : Out(Out), Root(std::move(Root)) {}
  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < DiagnosticsEngine::Note || Out.size() >= 100)
      return;
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    protocol::CompileMessage M;
    M.Level = Level >= DiagnosticsEngine::Error ? "error" : Level == DiagnosticsEngine::Note ? "note" : "warning";
    M.Message = std::string(Text);
    if (Info.hasSourceManager() && Info.getLocation().isValid()) {
      const SourceManager &SM = Info.getSourceManager();
      PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(Info.getLocation()));
      if (P.isValid()) {
        llvm::StringRef File = P.getFilename();
        File.consume_front(Root);
        M.Where = {File.str(), P.getLine(), P.getColumn()};
      }
    }
    Out.push_back(std::move(M));
  }

private:
  std::vector<protocol::CompileMessage> &Out;
  std::string Root;
};

/// Declares one pointer a name expression, so that templates are instantiated and their symbols found.
std::string nameTrailer(const std::vector<std::string> &Names) {
  std::string Text;
  for (size_t I = 0; I < Names.size(); ++I)
    Text += "\n#line 1 \"" + std::string(NameLine) + "\"\nextern \"C\" { __attribute__((used)) __device__ const void *kcheck_name_" +
            std::to_string(I) + " = (const void *)(" + Names[I] + "); }";
  return Names.empty() ? Text : Text + "\n";
}


/// Whether no toolkit or system header can depend on the macro: it may then stand in the text, and the
/// precompiled header is the same with and without it.
bool isPlainDefine(llvm::StringRef D) {
  llvm::StringRef Name = D.split('=').first;
  if (Name.empty() || Name.starts_with("_") || Name.contains('('))
    return false;
  for (llvm::StringRef Prefix : {"NDEBUG", "CUDA", "CUB", "THRUST", "CCCL", "LIBCUDACXX", "NV_"})
    if (Name.starts_with(Prefix))
      return false;
  return true;
}

std::string plainDefines(const protocol::Source &S) {
  std::string Text;
  for (const std::string &D : S.Defines)
    if (isPlainDefine(D)) {
      auto [Name, Value] = llvm::StringRef(D).split('=');
      Text += ("#define " + Name + " " + (D.find('=') == std::string::npos ? "1" : Value) + "\n").str();
    }
  return Text.empty() ? Text : Text + "#line 1\n";
}

/// cc1 arguments for one side, from the driver's own words.
/// A driver that finds no toolkit on the machine takes the oldest: launches of another kind, and PTX that no current
/// architecture has.
void assumeToolkit(std::vector<std::string> &Cc1) {
  bool Known = false;
  for (std::string &A : Cc1) {
    if (llvm::StringRef(A).starts_with("+ptx"))
      A = "+ptx88";
    Known |= llvm::StringRef(A).starts_with("-target-sdk-version=");
  }
  if (!Known)
    Cc1.push_back("-target-sdk-version=12.8");
}

std::vector<std::string> cc1Arguments(const protocol::Source &S, const FrontEndOptions &Options, llvm::StringRef File,
                                      IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS, DiagnosticsEngine &Diags) {
  const std::string &CudaRoot = Options.CudaRoot;
  const bool PlainC = Options.PlainHost && llvm::StringRef(S.File).ends_with(".c");
  std::vector<std::string> Args = {"clang++", PlainC ? "-std=gnu17" : "-std=" + S.Standard, "-gline-tables-only", "-S", "-emit-llvm",
                                   "-Wno-unknown-cuda-version", "-Wno-everything", "-ferror-limit=20",
                                   std::string("-resource-dir=") + BundledRoot + "clang"};
  if (Options.PlainHost)
    Args.insert(Args.end(), {"-x", PlainC ? "c" : "c++"});
  else
    Args.insert(Args.end(), {"-x", "cuda", "--cuda-gpu-arch=" + S.Arch, "-fuse-cuid=none"});
  if (!Options.Host)
    Args.insert(Args.end(), {"--cuda-device-only", "-O1"});
  else
    Args.insert(Args.end(), {"-O2", "-fPIC", "-fno-omit-frame-pointer", "-fno-semantic-interposition", "-ftls-model=global-dynamic",
                             // Programs are written for what their usual compilers make of overflow and casts.
                             "-fwrapv", "-fno-strict-aliasing"});
  if (Options.Host && !Options.PlainHost)
    Args.push_back("--cuda-host-only");
  if (Options.Host && Options.PlainHost) {
    if (!CudaRoot.empty())
      Args.push_back("-isystem" + CudaRoot + "/include");
  } else if (CudaRoot.empty()) {
    Args.insert(Args.end(), {"-nocudainc", "-nocudalib", "-DKCHECK_SIMULATOR", "-isystem/kcheck-bundled/cuda", "-include", "/kcheck-bundled/cuda/kcheck_bundled.h"});
  } else {
    Args.push_back("--cuda-path=" + CudaRoot);
    Args.push_back("-isystem" + CudaRoot + "/include/cccl");
  }
  for (const std::string &D : S.Defines)
    if (!isPlainDefine(D))
      Args.push_back("-D" + D);
  Args.insert(Args.end(), S.Args.begin(), S.Args.end());
  Args.push_back("-idirafter/kcheck-src/openmp");
  Args.push_back(File.str());
  std::vector<const char *> Raw;
  for (const std::string &A : Args)
    Raw.push_back(A.c_str());
  driver::Driver D("/usr/bin/clang++", llvm::sys::getDefaultTargetTriple(), Diags, "kcheck-sim", FS);
  D.setCheckInputsExist(false);
  std::unique_ptr<driver::Compilation> C(D.BuildCompilation(Raw));
  std::vector<std::string> Out;
  if (!C)
    return Out;
  for (const driver::Command &Job : C->getJobs())
    if (llvm::StringRef(Job.getCreator().getName()) == "clang") {
      for (const char *A : Job.getArguments())
        // Debian's driver looks for the folder on the disk and takes another one where it is not.
        Out.push_back(llvm::StringRef(A).starts_with("/usr/include/clang/") ? BundledRoot + std::string("clang/include") : A);
      break;
    }
  if (CudaRoot.empty() && !Options.PlainHost)
    assumeToolkit(Out);
  return Out;
}

std::shared_ptr<CompilerInvocation> makeInvocation(const std::vector<std::string> &Args, DiagnosticsEngine &Diags) {
  std::vector<const char *> Raw;
  for (const std::string &A : Args)
    Raw.push_back(A.c_str());
  auto Inv = std::make_shared<CompilerInvocation>();
  llvm::ArrayRef<const char *> View(Raw);
  if (!View.empty() && llvm::StringRef(View.front()) == "-cc1")
    View = View.drop_front();
  if (!CompilerInvocation::CreateFromArgs(*Inv, View, Diags))
    return nullptr;
  Inv->getLangOpts().PCHInstantiateTemplates = true;
  Inv->getCodeGenOpts().DisableLLVMPasses = true;
  Inv->getFrontendOpts().DisableFree = false;
  Inv->getDiagnosticOpts().ShowCarets = false; // no summary on stderr
  return Inv;
}

/// nvcc takes "%laneid" in assembly for a register where Clang wants "%%laneid".
std::string withEscapedRegisters(llvm::StringRef Text) {
  std::string Out;
  size_t Done = 0;
  auto copyTo = [&](size_t To) {
    Out += Text.substr(Done, To - Done);
    Done = To;
  };
  auto isWord = [](char C) { return isalnum(static_cast<unsigned char>(C)) || C == '_'; };
  for (size_t At = 0; (At = Text.find("asm", At)) != llvm::StringRef::npos; ++At) {
    llvm::StringRef Rest = Text.drop_front(At + 3).ltrim("_").ltrim();
    if (At && isWord(Text[At - 1]) && Text[At - 1] != '_')
      continue;
    while (Rest.consume_front("volatile") || Rest.consume_front("__volatile__"))
      Rest = Rest.ltrim();
    if (!Rest.starts_with("("))
      continue;
    bool Quoted = false;
    int Depth = 0;
    for (size_t I = Text.size() - Rest.size(); I + 2 < Text.size(); ++I) {
      char C = Text[I];
      if (Quoted && C == '\\') {
        ++I;
      } else if (C == '"') {
        Quoted = !Quoted;
      } else if (Quoted && C == '%' && Text[I + 1] == '%') {
        ++I;
      } else if (Quoted && C == '%' && isalpha(static_cast<unsigned char>(Text[I + 1])) && isalpha(static_cast<unsigned char>(Text[I + 2]))) {
        copyTo(I);
        Out += '%';
      } else if (!Quoted && (C == '(' || C == ')') && (Depth += C == '(' ? 1 : -1) == 0) {
        break;
      }
    }
  }
  copyTo(Text.size());
  return Out;
}

/// A precompiled header sees none of the macros that a file defines before its includes. Only names that a
/// toolkit or system header may look at matter.
bool definesBeforeIncludes(llvm::StringRef Text) {
  size_t LastInclude = Text.rfind("#include");
  if (LastInclude == llvm::StringRef::npos)
    return false;
  llvm::StringRef Head = Text.take_front(LastInclude);
  if (Head.contains("#undef"))
    return true;
  for (size_t At = 0; (At = Head.find("define", At)) != llvm::StringRef::npos; At += 6) {
    llvm::StringRef Before = Head.take_front(At).rtrim(" \t"), Name = Head.drop_front(At + 6).ltrim(" \t");
    if (Before.ends_with("#") && !isPlainDefine(Name.take_while([](char C) { return isalnum(C) || C == '_'; })))
      return true;
  }
  return false;
}

std::string prefixText() { return std::string(PrefixText) + HostText; }

std::string pchPath(const std::vector<std::string> &Args, const FrontEndOptions &Options) {
  llvm::SHA1 Hash;
  Hash.update(KCHECK_VERSION);
  Hash.update(prefixText());
  Hash.update(bundledDigest());
  // What names the candidate or the current folder does not change the header.
  bool Skip = false;
  for (llvm::StringRef A : Args) {
    bool Named = A == "-main-file-name" || A == "-o" || A == "-dumpdir" || A == "-I";
    if (!Skip && !Named && !A.contains(Options.Root) && !A.contains("-compilation-dir=") && !A.contains("/kcheck-src/")) {
      Hash.update(A);
      Hash.update("\n");
    }
    Skip = Named;
  }
  llvm::SmallString<128> Path(Options.CacheDir);
  llvm::sys::path::append(Path, "sim-" + llvm::toHex(Hash.final(), true).substr(0, 20) + ".pch");
  return std::string(Path);
}

/// The precompiled header for these arguments, made when it is not there; empty when it cannot be.
std::string ensurePch(const CompilerInvocation &Model, const std::string &Path, IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS) {
  if (llvm::sys::fs::exists(Path))
    return Path;
  if (llvm::sys::fs::create_directories(llvm::sys::path::parent_path(Path)))
    return "";
  llvm::SmallString<128> Temp;
  int FD;
  if (llvm::sys::fs::createUniqueFile(Path + ".%%%%%%.tmp", FD, Temp))
    return "";
  llvm::sys::Process::SafelyCloseFileDescriptor(FD);
  auto Inv = std::make_shared<CompilerInvocation>(Model);
  auto &FO = Inv->getFrontendOpts();
  FO.Inputs = {FrontendInputFile(PchName, InputKind(Language::CUDA).getHeader())};
  FO.OutputFile = std::string(Temp);
  FO.ProgramAction = frontend::GeneratePCH;
  CompilerInstance CI(Inv);
  CI.setVirtualFileSystem(FS);
  CI.createFileManager();
  std::vector<protocol::CompileMessage> Ignored;
  CI.createDiagnostics(new Collect(Ignored, ""), true);
  GeneratePCHAction Act;
  if (!CI.ExecuteAction(Act) || CI.getDiagnostics().hasErrorOccurred() || llvm::sys::fs::rename(Temp, Path)) {
    llvm::sys::fs::remove(Temp);
    return "";
  }
  return Path;
}

std::unique_ptr<llvm::Module> emit(std::shared_ptr<CompilerInvocation> Inv, llvm::LLVMContext &Context,
                                   IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS, const std::string &Root,
                                   std::vector<protocol::CompileMessage> &Messages) {
  CompilerInstance CI(std::move(Inv));
  CI.setVirtualFileSystem(FS);
  CI.createFileManager();
  CI.createDiagnostics(new Collect(Messages, Root), true);
  EmitLLVMOnlyAction Act(&Context);
  if (!CI.ExecuteAction(Act) || CI.getDiagnostics().hasErrorOccurred())
    return nullptr;
  return Act.takeModule();
}

} // namespace

std::string sim::findCudaRoot() {
  if (getenv("KCHECK_HIDE_CUDA"))
    return "";
  for (const char *Var : {"CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (const char *V = getenv(Var))
      if (llvm::sys::fs::exists(llvm::Twine(V) + "/include/cuda_runtime.h"))
        return V;
  for (const char *P : {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"})
    if (llvm::sys::fs::exists(llvm::Twine(P) + "/include/cuda_runtime.h"))
      return P;
  return "";
}

std::string sim::defaultCacheDir() {
  if (const char *V = getenv("KCHECK_CACHE_DIR"))
    return V;
  if (const char *V = getenv("XDG_CACHE_HOME"))
    return std::string(V) + "/kcheck";
  if (const char *V = getenv("HOME"))
    return std::string(V) + "/.cache/kcheck";
  return "none";
}

DeviceModule sim::compileSide(const protocol::Source &S, const std::vector<std::string> &KernelNames,
                              llvm::LLVMContext &Context, FrontEndOptions Options) {
  DeviceModule Out;
  if (Options.CudaRoot.empty())
    Options.CudaRoot = findCudaRoot();
  if (Options.CacheDir.empty())
    Options.CacheDir = defaultCacheDir();
  std::string File = Options.Root + S.File;

  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  auto Memory = llvm::makeIntrusiveRefCnt<Files>();
  Overlay->pushOverlay(Memory);
  Memory->addFile(File, 0, llvm::MemoryBuffer::getMemBufferCopy(plainDefines(S) + withEscapedRegisters(S.Text) + nameTrailer(KernelNames), File));
  std::string Prefix = prefixText();
  Memory->addFile(PchName, 0, llvm::MemoryBuffer::getMemBuffer(Prefix));
  Memory->addFile(HostName, 0, llvm::MemoryBuffer::getMemBuffer(HostText));
  Memory->addFile(FatbinName, 0, llvm::MemoryBuffer::getMemBuffer("kcheck"));
  Memory->addFile(OmpName, 0, llvm::MemoryBuffer::getMemBuffer(OmpText));
  for (const protocol::SourceFile &I : S.Includes)
    Memory->addFile(Options.Root + I.Path, 0, llvm::MemoryBuffer::getMemBufferCopy(I.Text, I.Path));

  DiagnosticOptions DiagOpts;
  Collect Consumer(Out.Messages, Options.Root);
  DiagnosticsEngine Diags(DiagnosticIDs::create(), DiagOpts, &Consumer, false);
  std::vector<std::string> Args = cc1Arguments(S, Options, File, Overlay, Diags);
  auto Inv = makeInvocation(Args, Diags);
  if (!Inv)
    return Out;
  bool CudaHost = Options.Host && !Options.PlainHost;
  if (CudaHost)
    Inv->getCodeGenOpts().CudaGpuBinaryFileName = FatbinName;

  std::string Pch;
  if (Options.CacheDir != "none" && !Options.PlainHost && !definesBeforeIncludes(S.Text))
    Pch = ensurePch(*Inv, pchPath(Args, Options), Overlay);
  // Behind everything else, and no part of what the precompiled header is known by.
  Inv->getHeaderSearchOpts().AddPath(Options.Root + protocol::StandInFolder, clang::frontend::After, /*IsFramework=*/false, /*IgnoreSysRoot=*/true);
  if (Options.PrepareOnly) {
    Out.Prepared = !Pch.empty();
    return Out;
  }
  std::unique_ptr<llvm::Module> M;
  if (!Pch.empty()) {
    auto Quick = std::make_shared<CompilerInvocation>(*Inv);
    Quick->getPreprocessorOpts().ImplicitPCHInclude = Pch;
    Quick->getPreprocessorOpts().Includes.clear();
    std::vector<protocol::CompileMessage> Messages;
    M = emit(Quick, Context, Overlay, Options.Root, Messages);
    if (M)
      Out.Messages.insert(Out.Messages.end(), Messages.begin(), Messages.end());
    // Headers that changed since: made anew next time, where the cache can be written.
    for (const protocol::CompileMessage &X : Messages)
      if (!M && X.Message.find("precompiled") != std::string::npos) {
        llvm::sys::fs::remove(Pch);
        break;
      }
  }
  // What failed with the precompiled header fails for good only when it fails without.
  if (!M) {
    if (!Options.PlainHost)
      Inv->getPreprocessorOpts().Includes.push_back(HostName);
    M = emit(Inv, Context, Overlay, Options.Root, Out.Messages);
  }
  if (!M)
    return Out;
  for (size_t I = 0; I < KernelNames.size(); ++I)
    if (auto *G = M->getNamedGlobal("kcheck_name_" + std::to_string(I)))
      if (G->hasInitializer())
        if (auto *F = llvm::dyn_cast<llvm::Function>(G->getInitializer()->stripPointerCasts()))
          Out.Kernels[KernelNames[I]] = F->getName().str();
  Out.IR = std::move(M);
  return Out;
}
