//===- IdleBlocks.cpp - blocks that have nothing to do --------------------------===//
//
//   if (i < n) y[i] = x[i];
//   k<<<n, 256>>>(x, y, n);      // coverage_mismatch: (n + 255) / 256 blocks would do
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include <map>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

/// Along an axis a first block works, and none of the second half of the grid does.
static bool halfIsIdle(const KernelRun &R, unsigned Axis = 0) {
  bool Works = false, AllIdle = true, Any = false;
  for (const BlockRun &B : R.Blocks) {
    if (B.Index[Axis] == 0) {
      Works |= !isIdle(B);
    } else if (B.Index[Axis] * 2 + 2 >= unsigned(R.Grid[Axis])) {
      AllIdle &= isIdle(B);
      Any = true;
    }
  }
  return Works && AllIdle && Any;
}

/// Of a grid of which only some blocks were run: are those between idle too? `n / 8 + 1` blocks leave just the last one.
static bool blocksBetweenAreIdle(LaunchModel &Model, const LaunchSample &L) {
  const KernelRun &R = *L.Run;
  if (int64_t(R.Blocks.size()) == R.Grid[0])
    return true;
  constexpr int64_t Parts = 16;
  std::vector<eval::Dim3> Between;
  for (int64_t I = Parts / 2 + 1; I < Parts; ++I)
    if (eval::Dim3 B{R.Grid[0] * I / Parts, 0, 0}; Between.empty() || B != Between.back())
      Between.push_back(B);
  std::unique_ptr<KernelRun> More = Model.tryGrid(*L.Step, R.Grid, Between);
  return More && llvm::all_of(More->Blocks, isIdle);
}

static void tellMixed(IndexReporter &R, const LaunchSample &L, const Expr *Mixed) {
  R.Ctx.report("wrong_index_formula", Mixed->getBeginLoc(),
               "this numbers by the threads of another axis: at least half of the blocks have nothing to do" + sizesText(L.Host))
      .kernel(L.Run->Kernel);
}

/// `blockIdx.y * blockDim.x + threadIdx.y` of rows that end before.
static void checkRows(IndexReporter &R, const LaunchSample &L) {
  if (!L.Run || !L.Step->Sure || L.Run->OutOfFuel || !L.Run->Imprecise.empty())
    return;
  for (unsigned Axis : {1u, 2u})
    if (L.Step->GridTaint[Axis].Params && L.Run->Grid[Axis] >= 4 && halfIsIdle(*L.Run, Axis))
      if (const Expr *Mixed = mixedAxes(L.Run->Kernel, *L.Step); Mixed && R.once(L.Step->Call, SaidIdle))
        return tellMixed(R, L, Mixed);
}

static void checkLaunch(IndexReporter &R, const LaunchSample &L) {
  if (!L.Run || !L.Step->Sure || !L.Step->GridTaint[0].Params || L.Run->OutOfFuel)
    return;
  const KernelRun &Run = *L.Run;
  if (Run.Grid[0] < 4 || Run.Grid[1] != 1 || Run.Grid[2] != 1 || !Run.Imprecise.empty())
    return;
  const Expr *Mixed = mixedAxes(Run.Kernel, *L.Step);
  if (!halfIsIdle(Run) || (hasManySizes(L) && !Mixed) || R.said(L.Step->Call, SaidIdle) || !blocksBetweenAreIdle(R.Model, L))
    return;
  R.once(L.Step->Call, SaidIdle);
  if (Mixed)
    tellMixed(R, L, Mixed);
  else
    R.Ctx.report("coverage_mismatch", L.Step->Call->getBeginLoc(),
                 "at least half of the blocks have nothing to do" + sizesText(L.Host) + ": the grid counts more than the kernel works on")
        .kernel(Run.Kernel)
        .doubt();
}

/// The kernel gets memory of the host, registered perhaps: what it does there is not seen.
static bool getsHostMemory(const LaunchSample &L) {
  return llvm::any_of(L.Step->Args, [](const Value &V) { return V.K == Value::Pointer && V.Obj && V.Obj->Where == Space::Host; });
}

/// No thread of any block that was tried does anything, at no size.
static void checkAllIdle(IndexReporter &R) {
  std::map<const CallExpr *, std::pair<const LaunchSample *, bool>> Launches;
  for (const PlanSample &P : R.Model.plans())
    for (const LaunchSample &L : P.Launches)
      if (L.Step && L.Step->Call) {
        bool Idle = L.Run && L.Step->Sure && hasFewSizes(L) && !L.Run->OutOfFuel && L.Run->Imprecise.empty() && !getsHostMemory(L) && llvm::all_of(L.Run->Blocks, isIdle);
        auto [It, New] = Launches.try_emplace(L.Step->Call, &L, Idle);
        It->second.second &= Idle;
      }
  for (auto &[Call, What] : Launches) {
    const KernelRun *Run = What.second ? What.first->Run.get() : nullptr;
    bool Guarded = Run && llvm::any_of(Run->Blocks, [](const BlockRun &B) { return llvm::any_of(B.Branches, [](const Control &C) { return C.T.V > Vary::Grid; }); });
    // Stores through surfaces and the like are no accesses: only what would have been one tells.
    auto IsElement = [](const Expr *E) {
      const auto *S = dyn_cast<ArraySubscriptExpr>(E);
      const auto *D = S ? dyn_cast<DeclRefExpr>(S->getBase()->IgnoreParenImpCasts()) : nullptr;
      return D && isa<ParmVarDecl>(D->getDecl());
    };
    if (Guarded && findExpr(Run->Kernel->getBody(), IsElement) && Run->threads() > 1 && !R.said(Call, SaidIdle) && R.once(Call, SaidIdle))
      R.Ctx.report("coverage_mismatch", Call->getBeginLoc(), "no thread of this launch does anything" + sizesText(What.first->Host) + ": the kernel's guards turn all away")
          .kernel(Run->Kernel);
  }
}

void kcheck::checkIdleBlocks(IndexReporter &R) {
  checkAllIdle(R);
  for (const PlanSample &P : R.Model.plans())
    if (P.Aligned)
      for (const LaunchSample &L : P.Launches) {
        checkLaunch(R, L);
        checkRows(R, L);
      }
}
