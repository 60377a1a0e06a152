//===- vectorize-loads.cpp - four elements at a time --------------------------------===//
//
//   int i = blockIdx.x * blockDim.x + threadIdx.x;     int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
//   if (i < n)                                         if (i + 3 < n && addresses are multiples of 16) {
//     out[i] = 2 * a[i];                                 const float4 aQuad = ...; ... } else element by element
//
// For kernels of one element a thread, for tiled sums (their loads, and their reads of shared memory), and for loops
// in which threads stride over a row or over all elements. Alignment is tested at run time, and the tail goes element
// by element.
//
//===--------------------------------------------------------------------------===//
#include "actions/contraction/Contraction.h"
#include "actions/engine/Instances.h"
#include "actions/rows/RowKernel.h"
#include "actions/vectorize-loads/MapVectors.h"

using namespace clang;
using namespace kcheck;

namespace {

bool tiledSite(ActionContext &Ctx, const KernelView &K, Site &S) {
  std::string Why;
  auto C = recogniseTiled(Ctx, K, Why);
  if (!C)
    return false;
  S.What = "tiled sum";
  if (C->Shape.Quads) {
    S.WhyNot = "the tiled sum loads vectors already";
    return true;
  }
  Contraction New = *C;
  New.Shape.Quads = true;
  bool Any = false;
  for (TileOperand &O : New.Operands) {
    bool Fits = O.Bytes == 4 && (O.AlongSum || O.AlongOutput);
    Any |= Fits;
    if (O.Bytes == 4)
      O.Pad = (O.Pad + 3) / 4 * 4; // rows of a tile start at multiples of a vector
  }
  S.WhyNot = !Any ? "no operand has neighbours in memory that a thread could take together" : New.whyNot(New.Shape, Ctx.Limits);
  if (S.WhyNot.empty())
    S.Sets.push_back({{{"width", 4}}, New.effect(New.Shape, Ctx.Limits)});
  const ActionContext *Context = &Ctx;
  const KernelView *View = &K;
  S.Apply = [Context, View, New](const Settings &) { return emitContraction(*Context, *View, New); };
  return true;
}

/// Passes of a block over a row, and threads that stride over all elements.
bool rowSite(ActionContext &Ctx, const KernelView &K, Site &S) {
  auto R = std::make_shared<std::optional<RowKernel>>(recogniseRows(Ctx, K, S.WhyNot));
  if (!*R) // a loop that strides, but not so
    return !S.WhyNot.empty() && llvm::StringRef(S.WhyNot).starts_with("line");
  S.What = (*R)->Global ? "threads that stride over the elements" : "passes over a row";
  S.Where = Ctx.TU.where((*R)->Passes.front().Loop->getForLoc());
  RowShape Shape = (*R)->Shape;
  bool Any = llvm::any_of((*R)->Buffers, [](const RowBuffer &B) { return B.WhyNot.empty() && !B.Vector.empty(); });
  if (Shape.Width > 1)
    S.WhyNot = "the passes load vectors already";
  else if (!(*R)->WhyNotWide.empty())
    S.WhyNot = (*R)->WhyNotWide;
  else if (!Any)
    S.WhyNot = "no buffer is touched at the loop's place in a type that comes in vectors";
  else if (std::string Taken = takenName(Ctx, **R); !Taken.empty())
    S.WhyNot = "the kernel uses the name " + Taken;
  Shape.Width = (*R)->fullWidth();
  if (Shape.Items) // the same elements stay in registers
    Shape.Items = std::max(1u, Shape.Items / Shape.Width);
  if (S.WhyNot.empty())
    S.Sets.push_back({{{"width", Shape.Width}}, llvm::json::Object{{"memory_instructions", "1/" + std::to_string(Shape.Width)}}});
  const ActionContext *Context = &Ctx;
  S.Apply = [Context, R, Shape](const Settings &) -> llvm::Expected<std::vector<Edit>> {
    return std::vector<Edit>{Context->replace((*R)->Whole, emitRows(*Context, **R, Shape))};
  };
  return true;
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "one element a thread");
    S.OnlyListed = true;
    std::string Fixed = Ctx.whyLaunchesAreFixed(K);
    if (tiledSite(Ctx, K, S)) {
      if (S.WhyNot.empty())
        S.WhyNot = Fixed;
      Out.push_back(std::move(S));
      continue;
    }
    MapKernel M = wideMapKernel(Ctx, K);
    if (!M.Index && rowSite(Ctx, K, S)) {
      // the kernel's launches stay
    } else if (!M.Index) {
      S.WhyNot = M.WhyNot;
    } else if (std::string Why = whyNotOneInstance(K); !Why.empty()) {
      S.WhyNot = Why;
    } else if (!Fixed.empty()) {
      S.WhyNot = Fixed;
    } else {
      auto V = std::make_shared<MapVectors>(Ctx, K, M);
      S.WhyNot = V->plan();
      if (S.WhyNot.empty())
        S.Sets.push_back({{{"width", V->width()}}, llvm::json::Object{{"memory_instructions", "1/" + std::to_string(V->width())}, {"threads", "1/" + std::to_string(V->width())}}});
      S.Apply = [V](const Settings &) { return V->apply(); };
    }
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(VectorizeLoads, "vectorize-loads", "load and store several elements at a time", {{"width", "elements of a vector", {2, 4}}}, find);

} // namespace
