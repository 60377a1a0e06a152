// NVVM intrinsics: index registers, barriers, warp operations, fences, named arithmetic, cp.async.
#include "runner/sim/Device.h"
#include "runner/sim/LowerSupport.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace kcheck;
using namespace kcheck::sim;
using namespace llvm;

namespace {

/// One call under replacement.
class Lowering {
public:
  Lowering(CallInst *C, Program &P) : C(C), P(P), B(C), N(C->getCalledFunction()->getName()) { N.consume_front("llvm.nvvm."); }

  /// The value that replaces the call, or null with Known telling whether anything was done.
  Value *run() {
    if (Value *V = special())
      return V;
    if (Known)
      return nullptr;
    if (Value *V = warp())
      return V;
    if (Known)
      return nullptr;
    if (sync())
      return nullptr;
    if (Value *V = atomic())
      return V;
    if (asyncCopy())
      return nullptr;
    return math();
  }
  bool Known = false;

private:
  Value *arg(unsigned I) { return C->getArgOperand(I); }
  Value *site(SiteKind K = SiteOther) { return newSite(P, C, K); }
  Type *i32() { return B.getInt32Ty(); }
  Value *field(unsigned Offset, Type *T = nullptr) { return loadContext(B, contextOf(C), Offset, T ? T : i32()); }

  Value *special() {
    StringRef R = N;
    if (!R.consume_front("read.ptx.sreg."))
      return isspacep();
    unsigned Axis = R.ends_with(".y") ? 4 : R.ends_with(".z") ? 8 : 0;
    StringRef Base = R.size() > 2 && R[R.size() - 2] == '.' ? R.drop_back(2) : R;
    int Field = StringSwitch<int>(Base)
                    .Case("tid", offsetof(ThreadContext, Tid))
                    .Case("ctaid", offsetof(ThreadContext, Ctaid))
                    .Case("ntid", offsetof(ThreadContext, Ntid))
                    .Case("nctaid", offsetof(ThreadContext, Nctaid))
                    .Case("clusterid", offsetof(ThreadContext, Ctaid))
                    .Case("nclusterid", offsetof(ThreadContext, Nctaid))
                    .Default(-1);
    if (Field >= 0)
      return field(unsigned(Field) + Axis);
    if (Base == "cluster.ctaid" || Base == "cluster.ctarank")
      return B.getInt32(0);
    if (Base == "cluster.nctaid" || Base == "cluster.nctarank")
      return B.getInt32(1);
    if (R == "laneid")
      return field(offsetof(ThreadContext, Lane));
    if (R == "warpid")
      return field(offsetof(ThreadContext, Warp));
    if (R == "warpsize")
      return B.getInt32(32);
    if (R == "dynamic_smem_size" || R == "total_smem_size")
      return field(R == "total_smem_size" ? offsetof(ThreadContext, TotalShared) : offsetof(ThreadContext, DynamicShared));
    if (R == "aggr_smem_size")
      return field(offsetof(ThreadContext, TotalShared));
    if (R == "nwarpid")
      return B.getInt32(64);
    if (R == "nsmid")
      return B.getInt32(Multiprocessors);
    if (R == "smid") {
      // Any multiprocessor may run the block.
      return B.CreateURem(field(offsetof(ThreadContext, Ctaid)), B.getInt32(Multiprocessors));
    }
    if (R == "gridid")
      return ConstantInt::get(C->getType(), 1);
    if (R.starts_with("lanemask.")) {
      Value *Lane = field(offsetof(ThreadContext, Lane));
      Value *Eq = B.CreateShl(B.getInt32(1), Lane), *Lt = B.CreateSub(Eq, B.getInt32(1));
      return StringSwitch<Value *>(R.drop_front(9))
          .Case("eq", Eq)
          .Case("lt", Lt)
          .Case("le", B.CreateOr(Eq, Lt))
          .Case("gt", B.CreateNot(B.CreateOr(Eq, Lt)))
          .Case("ge", B.CreateNot(Lt))
          .Default(nullptr);
    }
    if (R == "clock" || R == "clock64" || R == "globaltimer" || R == "clock.hi")
      return B.CreateZExtOrTrunc(callRuntime(B, "kcheck_rt_clock", B.getInt64Ty(), {}), C->getType());
    return nullptr;
  }

  Value *isspacep() {
    StringRef R = N;
    if (!R.consume_front("isspacep."))
      return nullptr;
    Value *Off = B.CreateSub(B.CreatePtrToInt(arg(0), B.getInt64Ty()), B.getInt64(DataBase));
    auto in = [&](uint64_t From, uint64_t To) {
      return B.CreateICmpULT(B.CreateSub(Off, B.getInt64(From)), B.getInt64(To - From));
    };
    if (R.starts_with("shared"))
      return in(SharedOffset, LocalOffset);
    if (R == "local")
      return in(LocalOffset, DataSize);
    if (R == "global")
      return in(0, GlobalSize);
    return B.getFalse();
  }

  /// Splits the (value, predicate) form of warp operations.
  Value *withPredicate(function_ref<Value *(Value *)> Make, bool Pair) {
    Value *Slot = Pair ? (Value *)entrySlot(C, B.getInt8Ty()) : ConstantPointerNull::get(B.getPtrTy());
    Value *V = Make(Slot);
    if (!Pair)
      return V;
    Value *Pred = B.CreateTrunc(B.CreateLoad(B.getInt8Ty(), Slot), B.getInt1Ty());
    Value *S = PoisonValue::get(C->getType());
    return B.CreateInsertValue(B.CreateInsertValue(S, V, 0), Pred, 1);
  }

  Value *warp() {
    StringRef R = N;
    if (N == "activemask")
      return callRuntime(B, "kcheck_rt_activemask", i32(), {site()});
    if (N == "bar.warp.sync") {
      callRuntime(B, "kcheck_rt_syncwarp", B.getVoidTy(), {arg(0), site()});
      Known = true;
      return nullptr;
    }
    if (R.consume_front("shfl.sync.")) {
      unsigned Mode = StringSwitch<unsigned>(R.take_until([](char X) { return X == '.'; })).Case("idx", 0).Case("up", 1).Case("down", 2).Default(3);
      bool Pair = R.ends_with("p"), Float = R.contains("f32");
      Value *In = Float ? B.CreateBitCast(arg(1), i32()) : arg(1);
      return withPredicate(
          [&](Value *Slot) {
            Value *V = callRuntime(B, "kcheck_rt_shfl", i32(), {B.getInt32(Mode), arg(0), In, arg(2), arg(3), Slot, site()});
            return Float ? B.CreateBitCast(V, B.getFloatTy()) : V;
          },
          Pair);
    }
    if (R.starts_with("vote.") && R.ends_with(".sync")) {
      unsigned Mode = StringSwitch<unsigned>(R).Case("vote.all.sync", 0).Case("vote.any.sync", 1).Case("vote.uni.sync", 2).Default(3);
      Value *V = callRuntime(B, "kcheck_rt_vote", i32(), {B.getInt32(Mode), arg(0), B.CreateZExt(arg(1), i32()), site()});
      return Mode == 3 ? V : B.CreateTrunc(V, B.getInt1Ty());
    }
    if (R.consume_front("match.")) {
      bool All = R.starts_with("all"), Pair = R.ends_with("p");
      Value *In = B.CreateZExt(arg(1), B.getInt64Ty());
      return withPredicate(
          [&](Value *Slot) { return callRuntime(B, "kcheck_rt_match", i32(), {B.getInt32(All), arg(0), In, Slot, site()}); }, Pair);
    }
    if (R.consume_front("redux.sync.")) {
      int Op = StringSwitch<int>(R).Case("add", 0).Case("umin", 1).Case("umax", 2).Case("min", 3).Case("max", 4).Case("and", 5)
                   .Case("or", 6).Case("xor", 7).Default(-1);
      if (Op < 0)
        return nullptr;
      return callRuntime(B, "kcheck_rt_redux", i32(), {B.getInt32(Op), arg(1), arg(0), site()});
    }
    return nullptr;
  }

  bool barrier(Value *Id, Value *Count) {
    callRuntime(B, "kcheck_rt_barrier", B.getVoidTy(), {Id, Count, site()});
    return Known = true;
  }

  bool sync() {
    StringRef R = N;
    if (R.consume_front("barrier.cta.red.")) {
      unsigned Op = R.starts_with("popc") ? 0 : R.starts_with("and") ? 1 : 2;
      bool All = R.ends_with(".all");
      Value *Pred = arg(All ? 1 : 2);
      Value *V = callRuntime(B, "kcheck_rt_barrier_red", i32(), {arg(0), All ? B.getInt32(0) : arg(1), B.getInt32(Op), B.CreateZExt(Pred, i32()), site()});
      C->replaceAllUsesWith(B.CreateZExtOrTrunc(V, C->getType()));
      return Known = true;
    }
    if (R.starts_with("barrier.cta.sync."))
      return barrier(arg(0), R.ends_with(".all") ? B.getInt32(0) : arg(1));
    if (R.starts_with("barrier.cta.arrive.")) {
      callRuntime(B, "kcheck_rt_barrier_arrive", B.getVoidTy(), {arg(0), arg(1), site()});
      return Known = true;
    }
    if (R.starts_with("membar.") || R.starts_with("fence.")) {
      unsigned Level = R.ends_with("cta") ? 1 : 2;
      callRuntime(B, "kcheck_rt_fence", B.getVoidTy(), {B.getInt32(Level)});
      return Known = true;
    }
    if (R == "nanosleep") {
      callRuntime(B, "kcheck_rt_yield", B.getVoidTy(), {site()});
      return Known = true;
    }
    if (R == "exit") {
      callRuntime(B, "kcheck_rt_exit", B.getVoidTy(), {});
      return Known = true;
    }
    return false;
  }

  /// Scoped atomics: atomic.add.gen.i.cta and friends. The access itself is checked like any atomic later.
  Value *atomic() {
    StringRef R = N;
    if (!R.consume_front("atomic."))
      return nullptr;
    StringRef Name = R.take_until([](char X) { return X == '.'; });
    SyncScope::ID Scope = C->getContext().getOrInsertSyncScopeID(R.contains(".cta") ? "block" : "");
    AtomicOrdering Order = AtomicOrdering::Monotonic;
    if (Name == "cas") {
      Value *X = B.CreateAtomicCmpXchg(arg(0), arg(1), arg(2), MaybeAlign(), Order, Order, Scope);
      return B.CreateExtractValue(X, 0);
    }
    bool Float = C->getType()->isFloatingPointTy();
    auto Op = StringSwitch<AtomicRMWInst::BinOp>(Name)
                  .Case("add", Float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                  .Case("exch", AtomicRMWInst::Xchg)
                  .Case("min", AtomicRMWInst::Min)
                  .Case("max", AtomicRMWInst::Max)
                  .Case("inc", AtomicRMWInst::UIncWrap)
                  .Case("dec", AtomicRMWInst::UDecWrap)
                  .Case("and", AtomicRMWInst::And)
                  .Case("or", AtomicRMWInst::Or)
                  .Case("xor", AtomicRMWInst::Xor)
                  .Default(AtomicRMWInst::BAD_BINOP);
    if (Op == AtomicRMWInst::BAD_BINOP)
      return nullptr;
    return B.CreateAtomicRMW(Op, arg(0), arg(1), MaybeAlign(), Order, Scope);
  }

  bool asyncCopy() {
    StringRef R = N;
    if (!R.consume_front("cp.async."))
      return false;
    if (R.starts_with("ca.shared.global.") || R.starts_with("cg.shared.global.")) {
      StringRef Size = R.substr(17);
      bool Partial = Size.consume_back(".s");
      unsigned Bytes = 0;
      if (Size.getAsInteger(10, Bytes))
        return false;
      Value *From = Partial ? arg(2) : B.getInt32(Bytes);
      callRuntime(B, "kcheck_rt_cp_async", B.getVoidTy(), {arg(0), arg(1), B.getInt32(Bytes), From, site(SiteStore)});
      return Known = true;
    }
    if (R == "commit.group") {
      callRuntime(B, "kcheck_rt_cp_commit", B.getVoidTy(), {});
      return Known = true;
    }
    if (R == "wait.group" || R == "wait.all") {
      callRuntime(B, "kcheck_rt_cp_wait", B.getVoidTy(), {R == "wait.all" ? B.getInt32(-1) : arg(0), site()});
      return Known = true;
    }
    return false;
  }

  Value *unary(Intrinsic::ID Id) { return B.CreateUnaryIntrinsic(Id, arg(0)); }

  /// Directed rounding is done by the runtime with the host's rounding mode.
  Value *rounded(StringRef Op, StringRef Mode, unsigned Operands) {
    unsigned M = StringSwitch<unsigned>(Mode).Case("rz", 1).Case("rm", 2).Case("rp", 3).Default(0);
    bool F64 = C->getType()->isDoubleTy();
    if (M == 0) {
      if (Op == "add") return B.CreateFAdd(arg(0), arg(1));
      if (Op == "sub") return B.CreateFSub(arg(0), arg(1));
      if (Op == "mul") return B.CreateFMul(arg(0), arg(1));
      if (Op == "div") return B.CreateFDiv(arg(0), arg(1));
      if (Op == "rcp") return B.CreateFDiv(ConstantFP::get(C->getType(), 1), arg(0));
      if (Op == "sqrt") return unary(Intrinsic::sqrt);
      if (Op == "fma") return B.CreateIntrinsic(Intrinsic::fma, {C->getType()}, {arg(0), arg(1), arg(2)});
      return nullptr;
    }
    int Code = StringSwitch<int>(Op).Case("add", 0).Case("mul", 1).Case("div", 2).Case("fma", 3).Case("sqrt", 4).Case("rcp", 5).Case("sub", 6).Default(-1);
    if (Code < 0)
      return nullptr;
    SmallVector<Value *, 5> Args{B.getInt32(Code), B.getInt32(M)};
    for (unsigned I = 0; I < 3; ++I)
      Args.push_back(I < Operands ? arg(I) : Constant::getNullValue(C->getType()));
    return callRuntime(B, F64 ? "kcheck_rt_round_f64" : "kcheck_rt_round_f32", C->getType(), Args);
  }

  Value *roundTo(Value *V, StringRef Mode) {
    Intrinsic::ID Id = StringSwitch<Intrinsic::ID>(Mode).Case("rz", Intrinsic::trunc).Case("rm", Intrinsic::floor).Case("rp", Intrinsic::ceil).Default(Intrinsic::rint);
    return B.CreateUnaryIntrinsic(Id, V);
  }

  /// f2i.rz, d2ull.rn, i2f.rn, d2f.rz, ...
  Value *convert(StringRef Name, StringRef Mode) {
    auto [From, To] = Name.split('2');
    Type *T = C->getType();
    Value *V = arg(0);
    if ((From == "f" || From == "d") && T->isIntegerTy() && To != "h") {
      V = roundTo(V, Mode);
      return B.CreateIntrinsic(To.starts_with("u") ? Intrinsic::fptoui_sat : Intrinsic::fptosi_sat, {T, V->getType()}, {V});
    }
    if (From == "d" && To == "f")
      return Mode == "rn" || Mode.empty() ? B.CreateFPTrunc(V, T)
                                          : callRuntime(B, "kcheck_rt_d2f", T, {V, B.getInt32(Mode == "rz" ? 1 : Mode == "rm" ? 2 : 3)});
    if (From == "f" && To == "h")
      return B.CreateBitCast(B.CreateFPTrunc(V, B.getHalfTy()), B.getInt16Ty());
    if (From == "h" && To == "f")
      return B.CreateFPExt(B.CreateBitCast(V, B.getHalfTy()), T);
    if (V->getType()->isIntegerTy() && T->isFloatingPointTy()) {
      bool Unsigned = From.starts_with("u");
      if (Mode == "rn" || Mode.empty())
        return Unsigned ? B.CreateUIToFP(V, T) : B.CreateSIToFP(V, T);
      Value *Wide = Unsigned ? B.CreateZExt(V, B.getInt64Ty()) : B.CreateSExt(V, B.getInt64Ty());
      Value *R = callRuntime(B, T->isDoubleTy() ? "kcheck_rt_i2d" : "kcheck_rt_i2f", T,
                             {Wide, B.getInt32(Unsigned), B.getInt32(Mode == "rz" ? 1 : Mode == "rm" ? 2 : 3)});
      return R;
    }
    return nullptr;
  }

  Value *highPart(bool Signed, unsigned Bits) {
    Type *Wide = B.getIntNTy(Bits * 2);
    auto extend = [&](Value *V) { return Signed ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide); };
    return B.CreateTrunc(B.CreateLShr(B.CreateMul(extend(arg(0)), extend(arg(1))), Bits), B.getIntNTy(Bits));
  }

  Value *math() {
    SmallVector<StringRef, 6> Part;
    N.split(Part, '.');
    StringRef Op = Part[0], Mode = Part.size() > 1 ? Part[1] : "";
    Type *T = C->getType();
    if (N == "prmt")
      return callRuntime(B, "kcheck_rt_prmt", i32(), {arg(0), arg(1), arg(2)});
    if (Op == "mulhi")
      return highPart(!Mode.starts_with("u"), T->getIntegerBitWidth());
    if (Op == "mul24") {
      bool U = Mode.starts_with("u");
      auto low = [&](Value *V) { V = B.CreateShl(V, 8); return U ? B.CreateLShr(V, 8) : B.CreateAShr(V, 8); };
      return B.CreateMul(low(arg(0)), low(arg(1)));
    }
    if (Op == "sad") {
      bool U = Mode.starts_with("u");
      Value *Less = U ? B.CreateICmpULT(arg(0), arg(1)) : B.CreateICmpSLT(arg(0), arg(1));
      Value *D = B.CreateSelect(Less, B.CreateSub(arg(1), arg(0)), B.CreateSub(arg(0), arg(1)));
      return B.CreateAdd(D, arg(2));
    }
    if (Op == "add" || Op == "mul" || Op == "div" || Op == "sub")
      if (T->isFloatingPointTy())
        return rounded(Op, Mode, 2);
    if (Op == "rcp" || (Op == "sqrt" && Mode != "f"))
      return rounded(Op, Mode, 1);
    if (N == "sqrt.f")
      return unary(Intrinsic::sqrt);
    if (Op == "fma" && T->isFloatingPointTy())
      return rounded("fma", Mode, 3);
    if (Op == "fma" && T->isVectorTy() && Mode == "rn" && !N.contains("relu") && !N.contains("sat"))
      return B.CreateIntrinsic(Intrinsic::fma, {T}, {arg(0), arg(1), arg(2)});
    if (Op == "rsqrt")
      return B.CreateFDiv(ConstantFP::get(T, 1), unary(Intrinsic::sqrt));
    if (Op == "fmin" || Op == "fmax") {
      Intrinsic::ID Id = N.contains("nan") ? (Op == "fmin" ? Intrinsic::minimum : Intrinsic::maximum)
                                           : (Op == "fmin" ? Intrinsic::minnum : Intrinsic::maxnum);
      return N.contains("xorsign") ? nullptr : B.CreateBinaryIntrinsic(Id, arg(0), arg(1));
    }
    if (Op == "saturate") {
      Value *V = B.CreateBinaryIntrinsic(Intrinsic::maxnum, arg(0), ConstantFP::get(T, 0));
      return B.CreateBinaryIntrinsic(Intrinsic::minnum, V, ConstantFP::get(T, 1));
    }
    Intrinsic::ID Plain = StringSwitch<Intrinsic::ID>(Op)
                              .Case("floor", Intrinsic::floor).Case("ceil", Intrinsic::ceil).Case("trunc", Intrinsic::trunc)
                              .Case("round", Intrinsic::rint).Case("fabs", Intrinsic::fabs).Case("ex2", Intrinsic::exp2)
                              .Case("lg2", Intrinsic::log2).Case("sin", Intrinsic::sin).Case("cos", Intrinsic::cos)
                              .Case("tanh", Intrinsic::tanh).Default(Intrinsic::not_intrinsic);
    if (Plain != Intrinsic::not_intrinsic)
      return unary(Plain);
    if (Op == "abs")
      return B.CreateBinaryIntrinsic(Intrinsic::abs, arg(0), B.getFalse());
    if (N == "lohi.i2d") {
      Value *V = B.CreateOr(B.CreateZExt(arg(0), B.getInt64Ty()), B.CreateShl(B.CreateZExt(arg(1), B.getInt64Ty()), 32));
      return B.CreateBitCast(V, T);
    }
    if (N == "d2i.lo" || N == "d2i.hi") {
      Value *V = B.CreateBitCast(arg(0), B.getInt64Ty());
      return B.CreateTrunc(N == "d2i.hi" ? B.CreateLShr(V, 32) : V, i32());
    }
    if (Op == "bitcast")
      return B.CreateBitCast(arg(0), T);
    if (N == "popc.i" || N == "popc.ll")
      return B.CreateZExtOrTrunc(unary(Intrinsic::ctpop), T);
    if (N == "fns")
      return callRuntime(B, "kcheck_rt_fns", i32(), {arg(0), arg(1), arg(2)});
    if (N == "neg.bf16")
      return B.CreateFNeg(arg(0));
    if (Op.contains('2') && Op.size() <= 6)
      return convert(Op, Mode);
    return nullptr;
  }

  CallInst *C;
  Program &P;
  IRBuilder<> B;
  StringRef N;
};

} // namespace

bool sim::lowerIntrinsic(CallInst *C, Program &P) {
  if (!C->getCalledFunction()->getName().starts_with("llvm.nvvm."))
    return false;
  if (C->getCalledFunction()->getName().starts_with("llvm.nvvm.wmma."))
    return lowerWmma(C, P);
  Lowering L(C, P);
  Value *V = L.run();
  if (!V && !L.Known)
    return false;
  if (V && V->getType() != C->getType())
    return false;
  if (V)
    C->replaceAllUsesWith(V);
  C->eraseFromParent();
  return true;
}
