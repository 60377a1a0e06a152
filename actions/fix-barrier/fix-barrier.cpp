//===- fix-barrier.cpp - the barrier that two conflicting accesses need -----------------===//
//
//   s[threadIdx.x] = a[i];                    s[threadIdx.x] = a[i];
//   b[i] = s[255 - threadIdx.x];              __syncthreads();
//                                             b[i] = s[255 - threadIdx.x];
//
// For conflicts in shared memory that a tried launch shows. The barrier goes in front of the second access's statement,
// where all threads of the block pass; a conflict between two trips of a loop gets it at the loop's end.
//
//===--------------------------------------------------------------------------------===//
#include "actions/engine/ActionContext.h"
#include "matchers/LaunchModel.h"
#include "matchers/Races.h"

using namespace clang;
using namespace kcheck;

namespace {

constexpr const char *ItselfOnly = "one statement conflicts with itself";

/// Statements from Root down to Target.
bool pathTo(const Stmt *Root, const Stmt *Target, std::vector<const Stmt *> &Path) {
  if (!Root)
    return false;
  Path.push_back(Root);
  if (Root == Target)
    return true;
  for (const Stmt *C : Root->children())
    if (pathTo(C, Target, Path))
      return true;
  Path.pop_back();
  return false;
}

class Place {
public:
  Place(ActionContext &Ctx, const KernelView &K) : Ctx(Ctx), K(K), Writes(Ctx.get<VariableWrites>()) {}

  /// Offset for the barrier between A and B, or why there is none.
  std::string find(const Race &R, unsigned &Offset, bool &AtEnd) {
    const Expr *A = R.First->E, *B = R.Second->E;
    std::vector<const Stmt *> PA, PB;
    if (!pathTo(K.body(), A, PA) || !pathTo(K.body(), B, PB))
      return "the conflicting accesses do not stand in the kernel itself";
    size_t Common = 0;
    while (Common < PA.size() && Common < PB.size() && PA[Common] == PB[Common])
      ++Common;
    // the innermost block of statements around both
    for (size_t I = Common; I-- > 0;) {
      const auto *C = dyn_cast<CompoundStmt>(PA[I]);
      if (!C || I + 1 >= PB.size() || I + 1 >= PA.size())
        continue;
      const Stmt *SA = PA[I + 1], *SB = PB[I + 1];
      if (std::string Why = uniform(llvm::ArrayRef(PA).take_front(I + 1)); !Why.empty())
        return Why;
      bool InLoop = I > 0 && isa<ForStmt, WhileStmt, DoStmt>(PA[I - 1]);
      if (SA != SB && Ctx.SM.isBeforeInTranslationUnit(SA->getBeginLoc(), SB->getBeginLoc())) {
        Offset = front(SB);
        AtEnd = false;
        return {};
      }
      if (InLoop && sameTrip(R, llvm::ArrayRef(PA).take_front(I + 1)))
        return SA == SB ? ItselfOnly : "they meet within one trip of the loop, where neither comes first for all threads";
      if (InLoop) { // the next trip meets this one
        AtEnd = true;
        Offset = Ctx.offset(C->getRBracLoc());
        return {};
      }
      if (SA == SB && !isa<ForStmt, WhileStmt, DoStmt>(SA))
        return ItselfOnly;
    }
    return "no place between the two accesses is passed by all threads";
  }

private:
  /// Both happen in the same trip of each loop on the way.
  static bool sameTrip(const Race &R, llvm::ArrayRef<const Stmt *> Path) {
    size_t Loops = size_t(llvm::count_if(Path, [](const Stmt *S) { return isa<ForStmt, WhileStmt, DoStmt>(S); }));
    const std::vector<unsigned> &A = R.First->Trips, &B = R.Second->Trips;
    return A.size() >= Loops && B.size() >= Loops && std::equal(A.begin(), A.begin() + long(Loops), B.begin());
  }

  unsigned front(const Stmt *S) const {
    unsigned At = Ctx.bytes(S).first;
    size_t Line = Ctx.Text.take_front(At).rfind('\n');
    if (Line != StringRef::npos && Line > 0) { // a pragma belongs to its loop
      size_t Before = Ctx.Text.take_front(Line).rfind('\n');
      Before = Before == StringRef::npos ? 0 : Before + 1;
      if (Ctx.Text.slice(Before, Line).trim().starts_with("#pragma"))
        return unsigned(Before);
    }
    return At;
  }

  bool dependsOnThread(const Expr *E, unsigned Depth = 0) const {
    bool Yes = Depth > 8;
    forEachStmt(E, [&](const Stmt *S) {
      if (const auto *X = dyn_cast<Expr>(S))
        if (auto B = builtinUse(X))
          Yes |= B->Which == IndexVar::ThreadIdx;
      if (isa<ArraySubscriptExpr>(S))
        Yes = true; // what memory holds is not known to be the same for all
      if (const auto *D = dyn_cast<DeclRefExpr>(S))
        if (const auto *V = dyn_cast<VarDecl>(D->getDecl()); V && V->isLocalVarDecl())
          for (const VariableWrite &W : Writes.of(V))
            if (W.Value && !Yes)
              Yes |= dependsOnThread(W.Value, Depth + 1);
    });
    return Yes;
  }

  std::string uniform(llvm::ArrayRef<const Stmt *> Path) const {
    for (const Stmt *S : Path) {
      const Expr *Cond = nullptr;
      if (const auto *I = dyn_cast<IfStmt>(S))
        Cond = I->getCond();
      else if (const auto *F = dyn_cast<ForStmt>(S))
        Cond = F->getCond();
      else if (const auto *W = dyn_cast<WhileStmt>(S))
        Cond = W->getCond();
      if (Cond && dependsOnThread(Cond))
        return "the place between them is not passed by all threads (line " + std::to_string(Ctx.TU.where(S->getBeginLoc()).Line) + ")";
    }
    return {};
  }

  ActionContext &Ctx;
  const KernelView &K;
  VariableWrites &Writes;
};

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  LaunchModel &M = Ctx.get<LaunchModel>();
  for (const KernelView &K : Ctx.kernels()) {
    std::vector<Race> Races;
    for (const LaunchSample *L : M.runs()) {
      if (L->Run->Kernel->getCanonicalDecl() != K.Decl->getCanonicalDecl())
        continue;
      for (const eval::BlockRun &B : L->Run->Blocks)
        for (const Race &R : Ctx.get<RaceModel>().inBlock(*L->Run, B))
          if (R.Sure && R.First->Obj && (R.First->Obj->Where == eval::Space::Shared || R.First->Obj->Where == eval::Space::DynamicShared) &&
              llvm::none_of(Races, [&](const Race &O) { return O.First->E == R.First->E && O.Second->E == R.Second->E; }))
            Races.push_back(R);
    }
    if (Races.empty()) {
      Site S = Ctx.siteAt(K, K.Decl->getLocation(), "accesses of shared memory");
      S.WhyNot = "no launch that was tried shows a conflict";
      Out.push_back(std::move(S));
    }
    // What no barrier parts stays wrong whatever barriers there are elsewhere.
    std::string Incurable;
    for (const Race &R : Races) {
      unsigned Offset = 0;
      bool AtEnd = false;
      if (std::string Why = Place(Ctx, K).find(R, Offset, AtEnd); Why == ItselfOnly && Incurable.empty())
        Incurable = "a barrier is not enough: line " + std::to_string(Ctx.TU.where(R.First->E->getBeginLoc()).Line) + " conflicts with itself";
    }
    for (const Race &R : Races) {
      Site S = Ctx.siteAt(K, R.Second->E->getBeginLoc(), "'" + Ctx.text(R.Second->E->getSourceRange()) + "' after '" + Ctx.text(R.First->E->getSourceRange()) + "' of line " +
                                                             std::to_string(Ctx.TU.where(R.First->E->getBeginLoc()).Line));
      unsigned Offset = 0;
      bool AtEnd = false;
      S.WhyNot = Ctx.editable(R.Second->E->getSourceRange()) ? Place(Ctx, K).find(R, Offset, AtEnd) : "the access comes from a macro";
      if (S.WhyNot.empty())
        S.WhyNot = Incurable;
      if (S.WhyNot.empty())
        S.Sets.push_back({{}, llvm::json::Object{{"barriers", 1}}});
      const ActionContext *Context = &Ctx;
      S.Apply = [Context, Offset](const Settings &) -> llvm::Expected<std::vector<Edit>> { return std::vector<Edit>{Context->insert(Offset, "__syncthreads();\n")}; };
      Out.push_back(std::move(S));
    }
  }
}

KCHECK_ACTION(FixBarrier, "fix-barrier", "put the missing barrier between two conflicting accesses of shared memory", {}, find);

} // namespace
