#include "analyzers/rules/sync/DataMasks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// What one side of a comparison is made of, through the first values of its variables.
class Side : public ConstDynamicRecursiveASTVisitor {
public:
  Side(const Expr *E, const VariableWrites &Writes) : Writes(Writes) {
    E = Writes.resolve(E);
    const auto *B = dyn_cast<BinaryOperator>(E);
    Coarse = B && (B->getOpcode() == BO_Div || B->getOpcode() == BO_Shr); // threadIdx.x / 32: one for a whole warp
    TraverseStmt(E);
  }
  bool Data = false, Thread = false, Coarse = false;

  bool TraverseArraySubscriptExpr(const ArraySubscriptExpr *) override { return Data = true; }
  bool TraverseUnaryOperator(const UnaryOperator *U) override {
    return U->getOpcode() == UO_Deref ? Data = true : ConstDynamicRecursiveASTVisitor::TraverseUnaryOperator(U);
  }
  bool VisitCallExpr(const CallExpr *C) override {
    Data |= StringRef(calleeName(C)).starts_with("__ld");
    return true;
  }
  bool VisitExpr(const Expr *E) override {
    auto B = builtinUse(E);
    Thread |= B && B->Which == IndexVar::ThreadIdx;
    return true;
  }
  bool VisitDeclRefExpr(const DeclRefExpr *D) override {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    auto Given = V ? Writes.of(V) : llvm::ArrayRef<VariableWrite>();
    return Given.empty() || Given.front().How != VariableWrite::Init || !Given.front().Value || !Seen.insert(V).second || TraverseStmt(Given.front().Value);
  }

private:
  const VariableWrites &Writes;
  llvm::SmallPtrSet<const VarDecl *, 8> Seen;
};

bool comparesLaneWithData(const Expr *Cond, const VariableWrites &Writes) {
  const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
  if (B && B->getOpcode() == BO_LAnd)
    return comparesLaneWithData(B->getLHS(), Writes) || comparesLaneWithData(B->getRHS(), Writes);
  if (!B || !B->isRelationalOp())
    return false;
  Side L(B->getLHS(), Writes), R(B->getRHS(), Writes);
  auto Parts = [](const Side &Lane, const Side &Of) { return Lane.Thread && !Lane.Coarse && Of.Data && !Of.Thread; };
  return Parts(L, R) || Parts(R, L);
}

} // namespace

const Control *kcheck::partsLanes(const WarpEvent &E, const VariableWrites &Writes) {
  for (const Control &C : llvm::reverse(E.Why))
    if (C.K != Control::Exit && C.Unknown && C.Cond && C.T.Data && C.T.V == Vary::Thread && comparesLaneWithData(C.Cond, Writes))
      return &C;
  return nullptr;
}
