#include "matchers/ShownBlock.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Constants.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"
#include "matchers/eval/Lanes.h"

using namespace clang;
using namespace kcheck;

namespace {

class Forms : public ConstDynamicRecursiveASTVisitor {
public:
  Forms(const ASTContext &AST, const VariableWrites &Writes) : AST(AST), Writes(Writes) {}
  std::array<int64_t, 3> Found{}, Grid{};

  /// `assert(blockDim.x == 4 && gridDim.x == 1)`, which is a test with a call that does not return.
  bool VisitConditionalOperator(const ConditionalOperator *C) override {
    const auto *Fails = dyn_cast<CallExpr>(C->getFalseExpr()->IgnoreParenCasts());
    if (Fails && callKind(Fails) == CallKind::Assert)
      stated(C->getCond());
    return true;
  }

  bool VisitBinaryOperator(const BinaryOperator *B) override {
    if (B->getOpcode() != BO_Add)
      return true;
    for (auto [Product, Thread] : {std::pair{B->getLHS(), B->getRHS()}, std::pair{B->getRHS(), B->getLHS()}}) {
      auto T = builtinUse(Writes.resolve(Thread));
      const auto *M = dyn_cast<BinaryOperator>(Writes.resolve(Product));
      if (!T || T->Which != IndexVar::ThreadIdx || !M || M->getOpcode() != BO_Mul)
        continue;
      for (auto [Block, Width] : {std::pair{M->getLHS(), M->getRHS()}, std::pair{M->getRHS(), M->getLHS()}})
        if (auto X = builtinUse(Writes.resolve(Block)); X && X->Which == IndexVar::BlockIdx)
          note(Found[T->Axis], Width);
    }
    return true;
  }

private:
  void stated(const Expr *E) {
    const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
    if (!B)
      return;
    if (B->getOpcode() == BO_LAnd) {
      stated(B->getLHS());
      stated(B->getRHS());
    }
    if (B->getOpcode() != BO_EQ)
      return;
    for (auto [Dim, Width] : {std::pair{B->getLHS(), B->getRHS()}, std::pair{B->getRHS(), B->getLHS()}})
      if (auto X = builtinUse(Writes.resolve(Dim)); X && X->Which == IndexVar::BlockDim)
        note(Found[X->Axis], Width);
      else if (X && X->Which == IndexVar::GridDim)
        note(Grid[X->Axis], Width);
  }

  /// A second width leaves nothing certain: the kernel may do several items a thread.
  void note(int64_t &Shown, const Expr *Width) {
    int64_t W = constantValue(Width, AST).value_or(-1);
    if (W >= 1 && W <= int64_t(eval::MaxLanes))
      Shown = Shown == 0 || Shown == W ? W : Several;
  }
  static constexpr int64_t Several = -1;
  const ASTContext &AST;
  const VariableWrites &Writes;
};

} // namespace

ShownLaunch kcheck::shownLaunch(const FunctionDecl *Kernel, const VariableWrites &Writes) {
  Forms V(Kernel->getASTContext(), Writes);
  V.TraverseStmt(Kernel->getBody());
  for (auto *Shown : {&V.Found, &V.Grid})
    for (int64_t &W : *Shown)
      W = std::max<int64_t>(W, 0);
  return {V.Found, V.Grid};
}
