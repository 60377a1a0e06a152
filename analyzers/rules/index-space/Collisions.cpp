//===- Collisions.cpp - threads that do what another thread does ----------------===//
//
//   int i = threadIdx.x * blockDim.x + threadIdx.x;   // wrong_index_formula
//   for (; i < n; i += blockDim.x)                    // wrong_stride, in a grid of many blocks
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

/// `out[min(i, n - 1)]`: the threads to spare repeat what the last one does.
static bool clamped(const Expr *E) {
  const auto *S = dyn_cast<ArraySubscriptExpr>(E->IgnoreParenImpCasts());
  auto Clamps = [](const Expr *X) {
    if (const auto *C = dyn_cast<CallExpr>(X)) {
      const FunctionDecl *F = C->getDirectCallee();
      StringRef Name = F && F->getIdentifier() ? F->getName() : "";
      return Name == "min" || Name == "max" || Name == "clamp";
    }
    const auto *C = dyn_cast<ConditionalOperator>(X);
    const auto *Test = C ? dyn_cast<BinaryOperator>(C->getCond()->IgnoreParenImpCasts()) : nullptr;
    return Test && Test->isRelationalOp();
  };
  return findExpr(S ? S->getIdx() : E, Clamps, /*Through=*/true);
}

const Expr *kcheck::formulaOf(const Expr *Access) {
  const auto *S = dyn_cast<ArraySubscriptExpr>(Access->IgnoreParenImpCasts());
  const VarDecl *V = S ? namedVariable(S->getIdx()) : nullptr;
  auto NumbersThreads = [](const Expr *E) {
    auto B = builtinUse(E);
    return B && B->Which == IndexVar::ThreadIdx;
  };
  return V && V->isLocalVarDecl() && findExpr(V->getInit(), NumbersThreads) ? V->getInit() : nullptr;
}

static std::vector<Race> collidingWrites(RaceModel &Races, const LaunchSample &L) {
  const KernelRun &R = *L.Run;
  if (guessedShape(R) || llvm::any_of(R.Blocks, [](const BlockRun &B) { return B.Fences; }))
    return {};
  std::vector<Race> Colliding = Races.betweenBlocks(R);
  for (const BlockRun &B : R.Blocks)
    for (const Race &X : Races.inBlock(R, B))
      if (X.First->E == X.Second->E && X.First->Obj->Where == Space::Global)
        Colliding.push_back(X);
  auto Wraps = [](const BlockRun *B) { return B && !B->Overflows.empty(); }; // places of indices that left their type
  llvm::erase_if(Colliding, [&](const Race &X) {
    if (Wraps(X.FirstBlock) || Wraps(X.SecondBlock))
      return true;
    bool Same = X.First->E == X.Second->E;
    return (Same && X.Second->E && clamped(X.Second->E)) || X.First->Kind != AccessKind::Write || X.Second->Kind != AccessKind::Write ||
           !X.Second->E || X.First->Stored.Atomic || X.Second->Stored.Atomic || (!Same && X.First->Value != Unk && X.Second->Value != Unk);
  });
  return Colliding;
}

/// Blocks that differ along one axis write the very same places: no relation between sizes makes up for an index that leaves
/// the axis out.
static bool leavesOutAxis(const KernelRun &R, const Race &X) {
  unsigned Axes = 0;
  for (unsigned A = 0; A < 3; ++A)
    Axes += X.FirstBlock->Index[A] != X.SecondBlock->Index[A];
  bool Same = X.First->E == X.Second->E && X.First->Trips == X.Second->Trips && Axes == 1 && X.First->Who.Sure == X.Second->Who.Sure;
  for (unsigned T = 0; Same && T < R.threads(); ++T)
    Same = X.First->Offset.at(T) == X.Second->Offset.at(T);
  return Same;
}

static void checkCollision(IndexReporter &R, const LaunchSample &L, const Race &X) {
  const KernelRun &Run = *L.Run;
  // Many sizes are strides that callers choose so that nothing collides.
  if (L.Plan && L.Plan->Sizes > 6 && llvm::popcount(X.First->OffsetTaint.Params) > 1)
    return;
  unsigned Aligned = 0;
  auto Always = [&] { // every run of the launch is looked through: asked only where the answer counts
    return doAllAligned(R.Model, L, [&](const LaunchSample &M) {
      ++Aligned;
      return llvm::any_of(collidingWrites(R.Races, M), [&](const Race &Y) { return Y.Second->E == X.Second->E; });
    });
  };
  // One run at sizes of ours that fit the blocks is no more than a relation that they may break.
  if (hasManySizes(L) && (!Always() || (L.Step && Aligned < 2 && !leavesOutAxis(Run, X))))
    return;
  R.Collided.insert(Run.Kernel);
  bool Looped = X.First->LoopDepth && X.First->Trips != X.Second->Trips, Stride = Looped || X.First->E != X.Second->E;
  if (!R.once(X.Second->E, "collision") || !R.once(Run.Kernel->getCanonicalDecl(), "collision"))
    return;
  const Expr *Formula = Stride ? nullptr : formulaOf(X.Second->E);
  auto F = R.Ctx.report(Stride ? "wrong_stride" : "wrong_index_formula", Formula ? Formula->getBeginLoc() : X.Second->E->getExprLoc(),
                        llvm::formatv("thread {0} of block {1} and thread {2} of block {3} both write {4} at byte {5}{6}", X.FirstThread,
                                      blockText(X.FirstBlock), X.SecondThread, blockText(X.SecondBlock), X.First->Obj->Name, X.Offset, sizesText(L.Host)).str());
  F.kernel(Run.Kernel)
      .evidence("blocks", llvm::json::Array{blockText(X.FirstBlock), blockText(X.SecondBlock)})
      .evidence("threads", llvm::json::Array{int64_t(X.FirstThread), int64_t(X.SecondThread)})
      .evidence("offset", X.Offset);
  if (Formula)
    F.note(X.Second->E->getExprLoc(), "the write is here");
  if (X.First->E != X.Second->E)
    F.note(X.First->E->getExprLoc(), "the other write is here");
  if (!X.Sure || !isPlanned(L) || !(hasFewSizes(L) || leavesOutAxis(Run, X)) || !Always())
    F.doubt();
}

void kcheck::checkCollisions(IndexReporter &R) {
  for (const LaunchSample *L : R.Model.runs())
    for (const Race &X : collidingWrites(R.Races, *L))
      checkCollision(R, *L, X);
}

static void reportStride(IndexReporter &R, const LaunchSample &L, const BlockRun &B, const CountingLoop &C, unsigned T, unsigned U,
                         const BlockRun &Other, int64_t Step) {
  if (!R.once(C.Loop, "stride"))
    return;
  auto F = R.Ctx.report("wrong_stride", C.Loop->getBeginLoc(),
                        llvm::formatv("the loop steps by {0}: the second trip of thread {1} of block {2} repeats the first of thread {3} of block {4}{5}", Step,
                                      T, blockText(&B), U, blockText(&Other), sizesText(L.Host)).str());
  F.kernel(L.Run->Kernel).evidence("step", Step);
  if (!isPlanned(L))
    F.doubt();
}

/// Distinct starts, one apart, and a step that lands on another thread's start.
static void checkStride(IndexReporter &R, const LaunchSample &L, const BlockRun &B, const CountingLoop &C) {
  const KernelRun &Run = *L.Run;
  if (C.Depth != 1 || C.Second.unknown() || !C.Sure.any() || Run.Block[1] * Run.Block[2] != 1)
    return;
  unsigned N = Run.threads(), First = unsigned(C.Sure.lowest()), Count = C.Sure.count();
  if (Count < 2)
    return;
  for (unsigned I = First; I < First + Count && I < N; ++I)
    if (!C.Sure.test(I) || C.First.at(I) == Unk || C.First.at(I) != C.First.at(First) + int64_t(I - First))
      return;
  int64_t Step = C.Second.at(First) == Unk ? 0 : C.Second.at(First) - C.First.at(First);
  if (Step <= 1)
    return;
  if (Step < int64_t(Count) && Count == N) {
    reportStride(R, L, B, C, First, unsigned(First + Step), B, Step);
    return;
  }
  if (Step != int64_t(N))
    return;
  for (const BlockRun &Other : Run.Blocks)
    for (const CountingLoop &D : Other.Counting)
      if (&Other != &B && D.Loop == C.Loop && Other.Index[1] == B.Index[1] && Other.Index[2] == B.Index[2] && D.Sure.test(First) &&
          D.First.at(First) == C.Second.at(First))
        reportStride(R, L, B, C, First, First, Other, Step);
}

void kcheck::checkStrides(IndexReporter &R) {
  for (const LaunchSample *L : R.Model.runs())
    if (L->Step && !L->Run->OutOfFuel)
      for (const BlockRun &B : L->Run->Blocks)
        for (const CountingLoop &C : B.Counting)
          checkStride(R, *L, B, C);
}
