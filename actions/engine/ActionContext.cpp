#include "actions/engine/ActionContext.h"
#include "actions/engine/Instances.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace kcheck;

const CompoundStmt *KernelView::body() const { return dyn_cast_or_null<CompoundStmt>(Decl->getBody()); }

namespace {

/// Kernels, launches and other mentions of kernels, template instantiations included.
class KernelCollector : public DynamicRecursiveASTVisitor {
public:
  explicit KernelCollector(ActionContext &Ctx) : Ctx(Ctx) { ShouldVisitTemplateInstantiations = true; }
  std::vector<const FunctionDecl *> Found;
  std::vector<std::pair<const CUDAKernelCallExpr *, const FunctionDecl *>> Launches;
  std::vector<const DeclRefExpr *> Uses;
  llvm::DenseSet<const Expr *> Callees;

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (F->doesThisDeclarationHaveABody()) {
      Current = F;
      if (isKernel(F) && Ctx.SM.isInMainFile(Ctx.SM.getExpansionLoc(F->getLocation())))
        Found.push_back(F);
    }
    return true;
  }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *C) override {
    Launches.push_back({C, Current});
    Callees.insert(C->getCallee()->IgnoreParenImpCasts());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *D) override {
    if (const auto *F = dyn_cast<FunctionDecl>(D->getDecl()); F && isKernel(F))
      Uses.push_back(D);
    return true;
  }

private:
  ActionContext &Ctx;
  const FunctionDecl *Current = nullptr;
};

const FunctionDecl *patternOf(const FunctionDecl *F) {
  if (const FunctionDecl *P = F->getTemplateInstantiationPattern())
    return P->getCanonicalDecl();
  return F->getCanonicalDecl();
}

} // namespace

ActionContext::ActionContext(TranslationUnit &TU, llvm::StringRef File)
    : TU(TU), AST(TU.AST), SM(TU.sources()), LO(TU.AST.getLangOpts()), File(File.str()),
      Text(SM.getBufferData(SM.getMainFileID())), Limits(DeviceLimits::of(TU.Arch)) {
  visitInstancesOnce(AST);
  collect();
}

void ActionContext::collect() {
  KernelCollector C(*this);
  C.TraverseAST(AST);
  llvm::DenseMap<const FunctionDecl *, size_t> Index;
  for (const FunctionDecl *F : C.Found) {
    auto [It, New] = Index.try_emplace(patternOf(F), Kernels.size());
    bool Pattern = F->isDependentContext();
    if (New) {
      KernelView K;
      K.Decl = F;
      K.Name = F->getNameAsString();
      K.Template = Pattern || F->isTemplateInstantiation();
      K.Instances = Pattern ? 0 : 1;
      Kernels.push_back(std::move(K));
      continue;
    }
    KernelView &K = Kernels[It->second];
    if (!Pattern && K.Instances++ == 0)
      K.Decl = F;
  }
  for (auto &[Call, In] : C.Launches) {
    LaunchSyntax L = launchSyntax(Call);
    const FunctionDecl *F = L.Kernel;
    if (!F)
      if (const auto *O = dyn_cast<OverloadExpr>(Call->getCallee()->IgnoreParenImpCasts()))
        for (const NamedDecl *D : O->decls())
          if (const auto *T = dyn_cast<FunctionTemplateDecl>(D))
            F = T->getTemplatedDecl();
    if (!F)
      continue;
    if (auto It = Index.find(patternOf(F)); It != Index.end()) {
      auto &Launches = Kernels[It->second].Launches;
      // Instantiations of a launcher repeat its one launch.
      if (llvm::none_of(Launches, [&](const LaunchSite &S) { return S.Syntax.Call->getBeginLoc() == Call->getBeginLoc(); }))
        Launches.push_back({L, In});
    }
  }
  for (const DeclRefExpr *D : C.Uses)
    if (auto It = Index.find(patternOf(cast<FunctionDecl>(D->getDecl()))); It != Index.end() && !C.Callees.count(D))
      Kernels[It->second].OtherUse = D;
}

/// Do these words stay one operand wherever they are put: one token, or a group in parentheses?
static bool isOneOperand(llvm::ArrayRef<Token> Words) {
  if (Words.size() <= 1)
    return Words.size() == 1;
  int Depth = 0;
  for (size_t I = 0; I < Words.size(); ++I) {
    Depth += Words[I].is(tok::l_paren) - Words[I].is(tok::r_paren);
    if (Depth == 0)
      return I + 1 == Words.size();
  }
  return false;
}

/// A macro that stands for one operand is as good as a name, where a range begins or ends with all of it.
static bool isWhole(const ActionContext &Ctx, SourceLocation Loc, bool End) {
  if (Loc.isFileID())
    return Ctx.SM.isWrittenInMainFile(Loc);
  SourceLocation Name = Ctx.SM.getExpansionLoc(Loc);
  if (!Ctx.SM.isWrittenInMainFile(Name) || !(End ? Lexer::isAtEndOfMacroExpansion(Loc, Ctx.SM, Ctx.LO) : Lexer::isAtStartOfMacroExpansion(Loc, Ctx.SM, Ctx.LO)))
    return false;
  llvm::StringRef Word = Lexer::getSourceText(CharSourceRange::getTokenRange(Name, Name), Ctx.SM, Ctx.LO);
  const MacroInfo *M = Ctx.TU.PP.getMacroInfo(Ctx.TU.PP.getIdentifierInfo(Word));
  return M && isOneOperand(M->tokens());
}

bool ActionContext::editable(SourceRange R) const { return R.isValid() && isWhole(*this, R.getBegin(), false) && isWhole(*this, R.getEnd(), true); }

unsigned ActionContext::offset(SourceLocation Loc) const { return SM.getFileOffset(SM.getExpansionLoc(Loc)); }

unsigned ActionContext::endOffset(SourceLocation Loc) const {
  SourceLocation E = SM.getExpansionRange(Loc).getEnd();
  return SM.getFileOffset(Lexer::getLocForEndOfToken(E, 0, SM, LO));
}

/// The part of S that its text ends with.
static const Stmt *lastPart(const Stmt *S) {
  for (;;) {
    const Stmt *Next = nullptr;
    if (const auto *I = dyn_cast<IfStmt>(S))
      Next = I->getElse() ? I->getElse() : I->getThen();
    else if (const auto *F = dyn_cast<ForStmt>(S))
      Next = F->getBody();
    else if (const auto *W = dyn_cast<WhileStmt>(S))
      Next = W->getBody();
    else if (const auto *L = dyn_cast<LabelStmt>(S))
      Next = L->getSubStmt();
    else if (const auto *A = dyn_cast<AttributedStmt>(S))
      Next = A->getSubStmt();
    else if (const auto *R = dyn_cast<CXXForRangeStmt>(S))
      Next = R->getBody();
    if (!Next)
      return S;
    S = Next;
  }
}

std::pair<unsigned, unsigned> ActionContext::bytes(const Stmt *S) const {
  unsigned Begin = offset(S->getBeginLoc());
  if (const auto *A = dyn_cast<AttributedStmt>(S)) // a pragma in front is not part of the statement
    Begin = offset(A->getSubStmt()->getBeginLoc());
  const Stmt *Last = lastPart(S);
  unsigned End = endOffset(Last->getEndLoc());
  if (isa<CompoundStmt>(Last) || isa<DeclStmt>(Last) || isa<NullStmt>(Last) || (isa<Expr>(S)))
    return {Begin, End};
  auto Next = Lexer::findNextToken(SM.getExpansionRange(Last->getEndLoc()).getEnd(), SM, LO);
  if (Next && Next->is(tok::semi))
    End = endOffset(Next->getLocation());
  return {Begin, End};
}

std::string ActionContext::text(const Stmt *S) const {
  auto [B, E] = bytes(S);
  return Text.substr(B, E - B).str();
}

std::string ActionContext::text(SourceRange R) const {
  unsigned B = offset(R.getBegin());
  return Text.substr(B, endOffset(R.getEnd()) - B).str();
}

std::string ActionContext::text(std::pair<unsigned, unsigned> Bytes, std::vector<Edit> Inner) const {
  llvm::erase_if(Inner, [&](const Edit &E) { return E.Offset < Bytes.first || E.Offset + E.Length > Bytes.second; });
  for (Edit &E : Inner)
    E.Offset -= Bytes.first;
  auto R = applyEdits(Text.substr(Bytes.first, Bytes.second - Bytes.first), std::move(Inner));
  if (R)
    return std::move(*R);
  llvm::consumeError(R.takeError());
  return {};
}

llvm::StringRef ActionContext::indentation(unsigned Offset) const {
  size_t Line = Text.rfind('\n', Offset ? Offset - 1 : 0);
  Line = Line == StringRef::npos || Offset == 0 ? 0 : Line + 1;
  if (Offset > 0 && Text[Offset - 1] == '\n')
    Line = Offset;
  return Text.substr(Line).take_while([](char C) { return C == ' ' || C == '\t'; });
}

Edit ActionContext::replace(std::pair<unsigned, unsigned> B, std::string With) const {
  return Edit{File, B.first, B.second - B.first, std::move(With)};
}
Edit ActionContext::replace(const Stmt *S, std::string With) const { return replace(bytes(S), std::move(With)); }
Edit ActionContext::replace(SourceRange R, std::string With) const {
  return replace({offset(R.getBegin()), endOffset(R.getEnd())}, std::move(With));
}

Edit ActionContext::replaceBody(const CompoundStmt *Body, const std::string &Lines) const {
  // The brace's own line is left alone, so that the signature keeps its layout.
  unsigned Begin = endOffset(Body->getLBracLoc()), End = offset(Body->getRBracLoc());
  StringRef Rest = Text.slice(Begin, End);
  size_t Blank = Rest.find_first_not_of(" \t");
  bool Open = Blank != StringRef::npos && Rest[Blank] == '\n';
  if (Open)
    Begin += unsigned(Blank) + 1;
  StringRef Last = Text.slice(Begin, End).rtrim(" \t");
  bool Closed = Last.empty() || Last.ends_with("\n");
  if (Closed)
    End = Begin + unsigned(Last.size());
  return replace({Begin, End}, (Open ? "" : "\n") + Lines + (Closed ? "" : "\n"));
}

bool ActionContext::isFree(const FunctionDecl *F, llvm::StringRef Name) const {
  if (TU.PP.getMacroInfo(TU.PP.getIdentifierInfo(Name)))
    return false;
  // Template parameters stand in front of that text.
  const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
  if (const FunctionTemplateDecl *T = (Pattern ? Pattern : F)->getDescribedFunctionTemplate())
    if (llvm::any_of(*T->getTemplateParameters(), [&](const NamedDecl *P) { return P->getName() == Name; }))
      return false;
  // Words of the function's own text: declarations, uses, members alike.
  std::string Own = text(F->getSourceRange());
  for (size_t At = Own.find(Name); At != std::string::npos; At = Own.find(Name, At + 1)) {
    auto Word = [](char C) { return isalnum(static_cast<unsigned char>(C)) || C == '_'; };
    if ((At == 0 || !Word(Own[At - 1])) && (At + Name.size() >= Own.size() || !Word(Own[At + Name.size()])))
      return false;
  }
  return true;
}

std::string ActionContext::freeName(const FunctionDecl *F, llvm::StringRef Wanted) const {
  std::string Name = Wanted.str();
  for (unsigned I = 2; !isFree(F, Name); ++I)
    Name = Wanted.str() + std::to_string(I);
  return Name;
}

std::optional<int64_t> ActionContext::constant(const Expr *E) const {
  if (!E || E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  Expr::EvalResult R;
  if (E->EvaluateAsInt(R, AST))
    return R.Val.getInt().getExtValue();
  return std::nullopt;
}

bool ActionContext::isPure(const Expr *E, bool LoadsToo) const {
  bool Pure = true;
  forEachStmt(E, [&](const Stmt *S) {
    if (const auto *U = dyn_cast<UnaryOperator>(S)) {
      Pure &= !U->isIncrementDecrementOp();
      Pure &= LoadsToo || U->getOpcode() != UO_Deref;
    } else if (const auto *B = dyn_cast<BinaryOperator>(S)) {
      Pure &= !B->isAssignmentOp();
    } else if (isa<ArraySubscriptExpr>(S)) {
      Pure &= LoadsToo;
    } else if (const auto *P = dyn_cast<PseudoObjectExpr>(S)) {
      Pure &= builtinUse(P).has_value();
    } else if (const auto *C = dyn_cast<CallExpr>(S)) {
      const FunctionDecl *F = C->getDirectCallee();
      bool Index = F && F->getIdentifier() && F->getName().starts_with("__fetch_builtin_");
      // A function is taken as pure by what it can reach: values in, a value out, no barrier, no state.
      bool Math = F && callKind(C) == CallKind::Other && F->isThisDeclarationADefinition() == false && !isa<CXXMethodDecl>(F) &&
                  F->getReturnType()->isArithmeticType() && llvm::all_of(F->parameters(), [](const ParmVarDecl *P) { return P->getType()->isArithmeticType(); }) &&
                  SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation())) && !F->getName().contains("clock");
      if (const FunctionDecl *D = F ? F->getDefinition() : nullptr; D && !Index && !Math)
        Math = SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())) && callKind(C) == CallKind::Other && D->getIdentifier() &&
               !D->getName().contains("clock") && !isa<CXXMethodDecl>(D) && D->getReturnType()->isArithmeticType() &&
               llvm::all_of(D->parameters(), [](const ParmVarDecl *P) { return P->getType()->isArithmeticType(); });
      Pure &= Index || Math;
    } else if (isa<CXXNewExpr>(S) || isa<CXXDeleteExpr>(S) || isa<AtomicExpr>(S) || isa<StmtExpr>(S) || isa<LambdaExpr>(S) ||
               isa<CXXThrowExpr>(S)) {
      Pure = false;
    } else if (const auto *D = dyn_cast<DeclRefExpr>(S)) {
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
        Pure &= !V->getType().isVolatileQualified() && (LoadsToo || V->isLocalVarDeclOrParm() || V->isConstexpr() || V->getType().isConstQualified());
    }
  });
  return Pure;
}

std::string ActionContext::negated(const Expr *E) const {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_LNot && editable(U->getSubExpr()->getSourceRange()))
    return text(U->getSubExpr()->getSourceRange());
  const auto *B = dyn_cast<BinaryOperator>(E);
  // In a macro's text the sides cannot be told apart; a NaN is neither less nor not less.
  if (!B || !(B->isRelationalOp() || B->isEqualityOp()) || !editable(B->getSourceRange()) || B->getLHS()->getType()->isRealFloatingType() || B->getRHS()->getType()->isRealFloatingType())
    return "!(" + text(E->getSourceRange()) + ")";
  return text(B->getLHS()->getSourceRange()) + " " + BinaryOperator::getOpcodeStr(BinaryOperator::negateComparisonOp(B->getOpcode())).str() + " " +
         text(B->getRHS()->getSourceRange());
}

std::string ActionContext::whyLaunchesAreFixed(const KernelView &K) const {
  if (K.Launches.empty())
    return "the file has no launch of " + K.Name + " to adjust";
  if (K.OtherUse)
    return K.Name + " is also used other than in a launch (line " + std::to_string(TU.where(K.OtherUse->getBeginLoc()).Line) + ")";
  for (const LaunchSite &L : K.Launches) {
    std::string Line = std::to_string(TU.where(L.Syntax.Call->getBeginLoc()).Line);
    if (!L.Syntax.Grid || !L.Syntax.Block || !editable(L.Syntax.Call->getSourceRange()))
      return "the launch at line " + Line + " comes from a macro";
    if (!editable(L.Syntax.Grid->getSourceRange()) || !editable(L.Syntax.Block->getSourceRange()))
      return "the sizes of the launch at line " + Line + " come from a macro";
  }
  return {};
}

Site ActionContext::siteAt(const KernelView &K, SourceLocation Loc, std::string What) const {
  Site S;
  S.Kernel = K.Name;
  S.Where = TU.where(Loc);
  S.What = std::move(What);
  return S;
}

void kcheck::forEachStmt(const Stmt *S, llvm::function_ref<void(const Stmt *)> F) {
  if (!S)
    return;
  F(S);
  if (const auto *P = dyn_cast<PseudoObjectExpr>(S)) { // an index variable: its written form is enough
    if (builtinUse(P))
      return;
  }
  for (const Stmt *C : S->children())
    forEachStmt(C, F);
}

llvm::DenseSet<const ValueDecl *> kcheck::namedIn(const Stmt *S) {
  llvm::DenseSet<const ValueDecl *> Names;
  forEachStmt(S, [&](const Stmt *C) {
    if (const auto *D = dyn_cast<DeclRefExpr>(C))
      Names.insert(D->getDecl());
  });
  return Names;
}

const ValueDecl *kcheck::referredTo(const Expr *E) {
  const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  return D ? D->getDecl() : nullptr;
}

bool kcheck::refersTo(const Expr *E, const ValueDecl *D) { return referredTo(E) == D; }
