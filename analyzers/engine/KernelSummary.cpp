#include "analyzers/engine/KernelSummary.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace kcheck;
using namespace clang;

namespace {

class Collector : public RecursiveASTVisitor<Collector> {
public:
  explicit Collector(TranslationUnit &TU) : TU(TU) {}
  std::vector<KernelSummary> Kernels;

  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->hasAttr<CUDAGlobalAttr>() && F->doesThisDeclarationHaveABody())
      kernel(F->getNameAsString(), TU.where(F->getLocation()).Line);
    return true;
  }

  bool VisitVarDecl(VarDecl *V) {
    if (!V->hasAttr<CUDASharedAttr>())
      return true;
    if (const auto *F = dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod()))
      if (F->hasAttr<CUDAGlobalAttr>())
        kernel(F->getNameAsString(), TU.where(F->getLocation()).Line).UsesShared = true;
    return true;
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Call) {
    std::string Name = calleeName(Call->getCallee());
    if (Name.empty())
      return true;
    LaunchSummary L;
    L.Line = TU.where(Call->getBeginLoc()).Line;
    L.SharedBytes = "0";
    if (const CallExpr *Config = Call->getConfig()) {
      if (Config->getNumArgs() > 0)
        L.Grid = text(Config->getArg(0));
      if (Config->getNumArgs() > 1)
        L.Block = text(Config->getArg(1));
      if (Config->getNumArgs() > 2 && !isa<CXXDefaultArgExpr>(Config->getArg(2)))
        L.SharedBytes = text(Config->getArg(2));
    }
    Launches.push_back({Name, L});
    return true;
  }

  std::vector<KernelSummary> take() {
    for (auto &[Name, L] : Launches)
      for (KernelSummary &K : Kernels)
        if (K.Name == Name)
          K.Launches.push_back(L);
    return std::move(Kernels);
  }

private:
  KernelSummary &kernel(std::string Name, unsigned Line) {
    for (KernelSummary &K : Kernels)
      if (K.Name == Name && K.Line == Line)
        return K;
    Kernels.push_back({std::move(Name), Line, false, {}});
    return Kernels.back();
  }

  static std::string calleeName(const Expr *Callee) {
    Callee = Callee->IgnoreParenImpCasts();
    if (const auto *D = dyn_cast<DeclRefExpr>(Callee))
      return D->getDecl()->getNameAsString();
    if (const auto *O = dyn_cast<OverloadExpr>(Callee))
      return O->getName().getAsString();
    return {};
  }

  std::string text(const Expr *E) {
    std::string T = TU.text(E->getSourceRange());
    // One line: an operand may be spread over several.
    std::string Flat;
    for (char C : T)
      if (!isspace(static_cast<unsigned char>(C)))
        Flat += C;
      else if (!Flat.empty() && Flat.back() != ' ')
        Flat += ' ';
    return Flat;
  }

  TranslationUnit &TU;
  std::vector<std::pair<std::string, LaunchSummary>> Launches;
};

} // namespace

std::vector<KernelSummary> kcheck::summariseKernels(TranslationUnit &TU) {
  Collector C(TU);
  for (Decl *D : TU.AST.getTraversalScope())
    C.TraverseDecl(D);
  return C.take();
}
