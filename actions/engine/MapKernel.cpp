#include "actions/engine/MapKernel.h"
#include "actions/engine/Launches.h"

using namespace clang;
using namespace kcheck;

std::optional<unsigned> kcheck::globalIndexAxis(const Expr *E) {
  const auto *Sum = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
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
  }
  return std::nullopt;
}

std::string MapKernel::type(const ActionContext &Ctx) const {
  PrintingPolicy P(Ctx.LO);
  return Index->getType().getUnqualifiedType().getAsString(P);
}
std::string MapKernel::start(const ActionContext &Ctx) const { return Ctx.text(Index->getInit()->getSourceRange()); }
std::string MapKernel::bound(const ActionContext &Ctx) const {
  std::string T = Ctx.text(Bound->getSourceRange());
  const auto *B = dyn_cast<BinaryOperator>(Bound->IgnoreImpCasts());
  bool BindsTighter = B && (B->isMultiplicativeOp() || B->isAdditiveOp() || B->isShiftOp()); // than the comparison
  return isa<AbstractConditionalOperator>(Bound->IgnoreImpCasts()) || (B && !BindsTighter) ? "(" + T + ")" : T;
}

std::string MapKernel::work(const ActionContext &Ctx, const std::vector<Edit> &Inner) const {
  std::string Out;
  for (const Stmt *S : Between)
    Out += Ctx.text(Ctx.bytes(S), Inner) + "\n";
  if (Work.empty())
    return Out;
  // One stretch of text: comments between the statements stay.
  auto First = Ctx.bytes(Work.front()), Last = Ctx.bytes(Work.back());
  unsigned End = isa<Expr>(Work.back()) ? Ctx.offset(Work.back()->getEndLoc()) : Last.second;
  if (isa<Expr>(Work.back()))
    End = unsigned(std::min(Ctx.Text.find(';', Last.second), Ctx.Text.size() - 1) + 1);
  unsigned Start = First.first;
  if (isa<CompoundStmt>(Work.front()) && Work.size() == 1) { // without its braces
    const auto *B = cast<CompoundStmt>(Work.front());
    Start = Ctx.endOffset(B->getLBracLoc());
    End = Ctx.offset(B->getRBracLoc());
  }
  return Out + StringRef(Ctx.text(std::pair{Start, End}, Inner)).trim().str() + "\n";
}

static void judgeWork(ActionContext &Ctx, const Stmt *S, MapKernel &M) {
  forEachStmt(S, [&](const Stmt *X) {
    std::string &Why = M.WhyNot;
    if (!Why.empty())
      return;
    if (isa<ReturnStmt, GotoStmt, LabelStmt, AsmStmt>(X))
      Why = "the work returns, jumps or holds assembly";
    else if (const auto *E = dyn_cast<Expr>(X); E && builtinUse(E) && builtinUse(E)->Which != IndexVar::WarpSize)
      Why = "the work uses thread or block indices besides " + M.Index->getNameAsString();
    else if (const auto *C = dyn_cast<CallExpr>(X)) {
      CallKind K = callKind(C);
      if (K != CallKind::Other && K != CallKind::Atomic && K != CallKind::Fence && K != CallKind::Printf)
        Why = "threads meet in the work (" + calleeName(C) + ")";
      // a function of the file may do any of this
      if (const FunctionDecl *F = C->getDirectCallee(); F && K == CallKind::Other)
        if (const FunctionDecl *D = F->getDefinition(); D && Ctx.SM.isInMainFile(Ctx.SM.getExpansionLoc(D->getLocation())))
          forEachStmt(D->getBody(), [&](const Stmt *Y) {
            if (const auto *E = dyn_cast<Expr>(Y); E && builtinUse(E) && builtinUse(E)->Which != IndexVar::WarpSize)
              Why = "the work calls " + D->getNameAsString() + ", which uses thread or block indices";
            if (const auto *Call = dyn_cast<CallExpr>(Y); Call && callKind(Call) != CallKind::Other && callKind(Call) != CallKind::Atomic)
              Why = "threads meet in " + D->getNameAsString();
          });
    } else if (const auto *D = dyn_cast<DeclStmt>(X)) {
      for (const Decl *Y : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(Y); V && (isSharedVariable(V) || V->isStaticLocal()))
          Why = "the kernel uses shared memory";
    } else if (const auto *D = dyn_cast<DeclRefExpr>(X)) {
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()); V && isSharedVariable(V))
        Why = "the kernel uses shared memory";
    }
  });
}

MapKernel kcheck::mapKernel(ActionContext &Ctx, const KernelView &K) {
  MapKernel M;
  auto No = [&](const std::string &Why) {
    M.Index = nullptr;
    M.WhyNot = Why;
    return M;
  };
  if (!K.body())
    return No("the kernel has no plain body");
  std::vector<const Stmt *> All(K.body()->body_begin(), K.body()->body_end());
  std::erase_if(All, [](const Stmt *S) { return isa<NullStmt>(S); });
  if (!All.empty() && isa<ReturnStmt>(All.back())) // a kernel ends there anyway
    All.pop_back();
  size_t I = 0;
  for (; I < All.size() && !M.Index; ++I) {
    const auto *D = dyn_cast<DeclStmt>(All[I]);
    if (!D)
      break;
    for (const Decl *X : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(X)) {
        if (isSharedVariable(V))
          return No("the kernel uses shared memory");
        if (V->getInit() && V->getType()->isIntegerType() && globalIndexAxis(V->getInit()) == 0u) {
          if (!D->isSingleDecl())
            return No("the index is declared together with other variables");
          M.Index = V;
          M.IndexDecl = D;
        }
      }
  }
  if (!M.Index)
    return No("no variable holds blockIdx.x * blockDim.x + threadIdx.x alone at the kernel's start");
  auto &Writes = Ctx.get<VariableWrites>();
  if (Writes.of(M.Index).size() != 1 || Writes.addressTaken(M.Index))
    return No("the index " + M.Index->getNameAsString() + " is changed");
  for (; I < All.size() && isa<DeclStmt>(All[I]); ++I)
    M.Between.push_back(All[I]);
  const auto *If = I < All.size() ? dyn_cast<IfStmt>(All[I]) : nullptr;
  if (!If || If->getElse() || If->getInit() || If->getConditionVariable())
    return No("no check of " + M.Index->getNameAsString() + " against a bound follows");
  const auto *B = dyn_cast<BinaryOperator>(If->getCond()->IgnoreParenImpCasts());
  const Stmt *Then = If->getThen();
  const auto *Block = dyn_cast<CompoundStmt>(Then);
  const Stmt *Only = Block && Block->size() == 1 ? Block->body_front() : Then;
  bool Leaves = isa<ReturnStmt>(Only);
  const Expr *Left = B ? B->getLHS() : nullptr, *Right = B ? B->getRHS() : nullptr;
  auto Op = B ? B->getOpcode() : BO_Comma;
  if (B && refersTo(Right, M.Index)) {
    std::swap(Left, Right);
    Op = BinaryOperator::isComparisonOp(Op) ? BinaryOperator::reverseComparisonOp(Op) : Op;
  }
  if (!B || !refersTo(Left, M.Index) || Op != (Leaves ? BO_GE : BO_LT))
    return No("the check '" + Ctx.text(If->getCond()->getSourceRange()) + "' is not of " + M.Index->getNameAsString() + " against a bound alone");
  M.Bound = Right;
  M.Check = If;
  for (const ValueDecl *D : namedIn(Right))
    if (const auto *V = dyn_cast<VarDecl>(D); V && !isa<ParmVarDecl>(V) && V->isLocalVarDecl())
      for (const Stmt *S : M.Between)
        if (const auto *DS = dyn_cast<DeclStmt>(S); DS && llvm::is_contained(DS->decls(), V))
          return No("the bound rests on a variable declared behind the index");
  if (!Ctx.isPure(Right))
    return No("the bound is read from memory");
  if (Leaves)
    M.Work.assign(All.begin() + I + 1, All.end());
  else if (I + 1 != All.size())
    return No("more follows the checked work");
  else
    M.Work.push_back(Then);
  if (M.Work.empty())
    return No("there is no work");
  std::vector<const Stmt *> Judged = M.Between;
  Judged.insert(Judged.end(), M.Work.begin(), M.Work.end());
  for (const Stmt *S : Judged) {
    judgeWork(Ctx, S, M);
    if (!M.WhyNot.empty())
      return No(M.WhyNot);
  }
  for (const Stmt *S : M.Between)
    for (const Decl *D : cast<DeclStmt>(S)->decls())
      if (const auto *V = dyn_cast<VarDecl>(D); V && V->getInit() && !Ctx.isPure(V->getInit()))
        return No("memory is read in front of the check");
  if (!Ctx.editable(K.body()->getSourceRange()) || !Ctx.editable(M.IndexDecl->getSourceRange()) || !Ctx.editable(If->getSourceRange()))
    return No("the kernel comes from a macro");
  M.Bytes = {Ctx.bytes(M.IndexDecl).first, Ctx.offset(K.body()->getRBracLoc())};
  M.Bytes.second = M.Bytes.first + unsigned(Ctx.Text.slice(M.Bytes.first, M.Bytes.second).rtrim().size());
  return M;
}

std::optional<std::pair<std::string, int64_t>> kcheck::ceilForm(const ActionContext &Ctx, const Expr *E) {
  const auto *Div = E ? dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts()) : nullptr;
  if (!Div || Div->getOpcode() != BO_Div || !isa<IntegerLiteral>(Div->getRHS()->IgnoreParenImpCasts()))
    return std::nullopt;
  int64_t By = *Ctx.constant(Div->getRHS());
  const auto *Sum = dyn_cast<BinaryOperator>(Div->getLHS()->IgnoreParenImpCasts());
  if (!Sum || Sum->getOpcode() != BO_Add || !isa<IntegerLiteral>(Sum->getRHS()->IgnoreParenImpCasts()) || Ctx.constant(Sum->getRHS()) != By - 1)
    return std::nullopt;
  return std::pair{Ctx.text(Sum->getLHS()->getSourceRange()), By};
}

std::string kcheck::coarserGrid(const ActionContext &Ctx, const LaunchSite &L, int64_t Times) {
  if (auto F = ceilForm(Ctx, extentExprs(Ctx, L.Syntax.Grid)[0]))
    return ceilDivide(F->first, F->second * Times);
  return ceilDivide(extentsOf(Ctx, L.Syntax.Grid)[0], Times);
}
