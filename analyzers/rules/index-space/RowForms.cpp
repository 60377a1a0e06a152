//===- RowForms.cpp - rows and columns that are taken for one another -------------===//
//
//   if (x < w && y < h) out[x * w + y] = …;           // wrong_stride: y runs to h, the rows are w apart
//   row = x + b * len;  if (t <= len) … row[t]        // guard_off_by_one
//   if (pos > c.len) return;  … b * c.len + pos …     // the same
//   dim3 g((rows + 15) / 16, (cols + 15) / 16);       // dimension_mismatch, where x is guarded by cols and y by rows
//
// What a kernel compares its indices with says which size belongs to which index.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/index-space/IndexChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

const ParmVarDecl *sizeOf(const Expr *E, const FunctionDecl *K) {
  const auto *P = dyn_cast_or_null<ParmVarDecl>(namedVariable(E));
  return P && P->getDeclContext() == K && P->getType()->isIntegerType() ? P : nullptr;
}

/// `x < w` and `x >= w`: the one size that each local variable of a kernel is compared with.
class Bounds : public ConstDynamicRecursiveASTVisitor {
public:
  explicit Bounds(const FunctionDecl *K) : K(K) { TraverseStmt(K->getBody()); }
  const ParmVarDecl *of(const VarDecl *V) const { return Found.lookup(V); }
  const llvm::MapVector<const VarDecl *, const ParmVarDecl *> &all() const { return Found; }

  bool VisitBinaryOperator(const BinaryOperator *B) override {
    if (!B->isRelationalOp())
      return true;
    const Expr *L = B->getLHS(), *R = B->getRHS();
    BinaryOperatorKind Op = B->getOpcode();
    if (sizeOf(L, K)) {
      std::swap(L, R);
      Op = BinaryOperator::reverseComparisonOp(Op);
    }
    const VarDecl *V = namedVariable(L);
    const ParmVarDecl *P = sizeOf(R, K);
    if (!V || isa<ParmVarDecl>(V) || !P || (Op != BO_LT && Op != BO_GE))
      return true;
    auto [It, New] = Found.insert({V, P});
    if (!New && It->second != P)
      It->second = nullptr; // of several sizes none is its own
    return true;
  }

private:
  const FunctionDecl *K;
  llvm::MapVector<const VarDecl *, const ParmVarDecl *> Found;
};

class RowCheck {
public:
  explicit RowCheck(IndexReporter &R) : R(R), Writes(R.Ctx.get<VariableWrites>()) {}

  void run() {
    for (const FunctionDecl *K : R.Model.kernels())
      if (!K->isDependentContext() && K->hasBody()) {
        Bounds B(K);
        pitches(K, B);
        crossed(K, B);
        eitherAxis(K);
        onePast(K);
        leavesTooLate(K);
      }
  }

private:
  /// The axis along which a variable numbers threads (of all blocks: InGrid); none where it does not, or along several.
  std::optional<unsigned> axisOf(const VarDecl *V, bool InGrid = false) const {
    const Expr *Value = V && V->isLocalVarDecl() ? Writes.onlyValue(V) : nullptr;
    std::optional<unsigned> Axis;
    bool Several = false, Blocks = false;
    findExpr(Value, [&](const Expr *E) {
      auto U = builtinUse(E);
      if (!U || (U->Which != IndexVar::ThreadIdx && U->Which != IndexVar::BlockIdx))
        return false;
      Several |= Axis && *Axis != U->Axis;
      Blocks |= U->Which == IndexVar::BlockIdx;
      Axis = U->Axis;
      return false;
    }, /*Through=*/true);
    return Several || (InGrid && !Blocks) ? std::nullopt : Axis;
  }

  void pitches(const FunctionDecl *K, const Bounds &B) {
    findExpr(K->getBody(), [&](const Expr *E) {
      const auto *S = dyn_cast<ArraySubscriptExpr>(E);
      const auto *Base = S ? dyn_cast_or_null<ParmVarDecl>(namedVariable(S->getBase())) : nullptr;
      const auto *Sum = Base ? dyn_cast<BinaryOperator>(Writes.resolve(S->getIdx())) : nullptr;
      if (Sum && Sum->getOpcode() == BO_Add && Base->getDeclContext() == K)
        for (auto [Product, Column] : {std::pair{Sum->getLHS(), Sum->getRHS()}, std::pair{Sum->getRHS(), Sum->getLHS()}})
          pitch(K, B, *S, Base, Product, namedVariable(Column));
      return false;
    });
  }

  void pitch(const FunctionDecl *K, const Bounds &B, const ArraySubscriptExpr &S, const ParmVarDecl *Base, const Expr *Product, const VarDecl *Column) {
    const auto *M = dyn_cast<BinaryOperator>(Product->IgnoreParenImpCasts());
    const ParmVarDecl *Runs = B.of(Column);
    if (!M || M->getOpcode() != BO_Mul || !Runs)
      return;
    for (auto [First, Second] : {std::pair{M->getLHS(), M->getRHS()}, std::pair{M->getRHS(), M->getLHS()}}) {
      const VarDecl *Row = namedVariable(First->IgnoreParenCasts());
      const ParmVarDecl *Pitch = sizeOf(Second->IgnoreParenCasts(), K), *Rows = B.of(Row);
      if (!Row || !Pitch || !Rows || Pitch == Runs || !isMixedUp(B, Row, Column, Pitch, Rows) || alwaysEqual(K, Pitch, Runs) ||
          R.Collided.count(K) || !R.once(K->getCanonicalDecl(), "pitch form"))
        continue;
      R.Ctx.report("wrong_stride", S.getExprLoc(),
                   "'" + Column->getName() + "' runs to '" + Runs->getName() + "', but the rows of '" + Base->getName() + "' are '" + Pitch->getName() +
                       "' apart here: rows overlap where '" + Runs->getName() + "' is the larger one")
          .kernel(K)
          .doubt();
      return;
    }
  }

  /// The pitch is the number of rows of a plane of threads, or the size of yet another index: not a leading dimension by itself.
  bool isMixedUp(const Bounds &B, const VarDecl *Row, const VarDecl *Column, const ParmVarDecl *Pitch, const ParmVarDecl *Rows) const {
    if (Pitch == Rows)
      return axisOf(Row) && axisOf(Column) && axisOf(Row) != axisOf(Column);
    return axisOf(Row) && llvm::any_of(B.all(), [&](auto &X) { return X.first != Row && X.first != Column && X.second == Pitch && axisOf(X.first); });
  }

  /// Every launch gives the two sizes one value.
  bool alwaysEqual(const FunctionDecl *K, const ParmVarDecl *A, const ParmVarDecl *B) const {
    bool Launched = false, Equal = true;
    forEachLaunch(K, [&](const eval::Step &S) {
      Launched = true;
      const Value *X = argument(S, A), *Y = argument(S, B);
      Equal &= X && Y && X->L.at(0) == Y->L.at(0);
    });
    return Launched && Equal;
  }

  template <class Fn> void forEachLaunch(const FunctionDecl *K, Fn Do) const {
    for (const PlanSample &P : R.Model.plans())
      for (const LaunchSample &L : P.Launches)
        if (L.Step->Kernel == K)
          Do(*L.Step);
  }

  static const Value *argument(const eval::Step &S, const ParmVarDecl *P) {
    unsigned I = P->getFunctionScopeIndex();
    return I < S.Args.size() && S.Args[I].K == Value::Scalar ? &S.Args[I] : nullptr;
  }

  /// The grid along x follows the size that guards the index along y, and the other way about.
  void crossed(const FunctionDecl *K, const Bounds &B) {
    std::array<const ParmVarDecl *, 2> Guard{};
    for (auto &[V, P] : B.all())
      if (auto Axis = axisOf(V, /*InGrid=*/true); Axis && *Axis < 2 && P) {
        if (Guard[*Axis] && Guard[*Axis] != P)
          return;
        Guard[*Axis] = P;
      }
    if (!Guard[0] || !Guard[1] || Guard[0] == Guard[1])
      return;
    forEachLaunch(K, [&](const eval::Step &S) {
      const Value *X = argument(S, Guard[0]), *Y = argument(S, Guard[1]);
      uint64_t SizeX = X ? X->T.Params : 0, SizeY = Y ? Y->T.Params : 0, GridX = S.GridTaint[0].Params, GridY = S.GridTaint[1].Params;
      if (!SizeX || !SizeY || SizeX == SizeY || GridX != SizeY || GridY != SizeX || R.said(K->getCanonicalDecl(), SaidShort) ||
          !R.once(S.Call, "crossed"))
        return;
      R.Ctx.report("dimension_mismatch", S.Call->getBeginLoc(),
                   "the grid follows '" + Guard[1]->getName() + "' along x and '" + Guard[0]->getName() + "' along y, but the kernel guards its index along x by '" +
                       Guard[0]->getName() + "' and the one along y by '" + Guard[1]->getName() + "'")
          .kernel(K);
    });
  }

  /// `if (x < w || y < h)`, and `if (x >= w && y >= h) return;`: one index within its bound lets the other one past its own.
  void eitherAxis(const FunctionDecl *K) {
    struct Tests : ConstDynamicRecursiveASTVisitor {
      std::vector<const IfStmt *> Found;
      bool VisitIfStmt(const IfStmt *S) override {
        Found.push_back(S);
        return true;
      }
    } V;
    V.TraverseStmt(K->getBody());
    for (const IfStmt *S : V.Found) {
      const auto *B = dyn_cast<BinaryOperator>(S->getCond()->IgnoreParenImpCasts());
      const Stmt *Then = S->getThen();
      if (const auto *C = dyn_cast<CompoundStmt>(Then); C && C->size() == 1)
        Then = C->body_front();
      bool Leaves = isa<ReturnStmt>(Then);
      if (!B || B->getOpcode() != (Leaves ? BO_LAnd : BO_LOr) || S->getElse())
        continue;
      auto X = boundAxis(B->getLHS(), K, !Leaves), Y = boundAxis(B->getRHS(), K, !Leaves);
      if (X && Y && *X != *Y && R.once(K->getCanonicalDecl(), "reach"))
        R.Ctx.report("missing_bounds_guard", B->getOperatorLoc(),
                     "a thread goes on where just one of its two indices is within its bound: the other may lie past its own")
            .kernel(K)
            .doubt();
    }
  }

  /// The axis of the thread number that is compared so: `x < w`, or (not Below) `x >= w`.
  std::optional<unsigned> boundAxis(const Expr *E, const FunctionDecl *K, bool Below) const {
    const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    const VarDecl *V = B && B->getOpcode() == (Below ? BO_LT : BO_GE) && sizeOf(B->getRHS(), K) ? namedVariable(B->getLHS()) : nullptr;
    return V ? axisOf(V, /*InGrid=*/true) : std::nullopt;
  }

  /// `if (t <= len) best = fmaxf(best, row[t])`, where rows are len apart: at t == len that is the next row's first element.
  void onePast(const FunctionDecl *K) {
    struct Tests : ConstDynamicRecursiveASTVisitor {
      std::vector<std::pair<const Expr *, const Stmt *>> Found; ///< a condition, and what runs under it
      bool VisitIfStmt(const IfStmt *S) override { return add(S->getCond(), S->getThen()); }
      bool VisitConditionalOperator(const ConditionalOperator *C) override { return add(C->getCond(), C->getTrueExpr()); }
      bool add(const Expr *Cond, const Stmt *Under) {
        const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
        if (B && B->getOpcode() == BO_LAnd)
          return add(B->getLHS(), Under) && add(B->getRHS(), Under);
        Found.push_back({Cond, Under});
        return true;
      }
    } V;
    V.TraverseStmt(K->getBody());
    for (auto &[Cond, Under] : V.Found) {
      const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
      const VarDecl *Index = B && B->getOpcode() == BO_LE ? namedVariable(B->getLHS()) : nullptr;
      const ParmVarDecl *Size = Index ? sizeOf(B->getRHS(), K) : nullptr;
      const Expr *Read = !Size ? nullptr : findExpr(Under, [&](const Expr *E) {
        const auto *S = dyn_cast<ArraySubscriptExpr>(E);
        return S && namedVariable(S->getIdx()) == Index && areApart(namedVariable(S->getBase()), Size);
      });
      if (!Read || !R.once(K->getCanonicalDecl(), "one past"))
        continue;
      R.Ctx.report("guard_off_by_one", B->getOperatorLoc(),
                   "'" + Index->getName() + "' may be '" + Size->getName() + "' here, and the rows that it runs through are '" + Size->getName() +
                       "' apart: that element is the next row's, or behind the last")
          .kernel(K)
          .note(Read->getExprLoc(), "the access is here");
    }
  }

  /// `if (pos > c.len) return;` before `(b * c.len + pos)`: where pos is len, that is the next row's first element.
  void leavesTooLate(const FunctionDecl *K) {
    struct Tests : ConstDynamicRecursiveASTVisitor {
      std::vector<const BinaryOperator *> Found;
      bool VisitIfStmt(const IfStmt *S) override {
        const Stmt *Then = S->getThen();
        if (const auto *C = dyn_cast<CompoundStmt>(Then); C && C->size() == 1)
          Then = C->body_front();
        if (isa<ReturnStmt, ContinueStmt>(Then) && !S->getElse())
          add(S->getCond());
        return true;
      }
      void add(const Expr *Cond) {
        const auto *B = Cond ? dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts()) : nullptr;
        if (B && B->getOpcode() == BO_LOr) {
          add(B->getLHS());
          add(B->getRHS());
        } else if (B && B->getOpcode() == BO_GT) {
          Found.push_back(B);
        }
      }
    } V;
    V.TraverseStmt(K->getBody());
    const ASTContext &AST = K->getASTContext();
    for (const BinaryOperator *Test : V.Found) {
      const VarDecl *Index = namedVariable(Test->getLHS());
      const Expr *Size = Test->getRHS()->IgnoreParenImpCasts();
      if (!Index || !Index->getType()->isIntegerType() || !isa<DeclRefExpr, MemberExpr>(Size))
        continue;
      auto RowEnd = [&](const Expr *E) {
        const auto *Sum = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
        if (!Sum || Sum->getOpcode() != BO_Add)
          return false;
        for (auto [Row, Column] : {std::pair{Sum->getLHS(), Sum->getRHS()}, std::pair{Sum->getRHS(), Sum->getLHS()}}) {
          const auto *M = dyn_cast<BinaryOperator>(Row->IgnoreParenCasts());
          if (M && M->getOpcode() == BO_Mul && namedVariable(Column->IgnoreParenCasts()) == Index &&
              (sameBehindCasts(M->getLHS(), Size, AST) || sameBehindCasts(M->getRHS(), Size, AST)))
            return true;
        }
        return false;
      };
      auto CountsFromOne = [&](const Expr *E) { // `b * len + pos - 1`
        const auto *Less = dyn_cast<BinaryOperator>(E);
        return Less && Less->getOpcode() == BO_Sub && RowEnd(Less->getLHS());
      };
      const Expr *At = findExpr(K->getBody(), RowEnd);
      if (!At || findExpr(K->getBody(), CountsFromOne) || !R.once(K->getCanonicalDecl(), "one past"))
        continue;
      std::string Text = R.Ctx.TU.text(Size->getSourceRange());
      R.Ctx.report("guard_off_by_one", Test->getOperatorLoc(),
                   "'" + Index->getName().str() + "' may be '" + Text + "' here, and rows are '" + Text + "' apart: that element is the next row's, or behind the last")
          .kernel(K)
          .note(At->getExprLoc(), "the index is here");
    }
  }

  /// `row = x + b * len`: does V point to a row of that pitch?
  bool areApart(const VarDecl *V, const ParmVarDecl *Pitch) const {
    const Expr *Value = V && V->isLocalVarDecl() ? Writes.onlyValue(V) : nullptr;
    const auto *Sum = Value ? dyn_cast<BinaryOperator>(Value->IgnoreParenCasts()) : nullptr;
    const auto *M = Sum && Sum->getOpcode() == BO_Add ? dyn_cast<BinaryOperator>(Sum->getRHS()->IgnoreParenCasts()) : nullptr;
    return M && M->getOpcode() == BO_Mul && (namedVariable(M->getLHS()->IgnoreParenCasts()) == Pitch || namedVariable(M->getRHS()->IgnoreParenCasts()) == Pitch);
  }

  IndexReporter &R;
  const VariableWrites &Writes;
};

} // namespace

void kcheck::checkRowForms(IndexReporter &R) { RowCheck(R).run(); }
