//===- stage-row.cpp - a row that several passes need is read once ---------------------===//
//
//   for (c ...) top = fmaxf(top, in[c]);             float inRow[8];         filled once
//   for (c ...) sum += expf(in[c] - top);            if (cols <= 8 * blockDim.x) { passes over inRow }
//   for (c ...) out[c] = expf(in[c] - top) / sum;    else { the passes as they were }
//
// For kernels whose blocks stride over a row in several passes. Each thread keeps the elements that it handles
// anyway, in registers or in its part of shared memory, so threads need not meet. Longer rows go the way of old.
//
//===--------------------------------------------------------------------------------===//
#include "actions/rows/RowKernel.h"

using namespace clang;
using namespace kcheck;

namespace {

std::string plan(ActionContext &Ctx, const RowKernel &R) {
  if (R.Global)
    return "all blocks stride over one row";
  if (!R.stagedBytes()) {
    for (const RowBuffer &B : R.Buffers)
      if (B.Passes > 1)
        return B.WhyNot;
    return "no element is touched by more than one pass";
  }
  std::string Taken = takenName(Ctx, R);
  return Taken.empty() ? "" : "the kernel uses the name " + Taken;
}

void sets(ActionContext &Ctx, const KernelView &K, const RowKernel &R, Site &S) {
  int64_t Threads = threadsOfBlock(Ctx, K);
  auto Effect = [&](int64_t Elements) {
    llvm::json::Object E{{"reads_of_a_row", 1}};
    unsigned Passes = 0;
    for (const RowBuffer &B : R.Buffers)
      if (R.staged(B))
        Passes = std::max(Passes, B.Passes);
    E["passes"] = Passes;
    if (Elements)
      E["longest_row"] = Elements;
    return E;
  };
  for (int64_t Items : {8, 4, 2, 16, 1}) {
    int64_t Registers = Items * R.Shape.Width * R.stagedBytes() / 4;
    if (Registers > 128 || (R.Shape.Items == Items))
      continue;
    llvm::json::Object E = Effect(Items * R.Shape.Width * Threads);
    E["registers_about"] = Registers + 30;
    if (Threads)
      E["occupancy_at_most"] = Ctx.Limits.occupancy(unsigned(Threads), 0, unsigned(Registers + 30));
    S.Sets.push_back({{{"items", Items}, {"shared", 0}}, std::move(E)});
  }
  for (int64_t Elements : {4096, 2048, 8192, 1024}) {
    int64_t Bytes = Elements * R.stagedBytes();
    if (Bytes + 1024 > Ctx.Limits.StaticShared || (R.Shape.Shared == Elements))
      continue;
    llvm::json::Object E = Effect(Elements);
    E["shared_bytes"] = Bytes;
    if (Threads)
      E["occupancy_at_most"] = Ctx.Limits.occupancy(unsigned(Threads), unsigned(Bytes), 40);
    S.Sets.push_back({{{"items", 0}, {"shared", Elements}}, std::move(E)});
  }
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "passes over a row");
    S.OnlyListed = true;
    auto R = std::make_shared<std::optional<RowKernel>>(recogniseRows(Ctx, K, S.WhyNot));
    if (*R) {
      S.Where = Ctx.TU.where((*R)->Passes.front().Loop->getForLoc());
      S.WhyNot = plan(Ctx, **R);
      if (S.WhyNot.empty())
        sets(Ctx, K, **R, S);
      if (S.WhyNot.empty() && S.Sets.empty())
        S.WhyNot = "the row would take more registers and shared memory than there are";
    }
    const ActionContext *Context = &Ctx;
    S.Apply = [Context, R](const Settings &P) -> llvm::Expected<std::vector<Edit>> {
      RowShape Shape = (*R)->Shape;
      Shape.Items = unsigned(P.at("items"));
      Shape.Shared = unsigned(P.at("shared"));
      return std::vector<Edit>{Context->replace((*R)->Whole, emitRows(*Context, **R, Shape))};
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(StageRow, "stage-row", "keep a row that several passes need in registers or shared memory",
              {{"items", "accesses of a thread that stay in registers; 0: none", {0, 1, 2, 4, 8, 16}},
               {"shared", "elements that stay in shared memory; 0: none", {0, 1024, 2048, 4096, 8192}}},
              find);

} // namespace
