//===- warp-reduce.cpp - the last steps of a tree through registers --------------------===//
//
//   for (int s = blockDim.x / 2; s > 0; s >>= 1) {       for (int s = blockDim.x / 2; s >= 32; s >>= 1) { ... }
//     if (t < s) sums[t] += sums[t + s];                 if (t < 32) {
//     __syncthreads();                                     float lane = sums[t];
//   }                                                      ... __shfl_down_sync ...
//                                                          if (t == 0) sums[0] = lane; }
//                                                        __syncthreads();
//
// For trees over a one-dimensional shared array whose first element alone is used afterwards.
//
//===--------------------------------------------------------------------------------===//
#include "actions/contraction/Words.h"
#include "actions/engine/BlockReduce.h"
#include "actions/engine/Launches.h"

using namespace clang;
using namespace kcheck;

namespace {

struct Tree {
  const ForStmt *Loop = nullptr;
  const BinaryOperator *Cond = nullptr;
  const VarDecl *Step = nullptr, *Array = nullptr;
  std::string Thread, Type, Combine; ///< Combine: "%" stands for the other value
};

/// threadIdx.x, or a variable that always holds it.
bool isThread(ActionContext &Ctx, const Expr *E) {
  const Expr *R = Ctx.get<VariableWrites>().resolve(E);
  auto B = R ? builtinUse(R) : std::nullopt;
  return B && B->Which == IndexVar::ThreadIdx && B->Axis == 0;
}

/// The shared array of `a[Index]`.
const VarDecl *sharedBase(const ArraySubscriptExpr *A) {
  const auto *V = dyn_cast_or_null<VarDecl>(referredTo(A->getBase()));
  return V && isSharedVariable(V) ? V : nullptr;
}

bool halves(const Expr *E, const VarDecl *V) {
  const auto *B = dyn_cast_or_null<BinaryOperator>(E);
  if (!B || !refersTo(B->getLHS(), V))
    return false;
  const auto *N = dyn_cast<IntegerLiteral>(B->getRHS()->IgnoreParenImpCasts());
  return N && ((B->getOpcode() == BO_ShrAssign && N->getValue() == 1) || (B->getOpcode() == BO_DivAssign && N->getValue() == 2));
}

/// `a[t] op a[t + s]` in one of its forms; fills in the tree.
bool step(ActionContext &Ctx, const Expr *E, Tree &T) {
  const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  const auto *To = B && B->isAssignmentOp() ? dyn_cast<ArraySubscriptExpr>(B->getLHS()->IgnoreParens()) : nullptr;
  if (!To || !sharedBase(To) || !isThread(Ctx, To->getIdx()))
    return false;
  T.Array = sharedBase(To);
  T.Thread = Ctx.text(To->getIdx()->getSourceRange());
  T.Type = typeText(Ctx, To->getType());
  auto Other = [&](const Expr *X) {
    const auto *A = dyn_cast<ArraySubscriptExpr>(X->IgnoreParenImpCasts());
    const auto *Sum = A && sharedBase(A) == T.Array ? dyn_cast<BinaryOperator>(A->getIdx()->IgnoreParenImpCasts()) : nullptr;
    return Sum && Sum->getOpcode() == BO_Add && isThread(Ctx, Sum->getLHS()) && refersTo(Sum->getRHS(), T.Step);
  };
  auto Own = [&](const Expr *X) {
    const auto *A = dyn_cast<ArraySubscriptExpr>(X->IgnoreParenImpCasts());
    return A && sharedBase(A) == T.Array && isThread(Ctx, A->getIdx());
  };
  if (B->getOpcode() == BO_AddAssign && Other(B->getRHS())) {
    T.Combine = "lane + %";
    return true;
  }
  const Expr *Value = B->getRHS()->IgnoreParenImpCasts();
  if (const auto *P = dyn_cast<BinaryOperator>(Value); P && P->getOpcode() == BO_Add && B->getOpcode() == BO_Assign) {
    T.Combine = "lane + %";
    return (Own(P->getLHS()) && Other(P->getRHS())) || (Own(P->getRHS()) && Other(P->getLHS()));
  }
  if (const auto *C = dyn_cast<CallExpr>(Value); C && C->getNumArgs() == 2 && B->getOpcode() == BO_Assign) {
    std::string N = calleeName(C);
    if (N != "fmaxf" && N != "fminf" && N != "fmax" && N != "fmin" && N != "max" && N != "min")
      return false;
    T.Combine = N + "(lane, %)";
    return (Own(C->getArg(0)) && Other(C->getArg(1))) || (Own(C->getArg(1)) && Other(C->getArg(0)));
  }
  return false;
}

bool recognise(ActionContext &Ctx, const ForStmt *F, Tree &T) {
  const auto *Init = dyn_cast_or_null<DeclStmt>(F->getInit());
  T.Step = Init && Init->isSingleDecl() ? dyn_cast<VarDecl>(Init->getSingleDecl()) : nullptr;
  T.Cond = F->getCond() ? dyn_cast<BinaryOperator>(F->getCond()->IgnoreParenImpCasts()) : nullptr;
  if (!T.Step || !T.Step->getInit() || !T.Cond || !refersTo(T.Cond->getLHS(), T.Step) || !halves(F->getInc(), T.Step))
    return false;
  auto Last = Ctx.constant(T.Cond->getRHS());
  if (!((T.Cond->getOpcode() == BO_GT && Last == 0) || (T.Cond->getOpcode() == BO_GE && Last == 1)))
    return false;
  const auto *Body = dyn_cast<CompoundStmt>(F->getBody());
  if (!Body || Body->size() != 2)
    return false;
  const auto *If = dyn_cast<IfStmt>(Body->body_begin()[0]);
  const auto *Meet = dyn_cast<Expr>(Body->body_begin()[1]);
  const auto *Barrier = Meet ? dyn_cast<CallExpr>(Meet->IgnoreParenImpCasts()) : nullptr;
  if (!If || If->getElse() || !Barrier || callKind(Barrier) != CallKind::BlockBarrier)
    return false;
  const auto *Cond = dyn_cast<BinaryOperator>(If->getCond()->IgnoreParenImpCasts());
  if (!Cond || Cond->getOpcode() != BO_LT || !isThread(Ctx, Cond->getLHS()) || !refersTo(Cond->getRHS(), T.Step))
    return false;
  const Stmt *Then = If->getThen();
  if (const auto *C = dyn_cast<CompoundStmt>(Then); C && C->size() == 1)
    Then = C->body_front();
  const auto *E = dyn_cast<Expr>(Then);
  T.Loop = F;
  return E && step(Ctx, E, T);
}

/// Starts at half of the block, and the block is a power of two.
std::string whyNotHalves(ActionContext &Ctx, const KernelView &K, const Tree &T) {
  const auto *B = dyn_cast<BinaryOperator>(T.Step->getInit()->IgnoreParenImpCasts());
  auto Start = Ctx.constant(T.Step->getInit());
  bool Half = B && (B->getOpcode() == BO_Div || B->getOpcode() == BO_Shr) && builtinUse(B->getLHS()) && builtinUse(B->getLHS())->Which == IndexVar::BlockDim &&
              builtinUse(B->getLHS())->Axis == 0 && Ctx.constant(B->getRHS()) == (B->getOpcode() == BO_Div ? 2 : 1);
  if (!Half && !Start)
    return "the tree does not start at half of the block";
  if (K.Launches.empty() || K.OtherUse)
    return "not every launch that shows the block stands in the file";
  if (std::string Why = whyNotWholeWarps(Ctx, K); !Why.empty())
    return Why;
  for (const LaunchSite &L : K.Launches) {
    const Expr *E = extentExprs(Ctx, L.Syntax.Block)[0];
    auto N = Ctx.constant(E);
    if (!N)
      N = Ctx.constant(Ctx.get<VariableWrites>().resolve(E));
    if (!N || (*N & (*N - 1)) || (Start && *Start * 2 != *N))
      return "the block is no power of two that the tree halves";
  }
  return {};
}

std::string whyNotAfter(ActionContext &Ctx, const KernelView &K, const Tree &T) {
  bool Nested = false, Elsewhere = false;
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (isa<ForStmt, WhileStmt, DoStmt>(S) && S != T.Loop)
      Nested |= Ctx.SM.isPointWithin(T.Loop->getForLoc(), S->getBeginLoc(), S->getEndLoc());
    if (const auto *D = dyn_cast<DeclRefExpr>(S); D && D->getDecl() == T.Array && Ctx.SM.isBeforeInTranslationUnit(T.Loop->getEndLoc(), D->getBeginLoc()))
      Elsewhere = true;
  });
  if (Nested)
    return "the tree stands in a loop";
  // behind the tree: element zero only
  unsigned Uses = 0, First = 0;
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (!Ctx.SM.isBeforeInTranslationUnit(T.Loop->getEndLoc(), S->getBeginLoc()))
      return;
    if (const auto *D = dyn_cast<DeclRefExpr>(S))
      Uses += D->getDecl() == T.Array;
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(S); A && sharedBase(A) == T.Array)
      First += Ctx.constant(A->getIdx()) == 0;
  });
  return Elsewhere && Uses != First ? "more than the first element is used behind the tree" : "";
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    std::vector<Tree> Trees;
    forEachStmt(K.body(), [&](const Stmt *S) {
      Tree T;
      if (const auto *F = dyn_cast<ForStmt>(S); F && recognise(Ctx, F, T))
        Trees.push_back(T);
    });
    if (Trees.empty()) {
      Site S = Ctx.siteAt(K, K.Decl->getLocation(), "trees in shared memory");
      S.WhyNot = "no loop halves a shared array";
      Out.push_back(std::move(S));
    }
    for (const Tree &T : Trees) {
      Site S = Ctx.siteAt(K, T.Loop->getForLoc(), "tree over " + T.Array->getNameAsString());
      if (!Ctx.editable(T.Loop->getSourceRange()))
        S.WhyNot = "the tree comes from a macro";
      else if (T.Type != "float" && T.Type != "double" && T.Type != "int" && T.Type != "unsigned int")
        S.WhyNot = "the array is of " + T.Type;
      else
        S.WhyNot = whyNotHalves(Ctx, K, T);
      if (S.WhyNot.empty())
        S.WhyNot = whyNotAfter(Ctx, K, T);
      if (S.WhyNot.empty() && (!Ctx.isFree(K.Decl, "lane") || !Ctx.isFree(K.Decl, "offset")))
        S.WhyNot = "the kernel uses the name lane or offset";
      if (S.WhyNot.empty())
        S.Sets.push_back({{}, llvm::json::Object{{"barriers", "five fewer"}}});
      const ActionContext *Context = &Ctx;
      S.Apply = [Context, T](const Settings &) -> llvm::Expected<std::vector<Edit>> {
        std::string A = T.Array->getNameAsString(), Combine = T.Combine;
        Combine.replace(Combine.find('%'), 1, "__shfl_down_sync(0xffffffff, lane, offset)");
        std::string Tail = "\nif (" + T.Thread + " < 32) {\n" + T.Type + " lane = " + A + "[" + T.Thread + "];\nfor (int offset = 16; offset > 0; offset /= 2)\nlane = " + Combine + ";\nif (" + T.Thread +
                           " == 0)\n" + A + "[0] = lane;\n}\n__syncthreads();";
        return std::vector<Edit>{Context->replace(T.Cond->getSourceRange(), Context->text(T.Cond->getLHS()->getSourceRange()) + " >= 32"),
                                 Context->insert(Context->bytes(T.Loop).second, Tail)};
      };
      Out.push_back(std::move(S));
    }
  }
}

KCHECK_ACTION(WarpReduce, "warp-reduce", "take the last steps of a tree in shared memory through shuffles", {}, find);

} // namespace
