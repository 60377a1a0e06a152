//===- double-literal.cpp - float literals in float arithmetic --------------------===//
//
//   return 0.5 * x * (1.0 + tanhf(x));
//   return 0.5f * x * (1.0f + tanhf(x));
//
// A literal loses its double where the sum or product that it stands in mixes it with widened floats only and is
// cut to float again. The result may differ in the last bit of a float.
//
//===--------------------------------------------------------------------------===//
#include "actions/engine/ActionContext.h"

using namespace clang;
using namespace kcheck;

namespace {

bool isDouble(QualType T) { return T->isSpecificBuiltinType(BuiltinType::Double); }
bool isFloat(QualType T) { return T->isSpecificBuiltinType(BuiltinType::Float); }

/// A double computation and what it is made of.
struct Computation {
  std::vector<const FloatingLiteral *> Literals;
  bool Widened = false; ///< a float was widened for it
  bool Other = false;   ///< something else is double: double is meant

  void add(const Expr *E, unsigned Depth = 0) {
    E = E->IgnoreParens();
    if (!isDouble(E->getType()))
      return;
    if (Depth > 40)
      Other = true;
    else if (const auto *L = dyn_cast<FloatingLiteral>(E))
      Literals.push_back(L);
    else if (const auto *C = dyn_cast<ImplicitCastExpr>(E))
      isFloat(C->getSubExpr()->getType()) ? void(Widened = true) : void(Other |= !C->getSubExpr()->getType()->isIntegerType());
    else if (const auto *B = dyn_cast<BinaryOperator>(E); B && !B->isAssignmentOp()) {
      add(B->getLHS(), Depth + 1);
      add(B->getRHS(), Depth + 1);
    } else if (const auto *U = dyn_cast<UnaryOperator>(E); U && (U->getOpcode() == UO_Minus || U->getOpcode() == UO_Plus))
      add(U->getSubExpr(), Depth + 1);
    else if (const auto *Q = dyn_cast<ConditionalOperator>(E)) {
      add(Q->getTrueExpr(), Depth + 1);
      add(Q->getFalseExpr(), Depth + 1);
    } else
      Other = true; // a variable, a call, an explicit cast
  }
};

void literalsOf(ActionContext &Ctx, const Stmt *Body, std::vector<const FloatingLiteral *> &Out) {
  auto Take = [&](const Expr *E, bool Widened) {
    Computation C;
    C.Widened = Widened;
    C.add(E);
    if (!C.Widened || C.Other)
      return;
    for (const FloatingLiteral *L : C.Literals)
      if (Ctx.editable(L->getSourceRange()) && !llvm::is_contained(Out, L))
        Out.push_back(L);
  };
  forEachStmt(Body, [&](const Stmt *S) {
    if (const auto *C = dyn_cast<ImplicitCastExpr>(S); C && C->getCastKind() == CK_FloatingCast && isFloat(C->getType()) && isDouble(C->getSubExpr()->getType()))
      Take(C->getSubExpr(), false);
    if (const auto *A = dyn_cast<CompoundAssignOperator>(S); A && isFloat(A->getLHS()->getType()) && isDouble(A->getComputationLHSType()))
      Take(A->getRHS(), true);
    // a comparison with a float: exact where the literal is a float's value
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isComparisonOp())
      for (auto [L, O] : {std::pair{B->getLHS(), B->getRHS()}, std::pair{B->getRHS(), B->getLHS()}})
        if (const auto *F = dyn_cast<FloatingLiteral>(L->IgnoreParens()); F && isDouble(F->getType()) && Ctx.editable(F->getSourceRange()))
          if (const auto *C = dyn_cast<ImplicitCastExpr>(O->IgnoreParens()); C && isFloat(C->getSubExpr()->getType())) {
            llvm::APFloat V = F->getValue();
            bool Lost = false;
            V.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &Lost);
            if (!Lost && !llvm::is_contained(Out, F))
              Out.push_back(F);
          }
  });
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    std::vector<const FloatingLiteral *> Literals;
    literalsOf(Ctx, K.body(), Literals);
    // a literal inside a computation that was found through an inner cast may be there twice
    Site S = Ctx.siteAt(K, Literals.empty() ? K.Decl->getLocation() : Literals.front()->getBeginLoc(),
                        std::to_string(Literals.size()) + (Literals.size() == 1 ? " double literal" : " double literals") + " in float arithmetic");
    if (Literals.empty())
      S.WhyNot = "no double literal stands in float arithmetic";
    else
      S.Sets.push_back({{}, llvm::json::Object{{"double_operations", "fewer"}}});
    const ActionContext *Context = &Ctx;
    S.Apply = [Context, Literals](const Settings &) -> llvm::Expected<std::vector<Edit>> {
      std::vector<Edit> Edits;
      for (const FloatingLiteral *L : Literals) {
        if (!L->getBeginLoc().isMacroID()) {
          Edits.push_back(Context->insert(Context->endOffset(L->getEndLoc()), "f"));
          continue;
        }
        // the macro may be used elsewhere
        Edits.push_back(Context->insert(Context->offset(L->getBeginLoc()), "float("));
        Edits.push_back(Context->insert(Context->endOffset(L->getEndLoc()), ")"));
      }
      return Edits;
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(DoubleLiteral, "double-literal", "write the double literals of float arithmetic with an f", {}, find);

} // namespace
