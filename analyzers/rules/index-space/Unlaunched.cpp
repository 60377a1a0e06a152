//===- Unlaunched.cpp - index forms that are wrong in every launch -----------------===//
//
//   int i = threadIdx.x * blockDim.x + threadIdx.x;   // wrong_index_formula: blocks repeat one another
//   if (i < n) y[i] = x[i] - x[i - 1];                // missing_bounds_guard: thread 0 of block 0 is always there
//
// Sizes and launch are the callers' and not shown. What is said holds in whatever launch they choose, and is a doubt still: a
// pointer may point into a buffer, a grid may be of one block.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// What is known of guards without their sizes: which of them only turn away threads past some bound.
class UpperBounds {
public:
  explicit UpperBounds(const VariableWrites &Writes) : Writes(Writes) {}

  /// Does the access wait for nothing but that the thread's number is small enough?
  bool alone(const BlockRun &B, const Access &A) const {
    return A.LoopDepth == 0 && llvm::all_of(A.Path, [&](const Control &C) { return C.K == Control::Branch && C.Cond && is(C.Cond, C.Side == 0); }) &&
           llvm::all_of(B.Branches, [&](const Control &C) {
             const auto *If = dyn_cast<IfStmt>(C.S);
             return !C.Unknown || !If || !(leaves(If->getThen()) || leaves(If->getElse())) ||
                    (leaves(If->getThen()) && !If->getElse() && is(C.Cond, false));
           });
  }

private:
  /// \p Holds: `i < n`; else its opposite, `i >= n`.
  bool is(const Expr *Cond, bool Holds) const {
    const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
    if (!B)
      return false;
    if (B->isLogicalOp())
      return (B->getOpcode() == BO_LAnd) == Holds && is(B->getLHS(), Holds) && is(B->getRHS(), Holds);
    if (!B->isRelationalOp())
      return false;
    bool Less = B->getOpcode() == BO_LT || B->getOpcode() == BO_LE;
    bool LeftVaries = varies(B->getLHS()), RightVaries = varies(B->getRHS());
    return LeftVaries != RightVaries && (LeftVaries == Less) == Holds;
  }

  bool varies(const Expr *E) const {
    return findExpr(Writes.resolve(E), [&](const Expr *X) {
      auto U = builtinUse(X);
      if (U && (U->Which == IndexVar::ThreadIdx || U->Which == IndexVar::BlockIdx))
        return true;
      const auto *D = dyn_cast<DeclRefExpr>(X);
      const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
      if (!V || !V->isLocalVarDecl())
        return false;
      const Expr *Only = Writes.onlyValue(V);
      return !Only || varies(Only);
    });
  }

  static bool leaves(const Stmt *S) {
    if (const auto *C = dyn_cast_or_null<CompoundStmt>(S))
      return !C->body_empty() && leaves(C->body_back());
    return isa_and_nonnull<ReturnStmt>(S);
  }

  const VariableWrites &Writes;
};

class UnlaunchedCheck {
public:
  explicit UnlaunchedCheck(IndexReporter &R) : R(R), Guards(R.Ctx.get<VariableWrites>()) {}

  void run() {
    for (const LaunchSample &L : R.Model.assumed())
      if (L.Run->Assumed && !L.Run->OutOfFuel) {
        below(L);
        repeats(L);
      }
  }

private:
  void below(const LaunchSample &L) {
    const BlockRun &B = L.Run->Blocks.front();
    if (B.Index != std::array<unsigned, 3>{0, 0, 0})
      return;
    for (const Access &A : B.Accesses) {
      if (!ofCaller(A) || A.Offset.at(0) == Unk || A.Offset.at(0) >= 0 || !A.Who.May.test(0) || !Guards.alone(B, A) ||
          !R.once(L.Run->Kernel->getCanonicalDecl(), "below"))
        continue;
      R.Ctx.report("missing_bounds_guard", A.E->getExprLoc(),
                   llvm::formatv("thread 0 of block 0, which every launch has, accesses {0} {1} bytes before its start", A.Obj->Name, -A.Offset.at(0)).str())
          .kernel(L.Run->Kernel)
          .doubt();
    }
  }

  static bool ofCaller(const Access &A) {
    return A.E && A.Obj && A.Obj->Where == Space::Global && isa_and_nonnull<ParmVarDecl>(A.Obj->Decl) && !A.Offset.unknown() && A.Bytes;
  }

  /// Blocks that write one another's places, in launches of every usual shape.
  void repeats(const LaunchSample &L) {
    const KernelRun &Run = *L.Run;
    if (Run.Block[1] * Run.Block[2] * Run.Grid[1] * Run.Grid[2] != 1)
      return;
    const Access *Wrong = repeating(Run);
    if (!Wrong || R.said(Run.Kernel->getCanonicalDecl(), "collision"))
      return;
    for (auto [Block, Grid] : {std::pair<int64_t, int64_t>{32, 4}, {128, 16}, {1024, 2}}) {
      std::unique_ptr<KernelRun> Other = R.Model.tryShape(L, {Block, 1, 1}, {Grid, 1, 1});
      const Access *A = Other ? repeating(*Other) : nullptr;
      if (!A || A->E != Wrong->E)
        return;
    }
    const Expr *Formula = formulaOf(Wrong->E);
    R.once(Run.Kernel->getCanonicalDecl(), "collision");
    auto F = R.Ctx.report("wrong_index_formula", Formula ? Formula->getBeginLoc() : Wrong->E->getExprLoc(),
                          "in a grid of several blocks, threads of different blocks write the same places of " + Wrong->Obj->Name + ", whatever the block size");
    F.kernel(Run.Kernel).doubt();
    if (Formula)
      F.note(Wrong->E->getExprLoc(), "the write is here");
  }

  /// A write whose places in block 1 are some of block 0's, though the index tells blocks apart or spreads a block's threads by
  /// more than its size.
  const Access *repeating(const KernelRun &Run) {
    if (Run.Blocks.size() < 2 || Run.Blocks[1].Index != std::array<unsigned, 3>{1, 0, 0} || Run.Blocks[0].Fences || Run.threads() < 2)
      return nullptr;
    const BlockRun &Zero = Run.Blocks[0], &One = Run.Blocks[1];
    for (const Access &A : Zero.Accesses)
      for (const Access &B : One.Accesses) {
        if (A.E != B.E || A.Kind != AccessKind::Write || A.Obj != B.Obj || !ofCaller(A) || B.Offset.unknown() || A.Volatile ||
            !Guards.alone(Zero, A) || !Guards.alone(One, B) || A.Who.May.count() != Run.threads() || A.Value != Unk)
          continue;
        int64_t Step = stepOf(A.Offset, Run.threads()), Shift = B.Offset.at(0) - A.Offset.at(0);
        if (Step <= 0 || stepOf(B.Offset, Run.threads()) != Step)
          continue;
        bool Overlap = Shift % Step == 0 && std::abs(Shift / Step) < int64_t(Run.threads());
        bool Strides = Step == (int64_t(Run.threads()) + 1) * int64_t(A.Bytes);
        if (Overlap && (Shift != 0 || Strides))
          return &A;
      }
    return nullptr;
  }

  /// Bytes from each thread's place to the next one's; 0 where they are not evenly spread.
  static int64_t stepOf(const Lanes &Offset, unsigned N) {
    for (unsigned T = 0; T < N; ++T)
      if (Offset.at(T) == Unk || Offset.at(T) - Offset.at(0) != T * (Offset.at(1) - Offset.at(0)))
        return 0;
    return Offset.at(1) - Offset.at(0);
  }

  IndexReporter &R;
  UpperBounds Guards;
};

} // namespace

void kcheck::checkUnlaunched(IndexReporter &R) { UnlaunchedCheck(R).run(); }
