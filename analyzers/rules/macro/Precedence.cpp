//===- Precedence.cpp - expansions that operator precedence tears apart -------===//
//
// An operator whose neighbours on both sides come from one region must take its operands from that
// region alone. Where an operand begins before or ends after it, the outer operator there has grabbed a
// part of the expansion: `SQ(a - b)` with body `x * x` is `a - (b * a) - b`. Whether the value really
// differs is decided from the two operators: `x + (a + b)` may be torn apart without harm.
//
// A body may be torn apart by itself: in `(n) + 31 / 32` the division takes the last term alone and makes it zero.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/macro/MacroChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

using namespace clang;
using namespace kcheck;

namespace {

/// A binary operator, built in or overloaded.
struct Binary {
  BinaryOperatorKind Op;
  const Expr *Left, *Right;
  SourceLocation Loc;
};

std::optional<Binary> binary(const Expr *E) {
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return Binary{B->getOpcode(), B->getLHS(), B->getRHS(), B->getOperatorLoc()};
  const auto *C = dyn_cast<CXXOperatorCallExpr>(E);
  if (!C || C->getNumArgs() != 2 || !C->isInfixBinaryOp())
    return std::nullopt;
  BinaryOperatorKind Op = BinaryOperator::getOverloadedOpcode(C->getOperator());
  // Streams chain shifts on purpose.
  if (Op == BO_Shl || Op == BO_Shr || BinaryOperator::isAssignmentOp(Op))
    return std::nullopt;
  return Binary{Op, C->getArg(0), C->getArg(1), C->getOperatorLoc()};
}

/// The outer operator that took a part of the expansion.
struct Outer {
  std::string Spelling;
  SourceLocation Loc;
  bool Harmless = false;
};

bool isFloating(const Expr *E) {
  QualType T = E->getType();
  return T.isNull() || T->isDependentType() || T->isRealFloatingType();
}

bool sameMeaning(BinaryOperatorKind Left, BinaryOperatorKind Inner, bool Floating) {
  if (Left == Inner)
    switch (Inner) {
    case BO_Add: case BO_Mul: case BO_And: case BO_Or: case BO_Xor: case BO_LAnd: case BO_LOr:
      return true;
    default:
      return false;
    }
  if (Left == BO_Add)
    return Inner == BO_Sub;
  return Left == BO_Mul && Inner == BO_Div && Floating;
}

bool castKeepsMeaning(const Expr *Cast, const Expr *Sub, BinaryOperatorKind Inner) {
  bool ToFloat = isFloating(Cast), FromFloat = isFloating(Sub);
  if (FromFloat && !ToFloat)
    return false;
  return ToFloat == FromFloat || (Inner != BO_Div && Inner != BO_Rem);
}

/// What stands left of Inner and has swallowed its first operand.
std::optional<Outer> leftOuter(const Expr *Left, BinaryOperatorKind Inner) {
  Left = Left->IgnoreImplicit();
  if (auto B = binary(Left))
    return Outer{BinaryOperator::getOpcodeStr(B->Op).str(), B->Loc, sameMeaning(B->Op, Inner, isFloating(Left))};
  if (const auto *U = dyn_cast<UnaryOperator>(Left)) {
    bool Sign = U->getOpcode() == UO_Minus && (Inner == BO_Mul || Inner == BO_Div);
    return Outer{UnaryOperator::getOpcodeStr(U->getOpcode()).str(), U->getOperatorLoc(),
                 Sign || U->getOpcode() == UO_Plus || U->isPostfix()};
  }
  if (const auto *C = dyn_cast<CStyleCastExpr>(Left))
    return Outer{"(" + C->getTypeAsWritten().getAsString() + ")", C->getLParenLoc(),
                 castKeepsMeaning(C, C->getSubExpr(), Inner)};
  return std::nullopt;
}

/// What stands right of Inner and has swallowed its last operand.
std::optional<Outer> rightOuter(const Expr *Right) {
  Right = Right->IgnoreImplicit();
  if (auto B = binary(Right))
    return Outer{BinaryOperator::getOpcodeStr(B->Op).str(), B->Loc};
  if (const auto *S = dyn_cast<ArraySubscriptExpr>(Right))
    return Outer{"[]", S->getRBracketLoc()};
  if (const auto *M = dyn_cast<MemberExpr>(Right))
    return Outer{M->isArrow() ? "->" : ".", M->getMemberLoc()};
  return std::nullopt;
}

class PrecedenceVisitor : public DynamicRecursiveASTVisitor {
public:
  PrecedenceVisitor(RuleContext &Ctx, const MacroModel &Macros) : Ctx(Ctx), Macros(Macros), SM(Ctx.TU.sources()) {}

  bool VisitFunctionDecl(FunctionDecl *F) override {
    Function = F;
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override { return look(B); }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *C) override { return look(C); }
  bool VisitConditionalOperator(ConditionalOperator *C) override {
    if (C->getQuestionLoc().isMacroID())
      lookConditional(C);
    return true;
  }

private:
  bool look(const Expr *E) {
    auto B = binary(E);
    if (B && B->Loc.isMacroID() && (B->Op == BO_Add || B->Op == BO_Sub))
      lookForVanishing(*B);
    if (!B || !B->Loc.isMacroID() || BinaryOperator::isAssignmentOp(B->Op) || B->Op == BO_Comma)
      return true;
    Regions Op = regionsOf(SM, B->Loc), LeftEnd = regionsOf(SM, B->Left->getEndLoc()),
            RightBegin = regionsOf(SM, B->Right->getBeginLoc());
    for (const Region &R : Op) {
      // Bodies such as `+ 1` or `AND` are parts of an expression on purpose.
      if (!contains(LeftEnd, R) || !contains(RightBegin, R))
        continue;
      if (!contains(regionsOf(SM, B->Left->getBeginLoc()), R))
        if (auto O = leftOuter(B->Left, B->Op); O && !contains(regionsOf(SM, O->Loc), R))
          return report(R, *O, BinaryOperator::getOpcodeStr(B->Op), B->Loc);
      if (!contains(regionsOf(SM, B->Right->getEndLoc()), R))
        if (auto O = rightOuter(B->Right); O && !contains(regionsOf(SM, O->Loc), R))
          return report(R, *O, BinaryOperator::getOpcodeStr(B->Op), B->Loc);
    }
    return true;
  }

  /// `(n) + 31 / 32`, `(n) + TILE - 1 / TILE`: a quotient of constants that is zero is no term that anybody adds.
  void lookForVanishing(const Binary &Sum) {
    const auto *Q = dyn_cast<BinaryOperator>(Sum.Right->IgnoreImplicit()); // parentheses would say that it is meant
    if (!Q || Q->getOpcode() != BO_Div || !Q->getType()->isIntegerType() || Q->isValueDependent())
      return;
    Expr::EvalResult Part, Whole;
    if (!Q->getLHS()->EvaluateAsInt(Part, Ctx.TU.AST) || !Q->getRHS()->EvaluateAsInt(Whole, Ctx.TU.AST) || Part.Val.getInt() == 0 ||
        !Q->EvaluateKnownConstInt(Ctx.TU.AST).isZero())
      return;
    Regions InSum = regionsOf(SM, Sum.Loc);
    for (const Region &R : regionsOf(SM, Q->getOperatorLoc()))
      if (R.What == Region::Body && contains(InSum, R)) {
        report(R, {"/", Q->getOperatorLoc()}, BinaryOperator::getOpcodeStr(Sum.Op), Sum.Loc);
        return;
      }
  }

  void lookConditional(const ConditionalOperator *C) {
    Regions CondEnd = regionsOf(SM, C->getCond()->getEndLoc()), Else = regionsOf(SM, C->getFalseExpr()->getBeginLoc());
    for (const Region &R : regionsOf(SM, C->getQuestionLoc())) {
      if (!contains(CondEnd, R) || !contains(Else, R))
        continue;
      if (!contains(regionsOf(SM, C->getCond()->getBeginLoc()), R)) {
        // The outermost operator of the condition is the comparison of the macro; look below it.
        const Expr *Left = C->getCond()->IgnoreImplicit();
        while (auto B = binary(Left)) {
          if (!contains(regionsOf(SM, B->Loc), R)) {
            report(R, {BinaryOperator::getOpcodeStr(B->Op).str(), B->Loc}, "?:", C->getQuestionLoc());
            return;
          }
          Left = B->Left->IgnoreImplicit();
        }
      }
      if (!contains(regionsOf(SM, C->getFalseExpr()->getEndLoc()), R))
        if (auto O = rightOuter(C->getFalseExpr()); O && !contains(regionsOf(SM, O->Loc), R)) {
          report(R, *O, "?:", C->getQuestionLoc());
          return;
        }
    }
  }

  bool report(const Region &R, const Outer &O, StringRef Inner, SourceLocation At) {
    const DefinedMacro *Def = Macros.spelledIn(R.Inside);
    if (!Def || O.Harmless || !Reported.insert(Def->Info).second)
      return true;
    std::string Name = Def->Name->getName().str();
    std::string What = R.What == Region::Argument ? "its argument" : "its body";
    auto F = Ctx.report("macro_unparenthesised", placeOf(*Def),
                        "macro '" + Name + "' leaves " + What + " without parentheses, and a use is torn apart: '" +
                            O.Spelling + "' takes only a part of the expression around '" + Inner + "'");
    if (Function && Function->hasAttr<CUDAGlobalAttr>())
      F.kernel(Function);
    F.note(At, "'" + Name + "' is used here");
    if (auto X = parenthesise(*Def))
      F.fix(std::move(*X));
    return true;
  }

  /// Parentheses around every parameter and around the body.
  std::optional<Fix> parenthesise(const DefinedMacro &D) const {
    ArrayRef<Token> Body = D.Info->tokens();
    if (Body.empty())
      return std::nullopt;
    Fix X{"parenthesise '" + D.Name->getName().str() + "'", {}};
    auto Insert = [&](SourceLocation L, unsigned Skip, StringRef Text) {
      X.Edits.push_back({SM.getFilename(L).str(), SM.getFileOffset(L) + Skip, 0, Text.str()});
    };
    Insert(Body.front().getLocation(), 0, "(");
    for (size_t I = 0; I < Body.size(); ++I) {
      if (Body[I].isOneOf(tok::hash, tok::hashhash, tok::semi, tok::l_brace))
        return std::nullopt;
      const IdentifierInfo *II = Body[I].getIdentifierInfo();
      bool Wrapped = I > 0 && I + 1 < Body.size() && Body[I - 1].is(tok::l_paren) && Body[I + 1].is(tok::r_paren);
      if (!II || D.Info->getParameterNum(II) < 0 || Wrapped)
        continue;
      Insert(Body[I].getLocation(), 0, "(");
      Insert(Body[I].getLocation(), Body[I].getLength(), ")");
    }
    Insert(Body.back().getLocation(), Body.back().getLength(), ")");
    return X;
  }

  RuleContext &Ctx;
  const MacroModel &Macros;
  const SourceManager &SM;
  const FunctionDecl *Function = nullptr;
  llvm::SmallPtrSet<const MacroInfo *, 8> Reported;
};

/// `if (c) SWAP(a, b);` with a body of several statements: the condition covers the first alone.
class StatementVisitor : public DynamicRecursiveASTVisitor {
public:
  StatementVisitor(RuleContext &Ctx, const MacroModel &Macros) : Ctx(Ctx), Macros(Macros), SM(Ctx.TU.sources()) {}

  bool VisitCompoundStmt(CompoundStmt *S) override {
    const Stmt *Before = nullptr;
    for (const Stmt *Here : S->body()) {
      if (Before)
        look(Before, Here);
      Before = Here;
    }
    return true;
  }

private:
  static const Stmt *guarded(const Stmt *S) {
    if (const auto *I = dyn_cast<IfStmt>(S))
      return I->getElse() ? I->getElse() : I->getThen();
    if (const auto *F = dyn_cast<ForStmt>(S))
      return F->getBody();
    if (const auto *W = dyn_cast<WhileStmt>(S))
      return W->getBody();
    return nullptr;
  }

  void look(const Stmt *Control, const Stmt *Next) {
    const Stmt *Inner = guarded(Control);
    if (!Inner || isa<CompoundStmt, NullStmt>(Inner) || !Inner->getBeginLoc().isMacroID())
      return;
    Regions Outside = regionsOf(SM, Control->getBeginLoc()), After = regionsOf(SM, Next->getBeginLoc());
    for (const Region &R : regionsOf(SM, Inner->getBeginLoc())) {
      if (R.What != Region::Body || contains(Outside, R) || !contains(After, R) || isa<NullStmt>(Next))
        continue;
      if (const DefinedMacro *D = Macros.spelledIn(R.Inside); D && Reported.insert(D->Info).second)
        Ctx.report("macro_unparenthesised", SM.getExpansionLoc(Inner->getBeginLoc()),
                   "macro '" + D->Name->getName() + "' is several statements, and the condition or loop without braces covers only the first")
            .note(placeOf(*D), "'" + D->Name->getName() + "' is defined here");
      return;
    }
  }

  RuleContext &Ctx;
  const MacroModel &Macros;
  const SourceManager &SM;
  llvm::SmallPtrSet<const MacroInfo *, 8> Reported;
};

} // namespace

void kcheck::checkMacroPrecedence(RuleContext &Ctx, const MacroModel &Macros) {
  PrecedenceVisitor(Ctx, Macros).TraverseAST(Ctx.TU.AST);
  StatementVisitor(Ctx, Macros).TraverseAST(Ctx.TU.AST);
}
