//===- stage-transpose.cpp - a transposition through a tile in shared memory ----------------===//
//
//   y[c * rows + r] = x[r * cols + c];          part[i] = x[r * cols + c];          rows of x, all loads of a thread first
//                                               tile[line][tx] = part[i];
//                                               barrier
//                                               y[c * rows + r] = tile[tx][line];   rows of y
//
// For kernels of one element a thread in two dimensions, one load and one store: the load follows one axis, the store the
// other. Both then walk memory in its order. Variables that only hold places on the way are computed anew on each side.
//
//===--------------------------------------------------------------------------------===//
#include "actions/contraction/Contraction.h"
#include "actions/contraction/Words.h"
#include "actions/engine/Instances.h"
#include "actions/engine/Launches.h"
#include "actions/engine/MapKernel.h"

using namespace clang;
using namespace kcheck;

namespace {

struct Transposition {
  const VarDecl *Index[2] = {nullptr, nullptr}; ///< along x, along y
  OutputIndex Place[2];
  const BinaryOperator *Store = nullptr;
  const Expr *Load = nullptr;
  std::string Type;
  unsigned Bytes = 4;
  unsigned LoadAxis = 0; ///< neighbours along it load neighbouring elements
  std::vector<const DeclStmt *> Places; ///< `int from = y * cols + x;`

  const Expr *placeNamed(const Expr *E) const {
    const ValueDecl *D = referredTo(E);
    for (const DeclStmt *S : Places)
      if (D == S->getSingleDecl())
        return cast<VarDecl>(D)->getInit();
    return nullptr;
  }
  /// Declarations of the places that these expressions rest on, in their order.
  std::string placesOf(const ActionContext &Ctx, std::vector<const Stmt *> For) const {
    std::string Text;
    for (const DeclStmt *S : llvm::reverse(Places)) {
      if (llvm::none_of(For, [&](const Stmt *E) { return namedIn(E).count(cast<ValueDecl>(S->getSingleDecl())); }))
        continue;
      Text = Ctx.text(static_cast<const Stmt *>(S)) + "\n" + Text;
      For.push_back(cast<VarDecl>(S->getSingleDecl())->getInit());
    }
    return Text;
  }
};

/// By how much E grows with V, through the variables that hold places.
std::optional<int64_t> growth(const ActionContext &Ctx, const Transposition &T, const Expr *E, const ValueDecl *V) {
  if (const Expr *Init = T.placeNamed(E))
    return growth(Ctx, T, Init, V);
  const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
  if (!B || llvm::none_of(T.Places, [&](const DeclStmt *S) { return namedIn(E).count(cast<ValueDecl>(S->getSingleDecl())); }))
    return coefficient(Ctx, E, V);
  auto L = growth(Ctx, T, B->getLHS(), V), R = growth(Ctx, T, B->getRHS(), V);
  if (!L || !R)
    return std::nullopt;
  if (B->getOpcode() == BO_Add)
    return *L + *R;
  if (B->getOpcode() == BO_Sub)
    return *L - *R;
  if (*L == 0 && *R == 0)
    return 0;
  return std::nullopt;
}

/// `const int from = y * cols + x;`
bool placeHolder(ActionContext &Ctx, const DeclStmt *D, Transposition &T) {
  const auto *V = D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
  if (!V || !V->getInit() || !V->getType()->isIntegerType() || V->isStaticLocal() || !Ctx.isPure(V->getInit()) || !Ctx.get<VariableWrites>().onlyValue(V))
    return false;
  T.Places.push_back(D);
  return true;
}

/// Reads the kernel; the reason why it is none, or empty.
std::string plan(ActionContext &Ctx, const KernelView &K, Transposition &T) {
  std::vector<const Stmt *> All(K.body()->body_begin(), K.body()->body_end());
  if (!All.empty() && isa<ReturnStmt>(All.back())) // a kernel ends there anyway
    All.pop_back();
  std::vector<std::pair<const Expr *, bool>> Checks;
  const Stmt *Work = nullptr;
  auto &Writes = Ctx.get<VariableWrites>();
  for (size_t I = 0; I < All.size(); ++I) {
    const Stmt *S = All[I];
    if (!Ctx.editable(SourceRange(S->getBeginLoc(), S->getEndLoc())))
      return "the kernel comes from a macro";
    if (const auto *D = dyn_cast<DeclStmt>(S)) {
      for (const Decl *X : D->decls()) {
        const auto *V = dyn_cast<VarDecl>(X);
        auto Axis = V && V->getInit() ? globalIndexAxis(V->getInit()) : std::nullopt;
        if (V && isSharedVariable(V))
          return "the kernel uses shared memory already";
        if (Axis && *Axis < 2 && Writes.of(V).size() == 1 && V->getType()->isIntegerType()) {
          T.Index[*Axis] = V;
          T.Place[*Axis].Type = typeText(Ctx, V->getType());
          T.Place[*Axis].Name = V->getNameAsString();
          continue;
        }
        if (!placeHolder(Ctx, D, T))
          return "line " + std::to_string(Ctx.TU.where(S->getBeginLoc()).Line) + ": a variable besides the two indices";
      }
      continue;
    }
    const auto *If = dyn_cast<IfStmt>(S);
    const Stmt *Then = If && !If->getElse() ? If->getThen() : nullptr;
    if (const auto *B = dyn_cast_or_null<CompoundStmt>(Then); B && B->size() >= 1) {
      for (const Stmt *Inner : llvm::drop_end(B->body()))
        if (const auto *D = dyn_cast<DeclStmt>(Inner); !D || !placeHolder(Ctx, D, T))
          return "line " + std::to_string(Ctx.TU.where(Inner->getBeginLoc()).Line) + ": more than one store, or a variable that is no place";
      Then = B->body_back();
    }
    if (Then && isa<ReturnStmt>(Then)) {
      Checks.push_back({If->getCond(), true});
      continue;
    }
    if (I + 1 != All.size())
      return "the kernel does more than one store";
    if (Then) {
      Checks.push_back({If->getCond(), false});
      S = Then;
    }
    Work = S;
  }
  if (!T.Index[0] || !T.Index[1])
    return "a thread's element is not given by its places along x and y";
  const auto *E = dyn_cast_or_null<Expr>(Work);
  T.Store = E ? dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts()) : nullptr;
  const auto *To = T.Store && T.Store->getOpcode() == BO_Assign ? dyn_cast<ArraySubscriptExpr>(T.Store->getLHS()->IgnoreParens()) : nullptr;
  if (!To)
    return "the kernel's work is not one store";
  unsigned Loads = 0;
  forEachStmt(T.Store->getRHS(), [&](const Stmt *S) {
    if (const auto *X = dyn_cast<Expr>(S); X && loadOf(Ctx, X)) {
      ++Loads;
      T.Load = X;
    }
  });
  if (Loads != 1 || !Ctx.isPure(T.Store->getRHS(), true) || !Ctx.isPure(To->getIdx()))
    return "the store does not take exactly one load";
  LoadParts L = *loadOf(Ctx, T.Load);
  if (!L.Index || !L.Base || L.Base == referredTo(To->getBase()))
    return "load and store are not of two buffers";
  bool Knows = false;
  forEachStmt(K.body(), [&](const Stmt *S) {
    const auto *X = dyn_cast<Expr>(S);
    if (!X || !builtinUse(X))
      return;
    bool InIndex = false;
    for (const VarDecl *V : T.Index)
      InIndex |= Ctx.SM.isPointWithin(X->getBeginLoc(), V->getInit()->getBeginLoc(), V->getInit()->getEndLoc());
    Knows |= !InIndex;
  });
  if (Knows)
    return "the kernel uses thread or block indices besides the two places";
  T.LoadAxis = growth(Ctx, T, L.Index, T.Index[0]) == 1 ? 0 : 1;
  if (growth(Ctx, T, L.Index, T.Index[T.LoadAxis]) != 1 || growth(Ctx, T, L.Index, T.Index[1 - T.LoadAxis]) == 1)
    return "no place walks the loaded elements one by one";
  if (growth(Ctx, T, To->getIdx(), T.Index[1 - T.LoadAxis]) != 1 || growth(Ctx, T, To->getIdx(), T.Index[T.LoadAxis]) == 1)
    return "the store is no transposition of the load";
  for (auto &[Cond, Leaves] : Checks) {
    std::vector<const Expr *> Atoms;
    if (!Leaves)
      conjuncts(Cond, Atoms);
    else
      for (std::vector<const Expr *> Todo{Cond}; !Todo.empty();) {
        const Expr *A = Todo.back()->IgnoreParenImpCasts();
        Todo.pop_back();
        const auto *B = dyn_cast<BinaryOperator>(A);
        if (B && B->getOpcode() == BO_LOr) {
          Todo.push_back(B->getRHS());
          Todo.push_back(B->getLHS());
        } else {
          Atoms.push_back(A);
        }
      }
    for (const Expr *A : Atoms) {
      auto Names = namedIn(A);
      bool X = Names.count(T.Index[0]), Y = Names.count(T.Index[1]);
      const auto *B = dyn_cast<BinaryOperator>(A->IgnoreParenImpCasts());
      if (X == Y || !Ctx.isPure(A) || (Leaves && !(B && B->isRelationalOp())))
        return "the check '" + Ctx.text(A->getSourceRange()) + "' is not of one place alone";
      addGuard(Ctx, T.Place[Y], T.Index[Y], A, Leaves ? Ctx.negated(A) : Ctx.text(A->getSourceRange()), Leaves);
    }
  }
  if (!T.Place[0].BoundExpr || !T.Place[1].BoundExpr)
    return "the two places are not checked against bounds";
  T.Type = typeText(Ctx, L.Type);
  T.Bytes = unsigned(K.Decl->getASTContext().getTypeSizeInChars(L.Type).getQuantity());
  for (const char *N : {"tile", "part", "step", "line", "firstX", "firstY"})
    if (!Ctx.isFree(K.Decl, N))
      return std::string("the kernel uses the name ") + N;
  return Ctx.whyLaunchesAreFixed(K);
}

constexpr unsigned Lines = 8; ///< of a block at a time

llvm::Expected<std::vector<Edit>> apply(const ActionContext &Ctx, const KernelView &K, const Transposition &T, unsigned Size) {
  const OutputIndex &X = T.Place[0], &Y = T.Place[1];
  std::string Guard = "if (" + Y.Guard + " && " + X.Guard + ")\n", Value = Ctx.text(T.Load->getSourceRange());
  Edit Staged = Ctx.replace(T.Load->getSourceRange(), "tile[threadIdx.x][line]");
  std::string Store = Ctx.text({Ctx.offset(T.Store->getBeginLoc()), Ctx.endOffset(T.Store->getEndLoc())}, {Staged});
  std::string N = std::to_string(Size), Steps = std::to_string(Size / Lines), By = std::to_string(Lines);
  std::string Loop = "#pragma unroll\nfor (int step = 0; step < " + Steps + "; ++step) {\n", Line = "threadIdx.y + step * " + By;
  // Along the axis of the loads go the threads of a row first, along that of the stores then.
  auto Place = [&](unsigned Axis, bool Row) {
    const OutputIndex &P = Axis ? Y : X;
    return "const " + P.Type + " " + P.Name + " = " + (Axis ? "firstY" : "firstX") + " + " + (Row ? "threadIdx.x" : "line") + ";\n";
  };
  std::vector<const Stmt *> Checked{Y.BoundExpr, X.BoundExpr};
  auto From = Checked, To = Checked;
  From.push_back(T.Load);
  To.push_back(T.Store->getLHS());
  const bool Swapped = T.LoadAxis != 0;
  std::string Body = "__shared__ " + T.Type + " tile[" + N + "][" + N + " + 1];\nconst int firstX = blockIdx.x * " + N + ", firstY = blockIdx.y * " + N + ";\n" +
                     T.Type + " part[" + Steps + "] = {};\n" + Loop +
                     "const int line = " + Line + ";\n" + Place(0, !Swapped) + Place(1, Swapped) + T.placesOf(Ctx, From) + Guard + "part[step] = " + Value + ";\n}\n" +
                     Loop + "tile[" + Line + "][threadIdx.x] = part[step];\n}\n__syncthreads();\n" + Loop + "const int line = " + Line + ";\n" +
                     Place(0, Swapped) + Place(1, !Swapped) + T.placesOf(Ctx, To) + Guard + Store + ";\n}\n";
  std::vector<Edit> Edits{Ctx.replaceBody(K.body(), Body)};
  if (std::string Why = fitLaunchBounds(Ctx, K.Decl, Size * Lines, false, Edits); !Why.empty())
    return llvm::createStringError(Why);
  for (const LaunchSite &L : K.Launches) {
    DimText Grid = extentsOf(Ctx, L.Syntax.Grid), Block{N, By, "1"};
    for (unsigned A = 0; A < 2; ++A) {
      std::string Bound = atLaunch(Ctx, L, K.Decl, T.Place[A].BoundExpr);
      if (Bound.empty())
        return llvm::createStringError("the bound of " + T.Place[A].Name + " is not known to the host");
      Grid[A] = ceilDivide(Bound, Size);
    }
    setLaunchSizes(Ctx, L, &Grid, &Block, Edits);
  }
  return Edits;
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    if (!K.body())
      continue;
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "one element a thread in two dimensions");
    auto T = std::make_shared<Transposition>();
    S.WhyNot = whyNotOneInstance(K);
    if (S.WhyNot.empty())
      S.WhyNot = plan(Ctx, K, *T);
    if (S.WhyNot.empty())
      for (unsigned Size : {64u, 32u})
        if (Size * (Size + 1) * T->Bytes <= Ctx.Limits.StaticShared)
          S.Sets.push_back({{{"tile", Size}}, llvm::json::Object{{"threads", Size * Lines}, {"contiguous_stores", true}, {"shared_bytes", Size * (Size + 1) * T->Bytes}}});
    const ActionContext *Context = &Ctx;
    const KernelView *View = &K;
    S.Apply = [Context, View, T](const Settings &P) { return apply(*Context, *View, *T, unsigned(P.at("tile"))); };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(StageTranspose, "stage-transpose", "transpose through a tile in shared memory",
              {{"tile", "rows and columns of the tile", {32, 64}}}, find);

} // namespace
