//===- Calls.cpp - inlining and device intrinsics ------------------------------===//
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"
#include "matchers/PlanBudget.h"
#include "matchers/StepLimit.h"
#include "matchers/eval/Machine.h"
#include <cmath>

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

bool Machine::mayInline(const FunctionDecl *F) const {
  if (!F || Frames.size() > 24 || F->isDependentContext())
    return false;
  unsigned Depth = 0;
  for (const Frame &Up : Frames)
    Depth += Up.F && Up.F->getCanonicalDecl() == F->getCanonicalDecl();
  if (Depth > 2)
    return false;
  const SourceManager &SM = Ctx.getSourceManager();
  if (!SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation())))
    return true;
  // Of the toolkit only what builds values: constructors and make_float4 and the like.
  if (const auto *C = dyn_cast<CXXConstructorDecl>(F))
    return C->getParent()->getName() == "dim3";
  return F->getIdentifier() && F->getName().starts_with("make_");
}

Value Machine::inlineCall(const FunctionDecl *F, llvm::ArrayRef<const Expr *> Args, const Value *This,
                          const Expr *At) {
  const FunctionDecl *Def = nullptr;
  const Stmt *Body = F->getBody(Def);
  Frame New;
  New.F = Def;
  New.Entry = Cur.May;
  New.Regions = Regions.size();
  if (This)
    New.This = *This;
  for (unsigned I = 0; I < Def->getNumParams(); ++I) {
    const ParmVarDecl *P = Def->getParamDecl(I);
    const Expr *Arg = I < Args.size() ? Args[I] : P->hasDefaultArg() && !P->hasUninstantiatedDefaultArg() && !P->hasUnparsedDefaultArg() ? P->getDefaultArg() : nullptr;
    Object *O = newObject(Space::Local, P, P->getName());
    O->Bytes = sizeOf(P->getType());
    if (Arg) {
      if (P->getType()->isReferenceType())
        O->Contents[0] = lval(Arg);
      else if (!P->getType()->isDependentType())
        initialise(O, 0, P->getType(), Arg);
    }
    New.Vars[P] = O;
  }
  Threads Before = Cur;
  Mask OuterJumped = Jumped;
  std::vector<LoopState> OuterLoops;
  std::swap(OuterLoops, Loops);
  Frames.push_back(std::move(New));
  if (const auto *C = dyn_cast<CXXConstructorDecl>(Def))
    for (const CXXCtorInitializer *I : C->inits()) {
      if (!I->isAnyMemberInitializer() || !This || !This->Obj)
        continue;
      const FieldDecl *Field = I->getAnyMember();
      if (Field->getParent()->isDependentType() || Field->getParent()->isInvalidDecl())
        continue;
      int64_t Base = This->L.uniformValue(N);
      if (Base == Unk)
        continue;
      int64_t Offset = Base + int64_t(Ctx.getFieldOffset(Field) / 8);
      if (Field->getType()->isReferenceType())
        This->Obj->Contents[Offset] = lval(I->getInit());
      else
        initialise(This->Obj, Offset, Field->getType(), I->getInit());
    }
  reach(Body);
  exec(Body);
  leaveRegions(Frames.back().Regions);
  Value Result = std::move(Frames.back().Return);
  Frames.pop_back();
  std::swap(OuterLoops, Loops);
  // exit and trap inside the callee end the thread; return ends only the call
  Mask Dead = Frames.back().ReturnedSure;
  Cur = {Before.May - (Dead & Before.May & Exited), Before.Sure - (Dead & Exited)};
  Jumped = OuterJumped | (Before.May & Dead & Exited);
  return Result;
}

Value Machine::linearThread() {
  Taint T;
  T.V = Vary::Thread;
  Lanes L = Lanes::varying();
  for (unsigned I = 0; I < N; ++I)
    L.data()[I] = I;
  return Value::lanes(std::move(L), T);
}

std::optional<int64_t> Machine::tileSize(QualType Group) const {
  const CXXRecordDecl *R = Group.getNonReferenceType()->getAsCXXRecordDecl();
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(R);
  if (!S || S->getTemplateArgs().size() == 0 || S->getTemplateArgs()[0].getKind() != TemplateArgument::Integral)
    return std::nullopt;
  int64_t Size = S->getTemplateArgs()[0].getAsIntegral().getExtValue();
  return Size > 0 && Size <= 1024 ? std::optional<int64_t>(Size) : std::nullopt;
}

/// The object of `block.sync()`: a static method, as the toolkit's groups have them, is called through one all the same.
static const Expr *objectOf(const CallExpr *E) {
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(E))
    return M->getImplicitObjectArgument();
  if (isa<CXXOperatorCallExpr>(E) && isa_and_nonnull<CXXMethodDecl>(E->getDirectCallee()))
    return E->getArg(0);
  const auto *Callee = dyn_cast<MemberExpr>(E->getCallee()->IgnoreParenImpCasts());
  return Callee ? Callee->getBase() : nullptr;
}

/// Declared in std, cuda or a namespace of theirs?
static bool isInLibrary(const CXXRecordDecl &R) {
  for (const DeclContext *C = R.getDeclContext(); C; C = C->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(C); N && N->getIdentifier() && (N->getName() == "std" || N->getName() == "cuda"))
      return true;
  return false;
}

std::optional<Value> Machine::groupMember(const CallExpr *E, StringRef Name) {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(E->getDirectCallee());
  if (!M || !Run)
    return std::nullopt;
  const Expr *Object = objectOf(E);
  QualType Group = Object ? Object->IgnoreParenImpCasts()->getType() : Ctx.getCanonicalTagType(M->getParent()); // not the base that has the method
  if (Group->isPointerType())
    Group = Group->getPointeeType();
  const CXXRecordDecl *R = Group->getAsCXXRecordDecl();
  if (!R || !R->getIdentifier())
    return std::nullopt;
  StringRef Class = R->getName();
  // Whatever is done to cuda::atomic and std::atomic is one step.
  if (Object && (Class == "atomic" || Class == "atomic_flag") && isInLibrary(*R)) {
    Value Stored;
    for (const Expr *A : E->arguments())
      if (A != Object)
        Stored = A->isGLValue() ? load(lval(A), A->getType(), A->IgnoreParenImpCasts()) : eval(A);
    Value P = Object->getType()->isPointerType() ? eval(Object) : lval(Object);
    if (P.Obj && P.Obj->Where == Space::Local)
      P.Obj->Contents.clear();
    record(AccessKind::Atomic, P, Group, E, &Stored);
    return Value::unknown(Taint{Vary::Thread, true, true});
  }
  auto Tile = Class.contains("tile") ? tileSize(Group) : std::nullopt;
  Taint Dims = Run->BlockTaint[0] | Run->BlockTaint[1] | Run->BlockTaint[2];
  Dims.Assumed |= Run->Assumed;
  Value Lin = linearThread();
  auto Map = [&](auto F, Vary V) {
    Value X = Lin;
    X.L = Lanes::map(Lin.L, N, F);
    X.T.V = V;
    return X;
  };
  if (Name == "sync") {
    if (Class == "thread_block")
      barrier(E);
    else if (callKind(M) == CallKind::GridBarrier)
      barrier(E);
    else
      warpOp(E, CallKind::TileBarrier, nullptr);
    return Value::unknown();
  }
  if (Tile) {
    int64_t S = *Tile;
    if (Name == "thread_rank")
      return Map([S](int64_t X) { return X % S; }, S == 1 ? Vary::Grid : Vary::Thread);
    if (Name == "size" || Name == "num_threads")
      return Value::integer(S);
    if (Name == "meta_group_rank")
      return Map([S](int64_t X) { return X / S; }, S >= 32 && S % 32 == 0 ? Vary::Warp : Vary::Thread);
    if (Name == "meta_group_size")
      return Value::integer((int64_t(N) + S - 1) / S, Dims);
  }
  if (Class == "thread_block") {
    if (Name == "thread_rank")
      return Lin;
    if (Name == "size" || Name == "num_threads" || Name == "group_size")
      return Value::integer(N, Dims);
    auto Three = [&](IndexVar Which) {
      Value V;
      V.K = Value::Aggregate;
      V.Agg = std::make_shared<Value::Cells>();
      for (unsigned A = 0; A < 3; ++A)
        (*V.Agg)[A * 4] = builtin({Which, A});
      return V;
    };
    if (Name == "thread_index") return Three(IndexVar::ThreadIdx);
    if (Name == "group_index") return Three(IndexVar::BlockIdx);
    if (Name == "group_dim" || Name == "dim_threads") return Three(IndexVar::BlockDim);
  }
  if (Class == "grid_group") {
    int64_t Rank = Block->Index[0] + Run->Grid[0] * (Block->Index[1] + Run->Grid[1] * int64_t(Block->Index[2]));
    if (Name == "thread_rank")
      return Map([&](int64_t X) { return Rank * int64_t(N) + X; }, Vary::Thread);
    Taint G = Run->GridTaint[0] | Run->GridTaint[1] | Run->GridTaint[2] | Dims;
    if (Name == "size" || Name == "num_threads")
      return Value::integer(Run->blocks() * int64_t(N), G);
    if (Name == "block_rank")
      return Value::integer(Rank, Taint{Vary::Block});
  }
  if (CallKind K = callKind(M); K == CallKind::Shuffle || K == CallKind::Vote) {
    Taint T;
    for (const Expr *A : E->arguments())
      T |= eval(A).T;
    warpOp(E, K, nullptr);
    T.V = K == CallKind::Vote ? Vary::Warp : Vary::Thread;
    T.Data = true;
    T.Assumed = true;
    return Value::unknown(T);
  }
  return std::nullopt;
}

std::optional<Value> Machine::pureMath(const CallExpr *E, StringRef Name) {
  Name.consume_front("std::");
  auto Arg = [&](unsigned I) {
    const Expr *A = E->getArg(I)->IgnoreParens();
    while (const auto *C = dyn_cast<ImplicitCastExpr>(A)) { // to const, for std::min(const T &, …)
      if (C->getCastKind() != CK_NoOp || !C->isGLValue())
        break;
      A = C->getSubExpr()->IgnoreParens();
    }
    if (auto C = A->isGLValue() ? constant(A) : std::nullopt)
      return *C;
    return A->isGLValue() ? load(lval(A), A->getType(), A) : eval(A);
  };
  unsigned Count = E->getNumArgs();
  bool Max = llvm::StringSwitch<bool>(Name).Cases({"max", "umax", "fmax", "fmaxf", "llmax", "ullmax"}, true).Default(false);
  bool Min = llvm::StringSwitch<bool>(Name).Cases({"min", "umin", "fmin", "fminf", "llmin", "ullmin"}, true).Default(false);
  if ((Max || Min) && Count == 2) {
    Value A = Arg(0), B = Arg(1);
    if (A.K != Value::Scalar || B.K != Value::Scalar)
      return Value::unknown(A.T | B.T);
    QualType T = E->getType().getNonReferenceType();
    if (isa<InitListExpr>(E->getArg(0)->IgnoreParenImpCasts()))
      return std::nullopt;
    bool Float = A.Float || B.Float;
    if (Float && (!(A.Float || A.L.unknown()) || !(B.Float || B.L.unknown())))
      return Value::unknown(A.T | B.T);
    if (Host && !Float && known(A) && known(B)) { // min(rows, 65535): beyond that the kernel's loop takes a second trip
      if (!B.T.Params)
        noteComparison(A, *known(B));
      else if (!A.T.Params)
        noteComparison(B, *known(A));
    }
    bool Unsigned = T->isUnsignedIntegerOrEnumerationType();
    Value R = A;
    R.T = A.T | B.T;
    R.Float = Float;
    R.Within = nullptr;
    R.Modulo = nullptr;
    R.L = Lanes::map(A.L, B.L, N, [&](int64_t X, int64_t Y) {
      bool Less = Float ? std::bit_cast<double>(X) < std::bit_cast<double>(Y)
                  : Unsigned ? uint64_t(X) < uint64_t(Y)
                             : X < Y;
      return Less == Min ? X : Y;
    });
    return R;
  }
  auto Real1 = [&](double (*F)(double)) -> std::optional<Value> {
    if (Count != 1)
      return std::nullopt;
    Value A = Arg(0);
    if (A.K != Value::Scalar)
      return std::nullopt;
    if (!A.Float)
      A = convert(A, E->getArg(0)->getType(), Ctx.DoubleTy);
    A.L = Lanes::map(A.L, N, [&](int64_t X) { return std::bit_cast<int64_t>(F(std::bit_cast<double>(X))); });
    A.Float = true;
    A.Modulo = nullptr;
    return A;
  };
  auto Int1 = [&](auto F) -> std::optional<Value> {
    if (Count != 1)
      return std::nullopt;
    Value A = Arg(0);
    if (A.K != Value::Scalar || A.Float)
      return std::nullopt;
    A.L = Lanes::map(A.L, N, F);
    A.Within = nullptr;
    A.Modulo = nullptr;
    return A;
  };
  if (Name == "ceil" || Name == "ceilf") return Real1([](double X) { return std::ceil(X); });
  if (Name == "floor" || Name == "floorf") return Real1([](double X) { return std::floor(X); });
  if (Name == "sqrt" || Name == "sqrtf") return Real1([](double X) { return std::sqrt(X); });
  if (Name == "log2" || Name == "log2f") return Real1([](double X) { return std::log2(X); });
  if ((Name == "pow" || Name == "powf") && Count == 2 && Host) {
    Value A = Arg(0), B = Arg(1);
    A = convert(A, E->getArg(0)->getType(), Ctx.DoubleTy);
    B = convert(B, E->getArg(1)->getType(), Ctx.DoubleTy);
    Value R = Value::lanes(Lanes::map(A.L, B.L, N, [](int64_t X, int64_t Y) {
      return std::bit_cast<int64_t>(std::pow(std::bit_cast<double>(X), std::bit_cast<double>(Y)));
    }), A.T | B.T);
    R.Float = true;
    return R;
  }
  if (Name == "abs" || Name == "labs" || Name == "llabs") return Int1([](int64_t X) { return X < 0 ? -X : X; });
  if (Name == "__popc" || Name == "__popcll") return Int1([](int64_t X) { return int64_t(std::popcount(uint64_t(X))); });
  if (Name == "__clz") return Int1([](int64_t X) { return int64_t(std::countl_zero(uint32_t(X))); });
  if (Name == "__ffs") return Int1([](int64_t X) { return X ? int64_t(std::countr_zero(uint32_t(X))) + 1 : 0; });
  if ((Name == "__mul24" || Name == "__umul24") && Count == 2) {
    Value A = Arg(0), B = Arg(1);
    return Value::lanes(Lanes::map(A.L, B.L, N, [](int64_t X, int64_t Y) { return X * Y; }), A.T | B.T);
  }
  return std::nullopt;
}

void Machine::barrier(const CallExpr *E) {
  if (!Block || Mute)
    return;
  BarrierEvent B;
  B.Call = E;
  B.In = Frames.back().F;
  B.Who = who();
  B.Exited = Exited;
  B.Why = Exits;
  B.Why.insert(B.Why.end(), Controls.begin(), Controls.end());
  B.Interval = Interval++;
  ++WarpPhase;
  Block->Barriers.push_back(std::move(B));
}

void Machine::warpOp(const CallExpr *E, CallKind K, const Value *Named) {
  if (!Block || Mute)
    return;
  WarpEvent W;
  W.Call = E;
  W.In = Frames.back().F;
  W.Legacy = K == CallKind::LegacyShuffle || K == CallKind::LegacyVote;
  if (Named && Named->K == Value::Scalar)
    W.Named = Named->L;
  W.Who = who();
  W.Exited = Exited;
  W.Why = Exits;
  W.Why.insert(W.Why.end(), Controls.begin(), Controls.end());
  ++WarpPhase;
  Block->WarpOps.push_back(std::move(W));
}

std::optional<Value> Machine::deviceIntrinsic(const CallExpr *E, StringRef Name) {
  CallKind K = callKind(E);
  auto Args = [&](unsigned From = 0) {
    Taint T;
    for (unsigned I = From; I < E->getNumArgs(); ++I)
      T |= eval(E->getArg(I)).T;
    return T;
  };
  switch (K) {
  case CallKind::BlockBarrier:
  case CallKind::GridBarrier:
    barrier(E);
    return Value::unknown();
  case CallKind::BlockBarrierVote: {
    Args();
    barrier(E);
    return Value::unknown(Taint{Vary::Block, true});
  }
  case CallKind::WarpBarrier: {
    Value M = E->getNumArgs() ? eval(E->getArg(0)) : Value::integer(0xffffffffll);
    warpOp(E, K, &M);
    return Value::unknown();
  }
  case CallKind::TileBarrier:
    warpOp(E, K, nullptr);
    return Value::unknown();
  case CallKind::Shuffle:
  case CallKind::Vote: {
    if (!E->getNumArgs())
      return std::nullopt;
    Value M = eval(E->getArg(0));
    Taint T = Args(1);
    warpOp(E, K, &M);
    bool Broadcast = K == CallKind::Vote;
    if (K == CallKind::Shuffle && Name == "__shfl_sync" && E->getNumArgs() >= 3) {
      Value Source = eval(E->getArg(2));
      Broadcast = Source.K == Value::Scalar && Source.L.uniform() && !Source.L.unknown();
    }
    T.V = Broadcast ? Vary::Warp : Vary::Thread;
    T.Data = true;
    T.Assumed = true; // a reduction may leave every lane with the same value
    return Value::unknown(T);
  }
  case CallKind::LegacyShuffle:
  case CallKind::LegacyVote: {
    Taint T = Args();
    warpOp(E, K, nullptr);
    T.V = K == CallKind::LegacyVote ? Vary::Warp : Vary::Thread;
    T.Data = true;
    return Value::unknown(T);
  }
  case CallKind::ActiveMask:
    return Value::unknown(Taint{Vary::Warp});
  case CallKind::Atomic: {
    if (!E->getNumArgs())
      return std::nullopt;
    Value P = eval(E->getArg(0));
    Value Stored;
    for (unsigned I = 1; I < E->getNumArgs(); ++I)
      Stored = eval(E->getArg(I));
    QualType T = E->getArg(0)->getType()->isPointerType() ? E->getArg(0)->getType()->getPointeeType() : E->getType();
    if (E->getArg(0)->IgnoreParenImpCasts()->getType()->isPointerType())
      T = E->getArg(0)->IgnoreParenImpCasts()->getType()->getPointeeType();
    if (P.Obj && P.Obj->Where == Space::Local)
      P.Obj->Contents.clear();
    record(AccessKind::Atomic, P, T, E, &Stored);
    Taint R{Vary::Thread, true, true};
    // What adds nothing reads: every thread finds the same where all ask one place.
    bool Adds = Name.starts_with("atomicAdd") || Name.starts_with("atomicSub") || Name.starts_with("atomicOr") || Name.starts_with("atomicXor");
    if (Adds && Stored.K == Value::Scalar && !Stored.L.unknown() && Stored.L.uniformValue(N) == 0)
      R.V = std::max(Vary::Block, varyOf(P.L, P.T));
    return Value::unknown(R);
  }
  case CallKind::Fence:
    Block->Fences = true;
    return Value::unknown();
  case CallKind::Printf:
    Args();
    return Value::unknown();
  case CallKind::AsyncWait:
    Args();
    groups(E, Name);
    return Value::unknown();
  case CallKind::AsyncCopy: {
    Args();
    if (Name == "__pipeline_memcpy_async" && E->getNumArgs() >= 3) {
      Value To = eval(E->getArg(0)), From = eval(E->getArg(1)), Size = eval(E->getArg(2));
      int64_t Bytes = Size.L.uniformValue(N);
      QualType T = Bytes == 16 ? Ctx.getConstantArrayType(Ctx.CharTy, llvm::APInt(64, 16), nullptr, ArraySizeModifier::Normal, 0)
                   : Bytes == 8 ? Ctx.LongLongTy
                                : Ctx.IntTy;
      Value V = Value::unknown(Taint{Vary::Thread, true});
      record(AccessKind::Read, From, T, E->getArg(1)->IgnoreParenImpCasts(), nullptr);
      record(AccessKind::Write, To, T, E->getArg(0)->IgnoreParenImpCasts(), &V, true);
      return Value::unknown();
    }
    for (const Expr *A : E->arguments())
      if (A->getType()->isPointerType())
        escape(E, eval(A), true);
    return Value::unknown();
  }
  case CallKind::Assert:
    // The launch breaks what the kernel is promised: from here on no thread of the block tells anything.
    if (who().Sure.any()) {
      Exited = Mask::first(N);
      for (Frame &F : Frames)
        F.ReturnedSure = Exited;
    }
    kill(E);
    return Value::unknown();
  case CallKind::Trap:
    kill(E);
    return Value::unknown();
  case CallKind::DeviceMalloc:
    Args();
    return Value::pointer(nullptr, Lanes());
  case CallKind::Other:
    break;
  }
  bool Load = llvm::StringSwitch<bool>(Name).Cases({"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv"}, true).Default(false);
  if (Load && E->getNumArgs() == 1) {
    Value P = eval(E->getArg(0));
    return load(P, E->getType(), E);
  }
  bool Store = llvm::StringSwitch<bool>(Name).Cases({"__stwb", "__stcg", "__stcs", "__stwt"}, true).Default(false);
  if (Store && E->getNumArgs() == 2) {
    Value P = eval(E->getArg(0)), V = eval(E->getArg(1));
    store(P, E->getArg(0)->getType()->getPointeeType(), V, E);
    return Value::unknown();
  }
  if ((Name == "memcpy" || Name == "memset" || Name == "__builtin_memcpy") && E->getNumArgs() == 3) {
    Value To = eval(E->getArg(0)), From = eval(E->getArg(1));
    eval(E->getArg(2));
    QualType T = E->getArg(0)->IgnoreParenImpCasts()->getType();
    T = T->isPointerType() ? T->getPointeeType() : Ctx.CharTy;
    if (T->isVoidType())
      T = Ctx.CharTy;
    if (From.K == Value::Pointer && Name != "memset")
      record(AccessKind::Read, From, T, E->getArg(1)->IgnoreParenImpCasts(), nullptr);
    Value V = Value::unknown(Taint{Vary::Thread, true});
    if (To.Obj && (To.Obj->Where == Space::Local || (Host && To.Obj->Where == Space::Managed)))
      escape(E, To, true);
    else
      record(AccessKind::Write, To, T, E->getArg(0)->IgnoreParenImpCasts(), &V);
    return To;
  }
  return std::nullopt;
}

/// __half, __nv_bfloat16, half2 and the like: the headers' small classes without pointers. Their operators read and write
/// what they are called on, and nothing else: `y[i] = 2.0f * float(x[i])`, `sum += h`.
std::optional<Value> Machine::operatorOfValueType(const CallExpr *E, const FunctionDecl *F) {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(F);
  const SourceManager &SM = Ctx.getSourceManager();
  if (!M || M->isStatic() || !SM.isInSystemHeader(SM.getExpansionLoc(M->getLocation())) || !M->getParent()->hasDefinition() ||
      sizeOf(Ctx.getCanonicalTagType(M->getParent())) > 16 || llvm::any_of(M->getParent()->fields(), [](const FieldDecl *X) { return X->getType()->isAnyPointerType() || X->getType()->isReferenceType(); }))
    return std::nullopt;
  if (M->isTrivial() && (M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator()))
    return std::nullopt; // config.gridDim = dim3(4): what is copied is known
  const auto *O = dyn_cast<CXXOperatorCallExpr>(E);
  const Expr *Object = nullptr;
  if (O && M->isImplicitObjectMemberFunction())
    Object = O->getArg(0);
  else if (const auto *C = dyn_cast<CXXMemberCallExpr>(E); C && isa<CXXConversionDecl>(M))
    Object = C->getImplicitObjectArgument();
  bool Assigns = O && O->isAssignmentOp(), Steps = O && (O->getOperator() == OO_PlusPlus || O->getOperator() == OO_MinusMinus);
  if (!Object || !Object->isGLValue() || Object->getType()->isPointerType() || (!M->isConst() && !Assigns && !Steps))
    return std::nullopt;
  Taint T;
  for (unsigned I = 1; O && I < O->getNumArgs(); ++I) {
    const Expr *A = O->getArg(I);
    T |= (A->isGLValue() ? load(lval(A), A->getType(), A->IgnoreParenImpCasts()) : eval(A)).T;
  }
  Value P = lval(Object);
  if (!O || O->getOperator() != OO_Equal)
    T |= load(P, Object->getType(), Object->IgnoreParenImpCasts()).T;
  if (!Assigns && !Steps)
    return Value::unknown(T);
  store(P, Object->getType(), Value::unknown(T), Object->IgnoreParens());
  return P;
}

void Machine::loseGroups() {
  if (Block)
    Block->GroupsUntil = std::min(Block->GroupsUntil, Sequence);
}

/// __pipeline_commit() and __pipeline_wait_prior(n), which leaves the last n groups of the thread in flight.
void Machine::groups(const CallExpr *E, StringRef Name) {
  bool Alike = (who().Sure | Exited) == Mask::first(N);
  if (Name == "__pipeline_commit")
    ++Committed;
  else if (Name == "__pipeline_wait_prior" && E->getNumArgs() == 1) {
    int64_t Left = eval(E->getArg(0)).L.uniformValue(N);
    Alike &= Left != Unk && Left >= 0;
    if (Alike && int64_t(Committed) > Left)
      Landed = std::max<unsigned>(Landed, Committed - unsigned(Left));
    if (Block && !Mute)
      Block->GroupWaits.push_back({E, Committed, Sequence});
  } else
    Alike = false; // another way to wait, which groups know nothing of
  if (!Alike)
    loseGroups();
}

Value Machine::opaqueCall(const CallExpr *E, const FunctionDecl *F) {
  Taint T;
  // Code that we do not see, and that gets at shared memory, may hold a barrier (a block-wide reduction of
  // a library, say): what follows is another interval.
  bool SharedGoes = !F;
  auto Goes = [&](const Value &V) {
    SharedGoes |= V.Obj && (V.Obj->Where == Space::Shared || V.Obj->Where == Space::DynamicShared);
  };
  const SourceManager &SM = Ctx.getSourceManager();
  bool System = F && SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation()));
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(E)) {
    const Expr *O = M->getImplicitObjectArgument();
    if (O) {
      Value V = O->getType()->isPointerType() ? eval(O) : lval(O);
      T |= V.T;
      Goes(V);
      SharedGoes |= F && F->getIdentifier() && (F->getName().contains("wait") || F->getName().contains("arrive"));
      bool Const = M->getMethodDecl() && M->getMethodDecl()->isConst();
      if (!Const)
        escape(E, V, true);
    }
  }
  // The first argument of a member operator is the object.
  const auto *Operator = dyn_cast_or_null<CXXMethodDecl>(F);
  unsigned Object = isa<CXXOperatorCallExpr>(E) && Operator && Operator->isImplicitObjectMemberFunction();
  for (unsigned I = 0; I < E->getNumArgs(); ++I) {
    const Expr *A = E->getArg(I);
    bool Pointer = A->getType()->isPointerType() || A->getType()->isArrayType();
    bool Reference = A->isGLValue() && !isa<CXXDefaultArgExpr>(A);
    Value V = Reference ? lval(A) : eval(A);
    Goes(V);
    T |= V.T;
    bool Writes = !Reference || !A->getType()->isArithmeticType() || !A->getType().isConstQualified();
    unsigned At = I - Object;
    if (Object && I == 0) {
      Writes = !cast<CXXMethodDecl>(F)->isConst();
    } else if (F && At < F->getNumParams()) {
      QualType P = F->getParamDecl(At)->getType();
      Writes = !(P->isPointerType() || P->isReferenceType()) || !P->getPointeeType().isConstQualified();
      Reference &= P->isReferenceType();
    }
    if (Pointer || Reference)
      escape(E, V, Writes);
    else if (!System)
      escape(E, V, Writes);
  }
  llvm::StringRef Called = F && F->getIdentifier() ? F->getName() : "";
  bool Constant = Called.starts_with("__builtin_inf") || Called.starts_with("__builtin_huge_val") || Called.starts_with("__builtin_nan");
  if (!System || (E->getNumArgs() == 0 && !Constant))
    T.V = std::max(T.V, Run ? Vary::Thread : Vary::Grid);
  T.Data = true;
  T.Assumed |= !System; // it may be the same for all threads: we do not see
  if (SharedGoes && !Mute) {
    ++Interval;
    ++WarpPhase;
  }
  Value V = Value::unknown(T);
  if (E->getType()->isRecordType())
    V.K = Value::Aggregate;
  else if (E->getType()->isPointerType())
    return Value::pointer(nullptr, Lanes(), T);
  return V;
}

Value Machine::call(const CallExpr *E) {
  if (isa<CUDAKernelCallExpr>(E))
    return launch(cast<CUDAKernelCallExpr>(E));
  const FunctionDecl *F = E->getDirectCallee();
  std::string NameText = calleeName(E);
  StringRef Name = NameText;
  if (Host) {
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(E))
      if (auto V = tensorMember(M, Name))
        return *V;
    if (auto V = hostCall(E, Name))
      return *V;
  } else {
    if (auto V = groupMember(E, Name))
      return *V;
    bool Method = isa_and_nonnull<CXXMethodDecl>(F);
    if (!Method)
      if (auto V = deviceIntrinsic(E, Name))
        return *V;
    if (auto V = matrixCall(E, Name))
      return *V;
  }
  const SourceManager &SM = Ctx.getSourceManager();
  if (auto V = operatorOfValueType(E, F))
    return *V;
  bool Own = F && !F->getBuiltinID() && !SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation()));
  if (!Own)
    if (auto V = pureMath(E, Name))
      return *V;
  const FunctionDecl *Def = nullptr;
  if (F && F->hasBody(Def) && mayInline(F)) {
    std::vector<const Expr *> Args(E->arg_begin(), E->arg_end());
    std::optional<Value> This;
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(E)) {
      const Expr *O = M->getImplicitObjectArgument();
      This = O->getType()->isPointerType() ? eval(O) : lval(O);
    } else if (isa<CXXOperatorCallExpr>(E) && isa<CXXMethodDecl>(F)) {
      if (cast<CXXMethodDecl>(F)->isImplicitObjectMemberFunction())
        This = lval(Args.front());
      Args.erase(Args.begin());
    }
    return inlineCall(Def, Args, This ? &*This : nullptr, E);
  }
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  if (Method && (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator())) {
    const Expr *To = nullptr, *From = nullptr;
    if (const auto *O = dyn_cast<CXXOperatorCallExpr>(E)) {
      To = O->getArg(0);
      From = O->getArg(1);
    }
    if (To && To->getType()->isRecordType()) {
      Value V = From->isGLValue() ? load(lval(From), From->getType(), From->IgnoreParenImpCasts()) : eval(From);
      Value P = lval(To);
      store(P, To->getType(), V, To->IgnoreParens());
      return P;
    }
  }
  if (F && F->isNoReturn()) {
    kill(E);
    return Value::unknown();
  }
  return opaqueCall(E, F);
}

Machine::Machine(Facts &F, KernelRun &Run, BlockRun &Into)
    : Shared(F), Ctx(F.Ctx), Run(&Run), Block(&Into), Pool(&Run.Objects), N(std::min(Run.threads(), MaxLanes)), Fuel(PlanBudget::steps(StepLimit::ofRun())) {}

void Machine::runBlock() {
  const FunctionDecl *Def = nullptr;
  const Stmt *Body = Run->Kernel->getBody(Def);
  if (!Body)
    return refuse(nullptr, "the kernel has no body here");
  Frame F;
  F.F = Def;
  F.Entry = Mask::first(N);
  for (unsigned I = 0; I < Def->getNumParams(); ++I) {
    const ParmVarDecl *P = Def->getParamDecl(I);
    Object *O = newObject(Space::Local, P, P->getName());
    O->Bytes = sizeOf(P->getType());
    Value V = I < Run->Args.size() ? Run->Args[I] : Value::unknown();
    if (V.K == Value::Aggregate) {
      if (V.Agg)
        O->Contents = *V.Agg;
    } else
      O->Contents[0] = V;
    O->Stored = V.T;
    F.Vars[P] = O;
  }
  Cur = {F.Entry, F.Entry};
  Frames.push_back(std::move(F));
  reach(Body);
  exec(Body);
  Frames.pop_back();
}
