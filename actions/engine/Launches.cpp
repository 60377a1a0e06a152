#include "actions/engine/Launches.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kcheck;

/// Behind copies, temporaries and conversions.
static const Expr *written(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenImpCasts();
    if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
      E = M->getSubExpr();
    else if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(E))
      E = B->getSubExpr();
    else if (const auto *F = dyn_cast<CXXFunctionalCastExpr>(E))
      E = F->getSubExpr();
    else if (const auto *C = dyn_cast<CXXConstructExpr>(E); C && C->getConstructor()->isCopyOrMoveConstructor() && C->getNumArgs() == 1)
      E = C->getArg(0);
    else if (const auto *W = dyn_cast<ExprWithCleanups>(E))
      E = W->getSubExpr();
    else
      return E;
  }
}

/// A local variable that holds the operand, or null.
static const VarDecl *localHolder(const Expr *Operand) {
  const Expr *E = written(Operand);
  if (const auto *C = dyn_cast<CXXConstructExpr>(E); C && C->getNumArgs() >= 1) // an integer made into a dim3
    if (C->getNumArgs() == 1 || isa<CXXDefaultArgExpr>(C->getArg(1)))
      E = C->getArg(0)->IgnoreParenImpCasts();
  const auto *D = dyn_cast<DeclRefExpr>(E);
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  return V && V->isLocalVarDecl() ? V : nullptr;
}

static bool isDim3(QualType T) {
  const auto *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->getIdentifier() && R->getName() == "dim3";
}

std::array<const Expr *, 3> kcheck::extentExprs(const ActionContext &Ctx, const Expr *Operand) {
  std::array<const Expr *, 3> Out{};
  const Expr *E = written(Operand);
  if (const VarDecl *V = localHolder(Operand); V && isDim3(V->getType())) {
    auto &Writes = const_cast<ActionContext &>(Ctx).get<VariableWrites>();
    // changed by member later (grid.x = ...): not spelt out
    bool Touched = false;
    if (const auto *F = dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod()))
      forEachStmt(F->getBody(), [&](const Stmt *S) {
        if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
          if (const auto *M = dyn_cast<MemberExpr>(B->getLHS()->IgnoreParens()))
            Touched |= refersTo(M->getBase(), V);
        if (const auto *O = dyn_cast<CXXOperatorCallExpr>(S); O && O->isAssignmentOp())
          Touched |= refersTo(O->getArg(0), V);
      });
    if (Touched || !V->getInit() || Writes.of(V).size() > 1)
      return Out;
    E = written(V->getInit());
  }
  if (const auto *C = dyn_cast<CXXConstructExpr>(E); C && isDim3(C->getType())) {
    for (unsigned I = 0; I < C->getNumArgs() && I < 3; ++I)
      if (!isa<CXXDefaultArgExpr>(C->getArg(I)))
        Out[I] = C->getArg(I);
  } else if (const auto *P = dyn_cast<ParenListExpr>(E)) { // `dim3 grid(a, b)` in a template: no constructor is chosen yet
    for (unsigned I = 0; I < P->getNumExprs() && I < 3; ++I)
      Out[I] = P->getExpr(I);
  } else if (!E->getType().isNull() && E->getType()->isIntegerType()) {
    Out[0] = E;
  } else if (const auto *L = dyn_cast<InitListExpr>(E)) {
    for (unsigned I = 0; I < L->getNumInits() && I < 3; ++I)
      if (!isa<CXXDefaultArgExpr>(L->getInit(I)))
        Out[I] = L->getInit(I);
  }
  return Out;
}

DimText kcheck::extentsOf(const ActionContext &Ctx, const Expr *Operand) {
  auto Exprs = extentExprs(Ctx, Operand);
  if (Exprs[0]) {
    DimText T;
    for (unsigned I = 0; I < 3; ++I)
      T[I] = Exprs[I] ? Ctx.text(Exprs[I]->getSourceRange()) : "1";
    return T;
  }
  std::string Base = Ctx.text(Operand->getSourceRange());
  const VarDecl *V = localHolder(Operand);
  if (!V || !isDim3(V->getType()))
    Base = "dim3(" + Base + ")";
  return {Base + ".x", Base + ".y", Base + ".z"};
}

static std::string asDim(const DimText &D) {
  if (D[2] != "1")
    return "dim3(" + D[0] + ", " + D[1] + ", " + D[2] + ")";
  return D[1] != "1" ? "dim3(" + D[0] + ", " + D[1] + ")" : D[0];
}

/// Is Name a word of Text?
static bool names(StringRef Text, StringRef Name) {
  auto IsWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  for (size_t At = Text.find(Name); At != StringRef::npos; At = Text.find(Name, At + 1))
    if ((At == 0 || !IsWord(Text[At - 1])) && (At + Name.size() == Text.size() || !IsWord(Text[At + Name.size()])))
      return true;
  return false;
}

void kcheck::setLaunchSizes(const ActionContext &Ctx, const LaunchSite &L, const DimText *Grid, const DimText *Block, std::vector<Edit> &Edits, bool OfNewBlock) {
  const VarDecl *Holders[2] = {localHolder(L.Syntax.Grid), localHolder(L.Syntax.Block)};
  const Expr *Operands[2] = {L.Syntax.Grid, L.Syntax.Block};
  const DimText *New[2] = {Grid, Block};
  for (unsigned I = 0; I < 2; ++I) {
    if (!New[I])
      continue;
    const VarDecl *V = Holders[I];
    // May the variable's own initialiser change? Only if no other code reads it.
    bool Own = V && V->getInit() && L.In && Holders[0] != Holders[1] && Ctx.editable(SourceRange(V->getLocation(), V->getEndLoc()));
    const Stmt *Other = nullptr;
    if (Own && Holders[1 - I] && New[1 - I])
      Other = Holders[1 - I]->getInit(); // it is replaced as well
    if (Own) {
      unsigned Uses = 0, Inside = 0;
      auto Count = [&](const Stmt *S, unsigned &N) { forEachStmt(S, [&](const Stmt *X) { if (const auto *D = dyn_cast<DeclRefExpr>(X)) N += D->getDecl() == V; }); };
      Count(L.In->getBody(), Uses);
      if (Other)
        Count(Other, Inside);
      Own = Uses - Inside == 1;
      for (const std::string &T : *New[I]) // the new words may not name the variable that they go into
        Own &= T.find(V->getNameAsString()) == std::string::npos;
      if (Own && Other)
        for (const std::string &T : *New[1 - I])
          Own &= !names(T, V->getName()) || (OfNewBlock && V->getLocation() < Holders[1 - I]->getLocation());
    }
    // A block constant that also is a number elsewhere keeps its decl; so does one of another function.
    if (Own && (isDim3(V->getType()) || (*New[I])[1] == "1")) {
      std::string Name = V->getNameAsString();
      const DimText &D = *New[I];
      std::string Init = isDim3(V->getType())
                             ? Name + "(" + D[0] + (D[1] != "1" || D[2] != "1" ? ", " + D[1] : "") + (D[2] != "1" ? ", " + D[2] : "") + ")"
                             : Name + " = " + D[0];
      Edits.push_back(Ctx.replace(SourceRange(V->getLocation(), V->getEndLoc()), Init));
      continue;
    }
    Edits.push_back(Ctx.replace(Operands[I]->getSourceRange(), asDim(*New[I])));
  }
}

/// A thread may hold so many registers that a block of more than this many threads asks for more than there are.
constexpr int64_t SafeBlock = 256;

std::string kcheck::fitLaunchBounds(const ActionContext &Ctx, const FunctionDecl *Kernel, int64_t Threads, bool Exactly, std::vector<Edit> &Edits) {
  const auto *A = Kernel->getAttr<CUDALaunchBoundsAttr>();
  if (!A) { // a declaration in front would have to agree
    if (Threads > SafeBlock && !Kernel->getPreviousDecl() && Ctx.editable(SourceRange(Kernel->getLocation())))
      Edits.push_back(Ctx.insert(Ctx.offset(Kernel->getLocation()), "__launch_bounds__(" + std::to_string(Threads) + ") "));
    return {};
  }
  auto N = Ctx.constant(A->getMaxThreads());
  if (N && (Exactly ? *N == Threads : *N >= Threads))
    return {};
  // __launch_bounds__ is a macro of the toolkit, its argument stands in the file
  SourceRange R(Ctx.SM.getFileLoc(A->getMaxThreads()->getBeginLoc()), Ctx.SM.getFileLoc(A->getMaxThreads()->getEndLoc()));
  if (!N || !Ctx.editable(R))
    return "__launch_bounds__ of " + Kernel->getNameAsString() + " does not fit blocks of " + std::to_string(Threads) + " threads and cannot be changed";
  Edits.push_back(Ctx.replace(R, std::to_string(Threads)));
  return {};
}

std::string kcheck::atLaunch(const ActionContext &Ctx, const LaunchSite &L, const FunctionDecl *Kernel, const Expr *E) {
  std::vector<Edit> Inner;
  bool Fine = Ctx.editable(E->getSourceRange());
  forEachStmt(E, [&](const Stmt *S) {
    if (const auto *D = dyn_cast<DeclRefExpr>(S)) {
      const auto *P = dyn_cast<ParmVarDecl>(D->getDecl());
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()); V && !P && V->hasGlobalStorage() && V->isConstexpr())
        return;
      unsigned I = P ? P->getFunctionScopeIndex() : 0;
      if (!P || P->getDeclContext() != Kernel || I >= L.Syntax.Call->getNumArgs()) {
        Fine = false;
        return;
      }
      const Expr *Arg = L.Syntax.Call->getArg(I);
      Fine &= Ctx.editable(Arg->getSourceRange()) && Ctx.isPure(Arg, true);
      std::string Text = Ctx.text(Arg->getSourceRange());
      Inner.push_back(Ctx.replace(D->getSourceRange(), E->IgnoreParenImpCasts() == D ? Text : asOperand(Text)));
    } else if (const auto *X = dyn_cast<Expr>(S)) {
      Fine &= isa<ImplicitCastExpr, ParenExpr, BinaryOperator, IntegerLiteral, UnaryOperator, ConditionalOperator, CStyleCastExpr, ConstantExpr>(X);
    }
  });
  if (!Fine)
    return {};
  return Ctx.text({Ctx.offset(E->getBeginLoc()), Ctx.endOffset(E->getEndLoc())}, std::move(Inner));
}

/// The loosest operator of What outside of parentheses; what is no plain arithmetic counts as loose.
static Holds holds(StringRef What) {
  Holds Loosest = Holds::Firmly;
  unsigned Depth = 0;
  bool Operand = false; // something stands in front that an operator could take as its left side
  for (size_t I = 0; I < What.size(); ++I) {
    char C = What[I];
    if (llvm::isSpace(C))
      continue;
    if (C == '"' || C == '\'' || C == '\\' || What.substr(I).starts_with("//") || What.substr(I).starts_with("/*"))
      return Holds::Loosely;
    if (C == '(' || C == '[') {
      ++Depth;
    } else if (C == ')' || C == ']') {
      if (Depth-- == 0)
        return Holds::Loosely;
    } else if (Depth == 0 && What.substr(I).starts_with("::")) {
      ++I;
      continue;
    } else if (Depth == 0 && !llvm::isAlnum(C) && C != '_' && C != '.') {
      if (!Operand || !StringRef("*/%+-").contains(C))
        return Holds::Loosely;
      Loosest = std::max(Loosest, C == '+' || C == '-' ? Holds::Sum : Holds::Product);
      Operand = false;
      continue;
    }
    Operand = true;
  }
  return Depth ? Holds::Loosely : Loosest;
}

/// What without the parentheses around all of it.
static StringRef bare(StringRef What) {
  for (What = What.trim(); What.starts_with("(") && What.ends_with(")"); What = What.drop_front().drop_back().trim()) {
    unsigned Depth = 0;
    for (char C : What.drop_back())
      if (Depth += C == '(' ? 1 : C == ')' ? -1 : 0; Depth == 0)
        return What;
  }
  return What;
}

std::string kcheck::asOperand(StringRef What, Holds May) {
  StringRef Bare = bare(What);
  Holds Is = holds(Bare);
  if (Is <= May && (May != Holds::Firmly || !Bare.starts_with("("))) // "(int)x"
    return Bare.str();
  return ("(" + Bare + ")").str();
}

std::string kcheck::ceilDivide(const std::string &What, int64_t By) {
  if (By == 1)
    return What;
  return "(" + asOperand(What, Holds::Sum) + " + " + std::to_string(By - 1) + ") / " + std::to_string(By);
}

std::optional<std::pair<unsigned, unsigned>> kcheck::bytesAsWritten(const ActionContext &Ctx, const Expr *E) {
  CharSourceRange R = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(E->getSourceRange()), Ctx.SM, Ctx.LO);
  if (R.isInvalid() || !Ctx.SM.isInMainFile(R.getBegin()))
    return std::nullopt;
  return std::pair{Ctx.SM.getFileOffset(R.getBegin()), Ctx.SM.getFileOffset(R.getEnd())};
}
