//===- pad-shared.cpp - rows of a shared array that start in different banks ---------===//
//
//   __shared__ float tile[32][32];          __shared__ float tile[32][32 + 1];
//
// For arrays that are touched by full subscripts only, so that nobody knows how long a row is.
//
//===--------------------------------------------------------------------------===//
#include "actions/engine/SharedArrays.h"

using namespace clang;
using namespace kcheck;

namespace {

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    uint64_t Now = sharedBytes(Ctx, K);
    for (SharedArray &A : sharedArrays(Ctx, K)) {
      Site S = Ctx.siteAt(K, A.V->getLocation(), "shared array " + A.V->getNameAsString());
      S.WhyNot = A.WhyNot;
      S.OnlyListed = true;
      if (S.WhyNot.empty()) {
        uint64_t Rows = 1;
        for (size_t I = 0; I + 1 < A.Extents.size(); ++I)
          Rows *= A.Extents[I];
        uint64_t Size = uint64_t(Ctx.AST.getTypeSizeInChars(A.Element).getQuantity());
        for (unsigned Pad : {1u, 2u, 4u, 8u})
          if (Pad % A.Multiple == 0 && Now + Rows * Size * Pad <= Ctx.Limits.StaticShared)
            S.Sets.push_back({{{"elements", Pad}}, llvm::json::Object{{"shared_bytes", int64_t(Now + Rows * Size * Pad)},
                                                                      {"row_starts_banks_apart", int64_t((A.Extents.back() + Pad) * Size / 4 % 32)}}});
        if (S.Sets.empty())
          S.WhyNot = "shared memory is full";
      }
      const ActionContext *Context = &Ctx;
      SourceRange Extent = A.LastExtent;
      S.Apply = [Context, Extent](const Settings &P) -> llvm::Expected<std::vector<Edit>> {
        return std::vector<Edit>{Context->insert(Context->endOffset(Extent.getEnd()), " + " + std::to_string(P.at("elements")))};
      };
      Out.push_back(std::move(S));
    }
  }
}

KCHECK_ACTION(PadShared, "pad-shared", "lengthen the rows of a shared array, against bank conflicts", {{"elements", "spare elements of a row", {1, 2, 4, 8}}}, find);

} // namespace
