//===- RowEnds.cpp - loops over the rows of a compressed table ------------------===//
//
//   for (int i = start[r]; i <= start[r + 1]; ++i)        // guard_off_by_one: that one is the next row's first
//     sum += value[i] * x[column[i]];
//
// A doubt: rows may share their ends, as the pieces of a line do.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/RowEnds.h"
#include "analyzers/rules/index-space/IndexChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

bool alike(const Expr *A, const Expr *B, const ASTContext &AST) {
  llvm::FoldingSetNodeID X, Y;
  A->IgnoreParenCasts()->Profile(X, AST, /*Canonical=*/true);
  B->IgnoreParenCasts()->Profile(Y, AST, /*Canonical=*/true);
  return X == Y;
}

class RowLoops : public ConstDynamicRecursiveASTVisitor {
public:
  RowLoops(IndexReporter &R, const FunctionDecl *Kernel) : R(R), Kernel(Kernel), AST(Kernel->getASTContext()), Writes(R.Ctx.get<VariableWrites>()) {
    TraverseStmt(Kernel->getBody());
  }

  bool VisitCallExpr(const CallExpr *C) override {
    const FunctionDecl *F = C->getDirectCallee();
    return !F || !F->hasBody() || !isDeviceFunction(F) || !Seen.insert(F).second || TraverseStmt(F->getBody());
  }

  bool VisitForStmt(const ForStmt *S) override {
    const auto *B = S->getCond() ? dyn_cast<BinaryOperator>(S->getCond()->IgnoreParenImpCasts()) : nullptr;
    if (!B || (B->getOpcode() != BO_LE && B->getOpcode() != BO_GE))
      return true;
    bool Below = B->getOpcode() == BO_LE;
    const VarDecl *V = namedVariable(Below ? B->getLHS() : B->getRHS());
    const Expr *First = V ? firstValue(*S, V) : nullptr;
    const ArraySubscriptExpr *End = load(Below ? B->getRHS() : B->getLHS());
    const Expr *Row = End ? before(End->getIdx()) : nullptr;
    if (!First || !Row || !beginsAt(First, End->getBase(), Row) || !picks(S->getBody(), V) || !R.Ctx.TU.inMainFile(B->getOperatorLoc()))
      return true;
    const void *Key = reinterpret_cast<const void *>(uintptr_t(B->getOperatorLoc().getRawEncoding())); // once for all instances
    if (R.once(Key, "row end"))
      R.Ctx.report("guard_off_by_one", B->getOperatorLoc(),
                   "the loop begins where the row does and goes on to where the next row begins, that place included: < is meant, unless rows share their ends")
          .kernel(Kernel)
          .note(End->getExprLoc(), "the row's end is read here")
          .doubt();
    return true;
  }

private:
  static const Expr *firstValue(const ForStmt &S, const VarDecl *V) {
    if (const auto *D = dyn_cast_or_null<DeclStmt>(S.getInit()))
      return llvm::is_contained(D->decls(), V) ? V->getInit() : nullptr;
    const auto *A = dyn_cast_or_null<BinaryOperator>(S.getInit());
    const auto *To = A && A->getOpcode() == BO_Assign ? dyn_cast<DeclRefExpr>(A->getLHS()->IgnoreParens()) : nullptr;
    return To && To->getDecl() == V ? A->getRHS() : nullptr;
  }

  /// The subscript that E reads, through variables and through loads by function (`__ldg(&start[r])`).
  const ArraySubscriptExpr *load(const Expr *E) const {
    E = Writes.resolve(E);
    if (const auto *C = dyn_cast<CallExpr>(E); C && C->getNumArgs() == 1 && calleeName(C).starts_with("__ld"))
      E = C->getArg(0)->IgnoreParenCasts();
    if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
      E = U->getSubExpr();
    return dyn_cast<ArraySubscriptExpr>(E->IgnoreParenCasts());
  }

  /// The r of `r + 1`.
  const Expr *before(const Expr *E) const {
    const auto *B = dyn_cast<BinaryOperator>(Writes.resolve(E));
    if (!B || B->getOpcode() != BO_Add)
      return nullptr;
    for (auto [Row, One] : {std::pair{B->getLHS(), B->getRHS()}, std::pair{B->getRHS(), B->getLHS()}})
      if (Expr::EvalResult V; !One->isValueDependent() && One->EvaluateAsInt(V, AST) && V.Val.getInt() == 1)
        return Row;
    return nullptr;
  }

  bool beginsAt(const Expr *First, const Expr *Table, const Expr *Row) const {
    return findExpr(First, [&](const Expr *E) {
      const auto *S = dyn_cast<ArraySubscriptExpr>(E);
      return S && alike(S->getBase(), Table, AST) && (alike(S->getIdx(), Row, AST) || alike(Writes.resolve(S->getIdx()), Writes.resolve(Row), AST));
    }, /*Through=*/true);
  }

  /// Is some element chosen by V?
  static bool picks(const Stmt *Body, const VarDecl *V) {
    return findExpr(Body, [&](const Expr *E) {
      const auto *S = dyn_cast<ArraySubscriptExpr>(E);
      return S && findExpr(S->getIdx(), [&](const Expr *X) {
        const auto *D = dyn_cast<DeclRefExpr>(X);
        return D && D->getDecl() == V;
      });
    });
  }

  IndexReporter &R;
  const FunctionDecl *Kernel;
  const ASTContext &AST;
  const VariableWrites &Writes;
  llvm::SmallPtrSet<const FunctionDecl *, 8> Seen;
};

} // namespace

void kcheck::checkRowEnds(IndexReporter &R) {
  for (const FunctionDecl *K : R.Model.kernels())
    if (!K->isDependentContext() && K->hasBody())
      RowLoops(R, K);
}
