#include "actions/engine/Loops.h"

using namespace clang;
using namespace kcheck;

CountedLoop kcheck::countedLoop(const ActionContext &Ctx, const ForStmt *F) {
  CountedLoop C;
  C.Loop = F;
  const auto *Init = dyn_cast_or_null<DeclStmt>(F->getInit());
  const auto *V = Init && Init->isSingleDecl() ? dyn_cast<VarDecl>(Init->getSingleDecl()) : nullptr;
  if (!V || !V->getInit() || !V->getType()->isIntegerType()) {
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
