#include "analyzers/rules/sync/AsyncCopies.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// Does a kernel, or what it calls, wait for copies? Assembly and unseen code may.
class Waits : public ConstDynamicRecursiveASTVisitor {
public:
  explicit Waits(const ASTContext &AST) : SM(AST.getSourceManager()) {}
  bool Found = false;

  bool enter(const FunctionDecl *F) {
    const Stmt *Body = definitionBody(F);
    if (Body && Entered.insert(Body).second)
      TraverseStmt(Body);
    return !Found;
  }
  bool VisitGCCAsmStmt(const GCCAsmStmt *) override { return !(Found = true); }
  bool VisitCallExpr(const CallExpr *C) override {
    const FunctionDecl *F = C->getDirectCallee();
    if (!F || StringRef(calleeName(C)).contains("wait"))
      return !(Found = true);
    if (F->getBuiltinID() || callKind(F) != CallKind::Other || SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation())))
      return true;
    return definitionBody(F) ? enter(F) : !(Found = true);
  }

private:
  const SourceManager &SM;
  llvm::SmallPtrSet<const Stmt *, 8> Entered;
};

bool overlaps(const Access &A, const Access &B, unsigned N) {
  int64_t Begin = Unk, End = Unk;
  forEachLane(A.Who.May, N, [&](unsigned T) {
    if (int64_t At = A.Offset.at(T); At != Unk) {
      Begin = Begin == Unk ? At : std::min(Begin, At);
      End = End == Unk ? At + int64_t(A.Bytes) : std::max(End, At + int64_t(A.Bytes));
    }
  });
  bool Meets = false;
  forEachLane(B.Who.May, N, [&](unsigned T) {
    int64_t At = B.Offset.at(T);
    Meets |= Begin != Unk && At != Unk && At < End && At + int64_t(B.Bytes) > Begin;
  });
  return Meets;
}

/// What a statement, and the functions that it calls, does with groups of copies.
class Groups : public ConstDynamicRecursiveASTVisitor {
public:
  Groups(const Stmt *S, const ASTContext &AST) : AST(AST) { TraverseStmt(S); }
  bool Commits = false;
  const Expr *Wait = nullptr;          ///< the call, in the statement itself
  std::optional<int64_t> Left;         ///< groups that the last wait leaves in flight, where it is known

  bool VisitCallExpr(const CallExpr *C) override {
    const Expr *Before = std::exchange(Call, Depth ? Call : C);
    if (calleeName(C) == "__pipeline_commit")
      Commits = true;
    else if (calleeName(C) == "__pipeline_wait_prior" && C->getNumArgs() == 1)
      waits(C->getArg(0));
    else if (const FunctionDecl *F = C->getDirectCallee(); F && Depth < 4)
      if (const Stmt *Body = definitionBody(F); Body && Entered.insert(Body).second) {
        ++Depth;
        TraverseStmt(Body);
        --Depth;
      }
    Call = Before;
    return true;
  }
  bool TraverseLambdaExpr(const LambdaExpr *) override { return true; } // what it does is done where it is called
  bool VisitGCCAsmStmt(const GCCAsmStmt *A) override {
    std::string Text = A->getAsmString();
    Commits |= StringRef(Text).contains("cp.async.commit_group");
    if (StringRef(Text).contains("cp.async.wait_all"))
      Wait = Call, Left = 0;
    if (auto At = StringRef(Text).find("cp.async.wait_group"); At != StringRef::npos) {
      StringRef Of = StringRef(Text).substr(At + strlen("cp.async.wait_group")).ltrim();
      int64_t N;
      if (!Of.consumeInteger(10, N))
        Wait = Call, Left = N;
      else if (A->getNumInputs() == 1)
        waits(A->getInputExpr(0));
    }
    return true;
  }

private:
  void waits(const Expr *Count) {
    Expr::EvalResult R;
    Wait = Call;
    Left = !Count->isValueDependent() && Count->EvaluateAsInt(R, AST) ? std::optional(R.Val.getInt().getExtValue()) : std::nullopt;
  }
  const ASTContext &AST;
  const Expr *Call = nullptr;
  unsigned Depth = 0;
  llvm::SmallPtrSet<const Stmt *, 8> Entered;
};

/// Does the condition hang on something that goes on from round to round?
class Changing : public ConstDynamicRecursiveASTVisitor {
public:
  Changing(const Expr *E, const VariableWrites &Writes) : Writes(Writes) { TraverseStmt(E); }
  bool Found = false;
  bool VisitDeclRefExpr(const DeclRefExpr *D) override {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    Found |= V && llvm::any_of(Writes.of(V), [](const VariableWrite &W) { return W.How != VariableWrite::Init; });
    if (const Expr *Only = V && !Found ? Writes.onlyValue(V) : nullptr; Only && Seen.insert(V).second)
      TraverseStmt(Only);
    return !Found;
  }

private:
  const VariableWrites &Writes;
  llvm::SmallPtrSet<const VarDecl *, 8> Seen;
};

class LateGroups : public ConstDynamicRecursiveASTVisitor {
public:
  LateGroups(const VariableWrites &Writes, const ASTContext &AST) : Writes(Writes), AST(AST) {}
  LateGroup Found;
  const Stmt *Loop = nullptr;

  bool VisitForStmt(const ForStmt *S) override { return loop(S, S->getBody()); }
  bool VisitWhileStmt(const WhileStmt *S) override { return loop(S, S->getBody()); }

private:
  bool loop(const Stmt *S, const Stmt *Body) {
    LateGroup G;
    bool Plain = false, Kept = false;
    const auto *Block = dyn_cast_or_null<CompoundStmt>(Body);
    for (const Stmt *Child : Block ? llvm::ArrayRef<const Stmt *>(Block->body_begin(), Block->body_end()) : llvm::ArrayRef<const Stmt *>()) {
      const auto *If = dyn_cast<IfStmt>(Child);
      Groups Of(Child, AST);
      if (If && Of.Wait)
        Plain = true; // it waits as its condition says
      else if (If && Of.Commits && !If->getElse() && Changing(If->getCond(), Writes).Found)
        G.Commit = If;
      else if (Of.Commits)
        Plain = true;
      else if (Of.Wait) {
        G.Wait = Of.Wait;
        Kept = Of.Left && *Of.Left >= 1;
      }
    }
    if (!Plain && Kept && G.Commit && G.Wait) {
      Found = G;
      Loop = S;
    }
    return !Found.Wait;
  }
  const VariableWrites &Writes;
  const ASTContext &AST;
};

/// Waits for all groups after a point of the text: the rest of a pipeline.
class FullWaitAfter : public ConstDynamicRecursiveASTVisitor {
public:
  FullWaitAfter(const Stmt *Loop, const ASTContext &AST) : Loop(Loop), AST(AST) {}
  bool Found = false;
  bool TraverseStmt(const Stmt *S) override {
    return S == Loop ? true : ConstDynamicRecursiveASTVisitor::TraverseStmt(S);
  }
  bool VisitCallExpr(const CallExpr *C) override {
    Groups Of(C, AST);
    Found |= Of.Wait && (!Of.Left || *Of.Left == 0) && AST.getSourceManager().isBeforeInTranslationUnit(Loop->getEndLoc(), C->getBeginLoc());
    return !Found;
  }

private:
  const Stmt *Loop;
  const ASTContext &AST;
};

} // namespace

LateGroup kcheck::lateGroup(const FunctionDecl *Kernel, const VariableWrites &Writes) {
  const ASTContext &AST = Kernel->getASTContext();
  LateGroups L(Writes, AST);
  L.TraverseStmt(Kernel->getBody());
  if (!L.Found.Wait)
    return {};
  FullWaitAfter After(L.Loop, AST);
  After.TraverseStmt(Kernel->getBody());
  return After.Found ? LateGroup() : L.Found;
}

std::pair<const Access *, const Access *> kcheck::readWithoutWait(const KernelRun &Run, const BlockRun &Block) {
  for (const Access &Copy : Block.Accesses) {
    if (!Copy.Async || Copy.Kind != AccessKind::Write || !Copy.Obj)
      continue;
    for (const Access &Read : Block.Accesses)
      if (Read.Kind == AccessKind::Read && Read.Obj == Copy.Obj && Read.Sequence > Copy.Sequence && Read.E && overlaps(Copy, Read, Run.threads())) {
        Waits W(Run.Kernel->getASTContext());
        W.enter(Run.Kernel);
        return W.Found ? std::pair<const Access *, const Access *>{} : std::pair{&Copy, &Read};
      }
  }
  return {};
}

EarlyRead kcheck::readBeforeItLands(const KernelRun &Run, const BlockRun &Block) {
  if (Block.GroupWaits.empty())
    return {};
  for (const Access &Copy : Block.Accesses) {
    if (!Copy.Async || Copy.Kind != AccessKind::Write || !Copy.Obj || Copy.Sequence >= Block.GroupsUntil)
      continue;
    for (const Access &Read : Block.Accesses) {
      if (Read.Kind != AccessKind::Read || Read.Obj != Copy.Obj || Read.Sequence < Copy.Sequence || Read.Sequence >= Block.GroupsUntil || !Read.E ||
          Read.Group >= Copy.Group || !overlaps(Copy, Read, Run.threads()))
        continue;
      const GroupWait *Last = nullptr;
      for (const GroupWait &W : Block.GroupWaits)
        if (W.Sequence > Copy.Sequence && W.Sequence <= Read.Sequence && W.Committed >= Copy.Group)
          Last = &W;
      if (Last)
        return {&Copy, &Read, Last->Call, Last->Committed - Copy.Group};
    }
  }
  return {};
}
