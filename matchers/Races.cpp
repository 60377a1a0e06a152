#include "matchers/Races.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <algorithm>
#include <bit>

using namespace kcheck;
using namespace kcheck::eval;

bool kcheck::exclusive(const Access &A, const Access &B) {
  for (const Control &X : A.Path)
    for (const Control &Y : B.Path)
      if (X.S == Y.S && X.Side != Y.Side && X.T.V <= Vary::Block && Y.T.V <= Vary::Block)
        return true;
  return false;
}

bool kcheck::likely(const Access &A) {
  return std::all_of(A.Path.begin(), A.Path.end(), [](const Control &C) { return C.T.V <= Vary::Block; });
}

namespace {

/// Who touched a cell last in the interval at hand.
struct Touch {
  unsigned Access = ~0u, Thread = 0;
};
struct Cell {
  Touch Writer;
  Touch Readers[3]; ///< of different warps where possible
};

/// Of a read and a write of two warps, one that happens and one that only the data may prevent: the data would have to know.
bool dataDecides(const Access &A, unsigned ThreadA, const Access &B, unsigned ThreadB) {
  auto Decided = [](const Access &X) {
    return std::all_of(X.Path.begin(), X.Path.end(), [](const Control &C) { return !C.Unknown || C.T.V <= Vary::Block || (C.T.Data && !C.T.Atomic); });
  };
  // flag = 0; if (bad) flag = 1;
  if (A.Value != Unk && B.Value != Unk && A.Value != B.Value && isShared(A.Obj) && !A.Volatile && !B.Volatile && ThreadA / 32 != ThreadB / 32)
    return (A.Who.Sure.test(ThreadA) && Decided(B)) || (B.Who.Sure.test(ThreadB) && Decided(A));
  bool FirstReads = A.Kind == AccessKind::Read;
  const Access &Read = FirstReads ? A : B, &Write = FirstReads ? B : A;
  if (Read.Kind != AccessKind::Read || Write.Kind != AccessKind::Write || ThreadA / 32 == ThreadB / 32 || !isShared(A.Obj) || A.Volatile || B.Volatile)
    return false;
  return Read.Who.Sure.test(FirstReads ? ThreadA : ThreadB) ? Decided(Write) : Write.Who.Sure.test(FirstReads ? ThreadB : ThreadA) && Decided(Read);
}

/// Two stores that leave the same whichever comes last, as far as their values are known.
bool storeAlike(const Access &A, const Access &B) {
  bool Differ = A.Value != Unk && B.Value != Unk && A.Value != B.Value;
  return A.Kind != AccessKind::Read && B.Kind != AccessKind::Read && A.SameValue && B.SameValue && !Differ;
}

/// `i < n` with a size that is not known: large ones let every thread through.
bool isBound(const clang::Expr *E) {
  const auto *B = E ? llvm::dyn_cast<clang::BinaryOperator>(E->IgnoreParenImpCasts()) : nullptr;
  return B && (B->isRelationalOp() || (B->isLogicalOp() && isBound(B->getLHS()) && isBound(B->getRHS())));
}

/// Or because of sizes that the file does not show? Asked of shared memory alone: how many blocks there are is a guess then, too.
bool likelyInBlock(const Access &A) {
  return std::all_of(A.Path.begin(), A.Path.end(), [&](const Control &C) {
    return C.T.V <= Vary::Block || (isShared(A.Obj) && C.T.Assumed && !C.T.Data && isBound(C.Cond));
  });
}

/// `if (d >= length[row]) return;`: what goes on after it is what data lets through, as inside `if (d < length[row])`.
bool endsByData(const BlockRun &B) {
  return std::any_of(B.Branches.begin(), B.Branches.end(), [](const Control &C) {
    const auto *If = llvm::dyn_cast_or_null<clang::IfStmt>(C.S);
    const clang::Stmt *Last = If ? If->getThen() : nullptr;
    if (const auto *Body = llvm::dyn_cast_or_null<clang::CompoundStmt>(Last); Body && !Body->body_empty())
      Last = Body->body_back();
    return C.Unknown && C.T.Data && C.T.V > Vary::Block && llvm::isa_and_nonnull<clang::ReturnStmt>(Last);
  });
}

/// Rows that are no whole packets: where one is not aligned, that is another fault, or a promise of the callers.
bool isMisaligned(const Access &A, int64_t At) { return isGlobal(A.Obj) && std::has_single_bit(A.Bytes) && At % int64_t(A.Bytes) != 0; }

/// The variable through which an access is made: `list` of `list[k]`.
const clang::ValueDecl *rootOf(const clang::Expr *E) {
  while (E) {
    E = E->IgnoreParenCasts();
    if (const auto *D = llvm::dyn_cast<clang::DeclRefExpr>(E))
      return D->getDecl();
    if (const auto *S = llvm::dyn_cast<clang::ArraySubscriptExpr>(E))
      E = S->getBase();
    else if (const auto *M = llvm::dyn_cast<clang::MemberExpr>(E))
      E = M->getBase();
    else if (const auto *U = llvm::dyn_cast<clang::UnaryOperator>(E))
      E = U->getSubExpr();
    else if (const auto *B = llvm::dyn_cast<clang::BinaryOperator>(E))
      E = B->getLHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS();
    else if (const auto *C = llvm::dyn_cast<clang::CallExpr>(E))
      E = C->getNumArgs() ? C->getArg(0) : nullptr; // an atomic's target
    else
      return nullptr;
  }
  return nullptr;
}

/// May places that are not known lie in the same part? Several arrays are carved from one dynamic block.
bool samePart(const Access &A, const Access &B) {
  return A.Obj->Where != Space::DynamicShared || (A.Type == B.Type && A.In == B.In && rootOf(A.E) == rootOf(B.E));
}

class BlockRaces {
public:
  BlockRaces(const KernelRun &Run, const BlockRun &Block) : Run(Run), Block(Block), EndsByData(endsByData(Block)) {}

  std::vector<Race> find() {
    unsigned N = Run.threads();
    llvm::DenseSet<std::pair<const Object *, unsigned>> Changed; // with the interval: where all only read, nobody meets
    llvm::DenseMap<const Object *, int64_t> Narrowest; // bytes of a cell: one keeps only who touched it last
    for (const Access &A : Block.Accesses) {
      if (A.Kind != AccessKind::Read)
        Changed.insert({A.Obj, A.Interval});
      if (A.Bytes) {
        int64_t &Bytes = Narrowest.try_emplace(A.Obj, 4).first->second;
        Bytes = std::min(Bytes, int64_t(A.Bytes));
      }
    }
    for (unsigned I = 0; I < Block.Accesses.size(); ++I) {
      const Access &A = Block.Accesses[I];
      if (!A.Obj || A.Bytes == 0 || !(isShared(A.Obj) || isGlobal(A.Obj)) || !Changed.contains({A.Obj, A.Interval}))
        continue;
      auto &Cells = Memory[A.Obj];
      if (Interval[A.Obj] != A.Interval) {
        Cells.clear();
        LastKnown.erase(A.Obj);
        LastBlind.erase(A.Obj);
        Interval[A.Obj] = A.Interval;
      }
      if (isShared(A.Obj))
        blind(I);
      if (A.Offset.unknown())
        continue;
      if (Cells.empty())
        Cells.reserve(N);
      const int64_t Width = Narrowest[A.Obj];
      forEachLane(A.Who.May, N, [&](unsigned T) {
        int64_t At = A.Offset.at(T);
        if (At == Unk)
          return;
        for (int64_t C = At / Width; C <= (At + int64_t(A.Bytes) - 1) / Width; ++C)
          touch(Cells[C], I, T, At);
      });
    }
    return std::move(Found);
  }

private:
  /// A place that data chooses, and places that the thread index chooses: some threads meet. A doubt, unless the latter
  /// are all there are.
  void blind(unsigned I) {
    const Access &A = Block.Accesses[I];
    bool Blind = A.Offset.unknown() && A.OffsetTaint.V == Vary::Thread && A.OffsetTaint.Data && !A.OffsetTaint.Own;
    bool Spread = !A.Offset.unknown() && !A.Offset.uniform() && A.Who.Sure.count() > 1;
    if (!Blind && !Spread)
      return;
    auto &Mine = Blind ? LastBlind : LastKnown;
    auto &Theirs = Blind ? LastKnown : LastBlind;
    if (auto It = Theirs.find(A.Obj); It != Theirs.end()) {
      const Access &B = Block.Accesses[It->second];
      bool Conflict = B.Kind != AccessKind::Read && !(A.Kind == AccessKind::Atomic && B.Kind == AccessKind::Atomic);
      if (Conflict && A.WarpPhase == B.WarpPhase && !exclusive(A, B) && happens(A) && happens(B) && B.Who.Sure.count() > 1 &&
          samePart(A, B))
        meet(B, A, (Blind ? A : B).OffsetTaint.OwnWarp);
    }
    if (A.Kind != AccessKind::Read)
      Mine[A.Obj] = I;
  }

  static bool happens(const Access &A) { return likely(A) || A.Who.Sure.count() > 1; }

  /// OneWarp: the place that data chooses lies within the warp's own part; a warp synchronisation would do.
  void meet(const Access &B, const Access &A, bool OneWarp) {
    unsigned First = unsigned(B.Who.Sure.lowest()), Second = First;
    forEachLane(A.Who.May, Run.threads(), [&](unsigned T) {
      if (!OneWarp || T / 32 == First / 32)
        Second = T;
    });
    if (First == Second || (OneWarp && sameInWarp(B.Offset, First / 32)) || !Pairs.try_emplace({B.E, A.E}, Found.size()).second)
      return;
    bool Sure = !OneWarp && (B.Offset.unknown() ? coversAll(A) && B.Who.Sure.any() : coversAll(B) && A.Who.Sure.any()) && First / 32 != Second / 32;
    Found.push_back({&B, &A, First, Second, 0, OneWarp, Sure, &Block, &Block});
  }

  /// Threads surely touch every byte of the object: whatever place data chooses, it is one of theirs.
  bool coversAll(const Access &A) const {
    if (!A.Obj->Bytes || A.Obj->Where != Space::Shared)
      return false;
    llvm::DenseSet<int64_t> Places;
    forEachLane(A.Who.Sure, Run.threads(), [&](unsigned T) {
      if (A.Offset.at(T) != Unk)
        Places.insert(A.Offset.at(T));
    });
    return int64_t(Places.size() * A.Bytes) == *A.Obj->Bytes;
  }

  /// One lane's place is every lane's: nothing to choose among.
  bool sameInWarp(const Lanes &Offset, unsigned Warp) const {
    for (unsigned T = Warp * 32 + 1; T < std::min(Run.threads(), Warp * 32 + 32); ++T)
      if (Offset.at(T) != Offset.at(Warp * 32))
        return false;
    return true;
  }

  void touch(Cell &C, unsigned I, unsigned T, int64_t At) {
    const Access &A = Block.Accesses[I];
    if (A.Kind == AccessKind::Read) {
      compare(C.Writer, I, T, At);
      for (Touch &R : C.Readers) {
        if (R.Access == ~0u || (R.Access == I && R.Thread == T)) {
          R = {I, T};
          return;
        }
        if (R.Thread == T) { // a later read of the same thread tells no less
          R.Access = I;
          return;
        }
      }
      return;
    }
    compare(C.Writer, I, T, At);
    for (Touch &R : C.Readers)
      compare(R, I, T, At);
    // What may not happen leaves who surely wrote before.
    if (C.Writer.Access == ~0u || A.Who.Sure.test(T) || !Block.Accesses[C.Writer.Access].Who.Sure.test(C.Writer.Thread))
      C.Writer = {I, T};
  }

  /// bias[x] = global[x], by the threads of every row: two threads store what they read from one address.
  bool storesSame(const Access &A, unsigned T, const Access &B, unsigned U) const {
    if (A.From >= Block.Accesses.size() || B.From >= Block.Accesses.size())
      return false;
    const Access &X = Block.Accesses[A.From], &Y = Block.Accesses[B.From];
    return X.Obj && X.Obj == Y.Obj && X.Obj != A.Obj && X.Offset.at(T) != Unk && X.Offset.at(T) == Y.Offset.at(U);
  }

  void compare(const Touch &Before, unsigned I, unsigned T, int64_t At) {
    if (Before.Access == ~0u || Before.Thread == T)
      return;
    const Access &A = Block.Accesses[Before.Access], &B = Block.Accesses[I];
    if (A.Kind == AccessKind::Atomic && B.Kind == AccessKind::Atomic)
      return;
    // the same bytes, not only the same word
    int64_t AtA = A.Offset.at(Before.Thread);
    if (AtA + int64_t(A.Bytes) <= At || At + int64_t(B.Bytes) <= AtA || isMisaligned(A, AtA) || isMisaligned(B, At))
      return;
    bool SameWarp = Before.Thread / 32 == T / 32;
    if (SameWarp && A.WarpPhase != B.WarpPhase)
      return;
    // One warp's threads read an instruction's operands before any of them writes, in practice and where the
    // compiler may not split it; across instructions nothing holds them together.
    if (SameWarp && Before.Access == I && B.Kind == AccessKind::Read)
      return;
    if (storeAlike(A, B))
      return;
    if (A.E == B.E && storesSame(A, Before.Thread, B, T))
      return;
    // Every thread stores the same before it reads: it finds that, whoever stored last.
    if (A.Kind == AccessKind::Write && B.Kind == AccessKind::Read && A.SameValue && A.Who.Sure.test(T) && A.Offset.at(T) == AtA)
      return;
    if (exclusive(A, B))
      return;
    // One a pair of expressions: of two warps where there is such a pair of threads, which only a block barrier holds apart.
    auto Had = Pairs.find({A.E, B.E});
    if (Had != Pairs.end() && (SameWarp || !Found[Had->second].SameWarp))
      return;
    bool Sure = A.Who.Sure.test(Before.Thread) && B.Who.Sure.test(T);
    if (!Sure && !(likelyInBlock(A) && likelyInBlock(B)) && !dataDecides(A, Before.Thread, B, T))
      return;
    if (!Sure && EndsByData && isGlobal(A.Obj))
      return;
    Race R{&A, &B, Before.Thread, T, At, SameWarp, Sure, &Block, &Block};
    if (Had == Pairs.end()) {
      Pairs.try_emplace({A.E, B.E}, Found.size());
      Found.push_back(R);
    } else if (Sure || !Found[Had->second].Sure)
      Found[Had->second] = R;
  }

  const KernelRun &Run;
  const BlockRun &Block;
  const bool EndsByData;
  std::vector<Race> Found;
  llvm::DenseMap<const Object *, ByPlace<Cell>> Memory;
  llvm::DenseMap<const Object *, unsigned> Interval, LastKnown, LastBlind;
  llvm::DenseMap<std::pair<const clang::Expr *, const clang::Expr *>, size_t> Pairs; ///< to their place in Found
};

/// What two blocks read of global memory, place by place.
enum class Reading { Alike, Mixed, Apart };

Reading compareReads(const BlockRun &A, const BlockRun &B, unsigned N) {
  auto Next = [](const BlockRun &Of, size_t &I) {
    while (I < Of.Accesses.size() && (Of.Accesses[I].Kind != AccessKind::Read || !isGlobal(Of.Accesses[I].Obj)))
      ++I;
    return I < Of.Accesses.size() ? &Of.Accesses[I++] : nullptr;
  };
  bool Same = false, Different = false;
  size_t I = 0, J = 0;
  for (;;) {
    const Access *X = Next(A, I), *Y = Next(B, J);
    if (!X && !Y)
      break;
    bool Equal = X && Y && X->Obj == Y->Obj && !X->Offset.unknown();
    for (unsigned T = 0; Equal && T < N; ++T)
      Equal = X->Offset.at(T) == Y->Offset.at(T);
    (Equal ? Same : Different) = true;
  }
  return !Different ? Reading::Alike : Same ? Reading::Mixed : Reading::Apart;
}

/// `out[0] = sum`, once a block: one value for each block's threads, but is it the same for all blocks? It is where they read
/// the same.
/// \p Reads: what their blocks read, compared.
bool blocksStoreAlike(const KernelRun &Run, const Access &X, const Access &Y, llvm::function_ref<Reading()> Reads, bool &Sure) {
  if (Run.Assumed && Reads() == Reading::Alike) // a kernel for one block, perhaps
    return true;
  if (!storeAlike(X, Y))
    return false;
  auto Fixed = [](const Access &Z) { return Z.Value != Unk || (Z.Stored.V == Vary::Grid && !Z.Stored.Data && !Z.Stored.Assumed); };
  if (X.Kind != AccessKind::Write || Y.Kind != AccessKind::Write || (Fixed(X) && Fixed(Y)))
    return true;
  Reading How = Reads();
  Sure &= How == Reading::Apart;
  return How == Reading::Alike;
}

/// The objects in which two blocks' accesses may lie at one place: blocks mostly keep to ranges of their own.
llvm::DenseSet<const Object *> objectsInCommon(const KernelRun &Run, llvm::function_ref<bool(const Access &)> Counts) {
  struct Range {
    int64_t First, Last;
  };
  llvm::DenseMap<const Object *, std::vector<Range>> Of;
  unsigned N = Run.threads();
  for (const BlockRun &B : Run.Blocks) {
    llvm::DenseMap<const Object *, Range> Mine;
    for (const Access &A : B.Accesses) {
      if (A.Kind == AccessKind::Atomic || !Counts(A))
        continue;
      Range &R = Mine.try_emplace(A.Obj, Range{INT64_MAX, INT64_MIN}).first->second;
      auto Add = [&](int64_t At) {
        if (At != Unk)
          R = {std::min(R.First, At), std::max(R.Last, At)};
      };
      if (A.Offset.uniform()) {
        if (A.Who.May.any())
          Add(A.Offset.at(0));
      } else
        forEachLane(A.Who.May, N, [&](unsigned T) { Add(A.Offset.at(T)); });
    }
    for (auto &[O, R] : Mine)
      if (R.First <= R.Last)
        Of[O].push_back(R);
  }
  llvm::DenseSet<const Object *> Common;
  for (auto &[O, Ranges] : Of) {
    llvm::sort(Ranges, [](const Range &A, const Range &B) { return A.First < B.First; });
    for (size_t I = 1; I < Ranges.size(); ++I)
      if (Ranges[I].First <= Ranges[I - 1].Last)
        Common.insert(O);
  }
  return Common;
}

std::vector<Race> findBetweenBlocks(const KernelRun &Run) {
  std::vector<Race> Found;
  struct Last {
    const Access *A;
    const BlockRun *B;
    unsigned Thread;
  };
  // One writer a word of a global object, by the first block that wrote it.
  llvm::DenseMap<const Object *, ByPlace<Last>> Written;
  llvm::DenseSet<std::pair<const clang::Expr *, const clang::Expr *>> Pairs;
  unsigned N = Run.threads();
  llvm::DenseMap<std::pair<const BlockRun *, const BlockRun *>, Reading> Compared;
  const bool ByData = std::any_of(Run.Blocks.begin(), Run.Blocks.end(), endsByData);
  auto Counts = [&](const Access &A) {
    if (!isGlobal(A.Obj) || A.Bytes == 0 || A.Offset.unknown() || A.Volatile || A.OffsetTaint.Atomic)
      return false;
    for (const Control &C : A.Path)
      if (C.T.Atomic)
        return false;
    return true;
  };
  const auto Common = objectsInCommon(Run, Counts);
  for (const BlockRun &B : Run.Blocks)
    for (const Access &A : B.Accesses) {
      if (A.Kind != AccessKind::Write || !Common.contains(A.Obj) || !Counts(A))
        continue;
      auto &Map = Written[A.Obj];
      forEachLane(A.Who.May, N, [&](unsigned T) {
        int64_t At = A.Offset.at(T);
        if (At != Unk)
          Map.try_emplace(At, Last{&A, &B, T});
      });
    }
  for (const BlockRun &B : Run.Blocks)
    for (const Access &A : B.Accesses) {
      if (A.Kind == AccessKind::Atomic || !Counts(A))
        continue;
      auto It = Written.find(A.Obj);
      if (It == Written.end())
        continue;
      forEachLane(A.Who.May, N, [&](unsigned T) {
        int64_t At = A.Offset.at(T);
        if (At == Unk)
          return;
        auto W = It->second.find(At);
        if (W == It->second.end() || W->second.B == &B)
          return;
        const Access &First = *W->second.A;
        if (exclusive(First, A) || !(likely(First) && likely(A)) || Pairs.contains({First.E, A.E}))
          return;
        bool Sure = First.Who.Sure.test(W->second.Thread) && A.Who.Sure.test(T);
        if ((!Sure && ByData) || isMisaligned(First, At) || isMisaligned(A, At))
          return;
        auto Reads = [&] { // once two blocks, however many places they share
          auto [Known, New] = Compared.try_emplace({W->second.B, &B});
          if (New)
            Known->second = compareReads(*W->second.B, B, N);
          return Known->second;
        };
        if (blocksStoreAlike(Run, First, A, Reads, Sure))
          return;
        Pairs.insert({First.E, A.E});
        Found.push_back({&First, &A, W->second.Thread, T, At, false, Sure, W->second.B, &B});
      });
    }
  return Found;
}

} // namespace

bool kcheck::readAlike(const BlockRun &A, const BlockRun &B, unsigned Threads) { return compareReads(A, B, Threads) == Reading::Alike; }

const std::vector<Race> &RaceModel::inBlock(const KernelRun &Run, const BlockRun &Block) {
  auto [It, New] = Within.try_emplace(&Block);
  if (New)
    It->second = BlockRaces(Run, Block).find();
  return It->second;
}

const std::vector<Race> &RaceModel::betweenBlocks(const KernelRun &Run) {
  auto [It, New] = Between.try_emplace(&Run);
  if (New)
    It->second = findBetweenBlocks(Run);
  return It->second;
}
