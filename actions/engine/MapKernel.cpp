#include "actions/engine/MapKernel.h"
#include "actions/engine/AlongX.h"
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
  // as written, where that says it: another instantiation of a template may mean another type by it
  if (const TypeSourceInfo *T = Index->getTypeSourceInfo(); T && !Index->getType()->getContainedAutoType() && Ctx.editable(T->getTypeLoc().getSourceRange()))
    return Ctx.text(T->getTypeLoc().getSourceRange());
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
std::string MapKernel::span(const ActionContext &Ctx) const { return Span ? asOperand(Ctx.text(Span->getSourceRange())) : "blockDim.x"; }
bool MapKernel::wideType(const ActionContext &Ctx) const { return Ctx.AST.getTypeSize(Index->getType()) > 32; }

/// "a || b" of conditions that stand in one check.
static std::string joined(const ActionContext &Ctx, llvm::ArrayRef<const Expr *> Conditions, bool Or, const std::vector<Edit> &Inner = {}) {
  std::string Out;
  for (const Expr *E : Conditions) {
    std::string T = Ctx.text(Ctx.bytes(E), Inner);
    Out += (Out.empty() ? "" : Or ? " || " : " && ") + (Conditions.size() > 1 && !isa<BinaryOperator>(E) ? asOperand(T) : T);
  }
  return Out;
}

/// The comment lines right above S, none from before From, not indented: the formatter lines them up with S.
static std::string remarks(const ActionContext &Ctx, const Stmt *S, unsigned From) {
  size_t Line = Ctx.Text.rfind('\n', Ctx.bytes(S).first) + 1; // npos + 1 is the first byte
  if (!Ctx.Text.slice(Line, Ctx.bytes(S).first).trim().empty())
    return {};
  std::string Out;
  while (Line > From + 1) {
    size_t Above = Ctx.Text.rfind('\n', Line - 1) + 1;
    StringRef Words = Ctx.Text.slice(Above, Line).trim();
    if (Above < From || !Words.starts_with("//"))
      break;
    Out = Words.str() + "\n" + Out;
    Line = Above;
  }
  return Out;
}

/// S on lines of its own, with the comments above it and behind it.
static std::string lines(const ActionContext &Ctx, const Stmt *S, unsigned From, const std::vector<Edit> &Inner) {
  auto Bytes = Ctx.bytes(S);
  StringRef Rest = Ctx.Text.substr(Bytes.second).take_until([](char C) { return C == '\n'; }).trim();
  return remarks(Ctx, S, From) + Ctx.text(Bytes, Inner) + (Rest.starts_with("//") ? " " + Rest.str() : "") + "\n";
}

std::string MapKernel::front(const ActionContext &Ctx) const {
  std::string Out;
  for (const Stmt *S : Front)
    Out += lines(Ctx, S, Bytes.first, {});
  Out += remarks(Ctx, Check, Bytes.first);
  if (!FrontConditions.empty()) {
    std::string All = Leaves ? joined(Ctx, FrontConditions, true) : "";
    for (const Expr *E : FrontConditions)
      if (!Leaves)
        All += (All.empty() ? "" : " || ") + Ctx.negated(E);
    Out += "if (" + All + ")\nreturn;\n";
  }
  return Out;
}

std::string MapKernel::work(const ActionContext &Ctx, const std::vector<Edit> &Inner) const {
  std::string Out;
  for (const Stmt *S : Between)
    Out += lines(Ctx, S, Bytes.first, Inner);
  if (Work.empty())
    return Out;
  std::vector<Edit> Edits = Inner;
  for (const ReturnStmt *R : Returns)
    Edits.push_back(Ctx.replace(R->getSourceRange(), "continue"));
  if (!Conditions.empty()) {
    std::string All = joined(Ctx, Conditions, Leaves, Inner);
    Out += Leaves ? "if (" + All + ")\ncontinue;\n" : "if (" + All + ") {\n";
  }
  if (Leaves)
    Out += remarks(Ctx, Work.front(), Bytes.first);
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
  return Out + StringRef(Ctx.text(std::pair{Start, End}, Edits)).trim().str() + "\n" + (!Conditions.empty() && !Leaves ? "}\n" : "");
}

namespace {

/// Assembly that reads a special register, or in which threads meet.
bool knowsThreads(const AsmStmt &A) {
  const auto *G = dyn_cast<GCCAsmStmt>(&A);
  if (!G)
    return true;
  std::string Words = G->getAsmString();
  return llvm::any_of(std::initializer_list<llvm::StringRef>{"%%", "bar", "shfl", "vote", "match", "redux", "mma", "elect", "activemask", "cp.async", "wait", "ldmatrix", "stmatrix"},
                      [&](llvm::StringRef W) { return llvm::StringRef(Words).contains(W); });
}

/// What a called function, and those that it calls, do that the work may not; empty: nothing.
std::string whyNotCalled(ActionContext &Ctx, const FunctionDecl *F, llvm::DenseSet<const FunctionDecl *> &Seen) {
  const FunctionDecl *D = F ? F->getDefinition() : nullptr;
  if (!D || !D->hasBody() || Ctx.SM.isInSystemHeader(Ctx.SM.getExpansionLoc(D->getLocation())) || !Seen.insert(D).second)
    return {};
  std::string Why;
  forEachStmt(D->getBody(), [&](const Stmt *Y) {
    if (!Why.empty())
      return;
    if (const auto *E = dyn_cast<Expr>(Y); E && builtinUse(E) && builtinUse(E)->Which != IndexVar::WarpSize)
      Why = "the work calls " + D->getNameAsString() + ", which uses thread or block indices";
    else if (const auto *A = dyn_cast<AsmStmt>(Y); A && knowsThreads(*A))
      Why = "the work calls " + D->getNameAsString() + ", which holds assembly";
    else if (const auto *Call = dyn_cast<CallExpr>(Y); Call && callKind(Call) != CallKind::Other && callKind(Call) != CallKind::Atomic)
      Why = "threads meet in " + D->getNameAsString();
    else if (Call)
      Why = whyNotCalled(Ctx, Call->getDirectCallee(), Seen);
  });
  return Why;
}

bool isGroup(QualType T) {
  const auto *R = T.isNull() ? nullptr : T.getNonReferenceType()->getAsCXXRecordDecl();
  const auto *N = R ? dyn_cast<NamespaceDecl>(R->getEnclosingNamespaceContext()) : nullptr;
  for (; N; N = dyn_cast_or_null<NamespaceDecl>(N->getParent()))
    if (N->getName() == "cooperative_groups")
      return true;
  return false;
}

class MapReader {
public:
  MapReader(ActionContext &Ctx, const KernelView &K, bool Wide) : Ctx(Ctx), K(K), Wide(Wide), X(Ctx) {}

  MapKernel read() {
    std::string Why = readAll();
    if (!Why.empty()) {
      M.Index = nullptr;
      M.WhyNot = Why;
    }
    return std::move(M);
  }

private:
  std::string readAll() {
    if (!K.body())
      return "the kernel has no plain body";
    All.assign(K.body()->body_begin(), K.body()->body_end());
    std::erase_if(All, [](const Stmt *S) { return isa<NullStmt>(S); });
    if (!All.empty() && isa<ReturnStmt>(All.back())) // a kernel ends there anyway
      All.pop_back();
    for (auto Step : {&MapReader::index, &MapReader::between, &MapReader::check, &MapReader::bound, &MapReader::work})
      if (std::string Why = (this->*Step)(); !Why.empty())
        return Why;
    if (!Ctx.editable(K.body()->getSourceRange()) || !Ctx.editable(M.IndexDecl->getSourceRange()) || !Ctx.editable(M.Check->getSourceRange()))
      return "the kernel comes from a macro";
    M.Bytes = {Ctx.bytes(M.IndexDecl).first, Ctx.offset(K.body()->getRBracLoc())};
    M.Bytes.second = M.Bytes.first + unsigned(Ctx.Text.slice(M.Bytes.first, M.Bytes.second).rtrim().size());
    return {};
  }

  std::string index() {
    for (; At < All.size() && !M.Index; ++At) {
      const auto *D = dyn_cast<DeclStmt>(All[At]);
      if (!D && !(Wide && X.same(All[At])))
        break;
      if (!D)
        continue;
      for (const Decl *Y : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(Y)) {
          if (isSharedVariable(V))
            return "the kernel uses shared memory";
          if (isIndex(V)) {
            if (!D->isSingleDecl())
              return "the index is declared together with other variables";
            M.Index = V;
            M.IndexDecl = D;
          } else {
            InFront.insert(V);
          }
        }
    }
    if (!M.Index)
      return usesShared() ? "the kernel uses shared memory" : "no variable holds blockIdx.x * blockDim.x + threadIdx.x alone at the kernel's start";
    auto &Writes = Ctx.get<VariableWrites>();
    if (Writes.of(M.Index).size() != 1 || Writes.addressTaken(M.Index))
      return "the index " + M.Index->getNameAsString() + " is changed";
    return {};
  }

  bool isIndex(const VarDecl *V) {
    if (!V->getInit() || !V->getType()->isIntegerType())
      return false;
    if (globalIndexAxis(V->getInit()) == 0u)
      return true;
    auto G = Wide ? globalIndex(Ctx, X, V->getInit()) : std::nullopt;
    if (!G)
      return false;
    M.Span = G->Span;
    M.Offsets = std::move(G->Offsets);
    return true;
  }

  bool usesShared() {
    bool Yes = false;
    forEachStmt(K.body(), [&](const Stmt *S) {
      if (const auto *D = dyn_cast<DeclStmt>(S))
        Yes |= llvm::any_of(D->decls(), [](const Decl *Y) { const auto *V = dyn_cast<VarDecl>(Y); return V && isSharedVariable(V); });
    });
    return Yes;
  }

  std::string between() {
    for (; At < All.size(); ++At) {
      if (const auto *D = dyn_cast<DeclStmt>(All[At])) {
        bool Same = Wide && X.same(All[At]);
        (Same ? M.Front : M.Between).push_back(All[At]);
        for (const Decl *Y : D->decls())
          if (const auto *V = dyn_cast<VarDecl>(Y))
            (Same ? InFront : Inside).insert(V);
        continue;
      }
      // `if (y >= rows) return;` on the way to the check
      const auto *If = dyn_cast<IfStmt>(All[At]);
      if (!Wide || !If || If->getElse() || !isa<ReturnStmt>(only(If->getThen())) || !X.same(All[At]))
        break;
      M.Front.push_back(If);
    }
    return {};
  }

  static const Stmt *only(const Stmt *S) {
    const auto *Block = dyn_cast<CompoundStmt>(S);
    return Block && Block->size() == 1 ? Block->body_front() : S;
  }

  static void operands(const Expr *E, BinaryOperatorKind Of, std::vector<const Expr *> &Out) {
    const Expr *Bare = E->IgnoreParenImpCasts();
    if (const auto *B = dyn_cast<BinaryOperator>(Bare); B && B->getOpcode() == Of) {
      operands(B->getLHS(), Of, Out);
      operands(B->getRHS(), Of, Out);
      return;
    }
    Out.push_back(Bare);
  }

  /// The right side of `i < bound`, or of `i >= bound`.
  const Expr *boundOf(const Expr *E) const {
    const auto *B = dyn_cast<BinaryOperator>(E);
    if (!B || !B->isComparisonOp())
      return nullptr;
    const Expr *Left = B->getLHS(), *Right = B->getRHS();
    auto Op = B->getOpcode();
    if (refersTo(Right, M.Index)) {
      std::swap(Left, Right);
      Op = BinaryOperator::reverseComparisonOp(Op);
    }
    return refersTo(Left, M.Index) && Op == (M.Leaves ? BO_GE : BO_LT) ? Right : nullptr;
  }

  std::string check() {
    const auto *If = At < All.size() ? dyn_cast<IfStmt>(All[At]) : nullptr;
    if (!If || If->getElse() || If->getInit() || If->getConditionVariable())
      return "no check of " + M.Index->getNameAsString() + " against a bound follows";
    M.Leaves = isa<ReturnStmt>(only(If->getThen()));
    std::vector<const Expr *> Parts;
    operands(If->getCond(), M.Leaves ? BO_LOr : BO_LAnd, Parts);
    for (const Expr *E : Parts)
      if (const Expr *Right = M.Bound ? nullptr : boundOf(E))
        M.Bound = Right;
      else
        (X.same(E) ? M.FrontConditions : M.Conditions).push_back(E);
    if (!M.Bound || (!Wide && Parts.size() > 1))
      return "the check '" + Ctx.text(If->getCond()->getSourceRange()) + "' is not of " + M.Index->getNameAsString() + " against a bound alone";
    M.Check = If;
    if (M.Leaves)
      M.Work.assign(All.begin() + At + 1, All.end());
    else if (At + 1 != All.size())
      return "more follows the checked work";
    else
      M.Work.push_back(If->getThen());
    return M.Work.empty() ? "there is no work" : "";
  }

  std::string bound() {
    for (const ValueDecl *D : namedIn(M.Bound))
      if (Inside.count(D))
        return "the bound rests on a variable declared behind the index";
    if (!Ctx.isPure(M.Bound))
      return "the bound is read from memory";
    if (!X.same(M.Bound))
      return "the bound is not the same for all threads along x";
    for (const Expr *E : M.FrontConditions)
      for (const ValueDecl *D : namedIn(E))
        if (Inside.count(D))
          return "a condition rests on a variable declared behind the index";
    return {};
  }

  std::string work() {
    std::vector<const Stmt *> Judged = M.Between;
    Judged.insert(Judged.end(), M.Conditions.begin(), M.Conditions.end());
    Judged.insert(Judged.end(), M.Work.begin(), M.Work.end());
    for (const Stmt *S : Judged)
      judge(S, false);
    if (!Why.empty())
      return Why;
    for (const Stmt *S : M.Between)
      for (const Decl *D : cast<DeclStmt>(S)->decls())
        if (const auto *V = dyn_cast<VarDecl>(D); V && V->getInit() && !Ctx.isPure(V->getInit()))
          return "memory is read in front of the check";
    return {};
  }

  /// InLoop: a return there does not end the work of one i by a continue.
  void judge(const Stmt *S, bool InLoop) {
    if (!S || !Why.empty())
      return;
    judgeOne(S, InLoop);
    if (const auto *P = dyn_cast<PseudoObjectExpr>(S); P && builtinUse(P))
      return;
    bool Inner = InLoop || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt, LambdaExpr>(S);
    for (const Stmt *C : S->children())
      judge(C, Inner);
  }

  void judgeOne(const Stmt *S, bool InLoop) {
    if (const auto *R = dyn_cast<ReturnStmt>(S); R && Wide && !InLoop)
      M.Returns.push_back(R);
    else if (isa<ReturnStmt, GotoStmt, LabelStmt, AsmStmt>(S))
      Why = "the work returns, jumps or holds assembly";
    if (Wide)
      forEachChange(S, [&](const VarDecl *V) {
        if (InFront.count(V) || isa<ParmVarDecl>(V) ? V->getDeclContext() == K.Decl : false)
          Why = "the work changes " + V->getNameAsString() + ", which the next element would find changed";
      });
    const auto *E = dyn_cast<Expr>(S);
    if (!E)
      return judgeDeclared(S);
    if (auto B = builtinUse(E); B && B->Which != IndexVar::WarpSize && !(Wide && (B->Axis != 0 || B->Which == IndexVar::BlockDim)))
      Why = "the work uses thread or block indices besides " + M.Index->getNameAsString();
    if (isGroup(E->getType()))
      Why = "the work uses a group of threads";
    if (const auto *C = dyn_cast<CallExpr>(E)) {
      CallKind Kind = callKind(C);
      if (Kind != CallKind::Other && Kind != CallKind::Atomic && Kind != CallKind::Fence && Kind != CallKind::Printf)
        Why = "threads meet in the work (" + calleeName(C) + ")";
      else if (Kind == CallKind::Other && Why.empty())
        Why = whyNotCalled(Ctx, C->getDirectCallee(), Seen); // a function of the file may do any of this
    }
    if (const auto *D = dyn_cast<DeclRefExpr>(E))
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl())) {
        if (isSharedVariable(V))
          Why = "the kernel uses shared memory";
        else if (InFront.count(V) && !X.same(V))
          Why = "the work uses " + V->getNameAsString() + ", which differs between the threads along x";
      }
  }

  void judgeDeclared(const Stmt *S) {
    if (const auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *Y : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(Y); V && (isSharedVariable(V) || V->isStaticLocal()))
          Why = "the kernel uses shared memory";
  }

  ActionContext &Ctx;
  const KernelView &K;
  bool Wide;
  AlongX X;
  MapKernel M;
  std::vector<const Stmt *> All;
  size_t At = 0;
  llvm::DenseSet<const ValueDecl *> InFront, Inside; ///< variables declared in front of the work, and with it
  llvm::DenseSet<const FunctionDecl *> Seen;
  std::string Why;
};

} // namespace

MapKernel kcheck::mapKernel(ActionContext &Ctx, const KernelView &K) { return MapReader(Ctx, K, false).read(); }
MapKernel kcheck::wideMapKernel(ActionContext &Ctx, const KernelView &K) { return MapReader(Ctx, K, true).read(); }

int64_t kcheck::blockWidth(ActionContext &Ctx, const KernelView &K) {
  int64_t Width = 0;
  for (const LaunchSite &L : K.Launches) {
    const Expr *E = L.Syntax.Block ? extentExprs(Ctx, L.Syntax.Block)[0] : nullptr;
    auto N = Ctx.constant(E);
    if (const Expr *R = E && !N ? Ctx.get<VariableWrites>().resolve(E) : nullptr)
      N = Ctx.constant(R);
    if (!N || *N <= 0 || (Width && Width != *N))
      return 0;
    Width = *N;
  }
  return K.OtherUse ? 0 : Width;
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
