//===- Halos.cpp - neighbours of the elements at the border ---------------------===//
//
//   if (x < 1 || y < 1 || x > w - 1 || y > h - 1) return;     // guard_off_by_one: x = w - 1 has no neighbour at x + 1
//   out[y * w + x] = in[y * w + x - 1] + in[y * w + x + 1] + ...;
//
//   for (int dy = -1; dy <= 1; ++dy)                          // y + dy = h is the row below the last
//     if (y + dy >= 0 && y + dy <= h) sum += in[(y + dy) * w + x];
//
// A thread that computes one element and reads the ones before and behind it along an axis keeps to the extent at one end
// of the axis, and steps over it by a neighbour at the other: into the next row, or past the buffer. Where it steps
// over at both ends, or at none, the array may be padded, periodic or another's affair.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "llvm/ADT/MapVector.h"
#include "matchers/Vocabulary.h"
#include <map>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// How far a neighbour is at most, in elements along an axis; and the shortest extent that tells neighbours of one axis from those
/// of another.
constexpr int64_t Farthest = 8, ShortestExtent = 2 * Farthest + 1;
/// Of fewer threads a common distance tells nothing.
constexpr unsigned FewestThreads = 8;
/// Pairs of accesses that are compared in one block at most.
constexpr size_t MostPairs = 1u << 17;

/// Of a buffer that is read: size number Extent counts the elements that are the product of the sizes in Inner apart.
struct Axis {
  uint64_t Inner = 0;
  unsigned Extent = 0;
  std::string Buffer; ///< its name
  bool operator<(const Axis &O) const { return std::tie(Inner, Extent, Buffer) < std::tie(O.Inner, O.Extent, O.Buffer); }
};

/// A neighbour that lies over the end of the axis.
struct Crossing {
  const LaunchSample *L = nullptr;
  const BlockRun *Block = nullptr;
  const Access *Read = nullptr;
  unsigned Thread = 0;
  int64_t Element = 0; ///< that the thread computes, along the axis
};

/// What the threads of one run do at one end of an axis.
struct End {
  bool Tight = false;        ///< a neighbour is the outermost element, of a row that is not the first
  bool TightAnywhere = false;
  unsigned Over = 0;         ///< neighbours that lie over the end
  Crossing First;
};

/// One axis in one run.
struct AxisRun {
  End Low, High;
  unsigned Both = 0;         ///< elements with neighbours on both sides
  bool IsOutermost = true;   ///< no element lies beyond the extent
  bool FromStart = false;    ///< the first of the axis is computed too
  llvm::SmallPtrSet<const Expr *, 8> Reads;
};

/// One axis in all runs of a launch.
struct Verdict {
  std::set<int64_t> Extents; ///< at which one end, always the same, is stepped over
  bool Refuted = false;      ///< a run keeps to both ends, or to none
  bool High = false;
  bool IsOutermost = true, FromStart = false;
  Crossing First;
};

class Halos {
public:
  explicit Halos(IndexReporter &R) : R(R) {}

  void run() {
    for (const LaunchSample *L : R.Model.runs())
      if (L->Step && L->Host && !L->Run->OutOfFuel && L->Host->Overflows.empty())
        look(*L);
    for (auto &[Launch, Axes] : Found)
      tell(Launch, Axes);
  }

private:
  void look(const LaunchSample &L) {
    std::map<Axis, AxisRun> Axes;
    for (const BlockRun &B : L.Run->Blocks)
      if (B.Overflows.empty())
        look(L, B, Axes);
    bool AllBlocks = int64_t(L.Run->Blocks.size()) == L.Run->blocks();
    for (auto &[A, Run] : Axes) {
      if (!llvm::all_of(Run.Reads, [&](const Expr *E) { return Proven.contains(E); }) || (!Run.IsOutermost && mayBePitch(L, A)))
        continue;
      Verdict &V = Found[L.Step->Call][A];
      V.IsOutermost &= Run.IsOutermost;
      V.FromStart |= Run.FromStart;
      bool High = Run.High.Over;
      const End &Kept = High ? Run.Low : Run.High, &Crossed = High ? Run.High : Run.Low;
      bool Tight = Run.IsOutermost ? Kept.TightAnywhere : Kept.Tight;
      if ((Run.Low.Over && Run.High.Over) || (V.First.L && V.High != High && (Run.Low.Over || Run.High.Over)))
        V.Refuted = true;
      else if (Crossed.Over && Tight && Run.Both > Crossed.Over) {
        V.Extents.insert(L.Host->Sizes[A.Extent].Value);
        V.High = High;
        if (!V.First.L)
          V.First = Crossed.First;
      } else if (AllBlocks && (Crossed.Over || (Run.Both && Tight)))
        V.Refuted = true; // blocks that did not run may hold what the others lack
    }
  }

  /// Is another size a multiple of the extent? Then rows may be that far apart, and every place in one is the same in the other.
  static bool mayBePitch(const LaunchSample &L, const Axis &A) {
    int64_t Extent = L.Host->Sizes[A.Extent].Value;
    return llvm::any_of(L.Host->Sizes, [&](const Size &S) { return S.Value > Extent && S.Value % Extent == 0; });
  }

  /// The neighbours that the threads of one block read of the elements that they write.
  void look(const LaunchSample &L, const BlockRun &B, std::map<Axis, AxisRun> &Axes) {
    std::map<std::pair<const Object *, std::vector<unsigned>>, std::vector<const Access *>> Written;
    std::vector<const Access *> Reads;
    for (const Access &A : B.Accesses) {
      if (!A.Obj || A.Obj->Where != Space::Global || !A.E || A.OffsetTaint.Data || !A.Bytes)
        continue;
      if (A.Kind == AccessKind::Read)
        Reads.push_back(&A);
      else if (A.Kind == AccessKind::Write)
        Written[{A.Obj, A.Trips}].push_back(&A);
    }
    if (Reads.size() < 2 || Written.empty() || Reads.size() * Written.size() > MostPairs)
      return;
    for (auto &[Key, Stores] : Written) {
      if (Stores.size() != 1)
        continue; // several elements a thread: whose neighbour is it?
      const Access &W = *Stores.front();
      std::map<const Object *, std::vector<const Access *>> Of;
      for (const Access *Read : Reads)
        if (Read->Bytes == W.Bytes && Read->Sequence < W.Sequence && Read->Trips.size() >= W.Trips.size() &&
            std::equal(W.Trips.begin(), W.Trips.end(), Read->Trips.begin()))
          Of[Read->Obj].push_back(Read);
      for (auto &[Obj, Neighbours] : Of) {
        llvm::erase_if(Neighbours, [&](const Access *Read) { return !isNeighbour(*Read, W, L.Run->threads()); });
        if (Neighbours.size() > 1)
          compare(L, B, W, Neighbours, Axes);
      }
    }
  }

  /// Does the read lie at one distance from the element that is written for most threads? Those at a border may be clamped or wrapped. Of
  /// few threads, as the last block may have them, that proves nothing.
  bool isNeighbour(const Access &Read, const Access &W, unsigned Threads) {
    std::map<int64_t, unsigned> Distances;
    unsigned All = 0, Most = 0;
    forEachLane(Read.Who.Sure & W.Who.Sure, Threads, [&](unsigned T) {
      ++All;
      if (int64_t From = Read.Offset.at(T), At = W.Offset.at(T); From != Unk && At != Unk)
        Most = std::max(Most, ++Distances[From - At]);
    });
    bool Is = All && Most * 4 >= All * 3;
    if (Is && All >= FewestThreads)
      Proven.insert(Read.E);
    return Is;
  }

  /// Is the read further away along the axis than a neighbour is? A distance may hold steps along longer axes besides.
  static bool isFar(const Access &Read, const Access &W, int64_t Stride, int64_t Extent) {
    unsigned T = unsigned((Read.Who.Sure & W.Who.Sure).lowest());
    int64_t From = Read.Offset.at(T), At = W.Offset.at(T);
    if (From == Unk || At == Unk || (From - At) % (Stride * int64_t(W.Bytes)))
      return false;
    int64_t Rest = (From - At) / (Stride * int64_t(W.Bytes)) % Extent;
    return std::min(std::abs(Rest), Extent - std::abs(Rest)) > Farthest;
  }

  void compare(const LaunchSample &L, const BlockRun &B, const Access &W, llvm::ArrayRef<const Access *> Reads, std::map<Axis, AxisRun> &Axes) {
    for (auto [A, Stride] : axes(L)) {
      A.Buffer = Reads.front()->Obj->Name;
      int64_t Extent = L.Host->Sizes[A.Extent].Value;
      if (llvm::any_of(Reads, [&](const Access *Read) { return isFar(*Read, W, Stride, Extent); })) {
        Found[L.Step->Call][A].Refuted = true; // a loop along the whole axis
        continue;
      }
      forEachLane(W.Who.Sure, L.Run->threads(), [&](unsigned T) {
        int64_t At = W.Offset.at(T);
        if (At == Unk || At < 0 || At % int64_t(W.Bytes))
          return;
        int64_t Element = At / int64_t(W.Bytes), Place = Element / Stride % Extent;
        bool FirstRow = Element < Stride * Extent, Before = false, Behind = false;
        AxisRun *Run = nullptr;
        llvm::SmallPtrSet<const Expr *, 8> Seen;
        for (const Access *Read : Reads) {
          int64_t From = Read->Who.Sure.test(T) ? Read->Offset.at(T) : Unk;
          if (From == Unk || (From - At) % (Stride * int64_t(W.Bytes)))
            continue;
          int64_t Step = (From - At) / (Stride * int64_t(W.Bytes));
          if (!Step || Step > Farthest || Step < -Farthest)
            continue;
          Run = Run ? Run : &Axes[A];
          Seen.insert(Read->E);
          End &E = Step > 0 ? Run->High : Run->Low;
          (Step > 0 ? Behind : Before) = true;
          int64_t Left = Step > 0 ? Extent - 1 - (Place + Step) : Place + Step; // elements that are left beyond the neighbour
          if (Left < 0 && !E.Over++)
            E.First = {&L, &B, Read, T, Place};
          E.TightAnywhere |= !Left;
          E.Tight |= !Left && !FirstRow;
        }
        if (Run) {
          Run->Both += Before && Behind;
          Run->Reads.insert(Seen.begin(), Seen.end());
          Run->IsOutermost &= FirstRow;
          Run->FromStart |= !Place;
        }
      });
    }
  }

  /// The axes that the sizes of a launcher may count, each with its stride in elements.
  std::vector<std::pair<Axis, int64_t>> axes(const LaunchSample &L) const {
    std::vector<std::pair<Axis, int64_t>> All;
    const std::vector<Size> &Sizes = L.Host->Sizes;
    unsigned N = std::min<unsigned>(Sizes.size(), 6);
    for (uint64_t Inner = 0; Inner < (1u << N); ++Inner) {
      if (llvm::popcount(Inner) > 3)
        continue;
      int64_t Stride = 1;
      for (unsigned I = 0; I < N; ++I)
        if (Inner >> I & 1 && (Sizes[I].Value < ShortestExtent || __builtin_mul_overflow(Stride, Sizes[I].Value, &Stride)))
          Stride = 0;
      for (unsigned I = 0; Stride > 0 && I < N; ++I)
        if (!(Inner >> I & 1) && Sizes[I].Value >= ShortestExtent && Sizes[I].Value < INT32_MAX / 2 && Stride < INT32_MAX / 2)
          All.push_back({{Inner, I, {}}, Stride});
    }
    return All;
  }

  void tell(const CallExpr *Launch, std::map<Axis, Verdict> &Axes) {
    // An axis with a pitch shows that extents count elements, and not the steps between them.
    bool Pitched = llvm::any_of(Axes, [](auto &A) { return A.first.Inner && !A.second.Refuted && A.second.Extents.size() > 1; });
    for (auto &[A, V] : Axes) {
      if (V.Refuted || V.Extents.size() < 2)
        continue;
      const Crossing &C = V.First;
      const FunctionDecl *Kernel = C.L->Run->Kernel;
      if (!R.once(Kernel->getCanonicalDecl(), "reach"))
        continue;
      const Size &Extent = C.L->Host->Sizes[A.Extent];
      auto X = R.Ctx.report("guard_off_by_one", guard(*C.L, A.Extent, *C.Read),
                            llvm::formatv("thread {0} of block {1} reads a neighbour {2} element {3} of {4}{5}: {6}, and at the other end the kernel keeps to the extent",
                                          C.Thread, blockText(C.Block), V.High ? "behind" : "before", C.Element, Extent.Name, sizesText(C.L->Host),
                                          V.IsOutermost ? "it lies past the buffer" : "it is another row's").str());
      X.kernel(Kernel).note(C.Read->E->getExprLoc(), "the neighbour is read here").note(Launch->getBeginLoc(), "launched here");
      X.evidence("block", blockText(C.Block)).evidence("threads", llvm::json::Array{int64_t(C.Thread)});
      if (!isPlanned(*C.L) || (V.IsOutermost && !Pitched && !V.FromStart))
        X.doubt();
    }
  }

  /// The last comparison with the extent before the neighbour is read, min() counts as one; the read, where there is none.
  SourceLocation guard(const LaunchSample &L, unsigned Extent, const Access &Read) const {
    const FunctionDecl *K = L.Run->Kernel;
    const SourceManager &SM = K->getASTContext().getSourceManager();
    std::vector<const ParmVarDecl *> Params;
    for (unsigned I = 0; I < std::min<size_t>(L.Step->Args.size(), K->getNumParams()); ++I)
      if (const Value &A = L.Step->Args[I]; A.K == Value::Scalar && A.T.Params == 1ull << Extent && A.L.at(0) == L.Host->Sizes[Extent].Value)
        Params.push_back(K->getParamDecl(I));
    SourceLocation Best;
    auto Names = [&](const Expr *E) {
      return findExpr(E, [&](const Expr *X) {
        const auto *D = dyn_cast<DeclRefExpr>(X);
        return D && llvm::is_contained(Params, D->getDecl());
      });
    };
    findExpr(K->getBody(), [&](const Expr *E) {
      const auto *B = dyn_cast<BinaryOperator>(E);
      const auto *C = dyn_cast<CallExpr>(E);
      bool Compares = B ? B->isRelationalOp() && (Names(B->getLHS()) || Names(B->getRHS())) : C && StringRef(calleeName(C)).contains("min") && llvm::any_of(C->arguments(), Names);
      if (Compares && SM.isBeforeInTranslationUnit(E->getExprLoc(), Read.E->getExprLoc()))
        Best = E->getExprLoc();
      return false;
    });
    return Best.isValid() && Read.In == K ? Best : Read.E->getExprLoc();
  }

  IndexReporter &R;
  llvm::DenseSet<const Expr *> Proven; ///< reads of neighbours
  llvm::MapVector<const CallExpr *, std::map<Axis, Verdict>> Found;
};

} // namespace

void kcheck::checkHalos(IndexReporter &R) { Halos(R).run(); }
