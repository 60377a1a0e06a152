// One output a thread, summed straight from global memory: see Contraction.h.
#include "actions/contraction/Words.h"
#include "actions/engine/Instances.h"
#include "actions/engine/Launches.h"
#include "actions/engine/Loops.h"

using namespace clang;
using namespace kcheck;

namespace {

enum Dependence : unsigned { OnRow = 1, OnColumn = 2, OnStep = 4, OnSum = 8, OnThread = 16, OnOther = 32 };

class NaiveFinder {
public:
  NaiveFinder(ActionContext &Ctx, const KernelView &K, std::string &WhyNot) : Ctx(Ctx), K(K), WhyNot(WhyNot), Writes(Ctx.get<VariableWrites>()) {}

  std::optional<Contraction> run() {
    bool Any = false;
    forEachLoop(K.body(), [&](const ForStmt *, unsigned) { Any = true; });
    if (!Any)
      return no("the kernel has no sum over a loop");
    std::vector<const Stmt *> All(K.body()->body_begin(), K.body()->body_end());
    if (!statements(All))
      return std::nullopt;
    if (!Loop)
      return no("the kernel has no sum over a loop");
    if (!RowVar || !ColumnVar)
      return no("a thread's output is not given by a row (blockIdx.y * blockDim.y + threadIdx.y) and a column (the same in x)");
    if (!sum() || !epilogue())
      return std::nullopt;
    names();
    return std::move(C);
  }

private:
  std::nullopt_t no(const std::string &Why) {
    if (WhyNot.empty())
      WhyNot = Why;
    return std::nullopt;
  }
  bool fail(const std::string &Why) {
    no(Why);
    return false;
  }
  std::string at(const Stmt *S) const { return "line " + std::to_string(Ctx.TU.where(S->getBeginLoc()).Line); }

  /// What S depends on, through local variables too.
  unsigned dependence(const Stmt *S) const {
    unsigned D = 0;
    forEachStmt(S, [&](const Stmt *X) {
      if (const auto *E = dyn_cast<Expr>(X))
        if (auto B = builtinUse(E)) {
          if (!(B->Which == IndexVar::BlockIdx && B->Axis == 2) && !(B->Which == IndexVar::GridDim && B->Axis == 2) && B->Which != IndexVar::WarpSize)
            D |= OnThread;
          return;
        }
      const auto *R = dyn_cast<DeclRefExpr>(X);
      const auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
      if (!V || isa<ParmVarDecl>(V))
        return;
      if (auto It = Known.find(V); It != Known.end())
        D |= It->second;
      else if (!V->isConstexpr() && !V->getType().isConstQualified() && V->hasGlobalStorage())
        D |= isConstantVariable(V) ? 0u : unsigned(OnOther);
      else if (V->isLocalVarDecl())
        D |= OnOther;
    });
    return D;
  }

  /// Every launch of the kernel has blocks of N threads along the axis.
  bool blocksAre(unsigned Axis, std::optional<int64_t> N) const {
    return N && !K.Launches.empty() && llvm::all_of(K.Launches, [&](const LaunchSite &L) {
      const Expr *Extent = L.Syntax.Block ? extentExprs(Ctx, L.Syntax.Block)[Axis] : nullptr;
      return Extent && Ctx.constant(Extent) == N;
    });
  }

  /// The axis of `blockIdx.a * blockDim.a + threadIdx.a`; a constant may stand for blockDim.a.
  std::optional<unsigned> globalIndex(const Expr *E) const {
    E = E->IgnoreParenCasts();
    const auto *Sum = dyn_cast<BinaryOperator>(E);
    if (!Sum || Sum->getOpcode() != BO_Add)
      return std::nullopt;
    for (auto [Product, Thread] : {std::pair{Sum->getLHS(), Sum->getRHS()}, std::pair{Sum->getRHS(), Sum->getLHS()}}) {
      auto T = builtinUse(Thread->IgnoreParenCasts());
      const auto *P = dyn_cast<BinaryOperator>(Product->IgnoreParenCasts());
      if (!T || T->Which != IndexVar::ThreadIdx || !P || P->getOpcode() != BO_Mul)
        continue;
      auto A = builtinUse(P->getLHS()->IgnoreParenCasts()), B = builtinUse(P->getRHS()->IgnoreParenCasts());
      if (A && B && A->Axis == T->Axis && B->Axis == T->Axis &&
          ((A->Which == IndexVar::BlockIdx && B->Which == IndexVar::BlockDim) || (B->Which == IndexVar::BlockIdx && A->Which == IndexVar::BlockDim)))
        return T->Axis;
      const auto &Block = A ? A : B;
      if (bool(A) != bool(B) && Block->Which == IndexVar::BlockIdx && Block->Axis == T->Axis && blocksAre(T->Axis, Ctx.constant(A ? P->getRHS() : P->getLHS())))
        return T->Axis;
    }
    return std::nullopt;
  }

  bool statements(llvm::ArrayRef<const Stmt *> All) {
    for (size_t I = 0; I < All.size(); ++I) {
      const Stmt *S = All[I];
      if (!Ctx.editable(SourceRange(S->getBeginLoc(), S->getEndLoc())) && !isa<NullStmt>(S))
        return fail(at(S) + " comes from a macro");
      if (const auto *A = dyn_cast<AttributedStmt>(S)) // an unroll pragma
        S = A->getSubStmt();
      if (isa<NullStmt>(S))
        continue;
      if (const auto *D = dyn_cast<DeclStmt>(S)) {
        if (!declarations(D))
          return false;
        continue;
      }
      if (const auto *F = dyn_cast<ForStmt>(S)) {
        Loop = F;
        Rest.assign(All.begin() + I + 1, All.end());
        return true;
      }
      const auto *If = dyn_cast<IfStmt>(S);
      if (!If || If->getElse() || If->getInit() || If->getConditionVariable())
        return fail(at(S) + ": a statement other than a declaration or a check stands in front of the sum");
      const Stmt *Then = If->getThen();
      const auto *Block = dyn_cast<CompoundStmt>(Then);
      const Stmt *Only = Block && Block->size() == 1 ? Block->body_front() : Then;
      if (const auto *R = dyn_cast<ReturnStmt>(Only); R && !R->getRetValue()) {
        if (!check(If->getCond(), true))
          return false;
        continue;
      }
      if (I + 1 != All.size() || !check(If->getCond(), false))
        return fail(at(S) + ": the sum stands under a branch that is not the kernel's last statement");
      return Block ? statements(std::vector<const Stmt *>(Block->body_begin(), Block->body_end())) : statements({Then});
    }
    return true;
  }

  bool declarations(const DeclStmt *D) {
    for (const Decl *X : D->decls()) {
      const auto *V = dyn_cast<VarDecl>(X);
      if (!V || isSharedVariable(V) || (V->isStaticLocal() && !V->isConstexpr()))
        return fail(at(D) + ": " + (V && isSharedVariable(V) ? "the kernel uses shared memory already" : "a declaration that is no plain variable"));
      Declared.push_back({V, D});
      if (!V->getInit()) {
        Known[V] = OnSum; // only the sum may start without a value
        continue;
      }
      if (!Ctx.isPure(V->getInit(), true))
        return fail("the value of " + V->getNameAsString() + " has side effects");
      bool Written = Writes.of(V).size() != 1 || Writes.addressTaken(V);
      if (auto Axis = globalIndex(V->getInit()); Axis && V->getType()->isIntegerType() && !Written && *Axis < 2) {
        const VarDecl *&To = *Axis == 1 ? RowVar : ColumnVar;
        if (To)
          return fail("two variables hold the same thread index");
        To = V;
        Known[V] = *Axis == 1 ? OnRow : OnColumn;
        OutputIndex &I = *Axis == 1 ? C.Row : C.Column;
        I.Type = typeText(Ctx, V->getType());
        I.Name = V->getNameAsString();
        continue;
      }
      unsigned Of = dependence(V->getInit());
      if (Written) {
        Known[V] = OnSum | Of; // must turn out to be the sum
        continue;
      }
      if (Of & OnThread)
        return fail(V->getNameAsString() + " uses thread or block indices other than for a row or a column");
      Known[V] = Of;
      std::string Text = declarationText(Ctx, D, V);
      if (!(Of & (OnRow | OnColumn)))
        C.Preamble.push_back(Text);
      Order.push_back({V, Text, Of});
    }
    return true;
  }

  /// Takes in the parts of a condition; Leaves: the thread returns where it holds.
  bool check(const Expr *Cond, bool Leaves) {
    std::vector<const Expr *> Atoms;
    if (Leaves)
      alternatives(Cond, Atoms);
    else
      conjuncts(Cond, Atoms);
    for (const Expr *A : Atoms) {
      if (!Ctx.isPure(A) || !Ctx.editable(A->getSourceRange()))
        return fail("the check '" + Ctx.text(A->getSourceRange()) + "' reads memory or comes from a macro");
      unsigned Of = dependence(A);
      std::string Text = Leaves ? Ctx.negated(A) : Ctx.text(A->getSourceRange());
      if (!Leaves && isa<BinaryOperator>(A->IgnoreParenImpCasts()) && cast<BinaryOperator>(A->IgnoreParenImpCasts())->getOpcode() == BO_LOr)
        Text = "(" + Text + ")";
      if (Of == 0) {
        C.Preamble.push_back("if (" + (Leaves ? Ctx.text(A->getSourceRange()) : Ctx.negated(A)) + ")\nreturn;");
        continue;
      }
      const VarDecl *V = Of == OnRow ? RowVar : Of == OnColumn ? ColumnVar : nullptr;
      bool Plain = V != nullptr;
      for (const ValueDecl *N : namedIn(A))
        if (auto It = Known.find(dyn_cast<VarDecl>(N)); It != Known.end() && N != V && It->second != 0)
          Plain = false;
      if (!Plain)
        return fail("the check '" + Ctx.text(A->getSourceRange()) + "' is not of the row or the column alone");
      addGuard(Ctx, Of == OnRow ? C.Row : C.Column, V, A, Text, Leaves);
    }
    return true;
  }

  static void alternatives(const Expr *E, std::vector<const Expr *> &Out) {
    E = E->IgnoreParenImpCasts();
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_LOr) {
      alternatives(B->getLHS(), Out);
      alternatives(B->getRHS(), Out);
      return;
    }
    Out.push_back(E);
  }

  bool sum() {
    CountedLoop L = countedLoop(Ctx, Loop);
    if (!L.Variable)
      return fail(L.WhyNot);
    if (L.Inclusive || (L.Step && Ctx.constant(L.Step) != 1))
      return fail("the loop over " + L.Variable->getNameAsString() + " does not count up to its bound by ones");
    if (dependence(L.Low) || dependence(L.High) || !Ctx.isPure(L.Low) || !Ctx.isPure(L.High))
      return fail("the bounds of the loop over " + L.Variable->getNameAsString() + " differ between threads");
    Step = L.Variable;
    Known[Step] = OnStep;
    C.StepType = typeText(Ctx, Step->getType());
    C.StepName = Step->getNameAsString();
    C.Low = Ctx.text(L.Low->getSourceRange());
    C.High = Ctx.text(L.High->getSourceRange());
    if (isa<BinaryOperator>(L.High->IgnoreImpCasts()))
      C.High = "(" + C.High + ")";
    std::vector<const Stmt *> Body{Loop->getBody()};
    if (const auto *B = dyn_cast<CompoundStmt>(Loop->getBody()))
      Body.assign(B->body_begin(), B->body_end());
    if (Body.empty())
      return fail("the loop does nothing");
    for (size_t I = 0; I + 1 < Body.size(); ++I) {
      const auto *D = dyn_cast<DeclStmt>(Body[I]);
      const auto *V = D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
      if (!V || !V->getInit() || Writes.of(V).size() != 1 || Writes.addressTaken(V))
        return fail(at(Body[I]) + ": the loop does more than add up one sum");
      if (!term(Body[I], V->getInit()))
        return false;
      Zero[V] = zeroAtZero(V->getInit());
      Known[V] = 0; // its loads are holes
    }
    return accumulate(Body.back());
  }

  bool accumulate(const Stmt *S) {
    const auto *E = dyn_cast<Expr>(S);
    const auto *B = E ? dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts()) : nullptr;
    if (E && isa<ExprWithCleanups>(E))
      B = dyn_cast<BinaryOperator>(cast<ExprWithCleanups>(E)->getSubExpr()->IgnoreParenImpCasts());
    const auto *V = B && B->isAssignmentOp() ? dyn_cast_or_null<VarDecl>(referredTo(B->getLHS())) : nullptr;
    if (!V || !V->isLocalVarDecl())
      return fail(at(S) + ": the loop does not add to a local variable");
    bool Adds = false;
    const Expr *Value = B->getRHS()->IgnoreParenImpCasts();
    if (B->getOpcode() == BO_AddAssign) {
      Adds = zeroAtZero(B->getRHS());
    } else if (B->getOpcode() == BO_Assign) {
      if (const auto *P = dyn_cast<BinaryOperator>(Value); P && P->getOpcode() == BO_Add)
        Adds = (refersTo(P->getLHS(), V) && zeroAtZero(P->getRHS())) || (refersTo(P->getRHS(), V) && zeroAtZero(P->getLHS()));
      else if (const auto *Call = dyn_cast<CallExpr>(Value); Call && Call->getNumArgs() == 3 && isFma(Call))
        Adds = refersTo(Call->getArg(2), V) && (zeroAtZero(Call->getArg(0)) || zeroAtZero(Call->getArg(1)));
    }
    if (!Adds)
      return fail(at(S) + ": what is added per step is not zero for loads of zero, so tiles cannot be filled up");
    SumVar = V;
    if (!V->getType()->isArithmeticType())
      return fail("the sum is of type " + typeText(Ctx, V->getType()));
    // Written by the declaration and by this statement, and in front of the loop by nothing else.
    for (const VariableWrite &W : Writes.of(V))
      if (W.At && Ctx.SM.isBeforeInTranslationUnit(W.At->getBeginLoc(), Loop->getBeginLoc()))
        return fail(V->getNameAsString() + " is changed between its declaration and the loop");
    C.SumType = typeText(Ctx, V->getType());
    C.SumName = V->getNameAsString();
    if (!V->getInit())
      return fail(V->getNameAsString() + " has no value in front of the loop");
    auto Init = V->getInit()->IgnoreParenImpCasts();
    bool ZeroInit = false;
    if (const auto *F = dyn_cast<FloatingLiteral>(Init))
      ZeroInit = F->getValue().isZero();
    else if (auto N = Ctx.constant(Init))
      ZeroInit = *N == 0;
    if (!ZeroInit) {
      C.SumInit = asWords(V->getInit());
      if (!Ctx.isPure(V->getInit(), true) || (dependence(V->getInit()) & (OnThread | OnStep | OnOther)))
        return fail("the first value of " + C.SumName + " cannot be moved");
    }
    Known.erase(V);
    return term(S, E);
  }

  std::string asWords(const Expr *E) const {
    std::string T = Ctx.text(E->getSourceRange());
    return isa<BinaryOperator, ConditionalOperator>(E->IgnoreImpCasts()) ? "(" + T + ")" : T;
  }

  static bool isFma(const CallExpr *C) {
    std::string N = calleeName(C);
    return N == "fmaf" || N == "fma" || N == "__fmaf_rn" || N == "__fma_rn";
  }

  /// Turns the loads of one statement into holes.
  bool term(const Stmt *S, const Expr *Root) {
    std::vector<Edit> Holes;
    if (!holes(Root, Holes))
      return false;
    C.Body.push_back(Ctx.text(Ctx.bytes(S), Holes) + (isa<Expr>(S) ? ";" : ""));
    return true;
  }

  bool holes(const Stmt *S, std::vector<Edit> &Out) {
    if (const auto *E = dyn_cast<Expr>(S)) {
      if (auto L = loadOf(Ctx, E))
        return load(*L, Out);
      if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
        if (D->getDecl() == SumVar) {
          Out.push_back(Ctx.replace(D->getSourceRange(), std::string(1, SumHole)));
          return true;
        }
        if (unsigned Of = dependence(D); Of)
          return fail("the sum uses " + D->getDecl()->getNameAsString() + " other than to load");
      } else if (auto B = builtinUse(E); B && B->Which != IndexVar::WarpSize) {
        return fail("the sum uses a thread or block index other than to load");
      } else if (const auto *Call = dyn_cast<CallExpr>(E); Call && !pureCall(Call)) {
        return fail("the sum calls " + calleeName(Call));
      } else if (isa<ArraySubscriptExpr>(E) || (isa<UnaryOperator>(E) && (cast<UnaryOperator>(E)->getOpcode() == UO_Deref || cast<UnaryOperator>(E)->isIncrementDecrementOp()))) {
        return fail("the sum changes or reads something that is not a plain load");
      }
      if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAssignmentOp() && referredTo(B->getLHS()) != SumVar)
        return fail("the loop changes more than the sum");
    }
    for (const Stmt *Child : S->children())
      if (Child && !holes(Child, Out))
        return false;
    return true;
  }

  bool pureCall(const CallExpr *Call) const { return Ctx.isPure(Call, true) || zeroKeeping(Call) || isFma(Call); }

  static bool zeroKeeping(const CallExpr *C) {
    static const char *Names[] = {"fabsf", "fabs", "abs", "sqrtf", "sqrt", "__half2float", "__bfloat162float", "tanhf", "sinf", "__fmul_rn", "fmaxf", "fminf"};
    return llvm::is_contained(Names, calleeName(C));
  }

  bool load(const LoadParts &L, std::vector<Edit> &Out) {
    const Expr *E = L.Whole;
    std::string Text = Ctx.text(E->getSourceRange());
    if (!Ctx.editable(E->getSourceRange()))
      return fail("the load '" + Text + "' comes from a macro");
    const auto *Base = dyn_cast_or_null<VarDecl>(L.Base);
    if (!Base || !Base->getType()->isPointerType() || L.Type.isVolatileQualified())
      return fail("'" + Text + "' is no load through a pointer");
    const Expr *Pointer = L.Pointer, *Index = L.Index;
    if (!Ctx.isPure(Pointer) || (Index && !Ctx.isPure(Index)))
      return fail("the place of '" + Text + "' is read from memory");
    unsigned Of = dependence(E);
    if (Of & (OnThread | OnOther | OnSum))
      return fail("the place of '" + Text + "' rests on more than the row, the column and the counter");
    if (!(Of & OnStep))
      return fail("'" + Text + "' does not change in the loop: hoist it first");
    if ((Of & (OnRow | OnColumn)) == (OnRow | OnColumn))
      return fail("'" + Text + "' is read by one output only: there is no reuse");
    if (!(Of & (OnRow | OnColumn)))
      return fail("'" + Text + "' is the same for all outputs");
    for (size_t I = 0; I < C.Operands.size(); ++I)
      if (C.Operands[I].Load == Text) {
        Out.push_back(Ctx.replace(E->getSourceRange(), operandHole(I)));
        return true;
      }
    TileOperand O;
    O.Type = typeText(Ctx, L.Type);
    O.OfRow = Of & OnRow;
    O.Load = Text;
    O.Address = L.Address;
    O.Bytes = unsigned(Ctx.AST.getTypeSizeInChars(L.Type).getQuantity());
    O.Copyable = isCopyable(Ctx, L.Type);
    if (!L.Type->isArithmeticType() && !L.Type->isRecordType())
      return fail("'" + Text + "' is of type " + O.Type);
    // declarations that its words name, and those that they name
    llvm::DenseSet<const ValueDecl *> Named = namedIn(E);
    for (auto It = Order.rbegin(); It != Order.rend(); ++It)
      if (Named.count(It->V) && (It->Of & (OnRow | OnColumn))) {
        O.Needs.insert(O.Needs.begin(), It->Text);
        for (const ValueDecl *D : namedIn(It->V->getInit()))
          Named.insert(D);
      }
    const VarDecl *Output = O.OfRow ? RowVar : ColumnVar;
    const Expr *Where = Index ? Index : Pointer;
    bool Direct = !namedIn(Pointer).count(Step) || Pointer == Where;
    O.AlongSum = Direct && coefficient(Ctx, Where, Step) == 1;
    O.AlongOutput = !O.AlongSum && Direct && O.Needs.empty() && coefficient(Ctx, Where, Output) == 1;
    O.Pad = O.AlongOutput ? 0 : 1;
    // through `in = x + row * k` the buffer is x
    const Expr *From = Base->isLocalVarDecl() ? Writes.onlyValue(Base) : nullptr;
    const VarDecl *Buffer = Base;
    if (From)
      for (const ValueDecl *D : namedIn(From))
        if (const auto *P = dyn_cast<ParmVarDecl>(D); P && P->getType()->isPointerType())
          Buffer = P;
    O.Base = Buffer->getNameAsString();
    for (const TileOperand &Other : C.Operands)
      if (Other.Base == O.Base)
        O.Base += std::to_string(C.Operands.size() + 1);
    Out.push_back(Ctx.replace(E->getSourceRange(), operandHole(C.Operands.size())));
    C.Operands.push_back(std::move(O));
    return true;
  }

  /// Is E zero when every load in it is?
  bool zeroAtZero(const Expr *E) const {
    E = E->IgnoreParens();
    if (loadOf(Ctx, E))
      return true;
    E = E->IgnoreParenCasts();
    if (loadOf(Ctx, E))
      return true;
    if (const auto *B = dyn_cast<BinaryOperator>(E)) {
      if (B->getOpcode() == BO_Mul)
        return zeroAtZero(B->getLHS()) || zeroAtZero(B->getRHS());
      if (B->isAdditiveOp())
        return zeroAtZero(B->getLHS()) && zeroAtZero(B->getRHS());
      return false;
    }
    if (const auto *U = dyn_cast<UnaryOperator>(E))
      return (U->getOpcode() == UO_Minus || U->getOpcode() == UO_Plus) && zeroAtZero(U->getSubExpr());
    if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      auto It = Zero.find(dyn_cast<VarDecl>(D->getDecl()));
      return It != Zero.end() && It->second;
    }
    if (const auto *Call = dyn_cast<CallExpr>(E)) {
      if (isFma(Call))
        return (zeroAtZero(Call->getArg(0)) || zeroAtZero(Call->getArg(1))) && zeroAtZero(Call->getArg(2));
      if (zeroKeeping(Call))
        return llvm::all_of(Call->arguments(), [&](const Expr *A) { return zeroAtZero(A); });
      return false;
    }
    if (const auto *F = dyn_cast<FloatingLiteral>(E))
      return F->getValue().isZero();
    auto N = Ctx.constant(E);
    return N && *N == 0;
  }

  bool epilogue() {
    for (auto &[V, D] : Declared)
      if (V != SumVar)
        if (auto It = Known.find(V); It != Known.end() && (It->second & OnSum))
          return fail(V->getNameAsString() + " is changed, but is not the sum");
    if (C.Operands.size() < 2)
      return fail("the sum reads one buffer only: a tile would be read once");
    bool Rows = false, Columns = false;
    for (const TileOperand &O : C.Operands)
      (O.OfRow ? Rows : Columns) = true;
    if (!Rows || !Columns)
      return fail("no load is shared between the rows, or none between the columns");
    for (const Entry &E : Order)
      if (E.Of & (OnRow | OnColumn))
        C.PerOutput.push_back(E.Text);
    if (Rest.empty())
      return fail("nothing is done with the sum");
    for (const Stmt *S : Rest) {
      bool Bad = false;
      std::string Why;
      forEachStmt(S, [&](const Stmt *X) {
        if (isa<ReturnStmt>(X) || isa<GotoStmt>(X) || isa<AsmStmt>(X)) {
          Bad = true;
          Why = "returns";
        }
        if (const auto *E = dyn_cast<Expr>(X))
          if (auto B = builtinUse(E); B && !(B->Which == IndexVar::BlockIdx && B->Axis == 2)) {
            Bad = true;
            Why = "uses thread or block indices";
          }
        if (const auto *Call = dyn_cast<CallExpr>(X)) {
          CallKind Kind = callKind(Call);
          if (Kind != CallKind::Other && Kind != CallKind::Atomic && Kind != CallKind::Fence) {
            Bad = true;
            Why = "calls " + calleeName(Call);
          }
        }
        if (const auto *D = dyn_cast<DeclStmt>(X))
          for (const Decl *V : D->decls())
            if (const auto *Var = dyn_cast<VarDecl>(V); Var && isSharedVariable(Var)) {
              Bad = true;
              Why = "uses shared memory";
            }
      });
      if (Bad)
        return fail(at(S) + ": what follows the sum " + Why);
      if (!Ctx.editable(SourceRange(S->getBeginLoc(), S->getBeginLoc())))
        return fail(at(S) + " comes from a macro");
      C.Epilogue.push_back(statementText(S));
    }
    return true;
  }

  std::string statementText(const Stmt *S) const {
    std::string T = Ctx.text(S);
    if (isa<Expr>(S))
      T += ";";
    return T;
  }

  /// Our names must not meet the kernel's.
  void names() {
    auto Free = [&](const std::string &Suffix) {
      auto Ok = [&](const std::string &N) { return Ctx.isFree(K.Decl, N); };
      for (StringRef N : tileNames())
        if (!Ok((N + Suffix).str()))
          return false;
      for (const TileOperand &O : C.Operands)
        if (!Ok(O.Base + "Tile" + Suffix) || !Ok(O.Base + "Part" + Suffix) || !Ok(O.Base + "Next" + Suffix))
          return false;
      return Ok(C.SumName + "Tile" + Suffix);
    };
    for (unsigned I = 2; !Free(C.Suffix); ++I)
      C.Suffix = std::to_string(I);
  }

  struct Entry {
    const VarDecl *V;
    std::string Text;
    unsigned Of;
  };

  ActionContext &Ctx;
  const KernelView &K;
  std::string &WhyNot;
  VariableWrites &Writes;
  Contraction C;
  const VarDecl *RowVar = nullptr, *ColumnVar = nullptr, *SumVar = nullptr, *Step = nullptr;
  const ForStmt *Loop = nullptr;
  std::vector<const Stmt *> Rest;
  std::vector<std::pair<const VarDecl *, const DeclStmt *>> Declared;
  std::vector<Entry> Order;
  llvm::DenseMap<const VarDecl *, unsigned> Known;
  llvm::DenseMap<const VarDecl *, bool> Zero;
};

} // namespace

std::optional<Contraction> kcheck::recogniseNaive(ActionContext &Ctx, const KernelView &K, std::string &WhyNot) {
  if (!K.body())
    return std::nullopt;
  WhyNot = whyNotOneInstance(K);
  if (!WhyNot.empty())
    return std::nullopt;
  return NaiveFinder(Ctx, K, WhyNot).run();
}
