//===- SideEffects.cpp - arguments that a macro evaluates more than once ------===//
//
//   #define MAX(a, b) ((a) > (b) ? (a) : (b))
//   best = MAX(best, *p++);    // p moves twice where *p wins
//   best = MAX(best, __shfl_down_sync(~0u, best, 16));    // the second exchange is without the lanes whose own value won
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/macro/MacroChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

/// Whether a function's body writes anything that outlives the call.
class WritesOutside : public DynamicRecursiveASTVisitor {
public:
  bool Found = false;
  bool VisitBinaryOperator(BinaryOperator *B) override { return B->isAssignmentOp() ? target(B->getLHS()) : true; }
  bool VisitUnaryOperator(UnaryOperator *U) override { return U->isIncrementDecrementOp() ? target(U->getSubExpr()) : true; }
  bool VisitCallExpr(CallExpr *C) override {
    if (callKind(C) == CallKind::Atomic)
      Found = true;
    return !Found;
  }

private:
  bool target(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    while (const auto *M = dyn_cast<MemberExpr>(E)) {
      if (M->isArrow())
        break;
      E = M->getBase()->IgnoreParenImpCasts();
    }
    if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(D->getDecl());
      Found = !V || V->hasGlobalStorage() || V->getType()->isReferenceType();
    } else if (const auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      const auto *B = dyn_cast<DeclRefExpr>(S->getBase()->IgnoreParenImpCasts());
      Found = !B || !B->getDecl()->getType()->isArrayType();
    } else {
      Found = true;
    }
    return !Found;
  }
};

bool hasSideEffect(const CallExpr *C) {
  CallKind Kind = callKind(C);
  if (Kind == CallKind::Atomic)
    return true;
  const FunctionDecl *F = C->getDirectCallee();
  if (!F)
    return false;
  if (const Stmt *Body = definitionBody(F); Body && !F->getASTContext().getSourceManager().isInSystemHeader(F->getLocation())) {
    WritesOutside W;
    W.TraverseStmt(const_cast<Stmt *>(Body));
    return W.Found;
  }
  // A generator's state is advanced through a pointer.
  StringRef Name = F->getIdentifier() ? F->getName() : "";
  return Name == "rand" || (Name.starts_with("curand") && F->getNumParams() >= 1 && F->getParamDecl(0)->getType()->isPointerType());
}

class SideEffectVisitor : public DynamicRecursiveASTVisitor {
  using Base = DynamicRecursiveASTVisitor;

public:
  SideEffectVisitor(RuleContext &Ctx, const MacroModel &Macros) : Ctx(Ctx), Macros(Macros), SM(Ctx.TU.sources()) {}

  bool TraverseFunctionDecl(FunctionDecl *F) override { return inFunction(F, [&] { return Base::TraverseFunctionDecl(F); }); }
  bool TraverseCXXMethodDecl(CXXMethodDecl *F) override { return inFunction(F, [&] { return Base::TraverseCXXMethodDecl(F); }); }

  // Nothing in here is evaluated.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return true; }
  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc, bool) override { return true; }
  bool TraverseTypeOfExprTypeLoc(TypeOfExprTypeLoc, bool) override { return true; }

  // DISPATCH(type, [&] { kernel<T><<<…>>>(…); }): the macro names the lambda in each branch and calls it in one.
  bool TraverseLambdaExpr(LambdaExpr *L) override {
    return (L->getBeginLoc().isMacroID() && SM.isMacroArgExpansion(L->getBeginLoc())) || Base::TraverseLambdaExpr(L);
  }

  bool TraverseIfStmt(IfStmt *S) override {
    if (S->getInit() && !TraverseStmt(S->getInit()))
      return false;
    return TraverseStmt(S->getCond()) && inBranch(S, 0, S->getThen()) && inBranch(S, 1, S->getElse());
  }
  bool TraverseConditionalOperator(ConditionalOperator *C) override {
    return TraverseStmt(C->getCond()) && inBranch(C, 0, C->getTrueExpr()) && inBranch(C, 1, C->getFalseExpr());
  }

  bool VisitUnaryOperator(UnaryOperator *U) override {
    if (U->isIncrementDecrementOp())
      record(U->getOperatorLoc(), UnaryOperator::getOpcodeStr(U->getOpcode()));
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->isAssignmentOp())
      record(B->getOperatorLoc(), B->getOpcodeStr());
    return true;
  }
  bool VisitCallExpr(CallExpr *C) override {
    SourceLocation Loc = C->getRParenLoc();
    if (!Loc.isMacroID() || !SM.isMacroArgExpansion(Loc))
      return true;
    if (hasSideEffect(C))
      record(Loc, calleeName(C));
    else if (CallKind Kind = callKind(C); Kind == CallKind::Shuffle || Kind == CallKind::Vote)
      record(Loc, calleeName(C), /*MeetsLanes=*/true);
    return true;
  }

private:
  using Path = llvm::SmallVector<std::pair<const Stmt *, unsigned>, 4>;
  struct Occurrence {
    SourceLocation Loc;
    Path Branches;
  };

  template <class Fn> bool inFunction(FunctionDecl *F, Fn Go) {
    auto Outer = std::move(Seen);
    const FunctionDecl *Before = std::exchange(Function, F);
    Seen.clear();
    bool R = Go();
    Seen = std::move(Outer);
    Function = Before;
    return R;
  }

  bool inBranch(const Stmt *Of, unsigned Which, Stmt *S) {
    if (!S)
      return true;
    Branches.push_back({Of, Which});
    bool R = TraverseStmt(S);
    Branches.pop_back();
    return R;
  }

  static bool exclusive(const Path &A, const Path &B) {
    for (auto [S, Which] : A)
      for (auto [T, Other] : B)
        if (S == T && Which != Other)
          return true;
    return false;
  }

  /// MeetsLanes: What does no harm where it is done twice by all lanes, but waits for lanes that do not come to a branch.
  void record(SourceLocation Loc, StringRef What, bool MeetsLanes = false) {
    if (!Loc.isMacroID() || !SM.isMacroArgExpansion(Loc))
      return;
    // One token of the text, in one expansion of the text.
    auto Key = std::make_pair(SM.getSpellingLoc(Loc).getRawEncoding(), SM.getExpansionLoc(Loc).getRawEncoding());
    auto &Earlier = Seen[Key];
    for (const Occurrence &O : Earlier)
      if (O.Loc != Loc && !exclusive(O.Branches, Branches) && (!MeetsLanes || Branches.size() > O.Branches.size())) {
        report(Key.first, Loc, What, MeetsLanes);
        break;
      }
    Earlier.push_back({Loc, Branches});
  }

  void report(unsigned Written, SourceLocation Loc, StringRef What, bool MeetsLanes) {
    const DefinedMacro *Def = nullptr;
    for (const Region &R : regionsOf(SM, Loc))
      if (R.What == Region::Argument)
        if (const DefinedMacro *D = Macros.spelledIn(R.Inside); D && repeats(*D, R.Inside)) {
          Def = D;
          break;
        }
    if (!Def || !Reported.insert(Written).second)
      return;
    auto F = Ctx.report("macro_side_effect", SM.getSpellingLoc(Loc),
                        "macro '" + Def->Name->getName() + "' evaluates its argument more than once, and " +
                            (MeetsLanes ? "the second time only lanes of one branch do: '" + What + "' there waits for the others"
                                        : "the argument has a side effect ('" + What + "')"));
    F.note(Def->Defined, "'" + Def->Name->getName() + "' is defined here");
    if (Function && Function->hasAttr<CUDAGlobalAttr>())
      F.kernel(Function);
  }

  /// Whether the parameter spelled at Where occurs twice in D's body, as part of an expression: a macro
  /// that repeats whole statements (`#define TWICE(s) s; s`) does so on purpose.
  bool repeats(const DefinedMacro &D, SourceLocation Where) const {
    llvm::ArrayRef<Token> Body = D.Info->tokens();
    const IdentifierInfo *Parameter = nullptr;
    for (const Token &T : Body)
      if (T.getLocation() == Where)
        Parameter = T.getIdentifierInfo();
    auto Separates = [&](size_t I) {
      return I >= Body.size() || Body[I].isOneOf(tok::semi, tok::l_brace, tok::r_brace) ||
             (Body[I].getIdentifierInfo() && D.Info->getParameterNum(Body[I].getIdentifierInfo()) >= 0);
    };
    // `case 8: { constexpr int W = 8; __VA_ARGS__ break; }`: no operand stands before a word that begins a statement.
    auto Ends = [&](size_t I) {
      return Separates(I) || Body[I].isOneOf(tok::kw_break, tok::kw_continue, tok::kw_return, tok::kw_goto, tok::kw_case, tok::kw_default,
                                             tok::kw_if, tok::kw_for, tok::kw_while, tok::kw_do, tok::kw_switch);
    };
    // `#define FOUR(s) TWICE(s); TWICE(s)`: handed on whole to a macro that stands as a statement.
    auto HandedOn = [&](size_t I) {
      return I >= 2 && I + 1 < Body.size() && Body[I - 1].is(tok::l_paren) && Body[I + 1].is(tok::r_paren) && Body[I - 2].getIdentifierInfo() &&
             Body[I - 2].getIdentifierInfo()->hadMacroDefinition() && Separates(I - 3) && Separates(I + 2);
    };
    unsigned Count = 0;
    bool InExpression = false;
    for (size_t I = 0; Parameter && I < Body.size(); ++I)
      if (Body[I].getIdentifierInfo() == Parameter) {
        ++Count;
        InExpression |= !(Separates(I - 1) && Ends(I + 1)) && !HandedOn(I);
      }
    return Count > 1 && InExpression;
  }

  RuleContext &Ctx;
  const MacroModel &Macros;
  const SourceManager &SM;
  const FunctionDecl *Function = nullptr;
  Path Branches;
  std::map<std::pair<unsigned, unsigned>, std::vector<Occurrence>> Seen;
  llvm::SmallSet<unsigned, 8> Reported;
};

} // namespace

void kcheck::checkMacroSideEffects(RuleContext &Ctx, const MacroModel &Macros) {
  SideEffectVisitor(Ctx, Macros).TraverseAST(Ctx.TU.AST);
}
