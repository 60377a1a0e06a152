//===- double-buffer.cpp - fetch the next slice while this one is used ----------------===//
//
//   load slice; barrier; add up; barrier        fetch next slice into registers; add up; store it to the other
//                                               half of shared memory; barrier
//
// For tiled sums. Twice the shared memory, one barrier a slice instead of two, and memory works during arithmetic.
//
//===--------------------------------------------------------------------------===//
#include "actions/contraction/Contraction.h"

using namespace clang;
using namespace kcheck;

namespace {

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "tiled sum");
    std::string Why;
    auto C = std::make_shared<std::optional<Contraction>>(recogniseTiled(Ctx, K, Why));
    if (!*C) {
      std::string Naive;
      S.WhyNot = !Why.empty() ? Why : recogniseNaive(Ctx, K, Naive) ? "the sum is not tiled: apply tile-shared first" : "the kernel has no tiled sum";
    } else if ((*C)->Shape.Double) {
      S.WhyNot = "the tiles are doubled already";
    } else {
      TileShape T = (*C)->Shape;
      T.Double = true;
      S.WhyNot = (*C)->whyNot(T, Ctx.Limits);
      if (S.WhyNot.empty())
        S.Sets.push_back({{}, (*C)->effect(T, Ctx.Limits)});
    }
    const ActionContext *Context = &Ctx;
    const KernelView *View = &K;
    S.Apply = [Context, View, C](const Settings &) -> llvm::Expected<std::vector<Edit>> {
      Contraction New = **C;
      New.Shape.Double = true;
      return emitContraction(*Context, *View, New);
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(DoubleBuffer, "double-buffer", "fetch the next tile while this one is used", {}, find);

} // namespace
