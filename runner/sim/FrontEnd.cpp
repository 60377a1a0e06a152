#include "runner/sim/FrontEnd.h"
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

constexpr char Root[] = "/kcheck-src/";
constexpr char NameLine[] = "kcheck kernel name";
constexpr char PchName[] = "/kcheck-src/kcheck-prefix.h";

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

class Collect : public DiagnosticConsumer {
public:
  explicit Collect(std::vector<protocol::CompileMessage> &Out) : Out(Out) {}
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
};

/// Declares one pointer a name expression, so that templates are instantiated and their symbols found.
std::string nameTrailer(const std::vector<std::string> &Names) {
  std::string Text;
  for (size_t I = 0; I < Names.size(); ++I)
    Text += "\n#line 1 \"" + std::string(NameLine) + "\"\nextern \"C\" { __attribute__((used)) __device__ const void *kcheck_name_" +
            std::to_string(I) + " = (const void *)(" + Names[I] + "); }";
  return Names.empty() ? Text : Text + "\n";
}


/// cc1 arguments for the device side, from the driver's own words.
std::vector<std::string> cc1Arguments(const protocol::Source &S, const std::string &CudaRoot, llvm::StringRef File,
                                      IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS, DiagnosticsEngine &Diags) {
  std::vector<std::string> Args = {"clang++", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=" + S.Arch,
                                   "-std=" + S.Standard, "-O1", "-gline-tables-only", "-S", "-emit-llvm",
                                   "-Wno-unknown-cuda-version", "-Wno-everything", "-ferror-limit=20",
                                   "-fuse-cuid=none", "-resource-dir=" KCHECK_CLANG_RESOURCE_DIR};
  if (CudaRoot.empty()) {
    Args.insert(Args.end(), {"-nocudainc", "-nocudalib"});
  } else {
    Args.push_back("--cuda-path=" + CudaRoot);
    Args.push_back("-isystem" + CudaRoot + "/include/cccl");
  }
  for (const std::string &D : S.Defines)
    Args.push_back("-D" + D);
  Args.insert(Args.end(), S.Args.begin(), S.Args.end());
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
        Out.push_back(A);
      break;
    }
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
  return Inv;
}

/// A precompiled header sees none of the macros that a file defines before its includes.
bool definesBeforeIncludes(llvm::StringRef Text) {
  size_t LastInclude = Text.rfind("#include");
  if (LastInclude == llvm::StringRef::npos)
    return false;
  llvm::StringRef Head = Text.take_front(LastInclude);
  return Head.contains("#define") || Head.contains("#undef") || Head.contains("# define");
}

std::string pchPath(const std::vector<std::string> &Args, const std::string &CacheDir) {
  llvm::SHA1 Hash;
  Hash.update(KCHECK_VERSION);
  Hash.update(PrefixText);
  // What names the candidate or the current folder does not change the header.
  bool Skip = false;
  for (llvm::StringRef A : Args) {
    bool Named = A == "-main-file-name" || A == "-o" || A == "-dumpdir";
    if (!Skip && !Named && !A.contains(Root) && !A.contains("-compilation-dir=")) {
      Hash.update(A);
      Hash.update("\n");
    }
    Skip = Named;
  }
  llvm::SmallString<128> Path(CacheDir);
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
  CI.createDiagnostics(new Collect(Ignored), true);
  GeneratePCHAction Act;
  if (!CI.ExecuteAction(Act) || CI.getDiagnostics().hasErrorOccurred() || llvm::sys::fs::rename(Temp, Path)) {
    llvm::sys::fs::remove(Temp);
    return "";
  }
  return Path;
}

std::unique_ptr<llvm::Module> emit(std::shared_ptr<CompilerInvocation> Inv, llvm::LLVMContext &Context,
                                   IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS,
                                   std::vector<protocol::CompileMessage> &Messages) {
  CompilerInstance CI(std::move(Inv));
  CI.setVirtualFileSystem(FS);
  CI.createFileManager();
  CI.createDiagnostics(new Collect(Messages), true);
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

DeviceModule sim::compileDevice(const protocol::Source &S, const std::vector<std::string> &KernelNames,
                                llvm::LLVMContext &Context, const FrontEndOptions &Options) {
  DeviceModule Out;
  std::string CudaRoot = Options.CudaRoot.empty() ? findCudaRoot() : Options.CudaRoot;
  std::string CacheDir = Options.CacheDir.empty() ? defaultCacheDir() : Options.CacheDir;
  std::string File = Root + S.File;

  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Overlay->pushOverlay(Memory);
  Memory->addFile(File, 0, llvm::MemoryBuffer::getMemBufferCopy(S.Text + nameTrailer(KernelNames), File));
  Memory->addFile(PchName, 0, llvm::MemoryBuffer::getMemBuffer(PrefixText));
  for (const protocol::SourceFile &I : S.Includes)
    Memory->addFile(Root + I.Path, 0, llvm::MemoryBuffer::getMemBufferCopy(I.Text, I.Path));

  DiagnosticOptions DiagOpts;
  Collect Consumer(Out.Messages);
  DiagnosticsEngine Diags(DiagnosticIDs::create(), DiagOpts, &Consumer, false);
  std::vector<std::string> Args = cc1Arguments(S, CudaRoot, File, Overlay, Diags);
  auto Inv = makeInvocation(Args, Diags);
  if (!Inv)
    return Out;

  std::string Pch;
  if (CacheDir != "none" && !CudaRoot.empty() && !definesBeforeIncludes(S.Text))
    Pch = ensurePch(*Inv, pchPath(Args, CacheDir), Overlay);
  std::unique_ptr<llvm::Module> M;
  if (!Pch.empty()) {
    auto Quick = std::make_shared<CompilerInvocation>(*Inv);
    Quick->getPreprocessorOpts().ImplicitPCHInclude = Pch;
    Quick->getPreprocessorOpts().Includes.clear();
    std::vector<protocol::CompileMessage> Messages;
    M = emit(Quick, Context, Overlay, Messages);
    if (M)
      Out.Messages.insert(Out.Messages.end(), Messages.begin(), Messages.end());
  }
  // What failed with the precompiled header fails for good only when it fails without.
  if (!M)
    M = emit(Inv, Context, Overlay, Out.Messages);
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
