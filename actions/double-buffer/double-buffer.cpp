//===- double-buffer.cpp - fetch the next slice while this one is used ----------------===//
//
//   load slice; barrier; add up; barrier        fetch next slice into registers; add up; store it to the other
//                                               half of shared memory; barrier
//
//   async=1 (sm_80 and newer)                   wait for this slice; barrier; let the next one be copied to the other
//                                               half (cp.async); add up
//
// For tiled sums. Twice the shared memory, one barrier a slice instead of two, and memory works during arithmetic.
//
//===--------------------------------------------------------------------------===//
#include "actions/contraction/Contraction.h"

using namespace clang;
using namespace kcheck;

namespace {

TileShape doubled(const Contraction &C, bool Async) {
  TileShape T = C.Shape;
  T.Double = true;
  T.Async = Async;
  return T;
}

/// The legal ways, and why there is none.
void offer(const ActionContext &Ctx, const Contraction &C, Site &S) {
  for (bool Async : {false, true}) {
    if (C.Shape.Double && C.Shape.Async == Async)
      continue;
    TileShape T = doubled(C, Async);
    std::string Why = C.whyNot(T, Ctx.Limits);
    if (Why.empty())
      S.Sets.push_back({{{"async", Async}}, C.effect(T, Ctx.Limits)});
    else if (S.WhyNot.empty())
      S.WhyNot = C.Shape.Double ? "the tiles are doubled already, and " + Why : Why;
  }
  if (!S.Sets.empty())
    S.WhyNot.clear();
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "tiled sum");
    S.OnlyListed = true;
    std::string Why;
    auto C = std::make_shared<std::optional<Contraction>>(recogniseTiled(Ctx, K, Why));
    if (*C) {
      offer(Ctx, **C, S);
    } else {
      std::string Naive;
      S.WhyNot = !Why.empty() ? Why : recogniseNaive(Ctx, K, Naive) ? "the sum is not tiled: apply tile-shared first" : "the kernel has no tiled sum";
    }
    const ActionContext *Context = &Ctx;
    const KernelView *View = &K;
    S.Apply = [Context, View, C](const Settings &Set) -> llvm::Expected<std::vector<Edit>> {
      Contraction New = **C;
      New.Shape = doubled(New, Set.at("async"));
      return emitContraction(*Context, *View, New);
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(DoubleBuffer, "double-buffer", "fetch the next tile while this one is used",
              {{"async", "1: by cp.async past the registers (sm_80 and newer)", {0, 1}}}, find);

} // namespace
