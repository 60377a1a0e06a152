//===- TensorViews.cpp - tensors of one element type, given as another ---------===//
//
//   auto out = torch::empty({rows}, options.dtype(torch::kInt64));
//   argmax<<<rows, 256>>>(x, reinterpret_cast<int *>(out.data_ptr<int64_t>()), cols);   // writes half of it
//
// The launcher's own tensors have a known length. Where a launch touches just as many elements of the other type, the
// kernel counts elements: the view is wrong, and not a way to move bytes.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/type-width/WidthChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/ElementType.h"
#include "matchers/Footprint.h"
#include "matchers/LaunchModel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// A launch's argument that is a tensor's memory, cast to scalars of another size.
struct ElementView {
  const Expr *Cast = nullptr;
  QualType From, To;
  int64_t FromBytes = 0, ToBytes = 0;
};

std::optional<ElementView> view(const Expr *Argument, const ASTContext &AST) {
  const Expr *E = Argument->IgnoreParenImpCasts();
  const auto *Outermost = dyn_cast<ExplicitCastExpr>(E);
  ElementView V;
  bool Scalar = false;
  for (const auto *C = Outermost; C; C = dyn_cast<ExplicitCastExpr>(E)) {
    if (C->getType()->isPointerType() && !C->getType()->isVoidPointerType() && !C->getType()->isDependentType()) {
      ElementType T = elementType(C->getType()->getPointeeType(), AST);
      if (T.Kind == ElementKind::Integer || T.Kind == ElementKind::Float) { // vectors count by their scalars
        V.To = C->getType()->getPointeeType();
        V.ToBytes = int64_t(T.Size);
        Scalar = true;
      }
    }
    E = C->getSubExpr()->IgnoreParenImpCasts();
  }
  const auto *M = dyn_cast<CXXMemberCallExpr>(E);
  if (!Scalar || !M || !M->getType()->isPointerType() || M->getType()->isVoidPointerType() || M->getType()->isDependentType() || !M->getDirectCallee() ||
      !M->getDirectCallee()->getName().contains("data_ptr"))
    return std::nullopt;
  V.Cast = Outermost;
  V.From = M->getType()->getPointeeType();
  if (V.From->isIncompleteType() || !V.From->isArithmeticType())
    return std::nullopt;
  V.FromBytes = AST.getTypeSizeInChars(V.From).getQuantity();
  return V.FromBytes != V.ToBytes ? std::optional(V) : std::nullopt;
}

} // namespace

void kcheck::checkTensorViews(WidthReporter &R) {
  LaunchModel &Model = R.Ctx.get<LaunchModel>();
  ASTContext &AST = R.Ctx.TU.AST;
  std::map<const CallExpr *, std::map<unsigned, ElementView>> Views;
  for (const PlanSample &P : Model.plans())
    for (const LaunchSample &L : P.Launches)
      if (L.Step && L.Step->Call && !Views.count(L.Step->Call)) {
        auto &Of = Views[L.Step->Call];
        for (unsigned I = 0; I < L.Step->Call->getNumArgs(); ++I)
          if (auto V = view(L.Step->Call->getArg(I), AST))
            Of[I] = *V;
      }
  if (llvm::none_of(Views, [](auto &V) { return !V.second.empty(); }))
    return;
  const Footprints Buffers(Model);
  for (const Footprint &F : Buffers.all()) {
    if (!F.made())
      continue;
    for (auto &[I, V] : Views[F.Launch]) {
      unsigned Same = 0;
      bool All = llvm::all_of(F.Samples, [&](const Reach &S) {
        bool This = I < S.Launch->Step->Args.size() && S.Launch->Step->Args[I].Obj && S.Launch->Step->Args[I].Obj->Name == F.Name;
        Same += This && S.exact() && S.End == *S.Bytes / V.FromBytes * V.ToBytes;
        return This && (!S.exact() || S.Empty || S.End == *S.Bytes / V.FromBytes * V.ToBytes);
      });
      if (!All || Same < 2 || !R.first("pointer_width_mismatch", V.Cast->getExprLoc()))
        continue;
      R.Ctx.report("pointer_width_mismatch", V.Cast->getExprLoc(),
                   llvm::formatv("the elements of '{0}' are '{1}' ({2} bytes), and the kernel takes as many of '{3}' ({4} bytes)", F.Name, V.From.getAsString(),
                                 V.FromBytes, V.To.getUnqualifiedType().getAsString(), V.ToBytes).str())
          .kernel(F.Kernel);
    }
  }
}
