#include "matchers/Vocabulary.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace kcheck;

bool kcheck::isKernel(const FunctionDecl *F) { return F && F->hasAttr<CUDAGlobalAttr>(); }
bool kcheck::isDeviceFunction(const FunctionDecl *F) {
  return F && (F->hasAttr<CUDAGlobalAttr>() || F->hasAttr<CUDADeviceAttr>());
}
bool kcheck::hasChosenNumbers(const FunctionDecl *F) {
  return llvm::any_of(F->specific_attrs<AnnotateAttr>(), [](const AnnotateAttr *A) { return A->getAnnotation() == "kcheck::chosen_numbers"; });
}

bool kcheck::isHostFunction(const FunctionDecl *F) {
  return F && !F->hasAttr<CUDAGlobalAttr>() &&
         (F->hasAttr<CUDAHostAttr>() || !F->hasAttr<CUDADeviceAttr>());
}
bool kcheck::isSharedVariable(const VarDecl *V) { return V && V->hasAttr<CUDASharedAttr>(); }
bool kcheck::isDynamicShared(const VarDecl *V) {
  return isSharedVariable(V) && (V->hasExternalStorage() || V->getType()->isIncompleteArrayType());
}
bool kcheck::isConstantVariable(const VarDecl *V) { return V && V->hasAttr<CUDAConstantAttr>(); }
bool kcheck::isDeviceVariable(const VarDecl *V) {
  return V && V->hasGlobalStorage() && !V->hasAttr<CUDASharedAttr>() &&
         (V->hasAttr<CUDADeviceAttr>() || V->hasAttr<HIPManagedAttr>()) &&
         !V->hasAttr<CUDAConstantAttr>();
}

static std::optional<IndexVar> builtinVariable(const Expr *Base) {
  Base = Base->IgnoreParenImpCasts();
  if (const auto *O = dyn_cast<OpaqueValueExpr>(Base))
    if (O->getSourceExpr())
      Base = O->getSourceExpr()->IgnoreParenImpCasts();
  const auto *D = dyn_cast<DeclRefExpr>(Base);
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  if (!V || !V->getIdentifier() || !V->isFileVarDecl()) // `dim3 blockDim;` of a launcher is a variable like any other
    return std::nullopt;
  return llvm::StringSwitch<std::optional<IndexVar>>(V->getName())
      .Case("threadIdx", IndexVar::ThreadIdx)
      .Case("blockIdx", IndexVar::BlockIdx)
      .Case("blockDim", IndexVar::BlockDim)
      .Case("gridDim", IndexVar::GridDim)
      .Case("warpSize", IndexVar::WarpSize)
      .Default(std::nullopt);
}

static std::optional<unsigned> axisOf(StringRef Name) {
  Name.consume_front("__fetch_builtin_");
  if (Name == "x") return 0;
  if (Name == "y") return 1;
  if (Name == "z") return 2;
  return std::nullopt;
}

std::optional<BuiltinUse> kcheck::builtinUse(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *P = dyn_cast<PseudoObjectExpr>(E))
    E = P->getSyntacticForm()->IgnoreParenImpCasts();
  if (const auto *M = dyn_cast<MSPropertyRefExpr>(E)) {
    auto B = builtinVariable(M->getBaseExpr());
    auto A = axisOf(M->getPropertyDecl()->getName());
    if (B && A)
      return BuiltinUse{*B, *A};
    return std::nullopt;
  }
  if (const auto *M = dyn_cast<MemberExpr>(E)) { // a plain-struct declaration of the builtins
    auto B = builtinVariable(M->getBase());
    if (!B || !M->getMemberDecl()->getIdentifier())
      return std::nullopt;
    if (auto A = axisOf(M->getMemberDecl()->getName()))
      return BuiltinUse{*B, *A};
    return std::nullopt;
  }
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    if (auto B = builtinVariable(D); B && *B == IndexVar::WarpSize)
      return BuiltinUse{*B, 0};
  return std::nullopt;
}

static CallKind kindOfName(StringRef Name) {
  if (Name.starts_with("__syncthreads_")) return CallKind::BlockBarrierVote;
  if (Name.starts_with("__shfl"))
    return Name.ends_with("_sync") ? CallKind::Shuffle : CallKind::LegacyShuffle;
  if (Name.starts_with("__match_") || Name.starts_with("__reduce_"))
    return Name.ends_with("_sync") ? CallKind::Vote : CallKind::Other;
  if (Name.starts_with("atomic") && Name.size() > 6 && llvm::isUpper(Name[6])) return CallKind::Atomic;
  if (Name.starts_with("__threadfence")) return CallKind::Fence;
  return llvm::StringSwitch<CallKind>(Name)
      .Cases({"__syncthreads", "__barrier_sync"}, CallKind::BlockBarrier)
      .Case("__syncwarp", CallKind::WarpBarrier)
      .Cases({"__ballot_sync", "__any_sync", "__all_sync", "__uni_sync"}, CallKind::Vote)
      .Cases({"__ballot", "__any", "__all"}, CallKind::LegacyVote)
      .Case("__activemask", CallKind::ActiveMask)
      .Cases({"__pipeline_memcpy_async", "memcpy_async"}, CallKind::AsyncCopy)
      .Cases({"__pipeline_wait_prior", "__pipeline_commit"}, CallKind::AsyncWait)
      .Case("printf", CallKind::Printf)
      .Cases({"malloc", "free", "__nv_aligned_device_malloc"}, CallKind::DeviceMalloc)
      .Cases({"__assert_fail", "__assertfail", "assert"}, CallKind::Assert)
      .Cases({"__trap", "__brkpt", "exit", "abort"}, CallKind::Trap)
      .Default(CallKind::Other);
}

static CallKind groupSync(StringRef Class) {
  if (Class == "thread_block") return CallKind::BlockBarrier;
  if (Class == "grid_group" || Class == "cluster_group" || Class == "multi_grid_group")
    return CallKind::GridBarrier;
  if (Class.contains("tile") || Class.contains("coalesced_group") || Class == "thread_group" ||
      Class == "thread_group_base")
    return CallKind::TileBarrier;
  return CallKind::Other;
}

CallKind kcheck::callKind(const FunctionDecl *F) {
  if (!F)
    return CallKind::Other;
  if (!F->getIdentifier())
    return CallKind::Other;
  StringRef Name = F->getName();
  if (const auto *M = dyn_cast<CXXMethodDecl>(F)) {
    StringRef Class = M->getParent()->getName();
    if (Name == "sync" || Name == "barrier_wait")
      return groupSync(Class);
    if (Name == "arrive_and_wait" && Class == "barrier")
      return CallKind::BlockBarrier;
    if (Name.starts_with("shfl"))
      return CallKind::Shuffle;
    if (Name == "ballot" || Name == "any" || Name == "all" || Name.starts_with("match_"))
      return CallKind::Vote;
    if (Name.starts_with("fetch_") || Name == "exchange" || Name.starts_with("compare_exchange"))
      return CallKind::Other;
    return CallKind::Other;
  }
  if (Name == "sync" && F->getNumParams() == 1)
    if (const CXXRecordDecl *R = F->getParamDecl(0)->getType().getNonReferenceType()->getAsCXXRecordDecl())
      return groupSync(R->getName());
  if (Name == "wait" && F->getNumParams() == 1)
    return CallKind::AsyncWait;
  return kindOfName(Name);
}

CallKind kcheck::callKind(const CallExpr *Call) {
  if (const FunctionDecl *F = Call->getDirectCallee())
    return callKind(F);
  std::string Name = calleeName(Call);
  return Name.empty() ? CallKind::Other : kindOfName(Name);
}

std::string kcheck::calleeName(const CallExpr *Call) {
  if (const FunctionDecl *F = Call->getDirectCallee())
    return F->getNameAsString();
  const Expr *C = Call->getCallee()->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<OverloadExpr>(C))
    return U->getName().getAsString();
  if (const auto *M = dyn_cast<CXXDependentScopeMemberExpr>(C))
    return M->getMember().getAsString();
  if (const auto *D = dyn_cast<DependentScopeDeclRefExpr>(C))
    return D->getDeclName().getAsString();
  if (const auto *D = dyn_cast<DeclRefExpr>(C))
    return D->getDecl()->getNameAsString();
  if (const auto *M = dyn_cast<MemberExpr>(C))
    return M->getMemberDecl()->getNameAsString();
  return {};
}

const Stmt *kcheck::definitionBody(const FunctionDecl *F) {
  if (!F)
    return nullptr;
  const FunctionDecl *Def = nullptr;
  if (const Stmt *S = F->getBody(Def))
    return S;
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
    return Pattern->getBody(Def);
  return nullptr;
}

bool kcheck::sameExpression(const Expr *A, const Expr *B, const ASTContext &AST) {
  if (A == B)
    return true;
  llvm::FoldingSetNodeID X, Y;
  A->IgnoreParenImpCasts()->Profile(X, AST, /*Canonical=*/true);
  B->IgnoreParenImpCasts()->Profile(Y, AST, /*Canonical=*/true);
  return X == Y;
}

LaunchSyntax kcheck::launchSyntax(const CUDAKernelCallExpr *Call) {
  LaunchSyntax L;
  L.Call = Call;
  const CallExpr *Config = Call->getConfig();
  auto Arg = [&](unsigned I) -> const Expr * {
    if (!Config || I >= Config->getNumArgs() || isa<CXXDefaultArgExpr>(Config->getArg(I)))
      return nullptr;
    return Config->getArg(I);
  };
  L.Grid = Arg(0);
  L.Block = Arg(1);
  L.Shared = Arg(2);
  L.Stream = Arg(3);
  L.Kernel = Call->getDirectCallee();
  return L;
}
