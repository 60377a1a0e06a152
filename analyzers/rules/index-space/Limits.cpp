//===- Limits.cpp - launches that the hardware refuses, or that are empty -------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "matchers/LaunchExpr.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

// Limits of every architecture since sm_30: CUDA Programming Guide, technical specifications per compute capability.
static constexpr int64_t MaxBlockXY = 1024, MaxBlockZ = 64, MaxGridYZ = 65535, MaxGridX = 2147483647;

static bool dividesSize(const Expr *E) {
  auto Divides = [](const Expr *X) {
    const auto *B = dyn_cast<BinaryOperator>(X);
    return B && (B->getOpcode() == BO_Div || B->getOpcode() == BO_Shr);
  };
  return findExpr(E, Divides, /*Through=*/true);
}

/// min(n, 1024) and the like keep the block legal.
static bool clampedByLaunch(const Expr *E) {
  return findExpr(E, [](const Expr *X) { return isa<CallExpr, ConditionalOperator>(X); }, /*Through=*/true);
}

/// Of those that are known, some count of blocks or threads is none.
static bool isEmpty(const eval::Step &S) {
  auto None = [](const std::optional<int64_t> &N) { return N == 0; };
  return llvm::any_of(S.Grid, None) || llvm::any_of(S.Block, None);
}

/// __launch_bounds__(256) of a kernel, and a grid of just as many blocks.
static bool boundsItsThreads(const FunctionDecl *Kernel, int64_t Blocks) {
  const auto *Bounds = Kernel ? Kernel->getAttr<CUDALaunchBoundsAttr>() : nullptr;
  Expr::EvalResult Threads;
  return Bounds && Bounds->getMaxThreads() && !Bounds->getMaxThreads()->isValueDependent() &&
         Bounds->getMaxThreads()->EvaluateAsInt(Threads, Kernel->getASTContext()) && Threads.Val.getInt() == Blocks;
}

static void checkLaunch(IndexReporter &R, const HostRun &H, const eval::Step &S) {
  auto Say = [&](StringRef Tag, const llvm::Twine &Text, bool Sure) {
    if (!R.once(S.Call, Tag))
      return;
    auto F = R.Ctx.report(Tag, S.Call->getBeginLoc(), Text);
    F.kernel(S.Kernel);
    if (!Sure || !S.Sure)
      F.doubt();
  };
  uint64_t GridParams = 0, BlockParams = 0;
  bool Known = true, Guess = false;
  for (unsigned A = 0; A < 3; ++A) {
    Known &= S.Grid[A] && S.Block[A];
    GridParams |= S.GridTaint[A].Params;
    BlockParams |= S.BlockTaint[A].Params;
    Guess |= S.GridTaint[A].Assumed || S.BlockTaint[A].Assumed;
  }
  bool Constant = !BlockParams && llvm::all_of(S.Block, [](auto &N) { return N.has_value(); }) && llvm::none_of(S.BlockTaint, [](const Taint &T) { return T.Assumed; });
  auto TooLarge = [](const eval::Step &L) {
    return *L.Block[0] * *L.Block[1] * *L.Block[2] > MaxThreads || *L.Block[0] > MaxBlockXY || *L.Block[1] > MaxBlockXY || *L.Block[2] > MaxBlockZ;
  };
  auto SayTooLarge = [&](bool Sure) {
    Say("block_too_large",
        llvm::formatv("a block of {0} x {1} x {2} threads{3}: at most 1024 in all, and 64 along z", *S.Block[0], *S.Block[1], *S.Block[2],
                      BlockParams ? sizesText(&H) : "").str(), Sure);
  };
  if (!Known && Constant && TooLarge(S)) // whatever the grid is
    SayTooLarge(true);
  if (!Known || Guess)
    return;
  int64_t Threads = *S.Block[0] * *S.Block[1] * *S.Block[2];
  // <<<threads, blocks>>>: the block grows with the data, the grid does not.
  if (BlockParams && !GridParams && *S.Grid[0] * *S.Grid[1] * *S.Grid[2] >= 32 && (isDataSize(S, BlockParams) || boundsItsThreads(S.Kernel, *S.Grid[0]))) {
    Say(ArgsSwapped, llvm::formatv("the block size grows with the data while the grid is always {0}: are grid and block exchanged?", *S.Grid[0]).str(),
        dividesSize(S.BlockExpr) || !clampedByLaunch(S.BlockExpr));
    return;
  }
  if (isEmpty(S)) {
    bool Block = Threads == 0;
    // The last trips of a loop over less and less: what is left to do there is nothing.
    bool LastTrips = llvm::any_of(H.Steps, [&](const eval::Step &X) { return X.Call == S.Call && X.Grid[0] && !isEmpty(X); });
    if (LastTrips) {
      Say(EmptyLaunch, "some trips of the loop launch no block" + sizesText(&H) + ": an error, not a no-op", false);
    } else if (!(Block ? BlockParams : GridParams)) {
      Say(EmptyLaunch, Block ? "the block has no thread: the kernel never runs" : "the grid has no block: the kernel never runs", true);
    } else {
      // Fewer elements in all than in a row: no such data. Nor a product of our sizes that wraps to nothing in 32 bits.
      double Product = 1;
      for (const Size &X : H.Sizes)
        Product *= double(X.Value);
      bool Large = Product <= INT32_MAX && H.Overflows.empty() && llvm::all_of(H.Sizes, [](const Size &X) { return X.Value >= 1000; }) &&
                   llvm::none_of(H.Divided, [&](auto &D) { return H.Sizes[D.first].Value < H.Sizes[D.second].Value; });
      if (Large && !H.Sizes.empty())
        Say(EmptyLaunch, "this launch has no block or no thread" + sizesText(&H) + ": an error, not a no-op", !R.Padded);
    }
    return;
  }
  // A block of several sizes among many: callers choose them to fit.
  bool Chosen = H.Sizes.size() > 3 && llvm::popcount(BlockParams) > 1;
  if (!Chosen && TooLarge(S))
    SayTooLarge(!BlockParams || (isDataSize(S, BlockParams) && H.Sizes.size() == 1));
  auto Launches = [&](const HostRun &X) { return llvm::any_of(X.Steps, [&](const eval::Step &Y) { return Y.Call == S.Call; }); };
  for (unsigned A = 0; A < 3; ++A) {
    int64_t Most = A ? MaxGridYZ : MaxGridX;
    uint64_t Params = S.GridTaint[A].Params;
    // Sizes that the sample chose too large are the sample's fault, unless the launcher lets just these through.
    if (*S.Grid[A] > Most && (!Params || areLargestAdmitted(R.Model, H, Params, Launches)))
      Say("grid_too_large",
          llvm::formatv("{0} blocks along {1}{2}: at most {3}{4}", *S.Grid[A], "xyz"[A], Params ? sizesText(&H) : "", Most,
                        Params ? ", and the launcher turns only larger sizes away" : "").str(),
          llvm::popcount(Params) <= 1);
  }
}

/// Calls Do(run, launch) for each launch of each plan.
template <class Fn> static void forEachLaunch(LaunchModel &Model, Fn Do) {
  for (const PlanSample &P : Model.plans())
    for (const eval::Step &S : P.Host->Steps)
      if (S.K == eval::Step::Launch)
        Do(*P.Host, S);
}

/// A launch that only sizes over the grid's limit reach.
static void checkOnlyHuge(IndexReporter &R) {
  llvm::DenseSet<const CallExpr *> Reached;
  forEachLaunch(R.Model, [&](const HostRun &, const eval::Step &S) {
    if (S.Sure && S.Grid[1].value_or(0) <= MaxGridYZ && S.Grid[2].value_or(0) <= MaxGridYZ)
      Reached.insert(S.Call);
  });
  forEachLaunch(R.Model, [&](const HostRun &H, const eval::Step &S) {
    if (!S.Sure || Reached.count(S.Call))
      return;
    for (unsigned A = 1; A < 3; ++A)
      // Of a product of sizes, which the samples make large, nobody says that callers do.
      if (S.Grid[A] && *S.Grid[A] > MaxGridYZ && llvm::has_single_bit(S.GridTaint[A].Params) && R.once(S.Call, "grid_too_large"))
        R.Ctx.report("grid_too_large", S.Call->getBeginLoc(),
                     llvm::formatv("{0} blocks along {1}{2}: at most {3}, and this launch is only reached with so many", *S.Grid[A], "xyz"[A],
                                   sizesText(&H), MaxGridYZ).str())
            .kernel(S.Kernel);
  });
}

void kcheck::checkLimits(IndexReporter &R) {
  forEachLaunch(R.Model, [&](const HostRun &H, const eval::Step &S) { checkLaunch(R, H, S); });
  checkOnlyHuge(R);
}

/// A choice between two numbers of blocks is none.
static bool growsWithData(LaunchModel &Model, const eval::Step &S) {
  if (!S.GridTaint[0].Params && !S.GridTaint[1].Params)
    return false;
  if ((S.GridTaint[0].Params & S.BlockTaint[0].Params) || *S.Grid[1] != 1)
    return true;
  std::set<int64_t> Numbers;
  forEachLaunch(Model, [&](const HostRun &, const eval::Step &X) {
    if (X.Call == S.Call)
      Numbers.insert(X.Grid[0].value_or(-1));
  });
  return Numbers.size() > 2;
}

/// <<<256, rows>>> of a kernel whose loop takes any block size, with a block a row that nothing bounds: the size went
/// to the wrong place.
void kcheck::checkSizeAsBlock(IndexReporter &R) {
  for (const PlanSample &P : R.Model.plans())
    for (const LaunchSample &L : P.Launches) {
      if (!L.Run || !L.Step->Sure || !L.Step->BlockExpr || L.Run->Grid[0] < 2 || !L.Step->BlockTaint[0].Params || growsWithData(R.Model, *L.Step))
        continue;
      const auto *D = dyn_cast<DeclRefExpr>(alongX(L.Step->BlockExpr));
      const auto *V = D ? dyn_cast<ParmVarDecl>(D->getDecl()) : nullptr;
      bool Passed = llvm::any_of(L.Step->Args, [&](const Value &A) { return A.T.Params & L.Step->BlockTaint[0].Params; });
      bool AnyBlock = llvm::any_of(L.Run->Blocks, [&](const BlockRun &B) {
        return llvm::any_of(B.Counting, [&](const CountingLoop &C) {
          return C.First.at(0) == 0 && (C.Second.unknown() || C.Second.at(0) == Unk || C.Second.at(0) == int64_t(L.Run->threads()));
        });
      });
      AxesUse U = axesOf(L.Run->Kernel);
      if (V && !Passed && AnyBlock && U.Block[0] && !U.Grid[0] && R.once(L.Step->Call, ArgsSwapped))
        R.Ctx.report(ArgsSwapped, L.Step->Call->getBeginLoc(),
                     ("'" + V->getName() + "' is the number of threads of a block here, which the kernel's loop does not need, and the number of blocks is fixed: they seem exchanged")
                         .str())
            .kernel(L.Run->Kernel)
            .doubt();
    }
}
