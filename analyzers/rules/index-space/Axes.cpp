//===- Axes.cpp - the axes of a kernel against those of its launches ------------===//
//
//   int r = blockIdx.y * blockDim.y + threadIdx.y;
//   k<<<(w + 15) / 16, 256>>>(...);                   // dimension_mismatch
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

AxesUse kcheck::axesOf(const FunctionDecl *Kernel) {
  struct Visitor : ConstDynamicRecursiveASTVisitor {
    AxesUse Use;
    llvm::DenseSet<const FunctionDecl *> Seen;
    bool VisitExpr(const Expr *E) override {
      auto B = builtinUse(E);
      if (!B || B->Which == IndexVar::WarpSize)
        return true;
      bool *To = B->Which == IndexVar::ThreadIdx  ? Use.Thread
                 : B->Which == IndexVar::BlockIdx ? Use.Block
                 : B->Which == IndexVar::BlockDim ? Use.Dim
                                                  : Use.Grid;
      To[B->Axis] = true;
      return true;
    }
    bool VisitCallExpr(const CallExpr *C) override {
      const FunctionDecl *F = C->getDirectCallee();
      if (F && isa<CXXMethodDecl>(F) && F->getIdentifier())
        Use.Groups |= F->getName() == "thread_rank" || F->getName() == "group_index" || F->getName() == "thread_index";
      if (F && F->hasBody() && isDeviceFunction(F) && Seen.insert(F).second && Seen.size() < 32)
        TraverseStmt(F->getBody());
      return true;
    }
    bool VisitGCCAsmStmt(const GCCAsmStmt *) override { return Use.Groups = true; }
  } V;
  V.TraverseStmt(Kernel->getBody());
  return V.Use;
}

namespace {

/// The largest extents along each axis in any launch of one kernel.
struct Extents {
  int64_t Block[3] = {1, 1, 1}, Grid[3] = {1, 1, 1};
  const eval::Step *At = nullptr; ///< one that can be run, if some can
  bool AtRuns = false;
  bool Known = true;
  bool Grows[3] = {}; ///< a size decides the extent: other sizes than ours make it more than one
  bool single(unsigned A) const { return Block[A] == 1 && Grid[A] == 1; }

  void add(const eval::Step &L, bool Runs) {
    At = At && (AtRuns || !Runs) ? At : &L;
    AtRuns |= Runs;
    for (unsigned A = 0; A < 3; ++A) {
      if (!L.Grid[A] || !L.Block[A]) {
        Known = false;
        continue;
      }
      Grows[A] |= (L.GridTaint[A].Params | L.BlockTaint[A].Params) != 0;
      Block[A] = std::max(Block[A], *L.Block[A]);
      Grid[A] = std::max(Grid[A], *L.Grid[A]);
    }
  }
};

class AxesCheck {
public:
  AxesCheck(IndexReporter &R, const FunctionDecl *K, const Extents &E) : R(R), Model(R.Model), K(K), E(E), U(axesOf(K)) {}

  void run() {
    if (U.Groups || doesNothing())
      return;
    if (U.Block[0] && U.Block[1] && !U.Grid[0] && !U.Grid[1] && E.Grows[0] && E.Grows[1])
      crossed();
    if (U.Block[1] && !U.Grid[1] && !U.Thread[1] && U.Grid[0] && E.single(1) && E.Grid[0] > 1)
      report(E.At->Call, "the kernel takes blockIdx.y as an index and strides over the grid along x, but no launch has more than one block along y", true);
    for (unsigned A = 1; A < 3; ++A)
      if (!E.Grows[A] || !E.single(A))
        axis(A);
  }

private:
  /// An overload that only has to be there looks at no axis, and repeats no work.
  bool doesNothing() const {
    const auto *Body = dyn_cast<CompoundStmt>(K->getBody());
    return Body && Body->body_empty();
  }

  bool report(const CallExpr *Launch, const llvm::Twine &Text, bool Doubt = false) {
    if (!R.once(Launch, "axes"))
      return false;
    auto F = R.Ctx.report("dimension_mismatch", Launch->getBeginLoc(), Text);
    F.kernel(K);
    if (Doubt)
      F.doubt();
    return true;
  }

  void axis(unsigned A) {
    std::string Text = mismatch(A);
    if ((Text.empty() || !report(E.At->Call, Text)) && U.Block[A] && !U.Grid[A])
      guarded(A);
  }

  /// What is wrong along the axis whatever the sizes; empty if nothing is.
  std::string mismatch(unsigned A) const {
    char Axis = "xyz"[A];
    if (U.Thread[A] && U.Block[A] && U.Dim[A] && E.single(A) && leavesUndone(A))
      return llvm::formatv("the kernel numbers its work along {0}, but every launch has one thread there: only the first of them is done", Axis);
    if (A == 2 && U.Block[A] && !U.Grid[A] && E.single(A) && E.Grid[1] > 1)
      return llvm::formatv("the kernel takes blockIdx.{0} as an index, but no launch has more than one block there", Axis);
    if (!U.Thread[A] && !U.Block[A] && !E.single(A))
      return llvm::formatv("the launch has up to {0} blocks of {1} threads along {2}, which the kernel never looks at: they repeat the same work", E.Grid[A],
                           E.Block[A], Axis);
    if (U.Thread[A] && U.Block[A] && !U.Dim[A] && E.Block[A] == 1 && E.Grid[A] > 1 && leavesRows(A))
      return llvm::formatv("the kernel numbers its work by threadIdx.{0}, but every block has one thread along {0}: what the others would write stays unwritten", Axis);
    return "";
  }

  /// The launch with blocks of another number of threads along the axis.
  std::unique_ptr<KernelRun> tryThreads(unsigned A, int64_t Threads) const {
    eval::Dim3 Block;
    for (unsigned I = 0; I < 3; ++I)
      Block[I] = I == A ? Threads : E.At->Block[I].value_or(1);
    return Block[0] * Block[1] * Block[2] <= MaxThreads ? Model.tryBlock(*E.At, Block) : nullptr;
  }
  /// The second thread along the axis.
  unsigned secondThread(unsigned A) const { return unsigned(E.At->Block[0].value_or(1) * (A == 1 ? 1 : E.At->Block[1].value_or(1))); }

  /// With two threads along the axis, does the second touch what no thread of the launch touches now? Not in a kernel
  /// that counts all threads of all axes, whatever their shape.
  bool leavesUndone(unsigned A) const {
    std::unique_ptr<KernelRun> Now = tryThreads(A, E.At->Block[A].value_or(1)), More = tryThreads(A, 2);
    if (!Now || !More)
      return false;
    std::set<std::pair<const Object *, int64_t>> Had;
    forEachGlobal(*Now, [&](const BlockRun &, const Access &X) {
      forEachLane(X.Who.May, Now->threads(), [&](unsigned T) { Had.insert({X.Obj, X.Offset.at(T)}); });
    });
    bool Undone = false;
    unsigned Second = secondThread(A);
    forEachGlobal(*More, [&](const BlockRun &B, const Access &X) {
      Undone |= B.Index == std::array<unsigned, 3>{} && X.Who.May.test(Second) && X.Offset.at(Second) != Unk && !Had.count({X.Obj, X.Offset.at(Second)});
    });
    return Undone;
  }

  /// With two threads along the axis, does the second write between what the first one and the next block's first write?
  bool leavesRows(unsigned A) const {
    std::unique_ptr<KernelRun> Two = tryThreads(A, 2);
    if (!Two)
      return false;
    auto Writes = [&](bool Next, unsigned Lane) {
      std::map<std::pair<const Expr *, const Object *>, int64_t> At;
      forEachGlobal(*Two, [&](const BlockRun &B, const Access &X) {
        if (B.Index[A] == unsigned(Next) && B.Index[0] == 0 && B.Index[3 - A] == 0 && X.Kind == AccessKind::Write && X.Who.Sure.test(Lane) &&
            X.Offset.at(Lane) != Unk)
          At.emplace(std::pair{X.E, X.Obj}, X.Offset.at(Lane));
      });
      return At;
    };
    auto First = Writes(false, 0), Beside = Writes(false, secondThread(A)), Next = Writes(true, 0);
    return llvm::any_of(Beside, [&](auto &X) {
      auto F = First.find(X.first), N = Next.find(X.first);
      return F != First.end() && N != Next.end() && F->second < X.second && X.second < N->second;
    });
  }

  /// Rows along x in the kernel, columns along x in the launch: at one pair of sizes the guard still has work for one more
  /// block along an axis, at another the last blocks along it have none. Both axes must show it, at sizes that fit the blocks.
  void crossed() {
    struct Seen {
      bool Lacks[2] = {}, Spare[2] = {};
      const LaunchSample *At = nullptr;
      bool Other = false;
    };
    std::map<const CallExpr *, Seen> Per;
    forEachSure([&](const PlanSample &P, const LaunchSample &L) {
      if (!P.Aligned || L.Run->OutOfFuel)
        return;
      Seen &S = Per[L.Step->Call];
      for (unsigned A = 0; A < 2 && !S.Other; ++A) {
        // Along this axis alone: then the grid's last block is the one asked about.
        auto LastWorks = [&](int64_t Blocks) {
          eval::Dim3 Grid{1, 1, L.Run->Grid[2]};
          Grid[A] = Blocks;
          std::unique_ptr<KernelRun> Line = Model.tryGrid(*L.Step, Grid);
          S.Other |= !Line || !Line->Imprecise.empty() || Line->OutOfFuel;
          return Line && llvm::any_of(Line->Blocks, [&](const BlockRun &B) { return B.Index[A] + 1 == Blocks && !isIdle(B); });
        };
        bool Works = LastWorks(L.Run->Grid[A] + 1);
        S.Lacks[A] |= Works;
        S.Spare[A] |= L.Run->Grid[A] > 1 && !LastWorks(L.Run->Grid[A]);
        if (Works && !S.At)
          S.At = &L;
      }
    });
    for (auto &[Call, S] : Per)
      if (!S.Other && S.At && S.Lacks[0] && S.Lacks[1] && S.Spare[0] && S.Spare[1])
        report(Call, "the launch counts along x what the kernel takes from y, and the reverse: some blocks have nothing to do while others are missing" +
                         sizesText(S.At->Host));
  }

  /// One block along an axis, at every size, while the kernel's guard lets more of them work at some sizes: those
  /// are missing. A kernel that lets them work at every size has no guard, and the launch decides.
  void guarded(unsigned A) {
    struct Seen {
      const LaunchSample *Works = nullptr;
      bool Idle = false, Other = false;
    };
    std::map<const CallExpr *, Seen> Per;
    forEachSure([&](const PlanSample &, const LaunchSample &L) {
      Seen &S = Per[L.Step->Call];
      eval::Dim3 More = L.Run->Grid;
      if (S.Other || (S.Works && S.Idle))
        return;
      if (std::exchange(More[A], 2) != 1) {
        S.Other = true;
        return;
      }
      std::unique_ptr<KernelRun> Two = Model.tryGrid(*L.Step, More);
      if (!Two || !Two->Imprecise.empty())
        S.Other = true;
      else if (llvm::none_of(Two->Blocks, [&](const BlockRun &B) { return B.Index[A] == 1 && !isIdle(B); }))
        S.Idle = true;
      else if (!S.Works)
        S.Works = &L;
    });
    for (auto &[Call, S] : Per)
      if (S.Works && S.Idle && !S.Other)
        report(Call, llvm::formatv("the launch has one block along {0} at every size, but the kernel's guard leaves work for more of them{1}", "xyz"[A],
                                   sizesText(S.Works->Host)).str());
  }

  /// Calls Do for each launch of the kernel that certainly happens.
  template <class Fn> void forEachSure(Fn Do) {
    for (const PlanSample &P : Model.plans())
      for (const LaunchSample &L : P.Launches)
        if (L.Run && L.Step->Kernel == K && L.Step->Sure)
          Do(P, L);
  }

  IndexReporter &R;
  LaunchModel &Model;
  const FunctionDecl *K;
  const Extents &E;
  const AxesUse U;
};

} // namespace

void kcheck::checkAxes(IndexReporter &R) {
  std::map<const FunctionDecl *, Extents> Per;
  for (const PlanSample &P : R.Model.plans())
    for (const LaunchSample &L : P.Launches)
      if (L.Step->Kernel && L.Step->Kernel->hasBody())
        Per[L.Step->Kernel].add(*L.Step, L.Run != nullptr);
  for (auto &[K, E] : Per)
    if (E.Known && E.At->Sure)
      AxesCheck(R, K, E).run();
}
