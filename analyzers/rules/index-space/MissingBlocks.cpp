//===- MissingBlocks.cpp - grids that are rounded down --------------------------===//
//
//   if (i < n) y[i] = x[i];
//   k<<<n / 256, 256>>>(x, y, n);            // tail_not_covered
//   k<<<(n + 255) / 256, 128>>>(x, y, n);    // coverage_mismatch: half of it, at every size
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "matchers/VariableWrites.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {
struct Extra {
  const Object *Place = nullptr;
  const ValueDecl *Buffer = nullptr;
  std::string Name;
  int64_t Offset = 0;
  const Expr *E = nullptr;
  bool Written = false;
  unsigned Threads = 0; ///< of the block that reach as far
};
} // namespace

/// What a further block along an axis surely reaches past everything that the launch reaches, where a later one finds nothing:
/// that tells a remainder from a kernel that knows no end. \p Later: how much later. \p Of: which of the blocks in line.
enum class Lines { First, Last };
static std::optional<Extra> oneMoreBlock(LaunchModel &Model, const LaunchSample &L, unsigned Axis, int64_t Later = 1, Lines Of = Lines::First) {
  const KernelRun &R = *L.Run;
  if (R.OutOfFuel || !R.Imprecise.empty())
    return std::nullopt;
  eval::Dim3 More = R.Grid;
  More[Axis] += 1 + Later;
  eval::Dim3 First{0, 0, 0}, Second{0, 0, 0};
  for (unsigned A = 0; A < 3 && Of == Lines::Last; ++A)
    First[A] = Second[A] = R.Grid[A] - 1;
  First[Axis] = R.Grid[Axis];
  Second[Axis] = R.Grid[Axis] + Later;
  std::unique_ptr<KernelRun> Larger = Model.tryGrid(*L.Step, More, {First, Second});
  if (!Larger || Larger->OutOfFuel)
    return std::nullopt;
  auto Counts = [](const Access &A) { return (A.Obj->Decl || A.Obj->AllocatedAt || A.Obj->Bytes) && A.E; };
  std::map<std::pair<const ValueDecl *, std::string>, int64_t> Ends;
  forEachGlobal(R, [&](const BlockRun &, const Access &A) {
    if (!Counts(A))
      return;
    int64_t &End = Ends[{A.Obj->Decl, A.Obj->Name}];
    if (A.Offset.unknown())
      End = INT64_MAX;
    forEachLane(A.Who.May, R.threads(), [&](unsigned T) { End = A.Offset.at(T) == Unk ? INT64_MAX : std::max<int64_t>(End, A.Offset.at(T) + A.Bytes); });
  });
  std::optional<Extra> Found;
  bool SecondWorks = false;
  forEachGlobal(*Larger, [&](const BlockRun &B, const Access &A) {
    if (!Counts(A) || A.Offset.unknown())
      return;
    SecondWorks |= int64_t(B.Index[Axis]) > R.Grid[Axis];
    auto It = Ends.find({A.Obj->Decl, A.Obj->Name});
    bool Writes = A.Kind != AccessKind::Read; // a write tells more
    auto Better = [&] { return !Found || (Writes && !Found->Written); };
    if (!Better() || It == Ends.end())
      return;
    std::optional<Extra> Here;
    forEachLane(A.Who.Sure, R.threads(), [&](unsigned T) {
      if (A.Offset.at(T) == Unk || A.Offset.at(T) < It->second)
        return;
      if (!Here)
        Here = Extra{A.Obj, A.Obj->Decl, A.Obj->Name, A.Offset.at(T), A.E, Writes};
      ++Here->Threads;
    });
    if (Here)
      Found = Here;
  });
  return SecondWorks ? std::nullopt : Found;
}

/// A remainder that another launch of the plan does. (The launches of a dispatch over types, all of one plan, leave it alike.)
static bool anotherReaches(const PlanSample &P, const LaunchSample &L, const Extra &X) {
  return llvm::any_of(P.Launches, [&](const LaunchSample &M) {
    bool Reaches = false;
    if (&M != &L && M.Run)
      forEachGlobal(*M.Run, [&](const BlockRun &, const Access &A) {
        if (A.Obj->Decl == X.Buffer && A.Obj->Name == X.Name)
          forEachLane(A.Who.May, M.Run->threads(), [&](unsigned T) { Reaches |= A.Offset.at(T) == Unk || A.Offset.at(T) + int64_t(A.Bytes) > X.Offset; });
      });
    return Reaches;
  });
}

/// At sizes that fit the blocks the launch runs, and another block has nothing to do.
static bool fitsElsewhere(LaunchModel &Model, const LaunchSample &L, unsigned Axis) {
  bool Any = false;
  for (const PlanSample &P : Model.plans())
    for (const LaunchSample &M : P.Launches)
      if (P.Aligned && M.Run && M.Step->Call == L.Step->Call) {
        if (oneMoreBlock(Model, M, Axis))
          return false;
        Any |= !M.Run->OutOfFuel;
      }
  return Any;
}

/// <<<4 * 108, 256>>> whatever the sizes, of which one is larger than that.
static bool outgrowsFixedGrid(const LaunchSample &L, unsigned Axis) {
  return llvm::none_of(L.Step->GridTaint, [](const Taint &T) { return T.Params || T.Assumed || T.Data; }) && !L.Step->BlockTaint[Axis].Params &&
         llvm::any_of(L.Host->Sizes, [&](const Size &S) { return S.Value > L.Run->Grid[Axis] * L.Run->Block[Axis]; });
}

/// <<<total / 512, 512>>> of a kernel that gets total: at every size a grid of just the whole blocks of some argument.
static bool floorsAnArgument(LaunchModel &Model, const CallExpr *Call) {
  std::vector<const eval::Step *> Steps;
  for (const PlanSample &P : Model.plans())
    for (const LaunchSample &L : P.Launches)
      if (L.Run && L.Step->Call == Call && P.Host->Overflows.empty())
        Steps.push_back(L.Step);
  auto Floors = [&](size_t I) {
    constexpr size_t Enough = 4;
    std::set<int64_t> Counts;
    bool Uneven = false;
    for (const eval::Step *S : Steps) {
      const Value &A = S->Args[I];
      int64_t N = A.K == Value::Scalar ? A.L.at(0) : Unk, Block = S->Block[0].value_or(0) * S->Block[1].value_or(0) * S->Block[2].value_or(0);
      if (N == Unk || Block < 2 || S->Grid[0] != N / Block || S->Grid[1] != 1 || S->Grid[2] != 1)
        return false;
      Counts.insert(N);
      Uneven |= N % Block != 0;
    }
    return Uneven && Counts.size() >= Enough;
  };
  for (size_t I = 0; !Steps.empty() && I < Steps.front()->Args.size(); ++I)
    if (Floors(I))
      return true;
  return false;
}

/// Enough blocks to be past every size that is tried.
static constexpr int64_t FarAway = 1 << 14;

/// `dim3 grid(rows / 32, cols / 32)` of a program whose sizes are all given, where x counts columns: one more block would
/// write, within what was allocated, what no block does.
static void checkGivenSizes(IndexReporter &R) {
  llvm::DenseSet<const FunctionDecl *> Tried; // without a size all plans of a launcher are one
  for (const PlanSample &P : R.Model.plans()) {
    if (!P.Host->Sizes.empty() || !Tried.insert(P.Host->Launcher).second)
      continue;
    for (const LaunchSample &L : P.Launches) {
      if (!L.Run || !L.Step->Sure || R.Collided.count(L.Run->Kernel))
        continue;
      for (unsigned A = 0; A < 3 && !R.said(L.Step->Call, SaidShort); ++A) {
        std::optional<Extra> X = oneMoreBlock(R.Model, L, A, FarAway);
        if (!X || !X->Written || !X->Place->AllocatedAt || X->Offset >= X->Place->Bytes.value_or(INT64_MAX) || anotherReaches(P, L, *X) || !R.once(L.Step->Call, SaidShort))
          continue;
        auto F = R.Ctx.report("coverage_mismatch", L.Step->Call->getBeginLoc(),
                              llvm::formatv("one more block along {0} would still write {1} at byte {2}: the grid leaves it out", "xyz"[A], X->Name, X->Offset).str());
        F.kernel(L.Run->Kernel).evidence("offset", X->Offset).note(X->E->getExprLoc(), "the access is here");
        if (!X->Place->Bytes)
          F.doubt();
      }
    }
  }
}

/// `dim3 block(32, 8), grid((w + 31) / 32, (h + 31) / 32)`: at every size the grid ends well before the elements that the kernel's
/// own check lets through, and no other launch does the rest.
void kcheck::checkShortGrids(IndexReporter &R) {
  struct Site {
    const LaunchSample *At = nullptr;
    std::optional<Extra> Left;
    unsigned Shown = 0;
    bool Whole = false;
  };
  constexpr unsigned Enough = 2;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    std::map<const CallExpr *, Site> Sites;
    for (const PlanSample &P : R.Model.plans())
      for (const LaunchSample &L : P.Launches) {
        Site &S = Sites[L.Step->Call];
        if (S.Whole || !P.Aligned)
          continue;
        // Several launches by one call are parts of one job.
        S.Whole = !L.Run || !L.Step->Sure || P.Capped || !L.Step->GridTaint[Axis].Params || R.Collided.count(L.Run->Kernel) || R.said(L.Step->Call, SaidShort) ||
                  llvm::count_if(P.Launches, [&](const LaunchSample &M) { return M.Step->Call == L.Step->Call; }) != 1;
        std::optional<Extra> X;
        for (Lines Of : {Lines::Last, Lines::First}) // in the last line, blocks beside the data do nothing
          if (!S.Whole && !X)
            X = oneMoreBlock(R.Model, L, Axis, FarAway, Of);
        // A check that is off by one lets one thread through, or a row of them.
        S.Whole |= !X || !X->Written || X->Threads < L.Run->threads() / 2 || anotherReaches(P, L, *X);
        if (!S.Whole && !S.At) {
          S.At = &L;
          S.Left = X;
        }
        ++S.Shown;
      }
    for (auto &[Call, S] : Sites) {
      if (S.Whole || S.Shown < Enough || !R.once(Call, SaidShort))
        continue;
      const KernelRun &Run = *S.At->Run;
      AxesUse U = axesOf(Run.Kernel);
      bool NoThreads = U.Thread[Axis] && Run.Block[Axis] == 1;
      R.once(Run.Kernel->getCanonicalDecl(), SaidShort);
      R.once(Run.Kernel->getCanonicalDecl(), "reach");
      R.Ctx.report(NoThreads ? "dimension_mismatch" : "coverage_mismatch", Call->getBeginLoc(),
                   llvm::formatv("{0} blocks of {1} thread{2} along {3}{4} leave elements out: one more would still write {5} at byte {6}, and so it is at every size", Run.Grid[Axis],
                                 Run.Block[Axis], Run.Block[Axis] == 1 ? "" : "s", "xyz"[Axis], sizesText(S.At->Host), S.Left->Name, S.Left->Offset).str())
          .kernel(Run.Kernel)
          .evidence("offset", S.Left->Offset)
          .note(S.Left->E->getExprLoc(), "the access is here");
    }
  }
}

/// One more block would find work that the launch leaves, and at sizes that fit it would find none: the kernel's own guard
/// says that the grid was rounded down, or that it is no grid for any size.
void kcheck::checkMissingBlocks(IndexReporter &R) {
  checkGivenSizes(R);
  constexpr unsigned Tries = 16, MostSizes = 4; // sizes that vary where nothing is rounded leave no remainder
  std::map<std::pair<const CallExpr *, unsigned>, unsigned> Tried;
  std::map<const CallExpr *, bool> Floored;
  auto FloorsOne = [&](const CallExpr *Call) {
    auto [It, New] = Floored.try_emplace(Call, false);
    if (New)
      It->second = floorsAnArgument(R.Model, Call);
    return It->second;
  };
  for (const PlanSample &P : R.Model.plans())
    for (const LaunchSample &L : P.Launches) {
      if (P.Aligned || P.Capped || !L.Run || R.Padded || R.Collided.count(L.Run->Kernel) || breaksDivision(L))
        continue;
      bool Floors = P.Sizes > MostSizes && FloorsOne(L.Step->Call);
      if (P.Sizes > MostSizes && !Floors)
        continue;
      for (unsigned A = 0; A < 3; ++A) {
        bool Fixed = outgrowsFixedGrid(L, A);
        if ((!L.Step->GridTaint[A].Params && !Fixed) || Tried[{L.Step->Call, A}]++ >= (Floors ? 4 * Tries : Tries) || R.said(L.Step->Call, SaidShort))
          continue;
        std::optional<Extra> X = oneMoreBlock(R.Model, L, A);
        if (!X || anotherReaches(P, L, *X) || !fitsElsewhere(R.Model, L, A) || !R.once(L.Step->Call, SaidShort) ||
            !R.once(L.Run->Kernel->getCanonicalDecl(), SaidShort))
          continue;
        auto F = R.Ctx.report(Fixed ? "coverage_mismatch" : "tail_not_covered", L.Step->Call->getBeginLoc(),
                              llvm::formatv("one more block along {0} would still reach {1} at byte {2}{3}: the grid is {4}, and the last elements are left", "xyz"[A],
                                            X->Name, X->Offset, sizesText(L.Host), Fixed ? "the same for every size" : "rounded down").str());
        F.kernel(L.Run->Kernel).evidence("offset", X->Offset).note(X->E->getExprLoc(), "the access is here");
        // Who calls the launcher here may always pass the size that the grid is made for.
        bool CalledHere = Fixed && !R.Ctx.get<CallSites>().of(L.Host->Launcher).empty();
        if (!L.Step->Sure || !(hasFewSizes(L) || Floors) || dividesByCallersBlock(L) || CalledHere)
          F.doubt();
      }
    }
}
