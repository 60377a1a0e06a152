//===- Pitches.cpp - rows that are a pitch apart, in the wrong unit -------------===//
//
//   cudaMallocPitch(&img, &pitch, w * sizeof(float), h);
//   float *row = img + y * pitch;              // wrong_stride: the pitch counts bytes
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "matchers/Allocations.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

static bool isPitched(const Object &O) {
  const auto *Call = O.AllocatedAt && O.Bytes ? dyn_cast<CallExpr>(O.AllocatedAt) : nullptr;
  return Call && allocatesPitched(Call);
}

/// Past the end at sizes that fit every block: no guard is missing, the rows are too far apart.
void kcheck::checkPitches(IndexReporter &R) {
  for (const LaunchSample *L : R.Model.runs()) {
    if (!L->Plan || !L->Plan->Aligned || !L->Host->Overflows.empty())
      continue;
    forEachGlobal(*L->Run, [&](const BlockRun &B, const Access &A) {
      if (!A.E || !isPitched(*A.Obj) || R.said(L->Run->Kernel->getCanonicalDecl(), "pitch"))
        return;
      int64_t Bytes = *A.Obj->Bytes;
      forEachLane(A.Who.Sure, L->Run->threads(), [&](unsigned T) {
        int64_t At = A.Offset.at(T);
        if (At == Unk || At + int64_t(A.Bytes) <= Bytes || !R.once(L->Run->Kernel->getCanonicalDecl(), "pitch"))
          return;
        auto F = R.Ctx.report("wrong_stride", A.E->getExprLoc(),
                              llvm::formatv("thread {0} of block {1} accesses {2} at byte {3} of {4}{5}: the rows of a pitched allocation are a pitch of bytes apart, not of elements",
                                            T, blockText(&B), A.Obj->Name, At, Bytes, sizesText(L->Host)).str());
        F.kernel(L->Run->Kernel).evidence("offset", At).evidence("bytes", Bytes).note(A.Obj->AllocatedAt->getExprLoc(), "allocated here");
        if (!isPlanned(*L))
          F.doubt();
      });
    });
  }
}
