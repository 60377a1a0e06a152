#include "analyzers/engine/driver/Templates.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/Template.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kcheck;
using namespace clang;

namespace {

/// Does a function launch, and which templates does it name?
class Named : public DynamicRecursiveASTVisitor {
public:
  bool Launches = false;
  llvm::SmallPtrSet<const FunctionTemplateDecl *, 8> Templates;
  llvm::SmallPtrSet<const ValueDecl *, 4> BlockSizes; ///< parameters that a launch is shaped by, directly

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *C) override {
    Launches = true;
    for (const Expr *E : C->getConfig()->arguments()) {
      E = E->IgnoreImplicit()->IgnoreParenImpCasts();
      if (const auto *Dim = dyn_cast<CXXConstructExpr>(E); Dim && Dim->getNumArgs() > 0) // dim3(Block, 1, 1)
        E = Dim->getArg(0)->IgnoreImplicit()->IgnoreParenImpCasts();
      if (const auto *D = dyn_cast<DeclRefExpr>(E))
        BlockSizes.insert(D->getDecl());
    }
    return true;
  }
  bool VisitOverloadExpr(OverloadExpr *E) override {
    Launches |= E->getName().isIdentifier() && E->getName().getAsIdentifierInfo()->getName().starts_with("cudaLaunch");
    for (const NamedDecl *D : E->decls())
      if (const auto *T = dyn_cast<FunctionTemplateDecl>(D->getUnderlyingDecl()))
        Templates.insert(T->getCanonicalDecl());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    if (const auto *F = dyn_cast<FunctionDecl>(E->getDecl())) {
      Launches |= F->getIdentifier() && F->getName().starts_with("cudaLaunch");
      if (FunctionTemplateDecl *T = F->getPrimaryTemplate())
        Templates.insert(T->getCanonicalDecl());
    }
    return true;
  }
};

/// The function templates of the file, those in namespaces and among friends included.
class TemplatesIn : public DynamicRecursiveASTVisitor {
public:
  std::vector<FunctionTemplateDecl *> Found;
  bool VisitFunctionTemplateDecl(FunctionTemplateDecl *T) override {
    const FunctionDecl *F = T->getTemplatedDecl();
    if (F->isThisDeclarationADefinition() && !F->isInvalidDecl() && !isa<CXXMethodDecl>(F) && !F->hasAttr<CUDAGlobalAttr>() &&
        (!F->hasAttr<CUDADeviceAttr>() || F->hasAttr<CUDAHostAttr>()) && !T->getDeclContext()->isDependentContext())
      Found.push_back(T);
    return true;
  }
};

bool isInstantiated(FunctionTemplateDecl *T) { return !T->specializations().empty(); }

bool hasDefault(const NamedDecl *P) {
  if (const auto *T = dyn_cast<TemplateTypeParmDecl>(P))
    return T->hasDefaultArgument();
  if (const auto *N = dyn_cast<NonTypeTemplateParmDecl>(P))
    return N->hasDefaultArgument();
  return cast<TemplateTemplateParmDecl>(P)->hasDefaultArgument();
}

} // namespace

FunctionDecl *LauncherTemplates::instance(FunctionTemplateDecl *T, QualType Scalar) {
  constexpr uint64_t BlockSize = 256;
  ASTContext &AST = S.Context;
  SourceLocation Loc = T->getLocation();
  Named Body;
  Body.TraverseStmt(T->getTemplatedDecl()->getBody());
  TemplateArgumentListInfo Given(Loc, Loc);
  bool Numbers = false, Defaults = false;
  for (const NamedDecl *P : *T->getTemplateParameters()) {
    if (P->isParameterPack())
      return nullptr;
    Defaults |= hasDefault(P);
    if (hasDefault(P))
      continue;
    if (Defaults)
      return nullptr;
    if (isa<TemplateTypeParmDecl>(P)) {
      Given.addArgument({TemplateArgument(Scalar), AST.getTrivialTypeSourceInfo(Scalar, Loc)});
      continue;
    }
    // Of numbers only a block's size can be guessed, and a choice is made either way.
    const auto *N = dyn_cast<NonTypeTemplateParmDecl>(P);
    if (!N || N->getType()->isDependentType())
      return nullptr;
    Expr *E = nullptr;
    if (N->getType()->isBooleanType())
      E = CXXBoolLiteralExpr::Create(AST, false, AST.BoolTy, Loc);
    else if (N->getType()->isIntegerType() && !N->getType()->isEnumeralType() && Body.BlockSizes.contains(N))
      E = IntegerLiteral::Create(AST, llvm::APInt(unsigned(AST.getIntWidth(AST.IntTy)), BlockSize), AST.IntTy, Loc);
    if (!E)
      return nullptr;
    Numbers |= !N->getType()->isBooleanType();
    Given.addArgument({TemplateArgument(E, /*IsCanonical=*/false), E});
  }
  Sema::CheckTemplateArgumentInfo Checked;
  if (S.CheckTemplateArgumentList(T, Loc, Given, DefaultArguments(), /*PartialTemplateArgs=*/false, Checked))
    return nullptr;
  auto *List = TemplateArgumentList::CreateCopy(AST, Checked.CanonicalConverted);
  FunctionDecl *F = S.InstantiateFunctionDeclaration(T, List, Loc);
  if (!F || F->isInvalidDecl())
    return nullptr;
  Made.push_back(F);
  S.InstantiateFunctionDefinition(Loc, F, /*Recursive=*/true, /*DefinitionRequired=*/true, /*AtEndOfTU=*/true);
  S.PerformPendingInstantiations();
  if (Numbers) // matchers know it by this
    F->addAttr(AnnotateAttr::CreateImplicit(AST, "kcheck::chosen_numbers", nullptr, 0));
  return F;
}

void LauncherTemplates::instantiate(ArrayRef<Decl *> Scope) {
  TemplatesIn All;
  for (Decl *D : Scope)
    All.TraverseDecl(D);
  // Those that launch, and those that name one of them.
  std::vector<std::pair<FunctionTemplateDecl *, Named>> Bodies;
  for (FunctionTemplateDecl *T : All.Found) {
    Named B;
    B.TraverseStmt(T->getTemplatedDecl()->getBody());
    Bodies.push_back({T, std::move(B)});
  }
  llvm::SmallPtrSet<const FunctionTemplateDecl *, 8> Launchers;
  for (bool More = true; More;) {
    More = false;
    for (auto &[T, B] : Bodies)
      if (B.Launches || llvm::any_of(B.Templates, [&](auto *Of) { return Launchers.contains(Of); }))
        More |= Launchers.insert(T->getCanonicalDecl()).second;
  }
  if (Launchers.empty())
    return;
  DiagnosticsEngine &Diags = S.getDiagnostics();
  const bool WasSilent = Diags.getSuppressAllDiagnostics();
  Diags.setSuppressAllDiagnostics(true);
  llvm::SaveAndRestore File(S.TUScope, S.getCurScope()); // parsing has left it
  // Callers stand behind what they call: they say what it is called with.
  for (FunctionTemplateDecl *T : llvm::reverse(All.Found)) {
    if (!Launchers.contains(T->getCanonicalDecl()) || isInstantiated(T))
      continue;
    for (QualType Scalar : {S.Context.FloatTy, S.Context.IntTy}) {
      Made.clear();
      DiagnosticErrorTrap Trap(Diags);
      if (instance(T, Scalar) && !Trap.hasErrorOccurred())
        break;
      for (FunctionDecl *F : Made) // what was made with errors shows nothing
        F->setBody(nullptr);
    }
  }
  Diags.setSuppressAllDiagnostics(WasSilent);
}
