#include "analyzers/engine/Driver.h"
#include "analyzers/engine/driver/BundledHeaders.h"
#include "analyzers/engine/driver/Diagnostics.h"
#include "analyzers/engine/driver/Invocation.h"
#include "analyzers/engine/driver/PchCache.h"
#include "analyzers/engine/driver/SourceFiles.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace kcheck;
using namespace clang;
namespace path = llvm::sys::path;

namespace {

using UseUnit = llvm::function_ref<void(TranslationUnit &)>;

class UseConsumer : public ASTConsumer {
public:
  UseConsumer(CompilerInstance &CI, UseUnit Use, DiagnosticCollector &Messages, const Setup &S)
      : CI(CI), Use(Use), Messages(Messages), S(S) {}

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      if (isCandidateCode(D->getLocation()))
        Scope.push_back(D);
    return true;
  }

  void HandleTranslationUnit(ASTContext &AST) override {
    AST.setTraversalScope(Scope);
    TranslationUnit TU(AST, CI.getPreprocessor());
    TU.Which = S.Which;
    TU.Arch = S.Arch;
    TU.HasToolkit = S.TheToolkit.found();
    TU.CudaVersion = S.TheToolkit.Version;
    TU.Diagnostics = std::move(Messages.All);
    TU.MissingHeaders = std::move(Messages.MissingHeaders);
    Use(TU);
  }

private:
  /// The main file's code, and that of the project's own headers.
  bool isCandidateCode(SourceLocation Loc) const {
    const SourceManager &SM = CI.getSourceManager();
    Loc = SM.getExpansionLoc(Loc);
    return SM.isInMainFile(Loc) || (Loc.isValid() && !SM.isInSystemHeader(Loc));
  }

  CompilerInstance &CI;
  UseUnit Use;
  DiagnosticCollector &Messages;
  const Setup &S;
  std::vector<Decl *> Scope;
};

/// The kind TU_Prefix leaves out the end-of-file work over the headers, where a plain parse spends its time.
class UseAction : public ASTFrontendAction {
public:
  UseAction(UseUnit Use, DiagnosticCollector &Messages, const Setup &S) : Use(Use), Messages(Messages), S(S) {}
  TranslationUnitKind getTranslationUnitKind() override { return TU_Prefix; }
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    CI.getDiagnostics().setFatalsAsError(true);
    return std::make_unique<UseConsumer>(CI, Use, Messages, S);
  }

private:
  UseUnit Use;
  DiagnosticCollector &Messages;
  const Setup &S;
};

/// One attempt; false where the precompiled header could not be used and nothing was reported.
bool runFrontEnd(llvm::StringRef File, const Setup &S, const Pch &P, SourceFiles &Files, UseUnit Use) {
  auto I = std::make_shared<CompilerInvocation>(*S.Base);
  if (!P.Path.empty()) {
    I->getPreprocessorOpts().ImplicitPCHInclude = P.Path;
    I->getPreprocessorOpts().Includes = std::vector<std::string>(I->getPreprocessorOpts().Includes.begin() + S.HeadersInBase,
                                                                 I->getPreprocessorOpts().Includes.end());
  }
  I->getFrontendOpts().Inputs.assign(1, FrontendInputFile(File, InputKind(Language::CUDA)));
  CompilerInstance CI(I);
  CI.setVirtualFileSystem(&Files);
  DiagnosticCollector Messages;
  CI.createDiagnostics(&Messages, false);
  bool Used = false;
  UseAction Action([&](TranslationUnit &TU) { Used = true; Use(TU); }, Messages, S);
  CI.ExecuteAction(Action);
  return Used || P.Path.empty();
}

} // namespace

std::string kcheck::projectRoot(llvm::StringRef File) {
  llvm::SmallString<256> Folder(File);
  llvm::sys::fs::make_absolute(Folder);
  path::remove_dots(Folder, true);
  path::remove_filename(Folder);
  for (llvm::StringRef P = Folder; P.size() > 1; P = path::parent_path(P))
    if (llvm::sys::fs::exists(P + "/.git"))
      return P.str();
  llvm::SmallString<256> Here;
  if (!llvm::sys::fs::current_path(Here) && Here.size() > 1 && (llvm::StringRef(Folder) + "/").str().starts_with(std::string(Here) + "/"))
    return std::string(Here);
  return std::string(Folder);
}

static llvm::IntrusiveRefCntPtr<SourceFiles> filesFor(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, const Setup &S) {
  auto Files = llvm::makeIntrusiveRefCnt<SourceFiles>();
  Files->addText(File, Text);
  Files->allow(Options.Root.empty() ? projectRoot(File) : Options.Root);
  for (const std::string &D : S.UserDirs)
    Files->allow(D);
  for (const std::string &D : S.SystemDirs)
    Files->allow(D);
  if (S.TheToolkit.found())
    Files->allow(S.TheToolkit.Root);
  return Files;
}

llvm::Error kcheck::parse(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, View Which, UseUnit Use) {
  auto S = setupFor(Options, Which);
  if (!S)
    return S.takeError();
  auto Files = filesFor(File, Text, Options, **S);
  Pch P;
  if (Options.UseCache)
    P = pchFor(**S, File, Text, Options.CacheDir, *Files);
  if (runFrontEnd(File, **S, P, *Files, Use))
    return llvm::Error::success();
  dropPch(P);
  runFrontEnd(File, **S, Pch(), *Files, Use);
  return llvm::Error::success();
}

std::vector<LintResult> kcheck::lintFiles(llvm::ArrayRef<LintInput> Inputs, const ParseOptions &Options, const Policy &P,
                                          llvm::function_ref<void(size_t)> Progress) {
  std::vector<LintResult> Out;
  for (const LintInput &I : Inputs) {
    if (I.Text) {
      Out.push_back(lint(I.File, *I.Text, Options, P));
    } else if (auto Buffer = llvm::MemoryBuffer::getFile(I.File)) {
      Out.push_back(lint(I.File, (*Buffer)->getBuffer(), Options, P));
    } else {
      Out.emplace_back();
      Out.back().File = I.File;
      Out.back().Error = Buffer.getError().message();
    }
    if (Progress)
      Progress(Out.size());
  }
  return Out;
}

LintResult kcheck::lint(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, const Policy &P) {
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
