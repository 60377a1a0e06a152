//===- RowEnds.cpp - where the rows of a compressed table begin and end ----------===//
//
//   for (int i = start[r]; i <= start[r + 1]; ++i)        // guard_off_by_one: that one is the next row's first
//     sum += value[i] * x[column[i]];
//
//   int begin = start[r], end = start[r + 1];
//   int first = column[begin];                            // missing_bounds_guard: nothing asks whether begin < end
//
// Doubts: rows may share their ends, as the pieces of a line do, or have one element at least.
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

class RowEnds : public ConstDynamicRecursiveASTVisitor {
public:
  RowEnds(IndexReporter &R, const FunctionDecl *Kernel) : R(R), Kernel(Kernel), AST(Kernel->getASTContext()), Writes(R.Ctx.get<VariableWrites>()) {
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

  /// Ends and beginnings that are read and never used: whoever read them meant to compare.
  bool VisitVarDecl(const VarDecl *V) override {
    if (V->isLocalVarDecl() && V->getInit() && !V->isReferenced() && !V->hasAttr<UnusedAttr>())
      if (const ArraySubscriptExpr *S = load(V->getInit()))
        Unused.push_back(S);
    return true;
  }

  /// What stands under a condition on data may ask whether the row has elements in other words.
  bool TraverseIfStmt(const IfStmt *S) override {
    bool ByData = findExpr(S->getCond(), [](const Expr *E) { return isa<ArraySubscriptExpr>(E); }, /*Through=*/true);
    DataConditions += ByData;
    bool GoOn = ConstDynamicRecursiveASTVisitor::TraverseIfStmt(S);
    DataConditions -= ByData;
    return GoOn;
  }

  bool VisitImplicitCastExpr(const ImplicitCastExpr *E) override {
    const auto *Read = E->getCastKind() == CK_LValueToRValue ? dyn_cast<ArraySubscriptExpr>(E->getSubExpr()->IgnoreParens()) : nullptr;
    if (!Read || DataConditions || !R.Ctx.TU.inMainFile(Read->getExprLoc()))
      return true;
    auto [Bound, IsLast] = boundAt(Read->getIdx());
    if (!Bound || sameBehindCasts(Bound->getBase(), Read->getBase(), AST))
      return true;
    for (const ArraySubscriptExpr *Other : Unused) {
      const ArraySubscriptExpr *Begin = IsLast ? Other : Bound, *End = IsLast ? Bound : Other;
      const Expr *Row = sameBehindCasts(Begin->getBase(), End->getBase(), AST) ? before(End->getIdx()) : nullptr;
      const void *Key = reinterpret_cast<const void *>(uintptr_t(Read->getExprLoc().getRawEncoding()));
      if (!Row || !sameBehindCasts(Writes.resolve(Row), Writes.resolve(Begin->getIdx()), AST) || !R.once(Key, "empty row"))
        continue;
      R.Ctx.report("missing_bounds_guard", Read->getExprLoc(),
                   std::string("this is the row's ") + (IsLast ? "last" : "first") +
                       " element, and nothing asks whether it has one: what is read of an empty row is another's, or lies past the end")
          .kernel(Kernel)
          .note(Other->getExprLoc(), std::string("the row's ") + (IsLast ? "beginning" : "end") + " is read here and never used")
          .doubt();
    }
    return true;
  }

private:
  /// The bound at which the index stands: the row's beginning (`start[r]`), or the place before its end (`start[r + 1] - 1`).
  std::pair<const ArraySubscriptExpr *, bool> boundAt(const Expr *Index) const {
    const Expr *E = Writes.resolve(Index);
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Sub && isOne(B->getRHS()))
      return {load(B->getLHS()), true};
    return {load(E), false};
  }

  bool isOne(const Expr *E) const {
    Expr::EvalResult V;
    return !E->isValueDependent() && E->EvaluateAsInt(V, AST) && V.Val.getInt() == 1;
  }

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
      if (isOne(One))
        return Row;
    return nullptr;
  }

  bool beginsAt(const Expr *First, const Expr *Table, const Expr *Row) const {
    return findExpr(First, [&](const Expr *E) {
      const auto *S = dyn_cast<ArraySubscriptExpr>(E);
      return S && sameBehindCasts(S->getBase(), Table, AST) && (sameBehindCasts(S->getIdx(), Row, AST) || sameBehindCasts(Writes.resolve(S->getIdx()), Writes.resolve(Row), AST));
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
  llvm::SmallVector<const ArraySubscriptExpr *, 4> Unused; ///< what variables begin with that nothing uses
  unsigned DataConditions = 0;                             ///< around where the walk is
};

} // namespace

void kcheck::checkRowEnds(IndexReporter &R) {
  for (const FunctionDecl *K : R.Model.kernels())
    if (!K->isDependentContext() && K->hasBody())
      RowEnds(R, K);
}
