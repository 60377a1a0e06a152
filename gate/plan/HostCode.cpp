#include "gate/plan/HostCode.h"
#include "gate/plan/Types.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using namespace kcheck;

std::string gate::callTextOf(const FunctionDecl *F) {
  const auto *M = dyn_cast<CXXMethodDecl>(F);
  if (M && (M->isInstance() || M->getAccess() == AS_private || M->getAccess() == AS_protected))
    return "";
  PrintingPolicy Policy(F->getASTContext().getLangOpts());
  Policy.SuppressUnwrittenScope = true; // anonymous namespaces cannot be named
  std::string Text = "extern \"C\" void kcheck_call(void **kcheck_a) {\n  (void)kcheck_a;\n  " + nameExpression(F) + "(";
  for (unsigned I = 0; I < F->getNumParams(); ++I) {
    QualType T = F->getParamDecl(I)->getType().getNonReferenceType().getCanonicalType().getUnqualifiedType();
    Text += std::string(I ? ", " : "") + "*(" + T.getAsString(Policy) + " *)kcheck_a[" + std::to_string(I) + "]";
  }
  return Text + ");\n}";
}

namespace {

/// The parameter that an expression is an address in.
const ParmVarDecl *parameterOf(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenCasts();
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
      E = B->getLHS();
    else
      break;
  }
  const auto *D = dyn_cast<DeclRefExpr>(E);
  return D ? dyn_cast<ParmVarDecl>(D->getDecl()) : nullptr;
}

class HostCopies : public RecursiveASTVisitor<HostCopies> {
public:
  HostCopies(const ASTContext &Ctx, bool Touched, std::vector<bool> &Out) : Ctx(Ctx), Touched(Touched), Out(Out) {}
  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee();
    if (!F || !F->getIdentifier() || C->getNumArgs() < 4 || !(F->getName() == "cudaMemcpy" || F->getName() == "cudaMemcpyAsync"))
      return true;
    Expr::EvalResult Kind;
    if (!C->getArg(3)->EvaluateAsInt(Kind, Ctx))
      return true;
    int64_t K = Kind.Val.getInt().getExtValue();
    if (K == 1)
      note(C->getArg(1));
    if (K == 2)
      note(C->getArg(0));
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    if (E->getCastKind() == CK_LValueToRValue)
      touched(E->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (B->isAssignmentOp())
      touched(B->getLHS());
    return true;
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; } // sizeof(*p) reads nothing
  bool TraverseLambdaExpr(LambdaExpr *L) {
    return L->getCallOperator()->hasAttr<CUDADeviceAttr>() || RecursiveASTVisitor::TraverseLambdaExpr(L);
  }

private:
  /// Host code that goes to p[i], *p or p->x itself.
  void touched(const Expr *E) {
    if (!Touched)
      return;
    E = E->IgnoreParens();
    while (const auto *M = dyn_cast<MemberExpr>(E)) {
      if (M->isArrow())
        return note(M->getBase());
      E = M->getBase()->IgnoreParens();
    }
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
      note(A->getBase());
    else if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
      note(U->getSubExpr());
  }
  void note(const Expr *E) {
    if (const ParmVarDecl *P = parameterOf(E); P && P->getFunctionScopeIndex() < Out.size())
      Out[P->getFunctionScopeIndex()] = true;
  }
  const ASTContext &Ctx;
  bool Touched;
  std::vector<bool> &Out;
};

/// Host variables of the file that a function names: which it only reads, which it may change; and what it calls.
struct Names {
  llvm::DenseSet<const VarDecl *> Read, Changed;
  llvm::DenseSet<const FunctionDecl *> Calls;
};

class NameCollector : public RecursiveASTVisitor<NameCollector> {
public:
  explicit NameCollector(Names &Out) : Out(Out) {}
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    if (E->getCastKind() != CK_LValueToRValue)
      return true;
    const Expr *Of = E->getSubExpr();
    for (;;) {
      Of = Of->IgnoreParenImpCasts();
      if (const auto *M = dyn_cast<MemberExpr>(Of); M && !M->isArrow())
        Of = M->getBase();
      else if (const auto *A = dyn_cast<ArraySubscriptExpr>(Of); A && A->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        Of = A->getBase();
      else
        break;
    }
    if (const auto *D = dyn_cast<DeclRefExpr>(Of))
      Plain.insert(D);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *D) {
    if (const auto *F = dyn_cast<FunctionDecl>(D->getDecl()))
      Out.Calls.insert(F->getCanonicalDecl());
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    bool Device = V && (V->hasAttr<CUDADeviceAttr>() || V->hasAttr<CUDAConstantAttr>() || V->hasAttr<CUDASharedAttr>());
    if (V && V->isFileVarDecl() && !Device && !V->getType().isConstQualified())
      (Plain.count(D) ? Out.Read : Out.Changed).insert(V->getCanonicalDecl());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    Out.Calls.insert(E->getConstructor()->getCanonicalDecl());
    return true;
  }
  bool VisitMemberExpr(MemberExpr *M) {
    if (const auto *F = dyn_cast<FunctionDecl>(M->getMemberDecl()))
      Out.Calls.insert(F->getCanonicalDecl());
    return true;
  }

private:
  Names &Out;
  llvm::DenseSet<const DeclRefExpr *> Plain; ///< met before the reference itself: parents come first
};

/// The host functions of the file, with what each names.
class HostFunctions : public RecursiveASTVisitor<HostFunctions> {
public:
  llvm::DenseMap<const FunctionDecl *, Names> All;
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(FunctionDecl *F) {
    bool Device = F->hasAttr<CUDAGlobalAttr>() || (F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>());
    if (F->isThisDeclarationADefinition() && F->hasBody() && !F->isDependentContext() && !Device)
      NameCollector(All[F->getCanonicalDecl()]).TraverseStmt(F->getBody());
    return true;
  }
};

/// What the interpreter of launchers leaves out, and a harness would feel.
class Concerns : public RecursiveASTVisitor<Concerns> {
public:
  explicit Concerns(const ASTContext &Ctx) : Ctx(Ctx) {}
  std::string Found;

  bool TraverseDecl(Decl *D) {
    const auto *F = dyn_cast_or_null<FunctionDecl>(D);
    bool Device = F && ((F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>()) || F->hasAttr<CUDAGlobalAttr>());
    if (Device || !Found.empty())
      return true;
    if (F && F->isThisDeclarationADefinition() && F->isExternC() && F->getIdentifier() && (F->getName().starts_with("cuda") || isClock(F->getName())))
      note(F->getLocation(), "the definition of " + F->getName());
    return RecursiveASTVisitor::TraverseDecl(D);
  }
  bool VisitCallExpr(CallExpr *C) {
    static const llvm::StringSet<> Names = {
        "cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "mprotect", "pkey_mprotect", "mmap", "mremap", "dlopen",
        "dlmopen", "dlsym", "dlvsym", "syscall", "write", "pwrite", "writev", "dprintf", "send", "open", "openat", "open64", "creat", "fopen",
        "fdopen", "freopen", "ptrace", "process_vm_writev", "process_vm_readv", "fork", "vfork", "clone", "system", "popen", "execv", "execve",
        "execvp", "execl", "execlp", "posix_spawn", "signal", "sigaction", "setenv", "putenv", "kill", "raise", "atexit", "on_exit", "pthread_create",
        "dup", "dup2", "dup3", "setitimer", "timer_create"};
    const FunctionDecl *F = C->getDirectCallee();
    if (F && F->getIdentifier() && Names.contains(F->getName()))
      note(C->getBeginLoc(), F->getName());
    return Found.empty();
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    const CXXRecordDecl *R = E->getConstructor()->getParent();
    if (R->isInStdNamespace() && R->getIdentifier() && (R->getName() == "thread" || R->getName() == "jthread" || R->getName() == "basic_ofstream"))
      note(E->getBeginLoc(), "std::" + R->getName());
    return Found.empty();
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *S) {
    note(S->getAsmLoc(), "inline assembly in host code");
    return Found.empty();
  }
  bool VisitStringLiteral(StringLiteral *S) {
    if (S->getCharByteWidth() == 1)
      for (const char *Word : {"kcheck.result", "kcheck.report", "kcheck.job", "result: PASS", "verdict: PASS"})
        if (S->getString().contains(Word))
          note(S->getBeginLoc(), "text that reads like an answer of kcheck's");
    return Found.empty();
  }

private:
  static bool isClock(llvm::StringRef Name) {
    return Name == "clock_gettime" || Name == "gettimeofday" || Name == "clock" || Name == "time" || Name == "timespec_get";
  }
  void note(SourceLocation At, const llvm::Twine &What) {
    if (Found.empty())
      Found = ("line " + llvm::Twine(Ctx.getSourceManager().getExpansionLineNumber(At)) + ": " + What).str();
  }
  const ASTContext &Ctx;
};

} // namespace

std::vector<bool> gate::hostMemoryOf(const FunctionDecl *F, bool Touched) {
  std::vector<bool> Out(F->getNumParams());
  if (Stmt *Body = F->getBody())
    HostCopies(F->getASTContext(), Touched, Out).TraverseStmt(Body);
  return Out;
}

std::string gate::hostStateOf(const FunctionDecl *F, llvm::ArrayRef<Decl *> Own) {
  HostFunctions H;
  for (Decl *D : Own)
    H.TraverseDecl(D);
  llvm::SetVector<const FunctionDecl *> Reached;
  Reached.insert(F->getCanonicalDecl());
  llvm::SetVector<const VarDecl *> Read;
  llvm::DenseSet<const VarDecl *> Changed, Elsewhere;
  for (size_t I = 0; I < Reached.size(); ++I)
    if (auto It = H.All.find(Reached[I]); It != H.All.end()) {
      Reached.insert(It->second.Calls.begin(), It->second.Calls.end());
      Read.insert(It->second.Read.begin(), It->second.Read.end());
      Changed.insert(It->second.Changed.begin(), It->second.Changed.end());
    }
  for (auto &[G, N] : H.All)
    if (!Reached.contains(G))
      Elsewhere.insert(N.Changed.begin(), N.Changed.end());
  for (const VarDecl *V : Read)
    if (!Changed.count(V) && (Elsewhere.count(V) || V->hasDefinition() == VarDecl::DeclarationOnly))
      return V->getNameAsString();
  return "";
}

std::string gate::hostConcern(ASTContext &Ctx, llvm::ArrayRef<Decl *> Own) {
  Concerns V(Ctx);
  for (Decl *D : Own) {
    V.TraverseDecl(D);
    if (!V.Found.empty())
      break;
  }
  return V.Found;
}
