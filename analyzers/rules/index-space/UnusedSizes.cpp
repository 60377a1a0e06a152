//===- UnusedSizes.cpp - a size that the kernel takes and never looks at --------===//
//
//   __global__ void scale(float *y, float a, int n) {
//     y[blockIdx.x * blockDim.x + threadIdx.x] *= a;        // missing_bounds_guard, unless the grid is known to fit
//   }
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

/// Does F's body use P for more than the value of a variable that is never looked at either (`const int last = n;`)?
static bool looksAt(const FunctionDecl *F, const ParmVarDecl *P) {
  struct Uses : ConstDynamicRecursiveASTVisitor {
    const ParmVarDecl *P = nullptr;
    bool Found = false;
    bool TraverseVarDecl(const VarDecl *V) override { return (V->getIdentifier() && !V->isReferenced()) || ConstDynamicRecursiveASTVisitor::TraverseVarDecl(V); }
    bool VisitDeclRefExpr(const DeclRefExpr *D) override {
      Found |= D->getDecl() == P;
      return !Found;
    }
  } V;
  V.P = P;
  V.TraverseStmt(F->getBody());
  return V.Found;
}

const ParmVarDecl *kcheck::unusedSize(const FunctionDecl *K) {
  const FunctionDecl *Pattern = K->getTemplateInstantiationPattern();
  if (Pattern && Pattern->getNumParams() != K->getNumParams()) // a pack: which of the pattern's is which is not told
    return nullptr;
  for (const ParmVarDecl *P : K->parameters()) {
    QualType T = P->getType().getNonReferenceType();
    bool Counts = T->isIntegerType() && !T->isBooleanType() && !T->isAnyCharacterType() && !T->isEnumeralType();
    // code that this instance leaves out may use it
    const ParmVarDecl *Written = Pattern ? Pattern->getParamDecl(P->getFunctionScopeIndex()) : P;
    bool Used = (P->isReferenced() && looksAt(K, P)) || (Pattern && Written->isReferenced() && looksAt(Pattern, Written));
    if (Counts && P->getIdentifier() && !Used && !P->hasAttr<UnusedAttr>())
      return P;
  }
  return nullptr;
}

/// An access that every thread makes, and by its number in the whole grid; null if there is none.
static const Access *unguarded(const KernelRun &R) {
  auto All = [&](const Access &A) { return A.Who.Sure.count() == R.threads() && A.Path.empty() && !A.LoopDepth; };
  auto At = [](const BlockRun &B, unsigned X) { return B.Index == std::array<unsigned, 3>{X, 0, 0}; };
  auto First = llvm::find_if(R.Blocks, [&](const BlockRun &B) { return At(B, 0); }), Second = llvm::find_if(R.Blocks, [&](const BlockRun &B) { return At(B, 1); });
  if (First == R.Blocks.end() || Second == R.Blocks.end() || R.threads() < 2)
    return nullptr;
  for (const Access &A : First->Accesses)
    for (const Access &B : Second->Accesses) {
      if (!A.E || A.E != B.E || A.Obj != B.Obj || !A.Obj || A.Obj->Where != Space::Global || !All(A) || !All(B))
        continue;
      int64_t Step = A.Offset.at(0) == Unk || A.Offset.at(1) == Unk ? 0 : A.Offset.at(1) - A.Offset.at(0);
      unsigned Last = R.threads() - 1;
      if (Step >= int64_t(A.Bytes) && A.Offset.at(Last) == A.Offset.at(0) + Last * Step && B.Offset.at(0) == A.Offset.at(Last) + Step)
        return &A;
    }
  return nullptr;
}

/// Does somebody else choose the grid, whatever this size is?
static bool gridIsCallers(const eval::Step &S, const ParmVarDecl *Size) {
  unsigned I = Size->getFunctionScopeIndex();
  uint64_t Passed = I < S.Args.size() ? S.Args[I].T.Params : 0;
  if (!S.Grid[0])
    return !S.GridTaint[0].Params;
  uint64_t Grid = S.GridTaint[0].Params;
  return Passed && Grid && !(Grid & Passed) && !S.BlockTaint[0].Params && !isDataSize(S, Grid);
}

void kcheck::checkUnusedSizes(IndexReporter &R) {
  std::map<const FunctionDecl *, std::vector<const eval::Step *>> Launches;
  for (const PlanSample &P : R.Model.plans())
    for (const LaunchSample &L : P.Launches)
      Launches[L.Step->Kernel].push_back(L.Step);
  auto Check = [&](const FunctionDecl *K, const ParmVarDecl *Size, const KernelRun &Run) {
    const Access *A = Run.Imprecise.empty() ? unguarded(Run) : nullptr;
    if (!A || R.Collided.count(K) || R.said(K->getCanonicalDecl(), "reach") || !R.once(K->getCanonicalDecl(), "unused"))
      return;
    R.Ctx.report("missing_bounds_guard", A->E->getExprLoc(),
                 "the kernel takes '" + Size->getName() + "' and never looks at it: every thread of every block accesses " + A->Obj->Name +
                     ", which is right only where the grid fits exactly")
        .kernel(K)
        .note(Size->getLocation(), "the size is here")
        .doubt();
  };
  for (const LaunchSample &L : R.Model.assumed())
    if (const ParmVarDecl *Size = unusedSize(L.Run->Kernel))
      Check(L.Run->Kernel, Size, *L.Run);
  for (auto &[K, Steps] : Launches) {
    const ParmVarDecl *Size = K && K->hasBody() ? unusedSize(K) : nullptr;
    if (!Size || !llvm::all_of(Steps, [&](const eval::Step *S) { return gridIsCallers(*S, Size); }))
      continue;
    if (std::unique_ptr<KernelRun> Run = R.Model.tryGrid(*Steps.front(), {4, 1, 1}))
      Check(K, Size, *Run);
  }
}
