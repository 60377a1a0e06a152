//===- register-tile.cpp - several outputs a thread ---------------------------------===//
//
//   sumTile[0][0] += xPart[0] * wPart[0];        for u < TM, v < TN:
//                                                  sumTile[u][v] += xPart[u] * wPart[v];
//
// A thread of a tiled sum computes TM x TN outputs: each element that it reads from shared memory serves TM or TN
// products. The tile may grow with it.
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
      S.WhyNot = !Why.empty() ? Why : recogniseNaive(Ctx, K, Naive) ? "the sum is not tiled: apply tile-shared first" : Naive;
    } else if (std::string Fixed = Ctx.whyLaunchesAreFixed(K); !Fixed.empty()) {
      S.WhyNot = Fixed;
    } else {
      for (auto [TM, TN] : {std::pair{8u, 8u}, {4u, 4u}, {4u, 8u}, {8u, 4u}, {2u, 2u}, {4u, 2u}, {2u, 4u}, {1u, 4u}, {4u, 1u}, {1u, 1u}})
        for (auto [BM, BN] : {std::pair{16 * TM, 16 * TN}, {8 * TM, 16 * TN}, {16 * TM, 8 * TN}, {8 * TM, 8 * TN}, {32 * TM, 8 * TN}, {8 * TM, 32 * TN}, {32 * TM, 32 * TN}})
          for (unsigned BK : {16u, 8u, 32u}) {
            TileShape T = (*C)->Shape;
            T.BM = BM, T.BN = BN, T.BK = BK, T.TM = TM, T.TN = TN;
            const TileShape &Now = (*C)->Shape;
            if (Now.BM == BM && Now.BN == BN && Now.BK == BK && Now.TM == TM && Now.TN == TN)
              continue;
            if ((*C)->whyNot(T, Ctx.Limits).empty())
              S.Sets.push_back({{{"tm", TM}, {"tn", TN}, {"bm", BM}, {"bn", BN}, {"bk", BK}}, (*C)->effect(T, Ctx.Limits)});
          }
      S.OnlyListed = true;
    }
    const ActionContext *Context = &Ctx;
    const KernelView *View = &K;
    S.Apply = [Context, View, C](const Settings &P) -> llvm::Expected<std::vector<Edit>> {
      Contraction New = **C;
      TileShape &T = New.Shape;
      T.BM = unsigned(P.at("bm")), T.BN = unsigned(P.at("bn")), T.BK = unsigned(P.at("bk")), T.TM = unsigned(P.at("tm")), T.TN = unsigned(P.at("tn"));
      return emitContraction(*Context, *View, New);
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(RegisterTile, "register-tile", "let each thread of a tiled sum compute several outputs",
              {{"tm", "rows of a thread's outputs", {1, 2, 4, 8}},
               {"tn", "columns of a thread's outputs", {1, 2, 4, 8}},
               {"bm", "rows of a block's outputs", {8, 16, 32, 64, 128, 256}},
               {"bn", "columns of a block's outputs", {8, 16, 32, 64, 128, 256}},
               {"bk", "terms held at a time", {8, 16, 32}}},
              find);

} // namespace
