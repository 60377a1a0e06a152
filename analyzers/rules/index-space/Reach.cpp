//===- Reach.cpp - what a launch touches, against the size of its buffers -------===//
//
//   y[i] = x[i];                          // missing_bounds_guard where the grid is rounded up
//   if (i <= n) y[i] = x[i];              // guard_off_by_one
//   if (i < n / 4) out[i] = in[i];        // float4 without the rest: tail_not_covered
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Constants.h"
#include "matchers/Footprint.h"
#include "matchers/VariableWrites.h"
#include <set>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// Values that a kernel compares its parameters with for equality.
class Choices : public ConstDynamicRecursiveASTVisitor {
public:
  explicit Choices(const FunctionDecl *K) : AST(K->getASTContext()) {
    if (K->hasBody())
      TraverseStmt(K->getBody());
  }
  std::vector<std::pair<const ParmVarDecl *, int64_t>> Found;

  bool VisitBinaryOperator(const BinaryOperator *B) override {
    if (B->isEqualityOp()) {
      add(B->getLHS(), B->getRHS());
      add(B->getRHS(), B->getLHS());
    }
    return true;
  }
  bool VisitSwitchStmt(const SwitchStmt *S) override {
    for (const SwitchCase *C = S->getSwitchCaseList(); C; C = C->getNextSwitchCase())
      if (const auto *Case = dyn_cast<CaseStmt>(C))
        add(S->getCond(), Case->getLHS());
    return true;
  }

private:
  void add(const Expr *A, const Expr *B) {
    const auto *P = dyn_cast_or_null<ParmVarDecl>(namedVariable(A));
    if (auto C = P ? constantValue(B, AST) : std::nullopt)
      Found.push_back({P, *C});
  }
  const ASTContext &AST;
};

class ReachCheck {
public:
  explicit ReachCheck(IndexReporter &R) : R(R), All(R.Model) {}

  void run() {
    outsideAllocated();
    for (const Footprint &F : All.all())
      if (!below(F) && !R.Collided.count(F.Kernel))
        compare(F);
    // One finding a kernel. A buffer of another shape may be passed by just one row where the next is passed by many
    // elements: that one tells more.
    for (bool OneOver : {false, true})
      for (const Overrun &X : Far)
        if (X.OneOver == OneOver)
          tooFar(X);
  }

private:
  struct Overrun {
    const Footprint *F;
    Contract C;
    const Reach *S;
    bool OneOver;
  };

  bool once(const FunctionDecl *Kernel, StringRef What) { return R.once(Kernel->getCanonicalDecl(), What); }

  /// Below the start: no size makes that right.
  bool below(const Footprint &F) {
    // Of many sizes some are windows or pitches of others.
    bool Relation = llvm::any_of(F.Samples, [](const Reach &S) { return S.Begin >= 0 && S.Launch->Plan->Aligned && hasManySizes(*S.Launch); });
    for (const Reach &S : F.Samples)
      if (!Relation && S.Begin < 0 && S.First && S.FirstBlock->Overflows.empty() && once(F.Kernel, "below")) {
        auto X = R.Ctx.report("missing_bounds_guard", S.First->E->getExprLoc(),
                              llvm::formatv("thread {0} of block {1} accesses {2} {3} bytes before its start{4}", S.FirstThread, blockText(S.FirstBlock), F.Name,
                                            -S.Begin, sizesText(S.Launch->Host)).str());
        X.kernel(F.Kernel);
        if (!isPlanned(*S.Launch) || S.Launch->Plan->Sizes > 1 || !S.First->Who.Sure.test(S.FirstThread))
          X.doubt();
        return true;
      }
    return false;
  }

  /// An access of what the launcher allocates itself, before its start or past its end.
  struct Outside {
    const LaunchSample *Launch = nullptr;
    const BlockRun *Block = nullptr;
    const Access *A = nullptr;
    unsigned Thread = 0;
  };

  void tellOutside(const Outside &X, const std::string &Where, bool Doubt) {
    auto F = R.Ctx.report("missing_bounds_guard", X.A->E->getExprLoc(),
                          llvm::formatv("thread {0} of block {1} accesses {2} {3}{4}", X.Thread, blockText(X.Block), X.A->Obj->Name, Where,
                                        sizesText(X.Launch->Host)).str());
    F.kernel(X.Launch->Run->Kernel).note(X.A->Obj->AllocatedAt->getExprLoc(), "allocated here");
    if (Doubt || !isPlanned(*X.Launch) || !hasFewSizes(*X.Launch))
      F.doubt();
  }

  /// The same of what the launcher allocates itself. What is passed at even sizes too is an allocation that is too small: rule 3's.
  void outsideAllocated() {
    std::map<std::pair<const Expr *, const FunctionDecl *>, Outside> Past;
    std::set<std::pair<const Expr *, const FunctionDecl *>> EvenToo;
    for (const LaunchSample *L : R.Model.runs())
      if (L->Step && !L->Run->OutOfFuel)
        forEachGlobal(*L->Run, [&](const BlockRun &B, const Access &A) {
          if (!A.Obj->AllocatedAt || !A.E || !B.Overflows.empty())
            return;
          forEachLane(A.Who.Sure, L->Run->threads(), [&](unsigned T) {
            int64_t At = A.Offset.at(T);
            Outside Here{L, &B, &A, T};
            if (At != Unk && At < 0 && once(L->Run->Kernel, "below"))
              tellOutside(Here, llvm::formatv("{0} bytes before its start", -At).str(), false);
            if (At == Unk || !A.Obj->Bytes || At + int64_t(A.Bytes) <= *A.Obj->Bytes || A.OffsetTaint.Data)
              return;
            std::pair Key{A.Obj->AllocatedAt, L->Run->Kernel};
            if (L->Plan && L->Plan->Aligned)
              EvenToo.insert(Key);
            Past.try_emplace(Key, Here);
          });
        });
    for (auto &[Key, X] : Past) {
      if (EvenToo.count(Key) || !once(Key.second, "reach"))
        continue;
      int64_t Bytes = *X.A->Obj->Bytes, At = X.A->Offset.at(X.Thread);
      // A packet that begins inside, and quotients that leave a remainder, are right where callers keep to whole ones.
      tellOutside(X, llvm::formatv("at byte {0} of the {1} that are allocated", At, Bytes).str(), At < Bytes || breaksDivision(*X.Launch) || dropsRemainder(*X.Launch));
    }
  }

  /// `x[n - i]`: backwards from one past the end, and never to the first element.
  bool countsFromOne(const Footprint &F) {
    const std::vector<Size> *Sizes = F.Samples.size() > 1 ? &F.Samples.front().Launch->Host->Sizes : nullptr;
    for (size_t I = 0; Sizes && F.Element && I < Sizes->size() && I < 64; ++I) {
      bool All = llvm::all_of(F.Samples, [&](const Reach &S) {
        int64_t E = F.Element;
        return I < S.Launch->Host->Sizes.size() && !S.Empty && S.First && S.Last && S.Begin == E && S.End == (S.Launch->Host->Sizes[I].Value + 1) * E &&
               (S.Launch->Run->threads() < 2 || S.Last->Offset.at(0) > S.Last->Offset.at(1));
      });
      if (!All || !once(F.Kernel, "reach"))
        continue;
      R.Ctx.report("guard_off_by_one", F.Samples.front().Last->E->getExprLoc(),
                   "elements 1 to " + Sizes->at(I).Name + " of " + F.Name + " are reached, backwards, and element 0 never: one less is meant, unless the buffer has one more")
          .kernel(F.Kernel)
          .doubt();
      return true;
    }
    return false;
  }

  /// All of the launch's buffers end one element before a size that its grid counts with, whose last block then has nothing to do.
  void lastIsLeft(const Footprint &F) {
    if (F.Samples.size() < 2)
      return;
    const std::vector<Size> &Sizes = F.Samples.front().Launch->Host->Sizes;
    for (size_t I = 0; I < Sizes.size() && I < 64; ++I) {
      bool Idle = false;
      auto OneShort = [&](const Footprint &G, const Reach &S) {
        if (I >= S.Launch->Host->Sizes.size()) // another launcher's, of fewer sizes
          return false;
        int64_t N = S.Launch->Host->Sizes[I].Value;
        return N == 1 || (!S.Empty && S.End == (N - 1) * int64_t(G.Element) && (!G.Written || S.Distinct == S.End || !S.Distinct));
      };
      bool All = F.Written && F.Element && llvm::all_of(this->All.all(), [&](const Footprint &G) {
        return G.Launch != F.Launch || (G.Element && llvm::all_of(G.Samples, [&](const Reach &S) { return OneShort(G, S); }));
      });
      for (const Reach &S : F.Samples)
        Idle |= S.Launch->Run && S.Launch->Step->GridTaint[0].Params >> I & 1 && S.Launch->Run->Grid[0] > 1 &&
                !S.Launch->Run->Blocks.empty() && isIdle(S.Launch->Run->Blocks.back());
      if (All && Idle && once(F.Kernel, "reach"))
        R.Ctx.report("guard_off_by_one", F.Launch->getBeginLoc(),
                     "the grid counts " + Sizes[I].Name + " elements, but no thread touches the last one of any buffer")
            .kernel(F.Kernel)
            .doubt();
    }
  }

  void compare(const Footprint &F) {
    if (countsFromOne(F))
      return;
    std::optional<Contract> C = Footprints::contract(F);
    if (!C)
      return lastIsLeft(F);
    const Reach *Over = nullptr, *Short = nullptr, *Clipped = nullptr, *Holes = nullptr;
    bool OneOver = true, FixedGrid = true, DenseSomewhere = false;
    for (const Reach &S : F.Samples) {
      int64_t Want = C->bytes(F, S);
      for (const Taint &T : S.Launch->Step->GridTaint)
        FixedGrid &= !T.Params;
      if (S.End > Want && !S.Bytes && S.End <= roundedUp(*C, *S.Launch->Host) * int64_t(F.Element))
        continue;
      if (S.End != Want && hasSpecialValue(*S.Launch, C->Sizes | C->Twice))
        continue;
      if (S.End > Want) {
        OneOver &= isOneOver(F, *C, S, Want);
        if (!Over || (S.LastBlock && S.LastBlock->Index[0]))
          Over = &S;
      } else if (S.Whole && S.End < Want) {
        if (F.Written && S.Distinct > 0 && blockIsClipped(*S.Launch))
          Clipped = &S;
        if (!hasNothingToDo(C->elements(F, S), S))
          Short = Short && !Short->Empty ? Short : &S;
      } else if (S.Whole && F.Written && S.Distinct > 0 && S.End == Want) {
        if (S.Distinct == S.End)
          DenseSomewhere |= S.End > int64_t(F.Element);
        else
          Holes = &S;
      }
    }
    bool NoData = Over && Over->Bytes == 0; // no element at sizes that are no sizes
    if (Over && (NoData || lengthIsArgument(F) || isPerBlock(F, *C) || isPartOfWhole(F, *C)))
      return;
    if (Over)
      Far.push_back({&F, *C, Over, OneOver});
    else if (Clipped && DenseSomewhere)
      tooFewThreads(F, *C, *Clipped);
    else if (Short)
      tooShort(F, *C, *Short, FixedGrid);
    else if (Holes)
      holes(F, *Holes, DenseSomewhere);
  }

  /// The kernel is told at every size how far it goes, otherwise than in whole blocks: that is how long the buffer is.
  static bool lengthIsArgument(const Footprint &F) {
    const Reach &Any = F.Samples.front();
    for (size_t I = 0; I < Any.Launch->Step->Args.size(); ++I) {
      bool Whole = true, Same = llvm::all_of(F.Samples, [&](const Reach &S) {
        const Value &A = S.Launch->Step->Args[I];
        if (S.Empty || A.K != Value::Scalar || A.L.at(0) == Unk || A.L.at(0) * int64_t(F.Element) != S.End)
          return false;
        Whole &= A.L.at(0) % int64_t(S.Launch->Run->threads()) == 0;
        return true;
      });
      if (Same && !Whole)
        return true;
    }
    return false;
  }

  /// Each block has a few elements of its own, fewer than threads: so many more with each block, which is no size.
  static bool isPerBlock(const Footprint &F, const Contract &C) {
    if (C.Divide == 1)
      return false;
    std::set<int64_t> PerBlock, Grids;
    for (const Reach &S : F.Samples) {
      if (S.Empty || S.End <= 0)
        return false;
      const KernelRun &R = *S.Launch->Run;
      int64_t Blocks = R.blocks(), Each = S.End / int64_t(F.Element) / Blocks;
      if (S.End != Each * Blocks * int64_t(F.Element) || Each >= int64_t(R.threads()))
        return false;
      PerBlock.insert(Each);
      Grids.insert(Blocks);
    }
    return PerBlock.size() == 1 && Grids.size() > 1;
  }

  /// Another launch of the same plan goes further than the contract at sizes that fit the blocks: this one does a part.
  bool isPartOfWhole(const Footprint &F, const Contract &C) const {
    return llvm::any_of(All.all(), [&](const Footprint &G) {
      return G.Buffer == F.Buffer && G.Name == F.Name && G.Launch != F.Launch && llvm::any_of(G.Samples, [&](const Reach &Other) {
               return Other.Launch->Plan && Other.Launch->Plan->Aligned && !Other.Empty &&
                      llvm::any_of(F.Samples, [&](const Reach &S) { return S.Launch->Plan == Other.Launch->Plan && Other.End > C.bytes(F, S); });
             });
    });
  }

  /// Worked on in place, and never more than the last element left: of pairs, one has no partner.
  static bool leavesOddOne(const Footprint &F, const Contract &C) {
    return llvm::all_of(F.Samples, [&](const Reach &S) {
      return S.Empty || (isRead(F, S) && C.elements(F, S) - S.End / int64_t(F.Element) <= 1);
    });
  }

  /// One element, or one row, too many.
  static bool isOneOver(const Footprint &F, const Contract &C, const Reach &S, int64_t Want) {
    int64_t Extra = (S.End - Want) / int64_t(F.Element), Elements = Want / int64_t(F.Element);
    return Extra == 1 || llvm::any_of(S.Launch->Host->Sizes, [&](const Size &X) {
             return C.Sizes && X.Value > 1 && Elements % X.Value == 0 && Extra == Elements / X.Value;
           });
  }

  static bool hasNothingToDo(int64_t Elements, const Reach &S) {
    int64_t Threads = 1;
    for (unsigned A = 0; A < 3; ++A)
      Threads *= S.Launch->Step->Grid[A].value_or(0) * S.Launch->Step->Block[A].value_or(0);
    // Enough threads, and none has anything to do: a single element has no interior, no predecessor, no pair.
    if (S.End <= 0 && Threads >= Elements)
      return true;
    // A number of blocks that wrapped to zero in 32 bits is the sample's fault; nor has one element a partner.
    return S.Empty && (Elements > INT32_MAX || Elements == 1);
  }

  /// ceil(h / 2) * ceil(w / 2) is more than ceil(h * w / 4): how far a quotient of several sizes may reach when each is rounded.
  static int64_t roundedUp(const Contract &C, const HostRun &H) {
    int64_t P = C.Multiply;
    unsigned Factors = 0;
    for (unsigned I = 0; I < H.Sizes.size() && I < 64; ++I)
      for (uint64_t Set : {C.Sizes, C.Twice})
        if (Set >> I & 1) {
          P *= H.Sizes[I].Value + C.Divide - 1;
          ++Factors;
        }
    return C.Divide > 1 && Factors > 1 ? P / C.Divide : 0;
  }

  /// `if (layout == 1)`: a parameter whose value here the kernel compares for equality chooses among ways to work, and
  /// what the other values show says nothing of this one. Sizes that the contract counts are no such choice.
  bool hasSpecialValue(const LaunchSample &L, uint64_t Counted) {
    const FunctionDecl *K = L.Step->Kernel; // an empty grid has no run
    auto It = Chosen.find(K);
    if (It == Chosen.end())
      It = Chosen.emplace(K, Choices(K).Found).first;
    return llvm::any_of(It->second, [&](auto &Choice) {
      unsigned I = Choice.first->getFunctionScopeIndex();
      if (Choice.first->getDeclContext() != K || I >= L.Step->Args.size() || L.Step->Args[I].K != Value::Scalar)
        return false;
      const Value &Arg = L.Step->Args[I];
      return Arg.T.Params && !(Arg.T.Params & Counted) && Arg.L.at(0) == Choice.second;
    });
  }

  /// `(n + 3) / 4` packets, which the kernel is told: nobody who keeps to whole packets rounds up.
  static bool countsRestAsPacket(const Step &L, int64_t Elements, int64_t Width) {
    return Elements % Width && llvm::any_of(L.Args, [&](const Value &A) { return A.K == Value::Scalar && !A.Float && A.L.at(0) == (Elements + Width - 1) / Width; });
  }

  void tooFar(const Overrun &O) {
    const Footprint &F = *O.F;
    const Reach &S = *O.S;
    if (!once(F.Kernel, "reach"))
      return;
    int64_t Elements = O.C.elements(F, S), Index = S.End / int64_t(F.Element) - 1;
    auto X = R.Ctx.report(O.OneOver ? "guard_off_by_one" : "missing_bounds_guard", S.Last->E->getExprLoc(),
                          llvm::formatv("thread {0} of block {1} accesses {2}[{3}]{4}: the buffer has {5} elements ({6})", S.LastThread, blockText(S.LastBlock),
                                        F.Name, Index, sizesText(S.Launch->Host), Elements, O.C.Text).str());
    X.kernel(F.Kernel)
        .evidence("block", blockText(S.LastBlock))
        .evidence("threads", llvm::json::Array{int64_t(S.LastThread)})
        .evidence("index", Index)
        .evidence("elements", Elements);
    X.note(F.Launch->getBeginLoc(), "launched here");
    // A vector that begins inside and ends outside: right where sizes are multiples of its width, which callers may know.
    bool Straddles = S.Last->Bytes > F.Element && S.End - int64_t(S.Last->Bytes) < Elements * int64_t(F.Element) &&
                     !countsRestAsPacket(*S.Launch->Step, Elements, int64_t(S.Last->Bytes / F.Element));
    if (!isPlanned(*S.Launch) || (!hasFewSizes(*S.Launch) && !S.Bytes) || R.Padded || Straddles || breaksDivision(*S.Launch) || dropsRemainder(*S.Launch) ||
        hangsOnAnotherSize(S) || !S.Last->Who.Sure.test(S.LastThread))
      X.doubt();
  }

  /// Is it a size that has no part in the length of the buffer that carries the launch past it, one of many or one that no buffer's
  /// length hangs on? Then callers may keep it small enough.
  bool hangsOnAnotherSize(const Reach &S) {
    const LaunchSample &L = *S.Launch;
    const Object *Buffer = S.Last->Obj;
    if (!S.Bytes || !Buffer)
      return false;
    uint64_t Lengths = 0;
    for (const Value &A : L.Step->Args)
      if (A.K == Value::Pointer && A.Obj)
        Lengths |= A.Obj->BytesTaint.Params;
    for (unsigned I = 0; I < L.Step->Args.size(); ++I) {
      const Value &A = L.Step->Args[I];
      if (A.K != Value::Scalar || A.Float || !A.T.Params || (A.T.Params & (hasManySizes(L) ? Buffer->BytesTaint.Params : Lengths)) ||
          A.L.at(0) == Unk || A.L.at(0) < 2)
        continue;
      std::unique_ptr<KernelRun> Smaller = R.Model.tryArgument(*L.Step, I, 1);
      bool Passes = !Smaller;
      if (Smaller)
        forEachGlobal(*Smaller, [&](const BlockRun &, const Access &X) {
          if (X.Obj == Buffer || (X.Obj->Decl == Buffer->Decl && X.Obj->Name == Buffer->Name))
            forEachLane(X.Who.May, Smaller->threads(), [&](unsigned T) { Passes |= X.Offset.at(T) == Unk || X.Offset.at(T) + int64_t(X.Bytes) > *S.Bytes; });
        });
      if (!Passes)
        return true;
    }
    return false;
  }

  /// `for (t = 0; t < K / 16; ++t)` over tiles of 16 of each row: the rest of a row is left, although the launch takes care of the other sizes' rests.
  bool leavesRestOfRows(const Footprint &F, const Contract &C, const Reach &S) const {
    int64_t Left = C.elements(F, S) - S.End / int64_t(F.Element);
    if (F.Written || llvm::popcount(C.Sizes) < 2 || C.Divide > 1 || !S.Last || S.Last->Bytes != F.Element || breaksDivision(*S.Launch))
      return false;
    for (unsigned I = 0; I < S.Launch->Host->Sizes.size() && I < 64; ++I)
      for (int64_t Tile : {8, 16, 32, 64})
        if (C.Sizes >> I & 1 && S.Launch->Host->Sizes[I].Value > Tile && S.Launch->Host->Sizes[I].Value % Tile == Left && takesCareOfOtherRests(F, I, Tile))
          return true;
    return false;
  }

  /// Is all written at sizes that are no multiples of the tile, besides size \p Row?
  bool takesCareOfOtherRests(const Footprint &F, unsigned Row, int64_t Tile) const {
    return llvm::any_of(All.all(), [&](const Footprint &G) {
      std::optional<Contract> C = G.Launch == F.Launch && G.Written && !(G.Samples.empty()) ? Footprints::contract(G) : std::nullopt;
      return C && llvm::any_of(G.Samples, [&](const Reach &S) {
               bool Rest = false;
               for (unsigned I = 0; I < S.Launch->Host->Sizes.size() && I < 64; ++I)
                 Rest |= I != Row && C->Sizes >> I & 1 && S.Launch->Host->Sizes[I].Value % Tile && S.Launch->Host->Sizes[I].Value > 1;
               return Rest && S.Whole && S.End == C->bytes(G, S);
             });
    });
  }

  void tooShort(const Footprint &F, const Contract &C, const Reach &S, bool FixedGrid) {
    int64_t Want = C.elements(F, S), Have = S.End / int64_t(F.Element);
    if (!R.Padded && !S.Empty && leavesRestOfRows(F, C, S) && R.once(F.Launch, SaidShort) && once(F.Kernel, SaidShort)) {
      auto X = R.Ctx.report("tail_not_covered", S.Last->E->getExprLoc(),
                            llvm::formatv("the last {0} elements of each row of {1} are never read ({2}){3}: the number of tiles is rounded down", Want - Have, F.Name, C.Text,
                                          sizesText(S.Launch->Host)).str());
      X.kernel(F.Kernel).evidence("covered", Have).evidence("elements", Want).note(F.Launch->getBeginLoc(), "launched here").doubt();
      return;
    }
    if ((R.Padded && Want - Have < 1024) || breaksDivision(*S.Launch) || (S.Empty && (R.said(F.Launch, EmptyLaunch) || hasManySizes(*S.Launch))))
      return;
    // An interior, a pooled or strided read, a pair without a partner: elements that the kernel leaves by its own rule.
    int64_t Width = S.Last ? int64_t(S.Last->Bytes / F.Element) : 1;
    bool Lost = blocksAreMissing(F, S, Want * int64_t(F.Element)) || (Width > 1 && Want - Have < Width);
    const Expr *Mixed = mixedAxes(F.Kernel, *S.Launch->Step);
    Lost |= Mixed && F.Written && S.Distinct < S.End;
    bool Prefix = F.Written && S.Distinct == S.End && Want - Have < 64;
    if ((!Lost && (!Prefix || leavesOddOne(F, C))) || doneElsewhere(F, S, Want * int64_t(F.Element)))
      return;
    if (!R.once(F.Launch, SaidShort) || !once(F.Kernel, SaidShort))
      return;
    bool Fixed = FixedGrid && !S.Empty;
    bool Loses = Want - Have > Want / 2 && !S.Empty && Want > 256;
    const char *Tag = Mixed ? "wrong_index_formula" : Fixed || Loses ? "coverage_mismatch" : "tail_not_covered";
    auto X = R.Ctx.report(Tag, Mixed ? Mixed->getBeginLoc() : F.Launch->getBeginLoc(),
                          llvm::formatv("the launch touches {0} of {1}'s {2} elements ({3}){4}", Have, F.Name, Want, C.Text, sizesText(S.Launch->Host)).str());
    X.kernel(F.Kernel).evidence("covered", Have).evidence("elements", Want);
    if (S.Last && S.Last->E)
      X.note(S.Last->E->getExprLoc(), "the access is here");
    // What has two factors is a table whose rows callers may keep to whole packets; nor is a last packet that is not full one.
    bool WholePackets = Width > 1 && llvm::popcount(C.Sizes | C.Twice) > 1;
    if (!S.Launch->Step->Sure || (!hasFewSizes(*S.Launch) && !S.Bytes) || !Lost || dividesByCallersBlock(*S.Launch) || WholePackets || isEmptiedByOther(C, *S.Launch) ||
        !isExact(C, *S.Launch->Host))
      X.doubt();
  }

  /// A grid without a block along an axis that the buffer's sizes do not count: the other size is smaller than callers let it be.
  static bool isEmptiedByOther(const Contract &C, const LaunchSample &L) {
    for (unsigned A = 0; A < 3; ++A)
      if (L.Step->Grid[A] == 0 && L.Step->GridTaint[A].Params && !(L.Step->GridTaint[A].Params & (C.Sizes | C.Twice)))
        return true;
    return false;
  }

  /// `scale[i / (columns / 8)]`, `mean[c / (channels / groups)]`: a kernel that divides one of several sizes, which leaves a
  /// remainder here. Callers keep to multiples. What is compared with a quotient counts packets, and says nothing.
  static bool dropsRemainder(const LaunchSample &L) {
    struct Quotients : ConstDynamicRecursiveASTVisitor {
      explicit Quotients(const LaunchSample &L) : L(L) {}
      const LaunchSample &L;
      bool Found = false;
      /// The whole number that the launch gives a parameter.
      std::optional<int64_t> argument(const Expr *E) const {
        const auto *P = dyn_cast_or_null<ParmVarDecl>(namedVariable(E));
        if (!P || P->getDeclContext() != L.Run->Kernel || P->getFunctionScopeIndex() >= L.Step->Args.size())
          return std::nullopt;
        const Value &V = L.Step->Args[P->getFunctionScopeIndex()];
        return V.K == Value::Scalar && !V.Float && V.L.at(0) != Unk ? std::optional(V.L.at(0)) : std::nullopt;
      }
      bool TraverseBinaryOperator(const BinaryOperator *B) override { return B->isComparisonOp() || ConstDynamicRecursiveASTVisitor::TraverseBinaryOperator(B); }
      bool VisitBinaryOperator(const BinaryOperator *B) override {
        if (B->getOpcode() != BO_Div)
          return true;
        auto N = argument(B->getLHS()), C = argument(B->getRHS());
        Expr::EvalResult By;
        if (!C && !B->getRHS()->isValueDependent() && B->getRHS()->EvaluateAsInt(By, L.Run->Kernel->getASTContext()) && By.Val.getInt().getSignificantBits() <= 32)
          C = By.Val.getInt().getExtValue();
        Found |= N && C && *C > 1 && *N % *C != 0;
        return !Found;
      }
    } V(L);
    if (L.Run && L.Plan && L.Plan->Sizes > 1)
      V.TraverseStmt(L.Run->Kernel->getBody());
    return V.Found;
  }

  /// Does the divisor of a contract leave no remainder?
  static bool isExact(const Contract &C, const HostRun &H) {
    Contract Whole = C;
    Whole.Divide = 1;
    return Whole.elements(H) % C.Divide == 0;
  }

  /// `min(1024, columns)` threads, with more columns than that.
  static bool blockIsClipped(const LaunchSample &L) {
    const std::vector<Size> &Sizes = L.Host->Sizes;
    for (unsigned A = 0; A < 3; ++A)
      for (size_t I = 0; I < Sizes.size() && I < 64; ++I)
        if (L.Run && L.Step->BlockTaint[A].Params >> I & 1 && !(L.Step->GridTaint[A].Params >> I & 1) && Sizes[I].Value > L.Run->Block[A])
          return true;
    return false;
  }

  /// Where the block follows a size all is written, and where it no longer can, some is left.
  void tooFewThreads(const Footprint &F, const Contract &C, const Reach &S) {
    int64_t Want = C.elements(F, S);
    if (isRead(F, S) || doneElsewhere(F, S, Want * int64_t(F.Element)) || !R.once(F.Launch, SaidShort) || !once(F.Kernel, SaidShort))
      return;
    auto X = R.Ctx.report("coverage_mismatch", F.Launch->getBeginLoc(),
                          llvm::formatv("the launch writes {0} of {1}'s {2} elements ({3}){4}: a block has at most {5} threads, and no loop goes on", S.Distinct / F.Element,
                                        F.Name, Want, C.Text, sizesText(S.Launch->Host), S.Launch->Run->threads()).str());
    X.kernel(F.Kernel).evidence("covered", S.Distinct / int64_t(F.Element)).evidence("elements", Want);
    if (!S.Launch->Step->Sure || !hasFewSizes(*S.Launch) || !S.Bytes) // what callers promise of a buffer of theirs is not seen
      X.doubt();
  }

  /// Would more blocks along some axis touch what is left out, from the last element touched to the end at \p Want bytes?
  bool blocksAreMissing(const Footprint &F, const Reach &S, int64_t Want) {
    for (unsigned A = 0; A < 3; ++A) {
      eval::Dim3 More;
      for (unsigned I = 0; I < 3; ++I)
        More[I] = std::max<int64_t>(1, S.Launch->Step->Grid[I].value_or(1));
      More[A] += S.Empty ? 0 : 1;
      std::unique_ptr<KernelRun> Larger = R.Model.tryGrid(*S.Launch->Step, More);
      bool Further = false;
      if (Larger)
        forEachGlobal(*Larger, [&](const BlockRun &, const Access &X) {
          if (X.Obj->Decl == F.Buffer && X.Obj->Name == F.Name)
            forEachLane(X.Who.May, Larger->threads(), [&](unsigned T) {
              int64_t At = X.Offset.at(T);
              Further |= At != Unk && At + int64_t(X.Bytes) > S.End && At < Want;
            });
        });
      if (Further)
        return true;
    }
    return false;
  }

  void holes(const Footprint &F, const Reach &S, bool DenseSomewhere) {
    const Expr *Mixed = mixedAxes(F.Kernel, *S.Launch->Step);
    if (!(DenseSomewhere || Mixed) || isRead(F, S) || doneElsewhere(F, S, 0) || R.said(F.Launch, SaidIdle) || !once(F.Kernel, "holes"))
      return;
    R.Ctx.report("wrong_index_formula", Mixed ? Mixed->getBeginLoc() : S.Last->E->getExprLoc(),
                 llvm::formatv("of {0}'s {1} elements only {2} are written{3}: the index skips some", F.Name, S.End / F.Element, S.Distinct / F.Element,
                               sizesText(S.Launch->Host)).str())
        .kernel(F.Kernel);
  }

  /// What is worked on in place keeps the elements that are not written.
  static bool isRead(const Footprint &F, const Reach &S) {
    return llvm::any_of(S.Launch->Run->Blocks, [&](const BlockRun &B) {
      return llvm::any_of(B.Accesses, [&](const Access &A) { return A.Kind != AccessKind::Write && A.Obj && A.Obj->Decl == F.Buffer && A.Obj->Name == F.Name; });
    });
  }

  /// Whole tiles by one launch, the rest by another: does one of the same plan reach the buffer's end at \p Want bytes?
  bool doneElsewhere(const Footprint &F, const Reach &S, int64_t Want) const {
    return llvm::any_of(All.all(), [&](const Footprint &G) {
      return G.Buffer == F.Buffer && G.Name == F.Name && G.Launch != F.Launch && (G.Written || !F.Written) &&
             llvm::any_of(G.Samples, [&](const Reach &Other) { return Other.Launch->Plan == S.Launch->Plan && Other.End >= Want; });
    });
  }

  IndexReporter &R;
  const Footprints All;
  std::vector<Overrun> Far;
  std::map<const FunctionDecl *, decltype(Choices::Found)> Chosen; ///< see hasSpecialValue()
};

} // namespace

void kcheck::checkReach(IndexReporter &R) { ReachCheck(R).run(); }
