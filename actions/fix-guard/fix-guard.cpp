//===- fix-guard.cpp - the bounds check that a kernel lacks --------------------------------===//
//
//   int i = blockIdx.x * blockDim.x + threadIdx.x;      int i = blockIdx.x * blockDim.x + threadIdx.x;
//   b[i] = a[i];                                        if (i >= n)
//                                                         return;
//                                                       b[i] = a[i];
//
// The bound is the kernel's parameter that receives the launcher's size to which its buffers reach, or as many elements as the
// code around the launch allocates for a buffer of which each thread touches its own. Where the kernel has no such parameter it
// gets one, and its launches the number:
//
//   __global__ void add(const float *a, float *b)          __global__ void add(const float *a, float *b, int count)
//   cudaMalloc(&b, N * sizeof(float)); …                   …
//   add<<<N / 256, 256>>>(a, b);                           add<<<N / 256, 256>>>(a, b, N);
//
//===--------------------------------------------------------------------------------===//
#include "actions/contraction/Words.h"
#include "actions/engine/Instances.h"
#include "actions/engine/Launches.h"
#include "actions/engine/MapKernel.h"
#include "matchers/Allocations.h"
#include "matchers/ByteCount.h"
#include "matchers/Footprint.h"

using namespace clang;
using namespace kcheck;

namespace {

struct Guard {
  const DeclStmt *After = nullptr;
  std::string Index, Bound;
  std::string NewType;                ///< of a parameter that the kernel gets; empty: it has one
  std::vector<std::string> Arguments; ///< for it, launch by launch
};

/// What a launch knows of a buffer's length.
struct Elements {
  const Expr *Words = nullptr; ///< `N` of `N * sizeof(float)`; null where it does not stand there as such
  ByteCount Count;
};

/// Bytes without its sizeof.
const Expr *withoutSizeof(const VariableWrites &Writes, const Expr *Bytes) {
  const Expr *E = Bytes->IgnoreParenCasts();
  if (const auto *V = dyn_cast_or_null<VarDecl>(referredTo(E)))
    if (const Expr *Value = Writes.onlyValue(V))
      E = Value->IgnoreParenCasts();
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || B->getOpcode() != BO_Mul)
    return nullptr;
  bool Left = isa<UnaryExprOrTypeTraitExpr>(B->getLHS()->IgnoreParenCasts()), Right = isa<UnaryExprOrTypeTraitExpr>(B->getRHS()->IgnoreParenCasts());
  return Left == Right ? nullptr : (Left ? B->getRHS() : B->getLHS())->IgnoreParenImpCasts();
}

/// The length of what the launch passes for parameter P, where the file allocates it once and whole.
std::optional<Elements> elementsOf(ActionContext &Ctx, const LaunchSite &L, const ParmVarDecl *P) {
  unsigned At = P->getFunctionScopeIndex();
  const ValueDecl *Pointer = At < L.Syntax.Call->getNumArgs() ? pointerVariable(L.Syntax.Call->getArg(At)) : nullptr;
  const Allocation *A = Pointer && refersTo(L.Syntax.Call->getArg(At), Pointer) ? Ctx.get<Allocations>().of(Pointer) : nullptr;
  if (!A || !A->Bytes)
    return std::nullopt;
  Elements E;
  E.Count = byteCount(A->Bytes, Ctx.get<VariableWrites>(), Ctx.AST);
  if (E.Count.Sizes.size() != 1 || !Ctx.AST.hasSameUnqualifiedType(E.Count.Sizes[0], P->getType()->getPointeeType()))
    return std::nullopt;
  E.Words = withoutSizeof(Ctx.get<VariableWrites>(), A->Bytes);
  return E;
}

/// May the launch say E, with the value that the allocation had?
bool visibleAt(ActionContext &Ctx, const LaunchSite &L, const Expr *E) {
  auto &Writes = Ctx.get<VariableWrites>();
  return Ctx.isPure(E) && llvm::all_of(namedIn(E), [&](const ValueDecl *D) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V || Writes.addressTaken(V))
      return false;
    auto All = Writes.of(V);
    if (isa<ParmVarDecl>(V))
      return V->getDeclContext() == L.In && All.empty();
    if (V->hasGlobalStorage() && !V->isLocalVarDecl())
      return V->getType().isConstQualified() && Ctx.SM.isBeforeInTranslationUnit(V->getLocation(), L.Syntax.Call->getBeginLoc());
    bool Around = false; // the block that declares it holds the launch
    forEachStmt(L.In ? L.In->getBody() : nullptr, [&](const Stmt *S) {
      const auto *C = dyn_cast<CompoundStmt>(S);
      if (C && Ctx.SM.isPointWithin(L.Syntax.Call->getBeginLoc(), C->getBeginLoc(), C->getEndLoc()))
        for (const Stmt *X : C->body())
          if (const auto *DS = dyn_cast<DeclStmt>(X))
            Around |= llvm::is_contained(DS->decls(), V) && Ctx.SM.isBeforeInTranslationUnit(X->getBeginLoc(), L.Syntax.Call->getBeginLoc());
    });
    return Around && All.size() == 1 && All[0].How == VariableWrite::Init;
  });
}

/// The buffers of K of which each thread touches the element that has its index.
std::vector<const ParmVarDecl *> ownElements(const KernelView &K, const VarDecl *Index) {
  std::vector<const ParmVarDecl *> Out;
  forEachStmt(K.body(), [&](const Stmt *S) {
    const auto *A = dyn_cast<ArraySubscriptExpr>(S);
    const auto *P = A && refersTo(A->getIdx(), Index) ? dyn_cast_or_null<ParmVarDecl>(referredTo(A->getBase())) : nullptr;
    if (P && !llvm::is_contained(Out, P))
      Out.push_back(P);
  });
  return Out;
}

const ParmVarDecl *lastParameter(const FunctionDecl *F) { return F->getParamDecl(F->getNumParams() - 1); }

/// The bound from what is allocated; the reason why there is none, or empty.
std::string byAllocation(ActionContext &Ctx, const KernelView &K, const VarDecl *Index, Guard &G) {
  for (const ParmVarDecl *Buffer : ownElements(K, Index)) {
    std::vector<Elements> Each;
    for (const LaunchSite &L : K.Launches)
      if (auto E = elementsOf(Ctx, L, Buffer))
        Each.push_back(std::move(*E));
    if (Each.size() != K.Launches.size())
      continue;
    auto Same = [&](size_t I, const ParmVarDecl *P) {
      unsigned At = P->getFunctionScopeIndex();
      const CallExpr *Call = K.Launches[I].Syntax.Call;
      if (At >= Call->getNumArgs())
        return false;
      ByteCount B = byteCount(Call->getArg(At), Ctx.get<VariableWrites>(), Ctx.AST);
      return B.Sizes.empty() && B.Literal == Each[I].Count.Literal && B.sameSymbols(Each[I].Count);
    };
    for (const ParmVarDecl *P : K.Decl->parameters())
      if (P->getType()->isIntegerType() && Ctx.get<VariableWrites>().of(P).empty() && llvm::all_of(llvm::seq<size_t>(0, Each.size()), [&](size_t I) { return Same(I, P); })) {
        G.Bound = P->getNameAsString();
        return {};
      }
    std::string Why = whyNotOneInstance(K);
    if (Why.empty())
      Why = Ctx.whyLaunchesAreFixed(K);
    for (size_t I = 0; I < Each.size() && Why.empty(); ++I) {
      const Expr *Words = Each[I].Words;
      std::optional<std::pair<unsigned, unsigned>> Argument;
      if (!Words || !Words->getType()->isIntegerType() || !visibleAt(Ctx, K.Launches[I], Words))
        Why = "the launch does not see how many elements were allocated";
      else
        Argument = bytesAsWritten(Ctx, Words);
      if (Argument)
        G.Arguments.push_back(Ctx.text(*Argument, {}));
      else if (Why.empty())
        Why = "how many elements were allocated stands within a macro";
    }
    for (const FunctionDecl *D : K.Decl->redecls())
      if (const ParmVarDecl *Last = lastParameter(D); Why.empty() && (!Ctx.editable(Last->getSourceRange()) || Last->hasDefaultArg()))
        Why = "the kernel's parameters have defaults, or stand in a macro or another file";
    if (!Why.empty()) {
      G.Arguments.clear();
      return Why;
    }
    G.NewType = typeText(Ctx, Each.front().Words->getType().getUnqualifiedType());
    G.Bound = Ctx.freeName(K.Decl, "count");
    return {};
  }
  return "no parameter is known to be the number of elements, nor an allocation";
}

/// The parameter of K that the launch gives the launcher's size of this name.
std::string parameterFor(ActionContext &Ctx, const KernelView &K, StringRef Size) {
  for (const LaunchSite &L : K.Launches)
    for (unsigned I = 0; I < L.Syntax.Call->getNumArgs() && I < K.Decl->getNumParams(); ++I) {
      const Expr *Arg = Ctx.get<VariableWrites>().resolve(L.Syntax.Call->getArg(I));
      const ValueDecl *D = Arg ? referredTo(Arg) : nullptr;
      if (D && isa<ParmVarDecl>(D) && D->getName() == Size && K.Decl->getParamDecl(I)->getType()->isIntegerType())
        return K.Decl->getParamDecl(I)->getNameAsString();
    }
  return {};
}

std::string plan(ActionContext &Ctx, const KernelView &K, Guard &G) {
  const VarDecl *Index = nullptr;
  for (const Stmt *S : K.body()->body()) {
    const auto *D = dyn_cast<DeclStmt>(S);
    const auto *V = D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
    if (V && V->getInit() && globalIndexAxis(V->getInit()) == 0u) {
      Index = V;
      G.After = D;
      break;
    }
  }
  if (!Index)
    return "no variable holds blockIdx.x * blockDim.x + threadIdx.x alone";
  G.Index = Index->getNameAsString();
  bool Checked = false, Meets = false;
  forEachStmt(K.body(), [&](const Stmt *S) {
    const Expr *Cond = nullptr;
    if (const auto *I = dyn_cast<IfStmt>(S))
      Cond = I->getCond();
    if (const auto *F = dyn_cast<ForStmt>(S))
      Cond = F->getCond();
    if (const auto *C = dyn_cast<ConditionalOperator>(S))
      Cond = C->getCond();
    Checked |= Cond && namedIn(Cond).count(Index);
    if (const auto *C = dyn_cast<CallExpr>(S))
      Meets |= callKind(C) != CallKind::Other && callKind(C) != CallKind::Atomic;
  });
  if (Checked)
    return G.Index + " is checked already";
  if (Meets)
    return "threads meet in the kernel: none may leave early";
  if (K.Launches.empty())
    return "the file has no launch of " + K.Name + " that shows its sizes";
  Footprints All(Ctx.get<LaunchModel>());
  for (const Footprint &F : All.all()) {
    if (!F.Kernel || F.Kernel->getCanonicalDecl() != K.Decl->getCanonicalDecl())
      continue;
    auto C = Footprints::contract(F);
    if (!C || C->Multiply != 1 || C->Divide != 1)
      continue;
    G.Bound = parameterFor(Ctx, K, C->Text);
    if (!G.Bound.empty())
      return Ctx.editable(G.After->getSourceRange()) ? "" : "the index comes from a macro";
  }
  if (std::string Why = byAllocation(Ctx, K, Index, G); !Why.empty())
    return Why;
  return Ctx.editable(G.After->getSourceRange()) ? "" : "the index comes from a macro";
}

std::vector<Edit> apply(const ActionContext &Ctx, const KernelView &K, const Guard &G) {
  // On lines of its own, so that the index's keeps its spaces.
  unsigned End = Ctx.bytes(G.After).second;
  size_t Line = Ctx.Text.find('\n', End);
  StringRef Rest = Ctx.Text.slice(End, Line).trim();
  bool Own = Line != StringRef::npos && (Rest.empty() || Rest.starts_with("//"));
  std::string Check = "if (" + G.Index + " >= " + G.Bound + ")\nreturn;";
  std::vector<Edit> Edits{Own ? Ctx.insert(unsigned(Line + 1), Check + "\n") : Ctx.insert(End, "\n" + Check)};
  if (G.NewType.empty())
    return Edits;
  for (const FunctionDecl *D : K.Decl->redecls())
    Edits.push_back(Ctx.insert(Ctx.endOffset(lastParameter(D)->getEndLoc()), ", " + G.NewType + " " + G.Bound));
  for (size_t I = 0; I < K.Launches.size(); ++I) // behind the last argument
    Edits.push_back(Ctx.insert(Ctx.offset(K.Launches[I].Syntax.Call->getRParenLoc()), ", " + G.Arguments[I]));
  return Edits;
}

void find(ActionContext &Ctx, std::vector<Site> &Out) {
  for (const KernelView &K : Ctx.kernels()) {
    if (!K.body())
      continue;
    Site S = Ctx.siteAt(K, K.Decl->getLocation(), "index of the grid");
    auto G = std::make_shared<Guard>();
    S.WhyNot = plan(Ctx, K, *G);
    if (G->After)
      S.Where = Ctx.TU.where(G->After->getBeginLoc());
    if (S.WhyNot.empty())
      S.Sets.push_back({{}, llvm::json::Object{{"check", G->Index + " < " + G->Bound}, {"new_parameter", !G->NewType.empty()}}});
    const ActionContext *Context = &Ctx;
    const KernelView *View = &K;
    S.Apply = [Context, View, G](const Settings &) -> llvm::Expected<std::vector<Edit>> { return apply(*Context, *View, *G); };
    Out.push_back(std::move(S));
  }
}

KCHECK_ACTION(FixGuard, "fix-guard", "add the bounds check that a kernel lacks", {}, find);

} // namespace
