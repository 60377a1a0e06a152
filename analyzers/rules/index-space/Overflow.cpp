//===- Overflow.cpp - indices that leave 32 bits --------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

/// (1 << lane) - 1: all bits below one, not a number.
static bool isMask(const Expr *E) {
  const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  const auto *Bit = B && B->getOpcode() == BO_Sub ? dyn_cast<BinaryOperator>(B->getLHS()->IgnoreParenImpCasts()) : nullptr;
  return Bit && Bit->getOpcode() == BO_Shl;
}

/// Sizes of 32 bits that the sample chose too large are the sample's fault, unless the launcher lets them through and no
/// larger ones.
static bool samplesFault(LaunchModel &Model, const LaunchSample &L, const OverflowEvent &O) {
  auto Launches = [&](const HostRun &H) { return llvm::any_of(H.Steps, [&](const eval::Step &S) { return S.Call == L.Step->Call; }); };
  return O.T.Params && !areLargestAdmitted(Model, *L.Host, O.T.Params, Launches);
}

void kcheck::checkOverflow(IndexReporter &R) {
  for (const LaunchSample *L : R.Model.runs()) {
    const KernelRun &Run = *L->Run;
    if (!L->Step)
      continue;
    for (const BlockRun &B : Run.Blocks)
      for (const OverflowEvent &O : B.Overflows) {
        if (O.T.Data || isMask(O.E) || hasManySizes(*L) || samplesFault(R.Model, *L, O) || !R.once(O.E, "overflow") ||
            !R.once(Run.Kernel->getCanonicalDecl(), "overflow"))
          continue;
        auto F = R.Ctx.report("index_overflow_32", O.E->getExprLoc(),
                              llvm::formatv("this is {0} in thread {1} of block {2}{3}: it does not fit 32 bits", O.Exact, O.Lane, blockText(&B), sizesText(L->Host)).str());
        F.kernel(Run.Kernel).evidence("value", O.Exact);
        constexpr int64_t MostElements = int64_t(1) << 34; // of four bytes, no device holds more
        if (!O.Who.Sure.test(O.Lane) || !isPlanned(*L) || !hasFewSizes(*L) || llvm::popcount(O.T.Params) > 1 || O.Exact >= MostElements)
          F.doubt();
      }
  }
}
