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

} // namespace

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
