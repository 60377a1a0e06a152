#include "matchers/Demands.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace kcheck;

namespace {

class Collector : public ConstDynamicRecursiveASTVisitor {
public:
  std::vector<const Expr *> Found;

  bool VisitIfStmt(const IfStmt *S) override {
    const auto *Not = S->getCond() ? dyn_cast<UnaryOperator>(S->getCond()->IgnoreParenImpCasts()) : nullptr;
    if (Not && Not->getOpcode() == UO_LNot && !S->getElse())
      add(Not->getSubExpr());
    return true;
  }

private:
  void add(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    const auto *B = dyn_cast<BinaryOperator>(E);
    const auto *C = dyn_cast<CallExpr>(E);
    if (B && B->getOpcode() == BO_LAnd) {
      add(B->getLHS());
      add(B->getRHS());
    } else if (C && !isa<CXXMemberCallExpr, CXXOperatorCallExpr>(C) && C->getNumArgs() > 0 && C->getNumArgs() < 3)
      add(C->getArg(0)); // __builtin_expect, c10::… around the condition
    else
      Found.push_back(E);
  }
};

} // namespace

std::vector<const Expr *> kcheck::demandsOf(const FunctionDecl *F) {
  Collector C;
  if (F && F->getBody())
    C.TraverseStmt(F->getBody());
  return std::move(C.Found);
}
