#include "analyzers/engine/Driver.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>

using namespace kcheck;
using namespace clang;

namespace {

class CollectDiagnostics : public DiagnosticConsumer {
public:
  explicit CollectDiagnostics(std::vector<ParseDiagnostic> &Out) : Out(Out) {}
  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    Location Where;
    bool InMain = false;
    if (Info.hasSourceManager() && Info.getLocation().isValid()) {
      const SourceManager &SM = Info.getSourceManager();
      SourceLocation Loc = SM.getExpansionLoc(Info.getLocation());
      PresumedLoc P = SM.getPresumedLoc(Loc);
      if (P.isValid())
        Where = {P.getFilename(), P.getLine(), P.getColumn()};
      InMain = SM.isInMainFile(Loc);
    }
    if (Level == DiagnosticsEngine::Note) {
      if (!Out.empty())
        Out.back().Notes.push_back({Where, std::string(Text)});
      return;
    }
    ParseDiagnostic D;
    D.ID = Info.getID();
    D.IsError = Level >= DiagnosticsEngine::Error;
    D.Where = Where;
    D.InMainFile = InMain;
    D.Message = std::string(Text);
    Out.push_back(std::move(D));
  }

private:
  std::vector<ParseDiagnostic> &Out;
};

class UseConsumer : public ASTConsumer {
public:
  UseConsumer(CompilerInstance &CI, llvm::function_ref<void(TranslationUnit &)> Use,
              std::vector<ParseDiagnostic> &Diags, View Which, std::string Arch)
      : CI(CI), Use(Use), Diags(Diags), Which(Which), Arch(std::move(Arch)) {}
  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    const SourceManager &SM = CI.getSourceManager();
    for (Decl *D : Group)
      if (SM.isInMainFile(SM.getExpansionLoc(D->getLocation())))
        MainDecls.push_back(D);
    return true;
  }
  void HandleTranslationUnit(ASTContext &AST) override {
    AST.setTraversalScope(MainDecls);
    TranslationUnit TU(AST, CI.getPreprocessor());
    TU.Which = Which;
    TU.Arch = Arch;
    TU.Diagnostics = std::move(Diags);
    Use(TU);
  }

private:
  CompilerInstance &CI;
  llvm::function_ref<void(TranslationUnit &)> Use;
  std::vector<ParseDiagnostic> &Diags;
  View Which;
  std::string Arch;
  std::vector<Decl *> MainDecls;
};

class UseAction : public ASTFrontendAction {
public:
  UseAction(llvm::function_ref<void(TranslationUnit &)> Use, std::vector<ParseDiagnostic> &Diags,
            View Which, std::string Arch)
      : Use(Use), Diags(Diags), Which(Which), Arch(std::move(Arch)) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    CI.getDiagnostics().setFatalsAsError(true);
    return std::make_unique<UseConsumer>(CI, Use, Diags, Which, Arch);
  }

private:
  llvm::function_ref<void(TranslationUnit &)> Use;
  std::vector<ParseDiagnostic> &Diags;
  View Which;
  std::string Arch;
};

} // namespace

llvm::Error kcheck::parse(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options,
                          View Which, llvm::function_ref<void(TranslationUnit &)> Use) {
  std::string Arch = Options.Arch.empty() ? "sm_80" : Options.Arch;
  std::vector<std::string> Args = {
      "clang++-22", "-x", "cuda", Which == View::Device ? "--cuda-device-only" : "--cuda-host-only",
      "--cuda-gpu-arch=" + Arch, "-std=c++17", "--cuda-path=/usr/local/cuda",
      "-isystem/usr/local/cuda/include/cccl", "-Wno-unknown-cuda-version", "-ferror-limit=0", "-fsyntax-only",
      "-resource-dir=" KCHECK_CLANG_RESOURCE_DIR};
  Args.insert(Args.end(), Options.ExtraArgs.begin(), Options.ExtraArgs.end());
  Args.push_back(File.str());

  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Overlay->pushOverlay(Memory);
  Memory->addFile(File, 0, llvm::MemoryBuffer::getMemBufferCopy(Text, File));
  auto Files = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), Overlay);

  std::vector<ParseDiagnostic> Diags;
  CollectDiagnostics Consumer(Diags);
  tooling::ToolInvocation Invocation(Args, std::make_unique<UseAction>(Use, Diags, Which, Arch), Files.get());
  Invocation.setDiagnosticConsumer(&Consumer);
  Invocation.run();
  return llvm::Error::success();
}

LintResult kcheck::lint(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options,
                        const Policy &P) {
  LintResult R;
  R.File = File.str();
  auto Start = std::chrono::steady_clock::now();
  if (llvm::Error E = parse(File, Text, Options, View::Device,
                            [&](TranslationUnit &TU) {
                              R.Findings = runRules(TU, P);
                              R.Kernels = summariseKernels(TU);
                              R.Passed = std::move(TU.Passed);
                            }))
    R.Error = llvm::toString(std::move(E));
  R.ElapsedMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - Start).count();
  return R;
}
