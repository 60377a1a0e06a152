#include "matchers/ThreadOrder.h"
#include "matchers/BlockOrder.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// Calls that stand alone as statements: nobody looks at what they return.
class Discarded : public ConstDynamicRecursiveASTVisitor {
public:
  bool contains(const CallExpr *C, const FunctionDecl *In) {
    if (In && In->hasBody() && Walked.insert(In).second)
      TraverseStmt(In->getBody());
    return Calls.contains(C);
  }
  bool VisitStmt(const Stmt *S) override {
    if (isa<CompoundStmt>(S))
      for (const Stmt *Child : S->children())
        note(Child);
    else if (const auto *If = dyn_cast<IfStmt>(S)) {
      note(If->getThen());
      note(If->getElse());
    } else if (const auto *W = dyn_cast<WhileStmt>(S))
      note(W->getBody());
    else if (const auto *F = dyn_cast<ForStmt>(S))
      note(F->getBody());
    else if (const auto *D = dyn_cast<DoStmt>(S))
      note(D->getBody());
    return true;
  }

private:
  void note(const Stmt *S) {
    if (const auto *E = dyn_cast_or_null<Expr>(S))
      if (const auto *C = dyn_cast<CallExpr>(E->IgnoreParenCasts()))
        Calls.insert(C);
  }
  llvm::DenseSet<const CallExpr *> Calls;
  llvm::DenseSet<const FunctionDecl *> Walked;
};

enum class Scope { Block, Device };

/// Among whom an atomic or a fence of the C interface holds: its suffix says so.
Scope scopeOf(const CallExpr *C) {
  return StringRef(calleeName(C)).ends_with("_block") ? Scope::Block : Scope::Device;
}

/// Expressions of loops that do nothing but look, again and again, until they find what they wait for.
class WaitingLoops : public ConstDynamicRecursiveASTVisitor {
public:
  bool contains(const Expr *E, const FunctionDecl *In) {
    if (In && In->hasBody() && Walked.insert(In).second)
      TraverseStmt(In->getBody());
    return Looks.contains(E);
  }
  bool VisitWhileStmt(const WhileStmt *S) override { return loop(S); }
  bool VisitDoStmt(const DoStmt *S) override { return loop(S); }

private:
  /// What a loop that gets on does: it counts, adds up, or stores.
  struct Inside : ConstDynamicRecursiveASTVisitor {
    llvm::SmallVector<const Expr *, 8> All;
    bool GetsOn = false;
    bool VisitExpr(const Expr *E) override {
      All.push_back(E);
      return true;
    }
    bool VisitUnaryOperator(const UnaryOperator *U) override {
      GetsOn |= U->isIncrementDecrementOp();
      return true;
    }
    bool VisitBinaryOperator(const BinaryOperator *B) override {
      GetsOn |= B->isCompoundAssignmentOp() || (B->isAssignmentOp() && !namedVariable(B->getLHS()));
      return true;
    }
    bool VisitCallExpr(const CallExpr *C) override {
      GetsOn |= callKind(C) == CallKind::BlockBarrier;
      return true;
    }
  };
  bool loop(const Stmt *S) {
    Inside Found;
    Found.TraverseStmt(S);
    if (!Found.GetsOn)
      Looks.insert(Found.All.begin(), Found.All.end());
    return true;
  }
  llvm::DenseSet<const Expr *> Looks;
  llvm::DenseSet<const FunctionDecl *> Walked;
};

/// The expressions of a kernel and of what it calls, in the order of the text, and the fences among
/// them.
class TextOrder : public ConstDynamicRecursiveASTVisitor {
public:
  explicit TextOrder(const FunctionDecl *Kernel) { TraverseStmt(Kernel->getBody()); }

  bool VisitExpr(const Expr *E) override {
    Places[E].push_back(Next++);
    return Next < MostSteps;
  }
  bool VisitCallExpr(const CallExpr *C) override {
    if (callKind(C) == CallKind::Fence)
      Fences.push_back({Next, scopeOf(C)});
    const FunctionDecl *F = C->getDirectCallee();
    if (!F || !F->hasBody() || !isDeviceFunction(F) || llvm::is_contained(Inside, F) ||
        Inside.size() >= MostCalls)
      return true;
    for (const Expr *Arg :
         C->arguments()) // made before the call; the walk meets them once more, which is no harm
      if (!TraverseStmt(Arg))
        return false;
    Inside.push_back(F);
    bool GoOn = TraverseStmt(definitionBody(F));
    Inside.pop_back();
    return GoOn;
  }

  struct Fencing {
    bool Wide = false, Narrow = false;
  };
  /// The fences between two expressions, where they are nearest to each other; what the text has
  /// the other way round is taken for fenced.
  Fencing between(const Expr *From, const Expr *To, Scope Needed) const {
    auto I = Places.find(From), J = Places.find(To);
    unsigned First = 0, Last = ~0u;
    for (unsigned F :
         I == Places.end() ? llvm::ArrayRef<unsigned>() : llvm::ArrayRef<unsigned>(I->second))
      for (unsigned T :
           J == Places.end() ? llvm::ArrayRef<unsigned>() : llvm::ArrayRef<unsigned>(J->second))
        if (F < T && T - F < Last - First)
          First = F, Last = T;
    Fencing Found;
    Found.Wide = Last == ~0u || Next >= MostSteps;
    for (auto &[At, Holds] : Fences)
      if (At > First && At < Last)
        (Needed == Scope::Device && Holds == Scope::Block ? Found.Narrow : Found.Wide) = true;
    return Found;
  }

private:
  static constexpr unsigned MostSteps = 200000, MostCalls = 8;
  unsigned Next = 1;
  llvm::DenseMap<const Expr *, llvm::SmallVector<unsigned, 1>> Places;
  std::vector<std::pair<unsigned, Scope>> Fences;
  llvm::SmallVector<const FunctionDecl *, 8> Inside;
};

/// One thread of the run.
struct Agent {
  const BlockRun *B = nullptr;
  unsigned T = 0;
  bool operator==(const Agent &) const = default;
};

/// Two threads that nothing in the block holds apart at these accesses: of different blocks, or of
/// different warps between the same barriers.
bool apart(const Agent &X, const Access &A, const Agent &Y, const Access &B) {
  return X.B != Y.B || (X.T / 32 != Y.T / 32 && A.Interval == B.Interval);
}

/// Each block's run has its own object for a symbol.
const void *key(const Object *O) {
  return O->Where == Space::Symbol ? static_cast<const void *>(O->Decl) : O;
}
bool same(const Object *A, const Object *B) { return key(A) == key(B); }

bool inMemory(const Access &A) {
  return A.Obj && A.Obj->Where != Space::Local && A.Obj->Where != Space::Host &&
         A.Obj->Where != Space::Constant && A.E;
}

class ThreadOrder {
public:
  explicit ThreadOrder(const KernelRun &R) : R(R), Text(R.Kernel) {}

  std::vector<OrderFault> find() {
    for (const BlockRun &B : R.Blocks)
      for (const Access &A : B.Accesses)
        if (inMemory(A))
          ByObject[key(A.Obj)].push_back({&B, &A});
    narrowAtomics();
    for (const BlockRun &B : R.Blocks)
      for (const Access &A : B.Accesses)
        if (takes(A) && A.Who.May.any())
          sectionsBy({&B, unsigned(A.Who.May.lowest())});
    llvm::erase_if(Sections, [&](const Section &S) { return !isLock(S); });
    for (size_t I = 0; I < Sections.size(); ++I) { // more are found on the way
      const Section S = Sections[I];
      if (!isLock(S))
        continue;
      fences(S);
      outside(S);
    }
    handovers();
    for (const BlockRun &B : R.Blocks)
      publications(B);
    return std::move(Found);
  }

  bool underOneLock(const Agent &Who, const Access &A, const Agent &Other, const Access &B) {
    sectionsBy(Who);
    sectionsBy(Other);
    return llvm::any_of(Sections, [&](const Section &S) {
      return S.Who == Who && llvm::is_contained(S.Data, &A) &&
             llvm::any_of(Sections, [&](const Section &O) {
               return O.Who == Other && llvm::is_contained(O.Data, &B) &&
                      meet(*S.Taken, Who.T, *O.Taken, Other.T);
             });
    });
  }

private:
  /// A stretch between taking a lock and giving it back.
  struct Section {
    Agent Who;
    const Access *Taken = nullptr, *Given = nullptr;
    std::vector<const Access *> Data;
  };

  static const CallExpr *call(const Access &A) {
    return A.Kind == AccessKind::Atomic ? dyn_cast<CallExpr>(A.E) : nullptr;
  }
  /// An atomic whose result decides something.
  bool asks(const Access &A) { return call(A) && !Calls.contains(call(A), A.In); }
  /// An atomic that only tells others.
  bool tells(const Access &A) { return call(A) && Calls.contains(call(A), A.In); }
  /// `atomicCAS(&lock, 0, 1)`, `atomicExch(&lock, 1)`: what takes a lock, where something gives it
  /// back.
  bool takes(const Access &A) {
    if (!inMemory(A) || !asks(A) || call(A)->getNumArgs() < 2)
      return false;
    std::string Name = calleeName(call(A));
    Expr::EvalResult V;
    return (StringRef(Name).starts_with("atomicCAS") ||
            StringRef(Name).starts_with("atomicExch")) &&
           !call(A)->getArg(1)->isValueDependent() &&
           call(A)->getArg(1)->EvaluateAsInt(V, R.Kernel->getASTContext());
  }

  static int64_t place(const Access &A, unsigned T) { return A.Offset.at(T); }
  /// Do the two touch one place, or may they where data chooses it?
  static bool meet(const Access &A, unsigned T, const Access &B, unsigned U) {
    return same(A.Obj, B.Obj) &&
           (place(A, T) == place(B, U) || place(A, T) == Unk || place(B, U) == Unk);
  }
  static bool surelyMeet(const Access &A, unsigned T, const Access &B, unsigned U) {
    return same(A.Obj, B.Obj) && place(A, T) != Unk && place(A, T) == place(B, U);
  }

  /// The thread's stretches under locks, each walked once.
  void sectionsBy(const Agent &Who) {
    if (llvm::is_contained(Walked, Who))
      return;
    Walked.push_back(Who);
    Steps += unsigned(Who.B->Accesses.size());
    Section Open;
    for (const Access &A : Who.B->Accesses) {
      if (!inMemory(A) || !A.Who.May.test(Who.T))
        continue;
      bool OnLock = Open.Taken && same(A.Obj, Open.Taken->Obj) &&
                    place(A, Who.T) == place(*Open.Taken, Who.T);
      if (OnLock && A.Kind != AccessKind::Read && !asks(A)) {
        Open.Given = &A;
        Sections.push_back(std::exchange(Open, {}));
      } else if (takes(A))
        Open = {Who, &A, nullptr, {}};
      else if (Open.Taken && !OnLock && A.Kind != AccessKind::Atomic)
        Open.Data.push_back(&A);
    }
  }

  /// Who gives a lock back has taken it; what a thread sets for others without asking is a flag.
  bool isLock(const Section &S) {
    return !anyOther(S.Who, *S.Taken, [&](const Agent &O, const Access &A) {
      Steps += unsigned(O.B->Accesses.size());
      return A.Kind != AccessKind::Read && !asks(A) &&
             llvm::none_of(O.B->Accesses, [&](const Access &X) {
               return X.Sequence < A.Sequence && X.Who.May.test(O.T) && takes(X) &&
                      same(X.Obj, A.Obj);
             });
    });
  }

  bool underLock(const Agent &Who, const Access &A) {
    sectionsBy(Who);
    return llvm::any_of(
        Sections, [&](const Section &S) { return S.Who == Who && llvm::is_contained(S.Data, &A); });
  }

  using Places = std::vector<std::pair<const BlockRun *, const Access *>>;
  const Places &accessesOf(const Object *O) { return ByObject[key(O)]; }

  /// Calls Do(thread, access) for the accesses of other threads to the place, until it returns
  /// true.
  template <class Fn> bool anyOther(const Agent &Who, const Access &X, Fn Do) {
    const int64_t At = place(X, Who.T);
    for (auto &[B, A] : accessesOf(X.Obj)) {
      const bool Uniform = A->Offset.uniform();
      if (Uniform && At != Unk && A->Offset.at(0) != Unk && A->Offset.at(0) != At)
        continue;
      Steps += Uniform ? 1 : R.threads();
      for (unsigned T = 0; T < R.threads() && Steps < MostSteps; ++T)
        if (A->Who.May.test(T) && !(Agent{B, T} == Who) && meet(X, Who.T, *A, T) &&
            Do(Agent{B, T}, *A))
          return true;
    }
    return false;
  }

  /// Is what the thread touches there shared with others, one of whom changes it?
  bool isShared(const Agent &Who, const Access &X, bool OtherBlocks) {
    return anyOther(Who, X, [&](const Agent &O, const Access &A) {
      return (!OtherBlocks || O.B != Who.B) &&
             (X.Kind != AccessKind::Read || A.Kind != AccessKind::Read);
    });
  }

  /// The fences between two accesses of a thread. A barrier of the block is one as well.
  TextOrder::Fencing between(const Access &From, const Access &To, Scope Needed) const {
    TextOrder::Fencing F = Text.between(From.E, To.E, Needed);
    F.Wide |= From.Interval != To.Interval;
    return F;
  }

  void report(OrderFault F) {
    if (Said.insert({F.At->E, F.K}).second)
      Found.push_back(F);
  }

  /// Has the thread asked something by then that may order it after others? (Taking the lock at
  /// hand does not count.)
  bool askedBefore(const Agent &Who, const Access &A) {
    Steps += unsigned(Who.B->Accesses.size());
    return llvm::any_of(Who.B->Accesses, [&](const Access &X) {
      return X.Sequence < A.Sequence && X.Who.May.test(Who.T) && inMemory(X) &&
             !same(X.Obj, A.Obj) && (asks(X) || X.Volatile);
    });
  }

  /// An atomic that holds within its block, at a place that another block changes.
  void narrowAtomics() {
    for (const BlockRun &B : R.Blocks)
      for (const Access &A : B.Accesses) {
        if (!inMemory(A) || !call(A) || scopeOf(call(A)) != Scope::Block ||
            eval::isShared(A.Obj) || Said.contains({A.E, OrderFault::NarrowAtomic}))
          continue;
        forEachLane(A.Who.May, R.threads(), [&](unsigned T) {
          Agent Who{&B, T};
          if (place(A, T) == Unk || Steps >= MostSteps ||
              Said.contains({A.E, OrderFault::NarrowAtomic}) || askedBefore(Who, A))
            return;
          anyOther(Who, A, [&](const Agent &O, const Access &X) {
            if (O.B == &B || X.Kind == AccessKind::Read || !surelyMeet(A, T, X, O.T) ||
                askedBefore(O, X) || (R.Assumed && readAlike(B, *O.B, R.threads())))
              return false;
            report({OrderFault::NarrowAtomic, &A, &X, true, true});
            return true;
          });
        });
      }
  }

  void fences(const Section &S) {
    bool Blocks = !eval::isShared(S.Taken->Obj) &&
                  anyOther(S.Who, *S.Taken, [&](const Agent &O, const Access &A) {
                    return O.B != S.Who.B && A.Kind == AccessKind::Atomic;
                  });
    Scope Needed = Blocks ? Scope::Device : Scope::Block;
    const Access *First = nullptr, *Last = nullptr;
    for (const Access *X : S.Data)
      if (isShared(S.Who, *X, Blocks)) {
        First = First ? First : X;
        if (X->Kind == AccessKind::Write)
          Last = X;
      }
    if (!First)
      return;
    if (TextOrder::Fencing F = between(*S.Taken, *First, Needed); !F.Wide)
      report({OrderFault::NoAcquireFence, First, S.Taken, Blocks, F.Narrow});
    if (TextOrder::Fencing F =
            Last ? between(*Last, *S.Given, Needed) : TextOrder::Fencing{true, false};
        !F.Wide)
      report({OrderFault::NoReleaseFence, Last, S.Given, Blocks, F.Narrow});
  }

  /// Something but this lock that may put the thread in order with others.
  bool hasOtherOrder(const Agent &Who, const Section &S, const Access &Data) {
    Steps += unsigned(Who.B->Accesses.size());
    return llvm::any_of(Who.B->Accesses, [&](const Access &X) {
      return X.Who.May.test(Who.T) && inMemory(X) && !same(X.Obj, S.Taken->Obj) &&
             !same(X.Obj, Data.Obj) && (call(X) || X.Volatile);
    });
  }

  void outside(const Section &S) {
    for (const Access *X : S.Data) {
      if (place(*X, S.Who.T) == Unk || hasOtherOrder(S.Who, S, *X))
        continue;
      anyOther(S.Who, *X, [&](const Agent &O, const Access &Y) {
        bool Alike = X->Kind == AccessKind::Write && X->Value != Unk && X->Value == Y.Value;
        if (Y.Kind != AccessKind::Write || Alike || !surelyMeet(*X, S.Who.T, Y, O.T) ||
            !apart(S.Who, *X, O, Y) || underLock(O, Y) || hasOtherOrder(O, S, Y))
          return false;
        report({OrderFault::OutsideLock, &Y, X, O.B != S.Who.B});
        return true;
      });
    }
  }

  /// The one thread that tells others at the place, besides \p Waiting, or nothing.
  std::optional<Agent> onlyTeller(const Access &Flag, const Agent &Waiting) {
    std::optional<Agent> One;
    bool Many = anyOther(Waiting, Flag, [&](const Agent &O, const Access &A) {
      if (A.Kind == AccessKind::Read || asks(A))
        return false;
      bool Another = One && !(*One == O);
      One = O;
      return Another;
    });
    return Many ? std::nullopt : One;
  }

  /// `while (atomicAdd(&flag, 0) == 0) {}`: a thread waits for what one other announces.
  void handovers() {
    for (const BlockRun &B : R.Blocks)
      for (const Access &Wait : B.Accesses) {
        if (!inMemory(Wait) || !asks(Wait) || Wait.Who.May.none())
          continue;
        Agent Waiting{&B, unsigned(Wait.Who.May.lowest())};
        if (place(Wait, Waiting.T) == Unk ||
            llvm::any_of(Sections, [&](const Section &S) { return same(S.Taken->Obj, Wait.Obj); }))
          continue;
        auto Teller = onlyTeller(Wait, Waiting);
        if (!Teller)
          continue;
        for (const Access &Tell : Teller->B->Accesses)
          if (inMemory(Tell) && tells(Tell) && Tell.Who.May.test(Teller->T) &&
              surelyMeet(Tell, Teller->T, Wait, Waiting.T) && apart(*Teller, Tell, Waiting, Wait))
            handedOver(*Teller, Tell, Waiting, Wait);
      }
  }

  void handedOver(const Agent &From, const Access &Tell, const Agent &To, const Access &Wait) {
    bool Blocks = From.B != To.B;
    for (const Access &X : From.B->Accesses) {
      if (X.Kind == AccessKind::Atomic || !inMemory(X) || !X.Who.May.test(From.T) ||
          same(X.Obj, Tell.Obj))
        continue;
      bool Before = X.Sequence < Tell.Sequence;
      // What asks after the announcement may wait for an answer.
      if (!Before && llvm::any_of(From.B->Accesses, [&](const Access &A) {
            return A.Sequence > Tell.Sequence && A.Sequence < X.Sequence &&
                   A.Who.May.test(From.T) && inMemory(A) && asks(A);
          }))
        continue;
      for (const Access &Y : To.B->Accesses) {
        if (Y.Kind == AccessKind::Atomic || !inMemory(Y) || !Y.Who.May.test(To.T) ||
            Y.Sequence < Wait.Sequence || !surelyMeet(X, From.T, Y, To.T) ||
            (X.Kind == AccessKind::Read && Y.Kind == AccessKind::Read) || !apart(From, X, To, Y))
          continue;
        if (!Before)
          report({OrderFault::AfterHandover, &X, &Y, Blocks});
        else if (TextOrder::Fencing F = between(X, Tell, Blocks ? Scope::Device : Scope::Block);
                 X.Kind == AccessKind::Write && !F.Wide)
          report({OrderFault::NoReleaseFence, &X, &Tell, Blocks, F.Narrow});
      }
    }
  }

  /// A chain of blocks: each waits for the flag of another, reads what that one has stored for it, stores its own and sets its own
  /// flag. Which block is whose may hang on a ticket, so that no place is known: objects and the text say it.
  void publications(const BlockRun &B) {
    for (const Access &Wait : B.Accesses) {
      bool Looks = inMemory(Wait) && isGlobal(Wait.Obj) && (Wait.Kind == AccessKind::Read ? Wait.Volatile : asks(Wait));
      if (!Looks || Wait.Who.May.none() || !Loops.contains(Wait.E, Wait.In))
        continue;
      const unsigned T = unsigned(Wait.Who.May.lowest());
      auto By = [&](const Access &A) { return inMemory(A) && A.Who.May.test(T); };
      for (const Access &Tell : B.Accesses) {
        if (!By(Tell) || !same(Tell.Obj, Wait.Obj) || (Tell.Kind == AccessKind::Write ? !Tell.Volatile : !tells(Tell)))
          continue;
        for (const Access &Data : B.Accesses) {
          if (!By(Data) || Data.Kind != AccessKind::Write || Data.Sequence > Tell.Sequence || !isGlobal(Data.Obj) || same(Data.Obj, Tell.Obj))
            continue;
          bool Passed = llvm::any_of(B.Accesses, [&](const Access &A) {
            return By(A) && A.Kind == AccessKind::Read && same(A.Obj, Data.Obj) && A.Sequence > Wait.Sequence &&
                   (place(A, T) == Unk || place(A, T) != place(Data, T));
          });
          Steps += unsigned(B.Accesses.size());
          TextOrder::Fencing F = Passed && Steps < MostSteps ? Text.between(Data.E, Tell.E, Scope::Device) : TextOrder::Fencing{true, false};
          if (!F.Wide)
            report({OrderFault::NoReleaseFence, &Data, &Tell, true, F.Narrow});
        }
      }
    }
  }

  const KernelRun &R;
  const TextOrder Text;
  Discarded Calls;
  WaitingLoops Loops;
  std::vector<Section> Sections;
  std::vector<Agent> Walked;
  llvm::DenseMap<const void *, Places> ByObject;
  static constexpr unsigned MostSteps =
      1000000; ///< what a run of many threads and accesses may cost
  unsigned Steps = 0;
  std::vector<OrderFault> Found;
  llvm::DenseSet<std::pair<const Expr *, unsigned>> Said;
};

/// An order by atomics or flags may be there: some wait for others, some hold within a block.
bool makesOrder(const BlockRun &B) {
  return llvm::any_of(B.Accesses, [](const Access &A) {
    if (A.Kind == AccessKind::Write && A.Volatile && isGlobal(A.Obj))
      return true;
    const auto *C = A.Kind == AccessKind::Atomic ? dyn_cast_or_null<CallExpr>(A.E) : nullptr;
    if (!C)
      return false;
    bool Decides = llvm::any_of(A.Path, [](const Control &X) { return X.T.Atomic; });
    StringRef Name = C->getDirectCallee() && C->getDirectCallee()->getIdentifier()
                         ? C->getDirectCallee()->getName()
                         : "";
    return Decides || scopeOf(C) == Scope::Block || Name.starts_with("atomicCAS") ||
           Name.starts_with("atomicExch");
  });
}

/// Code that is not shown may order what it likes, and so does a barrier of the grid.
bool isOrderedElsewhere(const BlockRun &B) {
  return !B.Escapes.empty() || waitsForGrid(B);
}

} // namespace

bool kcheck::underOneLock(const KernelRun &Run, const BlockRun &Block, const Access &A,
                          unsigned ThreadA, const Access &B, unsigned ThreadB) {
  return Run.Kernel && makesOrder(Block) &&
         ThreadOrder(Run).underOneLock({&Block, ThreadA}, A, {&Block, ThreadB}, B);
}

std::vector<OrderFault> kcheck::orderFaults(const KernelRun &Run) {
  if (!Run.Kernel || guessedShape(Run) || llvm::none_of(Run.Blocks, makesOrder) ||
      llvm::any_of(Run.Blocks, isOrderedElsewhere))
    return {};
  return ThreadOrder(Run).find();
}
