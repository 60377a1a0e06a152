//===- Narrowing.cpp - stores that drop the high bits -------------------------===//
//
//   int8_t q[…];  q[i] = __float2int_rn(x * scale);    // wraps instead of saturating
//   short e[…];   e[row] = sum_of_squares;             // a 64-bit sum
//
// The value is traced through its variables. Anything that bounds it (min, max, a mask, a comparison, a
// narrow source) ends the search in silence.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/type-width/WidthChecks.h"
#include "matchers/Evidence.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

/// How much is known of a stored value.
struct Width {
  enum Kind { Bounded, Rounded, Accumulated, LongSum, Counted } What = Bounded;
  int64_t Largest = 0; ///< of Counted
};

class LoopBounds : public DynamicRecursiveASTVisitor {
public:
  explicit LoopBounds(const ASTContext &AST) : AST(AST) { ShouldVisitTemplateInstantiations = true; }
  llvm::DenseMap<const VarDecl *, int64_t> Below;
  llvm::DenseMap<const VarDecl *, const ParmVarDecl *> BelowSize; ///< `for (e = lane; e < experts; e += 32)`
  llvm::DenseSet<const Stmt *> InLoop;
  bool VisitForStmt(ForStmt *S) override {
    const auto *B = S->getCond() ? dyn_cast<BinaryOperator>(S->getCond()->IgnoreParenImpCasts()) : nullptr;
    const VarDecl *V = B && B->getOpcode() == BO_LT ? namedVariable(B->getLHS()) : nullptr;
    if (V) {
      if (auto C = constantValue(B->getRHS(), AST))
        Below[V] = *C;
      else if (const auto *P = dyn_cast_or_null<ParmVarDecl>(namedVariable(B->getRHS())))
        BelowSize[V] = P;
    }
    mark(S->getBody());
    return true;
  }
  bool VisitWhileStmt(WhileStmt *S) override {
    mark(S->getBody());
    return true;
  }

private:
  void mark(const Stmt *S) {
    if (!S)
      return;
    InLoop.insert(S);
    for (const Stmt *C : S->children())
      mark(C);
  }
  const ASTContext &AST;
};

class NarrowVisitor : public FunctionWalker {
public:
  explicit NarrowVisitor(WidthReporter &R) : R(R), AST(R.Ctx.TU.AST), Writes(R.Ctx.get<VariableWrites>()), Loops(AST) {
    Loops.TraverseAST(AST);
  }

  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->getOpcode() != BO_Assign || !Function || !isDeviceFunction(Function) || !inMemory(B->getLHS()))
      return true;
    QualType To = B->getLHS()->getType();
    if (To->isDependentType() || !To->isIntegerType() || To->isBooleanType() || AST.getTypeSize(To) > 16)
      return true;
    const Expr *E = implicitlyNarrowed(B->getRHS()), *Chosen = E ? nullptr : chosenByCast(B->getRHS());
    if (!E && !Chosen)
      return true;
    Seen.clear();
    if (Chosen)
      E = Chosen;
    Width W = widthOf(E, 0);
    unsigned Bits = AST.getTypeSize(To);
    int64_t Limit = To->isUnsignedIntegerType() ? (int64_t(1) << Bits) - 1 : (int64_t(1) << (Bits - 1)) - 1;
    if (W.What == Width::Bounded || (W.What == Width::Counted && W.Largest <= Limit) || (Chosen && W.What != Width::Counted) || !R.first("narrowing_store", B->getOperatorLoc()))
      return true;
    std::string Type = To.getUnqualifiedType().getAsString();
    auto F = R.Ctx.report("narrowing_store", B->getOperatorLoc(), message(W, Type, Limit));
    F.kernel(kernel());
    if (W.What == Width::Rounded || W.What == Width::Accumulated)
      F.doubt();
    return true;
  }

private:
  static std::string message(const Width &W, const std::string &Type, int64_t Limit) {
    switch (W.What) {
    case Width::Rounded:
      return "a rounded float goes into '" + Type + "' without a clamp: safe only if the value never leaves its range";
    case Width::Counted:
      return "values up to " + std::to_string(W.Largest) + " go into '" + Type + "', which ends at " + std::to_string(Limit);
    default:
      return "a sum goes into '" + Type + "' without a clamp or scaling; above " + std::to_string(Limit) + " it wraps";
    }
  }

  bool inMemory(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
      return S->getBase()->IgnoreParenImpCasts()->getType()->isPointerType() || inMemory(S->getBase());
    if (const auto *M = dyn_cast<MemberExpr>(E)) // a field of an element
      return isa<FieldDecl>(M->getMemberDecl()) && (M->isArrow() ? !isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts()) : inMemory(M->getBase()));
    const auto *U = dyn_cast<UnaryOperator>(E);
    return U && U->getOpcode() == UO_Deref;
  }

  /// The wider operand of an implicit conversion; a cast that is written out is meant.
  const Expr *implicitlyNarrowed(const Expr *E) const {
    const auto *C = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
    if (!C || C->isPartOfExplicitCast() || (C->getCastKind() != CK_IntegralCast && C->getCastKind() != CK_FloatingToIntegral))
      return nullptr;
    const Expr *S = C->getSubExpr()->IgnoreParens();
    return AST.getTypeSize(S->getType()) >= 32 && !constantValue(S, AST) ? S : nullptr;
  }

  /// `tokens[r] = (unsigned short)best`: a cast says that the value fits, which the loop that chose it may contradict. A
  /// counter itself is cast to make a pattern.
  const Expr *chosenByCast(const Expr *E) const {
    const auto *C = dyn_cast<ExplicitCastExpr>(E->IgnoreParenImpCasts());
    const VarDecl *V = C ? namedVariable(C->getSubExpr()) : nullptr;
    return V && V->isLocalVarDecl() && !Loops.Below.contains(V) && AST.getTypeSize(V->getType()) >= 32 && V->getType()->isIntegerType() ? C->getSubExpr() : nullptr;
  }

  Width widthOf(const Expr *E, unsigned Depth) {
    E = E->IgnoreParenCasts();
    if (Depth > 16 || !Seen.insert(E).second)
      return {};
    if (auto C = constantValue(E, AST))
      return *C > INT8_MAX ? Width{Width::Counted, *C} : Width{};
    if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(D->getDecl());
      return V && V->isLocalVarDecl() && !V->isStaticLocal() ? variable(V, Depth) : Width{};
    }
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E)) { // a local array holds what it was filled with
      const VarDecl *V = namedVariable(S->getBase());
      const auto *L = V && V->getType()->isArrayType() && V->hasLocalStorage() ? dyn_cast_or_null<InitListExpr>(V->getInit()) : nullptr;
      Width Worst;
      for (unsigned I = 0; L && I < L->getNumInits(); ++I)
        Worst = worse(Worst, widthOf(L->getInit(I), Depth + 1));
      return Worst;
    }
    if (const auto *C = dyn_cast<CallExpr>(E))
      return call(C, Depth);
    const auto *B = dyn_cast<BinaryOperator>(E);
    if (B && (B->getOpcode() == BO_Add || B->getOpcode() == BO_Sub))
      return worse(widthOf(B->getLHS(), Depth + 1), widthOf(B->getRHS(), Depth + 1));
    return {};
  }

  Width call(const CallExpr *C, unsigned Depth) {
    if (handsOn(C) && C->getNumArgs() >= 2)
      return widthOf(C->getArg(1), Depth + 1);
    std::string Name = calleeName(C);
    bool Rounds = llvm::StringRef(Name).starts_with("__float2int_") || Name == "lrintf" || Name == "lroundf" || Name == "rintf" || Name == "roundf";
    if (Rounds && C->getNumArgs() == 1 && scaledByParameterOnly(C->getArg(0)))
      return {Width::Rounded};
    return {};
  }

  /// `x * scale` with a scale from outside: nothing here bounds it. A scale that was computed from a
  /// maximum, or a value that was clamped before, does.
  bool scaledByParameterOnly(const Expr *E) const {
    const auto *B = dyn_cast<BinaryOperator>(Writes.resolve(E));
    if (!B || B->getOpcode() != BO_Mul)
      return false;
    for (const Expr *Side : {B->getLHS(), B->getRHS()}) {
      const Expr *S = Writes.resolve(Side);
      if (isa<CallExpr, ConditionalOperator>(S) || (isa<BinaryOperator>(S) && cast<BinaryOperator>(S)->getOpcode() == BO_Div))
        return false;
    }
    return fromOutside(B->getLHS()) || fromOutside(B->getRHS());
  }

  /// A parameter, or an element of an array that one points to.
  bool fromOutside(const Expr *E) const {
    E = Writes.resolve(E)->IgnoreParenImpCasts();
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
      E = S->getBase();
    return isa_and_nonnull<ParmVarDecl>(namedVariable(E));
  }

  Width variable(const VarDecl *V, unsigned Depth) {
    if (auto It = Loops.Below.find(V); It != Loops.Below.end())
      return {Width::Counted, It->second - 1};
    if (auto It = Loops.BelowSize.find(V); It != Loops.BelowSize.end())
      if (int64_t Most = mostAdmitted(It->second))
        return {Width::Counted, Most - 1};
    Width Worst;
    for (const VariableWrite &W : Writes.of(V)) {
      if (W.How == VariableWrite::Compound) {
        if (W.Op != BO_AddAssign)
          return {}; // a mask, a shift or a division may bound it
        if (Loops.InLoop.contains(W.At) && !isShuffle(W.Value) && V->getType()->isIntegerType() && AST.getTypeSize(V->getType()) >= 32 && accumulates(W.Value))
          Worst = worse(Worst, {AST.getTypeSize(V->getType()) > 32 ? Width::LongSum : Width::Accumulated});
      } else if (W.Value) {
        const Expr *E = W.Value->IgnoreParenCasts();
        if (isa<ConditionalOperator>(E) || bounds(E))
          return {};
        Worst = worse(Worst, widthOf(E, Depth + 1));
      }
    }
    return Worst;
  }

  /// The largest value that a launcher which says how large the argument may be (`if (experts <= 1024)`) lets through; 0 where none says.
  int64_t mostAdmitted(const ParmVarDecl *P) const {
    int64_t Most = 0;
    for (const LaunchSample *L : R.Ctx.get<LaunchModel>().runs()) {
      unsigned I = P->getFunctionScopeIndex();
      if (!L->Step || !L->Host || !isPlanned(*L) || P->getDeclContext() != L->Run->Kernel || I >= L->Step->Args.size())
        continue;
      const eval::Value &A = L->Step->Args[I];
      for (auto [Size, Bound] : L->Host->Compared)
        if (A.K == eval::Value::Scalar && A.T.Params == 1ull << Size && A.L.at(0) == L->Host->Sizes[Size].Value && A.L.at(0) <= Bound)
          Most = std::max(Most, A.L.at(0));
    }
    return Most;
  }

  /// Gives another lane's value, its second argument there: a shuffle, the least or the largest of a warp.
  static bool handsOn(const CallExpr *C) {
    std::string Name = calleeName(C);
    return callKind(C) == CallKind::Shuffle || Name == "__reduce_min_sync" || Name == "__reduce_max_sync";
  }

  static bool isShuffle(const Expr *E) {
    const auto *C = dyn_cast<CallExpr>(E->IgnoreParenCasts());
    return C && handsOn(C);
  }

  /// Products of loaded values grow; counting `+= (a > b)` or adding bits does not say.
  static bool accumulates(const Expr *E) {
    E = E->IgnoreParenCasts();
    const auto *B = dyn_cast<BinaryOperator>(E);
    if (!B)
      return false;
    if (B->getOpcode() == BO_Mul)
      return true;
    return B->isAdditiveOp() && (accumulates(B->getLHS()) || accumulates(B->getRHS()));
  }

  static bool bounds(const Expr *E) {
    if (const auto *C = dyn_cast<CallExpr>(E)) {
      std::string Name = calleeName(C);
      return !handsOn(C) && !llvm::StringRef(Name).starts_with("__float2int_");
    }
    const auto *B = dyn_cast<BinaryOperator>(E);
    return B && (B->getOpcode() == BO_And || B->getOpcode() == BO_Rem || B->getOpcode() == BO_Shr || B->getOpcode() == BO_Div || B->isComparisonOp());
  }

  static Width worse(Width A, Width B) {
    if (A.What == Width::Counted && B.What == Width::Counted)
      return {Width::Counted, std::max(A.Largest, B.Largest)};
    return A.What >= B.What ? A : B;
  }

  WidthReporter &R;
  ASTContext &AST;
  const VariableWrites &Writes;
  LoopBounds Loops;
  llvm::SmallPtrSet<const Expr *, 16> Seen;
};

} // namespace

void kcheck::checkNarrowing(WidthReporter &R) { NarrowVisitor(R).TraverseAST(R.Ctx.TU.AST); }
