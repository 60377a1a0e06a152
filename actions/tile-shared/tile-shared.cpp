//===- tile-shared.cpp - stage the operands of a sum in shared memory --------------===//
//
//   for (int i = 0; i < k; ++i)                      for each slice of BK terms:
//     sum += x[row * k + i] * w[i * n + col];           load BM x BK of x and BK x BN of w, barrier,
//                                                       add up from shared memory, barrier
//
// Any sum whose loads each depend on the counter and on the row or the column: products of matrices in every
// transposition, distances, fused beginnings and ends. Edges are guarded, tiles are filled up with zeros.
//
//===--------------------------------------------------------------------------===//
#include "actions/contraction/Contraction.h"

using namespace clang;
using namespace kcheck;

namespace {

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "sum over a loop");
    std::string Why;
    auto C = std::make_shared<std::optional<Contraction>>(recogniseNaive(Ctx, K, Why));
    if (!*C) {
      std::string Other;
      S.WhyNot = recogniseTiled(Ctx, K, Other) ? "the sum is tiled already" : Why;
    } else if (std::string Fixed = Ctx.whyLaunchesAreFixed(K); !Fixed.empty()) {
      S.WhyNot = Fixed;
    } else {
      for (auto [BM, BN] : {std::pair{32u, 32u}, {16u, 16u}, {16u, 32u}, {32u, 16u}, {8u, 32u}, {16u, 64u}})
        for (unsigned BK : {32u, 16u, 8u, 64u}) {
          TileShape T;
          T.BM = BM, T.BN = BN, T.BK = BK;
          if ((*C)->whyNot(T, Ctx.Limits).empty())
            S.Sets.push_back({{{"bm", BM}, {"bn", BN}, {"bk", BK}}, (*C)->effect(T, Ctx.Limits)});
        }
      S.OnlyListed = true;
    }
    const ActionContext *Context = &Ctx;
    const KernelView *View = &K;
    S.Apply = [Context, View, C](const Settings &P) -> llvm::Expected<std::vector<Edit>> {
      Contraction New = **C;
      New.Shape.BM = unsigned(P.at("bm")), New.Shape.BN = unsigned(P.at("bn")), New.Shape.BK = unsigned(P.at("bk"));
      return emitContraction(*Context, *View, New);
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(TileShared, "tile-shared", "compute a sum over a loop from tiles in shared memory",
              {{"bm", "rows of a block's outputs", {8, 16, 32}}, {"bn", "columns of a block's outputs", {16, 32, 64}}, {"bk", "terms held at a time", {8, 16, 32, 64}}}, find);

} // namespace
