//===- LostUpdates.cpp - read, change and write back without an atomic ---------===//
#include "matchers/LostUpdates.h"
#include "matchers/Races.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/FoldingSet.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

bool isVisible(const Object *O) {
  return O && O->Where != Space::Local && O->Where != Space::Host;
}

/// Does the block read, a few accesses before, what it writes at \p At?
bool isUpdate(const BlockRun &B, size_t At, const ASTContext &AST) {
  constexpr size_t Back = 8;
  const Access &W = B.Accesses[At];
  for (size_t I = At; I > 0 && At - I < Back; --I) {
    const Access &R = B.Accesses[I - 1];
    if (R.Kind != AccessKind::Read || R.Obj != W.Obj || !R.E)
      continue;
    if (sameBehindCasts(R.E, W.E, AST))
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

/// What an integer expression is made of, through the initialisers of local variables.
struct Parts : RecursiveASTVisitor<Parts> {
  bool Index = false; ///< a built-in index variable, or what a call counts (__popc, thread_rank)
  bool Data = false;  ///< memory, a call, a variable that is not followed
  llvm::DenseSet<const VarDecl *> Seen;

  explicit Parts(Expr *E) { TraverseStmt(E); }
  bool TraverseArraySubscriptExpr(ArraySubscriptExpr *) { return Data = true; } // the place does not count, what stands there does
  bool VisitUnaryOperator(UnaryOperator *U) {
    Data |= U->getOpcode() == UO_Deref;
    return true;
  }
  bool VisitCallExpr(CallExpr *) { return Index = Data = true; }
  bool TraverseStmt(Stmt *S) {
    const auto *E = dyn_cast_or_null<Expr>(S);
    if (E && builtinUse(E)) // its parts are calls, in some headers
      return Index = true;
    return RecursiveASTVisitor<Parts>::TraverseStmt(S);
  }
  bool VisitDeclRefExpr(DeclRefExpr *D) {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    if (!V || builtinUse(D) || !V->getType()->isIntegerType())
      return true;
    if (!V->isLocalVarDecl() || V->isStaticLocal() || !V->getInit())
      Data = true;
    else if (Seen.insert(V).second)
      TraverseStmt(const_cast<Expr *>(V->getInit()));
    return true;
  }
};

/// `if (i == chosen[0])`, `if (rank == 0)`: data that names one thread. `if (key[i] == wanted)` may hold in many.
/// `if (start[i] <= x && x < start[i + 1])` asks for an interval, and x lies in one.
bool elects(const Expr *Condition, const ASTContext &AST) {
  struct Finder : RecursiveASTVisitor<Finder> {
    explicit Finder(const ASTContext &AST) : AST(AST) {}
    const ASTContext &AST;
    bool Found = false;
    std::vector<const Expr *> Smaller, Larger; ///< sides of the comparisons
    bool VisitBinaryOperator(BinaryOperator *B) {
      if (B->isRelationalOp()) {
        bool Less = B->getOpcode() == BO_LT || B->getOpcode() == BO_LE;
        Smaller.push_back(Less ? B->getLHS() : B->getRHS());
        Larger.push_back(Less ? B->getRHS() : B->getLHS());
        for (const Expr *S : Smaller)
          Found |= llvm::any_of(Larger, [&](const Expr *L) { return S != L && sameBehindCasts(S->IgnoreParenImpCasts(), L->IgnoreParenImpCasts(), AST); });
        return !Found;
      }
      if (!B->isEqualityOp() || !B->getLHS()->getType()->isIntegerType() || !B->getRHS()->getType()->isIntegerType())
        return true;
      Parts L(B->getLHS()), R(B->getRHS());
      auto Counts = [](const Parts &P, const Expr *E) { return P.Index && !isa<ArraySubscriptExpr>(E->IgnoreParenImpCasts()); };
      Found |= (Counts(L, B->getLHS()) || Counts(R, B->getRHS())) && (L.Data || R.Data);
      return !Found;
    }
    bool VisitDeclRefExpr(DeclRefExpr *D) { // bool leader = i == chosen[0];
      const auto *V = dyn_cast<VarDecl>(D->getDecl());
      if (V && V->isLocalVarDecl() && V->getInit() && V->getType()->isIntegerType() && Seen.insert(V).second)
        TraverseStmt(const_cast<Expr *>(V->getInit()));
      return !Found;
    }
    llvm::DenseSet<const VarDecl *> Seen;
  } V(AST);
  V.TraverseStmt(const_cast<Expr *>(Condition));
  return V.Found;
}

/// Does what is not known here, and differs between threads, let the write happen, and may it let many of them?
bool isLetToMany(const Access &W, const ASTContext &AST) {
  bool Differs = false;
  for (const Control &C : W.Path) {
    if (C.T.Atomic || !C.Cond || elects(C.Cond, AST))
      return false;
    Differs |= C.T.V > Vary::Grid;
  }
  return Differs;
}

/// `bins[key[i]]`, `y[column]` with `column = columns[k]`: the subscript is what stands somewhere in memory.
bool isLoadedPlace(const Expr *E, const VariableWrites &Writes) {
  const auto *S = dyn_cast<ArraySubscriptExpr>(E->IgnoreParenCasts());
  return S && isa<ArraySubscriptExpr>(Writes.resolve(S->getIdx()));
}

/// Do two threads of one block write one place by the expression? (A row that each block is given is the block's.) At sizes whose
/// product is lost in 32 bits rows lie one on the other.
bool meets(const KernelRun &R, const Expr *E) {
  bool Met = false;
  for (const BlockRun &B : R.Blocks) {
    if (!B.Overflows.empty())
      continue;
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

/// Do two threads of one execution of the statement write one place?
bool meets(const Access &W, unsigned Threads) {
  bool Met = false;
  llvm::DenseSet<int64_t> Places;
  forEachLane(W.Who.May, Threads, [&](unsigned T) { Met |= W.Offset.at(T) != Unk && !Places.insert(W.Offset.at(T)).second; });
  return Met;
}

/// Does another block write by the same expression where a thread of B does, the one that the block sends?
bool meetsOtherBlock(const KernelRun &R, const BlockRun &B, const Access &W) {
  if (isShared(W.Obj) || W.Who.May.none())
    return false;
  const int64_t Place = W.Offset.at(unsigned(W.Who.May.lowest()));
  return Place != Unk && llvm::any_of(R.Blocks, [&](const BlockRun &O) {
    return &O != &B && llvm::any_of(O.Accesses, [&](const Access &A) {
      return A.Kind == AccessKind::Write && A.E == W.E && A.Obj == W.Obj && A.Who.May.any() && A.Offset.at(unsigned(A.Who.May.lowest())) == Place;
    }) && !(R.Assumed && readAlike(B, O, R.threads())); // a kernel for one block, perhaps
  });
}

/// Does the call stand alone as a statement?
bool isDiscarded(const Expr *E, const FunctionDecl *In) {
  struct Uses : RecursiveASTVisitor<Uses> {
    explicit Uses(const Expr *Of) : Of(Of) {}
    const Expr *Of;
    bool Alone = false;
    bool VisitStmt(Stmt *S) {
      if (isa<CompoundStmt, IfStmt, ForStmt, WhileStmt>(S))
        for (Stmt *Child : S->children())
          if (const auto *X = dyn_cast_or_null<Expr>(Child))
            Alone |= X->IgnoreParenCasts() == Of;
      return !Alone;
    }
  } V(E->IgnoreParenCasts());
  if (In && In->hasBody())
    V.TraverseStmt(In->getBody());
  return V.Alone;
}

} // namespace

std::vector<LostUpdate> kcheck::lostUpdates(LaunchModel &Model, const VariableWrites &Writes, const LaunchSample &L,
                                            const llvm::DenseSet<const Expr *> &Known) {
  std::vector<LostUpdate> Found;
  const KernelRun &R = *L.Run;
  if (!R.Kernel || R.threads() < 2)
    return Found;
  const ASTContext &AST = R.Kernel->getASTContext();
  std::unique_ptr<KernelRun> Zero;
  for (const BlockRun &B : R.Blocks) {
    if (mayLock(B))
      continue;
    for (size_t I = 0; I < B.Accesses.size(); ++I) {
      const Access &W = B.Accesses[I];
      if (W.Kind != AccessKind::Write || !W.E || !isVisible(W.Obj) || W.Volatile || W.Stored.Atomic || W.OffsetTaint.Atomic || W.Who.May.none() ||
          Known.contains(W.E) || llvm::any_of(W.Path, [](const Control &C) { return C.T.Atomic; }) ||
          llvm::any_of(Found, [&](const LostUpdate &U) { return U.Write->E == W.E; }))
        continue;
      const bool Alone = W.Who.May.count() == 1;
      bool Chosen = !Alone && !W.SameValue && W.Offset.unknown() && W.OffsetTaint.Data && W.OffsetTaint.V == Vary::Thread;
      bool Same = W.SameValue && W.Value != Unk; // a flag that all set alike
      bool Fits = !W.OffsetTaint.Params || !L.Plan || L.Plan->Aligned; // places that sizes choose: by sizes as callers have them
      bool Let = Fits && !guessedShape(R) && !W.Offset.unknown() && !Same && isLetToMany(W, AST) &&
                 (Alone ? meetsOtherBlock(R, B, W) : meets(W, R.threads()));
      if ((!Chosen && !Let) || !isUpdate(B, I, AST))
        continue;
      bool Meets = Let || isLoadedPlace(W.E, Writes);
      if (!Meets && !Zero)
        Zero = Model.tryZeroData(L);
      if (Meets || (Zero && meets(*Zero, W.E)))
        Found.push_back({&W, &B, Let});
    }
  }
  return Found;
}

std::vector<UnreservedPlace> kcheck::unreservedPlaces(const VariableWrites &Writes, const LaunchSample &L) {
  std::vector<UnreservedPlace> Found;
  const KernelRun &R = *L.Run;
  for (const BlockRun &B : R.Blocks) {
    if (mayLock(B))
      continue;
    auto CountedOn = [&](const Access &Read) -> const Access * {
      for (const Access &A : B.Accesses)
        if (A.Kind == AccessKind::Atomic && A.Obj == Read.Obj && A.E && A.Offset.uniformValue(R.threads()) == Read.Offset.uniformValue(R.threads()) &&
            A.Who.May.count() > 1 && isDiscarded(A.E, A.In))
          return &A;
      return nullptr;
    };
    for (size_t I = 0; I < B.Accesses.size(); ++I) {
      const Access &W = B.Accesses[I];
      const auto *S = W.Kind == AccessKind::Write && W.E && isVisible(W.Obj) && W.Who.May.count() > 1 ? dyn_cast<ArraySubscriptExpr>(W.E->IgnoreParenCasts()) : nullptr;
      if (!S || llvm::any_of(Found, [&](const UnreservedPlace &U) { return U.Write->E == W.E; }))
        continue;
      const Expr *Place = Writes.resolve(S->getIdx());
      for (size_t J = I; J-- > 0 && I - J < 16;)
        if (const Access &Read = B.Accesses[J]; Read.Kind == AccessKind::Read && Read.E && isVisible(Read.Obj) && Read.Obj != W.Obj &&
                                                Read.E->IgnoreParenCasts() == Place && Read.Offset.uniformValue(R.threads()) != Unk)
          if (const Access *Count = CountedOn(Read)) {
            Found.push_back({&W, Count});
            break;
          }
    }
  }
  return Found;
}
