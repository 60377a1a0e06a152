//===- ShiftWidth.cpp - bits that are shifted in 32 and kept in 64 -----------------===//
//
//   unsigned long long word = 0;
//   for (int j = 0; j < 64; ++j) if (keep[j]) word |= 1 << j;    // from 31 on the bit is lost, or fills the upper half
//
// How far a count goes is read from its mask, its remainder, its loop's bound or its minimum with a constant.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/type-width/WidthChecks.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

class ShiftVisitor : public FunctionWalker {
public:
  explicit ShiftVisitor(WidthReporter &R) : R(R), AST(R.Ctx.TU.AST), Writes(R.Ctx.get<VariableWrites>()) {}

  bool VisitForStmt(ForStmt *S) override {
    const auto *B = S->getCond() ? dyn_cast<BinaryOperator>(S->getCond()->IgnoreParenImpCasts()) : nullptr;
    if (const VarDecl *V = B && (B->getOpcode() == BO_LT || B->getOpcode() == BO_LE) ? namedVariable(B->getLHS()) : nullptr)
      Bounds[V] = B;
    return true;
  }
  /// `(uint64_t)(1 << j)`, `uint64_t bit = 1 << j`: where the count is known to go further.
  bool VisitCastExpr(CastExpr *C) override {
    if (C->getCastKind() == CK_IntegralCast && AST.getTypeSize(C->getType()) == 64)
      shift(C->getSubExpr()->IgnoreParenImpCasts(), /*Joined=*/false);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    BinaryOperatorKind Op = B->isCompoundAssignmentOp() ? BinaryOperator::getOpForCompoundAssignment(B->getOpcode()) : B->getOpcode();
    if (Op == BO_Or || Op == BO_And || Op == BO_Xor) {
      bit(B->getRHS());
      bit(B->getLHS());
    }
    return true;
  }

private:
  /// `1 << j` or `~(1 << j)` that becomes 64 bits wide where it is joined with a word.
  void bit(const Expr *E) {
    const auto *Wide = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
    if (!Wide || Wide->getCastKind() != CK_IntegralCast || AST.getTypeSize(Wide->getType()) != 64)
      return;
    shift(Wide->getSubExpr()->IgnoreParenImpCasts(), /*Joined=*/true);
  }

  void shift(const Expr *Narrow, bool Joined) {
    if (const auto *U = dyn_cast<UnaryOperator>(Narrow); U && U->getOpcode() == UO_Not)
      Narrow = U->getSubExpr()->IgnoreParenImpCasts();
    const auto *S = dyn_cast<BinaryOperator>(Narrow);
    if (!S || S->getOpcode() != BO_Shl || S->isValueDependent() || AST.getTypeSize(S->getType()) != 32 || !constantValue(S->getLHS(), AST) ||
        constantValue(S->getRHS(), AST))
      return;
    std::optional<int64_t> Most = most(S->getRHS(), 0);
    int64_t Fits = S->getType()->isUnsignedIntegerType() ? 31 : 30;
    if ((Most && *Most <= Fits) || (!Joined && (!Most || *Most < 32)) || !R.first("size_overflow", S->getOperatorLoc()))
      return;
    auto F = R.Ctx.report("size_overflow", S->getOperatorLoc(),
                          (Joined ? "this shift is made in 32 bits and joined with a word of 64" : std::string("this shift is made in 32 bits, and its result taken for 64")) +
                              (Most ? llvm::formatv("; its count goes up to {0}", *Most).str() : std::string()) + ": shift a 64-bit one");
    if (isKernel(Function))
      F.kernel(Function);
    if (!Most || *Most == 31)
      F.doubt();
  }

  /// The largest value of a count, where the code shows it.
  std::optional<int64_t> most(const Expr *E, unsigned Depth) const {
    E = E->IgnoreParenImpCasts();
    if (auto C = constantValue(E, AST))
      return C;
    if (Depth > 4)
      return std::nullopt;
    if (const auto *B = dyn_cast<BinaryOperator>(E)) {
      auto C = constantValue(B->getRHS(), AST);
      auto L = C ? std::nullopt : most(B->getRHS(), Depth + 1);
      switch (B->getOpcode()) {
      case BO_And: return C ? C : constantValue(B->getLHS(), AST);
      case BO_Rem: return C ? std::optional(*C - 1) : std::nullopt;
      case BO_Sub: // e - c and c - e: as far as the left side, for counts from 0 on
        return most(B->getLHS(), Depth + 1);
      case BO_Add:
        if (auto A = most(B->getLHS(), Depth + 1); A && (C || L))
          return *A + (C ? *C : *L);
        return std::nullopt;
      default: return std::nullopt;
      }
    }
    if (const auto *C = dyn_cast<CallExpr>(E); C && calleeName(C) == "min" && C->getNumArgs() == 2) {
      auto A = most(C->getArg(0), Depth + 1), B = most(C->getArg(1), Depth + 1);
      return A && B ? std::min(*A, *B) : A ? A : B;
    }
    const VarDecl *V = namedVariable(E);
    if (!V)
      return std::nullopt;
    if (auto It = Bounds.find(V); It != Bounds.end())
      if (auto B = most(It->second->getRHS(), Depth + 1))
        return *B - (It->second->getOpcode() == BO_LT);
    const Expr *Value = Writes.onlyValue(V);
    return Value ? most(Value, Depth + 1) : std::nullopt;
  }

  WidthReporter &R;
  ASTContext &AST;
  const VariableWrites &Writes;
  llvm::DenseMap<const VarDecl *, const BinaryOperator *> Bounds; ///< of loops that are being read, by their counters
};

} // namespace

void kcheck::checkShiftWidth(WidthReporter &R) { ShiftVisitor(R).TraverseAST(R.Ctx.TU.AST); }
