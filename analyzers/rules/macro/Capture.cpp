//===- Capture.cpp - names that a macro takes away ----------------------------===//
//
//   #define SWAP(a, b) do { float tmp = (a); (a) = (b); (b) = tmp; } while (0)
//   SWAP(lo, tmp);        // swaps nothing: (a) and (b) meet the macro's own tmp
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/macro/MacroChecks.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

using namespace clang;
using namespace kcheck;

namespace {

class CaptureVisitor : public DynamicRecursiveASTVisitor {
  using Base = DynamicRecursiveASTVisitor;

public:
  CaptureVisitor(RuleContext &Ctx, const MacroModel &Macros) : Ctx(Ctx), Macros(Macros), SM(Ctx.TU.sources()) {}

  bool TraverseFunctionDecl(FunctionDecl *F) override { return inFunction(F, [&] { return Base::TraverseFunctionDecl(F); }); }
  bool TraverseCXXMethodDecl(CXXMethodDecl *F) override { return inFunction(F, [&] { return Base::TraverseCXXMethodDecl(F); }); }
  bool TraverseCompoundStmt(CompoundStmt *S) override { return inScope([&] { return Base::TraverseCompoundStmt(S); }); }
  bool TraverseForStmt(ForStmt *S) override { return inScope([&] { return Base::TraverseForStmt(S); }); }

  bool VisitVarDecl(VarDecl *V) override {
    if (V->getDeclName().isIdentifier() && V->getDeclContext()->isFunctionOrMethod()) {
      renamed(V);
      Visible.push_back(V);
    }
    return true;
  }

  /// A name written by the user that met a variable declared inside a macro's body.
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    const auto *V = dyn_cast<VarDecl>(E->getDecl());
    if (!V || !V->isLocalVarDecl() || !V->getLocation().isMacroID() || SM.isMacroArgExpansion(V->getLocation()))
      return true;
    const DefinedMacro *D = Macros.spelledIn(V->getLocation());
    SourceLocation Written = SM.getSpellingLoc(E->getLocation());
    if (!D || Macros.spelledIn(Written))
      return true;
    const VarDecl *Hidden = hiddenBy(V);
    if (Hidden && Reported.insert(D->Info).second)
      report(*D, *V, *Hidden, Written, SM.isMacroArgExpansion(E->getLocation()));
    return true;
  }

private:
  template <class Fn> bool inScope(Fn Go) {
    size_t Size = Visible.size();
    bool R = Go();
    Visible.resize(Size);
    return R;
  }
  template <class Fn> bool inFunction(FunctionDecl *F, Fn Go) {
    const FunctionDecl *Before = std::exchange(Function, F);
    bool R = inScope(Go);
    Function = Before;
    objectMacros(F);
    return R;
  }

  const VarDecl *hiddenBy(const VarDecl *V) const {
    for (const VarDecl *O : Visible) // declared earlier, in a scope that is still open
      if (O != V && O->getDeclName() == V->getDeclName() && SM.isBeforeInTranslationUnit(O->getLocation(), V->getLocation()) &&
          !Macros.spelledIn(O->getLocation()))
        return O;
    return nullptr;
  }

  void report(const DefinedMacro &D, const VarDecl &V, const VarDecl &Hidden, SourceLocation Use, bool Argument) {
    auto F = Ctx.report("macro_shadows_local", Use,
                        "'" + V.getName() + "' here is the variable that macro '" + D.Name->getName() +
                            "' declares, not the one of the code around it");
    if (!Argument) // code after a loop macro may mean the macro's own index
      F.doubt();
    F.note(Hidden.getLocation(), "the hidden variable").note(D.Defined, "'" + D.Name->getName() + "' is defined here");
    if (Function && Function->hasAttr<CUDAGlobalAttr>())
      F.kernel(Function);
  }

  /// `#define stride width` … `int stride = 4;` declares a second width.
  void renamed(const VarDecl *V) {
    SourceLocation Loc = V->getLocation();
    if (!Loc.isMacroID() || SM.isMacroArgExpansion(Loc))
      return;
    const DefinedMacro *D = Macros.spelledIn(Loc);
    if (!D || !D->Info->isObjectLike() || D->Info->getNumTokens() != 1)
      return;
    if (const VarDecl *Hidden = hiddenBy(V); Hidden && Reported.insert(D->Info).second)
      Ctx.report("macro_shadows_local", SM.getExpansionLoc(Loc),
                 "'" + D->Name->getName() + "' is a macro: this declares a second '" + V->getName() + "' and hides the first")
          .note(Hidden->getLocation(), "the hidden variable");
  }

  /// A macro defined after a local variable of its name takes the variable's later uses away.
  void objectMacros(const FunctionDecl *F) {
    if (!F->hasBody() || !F->isThisDeclarationADefinition())
      return;
    SourceLocation Begin = SM.getExpansionLoc(F->getBeginLoc()), End = SM.getExpansionLoc(F->getBodyRBrace());
    for (const ExpandedMacro &E : Macros.expansions()) {
      if (!E.Info || !E.Info->isObjectLike() || SM.isBeforeInTranslationUnit(E.Begin, Begin) ||
          SM.isBeforeInTranslationUnit(End, E.Begin))
        continue;
      for (const Decl *L : F->decls()) {
        const auto *V = dyn_cast<VarDecl>(L);
        if (!V || V->getIdentifier() != E.Name || V->getLocation().isMacroID() ||
            !SM.isBeforeInTranslationUnit(V->getLocation(), E.Begin) || !Reported.insert(E.Info).second)
          continue;
        Ctx.report("macro_shadows_local", E.Begin,
                   "'" + V->getName() + "' here is the macro, not the variable of that name")
            .note(V->getLocation(), "the hidden variable")
            .note(E.Info->getDefinitionLoc(), "the macro");
      }
    }
  }

  RuleContext &Ctx;
  const MacroModel &Macros;
  const SourceManager &SM;
  const FunctionDecl *Function = nullptr;
  std::vector<const VarDecl *> Visible;
  llvm::SmallPtrSet<const MacroInfo *, 8> Reported;
};

} // namespace

void kcheck::checkMacroCapture(RuleContext &Ctx, const MacroModel &Macros) {
  CaptureVisitor(Ctx, Macros).TraverseAST(Ctx.TU.AST);
}
