//===- Overruns.cpp - allocations that are too small for their launches --------===//
//
//   cudaMallocAsync(&counts, kThreads * sizeof(int), st);
//   count<<<kBlocks, kThreads, 0, st>>>(x, counts, n);        // counts[blockIdx.x], with more blocks than threads
//
// The launcher is interpreted: the bytes of what it allocates are known, and so is what its launches touch. An access
// past the end at every size, or at a size that is a multiple of all blocks, is the allocation's fault; at uneven sizes
// alone it is the guard's (rule 2).
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/api/ApiChecks.h"
#include "matchers/Describe.h"
#include "matchers/Evidence.h"
#include "matchers/LaunchModel.h"
#include <map>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

struct Past {
  const LaunchSample *Launch = nullptr;
  const Access *A = nullptr;
  const BlockRun *Block = nullptr;
  unsigned Thread = 0;
  int64_t End = 0, Size = 0;
};

struct Use {
  unsigned Runs = 0, Over = 0;
  Past First, FirstEven; ///< at any size, and at one that is a multiple of all blocks
  uint64_t Factors = ~0ull; ///< bit i: at every size it reaches just as many times the allocation as size i is
};

/// The furthest byte that some thread surely touches.
Past furthest(const LaunchSample &L, const Expr *Allocation) {
  Past Worst;
  for (const BlockRun &B : L.Run->Blocks)
    for (const Access &A : B.Accesses) {
      if (!A.Obj || A.Obj->AllocatedAt != Allocation || !A.Obj->Bytes || A.OffsetTaint.Data)
        continue;
      forEachLane(A.Who.Sure, L.Run->threads(), [&](unsigned T) {
        int64_t At = A.Offset.at(T);
        if (At != Unk && At + int64_t(A.Bytes) > Worst.End)
          Worst = {&L, &A, &B, T, At + int64_t(A.Bytes), *A.Obj->Bytes};
      });
    }
  return Worst;
}

/// `cudaMalloc(&g, d * d * 4)` where batch * d * d elements are touched: the sizes that the allocation leaves out.
uint64_t factors(const HostRun &H, const Past &X) {
  uint64_t Found = 0;
  for (size_t I = 0; I < H.Sizes.size() && I < 64; ++I)
    if (X.Launch && X.End == X.Size * H.Sizes[I].Value)
      Found |= 1ull << I;
  return Found;
}

} // namespace

void kcheck::checkOverruns(ApiReporter &R) {
  LaunchModel &Model = R.Ctx.get<LaunchModel>();
  std::map<std::pair<const Expr *, const CallExpr *>, Use> Uses;
  for (const PlanSample &P : Model.plans()) {
    if (!P.Host->Overflows.empty()) // sizes of ours that 32 bits do not hold
      continue;
    for (const LaunchSample &L : P.Launches) {
      if (!L.Run || !L.Step->Sure || !L.Run->Imprecise.empty())
        continue;
      std::set<const Expr *> Allocated;
      for (const BlockRun &B : L.Run->Blocks)
        for (const Access &A : B.Accesses)
          if (A.Obj && A.Obj->AllocatedAt && A.Obj->Bytes && A.Obj->Where == Space::Global)
            Allocated.insert(cast<Expr>(A.Obj->AllocatedAt));
      for (const Expr *E : Allocated) {
        Use &U = Uses[{E, L.Step->Call}];
        ++U.Runs;
        Past X = furthest(L, E);
        U.Factors &= factors(*P.Host, X);
        if (X.Launch && X.End > X.Size) {
          ++U.Over;
          if (!U.First.Launch)
            U.First = X;
          if (P.Aligned && !U.FirstEven.Launch)
            U.FirstEven = X;
        }
      }
    }
  }
  for (auto &[Where, U] : Uses) {
    bool Always = U.Over && (U.Over == U.Runs || (U.Factors && U.Runs > 2));
    bool Even = U.FirstEven.Launch && hasFewSizes(*U.FirstEven.Launch);
    if ((!Always && !Even) || !R.first("alloc_size", Where.first->getBeginLoc()))
      continue;
    const Past &X = Always ? U.First : U.FirstEven;
    auto F = R.Ctx.report("alloc_size", Where.first->getBeginLoc(),
                          llvm::formatv("{0} bytes are allocated here, but thread {1} of block {2} touches byte {3}{4}", X.Size, X.Thread,
                                        blockText(X.Block->Index), X.End - 1, sizesText(X.Launch->Host)).str());
    F.kernel(X.Launch->Run->Kernel).note(X.A->E->getExprLoc(), "the access is here").note(Where.second->getBeginLoc(), "launched here");
    if (Always && !hasFewSizes(*X.Launch) && !U.Factors) // a cube whose three sizes are one
      F.doubt();
  }
}
