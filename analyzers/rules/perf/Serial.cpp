//===- Serial.cpp - work that only one thread at a time can do ---------------------===//
//
//   if (threadIdx.x == 0) for (t = 0; t < 256; ++t) total += sh[t];       serial_reduction
//   atomicAdd(loss, d);          from every thread                         atomic_hot_spot
//
//===--------------------------------------------------------------------------===//
#include "Perf.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/MapVector.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;
using namespace kcheck::perf;

/// The old value of an atomic is used: it orders or places something, and no block sum can replace it.
static bool isUsed(const Expr *E, ASTContext &Ctx) {
  auto Parents = Ctx.getParents(*E);
  if (Parents.empty())
    return true;
  if (const auto *X = Parents[0].get<Expr>())
    return isa<ExprWithCleanups, ParenExpr>(X) ? isUsed(X, Ctx) : true;
  return !Parents[0].get<Stmt>();
}

/// A call decides whether the thread takes part: perhaps the rank in a group that the reduction formed.
static bool onCall(const Access &A) {
  auto Calls = [](auto &Self, const Stmt *S) -> bool {
    if (!S || (isa<Expr>(S) && builtinUse(cast<Expr>(S))))
      return false;
    if (isa<CallExpr>(S) && !isa<CXXOperatorCallExpr>(S))
      return true;
    return llvm::any_of(S->children(), [&](const Stmt *C) { return Self(Self, C); });
  };
  for (const Control &C : A.Path) {
    if (C.K != Control::Loop && Calls(Calls, C.Cond))
      return true;
    // through a variable
    if (const auto *B = dyn_cast_or_null<BinaryOperator>(C.Cond ? C.Cond->IgnoreParenImpCasts() : nullptr))
      if (const auto *D = dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParenImpCasts()))
        if (const auto *V = dyn_cast<VarDecl>(D->getDecl()); V && V->getInit() && V->getType()->isIntegerType() && Calls(Calls, V->getInit()))
          return true;
  }
  return false;
}

/// `atomicOr(&moved, 1)`: a flag that any thread may raise, once more or less.
static bool raisesFlag(const Expr *E, const ASTContext &AST) {
  const auto *C = dyn_cast<CallExpr>(E);
  std::string Name = C ? calleeName(C) : "";
  bool Same = Name == "atomicOr" || Name == "atomicAnd" || Name == "atomicExch" || Name == "atomicMax" || Name == "atomicMin" || Name == "atomicCAS";
  return Same && C->getNumArgs() > 1 && !C->getArg(1)->isValueDependent() && C->getArg(1)->isEvaluatable(AST);
}

void perf::checkAtomics(RuleContext &Ctx, const Subject &S) {
  const KernelRun &R = *S.Run;
  unsigned N = R.threads();
  if (R.Blocks.empty() || N < 64)
    return;
  for (const Access &A : R.Blocks.front().Accesses) {
    if (A.Kind != AccessKind::Atomic || !A.Obj || !visible(Ctx, A) || A.Offset.unknown() || A.Offset.uniformValue(N) == Unk)
      continue;
    // Most threads of their warps, not those that a reduction chose.
    unsigned Threads = A.Who.May.count(), Warps = 0;
    for (unsigned W = 0; W * 32 < N; ++W)
      Warps += A.Who.May.warp(W) != 0;
    if (Threads < 64 || Threads < 16 * Warps || A.OffsetTaint.V > Vary::Block || !isa<CallExpr>(A.E) || isUsed(A.E, Ctx.TU.AST) || onCall(A) ||
        raisesFlag(A.E, Ctx.TU.AST))
      continue;
    Ctx.report("atomic_hot_spot", A.E->getBeginLoc(),
               std::to_string(Threads) + " threads of a block update the same address of '" + A.Obj->Name + "'" +
                   (A.LoopDepth > 0 ? " in every trip of the loop" : "") + "; add up in registers and the block first, then once a block")
        .kernel(S.Kernel)
        .evidence("threads", int64_t(Threads));
    return;
  }
}

namespace {
/// Do several threads of a block read it at other sizes? Then the sizes leave the others without work here.
bool isSharedElsewhere(RuleContext &Ctx, const FunctionDecl *Kernel, const Expr *E) {
  return llvm::any_of(Ctx.get<LaunchModel>().runs(), [&](const LaunchSample *L) {
    return L->Run->Kernel == Kernel && llvm::any_of(L->Run->Blocks, [&](const BlockRun &B) {
             return llvm::any_of(B.Accesses, [&](const Access &A) { return A.E == E && A.Who.May.count() > 1; });
           });
  });
}

/// Which elements one expression reads, when one thread alone does.
struct Scan {
  const Access *A = nullptr;
  int64_t Low = INT64_MAX, High = INT64_MIN;
  unsigned Interval = 0;
  bool Lone = true; ///< one thread alone, between the same two barriers
};
} // namespace

void perf::checkSerial(RuleContext &Ctx, const Subject &S) {
  constexpr int64_t Many = 64, ManyForALaunch = 1024;
  const KernelRun &R = *S.Run;
  unsigned N = R.threads();
  bool Single = N == 1 && R.blocks() == 1;
  if (R.Blocks.empty() || (N < 64 && !Single))
    return;
  llvm::MapVector<const Expr *, Scan> ByExpr;
  for (const Access &A : R.Blocks.front().Accesses) {
    if (A.Kind != AccessKind::Read || A.LoopDepth == 0 || !A.Obj || !(isGlobal(A.Obj) || isShared(A.Obj)) || !A.Bytes ||
        A.OffsetTaint.Data || !visible(Ctx, A))
      continue;
    Scan &X = ByExpr[A.E];
    if (!X.A)
      X.Interval = A.Interval;
    X.A = &A;
    if (A.Who.May.count() != 1 || A.Interval != X.Interval) {
      X.Lone = false;
      continue;
    }
    if (int64_t O = A.Offset.at(unsigned(A.Who.May.lowest())); O != Unk) {
      X.Low = std::min(X.Low, O);
      X.High = std::max(X.High, O);
    }
  }
  for (auto &[E, X] : ByExpr) {
    if (!X.Lone || X.Low > X.High)
      continue;
    int64_t Elements = (X.High - X.Low) / int64_t(X.A->Bytes) + 1;
    // Of shared memory a value of every other thread at least: a few counters are soon added up.
    if (Elements < (Single ? ManyForALaunch : Many) || (!Single && isShared(X.A->Obj) && Elements * 2 < int64_t(N)) ||
        isSharedElsewhere(Ctx, R.Kernel, E))
      continue;
    Ctx.report("serial_reduction", E->getBeginLoc(),
               "one thread alone reads " + std::to_string(Elements) + " elements of '" + X.A->Obj->Name + "' one after the other" +
                   (Single ? " in a launch of one thread" : " while the other " + std::to_string(N - 1) + " of the block wait"))
        .kernel(S.Kernel)
        .evidence("elements", Elements)
        .evidence("threads", int64_t(N));
    return;
  }
}
