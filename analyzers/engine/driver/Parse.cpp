#include "analyzers/engine/driver/Parse.h"
#include "analyzers/engine/driver/CompileDatabase.h"
#include "analyzers/engine/driver/Diagnostics.h"
#include "analyzers/engine/driver/DispatchMacros.h"
#include "analyzers/engine/driver/Flags.h"
#include "analyzers/engine/driver/Invocation.h"
#include "analyzers/engine/driver/PchCache.h"
#include "analyzers/engine/driver/SourceFiles.h"
#include "analyzers/engine/driver/Templates.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/Stack.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kcheck;
using namespace clang;
namespace path = llvm::sys::path;

namespace {

using UseUnit = llvm::function_ref<void(TranslationUnit &)>;

/// What one run of the front end works with.
struct Run {
  llvm::StringRef File, Text;
  const Setup &S;
  SourceFiles &Files;
  ParseFacts &Facts;
  UseUnit Use;
  bool LastParse = false;   ///< the AST need not be freed
  bool ReadTemplates = false; ///< see ParseOptions
  bool MayWantRdc = false;  ///< no flags were given: relocatable device code may be tried
  DispatchMacros *Dispatch = nullptr; ///< null: not looked for
  bool ReadAgain = false;   ///< out: the file says more with Dispatch as it is now
  bool WantsRdc = false;    ///< out: the file launches kernels from device code
  bool Used = false;        ///< out
  DiagnosticCollector Messages;
};

std::string absoluteFolder(llvm::StringRef File) {
  llvm::SmallString<256> P(File);
  llvm::sys::fs::make_absolute(P);
  path::remove_dots(P, true);
  path::remove_filename(P);
  return std::string(P) + "/";
}

class UseConsumer : public ASTConsumer {
public:
  UseConsumer(CompilerInstance &CI, Run &R) : CI(CI), R(R), Folder(absoluteFolder(R.File)) {}

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      if (inScope(D))
        Scope.push_back(D);
    return true;
  }

  void HandleTranslationUnit(ASTContext &AST) override {
    // TU_Prefix leaves these to the end of the whole file: calls from device code to host functions. Asking costs
    // reading half of the precompiled header, so only where there is something to say.
    if (CI.hasSema() && !CI.getSema().DeviceDeferredDiags.empty())
      CI.getSema().emitDeferredDiags();
    if (R.MayWantRdc && llvm::any_of(R.Messages.All, [](const ParseDiagnostic &D) { return D.ID == diag::err_cuda_device_kernel_launch_require_rdc; })) {
      R.WantsRdc = true;
      return;
    }
    R.ReadAgain = R.Dispatch && !R.Messages.MissingHeaders.empty() &&
                  R.Dispatch->readAgain(R.Text, R.Messages.All, *AST.getTranslationUnitDecl(), CI.getPreprocessor());
    if (R.ReadAgain)
      return;
    if (R.ReadTemplates && CI.hasSema()) {
      Templates = std::make_unique<LauncherTemplates>(CI.getSema());
      Templates->instantiate(Scope);
    }
    AST.setTraversalScope(Scope);
    R.Facts.DeviceOnly = deviceOnlyCode(Scope, AST.getSourceManager());
    TranslationUnit TU(AST, CI.getPreprocessor());
    TU.Which = R.S.Which;
    TU.Arch = R.S.Arch;
    TU.HasToolkit = R.S.TheToolkit.found();
    TU.CudaVersion = R.S.TheToolkit.Version;
    TU.Diagnostics = std::move(R.Messages.All);
    for (std::string &Name : R.Messages.MissingHeaders)
      if (!path::is_absolute(Name))
        TU.MissingHeaders.push_back(std::move(Name));
    R.Used = true;
    R.Use(TU);
  }

  void HandleCXXImplicitFunctionInstantiation(FunctionDecl *F) override {
    if (Templates)
      Templates->made(F);
  }

private:
  /// The main file's code, and device code of headers that lie beside it.
  bool inScope(const Decl *D) {
    const SourceManager &SM = CI.getSourceManager();
    SourceLocation Loc = SM.getExpansionLoc(D->getLocation());
    if (SM.isInMainFile(Loc))
      return true;
    if (Loc.isInvalid() || SM.isInSystemHeader(Loc) || !isDeviceCode(D))
      return false;
    FileID F = SM.getFileID(Loc);
    auto [At, New] = OwnHeaders.try_emplace(F, false);
    if (New)
      if (auto E = SM.getFileEntryRefForID(F)) {
        llvm::SmallString<256> P(E->getName());
        llvm::sys::fs::make_absolute(P);
        path::remove_dots(P, true);
        At->second = llvm::StringRef(P).starts_with(Folder);
      }
    return At->second;
  }

  static bool isDeviceCode(const Decl *D) {
    if (const auto *T = dyn_cast<FunctionTemplateDecl>(D))
      D = T->getTemplatedDecl();
    return D->hasAttr<CUDAGlobalAttr>() || D->hasAttr<CUDADeviceAttr>();
  }

  CompilerInstance &CI;
  Run &R;
  std::string Folder;
  std::vector<Decl *> Scope;
  std::unique_ptr<LauncherTemplates> Templates; ///< once the file is read
  llvm::DenseMap<FileID, bool> OwnHeaders;
};

/// TU_Prefix leaves out the end-of-file work over the headers, where a plain parse spends its time.
class UseAction : public ASTFrontendAction {
public:
  explicit UseAction(Run &R) : R(R) {}
  TranslationUnitKind getTranslationUnitKind() override { return TU_Prefix; }
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    CI.getDiagnostics().setFatalsAsError(true);
    CI.getPreprocessor().addPPCallbacks(watchForArchMacro(CI.getSourceManager(), R.Facts.HostDiffers));
    return std::make_unique<UseConsumer>(CI, R);
  }

private:
  Run &R;
};

void runFrontEnd(Run &R, const Pch &P) {
  auto I = std::make_shared<CompilerInvocation>(*R.S.Base);
  if (!P.Path.empty()) {
    PreprocessorOptions &PP = I->getPreprocessorOpts();
    PP.ImplicitPCHInclude = P.Path;
    PP.Includes.erase(PP.Includes.begin(), PP.Includes.begin() + R.S.HeadersInBase);
  }
  for (const std::string &D : R.Dispatch ? R.Dispatch->definitions() : R.Facts.Macros)
    I->getPreprocessorOpts().addMacroDef(D);
  I->getFrontendOpts().Inputs.assign(1, FrontendInputFile(R.File, InputKind(Language::CUDA)));
  I->getFrontendOpts().DisableFree = R.LastParse;
  CompilerInstance CI(I);
  CI.setVirtualFileSystem(&R.Files);
  CI.createDiagnostics(&R.Messages, false);
  UseAction Action(R);
  CI.ExecuteAction(Action);
}

llvm::IntrusiveRefCntPtr<SourceFiles> filesFor(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, const Setup &S) {
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

/// With the precompiled header, and without it where it cannot be read.
void runWithCache(Run &R, const ParseOptions &Options) {
  Pch P;
  if (Options.UseCache)
    P = pchFor(R.S, R.File, R.Text, Options.CacheDir, R.Files);
  if (!P.Note.empty())
    R.Facts.Notes.push_back(P.Note);
  runFrontEnd(R, P);
  if (R.Messages.BadPch.empty() || R.Used || R.ReadAgain)
    return;
  dropPch(P);
  R.Messages = DiagnosticCollector();
  runFrontEnd(R, Pch());
}

} // namespace

std::string kcheck::projectRoot(llvm::StringRef File) {
  std::string Folder = absoluteFolder(File);
  for (llvm::StringRef P = llvm::StringRef(Folder).drop_back(); P.size() > 1; P = path::parent_path(P))
    if (llvm::sys::fs::exists(P + "/.git"))
      return P.str();
  llvm::SmallString<256> Here;
  if (!llvm::sys::fs::current_path(Here) && Here.size() > 1 && llvm::StringRef(Folder).starts_with((Here + "/").str()))
    return std::string(Here);
  return Folder;
}

llvm::Expected<ParseOptions> kcheck::effectiveOptions(llvm::StringRef File, const ParseOptions &Options) {
  ParseOptions Out = Options;
  if (Options.BuildDir.empty())
    return Out;
  Out.BuildDir.clear();
  auto Commands = readCompileDatabase(Options.BuildDir);
  if (!Commands)
    return Commands.takeError();
  const BuildCommand *C = commandFor(**Commands, File);
  if (!C)
    return Out;
  auto Flags = translateFlags(C->Args, C->Directory);
  if (!Flags)
    return llvm::createStringError("compile command of " + C->File + ": " + llvm::toString(Flags.takeError()));
  Out.ExtraArgs = std::move(Flags->Clang);
  if (!Flags->Standard.empty())
    Out.ExtraArgs.push_back("-std=" + Flags->Standard);
  if (!Flags->Arch.empty())
    Out.ExtraArgs.push_back("-arch=" + Flags->Arch);
  Out.ExtraArgs.insert(Out.ExtraArgs.end(), Options.ExtraArgs.begin(), Options.ExtraArgs.end());
  return Out;
}

llvm::Error kcheck::parseView(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, View Which, ParseFacts &Facts, UseUnit Use) {
  noteBottomOfStack(/*ForceSet=*/true);
  auto S = setupFor(Options, Which);
  if (!S)
    return S.takeError();
  auto Files = filesFor(File, Text, Options, **S);
  Facts.Arch = (*S)->Arch;
  Facts.CudaVersion = (*S)->TheToolkit.Version;
  Facts.HasToolkit = (*S)->TheToolkit.found();
  Facts.Notes.insert(Facts.Notes.end(), (*S)->Notes.begin(), (*S)->Notes.end());
  Run R{File, Text, **S, *Files, Facts, Use, Options.LastParse, Options.ReadTemplates, {}, {}, {}, {}, {}, {}};
  R.MayWantRdc = !llvm::is_contained(Options.ExtraArgs, "-fgpu-rdc");
  DispatchMacros Dispatch;
  if (Options.ReadTemplates && Facts.Macros.empty())
    R.Dispatch = &Dispatch;
  runWithCache(R, Options);
  while (R.ReadAgain) {
    R.ReadAgain = false;
    R.Messages = DiagnosticCollector();
    runWithCache(R, Options);
  }
  if (R.Dispatch)
    Facts.Macros = Dispatch.definitions();
  if (R.WantsRdc) {
    ParseOptions Rdc = Options;
    Rdc.ExtraArgs.push_back("-fgpu-rdc");
    Facts.Notes.push_back("kernels launched from device code: read as with -rdc=true");
    return parseView(File, Text, Rdc, Which, Facts, Use);
  }
  for (const std::string &P : Files->refused())
    Facts.Notes.push_back("'" + P + "' was not read: it lies outside the file's project, or is no plain file");
  if (!R.Used)
    return llvm::createStringError("the front end gave up on this file" + (R.Messages.All.empty() ? std::string() : ": " + R.Messages.All.back().Message));
  return llvm::Error::success();
}

llvm::Error kcheck::parse(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, View Which, UseUnit Use) {
  auto Effective = effectiveOptions(File, Options);
  if (!Effective)
    return Effective.takeError();
  ParseFacts Facts;
  return parseView(File, Text, *Effective, Which, Facts, Use);
}
