//===- LostParts.cpp - sums in shared memory that leave some threads out ------===//
//
//   for (int s = blockDim.x / 2; s > 0; s >>= 1)        // 192 threads: 96, 48, …, 3, 1
//     if (tid < s) part[tid] += part[tid + s];          // part[2] is added to nothing any more
//
// Each place of the array carries the set of threads whose stores have gone into it. What the block takes out at the end,
// from one place, has to hold them all.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "llvm/ADT/BitVector.h"
#include <bit>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// Follows one array through the run of a block.
class Contributions {
public:
  Contributions(const BlockRun &B, const Object *O, unsigned Threads) : Threads(Threads), Taken(Threads), Stored(Threads), Pending(Threads) {
    for (const Access &A : B.Accesses)
      if (A.Obj == O && !add(A))
        return;
    flush();
    Exact = true;
  }

  /// A thread whose store reaches nothing that is taken out; none where that cannot be said.
  std::optional<unsigned> lost() const {
    if (!Exact || !Update || Many || Taken.none())
      return std::nullopt;
    llvm::BitVector Left = Stored;
    Left.reset(Taken);
    int T = Left.find_first();
    return T < 0 ? std::nullopt : std::optional(unsigned(T));
  }
  /// The store that joins what two places hold.
  const Expr *update() const { return Update; }

private:
  struct Held {
    llvm::BitVector Of;
    llvm::SmallVector<int64_t, 4> Places;
  };

  bool add(const Access &A) {
    if (A.Kind == AccessKind::Atomic || A.Async || A.Offset.unknown())
      return false;
    if (A.Interval != Interval)
      flush();
    Interval = A.Interval;
    bool Known = true;
    forEachLane(A.Who.May, Threads, [&](unsigned T) {
      int64_t At = A.Offset.at(T);
      Known &= At != Unk;
      if (!Known)
        return;
      if (A.Kind == AccessKind::Read)
        take(T, At);
      else
        store(A, T, At);
    });
    return Known;
  }

  void take(unsigned T, int64_t At) {
    Held &H = Pending[T];
    H.Of |= cell(At);
    if (!llvm::is_contained(H.Places, At))
      H.Places.push_back(At);
  }

  void store(const Access &A, unsigned T, int64_t At) {
    llvm::BitVector Of(Threads);
    if (Held &H = Pending[T]; !H.Places.empty()) {
      if (H.Places.size() > 1 && A.LoopDepth)
        Update = A.E;
      Of = std::move(H.Of);
      H = {llvm::BitVector(Threads), {}};
    } else if (A.Value == Unk) { // a constant is nobody's part
      Of.set(T);
      if (A.Who.Sure.test(T))
        Stored.set(T);
    }
    if (!A.Who.Sure.test(T))
      Of |= cell(At);
    cell(At) = std::move(Of);
  }

  /// What was read and not stored again has been taken out.
  void flush() {
    for (Held &H : Pending) {
      if (H.Places.empty())
        continue;
      for (int64_t At : H.Places) {
        Many |= Outlet.value_or(At) != At;
        Outlet = At;
      }
      Taken |= H.Of;
      H = {llvm::BitVector(Threads), {}};
    }
  }

  llvm::BitVector &cell(int64_t At) { return Cells.try_emplace(At, llvm::BitVector(Threads)).first->second; }

  unsigned Threads, Interval = 0;
  ByPlace<llvm::BitVector> Cells;
  llvm::BitVector Taken, Stored;
  std::vector<Held> Pending;
  std::optional<int64_t> Outlet; ///< a place that is taken out
  bool Many = false;             ///< there are others
  bool Exact = false;
  const Expr *Update = nullptr;
};

/// Arrays in which a loop joins places: the others need no following.
llvm::SmallPtrSet<const Object *, 4> joined(const BlockRun &B) {
  llvm::SmallPtrSet<const Object *, 4> Found;
  for (const Access &A : B.Accesses)
    if (A.Kind == AccessKind::Write && A.LoopDepth && isShared(A.Obj) && A.Stored.V == Vary::Thread)
      Found.insert(A.Obj);
  return Found;
}

} // namespace

void kcheck::checkLostParts(IndexReporter &R) {
  for (const PlanSample &P : R.Model.plans())
    for (const LaunchSample &L : P.Launches) {
      if (!L.Run || !L.Step || !L.Step->Sure || L.Run->OutOfFuel || !L.Run->Imprecise.empty() || L.Run->Blocks.empty() || std::has_single_bit(L.Run->threads()))
        continue;
      const BlockRun &B = L.Run->Blocks.front();
      if (B.Skipped || !B.Escapes.empty())
        continue;
      for (const Object *O : joined(B)) {
        Contributions C(B, O, L.Run->threads());
        std::optional<unsigned> T = C.lost();
        if (!T || !R.once(C.update(), "lost"))
          continue;
        auto F = R.Ctx.report("coverage_mismatch", C.update()->getExprLoc(),
                              llvm::formatv("what thread {0} stores in {1} reaches no result: the {2} threads of this block are no power of two, and the steps leave some out{3}",
                                            *T, O->Name, L.Run->threads(), sizesText(L.Host)).str());
        F.kernel(L.Run->Kernel).note(L.Step->Call->getBeginLoc(), "launched here");
        if (!hasFewSizes(L))
          F.doubt();
      }
    }
}
