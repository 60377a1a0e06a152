//===- privatise-atomics.cpp - one atomic a block instead of one a thread -------------===//
//
//   if (i < n)                                  float part = 0;
//     atomicAdd(out, x[i]);                     if (i < n) part += x[i];
//                                               part = blockSum(part);
//                                               if (threadIdx.x == 0) atomicAdd(out, part);
//
// For additions to one place that is the same for the whole block. Sums are made in another order.
//
//===--------------------------------------------------------------------------===//
#include "actions/engine/BlockReduce.h"
#include "actions/engine/Instances.h"
#include "actions/engine/MapKernel.h"
#include "matchers/VariableWrites.h"

using namespace clang;
using namespace kcheck;

namespace {

/// An atomicAdd whose result nobody reads.
struct Addition {
  const CallExpr *Call = nullptr;
  std::string Type;
};

/// E is thread 0 of an axis for certain: "threadIdx.x == 0", also by a variable, also beside other conditions.
bool oneThread(ActionContext &Ctx, const Expr *E) {
  const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  if (!B)
    if (const auto *U = dyn_cast<UnaryOperator>(E->IgnoreParenImpCasts()); U && U->getOpcode() == UO_LNot) {
      auto Index = builtinUse(Ctx.get<VariableWrites>().resolve(U->getSubExpr()));
      return Index && Index->Which == IndexVar::ThreadIdx;
    }
  if (B && B->getOpcode() == BO_LAnd)
    return oneThread(Ctx, B->getLHS()) || oneThread(Ctx, B->getRHS());
  if (!B || B->getOpcode() != BO_EQ)
    return false;
  auto Is = [&](const Expr *Index, const Expr *Value) {
    auto Use = builtinUse(Ctx.get<VariableWrites>().resolve(Index));
    return Use && Use->Which == IndexVar::ThreadIdx && Ctx.constant(Value);
  };
  return Is(B->getLHS(), B->getRHS()) || Is(B->getRHS(), B->getLHS());
}

/// C stands where one thread of a row comes only.
bool ofOneThread(ActionContext &Ctx, const Stmt *S, const CallExpr *C) {
  bool Yes = false;
  forEachStmt(S, [&](const Stmt *X) {
    if (const auto *I = dyn_cast<IfStmt>(X); I && !Yes && oneThread(Ctx, I->getCond()))
      forEachStmt(I->getThen(), [&](const Stmt *Y) { Yes |= Y == C; });
  });
  return Yes;
}

std::string plan(ActionContext &Ctx, const KernelView &K, Addition &A) {
  unsigned Returns = 0, Many = 0;
  bool Meets = false, Done = false;
  forEachStmt(K.body(), [&](const Stmt *S) {
    Returns += isa<ReturnStmt>(S);
    if (const auto *C = dyn_cast<CallExpr>(S)) {
      if (callKind(C) == CallKind::Atomic) {
        ++Many;
        if (calleeName(C) == "atomicAdd" && C->getNumArgs() == 2)
          A.Call = C;
      }
      Meets |= callKind(C) == CallKind::BlockBarrier;
      Done |= calleeName(C) == reducerName(Reduction::Sum);
    }
  });
  if (!A.Call)
    return "the kernel has no atomicAdd";
  if (Done)
    return "the block adds up before the atomic already";
  if (Many > 1)
    return "the kernel has several atomics";
  if (Meets)
    return "the kernel has barriers of its own";
  PrintingPolicy P(Ctx.LO);
  A.Type = A.Call->getArg(1)->getType().getUnqualifiedType().getAsString(P);
  if (A.Type != "float" && A.Type != "double" && A.Type != "int" && A.Type != "unsigned int")
    return "the sum is of type " + A.Type;
  // the value must not be read
  bool Statement = false;
  forEachStmt(K.body(), [&](const Stmt *S) {
    auto Is = [&](const Stmt *C) { const auto *E = dyn_cast_or_null<Expr>(C); return E && E->IgnoreParenImpCasts() == A.Call; };
    if (const auto *C = dyn_cast<CompoundStmt>(S))
      Statement |= llvm::any_of(C->body(), Is);
    else if (const auto *I = dyn_cast<IfStmt>(S))
      Statement |= Is(I->getThen()) || Is(I->getElse());
    else if (const auto *F = dyn_cast<ForStmt>(S))
      Statement |= Is(F->getBody());
    else if (const auto *W = dyn_cast<WhileStmt>(S))
      Statement |= Is(W->getBody());
  });
  if (!Statement)
    return "the atomic's result is used";
  if (ofOneThread(Ctx, K.body(), A.Call))
    return "one thread of a block does it already";
  // its place: parameters and constants only
  const Expr *Place = A.Call->getArg(0);
  bool Same = Ctx.isPure(Place, true);
  forEachStmt(Place, [&](const Stmt *S) {
    if (const auto *D = dyn_cast<DeclRefExpr>(S))
      Same &= isa<ParmVarDecl>(D->getDecl()) || (isa<VarDecl>(D->getDecl()) && cast<VarDecl>(D->getDecl())->hasGlobalStorage());
    if (const auto *E = dyn_cast<Expr>(S))
      if (auto B = builtinUse(E); B && B->Which == IndexVar::ThreadIdx)
        Same = false;
  });
  if (!Same)
    return "the atomic's place differs between the threads of a block";
  if (Returns && !mapKernel(Ctx, K).Index)
    return "threads return early: the block could not meet at the end";
  if (!Ctx.editable(A.Call->getSourceRange()) || !Ctx.editable(K.body()->getSourceRange()))
    return "the kernel comes from a macro";
  if (K.Launches.empty())
    return "the file has no launch of " + K.Name + " that shows its block";
  if (K.OtherUse)
    return K.Name + " is also used other than in a launch";
  return whyNotWholeWarps(Ctx, K);
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    if (!K.body())
      continue;
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "atomics of one place");
    auto A = std::make_shared<Addition>();
    S.WhyNot = whyNotOneInstance(K);
    if (S.WhyNot.empty())
      S.WhyNot = plan(Ctx, K, *A);
    if (std::vector<Edit> Trial; S.WhyNot.empty() && !needReducer(Ctx, K, Reduction::Sum, A->Type, Trial))
      S.WhyNot = "the file has another blockSum";
    if (S.WhyNot.empty())
      S.Sets.push_back({{}, llvm::json::Object{{"atomics", "one a block"}}});
    if (A->Call)
      S.Where = Ctx.TU.where(A->Call->getBeginLoc());
    ActionContext *Context = &Ctx;
    const KernelView *View = &K;
    S.Apply = [Context, View, A](const Settings &) -> llvm::Expected<std::vector<Edit>> {
      ActionContext &Ctx = *Context;
      std::vector<Edit> Edits;
      if (!needReducer(Ctx, *View, Reduction::Sum, A->Type, Edits))
        return llvm::createStringError("the file has another blockSum");
      std::string Part = Ctx.freeName(View->Decl, "blockPart");
      Edit Add = Ctx.replace(A->Call, Part + " += " + Ctx.text(A->Call->getArg(1)->getSourceRange()));
      std::string Meet = "\n" + Part + " = blockSum(" + Part + ");\nif (threadIdx.x == 0)\natomicAdd(" + Ctx.text(A->Call->getArg(0)->getSourceRange()) + ", " + Part + ");";
      unsigned Begin = Ctx.endOffset(View->body()->getLBracLoc()), End = Ctx.offset(View->body()->getRBracLoc());
      MapKernel M = mapKernel(Ctx, *View);
      if (M.Index) { // nobody may leave before the end
        std::string Text = A->Type + " " + Part + " = 0;\n" + Ctx.text(static_cast<const Stmt *>(M.IndexDecl)) + "\nif (" + M.Index->getNameAsString() + " < " + M.bound(Ctx) + ") {\n" +
                           M.work(Ctx, {Add}) + "}" + Meet;
        Edits.push_back(Ctx.replace(M.Bytes, Text));
        return Edits;
      }
      Edits.push_back(Ctx.insert(Begin, "\n" + A->Type + " " + Part + " = 0;"));
      Edits.push_back(Add);
      StringRef Body = Ctx.Text.slice(Begin, End);
      Edits.push_back(Ctx.insert(Begin + unsigned(Body.rtrim().size()), Meet));
      return Edits;
    };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(PrivatiseAtomics, "privatise-atomics", "add up within a block before one atomic", {}, find);

} // namespace
