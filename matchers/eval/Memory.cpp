//===- Memory.cpp - loads, stores and the events they leave --------------------===//
#include "matchers/eval/Machine.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

Object *Machine::newObject(Space S, const ValueDecl *D, StringRef Name) {
  Object &O = Pool->emplace_back();
  O.Where = S;
  O.Decl = D;
  O.Name = Name.str();
  O.Frame = unsigned(Frames.size());
  O.Stored.V = Vary::Grid;
  return &O;
}

Object *Machine::temporary(const Value &V) {
  Object *O = newObject(Space::Local, nullptr, "");
  if (V.K == Value::Aggregate) {
    if (V.Agg)
      O->Contents = *V.Agg;
    O->Stored = V.T;
  } else {
    O->Contents[0] = V;
    O->Stored = V.T;
  }
  return O;
}

Vary Machine::varyOf(const Lanes &L, const Taint &T) const {
  if (L.uniform())
    return L.unknown() ? T.V : std::min(T.V, Vary::Block);
  bool Uniform = true;
  int First = Cur.May.lowest();
  if (First < 0)
    return T.V;
  for (unsigned W = 0; W * 32 < N; ++W) {
    uint32_t Bits = Cur.May.warp(W);
    if (!Bits)
      continue;
    int64_t Of = L.at(W * 32 + std::countr_zero(Bits));
    if (Of == Unk)
      return T.V;
    Uniform &= Of == L.at(unsigned(First));
    for (unsigned I = W * 32; I < std::min(N, W * 32 + 32); ++I)
      if (Bits >> (I % 32) & 1) {
        if (L.at(I) == Unk)
          return T.V;
        if (L.at(I) != Of) // within a warp: nothing narrows it
          return T.V;
      }
  }
  return std::min(T.V, Uniform ? Vary::Block : Vary::Warp);
}

/// A value that does not hang on the sizes of the launcher varies just as its lanes say.
Taint Machine::refine(const Lanes &L, Taint T) const {
  if (T.V >= Vary::Warp && !T.Params && !T.Data && !T.Assumed)
    T.V = varyOf(L, T);
  return T;
}

Value Machine::cell(const Value::Cells &C, int64_t Offset, const Taint &Missing) const {
  auto It = C.find(Offset);
  return It != C.end() ? It->second : Value::unknown(Missing);
}

static bool isAggregateType(QualType T) {
  return T->isRecordType() || T->isArrayType() || T->isAnyComplexType();
}

Value Machine::load(const Value &P, QualType T, const Expr *At) {
  T = T.getCanonicalType();
  bool Aggregate = isAggregateType(T);
  Taint Of = P.T;
  auto Unknown = [&](Taint Of) {
    Value V = Value::unknown(Of);
    if (Aggregate)
      V.K = Value::Aggregate;
    return V;
  };
  if (P.K != Value::Pointer || !P.Obj) {
    record(AccessKind::Read, P, T, At, nullptr);
    Of.Data = true;
    return Unknown(Of);
  }
  Object &O = *P.Obj;
  if (O.Where == Space::Local || O.Where == Space::Host) {
    checkLocal(P, T, At, true);
    int64_t Offset = P.L.uniformValue(N);
    if (Offset == Unk) {
      if (Aggregate || P.L.uniform())
        return Unknown(O.Stored | P.T);
      // Each thread reads its own element.
      Lanes R = Lanes::varying();
      Taint RT = P.T;
      bool IsFloat = false;
      for (unsigned I = 0; I < N; ++I) {
        int64_t V = Unk;
        if (P.L.at(I) != Unk)
          if (auto It = O.Contents.find(P.L.at(I)); It != O.Contents.end() && It->second.K == Value::Scalar) {
            V = It->second.L.at(I);
            RT |= It->second.T;
            IsFloat = It->second.Float;
          }
        R.data()[I] = V;
      }
      Value V = Value::lanes(std::move(R), RT | O.Stored);
      V.Float = IsFloat;
      return V;
    }
    if (!Aggregate)
      return cell(O.Contents, Offset, O.Stored);
    Value V = Unknown(O.Stored);
    V.Agg = std::make_shared<Value::Cells>();
    int64_t Size = sizeOf(T);
    for (auto It = O.Contents.lower_bound(Offset); It != O.Contents.end() && It->first < Offset + Size; ++It)
      (*V.Agg)[It->first - Offset] = It->second;
    return V;
  }
  record(AccessKind::Read, P, T, At, nullptr);
  Of.V = varyOf(P.L, P.T);
  if (Of.V == Vary::Block && (P.T.V == Vary::Grid && O.Where != Space::Shared && O.Where != Space::DynamicShared))
    Of.V = Vary::Grid;
  if (O.Where == Space::Shared || O.Where == Space::DynamicShared)
    Of.V = std::max(Of.V, Vary::Block);
  Of.Data = true;
  Of.Own = Of.OwnWarp = false; // that was said of the address, not of what lies there
  Of.Params = 0;
  Of.Atomic = O.Stored.Atomic || P.T.Atomic;
  if (Run && Run->ZeroData && O.Where == Space::Global && T->isIntegerType())
    return Value::integer(0, Of);
  Value V = Unknown(Of);
  if (T->isSignedIntegerType() && !T->isBooleanType() && sizeOf(T) == 1)
    V.Within = std::make_shared<const Band>(Band{Lanes(-128), 255});
  return V;
}

/// The type of what a variable is made of in the end, where that is plain arithmetic; else null.
static QualType partType(const VarDecl *V) {
  QualType T = V->getType().getCanonicalType();
  while (const auto *A = dyn_cast<ConstantArrayType>(T.getTypePtr()))
    T = A->getElementType().getCanonicalType();
  return T->isArithmeticType() ? T.getUnqualifiedType() : QualType();
}

void Machine::checkLocal(const Value &P, QualType T, const Expr *At, bool Reads) {
  const Object &O = *P.Obj;
  const auto *V = dyn_cast_or_null<VarDecl>(O.Decl);
  if (!Block || !Run || Mute || !At || !O.Bytes || !V || isa<ParmVarDecl>(V) || !V->isLocalVarDecl() || Cur.Sure.none() ||
      Block->LocalFaults.size() >= 64)
    return;
  QualType Part = partType(V);
  if (Part.isNull())
    return;
  auto Add = [&](unsigned Thread, std::optional<int64_t> Offset) {
    if (llvm::none_of(Block->LocalFaults, [&](const LocalFault &F) { return F.E == At; }))
      Block->LocalFaults.push_back({At, V, Thread, Offset});
  };
  unsigned First = unsigned(Cur.Sure.lowest());
  int64_t Size = sizeOf(T);
  auto Outside = [&](int64_t At) { return At != Unk && (At < 0 || At + Size > *O.Bytes); };
  if (P.L.uniform()) {
    if (Outside(P.L.at(First)))
      return Add(First, P.L.at(First));
  } else
    for (unsigned I = First; I < N; ++I)
      if (Cur.Sure.test(I) && Outside(P.L.at(I)))
        return Add(I, P.L.at(I));
  if (Reads && O.Contents.empty() && !O.Touched && !V->hasInit() && T.getUnqualifiedType() == Part)
    Add(First, std::nullopt);
}

/// Writes New over Old for the current threads.
void Machine::assign(Value &Old, const Value &New, bool Fresh) {
  Mask Live = relevant();
  if (Fresh || (Live - Cur.Sure).none()) {
    Old = New;
    if (Run && !Fresh)
      Old.T |= controlTaint();
    return;
  }
  Taint T = Old.T | New.T | controlTaint();
  if (Old.K == Value::Pointer && New.K == Value::Pointer && Old.Obj != New.Obj) {
    Old = Value::pointer(nullptr, Lanes(), T);
    return;
  }
  if (Old.K == Value::Aggregate || New.K == Value::Aggregate) {
    if (Old.K == New.K && Old.Agg && New.Agg)
      for (auto &[Offset, V] : *New.Agg)
        assign((*Old.Agg)[Offset], V, false);
    else {
      Old = Value::unknown(T);
      Old.K = Value::Aggregate;
    }
    Old.T = T;
    return;
  }
  if (Old.K != New.K) {
    if (Old.K == Value::Scalar && Old.L.unknown()) { // first value of a variable declared without one
      Value V = New;
      V.T = T;
      Old = V;
      return;
    }
    Old = Value::unknown(T);
    return;
  }
  Old.T = T;
  Old.Float = New.Float;
  if (Old.Within != New.Within)
    Old.Within = nullptr;
  Old.Modulo = joined(Old, New);
  if (Old.L.uniform() && New.L.uniform() && Old.L.at(0) == New.L.at(0))
    return;
  Lanes R = Lanes::varying();
  for (unsigned I = 0; I < N; ++I)
    R.data()[I] = Cur.Sure.test(I)  ? New.L.at(I)
                  : Cur.May.test(I) ? (Old.L.at(I) == New.L.at(I) ? Old.L.at(I) : Unk)
                                    : Old.L.at(I);
  Old.L = std::move(R);
}

void Machine::store(const Value &P, QualType T, const Value &V, const Expr *At) {
  T = T.getCanonicalType();
  if (P.K != Value::Pointer || !P.Obj) {
    record(AccessKind::Write, P, T, At, &V);
    return;
  }
  Object &O = *P.Obj;
  if (O.Where != Space::Local && O.Where != Space::Host) {
    if (Host && O.Where == Space::Managed)
      refuse(At, "host code writes to managed memory");
    O.Stored |= V.T;
    record(AccessKind::Write, P, T, At, &V);
    return;
  }
  checkLocal(P, T, At, false);
  int64_t Offset = P.L.uniformValue(N);
  if (Offset == Unk) { // some element, not known which
    O.Contents.clear();
    O.Touched = true;
    O.Stored |= V.T | P.T;
    O.Stored.V = Vary::Thread;
    return;
  }
  if (V.K == Value::Aggregate) {
    int64_t Size = sizeOf(T);
    if (!V.Agg) {
      O.Touched = true;
      O.Contents.erase(O.Contents.lower_bound(Offset), O.Contents.lower_bound(Offset + std::max<int64_t>(Size, 1)));
      O.Stored |= V.T;
      return;
    }
    for (auto &[Sub, Cell] : *V.Agg) {
      auto [It, New] = O.Contents.try_emplace(Offset + Sub);
      if (!New)
        keep(O, Offset + Sub, It->second);
      assign(It->second, Cell, New);
    }
    O.Stored |= V.T;
    return;
  }
  auto [It, New] = O.Contents.try_emplace(Offset);
  if (New)
    It->second = Value::unknown(O.Stored);
  keep(O, Offset, It->second);
  assign(It->second, V, false);
}

void Machine::record(AccessKind K, const Value &P, QualType T, const Expr *At, const Value *Stored,
                     bool Async) {
  if (!Block || Mute)
    return;
  if (P.Obj && P.Obj->Where == Space::Local)
    return;
  Access A;
  A.Kind = K;
  A.E = At;
  A.In = Frames.back().F;
  A.Obj = P.K == Value::Pointer ? P.Obj : nullptr;
  A.Type = T;
  A.Bytes = unsigned(sizeOf(T));
  A.Offset = P.K == Value::Pointer ? P.L : Lanes();
  if (A.Offset.unknown() && A.Obj)
    A.Within = P.Within;
  A.OffsetTaint = P.T;
  A.Who = who();
  A.Volatile = At && At->getType().isVolatileQualified();
  A.Async = Async;
  if (Stored) {
    A.Stored = Stored->T;
    for (size_t I = Block->Accesses.size(), Back = 0; K == AccessKind::Write && Storing && I-- > 0 && Back < 4; ++Back)
      if (Block->Accesses[I].Kind == AccessKind::Read && Block->Accesses[I].E == Storing) {
        A.From = unsigned(I);
        break;
      }
    bool Comparable = Stored->K == Value::Scalar || (Stored->K == Value::Pointer && Stored->Obj && Stored->Obj->Where != Space::Local);
    A.Value = Stored->K == Value::Scalar && !Stored->L.unknown() ? Stored->L.uniformValue(N) : Unk;
    A.SameValue = Comparable && (Stored->L.unknown() ? Stored->T.V <= Vary::Block : Stored->L.uniformValue(N) != Unk);
  }
  A.Interval = Interval;
  A.WarpPhase = WarpPhase;
  A.Sequence = Sequence++;
  A.Group = Async ? Committed + 1 : Landed;
  for (const Control &C : Controls)
    if (C.Unknown)
      A.Path.push_back(C);
  A.LoopDepth = unsigned(Trips.size());
  A.Trips = Trips;
  Block->Accesses.push_back(std::move(A));
}

void Machine::escape(const Stmt *At, const Value &V, bool MayWrite) {
  if (V.K == Value::Aggregate) {
    if (V.Agg)
      for (auto &[Offset, Cell] : *V.Agg)
        escape(At, Cell, MayWrite);
    return;
  }
  if (V.K != Value::Pointer)
    return;
  if (V.Obj && (V.Obj->Where == Space::Local || V.Obj->Where == Space::Host)) {
    if (MayWrite) {
      Object &O = *V.Obj;
      O.Contents.clear();
      O.Touched = true;
      O.Stored.V = Vary::Thread;
      O.Stored.Data = true;
      O.Stored.Assumed = true;
    }
    return;
  }
  if (Host && MayWrite && V.Obj && V.Obj->Where == Space::Managed)
    refuse(At, "host code writes to managed memory");
  if (Block && !Mute)
    Block->Escapes.push_back({At, V.Obj, MayWrite});
}
