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

/// Does a condition hang on an element that each lane reads from a place of its own, and on nothing that lanes tell each other?
class OwnElements : public ConstDynamicRecursiveASTVisitor {
public:
  OwnElements(const BlockRun &B, const VariableWrites &Writes) : B(B), Writes(Writes) {}
  bool Own = false, Told = false;

  bool TraverseArraySubscriptExpr(const ArraySubscriptExpr *S) override {
    Own |= llvm::any_of(B.Accesses, [&](const Access &A) {
      if (A.Kind != AccessKind::Read || !A.E || A.E->IgnoreParens() != S || !isGlobal(A.Obj) || A.OffsetTaint.Data || A.Offset.at(0) == Unk)
        return false;
      for (unsigned T = 1; T < 32; ++T)
        if (A.Who.May.test(T) && A.Offset.at(T) != Unk && A.Offset.at(T) != A.Offset.at(0))
          return true;
      return false;
    });
    return true;
  }
  bool VisitCallExpr(const CallExpr *C) override {
    Told |= callKind(C) != CallKind::Other;
    return true;
  }
  bool VisitDeclRefExpr(const DeclRefExpr *D) override {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    auto Given = V && V->hasLocalStorage() && !isa<ParmVarDecl>(V) ? Writes.of(V) : llvm::ArrayRef<VariableWrite>();
    // by whatever gives it its value later, but for steps by a number
    Told |= Given.size() > 1 && llvm::any_of(Given.drop_front(), [](const VariableWrite &W) {
              return W.How != VariableWrite::Step && !(W.How == VariableWrite::Compound && W.Value && isa<IntegerLiteral>(W.Value->IgnoreParenImpCasts()));
            });
    return Given.empty() || Given.front().How != VariableWrite::Init || !Given.front().Value || !Seen.insert(V).second || TraverseStmt(Given.front().Value);
  }

private:
  const BlockRun &B;
  const VariableWrites &Writes;
  llvm::SmallPtrSet<const VarDecl *, 8> Seen;
};

/// `other > v`, where `other = __shfl_down_sync(all, v, o)`: each lane compares its value with that of another, and hardly all agree.
bool comparesLanes(const Expr *Cond, const VariableWrites &Writes) {
  const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
  if (B && B->isLogicalOp())
    return comparesLanes(B->getLHS(), Writes) || comparesLanes(B->getRHS(), Writes);
  if (!B || !B->isRelationalOp())
    return false;
  auto Parts = [&](const Expr *Other, const Expr *Mine) {
    const auto *C = dyn_cast<CallExpr>(Writes.resolve(Other));
    if (!C || callKind(C) != CallKind::Shuffle || C->getNumArgs() < 3 || StringRef(calleeName(C)) == "__shfl_sync")
      return false; // one lane's value, which all compare with their own, may be the least of all
    const VarDecl *Given = namedVariable(C->getArg(1)), *Own = namedVariable(Mine);
    return Given && Given == Own;
  };
  return Parts(B->getLHS(), B->getRHS()) || Parts(B->getRHS(), B->getLHS());
}

bool asksOwnElement(const Expr *Cond, const BlockRun &B, const VariableWrites &Writes) {
  OwnElements V(B, Writes);
  V.TraverseStmt(Cond);
  return V.Own && !V.Told;
}

} // namespace

Parting kcheck::partsLanes(const WarpEvent &E, const BlockRun &B, const VariableWrites &Writes) {
  for (const Control &C : llvm::reverse(E.Why)) {
    if (C.K == Control::Exit || !C.Unknown || !C.Cond || !C.T.Data || C.T.V != Vary::Thread)
      continue;
    if (asksOwnElement(C.Cond, B, Writes) || comparesLanes(C.Cond, Writes))
      return {&C, true};
    if (comparesLaneWithData(C.Cond, Writes))
      return {&C, false};
  }
  return {};
}
