#include "SharedUse.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::shared;

namespace {

class UseVisitor : public RecursiveASTVisitor<UseVisitor> {
public:
  UseVisitor(SharedUse &Out, ASTContext &Ctx) : Out(Out), Ctx(Ctx) {}
  bool shouldVisitImplicitCode() const { return true; }

  void function(const FunctionDecl *F) {
    const FunctionDecl *Def = nullptr;
    if (!F || !F->getBody(Def) || Seen.size() > 300 || !Seen.insert(Def).second)
      return;
    const SourceManager &SM = Ctx.getSourceManager();
    if (SM.isInSystemHeader(SM.getExpansionLoc(Def->getLocation())))
      return;
    TraverseStmt(Def->getBody());
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseIfStmt(IfStmt *S) {
    if (S->isConstexpr() && !S->getCond()->isValueDependent())
      if (auto Taken = S->getNondiscardedCase(Ctx))
        return *Taken ? TraverseStmt(*Taken) : true;
    return RecursiveASTVisitor::TraverseIfStmt(S);
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *V = dyn_cast<VarDecl>(E->getDecl());
    if (!V || !isSharedVariable(V))
      return true;
    V = V->getCanonicalDecl();
    auto &List = isDynamicShared(V) ? Out.Dynamic : Out.Static;
    if (llvm::is_contained(List, V))
      return true;
    List.push_back(V);
    if (&List == &Out.Static) {
      QualType T = V->getType();
      if (T->isDependentType() || T->isIncompleteType())
        Out.Known = false;
      else {
        int64_t Align = Ctx.getDeclAlign(V).getQuantity();
        Out.StaticBytes = (Out.StaticBytes + Align - 1) / Align * Align + Ctx.getTypeSizeInChars(T).getQuantity();
      }
    }
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    function(C->getDirectCallee());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    function(E->getConstructor());
    return true;
  }

private:
  SharedUse &Out;
  ASTContext &Ctx;
  llvm::DenseSet<const FunctionDecl *> Seen;
};

} // namespace

SharedUse kcheck::shared::sharedUse(const FunctionDecl *Kernel, ASTContext &Ctx) {
  SharedUse Out;
  UseVisitor(Out, Ctx).function(Kernel);
  return Out;
}
