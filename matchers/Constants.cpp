#include "matchers/Constants.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

std::optional<int64_t> kcheck::constantValue(const Expr *E, const ASTContext &AST) {
  Expr::EvalResult R;
  if (E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType() || !E->EvaluateAsInt(R, AST) ||
      !R.Val.getInt().isRepresentableByInt64())
    return std::nullopt;
  return R.Val.getInt().getExtValue();
}
