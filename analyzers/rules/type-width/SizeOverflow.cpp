//===- SizeOverflow.cpp - sizes multiplied in 32 bits -------------------------===//
//
//   const size_t count = batch * heads * seq * seq;   // int until it is too late
//
// A doubt by the number of factors alone; proven where the launcher lets through a size at which the product wraps,
// and no larger one.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/type-width/WidthChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/Describe.h"
#include "matchers/Evidence.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

struct Factors {
  unsigned Runtime = 0;
  bool NarrowedSizeof = false; ///< `(int)sizeof(T)`: meant to be bytes
};

class OverflowVisitor : public FunctionWalker {
public:
  explicit OverflowVisitor(WidthReporter &R) : R(R), AST(R.Ctx.TU.AST), Writes(R.Ctx.get<VariableWrites>()) {}

  bool VisitCastExpr(CastExpr *C) override {
    if (C->getCastKind() != CK_IntegralCast || !Function || isDeviceFunction(Function) || !wide(C->getType()) ||
        !narrow(C->getSubExpr()->getType()))
      return true;
    const Expr *E = C->getSubExpr()->IgnoreParenImpCasts();
    Factors F;
    collect(Writes.resolve(E), F);
    bool Explicit = isa<ExplicitCastExpr>(C);
    if (F.Runtime >= 4 || (F.Runtime >= 3 && (Explicit || F.NarrowedSizeof)))
      report(E, F.Runtime);
    return true;
  }

private:
  bool wide(QualType T) const { return T->isIntegerType() && AST.getTypeSize(T) == 64; }
  bool narrow(QualType T) const { return T->isIntegerType() && AST.getTypeSize(T) == 32; }

  void collect(const Expr *E, Factors &F) const {
    if (const auto *C = dyn_cast<ExplicitCastExpr>(E->IgnoreParenImpCasts()))
      if (const auto *S = dyn_cast<UnaryExprOrTypeTraitExpr>(C->getSubExpr()->IgnoreParenImpCasts()))
        F.NarrowedSizeof |= S->getKind() == UETT_SizeOf;
    E = E->IgnoreParenImpCasts();
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Mul && narrow(B->getType())) {
      collect(B->getLHS(), F);
      collect(B->getRHS(), F);
    } else if (!constantValue(Writes.resolve(E), AST)) { // a local with one constant value is known, too
      ++F.Runtime;
    }
  }

  void report(const Expr *E, unsigned Count) {
    const Expr *Product = Writes.resolve(E);
    if (R.first("size_overflow", Product->getExprLoc()))
      R.Ctx.report("size_overflow", Product->getExprLoc(),
                   "a product of " + llvm::Twine(Count) + " run-time sizes is formed in 32 bits and widened afterwards; correct only while it stays below 2^" +
                       (Product->getType()->isUnsignedIntegerType() ? "32" : "31") + ". Widen the first factor")
          .doubt();
  }

  WidthReporter &R;
  ASTContext &AST;
  const VariableWrites &Writes;
};

/// Does a loop count or a sum enter the expression, rather than sizes that stay?
bool changes(const Expr *E, const VariableWrites &Writes) {
  struct Finder : ConstDynamicRecursiveASTVisitor {
    explicit Finder(const VariableWrites &Writes) : Writes(Writes) {}
    const VariableWrites &Writes;
    bool Found = false;
    bool VisitDeclRefExpr(const DeclRefExpr *D) override {
      const auto *V = dyn_cast<VarDecl>(D->getDecl());
      Found |= V && llvm::any_of(Writes.of(V), [](const VariableWrite &W) { return W.How == VariableWrite::Step || W.How == VariableWrite::Compound; });
      return !Found;
    }
  } V(Writes);
  V.TraverseStmt(E);
  return V.Found;
}

/// A host product that wraps at the largest sizes that the launcher admits, and the launcher went on with it.
void checkAdmitted(WidthReporter &R) {
  auto &Model = R.Ctx.get<LaunchModel>();
  auto GoesOn = [](const eval::HostRun &H) { return !H.Steps.empty(); };
  for (const PlanSample &P : Model.plans())
    for (const eval::OverflowEvent &O : P.Host->Overflows) {
      if (!O.Who.Sure.test(O.Lane) || O.T.Data || O.T.Assumed || (!O.T.Params && changes(O.E, R.Ctx.get<VariableWrites>())) || !GoesOn(*P.Host) || (O.T.Params && !areLargestAdmitted(Model, *P.Host, O.T.Params, GoesOn)))
        continue;
      if (R.first("size_overflow", O.E->getExprLoc()))
        R.Ctx.report("size_overflow", O.E->getExprLoc(),
                     llvm::formatv("this is {0}{1}: it does not fit 32 bits", O.Exact,
                                   O.T.Params ? sizesText(P.Host.get()) + ", which the launcher lets through" : "").str());
    }
}

} // namespace

void kcheck::checkSizeOverflow(WidthReporter &R) {
  checkAdmitted(R);
  OverflowVisitor(R).TraverseAST(R.Ctx.TU.AST);
}
