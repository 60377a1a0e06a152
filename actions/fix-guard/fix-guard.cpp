//===- fix-guard.cpp - the bounds check that a kernel lacks --------------------------------===//
//
//   int i = blockIdx.x * blockDim.x + threadIdx.x;      int i = blockIdx.x * blockDim.x + threadIdx.x;
//   b[i] = a[i];                                        if (i >= n)
//                                                         return;
//                                                       b[i] = a[i];
//
// The bound is the kernel's parameter that receives the launcher's size to which its buffers reach.
//
//===--------------------------------------------------------------------------------===//
#include "actions/engine/MapKernel.h"
#include "matchers/Footprint.h"

using namespace clang;
using namespace kcheck;

namespace {

struct Guard {
  const DeclStmt *After = nullptr;
  std::string Index, Bound;
};

/// The parameter of K that the launch gives the launcher's size of this name.
std::string parameterFor(ActionContext &Ctx, const KernelView &K, StringRef Size) {
  for (const LaunchSite &L : K.Launches)
    for (unsigned I = 0; I < L.Syntax.Call->getNumArgs() && I < K.Decl->getNumParams(); ++I) {
      const Expr *Arg = Ctx.get<VariableWrites>().resolve(L.Syntax.Call->getArg(I));
      const ValueDecl *D = Arg ? referredTo(Arg) : nullptr;
      if (D && isa<ParmVarDecl>(D) && D->getName() == Size && K.Decl->getParamDecl(I)->getType()->isIntegerType())
        return K.Decl->getParamDecl(I)->getNameAsString();
    }
  return {};
}

std::string plan(ActionContext &Ctx, const KernelView &K, Guard &G) {
  const VarDecl *Index = nullptr;
  for (const Stmt *S : K.body()->body()) {
    const auto *D = dyn_cast<DeclStmt>(S);
    const auto *V = D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
    if (V && V->getInit() && globalIndexAxis(V->getInit()) == 0u) {
      Index = V;
      G.After = D;
      break;
    }
  }
  if (!Index)
    return "no variable holds blockIdx.x * blockDim.x + threadIdx.x alone";
  G.Index = Index->getNameAsString();
  bool Checked = false, Meets = false;
  forEachStmt(K.body(), [&](const Stmt *S) {
    const Expr *Cond = nullptr;
    if (const auto *I = dyn_cast<IfStmt>(S))
      Cond = I->getCond();
    if (const auto *F = dyn_cast<ForStmt>(S))
      Cond = F->getCond();
    if (const auto *C = dyn_cast<ConditionalOperator>(S))
      Cond = C->getCond();
    Checked |= Cond && namedIn(Cond).count(Index);
    if (const auto *C = dyn_cast<CallExpr>(S))
      Meets |= callKind(C) != CallKind::Other && callKind(C) != CallKind::Atomic;
  });
  if (Checked)
    return G.Index + " is checked already";
  if (Meets)
    return "threads meet in the kernel: none may leave early";
  if (K.Launches.empty())
    return "the file has no launch of " + K.Name + " that shows its sizes";
  Footprints All(Ctx.get<LaunchModel>());
  for (const Footprint &F : All.all()) {
    if (!F.Kernel || F.Kernel->getCanonicalDecl() != K.Decl->getCanonicalDecl())
      continue;
    auto C = Footprints::contract(F);
    if (!C || C->Multiply != 1 || C->Divide != 1)
      continue;
    G.Bound = parameterFor(Ctx, K, C->Text);
    if (!G.Bound.empty())
      return Ctx.editable(G.After->getSourceRange()) ? "" : "the index comes from a macro";
  }
  return "no parameter is known to be the number of elements";
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    if (!K.body())
      continue;
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "index of the grid");
    auto G = std::make_shared<Guard>();
    S.WhyNot = plan(Ctx, K, *G);
    if (G->After)
      S.Where = Ctx.TU.where(G->After->getBeginLoc());
    if (S.WhyNot.empty())
      S.Sets.push_back({{}, llvm::json::Object{{"check", G->Index + " < " + G->Bound}}});
    const ActionContext *Context = &Ctx;
    S.Apply = [Context, G](const Settings &) -> llvm::Expected<std::vector<Edit>> {
      return std::vector<Edit>{Context->insert(Context->bytes(G->After).second, "\nif (" + G->Index + " >= " + G->Bound + ")\nreturn;")};
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(FixGuard, "fix-guard", "add the bounds check that a kernel lacks", {}, find);

} // namespace
