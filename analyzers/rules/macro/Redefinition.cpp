//===- Redefinition.cpp - one name, two bodies --------------------------------===//
#include "analyzers/engine/driver/BundledHeaders.h"
#include "analyzers/rules/macro/MacroChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Lex/LiteralSupport.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"
#include <cmath>

using namespace clang;
using namespace kcheck;

namespace {

/// The number that a body of one literal denotes.
std::optional<double> numberOf(const MacroInfo &Info, Preprocessor &PP) {
  std::string Text;
  for (const Token &T : Info.tokens()) {
    if (T.isOneOf(tok::l_paren, tok::r_paren))
      continue;
    Text += PP.getSpelling(T);
  }
  llvm::StringRef Digits = llvm::StringRef(Text).rtrim("fFlLuU");
  double Value;
  if (Digits.empty() || Digits.getAsDouble(Value))
    return std::nullopt;
  return Value;
}

/// `#define M_PI 3.14159` says what the header says, with fewer digits.
bool sameNumber(const MacroInfo &A, const MacroInfo &B, Preprocessor &PP) {
  auto X = numberOf(A, PP), Y = numberOf(B, PP);
  return X && Y && std::fabs(*X - *Y) <= 1e-3 * std::fabs(*Y);
}

bool usedAfter(const MacroModel &M, const SourceManager &SM, const DefinedMacro &D) {
  for (const ExpandedMacro &E : M.expansions()) {
    llvm::SmallPtrSet<const DefinedMacro *, 8> Used;
    M.addUsed(E.Name, E.Begin, Used);
    if (Used.contains(&D))
      return true;
  }
  return false;
}

/// The variables that an expression names, and those that their initialisers name.
class NamedVariables : public DynamicRecursiveASTVisitor {
public:
  llvm::SmallSetVector<const VarDecl *, 8> Found;
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    const auto *V = dyn_cast<VarDecl>(E->getDecl());
    if (V && V->isLocalVarDecl() && Found.insert(V) && V->getInit())
      TraverseStmt(const_cast<Expr *>(V->getInit()));
    return true;
  }
};

/// The subscripts of what a parameter points to.
class Subscripts : public DynamicRecursiveASTVisitor {
public:
  explicit Subscripts(const ParmVarDecl *Of) : Of(Of) {}
  std::vector<Expr *> Found;
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) override {
    if (namedVariable(E->getBase()) == Of)
      Found.push_back(E->getIdx());
    return true;
  }

private:
  const ParmVarDecl *Of;
};

/// The whole numbers that are written in an expression and in the initialisers of the variables that it names.
class Numbers : public DynamicRecursiveASTVisitor {
public:
  llvm::SmallSet<uint64_t, 8> Found;
  bool VisitIntegerLiteral(IntegerLiteral *L) override {
    Found.insert(L->getValue().getLimitedValue());
    return true;
  }
};

struct LaunchSite {
  const CUDAKernelCallExpr *Call;
  const FunctionDecl *From;
};

class Functions : public DynamicRecursiveASTVisitor {
public:
  std::vector<LaunchSite> Launches;
  bool TraverseFunctionDecl(FunctionDecl *F) override {
    const FunctionDecl *Before = std::exchange(Current, F);
    bool R = DynamicRecursiveASTVisitor::TraverseFunctionDecl(F);
    Current = Before;
    return R;
  }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *C) override {
    Launches.push_back({C, Current});
    return true;
  }

private:
  const FunctionDecl *Current = nullptr;
};

class ReuseCheck {
public:
  ReuseCheck(RuleContext &Ctx, const MacroModel &M) : Ctx(Ctx), M(M), SM(Ctx.TU.sources()) {}
  MacroSet Disagreements;

  void run() {
    testsOfUndefined();
    usesOfUndefined();
    if (!anyReuse())
      return;
    kernelsAndLaunches();
    kernelsOnOneBuffer();
    macrosOverMacros();
  }

private:
  using Definitions = llvm::SmallPtrSet<const DefinedMacro *, 8>;

  static bool differ(const DefinedMacro &A, const DefinedMacro &B, Preprocessor &PP) {
    return !A.Info->isIdenticalTo(*B.Info, PP, /*Syntactically=*/true);
  }

  bool anyReuse() const {
    llvm::SmallPtrSet<const IdentifierInfo *, 8> Seen;
    return llvm::any_of(M.definitions(), [&](const DefinedMacro &D) { return !Seen.insert(D.Name).second; });
  }

  /// Definitions used by the text of a range.
  Definitions usedIn(SourceRange Range) const {
    Definitions Out;
    SourceLocation Begin = SM.getExpansionLoc(Range.getBegin()), End = SM.getExpansionRange(Range.getEnd()).getEnd();
    for (const ExpandedMacro &E : M.expansions())
      if (!SM.isBeforeInTranslationUnit(E.Begin, Begin) && !SM.isBeforeInTranslationUnit(End, E.Begin))
        M.addUsed(E.Name, E.Begin, Out);
    return Out;
  }

  void kernelsAndLaunches() {
    Functions All;
    All.TraverseAST(Ctx.TU.AST);
    for (const LaunchSite &L : All.Launches) {
      const FunctionDecl *Def = kernelOf(L);
      if (!Def)
        continue;
      NamedVariables Vars;
      Vars.TraverseStmt(const_cast<CUDAKernelCallExpr *>(L.Call));
      Definitions InLaunch = usedIn(L.Call->getSourceRange()), InKernel = usedIn(Def->getSourceRange());
      for (const VarDecl *V : Vars.Found) {
        Definitions More = usedIn(V->getSourceRange());
        InLaunch.insert(More.begin(), More.end());
      }
      compare(InKernel, InLaunch, *Def, L.Call->getBeginLoc());
    }
  }

  void compare(const Definitions &InKernel, const Definitions &InLaunch, const FunctionDecl &K, SourceLocation At) {
    for (const DefinedMacro *A : InKernel)
      for (const DefinedMacro *B : InLaunch) {
        // A function-like name that comes back is an X-macro.
        if (A->Name != B->Name || A == B || !A->Info->isObjectLike() || !B->Info->isObjectLike() || !differ(*A, *B, Ctx.TU.PP) || InKernel.contains(B) || InLaunch.contains(A))
          continue;
        const DefinedMacro *Later = SM.isBeforeInTranslationUnit(A->Defined, B->Defined) ? B : A;
        if (!Reported.insert(Later).second)
          continue;
        if (Later->Replaces) { // without #undef it is a redefinition
          Disagreements.insert(Later);
          continue;
        }
        Ctx.report("macro_undef_reuse", Later->Defined,
                   "'" + A->Name->getName() + "' gets another value here, but kernel '" + K.getName() +
                       "' and its launch must agree on it")
            .kernel(&K)
            .note(A->Defined, "the kernel was compiled with this definition")
            .note(At, "launched here with the other value");
      }
  }

  /// The definition of the kernel that a launch calls, where the file has it.
  const FunctionDecl *kernelOf(const LaunchSite &L) const {
    const FunctionDecl *K = L.Call->getDirectCallee(), *Def = nullptr;
    if (K && K->getTemplateInstantiationPattern())
      K = K->getTemplateInstantiationPattern();
    return K && K->getBody(Def) && Ctx.TU.inMainFile(Def->getLocation()) ? Def : nullptr;
  }

  /// The macros that the subscripts of a parameter are made from.
  Definitions usedInSubscripts(const FunctionDecl &K, const ParmVarDecl *P) const {
    Subscripts S(P);
    S.TraverseStmt(K.getBody());
    Definitions Out;
    auto Add = [&](SourceRange Range) {
      Definitions More = usedIn(Range);
      Out.insert(More.begin(), More.end());
    };
    for (Expr *Index : S.Found) {
      NamedVariables Vars;
      Vars.TraverseStmt(Index);
      Add(Index->getSourceRange());
      for (const VarDecl *V : Vars.Found)
        Add(V->getSourceRange());
    }
    return Out;
  }

  /// One kernel writes rows of LD elements, another that gets the same buffer from the same launcher reads rows of another LD. A
  /// number that is also the launch's is how the work is split, and each kernel may do that its own way.
  void kernelsOnOneBuffer() {
    Functions All;
    All.TraverseAST(Ctx.TU.AST);
    for (size_t I = 0; I < All.Launches.size(); ++I)
      for (size_t J = 0; J < I; ++J) {
        const LaunchSite &First = All.Launches[J], &Second = All.Launches[I];
        const FunctionDecl *K = kernelOf(First), *Next = kernelOf(Second);
        if (!K || !Next || K == Next || First.From != Second.From)
          continue;
        for (unsigned A = 0; A < std::min(First.Call->getNumArgs(), K->getNumParams()); ++A)
          for (unsigned B = 0; B < std::min(Second.Call->getNumArgs(), Next->getNumParams()); ++B)
            if (const VarDecl *V = namedVariable(First.Call->getArg(A)); V && V->getType()->isPointerType() && V == namedVariable(Second.Call->getArg(B)))
              rowsOf(*V, First, *K, K->getParamDecl(A), Second, *Next, Next->getParamDecl(B));
      }
  }

  void rowsOf(const VarDecl &Buffer, const LaunchSite &First, const FunctionDecl &K, const ParmVarDecl *P, const LaunchSite &Second, const FunctionDecl &Next,
              const ParmVarDecl *Q) {
    Definitions Of = usedInSubscripts(K, P), In = usedInSubscripts(Next, Q);
    for (const DefinedMacro *A : Of)
      for (const DefinedMacro *B : In) {
        if (A->Name != B->Name || A == B || !A->Info->isObjectLike() || !B->Info->isObjectLike() || !differ(*A, *B, Ctx.TU.PP) || splitsTheWork(*A, First) ||
            splitsTheWork(*B, Second))
          continue;
        const DefinedMacro *Later = SM.isBeforeInTranslationUnit(A->Defined, B->Defined) ? B : A;
        if (Later->Replaces || !Reported.insert(Later).second)
          continue;
        Ctx.report("macro_undef_reuse", Later->Defined,
                   "'" + A->Name->getName() + "' gets another value here: kernels '" + K.getName() + "' and '" + Next.getName() + "' index '" + Buffer.getName() +
                       "' by it, and do not agree where its elements are")
            .kernel(&Next)
            .doubt()
            .note(A->Defined, "'" + K.getName() + "' was compiled with this definition")
            .note(Second.Call->getBeginLoc(), "'" + Buffer.getName() + "' is handed on here");
      }
  }

  bool splitsTheWork(const DefinedMacro &D, const LaunchSite &L) const {
    auto N = numberOf(*D.Info, Ctx.TU.PP);
    NamedVariables Vars;
    Numbers Written;
    auto *Config = const_cast<CallExpr *>(L.Call->getConfig());
    Vars.TraverseStmt(Config);
    Written.TraverseStmt(Config);
    Definitions Used = usedIn(Config->getSourceRange());
    for (const VarDecl *V : Vars.Found) {
      Written.TraverseStmt(const_cast<Expr *>(V->getInit()));
      Definitions More = usedIn(V->getSourceRange());
      Used.insert(More.begin(), More.end());
    }
    return !N || *N < 1 || Written.Found.contains(uint64_t(*N)) || Used.contains(&D);
  }

  /// AT(r, c) over LD: used under one value of LD, then under another.
  void macrosOverMacros() {
    for (const DefinedMacro &User : M.definitions()) {
      Definitions Under;
      for (const ExpandedMacro &E : M.expansions()) {
        Definitions Used;
        M.addUsed(E.Name, E.Begin, Used);
        if (!Used.contains(&User))
          continue;
        for (const Token &T : User.Info->tokens())
          if (const IdentifierInfo *II = T.getIdentifierInfo(); II && User.Info->getParameterNum(II) < 0)
            if (const DefinedMacro *D = M.inForce(II, E.Begin); D && D->Info->isObjectLike())
              meets(User, *D, Under, E.Begin);
      }
    }
  }

  void meets(const DefinedMacro &User, const DefinedMacro &D, Definitions &Under, SourceLocation At) {
    for (const DefinedMacro *Other : Under)
      if (Other->Name == D.Name && Other != &D && differ(*Other, D, Ctx.TU.PP) && !D.Replaces &&
          SM.isBeforeInTranslationUnit(Other->Defined, User.Defined) && Reported.insert(&D).second)
        Ctx.report("macro_undef_reuse", D.Defined,
                   "'" + D.Name->getName() + "' gets another value here, which changes what '" + User.Name->getName() +
                       "' means from here on")
            .doubt()
            .note(User.Defined, "'" + User.Name->getName() + "' uses it")
            .note(At, "'" + User.Name->getName() + "' is expanded with the new value");
    Under.insert(&D);
  }

  /// `#if X` after `#undef X` is silently 0.
  void testsOfUndefined() {
    for (const ConditionalTest &T : M.tests())
      for (const DefinedMacro &D : M.definitions()) {
        if (D.Name->getName() != T.Name || D.Undefined.isInvalid() || !SM.isBeforeInTranslationUnit(D.Undefined, T.Loc) ||
            M.inForce(D.Name, T.Loc) || !testedBefore(T.Name, D))
          continue;
        if (!Reported.insert(&D).second)
          continue;
        Ctx.report("macro_undef_reuse", T.Loc, "'" + T.Name + "' was undefined before this test, which now is always 0")
            .doubt()
            .note(D.Undefined, "undefined here");
        break;
      }
  }

  /// A name that nothing declares, and that was a macro until `#undef`.
  void usesOfUndefined() {
    for (const ParseDiagnostic &E : Ctx.TU.Diagnostics) {
      if (!E.InMainFile || (E.ID != diag::err_undeclared_var_use && E.ID != diag::err_undeclared_var_use_suggest))
        continue;
      SourceLocation At = SM.translateLineCol(SM.getMainFileID(), E.Where.Line, E.Where.Column);
      const DefinedMacro *Last = nullptr;
      for (const DefinedMacro &D : M.definitions())
        if (D.Undefined.isValid() && SM.isBeforeInTranslationUnit(D.Undefined, At) && llvm::StringRef(E.Message).contains(("'" + D.Name->getName() + "'").str()))
          Last = &D;
      if (Last && !M.inForce(Last->Name, At) && Reported.insert(Last).second)
        Ctx.report("macro_undef_reuse", At, "'" + Last->Name->getName() + "' is used here, after its #undef").note(Last->Undefined, "undefined here");
    }
  }

  bool testedBefore(StringRef Name, const DefinedMacro &D) const {
    return llvm::any_of(M.tests(), [&](const ConditionalTest &T) {
      return T.Name == Name && SM.isBeforeInTranslationUnit(D.Defined, T.Loc) && SM.isBeforeInTranslationUnit(T.Loc, D.Undefined);
    });
  }

  RuleContext &Ctx;
  const MacroModel &M;
  const SourceManager &SM;
  Definitions Reported;
};

} // namespace

void kcheck::checkMacroRedefinition(RuleContext &Ctx, const MacroModel &M, const MacroSet &Disagreements) {
  const SourceManager &SM = Ctx.TU.sources();
  Preprocessor &PP = Ctx.TU.PP;
  for (const DefinedMacro &D : M.definitions()) {
    if (!D.Replaces || !SM.isInMainFile(D.Defined) || D.Info->isIdenticalTo(*D.Replaces, PP, /*Syntactically=*/true))
      continue;
    SourceLocation Old = D.Replaces->getDefinitionLoc();
    bool FromHeader = SM.isInSystemHeader(Old);
    if (SM.isWrittenInCommandLineFile(Old) || SM.getFilename(Old).starts_with(BundledRoot) || sameNumber(*D.Info, *D.Replaces, PP) || !usedAfter(M, SM, D))
      continue;
    auto F = Ctx.report("macro_redefined", D.Defined,
                        "macro '" + D.Name->getName() + "' is redefined with another body" +
                            (FromHeader ? " than its header gives it" : ", and code above was compiled with the first one"));
    F.note(Old, "first definition");
    if (Disagreements.contains(&D))
      F.note(D.Defined, "a kernel above was compiled with the first one, and its launch below has this one");
    else
      F.doubt();
  }
}

MacroSet kcheck::checkMacroReuse(RuleContext &Ctx, const MacroModel &M) {
  ReuseCheck Check(Ctx, M);
  Check.run();
  return std::move(Check.Disagreements);
}
