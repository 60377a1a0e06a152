#include "matchers/Divisibility.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Constants.h"
#include "matchers/Vocabulary.h"
#include <numeric>

using namespace clang;
using namespace kcheck;

static constexpr unsigned MaxDepth = 24;
static constexpr unsigned MaxTerms = 64;
/// A block's size is taken to be whole warps: what is launched otherwise is a rule's business.
static constexpr uint64_t WarpMultiple = 32;

/// Of a mask such as `~size_t(3)`, 4; 0 where E is no constant or zero.
static uint64_t lowestBit(const Expr *E, const ASTContext &AST) {
  Expr::EvalResult R;
  if (E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType() || !E->EvaluateAsInt(R, AST) || R.Val.getInt().isZero())
    return 0;
  return uint64_t(1) << std::min(R.Val.getInt().countr_zero(), 63u);
}

static MultipleTerm sure(uint64_t Factor) { return {Factor, true, false, {}}; }
static MultipleTerm varying(uint64_t Factor) { return {Factor, true, true, {}}; }
static MultipleTerm unknown(uint64_t Factor) { return {Factor, false, false, {}}; }

static MultipleTerm join(MultipleTerm A, const MultipleTerm &B) {
  A.Factor = std::gcd(A.Factor, B.Factor);
  A.Sure &= B.Sure;
  A.Varies &= B.Varies;
  A.Symbols.append(B.Symbols.begin(), B.Symbols.end());
  return A;
}

/// A sum is no better than its worst summand, if that one varies or the other is a larger multiple.
static MultipleTerm add(const MultipleTerm &A, const MultipleTerm &B) {
  MultipleTerm S = join(A, B);
  auto Decides = [&](const MultipleTerm &X, const MultipleTerm &Other) {
    return X.Sure && X.Factor == S.Factor && (X.Varies || Other.Factor != S.Factor);
  };
  S.Sure |= Decides(A, B) || Decides(B, A);
  S.Varies = (A.Varies && A.Factor == S.Factor) || (B.Varies && B.Factor == S.Factor);
  return S;
}

MultipleTerm Divisibility::term(const Expr *E, unsigned Depth) const {
  E = E->IgnoreParenCasts();
  if (Depth > MaxDepth)
    return {};
  if (auto C = constantValue(E, AST))
    return sure(*C < 0 ? -*C : *C);
  if (auto B = builtinUse(E))
    return B->Which == IndexVar::BlockDim ? unknown(WarpMultiple)
           : B->Which == IndexVar::GridDim ? unknown(1)
                                           : varying(1);
  if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    return V ? variable(V, Depth + 1) : MultipleTerm{};
  }
  if (const auto *C = dyn_cast<ConditionalOperator>(E))
    return join(term(C->getTrueExpr(), Depth + 1), term(C->getFalseExpr(), Depth + 1));
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    std::string Name = calleeName(C);
    if ((Name == "min" || Name == "max") && C->getNumArgs() == 2)
      return join(term(C->getArg(0), Depth + 1), term(C->getArg(1), Depth + 1));
    return {};
  }
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (!B)
    return {};
  const Expr *L = B->getLHS(), *R = B->getRHS();
  auto C = constantValue(R, AST);
  switch (B->getOpcode()) {
  case BO_Add:
  case BO_Sub:
    return add(term(L, Depth + 1), term(R, Depth + 1));
  case BO_Mul: {
    MultipleTerm X = term(L, Depth + 1), Y = term(R, Depth + 1);
    bool BothSure = X.Sure && Y.Sure;
    X.Factor = std::min<uint64_t>(X.Factor, 1 << 20) * std::min<uint64_t>(Y.Factor, 1 << 20);
    X.Symbols.append(Y.Symbols.begin(), Y.Symbols.end());
    X.Varies = BothSure && (X.Varies || Y.Varies);
    X.Sure = BothSure;
    return X;
  }
  case BO_Shl:
    if (C && *C >= 0 && *C < 32) {
      MultipleTerm X = term(L, Depth + 1);
      X.Factor <<= *C;
      return X;
    }
    return {};
  case BO_Div:
  case BO_Shr: {
    MultipleTerm X = term(L, Depth + 1);
    uint64_t By = !C || *C <= 0 ? 0 : B->getOpcode() == BO_Div ? *C : *C < 32 ? uint64_t(1) << *C : 0;
    X.Factor = By && X.Factor % By == 0 ? X.Factor / By : 1;
    X.Sure &= By != 0;
    return X;
  }
  case BO_Rem:
    return C && *C > 0 ? join(term(L, Depth + 1), sure(*C)) : MultipleTerm{};
  case BO_And: {
    uint64_t Low = std::max(lowestBit(L, AST), lowestBit(R, AST));
    if (!Low)
      return {};
    MultipleTerm X = term(L, Depth + 1);
    X.Factor = std::max(X.Factor, Low);
    return X;
  }
  default:
    return {};
  }
}

MultipleTerm Divisibility::variable(const VarDecl *V, unsigned Depth) const {
  if (auto It = Cache.find(V); It != Cache.end())
    return It->second;
  if (!Active.insert(V).second)
    return sure(0);
  MultipleTerm T = valueOf(V, Depth);
  Active.erase(V);
  Cache[V] = T;
  return T;
}

MultipleTerm Divisibility::valueOf(const VarDecl *V, unsigned Depth) const {
  if (const auto *P = dyn_cast<ParmVarDecl>(V))
    return parameter(P, Depth);
  auto W = Writes.of(V);
  uint64_t Checked = checkedMultiple(V);
  if (W.empty() || Writes.addressTaken(V) || !V->isLocalVarDecl() || Depth > MaxDepth)
    return {Checked ? Checked : 1, false, false, {V}};
  std::optional<MultipleTerm> Sum;
  for (const VariableWrite &X : W) {
    MultipleTerm T;
    if (X.How == VariableWrite::Step)
      T = varying(1);
    else if (X.How != VariableWrite::Compound || X.Op == BO_AddAssign || X.Op == BO_SubAssign)
      T = term(X.Value, Depth + 4);
    Sum = Sum ? join(*Sum, T) : T;
  }
  if (Checked)
    Sum->Factor = std::lcm(Sum->Factor, Checked);
  return *Sum;
}

MultipleTerm Divisibility::parameter(const ParmVarDecl *P, unsigned Depth) const {
  MultipleTerm Unknown{1, false, false, {P}};
  if (uint64_t C = checkedMultiple(P))
    Unknown.Factor = C;
  const auto *F = dyn_cast<FunctionDecl>(P->getDeclContext());
  if (!F || Depth > 12 || !Writes.of(P).empty())
    return Unknown;
  std::optional<MultipleTerm> All;
  for (const CallSite &S : Calls.of(F)) {
    const Expr *A = CallSites::argument(S, P);
    if (!A || (S.Caller && S.Caller->getCanonicalDecl() == F->getCanonicalDecl()))
      return Unknown;
    MultipleTerm T = term(A, Depth + 6);
    All = All ? join(*All, T) : T;
  }
  if (!All)
    return Unknown;
  All->Factor = std::lcm(std::max<uint64_t>(All->Factor, 1), Unknown.Factor);
  if (!All->Sure)
    All->Symbols.push_back(P);
  return *All;
}

namespace {

const VarDecl *variableOf(const Expr *E) { return namedVariable(E->IgnoreParenCasts()); }

/// Looks for `V % c` or `V & (c - 1)` that is compared with zero, or negated.
class CheckFinder : public DynamicRecursiveASTVisitor {
public:
  CheckFinder(const VarDecl *V, const ASTContext &AST) : V(V), AST(AST) {}
  uint64_t Multiple = 0;

  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->isEqualityOp() || B->getOpcode() == BO_GT || B->getOpcode() == BO_LT) {
      auto C = constantValue(B->getRHS(), AST), D = constantValue(B->getLHS(), AST);
      if (C && *C == 0)
        look(B->getLHS());
      else if (D && *D == 0)
        look(B->getRHS());
    }
    if (B->isLogicalOp()) {
      look(B->getLHS());
      look(B->getRHS());
    }
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) override {
    if (U->getOpcode() == UO_LNot)
      look(U->getSubExpr());
    return true;
  }
  bool VisitIfStmt(IfStmt *S) override {
    look(S->getCond());
    return true;
  }

private:
  void look(const Expr *E) {
    const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
    if (!B)
      return;
    if (B->getOpcode() == BO_Or) { // (a | b) & 3, (a % 4 | b % 4)
      look(B->getLHS());
      look(B->getRHS());
      return;
    }
    bool Rem = B->getOpcode() == BO_Rem;
    auto C = constantValue(B->getRHS(), AST);
    if ((!Rem && B->getOpcode() != BO_And) || !C || *C <= 0 || !mentions(B->getLHS()))
      return;
    uint64_t M = Rem ? *C : *C + 1;
    if (Rem || (M & (M - 1)) == 0)
      Multiple = std::max(Multiple, M);
  }
  bool mentions(const Expr *E) const {
    E = E->IgnoreParenCasts();
    if (variableOf(E) == V)
      return true;
    const auto *B = dyn_cast<BinaryOperator>(E);
    return B && B->getOpcode() == BO_Or && (mentions(B->getLHS()) || mentions(B->getRHS()));
  }
  const VarDecl *V;
  const ASTContext &AST;
};

/// Looks for an address turned into an integer whose low bits are taken.
class AddressCheckFinder : public DynamicRecursiveASTVisitor {
public:
  bool Found = false;
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->getOpcode() == BO_Rem || B->getOpcode() == BO_And)
      Found |= fromPointer(B->getLHS());
    return !Found;
  }

private:
  static bool fromPointer(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (const auto *C = dyn_cast<ExplicitCastExpr>(E))
      return C->getSubExpr()->getType()->isPointerType() && C->getType()->isIntegerType();
    const auto *B = dyn_cast<BinaryOperator>(E);
    return B && (fromPointer(B->getLHS()) || fromPointer(B->getRHS()));
  }
};

bool checksAddressIn(const FunctionDecl *F) {
  AddressCheckFinder A;
  if (const Stmt *Body = definitionBody(F))
    A.TraverseStmt(const_cast<Stmt *>(Body));
  return A.Found;
}

} // namespace

uint64_t Divisibility::checkedMultiple(const VarDecl *V) const {
  const auto *F = dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod());
  const Stmt *Body = F ? definitionBody(F) : nullptr;
  if (!Body)
    return 0;
  CheckFinder Check(V, AST);
  Check.TraverseStmt(const_cast<Stmt *>(Body));
  return Check.Multiple;
}

bool Divisibility::checksAddress(const FunctionDecl *F) const {
  if (checksAddressIn(F))
    return true;
  return llvm::any_of(Calls.of(F), [](const CallSite &S) { return S.Caller && checksAddressIn(S.Caller); });
}

void Divisibility::addInteger(const Expr *E, uint64_t Scale, MultipleSum &Out, unsigned Depth) const {
  E = E->IgnoreParenCasts();
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (B && B->isAdditiveOp() && Depth < MaxDepth && !constantValue(E, AST)) {
    addInteger(B->getLHS(), Scale, Out, Depth + 1);
    addInteger(B->getRHS(), Scale, Out, Depth + 1);
    return;
  }
  if (const VarDecl *V = variableOf(E); V && Depth < MaxDepth && Out.Terms.size() < MaxTerms && !constantValue(E, AST))
    if (const Expr *Value = Writes.onlyValue(V); Value && !checkedMultiple(V))
      return addInteger(Value, Scale, Out, Depth + 1);
  MultipleTerm T = term(E, Depth);
  T.Factor *= Scale;
  Out.Terms.push_back(std::move(T));
}

/// Bytes of a T; 1 where that is not known.
static uint64_t sizeOf(QualType T, const ASTContext &AST) {
  return T.isNull() || T->isIncompleteType() || T->isDependentType() ? 1 : AST.getTypeSizeInChars(T).getQuantity();
}

static uint64_t pointeeSize(QualType T, const ASTContext &AST) { return sizeOf(T->isPointerType() ? T->getPointeeType() : QualType(), AST); }

void Divisibility::addAddress(const Expr *E, MultipleSum &Out, unsigned Depth) const {
  E = E->IgnoreParenCasts();
  if (Depth > MaxDepth) {
    Out.Known = false;
    return;
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
    bool Left = B->getLHS()->getType()->isPointerType();
    const Expr *Pointer = Left ? B->getLHS() : B->getRHS(), *Offset = Left ? B->getRHS() : B->getLHS();
    addAddress(Pointer, Out, Depth + 1);
    addInteger(Offset, pointeeSize(Pointer->getType(), AST), Out, Depth + 1);
    return;
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
    return addAddress(U->getSubExpr(), Out, Depth + 1);
  if (const auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    addAddress(S->getBase(), Out, Depth + 1);
    addInteger(S->getIdx(), sizeOf(S->getType(), AST), Out, Depth + 1);
    return;
  }
  const VarDecl *V = variableOf(E);
  if (!V) {
    Out.Known = false;
    return;
  }
  if (isa<ParmVarDecl>(V) || !V->getType()->isPointerType()) {
    Out.Base = V;
    for (const VariableWrite &W : Writes.of(V))
      if (W.How == VariableWrite::Compound && (W.Op == BO_AddAssign || W.Op == BO_SubAssign))
        addInteger(W.Value, pointeeSize(V->getType(), AST), Out, Depth + 1);
      else if (V->getType()->isPointerType())
        Out.Known = false;
    return;
  }
  const VariableWrite *First = nullptr;
  for (const VariableWrite &W : Writes.of(V)) {
    if (W.How == VariableWrite::Compound && (W.Op == BO_AddAssign || W.Op == BO_SubAssign))
      addInteger(W.Value, pointeeSize(V->getType(), AST), Out, Depth + 1);
    else if (W.How <= VariableWrite::Assign && !First)
      First = &W;
    else
      Out.Known = false;
  }
  if (!First || Writes.addressTaken(V)) {
    Out.Known = false;
    return;
  }
  addAddress(First->Value, Out, Depth + 1);
}

MultipleSum Divisibility::ofInteger(const Expr *E) const {
  MultipleSum S;
  addInteger(E, 1, S, 0);
  return S;
}

MultipleSum Divisibility::ofAddress(const Expr *E) const {
  MultipleSum S;
  addAddress(E, S, 0);
  return S;
}
