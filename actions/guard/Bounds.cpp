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

/// A check in force, and the variables that it speaks of: a write to one of them ends it.
struct HeldCheck {
  BoundAtom Atom;
  llvm::SmallDenseSet<const VarDecl *, 4> Of;
  bool Over = false;
};

class BoundsFinder {
public:
  BoundsFinder(ActionContext &Ctx, const FunctionDecl *K) : Ctx(Ctx), Kernel(K), Writes(Ctx.get<VariableWrites>()) {}
  std::map<unsigned, std::vector<BoundAtom>> Out;

  std::string canonical(const Expr *E) {
    Exact = true;
    return text(poly(E, true));
  }

  void statement(const Stmt *S) {
    if (!S)
      return;
    if (const auto *C = dyn_cast<CompoundStmt>(S)) {
      size_t Mark = Held.size();
      for (const Stmt *Child : C->body()) {
        statement(Child);
        if (const auto *I = dyn_cast<IfStmt>(Child)) {
          if (leaves(I->getThen()))
            condition(I->getCond(), false);
          else if (I->getElse() && leaves(I->getElse()))
            condition(I->getCond(), true);
        }
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
      writtenIn(F);
      if (F->getCond())
        expression(F->getCond());
      under(F->getCond(), true, [&] {
        statement(F->getBody());
        if (F->getInc())
          expression(F->getInc());
      });
      return;
    }
    if (const auto *D = dyn_cast<DoStmt>(S)) {
      doLoop(D);
      return;
    }
    if (const auto *W = dyn_cast<WhileStmt>(S)) {
      writtenIn(W);
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
    if (isa<ReturnStmt>(S) || isa<ContinueStmt>(S) || isa<BreakStmt>(S))
      return true;
    const auto *C = dyn_cast<CompoundStmt>(S);
    return C && !C->body_empty() && leaves(C->body_back());
  }

  /// What holds at the start of the body held before the loop and holds again by its condition, or no pass of it changes.
  void doLoop(const DoStmt *D) {
    size_t Mark = Held.size();
    std::vector<HeldCheck> Before = Held;
    writtenIn(D);
    condition(D->getCond(), true);
    for (size_t I = Mark; I < Held.size(); ++I)
      Held[I].Over |= llvm::none_of(Before, [&](const HeldCheck &H) { return !H.Over && H.Atom.Rest == Held[I].Atom.Rest && H.Atom.Constant <= Held[I].Atom.Constant; });
    statement(D->getBody());
    Held.resize(Mark);
    expression(D->getCond());
  }

  void write(const Expr *To) {
    if (const VarDecl *V = namedVariable(To))
      changed(V);
  }
  void changed(const VarDecl *V) {
    Changed.insert(V);
    for (HeldCheck &H : Held)
      H.Over |= H.Of.contains(V);
  }
  /// A loop comes back to its start with whatever it writes.
  void writtenIn(const Stmt *Loop) {
    forEachStmt(Loop, [&](const Stmt *S) {
      if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
        write(B->getLHS());
      else if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
        write(U->getSubExpr());
    });
  }

  /// The body of a function of this file is read where it is called, its parameters standing for the arguments.
  template <class Fn> void inside(const CallExpr *C, Fn Do) {
    constexpr unsigned MostDeep = 6, MostCalls = 200;
    const FunctionDecl *F = C->getDirectCallee();
    const Stmt *Body = F ? definitionBody(F) : nullptr;
    if (!Body || Calls.size() >= MostDeep || ++Followed > MostCalls || llvm::is_contained(Calls, Body) || !Ctx.SM.isWrittenInMainFile(Ctx.SM.getExpansionLoc(Body->getBeginLoc())))
      return;
    const FunctionDecl *Definition = F->getDefinition() ? F->getDefinition() : F;
    bool Operator = isa<CXXOperatorCallExpr>(C) && isa<CXXMethodDecl>(F);
    std::vector<std::pair<const ParmVarDecl *, const Expr *>> Was;
    for (unsigned I = 0; I < Definition->getNumParams() && I + Operator < C->getNumArgs(); ++I) {
      const ParmVarDecl *P = Definition->getParamDecl(I);
      Was.push_back({P, Arguments.lookup(P)});
      Arguments[P] = C->getArg(I + Operator);
    }
    Calls.push_back(Body);
    Do(Body);
    Calls.pop_back();
    for (auto [P, A] : Was)
      Arguments[P] = A;
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
    if (const auto *C = dyn_cast<CallExpr>(Cond)) {
      inside(C, [&](const Stmt *Body) {
        const auto *Block = dyn_cast<CompoundStmt>(Body);
        const auto *Return = Block && Block->size() == 1 ? dyn_cast<ReturnStmt>(Block->body_front()) : nullptr;
        if (Return && Return->getRetValue())
          condition(Return->getRetValue(), Side);
      });
      return;
    }
    const auto *B = dyn_cast<BinaryOperator>(Cond);
    if (!B)
      return;
    bool Bits = (B->getOpcode() == BO_And || B->getOpcode() == BO_Or) && truth(B->getLHS()) && truth(B->getRHS());
    if (B->getOpcode() == (Side ? BO_LAnd : BO_LOr) || (Bits && B->getOpcode() == (Side ? BO_And : BO_Or))) {
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
    Named.clear();
    Poly P = add(poly(High, false), poly(Low, true), -1);
    int64_t Constant = P[""] - Strict;
    P.erase("");
    Held.push_back({{text(P), Constant, Ctx.text(B->getSourceRange()), Ctx.TU.where(B->getBeginLoc()).Line}, Named});
  }

  static bool truth(const Expr *E) {
    return E->IgnoreParenImpCasts()->getType()->isBooleanType();
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
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAssignmentOp())
      write(B->getLHS());
    else if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->isIncrementDecrementOp())
      write(U->getSubExpr());
    if (const auto *C = dyn_cast<CallExpr>(E))
      inside(C, [&](const Stmt *Body) { statement(Body); });
  }

  void access(const Expr *Base) {
    const ParmVarDecl *P = parameter(Base, 0);
    if (!P)
      return;
    auto [It, New] = Out.try_emplace(P->getFunctionScopeIndex());
    if (New)
      for (const HeldCheck &H : Held)
        if (!H.Over)
          It->second.push_back(H.Atom);
    std::erase_if(It->second, [&](const BoundAtom &A) {
      return llvm::none_of(Held, [&](const HeldCheck &H) { return !H.Over && H.Atom.Rest == A.Rest && H.Atom.Constant <= A.Constant; });
    });
  }

  const ParmVarDecl *parameter(const Expr *E, unsigned Depth) {
    E = Writes.resolve(E);
    if (!E || Depth > 16)
      return nullptr;
    if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      const auto *P = dyn_cast<ParmVarDecl>(D->getDecl());
      if (const Expr *Argument = P ? Arguments.lookup(P) : nullptr)
        return parameter(Argument, Depth + 1);
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

  /// Index: a variable that was changed stands for where it started, as the counter of a loop does. On the other side of a check that would
  /// hide a bound that was raised, so there it is a name of its own.
  Poly poly(const Expr *E, bool Index, unsigned Depth = 0) {
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
          return add(poly(B->getLHS(), Index, Depth + 1), poly(B->getRHS(), Index == (B->getOpcode() == BO_Add), Depth + 1), B->getOpcode() == BO_Add ? 1 : -1);
        if (B->getOpcode() == BO_Mul)
          return multiply(poly(B->getLHS(), Index, Depth + 1), poly(B->getRHS(), Index, Depth + 1));
        return {{"(" + text(poly(B->getLHS(), Index, Depth + 1)) + " " + B->getOpcodeStr().str() + " " + text(poly(B->getRHS(), Index, Depth + 1)) + ")", 1}};
      }
      if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Minus)
        return add({}, poly(U->getSubExpr(), !Index, Depth + 1), -1);
      if (const auto *D = dyn_cast<DeclRefExpr>(E))
        return variable(D, Index, Depth);
    }
    std::string Words;
    for (char C : Ctx.text(E->getSourceRange()))
      if (!isspace(static_cast<unsigned char>(C)))
        Words += C == '*' ? '.' : C;
    return {{Words, 1}};
  }

  Poly variable(const DeclRefExpr *D, bool Index, unsigned Depth) {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    if (V)
      Named.insert(V);
    bool Other = V && (Exact ? Writes.addressTaken(V) || Writes.of(V).size() > !isa<ParmVarDecl>(V) : !Index && Changed.contains(V));
    std::string Mark = Other ? "'" : "";
    if (const auto *P = dyn_cast_or_null<ParmVarDecl>(V)) {
      if (const Expr *Argument = Arguments.lookup(P); Argument && Mark.empty())
        return poly(Argument, Index, Depth + 1);
      return {{"$" + std::to_string(P->getFunctionScopeIndex()) + Mark, 1}};
    }
    if (V && V->isLocalVarDecl() && V->getInit() && V->getType()->isIntegerType()) {
      if (Mark.empty())
        return poly(V->getInit(), Index, Depth + 1);
      return {{"(" + text(poly(V->getInit(), true, Depth + 1)) + ")'", 1}}; // by where it starts, not by its name
    }
    return {{D->getDecl()->getQualifiedNameAsString(), 1}};
  }

  ActionContext &Ctx;
  const FunctionDecl *Kernel;
  VariableWrites &Writes;
  std::vector<HeldCheck> Held;
  llvm::SmallDenseSet<const VarDecl *, 4> Named; ///< by the check that is read
  llvm::DenseSet<const VarDecl *> Changed;       ///< written since they began
  llvm::DenseMap<const ParmVarDecl *, const Expr *> Arguments; ///< of the calls that are followed
  std::vector<const Stmt *> Calls;
  unsigned Followed = 0;
  bool Exact = false; ///< a variable with several values stands for itself
};

} // namespace

std::string kcheck::canonicalText(ActionContext &Ctx, const FunctionDecl *In, const Expr *E) { return BoundsFinder(Ctx, In).canonical(E); }

std::map<unsigned, std::vector<BoundAtom>> kcheck::boundsOf(ActionContext &Ctx, const FunctionDecl *Kernel) {
  BoundsFinder F(Ctx, Kernel);
  F.statement(Kernel->getBody());
  return std::move(F.Out);
}
