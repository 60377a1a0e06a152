#include "matchers/ByteCount.h"
#include "matchers/Constants.h"
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

namespace {

class Product {
public:
  Product(const VariableWrites &W, const ASTContext &AST, ByteCount &Out) : W(W), AST(AST), Out(Out) {}

  void multiply(const Expr *E) {
    E = E->IgnoreParenCasts();
    if (const auto *S = sizeOf(E)) {
      Out.Sizes.push_back(S->getTypeOfArgument());
      if (!Out.FirstSizeof)
        Out.FirstSizeof = S;
      return;
    }
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Mul) {
      multiply(B->getLHS());
      multiply(B->getRHS());
      return;
    }
    if (const auto *D = dyn_cast<DeclRefExpr>(E))
      if (auto It = Given.find(D->getDecl()); It != Given.end())
        return multiply(It->second);
    // A variable first: `const size_t bytes = n * sizeof(float)` keeps its sizeof.
    if (const Expr *R = W.resolve(E); R != E && Depth++ < MaxDepth)
      return multiply(R);
    if (const auto *C = dyn_cast<CallExpr>(E); C && Depth++ < MaxDepth && enter(C))
      return;
    if (auto N = constantValue(E, AST); N && *N >= 0) {
      Out.Literal *= *N;
      return;
    }
    Out.Symbols.push_back(spelling(E, AST));
  }

private:
  /// `bytes_of<float>(n)`, with a body that only returns a product. What an object's members make of it (`v.size()`) says
  /// less than their names.
  bool enter(const CallExpr *C) {
    if (isa<CXXMemberCallExpr>(C))
      return false;
    const FunctionDecl *F = C->getDirectCallee(), *Def = nullptr;
    const auto *Body = F ? dyn_cast_or_null<CompoundStmt>(F->getBody(Def)) : nullptr;
    const auto *Only = Body && Body->size() == 1 ? dyn_cast<ReturnStmt>(Body->body_front()) : nullptr;
    if (!Only || !Only->getRetValue())
      return false;
    for (unsigned I = 0; I < Def->getNumParams() && I < C->getNumArgs(); ++I)
      Given.try_emplace(Def->getParamDecl(I), C->getArg(I));
    multiply(Only->getRetValue());
    return true;
  }

  static constexpr unsigned MaxDepth = 16;
  const VariableWrites &W;
  const ASTContext &AST;
  ByteCount &Out;
  llvm::DenseMap<const ValueDecl *, const Expr *> Given; ///< arguments of the calls that were entered
  unsigned Depth = 0;
};

} // namespace

ByteCount kcheck::byteCount(const Expr *E, const VariableWrites &W, const ASTContext &AST) {
  ByteCount Out;
  Product(W, AST, Out).multiply(E);
  llvm::sort(Out.Symbols);
  return Out;
}

uint64_t ByteCount::knownBytes(const ASTContext &AST) const {
  uint64_t N = Literal;
  for (QualType T : Sizes)
    N *= T->isDependentType() || T->isIncompleteType() ? 1 : AST.getTypeSizeInChars(T).getQuantity();
  return N;
}
