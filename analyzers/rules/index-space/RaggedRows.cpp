//===- RaggedRows.cpp - a row that is found by its own length ----------------------===//
//
//   const int pages = (lens[seq] + 15) / 16;
//   const int *row = table + seq * pages;         // wrong_stride: the rows before it have other lengths
//
// Rows of one pitch lie a pitch apart, rows of any length where an offset says; a row's number times its own length is neither.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

class RaggedRows : public ConstDynamicRecursiveASTVisitor {
public:
  RaggedRows(const VariableWrites &Writes) : Writes(Writes) {}
  const BinaryOperator *Found = nullptr;

  bool VisitArraySubscriptExpr(const ArraySubscriptExpr *S) override { return address(S->getIdx()); }
  bool VisitBinaryOperator(const BinaryOperator *B) override {
    return B->getOpcode() != BO_Add || !B->getType()->isPointerType() || address(B->getRHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS());
  }

private:
  bool address(const Expr *Index) {
    auto ByOwnLength = [&](const Expr *E) {
      const auto *B = dyn_cast<BinaryOperator>(E);
      return B && B->getOpcode() == BO_Mul && (readsAt(B->getRHS(), B->getLHS()) || readsAt(B->getLHS(), B->getRHS()));
    };
    if (const Expr *E = findExpr(Index, ByOwnLength, /*Through=*/true))
      Found = cast<BinaryOperator>(E);
    return !Found;
  }

  /// Is Length made of what memory holds at place Row, and Row of no memory?
  bool readsAt(const Expr *Length, const Expr *Row) const {
    const VarDecl *V = namedVariable(Row->IgnoreParenCasts());
    auto Built = builtinUse(Row->IgnoreParenCasts());
    auto IsLoad = [](const Expr *E) { return isa<ArraySubscriptExpr>(E); };
    auto Numbers = [](const Expr *E) {
      auto B = builtinUse(E);
      return B && (B->Which == IndexVar::ThreadIdx || B->Which == IndexVar::BlockIdx);
    };
    const Expr *Value = V ? Writes.onlyValue(V) : Built ? Row->IgnoreParenCasts() : nullptr;
    if (!Value || !findExpr(Value, Numbers, /*Through=*/true) || findExpr(Value, IsLoad, /*Through=*/true))
      return false;
    auto AtRow = [&](const Expr *E) {
      const auto *S = dyn_cast<ArraySubscriptExpr>(E);
      const Expr *I = S ? S->getIdx()->IgnoreParenCasts() : nullptr;
      auto B = I ? builtinUse(I) : std::nullopt;
      return I && (V ? namedVariable(I) == V : B && B->Which == Built->Which && B->Axis == Built->Axis);
    };
    return findExpr(Writes.resolve(Length), AtRow, /*Through=*/true);
  }

  const VariableWrites &Writes;
};

} // namespace

void kcheck::checkRaggedRows(IndexReporter &R) {
  for (const FunctionDecl *K : R.Model.kernels()) {
    RaggedRows V(R.Ctx.get<VariableWrites>());
    V.TraverseStmt(K->getBody());
    if (!V.Found || !R.once(V.Found, "ragged"))
      continue;
    const ParmVarDecl *Pitch = unusedSize(K);
    auto F = R.Ctx.report("wrong_stride", V.Found->getOperatorLoc(),
                          "this is a row's number times the length of that row: the rows before it have lengths of their own" +
                              (Pitch ? "; '" + Pitch->getNameAsString() + "', which nothing uses, may be the pitch that was meant" : std::string()));
    F.kernel(K);
    if (!Pitch)
      F.doubt();
  }
}
