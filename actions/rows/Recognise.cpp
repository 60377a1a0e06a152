// Reads the passes of a kernel: see RowKernel.h.
#include "actions/contraction/Words.h"
#include "actions/engine/Instances.h"
#include "actions/engine/Launches.h"
#include "actions/engine/Loops.h"
#include "actions/engine/MapKernel.h"
#include "actions/engine/Tokens.h"
#include "actions/rows/Online.h"
#include "actions/rows/RowKernel.h"
#include "matchers/VariableWrites.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using namespace kcheck;

int64_t kcheck::threadsOfBlock(ActionContext &Ctx, const KernelView &K) {
  int64_t All = 0;
  for (const LaunchSite &L : K.Launches) {
    auto E = extentExprs(Ctx, L.Syntax.Block);
    auto Value = [&](const Expr *X) -> std::optional<int64_t> {
      if (auto N = Ctx.constant(X))
        return N;
      const Expr *R = Ctx.get<VariableWrites>().resolve(X);
      return R ? Ctx.constant(R) : std::nullopt;
    };
    auto N = E[0] ? Value(E[0]) : std::nullopt;
    for (unsigned A = 1; A < 3; ++A)
      if (E[A] && Value(E[A]) != 1)
        return 0;
    if (!N || *N <= 0 || (All && All != *N))
      return 0;
    All = *N;
  }
  return K.OtherUse ? 0 : All;
}

unsigned RowKernel::stagedBytes() const {
  unsigned Bytes_ = 0;
  for (const RowBuffer &B : Buffers)
    Bytes_ += staged(B) ? B.Bytes : 0;
  return Bytes_;
}

unsigned RowKernel::fullWidth() const {
  for (const RowBuffer &B : Buffers)
    if (!B.Vector.empty() && B.Bytes == 8)
      return 2;
  return 4;
}

namespace {

class RowReader {
public:
  RowReader(ActionContext &Ctx, const KernelView &K) : Ctx(Ctx), K(K), Writes(Ctx.get<VariableWrites>()) { R.Kernel = &K; }

  /// The blocks that hold passes, in order.
  std::vector<const CompoundStmt *> scopes() {
    std::vector<const CompoundStmt *> Out;
    forEachStmt(K.body(), [&](const Stmt *S) {
      const auto *C = dyn_cast<CompoundStmt>(S);
      if (C && llvm::any_of(C->body(), [&](const Stmt *X) { const auto *F = dyn_cast<ForStmt>(inner(X)); return F && isPass(F); }))
        Out.push_back(C);
    });
    return Out;
  }

  /// Reads the passes of Scope; the reason why they cannot be taken, else empty.
  std::string read(const CompoundStmt *Scope) {
    for (const Stmt *S : Scope->body())
      if (const auto *F = dyn_cast<ForStmt>(inner(S)); F && isPass(F)) {
        RowPass P;
        P.Loop = F;
        CountedLoop L = countedLoop(Ctx, F);
        P.Counter = L.Variable;
        P.Bytes = Ctx.bytes(F);
        if (isa<Expr>(F->getBody()))
          P.Bytes.second = behindSemicolon(P.Bytes.second);
        if (auto Pragma = unrollPragmaBefore(Ctx, P.Bytes.first))
          P.Bytes.first = Pragma->first;
        P.Body = inside(F->getBody());
        if (R.Passes.empty()) {
          R.Start = Ctx.text(L.Low->getSourceRange());
          R.Step = Ctx.text(L.Step->getSourceRange());
          R.High = Ctx.text(L.High->getSourceRange());
          R.Global = globalIndexAxis(resolved(L.Low)).has_value();
          FirstPass = L;
        } else if (!sameWords(Ctx, L.High, FirstPass.High)) {
          return "the passes are of different lengths";
        } else if (globalIndexAxis(resolved(L.Low)).has_value() != R.Global) {
          return "the passes share their work in different ways";
        }
        R.Passes.push_back(std::move(P));
      }
    const Stmt *Last = Scope->body_back();
    R.Region = {R.Passes.front().Bytes.first, isa<Expr>(Last) ? behindSemicolon(Ctx.bytes(Last).second) : Ctx.bytes(Last).second};
    R.Region.second = std::max(R.Region.second, R.Passes.back().Bytes.second);
    R.Whole = R.Region;
    if (!Ctx.editable(SourceRange(Scope->getBeginLoc(), Scope->getEndLoc())))
      return "the passes come from a macro";
    if (std::string Why = blockShared(Scope); !Why.empty())
      return Why;
    if (!uniform(FirstPass.High))
      return "the row's length is not plainly the same for all threads of a block";
    for (RowPass &P : R.Passes)
      if (std::string Why = pass(P); !Why.empty())
        return "line " + std::to_string(Ctx.TU.where(P.Loop->getForLoc()).Line) + ": " + Why;
    judgeBuffers();
    judgeWide(Scope);
    return {};
  }

  RowKernel R;

private:
  static const Stmt *inner(const Stmt *S) {
    const auto *A = dyn_cast<AttributedStmt>(S);
    return A ? A->getSubStmt() : S;
  }
  const Expr *resolved(const Expr *E) const {
    const Expr *X = Writes.resolve(E);
    return X ? X->IgnoreParenCasts() : E;
  }
  unsigned behindSemicolon(unsigned End) const { return unsigned(std::min(Ctx.Text.find(';', End > 0 ? End - 1 : 0), Ctx.Text.size() - 1) + 1); }

  std::pair<unsigned, unsigned> inside(const Stmt *Body) const {
    if (const auto *C = dyn_cast<CompoundStmt>(Body))
      return {Ctx.endOffset(C->getLBracLoc()), Ctx.offset(C->getRBracLoc())};
    auto B = Ctx.bytes(Body);
    if (isa<Expr>(Body))
      B.second = behindSemicolon(B.second);
    return B;
  }

  bool isBuiltin(const Expr *E, IndexVar Which) const {
    auto B = builtinUse(E->IgnoreParenCasts());
    return B && B->Which == Which && B->Axis == 0;
  }

  /// From the thread's place on, by all threads at a time.
  bool isPass(const ForStmt *F) {
    CountedLoop L = countedLoop(Ctx, F);
    if (!L.Variable || !L.Step || L.Inclusive || !Ctx.isPure(L.High))
      return false;
    const Expr *Low = resolved(L.Low), *Step = resolved(L.Step);
    if (isBuiltin(Low, IndexVar::ThreadIdx)) {
      if (isBuiltin(Step, IndexVar::BlockDim))
        return true;
      auto N = Ctx.constant(Step);
      if (!N)
        N = Ctx.constant(L.Step);
      return N && *N == threadsOfBlock(Ctx, K);
    }
    const auto *B = dyn_cast<BinaryOperator>(Step);
    return globalIndexAxis(Low) == 0u && B && B->getOpcode() == BO_Mul &&
           ((isBuiltin(B->getLHS(), IndexVar::BlockDim) && isBuiltin(B->getRHS(), IndexVar::GridDim)) ||
            (isBuiltin(B->getLHS(), IndexVar::GridDim) && isBuiltin(B->getRHS(), IndexVar::BlockDim)));
  }

  /// The same value in all threads of a block, and throughout the region.
  bool uniform(const Expr *E) {
    bool Yes = Ctx.isPure(E);
    forEachStmt(E, [&](const Stmt *S) {
      if (const auto *X = dyn_cast<Expr>(S); X && Yes)
        if (auto B = builtinUse(X); B && B->Which == IndexVar::ThreadIdx)
          Yes = false;
      if (const auto *D = dyn_cast<DeclRefExpr>(S); D && Yes)
        if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
          Yes = uniform(V);
    });
    return Yes;
  }
  bool uniform(const VarDecl *V) {
    auto [It, New] = Known.try_emplace(V, true); // while it is looked at, it holds what others give it
    if (!New)
      return It->second;
    bool Yes = !Writes.addressTaken(V);
    auto All = Writes.of(V);
    if (isa<ParmVarDecl>(V))
      Yes &= llvm::all_of(All, [&](const VariableWrite &W) { return setInFront(W); });
    else if (!V->isLocalVarDecl())
      Yes &= V->isConstexpr() || V->getType().isConstQualified();
    else if (All.size() != 1 || All[0].How != VariableWrite::Init)
      Yes &= countsAround(V) ? llvm::all_of(All, [&](const VariableWrite &W) { return !W.Value || uniform(W.Value); })
                             : llvm::all_of(All, [&](const VariableWrite &W) { return W.How == VariableWrite::Init ? W.Value && uniform(W.Value) : setInFront(W); });
    else
      Yes &= All[0].Value && uniform(All[0].Value);
    return Known[V] = Yes;
  }
  /// `x += blockIdx.x * cols;` in front of the passes, by whoever comes to them.
  bool setInFront(const VariableWrite &W) {
    bool Yes = false;
    forEachStmt(K.body(), [&](const Stmt *S) {
      const auto *Around = dyn_cast<CompoundStmt>(S);
      if (!Around || !W.At || !Ctx.SM.isPointWithin(R.Passes.front().Loop->getForLoc(), Around->getBeginLoc(), Around->getEndLoc()))
        return;
      for (const Stmt *X : Around->body())
        if (const auto *E = dyn_cast<Expr>(X))
          Yes |= E->IgnoreParenImpCasts() == W.At && Ctx.offset(E->getEndLoc()) < R.Region.first;
    });
    return Yes && W.Value && uniform(W.Value);
  }
  /// The counter of a loop around the passes.
  bool countsAround(const VarDecl *V) {
    bool Yes = false;
    forEachLoop(K.body(), [&](const ForStmt *F, unsigned) {
      CountedLoop L = countedLoop(Ctx, F);
      Yes |= L.Variable == V && F != R.Passes.front().Loop && Ctx.SM.isPointWithin(R.Passes.front().Loop->getForLoc(), F->getBeginLoc(), F->getEndLoc()) && uniform(L.High);
    });
    return Yes;
  }
  bool inRegion(SourceLocation L) const {
    unsigned At = Ctx.offset(L);
    return At >= R.Region.first && At < R.Region.second;
  }

  /// What cannot stand twice: the reason, or nothing where it can move in front of the passes.
  std::string blockShared(const CompoundStmt *Scope) {
    std::string Why;
    llvm::StringSet<> Declared; // in the region
    forEachStmt(Scope, [&](const Stmt *S) {
      if (!inRegion(S->getBeginLoc()))
        return;
      if (isa<LabelStmt, GotoStmt, AsmStmt>(S))
        Why = "a label or assembly stands between the passes";
      const auto *D = dyn_cast<DeclStmt>(S);
      if (!D)
        return;
      bool Shared = llvm::any_of(D->decls(), [](const Decl *X) { const auto *V = dyn_cast<VarDecl>(X); return V && (isSharedVariable(V) || V->isStaticLocal()); });
      if (!Shared) {
        for (const Decl *X : D->decls())
          if (const auto *N = dyn_cast<NamedDecl>(X))
            Declared.insert(N->getNameAsString());
        return;
      }
      bool Plain = llvm::is_contained(Scope->body(), S) && llvm::all_of(D->decls(), [](const Decl *X) { const auto *V = dyn_cast<VarDecl>(X); return V && isSharedVariable(V) && !V->getInit(); });
      if (Plain)
        R.Shared.push_back(D);
      else
        Why = "shared memory is declared between the passes";
    });
    for (const DeclStmt *D : R.Shared)
      for (const Word &W : wordsOf(Ctx.text(static_cast<const Stmt *>(D)), Ctx.LO))
        if (W.Identifier && Declared.contains(W.Text))
          Why = "shared memory is declared between the passes by what is declared there";
    return Why;
  }

  std::string pass(RowPass &P) {
    std::string Why;
    forEachStmt(P.Loop->getBody(), [&](const Stmt *S) {
      if (isa<ReturnStmt, BreakStmt, ContinueStmt, SwitchStmt, LambdaExpr>(S))
        Why = "the loop leaves early, or switches";
      if (const auto *C = dyn_cast<CallExpr>(S)) {
        CallKind Kind = callKind(C);
        if (Kind != CallKind::Other && Kind != CallKind::Atomic && Kind != CallKind::Printf)
          Why = "threads meet in the loop (" + calleeName(C) + ")";
        const FunctionDecl *D = C->getDirectCallee() ? C->getDirectCallee()->getDefinition() : nullptr;
        if (D && Ctx.SM.isInMainFile(Ctx.SM.getExpansionLoc(D->getLocation())))
          forEachStmt(D->getBody(), [&](const Stmt *Y) {
            if (const auto *Call = dyn_cast<CallExpr>(Y); Call && callKind(Call) != CallKind::Other && callKind(Call) != CallKind::Atomic)
              Why = "threads meet in " + D->getNameAsString();
          });
      }
    });
    if (Why.empty())
      places(P, P.Loop->getBody(), nullptr, false);
    for (const RowPlace &X : P.Places) // what is read under a condition is there where it is touched anyway
      if (X.Maybe && R.Buffers[X.Buffer].WhyNot.empty() && (X.Written || llvm::none_of(P.Places, [&](const RowPlace &Y) { return Y.Buffer == X.Buffer && !Y.Maybe; })))
        R.Buffers[X.Buffer].WhyNot = "not every step touches " + R.Buffers[X.Buffer].Base->getNameAsString() + "[" + P.Counter->getNameAsString() + "]";
    llvm::DenseSet<const DeclRefExpr *> Inside;
    for (const RowPlace &X : P.Places)
      forEachStmt(X.Whole, [&](const Stmt *S) {
        if (const auto *D = dyn_cast<DeclRefExpr>(S))
          Inside.insert(D), Fine.insert(D);
      });
    forEachStmt(P.Loop->getBody(), [&](const Stmt *S) {
      if (const auto *D = dyn_cast<DeclRefExpr>(S); D && D->getDecl() == P.Counter && !Inside.count(D))
        P.Counts.push_back(D);
    });
    for (const DeclRefExpr *D : P.Counts)
      if (!Ctx.editable(D->getSourceRange()))
        Why = "the loop's body comes from a macro";
    return Why;
  }

  /// Finds p[c] below S. Maybe: not every step comes by.
  void places(RowPass &P, const Stmt *S, const Stmt *Parent, bool Maybe) {
    if (!S)
      return;
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(S))
      if (place(P, A, A, Parent, Maybe))
        return;
    if (const auto *C = dyn_cast<CallExpr>(S); C && calleeName(C) == "__ldg" && C->getNumArgs() == 1)
      if (const auto *U = dyn_cast<UnaryOperator>(C->getArg(0)->IgnoreParenImpCasts()); U && U->getOpcode() == UO_AddrOf)
        if (const auto *A = dyn_cast<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens()); A && place(P, A, C, nullptr, Maybe))
          return;
    if (const auto *Pseudo = dyn_cast<PseudoObjectExpr>(S); Pseudo && builtinUse(Pseudo))
      return;
    const auto *B = dyn_cast<BinaryOperator>(S);
    for (const Stmt *Child : S->children()) {
      bool Below = Maybe || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
      if (const auto *I = dyn_cast<IfStmt>(S))
        Below |= Child == I->getThen() || Child == I->getElse();
      if (const auto *C = dyn_cast<ConditionalOperator>(S))
        Below |= Child == C->getTrueExpr() || Child == C->getFalseExpr();
      if (B && B->isLogicalOp())
        Below |= Child == B->getRHS();
      places(P, Child, isa<ParenExpr>(S) ? Parent : S, Below);
    }
  }

  bool place(RowPass &P, const ArraySubscriptExpr *A, const Expr *Whole, const Stmt *Parent, bool Maybe) {
    const VarDecl *V = namedVariable(A->getBase());
    if (!V || !V->getType()->isPointerType() || coefficient(Ctx, A->getIdx(), P.Counter) != 1)
      return false;
    const DeclRefExpr *Count = nullptr;
    unsigned Counts = 0;
    forEachStmt(A->getIdx(), [&](const Stmt *S) {
      if (const auto *X = dyn_cast<DeclRefExpr>(S); X && X->getDecl() == P.Counter)
        Count = X, ++Counts;
    });
    if (Counts != 1 || !Ctx.editable(A->getSourceRange()) || !Ctx.editable(Whole->getSourceRange()))
      return false;
    RowPlace X;
    X.Whole = Whole;
    std::string First = Ctx.text({Ctx.offset(A->getBeginLoc()), Ctx.endOffset(A->getEndLoc())}, {Ctx.replace(Count->getSourceRange(), "0")});
    X.Buffer = buffer(V, A, First, Count);
    RowBuffer &B = R.Buffers[X.Buffer];
    const auto *Assign = dyn_cast_or_null<BinaryOperator>(Parent);
    const auto *Unary = dyn_cast_or_null<UnaryOperator>(Parent);
    const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Parent);
    if (Whole != A || (Cast && Cast->getCastKind() == CK_LValueToRValue)) {
      X.Read = true;
    } else if (Assign && Assign->isAssignmentOp() && Assign->getLHS()->IgnoreParens() == A) {
      X.Written = true;
      X.Read = Assign->isCompoundAssignmentOp();
    } else if (Unary && Unary->isIncrementDecrementOp()) {
      X.Written = X.Read = true;
    } else if (A->getType().isConstQualified() && !(Unary && Unary->getOpcode() == UO_AddrOf)) {
      X.Read = true;
    } else {
      X.Written = X.Read = true;
      B.WhyNot = B.Base->getNameAsString() + "[" + P.Counter->getNameAsString() + "] is used other than by reading and assigning";
    }
    X.Maybe = Maybe;
    if (!B.Passes || (B.Passes == 1 && LastPass[X.Buffer] == &P)) // the places of `x[i] = f(x[i])` begin with the store
      B.ReadFirst |= X.Read;
    B.Stored |= X.Written;
    if (LastPass[X.Buffer] != &P)
      ++B.Passes, LastPass[X.Buffer] = &P;
    P.Places.push_back(X);
    return true;
  }

  size_t buffer(const VarDecl *V, const ArraySubscriptExpr *A, const std::string &First, const DeclRefExpr *Count) {
    std::string Key;
    for (const Word &W : wordsOf(First, Ctx.LO))
      Key += W.Text + " ";
    for (size_t I = 0; I < R.Buffers.size(); ++I)
      if (R.Buffers[I].Key == Key && R.Buffers[I].Base == V)
        return I;
    RowBuffer B;
    B.Base = V;
    B.First = First;
    B.Key = Key;
    B.Name = V->getNameAsString();
    for (unsigned N = 2; llvm::any_of(R.Buffers, [&](const RowBuffer &O) { return O.Name == B.Name; }); ++N)
      B.Name = V->getNameAsString() + std::to_string(N);
    QualType T = V->getType()->getPointeeType();
    B.Type = typeText(Ctx, T);
    B.Bytes = T->isDependentType() ? 0 : unsigned(Ctx.AST.getTypeSizeInChars(T).getQuantity());
    static const std::map<std::string, std::string> Vectors{{"float", "float"}, {"int", "int"}, {"unsigned int", "uint"}, {"unsigned", "uint"}, {"double", "double"}, {"long long", "longlong"},
                                                            {"__half", ""}, {"half", ""}, {"__nv_bfloat16", ""}};
    auto It = Vectors.find(typeText(Ctx, T.getCanonicalType()));
    if (It != Vectors.end())
      B.Vector = It->second.empty() ? "uint2" : It->second + (B.Bytes == 8 ? "2" : "4");
    bool Same = uniform(V), Early = Ctx.offset(V->getLocation()) < R.Region.first;
    forEachStmt(A->getIdx(), [&](const Stmt *S) {
      if (const auto *X = dyn_cast<Expr>(S))
        if (auto Index = builtinUse(X); Index && Index->Which == IndexVar::ThreadIdx)
          Same = false;
      if (const auto *D = dyn_cast<DeclRefExpr>(S); D && D != Count)
        if (const auto *X = dyn_cast<VarDecl>(D->getDecl())) {
          Same &= uniform(X);
          Early &= !X->isLocalVarDecl() || Ctx.offset(X->getLocation()) < R.Region.first;
        }
    });
    if (!Ctx.isPure(A->getIdx()) || !Same)
      B.WhyNot = "the row in " + B.Base->getNameAsString() + " is not plainly the same for all threads of a block";
    else if (!Early)
      B.WhyNot = "the row in " + B.Base->getNameAsString() + " is found between the passes";
    else if (T.isVolatileQualified() || T->isDependentType() || !T.isTriviallyCopyableType(Ctx.AST))
      B.WhyNot = "elements of type " + B.Type + " cannot be copied freely";
    R.Buffers.push_back(std::move(B));
    LastPass.push_back(nullptr);
    return R.Buffers.size() - 1;
  }

  bool restricted(const RowBuffer &B) {
    const auto *P = dyn_cast_or_null<VarDecl>(memoryOf(Ctx, B.Base->getInit() && !isa<ParmVarDecl>(B.Base) ? B.Base->getInit() : nullptr));
    return B.Base->getType().isRestrictQualified() || (P && P->getType().isRestrictQualified());
  }
  const ValueDecl *memory(const RowBuffer &B) {
    const Expr *Value = isa<ParmVarDecl>(B.Base) ? nullptr : Writes.onlyValue(B.Base);
    return Value ? memoryOf(Ctx, Value) : B.Base;
  }

  void judgeBuffers() {
    // a base that is also used elsewhere in the region
    for (size_t I = 0; I < R.Buffers.size(); ++I) {
      RowBuffer &B = R.Buffers[I];
      bool Elsewhere = false, StoredToo = B.Stored, Other = false;
      forEachStmt(K.body(), [&](const Stmt *S) {
        const auto *D = dyn_cast<DeclRefExpr>(S);
        if (D && D->getDecl() == B.Base && inRegion(D->getBeginLoc()) && !Fine.count(D))
          Elsewhere = true;
      });
      for (size_t J = 0; J < R.Buffers.size(); ++J)
        if (J != I && (!memory(B) || memory(B) == memory(R.Buffers[J]))) {
          Other = true;
          StoredToo |= R.Buffers[J].Stored;
        }
      if ((Elsewhere || Other) && StoredToo && B.WhyNot.empty())
        B.WhyNot = "elements of " + B.Base->getNameAsString() + " are also reached at other places";
      if (storedElsewhere(B) && B.WhyNot.empty())
        B.WhyNot = "the memory of " + B.Base->getNameAsString() + " may also be written in other ways between the passes: apply qualify first";
    }
    // In a call in place, a store to another buffer changes what is read later.
    for (size_t I = 0; I < R.Buffers.size(); ++I)
      for (size_t J = 0; J < R.Buffers.size(); ++J) {
        RowBuffer &B = R.Buffers[I], &O = R.Buffers[J];
        if (I == J || !O.Stored || O.Type != B.Type || restricted(B) || restricted(O))
          continue;
        unsigned Stored = UINT_MAX;
        for (const RowPass &P : R.Passes)
          for (const RowPlace &X : P.Places)
            if (X.Buffer == J && X.Written)
              Stored = std::min(Stored, Ctx.offset(X.Whole->getBeginLoc()));
        for (const RowPass &P : R.Passes)
          for (const RowPlace &X : P.Places)
            // the right side of an assignment is read before its left side is written
            if (X.Buffer == I && X.Read && Ctx.offset(X.Whole->getBeginLoc()) > Stored && !sameStatement(P, J, X) && B.WhyNot.empty())
              B.WhyNot = B.Base->getNameAsString() + " is read after a store to " + O.Base->getNameAsString() + ", which could be the same memory: apply qualify first";
      }
  }
  /// Is X on the right side of every assignment to buffer J in front of it?
  bool sameStatement(const RowPass &P, size_t J, const RowPlace &X) {
    bool All = true;
    for (const RowPass &Q : R.Passes)
      for (const RowPlace &S : Q.Places) {
        if (S.Buffer != J || !S.Written || Ctx.offset(S.Whole->getBeginLoc()) > Ctx.offset(X.Whole->getBeginLoc()))
          continue;
        bool Same = false;
        forEachStmt(Q.Loop->getBody(), [&](const Stmt *Y) {
          const auto *B = dyn_cast<BinaryOperator>(Y);
          Same |= B && B->isAssignmentOp() && B->getLHS()->IgnoreParens() == S.Whole && Ctx.SM.isPointWithin(X.Whole->getBeginLoc(), B->getRHS()->getBeginLoc(), B->getRHS()->getEndLoc());
        });
        All &= Same && &Q == &P;
      }
    return All;
  }
  /// A store in the region, other than at places, to the memory of B.
  bool storedElsewhere(const RowBuffer &B) {
    bool Yes = false;
    forEachStmt(K.body(), [&](const Stmt *S) {
      const Expr *To = nullptr;
      if (const auto *A = dyn_cast<BinaryOperator>(S); A && A->isAssignmentOp())
        To = A->getLHS()->IgnoreParens();
      if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
        To = U->getSubExpr()->IgnoreParens();
      if (const auto *C = dyn_cast<CallExpr>(S); C && callKind(C) == CallKind::Atomic && C->getNumArgs())
        To = C->getArg(0);
      if (!To || !inRegion(S->getBeginLoc()) || (!isa<ArraySubscriptExpr>(To) && !isa<UnaryOperator>(To) && !isa<CallExpr>(S)))
        return;
      for (const RowPass &P : R.Passes)
        for (const RowPlace &X : P.Places)
          if (X.Whole == To)
            return;
      const ValueDecl *M = memoryOf(Ctx, To);
      const auto *Array = dyn_cast_or_null<VarDecl>(M);
      Yes |= !M || M == memory(B) || (M != memory(B) && !(Array && isSharedVariable(Array)) && !(Array && Array->getType()->isArrayType()) && Ctx.AST.hasSameUnqualifiedType(To->getType(), B.Base->getType()->getPointeeType()) &&
                                      !restricted(B) && !(Array && Array->getType().isRestrictQualified()) && between(To));
    });
    return Yes;
  }
  /// In front of the last pass: what it stores could be read later.
  bool between(const Expr *To) const { return Ctx.offset(To->getBeginLoc()) < R.Passes.back().Bytes.first; }

  //--- May elements change threads? ---------------------------------------------------

  void judgeWide(const CompoundStmt *Scope) {
    for (const RowPass &P : R.Passes) {
      R.WhyNotWide = wide(P, Scope);
      if (!R.WhyNotWide.empty()) {
        R.WhyNotWide = "line " + std::to_string(Ctx.TU.where(P.Loop->getForLoc()).Line) + ": " + R.WhyNotWide;
        return;
      }
    }
    for (const RowBuffer &B : R.Buffers)
      if (B.Stored && !B.WhyNot.empty()) {
        R.WhyNotWide = B.WhyNot;
        return;
      }
  }

  std::string wide(const RowPass &P, const CompoundStmt *Scope) {
    std::string Why;
    llvm::DenseSet<const VarDecl *> Inside;
    llvm::DenseSet<const Stmt *> Steps;
    forEachStmt(P.Loop->getBody(), [&](const Stmt *S) {
      if (const auto *D = dyn_cast<DeclStmt>(S))
        for (const Decl *X : D->decls())
          if (const auto *V = dyn_cast<VarDecl>(X))
            Inside.insert(V);
      if (const auto *X = dyn_cast<Expr>(S))
        if (auto B = builtinUse(X); B && (B->Which == IndexVar::ThreadIdx))
          Why = "the loop's body uses threadIdx";
      if (const auto *D = dyn_cast<DeclRefExpr>(S))
        if (const auto *V = dyn_cast<VarDecl>(D->getDecl()); V && isSharedVariable(V))
          Why = "the loop uses shared memory";
    });
    if (!Why.empty())
      return Why;
    if (auto Pair = onlineSum(Ctx, P.Loop)) { // the largest value is brought together right behind the loop
      std::vector<const Stmt *> Three;
      for (const Stmt *S : Scope->body())
        if (Ctx.offset(S->getBeginLoc()) >= P.Bytes.second && Three.size() < 3)
          Three.push_back(S);
      if (!isMeeting(Ctx, *Pair, Three))
        return "the threads do not bring their largest values together behind the loop";
      Accumulation Sum;
      Sum.V = Pair->SumVariable;
      return sink(Ctx.bytes(Three.back()).second, Sum, Scope);
    }
    std::vector<Accumulation> Sums;
    forEachStmt(P.Loop->getBody(), [&](const Stmt *S) {
      if (!Why.empty() || Steps.count(S))
        return;
      if (auto A = accumulation(Ctx, S); A && !Inside.count(A->V) && !isa<CompoundStmt>(S)) {
        forEachStmt(S, [&](const Stmt *X) { Steps.insert(X); });
        for (const Accumulation &O : Sums)
          if (O.V == A->V && O.R != A->R)
            Why = A->V->getNameAsString() + " is changed in two ways";
        Sums.push_back(*A);
        return;
      }
      const Expr *To = nullptr;
      if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
        To = B->getLHS()->IgnoreParens();
      if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
        To = U->getSubExpr()->IgnoreParens();
      if (const auto *C = dyn_cast<CallExpr>(S); C && callKind(C) == CallKind::Atomic)
        Why = "the loop holds atomics";
      if (!To)
        return;
      if (llvm::any_of(P.Places, [&](const RowPlace &X) { return X.Whole == To; }))
        return;
      const auto *V = dyn_cast_or_null<VarDecl>(referredTo(To));
      if (!V || !V->isLocalVarDecl())
        Why = "the loop stores elsewhere than at its own place";
      else if (!Inside.count(V))
        Why = V->getNameAsString() + " is carried from step to step other than as a sum, a largest or a smallest value";
    });
    for (const Accumulation &A : Sums) {
      if (!Why.empty())
        break;
      unsigned Mentions = 0, Own = 0;
      forEachStmt(P.Loop->getBody(), [&](const Stmt *S) {
        const auto *D = dyn_cast<DeclRefExpr>(S);
        Mentions += D && D->getDecl() == A.V;
        Own += D && D->getDecl() == A.V && Steps.count(S);
      });
      Why = Mentions != Own ? "the running value of " + A.V->getNameAsString() + " is used in the loop" : sink(P.Bytes.second, A, Scope);
    }
    return Why;
  }

  /// Where the value goes: only what all threads have together may be seen.
  std::string sink(unsigned From, const Accumulation &A, const CompoundStmt *Scope) {
    std::string Name = A.V->getNameAsString();
    std::vector<const DeclRefExpr *> After;
    forEachStmt(Scope, [&](const Stmt *S) {
      const auto *D = dyn_cast<DeclRefExpr>(S);
      if (D && D->getDecl() == A.V && Ctx.offset(D->getBeginLoc()) >= From)
        After.push_back(D);
    });
    llvm::sort(After, [&](auto *X, auto *Y) { return Ctx.offset(X->getBeginLoc()) < Ctx.offset(Y->getBeginLoc()); });
    if (After.empty())
      return {};
    // the first statement that names it must bring the threads together
    const Stmt *First = nullptr;
    for (const Stmt *S : Scope->body())
      if (Ctx.SM.isPointWithin(After[0]->getBeginLoc(), S->getBeginLoc(), S->getEndLoc()))
        First = S;
    auto Atomic = [&](const DeclRefExpr *D) {
      bool Yes = false;
      forEachStmt(Scope, [&](const Stmt *S) {
        const auto *C = dyn_cast<CallExpr>(S);
        Yes |= C && callKind(C) == CallKind::Atomic && calleeName(C) == (A.R == Reduction::Sum ? "atomicAdd" : A.R == Reduction::Max ? "atomicMax" : "atomicMin") && C->getNumArgs() == 2 &&
               C->getArg(1)->IgnoreParenImpCasts() == D;
      });
      return Yes;
    };
    bool Met = false, Replaced = false;
    llvm::DenseSet<const DeclRefExpr *> Known;
    if (First)
      forEachStmt(First, [&](const Stmt *S) {
        const auto *C = dyn_cast<CallExpr>(S);
        if (C && C->getNumArgs() == 1 && isBlockReducer(Ctx, C->getDirectCallee(), A.R) && refersTo(C->getArg(0), A.V)) {
          Met = true;
          Known.insert(cast<DeclRefExpr>(C->getArg(0)->IgnoreParenCasts()));
        }
        if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->getOpcode() == BO_Assign && refersTo(B->getLHS(), A.V)) {
          Replaced = true;
          Known.insert(cast<DeclRefExpr>(B->getLHS()->IgnoreParenCasts()));
        }
      });
    for (const DeclRefExpr *D : After) {
      bool Here = First && Ctx.SM.isPointWithin(D->getBeginLoc(), First->getBeginLoc(), First->getEndLoc());
      if (Known.count(D) || Atomic(D))
        continue;
      if (!Met || Here || !Replaced)
        return "a thread's own " + Name + " is used before the block adds up (" + reducerName(A.R).str() + ")";
      if (R.Global)
        return "a block's own " + Name + " is used other than in an atomic";
    }
    return {};
  }

  ActionContext &Ctx;
  const KernelView &K;
  const VariableWrites &Writes;
  CountedLoop FirstPass;
  llvm::DenseMap<const VarDecl *, bool> Known;
  llvm::DenseSet<const DeclRefExpr *> Fine; ///< mentions within places
  std::vector<const RowPass *> LastPass;
};

bool sameText(const ActionContext &Ctx, StringRef A, StringRef B) {
  return llvm::equal(wordsOf(A, Ctx.LO), wordsOf(B, Ctx.LO), [](const Word &X, const Word &Y) { return X.Text == Y.Text; });
}

/// The if around Scope, where Scope is the way of old behind its else, and nothing follows.
const IfStmt *aroundElse(const KernelView &K, const CompoundStmt *Scope) {
  const IfStmt *Found = nullptr;
  forEachStmt(K.body(), [&](const Stmt *S) {
    const auto *C = dyn_cast<CompoundStmt>(S);
    const auto *I = C && !C->body_empty() ? dyn_cast<IfStmt>(C->body_back()) : nullptr;
    if (I && I->getElse() == Scope)
      Found = I;
  });
  return Found;
}

} // namespace

std::optional<RowKernel> kcheck::recogniseRows(ActionContext &Ctx, const KernelView &K, std::string &WhyNot) {
  WhyNot = whyNotOneInstance(K);
  if (!K.body() || !WhyNot.empty()) {
    if (WhyNot.empty())
      WhyNot = "the kernel has no plain body";
    return std::nullopt;
  }
  std::vector<const CompoundStmt *> Scopes = RowReader(Ctx, K).scopes();
  if (Scopes.empty()) {
    WhyNot = "no loop of the kernel strides over a row from threadIdx.x on by the size of the block";
    return std::nullopt;
  }
  for (const CompoundStmt *Scope : Scopes)
    if (const IfStmt *I = aroundElse(K, Scope)) {
      RowReader Reader(Ctx, K);
      if (!Reader.read(Scope).empty())
        continue;
      RowKernel R = std::move(Reader.R);
      R.Whole = Ctx.bytes(I);
      std::string Text = Ctx.Text.slice(R.Whole.first, R.Whole.second).str();
      for (unsigned Width : {1u, R.fullWidth()})
        for (unsigned Items : {0u, 1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u})
          for (unsigned Shared : {0u, 1024u, 2048u, 4096u, 8192u}) {
            RowShape S{Width, Items, Shared};
            if (S.plain() || (Items && Shared))
              continue;
            if (sameText(Ctx, emitRows(Ctx, R, S), Text)) {
              R.Shape = S;
              return R;
            }
          }
    }
  if (Scopes.size() > 1) {
    WhyNot = "rows are walked in several branches";
    return std::nullopt;
  }
  RowReader Reader(Ctx, K);
  WhyNot = Reader.read(Scopes[0]);
  if (!WhyNot.empty())
    return std::nullopt;
  return std::move(Reader.R);
}

std::string kcheck::takenName(const ActionContext &Ctx, const RowKernel &R) {
  auto Begin = Ctx.offset(R.Kernel->Decl->getBeginLoc()), End = Ctx.endOffset(R.Kernel->Decl->getEndLoc());
  std::string Own = Ctx.Text.slice(Begin, R.Whole.first).str() + Ctx.Text.slice(R.Region.first, R.Region.second).str() + Ctx.Text.slice(R.Whole.second, End).str();
  std::vector<std::string> Names{"item", "part"};
  for (const RowBuffer &B : R.Buffers)
    for (const char *N : {"Row", "Quad", "Part"})
      Names.push_back(B.Name + N);
  for (const Word &W : wordsOf(Own, Ctx.LO))
    if (W.Identifier && llvm::is_contained(Names, W.Text))
      return W.Text;
  for (const std::string &N : Names)
    if (Ctx.TU.PP.getMacroInfo(Ctx.TU.PP.getIdentifierInfo(N)))
      return N;
  return {};
}
