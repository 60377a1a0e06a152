#include "actions/guard/Bounds.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace clang;
using namespace kcheck;

namespace {

/// A polynomial over canonical names; the empty name is the constant.
using Poly = std::map<std::string, int64_t>;

Poly add(Poly A, const Poly &B, int64_t Scale = 1) {
  for (auto &[M, C] : B)
    A[M] += C * Scale;
  std::erase_if(A, [](auto &E) { return E.second == 0; });
  return A;
}

std::string product(const std::string &A, const std::string &B) {
  if (A.empty() || B.empty())
    return A + B;
  SmallVector<StringRef, 8> Parts;
  StringRef(A).split(Parts, '*');
  StringRef(B).split(Parts, '*');
  std::sort(Parts.begin(), Parts.end());
  return llvm::join(Parts, "*");
}

Poly multiply(const Poly &A, const Poly &B) {
  Poly R;
  for (auto &[M, C] : A)
    for (auto &[N, D] : B)
      R = add(std::move(R), {{product(M, N), C * D}});
  return R;
}

std::string text(const Poly &P) {
  std::string S;
  for (auto &[M, C] : P)
    S += (S.empty() ? "" : " + ") + std::to_string(C) + (M.empty() ? "" : " " + M);
  return S.empty() ? "0" : S;
}

class BoundsFinder {
public:
  BoundsFinder(ActionContext &Ctx, const FunctionDecl *K) : Ctx(Ctx), Kernel(K), Writes(Ctx.get<VariableWrites>()) {}
  std::map<unsigned, std::vector<BoundAtom>> Out;

  void statement(const Stmt *S) {
    if (!S)
      return;
    if (const auto *C = dyn_cast<CompoundStmt>(S)) {
      size_t Mark = Held.size();
      for (const Stmt *Child : C->body()) {
        statement(Child);
        if (const auto *I = dyn_cast<IfStmt>(Child); I && !I->getElse() && leaves(I->getThen()))
          condition(I->getCond(), false);
      }
      Held.resize(Mark);
      return;
    }
    if (const auto *I = dyn_cast<IfStmt>(S)) {
      statement(I->getInit());
      expression(I->getCond());
      under(I->getCond(), true, [&] { statement(I->getThen()); });
      under(I->getCond(), false, [&] { statement(I->getElse()); });
      return;
    }
    if (const auto *F = dyn_cast<ForStmt>(S)) {
      statement(F->getInit());
      if (F->getCond())
        expression(F->getCond());
      under(F->getCond(), true, [&] {
        statement(F->getBody());
        if (F->getInc())
          expression(F->getInc());
      });
      return;
    }
    if (const auto *W = dyn_cast<WhileStmt>(S)) {
      expression(W->getCond());
      under(W->getCond(), true, [&] { statement(W->getBody()); });
      return;
    }
    if (const auto *E = dyn_cast<Expr>(S)) {
      expression(E);
      return;
    }
    if (const auto *D = dyn_cast<DeclStmt>(S)) {
      for (const Decl *X : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(X); V && V->getInit())
          expression(V->getInit());
      return;
    }
    for (const Stmt *Child : S->children())
      statement(Child);
  }

private:
  /// S always ends the thread's way through the code around it.
  static bool leaves(const Stmt *S) {
    if (isa<ReturnStmt>(S) || isa<ContinueStmt>(S))
      return true;
    const auto *C = dyn_cast<CompoundStmt>(S);
    return C && !C->body_empty() && leaves(C->body_back());
  }

  template <class Fn> void under(const Expr *Cond, bool Side, Fn Do) {
    size_t Mark = Held.size();
    if (Cond)
      condition(Cond, Side);
    Do();
    Held.resize(Mark);
  }

  /// Takes in what Cond says when it came out as Side.
  void condition(const Expr *Cond, bool Side) {
    Cond = Cond->IgnoreParenImpCasts();
    if (const auto *U = dyn_cast<UnaryOperator>(Cond); U && U->getOpcode() == UO_LNot)
      return condition(U->getSubExpr(), !Side);
    if (const auto *D = dyn_cast<DeclRefExpr>(Cond))
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
        if (const Expr *Value = Writes.onlyValue(V))
          return condition(Value, Side);
    const auto *B = dyn_cast<BinaryOperator>(Cond);
    if (!B)
      return;
    if (B->getOpcode() == (Side ? BO_LAnd : BO_LOr)) {
      condition(B->getLHS(), Side);
      condition(B->getRHS(), Side);
      return;
    }
    // as  High - Low - Strict >= 0
    const Expr *Low = B->getLHS(), *High = B->getRHS();
    BinaryOperatorKind Op = B->getOpcode();
    if (!B->isRelationalOp() || !Low->getType()->isIntegerType())
      return;
    if (Op == BO_GT || Op == BO_GE)
      std::swap(Low, High);
    bool Strict = Op == BO_LT || Op == BO_GT;
    if (!Side) {
      std::swap(Low, High);
      Strict = !Strict;
    }
    Poly P = add(poly(High), poly(Low), -1);
    int64_t Constant = P[""] - Strict;
    P.erase("");
    Held.push_back({text(P), Constant, Ctx.text(B->getSourceRange()), Ctx.TU.where(B->getBeginLoc()).Line});
  }

  void expression(const Expr *E) {
    if (!E)
      return;
    if (const auto *C = dyn_cast<ConditionalOperator>(E)) {
      expression(C->getCond());
      under(C->getCond(), true, [&] { expression(C->getTrueExpr()); });
      under(C->getCond(), false, [&] { expression(C->getFalseExpr()); });
      return;
    }
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && (B->getOpcode() == BO_LAnd || B->getOpcode() == BO_LOr)) {
      expression(B->getLHS());
      under(B->getLHS(), B->getOpcode() == BO_LAnd, [&] { expression(B->getRHS()); });
      return;
    }
    const Expr *Base = nullptr;
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
      Base = A->getBase();
    else if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
      Base = U->getSubExpr();
    else if (const auto *C = dyn_cast<CallExpr>(E); C && callKind(C) == CallKind::Atomic && C->getNumArgs())
      Base = C->getArg(0);
    if (Base)
      access(Base);
    for (const Stmt *Child : E->children())
      if (const auto *X = dyn_cast_or_null<Expr>(Child))
        expression(X);
  }

  void access(const Expr *Base) {
    const ParmVarDecl *P = parameter(Base, 0);
    if (!P)
      return;
    auto [It, New] = Out.try_emplace(P->getFunctionScopeIndex(), Held);
    if (!New)
      std::erase_if(It->second, [&](const BoundAtom &A) {
        return llvm::none_of(Held, [&](const BoundAtom &H) { return H.Rest == A.Rest && H.Constant <= A.Constant; });
      });
  }

  const ParmVarDecl *parameter(const Expr *E, unsigned Depth) {
    E = Writes.resolve(E);
    if (!E || Depth > 16)
      return nullptr;
    if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      const auto *P = dyn_cast<ParmVarDecl>(D->getDecl());
      return P && P->getDeclContext() == Kernel && P->getType()->isPointerType() ? P : nullptr;
    }
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
      const ParmVarDecl *P = parameter(B->getLHS(), Depth + 1);
      return P ? P : parameter(B->getRHS(), Depth + 1);
    }
    if (const auto *U = dyn_cast<UnaryOperator>(E); U && (U->getOpcode() == UO_AddrOf || U->isIncrementDecrementOp()))
      return parameter(U->getSubExpr(), Depth + 1);
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
      return parameter(A->getBase(), Depth + 1);
    return nullptr;
  }

  Poly poly(const Expr *E, unsigned Depth = 0) {
    if (auto C = Ctx.constant(E))
      return *C ? Poly{{"", *C}} : Poly{};
    E = E->IgnoreParenCasts();
    if (Depth < 24) {
      if (auto B = builtinUse(E)) {
        static constexpr const char *Names[] = {"tid", "bid", "bdim", "gdim", "warp"};
        return {{std::string(Names[unsigned(B->Which)]) + char('x' + B->Axis), 1}};
      }
      if (const auto *B = dyn_cast<BinaryOperator>(E)) {
        if (B->isAdditiveOp())
          return add(poly(B->getLHS(), Depth + 1), poly(B->getRHS(), Depth + 1), B->getOpcode() == BO_Add ? 1 : -1);
        if (B->getOpcode() == BO_Mul)
          return multiply(poly(B->getLHS(), Depth + 1), poly(B->getRHS(), Depth + 1));
        return {{"(" + text(poly(B->getLHS(), Depth + 1)) + " " + B->getOpcodeStr().str() + " " + text(poly(B->getRHS(), Depth + 1)) + ")", 1}};
      }
      if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Minus)
        return add({}, poly(U->getSubExpr(), Depth + 1), -1);
      if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
        if (const auto *P = dyn_cast<ParmVarDecl>(D->getDecl()))
          return {{"$" + std::to_string(P->getFunctionScopeIndex()), 1}};
        if (const auto *V = dyn_cast<VarDecl>(D->getDecl()); V && V->isLocalVarDecl() && V->getInit() && V->getType()->isIntegerType())
          return poly(V->getInit(), Depth + 1); // a counter stands for where it starts
        return {{D->getDecl()->getQualifiedNameAsString(), 1}};
      }
    }
    std::string Words;
    for (char C : Ctx.text(E->getSourceRange()))
      if (!isspace(static_cast<unsigned char>(C)))
        Words += C == '*' ? '.' : C;
    return {{Words, 1}};
  }

  ActionContext &Ctx;
  const FunctionDecl *Kernel;
  VariableWrites &Writes;
  std::vector<BoundAtom> Held;
};

} // namespace

std::map<unsigned, std::vector<BoundAtom>> kcheck::boundsOf(ActionContext &Ctx, const FunctionDecl *Kernel) {
  BoundsFinder F(Ctx, Kernel);
  F.statement(Kernel->getBody());
  return std::move(F.Out);
}
