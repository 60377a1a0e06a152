//===- block-shape.cpp - another block for the same threads ---------------------------===//
//
//   dim3 block(16, 16);                              dim3 block(32, 8);
//   dim3 grid((n + 15) / 16, (m + 15) / 16);         dim3 grid((n + 31) / 32, (m + 7) / 8);
//
// For kernels that know a thread by its place in the whole grid only, each axis checked against a bound.
//
//===--------------------------------------------------------------------------===//
#include "actions/engine/Launches.h"
#include "actions/engine/MapKernel.h"
#include "matchers/VariableWrites.h"

using namespace clang;
using namespace kcheck;

namespace {

/// What a kernel knows of its threads.
struct Places {
  std::vector<const VarDecl *> Index[2]; ///< variables that hold the place along x, y
  const Expr *Bound[2] = {nullptr, nullptr};
  std::string WhyNot;
};

const Stmt *only(const Stmt *S) {
  const auto *Block = dyn_cast<CompoundStmt>(S);
  return Block && Block->size() == 1 ? Block->body_front() : S;
}

/// The bound of V in a condition: of one operand of `a && b` where the condition lets threads in (V < bound), of `a || b`
/// where it sends them away (V >= bound).
const Expr *boundIn(const Expr *E, const VarDecl *V, bool Leaves) {
  const auto *B = dyn_cast_or_null<BinaryOperator>(E ? E->IgnoreParenImpCasts() : nullptr);
  if (!B)
    return nullptr;
  if (B->getOpcode() == (Leaves ? BO_LOr : BO_LAnd)) {
    const Expr *Left = boundIn(B->getLHS(), V, Leaves);
    return Left ? Left : boundIn(B->getRHS(), V, Leaves);
  }
  if (B->getOpcode() == (Leaves ? BO_GE : BO_LT) && refersTo(B->getLHS(), V))
    return B->getRHS();
  if (B->getOpcode() == (Leaves ? BO_LE : BO_GT) && refersTo(B->getRHS(), V))
    return B->getLHS();
  return nullptr;
}

/// The bound that every thread meets before it does anything: then threads beyond it do nothing.
const Expr *guardOf(ActionContext &Ctx, llvm::ArrayRef<const Stmt *> Body, const VarDecl *V) {
  for (size_t I = 0; I < Body.size(); ++I) {
    const Stmt *S = Body[I];
    if (const auto *A = dyn_cast<AttributedStmt>(S))
      S = A->getSubStmt();
    if (const auto *D = dyn_cast<DeclStmt>(S)) {
      for (const Decl *X : D->decls())
        if (const auto *Y = dyn_cast<VarDecl>(X); Y && Y != V && Y->getInit() && !Ctx.isPure(Y->getInit(), !namedIn(Y->getInit()).count(V)))
          return nullptr;
      continue;
    }
    if (const auto *F = dyn_cast<ForStmt>(S)) { // a loop of its own: what follows does not know V
      if (const auto *D = dyn_cast_or_null<DeclStmt>(F->getInit()); D && llvm::is_contained(D->decls(), V))
        return boundIn(F->getCond(), V, false);
      if (namedIn(F).count(V))
        return boundIn(F->getCond(), V, false);
      continue;
    }
    const auto *If = dyn_cast<IfStmt>(S);
    if (!If || If->getElse() || !Ctx.isPure(If->getCond(), !namedIn(If->getCond()).count(V) || boundIn(If->getCond(), V, isa<ReturnStmt>(only(If->getThen())))))
      return isa<NullStmt>(S) ? guardOf(Ctx, Body.drop_front(I + 1), V) : nullptr;
    bool Leaves = isa<ReturnStmt>(only(If->getThen()));
    const Expr *Bound = boundIn(If->getCond(), V, Leaves);
    if (Leaves && !Bound)
      continue;
    if (Leaves)
      return Bound;
    bool Last = llvm::all_of(Body.drop_front(I + 1), [](const Stmt *X) { return isa<NullStmt, ReturnStmt>(X); });
    if (!Last)
      return nullptr;
    if (Bound)
      return Bound;
    const auto *Block = dyn_cast<CompoundStmt>(If->getThen());
    std::vector<const Stmt *> Inner = Block ? std::vector<const Stmt *>(Block->body_begin(), Block->body_end()) : std::vector<const Stmt *>{If->getThen()};
    return guardOf(Ctx, Inner, V);
  }
  return nullptr;
}

Places placesOf(ActionContext &Ctx, const KernelView &K) {
  Places P;
  llvm::DenseSet<const Stmt *> Covered;
  auto Cover = [&](const Expr *E) { forEachStmt(E, [&](const Stmt *S) { Covered.insert(S); }); };
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (const auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *X : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(X)) {
          if (isSharedVariable(V))
            P.WhyNot = "the kernel uses shared memory";
          if (V->getInit())
            if (auto Axis = globalIndexAxis(V->getInit()); Axis && *Axis < 2) {
              P.Index[*Axis].push_back(V);
              Cover(V->getInit());
            }
        }
    if (const auto *B = dyn_cast<BinaryOperator>(S)) // a stride over the grid
      if (B->getOpcode() == BO_Mul) {
        auto L = builtinUse(B->getLHS()->IgnoreParenCasts()), R = builtinUse(B->getRHS()->IgnoreParenCasts());
        if (L && R && L->Axis == R->Axis && ((L->Which == IndexVar::BlockDim && R->Which == IndexVar::GridDim) || (L->Which == IndexVar::GridDim && R->Which == IndexVar::BlockDim)))
          Cover(B);
      }
    if (const auto *C = dyn_cast<CallExpr>(S)) {
      CallKind Kind = callKind(C);
      if (Kind != CallKind::Other && Kind != CallKind::Atomic && Kind != CallKind::Fence && Kind != CallKind::Printf)
        P.WhyNot = "threads of a block meet in " + calleeName(C);
      if (const FunctionDecl *F = C->getDirectCallee(); F && Kind == CallKind::Other)
        if (const FunctionDecl *D = F->getDefinition(); D && Ctx.SM.isInMainFile(Ctx.SM.getExpansionLoc(D->getLocation())))
          forEachStmt(D->getBody(), [&](const Stmt *Y) {
            if (const auto *E = dyn_cast<Expr>(Y); E && builtinUse(E))
              P.WhyNot = D->getNameAsString() + " uses thread or block indices";
          });
    }
  });
  forEachStmt(K.body(), [&](const Stmt *S) {
    const auto *E = dyn_cast<Expr>(S);
    auto B = E && !Covered.count(S) ? builtinUse(E) : std::nullopt;
    const bool Kept = B && ((B->Axis == 2 && (B->Which == IndexVar::BlockIdx || B->Which == IndexVar::GridDim)) || (B->Axis != 0 && P.Index[1].empty()));
    if (B && B->Which != IndexVar::WarpSize && !Kept && P.WhyNot.empty())
      P.WhyNot = "line " + std::to_string(Ctx.TU.where(S->getBeginLoc()).Line) + " uses a thread or block index other than for the place in the grid";
  });
  if (!P.WhyNot.empty())
    return P;
  auto &Writes = Ctx.get<VariableWrites>();
  for (unsigned A = 0; A < 2; ++A)
    for (const VarDecl *V : P.Index[A]) {
      bool Strides = Writes.of(V).size() != 1;
      const Expr *Bound = guardOf(Ctx, std::vector<const Stmt *>(K.body()->body_begin(), K.body()->body_end()), V);
      if (!Bound)
        P.WhyNot = V->getNameAsString() + " is not plainly checked against a bound in front of all else: a larger grid would reach further";
      else if (!P.Bound[A] && !Strides)
        P.Bound[A] = Bound;
    }
  if (P.Index[0].empty())
    P.WhyNot = "no variable holds a thread's place along x";
  return P;
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "blocks of the launches");
    Places P = K.body() ? placesOf(Ctx, K) : Places{{}, {}, "the kernel has no plain body"};
    S.WhyNot = P.WhyNot.empty() ? Ctx.whyLaunchesAreFixed(K) : P.WhyNot;
    bool Flat = P.Index[1].empty();
    if (S.WhyNot.empty() && Flat)
      for (const LaunchSite &L : K.Launches) {
        auto Extents = extentExprs(Ctx, L.Syntax.Block);
        for (unsigned A = 1; A < 3; ++A)
          if (!Extents[0] || (Extents[A] && Ctx.constant(Ctx.get<VariableWrites>().resolve(Extents[A])) != 1))
            S.WhyNot = "the blocks have another axis, or may have: no thread's place is told by it";
      }
    if (S.WhyNot.empty()) {
      auto Set = [&](int64_t X, int64_t Y) {
        bool Now = llvm::all_of(K.Launches, [&](const LaunchSite &L) { // no change
          auto E = extentExprs(Ctx, L.Syntax.Block);
          auto Value = [&](const Expr *Extent) { return Ctx.constant(Ctx.get<VariableWrites>().resolve(Extent)); };
          return E[0] && Value(E[0]) == X && (E[1] ? Value(E[1]) : 1) == Y;
        });
        if (!Now && X * Y <= int64_t(Ctx.Limits.ThreadsPerBlock))
          S.Sets.push_back({{{"x", X}, {"y", Y}}, llvm::json::Object{{"threads", X * Y}, {"occupancy_at_most", Ctx.Limits.occupancy(unsigned(X * Y), 0, 32)}}});
      };
      if (Flat)
        for (int64_t X : {256, 128, 512, 64, 1024})
          Set(X, 1);
      else
        for (auto [X, Y] : {std::pair{32, 8}, {32, 4}, {16, 16}, {64, 4}, {32, 16}, {32, 32}, {8, 32}, {128, 2}})
          Set(X, Y);
      S.OnlyListed = true;
    }
    const ActionContext *Context = &Ctx;
    const KernelView *View = &K;
    S.Apply = [Context, View, P, Flat](const Settings &Set) -> llvm::Expected<std::vector<Edit>> {
      const ActionContext &Ctx = *Context;
      int64_t New[2] = {Set.at("x"), Set.at("y")};
      std::vector<Edit> Edits;
      if (std::string Why = fitLaunchBounds(Ctx, View->Decl, New[0] * New[1], false, Edits); !Why.empty())
        return llvm::createStringError(Why);
      for (const LaunchSite &L : View->Launches) {
        DimText Grid = extentsOf(Ctx, L.Syntax.Grid), Block = extentsOf(Ctx, L.Syntax.Block), Old = Grid;
        for (unsigned A = 0; A < (Flat ? 1u : 2u); ++A) {
          std::string Bound = P.Bound[A] ? atLaunch(Ctx, L, View->Decl, P.Bound[A]) : "";
          // the bound says how far the threads must reach, unless the grid is held down on purpose
          bool Whole = extentExprs(Ctx, L.Syntax.Grid)[A] && Ctx.constant(extentExprs(Ctx, L.Syntax.Grid)[A]);
          Grid[A] = ceilDivide(!Bound.empty() && !Whole ? Bound : asOperand(Old[A], Holds::Product) + " * " + asOperand(Block[A]), New[A]);
          Block[A] = std::to_string(New[A]);
        }
        setLaunchSizes(Ctx, L, &Grid, &Block, Edits);
      }
      return Edits;
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(BlockShape, "block-shape", "change the size and the shape of the blocks",
              {{"x", "threads of a block along x", {8, 16, 32, 64, 128, 256, 512, 1024}}, {"y", "threads of a block along y", {1, 2, 4, 8, 16, 32}}}, find);

} // namespace
