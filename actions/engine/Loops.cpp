#include "actions/engine/Loops.h"

using namespace clang;
using namespace kcheck;

CountedLoop kcheck::countedLoop(const ActionContext &Ctx, const ForStmt *F) {
  CountedLoop C;
  C.Loop = F;
  const VarDecl *V = loopCounter(F);
  if (!V) {
    C.WhyNot = "the loop declares no single integer counter";
    return C;
  }
  const auto *Cond = F->getCond() ? dyn_cast<BinaryOperator>(F->getCond()->IgnoreParenImpCasts()) : nullptr;
  if (!Cond || !(Cond->getOpcode() == BO_LT || Cond->getOpcode() == BO_LE) || !refersTo(Cond->getLHS(), V)) {
    C.WhyNot = "the loop's test is not of the form " + V->getNameAsString() + " < bound";
    return C;
  }
  const Expr *Step = nullptr;
  bool Counts = false;
  if (const auto *U = dyn_cast_or_null<UnaryOperator>(F->getInc()))
    Counts = U->isIncrementOp() && refersTo(U->getSubExpr(), V);
  else if (const auto *B = dyn_cast_or_null<BinaryOperator>(F->getInc()); B && B->getOpcode() == BO_AddAssign && refersTo(B->getLHS(), V)) {
    Counts = true;
    Step = B->getRHS();
  }
  if (!Counts) {
    C.WhyNot = "the loop's counter does not count up by a step";
    return C;
  }
  // The counter is written by the loop's head alone, and its bound stays.
  llvm::DenseSet<const ValueDecl *> Bound = namedIn(Cond->getRHS());
  for (const ValueDecl *D : Step ? namedIn(Step) : llvm::DenseSet<const ValueDecl *>())
    Bound.insert(D);
  std::string Fault;
  forEachStmt(F->getBody(), [&](const Stmt *S) {
    const Expr *Written = nullptr;
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
      Written = B->getLHS();
    if (const auto *U = dyn_cast<UnaryOperator>(S); U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf))
      Written = U->getSubExpr();
    const ValueDecl *D = Written ? referredTo(Written) : nullptr;
    if (D == V)
      Fault = "the body changes the counter " + V->getNameAsString();
    else if (D && Bound.count(D))
      Fault = "the body changes " + D->getNameAsString() + ", on which the loop's bound rests";
  });
  if (!Fault.empty()) {
    C.WhyNot = Fault;
    return C;
  }
  C.Variable = V;
  C.Low = V->getInit();
  C.High = Cond->getRHS();
  C.Step = Step;
  C.Inclusive = Cond->getOpcode() == BO_LE;
  auto Low = Ctx.constant(C.Low), High = Ctx.constant(C.High);
  auto By = Step ? Ctx.constant(Step) : std::optional<int64_t>(1);
  if (Low && High && By && *By > 0)
    C.Trips = std::max<int64_t>(0, (*High - *Low + C.Inclusive + *By - 1) / *By);
  return C;
}

const VarDecl *kcheck::loopCounter(const ForStmt *F) {
  const auto *Init = dyn_cast_or_null<DeclStmt>(F->getInit());
  const auto *V = Init && Init->isSingleDecl() ? dyn_cast<VarDecl>(Init->getSingleDecl()) : nullptr;
  return V && V->getInit() && V->getType()->isIntegerType() ? V : nullptr;
}

bool kcheck::leavesAlone(const Stmt *Body, const VarDecl *V) {
  bool Changed = false;
  forEachStmt(Body, [&](const Stmt *S) {
    const auto *B = dyn_cast<BinaryOperator>(S);
    const auto *U = dyn_cast<UnaryOperator>(S);
    Changed |= (B && B->isAssignmentOp() && refersTo(B->getLHS(), V)) || (U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf) && refersTo(U->getSubExpr(), V));
  });
  return !Changed;
}

/// E where Counter has this value.
static std::optional<int64_t> valueAt(const ActionContext &Ctx, const Expr *E, const VarDecl *Counter, int64_t Value) {
  E = E->IgnoreParenImpCasts();
  if (refersTo(E, Counter))
    return Value;
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || !B->getType()->isIntegerType())
    return Ctx.constant(E);
  auto L = valueAt(Ctx, B->getLHS(), Counter, Value), R = valueAt(Ctx, B->getRHS(), Counter, Value);
  if (!L || !R)
    return std::nullopt;
  bool Small = *R >= 0 && *R < 31;
  switch (B->getOpcode()) {
  case BO_Add: return *L + *R;
  case BO_Sub: return *L - *R;
  case BO_Mul: return *L * *R;
  case BO_Div: return *R ? std::optional(*L / *R) : std::nullopt;
  case BO_Shl: return Small ? std::optional(*L << *R) : std::nullopt;
  case BO_Shr: return Small ? std::optional(*L >> *R) : std::nullopt;
  case BO_LT: return *L < *R;
  case BO_LE: return *L <= *R;
  case BO_GT: return *L > *R;
  case BO_GE: return *L >= *R;
  case BO_NE: return *L != *R;
  case BO_LAnd: return *L && *R;
  default: return std::nullopt;
  }
}

/// The counter behind one step from Value.
static std::optional<int64_t> stepped(const ActionContext &Ctx, const Expr *Step, const VarDecl *Counter, int64_t Value) {
  if (const auto *U = dyn_cast<UnaryOperator>(Step->IgnoreParens()); U && U->isIncrementDecrementOp() && refersTo(U->getSubExpr(), Counter))
    return Value + (U->isIncrementOp() ? 1 : -1);
  const auto *B = dyn_cast<BinaryOperator>(Step->IgnoreParens());
  if (!B || !B->isAssignmentOp() || !refersTo(B->getLHS(), Counter))
    return std::nullopt;
  auto By = valueAt(Ctx, B->getRHS(), Counter, Value);
  if (!By)
    return std::nullopt;
  const bool Small = *By >= 0 && *By < 31;
  switch (B->getOpcode()) {
  case BO_Assign: return By;
  case BO_AddAssign: return Value + *By;
  case BO_SubAssign: return Value - *By;
  case BO_MulAssign: return Value * *By;
  case BO_DivAssign: return *By ? std::optional(Value / *By) : std::nullopt;
  case BO_ShlAssign: return Small ? std::optional(Value << *By) : std::nullopt;
  case BO_ShrAssign: return Small ? std::optional(Value >> *By) : std::nullopt;
  default: return std::nullopt;
  }
}

std::optional<int64_t> kcheck::constantTrips(const ActionContext &Ctx, const ForStmt *F) {
  const VarDecl *V = loopCounter(F);
  auto Value = V ? Ctx.constant(V->getInit()) : std::nullopt;
  if (!Value || !F->getCond() || !F->getInc() || !leavesAlone(F->getBody(), V))
    return std::nullopt;
  constexpr int64_t Most = 256, Large = int64_t(1) << 30; // within the counter's own range: no wrap to follow
  for (int64_t Trips = 0; Trips < Most; ++Trips) {
    auto Goes = valueAt(Ctx, F->getCond(), V, *Value);
    if (!Goes)
      return std::nullopt;
    if (!*Goes)
      return Trips;
    Value = stepped(Ctx, F->getInc(), V, *Value);
    if (!Value || *Value < (V->getType()->isUnsignedIntegerType() ? 0 : -Large) || *Value > Large)
      return std::nullopt;
  }
  return std::nullopt;
}

static void loops(const Stmt *S, unsigned Depth, llvm::function_ref<void(const ForStmt *, unsigned)> F) {
  if (!S)
    return;
  const auto *Loop = dyn_cast<ForStmt>(S);
  if (Loop)
    F(Loop, Depth);
  for (const Stmt *C : S->children())
    loops(C, Depth + (Loop != nullptr), F);
}

void kcheck::forEachLoop(const Stmt *S, llvm::function_ref<void(const ForStmt *, unsigned)> F) { loops(S, 0, F); }

std::optional<std::pair<unsigned, unsigned>> kcheck::unrollPragmaBefore(const ActionContext &Ctx, unsigned Offset) {
  StringRef Before = Ctx.Text.take_front(Offset).rtrim(" \t");
  if (!Before.consume_back("\n"))
    return std::nullopt;
  size_t Line = Before.rfind('\n');
  Line = Line == StringRef::npos ? 0 : Line + 1;
  StringRef L = Before.substr(Line).trim();
  if (!L.consume_front("#") || !L.ltrim().consume_front("pragma"))
    return std::nullopt;
  L = L.ltrim().drop_front(6).ltrim();
  if (!L.starts_with("unroll") && !L.starts_with("nounroll"))
    return std::nullopt;
  return std::pair{unsigned(Line), unsigned(Before.size())};
}
