//===- BlockOrder.cpp - values that only an order between blocks would make right --===//
#include "matchers/BlockOrder.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// A store of one known value for every thread, as an initialisation is.
bool isStart(const Access &A) {
  return A.Kind == AccessKind::Write && isGlobal(A.Obj) && A.Value != Unk && !A.Offset.unknown() && A.E && likely(A);
}

/// Whatever the data says of the path to an access, some data takes it.
bool mayHappen(const Access &A) {
  return llvm::all_of(A.Path, [](const Control &C) { return !C.T.Atomic && (C.T.V <= Vary::Block || C.T.Data); });
}

/// The stores with which a block starts a place off: those that no atomic of the block on the object precedes. (A ticket's
/// reset and a lock's release come after one.)
std::vector<const Access *> startsOf(const BlockRun &B) {
  std::vector<const Access *> Found;
  llvm::DenseSet<const Object *> Atomics;
  for (const Access &A : B.Accesses)
    if (A.Kind == AccessKind::Atomic)
      Atomics.insert(A.Obj);
    else if (isStart(A) && !Atomics.contains(A.Obj) && llvm::none_of(A.Path, [](const Control &C) { return C.T.Atomic; }))
      Found.push_back(&A);
  return Found;
}

/// The built-in variables that an expression rests on, through the local variables that it names.
class Numbering : public clang::RecursiveASTVisitor<Numbering> {
public:
  bool Block = false, Thread = false;
  bool VisitExpr(clang::Expr *E) {
    if (auto B = builtinUse(E)) {
      Block |= B->Which == IndexVar::BlockIdx;
      Thread |= B->Which == IndexVar::ThreadIdx;
    }
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *D) {
    const auto *V = llvm::dyn_cast<clang::VarDecl>(D->getDecl());
    if (V && V->isLocalVarDecl() && V->hasInit() && Seen.insert(V).second)
      TraverseStmt(const_cast<clang::Expr *>(V->getInit()));
    return true;
  }

private:
  llvm::DenseSet<const clang::VarDecl *> Seen;
};

/// Does blockIdx take part in where the access goes, otherwise than in what it reads there? What cannot be followed does.
class ByBlock : public clang::RecursiveASTVisitor<ByBlock> {
public:
  bool Found = false;
  bool VisitExpr(clang::Expr *E) {
    auto B = builtinUse(E);
    Found |= B && B->Which == IndexVar::BlockIdx;
    return !Found;
  }
  bool TraverseArraySubscriptExpr(clang::ArraySubscriptExpr *S) {
    if (!Loads++)
      return TraverseStmt(S->getBase()) && TraverseStmt(S->getIdx());
    Numbering N; // `first[blockIdx.x]`: a part that the table gives to the block
    N.TraverseStmt(S->getIdx());
    Found |= N.Block && !N.Thread;
    return !Found;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *D) {
    const auto *V = llvm::dyn_cast<clang::VarDecl>(D->getDecl());
    if (V && clang::isa<clang::ParmVarDecl>(V)) {
      const auto *Of = llvm::dyn_cast<clang::FunctionDecl>(V->getDeclContext());
      Found |= !Of || !isKernel(Of);
    } else if (V && V->isLocalVarDecl() && V->hasInit() && Seen.insert(V).second)
      TraverseStmt(const_cast<clang::Expr *>(V->getInit()));
    return !Found;
  }

private:
  unsigned Loads = 0;
  llvm::DenseSet<const clang::VarDecl *> Seen;
};

/// A place that data chooses, in the whole of the object.
bool anywhere(const Access &A) {
  if (!A.Offset.unknown() || !A.OffsetTaint.Data || A.OffsetTaint.Own)
    return false;
  const auto *Call = llvm::dyn_cast<clang::CallExpr>(A.E);
  ByBlock V;
  V.TraverseStmt(const_cast<clang::Expr *>(Call && Call->getNumArgs() ? Call->getArg(0) : A.E));
  return !V.Found;
}

/// Adds to a place, or sets it to another value than it is started with.
bool updates(const Access &A, const Access &Start) {
  if (A.Obj != Start.Obj || !A.E || A.E == Start.E || !mayHappen(A) || exclusive(A, Start))
    return false;
  return A.Kind == AccessKind::Atomic || (A.Kind == AccessKind::Write && A.Value != Unk && A.Value != Start.Value);
}

/// Is what the access reads only asked about? `if (x > *most) atomicMax(most, x);`: an older value costs time, no more.
bool isOnlyTested(const Access &A) {
  struct Conditions : clang::RecursiveASTVisitor<Conditions> {
    const clang::Expr *Sought = nullptr;
    unsigned Depth = 0;
    bool Found = false;
    bool TraverseStmt(clang::Stmt *S) {
      Found |= Depth && S == Sought;
      return !Found && RecursiveASTVisitor::TraverseStmt(S);
    }
    bool within(clang::Expr *Condition) {
      ++Depth;
      TraverseStmt(Condition);
      --Depth;
      return !Found;
    }
    bool VisitIfStmt(clang::IfStmt *S) { return within(S->getCond()); }
    bool VisitWhileStmt(clang::WhileStmt *S) { return within(S->getCond()); }
    bool VisitDoStmt(clang::DoStmt *S) { return within(S->getCond()); }
    bool VisitForStmt(clang::ForStmt *S) { return within(S->getCond()); }
    bool VisitConditionalOperator(clang::ConditionalOperator *O) { return within(O->getCond()); }
  } V;
  V.Sought = A.E;
  if (A.In && A.In->hasBody())
    V.TraverseStmt(A.In->getBody());
  return V.Found;
}

/// Do the blocks order themselves by something that they look at: a ticket, a flag, code that is not seen?
bool ordersItself(const KernelRun &Run) {
  auto Asks = [](const Control &C) { return C.T.Atomic; };
  return llvm::any_of(Run.Blocks, [&](const BlockRun &B) {
    return !B.Escapes.empty() || llvm::any_of(B.Branches, Asks) ||
           llvm::any_of(B.Accesses, [&](const Access &A) { return A.Volatile || A.OffsetTaint.Atomic || llvm::any_of(A.Path, Asks); });
  });
}

/// The read of a value that the block itself has helped to make by an atomic, and takes for finished.
struct Taken {
  const Access *Read = nullptr, *Update = nullptr;
};

/// Behind a barrier, or by a thread that goes straight on.
std::vector<Taken> takenFrom(const BlockRun &B) {
  llvm::DenseMap<const Object *, std::vector<const Access *>> Updates;
  std::vector<Taken> Found;
  for (const Access &A : B.Accesses) {
    if (!isGlobal(A.Obj) || !A.E || !A.Who.May.any() || !mayHappen(A))
      continue;
    if (A.Kind == AccessKind::Atomic)
      Updates[A.Obj].push_back(&A);
    else if (auto It = A.Kind == AccessKind::Read ? Updates.find(A.Obj) : Updates.end(); It != Updates.end())
      for (const Access *U : It->second)
        if (!exclusive(*U, A) && (U->Interval < A.Interval || (!A.Offset.unknown() && !A.LoopDepth && !U->LoopDepth))) {
          Found.push_back({&A, U});
          break;
        }
  }
  return Found;
}

/// A thread of the block of Read and one of the block of Update that meet, as Race's FirstThread (Update) and SecondThread.
std::optional<std::pair<unsigned, unsigned>> meeting(const Access &Update, const Access &Read, unsigned N) {
  if (anywhere(Update) && (!Read.Offset.unknown() || anywhere(Read)))
    return std::pair(unsigned(Update.Who.May.lowest()), unsigned(Read.Who.May.lowest()));
  if (Update.Offset.unknown() || Read.Offset.unknown())
    return std::nullopt;
  ByPlace<unsigned> Places;
  forEachLane(Update.Who.May, N, [&](unsigned T) {
    if (Update.Offset.at(T) != Unk)
      Places.try_emplace(Update.Offset.at(T), T);
  });
  std::optional<std::pair<unsigned, unsigned>> Found;
  forEachLane(Read.Who.May, N, [&](unsigned T) {
    if (auto It = Found || Read.Offset.at(T) == Unk ? Places.end() : Places.find(Read.Offset.at(T)); It != Places.end())
      Found = {It->second, T};
  });
  return Found;
}

} // namespace

bool kcheck::waitsForGrid(const BlockRun &Block) {
  return llvm::any_of(Block.Barriers, [](const BarrierEvent &E) { return callKind(E.Call) == CallKind::GridBarrier; });
}

std::vector<Race> kcheck::lateStarts(const KernelRun &Run) {
  std::vector<Race> Found;
  llvm::DenseSet<std::pair<const clang::Expr *, const clang::Expr *>> Pairs;
  unsigned N = Run.threads();
  for (const BlockRun &B : Run.Blocks)
    for (const Access *Start : startsOf(B)) {
      ByPlace<unsigned> Places;
      forEachLane(Start->Who.May, N, [&](unsigned T) {
        if (Start->Offset.at(T) != Unk)
          Places.try_emplace(Start->Offset.at(T), T);
      });
      for (const BlockRun &Other : Run.Blocks)
        for (const Access &A : Other.Accesses) {
          if (&Other == &B || Places.empty() || !updates(A, *Start) || Pairs.contains({Start->E, A.E}))
            continue;
          if (A.Kind == AccessKind::Atomic && anywhere(A) && A.Who.May.any() && Pairs.insert({Start->E, A.E}).second) {
            auto [At, T] = *Places.begin();
            Found.push_back({Start, &A, T, unsigned(A.Who.May.lowest()), At, false, Start->Who.Sure.test(T), &B, &Other});
          }
          forEachLane(A.Who.May, N, [&](unsigned T) {
            auto It = A.Offset.at(T) == Unk ? Places.end() : Places.find(A.Offset.at(T));
            if (It != Places.end() && Pairs.insert({Start->E, A.E}).second)
              Found.push_back({Start, &A, It->second, T, It->first, false, Start->Who.Sure.test(It->second), &B, &Other});
          });
        }
    }
  return Found;
}

std::vector<Race> kcheck::earlyReads(const KernelRun &Run) {
  std::vector<Race> Found;
  if (Run.Blocks.size() < 2)
    return Found;
  llvm::DenseSet<const clang::Expr *> Reads;
  std::optional<bool> Ordered; // asked of few runs
  for (const BlockRun &B : Run.Blocks)
    for (const Taken &X : takenFrom(B))
      for (const BlockRun &Other : Run.Blocks)
        for (const Access &U : Other.Accesses) {
          if (&Other == &B || U.E != X.Update->E || U.Obj != X.Read->Obj || U.Kind != AccessKind::Atomic || !mayHappen(U) || !U.Who.May.any() ||
              exclusive(U, *X.Read) || Reads.contains(X.Read->E))
            continue;
          auto Pair = meeting(U, *X.Read, Run.threads());
          if (!Pair)
            continue;
          if (!Ordered)
            Ordered = ordersItself(Run);
          if (*Ordered)
            return {};
          Reads.insert(X.Read->E);
          if (isOnlyTested(*X.Read))
            continue;
          auto [First, Second] = *Pair;
          Found.push_back({&U, X.Read, First, Second, X.Read->Offset.at(Second), false, U.Who.Sure.test(First), &Other, &B});
        }
  return Found;
}
