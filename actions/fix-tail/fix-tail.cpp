//===- fix-tail.cpp - a grid that covers the last elements -----------------------------------===//
//
//   scale<<<n / 256, 256>>>(a, b, n);        scale<<<(n + 255) / 256, 256>>>(a, b, n);
//
// For kernels that check the index, so that the threads behind the end do nothing.
//
//===--------------------------------------------------------------------------------===//
#include "actions/engine/Launches.h"
#include "actions/engine/MapKernel.h"

using namespace clang;
using namespace kcheck;

namespace {

/// Does K compare a place along Axis with something?
bool checks(const KernelView &K, unsigned Axis) {
  bool Yes = false;
  llvm::DenseSet<const ValueDecl *> Places;
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (const auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *X : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(X); V && V->getInit() && globalIndexAxis(V->getInit()) == Axis)
          Places.insert(V);
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isRelationalOp())
      for (const ValueDecl *P : Places)
        Yes |= refersTo(B->getLHS(), P) || refersTo(B->getRHS(), P);
  });
  return Yes;
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels())
    for (const LaunchSite &L : K.Launches) {
      auto Exprs = extentExprs(Ctx, L.Syntax.Grid);
      for (unsigned Axis = 0; Axis < 2; ++Axis) {
        const Expr *E = Exprs[Axis] ? Exprs[Axis]->IgnoreParenImpCasts() : nullptr;
        // through a variable of its own
        const Expr *Value = E ? Ctx.get<VariableWrites>().resolve(E) : nullptr;
        const auto *Div = Value ? dyn_cast<BinaryOperator>(Value) : nullptr;
        if (!Div || Div->getOpcode() != BO_Div || !Div->getType()->isIntegerType())
          continue;
        auto All = Ctx.constant(Div->getLHS()), By = Ctx.constant(Div->getRHS());
        if (All && By && (*By <= 0 || *All % *By == 0))
          continue; // nothing is left over
        const auto *Sum = dyn_cast<BinaryOperator>(Div->getLHS()->IgnoreParenImpCasts());
        if (Sum && Sum->isAdditiveOp())
          continue; // rounded up, or something else that is meant
        Site S = Ctx.siteAt(K, Div->getBeginLoc(), "grid '" + Ctx.text(Div->getSourceRange()) + "'");
        if (!Ctx.editable(Div->getSourceRange()))
          S.WhyNot = "the grid comes from a macro";
        else if (!checks(K, Axis))
          S.WhyNot = "the kernel checks no index: the threads behind the end would touch what is not theirs";
        else
          S.Sets.push_back({{}, llvm::json::Object{{"grid", "rounded up"}}});
        const ActionContext *Context = &Ctx;
        S.Apply = [Context, Div](const Settings &) -> llvm::Expected<std::vector<Edit>> {
          std::string X = Context->text(Div->getLHS()->getSourceRange()), B = Context->text(Div->getRHS()->getSourceRange());
          auto N = isa<IntegerLiteral>(Div->getRHS()->IgnoreParenImpCasts()) ? Context->constant(Div->getRHS()) : std::nullopt;
          return std::vector<Edit>{Context->replace(Div->getSourceRange(), "(" + X + " + " + (N ? std::to_string(*N - 1) : B + " - 1") + ") / " + B)};
        };
        if (llvm::none_of(Out, [&](const Site &O) { return O.Where.Line == S.Where.Line && O.Where.Column == S.Where.Column; }))
          Out.push_back(std::move(S));
      }
    }
}

KCHECK_ACTION(FixTail, "fix-tail", "round a grid up so that it covers the last elements", {}, find);

} // namespace
