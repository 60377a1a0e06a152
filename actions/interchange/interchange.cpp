//===- interchange.cpp - the other thread index walks the contiguous axis -----------===//
//
//   int r = blockIdx.x * blockDim.x + threadIdx.x;      int r = blockIdx.x * blockDim.y + threadIdx.y;
//   int c = blockIdx.y * blockDim.y + threadIdx.y;      int c = blockIdx.y * blockDim.x + threadIdx.x;
//   k<<<grid, dim3(32, 8)>>>                            k<<<grid, dim3(8, 32)>>>
//
// Threads of a block change places; blocks do not, so that no limit of the grid is met. Legal where threads meet at
// block barriers at most.
//
//===--------------------------------------------------------------------------===//
#include "actions/engine/Launches.h"

using namespace clang;
using namespace kcheck;

namespace {

struct IndexUse {
  const Expr *E;
  BuiltinUse Use;
};

std::string plan(ActionContext &Ctx, const KernelView &K, std::vector<IndexUse> &Uses) {
  std::string Why;
  bool Second = false;
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (const auto *C = dyn_cast<CallExpr>(S)) {
      CallKind Kind = callKind(C);
      if (Kind != CallKind::Other && Kind != CallKind::Atomic && Kind != CallKind::Fence && Kind != CallKind::BlockBarrier && Kind != CallKind::BlockBarrierVote &&
          Kind != CallKind::Printf)
        Why = "which threads share a warp matters to " + calleeName(C);
      if (const FunctionDecl *F = C->getDirectCallee(); F && Kind == CallKind::Other)
        if (const FunctionDecl *D = F->getDefinition(); D && Ctx.SM.isInMainFile(Ctx.SM.getExpansionLoc(D->getLocation())))
          forEachStmt(D->getBody(), [&](const Stmt *Y) {
            if (const auto *E = dyn_cast<Expr>(Y); E && builtinUse(E))
              Why = D->getNameAsString() + " uses thread or block indices";
          });
    }
    if (isa<AsmStmt>(S))
      Why = "the kernel holds assembly";
    const auto *E = dyn_cast<Expr>(S);
    auto B = E ? builtinUse(E) : std::nullopt;
    if (!B || B->Axis > 1 || (B->Which != IndexVar::ThreadIdx && B->Which != IndexVar::BlockDim))
      return;
    if (isa<ImplicitCastExpr>(E) || isa<ParenExpr>(E))
      return; // its operand is met below
    if (!Ctx.editable(E->getSourceRange()))
      Why = "an index stands in a macro";
    for (const IndexUse &U : Uses)
      if (Ctx.offset(U.E->getBeginLoc()) == Ctx.offset(E->getBeginLoc()))
        return;
    Second |= B->Axis == 1;
    Uses.push_back({E, *B});
  });
  if (!Second && Why.empty())
    Why = "the kernel has one thread index only";
  return Why;
}

/// The variable that a block operand names, or null.
const ValueDecl *referredBlock(const Expr *Operand) {
  const ValueDecl *Found = nullptr;
  forEachStmt(Operand, [&](const Stmt *S) {
    if (const auto *D = dyn_cast<DeclRefExpr>(S); D && !Found)
      Found = D->getDecl();
  });
  return Found;
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "x and y of the threads");
    auto Uses = std::make_shared<std::vector<IndexUse>>();
    S.WhyNot = K.body() ? plan(Ctx, K, *Uses) : "the kernel has no plain body";
    if (S.WhyNot.empty())
      S.WhyNot = Ctx.whyLaunchesAreFixed(K);
    for (const LaunchSite &L : K.Launches)
      if (S.WhyNot.empty() && !extentExprs(Ctx, L.Syntax.Block)[1])
        S.WhyNot = "the block at line " + std::to_string(Ctx.TU.where(L.Syntax.Call->getBeginLoc()).Line) + " is not spelt out in two extents";
    if (S.WhyNot.empty())
      S.Sets.push_back({{}, llvm::json::Object{{"contiguous_axis", "the other one"}}});
    const ActionContext *Context = &Ctx;
    const KernelView *View = &K;
    S.Apply = [Context, View, Uses](const Settings &) -> llvm::Expected<std::vector<Edit>> {
      const ActionContext &Ctx = *Context;
      std::vector<Edit> Edits;
      for (const IndexUse &U : *Uses)
        Edits.push_back(Ctx.replace(U.E->getSourceRange(), std::string(U.Use.Which == IndexVar::ThreadIdx ? "threadIdx." : "blockDim.") + (U.Use.Axis ? "x" : "y")));
      for (const LaunchSite &L : View->Launches) {
        DimText Block = extentsOf(Ctx, L.Syntax.Block);
        std::swap(Block[0], Block[1]);
        // where the grid is worked out from the block's variable, its members change places too
        DimText Grid = extentsOf(Ctx, L.Syntax.Grid);
        bool Renamed = false;
        auto Exprs = extentExprs(Ctx, L.Syntax.Grid);
        for (unsigned A = 0; A < 3; ++A) {
          if (!Exprs[A])
            continue;
          std::vector<Edit> Swap;
          forEachStmt(Exprs[A], [&](const Stmt *X) {
            const auto *M = dyn_cast<MemberExpr>(X);
            const auto *D = M ? dyn_cast<DeclRefExpr>(M->getBase()->IgnoreParenImpCasts()) : nullptr;
            if (!D || D->getDecl() != referredBlock(L.Syntax.Block) || !M->getMemberDecl()->getIdentifier())
              return;
            StringRef Name = M->getMemberDecl()->getName();
            if (Name == "x" || Name == "y")
              Swap.push_back(Ctx.replace(SourceRange(M->getMemberLoc()), Name == "x" ? "y" : "x"));
          });
          if (!Swap.empty()) {
            Renamed = true;
            Grid[A] = Ctx.text({Ctx.offset(Exprs[A]->getBeginLoc()), Ctx.endOffset(Exprs[A]->getEndLoc())}, Swap);
          }
        }
        setLaunchSizes(Ctx, L, Renamed ? &Grid : nullptr, &Block, Edits, true);
      }
      return Edits;
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(Interchange, "interchange", "swap which thread index walks which axis", {}, find);
} // namespace
