#include "matchers/ByteCount.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;
using namespace kcheck;

static std::string spelling(const Expr *E, const ASTContext &AST) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  E->printPretty(OS, nullptr, PrintingPolicy(AST.getLangOpts()));
  return Text;
}

static const UnaryExprOrTypeTraitExpr *sizeOf(const Expr *E) {
  const auto *S = dyn_cast<UnaryExprOrTypeTraitExpr>(E);
  return S && S->getKind() == UETT_SizeOf ? S : nullptr;
}

static void multiply(const Expr *E, const VariableWrites &W, const ASTContext &AST, ByteCount &Out, unsigned Depth) {
  E = E->IgnoreParenCasts();
  if (const auto *S = sizeOf(E)) {
    Out.Sizes.push_back(S->getTypeOfArgument());
    if (!Out.FirstSizeof)
      Out.FirstSizeof = S;
    return;
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Mul) {
    multiply(B->getLHS(), W, AST, Out, Depth + 1);
    multiply(B->getRHS(), W, AST, Out, Depth + 1);
    return;
  }
  // A variable first: `const size_t bytes = n * sizeof(float)` keeps its sizeof.
  if (const Expr *R = W.resolve(E); R != E && Depth < 16)
    return multiply(R, W, AST, Out, Depth + 1);
  Expr::EvalResult V;
  if (!E->isValueDependent() && E->getType()->isIntegralOrEnumerationType() && E->EvaluateAsInt(V, AST) &&
      V.Val.getInt().isRepresentableByInt64() && V.Val.getInt().getExtValue() >= 0) {
    Out.Literal *= V.Val.getInt().getExtValue();
    return;
  }
  Out.Symbols.push_back(spelling(E, AST));
}

ByteCount kcheck::byteCount(const Expr *E, const VariableWrites &W, const ASTContext &AST) {
  ByteCount Out;
  multiply(E, W, AST, Out, 0);
  llvm::sort(Out.Symbols);
  return Out;
}

uint64_t ByteCount::knownBytes(const ASTContext &AST) const {
  uint64_t N = Literal;
  for (QualType T : Sizes)
    N *= T->isDependentType() || T->isIncompleteType() ? 1 : AST.getTypeSizeInChars(T).getQuantity();
  return N;
}
