#include "gate/plan/Extension.h"
#include "gate/plan/Types.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::gate;

namespace {

/// at::Tensor and what may hold one.
bool isTensor(QualType T) {
  const CXXRecordDecl *R = T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
  return R && R->getQualifiedNameAsString() == "at::Tensor";
}
bool isOptionalTensor(QualType T) {
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl());
  return S && S->isInStdNamespace() && S->getName() == "optional" && S->getTemplateArgs().size() && S->getTemplateArgs()[0].getKind() == TemplateArgument::Type &&
         isTensor(S->getTemplateArgs()[0].getAsType());
}

/// Whether the text that calls can make a value (kcheck_torch_search.h, Given).
bool canBeGiven(QualType T) {
  if (T->isRValueReferenceType())
    return false;
  T = T.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  return isTensor(T) || isOptionalTensor(T) || T->isBooleanType() || T->isSpecificBuiltinType(BuiltinType::Float) || T->isSpecificBuiltinType(BuiltinType::Double) ||
         (T->isIntegerType() && !T->isEnumeralType() && !T->isAnyCharacterType()) || (R && R->getQualifiedNameAsString() == "c10::Scalar");
}

/// What each function calls, and which of them launch.
class Calls : public RecursiveASTVisitor<Calls> {
public:
  struct Of {
    llvm::SetVector<const FunctionDecl *> Called;
    bool Launches = false;
  };
  llvm::DenseMap<const FunctionDecl *, Of> All;

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool TraverseFunctionDecl(FunctionDecl *F) { return in(F, [&] { return RecursiveASTVisitor::TraverseFunctionDecl(F); }); }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *) {
    if (Current)
      All[Current].Launches = true;
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee();
    if (!Current || !F)
      return true;
    All[Current].Called.insert(F->getCanonicalDecl());
    All[Current].Launches |= F->getIdentifier() && (F->getName().starts_with("cudaLaunchKernel") || F->getName() == "cudaLaunchCooperativeKernel");
    return true;
  }

  bool launches(const FunctionDecl *F) {
    llvm::SetVector<const FunctionDecl *> Seen;
    Seen.insert(F->getCanonicalDecl());
    for (size_t I = 0; I < Seen.size(); ++I) {
      auto It = All.find(Seen[I]);
      if (It == All.end())
        continue;
      if (It->second.Launches)
        return true;
      Seen.insert(It->second.Called.begin(), It->second.Called.end());
    }
    return false;
  }

private:
  template <class F> bool in(FunctionDecl *D, F Do) {
    const FunctionDecl *Before = std::exchange(Current, D->getCanonicalDecl());
    bool Result = Do();
    Current = Before;
    return Result;
  }
  const FunctionDecl *Current = nullptr;
};

/// Functions with a body outside of classes and templates, through namespaces and extern "C".
void collect(const Decl *D, std::vector<const FunctionDecl *> &Out) {
  if (isa<NamespaceDecl, LinkageSpecDecl>(D)) {
    for (const Decl *Child : cast<DeclContext>(D)->decls())
      collect(Child, Out);
  } else if (const auto *F = dyn_cast<FunctionDecl>(D); F && F->isThisDeclarationADefinition() && !F->isTemplated() && F->getIdentifier()) {
    bool Device = F->hasAttr<CUDAGlobalAttr>() || (F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>());
    if (!Device && llvm::any_of(F->parameters(), [](const ParmVarDecl *P) { return isTensor(P->getType()) || isOptionalTensor(P->getType()); }))
      Out.push_back(F);
  }
}

ExtensionCall describe(const FunctionDecl *F) {
  const ASTContext &Ctx = F->getASTContext();
  PrintingPolicy Policy(Ctx.getLangOpts());
  Policy.SuppressUnwrittenScope = true; // anonymous namespaces cannot be named
  Policy.FullyQualifiedName = true;
  ExtensionCall C;
  C.Name = F->getQualifiedNameAsString();
  C.Line = Ctx.getSourceManager().getExpansionLineNumber(F->getLocation());
  std::string Arguments;
  for (const ParmVarDecl *P : F->parameters()) {
    const std::string Name = P->getName().empty() ? "argument " + std::to_string(P->getFunctionScopeIndex() + 1) : P->getNameAsString();
    if (!canBeGiven(P->getType())) {
      if (P->hasDefaultArg())
        break; // what the author gives
      C.Refusal = "nothing says what to give for parameter '" + Name + "' of type '" + P->getType().getAsString(Policy) + "'";
      return C;
    }
    if (P->hasDefaultArg() && !isTensor(P->getType()))
      break;
    QualType T = P->getType().getNonReferenceType().getCanonicalType().getUnqualifiedType();
    Arguments += (Arguments.empty() ? "" : ", ") + ("kcheck_torch::given<" + T.getAsString(Policy) + ">(S, " + std::to_string(P->getFunctionScopeIndex()) + ", \"" + Name + "\")");
  }
  C.Call = nameExpression(F) + "(" + Arguments + ")";
  return C;
}

} // namespace

std::vector<ExtensionCall> gate::extensionCalls(ASTContext &, llvm::ArrayRef<Decl *> Own) {
  std::vector<const FunctionDecl *> Functions;
  Calls Graph;
  for (Decl *D : Own) {
    collect(D, Functions);
    Graph.TraverseDecl(D);
  }
  llvm::erase_if(Functions, [&](const FunctionDecl *F) { return !Graph.launches(F); });
  std::vector<ExtensionCall> Out;
  for (const FunctionDecl *F : Functions) {
    bool Inner = llvm::any_of(Functions, [&](const FunctionDecl *G) {
      auto It = Graph.All.find(G->getCanonicalDecl());
      return G != F && It != Graph.All.end() && It->second.Called.contains(F->getCanonicalDecl());
    });
    if (!Inner)
      Out.push_back(describe(F));
  }
  return Out;
}
