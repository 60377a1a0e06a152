//===- index-space - the launch against the data ------------------------------===//
//
//   int i = blockIdx.x * blockDim.x + threadIdx.x;
//   y[i] = x[i];                          // missing_bounds_guard
//   k<<<(n + 255) / 256, 256>>>(x, y);    // rounded up: at n = 257 thread 511 writes y[511]
//
// The launcher is interpreted at sample sizes (LaunchModel), and what its launches touch (Footprints) is
// compared with what they touch at the sizes that fit.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/engine/Rule.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "matchers/Describe.h"
#include "matchers/Evidence.h"
#include "matchers/Footprint.h"
#include "matchers/LaunchExpr.h"
#include "matchers/Races.h"
#include "matchers/Vocabulary.h"
#include <set>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

const TagInfo Tags[] = {
    {"wrong_index_formula", "threads collide or skip elements: the index formula does not number them"},
    {"missing_bounds_guard", "a rounded-up launch reaches past the end of a buffer"},
    {"guard_off_by_one", "a bounds guard that lets one element too many through"},
    {"tail_not_covered", "the last elements are never touched when the size is no multiple"},
    {"launch_args_swapped", "grid and block are exchanged"},
    {"dimension_mismatch", "the kernel and the launch use different axes"},
    {"block_too_large", "more threads a block than the hardware allows"},
    {"grid_too_large", "more blocks along an axis than the hardware allows"},
    {"empty_launch", "a launch with no block or no thread"},
    {"coverage_mismatch", "far more or far fewer threads than elements"},
    {"wrong_stride", "a loop's step or a pitch that makes threads repeat each other's elements"},
    {"index_overflow_32", "an index that leaves the range of 32 bits"},
};

// Limits of every architecture since sm_30: CUDA Programming Guide, technical specifications per compute capability.
constexpr int64_t MaxThreads = 1024, MaxBlockXY = 1024, MaxBlockZ = 64, MaxGridYZ = 65535, MaxGridX = 2147483647;

std::string blockText(const BlockRun *B) { return B ? kcheck::blockText(B->Index) : ""; }

/// The axes of index variables that a kernel uses, threadIdx and blockIdx apart.
class Axes : public RecursiveASTVisitor<Axes> {
public:
  bool Thread[3] = {}, Block[3] = {}, Dim[3] = {}, Grid[3] = {};
  bool Groups = false; ///< cooperative groups or special registers may number the threads too
  llvm::DenseSet<const FunctionDecl *> Seen;
  bool VisitExpr(Expr *E) {
    if (auto B = builtinUse(E)) {
      bool *To = B->Which == IndexVar::ThreadIdx  ? Thread
                 : B->Which == IndexVar::BlockIdx ? Block
                 : B->Which == IndexVar::BlockDim ? Dim
                                                  : Grid;
      if (B->Which != IndexVar::WarpSize)
        To[B->Axis] = true;
    }
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee();
    if (isa<CXXMemberCallExpr>(C) && F && F->getIdentifier())
      Groups |= F->getName() == "thread_rank" || F->getName() == "group_index" || F->getName() == "thread_index";
    if (F && F->hasBody() && isDeviceFunction(F) && Seen.insert(F).second && Seen.size() < 32)
      TraverseStmt(F->getBody());
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *) { return Groups = true; }
};

class IndexSpaceRule : public Rule {
public:
  void check(RuleContext &C) override {
    Ctx = &C;
    Model = &C.get<LaunchModel>();
    Races = &C.get<RaceModel>();
    Padded = promisesMultiples();
    for (const PlanSample &P : Model->plans())
      for (const eval::Step &S : P.Host->Steps)
        if (S.K == eval::Step::Launch)
          limits(*P.Host, S);
    onlyHuge();
    collisions();
    strides();
    dimensions();
    overflows();
    idleThreads();
    sizeAsBlock();
    Footprints Found(*Model);
    All = &Found;
    for (const Footprint &F : Found.all())
      reach(F);
    overruns();
    missingBlocks();
  }

private:
  RuleContext *Ctx = nullptr;
  LaunchModel *Model = nullptr;
  RaceModel *Races = nullptr;
  bool Padded = false;
  static constexpr const char *EmptyLaunch = "empty_launch", *SaidShort = "short", *SaidIdle = "idle"; ///< keys of Done, one address each
  llvm::DenseSet<std::pair<const void *, const char *>> Done;
  struct Overrun {
    const Footprint *F;
    Contract C;
    const Reach *S;
    bool OneOver;
  };
  std::vector<Overrun> Far;
  const Footprints *All = nullptr;
  std::map<const FunctionDecl *, std::vector<std::pair<const ParmVarDecl *, int64_t>>> Choices; ///< by kernel, see hasSpecialValue()
  llvm::DenseSet<const FunctionDecl *> Collided; ///< kernels with a broken index: their reach says nothing more

  bool once(const void *At, const char *Tag) { return Done.insert({At, Tag}).second; }
  /// Does a comment promise that sizes are multiples? Then a dropped remainder is the contract.
  bool promisesMultiples() {
    bool Invalid = false;
    StringRef Text = Ctx->TU.sources().getBufferData(Ctx->TU.sources().getMainFileID(), &Invalid);
    if (Invalid)
      return false;
    SmallVector<StringRef> Lines;
    Text.split(Lines, '\n');
    for (StringRef L : Lines) {
      size_t At = L.find("//");
      if (At == StringRef::npos && !L.ltrim().starts_with("*") && L.find("/*") == StringRef::npos)
        continue;
      std::string Lower = L.substr(At == StringRef::npos ? 0 : At).lower();
      for (const char *Word : {"multiple", "divisible", "padded", "divides"})
        if (Lower.find(Word) != std::string::npos)
          return true;
    }
    return false;
  }

  static bool dividesSize(const Expr *E) {
    struct Finder : RecursiveASTVisitor<Finder> {
      bool Found = false;
      bool VisitBinaryOperator(BinaryOperator *B) {
        Found |= B->getOpcode() == BO_Div || B->getOpcode() == BO_Shr;
        return true;
      }
      bool VisitDeclRefExpr(DeclRefExpr *D) { // through const variables: blocks = (n + 255) / 256
        const auto *V = dyn_cast<VarDecl>(D->getDecl());
        if (V && V->getInit() && V->isLocalVarDecl() && Seen.insert(V).second)
          TraverseStmt(const_cast<Expr *>(V->getInit()));
        return true;
      }
      llvm::DenseSet<const VarDecl *> Seen;
    } V;
    if (E)
      V.TraverseStmt(const_cast<Expr *>(E));
    return V.Found;
  }

  /// Does any parameter in Params reach the kernel's data, rather than only the launch?
  static bool isDataSize(const HostRun &H, const eval::Step &S, uint64_t Params) {
    return llvm::any_of(S.Args, [&](const Value &A) {
      return (A.T.Params & Params) || (A.Agg && llvm::any_of(*A.Agg, [&](auto &Cell) { return Cell.second.T.Params & Params; }));
    });
  }

  void limits(const HostRun &H, const eval::Step &S) {
    SourceLocation At = S.Call->getBeginLoc();
    auto Say = [&](const char *Tag, const llvm::Twine &Text, bool Sure) {
      if (!once(S.Call, Tag))
        return;
      auto F = Ctx->report(Tag, At, Text);
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
    if (!Known || Guess)
      return;
    int64_t Threads = *S.Block[0] * *S.Block[1] * *S.Block[2];
    // <<<threads, blocks>>>: the block grows with the data, the grid does not.
    if (BlockParams && !GridParams && *S.Grid[0] * *S.Grid[1] * *S.Grid[2] >= 32 && isDataSize(H, S, BlockParams)) {
      Say("launch_args_swapped",
          llvm::formatv("the block size grows with the data while the grid is always {0}: are grid and block exchanged?", *S.Grid[0]).str(),
          dividesSize(S.BlockExpr) || !clampedByLaunch(S.BlockExpr));
      return;
    }
    if (Threads == 0 || *S.Grid[0] == 0 || *S.Grid[1] == 0 || *S.Grid[2] == 0) {
      bool Block = Threads == 0;
      if (!(Block ? BlockParams : GridParams)) {
        Say(EmptyLaunch, Block ? "the block has no thread: the kernel never runs" : "the grid has no block: the kernel never runs", true);
      } else {
        // Fewer elements in all than in a row: no such data.
        bool Large = llvm::all_of(H.Sizes, [](const Size &X) { return X.Value >= 1000; }) &&
                     llvm::none_of(H.Divided, [&](auto &D) { return H.Sizes[D.first].Value < H.Sizes[D.second].Value; });
        if (Large && !H.Sizes.empty())
          Say(EmptyLaunch, "this launch has no block or no thread" + sizesText(&H) + ": an error, not a no-op", !Padded);
      }
      return;
    }
    if (Threads > MaxThreads || *S.Block[0] > MaxBlockXY || *S.Block[1] > MaxBlockXY || *S.Block[2] > MaxBlockZ)
      Say("block_too_large",
          llvm::formatv("a block of {0} x {1} x {2} threads{3}: at most 1024 in all, and 64 along z", *S.Block[0], *S.Block[1], *S.Block[2],
                        BlockParams ? sizesText(&H) : "").str(),
          !BlockParams || (isDataSize(H, S, BlockParams) && H.Sizes.size() == 1));
    for (unsigned A = 0; A < 3; ++A)
      if (*S.Grid[A] > (A ? MaxGridYZ : MaxGridX) && !S.GridTaint[A].Params)
        Say("grid_too_large", llvm::formatv("{0} blocks along {1}: at most {2}", *S.Grid[A], "xyz"[A], A ? MaxGridYZ : MaxGridX).str(), true);
  }

  /// min(n, 1024) and the like keep the block legal.
  static bool clampedByLaunch(const Expr *E) {
    struct Finder : RecursiveASTVisitor<Finder> {
      bool Found = false;
      llvm::DenseSet<const VarDecl *> Seen;
      bool VisitCallExpr(CallExpr *) { return Found = true; }
      bool VisitConditionalOperator(ConditionalOperator *) { return Found = true; }
      bool VisitDeclRefExpr(DeclRefExpr *D) {
        const auto *V = dyn_cast<VarDecl>(D->getDecl());
        if (V && V->getInit() && V->isLocalVarDecl() && Seen.insert(V).second)
          TraverseStmt(const_cast<Expr *>(V->getInit()));
        return true;
      }
    } V;
    if (E)
      V.TraverseStmt(const_cast<Expr *>(E));
    return V.Found;
  }

  /// A launch that only sizes over the grid's limit reach.
  void onlyHuge() {
    llvm::DenseSet<const CallExpr *> Reached;
    for (const PlanSample &P : Model->plans())
      for (const eval::Step &S : P.Host->Steps)
        if (S.K == eval::Step::Launch && S.Sure && S.Grid[1] && S.Grid[2] && *S.Grid[1] <= MaxGridYZ && *S.Grid[2] <= MaxGridYZ)
          Reached.insert(S.Call);
    for (const PlanSample &P : Model->plans())
      for (const eval::Step &S : P.Host->Steps)
        if (S.K == eval::Step::Launch && S.Sure && !Reached.count(S.Call))
          for (unsigned A = 1; A < 3; ++A)
            if (S.Grid[A] && *S.Grid[A] > MaxGridYZ && S.GridTaint[A].Params && once(S.Call, "grid_too_large"))
              Ctx->report("grid_too_large", S.Call->getBeginLoc(),
                          llvm::formatv("{0} blocks along {1}{2}: at most {3}, and this launch is only reached with so many", *S.Grid[A],
                                        "xyz"[A], sizesText(P.Host.get()), MaxGridYZ).str())
                  .kernel(S.Kernel);
  }

  std::vector<Race> collidingWrites(const LaunchSample &L) {
    const KernelRun &R = *L.Run;
    if (guessedShape(R) || llvm::any_of(R.Blocks, [](const BlockRun &B) { return B.Fences; }))
      return {};
    std::vector<Race> Colliding = Races->betweenBlocks(R);
    for (const BlockRun &B : R.Blocks)
      for (const Race &X : Races->inBlock(R, B))
        if (X.First->E == X.Second->E && X.First->Obj->Where == Space::Global)
          Colliding.push_back(X);
    llvm::erase_if(Colliding, [&](const Race &X) {
      return (X.First->E == X.Second->E && X.Second->E && clamped(X.Second->E, 0)) || X.First->Kind != AccessKind::Write || X.Second->Kind != AccessKind::Write || !X.Second->E ||
             X.First->Stored.Atomic || X.Second->Stored.Atomic || (X.First->E != X.Second->E && X.First->Value != Unk && X.Second->Value != Unk);
    });
    return Colliding;
  }

  /// `out[min(i, n - 1)]`: the threads to spare repeat what the last one does.
  bool clamped(const Expr *E, unsigned Depth) {
    struct Parts : RecursiveASTVisitor<Parts> {
      bool Clamp = false;
      llvm::SmallVector<const VarDecl *, 4> Variables;
      bool VisitCallExpr(CallExpr *C) {
        const FunctionDecl *F = C->getDirectCallee();
        llvm::StringRef Name = F && F->getIdentifier() ? F->getName() : "";
        Clamp |= Name == "min" || Name == "max" || Name == "clamp";
        return true;
      }
      bool VisitConditionalOperator(ConditionalOperator *C) {
        const auto *B = dyn_cast<BinaryOperator>(C->getCond()->IgnoreParenImpCasts());
        Clamp |= B && B->isRelationalOp();
        return true;
      }
      bool VisitDeclRefExpr(DeclRefExpr *D) {
        if (const auto *V = dyn_cast<VarDecl>(D->getDecl()); V && V->getType()->isIntegerType())
          Variables.push_back(V);
        return true;
      }
    } P;
    const auto *S = dyn_cast<ArraySubscriptExpr>(E->IgnoreParenImpCasts());
    P.TraverseStmt(const_cast<Expr *>(S ? S->getIdx() : E));
    if (P.Clamp)
      return true;
    return Depth < 4 && llvm::any_of(P.Variables, [&](const VarDecl *V) { return V->hasInit() && clamped(V->getInit(), Depth + 1); });
  }

  /// `i = threadIdx.x * blockDim.x + threadIdx.x` of `y[i]`: what numbers the threads; null where the subscript does.
  static const Expr *formulaOf(const Expr *Access) {
    const auto *S = dyn_cast<ArraySubscriptExpr>(Access->IgnoreParenImpCasts());
    const auto *D = S ? dyn_cast<DeclRefExpr>(S->getIdx()->IgnoreParenImpCasts()) : nullptr;
    const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
    struct Builtins : RecursiveASTVisitor<Builtins> {
      bool Found = false;
      bool VisitExpr(Expr *E) {
        auto B = builtinUse(E);
        Found |= B && B->Which == IndexVar::ThreadIdx;
        return !Found;
      }
    } B;
    if (V && V->isLocalVarDecl() && V->getInit())
      B.TraverseStmt(const_cast<Expr *>(V->getInit()));
    return B.Found ? V->getInit() : nullptr;
  }

  /// Two threads that write different values to one element.
  void collisions() {
    for (const LaunchSample *L : Model->runs()) {
      const KernelRun &R = *L->Run;
      for (const Race &X : collidingWrites(*L)) {
        // Many sizes are strides that callers choose so that nothing collides.
        if (L->Plan && L->Plan->Sizes > 6 && llvm::popcount(X.First->OffsetTaint.Params) > 1)
          continue;
        auto Always = [&] { // every run of the launch is looked through: asked only where the answer counts
          return doAllAligned(*Model, *L, [&](const LaunchSample &M) {
            return llvm::any_of(collidingWrites(M), [&](const Race &Y) { return Y.Second->E == X.Second->E; });
          });
        };
        if (hasManySizes(*L) && !Always())
          continue;
        Collided.insert(R.Kernel);
        bool Looped = X.First->LoopDepth && X.First->Trips != X.Second->Trips;
        const char *Tag = Looped || X.First->E != X.Second->E ? "wrong_stride" : "wrong_index_formula";
        if (!once(X.Second->E, "collision") || !once(R.Kernel->getCanonicalDecl(), "collision"))
          continue;
        const Expr *Formula = Tag == StringRef("wrong_index_formula") ? formulaOf(X.Second->E) : nullptr;
        auto F = Ctx->report(Tag, Formula ? Formula->getBeginLoc() : X.Second->E->getExprLoc(),
                             llvm::formatv("thread {0} of block {1} and thread {2} of block {3} both write {4} at byte {5}{6}", X.FirstThread,
                                           blockText(X.FirstBlock), X.SecondThread, blockText(X.SecondBlock), X.First->Obj->Name, X.Offset,
                                           sizesText(L->Host)).str());
        F.kernel(R.Kernel)
            .evidence("blocks", llvm::json::Array{blockText(X.FirstBlock), blockText(X.SecondBlock)})
            .evidence("threads", llvm::json::Array{int64_t(X.FirstThread), int64_t(X.SecondThread)})
            .evidence("offset", X.Offset);
        if (Formula)
          F.note(X.Second->E->getExprLoc(), "the write is here");
        if (X.First->E != X.Second->E)
          F.note(X.First->E->getExprLoc(), "the other write is here");
        if (!X.Sure || !isPlanned(*L) || !hasFewSizes(*L) || !Always())
          F.doubt();
      }
    }
  }

  /// for (i = first; i < n; i += step): threads that repeat what another thread of the launch does.
  void strides() {
    for (const LaunchSample *L : Model->runs()) {
      const KernelRun &R = *L->Run;
      if (!L->Step || R.OutOfFuel)
        continue;
      for (const BlockRun &B : R.Blocks)
        for (const CountingLoop &C : B.Counting) {
          if (C.Depth != 1 || C.Second.unknown() || !C.Sure.any())
            continue;
          unsigned N = R.threads();
          // Distinct starts, one apart, and a step that lands on another thread's start.
          int First = C.Sure.lowest();
          bool Consecutive = true;
          unsigned Count = C.Sure.count();
          for (unsigned I = unsigned(First); I < unsigned(First) + Count && I < N; ++I)
            Consecutive &= C.Sure.test(I) && C.First.at(I) != Unk && C.First.at(I) == C.First.at(unsigned(First)) + int64_t(I - unsigned(First));
          if (!Consecutive || Count < 2 || R.Block[1] * R.Block[2] != 1)
            continue;
          int64_t Step = C.Second.at(unsigned(First)) == Unk ? 0 : C.Second.at(unsigned(First)) - C.First.at(unsigned(First));
          if (Step <= 1)
            continue;
          if (Step < int64_t(Count) && Count == N) {
            stride(*L, B, C, unsigned(First), unsigned(First + Step), B, Step);
            continue;
          }
          if (Step != int64_t(N))
            continue;
          for (const BlockRun &Other : R.Blocks)
            for (const CountingLoop &D : Other.Counting)
              if (&Other != &B && D.Loop == C.Loop && Other.Index[1] == B.Index[1] && Other.Index[2] == B.Index[2] &&
                  D.Sure.test(unsigned(First)) && D.First.at(unsigned(First)) == C.Second.at(unsigned(First)))
                stride(*L, B, C, unsigned(First), unsigned(First), Other, Step);
        }
    }
  }

  void stride(const LaunchSample &L, const BlockRun &B, const CountingLoop &C, unsigned T, unsigned U, const BlockRun &Other, int64_t Step) {
    if (!once(C.Loop, "stride"))
      return;
    auto F = Ctx->report("wrong_stride", C.Loop->getBeginLoc(),
                         llvm::formatv("the loop steps by {0}: the second trip of thread {1} of block {2} repeats the first of thread {3} of block {4}{5}", Step,
                                       T, blockText(&B), U, blockText(&Other), sizesText(L.Host)).str());
    F.kernel(L.Run->Kernel).evidence("step", Step);
    if (!isPlanned(L))
      F.doubt();
  }

  void dimensions() {
    // For each kernel: the largest extent along each axis in any launch of the file.
    struct Extent {
      int64_t Block[3] = {1, 1, 1}, Grid[3] = {1, 1, 1};
      const eval::Step *At = nullptr;
      bool Known = true;
      bool Grows[3] = {}; ///< a size decides the extent: other sizes than ours make it more than one
    };
    std::map<const FunctionDecl *, Extent> Per;
    for (const PlanSample &P : Model->plans())
      for (const LaunchSample &L : P.Launches) {
        if (!L.Step->Kernel || !L.Step->Kernel->hasBody())
          continue;
        Extent &E = Per[L.Step->Kernel];
        E.At = E.At ? E.At : L.Step;
        for (unsigned A = 0; A < 3; ++A) {
          if (!L.Step->Grid[A] || !L.Step->Block[A]) {
            E.Known = false;
            continue;
          }
          E.Grows[A] |= (L.Step->GridTaint[A].Params | L.Step->BlockTaint[A].Params) != 0;
          E.Block[A] = std::max(E.Block[A], *L.Step->Block[A]);
          E.Grid[A] = std::max(E.Grid[A], *L.Step->Grid[A]);
        }
      }
    for (auto &[K, E] : Per) {
      if (!E.Known || !E.At->Sure)
        continue;
      Axes U;
      U.TraverseStmt(K->getBody());
      if (U.Groups)
        continue;
      if (U.Block[0] && U.Block[1] && !U.Grid[0] && !U.Grid[1] && E.Grows[0] && E.Grows[1])
        crossedAxes(K);
      if (U.Block[1] && !U.Grid[1] && !U.Thread[1] && U.Grid[0] && E.Grid[1] == 1 && E.Block[1] == 1 && E.Grid[0] > 1 && once(E.At->Call, "axes"))
        Ctx->report("dimension_mismatch", E.At->Call->getBeginLoc(),
                    "the kernel takes blockIdx.y as an index and strides over the grid along x, but no launch has more than one block along y")
            .kernel(K)
            .doubt();
      for (unsigned A = 1; A < 3; ++A) {
        if (E.Grows[A] && E.Grid[A] == 1 && E.Block[A] == 1)
          continue;
        if (U.Thread[A] && U.Block[A] && U.Dim[A] && E.Block[A] == 1 && E.Grid[A] == 1 && leavesUndone(*E.At, A) && once(E.At->Call, "axes")) {
          Ctx->report("dimension_mismatch", E.At->Call->getBeginLoc(),
                      llvm::formatv("the kernel numbers its work along {0}, but every launch has one thread there: only the first of them is done", "xyz"[A]).str())
              .kernel(K);
        } else if (U.Block[A] && !U.Grid[A] && E.Grid[A] == 1 && E.Block[A] == 1 && A == 2 && E.Grid[1] > 1 && once(E.At->Call, "axes")) {
          Ctx->report("dimension_mismatch", E.At->Call->getBeginLoc(),
                      llvm::formatv("the kernel takes blockIdx.{0} as an index, but no launch has more than one block there", "xyz"[A]).str())
              .kernel(K);
        } else if (!U.Thread[A] && !U.Block[A] && (E.Block[A] > 1 || E.Grid[A] > 1) && once(E.At->Call, "axes")) {
          auto F = Ctx->report("dimension_mismatch", E.At->Call->getBeginLoc(),
                               llvm::formatv("the launch has up to {0} blocks of {1} threads along {2}, which the kernel never looks at: they repeat the same work",
                                             E.Grid[A], E.Block[A], "xyz"[A]).str());
          F.kernel(K);
        } else if (U.Thread[A] && U.Block[A] && !U.Dim[A] && E.Block[A] == 1 && E.Grid[A] > 1 && leavesRows(*E.At, A) && once(E.At->Call, "axes")) {
          Ctx->report("dimension_mismatch", E.At->Call->getBeginLoc(),
                      llvm::formatv("the kernel numbers its work by threadIdx.{0}, but every block has one thread along {0}: what the others would write stays unwritten",
                                    "xyz"[A]).str())
              .kernel(K);
        } else if (U.Block[A] && !U.Grid[A]) {
          guardedAxis(K, A);
        }
      }
    }
  }

  /// With two threads along the axis, does the second touch what no thread of the launch touches now? Not in a kernel
  /// that counts all threads of all axes, whatever their shape.
  bool leavesUndone(const eval::Step &S, unsigned A) {
    eval::Dim3 Block;
    for (unsigned I = 0; I < 3; ++I)
      Block[I] = S.Block[I].value_or(1);
    unsigned Second = A == 1 ? unsigned(Block[0]) : unsigned(Block[0] * Block[1]);
    auto Touched = [](const KernelRun &R, auto Takes, auto Each) {
      for (const BlockRun &B : R.Blocks)
        for (const Access &X : B.Accesses)
          if (X.Obj && X.Obj->Where == Space::Global)
            for (unsigned I = 0; I < R.threads(); ++I)
              if (Takes(B, I) && X.Who.May.test(I) && X.Offset.at(I) != Unk)
                Each(std::pair<const eval::Object *, int64_t>{X.Obj, X.Offset.at(I)});
    };
    std::unique_ptr<KernelRun> Now = Model->tryBlock(S, Block);
    Block[A] = 2;
    std::unique_ptr<KernelRun> More = Model->tryBlock(S, Block);
    if (!Now || !More || More->threads() > MaxThreads)
      return false;
    std::set<std::pair<const eval::Object *, int64_t>> Had;
    Touched(*Now, [](const BlockRun &, unsigned) { return true; }, [&](auto At) { Had.insert(At); });
    bool Undone = false;
    Touched(*More, [&](const BlockRun &B, unsigned I) { return B.Index == std::array<unsigned, 3>{} && I == Second; },
            [&](auto At) { Undone |= !Had.count(At); });
    return Undone;
  }

  /// With two threads along the axis, does the second write between what the first one and the next block's first write?
  bool leavesRows(const eval::Step &S, unsigned A) {
    eval::Dim3 Block;
    for (unsigned I = 0; I < 3; ++I)
      Block[I] = S.Block[I].value_or(1);
    unsigned Second = A == 1 ? unsigned(Block[0]) : unsigned(Block[0] * Block[1]);
    Block[A] = 2;
    std::unique_ptr<KernelRun> R = Model->tryBlock(S, Block);
    if (!R || R->threads() > MaxThreads)
      return false;
    auto Writes = [&](bool Next, unsigned Lane) {
      std::map<std::pair<const Expr *, const eval::Object *>, int64_t> At;
      for (const BlockRun &B : R->Blocks)
        if (B.Index[A] == unsigned(Next) && B.Index[0] == 0 && B.Index[3 - A] == 0)
          for (const Access &X : B.Accesses)
            if (X.Kind == AccessKind::Write && X.Obj && X.Obj->Where == Space::Global && X.Who.Sure.test(Lane) && X.Offset.at(Lane) != Unk)
              At.emplace(std::pair{X.E, X.Obj}, X.Offset.at(Lane));
      return At;
    };
    auto First = Writes(false, 0), Beside = Writes(false, Second), Next = Writes(true, 0);
    for (auto &[Where, Offset] : Beside)
      if (auto F = First.find(Where), N = Next.find(Where); F != First.end() && N != Next.end() && F->second < Offset && Offset < N->second)
        return true;
    return false;
  }

  /// Rows along x in the kernel, columns along x in the launch: at one pair of sizes the guard still has work for one more
  /// block along an axis, at another the last blocks along it have none. Both axes must show it, at sizes that fit the blocks.
  void crossedAxes(const FunctionDecl *K) {
    struct Seen {
      bool Lacks[2] = {}, Spare[2] = {};
      const LaunchSample *At = nullptr;
      bool Other = false;
    };
    std::map<const CallExpr *, Seen> Per;
    for (const PlanSample &P : Model->plans())
      for (const LaunchSample &L : P.Launches) {
        if (!P.Aligned || !L.Run || L.Step->Kernel != K || !L.Step->Sure || L.Run->OutOfFuel)
          continue;
        Seen &S = Per[L.Step->Call];
        for (unsigned A = 0; A < 2 && !S.Other; ++A) {
          // Along this axis alone: then the grid's last block is the one asked about.
          auto LastWorks = [&](int64_t Blocks) {
            eval::Dim3 Grid{1, 1, L.Run->Grid[2]};
            Grid[A] = Blocks;
            std::unique_ptr<KernelRun> R = Model->tryGrid(*L.Step, Grid);
            S.Other |= !R || !R->Imprecise.empty() || R->OutOfFuel;
            return R && llvm::any_of(R->Blocks, [&](const BlockRun &B) { return B.Index[A] + 1 == Blocks && !(B.Accesses.empty() && B.Escapes.empty()); });
          };
          bool Works = LastWorks(L.Run->Grid[A] + 1);
          S.Lacks[A] |= Works;
          S.Spare[A] |= L.Run->Grid[A] > 1 && !LastWorks(L.Run->Grid[A]);
          if (Works && !S.At)
            S.At = &L;
        }
      }
    for (auto &[Call, S] : Per)
      if (!S.Other && S.At && S.Lacks[0] && S.Lacks[1] && S.Spare[0] && S.Spare[1] && once(Call, "axes"))
        Ctx->report("dimension_mismatch", Call->getBeginLoc(),
                    "the launch counts along x what the kernel takes from y, and the reverse: some blocks have nothing to do while others are missing" +
                        sizesText(S.At->Host))
            .kernel(K);
  }

  /// One block along an axis, at every size, while the kernel's guard lets more of them work at some sizes: those
  /// are missing. A kernel that lets them work at every size has no guard, and the launch decides.
  void guardedAxis(const FunctionDecl *K, unsigned A) {
    struct Seen {
      const LaunchSample *Works = nullptr;
      bool Idle = false, Other = false;
    };
    std::map<const CallExpr *, Seen> Per;
    for (const PlanSample &P : Model->plans())
      for (const LaunchSample &L : P.Launches) {
        if (!L.Run || L.Step->Kernel != K || !L.Step->Sure)
          continue;
        Seen &S = Per[L.Step->Call];
        eval::Dim3 More = L.Run->Grid;
        if (S.Other || (S.Works && S.Idle))
          continue;
        if (std::exchange(More[A], 2) != 1) {
          S.Other = true;
          continue;
        }
        std::unique_ptr<KernelRun> R = Model->tryGrid(*L.Step, More);
        if (!R || !R->Imprecise.empty())
          S.Other = true;
        else if (llvm::none_of(R->Blocks, [&](const BlockRun &B) { return B.Index[A] == 1 && (!B.Accesses.empty() || !B.Escapes.empty()); }))
          S.Idle = true;
        else if (!S.Works)
          S.Works = &L;
      }
    for (auto &[Call, S] : Per)
      if (S.Works && S.Idle && !S.Other && once(Call, "axes"))
        Ctx->report("dimension_mismatch", Call->getBeginLoc(),
                    llvm::formatv("the launch has one block along {0} at every size, but the kernel's guard leaves work for more of them{1}", "xyz"[A],
                                  sizesText(S.Works->Host)).str())
            .kernel(K);
  }

  /// (1 << lane) - 1: all bits below one, not a number.
  static bool isMask(const Expr *E) {
    const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    const auto *Bit = B && B->getOpcode() == BO_Sub ? dyn_cast<BinaryOperator>(B->getLHS()->IgnoreParenImpCasts()) : nullptr;
    return Bit && Bit->getOpcode() == BO_Shl;
  }

  void overflows() {
    for (const LaunchSample *L : Model->runs()) {
      const KernelRun &R = *L->Run;
      if (!L->Step)
        continue;
      for (const BlockRun &B : R.Blocks)
        for (const OverflowEvent &O : B.Overflows) {
          // Sizes of 32 bits that the sample chose too large are the sample's fault, unless the launcher lets them through
          // and no larger ones.
          auto Launches = [&](const eval::HostRun &H) { return llvm::any_of(H.Steps, [&](const eval::Step &S) { return S.Call == L->Step->Call; }); };
          if (O.T.Data || isMask(O.E) || (O.T.Params && !areLargestAdmitted(*Model, *L->Host, O.T.Params, Launches)) || !once(O.E, "overflow") || !once(R.Kernel->getCanonicalDecl(), "overflow"))
            continue;
          auto F = Ctx->report("index_overflow_32", O.E->getExprLoc(),
                               llvm::formatv("this is {0} in thread {1} of block {2}{3}: it does not fit 32 bits", O.Exact, O.Lane, blockText(&B), sizesText(L->Host)).str());
          F.kernel(R.Kernel).evidence("value", O.Exact);
          if (!isPlanned(*L) || llvm::popcount(O.T.Params) > 1)
            F.doubt();
        }
    }
  }

  /// <<<256, rows>>> of a kernel whose loop takes any block size, with a block a row that nothing bounds: the size went
  /// to the wrong place.
  void sizeAsBlock() {
    for (const PlanSample &P : Model->plans())
      for (const LaunchSample &L : P.Launches) {
        if (!L.Run || !L.Step->Sure || !L.Step->BlockExpr || L.Run->Grid[0] < 2 || !L.Step->BlockTaint[0].Params || growsWithData(*L.Step))
          continue;
        const auto *D = dyn_cast<DeclRefExpr>(alongX(L.Step->BlockExpr));
        const auto *V = D ? dyn_cast<ParmVarDecl>(D->getDecl()) : nullptr;
        bool Passed = llvm::any_of(L.Step->Args, [&](const Value &A) { return A.T.Params & L.Step->BlockTaint[0].Params; });
        bool AnyBlock = llvm::any_of(L.Run->Blocks, [&](const BlockRun &B) {
          return llvm::any_of(B.Counting, [&](const CountingLoop &C) {
            return C.First.at(0) == 0 && (C.Second.unknown() || C.Second.at(0) == Unk || C.Second.at(0) == int64_t(L.Run->threads()));
          });
        });
        Axes U;
        U.TraverseStmt(L.Run->Kernel->getBody());
        if (V && !Passed && AnyBlock && U.Block[0] && !U.Grid[0] && once(L.Step->Call, "launch_args_swapped"))
          Ctx->report("launch_args_swapped", L.Step->Call->getBeginLoc(),
                      ("'" + V->getName() + "' is the number of threads of a block here, which the kernel's loop does not need, and the number of blocks is fixed: they seem exchanged")
                          .str())
              .kernel(L.Run->Kernel)
              .doubt();
      }
  }

  /// A choice between two numbers of blocks is none.
  bool growsWithData(const eval::Step &S) {
    if (!S.GridTaint[0].Params && !S.GridTaint[1].Params)
      return false;
    if ((S.GridTaint[0].Params & S.BlockTaint[0].Params) || *S.Grid[1] != 1)
      return true;
    std::set<int64_t> Numbers;
    for (const PlanSample &P : Model->plans())
      for (const eval::Step &X : P.Host->Steps)
        if (X.Call == S.Call)
          Numbers.insert(X.Grid[0].value_or(-1));
    return Numbers.size() > 2;
  }

  /// Blocks that do nothing while the grid grows with the data.
  void idleThreads() {
    for (const PlanSample &P : Model->plans()) {
      if (!P.Aligned)
        continue;
      for (const LaunchSample &L : P.Launches) {
        if (!L.Run || !L.Step->Sure || !L.Step->GridTaint[0].Params || L.Run->OutOfFuel)
          continue;
        const KernelRun &R = *L.Run;
        if (R.Grid[0] < 4 || R.Grid[1] != 1 || R.Grid[2] != 1 || !R.Imprecise.empty())
          continue;
        bool Works = false, AllIdle = true;
        for (const BlockRun &B : R.Blocks) {
          bool Idle = B.Accesses.empty() && B.Escapes.empty();
          if (B.Index[0] == 0)
            Works = !Idle;
          else if (B.Index[0] * 2 + 2 >= unsigned(R.Grid[0]))
            AllIdle &= Idle;
        }
        const Expr *Mixed = mixedAxes(R.Kernel, *L.Step);
        if (!Works || !AllIdle || (hasManySizes(L) && !Mixed) || !once(L.Step->Call, SaidIdle))
          continue;
        if (Mixed)
          Ctx->report("wrong_index_formula", Mixed->getBeginLoc(),
                      "this numbers by the threads of another axis: at least half of the blocks have nothing to do" + sizesText(L.Host))
              .kernel(R.Kernel);
        else
          Ctx->report("coverage_mismatch", L.Step->Call->getBeginLoc(),
                      "at least half of the blocks have nothing to do" + sizesText(L.Host) + ": the grid counts more than the kernel works on")
              .kernel(R.Kernel)
              .doubt();
      }
    }
  }

  void reach(const Footprint &F) {
    // Below the start: no size makes that right.
    for (const Reach &S : F.Samples)
      if (S.Begin < 0 && S.First && S.FirstBlock->Overflows.empty() && once(F.Kernel->getCanonicalDecl(), "below")) {
        auto X = Ctx->report("missing_bounds_guard", S.First->E->getExprLoc(),
                             llvm::formatv("thread {0} of block {1} accesses {2} {3} bytes before its start{4}", S.FirstThread, blockText(S.FirstBlock), F.Name,
                                           -S.Begin, sizesText(S.Launch->Host)).str());
        X.kernel(F.Kernel);
        if (!isPlanned(*S.Launch) || S.Launch->Plan->Sizes > 1)
          X.doubt();
        return;
      }
    if (Collided.count(F.Kernel))
      return;
    std::optional<Contract> C = Footprints::contract(F);
    if (!C)
      return;
    const Reach *Over = nullptr, *Short = nullptr, *Holes = nullptr;
    bool OneOver = true, FixedGrid = true, DenseSomewhere = false;
    for (const Reach &S : F.Samples) {
      const HostRun &H = *S.Launch->Host;
      int64_t Want = C->elements(F, S) * int64_t(F.Element);
      for (const Taint &T : S.Launch->Step->GridTaint)
        FixedGrid &= !T.Params;
      if (S.End > Want && !S.Bytes && S.End <= roundedUp(*C, H) * int64_t(F.Element))
        continue;
      if (S.End != Want && hasSpecialValue(*S.Launch, C->Sizes | C->Twice))
        continue;
      if (S.End > Want) {
        int64_t Extra = (S.End - Want) / int64_t(F.Element);
        bool One = Extra == 1;
        for (const Size &X : H.Sizes)
          One |= C->Sizes && X.Value > 1 && Want / int64_t(F.Element) % X.Value == 0 && Extra == Want / int64_t(F.Element) / X.Value;
        OneOver &= One;
        if (!Over || (S.LastBlock && S.LastBlock->Index[0]))
          Over = &S;
      } else if (S.Whole && S.End < Want) {
        // Enough threads, and none has anything to do: a single element has no interior, no predecessor, no pair.
        if (S.End <= 0 && threadsOf(*S.Launch->Step) >= C->elements(F, S))
          continue;
        // A number of blocks that wrapped to zero in 32 bits is the sample's fault.
        if (S.Empty && (C->elements(F, S) > INT32_MAX || C->elements(F, S) == 1)) // nor has one element a partner
          continue;
        Short = Short && !Short->Empty ? Short : &S;
      } else if (S.Whole && F.Written && S.Distinct > 0 && S.End == Want) {
        if (S.Distinct == S.End)
          DenseSomewhere |= S.End > int64_t(F.Element);
        else
          Holes = &S;
      }
    }
    if (Over)
      Far.push_back({&F, *C, Over, OneOver});
    else if (Short)
      tooShort(F, *C, *Short, FixedGrid);
    else if (Holes)
      holes(F, *Holes, DenseSomewhere);
  }

  void holes(const Footprint &F, const Reach &S, bool DenseSomewhere) {
    const Expr *Mixed = mixedAxes(F.Kernel, *S.Launch->Step);
    if (!(DenseSomewhere || Mixed) || isRead(F, S) || doneElsewhere(F, S, 0) || Done.contains({F.Launch, SaidIdle}) || !once(F.Kernel->getCanonicalDecl(), "holes"))
      return;
    Ctx->report("wrong_index_formula", Mixed ? Mixed->getBeginLoc() : S.Last->E->getExprLoc(),
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

  /// `if (layout == 1)`: a parameter whose value here the kernel compares for equality chooses among ways to work, and
  /// what the other values show says nothing of this one. Sizes that the contract counts are no such choice.
  bool hasSpecialValue(const LaunchSample &L, uint64_t Counted) {
    struct Finder : RecursiveASTVisitor<Finder> {
      explicit Finder(ASTContext &AST) : AST(AST) {}
      ASTContext &AST;
      std::vector<std::pair<const ParmVarDecl *, int64_t>> Found;
      void add(const Expr *A, const Expr *B) {
        const auto *D = dyn_cast<DeclRefExpr>(A->IgnoreParenImpCasts());
        const auto *P = D ? dyn_cast<ParmVarDecl>(D->getDecl()) : nullptr;
        Expr::EvalResult R;
        if (P && !B->isValueDependent() && B->getType()->isIntegralOrEnumerationType() && B->EvaluateAsInt(R, AST) && R.Val.getInt().isRepresentableByInt64())
          Found.push_back({P, R.Val.getInt().getExtValue()});
      }
      bool VisitBinaryOperator(BinaryOperator *B) {
        if (B->isEqualityOp()) {
          add(B->getLHS(), B->getRHS());
          add(B->getRHS(), B->getLHS());
        }
        return true;
      }
      bool VisitSwitchStmt(SwitchStmt *S) {
        for (const SwitchCase *C = S->getSwitchCaseList(); C; C = C->getNextSwitchCase())
          if (const auto *Case = dyn_cast<CaseStmt>(C))
            add(S->getCond(), Case->getLHS());
        return true;
      }
    };
    const FunctionDecl *K = L.Step->Kernel; // an empty grid has no run
    auto [It, New] = Choices.try_emplace(K);
    if (New) {
      Finder V(Ctx->TU.AST);
      if (K->hasBody())
        V.TraverseStmt(K->getBody());
      It->second = std::move(V.Found);
    }
    return llvm::any_of(It->second, [&](auto &Choice) {
      unsigned I = Choice.first->getFunctionScopeIndex();
      if (Choice.first->getDeclContext() != K || I >= L.Step->Args.size() || L.Step->Args[I].K != Value::Scalar)
        return false;
      const Value &Arg = L.Step->Args[I];
      return Arg.T.Params && !(Arg.T.Params & Counted) && Arg.L.at(0) == Choice.second;
    });
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

  static int64_t threadsOf(const eval::Step &S) {
    int64_t Threads = 1;
    for (unsigned A = 0; A < 3; ++A)
      Threads *= S.Grid[A].value_or(0) * S.Block[A].value_or(0);
    return Threads;
  }

  /// One finding a kernel. A buffer of another shape may be passed by just one row where the next is passed by many
  /// elements: that one tells more.
  void overruns() {
    for (bool OneOver : {false, true})
      for (const Overrun &X : Far)
        if (X.OneOver == OneOver)
          tooFar(*X.F, X.C, *X.S, OneOver);
    Far.clear();
  }

  void tooFar(const Footprint &F, const Contract &C, const Reach &S, bool OneOver) {
    const char *Tag = OneOver ? "guard_off_by_one" : "missing_bounds_guard";
    if (!once(F.Kernel->getCanonicalDecl(), "reach"))
      return;
    auto X = Ctx->report(Tag, S.Last->E->getExprLoc(),
                         llvm::formatv("thread {0} of block {1} accesses {2}[{3}]{4}: the buffer has {5} elements ({6})", S.LastThread, blockText(S.LastBlock), F.Name,
                                       S.End / F.Element - 1, sizesText(S.Launch->Host), C.elements(F, S), C.Text).str());
    X.kernel(F.Kernel)
        .evidence("block", blockText(S.LastBlock))
        .evidence("threads", llvm::json::Array{int64_t(S.LastThread)})
        .evidence("index", S.End / int64_t(F.Element) - 1)
        .evidence("elements", C.elements(F, S));
    X.note(F.Launch->getBeginLoc(), "launched here");
    // A vector that begins inside and ends outside: right where sizes are multiples of its width, which callers may know.
    bool Straddles = S.Last->Bytes > F.Element && S.End - int64_t(S.Last->Bytes) < C.elements(F, S) * int64_t(F.Element);
    if (!isPlanned(*S.Launch) || (!hasFewSizes(*S.Launch) && !S.Bytes) || Padded || Straddles)
      X.doubt();
  }

  /// One more block would find work that the launch leaves, and at sizes that fit it would find none: the kernel's own guard
  /// says that the grid was rounded down.
  void missingBlocks() {
    constexpr unsigned Tries = 2, MostSizes = 4;
    std::map<std::pair<const CallExpr *, unsigned>, unsigned> Tried;
    for (const PlanSample &P : Model->plans())
      for (const LaunchSample &L : P.Launches) {
        if (P.Aligned || P.Capped || P.Sizes > MostSizes || !L.Run || Padded || Collided.count(L.Run->Kernel) || breaksDivision(L))
          continue;
        for (unsigned A = 0; A < 3; ++A) {
          if (!L.Step->GridTaint[A].Params || Tried[{L.Step->Call, A}]++ >= Tries || Done.contains({L.Step->Call, SaidShort}))
            continue;
          std::optional<Extra> X = oneMoreBlock(L, A);
          if (!X || anotherReaches(P, L, *X) || !fitsElsewhere(L, A) || !once(L.Step->Call, SaidShort) || !once(L.Run->Kernel->getCanonicalDecl(), SaidShort))
            continue;
          auto F = Ctx->report("tail_not_covered", L.Step->Call->getBeginLoc(),
                               llvm::formatv("one more block along {0} would still reach {1} at byte {2}{3}: the grid is rounded down, and the last elements are left",
                                             "xyz"[A], X->Name, X->Offset, sizesText(L.Host)).str());
          F.kernel(L.Run->Kernel).evidence("offset", X->Offset).note(X->E->getExprLoc(), "the access is here");
          if (!L.Step->Sure || !hasFewSizes(L) || dividesByCallersBlock(L))
            F.doubt();
        }
      }
  }

  struct Extra {
    const ValueDecl *Buffer = nullptr;
    std::string Name;
    int64_t Offset = 0;
    const Expr *E = nullptr;
  };

  /// What a further block along an axis surely reaches past everything that the launch reaches.
  std::optional<Extra> oneMoreBlock(const LaunchSample &L, unsigned Axis) {
    const KernelRun &R = *L.Run;
    if (R.OutOfFuel || !R.Imprecise.empty())
      return std::nullopt;
    eval::Dim3 More = R.Grid;
    More[Axis] += 2; // the second one is to find nothing: it tells a remainder from a kernel that knows no end
    eval::Dim3 First{0, 0, 0}, Second{0, 0, 0};
    First[Axis] = R.Grid[Axis];
    Second[Axis] = R.Grid[Axis] + 1;
    std::unique_ptr<KernelRun> Larger = Model->tryGrid(*L.Step, More, {First, Second});
    if (!Larger || Larger->OutOfFuel)
      return std::nullopt;
    std::map<std::pair<const ValueDecl *, std::string>, int64_t> Ends;
    auto Global = [](const Access &A) { return A.Obj && A.Obj->Where == Space::Global && A.Obj->Decl && A.E; };
    for (const BlockRun &B : R.Blocks)
      for (const Access &A : B.Accesses)
        if (Global(A)) {
          if (A.Offset.unknown())
            return std::nullopt;
          int64_t &End = Ends[{A.Obj->Decl, A.Obj->Name}];
          forEachLane(A.Who.May, R.threads(), [&](unsigned T) { End = A.Offset.at(T) == Unk ? INT64_MAX : std::max(End, A.Offset.at(T) + int64_t(A.Bytes)); });
        }
    std::optional<Extra> Found;
    for (const BlockRun &B : Larger->Blocks)
      for (const Access &A : B.Accesses) {
        if (int64_t(B.Index[Axis]) < R.Grid[Axis] || !Global(A) || A.Offset.unknown())
          continue;
        if (int64_t(B.Index[Axis]) > R.Grid[Axis])
          return std::nullopt;
        auto It = Ends.find({A.Obj->Decl, A.Obj->Name});
        if (It != Ends.end())
          forEachLane(A.Who.Sure, R.threads(), [&](unsigned T) {
            if (A.Offset.at(T) != Unk && A.Offset.at(T) >= It->second && !Found)
              Found = Extra{A.Obj->Decl, A.Obj->Name, A.Offset.at(T), A.E};
          });
      }
    return Found;
  }

  /// A remainder that another launch of the plan does.
  static bool anotherReaches(const PlanSample &P, const LaunchSample &L, const Extra &X) {
    return llvm::any_of(P.Launches, [&](const LaunchSample &M) {
      return &M != &L && M.Run && llvm::any_of(M.Run->Blocks, [&](const BlockRun &B) {
        return llvm::any_of(B.Accesses, [&](const Access &A) { return A.Obj && A.Obj->Decl == X.Buffer && A.Obj->Name == X.Name; });
      });
    });
  }

  /// At sizes that fit the blocks the launch runs, and another block has nothing to do.
  bool fitsElsewhere(const LaunchSample &L, unsigned Axis) {
    bool Any = false;
    for (const PlanSample &P : Model->plans())
      for (const LaunchSample &M : P.Launches)
        if (P.Aligned && M.Run && M.Step->Call == L.Step->Call) {
          if (oneMoreBlock(M, Axis))
            return false;
          Any |= !M.Run->OutOfFuel;
        }
    return Any;
  }

  /// rows = size / columns: the launcher takes it that one size is a multiple of the other, which is not so here.
  static bool breaksDivision(const LaunchSample &L) {
    uint64_t Blocks = 0;
    for (const Taint &T : L.Step->BlockTaint)
      Blocks |= T.Params;
    return llvm::any_of(L.Host->Divided, [&](auto &D) {
      int64_t By = L.Host->Sizes[D.second].Value;
      bool Row = !(Blocks >> D.second & 1) || isDataSize(*L.Host, *L.Step, 1ull << D.second);
      return Row && By > 1 && L.Host->Sizes[D.first].Value % By != 0;
    });
  }

  /// n / blockSize, both the caller's: it may choose the one to fit the other.
  static bool dividesByCallersBlock(const LaunchSample &L) {
    return llvm::any_of(L.Host->Divided, [&](auto &D) { return L.Step->BlockTaint[0].Params >> D.second & 1; });
  }

  /// Whole tiles by one launch, the rest by another: does one of the same plan reach the buffer's end at \p Want bytes?
  bool doneElsewhere(const Footprint &F, const Reach &S, int64_t Want) {
    return llvm::any_of(All->all(), [&](const Footprint &G) {
      return G.Buffer == F.Buffer && G.Name == F.Name && G.Launch != F.Launch && (G.Written || !F.Written) &&
             llvm::any_of(G.Samples, [&](const Reach &R) { return R.Launch->Plan == S.Launch->Plan && R.End >= Want; });
    });
  }

  void tooShort(const Footprint &F, const Contract &C, const Reach &S, bool FixedGrid) {
    int64_t Want = C.elements(F, S), Have = S.End / int64_t(F.Element);
    if ((Padded && Want - Have < 1024) || breaksDivision(*S.Launch) || (S.Empty && Done.contains({F.Launch, EmptyLaunch})))
      return;
    // An interior, a pooled or strided read, a pair without a partner: elements that the kernel leaves by its own rule.
    int64_t Width = S.Last ? int64_t(S.Last->Bytes / F.Element) : 1;
    bool Lost = blocksAreMissing(F, S, Want * int64_t(F.Element)) || (Width > 1 && Want - Have < Width);
    const Expr *Mixed = mixedAxes(F.Kernel, *S.Launch->Step);
    Lost |= Mixed && F.Written && S.Distinct < S.End;
    bool Prefix = F.Written && S.Distinct == S.End && Want - Have < 64;
    if ((!Lost && !Prefix) || doneElsewhere(F, S, Want * int64_t(F.Element)))
      return;
    if (!once(F.Launch, SaidShort) || !once(F.Kernel->getCanonicalDecl(), SaidShort))
      return;
    bool Fixed = FixedGrid && !S.Empty;
    bool Loses = Want - Have > Want / 2 && !S.Empty && Want > 256;
    const char *Tag = Mixed ? "wrong_index_formula" : Fixed || Loses ? "coverage_mismatch" : "tail_not_covered";
    auto X = Ctx->report(Tag, Mixed ? Mixed->getBeginLoc() : F.Launch->getBeginLoc(),
                         llvm::formatv("the launch touches {0} of {1}'s {2} elements ({3}){4}", Have, F.Name, Want, C.Text, sizesText(S.Launch->Host)).str());
    X.kernel(F.Kernel).evidence("covered", Have).evidence("elements", Want);
    if (S.Last && S.Last->E)
      X.note(S.Last->E->getExprLoc(), "the access is here");
    if (!S.Launch->Step->Sure || !hasFewSizes(*S.Launch) || !Lost || dividesByCallersBlock(*S.Launch))
      X.doubt();
  }

  /// `blockIdx.x * blockDim.x + threadIdx.y`, with more or fewer threads along y than along x: the sum that numbers rows by
  /// the wrong axis. Null where there is none.
  static const Expr *mixedAxes(const FunctionDecl *K, const eval::Step &L) {
    struct Finder : RecursiveASTVisitor<Finder> {
      explicit Finder(const eval::Step &L) : L(L) {}
      const eval::Step &L;
      const Expr *Found = nullptr;
      bool VisitBinaryOperator(BinaryOperator *B) {
        if (B->getOpcode() != BO_Add || Found)
          return true;
        for (auto [Product, Rest] : {std::pair{B->getLHS(), B->getRHS()}, std::pair{B->getRHS(), B->getLHS()}}) {
          auto T = builtinUse(Rest->IgnoreParenImpCasts());
          const auto *M = dyn_cast<BinaryOperator>(Product->IgnoreParenImpCasts());
          if (!T || T->Which != IndexVar::ThreadIdx || !M || M->getOpcode() != BO_Mul)
            continue;
          auto X = builtinUse(M->getLHS()->IgnoreParenImpCasts()), Y = builtinUse(M->getRHS()->IgnoreParenImpCasts());
          if (X && Y && X->Which == IndexVar::BlockDim)
            std::swap(X, Y);
          if (X && Y && X->Which == IndexVar::BlockIdx && Y->Which == IndexVar::BlockDim && Y->Axis != T->Axis && L.Block[Y->Axis] != L.Block[T->Axis])
            Found = B;
        }
        return true;
      }
    } V(L);
    V.TraverseStmt(K->getBody());
    return V.Found;
  }

  /// Would more blocks along some axis touch what is left out, from the last element touched to the end at \p Want bytes?
  bool blocksAreMissing(const Footprint &F, const Reach &S, int64_t Want) {
    eval::Dim3 Grid;
    for (unsigned A = 0; A < 3; ++A)
      Grid[A] = std::max<int64_t>(1, S.Launch->Step->Grid[A].value_or(1));
    for (unsigned A = 0; A < 3; ++A) {
      eval::Dim3 More = Grid;
      More[A] += S.Empty ? 0 : 1;
      std::unique_ptr<KernelRun> R = Model->tryGrid(*S.Launch->Step, More);
      if (!R)
        continue;
      for (const BlockRun &B : R->Blocks)
        for (const Access &X : B.Accesses) {
          if (!X.Obj || X.Obj->Decl != F.Buffer || X.Obj->Name != F.Name)
            continue;
          bool Further = false;
          forEachLane(X.Who.May, R->threads(), [&](unsigned T) {
            int64_t At = X.Offset.at(T);
            Further |= At != Unk && At + int64_t(X.Bytes) > S.End && At < Want;
          });
          if (Further)
            return true;
        }
    }
    return false;
  }
};

KCHECK_RULE(IndexSpaceRule, "kcheck-index-space", "2", "the launch against the data", Tags);

} // namespace
