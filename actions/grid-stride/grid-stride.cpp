//===- grid-stride.cpp - a grid of any size covers all elements ---------------------===//
//
//   int i = blockIdx.x * blockDim.x + threadIdx.x;     for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
//   if (i < n)                                              i += blockDim.x * gridDim.x)
//     out[i] = 2 * a[i];                                 out[i] = 2 * a[i];
//
// With `blocks` the grid is held to that many blocks.
//
//===--------------------------------------------------------------------------===//
#include "actions/engine/Instances.h"
#include "actions/engine/Launches.h"
#include "actions/engine/MapKernel.h"

using namespace clang;
using namespace kcheck;

namespace {

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "one element a thread");
    auto M = std::make_shared<MapKernel>(wideMapKernel(Ctx, K));
    S.WhyNot = M->Index ? "" : M->WhyNot;
    std::string Fixed = Ctx.whyLaunchesAreFixed(K) + whyNotOneInstance(K);
    if (S.WhyNot.empty()) {
      S.Sets.push_back({{{"blocks", 0}}, llvm::json::Object{{"grid", "as it is"}}});
      if (Fixed.empty()) // 132 multiprocessors of eight blocks, and what divides it
        for (int64_t Blocks : {1056, 528, 264, 2112})
          S.Sets.push_back({{{"blocks", Blocks}}, llvm::json::Object{{"grid", "at most " + std::to_string(Blocks)}}});
      S.OnlyListed = !Fixed.empty();
    }
    const ActionContext *Context = &Ctx;
    const KernelView *View = &K;
    S.Apply = [Context, View, M](const Settings &P) -> llvm::Expected<std::vector<Edit>> {
      const ActionContext &Ctx = *Context;
      std::string I = M->Index->getNameAsString();
      std::string Type = M->type(Ctx), Step = M->wideType(Ctx) ? "static_cast<" + Type + ">(" + M->span(Ctx) + ")" : M->span(Ctx);
      std::string T = M->front(Ctx) + "for (" + Type + " " + I + " = " + M->start(Ctx) + "; " + I + " < " + M->bound(Ctx) + "; " + I + " += " + Step + " * gridDim.x) {\n" + M->work(Ctx) + "}";
      std::vector<Edit> Edits{Ctx.replace(M->Bytes, T)};
      if (int64_t Blocks = P.at("blocks"))
        for (const LaunchSite &L : View->Launches) {
          DimText Grid = extentsOf(Ctx, L.Syntax.Grid);
          std::string Old = asOperand(Grid[0], Holds::Sum), Most = std::to_string(Blocks);
          Grid[0] = Old + " < " + Most + " ? " + Old + " : " + Most;
          setLaunchSizes(Ctx, L, &Grid, nullptr, Edits);
        }
      return Edits;
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(GridStride, "grid-stride", "let threads stride over the elements, so that any grid covers them",
              {{"blocks", "most blocks of the grid; 0: as it is", {}, 0, 65535}}, find);

} // namespace
