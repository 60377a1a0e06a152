//===- sync - barriers, warp operations and the races between them -------------===//
//
//   if (i >= n) return;                 sum[t] = x;
//   ...                                 y = sum[t + 1];   // another thread's slot
//   __syncthreads();  // some never come                  // missing_barrier
//
// Everything is read off the traces of LaunchModel: who is at a barrier, who wrote what another thread reads
// in the same barrier interval.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/sync/AsyncCopies.h"
#include "analyzers/rules/sync/DataMasks.h"
#include "analyzers/rules/sync/Locks.h"
#include "analyzers/engine/Rule.h"
#include "matchers/BlockOrder.h"
#include "matchers/Describe.h"
#include "matchers/Evidence.h"
#include "matchers/LostUpdates.h"
#include "matchers/Races.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

const TagInfo Tags[] = {
    {"barrier_divergence", "a block barrier that only some threads of the block reach"},
    {"barrier_after_return", "a block barrier after some threads have returned"},
    {"barrier_in_divergent_loop", "a block barrier in a loop whose trip count differs between threads"},
    {"missing_barrier", "a thread reads or overwrites what another thread wrote, with no barrier between"},
    {"missing_barrier_war", "a thread overwrites what another thread may still read, with no barrier between"},
    {"warp_sync_missing", "threads of a warp exchange through memory without __syncwarp"},
    {"shuffle_mask", "a warp operation names lanes that are not there, or leaves out one that is"},
    {"cross_block_dependency", "a block reads what another block of the same launch writes"},
};

std::string place(const KernelRun &R, unsigned Thread) {
  int64_t X = Thread % R.Block[0], Y = Thread / R.Block[0] % R.Block[1], Z = Thread / R.Block[0] / R.Block[1];
  if (R.Block[1] == 1 && R.Block[2] == 1)
    return std::to_string(X);
  return llvm::formatv("({0},{1},{2})", X, Y, Z).str();
}

std::string blockText(const BlockRun &B) { return kcheck::blockText(B.Index); }

/// " at n = 257", or what a launch that the file does not show would have to be.
std::string sizesText(const LaunchSample &L) {
  if (!L.Host && L.Run->Assumed)
    return llvm::formatv(" (if launched with {0} threads a block)", L.Run->threads()).str();
  return kcheck::sizesText(L.Host);
}

class SyncRule : public Rule {
public:
  void check(RuleContext &C) override {
    Ctx = &C;
    LaunchModel &M = C.get<LaunchModel>();
    Model = &M;
    Races = &C.get<RaceModel>();
    for (const LaunchSample *L : M.runs()) // first: a barrier would not mend these
      unfinished(*L);
    for (const LaunchSample *L : M.runs()) {
      const KernelRun &R = *L->Run;
      for (const BlockRun &B : R.Blocks) {
        barriers(*L, B);
        warpOps(*L, B);
        races(*L, B);
        copies(*L, B);
      }
      plainGridSync(*L);
      betweenBlocks(*L);
      ticketWithoutFence(*L);
      order(*L);
      updates(M, *L);
    }
    for (const FunctionDecl *K : M.kernels())
      lateGroups(K);
    hiddenReturns(M);
    spinning(M);
  }

private:
  RuleContext *Ctx = nullptr;
  RaceModel *Races = nullptr;
  LaunchModel *Model = nullptr;
  llvm::DenseSet<const Expr *> Lost; ///< updates that were found to be lost
  llvm::DenseSet<std::pair<const Stmt *, const char *>> Done;

  bool once(const Stmt *At, const char *Tag) { return Done.insert({At, Tag}).second; }

  /// Proven only where the launch is the file's own and the step surely happens.
  /// Nor by three or more sizes of which one fits no block: some relation between them may be promised that we cannot see.
  static bool planned(const LaunchSample &L) { return isPlanned(L) && (hasFewSizes(L) || L.Plan->Aligned); }

  static Mask full(const KernelRun &R) { return Mask::first(R.threads()); }

  void barriers(const LaunchSample &L, const BlockRun &B) {
    const KernelRun &R = *L.Run;
    for (const BarrierEvent &E : B.Barriers) {
      Mask Missing = full(R) - E.Who.May;
      if (Missing.any() && (E.Who.Sure.any() || hangsOnUniform(E))) {
        diverged(L, B, E, Missing);
        continue;
      }
      // Every thread may come, but whether hangs on data that differs between threads.
      if ((full(R) - E.Who.Sure).none())
        continue;
      for (auto It = E.Why.rbegin(); It != E.Why.rend(); ++It) {
        if (!It->Unknown || It->T.V < Vary::Warp)
          continue;
        const char *Tag = It->K == Control::Exit ? "barrier_after_return"
                          : It->K == Control::Loop ? "barrier_in_divergent_loop"
                                                   : "barrier_divergence";
        if (!once(E.Call, Tag))
          break;
        auto F = Ctx->report(Tag, E.Call->getBeginLoc(),
                             It->K == Control::Exit
                                 ? "threads may have returned before this barrier: the condition differs between threads"
                             : It->K == Control::Loop
                                 ? "the loop around this barrier may run a different number of times in each thread"
                                 : "this barrier is under a condition that may differ between threads of a block");
        F.kernel(R.Kernel).note(It->S->getBeginLoc(), "the condition is here; safe only if it is the same for the whole block");
        // Behind a loop that some threads leave sooner everything differs; those still in it may be alike.
        bool InUneven = It->K != Control::Loop && llvm::any_of(E.Why, [](const Control &C) { return C.K == Control::Loop && C.T.V >= Vary::Warp; });
        if (!planned(L) || It->T.Assumed || !It->T.Data || InUneven)
          F.doubt();
        break;
      }
    }
  }

  /// Whether the barrier is met at all hangs on data, but on the same for the whole block: who comes and who does not is known.
  static bool hangsOnUniform(const BarrierEvent &E) {
    return E.Who.May.any() && llvm::all_of(E.Why, [](const Control &C) { return !C.Unknown || C.T.V < Vary::Warp; });
  }

  void diverged(const LaunchSample &L, const BlockRun &B, const BarrierEvent &E, const Mask &Missing) {
    const KernelRun &R = *L.Run;
    bool Returned = (Missing - E.Exited).none();
    const Control *Why = nullptr;
    for (auto It = E.Why.rbegin(); It != E.Why.rend() && !Why; ++It)
      if ((It->K == Control::Exit) == Returned && It->T.V >= Vary::Warp)
        Why = &*It;
    const char *Tag = Returned                                  ? "barrier_after_return"
                      : Why && Why->K == Control::Loop          ? "barrier_in_divergent_loop"
                                                                : "barrier_divergence";
    if (!once(E.Call, Tag))
      return;
    bool Met = E.Who.Sure.any();
    unsigned Here = unsigned((Met ? E.Who.Sure : E.Who.May).lowest()), Absent = unsigned(Missing.lowest());
    auto F = Ctx->report(Tag, E.Call->getBeginLoc(),
                         llvm::formatv("thread {0} waits here, thread {1} {2}{3}", place(R, Here), place(R, Absent),
                                       Returned ? "has returned" : "never comes", sizesText(L)).str());
    F.kernel(R.Kernel)
        .evidence("block", blockText(B))
        .evidence("threads", llvm::json::Array{int64_t(Here), int64_t(Absent)});
    if (Why)
      F.note(Why->S->getBeginLoc(), Returned ? "some threads of the block return here" : "the threads part here");
    // Without a launch, a bound on threadIdx alone may be the block's size; and where callers choose the block, they may choose
    // it no larger than the data.
    // A branch may choose between ways to work for blocks of different sizes.
    bool Chosen = !Met && llvm::any_of(E.Why, [](const Control &C) { return C.Unknown && C.K != Control::Loop; });
    if (!planned(L) || Chosen || ((Returned || hasManySizes(L)) && (R.BlockTaint[0].Params || R.BlockTaint[1].Params)))
      F.doubt();
  }

  void warpOps(const LaunchSample &L, const BlockRun &B) {
    unsigned N = L.Run->threads();
    if (guessedShape(*L.Run)) // nor is it known who are the lanes of a warp
      return;
    for (const WarpEvent &E : B.WarpOps) {
      if (E.Legacy || E.Named.unknown())
        continue;
      if (E.Who.Sure.none())
        partedByData(L, B, E);
      bool Shuffle = callKind(E.Call) == CallKind::Shuffle;
      for (unsigned W = 0; W * 32 < N; ++W)
        for (uint32_t Left = E.Who.Sure.warp(W); Left;) {
          // The lanes that give one mask make one operation: parts of a warp may each give their own.
          int64_t NamedValue = E.Named.at(W * 32 + unsigned(std::countr_zero(Left)));
          uint32_t Group = lanesNaming(E, W, NamedValue);
          warpOp(L, B, E, W, Group, NamedValue, Shuffle);
          Left &= ~Group;
        }
    }
  }

  /// A mask of all lanes, where data may keep some of them away.
  void partedByData(const LaunchSample &L, const BlockRun &B, const WarpEvent &E) {
    constexpr uint32_t All = ~0u;
    if (L.Run->threads() < 32 || uint32_t(E.Named.uniformValue(L.Run->threads())) != All)
      return;
    const auto [C, Own] = partsLanes(E, B, Ctx->get<VariableWrites>());
    if (!C || !once(E.Call, "shuffle_mask"))
      return;
    auto F = Ctx->report("shuffle_mask", E.Call->getBeginLoc(),
                         C->K == Control::Loop ? "the mask names all lanes, but how often each goes through this loop hangs on data"
                                               : "the mask names all lanes, but which of them come here hangs on data");
    F.kernel(L.Run->Kernel).note(C->Cond->getBeginLoc(), "data that differ between lanes decide here");
    if (!planned(L) || (C->K == Control::Loop && !Own))
      F.doubt();
  }

  static uint32_t lanesNaming(const WarpEvent &E, unsigned W, int64_t Mask) {
    uint32_t Lanes = 0;
    for (unsigned I = 0; I < 32; ++I)
      if (E.Who.May.warp(W) >> I & 1 && E.Named.at(W * 32 + I) == Mask)
        Lanes |= 1u << I;
    return Lanes;
  }

  void warpOp(const LaunchSample &L, const BlockRun &B, const WarpEvent &E, unsigned W, uint32_t Group, int64_t NamedValue, bool Shuffle) {
    const KernelRun &R = *L.Run;
    unsigned N = R.threads();
    uint32_t Sure = E.Who.Sure.warp(W) & Group, May = Group | lanesNaming(E, W, Unk), Gone = E.Exited.warp(W);
    if (NamedValue == Unk || !Sure)
      return;
    uint32_t Exists = N - W * 32 >= 32 ? ~0u : (1u << (N - W * 32)) - 1;
    uint32_t Named = uint32_t(NamedValue) & Exists;
    uint32_t Absent = Named & ~May & ~Gone, Lost = Named & Gone, Unnamed = Sure & ~Named;
    const char *Text = Absent ? "lane {0} is named by the mask but does not execute this"
                       : Unnamed ? "lane {0} executes this but is not named by the mask"
                       : Lost && Shuffle ? "lane {0} is named by the mask but has returned: what is read from it is undefined"
                                         : nullptr;
    if (!Text || !once(E.Call, "shuffle_mask"))
      return;
    uint32_t Bad = Absent ? Absent : Unnamed ? Unnamed : Lost;
    auto F = Ctx->report("shuffle_mask", E.Call->getBeginLoc(), (llvm::formatv(Text, std::countr_zero(Bad)).str() + sizesText(L)));
    F.kernel(R.Kernel)
        .evidence("block", blockText(B))
        .evidence("mask", llvm::formatv("{0:x}", uint32_t(NamedValue)).str())
        .evidence("active", llvm::formatv("{0:x}", May).str());
    if (!planned(L))
      F.doubt();
  }

  void races(const LaunchSample &L, const BlockRun &B) {
    const KernelRun &R = *L.Run;
    if (guessedShape(R))
      return;
    for (const Race &X : Races->inBlock(R, B)) {
      bool Shared = isShared(X.First->Obj);
      bool ReadFirst = X.First->Kind == AccessKind::Read;
      bool SameInstruction = X.First->E == X.Second->E && X.First->Kind == X.Second->Kind;
      if (!Shared && SameInstruction) // an index formula that collides: rule 2's
        continue;
      if (X.SameWarp && SameInstruction && !ReadFirst && isButterfly(*X.First))
        continue; // every lane stores the sum that all of them have
      if (underOneLock(R, B, *X.First, X.FirstThread, *X.Second, X.SecondThread))
        continue;
      if (!Shared && (X.First->Volatile || X.Second->Volatile) && B.Fences && announces(B))
        continue; // handed over behind a fence and an atomic: an order of its own making
      if (!Shared && hasManySizes(L) && !doAllAligned(*Model, L, [&](const LaunchSample &M) {
            return llvm::any_of(M.Run->Blocks, [&](const BlockRun &Other) {
              return llvm::any_of(Races->inBlock(*M.Run, Other), [&](const Race &Y) { return Y.First->E == X.First->E && Y.Second->E == X.Second->E; });
            });
          }))
        continue;
      const char *Tag = X.SameWarp ? "warp_sync_missing" : ReadFirst ? "missing_barrier_war" : "missing_barrier";
      const Access &At = ReadFirst && !X.SameWarp ? *X.First : *X.Second;
      const Access &Other = &At == X.First ? *X.Second : *X.First;
      if (!At.E || Done.contains({At.E, "blocks"}) || !once(cast<Stmt>(At.E), X.SameWarp ? "warp" : "barrier") || !once(reinterpret_cast<const Stmt *>(X.First->Obj->Decl), Tag))
        continue;
      std::string Name = X.First->Obj->Name;
      auto F = Ctx->report(
          Tag, At.E->getExprLoc(),
          llvm::formatv("thread {0} {1} {2} at byte {3}, thread {4} {5} it in the same {6}: no {7} between{8}",
                        place(R, X.FirstThread), ReadFirst ? "reads" : "writes", Name, X.Offset, place(R, X.SecondThread),
                        X.Second->Kind == AccessKind::Read ? "reads" : "writes", X.SameWarp ? "warp" : "barrier interval",
                        X.SameWarp ? "__syncwarp()" : "__syncthreads()", sizesText(L)).str());
      F.kernel(R.Kernel)
          .evidence("block", blockText(B))
          .evidence("threads", llvm::json::Array{int64_t(X.FirstThread), int64_t(X.SecondThread)})
          .evidence("object", Name)
          .evidence("offset", X.Offset);
      if (Other.E)
        F.note(Other.E->getExprLoc(), "the other access is here");
      if (!X.Sure || !planned(L) || (X.SameWarp && (X.First->Volatile || X.Second->Volatile)) || !Shared || outgrows(R.Kernel, *X.First->Obj))
        F.doubt();
    }
  }

  /// `Q[64][D]`, indexed by `[row][column < dim]`: where some of the sizes that are tried run past the array, callers keep them
  /// below its extents, and rows meet at sizes that nobody has.
  bool outgrows(const FunctionDecl *Kernel, const Object &Array) const {
    const auto *V = dyn_cast_or_null<VarDecl>(Array.Decl);
    if (Array.Where != Space::Shared || !V || !V->getType()->isConstantArrayType())
      return false;
    const int64_t Bytes = V->getASTContext().getTypeSizeInChars(V->getType()).getQuantity();
    return llvm::any_of(Model->runs(), [&](const LaunchSample *L) {
      return L->Run->Kernel == Kernel && llvm::any_of(L->Run->Blocks, [&](const BlockRun &B) {
               return llvm::any_of(B.Accesses, [&](const Access &A) {
                 bool Past = false;
                 if (A.Obj && A.Obj->Decl == V && !A.Offset.unknown() && !A.OffsetTaint.Data)
                   forEachLane(A.Who.May, L->Run->threads(), [&](unsigned T) { Past |= A.Offset.at(T) != Unk && A.Offset.at(T) + int64_t(A.Bytes) > Bytes; });
                 return Past;
               });
             });
    });
  }

  void copies(const LaunchSample &L, const BlockRun &B) {
    if (EarlyRead Early = readBeforeItLands(*L.Run, B); Early.Copy && once(Early.Wait, "barrier")) {
      auto F = Ctx->report("missing_barrier", Early.Wait->getBeginLoc(),
                           llvm::formatv("this leaves the copy of '{0}' in flight, after whose group {1} more {2} been committed{3}, and what it fills is read next",
                                         Early.Copy->Obj->Name, Early.InFlight, Early.InFlight == 1 ? "has" : "have", sizesText(L)).str());
      F.kernel(L.Run->Kernel).note(Early.Copy->E->getExprLoc(), "the copy is here").note(Early.Read->E->getExprLoc(), "the read is here");
      if (!isPlanned(L))
        F.doubt();
    }
    auto [Copy, Read] = readWithoutWait(*L.Run, B);
    if (!Copy || !once(Read->E, "barrier"))
      return;
    auto F = Ctx->report("missing_barrier", Read->E->getExprLoc(),
                         "'" + Copy->Obj->Name + "' is read here, and the kernel never waits for the asynchronous copies that fill it: a barrier orders threads only");
    F.kernel(L.Run->Kernel);
    if (Copy->E)
      F.note(Copy->E->getExprLoc(), "the copy is here");
    if (!isPlanned(L))
      F.doubt();
  }

  void lateGroups(const FunctionDecl *K) {
    LateGroup G = lateGroup(K, Ctx->get<VariableWrites>());
    if (!G.Wait || !once(G.Wait, "barrier"))
      return;
    Ctx->report("missing_barrier", G.Wait->getBeginLoc(),
                "this leaves a group of copies in flight in every round, and in the last rounds no newer group follows the one that is read next: "
                "commit an empty group, or wait for all of them at the end")
        .kernel(K)
        .note(G.Commit->getBeginLoc(), "a group is committed only under this condition");
  }

  /// Is what the access stores made by shuffles across lane bits, which leave one value in all lanes? `part[warp] = sum` after
  /// `sum += __shfl_xor_sync(all, sum, k)`, in the kernel or in what it calls.
  bool isButterfly(const Access &Store) {
    struct Assignment : RecursiveASTVisitor<Assignment> {
      const Expr *Left = nullptr, *Right = nullptr;
      bool VisitBinaryOperator(BinaryOperator *B) {
        if (B->getOpcode() == BO_Assign && B->getLHS()->IgnoreParens() == Left)
          Right = B->getRHS();
        return !Right;
      }
    } A;
    A.Left = Store.E->IgnoreParens();
    if (Store.In && Store.In->hasBody())
      A.TraverseStmt(Store.In->getBody());
    const VarDecl *V = A.Right ? namedVariable(A.Right) : nullptr;
    return V && llvm::any_of(Ctx->get<VariableWrites>().of(V), [](const VariableWrite &W) { return W.Value && shufflesAcross(W.Value, 0); });
  }

  static bool shufflesAcross(const Stmt *S, unsigned Depth) {
    struct Calls : RecursiveASTVisitor<Calls> {
      unsigned Depth = 0;
      bool Found = false;
      bool VisitCallExpr(CallExpr *C) {
        const FunctionDecl *F = C->getDirectCallee();
        if (F && F->getIdentifier() && F->getName().starts_with("__shfl_xor"))
          Found = true;
        else if (F && F->hasBody() && isDeviceFunction(F) && Depth < 3)
          Found |= shufflesAcross(F->getBody(), Depth + 1);
        return !Found;
      }
    } V;
    V.Depth = Depth;
    V.TraverseStmt(const_cast<Stmt *>(S));
    return V.Found;
  }

  void updates(LaunchModel &M, const LaunchSample &L) {
    for (const LostUpdate &U : lostUpdates(M, Ctx->get<VariableWrites>(), L, Lost)) {
      Lost.insert(U.Write->E);
      if (!once(U.Write->E, "barrier"))
        continue;
      bool Shared = isShared(U.Write->Obj);
      std::string What = U.OnePlace ? "data chooses the threads that read, change and write back one place in '" + U.Write->Obj->Name + "': where it chooses two, "
                                    : "data chooses the place in '" + U.Write->Obj->Name + "' that this reads, changes and writes back: where two threads are sent to one, ";
      Ctx->report(Shared ? "missing_barrier" : "cross_block_dependency", U.Write->E->getExprLoc(),
                  What + "an update is lost; safe only if no two are, else use an atomic")
          .kernel(L.Run->Kernel)
          .doubt();
    }
    for (const UnreservedPlace &U : unreservedPlaces(Ctx->get<VariableWrites>(), L))
      if (once(U.Write->E, "barrier"))
        Ctx->report(isShared(U.Write->Obj) ? "missing_barrier" : "cross_block_dependency", U.Write->E->getExprLoc(),
                    "the place in '" + U.Write->Obj->Name + "' is read from '" + U.Count->Obj->Name +
                        "', which is counted on by another step: threads that read it meanwhile store at one place; the atomic's result is a place of one's own")
            .kernel(L.Run->Kernel)
            .note(U.Count->E->getExprLoc(), "counted on here")
            .doubt();
  }

  /// grid.sync() in a launch by <<<…>>>: the blocks need not be on the device together.
  void plainGridSync(const LaunchSample &L) {
    if (!L.Step || !isa_and_nonnull<CUDAKernelCallExpr>(L.Step->Call))
      return;
    for (const BlockRun &B : L.Run->Blocks)
      for (const BarrierEvent &E : B.Barriers)
        if (callKind(E.Call) == CallKind::GridBarrier && once(L.Step->Call, "cooperative")) {
          auto F = Ctx->report("cross_block_dependency", L.Step->Call->getBeginLoc(),
                               "the kernel waits for the whole grid, which takes a cooperative launch (cudaLaunchCooperativeKernel): in this one the wait fails");
          F.kernel(L.Run->Kernel).note(E.Call->getBeginLoc(), "it waits here");
          if (!planned(L))
            F.doubt();
        }
  }

  /// A fence orders what a block did before something that others can see: an atomic, a flag, unseen code.
  static bool announces(const BlockRun &B) {
    return !B.Escapes.empty() || llvm::any_of(B.Accesses, [](const Access &A) {
      return A.Kind == AccessKind::Atomic || A.Volatile || A.Stored.Atomic || !A.Obj;
    });
  }

  void betweenBlocks(const LaunchSample &L) {
    const KernelRun &R = *L.Run;
    if (guessedShape(R) || llvm::any_of(R.Blocks, [](const BlockRun &B) { return B.Fences && announces(B); }))
      return; // an order of its own making: the simulator's question
    if (llvm::any_of(R.Blocks, waitsForGrid))
      return;
    for (const Race &X : Races->betweenBlocks(R)) {
      if (X.Second->Kind != AccessKind::Read || !X.Second->E || !X.FirstBlock->Overflows.empty() || !X.SecondBlock->Overflows.empty())
        continue; // places that wrapped are the overflow's
      auto Always = [&] {
        return doAllAligned(*Model, L, [&](const LaunchSample &M) {
          return llvm::any_of(Races->betweenBlocks(*M.Run), [&](const Race &Y) { return Y.Second->E == X.Second->E; });
        });
      };
      if ((hasManySizes(L) && !Always()) || !once(X.Second->E, "blocks"))
        continue;
      auto F = Ctx->report("cross_block_dependency", X.Second->E->getExprLoc(),
                           llvm::formatv("block {0} reads {1} at byte {2}, which block {3} of the same launch writes: blocks have no order{4}",
                                         blockText(*X.SecondBlock), X.First->Obj->Name, X.Offset, blockText(*X.FirstBlock), sizesText(L)).str());
      F.kernel(R.Kernel).evidence("offset", X.Offset);
      if (X.First->E)
        F.note(X.First->E->getExprLoc(), "the write is here");
      if (!X.Sure || !planned(L) || !hasFewSizes(L) || !Always())
        F.doubt();
    }
    for (const Race &X : lateStarts(R)) {
      if (!once(X.First->E, "blocks"))
        continue;
      auto F = Ctx->report("cross_block_dependency", X.First->E->getExprLoc(),
                           llvm::formatv("block {0} starts {1} off at byte {2}, which block {3} of the same launch may have updated before: "
                                         "blocks have no order, and a barrier holds one block only{4}",
                                         blockText(*X.FirstBlock), X.First->Obj->Name, X.Offset, blockText(*X.SecondBlock), sizesText(L)).str());
      F.kernel(R.Kernel).evidence("offset", X.Offset).note(X.Second->E->getExprLoc(), "the update is here");
      if (!X.Sure || !planned(L) || !hasFewSizes(L) || X.First->Volatile)
        F.doubt();
    }
  }

  /// `atomicAdd(sum, x); __syncthreads(); y = x / *sum;`: fences do not make a block wait for the others.
  void unfinished(const LaunchSample &L) {
    const KernelRun &R = *L.Run;
    if (guessedShape(R) || llvm::any_of(R.Blocks, waitsForGrid))
      return;
    for (const Race &X : earlyReads(R)) {
      if (!once(X.Second->E, "blocks"))
        continue;
      auto F = Ctx->report("cross_block_dependency", X.Second->E->getExprLoc(),
                           llvm::formatv("block {0} reads {1} here, to which block {2} of the same launch may not have added yet: blocks have no order, and "
                                         "barriers and fences hold one block only{3}",
                                         blockText(*X.SecondBlock), X.First->Obj->Name, blockText(*X.FirstBlock), sizesText(L)).str());
      F.kernel(R.Kernel).note(X.First->E->getExprLoc(), "the update is here");
      if (!X.Sure || !planned(L) || !hasFewSizes(L))
        F.doubt();
    }
  }

  /// The last block to take a ticket reads what the others wrote before theirs: without a fence between the write and
  /// the ticket it may read old values.
  void ticketWithoutFence(const LaunchSample &L) {
    const KernelRun &R = *L.Run;
    if (R.blocks() < 2)
      return;
    if (llvm::any_of(R.Blocks, [](const BlockRun &B) { return B.Fences || !B.Escapes.empty() || waitsForGrid(B); }))
      return; // assembly and unseen functions may fence
    auto Plain = [](const Access &A, AccessKind K) { return A.Kind == K && A.Obj && A.Obj->Where != Space::Shared && A.Obj->Where != Space::DynamicShared && A.E; };
    for (const BlockRun &B : R.Blocks)
      for (const Access &Read : B.Accesses) {
        bool AfterTicket = llvm::any_of(Read.Path, [](const Control &C) { return C.T.Atomic; });
        if (!Plain(Read, AccessKind::Read) || !AfterTicket)
          continue;
        const Access *Write = nullptr, *Ticket = nullptr;
        for (const Access &A : B.Accesses) {
          if (A.Sequence >= Read.Sequence)
            break;
          if (Plain(A, AccessKind::Write) && A.Obj == Read.Obj && A.Path.empty())
            Write = &A;
          else if (Write && Plain(A, AccessKind::Atomic) && A.Obj != Read.Obj)
            Ticket = &A;
        }
        // Places that a block keeps for itself are read back by the same block.
        if (!Write || !Ticket || (Read.OffsetTaint.V == Write->OffsetTaint.V && sameLanes(Read.Offset, Write->Offset, R.threads())) || !once(Ticket->E, "ticket"))
          continue;
        auto F = Ctx->report("cross_block_dependency", Ticket->E->getExprLoc(),
                             "a block announces itself here, and the last one reads '" + Read.Obj->Name +
                                 "' that the others wrote before: without __threadfence() between their write and this it may read old values");
        F.kernel(R.Kernel).note(Write->E->getExprLoc(), "the write is here").note(Read.E->getExprLoc(), "the read is here");
        if (!planned(L))
          F.doubt();
      }
  }

  /// Locks and flags. What a chip does without the fence is its own affair, so these are doubts.
  void order(const LaunchSample &L) {
    for (const OrderFault &F : orderFaults(*L.Run)) {
      OrderText T = describe(F);
      if (once(F.At->E, T.Tag.starts_with("cross") ? "blocks" : "barrier"))
        Ctx->report(T.Tag, F.At->E->getExprLoc(), T.Message).kernel(L.Run->Kernel).note(F.Other->E->getExprLoc(), T.Note).doubt();
    }
  }

  static bool sameLanes(const eval::Lanes &A, const eval::Lanes &B, unsigned N) {
    for (unsigned T = 0; T < N; ++T)
      if (A.at(T) != B.at(T) || A.at(T) == eval::Unk)
        return false;
    return true;
  }

  /// A guard that returns before a barrier and that no sample size makes true, although it hangs on the sizes
  /// and differs between threads: the launch hides the fault.
  void hiddenReturns(LaunchModel &M) {
    for (const LaunchSample *L : M.runs()) {
      const KernelRun &R = *L->Run;
      if (!L->Step)
        continue;
      for (const BlockRun &B : R.Blocks)
        for (const Control &C : B.Branches) {
          if (C.T.V < Vary::Warp || !C.T.Params || C.Unknown)
            continue;
          const auto *If = dyn_cast<IfStmt>(C.S);
          if (!If || !returns(If->getThen()))
            continue;
          const BarrierEvent *After = nullptr;
          for (const BarrierEvent &E : B.Barriers)
            if (Ctx->TU.sources().isBeforeInTranslationUnit(If->getBeginLoc(), E.Call->getBeginLoc()) && !After)
              After = &E;
          if (!After || Done.count({After->Call, "barrier_after_return"}) || !gridFloors(*L) ||
              !once(After->Call, "barrier_after_return"))
            continue;
          Ctx->report("barrier_after_return", If->getBeginLoc(),
                      "threads return here by a condition that differs between threads, before the barrier that the block shares; "
                      "only the launch's rounding hides it")
              .kernel(R.Kernel)
              .note(After->Call->getBeginLoc(), "the barrier is here")
              .doubt();
        }
    }
  }

  /// while (atomicAdd(arrived, 0) < gridDim.x): blocks that wait for blocks that may not be resident.
  void spinning(LaunchModel &M) {
    for (const LaunchSample *L : M.runs()) {
      const KernelRun &R = *L->Run;
      if (!L->Step || !isa<CUDAKernelCallExpr>(L->Step->Call))
        continue;
      struct Finder : RecursiveASTVisitor<Finder> {
        std::vector<const Stmt *> Loops;
        bool VisitWhileStmt(WhileStmt *S) { return look(S, S->getCond()); }
        bool VisitDoStmt(DoStmt *S) { return look(S, S->getCond()); }
        bool look(const Stmt *S, Expr *Cond) {
          struct Parts : RecursiveASTVisitor<Parts> {
            bool Grid = false, Shared = false;
            bool VisitExpr(Expr *E) {
              if (auto B = builtinUse(E))
                Grid |= B->Which == IndexVar::GridDim;
              Shared |= E->getType().isVolatileQualified();
              if (const auto *C = dyn_cast<CallExpr>(E))
                Shared |= callKind(C) == CallKind::Atomic;
              return true;
            }
          } P;
          P.TraverseStmt(Cond);
          if (P.Grid && P.Shared)
            Loops.push_back(S);
          else if (P.Shared)
            Flags.push_back({S, Cond});
          return true;
        }
        std::vector<std::pair<const Stmt *, Expr *>> Flags; ///< loops that wait for one place
      } V;
      V.TraverseStmt(R.Kernel->getBody());
      bool Unbounded = R.GridTaint[0].Params || R.GridTaint[1].Params || R.GridTaint[2].Params;
      for (const Stmt *S : V.Loops)
        if (once(S, "blocks")) {
          auto F = Ctx->report("cross_block_dependency", S->getBeginLoc(),
                               "blocks wait here for all blocks of the grid: they need not be resident together without a cooperative launch");
          F.kernel(R.Kernel);
          if (!Unbounded || !planned(*L))
            F.doubt();
        }
      for (auto &[Loop, Cond] : V.Flags)
        if (auto Blocks = waitsForLater(R, Cond); Blocks && once(Loop, "blocks")) {
          auto F = Ctx->report("cross_block_dependency", Loop->getBeginLoc(),
                               "block " + blockText(*Blocks->first) + " waits here for what block " + blockText(*Blocks->second) +
                                   " writes, which may start only when others have ended: the kernel hangs as soon as not all blocks are resident");
          F.kernel(R.Kernel);
          if (!Unbounded || !planned(*L))
            F.doubt();
        }
    }
  }

  using BlockPair = std::pair<const BlockRun *, const BlockRun *>;

  /// A block, and one of a higher number that writes the place which the first reads in \p Cond.
  static std::optional<BlockPair> waitsForLater(const KernelRun &R, Expr *Cond) {
    struct Places : RecursiveASTVisitor<Places> {
      llvm::DenseSet<const Expr *> In;
      bool VisitExpr(Expr *E) {
        In.insert(E);
        return true;
      }
    } P;
    P.TraverseStmt(Cond);
    auto Number = [](const BlockRun &B) { return std::array{B.Index[2], B.Index[1], B.Index[0]}; };
    auto Global = [](const Access &A) { return A.Obj && A.Obj->Where == Space::Global && A.Who.May.any() && A.E; };
    auto Place = [](const Access &A) { return A.Offset.at(unsigned(A.Who.May.lowest())); };
    for (const BlockRun &Waiting : R.Blocks)
      for (const Access &Read : Waiting.Accesses) {
        if (!Global(Read) || !P.In.count(Read.E) || Place(Read) == Unk)
          continue;
        for (const BlockRun &Other : R.Blocks)
          for (const Access &Write : Other.Accesses)
            if (Number(Other) > Number(Waiting) && Global(Write) && Write.Kind != AccessKind::Read && Write.Obj == Read.Obj && !P.In.count(Write.E) &&
                Place(Write) == Place(Read))
              return BlockPair{&Waiting, &Other};
      }
    return std::nullopt;
  }

  static bool returns(const Stmt *S) {
    if (isa<ReturnStmt>(S))
      return true;
    const auto *C = dyn_cast<CompoundStmt>(S);
    return C && !C->body_empty() && isa<ReturnStmt>(C->body_back());
  }

  /// The grid is a size divided and rounded down.
  static bool gridFloors(const LaunchSample &L) {
    const Expr *G = L.Step->GridExpr;
    struct Finder : RecursiveASTVisitor<Finder> {
      bool Plain = false;
      bool VisitBinaryOperator(BinaryOperator *B) {
        if (B->getOpcode() == BO_Div) {
          const Expr *X = B->getLHS()->IgnoreParenImpCasts();
          if (isa<DeclRefExpr>(X) || isa<MemberExpr>(X) || isa<CallExpr>(X))
            Plain = true;
        }
        return true;
      }
    } V;
    if (G)
      V.TraverseStmt(const_cast<Expr *>(G));
    return V.Plain;
  }
};

KCHECK_RULE(SyncRule, "kcheck-sync", "7", "barriers, warp operations and races", Tags);

} // namespace
