//===- warp-reduce.cpp - the last steps of a tree through registers --------------------===//
//
//   for (int s = blockDim.x / 2; s > 0; s >>= 1) {       for (int s = blockDim.x / 2; s >= 32; s >>= 1) { ... }
//     if (t < s) sums[t] += sums[t + s];                 if (t < 32) {
//     __syncthreads();                                     float lane = sums[t];
//   }                                                      ... __shfl_down_sync ...
//                                                          if (t == 0) sums[0] = lane; }
//                                                        __syncthreads();
//
// For trees over one-dimensional shared arrays whose first elements alone are used afterwards. The barrier may stand in
// front of the step as well as behind it.
//
//===--------------------------------------------------------------------------------===//
#include "actions/contraction/Words.h"
#include "actions/engine/BlockReduce.h"
#include "actions/engine/Launches.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kcheck;

namespace {

/// One array of a tree.
struct Branch {
  const VarDecl *Array = nullptr;
  std::string Type, Combine; ///< Combine: "$" stands for the own value, "%" for the other
};

struct Tree {
  const ForStmt *Loop = nullptr;
  const BinaryOperator *Cond = nullptr;
  const VarDecl *Step = nullptr;
  std::string Thread, Barrier;
  std::vector<Branch> Branches;
  bool MeetsFirst = false; ///< the barrier stands in front of the step
  std::string arrays() const {
    return llvm::join(llvm::map_range(Branches, [](const Branch &B) { return B.Array->getNameAsString(); }), ", ");
  }
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

/// `s /= 2`, `s >>= 1`, `s = s / 2`, `s = s >> 1`
bool halves(const Expr *E, const VarDecl *V) {
  const auto *B = dyn_cast_or_null<BinaryOperator>(E);
  if (!B || !refersTo(B->getLHS(), V))
    return false;
  auto Op = B->getOpcode();
  if (Op == BO_Assign) {
    B = dyn_cast<BinaryOperator>(B->getRHS()->IgnoreParenImpCasts());
    if (!B || !refersTo(B->getLHS(), V))
      return false;
    Op = B->getOpcode() == BO_Shr ? BO_ShrAssign : B->getOpcode() == BO_Div ? BO_DivAssign : BO_Comma;
  }
  const auto *N = dyn_cast<IntegerLiteral>(B->getRHS()->IgnoreParenImpCasts());
  return N && ((Op == BO_ShrAssign && N->getValue() == 1) || (Op == BO_DivAssign && N->getValue() == 2));
}

/// `a[t] op a[t + s]` in one of its forms.
std::optional<Branch> branch(ActionContext &Ctx, const Expr *E, Tree &T) {
  const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  const auto *To = B && B->isAssignmentOp() ? dyn_cast<ArraySubscriptExpr>(B->getLHS()->IgnoreParens()) : nullptr;
  if (!To || !sharedBase(To) || !isThread(Ctx, To->getIdx()))
    return std::nullopt;
  Branch Out;
  Out.Array = sharedBase(To);
  Out.Type = typeText(Ctx, To->getType());
  T.Thread = Ctx.text(To->getIdx()->getSourceRange());
  auto Other = [&](const Expr *X) {
    const auto *A = dyn_cast<ArraySubscriptExpr>(X->IgnoreParenImpCasts());
    const auto *Sum = A && sharedBase(A) == Out.Array ? dyn_cast<BinaryOperator>(A->getIdx()->IgnoreParenImpCasts()) : nullptr;
    return Sum && Sum->getOpcode() == BO_Add &&
           ((isThread(Ctx, Sum->getLHS()) && refersTo(Sum->getRHS(), T.Step)) || (isThread(Ctx, Sum->getRHS()) && refersTo(Sum->getLHS(), T.Step)));
  };
  auto Own = [&](const Expr *X) {
    const auto *A = dyn_cast<ArraySubscriptExpr>(X->IgnoreParenImpCasts());
    return A && sharedBase(A) == Out.Array && isThread(Ctx, A->getIdx());
  };
  auto Pair = [&](const Expr *X, const Expr *Y) { return (Own(X) && Other(Y)) || (Own(Y) && Other(X)); };
  Out.Combine = "$ + %";
  if (B->getOpcode() == BO_AddAssign && Other(B->getRHS()))
    return Out;
  const Expr *Value = B->getRHS()->IgnoreParenImpCasts();
  if (B->getOpcode() != BO_Assign)
    return std::nullopt;
  if (const auto *P = dyn_cast<BinaryOperator>(Value); P && P->getOpcode() == BO_Add && Pair(P->getLHS(), P->getRHS()))
    return Out;
  if (const auto *C = dyn_cast<CallExpr>(Value); C && C->getNumArgs() == 2) {
    std::string N = calleeName(C);
    Out.Combine = N + "($, %)";
    if ((N == "fmaxf" || N == "fminf" || N == "fmax" || N == "fmin" || N == "max" || N == "min") && Pair(C->getArg(0), C->getArg(1)))
      return Out;
  }
  return std::nullopt;
}

bool recognise(ActionContext &Ctx, const ForStmt *F, Tree &T) {
  const auto *Init = dyn_cast_or_null<DeclStmt>(F->getInit());
  T.Step = Init && Init->isSingleDecl() ? dyn_cast<VarDecl>(Init->getSingleDecl()) : nullptr;
  T.Cond = F->getCond() ? dyn_cast<BinaryOperator>(F->getCond()->IgnoreParenImpCasts()) : nullptr;
  if (!T.Step || !T.Step->getInit() || !T.Cond || !refersTo(T.Cond->getLHS(), T.Step) || !halves(F->getInc(), T.Step))
    return false;
  auto Last = Ctx.constant(T.Cond->getRHS());
  auto Op = T.Cond->getOpcode();
  if (!((Op == BO_GT && Last == 0) || (Op == BO_GE && Last == 1) || (Op == BO_NE && Last == 0)))
    return false;
  const auto *Body = dyn_cast<CompoundStmt>(F->getBody());
  if (!Body || Body->size() != 2)
    return false;
  const Stmt *First = Body->body_begin()[0], *Second = Body->body_begin()[1];
  T.MeetsFirst = isa<IfStmt>(Second);
  const auto *If = dyn_cast<IfStmt>(T.MeetsFirst ? Second : First);
  const auto *Meet = dyn_cast<Expr>(T.MeetsFirst ? First : Second);
  const auto *Barrier = Meet ? dyn_cast<CallExpr>(Meet->IgnoreParenImpCasts()) : nullptr;
  if (!If || If->getElse() || !Barrier || callKind(Barrier) != CallKind::BlockBarrier)
    return false;
  T.Barrier = Ctx.text(Barrier->getSourceRange());
  const auto *Cond = dyn_cast<BinaryOperator>(If->getCond()->IgnoreParenImpCasts());
  if (!Cond || Cond->getOpcode() != BO_LT || !isThread(Ctx, Cond->getLHS()) || !refersTo(Cond->getRHS(), T.Step))
    return false;
  const Stmt *Then = If->getThen();
  std::vector<const Stmt *> Steps{Then};
  if (const auto *C = dyn_cast<CompoundStmt>(Then))
    Steps.assign(C->body_begin(), C->body_end());
  for (const Stmt *S : Steps) {
    const auto *E = dyn_cast<Expr>(S);
    auto B = E ? branch(Ctx, E, T) : std::nullopt;
    if (!B || llvm::any_of(T.Branches, [&](const Branch &Had) { return Had.Array == B->Array; }))
      return false;
    T.Branches.push_back(*B);
  }
  T.Loop = F;
  return !T.Branches.empty();
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

std::string whyNotAfter(ActionContext &Ctx, const KernelView &K, const Tree &T, const VarDecl *Array) {
  bool Nested = false, Elsewhere = false;
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (isa<ForStmt, WhileStmt, DoStmt>(S) && S != T.Loop)
      Nested |= Ctx.SM.isPointWithin(T.Loop->getForLoc(), S->getBeginLoc(), S->getEndLoc());
    if (const auto *D = dyn_cast<DeclRefExpr>(S); D && D->getDecl() == Array && Ctx.SM.isBeforeInTranslationUnit(T.Loop->getEndLoc(), D->getBeginLoc()))
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
      Uses += D->getDecl() == Array;
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(S); A && sharedBase(A) == Array)
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
      Site S = Ctx.siteAt(K, T.Loop->getForLoc(), "tree over " + T.arrays());
      if (!Ctx.editable(T.Loop->getSourceRange()))
        S.WhyNot = "the tree comes from a macro";
      for (const Branch &B : T.Branches)
        if (S.WhyNot.empty() && B.Type != "float" && B.Type != "double" && B.Type != "int" && B.Type != "unsigned int")
          S.WhyNot = "the array is of " + B.Type;
      if (S.WhyNot.empty())
        S.WhyNot = whyNotHalves(Ctx, K, T);
      for (const Branch &B : T.Branches)
        if (S.WhyNot.empty())
          S.WhyNot = whyNotAfter(Ctx, K, T, B.Array);
      if (S.WhyNot.empty() && !Ctx.isFree(K.Decl, "offset"))
        S.WhyNot = "the kernel uses the name offset";
      if (S.WhyNot.empty())
        S.Sets.push_back({{}, llvm::json::Object{{"barriers", "five fewer"}}});
      const ActionContext *Context = &Ctx;
      const FunctionDecl *In = K.Decl;
      S.Apply = [Context, T, In](const Settings &) -> llvm::Expected<std::vector<Edit>> {
        std::string Read, Step, Write;
        for (const Branch &B : T.Branches) {
          std::string A = B.Array->getNameAsString();
          std::string Lane = Context->freeName(In, T.Branches.size() > 1 ? A + "Lane" : "lane");
          std::string Other = "__shfl_down_sync(0xffffffff, " + Lane + ", offset)", Combined;
          for (char C : B.Combine)
            Combined += C == '$' ? Lane : C == '%' ? Other : std::string(1, C);
          Read += B.Type + " " + Lane + " = " + A + "[" + T.Thread + "];\n";
          Step += Lane + " = " + Combined + ";\n";
          Write += A + "[0] = " + Lane + ";\n";
        }
        std::string Open = T.Branches.size() > 1 ? " {\n" : "\n", Close = T.Branches.size() > 1 ? "}\n" : "";
        std::string Tail = std::string("\n") + (T.MeetsFirst ? T.Barrier + ";\n" : "") + "if (" + T.Thread + " < 32) {\n" + Read + "for (int offset = 16; offset > 0; offset /= 2)" + Open + Step + Close +
                           "if (" + T.Thread + " == 0)" + Open + Write + Close + "}" + (T.MeetsFirst ? "" : "\n" + T.Barrier + ";");
        return std::vector<Edit>{Context->replace(T.Cond->getSourceRange(), Context->text(T.Cond->getLHS()->getSourceRange()) + " >= 32"),
                                 Context->insert(Context->bytes(T.Loop).second, Tail)};
      };
      Out.push_back(std::move(S));
    }
  }
}

KCHECK_ACTION(WarpReduce, "warp-reduce", "take the last steps of a tree in shared memory through shuffles", {}, find);

} // namespace
