#include "analyzers/rules/template-bloat/ShapeTests.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include <set>
#include "matchers/Constants.h"

using namespace clang;

namespace {

/// Head dimensions, window and page sizes are choices among a few; what is larger is an extent of the data.
constexpr int64_t LargestChoice = 256;

class TestedLaunches : public RecursiveASTVisitor<TestedLaunches> {
public:
  explicit TestedLaunches(ASTContext &AST) : AST(AST) {}
  llvm::DenseMap<const FunctionTemplateDecl *, unsigned> Found;

  bool TraverseIfStmt(IfStmt *S) {
    size_t Before = Tested.size();
    collect(S->getCond());
    TraverseStmt(S->getThen());
    Tested.resize(Before);
    return TraverseStmt(S->getElse());
  }
  bool TraverseCaseStmt(CaseStmt *S) {
    Tested.push_back(kcheck::constantValue(S->getLHS(), AST));
    TraverseStmt(S->getSubStmt());
    Tested.pop_back();
    return true;
  }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee();
    const TemplateArgumentList *Arguments = F ? F->getTemplateSpecializationArgs() : nullptr;
    if (!Arguments)
      return true;
    std::multiset<std::optional<int64_t>> Left(Tested.begin(), Tested.end());
    unsigned Same = 0;
    int64_t Largest = 0;
    for (const TemplateArgument &A : Arguments->asArray())
      if (A.getKind() == TemplateArgument::Integral && !A.getIntegralType()->isBooleanType() && A.getAsIntegral().isRepresentableByInt64())
        if (auto It = Left.find(A.getAsIntegral().getExtValue()); It != Left.end()) {
          Largest = std::max(Largest, **It);
          Left.erase(It);
          ++Same;
        }
    if (Same >= 2 && Largest > LargestChoice)
      ++Found[F->getPrimaryTemplate()->getCanonicalDecl()];
    return true;
  }

private:
  /// The constants of `a == 8 && b == 768`.
  void collect(const Expr *E) {
    const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    if (B && B->getOpcode() == BO_LAnd) {
      collect(B->getLHS());
      collect(B->getRHS());
    } else if (B && B->getOpcode() == BO_EQ) {
      auto L = kcheck::constantValue(B->getLHS(), AST), R = kcheck::constantValue(B->getRHS(), AST);
      if (L.has_value() != R.has_value())
        Tested.push_back(L ? L : R);
    }
  }

  ASTContext &AST;
  std::vector<std::optional<int64_t>> Tested; ///< by the conditions in force
};

} // namespace

llvm::DenseMap<const FunctionTemplateDecl *, unsigned> kcheck::bloat::launchesOfOneShape(ASTContext &AST) {
  TestedLaunches V(AST);
  V.TraverseAST(AST);
  return std::move(V.Found);
}
