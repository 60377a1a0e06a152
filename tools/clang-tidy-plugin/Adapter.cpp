#include "tools/clang-tidy-plugin/Adapter.h"
#include "analyzers/engine/Rule.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Lex/MacroInfo.h"
#include "matchers/StepLimit.h"
#include <atomic>
#include <mutex>
#include <optional>

using namespace clang;
using namespace clang::tidy;

namespace kcheck {
namespace {

std::atomic<bool> Hurried = false;

/// The policy as the user's CheckOptions change it.
class TidyPolicy {
public:
  explicit TidyPolicy(const ClangTidyOptions::OptionMap &Given) : Given(Given), Made(Policy::builtin()) {}

  void disable(llvm::StringRef Rule) { ruleObject(Rule)["enabled"] = false; }

  /// Lays CheckOptions of one check over its rule.
  void apply(llvm::StringRef Rule, llvm::StringRef Tag) {
    std::string Check = checkId(Rule, Tag);
    llvm::json::Object &R = ruleObject(Rule);
    if (std::optional<llvm::StringRef> S = given(Check, Rule, "severity"); S && parseSeverity(*S))
      objectIn(R, "tags")[Tag] = S->str();
    for (auto &[Name, Value] : objectIn(R, "options"))
      if (std::optional<llvm::StringRef> Text = given(Check, Rule, Name))
        Value = parsed(*Text, Value);
  }

  Policy take() { return std::move(Made); }

private:
  static llvm::json::Object &objectIn(llvm::json::Object &O, llvm::StringRef Key) {
    llvm::json::Value &V = O[Key];
    if (!V.getAsObject())
      V = llvm::json::Object{};
    return *V.getAsObject();
  }
  llvm::json::Object &ruleObject(llvm::StringRef Rule) {
    return objectIn(objectIn(*Made.Root.getAsObject(), "rules"), Rule);
  }
  std::optional<llvm::StringRef> given(llvm::StringRef Check, llvm::StringRef Rule, llvm::StringRef Name) const {
    for (llvm::StringRef Owner : {Check, Rule})
      if (auto It = Given.find((Owner + "." + Name).str()); It != Given.end())
        return llvm::StringRef(It->getValue().Value);
    return std::nullopt;
  }
  /// CheckOptions are strings; the policy's own value says what they mean. What does not parse changes nothing.
  static llvm::json::Value parsed(llvm::StringRef Text, const llvm::json::Value &Old) {
    if (Old.kind() == llvm::json::Value::Array) {
      llvm::SmallVector<llvm::StringRef> Parts;
      Text.split(Parts, ';', -1, false);
      llvm::json::Array Out;
      for (llvm::StringRef P : Parts)
        Out.push_back(P.trim().str());
      return Out;
    }
    if (Old.kind() == llvm::json::Value::String)
      return Text.str();
    llvm::Expected<llvm::json::Value> V = llvm::json::parse(Text);
    if (V && V->kind() == Old.kind())
      return std::move(*V);
    llvm::consumeError(V.takeError());
    return Old;
  }

  const ClangTidyOptions::OptionMap &Given;
  Policy Made;
};

/// What all checks of one translation unit share.
class TidyRun {
public:
  /// The run of the translation unit that Context is working on; the checks keep it alive.
  static std::shared_ptr<TidyRun> of(ClangTidyContext *Context) {
    static std::mutex Lock;
    static llvm::DenseMap<ClangTidyContext *, std::weak_ptr<TidyRun>> Runs;
    std::lock_guard<std::mutex> Hold(Lock);
    std::shared_ptr<TidyRun> Run = Runs[Context].lock();
    if (!Run)
      Runs[Context] = Run = std::make_shared<TidyRun>();
    return Run;
  }

  Preprocessor *PP = nullptr;
  ASTContext *AST = nullptr;
  bool HasDeclMatcher = false;
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> Wanted; ///< (rule, tag) of the enabled checks

  const std::vector<Finding> &findings(const ClangTidyOptions &Options) {
    if (!Done && AST && PP)
      run(Options);
    return Found;
  }

private:
  void run(const ClangTidyOptions &Options) {
    Done = true;
    TidyPolicy Changed(Options.CheckOptions);
    for (const RegisteredRule &R : allRules())
      if (llvm::none_of(Wanted, [&](const auto &W) { return W.first == R.Info.Id; }))
        Changed.disable(R.Info.Id);
    for (const auto &[Rule, Tag] : Wanted)
      Changed.apply(Rule, Tag);
    Policy P = Changed.take();

    TranslationUnit TU(*AST, *PP);
    TU.Which = AST->getLangOpts().CUDAIsDevice ? View::Device : View::Host;
    TU.CudaVersion = macroValue("CUDART_VERSION");
    TU.HasToolkit = TU.CudaVersion != 0;
    TU.Arch = arch();
    // Rules look at the main file only. clangd has set this scope already; clang-tidy has not.
    std::vector<Decl *> Scope = AST->getTraversalScope();
    bool WholeUnit = Scope.size() == 1 && llvm::isa<TranslationUnitDecl>(Scope[0]);
    if (WholeUnit) {
      std::vector<Decl *> Main;
      for (Decl *D : AST->getTranslationUnitDecl()->decls())
        if (TU.inMainFile(D->getLocation()))
          Main.push_back(D);
      AST->setTraversalScope(Main);
    }
    std::optional<StepLimit> Few;
    if (Hurried)
      Few.emplace(StepLimit::ofFile() / 3, StepLimit::ofRun() / 3);
    Found = runRules(TU, P);
    if (WholeUnit)
      AST->setTraversalScope(Scope);
  }

  unsigned macroValue(llvm::StringRef Name) const {
    const MacroInfo *M = PP->getMacroInfo(PP->getIdentifierInfo(Name));
    unsigned Value = 0;
    if (M && M->getNumTokens() == 1 &&
        llvm::StringRef(PP->getSpelling(M->getReplacementToken(0))).getAsInteger(10, Value))
      return 0;
    return Value;
  }
  std::string arch() const {
    const TargetInfo *T = AST->getLangOpts().CUDAIsDevice ? &AST->getTargetInfo() : AST->getAuxTargetInfo();
    std::string Cpu = T ? T->getTargetOpts().CPU : "";
    return llvm::StringRef(Cpu).starts_with("sm_") ? Cpu : "sm_80";
  }

  bool Done = false;
  std::vector<Finding> Found;
};

/// One tag of one rule.
class TagCheck : public ClangTidyCheck {
public:
  TagCheck(llvm::StringRef Name, ClangTidyContext *Context, llvm::StringRef Rule, llvm::StringRef Tag)
      : ClangTidyCheck(Name, Context), Context(Context), Run(TidyRun::of(Context)), Rule(Rule), Tag(Tag) {
    Run->Wanted.emplace_back(Rule, Tag);
  }

  bool isLanguageVersionSupported(const LangOptions &Lang) const override { return Lang.CUDA; }

  void registerPPCallbacks(const SourceManager &, Preprocessor *PP, Preprocessor *) override { Run->PP = PP; }

  void registerMatchers(ast_matchers::MatchFinder *Finder) override {
    using namespace ast_matchers;
    Finder->addMatcher(translationUnitDecl(), this);
    // clangd never visits the unit itself, only the main file's declarations.
    if (!Run->HasDeclMatcher)
      Finder->addMatcher(decl(anyOf(functionDecl(isExpansionInMainFile()), varDecl(isExpansionInMainFile()))), this);
    Run->HasDeclMatcher = true;
  }

  void check(const ast_matchers::MatchFinder::MatchResult &Result) override { Run->AST = Result.Context; }

  void onEndOfTranslationUnit() override {
    for (const Finding &F : Run->findings(Context->getOptions()))
      if (F.Rule == Rule && F.Tag == Tag)
        emit(F);
  }

  void storeOptions(ClangTidyOptions::OptionMap &Opts) override {
    Options.store(Opts, "severity",
                  Options.get("severity", toString(Policy::builtin().severity(Rule, Tag, Certainty::Proven))));
    const llvm::json::Value *All = Policy::builtin().table({"rules", Rule, "options"});
    if (const llvm::json::Object *O = All ? All->getAsObject() : nullptr)
      for (const auto &[Name, Value] : *O)
        Options.store(Opts, Name, Options.get(Name, asText(Value)));
  }

private:
  static std::string asText(const llvm::json::Value &V) {
    if (auto S = V.getAsString())
      return S->str();
    if (const llvm::json::Array *A = V.getAsArray()) {
      std::string Out;
      for (const llvm::json::Value &E : *A)
        Out += (Out.empty() ? "" : ";") + asText(E);
      return Out;
    }
    return llvm::formatv("{0}", V);
  }

  SourceLocation locate(const Location &L) const {
    const SourceManager &SM = Run->AST->getSourceManager();
    if (!L.Line)
      return {};
    FileID Main = SM.getMainFileID();
    PresumedLoc P = SM.getPresumedLoc(SM.getLocForStartOfFile(Main), /*UseLineDirectives=*/false);
    if (L.File.empty() || (P.isValid() && L.File == P.getFilename()))
      return SM.translateLineCol(Main, L.Line, std::max(1u, L.Column));
    if (OptionalFileEntryRef File = SM.getFileManager().getOptionalFileRef(L.File))
      return SM.translateFileLineCol(*File, L.Line, std::max(1u, L.Column));
    return {};
  }

  std::vector<FixItHint> hints(const Fix &X) const {
    const SourceManager &SM = Run->AST->getSourceManager();
    std::vector<FixItHint> Out;
    for (const Edit &E : X.Edits) {
      SourceLocation File = locate({E.File, 1, 1});
      if (File.isInvalid())
        return {};
      SourceLocation Begin = SM.getLocForStartOfFile(SM.getFileID(File)).getLocWithOffset(E.Offset);
      Out.push_back(FixItHint::CreateReplacement(
          CharSourceRange::getCharRange(Begin, Begin.getLocWithOffset(E.Length)), E.Text));
    }
    return Out;
  }

  void emit(const Finding &F) {
    if (F.Suppressed)
      return;
    // A note of the policy is a remark here; review and reject are both warnings, so that NOLINT and fixes work.
    DiagnosticIDs::Level Level = F.Level == Severity::Note ? DiagnosticIDs::Remark : DiagnosticIDs::Warning;
    SourceLocation Loc = locate(F.Where);
    {
      auto D = diag(Loc, "%0", Level) << F.Message;
      if (!F.Fixes.empty())
        D << hints(F.Fixes[0]);
    }
    for (const FindingNote &N : F.Notes)
      diag(locate(N.Where), "%0", DiagnosticIDs::Note) << N.Message;
    for (const Fix &Other : llvm::ArrayRef(F.Fixes).drop_front(std::min<size_t>(1, F.Fixes.size())))
      diag(Loc, "%0", DiagnosticIDs::Note) << Other.Description << hints(Other);
  }

  ClangTidyContext *Context;
  std::shared_ptr<TidyRun> Run;
  llvm::StringRef Rule, Tag;
};

} // namespace

void hurryTidyChecks() { Hurried = true; }

void addTidyChecks(ClangTidyCheckFactories &Factories) {
  for (const RegisteredRule &R : allRules())
    for (const TagInfo &T : R.Info.Tags)
      Factories.registerCheckFactory(checkId(R.Info.Id, T.Tag),
                                     [Rule = R.Info.Id, Tag = T.Tag](llvm::StringRef Name, ClangTidyContext *Context) {
                                       return std::make_unique<TagCheck>(Name, Context, Rule, Tag);
                                     });
}

} // namespace kcheck
