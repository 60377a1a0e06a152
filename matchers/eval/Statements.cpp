//===- Statements.cpp - control flow under masks -------------------------------===//
#include "clang/AST/RecursiveASTVisitor.h"
#include "matchers/VariableWrites.h"
#include "matchers/eval/Machine.h"
#include <numeric>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

bool Machine::spend(unsigned Units) {
  if (Fuel < Units || Shared.Budget < Units) {
    Stop = true;
    if (Run)
      Run->OutOfFuel = true;
    return false;
  }
  Fuel -= Units;
  Shared.Budget -= Units;
  return true;
}

void Machine::refuse(const Stmt *At, const llvm::Twine &Why) {
  if (Run && Run->Imprecise.empty()) {
    Run->Imprecise = Why.str();
    Run->ImpreciseAt = At;
  }
  if (Host && Host->Refusal.empty()) {
    Host->Refusal = Why.str();
    Host->RefusedAt = At;
  }
}

Taint Machine::controlTaint() const {
  Taint T;
  for (const Control &C : Controls)
    T |= C.T;
  T.Data = false;
  return T;
}

Machine::Outcome Machine::outcome(const Value &V) const {
  Outcome O;
  O.T = V.T;
  if (V.K == Value::Pointer) { // a pointer to something is not null
    (V.Obj ? O.True : O.Unknown) = Cur.May;
    return O;
  }
  if (V.L.uniform()) {
    int64_t X = V.L.at(0);
    (X == Unk ? O.Unknown : X ? O.True : O.False) = Cur.May;
    return O;
  }
  forEachLane(Cur.May, N, [&](unsigned I) {
    int64_t X = V.L.at(I);
    (X == Unk ? O.Unknown : X ? O.True : O.False).set(I);
  });
  return O;
}

Machine::Outcome Machine::test(const Expr *Cond) {
  if (!Cond) {
    Outcome O;
    O.True = Cur.May;
    return O;
  }
  Value V = truth(eval(Cond), Cond->getType());
  Outcome O = outcome(V);
  if (V.K == Value::Scalar)
    O.T = refine(V.L, O.T);
  return O;
}

void Machine::settle(Outcome &O, const Stmt *Then) {
  if (!Host || !Host->Settles || O.Unknown.none())
    return;
  const Stmt *Last = Then;
  if (const auto *C = dyn_cast_or_null<CompoundStmt>(Then); C && !C->body_empty())
    Last = C->body_back();
  bool Leaves = isa_and_nonnull<ReturnStmt, CXXThrowExpr, CallExpr, ExprWithCleanups>(Last); // or reports and gives up
  Mask &To = Leaves ? O.False : O.True;
  To = To | O.Unknown;
  O.Unknown = Mask();
  Host->Settled = true;
}

void Machine::declare(const VarDecl *V) {
  if (V->isInvalidDecl() || V->getType()->isUndeducedType())
    return;
  bool FirstCall = Host && V->isStaticLocal() && V->getInit(); // what a launcher keeps is made by its first call
  if (isSharedVariable(V) || (V->hasGlobalStorage() && !FirstCall))
    return; // made when first used
  Object *O = newObject(Space::Local, V, V->getName());
  O->Bytes = sizeOf(V->getType());
  Frames.back().Vars[V] = O;
  if (V->getType()->isReferenceType()) {
    if (V->getInit())
      O->Contents[0] = lval(V->getInit());
    return;
  }
  if (V->getInit())
    initialise(O, 0, V->getType(), V->getInit());
  else
    O->Stored.V = Vary::Thread;
  // A tensor that is made here is called as its variable.
  if (auto It = O->Contents.find(-1); Host && It != O->Contents.end() && It->second.Obj && It->second.Obj->Name.starts_with("tensor") && V->getIdentifier())
    It->second.Obj->Name = V->getName();
}

void Machine::execIf(const IfStmt *S) {
  if (S->getInit())
    exec(S->getInit());
  if (S->getConditionVariable())
    declare(S->getConditionVariable());
  if (S->isConstexpr())
    if (auto Taken = S->getNondiscardedCase(Ctx)) {
      reach(S);
      if (*Taken) {
        reach(*Taken);
        exec(*Taken);
      }
      return;
    }
  reach(S);
  Outcome O = test(S->getCond());
  settle(O, S->getThen());
  if (Block && Frames.size() == 1 && !Mute && !Instances.count(S))
    Block->Branches.push_back({Control::Branch, S, S->getCond(), 0, O.Unknown.any(), O.T, 0});
  Threads Before = Cur, After{};
  Mask OuterJumped = Jumped;
  Jumped = Mask();
  Control C{Control::Branch, S, S->getCond(), 0, O.Unknown.any(), O.T, Instances[S]++};
  unsigned Stays = 0; // sides that some thread leaves at their end
  auto Side = [&](const Stmt *Body, const Mask &Taken, int Which) {
    Cur = {Before.May & (Taken | O.Unknown), Before.Sure & Taken};
    if (Body && Cur.May.any()) {
      C.Side = Which;
      Controls.push_back(C);
      reach(Body);
      size_t Depth = Regions.size();
      exec(Body);
      leaveRegions(Depth);
      Controls.pop_back();
    }
    if (Cur.May.any())
      Stays += 1;
    After.May = After.May | Cur.May;
    After.Sure = After.Sure | Cur.Sure;
  };
  Side(S->getThen(), O.True, 0);
  Side(S->getElse(), O.False, 1);
  // A thread that took one of the two sides, we do not know which, goes on surely unless a side left.
  After.Sure = After.Sure | ((O.Unknown & Before.Sure) - Jumped);
  // if (!any) break; what follows is for all or for none.
  bool Together = Stays == 1 && areTogether(O, Before) && After.May == Before.May;
  Jumped = Jumped | OuterJumped;
  Cur = After;
  if (Together)
    enterRegion(Before.May, O.T);
}

bool Machine::areTogether(const Outcome &O, const Threads &Before) {
  return O.T.V <= Vary::Block && (Before.May - O.Unknown).none() && (Before.May - Before.Sure).none();
}

void Machine::enterRegion(const Mask &Together, const Taint &T) {
  Regions.push_back({Cur.Sure, T, {}});
  Regions.back().T.Data = false;
  Cur = {Together, Together};
}

void Machine::keep(Object &O, int64_t Offset, const Value &Now) {
  if (!Regions.empty())
    Regions.back().Before.try_emplace({&O, Offset}, Now);
}

void Machine::leaveRegions(size_t Depth) {
  for (; Regions.size() > Depth; Regions.pop_back()) {
    Region &R = Regions.back();
    for (auto &[At, Was] : R.Before) {
      auto It = At.first->Contents.find(At.second);
      if (It == At.first->Contents.end())
        continue;
      if (Regions.size() > 1)
        Regions[Regions.size() - 2].Before.try_emplace(At, Was);
      Value &Is = It->second;
      Taint T = Is.T | Was.T | R.T;
      if (Is.K == Was.K && Is.Obj == Was.Obj && Is.K != Value::Aggregate) {
        Is.L = Lanes::map(Is.L, Was.L, N, [](int64_t X, int64_t Y) { return X == Y ? X : Unk; });
        Is.T = T;
        if (Is.Modulo != Was.Modulo)
          Is.Modulo = nullptr;
      } else {
        Value::Kind K = Is.K;
        Is = Value::unknown(T);
        Is.K = K;
      }
    }
    Cur.Sure = Cur.Sure & R.SureBefore;
  }
}

namespace {
/// The local variables that a statement may change.
class AssignedVariables : public RecursiveASTVisitor<AssignedVariables> {
public:
  std::vector<const VarDecl *> Found;
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (B->isAssignmentOp())
      add(B->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) {
    if (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf)
      add(U->getSubExpr());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *C) {
    if (C->isAssignmentOp() && C->getNumArgs())
      add(C->getArg(0));
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee();
    for (unsigned I = 0; F && I < C->getNumArgs() && I < F->getNumParams(); ++I)
      if (QualType T = F->getParamDecl(I)->getType();
          T->isReferenceType() && !T.getNonReferenceType().isConstQualified())
        add(C->getArg(I));
    return true;
  }

private:
  void add(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    while (true) {
      if (const auto *M = dyn_cast<MemberExpr>(E); M && !M->isArrow())
        E = M->getBase()->IgnoreParenImpCasts();
      else if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
        E = A->getBase()->IgnoreParenImpCasts();
      else
        break;
    }
    if (const auto *D = dyn_cast<DeclRefExpr>(E))
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
        if (llvm::find(Found, V) == Found.end())
          Found.push_back(V);
  }
};
} // namespace

const std::vector<const VarDecl *> &Machine::assignedIn(const Stmt *S) {
  auto [It, New] = Shared.Assigned.try_emplace(S);
  if (New) {
    AssignedVariables V;
    V.TraverseStmt(const_cast<Stmt *>(S));
    It->second = std::move(V.Found);
  }
  return It->second;
}

void Machine::havoc(const Stmt *S, Taint T) {
  for (const VarDecl *V : assignedIn(S)) {
    auto It = Frames.back().Vars.find(V);
    if (It == Frames.back().Vars.end())
      continue;
    Object &O = *It->second;
    if (V->getType()->isReferenceType())
      continue;
    for (auto &[Offset, C] : O.Contents) {
      Taint CT = C.T | T;
      Object *Obj = C.K == Value::Pointer ? C.Obj : nullptr;
      C = Obj ? Value::pointer(Obj, Lanes(), CT) : Value::unknown(CT);
    }
    O.Stored |= T;
  }
}

namespace {
/// A variable that a loop's last part moves by the same each trip: `i += step`, `i = i + step`, `++i`.
struct Counter {
  const VarDecl *V = nullptr;
  const Expr *Step = nullptr; ///< null: one
};
} // namespace

static bool mentions(const Stmt *S, const VarDecl *V) {
  if (const auto *D = dyn_cast<DeclRefExpr>(S); D && D->getDecl() == V)
    return true;
  return llvm::any_of(S->children(), [&](const Stmt *C) { return C && mentions(C, V); });
}

static void countersOf(const Expr *Inc, llvm::SmallVectorImpl<Counter> &Out) {
  Inc = Inc->IgnoreParens();
  if (const auto *U = dyn_cast<UnaryOperator>(Inc); U && U->isIncrementOp())
    Out.push_back({namedVariable(U->getSubExpr()), nullptr});
  const auto *B = dyn_cast<BinaryOperator>(Inc);
  if (!B)
    return;
  const VarDecl *V = namedVariable(B->getLHS());
  if (B->getOpcode() == BO_Comma) {
    countersOf(B->getLHS(), Out);
    countersOf(B->getRHS(), Out);
  } else if (B->getOpcode() == BO_AddAssign)
    Out.push_back({V, B->getRHS()});
  else if (const auto *Sum = B->getOpcode() == BO_Assign ? dyn_cast<BinaryOperator>(B->getRHS()->IgnoreParenImpCasts()) : nullptr;
           V && Sum && Sum->getOpcode() == BO_Add && (namedVariable(Sum->getLHS()) == V || namedVariable(Sum->getRHS()) == V))
    Out.push_back({V, namedVariable(Sum->getLHS()) == V ? Sum->getRHS() : Sum->getLHS()});
}

/// Leaves the trips of a loop that nobody can count: its variables are not known any more. Of its counters stays what all threads
/// that are in it have counted alike, the value now and some steps.
void Machine::leaveTrips(const Stmt *S, const Expr *Cond, const Stmt *Body, const Expr *Inc, const Taint &T) {
  llvm::SmallVector<Counter, 2> Counters;
  if (Block && Inc)
    countersOf(Inc, Counters);
  std::vector<std::pair<Object *, Residue>> Kept;
  for (const Counter &C : Counters) {
    auto It = C.V ? Frames.back().Vars.find(C.V) : Frames.back().Vars.end();
    auto Changes = [&](const Stmt *Part) { return Part && llvm::is_contained(assignedIn(Part), C.V); };
    if (It == Frames.back().Vars.end() || C.V->getType()->isReferenceType() || Changes(Body) || Changes(Cond) ||
        llvm::count_if(Counters, [&](const Counter &O) { return O.V == C.V; }) != 1)
      continue;
    bool Same = true; // a step each trip
    if (C.Step)
      for (const VarDecl *V : assignedIn(S))
        Same &= !mentions(C.Step, V);
    if (!Same)
      continue;
    ++Mute;
    Value Step = C.Step ? eval(C.Step) : Value::integer(1);
    --Mute;
    auto R = residueOf(cell(It->second->Contents, 0, It->second->Stored));
    int64_t Of = Step.K == Value::Scalar && !Step.Float && Step.L.uniform() ? Step.L.at(0) : Unk;
    if (!R || Of == Unk)
      continue;
    R->Of = std::gcd(R->Of, Of);
    if (R->Of > 1)
      Kept.push_back({It->second, *R});
  }
  havoc(S, T);
  for (auto &[O, R] : Kept)
    if (auto It = O->Contents.find(0); It != O->Contents.end() && It->second.K == Value::Scalar)
      It->second.Modulo = std::make_shared<const Residue>(std::move(R));
}

/// Behind a loop threads may have counted differently.
void Machine::forgetCounts(const Stmt *S) {
  for (const VarDecl *V : assignedIn(S))
    if (auto It = Frames.back().Vars.find(V); It != Frames.back().Vars.end() && !V->getType()->isReferenceType())
      for (auto &[Offset, C] : It->second->Contents)
        C.Modulo = nullptr;
}

/// Values of the loop's variables at three moments, two trips apart.
struct Machine::LoopProbe {
  const Stmt *S;
  std::vector<std::pair<Object *, int64_t>> Cells;
  std::vector<std::vector<Value>> Seen;
};

/// After some trips a loop's variables move by a constant every two trips (two, so that ping-pong buffers
/// count). Then the middle of a long loop adds nothing new: jump close to its end. Variables that do not
/// move so become unknown. False: the loop cannot be foreseen.
bool Machine::skipAhead(LoopProbe &P, const Expr *Cond) {
  unsigned K = unsigned(P.Seen.size());
  auto Linear = [&](size_t I, Lanes &Delta) {
    const Value &A = P.Seen[K - 3][I], &B = P.Seen[K - 2][I], &C = P.Seen[K - 1][I];
    if (A.K != B.K || B.K != C.K || B.K == Value::Aggregate || C.Float ||
        (C.K == Value::Pointer && (A.Obj != B.Obj || B.Obj != C.Obj)))
      return false;
    Lanes D = Lanes::varying();
    for (unsigned L = 0; L < N; ++L) {
      D.data()[L] = 0;
      if (!Cur.May.test(L))
        continue;
      int64_t X = A.L.at(L), Y = B.L.at(L), Z = C.L.at(L);
      if (X == Unk || Y == Unk || Z == Unk || Z - Y != Y - X)
        return false;
      D.data()[L] = Z - Y;
    }
    Delta = std::move(D);
    return true;
  };
  std::vector<std::optional<Lanes>> Deltas;
  for (size_t I = 0; I < P.Cells.size(); ++I) {
    Lanes D;
    Deltas.push_back(Linear(I, D) ? std::optional<Lanes>(std::move(D)) : std::nullopt);
  }
  bool Wraps = false;
  auto Place = [&](int64_t Steps) {
    Wraps = false;
    for (size_t I = 0; I < P.Cells.size(); ++I) {
      Value &C = P.Cells[I].first->Contents[P.Cells[I].second];
      const Value &Now = P.Seen[K - 1][I];
      if (!Deltas[I]) {
        C = Now.K == Value::Pointer ? Value::pointer(Now.Obj, Lanes(), Now.T) : Value::unknown(Now.T);
        continue;
      }
      Value V = Now;
      const ValueDecl *Decl = P.Cells[I].first->Decl;
      bool Unsigned = V.K == Value::Scalar && Decl && Decl->getType()->isUnsignedIntegerType();
      V.L = Lanes::map(Now.L, *Deltas[I], N, [&](int64_t X, int64_t D) {
        int64_t Y = int64_t(uint64_t(X) + uint64_t(D) * uint64_t(Steps));
        // an unsigned variable that passes zero
        Wraps |= Unsigned && D < 0 && uint64_t(X) < uint64_t(-D) * uint64_t(Steps);
        return Y;
      });
      if (V.K == Value::Scalar && P.Cells[I].first->Decl && P.Cells[I].first->Decl->getType()->isIntegerType())
        V = convert(V, Ctx.getIntTypeForBitwidth(64, true), P.Cells[I].first->Decl->getType());
      C = V;
    }
  };
  ++Mute;
  auto Holds = [&](int64_t Steps) {
    Place(Steps);
    Outcome O = test(Cond);
    return O.Unknown.any() ? -1 : O.True.any() && !Wraps ? 1 : 0;
  };
  int Now = Holds(0);
  if (Now != 1) {
    --Mute;
    Place(0);
    return Now == 0;
  }
  int64_t Good = 0, Bad = 1;
  while (Bad < (int64_t(1) << 33) && Holds(Bad) == 1) {
    Good = Bad;
    Bad *= 2;
  }
  while (Bad - Good > 1) {
    int64_t Mid = Good + (Bad - Good) / 2;
    (Holds(Mid) == 1 ? Good : Bad) = Mid;
  }
  --Mute;
  Place(std::max<int64_t>(0, Good - 1));
  return Good < (int64_t(1) << 32);
}

/// Remembers where a counting loop of the kernel starts and steps to: for (i = first; i < bound; i += step).
void Machine::noteTrip(const Stmt *S, const Expr *Cond, unsigned Trip) {
  if (!Block || Mute || Trip > 1 || !isa<ForStmt>(S) || !Cond)
    return;
  const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
  const VarDecl *V = B ? namedVariable(B->getLHS()) : nullptr;
  auto It = V ? Frames.back().Vars.find(V) : Frames.back().Vars.end();
  if (It == Frames.back().Vars.end() || !B->isRelationalOp())
    return;
  Value Now = cell(It->second->Contents, 0, It->second->Stored);
  if (Now.K != Value::Scalar || Now.L.unknown())
    return;
  if (Trip == 0)
    Block->Counting.push_back({cast<ForStmt>(S), V, Frames.back().F, Now.L, Lanes(), who().Sure, unsigned(Trips.size())});
  else
    for (size_t I = Block->Counting.size(); I-- > 0;)
      if (Block->Counting[I].Loop == S) {
        Block->Counting[I].Second = Now.L;
        break;
      }
}

void Machine::execLoop(const Stmt *S, const Expr *Cond, const Stmt *Body, const Expr *Inc, bool TestFirst) {
  constexpr unsigned ProbeEvery = 2, ProbeAt = 6, Endless = 4096;
  Threads Before = Cur;
  Mask OuterJumped = Jumped;
  Mask ReturnedBefore = Frames.back().ReturnedSure;
  Jumped = Mask();
  Control C{Control::Loop, S, Cond, 0, false, {}, Instances[S]++};
  Controls.push_back(C);
  Loops.push_back({});
  Trips.push_back(0);
  LoopProbe Probe{S, {}, {}};
  unsigned Blind = 0; // trips that hang on unknown data
  unsigned AfterSkip = 0;
  bool Skipped = false;
  Mask Left; // threads that may go on behind the loop
  const size_t Depth = Regions.size();
  for (unsigned Trip = 0; !stopped(); ++Trip) {
    if (!spend())
      break;
    if (TestFirst || Trip > 0) {
      Outcome O = test(Cond);
      Control &Here = Controls.back();
      Here.T |= O.T;
      Here.Unknown |= O.Unknown.any();
      Left = Left | (Cur.May & (O.False | O.Unknown));
      bool Together = areTogether(O, Cur);
      Cur = {Cur.May & (O.True | O.Unknown), Cur.Sure & O.True};
      if (Cur.May.none())
        break;
      if (Together)
        enterRegion(Cur.May, O.T);
    }
    bool Sure = Cur.Sure.any() && Regions.size() == Depth;
    if (Skipped && ++AfterSkip > 64) // it does not end where it should have
      break;
    if (!Sure && ++Blind > 2) {
      // The trip count is not known: one more trip stands for all the others.
      leaveTrips(S, Cond, Body, Inc, Controls.back().T);
      Controls.back().Unknown = true;
      if (Block)
        Block->Skipped = true;
      loseGroups();
      if (Blind > 3)
        break;
    }
    Trips.back() = Trip;
    noteTrip(S, Cond, Trip);
    reach(Body);
    size_t Inner = Regions.size();
    exec(Body);
    LoopState &L = Loops.back();
    if (L.Continued.May.any())
      leaveRegions(Inner); // those that went on to the next trip join again
    Cur = {Cur.May | L.Continued.May, Cur.Sure | L.Continued.Sure};
    L.Continued = {};
    if (Inc && !stopped())
      eval(Inc);
    if (Skipped || Cur.Sure.none() || Regions.size() > Depth || (Trip % ProbeEvery) != 0)
      continue;
    // See whether the rest of the loop can be foreseen.
    if (Probe.Seen.empty())
      for (const VarDecl *V : assignedIn(S)) {
        auto It = Frames.back().Vars.find(V);
        if (It == Frames.back().Vars.end() || V->getType()->isReferenceType())
          continue;
        if (!V->getType()->isRecordType() && !V->getType()->isArrayType())
          Probe.Cells.push_back({It->second, 0});
        else
          for (auto &[Offset, Cell] : It->second->Contents)
            Probe.Cells.push_back({It->second, Offset});
      }
    Probe.Seen.emplace_back();
    for (auto &[O, Offset] : Probe.Cells) {
      Probe.Seen.back().push_back(cell(O->Contents, Offset, O->Stored));
      keep(*O, Offset, Probe.Seen.back().back());
    }
    if (Trip >= ProbeAt && Cond && Cur.May.any()) {
      auto Save = Probe.Seen.back();
      if (skipAhead(Probe, Cond)) {
        Skipped = true;
        if (Block)
          Block->Skipped = true;
        loseGroups();
      }
      else if (Trip < 40) { // perhaps geometric: it may end soon
        for (size_t I = 0; I < Probe.Cells.size(); ++I)
          Probe.Cells[I].first->Contents[Probe.Cells[I].second] = Save[I];
      } else {
        Blind = 3;
        Cur.Sure = Mask();
      }
    }
    if (Trip > Endless)
      break;
  }
  leaveRegions(Depth);
  forgetCounts(S);
  Controls.pop_back();
  Trips.pop_back();
  LoopState L = Loops.back();
  Loops.pop_back();
  // All threads that did not leave the function go on behind the loop.
  Mask Returned = Frames.back().ReturnedSure - ReturnedBefore;
  Cur.May = (Left | L.Broken.May | Cur.May) - Returned;
  Cur.Sure = (Before.Sure & Cur.May) - (Returned | (Jumped - (L.Broken.May | L.Continued.May)));
  Jumped = OuterJumped | ((Jumped - L.Broken.May) & Returned);
}

void Machine::leaveLoop(const Stmt *S, bool Continue) {
  // `continue` inside a switch belongs to the loop around it.
  for (size_t I = Loops.size(); I-- > 0;) {
    LoopState &L = Loops[I];
    if (Continue && L.IsSwitch)
      continue;
    Threads &To = Continue ? L.Continued : L.Broken;
    To.May = To.May | Cur.May;
    To.Sure = To.Sure | Cur.Sure;
    if (!Continue && !L.IsSwitch)
      loosenLoop();
    break;
  }
  Jumped = Jumped | Cur.May;
  Cur = {};
}

/// Some threads leave the innermost loop by a condition that is not known and differs between threads: what follows in the
/// loop hangs on it.
void Machine::loosenLoop() {
  size_t I = Controls.size();
  Taint Why;
  bool Unknown = false;
  while (I-- > 0 && Controls[I].K != Control::Loop)
    if (Controls[I].Unknown && Controls[I].T.V >= Vary::Warp) {
      Unknown = true;
      Why |= Controls[I].T;
    }
  if (I < Controls.size() && Unknown) {
    Controls[I].Unknown = true;
    Controls[I].T |= Why;
  }
}

void Machine::execSwitch(const SwitchStmt *S) {
  if (S->getInit())
    exec(S->getInit());
  if (S->getConditionVariable())
    declare(S->getConditionVariable());
  Value V = eval(S->getCond());
  Threads Before = Cur;
  Outcome Any;
  Any.T = V.T;
  if (V.L.uniform() ? V.L.unknown() : false)
    Any.Unknown = Cur.May;
  else
    forEachLane(Cur.May, N, [&](unsigned I) {
      if (V.L.at(I) == Unk)
        Any.Unknown.set(I);
    });
  // Which threads enter at which label.
  struct Entry {
    const SwitchCase *Label;
    Mask Threads;
  };
  std::vector<Entry> Entries;
  Mask Matched;
  const DefaultStmt *Default = nullptr;
  for (const SwitchCase *C = S->getSwitchCaseList(); C; C = C->getNextSwitchCase()) {
    if (const auto *D = dyn_cast<DefaultStmt>(C)) {
      Default = D;
      continue;
    }
    const auto *Case = cast<CaseStmt>(C);
    Value Low = eval(Case->getLHS()), High = Case->getRHS() ? eval(Case->getRHS()) : Low;
    int64_t A = Low.L.uniformValue(N), B = High.L.uniformValue(N);
    if (A != Unk)
      noteComparison(V, A);
    Mask M;
    forEachLane(Cur.May, N, [&](unsigned I) {
      int64_t X = V.L.at(I);
      if (X != Unk && A != Unk && X >= A && X <= B)
        M.set(I);
    });
    Matched = Matched | M;
    Entries.push_back({C, M});
  }
  Mask Unmatched = Before.May - Matched - Any.Unknown;
  if (Default)
    Entries.push_back({Default, Unmatched});
  Loops.push_back({});
  Loops.back().IsSwitch = true;
  Mask OuterJumped = Jumped;
  Jumped = Mask();
  Mask ReturnedBefore = Frames.back().ReturnedSure;
  Cur = {};
  unsigned Instance = Instances[S]++;
  int Number = 0;
  Controls.push_back({Control::Branch, S, S->getCond(), 0, Any.Unknown.any(), Any.T, Instance});
  const size_t Depth = Regions.size();
  auto Enter = [&](const SwitchCase *C) {
    leaveRegions(Depth);
    for (Entry &E : Entries)
      if (E.Label == C) {
        Cur.May = Cur.May | E.Threads | Any.Unknown;
        Cur.Sure = Cur.Sure | (E.Threads & Before.Sure);
        Controls.back().Side = ++Number;
        if (Cur.May.any())
          reach(C);
      }
  };
  std::function<void(const Stmt *)> Walk = [&](const Stmt *B) {
    if (const auto *C = dyn_cast<SwitchCase>(B)) {
      Enter(C);
      Walk(C->getSubStmt());
    } else if (const auto *Block = dyn_cast<CompoundStmt>(B)) {
      for (const Stmt *Sub : Block->body())
        Walk(Sub);
    } else if (!stopped())
      exec(B);
  };
  Walk(S->getBody());
  leaveRegions(Depth);
  Controls.pop_back();
  LoopState L = Loops.back();
  Loops.pop_back();
  Mask Returned = Frames.back().ReturnedSure - ReturnedBefore;
  Mask LeftElsewhere = Jumped - L.Broken.May;
  Cur.May = (Cur.May | L.Broken.May | Before.May) - Returned;
  if (!Default)
    Cur.May = Cur.May | Unmatched;
  // threads that continued an outer loop are not here any more
  for (const LoopState &Outer : Loops)
    Cur.May = Cur.May - Outer.Continued.Sure;
  Cur.Sure = (Before.Sure & Cur.May) - LeftElsewhere;
  Jumped = OuterJumped | LeftElsewhere;
}

void Machine::execReturn(const ReturnStmt *S) {
  Frame &F = Frames.back();
  if (const Expr *E = S->getRetValue()) {
    Value V = F.F && F.F->getReturnType()->isReferenceType() ? lval(E) : eval(E);
    Frame &Now = Frames.back();
    Threads Here = std::exchange(Cur, {Cur.May, returning()});
    assign(Now.Return, V, !Now.HasReturn);
    Cur = Here;
    Now.HasReturn = true;
  }
  Frame &Now = Frames.back();
  if (Frames.size() == 1) {
    if (Block && !Mute) {
      for (const Control &C : Controls)
        if (C.K == Control::Branch || C.K == Control::Loop) {
          Control X = C;
          X.K = Control::Exit;
          X.S = S;
          Exits.push_back(X);
        }
      Block->Returns.push_back(S);
    }
    Exited = Exited | who().Sure;
  }
  Now.ReturnedSure = Now.ReturnedSure | returning();
  Jumped = Jumped | Cur.May;
  Cur = {};
}

void Machine::kill(const Stmt *S) {
  for (Frame &F : Frames)
    F.ReturnedSure = F.ReturnedSure | who().Sure;
  Exited = Exited | who().Sure;
  Jumped = Jumped | Cur.May;
  Cur = {};
}

void Machine::execRangeFor(const CXXForRangeStmt *S) {
  if (S->getInit())
    exec(S->getInit());
  exec(S->getRangeStmt());
  if (!S->getBeginStmt() || !S->getEndStmt())
    return;
  exec(S->getBeginStmt());
  exec(S->getEndStmt());
  // The loop variable is declared anew each trip: run its declaration as part of the body.
  Threads Before = Cur;
  unsigned Trip = 0;
  Controls.push_back({Control::Loop, S, S->getCond(), 0, false, {}, Instances[S]++});
  Loops.push_back({});
  Trips.push_back(0);
  while (!stopped() && spend()) {
    Outcome O = test(S->getCond());
    Controls.back().T |= O.T;
    Controls.back().Unknown |= O.Unknown.any();
    Cur = {Cur.May & (O.True | O.Unknown), Cur.Sure & O.True};
    if (Cur.May.none() || (Cur.Sure.none() && Trip > 1) || Trip > 64)
      break;
    Trips.back() = Trip++;
    reach(S->getBody());
    exec(S->getLoopVarStmt());
    size_t Depth = Regions.size();
    exec(S->getBody());
    leaveRegions(Depth);
    LoopState &L = Loops.back();
    Cur = {Cur.May | L.Continued.May, Cur.Sure | L.Continued.Sure};
    L.Continued = {};
    if (!stopped())
      eval(S->getInc());
  }
  Controls.pop_back();
  Trips.pop_back();
  Loops.pop_back();
  Mask Returned = Frames.back().ReturnedSure;
  Cur = {Before.May - Returned, Before.Sure - Returned};
}

void Machine::exec(const Stmt *S) {
  if (!S || stopped() || !spend())
    return;
  if (const auto *E = dyn_cast<Expr>(S)) {
    if (E->getType()->isRecordType() && E->isGLValue())
      lval(E);
    else
      eval(E);
    return;
  }
  switch (S->getStmtClass()) {
  case Stmt::CompoundStmtClass:
    for (const Stmt *Sub : cast<CompoundStmt>(S)->body()) {
      if (stopped())
        return;
      exec(Sub);
    }
    return;
  case Stmt::DeclStmtClass:
    for (const Decl *D : cast<DeclStmt>(S)->decls())
      if (const auto *V = dyn_cast<VarDecl>(D))
        declare(V);
    return;
  case Stmt::IfStmtClass:
    return execIf(cast<IfStmt>(S));
  case Stmt::ForStmtClass: {
    const auto *F = cast<ForStmt>(S);
    if (F->getInit())
      exec(F->getInit());
    return execLoop(F, F->getCond(), F->getBody(), F->getInc(), true);
  }
  case Stmt::WhileStmtClass: {
    const auto *W = cast<WhileStmt>(S);
    if (W->getConditionVariable())
      declare(W->getConditionVariable());
    return execLoop(W, W->getCond(), W->getBody(), nullptr, true);
  }
  case Stmt::DoStmtClass: {
    const auto *D = cast<DoStmt>(S);
    return execLoop(D, D->getCond(), D->getBody(), nullptr, false);
  }
  case Stmt::CXXForRangeStmtClass:
    return execRangeFor(cast<CXXForRangeStmt>(S));
  case Stmt::SwitchStmtClass:
    return execSwitch(cast<SwitchStmt>(S));
  case Stmt::ReturnStmtClass:
    return execReturn(cast<ReturnStmt>(S));
  case Stmt::BreakStmtClass:
    return leaveLoop(S, false);
  case Stmt::ContinueStmtClass:
    return leaveLoop(S, true);
  case Stmt::CaseStmtClass:
  case Stmt::DefaultStmtClass:
    return exec(cast<SwitchCase>(S)->getSubStmt());
  case Stmt::LabelStmtClass:
    return exec(cast<LabelStmt>(S)->getSubStmt());
  case Stmt::AttributedStmtClass:
    return exec(cast<AttributedStmt>(S)->getSubStmt());
  case Stmt::CXXTryStmtClass:
    return exec(cast<CXXTryStmt>(S)->getTryBlock());
  case Stmt::GotoStmtClass:
  case Stmt::IndirectGotoStmtClass:
    refuse(S, "goto");
    Stop = true;
    return;
  case Stmt::GCCAsmStmtClass: {
    const auto *A = cast<GCCAsmStmt>(S);
    // Text that may not be moved, or reads a special register (`%%laneid`), may differ in what nobody gives it.
    Taint Given;
    bool OfInputs = !A->isVolatile() && A->getNumInputs() && !StringRef(A->getAsmString()).contains("%%");
    for (unsigned I = 0; I < A->getNumInputs(); ++I) {
      Value In = eval(A->getInputExpr(I));
      Given |= In.T;
      escape(S, In, true);
    }
    for (unsigned I = 0; I < A->getNumOutputs(); ++I) {
      Taint T = Given;
      T.V = OfInputs ? Given.V : Vary::Thread;
      T.Data = true;
      store(lval(A->getOutputExpr(I)), A->getOutputExpr(I)->getType(), Value::unknown(T), A->getOutputExpr(I));
    }
    if (Run) {
      refuse(S, "inline assembly");
      std::string Text = A->getAsmString();
      if (StringRef(Text).contains("bar.") || StringRef(Text).contains("barrier") || StringRef(Text).contains("wait")) {
        ++Interval;
        ++WarpPhase;
      }
    }
    return;
  }
  default:
    return;
  }
}
