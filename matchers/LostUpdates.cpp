//===- LostUpdates.cpp - read, change and write back without an atomic ---------===//
#include "matchers/LostUpdates.h"
#include "llvm/ADT/FoldingSet.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

bool isVisible(const Object *O) {
  return O && O->Where != Space::Local && O->Where != Space::Host;
}

/// The same expression, or one written alike.
bool alike(const Expr *A, const Expr *B, const ASTContext &AST) {
  if (A == B)
    return true;
  llvm::FoldingSetNodeID X, Y;
  A->IgnoreParenCasts()->Profile(X, AST, true);
  B->IgnoreParenCasts()->Profile(Y, AST, true);
  return X == Y;
}

/// Does the block read, a few accesses before, what it writes at \p At?
bool isUpdate(const BlockRun &B, size_t At, const ASTContext &AST) {
  constexpr size_t Back = 8;
  const Access &W = B.Accesses[At];
  for (size_t I = At; I > 0 && At - I < Back; --I) {
    const Access &R = B.Accesses[I - 1];
    if (R.Kind != AccessKind::Read || R.Obj != W.Obj || !R.E)
      continue;
    if (alike(R.E, W.E, AST))
      return true;
  }
  return false;
}

/// Exchanges that may be a lock around the update.
bool mayLock(const BlockRun &B) {
  return B.Fences || llvm::any_of(B.Accesses, [](const Access &A) {
    const auto *C = A.Kind == AccessKind::Atomic ? dyn_cast_or_null<CallExpr>(A.E) : nullptr;
    const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
    return F && F->getIdentifier() && (F->getName().contains("CAS") || F->getName().contains("Exch"));
  });
}

/// Do two threads of one block write one place by the expression? (A row that each block is given is the block's.)
bool meets(const KernelRun &R, const Expr *E) {
  bool Met = false;
  for (const BlockRun &B : R.Blocks) {
    llvm::DenseMap<int64_t, unsigned> Writers;
    for (const Access &A : B.Accesses)
      if (A.Kind == AccessKind::Write && A.E == E)
        forEachLane(A.Who.May, R.threads(), [&](unsigned T) {
          if (A.Offset.at(T) != Unk)
            Met |= Writers.try_emplace(A.Offset.at(T), T).first->second != T;
        });
  }
  return Met;
}

} // namespace

std::vector<LostUpdate> kcheck::lostUpdates(LaunchModel &Model, const LaunchSample &L, const llvm::DenseSet<const Expr *> &Known) {
  std::vector<LostUpdate> Found;
  const KernelRun &R = *L.Run;
  if (!L.Step || !R.Kernel || R.threads() < 2)
    return Found;
  const ASTContext &AST = R.Kernel->getASTContext();
  std::unique_ptr<KernelRun> Zero;
  for (const BlockRun &B : R.Blocks) {
    if (mayLock(B))
      continue;
    for (size_t I = 0; I < B.Accesses.size(); ++I) {
      const Access &W = B.Accesses[I];
      bool Chosen = W.Offset.unknown() && W.OffsetTaint.Data && W.OffsetTaint.V == Vary::Thread;
      if (W.Kind != AccessKind::Write || !W.E || !isVisible(W.Obj) || !Chosen || W.Volatile || W.Stored.Atomic || W.OffsetTaint.Atomic ||
          W.Who.May.count() < 2 || Known.contains(W.E) || llvm::any_of(W.Path, [](const Control &C) { return C.T.Atomic; }) ||
          llvm::any_of(Found, [&](const LostUpdate &U) { return U.Write->E == W.E; }) || !isUpdate(B, I, AST))
        continue;
      if (!Zero)
        Zero = Model.tryZeroData(*L.Step);
      if (Zero && meets(*Zero, W.E))
        Found.push_back({&W, &B});
    }
  }
  return Found;
}
