//===- Unset.cpp - device memory that is used before anything is stored in it --===//
//
//   auto sums = torch::empty({cols}, x.options());
//   column_sums<<<grid, 128>>>(x, sums.data_ptr<float>(), rows, cols);   // atomicAdd(&sums[c], acc)
//
// A local variable gets fresh memory, and the first that happens to it is a launch whose kernel reads or updates it and
// stores nothing. Whatever else names the variable before the launch may fill it.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/api/ApiChecks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "matchers/Allocations.h"
#include "matchers/LaunchModel.h"
#include "matchers/VariableWrites.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// A local variable with memory of its own, and what the launcher does with it first.
struct Fresh {
  const CallExpr *Given = nullptr;
  const CUDAKernelCallExpr *First = nullptr; ///< the launch that gets it first
  unsigned Argument = 0;
  bool Filled = false;                       ///< perhaps: something else names it before
};

/// torch::empty(…), at::empty_like(x), x.new_empty(…): tensors without values.
const CallExpr *emptyTensor(const Expr *E) {
  const auto *C = E ? dyn_cast<CallExpr>(E->IgnoreUnlessSpelledInSource()) : nullptr;
  std::string Name = C ? calleeName(C) : "";
  return Name == "empty" || Name == "empty_like" || Name == "new_empty" ? C : nullptr;
}

/// Follows the variables of one launcher in the order of its text.
class FreshMemory : public DynamicRecursiveASTVisitor {
public:
  llvm::MapVector<const VarDecl *, Fresh> Found;

  bool VisitVarDecl(VarDecl *V) override {
    if (V->hasLocalStorage())
      if (const CallExpr *C = emptyTensor(V->getInit()))
        Found[V] = {C};
    return true;
  }
  // What a branch hands back is not what the launch gets; but a dispatch over types returns what its lambda does.
  bool TraverseReturnStmt(ReturnStmt *S) override { return !holdsLambda(S) || DynamicRecursiveASTVisitor::TraverseReturnStmt(S); }
  bool TraverseForStmt(ForStmt *S) override { return inLoop([&] { return DynamicRecursiveASTVisitor::TraverseForStmt(S); }); }
  bool TraverseWhileStmt(WhileStmt *S) override { return inLoop([&] { return DynamicRecursiveASTVisitor::TraverseWhileStmt(S); }); }
  bool TraverseDoStmt(DoStmt *S) override { return inLoop([&] { return DynamicRecursiveASTVisitor::TraverseDoStmt(S); }); }

  bool TraverseCUDAKernelCallExpr(CUDAKernelCallExpr *C) override {
    for (unsigned I = 0; I < C->getNumArgs(); ++I) {
      auto It = Found.find(memoryOf(C->getArg(I)));
      if (It == Found.end()) {
        TraverseStmt(C->getArg(I));
        continue;
      }
      Fresh &F = It->second;
      if (!F.First) {
        F.First = C;
        F.Argument = I;
        F.Filled |= Loops > 0; // a round before may have filled it
      } else if (F.First == C)
        F.Filled = true; // by another name of its own
    }
    return TraverseStmt(C->getConfig());
  }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr *C) override {
    static const llvm::StringSet<> Asks = {"size", "sizes", "numel", "dim", "options", "scalar_type", "dtype", "device", "stride", "strides", "is_contiguous", "element_size", "nbytes"};
    const Expr *On = C->getImplicitObjectArgument();
    if (!On || !Found.count(namedVariable(On)) || !Asks.contains(calleeName(C)))
      return DynamicRecursiveASTVisitor::TraverseCXXMemberCallExpr(C);
    for (Expr *A : C->arguments())
      TraverseStmt(A);
    return true;
  }
  bool TraverseCallExpr(CallExpr *C) override {
    if (auto A = allocation(C); A && A->Space == MemorySpace::Device) {
      const auto *V = dyn_cast_or_null<VarDecl>(A->Pointer);
      if (V && V->hasLocalStorage() && !Found.count(V))
        Found[V] = {C};
      else if (V)
        Found[V].Filled = true; // memory of two allocations
      return true;
    }
    return StringRef(calleeName(C)).starts_with("cudaFree") || DynamicRecursiveASTVisitor::TraverseCallExpr(C);
  }
  bool VisitDeclRefExpr(DeclRefExpr *D) override {
    auto It = Found.find(dyn_cast<VarDecl>(D->getDecl()));
    if (It != Found.end() && !It->second.First)
      It->second.Filled = true;
    return true;
  }

private:
  static bool holdsLambda(ReturnStmt *S) {
    struct Finder : DynamicRecursiveASTVisitor {
      bool Found = false;
      bool VisitLambdaExpr(LambdaExpr *) override { return !(Found = true); }
    } V;
    V.TraverseStmt(S);
    return V.Found;
  }
  template <class Fn> bool inLoop(Fn Go) {
    ++Loops;
    bool R = Go();
    --Loops;
    return R;
  }
  /// `p`, `t.data_ptr<float>()`: the variable whose memory a launch gets, or null.
  static const VarDecl *memoryOf(const Expr *E) {
    const auto *M = dyn_cast<CXXMemberCallExpr>(E->IgnoreParenCasts());
    if (M && StringRef(calleeName(M)).contains("data_ptr"))
      return namedVariable(M->getImplicitObjectArgument());
    return namedVariable(E->IgnoreParenCasts());
  }
  unsigned Loops = 0;
};

/// atomicExch(&flag, 0) sets what it does not care for.
bool setsByAtomic(const Access &A) {
  const auto *C = dyn_cast_or_null<CallExpr>(A.E);
  return C && StringRef(calleeName(C)).contains_insensitive("exch");
}

/// The read of an element whose value is changed and stored back, before which no thread surely or perhaps stored there.
const Access *changedInPlace(const KernelRun &R, const Object &O) {
  constexpr size_t MostStores = 1u << 20;
  llvm::DenseMap<int64_t, unsigned> StoredBy; // blocks that store there, by their number; many: ~0u
  auto ForEach = [&](const Access &A, const Mask &Who, auto Do) { forEachLane(Who, R.threads(), [&](unsigned T) { Do(A.Offset.at(T)); }); };
  for (unsigned I = 0; I < R.Blocks.size(); ++I)
    for (const Access &A : R.Blocks[I].Accesses) {
      if (A.Kind == AccessKind::Read || (A.Obj && A.Obj != &O))
        continue;
      if (!A.Obj || A.Kind == AccessKind::Atomic || A.Offset.unknown() || StoredBy.size() > MostStores)
        return nullptr;
      bool Known = true;
      ForEach(A, A.Who.May, [&](int64_t At) {
        Known &= At != Unk;
        auto [It, New] = StoredBy.try_emplace(At, I);
        if (!New && It->second != I)
          It->second = ~0u;
      });
      if (!Known)
        return nullptr;
    }
  for (unsigned I = 0; I < R.Blocks.size(); ++I) {
    llvm::DenseSet<int64_t> Before;
    const Access *Last = nullptr;
    for (const Access &A : R.Blocks[I].Accesses) {
      if (A.Obj != &O)
        continue;
      if (A.Kind == AccessKind::Write) {
        if (Last && Last->E == A.E && Last->Sequence + 1 == A.Sequence)
          return Last;
        ForEach(A, A.Who.May, [&](int64_t At) { Before.insert(At); });
        Last = nullptr;
        continue;
      }
      Last = nullptr;
      ForEach(A, A.Who.Sure, [&](int64_t At) {
        auto By = StoredBy.find(At);
        if (At != Unk && !Before.contains(At) && By != StoredBy.end() && By->second == I && A.E)
          Last = &A;
      });
    }
  }
  return nullptr;
}

/// What the runs of a launch do with the memory of one argument.
struct Uses {
  bool Known = true;            ///< as far as it can be told
  bool Stores = false;
  const Access *Reads = nullptr, *Updates = nullptr; ///< one of them
  const Access *ChangedInPlace = nullptr; ///< `y[i] += v` of an element that nobody has stored to before

  void add(const LaunchSample &L, unsigned Argument) {
    const KernelRun *R = L.Run.get();
    const Object *O = R && Argument < L.Step->Args.size() ? L.Step->Args[Argument].Obj : nullptr;
    unsigned Names = 0;
    for (const Value &V : L.Step->Args)
      Names += V.Obj == O;
    Known &= O && Names == 1 && R->Imprecise.empty() && !R->OutOfFuel;
    if (!Known)
      return;
    if (!ChangedInPlace)
      ChangedInPlace = changedInPlace(*R, *O);
    for (const BlockRun &B : R->Blocks) {
      for (const EscapeEvent &E : B.Escapes)
        Known &= E.Obj && E.Obj != O;
      for (const Access &A : B.Accesses) {
        Stores |= A.Kind == AccessKind::Write && (!A.Obj || A.Obj == O);
        if (A.Obj != O || !A.E)
          continue;
        Stores |= A.Kind == AccessKind::Atomic && setsByAtomic(A);
        (A.Kind == AccessKind::Read ? Reads : Updates) = &A;
      }
    }
  }
};

} // namespace

void kcheck::checkUnset(ApiReporter &R) {
  LaunchModel &Model = R.Ctx.get<LaunchModel>();
  for (const FunctionDecl *F : Model.launchers()) {
    FreshMemory Memory;
    if (const Stmt *Body = definitionBody(F))
      Memory.TraverseStmt(const_cast<Stmt *>(Body));
    for (auto &[V, M] : Memory.Found) {
      if (!M.First || M.Filled)
        continue;
      Uses U;
      const FunctionDecl *Kernel = nullptr;
      for (const PlanSample &P : Model.plans())
        for (const LaunchSample &L : P.Launches)
          if (L.Step->Call == M.First) {
            U.add(L, M.Argument);
            Kernel = L.Step->Kernel;
          }
      const Access *How = U.ChangedInPlace ? U.ChangedInPlace : U.Updates ? U.Updates : U.Reads;
      if (!Kernel || !U.Known || (U.Stores && !U.ChangedInPlace) || !How || !R.first("uninitialised_memory", M.Given->getExprLoc()))
        continue;
      auto X = R.Ctx.report("uninitialised_memory", M.Given->getExprLoc(),
                            "'" + V->getName() + (U.ChangedInPlace ? "' is changed in place by '" : U.Updates ? "' is updated by the atomics of '" : "' is read by '") + Kernel->getName() +
                                "', and nothing has been stored in it: fresh memory holds whatever was there");
      X.kernel(Kernel).note(How->E->getExprLoc(), "used here").note(M.First->getBeginLoc(), "launched here");
      if (!U.Updates && !U.ChangedInPlace)
        X.doubt();
    }
  }
}
