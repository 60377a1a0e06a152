//===- SizeRepair.cpp - sizes that a launcher lets through ----------------------===//
#include "matchers/SizeRepair.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/bit.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// One side of a comparison.
struct Side {
  int64_t Value;
  uint64_t Sizes;
  const Expr *E;
};

/// The size that the side is, when it is one as it stands.
int plainSize(const Side &S, const HostRun &H) {
  if (llvm::popcount(S.Sizes) != 1)
    return -1;
  unsigned I = unsigned(llvm::countr_zero(S.Sizes));
  return I < H.Sizes.size() && H.Sizes[I].Value == S.Value ? int(I) : -1;
}

/// C of `size % C`, or 0.
int64_t modulus(const Side &S, const ASTContext &AST) {
  const auto *B = S.E ? dyn_cast<BinaryOperator>(S.E->IgnoreParenImpCasts()) : nullptr;
  Expr::EvalResult R;
  if (!B || B->getOpcode() != BO_Rem || B->getRHS()->isValueDependent() || !B->getRHS()->EvaluateAsInt(R, AST) || R.Val.getInt().getSignificantBits() > 31)
    return 0;
  return R.Val.getInt().getExtValue();
}

/// The value nearest to \p Bound for which `value Op Bound` holds.
int64_t meet(BinaryOperatorKind Op, int64_t Bound, bool Aligned) {
  switch (Op) {
  case BO_LT: Bound -= 1; [[fallthrough]];
  case BO_LE: return Aligned && Bound >= 32 ? Bound / 32 * 32 : Bound;
  case BO_GT: Bound += 1; [[fallthrough]];
  case BO_GE: return Aligned ? (Bound + 31) / 32 * 32 : Bound;
  case BO_NE: return Bound + (Aligned ? 32 : 1);
  default: return Bound;
  }
}

bool change(SizeVector &V, int I, int64_t To, bool Only) {
  constexpr int64_t Largest = 1 << 24;
  if (To < 1 || To > Largest || V.Values[size_t(I)] == To || (!Only && V.Forced >> I & 1))
    return false;
  V.Values[size_t(I)] = To;
  if (Only)
    V.Forced |= 1ull << I;
  return true;
}

/// Makes `A Op B` hold by a change of A.
bool satisfy(const Side &A, BinaryOperatorKind Op, const Side &B, const HostRun &H, SizeVector &V, bool Aligned, const ASTContext &AST) {
  if (int I = plainSize(A, H); I >= 0)
    return change(V, I, meet(Op, B.Value, Aligned), Op == BO_EQ);
  if (llvm::popcount(A.Sizes) == 1 && Op == BO_EQ && !B.Sizes) {
    int64_t C = modulus(A, AST);
    int I = llvm::countr_zero(A.Sizes);
    return C > 1 && change(V, I, (V.Values[size_t(I)] + C - 1) / C * C + B.Value % C, false);
  }
  // A product or a sum that is too large: halve the largest size that is in it, and see.
  if (Op != BO_LT && Op != BO_LE)
    return false;
  int Most = -1;
  for (unsigned I = 0; I < V.Values.size() && I < 64; ++I)
    if (A.Sizes >> I & 1 && !(V.Forced >> I & 1) && (Most < 0 || V.Values[I] > V.Values[size_t(Most)]))
      Most = int(I);
  return Most >= 0 && V.Values[size_t(Most)] > 1 && change(V, Most, V.Values[size_t(Most)] / 2, false);
}

} // namespace

bool kcheck::repairSizes(const HostRun &Refused, SizeVector &V, bool Aligned) {
  if (!Refused.LastTest)
    return false;
  const Comparison &T = *Refused.LastTest;
  V.Values.resize(std::max(V.Values.size(), Refused.Sizes.size())); // sizes that it did not come to ask for stay
  for (size_t I = 0; I < Refused.Sizes.size(); ++I)
    V.Values[I] = Refused.Sizes[I].Value;
  Side L{T.Left, T.LeftSizes, T.E->getLHS()}, R{T.Right, T.RightSizes, T.E->getRHS()};
  BinaryOperatorKind Op = T.Holds ? BinaryOperator::negateComparisonOp(T.E->getOpcode()) : T.E->getOpcode();
  const ASTContext &AST = Refused.Launcher->getASTContext();
  // Of two sizes that must be equal the later one gives way: it was asked for with the first in mind.
  bool RightFirst = R.Sizes > L.Sizes;
  auto Left = [&] { return L.Sizes && satisfy(L, Op, R, Refused, V, Aligned, AST); };
  auto Right = [&] { return R.Sizes && satisfy(R, BinaryOperator::reverseComparisonOp(Op), L, Refused, V, Aligned, AST); };
  return RightFirst ? Right() || Left() : Left() || Right();
}
