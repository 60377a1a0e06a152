//===- global-effect.cpp - rule 1: a kernel must change global memory ----------===//
//
//   float acc = sum(row);                 float acc = sum(row);
//   if (lane == 0) acc = sqrtf(acc);      if (lane == 0) out[r] = sqrtf(acc);
//
// The runs of the interpreter clear a kernel as soon as one thread may write global memory. For the others
// the text is searched for every place that writes; each must be to locals or shared memory, or never run.
//
//===--------------------------------------------------------------------------===//
#include "Effects.h"
#include "LostBlocks.h"
#include "Uninitialised.h"
#include "Unreached.h"
#include "analyzers/engine/Rule.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "matchers/LaunchModel.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::effects;

namespace {

const TagInfo Tags[] = {
    {"no_global_write", "the kernel writes nothing that outlives it"},
    {"result_kept_local", "results go to the thread's own variables only"},
    {"write_to_shared_only", "results stay in shared memory"},
    {"store_unreachable", "the kernel's stores are never executed"},
    {"uninitialised_read", "a variable or shared memory is read before it has a value"},
};

/// Memory that outlives the kernel, as far as is known.
bool outlives(const eval::Object *O) {
  return !O || (O->Where != eval::Space::Local && !eval::isShared(O));
}

/// What the runs of one kernel say.
struct Observed {
  std::vector<const eval::KernelRun *> Runs;
  bool Writes = false;
  bool Exact = true;
  bool KnownBlock = true; ///< every launch has a block size that does not hang on the caller's arguments
  bool KnownGrid = true;  ///< the same of the number of blocks, and all of them ran
};

Observed observe(LaunchModel &M, llvm::ArrayRef<const LaunchSample *> All, const FunctionDecl *K) {
  auto Root = [](const FunctionDecl *F) {
    if (const FunctionDecl *P = F->getTemplateInstantiationPattern())
      F = P;
    return F->getCanonicalDecl();
  };
  Observed O;
  for (const LaunchSample *L : All) {
    const eval::KernelRun &R = *L->Run;
    if (R.Kernel->getCanonicalDecl() != K->getCanonicalDecl() && Root(R.Kernel) != K->getCanonicalDecl())
      continue;
    O.Runs.push_back(&R);
    O.Exact &= R.Imprecise.empty() && !R.OutOfFuel;
    O.KnownBlock &= !R.Assumed;
    O.KnownGrid &= int64_t(R.Blocks.size()) == R.blocks();
    for (const eval::Taint &T : R.GridTaint)
      O.KnownGrid &= !T.Params && !T.Data && !T.Assumed;
    for (const eval::Taint &T : R.BlockTaint)
      O.KnownBlock &= !T.Params && !T.Data && !T.Assumed;
    for (const eval::BlockRun &B : R.Blocks) {
      O.Exact &= llvm::none_of(B.Escapes, [](const eval::EscapeEvent &E) { return E.MayWrite; });
      for (const eval::Access &A : B.Accesses)
        O.Writes |= A.Kind != eval::AccessKind::Read && outlives(A.Obj);
    }
  }
  return O;
}

/// True when E hangs on nothing but thread indices, block dimensions and constants; with \p Blocks on block indices and
/// grid dimensions too.
class IndexOnly : public RecursiveASTVisitor<IndexOnly> {
public:
  explicit IndexOnly(bool Blocks) : Blocks(Blocks) {}
  bool Blocks;
  bool Ok = true;
  unsigned Depth = 0;
  bool TraversePseudoObjectExpr(PseudoObjectExpr *E) {
    auto B = builtinUse(E);
    Ok &= B && fixed(*B);
    return Ok;
  }
  bool TraverseMemberExpr(MemberExpr *E) {
    if (auto B = builtinUse(E)) {
      Ok &= fixed(*B);
      return Ok;
    }
    return Ok = false;
  }
  bool fixed(const BuiltinUse &B) const { return Blocks || (B.Which != IndexVar::BlockIdx && B.Which != IndexVar::GridDim); }
  bool VisitCallExpr(CallExpr *) { return Ok = false; }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *) { return Ok = false; }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (isa<EnumConstantDecl>(E->getDecl()) || builtinUse(E))
      return true;
    const auto *V = dyn_cast<VarDecl>(E->getDecl());
    if (!V || isa<ParmVarDecl>(V) || !V->getInit() || !V->getType()->isIntegralOrEnumerationType() || Depth > 4)
      return Ok = false;
    if (V->isConstexpr())
      return true;
    if (!V->getType().isConstQualified())
      return Ok = false;
    ++Depth;
    TraverseStmt(const_cast<Expr *>(V->getInit()));
    --Depth;
    return Ok;
  }
};

bool indexOnly(const Expr *E, bool Blocks) {
  IndexOnly V(Blocks);
  V.TraverseStmt(const_cast<Expr *>(E));
  return V.Ok;
}

class GlobalEffectRule : public Rule {
public:
  void check(RuleContext &Ctx) override {
    LaunchModel &M = Ctx.get<LaunchModel>();
    if (M.kernels().empty())
      return;
    checkUninitialised(Ctx, M);
    checkUnsetShared(Ctx, M);
    checkLostBlocks(Ctx, M);
    auto Runs = M.runs();
    llvm::DenseSet<const FunctionDecl *> Done;
    for (const FunctionDecl *K : M.kernels()) {
      const FunctionDecl *P = K->getTemplateInstantiationPattern();
      if (!Done.insert((P ? P : K)->getCanonicalDecl()).second || !Ctx.TU.inMainFile(K->getLocation()))
        continue;
      if (!hasConditionalText(Ctx, K) && !hasErrors(Ctx, K))
        checkUnreached(Ctx, K, Paths);
      Observed O = observe(M, Runs, K);
      if (O.Writes)
        Ctx.passed("kernel " + K->getNameAsString() + ": global memory write detected");
      else
        judge(Ctx, K, O);
    }
  }

private:
  /// Part of the kernel is for another architecture or build: what is seen here is not all of it.
  static bool hasConditionalText(RuleContext &Ctx, const FunctionDecl *K) {
    const SourceManager &SM = Ctx.TU.sources();
    SourceRange R = K->getSourceRange();
    CharSourceRange Body = CharSourceRange::getTokenRange(SM.getExpansionLoc(R.getBegin()), SM.getExpansionLoc(R.getEnd()));
    llvm::StringRef Text = Lexer::getSourceText(Body, SM, Ctx.TU.AST.getLangOpts());
    return Text.contains("#if") || Text.contains("# if");
  }

  /// A part of the kernel did not parse: what is missing may be the store.
  static bool hasErrors(RuleContext &Ctx, const FunctionDecl *K) {
    unsigned First = Ctx.TU.where(K->getBeginLoc()).Line, Last = Ctx.TU.where(K->getEndLoc()).Line;
    for (const ParseDiagnostic &D : Ctx.TU.Diagnostics)
      if (D.IsError && D.InMainFile && D.Where.Line >= First && D.Where.Line <= Last)
        return true;
    return K->isInvalidDecl();
  }

  void judge(RuleContext &Ctx, const FunctionDecl *K, const Observed &O) {
    if (hasConditionalText(Ctx, K) || hasErrors(Ctx, K))
      return;
    Effects E = effectsOf(K, Ctx.TU.AST);
    if (E.Opaque)
      return;
    if (E.Unseen) {
      if (!explained(Ctx, E.Sites, O, nullptr))
        return;
      std::string Name = calleeName(E.Unseen);
      Ctx.report("no_global_write", E.Unseen->getBeginLoc(),
                 "the kernel itself writes nothing to global memory; right only if " + Name + " does, which this file does not define")
          .kernel(K)
          .doubt()
          .defer();
      return;
    }
    if (!hasOutput(K) || (!E.UsesParameters && E.Sites.empty()))
      return;
    Dead D;
    if (explained(Ctx, E.Sites, O, &D))
      report(Ctx, K, E, D);
  }

  /// Where a store never runs, and why.
  struct Dead {
    const Stmt *At = nullptr;
    const Expr *Cond = nullptr;
  };

  /// True when no site of the list writes global memory.
  bool explained(RuleContext &Ctx, llvm::ArrayRef<Site> Sites, const Observed &O, Dead *D) {
    for (const Site &S : Sites) {
      if (S.To != Target::Open)
        continue;
      if (Paths.miss(S, Ctx.TU.AST)) {
        if (D && !D->At)
          D->At = S.At;
        continue;
      }
      if (O.Runs.empty() || !O.Exact)
        return false;
      Gate G = gateOf(Ctx, S, O);
      if (G.Reached)
        continue; // it ran, and wrote shared or local memory
      bool Fixed = G.Cond && O.KnownBlock && indexOnly(G.Cond, O.KnownGrid);
      if (!G.Cond || (!Fixed && !contradicted(Ctx, G)))
        return false;
      if (D)
        *D = {G.At, G.Cond};
    }
    return true;
  }

  /// A return, a trap or an assertion stands in front of the site: that the function was entered tells nothing of it.
  static bool leavesBefore(RuleContext &Ctx, const Site &S) {
    struct Exits : RecursiveASTVisitor<Exits> {
      const SourceManager *SM = nullptr;
      SourceLocation Here;
      bool Found = false;
      bool leaves(SourceLocation At) {
        Found |= SM->isBeforeInTranslationUnit(At, Here);
        return !Found;
      }
      bool VisitReturnStmt(ReturnStmt *R) { return leaves(R->getBeginLoc()); }
      bool VisitCallExpr(CallExpr *C) {
        CallKind K = callKind(C);
        return (K != CallKind::Trap && K != CallKind::Assert) || leaves(C->getBeginLoc());
      }
    } V;
    V.SM = &Ctx.TU.sources();
    V.Here = S.At->getBeginLoc();
    V.TraverseStmt(S.In->getBody());
    return V.Found;
  }

  /// Did some thread of a run read or write within the site's statement?
  static bool accessed(RuleContext &Ctx, const Site &S, const Observed &O) {
    const SourceManager &SM = Ctx.TU.sources();
    auto Inside = [&](const eval::Access &A) {
      return A.E && !SM.isBeforeInTranslationUnit(A.E->getExprLoc(), S.At->getBeginLoc()) && !SM.isBeforeInTranslationUnit(S.At->getEndLoc(), A.E->getExprLoc());
    };
    return llvm::any_of(O.Runs, [&](const eval::KernelRun *R) {
      return llvm::any_of(R->Blocks, [&](const eval::BlockRun &B) { return llvm::any_of(B.Accesses, Inside); });
    });
  }

  /// The branch that keeps every run from a site.
  struct Gate {
    bool Reached = false;
    const Stmt *At = nullptr;
    const Expr *Cond = nullptr;
  };

  static void disjuncts(const Expr *E, llvm::SmallVectorImpl<const Expr *> &Out) {
    E = E->IgnoreParenImpCasts();
    const auto *B = dyn_cast<BinaryOperator>(E);
    if (!B || B->getOpcode() != BO_LOr)
      return Out.push_back(E);
    disjuncts(B->getLHS(), Out);
    disjuncts(B->getRHS(), Out);
  }

  /// `if (a || b) return;`
  static bool leaves(const IfStmt &I) {
    const Stmt *Then = I.getThen();
    if (const auto *Body = dyn_cast<CompoundStmt>(Then); Body && !Body->body_empty())
      Then = Body->body_back();
    return !I.getElse() && isa<ReturnStmt>(Then);
  }

  /// `for (…; c < cols; …) if (c >= cols)`, or behind `if (c >= cols) return;`: what is around the gate says the opposite.
  static bool contradicted(RuleContext &Ctx, const Gate &G) {
    const VariableWrites &Writes = Ctx.get<VariableWrites>();
    const auto *Asked = dyn_cast<BinaryOperator>(G.Cond->IgnoreParenImpCasts());
    if (!Asked || !Asked->isComparisonOp())
      return false;
    auto Opposite = [&](const Expr *Known, bool Holds) {
      const auto *K = dyn_cast<BinaryOperator>(Known->IgnoreParenImpCasts());
      if (!K || !K->isComparisonOp())
        return false;
      auto Same = [&](const Expr *A, const Expr *B) { return sameExpression(A->IgnoreParenImpCasts(), B->IgnoreParenImpCasts(), Ctx.TU.AST); };
      BinaryOperatorKind Not = Holds ? BinaryOperator::negateComparisonOp(K->getOpcode()) : K->getOpcode();
      return Asked->getLHS()->getType()->isIntegerType() &&
             ((Same(Asked->getLHS(), K->getLHS()) && Same(Asked->getRHS(), K->getRHS()) && Asked->getOpcode() == Not) ||
              (Same(Asked->getLHS(), K->getRHS()) && Same(Asked->getRHS(), K->getLHS()) && Asked->getOpcode() == BinaryOperator::reverseComparisonOp(Not)));
    };
    const SourceManager &SM = Ctx.TU.sources();
    auto Within = [&](const Stmt *S, const Expr *Part) {
      return !SM.isBeforeInTranslationUnit(Part->getBeginLoc(), S->getBeginLoc()) && !SM.isBeforeInTranslationUnit(S->getEndLoc(), Part->getEndLoc());
    };
    // What it names has that value throughout; a loop's own variable moves on only between the trips.
    auto Stays = [&](const Expr *Side, const ForStmt *Loop) {
      const VarDecl *V = namedVariable(Side);
      if (!V)
        return isa<IntegerLiteral>(Side->IgnoreParenImpCasts());
      return !Writes.addressTaken(V) && llvm::all_of(Writes.of(V), [&](const VariableWrite &W) {
        return W.How == VariableWrite::Init || (Loop && Loop->getInc() && Within(Loop->getInc(), W.At));
      });
    };
    const Stmt *Child = G.At;
    for (auto Up = Ctx.TU.AST.getParents(*Child); !Up.empty(); Up = Ctx.TU.AST.getParents(*Child)) {
      const Stmt *S = Up[0].get<Stmt>();
      if (!S)
        return false;
      const auto *For = dyn_cast<ForStmt>(S);
      const auto *If = dyn_cast<IfStmt>(S);
      const Expr *Known = For && For->getBody() == Child ? For->getCond() : If && If->getThen() == Child ? If->getCond() : nullptr;
      if (const auto *Body = dyn_cast<CompoundStmt>(S))
        for (const Stmt *Before : Body->body()) {
          if (Before == Child)
            break;
          const auto *Exit = dyn_cast<IfStmt>(Before);
          llvm::SmallVector<const Expr *, 4> Left;
          if (Exit && leaves(*Exit))
            disjuncts(Exit->getCond(), Left);
          if (llvm::any_of(Left, [&](const Expr *E) { return Opposite(E, false); }) && Stays(Asked->getLHS(), nullptr) && Stays(Asked->getRHS(), nullptr))
            return true;
        }
      if (Known && Opposite(Known, true) && Stays(Asked->getLHS(), For) && Stays(Asked->getRHS(), For))
        return true;
      Child = S;
    }
    return false;
  }

  Gate gateOf(RuleContext &Ctx, const Site &S, const Observed &O) {
    auto Ran = [&](const Stmt *X) {
      for (const eval::KernelRun *R : O.Runs)
        if (R->Reached.count(X))
          return true;
      return false;
    };
    Gate G;
    const Stmt *Child = S.At;
    bool Inner = true; // no branch between the site and Child yet
    while (Child) {
      auto Parents = Ctx.TU.AST.getParents(*Child);
      if (Parents.empty())
        return G;
      const Stmt *Up = Parents[0].get<Stmt>();
      if (!Up) { // the function
        G.Reached = Inner && Ran(Child) && (!leavesBefore(Ctx, S) || accessed(Ctx, S, O));
        return G;
      }
      if (isa<ConditionalOperator>(Up) && cast<ConditionalOperator>(Up)->getCond() != Child)
        return G;
      if (const auto *B = dyn_cast<BinaryOperator>(Up); B && B->isLogicalOp() && B->getRHS() == Child)
        return G;
      if (const auto *I = dyn_cast<IfStmt>(Up); I && (I->getThen() == Child || I->getElse() == Child)) {
        if (Ran(Child)) {
          G.Reached = Inner;
          return G;
        }
        if (Ran(I)) {
          G.At = I;
          G.Cond = I->getCond();
          return G;
        }
        Inner = false;
      } else if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchCase>(Up)) {
        if (Ran(isa<SwitchCase>(Up) ? Up : Child)) {
          G.Reached = Inner;
          return G;
        }
        if (const auto *F = dyn_cast<ForStmt>(Up); !(F && F->getInit() == Child))
          Inner = false;
      }
      Child = Up;
    }
    return G;
  }

  /// A kernel without anything to write to is meant to write nothing.
  bool hasOutput(const FunctionDecl *K) {
    for (const ParmVarDecl *P : K->parameters()) {
      QualType T = P->getType().getNonReferenceType();
      // a volatile pointee is a flag that somebody else sets
      if (T->isPointerType() ? !T->getPointeeType().isConstQualified() && !T->getPointeeType().isVolatileQualified()
                             : T->isRecordType() || T->isDependentType())
        return true;
    }
    return false;
  }

  void report(RuleContext &Ctx, const FunctionDecl *K, const Effects &E, const Dead &D) {
    std::string Outputs;
    for (const ParmVarDecl *P : K->parameters())
      if (P->getType()->isPointerType() && !P->getType()->getPointeeType().isConstQualified())
        Outputs += (Outputs.empty() ? "" : ", ") + P->getNameAsString();
    std::string To = Outputs.empty() ? "global memory" : Outputs;
    if (D.Cond) {
      Ctx.report("store_unreachable", D.At->getBeginLoc(),
                 "the store to " + To + " never runs: no thread of the launched block satisfies '" +
                     Ctx.TU.text(D.Cond->getSourceRange()) + "'")
          .kernel(K)
          .evidence("condition", Ctx.TU.text(D.Cond->getSourceRange()));
      return;
    }
    if (D.At) {
      Ctx.report("store_unreachable", D.At->getBeginLoc(), "the store to " + To + " never runs: every path leaves the kernel before it")
          .kernel(K);
      return;
    }
    const Site *Last = lastWrite(Ctx, K, E);
    if (!Last) {
      // What it hands to others by reference are its own variables then.
      const CallExpr *Changed = lastChangeOfLocal(K);
      Ctx.report("no_global_write", Changed ? Changed->getBeginLoc() : K->getLocation(),
                 "the kernel writes nothing to " + To + (Changed ? ": what is changed here by reference are variables of the thread's own" : "")).kernel(K);
      return;
    }
    bool Shared = false;
    for (const Site &S : E.Sites)
      Shared |= S.To != Target::Local;
    llvm::StringRef Tag = Last->To != Target::Local          ? "write_to_shared_only"
                          : Last->Parameter || !onlyStores(E) ? "no_global_write"
                                                              : "result_kept_local";
    const char *Where = Last->Parameter                ? "a helper's own copy of its argument"
                        : Last->To != Target::Local || Shared ? "shared memory and the thread's own variables"
                                                       : "the thread's own variables";
    Ctx.report(Tag, Last->At->getBeginLoc(),
               "nothing reaches " + To + ": the kernel only writes " + Where + ", the last time here")
        .kernel(K)
        .note(K->getLocation(), "of kernel " + K->getNameAsString());
  }

  /// The last call of the kernel that may change a local variable, or a part of one, by reference; null if there is none.
  static const CallExpr *lastChangeOfLocal(const FunctionDecl *K) {
    struct Calls : ConstDynamicRecursiveASTVisitor {
      const CallExpr *Last = nullptr;
      bool VisitCallExpr(const CallExpr *C) override {
        const FunctionDecl *F = C->getDirectCallee();
        for (unsigned I = 0; F && !isa<CXXMethodDecl>(F) && I < std::min(C->getNumArgs(), F->getNumParams()); ++I) {
          QualType T = F->getParamDecl(I)->getType();
          const Expr *E = C->getArg(I)->IgnoreParenImpCasts();
          while (const auto *M = dyn_cast<MemberExpr>(E)) {
            if (M->isArrow())
              break;
            E = M->getBase()->IgnoreParenImpCasts();
          }
          const auto *D = dyn_cast<DeclRefExpr>(E);
          const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
          if (T->isLValueReferenceType() && !T->getPointeeType().isConstQualified() && V && V->isLocalVarDecl() && !V->getType()->isReferenceType())
            Last = C;
        }
        return true;
      }
    } V;
    V.TraverseStmt(K->getBody());
    return V.Last;
  }

  /// True when the last local write goes to an element or member, as a result would.
  static bool onlyStores(const Effects &E) {
    for (const Site &S : E.Sites)
      if (S.To == Target::Local && !S.LoopStep)
        if (const auto *B = dyn_cast<BinaryOperator>(S.At))
          if (isa<ArraySubscriptExpr, MemberExpr>(B->getLHS()->IgnoreParens()))
            return true;
    return false;
  }

  /// The write that a reader would take for the result.
  static const Site *lastWrite(RuleContext &Ctx, const FunctionDecl *K, const Effects &E) {
    const Site *Last = nullptr;
    const SourceManager &SM = Ctx.TU.sources();
    for (const Site &S : E.Sites) {
      if (S.LoopStep)
        continue;
      bool Mine = S.In->getCanonicalDecl() == K->getCanonicalDecl();
      if (S.Parameter && S.In->getReturnType()->isVoidType())
        return &S;
      if (Mine && (!Last || SM.isBeforeInTranslationUnit(SM.getExpansionLoc(Last->At->getBeginLoc()),
                                                         SM.getExpansionLoc(S.At->getBeginLoc()))))
        Last = &S;
    }
    return Last;
  }

  FlowPaths Paths;
};

KCHECK_RULE(GlobalEffectRule, "kcheck-global-effect", "1", "effect on global memory", Tags);

} // namespace
