//===- Overflow.cpp - indices that leave 32 bits --------------------------------===//
//
//   if (i < n) y[i * 4096] = x[i];                       // at sizes that the launcher lets through
//   if (slot < 0 || slot >= 1 << 18) return;
//   float *row = pool + slot * heads * dim;              // constants of 1 << 14, and a slot from memory
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Constants.h"
#include "matchers/VariableWrites.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

/// (1 << lane) - 1: all bits below one, not a number.
static bool isMask(const Expr *E) {
  const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  const auto *Bit = B && B->getOpcode() == BO_Sub ? dyn_cast<BinaryOperator>(B->getLHS()->IgnoreParenImpCasts()) : nullptr;
  return Bit && Bit->getOpcode() == BO_Shl;
}

/// Sizes of 32 bits that the sample chose too large are the sample's fault, unless the launcher lets them through and no
/// larger ones.
static bool samplesFault(LaunchModel &Model, const LaunchSample &L, const OverflowEvent &O) {
  auto Launches = [&](const HostRun &H) { return llvm::any_of(H.Steps, [&](const eval::Step &S) { return S.Call == L.Step->Call; }); };
  return O.T.Params && !areLargestAdmitted(Model, *L.Host, O.T.Params, Launches);
}

namespace {

/// Products in 32 bits of constants and of a number from memory that the kernel itself lets be so large.
class GuardedProducts : public ConstDynamicRecursiveASTVisitor {
public:
  GuardedProducts(IndexReporter &R, const FunctionDecl *Kernel) : R(R), Kernel(Kernel), AST(Kernel->getASTContext()), Writes(R.Ctx.get<VariableWrites>()) {
    TraverseStmt(Kernel->getBody());
  }

  bool VisitIfStmt(const IfStmt *S) override {
    const Stmt *Then = S->getThen();
    if (const auto *Block = dyn_cast<CompoundStmt>(Then); Block && !Block->body_empty())
      Then = Block->body_back();
    if (isa<ReturnStmt, ContinueStmt>(Then) && !S->getElse())
      refuses(S->getCond());
    return true;
  }

  bool VisitBinaryOperator(const BinaryOperator *B) override {
    if (B->getOpcode() != BO_Mul || B->isValueDependent() || !B->getType()->isSignedIntegerType() || AST.getTypeSize(B->getType()) != 32 || !Part.insert(B).second)
      return true;
    const VarDecl *Number = nullptr;
    int64_t Times = 1;
    if (!factors(B, Number, Times) || !Number || !Largest.count(Number))
      return true;
    int64_t Most = 0;
    if (__builtin_mul_overflow(Largest[Number], Times, &Most) || Most <= INT32_MAX || !R.Ctx.TU.inMainFile(B->getOperatorLoc()) || !R.once(B, "overflow") ||
        !R.once(Kernel->getCanonicalDecl(), "overflow"))
      return true;
    R.Ctx.report("index_overflow_32", B->getOperatorLoc(),
                 llvm::formatv("'{0}' may be {1} here, and {2} times as much does not fit 32 bits: widen before the multiplication", Number->getName(), Largest[Number], Times).str())
        .kernel(Kernel)
        .evidence("value", Most)
        .doubt();
    return true;
  }

private:
  /// `v >= bound` turns away all from the bound on.
  void refuses(const Expr *Cond) {
    const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
    if (B && B->getOpcode() == BO_LOr) {
      refuses(B->getLHS());
      refuses(B->getRHS());
      return;
    }
    const VarDecl *V = B && (B->getOpcode() == BO_GE || B->getOpcode() == BO_GT) ? namedVariable(B->getLHS()) : nullptr;
    auto Bound = V ? constantValue(B->getRHS(), AST) : std::nullopt;
    const Expr *Value = Bound ? Writes.onlyValue(V) : nullptr;
    if (Value && isa<ArraySubscriptExpr>(Value->IgnoreParenImpCasts()))
      Largest[V] = B->getOpcode() == BO_GE ? *Bound - 1 : *Bound;
  }

  /// Is E a product of constants and of one variable?
  bool factors(const Expr *E, const VarDecl *&Number, int64_t &Times) {
    E = E->IgnoreParenImpCasts();
    if (auto C = constantValue(E, AST))
      return *C > 0 && !__builtin_mul_overflow(Times, *C, &Times);
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Mul) {
      Part.insert(B);
      return factors(B->getLHS(), Number, Times) && factors(B->getRHS(), Number, Times);
    }
    const VarDecl *V = namedVariable(E);
    return V && !std::exchange(Number, V);
  }

  IndexReporter &R;
  const FunctionDecl *Kernel;
  const ASTContext &AST;
  const VariableWrites &Writes;
  llvm::DenseMap<const VarDecl *, int64_t> Largest; ///< of those whose larger values leave the kernel before
  llvm::SmallPtrSet<const BinaryOperator *, 16> Part;
};

} // namespace

void kcheck::checkOverflow(IndexReporter &R) {
  for (const FunctionDecl *K : R.Model.kernels())
    if (K->hasBody() && !K->isDependentContext())
      GuardedProducts(R, K);
  for (const LaunchSample *L : R.Model.runs()) {
    const KernelRun &Run = *L->Run;
    if (!L->Step)
      continue;
    for (const BlockRun &B : Run.Blocks)
      for (const OverflowEvent &O : B.Overflows) {
        if (O.T.Data || isMask(O.E) || hasManySizes(*L) || samplesFault(R.Model, *L, O) || !R.once(O.E, "overflow") ||
            !R.once(Run.Kernel->getCanonicalDecl(), "overflow"))
          continue;
        auto F = R.Ctx.report("index_overflow_32", O.E->getExprLoc(),
                              llvm::formatv("this is {0} in thread {1} of block {2}{3}: it does not fit 32 bits", O.Exact, O.Lane, blockText(&B), sizesText(L->Host)).str());
        F.kernel(Run.Kernel).evidence("value", O.Exact);
        constexpr int64_t MostElements = int64_t(1) << 34; // of four bytes, no device holds more
        if (!O.Who.Sure.test(O.Lane) || !isPlanned(*L) || !hasFewSizes(*L) || llvm::popcount(O.T.Params) > 1 || O.Exact >= MostElements)
          F.doubt();
      }
  }
}
