//===- coarsen.cpp - several elements a thread ----------------------------------------===//
//
//   int i = blockIdx.x * blockDim.x + threadIdx.x;     int first = blockIdx.x * blockDim.x * 4 + threadIdx.x;
//   if (i < n)                                         for (int item = 0; item < 4; ++item) {
//     out[i] = 2 * a[i];                                 int i = first + item * blockDim.x;
//                                                        if (i < n) out[i] = 2 * a[i]; }
//
// Neighbouring threads still touch neighbouring elements; the grid shrinks to match.
//
//===--------------------------------------------------------------------------===//
#include "actions/engine/Launches.h"
#include "actions/engine/MapKernel.h"

using namespace clang;
using namespace kcheck;

namespace {

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "one element a thread");
    auto M = std::make_shared<MapKernel>(wideMapKernel(Ctx, K));
    S.WhyNot = M->Index ? Ctx.whyLaunchesAreFixed(K) : M->WhyNot;
    if (S.WhyNot.empty())
      for (int64_t Items : {4, 2, 8})
        S.Sets.push_back({{{"items", Items}}, llvm::json::Object{{"threads", "1/" + std::to_string(Items)}}});
    const ActionContext *Context = &Ctx;
    const KernelView *View = &K;
    S.Apply = [Context, View, M](const Settings &P) -> llvm::Expected<std::vector<Edit>> {
      const ActionContext &Ctx = *Context;
      std::string I = M->Index->getNameAsString(), N = std::to_string(P.at("items")), T = M->type(Ctx);
      std::string First = Ctx.freeName(View->Decl, "first"), Item = Ctx.freeName(View->Decl, "item");
      std::string Offset, Block = M->wideType(Ctx) ? "static_cast<" + T + ">(blockIdx.x)" : "blockIdx.x";
      for (const Expr *E : M->Offsets)
        Offset += asOperand(Ctx.text(E->getSourceRange())) + " + ";
      std::string Text = M->front(Ctx) + "const " + T + " " + First + " = " + Offset + Block + " * (" + M->span(Ctx) + " * " + N + ") + threadIdx.x;\n#pragma unroll\nfor (int " + Item + " = 0; " + Item +
                         " < " + N + "; ++" + Item + ") {\nconst " + T + " " + I + " = " + First + " + " + Item + " * " + M->span(Ctx) + ";\nif (" + I + " < " + M->bound(Ctx) + ") {\n" + M->work(Ctx) + "}\n}";
      std::vector<Edit> Edits{Ctx.replace(M->Bytes, Text)};
      for (const LaunchSite &L : View->Launches) {
        DimText Grid = extentsOf(Ctx, L.Syntax.Grid);
        Grid[0] = coarserGrid(Ctx, L, P.at("items"));
        setLaunchSizes(Ctx, L, &Grid, nullptr, Edits);
      }
      return Edits;
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(Coarsen, "coarsen", "let each thread do several elements", {{"items", "elements a thread", {}, 2, 16}}, find);

} // namespace
