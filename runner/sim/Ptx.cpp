// Inline PTX to IR. What cuda_fp16, cuda_bf16, cooperative groups, cub, cuda::atomic and hand-written kernels
// use; the rest is refused and becomes a finding.
#include "runner/sim/Device.h"
#include "runner/sim/LowerSupport.h"
#include "runner/sim/Pipeline.h"
#include "runner/sim/PtxParse.h"
#include "runner/sim/Texture.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace kcheck;
using namespace kcheck::sim;
using namespace llvm;

namespace {

/// A PTX type: class (b, u, s, f, bf, pred), bits, and how many lanes are packed.
struct PtxType {
  char Class = 0; // 'b' 'u' 's' 'f' 'h' (bfloat) 'p'
  unsigned Bits = 0, Lanes = 1;
  unsigned total() const { return Bits * Lanes; }
  bool isFloat() const { return Class == 'f' || Class == 'h'; }
  explicit operator bool() const { return Class != 0; }
};

PtxType parseType(StringRef S) {
  PtxType T;
  if (S == "pred")
    return {'p', 1, 1};
  unsigned Lanes = 1;
  if (S.consume_back("x2"))
    Lanes = 2;
  if (S.consume_front("bf"))
    T.Class = 'h';
  else if (S.size() > 1 && StringRef("busf").contains(S[0])) {
    T.Class = S[0];
    S = S.drop_front();
  } else
    return {};
  unsigned Bits;
  if (S.getAsInteger(10, Bits) || (Bits != 8 && Bits != 16 && Bits != 32 && Bits != 64 && Bits != 128))
    return {};
  T.Bits = Bits;
  T.Lanes = Lanes;
  return T;
}

/// Raised while building; the caller throws the half-made code away.
struct Refused {
  std::string What;
};

class Translator {
public:
  Translator(CallInst *C, Program &P) : C(C), P(P), B(C), Ctx(C->getContext()) {}

  /// Throws Refused where something is unknown. Code made before that point is dead or harmless: the call
  /// itself still stands and ends the thread with a finding.
  void run() {
    auto *IA = cast<InlineAsm>(C->getCalledOperand());
    bindOperands(*IA);
    std::vector<PtxStatement> Statements = parsePtx(IA->getAsmString());
    for (const PtxStatement &S : Statements)
      if (S.What == PtxStatement::Label)
        Labels[S.Op[0]] = nullptr;
    if (!Labels.empty())
      makeLabels(Statements);
    for (const PtxStatement &S : Statements)
      statement(S);
    finishLabels();
    finish();
  }

private:
  //===--- registers and operands -------------------------------------------===//

  struct Register {
    AllocaInst *Slot = nullptr; // holds an integer of Bits bits
    unsigned Bits = 0;
  };

  AllocaInst *slot(unsigned Bits) { return entrySlot(C, IntegerType::get(Ctx, Bits)); }
  Type *intType(unsigned Bits) { return IntegerType::get(Ctx, Bits); }

  static unsigned bitsOf(Type *T, const DataLayout &DL) { return T->isPointerTy() ? 64 : unsigned(DL.getTypeSizeInBits(T)); }

  Value *toBits(Value *V) {
    if (V->getType()->isPointerTy())
      return B.CreatePtrToInt(V, B.getInt64Ty());
    if (V->getType()->isIntegerTy())
      return V;
    return B.CreateBitCast(V, intType(bitsOf(V->getType(), C->getDataLayout())));
  }

  void bindOperands(InlineAsm &IA) {
    std::vector<Type *> Outs;
    if (auto *S = dyn_cast<StructType>(C->getType()))
      append_range(Outs, S->elements());
    else if (!C->getType()->isVoidTy())
      Outs.push_back(C->getType());
    unsigned Out = 0, In = 0, Number = 0;
    for (const InlineAsm::ConstraintInfo &I : IA.ParseConstraints()) {
      if (I.Type == InlineAsm::isClobber)
        continue;
      if (I.Type == InlineAsm::isOutput && !I.isIndirect) {
        unsigned Bits = bitsOf(Outs[Out], C->getDataLayout());
        Registers["$" + std::to_string(Number)] = {slot(Bits), Bits};
        OutSlots.push_back({Number, Outs[Out++]});
      } else if (I.Type == InlineAsm::isInput || I.isIndirect) {
        Value *V = C->getArgOperand(In++);
        std::string Name = "$" + std::to_string(Number);
        if (I.hasMatchingInput() || (!I.Codes.empty() && isdigit(I.Codes[0][0]))) {
          unsigned Tied = 0;
          StringRef(I.Codes[0]).getAsInteger(10, Tied);
          Register R = Registers["$" + std::to_string(Tied)];
          B.CreateStore(B.CreateZExtOrTrunc(toBits(V), intType(R.Bits)), R.Slot);
          Registers[Name] = R;
        } else {
          Value *Bits = toBits(V);
          unsigned N = Bits->getType()->getIntegerBitWidth();
          Register R{slot(N), N};
          B.CreateStore(Bits, R.Slot);
          Registers[Name] = R;
          if (auto *K = dyn_cast<ConstantInt>(V))
            Constants[Name] = K->getSExtValue();
        }
      }
      ++Number;
    }
  }

  void finish() {
    Value *R = nullptr;
    if (auto *S = dyn_cast<StructType>(C->getType())) {
      R = PoisonValue::get(S);
      for (unsigned I = 0; I < OutSlots.size(); ++I)
        R = B.CreateInsertValue(R, outValue(I), I);
    } else if (!OutSlots.empty()) {
      R = outValue(0);
    }
    if (R)
      C->replaceAllUsesWith(R);
    C->eraseFromParent();
  }

  Value *outValue(unsigned I) {
    Register R = Registers["$" + std::to_string(OutSlots[I].first)];
    Value *V = B.CreateLoad(intType(R.Bits), R.Slot);
    Type *T = OutSlots[I].second;
    return T->isPointerTy() ? B.CreateIntToPtr(V, T) : B.CreateBitCast(V, T);
  }

  [[noreturn]] static void refuse(const PtxStatement &S) { throw Refused{S.Text}; }

  /// The integer bits of an operand, Bits wide.
  Value *bits(StringRef Name, unsigned Bits) {
    Name = Name.trim();
    bool Not = Name.consume_front("!"), Minus = false;
    if (Name.starts_with("-") && Name.size() > 1 && !isdigit(Name[1])) {
      Minus = true;
      Name = Name.drop_front();
    }
    Value *V = raw(Name, Bits);
    if (Minus)
      V = B.CreateNeg(V);
    V = V->getType()->getIntegerBitWidth() == Bits ? V : B.CreateZExtOrTrunc(V, intType(Bits));
    return Not ? B.CreateNot(V) : V;
  }

  Value *raw(StringRef Name, unsigned Bits) {
    if (Name.starts_with("{") && Name.ends_with("}")) {
      std::vector<std::string> Parts = splitPtxList(Name.drop_front().drop_back());
      Value *V = ConstantInt::get(intType(Bits), 0);
      unsigned Each = Bits / unsigned(std::max<size_t>(1, Parts.size()));
      for (size_t I = 0; I < Parts.size(); ++I)
        V = B.CreateOr(V, B.CreateShl(B.CreateZExt(bits(Parts[I], Each), intType(Bits)), Each * unsigned(I)));
      return V;
    }
    if (auto It = Registers.find(Name.str()); It != Registers.end())
      return B.CreateLoad(intType(It->second.Bits), It->second.Slot);
    if (Name.starts_with("0f") || Name.starts_with("0F") || Name.starts_with("0d") || Name.starts_with("0D")) {
      uint64_t V;
      if (!Name.drop_front(2).getAsInteger(16, V))
        return ConstantInt::get(intType(Name[1] == 'd' || Name[1] == 'D' ? 64 : 32), V);
    }
    if (Name.starts_with("%"))
      return special(Name.drop_front());
    StringRef Number = Name;
    Number.consume_back("U") || Number.consume_back("u");
    APInt Wide;
    bool Negative = Number.consume_front("-");
    if (!Number.empty() && !Number.getAsInteger(0, Wide)) {
      uint64_t V = Wide.getLimitedValue();
      return ConstantInt::get(intType(Bits), Negative ? 0 - V : V, false, true);
    }
    if (Name == "WARP_SZ")
      return ConstantInt::get(intType(Bits), 32);
    double D;
    if (!Name.getAsDouble(D))
      return Bits == 64 ? toBits(ConstantFP::get(B.getDoubleTy(), D)) : toBits(ConstantFP::get(B.getFloatTy(), float(D)));
    throw Refused{("operand " + Name).str()};
  }

  Value *special(StringRef Name) {
    unsigned Axis = Name.ends_with(".y") ? 4 : Name.ends_with(".z") ? 8 : 0;
    StringRef Base = Name.size() > 2 && Name[Name.size() - 2] == '.' ? Name.drop_back(2) : Name;
    auto field = [&](size_t Offset) { return loadContext(B, contextOf(C), unsigned(Offset), B.getInt32Ty()); };
    int Field = StringSwitch<int>(Base).Case("tid", offsetof(ThreadContext, Tid)).Case("ctaid", offsetof(ThreadContext, Ctaid))
                    .Case("ntid", offsetof(ThreadContext, Ntid)).Case("nctaid", offsetof(ThreadContext, Nctaid)).Default(-1);
    if (Field >= 0)
      return field(size_t(Field) + Axis);
    if (Name == "laneid")
      return field(offsetof(ThreadContext, Lane));
    if (Name == "warpid")
      return field(offsetof(ThreadContext, Warp));
    if (Name == "dynamic_smem_size")
      return field(offsetof(ThreadContext, DynamicShared));
    if (Name == "total_smem_size" || Name == "aggr_smem_size")
      return field(offsetof(ThreadContext, TotalShared));
    if (Name == "reserved_smem_offset_1" || Name == "reserved_smem_offset_begin") {
      P.UsesReservedShared = true;
      Value *Base = loadContext(B, contextOf(C), offsetof(ThreadContext, SharedBase), B.getInt64Ty());
      return B.CreateTrunc(B.CreateAdd(Base, B.getInt64(ReservedShared)), B.getInt32Ty());
    }
    if (Name == "smid")
      return B.CreateURem(field(offsetof(ThreadContext, Ctaid)), B.getInt32(Multiprocessors));
    if (Name == "nsmid")
      return B.getInt32(Multiprocessors);
    if (Name == "nwarpid")
      return B.getInt32(64);
    if (Name == "gridid")
      return B.getInt64(1);
    if (Base == "cluster_ctaid" || Name == "cluster_ctarank")
      return B.getInt32(0);
    if (Base == "cluster_nctaid" || Name == "cluster_nctarank")
      return B.getInt32(1);
    if (Base == "clusterid")
      return field(offsetof(ThreadContext, Ctaid) + Axis);
    if (Base == "nclusterid")
      return field(offsetof(ThreadContext, Nctaid) + Axis);
    if (Name.starts_with("lanemask_")) {
      Value *Eq = B.CreateShl(B.getInt32(1), field(offsetof(ThreadContext, Lane))), *Lt = B.CreateSub(Eq, B.getInt32(1));
      StringRef Which = Name.drop_front(9);
      if (Which == "eq") return Eq;
      if (Which == "lt") return Lt;
      if (Which == "le") return B.CreateOr(Eq, Lt);
      if (Which == "gt") return B.CreateNot(B.CreateOr(Eq, Lt));
      if (Which == "ge") return B.CreateNot(Lt);
    }
    if (Name == "clock" || Name == "clock64" || Name == "globaltimer" || Name == "globaltimer_lo" || Name == "clock_hi")
      return callRuntime(B, "kcheck_rt_clock", B.getInt64Ty(), {});
    // The cooperative launch's workspace: two halves of an address.
    if (Name == "envreg1" || Name == "envreg2") {
      Value *W = callRuntime(B, "kcheck_rt_grid_workspace", B.getInt64Ty(), {});
      return B.CreateTrunc(Name == "envreg1" ? B.CreateLShr(W, 32) : W, B.getInt32Ty());
    }
    throw Refused{("register %" + Name).str()};
  }

  Type *irType(PtxType T) {
    Type *E = T.Class == 'h' ? B.getBFloatTy()
              : T.Class == 'f' ? (T.Bits == 16 ? B.getHalfTy() : T.Bits == 32 ? B.getFloatTy() : B.getDoubleTy())
                               : intType(T.Bits);
    return T.Lanes == 1 ? E : (Type *)FixedVectorType::get(E, T.Lanes);
  }

  Value *read(StringRef Name, PtxType T) {
    // A decimal or 0f constant names a value, not bits, where the type is floating.
    Value *V = bits(Name, T.total());
    return T.isFloat() || T.Lanes > 1 ? B.CreateBitCast(V, irType(T)) : V;
  }

  void writeBits(StringRef Name, Value *V, bool SignExtend = false) {
    Name = Name.trim();
    if (Name == "_")
      return;
    if (Name.starts_with("{") && Name.ends_with("}")) {
      std::vector<std::string> Parts = splitPtxList(Name.drop_front().drop_back());
      unsigned Each = V->getType()->getIntegerBitWidth() / unsigned(Parts.size());
      for (size_t I = 0; I < Parts.size(); ++I)
        writeBits(Parts[I], B.CreateTrunc(B.CreateLShr(V, Each * I), intType(Each)));
      return;
    }
    auto It = Registers.find(Name.str());
    if (It == Registers.end())
      throw Refused{("register " + Name).str()};
    Register R = It->second;
    V = SignExtend ? B.CreateSExtOrTrunc(V, intType(R.Bits)) : B.CreateZExtOrTrunc(V, intType(R.Bits));
    if (Guard)
      V = B.CreateSelect(Guard, V, B.CreateLoad(intType(R.Bits), R.Slot));
    B.CreateStore(V, R.Slot);
  }
  void write(StringRef Name, Value *V, bool SignExtend = false) { writeBits(Name, toBits(V), SignExtend); }

  //===--- control ------------------------------------------------------------===//

  void makeLabels(const std::vector<PtxStatement> &) {
    BasicBlock *Here = C->getParent();
    BasicBlock *After = Here->splitBasicBlock(C, "ptx.after");
    Here->getTerminator()->eraseFromParent();
    BasicBlock *First = BasicBlock::Create(Ctx, "ptx", Here->getParent(), After);
    B.SetInsertPoint(Here);
    B.CreateBr(First);
    B.SetInsertPoint(First);
    for (auto &L : Labels)
      L.second = BasicBlock::Create(Ctx, "ptx." + L.first, Here->getParent(), After);
    Exit = After;
  }

  /// Runs Do under the statement's predicate, in a block of its own.
  template <typename F> void guarded(F Do) {
    if (!Guard)
      return Do();
    Value *G = Guard;
    Guard = nullptr;
    BasicBlock *Here = B.GetInsertBlock();
    BasicBlock *Then = BasicBlock::Create(Ctx, "ptx.then", Here->getParent());
    BasicBlock *After;
    if (B.GetInsertPoint() == Here->end()) {
      After = BasicBlock::Create(Ctx, "ptx.join", Here->getParent());
      B.CreateCondBr(G, Then, After);
    } else {
      After = Here->splitBasicBlock(B.GetInsertPoint(), "ptx.join");
      Here->getTerminator()->eraseFromParent();
      B.SetInsertPoint(Here);
      B.CreateCondBr(G, Then, After);
    }
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(C->getDebugLoc());
    Do();
    B.CreateBr(After);
    if (After->empty())
      B.SetInsertPoint(After);
    else
      B.SetInsertPoint(&After->front());
    B.SetCurrentDebugLocation(C->getDebugLoc());
  }

  void branch(const PtxStatement &S) {
    auto It = Labels.find(S.Operands[0]);
    if (It == Labels.end())
      refuse(S);
    BasicBlock *Next = BasicBlock::Create(Ctx, "ptx.next", C->getFunction(), Exit);
    if (Guard)
      B.CreateCondBr(Guard, It->second, Next);
    else
      B.CreateBr(It->second);
    B.SetInsertPoint(Next);
  }

  void statement(const PtxStatement &S) {
    B.SetCurrentDebugLocation(C->getDebugLoc());
    if (S.What == PtxStatement::Register) {
      PtxType T = parseType(S.Op[0]);
      if (!T)
        refuse(S);
      for (StringRef Name : S.Operands) {
        auto [Base, Count] = Name.split('<');
        unsigned N = 0;
        if (Count.consume_back(">") && !Count.getAsInteger(10, N)) {
          for (unsigned I = 0; I < N; ++I)
            Registers[(Base + Twine(I)).str()] = {slot(T.total()), T.total()};
        } else {
          Registers[Name.str()] = {slot(T.total()), T.total()};
        }
      }
      return;
    }
    if (S.What == PtxStatement::Label) {
      BasicBlock *L = Labels[S.Op[0]];
      B.CreateBr(L);
      B.SetInsertPoint(L);
      return;
    }
    Guard = nullptr;
    if (!S.Guard.empty()) {
      Guard = bits(S.Guard, 1);
      if (S.Negated)
        Guard = B.CreateNot(Guard);
    }
    instruction(S);
    Guard = nullptr;
  }

  void finishLabels() {
    if (!Exit)
      return;
    B.CreateBr(Exit);
    B.SetInsertPoint(C);
  }

  //===--- instructions -----------------------------------------------------===//

  void instruction(const PtxStatement &S) {
    StringRef Op = S.Op[0];
    PtxType T;
    for (size_t I = S.Op.size(); I-- > 1 && !T;)
      T = parseType(S.Op[I]);
    if (Op == "bra")
      return branch(S);
    if (Op == "mov" || Op == "cvta")
      return move(S, T);
    if (Op == "ld" || Op == "ldu")
      return load(S, T);
    if (Op == "st")
      return store(S, T);
    if (Op == "atom" || Op == "red")
      return atomic(S, T);
    if (Op == "cvt")
      return convert(S);
    if (Op == "setp" || Op == "set")
      return compare(S, T);
    if (mbarrier(S) || parts(S) || simple(S, T) || bitwise(S, T) || sync(S) || copies(S) || texture(S) || surface(S))
      return;
    refuse(S);
  }

  void move(const PtxStatement &S, PtxType T) {
    if (!T || S.Operands.size() != 2)
      refuse(S);
    Value *V = bits(S.Operands[1], T.total());
    if (S.Op[0] == "cvta" && !S.has("to") && T.total() == 64 && (S.has("shared") || S.has("shared::cta")))
      V = widenShared(V);
    writeBits(S.Operands[0], V);
  }

  Value *address(StringRef Text, const PtxStatement &S) {
    if (!Text.starts_with("[") || !Text.ends_with("]"))
      refuse(S);
    Text = Text.drop_front().drop_back().trim();
    StringRef Base = Text;
    int64_t Offset = 0;
    if (size_t Plus = Text.find('+'); Plus != StringRef::npos) {
      Base = Text.take_front(Plus).trim();
      StringRef Rest = Text.drop_front(Plus + 1).trim();
      if (Rest.getAsInteger(0, Offset)) {
        auto It = Constants.find(Rest.str());
        if (It == Constants.end())
          refuse(S);
        Offset = It->second;
      }
    }
    Value *A = bits(Base, 64);
    if (Offset)
      A = B.CreateAdd(A, B.getInt64(uint64_t(Offset)));
    if (isShared(S))
      A = widenShared(A);
    return B.CreateIntToPtr(A, B.getPtrTy());
  }

  /// A cluster is one block here.
  static bool isShared(const PtxStatement &S) { return S.has("shared") || S.has("shared::cta") || S.has("shared::cluster"); }

  /// Shared addresses may come as 32 bits: the low half of the flat address.
  Value *widenShared(Value *A) {
    Value *Short = B.CreateICmpULT(A, B.getInt64(uint64_t(1) << 32));
    return B.CreateSelect(Short, B.CreateOr(A, B.getInt64(DataBase + SharedOffset)), A);
  }

  unsigned lanesOf(const PtxStatement &S) { return S.has("v2") ? 2 : S.has("v4") ? 4 : S.has("v8") ? 8 : 1; }
  bool isStrong(const PtxStatement &S) { return S.has("volatile") || S.has("relaxed") || S.has("acquire") || S.has("release") || S.has("mmio"); }

  void fence(const PtxStatement &S) {
    callRuntime(B, "kcheck_rt_fence", B.getVoidTy(), {B.getInt32(S.has("cta") ? 1 : 2)});
  }

  void load(const PtxStatement &S, PtxType T) {
    unsigned N = lanesOf(S);
    if (!T || S.Operands.size() < 2)
      refuse(S);
    guarded([&] {
      Value *Ptr = address(S.Operands[1], S);
      unsigned Total = T.total() * N;
      LoadInst *L = B.CreateAlignedLoad(intType(Total), Ptr, Align(Total / 8), isStrong(S));
      if (S.has("relaxed"))
        L->setMetadata("kcheck.relaxed", MDNode::get(Ctx, {}));
      bool Signed = T.Class == 's' && N == 1;
      writeBits(S.Operands[0], L, Signed);
    });
  }

  void store(const PtxStatement &S, PtxType T) {
    unsigned N = lanesOf(S);
    if (!T || S.Operands.size() < 2)
      refuse(S);
    guarded([&] {
      if (S.has("release"))
        fence(S);
      unsigned Total = T.total() * N;
      B.CreateAlignedStore(bits(S.Operands[1], Total), address(S.Operands[0], S), Align(Total / 8), isStrong(S));
    });
  }

  void atomic(const PtxStatement &S, PtxType T) {
    bool Red = S.Op[0] == "red";
    size_t First = Red ? 0 : 1;
    if (!T || S.Operands.size() < First + 2)
      refuse(S);
    std::string Kind;
    for (const char *K : {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"})
      if (S.has(K))
        Kind = K;
    if (Kind.empty() || lanesOf(S) > 1)
      refuse(S);
    guarded([&] {
      if (S.has("release") || S.has("acq_rel"))
        fence(S);
      Value *Ptr = address(S.Operands[First], S);
      SyncScope::ID Scope = Ctx.getOrInsertSyncScopeID(S.has("cta") ? "block" : "");
      Align Al(T.total() / 8);
      Value *Old;
      if (Kind == "cas") {
        Old = B.CreateExtractValue(B.CreateAtomicCmpXchg(Ptr, bits(S.Operands[First + 1], T.total()), bits(S.Operands[First + 2], T.total()), Al,
                                                        AtomicOrdering::Monotonic, AtomicOrdering::Monotonic, Scope), 0);
      } else {
        bool F = T.isFloat(), U = T.Class == 'u' || T.Class == 'b';
        auto Op = StringSwitch<AtomicRMWInst::BinOp>(Kind)
                      .Case("add", F ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                      .Case("min", F ? AtomicRMWInst::FMin : U ? AtomicRMWInst::UMin : AtomicRMWInst::Min)
                      .Case("max", F ? AtomicRMWInst::FMax : U ? AtomicRMWInst::UMax : AtomicRMWInst::Max)
                      .Case("inc", AtomicRMWInst::UIncWrap).Case("dec", AtomicRMWInst::UDecWrap)
                      .Case("and", AtomicRMWInst::And).Case("or", AtomicRMWInst::Or).Case("xor", AtomicRMWInst::Xor)
                      .Default(AtomicRMWInst::Xchg);
        Old = B.CreateAtomicRMW(Op, Ptr, read(S.Operands[First + 1], T), Al, AtomicOrdering::Monotonic, Scope);
      }
      if (!Red)
        write(S.Operands[0], Old);
    });
  }

  static unsigned roundingOf(const PtxStatement &S) {
    for (auto [Name, Mode] : {std::pair<const char *, unsigned>{"rz", 1}, {"rm", 2}, {"rp", 3}, {"rzi", 1}, {"rmi", 2}, {"rpi", 3}})
      if (S.has(Name))
        return Mode;
    return 0;
  }

  Value *roundInteger(Value *V, unsigned Mode) {
    constexpr Intrinsic::ID Ids[] = {Intrinsic::rint, Intrinsic::trunc, Intrinsic::floor, Intrinsic::ceil};
    return B.CreateUnaryIntrinsic(Ids[Mode], V);
  }

  Value *clamp(Value *V, double Low, double High) {
    Type *T = V->getType();
    return B.CreateBinaryIntrinsic(Intrinsic::minnum, B.CreateBinaryIntrinsic(Intrinsic::maxnum, V, ConstantFP::get(T, Low)), ConstantFP::get(T, High));
  }

  /// f32 with 13 bits fewer. Ties go away from zero or to even, or nothing is rounded; what is no number stays so.
  void toTf32(const PtxStatement &S) {
    if (S.Operands.size() != 2 || !S.has("f32") || S.has("relu") || S.has("satfinite"))
      refuse(S);
    constexpr uint32_t Dropped = 0x1FFF, Half = 0x1000;
    Value *V = bits(S.Operands[1], 32), *Kept = B.getInt32(~Dropped), *R = V;
    if (S.has("rna"))
      R = B.CreateAdd(V, B.getInt32(Half));
    else if (S.has("rn"))
      R = B.CreateAdd(B.CreateAdd(V, B.getInt32(Half - 1)), B.CreateAnd(B.CreateLShr(V, 13), B.getInt32(1)));
    else if (!S.has("rz"))
      refuse(S);
    Value *Real = B.CreateBitCast(V, B.getFloatTy());
    writeBits(S.Operands[0], B.CreateSelect(B.CreateFCmpUNO(Real, Real), B.getInt32(0x7FFFFFFF), B.CreateAnd(R, Kept)));
  }

  void convert(const PtxStatement &S) {
    if (S.has("tf32"))
      return toTf32(S);
    std::vector<PtxType> Types;
    for (size_t I = 1; I < S.Op.size(); ++I)
      if (PtxType T = parseType(S.Op[I]))
        Types.push_back(T);
    if (Types.size() != 2 || S.has("e4m3x2") || S.has("e5m2x2") || S.Operands.size() < 2)
      refuse(S);
    PtxType To = Types[0], From = Types[1];
    unsigned Mode = roundingOf(S);
    if (To.Lanes == 2 && S.Operands.size() == 3) {
      // The first source goes to the upper half.
      Value *Hi = narrow(read(S.Operands[1], From), {To.Class, To.Bits, 1}, Mode, S), *Lo = narrow(read(S.Operands[2], From), {To.Class, To.Bits, 1}, Mode, S);
      Value *V = B.CreateInsertElement(PoisonValue::get(irType(To)), Lo, uint64_t(0));
      write(S.Operands[0], B.CreateInsertElement(V, Hi, 1));
      return;
    }
    Value *V = read(S.Operands[1], From);
    if (From.isFloat() && To.isFloat()) {
      bool Whole = S.has("rni") || S.has("rzi") || S.has("rmi") || S.has("rpi");
      if (Whole)
        V = roundInteger(V, Mode);
      if (To.Bits > From.Bits || (To.Bits == From.Bits && To.Class == From.Class))
        V = To.Bits == From.Bits ? V : B.CreateFPExt(V, irType(To));
      else
        V = narrow(V, To, Whole ? 0 : Mode, S);
      if (S.has("sat"))
        V = clamp(V, 0, 1);
      write(S.Operands[0], V);
    } else if (From.isFloat()) {
      V = roundInteger(V, Mode);
      bool Signed = To.Class == 's';
      V = B.CreateIntrinsic(Signed ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat, {irType(To), V->getType()}, {V});
      write(S.Operands[0], V, Signed);
    } else if (To.isFloat()) {
      bool Signed = From.Class == 's';
      if (Mode && To.Bits >= 32) {
        Value *Wide = Signed ? B.CreateSExt(V, B.getInt64Ty()) : B.CreateZExt(V, B.getInt64Ty());
        V = callRuntime(B, To.Bits == 64 ? "kcheck_rt_i2d" : "kcheck_rt_i2f", irType(To), {Wide, B.getInt32(!Signed), B.getInt32(Mode)});
      } else if (To.Bits == 16) {
        Value *D = Signed ? B.CreateSIToFP(V, B.getDoubleTy()) : B.CreateUIToFP(V, B.getDoubleTy());
        V = narrow(D, To, Mode, S);
      } else {
        V = Signed ? B.CreateSIToFP(V, irType(To)) : B.CreateUIToFP(V, irType(To));
      }
      write(S.Operands[0], V);
    } else {
      bool Signed = From.Class == 's';
      if (S.has("sat")) {
        Type *W = intType(128);
        Value *X = Signed ? B.CreateSExt(V, W) : B.CreateZExt(V, W);
        bool ToSigned = To.Class == 's';
        APInt Low = ToSigned ? APInt::getSignedMinValue(To.Bits).sext(128) : APInt(128, 0);
        APInt High = ToSigned ? APInt::getSignedMaxValue(To.Bits).sext(128) : APInt::getMaxValue(To.Bits).zext(128);
        X = B.CreateBinaryIntrinsic(Intrinsic::smax, X, ConstantInt::get(W, Low));
        X = B.CreateBinaryIntrinsic(Intrinsic::smin, X, ConstantInt::get(W, High));
        V = B.CreateTrunc(X, intType(To.Bits));
      } else {
        V = Signed ? B.CreateSExtOrTrunc(V, intType(To.Bits)) : B.CreateZExtOrTrunc(V, intType(To.Bits));
      }
      write(S.Operands[0], V, To.Class == 's');
    }
  }

  /// Float to a narrower float.
  Value *narrow(Value *V, PtxType To, unsigned Mode, const PtxStatement &S) {
    if (S.has("relu"))
      V = B.CreateBinaryIntrinsic(Intrinsic::maxnum, V, ConstantFP::get(V->getType(), 0));
    if (Mode == 0 || To.Lanes > 1)
      return B.CreateFPTrunc(V, irType(To));
    if (To.Bits == 32)
      return callRuntime(B, "kcheck_rt_d2f", B.getFloatTy(), {V, B.getInt32(Mode)});
    Value *D = V->getType()->isDoubleTy() ? V : B.CreateFPExt(V, B.getDoubleTy());
    Value *R = callRuntime(B, "kcheck_rt_narrow16", B.getInt32Ty(), {D, B.getInt32(To.Class == 'h'), B.getInt32(Mode)});
    return B.CreateBitCast(B.CreateTrunc(R, B.getInt16Ty()), irType(To));
  }

  Value *comparison(StringRef Cmp, PtxType T, Value *L, Value *R, const PtxStatement &S) {
    if (T.isFloat()) {
      if (Cmp == "num" || Cmp == "nan")
        return Cmp == "num" ? B.CreateFCmpORD(L, R) : B.CreateFCmpUNO(L, R);
      bool Unordered = Cmp.size() == 3 && Cmp.ends_with("u");
      auto Pred = StringSwitch<CmpInst::Predicate>(Cmp.take_front(2))
                      .Case("eq", Unordered ? CmpInst::FCMP_UEQ : CmpInst::FCMP_OEQ).Case("ne", Unordered ? CmpInst::FCMP_UNE : CmpInst::FCMP_ONE)
                      .Case("lt", Unordered ? CmpInst::FCMP_ULT : CmpInst::FCMP_OLT).Case("le", Unordered ? CmpInst::FCMP_ULE : CmpInst::FCMP_OLE)
                      .Case("gt", Unordered ? CmpInst::FCMP_UGT : CmpInst::FCMP_OGT).Case("ge", Unordered ? CmpInst::FCMP_UGE : CmpInst::FCMP_OGE)
                      .Default(CmpInst::BAD_FCMP_PREDICATE);
      if (Pred == CmpInst::BAD_FCMP_PREDICATE)
        refuse(S);
      return B.CreateFCmp(Pred, L, R);
    }
    bool Signed = T.Class == 's';
    auto Pred = StringSwitch<CmpInst::Predicate>(Cmp)
                    .Case("eq", CmpInst::ICMP_EQ).Case("ne", CmpInst::ICMP_NE)
                    .Case("lt", Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT).Case("le", Signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
                    .Case("gt", Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT).Case("ge", Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
                    .Case("lo", CmpInst::ICMP_ULT).Case("ls", CmpInst::ICMP_ULE).Case("hi", CmpInst::ICMP_UGT).Case("hs", CmpInst::ICMP_UGE)
                    .Default(CmpInst::BAD_ICMP_PREDICATE);
    if (Pred == CmpInst::BAD_ICMP_PREDICATE)
      refuse(S);
    return B.CreateICmp(Pred, L, R);
  }

  void compare(const PtxStatement &S, PtxType From) {
    if (!From || S.Operands.size() < 3)
      refuse(S);
    Value *R = comparison(S.Op[1], From, read(S.Operands[1], From), read(S.Operands[2], From), S);
    if (S.Operands.size() == 4) {
      Value *With = bits(S.Operands[3], 1);
      R = S.has("and") ? B.CreateAnd(R, With) : S.has("or") ? B.CreateOr(R, With) : B.CreateXor(R, With);
    }
    if (S.Op[0] == "set") {
      PtxType To;
      for (size_t I = 2; I < S.Op.size() && !To; ++I)
        To = parseType(S.Op[I]);
      if (To.isFloat())
        write(S.Operands[0], B.CreateUIToFP(R, irType(To)));
      else
        write(S.Operands[0], B.CreateSExt(R, To.Lanes > 1 ? (Type *)FixedVectorType::get(intType(To.Bits), To.Lanes) : intType(To.Bits)));
      return;
    }
    auto [First, Second] = StringRef(S.Operands[0]).split('|');
    if (R->getType()->isVectorTy()) {
      if (Second.empty())
        refuse(S);
      writeBits(First, B.CreateExtractElement(R, uint64_t(0)));
      writeBits(Second, B.CreateExtractElement(R, 1));
      return;
    }
    writeBits(First, R);
    if (!Second.empty())
      writeBits(Second, B.CreateNot(R));
  }

  Value *runtimeRounded(unsigned Code, unsigned Mode, Type *T, ArrayRef<Value *> Args) {
    SmallVector<Value *, 5> All{B.getInt32(Code), B.getInt32(Mode)};
    for (unsigned I = 0; I < 3; ++I)
      All.push_back(I < Args.size() ? Args[I] : Constant::getNullValue(T));
    return callRuntime(B, T->isDoubleTy() ? "kcheck_rt_round_f64" : "kcheck_rt_round_f32", T, All);
  }

  Value *product(Value *L, Value *R, bool Signed, unsigned Bits, bool High) {
    Type *W = intType(Bits * 2);
    Value *X = Signed ? B.CreateSExt(L, W) : B.CreateZExt(L, W), *Y = Signed ? B.CreateSExt(R, W) : B.CreateZExt(R, W);
    Value *M = B.CreateMul(X, Y);
    return High ? B.CreateTrunc(B.CreateLShr(M, Bits), intType(Bits)) : M;
  }

  /// Sums of 32- and 64-bit integers with the carry flag in and out.
  void carried(const PtxStatement &S, PtxType T, Value *L, Value *R, bool Sub, bool In) {
    Type *W = intType(T.Bits + 2);
    if (!Carry)
      Carry = slot(1);
    Value *X = B.CreateZExt(L, W), *Y = B.CreateZExt(R, W);
    Value *V = Sub ? B.CreateSub(X, Y) : B.CreateAdd(X, Y);
    if (In) {
      Value *CF = B.CreateZExt(B.CreateLoad(B.getInt1Ty(), Carry), W);
      V = Sub ? B.CreateSub(V, CF) : B.CreateAdd(V, CF);
    }
    writeBits(S.Operands[0], B.CreateTrunc(V, intType(T.Bits)));
    if (S.has("cc"))
      B.CreateStore(B.CreateTrunc(B.CreateLShr(V, T.Bits), B.getInt1Ty()), Carry);
  }

  /// vadd4, vmax2, ...: the same on each half or byte of 32 bits. With .add the parts of the result are summed, and the third operand.
  bool parts(const PtxStatement &S) {
    StringRef Op = S.Op[0];
    if (!Op.starts_with("v") || (!Op.ends_with("2") && !Op.ends_with("4")) || S.Operands.size() != 4 || S.Op.size() < 3)
      return false;
    Op = Op.drop_front().drop_back();
    unsigned Count = S.Op[0].back() - '0';
    bool Signed = S.has("s32"), Sat = S.has("sat"), Sum = S.has("add");
    if (Signed == S.has("u32") || (Op == "avrg" && Signed))
      return false;
    auto *Narrow = FixedVectorType::get(intType(32 / Count), Count), *Wide = FixedVectorType::get(intType(32), Count);
    auto in = [&](size_t I) { return B.CreateBitCast(bits(S.Operands[I], 32), Narrow); };
    auto widen = [&](Value *V) { return Signed ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide); };
    auto binary = [&](Intrinsic::ID SignedOp, Intrinsic::ID UnsignedOp, Value *L, Value *R) { return B.CreateBinaryIntrinsic(Signed ? SignedOp : UnsignedOp, L, R); };
    Value *X = in(1), *Y = in(2), *V;
    if (Op == "add")
      V = Sat ? binary(Intrinsic::sadd_sat, Intrinsic::uadd_sat, X, Y) : B.CreateAdd(X, Y);
    else if (Op == "sub")
      V = Sat ? binary(Intrinsic::ssub_sat, Intrinsic::usub_sat, X, Y) : B.CreateSub(X, Y);
    else if (Op == "max")
      V = binary(Intrinsic::smax, Intrinsic::umax, X, Y);
    else if (Op == "min")
      V = binary(Intrinsic::smin, Intrinsic::umin, X, Y);
    else if (Op == "avrg")
      V = B.CreateTrunc(B.CreateLShr(B.CreateAdd(B.CreateAdd(widen(X), widen(Y)), ConstantInt::get(Wide, 1)), 1), Narrow);
    else if (Op == "absdiff")
      V = B.CreateBinaryIntrinsic(Intrinsic::abs, B.CreateSub(widen(X), widen(Y)), B.getFalse());
    else if (Op == "set") {
      auto P = StringSwitch<int>(S.Op.back()).Case("eq", CmpInst::ICMP_EQ).Case("ne", CmpInst::ICMP_NE)
                   .Case("lt", Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT).Case("le", Signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
                   .Case("gt", Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT).Case("ge", Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE).Default(-1);
      if (P < 0)
        return false;
      V = B.CreateZExt(B.CreateICmp(CmpInst::Predicate(P), X, Y), Narrow);
    } else
      return false;
    if (Op == "absdiff" && !Sum) {
      if (Sat)
        V = binary(Intrinsic::smin, Intrinsic::umin, V, ConstantInt::get(Wide, Signed ? (1u << (32 / Count - 1)) - 1 : (1u << (32 / Count)) - 1));
      V = B.CreateTrunc(V, Narrow);
    }
    if (Sum) {
      if (Op != "absdiff")
        V = widen(V);
      writeBits(S.Operands[0], B.CreateAdd(B.CreateAddReduce(V), bits(S.Operands[3], 32)));
    } else
      writeBits(S.Operands[0], B.CreateBitCast(V, B.getInt32Ty()));
    return true;
  }

  bool simple(const PtxStatement &S, PtxType T) {
    StringRef Op = S.Op[0];
    if (!T)
      return false;
    auto in = [&](size_t I) {
      if (I >= S.Operands.size())
        refuse(S);
      return read(S.Operands[I], T);
    };
    auto out = [&](Value *V) {
      if (S.has("sat") && T.isFloat())
        V = clamp(V, 0, 1);
      if (S.has("relu"))
        V = B.CreateBinaryIntrinsic(Intrinsic::maxnum, V, Constant::getNullValue(V->getType()));
      write(S.Operands[0], V, T.Class == 's');
      return true;
    };
    unsigned Mode = roundingOf(S);
    Type *IT = irType(T);
    if (T.isFloat()) {
      if (Op == "add" || Op == "sub" || Op == "mul" || Op == "div" || Op == "fma" || Op == "mad" || Op == "sqrt" || Op == "rcp") {
        bool Approx = S.has("approx") || S.has("full");
        if (Mode && !Approx && T.Bits >= 32) {
          int Code = StringSwitch<int>(Op).Case("add", 0).Case("mul", 1).Case("div", 2).Cases({"fma", "mad"}, 3).Case("sqrt", 4).Case("rcp", 5).Default(6);
          SmallVector<Value *, 3> Args;
          for (size_t I = 1; I < S.Operands.size(); ++I)
            Args.push_back(in(I));
          return out(runtimeRounded(unsigned(Code), Mode, IT, Args));
        }
        if (Op == "add") return out(B.CreateFAdd(in(1), in(2)));
        if (Op == "sub") return out(B.CreateFSub(in(1), in(2)));
        if (Op == "mul") return out(B.CreateFMul(in(1), in(2)));
        if (Op == "div") return out(B.CreateFDiv(in(1), in(2)));
        if (Op == "sqrt") return out(B.CreateUnaryIntrinsic(Intrinsic::sqrt, in(1)));
        if (Op == "rcp") return out(B.CreateFDiv(ConstantFP::get(IT, 1), in(1)));
        return out(B.CreateIntrinsic(Intrinsic::fma, {IT}, {in(1), in(2), in(3)}));
      }
      if (Op == "min" || Op == "max") {
        bool NaN = S.has("NaN"), Min = Op == "min";
        return out(B.CreateBinaryIntrinsic(NaN ? (Min ? Intrinsic::minimum : Intrinsic::maximum) : (Min ? Intrinsic::minnum : Intrinsic::maxnum), in(1), in(2)));
      }
      if (Op == "neg") return out(B.CreateFNeg(in(1)));
      if (Op == "copysign") return out(B.CreateBinaryIntrinsic(Intrinsic::copysign, in(2), in(1)));
      if (Op == "rsqrt") return out(B.CreateFDiv(ConstantFP::get(IT, 1), B.CreateUnaryIntrinsic(Intrinsic::sqrt, in(1))));
      Intrinsic::ID Id = StringSwitch<Intrinsic::ID>(Op).Case("abs", Intrinsic::fabs).Case("ex2", Intrinsic::exp2).Case("lg2", Intrinsic::log2)
                             .Case("sin", Intrinsic::sin).Case("cos", Intrinsic::cos).Case("tanh", Intrinsic::tanh).Default(Intrinsic::not_intrinsic);
      if (Id != Intrinsic::not_intrinsic)
        return out(B.CreateUnaryIntrinsic(Id, in(1)));
    } else {
      bool Signed = T.Class == 's';
      if (Op == "add" || Op == "sub" || Op == "addc" || Op == "subc") {
        bool Sub = Op.starts_with("sub"), In = Op.ends_with("c");
        if (In || S.has("cc")) {
          carried(S, T, in(1), in(2), Sub, In);
          return true;
        }
        if (S.has("sat"))
          return out(B.CreateBinaryIntrinsic(Sub ? Intrinsic::ssub_sat : Intrinsic::sadd_sat, in(1), in(2)));
        return out(Sub ? B.CreateSub(in(1), in(2)) : B.CreateAdd(in(1), in(2)));
      }
      if (Op == "mul" || Op == "mad" || Op == "madc" || Op == "mul24" || Op == "mad24") {
        Value *L = in(1), *R = in(2), *M;
        if (Op.ends_with("24")) {
          auto low = [&](Value *V) { V = B.CreateShl(V, 8); return Signed ? B.CreateAShr(V, 8) : B.CreateLShr(V, 8); };
          M = B.CreateMul(low(L), low(R));
        } else if (S.has("wide")) {
          PtxType W{T.Class, T.Bits * 2, 1};
          M = product(L, R, Signed, T.Bits, false);
          if (Op == "mad")
            M = B.CreateAdd(M, read(S.Operands[3], W));
          write(S.Operands[0], M, Signed);
          return true;
        } else {
          M = S.has("hi") ? product(L, R, Signed, T.Bits, true) : B.CreateMul(L, R);
        }
        if (!Op.starts_with("mad"))
          return out(M);
        if (Op == "madc" || S.has("cc")) {
          carried(S, T, M, in(3), false, Op == "madc");
          return true;
        }
        return out(B.CreateAdd(M, in(3)));
      }
      if (Op == "div" || Op == "rem") {
        Value *L = in(1), *R = in(2);
        return out(Op == "div" ? (Signed ? B.CreateSDiv(L, R) : B.CreateUDiv(L, R)) : (Signed ? B.CreateSRem(L, R) : B.CreateURem(L, R)));
      }
      if (Op == "min" || Op == "max") {
        Intrinsic::ID Id = Op == "min" ? (Signed ? Intrinsic::smin : Intrinsic::umin) : (Signed ? Intrinsic::smax : Intrinsic::umax);
        return out(B.CreateBinaryIntrinsic(Id, in(1), in(2)));
      }
      if (Op == "neg") return out(B.CreateNeg(in(1)));
      if (Op == "abs") return out(B.CreateBinaryIntrinsic(Intrinsic::abs, in(1), B.getFalse()));
      if (Op == "sad") {
        Value *Less = Signed ? B.CreateICmpSLT(in(1), in(2)) : B.CreateICmpULT(in(1), in(2));
        return out(B.CreateAdd(B.CreateSelect(Less, B.CreateSub(in(2), in(1)), B.CreateSub(in(1), in(2))), in(3)));
      }
    }
    if (Op == "selp")
      return out(B.CreateSelect(bits(S.Operands[3], 1), in(1), in(2)));
    return false;
  }

  bool bitwise(const PtxStatement &S, PtxType T) {
    StringRef Op = S.Op[0];
    auto in = [&](size_t I, unsigned Bits) {
      if (I >= S.Operands.size())
        refuse(S);
      return bits(S.Operands[I], Bits);
    };
    if (!T)
      return false;
    unsigned N = T.total();
    auto out = [&](Value *V) {
      writeBits(S.Operands[0], V, T.Class == 's');
      return true;
    };
    if (Op == "and") return out(B.CreateAnd(in(1, N), in(2, N)));
    if (Op == "or") return out(B.CreateOr(in(1, N), in(2, N)));
    if (Op == "xor") return out(B.CreateXor(in(1, N), in(2, N)));
    if (Op == "not") return out(B.CreateNot(in(1, N)));
    if (Op == "shl" || Op == "shr") {
      Value *By = in(2, 32), *V = in(1, N);
      Value *Big = B.CreateICmpUGE(By, B.getInt32(N));
      Value *Small = B.CreateZExtOrTrunc(B.CreateSelect(Big, B.getInt32(0), By), intType(N));
      bool Signed = T.Class == 's';
      Value *Gone = Op == "shr" && Signed ? B.CreateAShr(V, N - 1) : ConstantInt::get(intType(N), 0);
      return out(B.CreateSelect(Big, Gone, Op == "shl" ? B.CreateShl(V, Small) : Signed ? B.CreateAShr(V, Small) : B.CreateLShr(V, Small)));
    }
    if (Op == "bmsk") { // so many ones from a bit on
      auto in64 = [&](size_t I) {
        Value *V = in(I, 32);
        V = S.has("wrap") ? B.CreateAnd(V, 31) : B.CreateBinaryIntrinsic(Intrinsic::umin, V, B.getInt32(32));
        return B.CreateZExt(V, B.getInt64Ty());
      };
      auto below = [&](Value *Bit) { return B.CreateSub(B.CreateShl(B.getInt64(1), Bit), B.getInt64(1)); };
      Value *From = in64(1), *To = B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateAdd(From, in64(2)), B.getInt64(32));
      return out(B.CreateTrunc(B.CreateAnd(below(To), B.CreateNot(below(From))), B.getInt32Ty()));
    }
    if (Op == "popc") return out(B.CreateUnaryIntrinsic(Intrinsic::ctpop, in(1, N)));
    if (Op == "clz") return out(B.CreateBinaryIntrinsic(Intrinsic::ctlz, in(1, N), B.getFalse()));
    if (Op == "brev") return out(B.CreateUnaryIntrinsic(Intrinsic::bitreverse, in(1, N)));
    if (Op == "bfind") {
      Value *V = in(1, N);
      if (T.Class == 's')
        V = B.CreateXor(V, B.CreateAShr(V, N - 1));
      Value *Lead = B.CreateZExtOrTrunc(B.CreateBinaryIntrinsic(Intrinsic::ctlz, V, B.getFalse()), B.getInt32Ty());
      Value *Pos = S.has("shiftamt") ? Lead : B.CreateSub(B.getInt32(N - 1), Lead);
      writeBits(S.Operands[0], B.CreateSelect(B.CreateICmpEQ(V, ConstantInt::get(intType(N), 0)), B.getInt32(~0u), Pos));
      return true;
    }
    if (Op == "prmt" && S.Op.size() == 2)
      return out(callRuntime(B, "kcheck_rt_prmt", B.getInt32Ty(), {in(1, 32), in(2, 32), in(3, 32)}));
    if (Op == "bfe" || Op == "bfi") {
      bool Insert = Op == "bfi";
      Value *Pos = in(Insert ? 3 : 2, 32), *Len = in(Insert ? 4 : 3, 32);
      Value *R = Insert ? callRuntime(B, "kcheck_rt_bfi", B.getInt64Ty(), {B.CreateZExt(in(1, N), B.getInt64Ty()), B.CreateZExt(in(2, N), B.getInt64Ty()), Pos, Len, B.getInt32(N)})
                        : callRuntime(B, "kcheck_rt_bfe", B.getInt64Ty(), {B.CreateZExt(in(1, N), B.getInt64Ty()), Pos, Len, B.getInt32(N), B.getInt32(T.Class == 's')});
      return out(B.CreateTrunc(R, intType(N)));
    }
    if (Op == "shf") {
      Value *Lo = in(1, 32), *Hi = in(2, 32), *By = in(3, 32);
      By = S.has("clamp") ? B.CreateBinaryIntrinsic(Intrinsic::umin, By, B.getInt32(32)) : B.CreateAnd(By, 31);
      Value *W = B.CreateOr(B.CreateZExt(Lo, B.getInt64Ty()), B.CreateShl(B.CreateZExt(Hi, B.getInt64Ty()), 32)), *By64 = B.CreateZExt(By, B.getInt64Ty());
      return out(B.CreateTrunc(S.has("l") ? B.CreateLShr(B.CreateShl(W, By64), 32) : B.CreateLShr(W, By64), B.getInt32Ty()));
    }
    if (Op == "lop3") {
      Value *A = in(1, 32), *X = in(2, 32), *Y = in(3, 32);
      auto *Lut = dyn_cast<ConstantInt>(in(4, 32));
      uint64_t L;
      if (Lut)
        L = Lut->getZExtValue();
      else if (auto It = Constants.find(S.Operands[4]); It != Constants.end())
        L = uint64_t(It->second);
      else
        return false;
      Value *R = B.getInt32(0);
      for (unsigned I = 0; I < 8; ++I)
        if (L >> I & 1)
          R = B.CreateOr(R, B.CreateAnd(B.CreateAnd(I & 4 ? A : B.CreateNot(A), I & 2 ? X : B.CreateNot(X)), I & 1 ? Y : B.CreateNot(Y)));
      return out(R);
    }
    if (Op == "dp4a" || Op == "dp2a")
      return out(callRuntime(B, Op == "dp4a" ? "kcheck_rt_dp4a" : "kcheck_rt_dp2a", B.getInt32Ty(),
                             {in(1, 32), in(2, 32), in(3, 32), B.getInt32((S.Op[S.Op.size() - 2][0] == 's' ? 1 : 0) | (S.Op.back()[0] == 's' ? 2 : 0) | (S.has("hi") ? 4 : 0))}));
    if (Op == "testp") {
      Value *V = read(S.Operands[1], T);
      unsigned Test = StringSwitch<unsigned>(S.Op[1]).Case("finite", fcFinite).Case("infinite", fcInf).Case("number", fcAllFlags & ~fcNan).Case("notanumber", fcNan).Case("normal", fcNormal).Default(fcSubnormal);
      writeBits(S.Operands[0], B.createIsFPClass(V, Test));
      return true;
    }
    return false;
  }

  bool sync(const PtxStatement &S) {
    StringRef Op = S.Op[0];
    auto reg = [&](size_t I) { return bits(S.Operands[I], 32); };
    auto site = [&] { return newSite(P, C, SiteOther); };
    if (Op == "membar" || Op == "fence") {
      if (!S.has("proxy"))
        guarded([&] { fence(S); });
      return true;
    }
    if (Op == "bar" || Op == "barrier") {
      if (S.has("cluster"))
        refuse(S);
      guarded([&] {
        if (S.has("warp"))
          callRuntime(B, "kcheck_rt_syncwarp", B.getVoidTy(), {reg(0), site()});
        else if (S.has("red")) {
          bool Popc = S.has("popc");
          size_t PredAt = S.Operands.size() - 1;
          Value *V = callRuntime(B, "kcheck_rt_barrier_red", B.getInt32Ty(),
                                 {reg(1), S.Operands.size() == 4 ? reg(2) : B.getInt32(0), B.getInt32(Popc ? 0 : S.has("and") ? 1 : 2),
                                  B.CreateZExt(bits(S.Operands[PredAt], 1), B.getInt32Ty()), site()});
          writeBits(S.Operands[0], Popc ? V : B.CreateTrunc(V, B.getInt1Ty()));
        } else if (S.has("arrive"))
          callRuntime(B, "kcheck_rt_barrier_arrive", B.getVoidTy(), {reg(0), reg(1), site()});
        else
          callRuntime(B, "kcheck_rt_barrier", B.getVoidTy(), {reg(0), S.Operands.size() > 1 ? reg(1) : B.getInt32(0), site()});
      });
      return true;
    }
    if (Op == "shfl" && S.has("sync")) {
      unsigned Mode = S.has("idx") ? 0 : S.has("up") ? 1 : S.has("down") ? 2 : 3;
      auto [Value32, Pred] = StringRef(S.Operands[0]).split('|');
      guarded([&] {
        AllocaInst *Slot = entrySlot(C, B.getInt8Ty());
        llvm::Value *V = callRuntime(B, "kcheck_rt_shfl", B.getInt32Ty(), {B.getInt32(Mode), reg(4), reg(1), reg(2), reg(3), Slot, site()});
        writeBits(Value32, V);
        if (!Pred.empty())
          writeBits(Pred, B.CreateTrunc(B.CreateLoad(B.getInt8Ty(), Slot), B.getInt1Ty()));
      });
      return true;
    }
    if (Op == "vote" && S.has("sync")) {
      unsigned Mode = S.has("all") ? 0 : S.has("any") ? 1 : S.has("uni") ? 2 : 3;
      guarded([&] {
        Value *V = callRuntime(B, "kcheck_rt_vote", B.getInt32Ty(), {B.getInt32(Mode), reg(2), B.CreateZExt(bits(S.Operands[1], 1), B.getInt32Ty()), site()});
        writeBits(S.Operands[0], Mode == 3 ? V : B.CreateTrunc(V, B.getInt1Ty()));
      });
      return true;
    }
    if (Op == "match" && S.has("sync")) {
      unsigned N = S.has("b64") ? 64 : 32;
      auto [Mask, Pred] = StringRef(S.Operands[0]).split('|');
      guarded([&] {
        AllocaInst *Slot = entrySlot(C, B.getInt8Ty());
        Value *V = callRuntime(B, "kcheck_rt_match", B.getInt32Ty(), {B.getInt32(S.has("all")), reg(2), B.CreateZExt(bits(S.Operands[1], N), B.getInt64Ty()), Slot, site()});
        writeBits(Mask, V);
        if (!Pred.empty())
          writeBits(Pred, B.CreateTrunc(B.CreateLoad(B.getInt8Ty(), Slot), B.getInt1Ty()));
      });
      return true;
    }
    if (Op == "redux") {
      bool Signed = S.has("s32");
      int K = S.has("add") ? 0 : S.has("min") ? (Signed ? 3 : 1) : S.has("max") ? (Signed ? 4 : 2) : S.has("and") ? 5 : S.has("or") ? 6 : 7;
      writeBits(S.Operands[0], callRuntime(B, "kcheck_rt_redux", B.getInt32Ty(), {B.getInt32(unsigned(K)), reg(2), reg(1), site()}));
      return true;
    }
    if (Op == "activemask") {
      writeBits(S.Operands[0], callRuntime(B, "kcheck_rt_activemask", B.getInt32Ty(), {site()}));
      return true;
    }
    if (Op == "elect") {
      auto [Lane, Pred] = StringRef(S.Operands[0]).split('|');
      Value *Mask = reg(1);
      callRuntime(B, "kcheck_rt_syncwarp", B.getVoidTy(), {Mask, site()});
      Value *Leader = B.CreateBinaryIntrinsic(Intrinsic::cttz, Mask, B.getFalse());
      writeBits(Lane, Leader);
      writeBits(Pred, B.CreateICmpEQ(Leader, loadContext(B, contextOf(C), offsetof(ThreadContext, Lane), B.getInt32Ty())));
      return true;
    }
    if (Op == "nanosleep") {
      guarded([&] { callRuntime(B, "kcheck_rt_yield", B.getVoidTy(), {site()}); });
      return true;
    }
    if (Op == "trap" || Op == "exit") {
      guarded([&] {
        if (Op == "trap")
          callRuntime(B, "kcheck_rt_trap", B.getVoidTy(), {site()});
        else
          callRuntime(B, "kcheck_rt_exit", B.getVoidTy(), {});
      });
      return true;
    }
    // Hints without effect on values.
    if (Op == "prefetch" || Op == "prefetchu" || Op == "applypriority" || Op == "brkpt" || Op == "griddepcontrol" || Op == "pmevent" || Op == "setmaxnreg")
      return true;
    if (Op == "createpolicy") {
      writeBits(S.Operands[0], B.getInt64(0));
      return true;
    }
    if (Op == "isspacep") {
      Value *Off = B.CreateSub(bits(S.Operands[1], 64), B.getInt64(DataBase));
      auto in = [&](uint64_t From, uint64_t To) { return B.CreateICmpULT(B.CreateSub(Off, B.getInt64(From)), B.getInt64(To - From)); };
      writeBits(S.Operands[0], S.has("global") ? in(0, GlobalSize) : S.has("local") ? in(LocalOffset, DataSize) : S.has("const") ? B.getFalse() : in(SharedOffset, LocalOffset));
      return true;
    }
    return false;
  }

  /// An address operand in shared memory, whatever the statement says of others.
  Value *sharedAddress(StringRef Text) {
    PtxStatement Shared;
    Shared.Op = {"shared"};
    return address(Text, Shared);
  }

  bool mbarrier(const PtxStatement &S) {
    if (S.Op[0] != "mbarrier")
      return false;
    auto site = [&] { return newSite(P, C, SiteAtomic, 3, 8); };
    auto number = [&](size_t I, unsigned Else) { return I < S.Operands.size() ? bits(S.Operands[I], 32) : B.getInt32(Else); };
    auto object = [&](size_t I) { return sharedAddress(S.Operands[I]); };
    if (S.has("pending_count")) {
      writeBits(S.Operands[0], callRuntime(B, "kcheck_rt_mbarrier_pending", B.getInt32Ty(), {bits(S.Operands[1], 64)}));
      return true;
    }
    guarded([&] {
      if (S.has("init"))
        callRuntime(B, "kcheck_rt_mbarrier_init", B.getVoidTy(), {object(0), number(1, 1), site()});
      else if (S.has("inval"))
        callRuntime(B, "kcheck_rt_mbarrier_inval", B.getVoidTy(), {object(0), site()});
      else if (S.has("expect_tx") && !S.has("arrive"))
        callRuntime(B, "kcheck_rt_mbarrier_arrive", B.getInt64Ty(), {object(0), B.getInt32(0), number(1, 0), B.getInt32(0), site()});
      else if (S.has("complete_tx"))
        callRuntime(B, "kcheck_rt_mbarrier_arrive", B.getInt64Ty(), {object(0), B.getInt32(0), B.CreateNeg(number(1, 0)), B.getInt32(0), site()});
      else if (S.has("arrive") || S.has("arrive_drop")) {
        bool Expects = S.has("expect_tx");
        Value *Token = callRuntime(B, "kcheck_rt_mbarrier_arrive", B.getInt64Ty(),
                                   {object(1), Expects ? B.getInt32(1) : number(2, 1), Expects ? number(2, 0) : B.getInt32(0),
                                    B.getInt32(S.has("arrive_drop")), site()});
        writeBits(S.Operands[0], Token);
      } else if (S.has("test_wait") || S.has("try_wait")) {
        bool Parity = S.has("parity");
        Value *Done = callRuntime(B, "kcheck_rt_mbarrier_test", B.getInt32Ty(),
                                  {object(1), bits(S.Operands[2], 64), B.getInt32(Parity), site()});
        writeBits(S.Operands[0], B.CreateTrunc(Done, B.getInt1Ty()));
      } else
        refuse(S);
    });
    return true;
  }

  bool bulkCopy(const PtxStatement &S) {
    auto site = [&](SiteKind K) { return newSite(P, C, K, 3, 16); };
    if (S.has("tensor") || S.has("reduce") || S.has("prefetch") || S.has("multicast::cluster"))
      return false;
    if (S.has("commit_group") || S.has("wait_group"))
      return true; // what goes out of shared memory is copied at once
    PtxStatement Global;
    guarded([&] {
      if (S.Op.size() > 3 && StringRef(S.Op[3]).starts_with("shared") && S.has("mbarrier::complete_tx::bytes") && S.has("global"))
        callRuntime(B, "kcheck_rt_bulk_load", B.getVoidTy(),
                    {sharedAddress(S.Operands[0]), address(S.Operands[1], Global), bits(S.Operands[2], 32), sharedAddress(S.Operands[3]), site(SiteStore)});
      else if (S.Op.size() > 3 && S.Op[3] == "global" && S.has("bulk_group"))
        callRuntime(B, "kcheck_rt_bulk_store", B.getVoidTy(),
                    {address(S.Operands[0], Global), sharedAddress(S.Operands[1]), bits(S.Operands[2], 32), site(SiteStore)});
      else
        refuse(S);
    });
    return true;
  }

  bool copies(const PtxStatement &S) {
    StringRef Op = S.Op[0];
    auto site = [&](SiteKind K) { return newSite(P, C, K); };
    if (Op == "cp" && S.has("async")) {
      if (S.has("bulk"))
        return bulkCopy(S);
      if (S.has("reduce"))
        return false;
      if (S.has("mbarrier")) {
        guarded([&] {
          callRuntime(B, "kcheck_rt_mbarrier_copies", B.getVoidTy(), {sharedAddress(S.Operands[0]), B.getInt32(S.has("noinc")), newSite(P, C, SiteAtomic, 3, 8)});
        });
        return true;
      }
      if (S.has("commit_group")) {
        guarded([&] { callRuntime(B, "kcheck_rt_cp_commit", B.getVoidTy(), {}); });
        return true;
      }
      if (S.has("wait_group") || S.has("wait_all")) {
        Value *N = S.has("wait_all") ? B.getInt32(~0u) : bits(S.Operands[0], 32);
        guarded([&] { callRuntime(B, "kcheck_rt_cp_wait", B.getVoidTy(), {N, site(SiteOther)}); });
        return true;
      }
      guarded([&] {
        PtxStatement Global;
        Value *To = address(S.Operands[0], S), *From = address(S.Operands[1], Global);
        Value *Bytes = bits(S.Operands[2], 32);
        Value *Take = S.Operands.size() > 3 && !S.has("L2::cache_hint") ? bits(S.Operands[3], 32) : Bytes;
        callRuntime(B, "kcheck_rt_cp_async", B.getVoidTy(), {To, From, Bytes, Take, site(SiteStore)});
      });
      return true;
    }
    if (Op == "ldmatrix" || Op == "movmatrix")
      return matrixLoad(S);
    if (Op == "mma")
      return multiply(S);
    return false;
  }

  /// The registers of a braced list, as one array on the machine stack.
  Value *gather(StringRef List, unsigned &Count, const PtxStatement &S) {
    std::vector<std::string> Parts = List.starts_with("{") ? splitPtxList(List.drop_front().drop_back()) : std::vector<std::string>{List.str()};
    Count = unsigned(Parts.size());
    AllocaInst *A = entrySlot(C, ArrayType::get(B.getInt64Ty(), 16));
    if (Count > 16)
      refuse(S);
    for (unsigned I = 0; I < Count; ++I)
      B.CreateStore(bits(Parts[I], 64), B.CreateConstGEP1_32(B.getInt64Ty(), A, I));
    return A;
  }
  void scatter(StringRef List, Value *A) {
    std::vector<std::string> Parts = List.starts_with("{") ? splitPtxList(List.drop_front().drop_back()) : std::vector<std::string>{List.str()};
    for (unsigned I = 0; I < Parts.size(); ++I)
      writeBits(Parts[I], B.CreateLoad(B.getInt64Ty(), B.CreateConstGEP1_32(B.getInt64Ty(), A, I)));
  }

  bool matrixLoad(const PtxStatement &S) {
    if (S.Op[0] != "ldmatrix" || !S.has("m8n8") || !S.has("b16"))
      return false;
    unsigned Count = S.has("x4") ? 4 : S.has("x2") ? 2 : 1;
    AllocaInst *Out = entrySlot(C, ArrayType::get(B.getInt64Ty(), 4));
    PtxStatement Shared = S;
    Shared.Op.push_back("shared");
    Value *Ptr = address(S.Operands[1], Shared);
    callRuntime(B, "kcheck_rt_ldmatrix", B.getVoidTy(), {Out, Ptr, B.getInt32(Count), B.getInt32(S.has("trans")), newSite(P, C, SiteLoad, 3, 16)});
    scatter(S.Operands[0], Out);
    return true;
  }

  bool multiply(const PtxStatement &S) {
    unsigned M, N, K;
    std::string Shape;
    std::vector<std::string> Types;
    for (size_t I = 1; I < S.Op.size(); ++I) {
      if (S.Op[I].size() > 3 && S.Op[I][0] == 'm' && isdigit(S.Op[I][1]))
        Shape = S.Op[I];
      else if (parseType(S.Op[I]) || S.Op[I] == "tf32" || S.Op[I] == "s4" || S.Op[I] == "u4")
        Types.push_back(S.Op[I]);
    }
    if (sscanf(Shape.c_str(), "m%un%uk%u", &M, &N, &K) != 3 || Types.size() != 4 || !S.has("row") || !S.has("col") || S.has("sp"))
      return false;
    if (M != 16 || N != 8)
      return false;
    auto code = [&](StringRef T) {
      return StringSwitch<int>(T).Case("f16", 0).Case("bf16", 1).Case("tf32", 2).Case("f32", 3).Case("f64", 4).Case("s8", 5).Case("u8", 6).Case("s32", 7).Default(-1);
    };
    int D = code(Types[0]), A = code(Types[1]), Bt = code(Types[2]), Ct = code(Types[3]);
    if (D < 0 || A < 0 || Bt < 0 || Ct < 0)
      return false;
    unsigned Na, Nb, Nc;
    Value *Ra = gather(S.Operands[1], Na, S), *Rb = gather(S.Operands[2], Nb, S), *Rc = gather(S.Operands[3], Nc, S);
    AllocaInst *Out = entrySlot(C, ArrayType::get(B.getInt64Ty(), 16));
    callRuntime(B, "kcheck_rt_mma", B.getVoidTy(),
                {Out, Ra, Rb, Rc, B.getInt32(K), B.getInt32(unsigned(D) | unsigned(A) << 4 | unsigned(Bt) << 8 | unsigned(Ct) << 12), newSite(P, C, SiteOther)});
    scatter(S.Operands[0], Out);
    return true;
  }

  static std::optional<TextureShape> shapeOf(const PtxStatement &S) {
    constexpr std::pair<const char *, TextureShape> Names[] = {
        {"1d", TextureShape::Line}, {"2d", TextureShape::Plane}, {"3d", TextureShape::Volume}, {"a1d", TextureShape::Lines},
        {"a2d", TextureShape::Planes}, {"cube", TextureShape::Cube}, {"acube", TextureShape::Cubes}};
    for (auto [Name, Shape] : Names)
      if (S.has(Name))
        return Shape;
    return std::nullopt;
  }

  /// Handle and coordinates of [handle, {x, y}].
  std::pair<Value *, Value *> place(StringRef Text, const PtxStatement &S) {
    if (!Text.consume_front("[") || !Text.consume_back("]"))
      refuse(S);
    std::vector<std::string> Parts = splitPtxList(Text);
    if (Parts.size() != 2)
      refuse(S);
    unsigned Count;
    return {bits(Parts[0], 64), gather(Parts[1], Count, S)};
  }

  /// Levels and gradients choose among the levels of a mipmap; our textures have one.
  bool texture(const PtxStatement &S) {
    bool Gather = S.Op[0] == "tld4";
    auto Shape = shapeOf(S);
    if ((S.Op[0] != "tex" && !Gather) || !Shape || S.Operands.size() < 2 || StringRef(S.Operands[0]).contains('|'))
      return false;
    bool Integers = S.Op.back() == "s32";
    unsigned Channel = !Gather ? 0 : S.has("r") ? 1 : S.has("g") ? 2 : S.has("b") ? 3 : 4;
    if (Integers && *Shape != TextureShape::Line)
      return false;
    guarded([&] {
      auto [Handle, At] = place(S.Operands[1], S);
      AllocaInst *Out = entrySlot(C, ArrayType::get(B.getInt64Ty(), 4));
      uint32_t How = uint32_t(*Shape) | unsigned(Integers) << 8 | Channel << 12;
      callRuntime(B, "kcheck_rt_texture", B.getVoidTy(), {Out, Handle, At, B.getInt32(How), newSite(P, C, SiteLoad, 1, 4)});
      scatter(S.Operands[0], Out);
    });
    return true;
  }

  bool surface(const PtxStatement &S) {
    bool Writes = S.Op[0] == "sust";
    auto Shape = shapeOf(S);
    PtxType T = parseType(S.Op.size() > 2 ? S.Op[S.Op.size() - 2] : "");
    if ((S.Op[0] != "suld" && !Writes) || !S.has("b") || !Shape || !T || S.Operands.size() != 2)
      return false;
    SurfaceEdge Edge = S.has("clamp") ? SurfaceEdge::Clamp : S.has("zero") ? SurfaceEdge::Zero : SurfaceEdge::Trap;
    guarded([&] {
      auto [Handle, At] = place(S.Operands[Writes ? 0 : 1], S);
      unsigned Count;
      Value *Lanes = Writes ? gather(S.Operands[1], Count, S) : entrySlot(C, ArrayType::get(B.getInt64Ty(), 4));
      uint32_t How = uint32_t(*Shape) | uint32_t(Edge) << 8 | lanesOf(S) << 12 | T.total() / 8 << 16 | unsigned(Writes) << 31;
      callRuntime(B, "kcheck_rt_surface", B.getVoidTy(),
                  {Lanes, Handle, At, B.getInt32(How), newSite(P, C, Writes ? SiteStore : SiteLoad, 1, lanesOf(S) * T.total() / 8)});
      if (!Writes)
        scatter(S.Operands[0], Lanes);
    });
    return true;
  }

  CallInst *C;
  Program &P;
  IRBuilder<> B;
  LLVMContext &Ctx;
  std::map<std::string, Register> Registers;
  std::map<std::string, int64_t> Constants;
  std::vector<std::pair<unsigned, Type *>> OutSlots;
  std::map<std::string, BasicBlock *> Labels;
  BasicBlock *Exit = nullptr;
  AllocaInst *Carry = nullptr;
  Value *Guard = nullptr;
};

} // namespace

bool sim::translatePtx(CallInst *Call, Program &P, std::string &Unknown) {
  try {
    Translator(Call, P).run();
    return true;
  } catch (const Refused &R) {
    Unknown = R.What;
    // Half-made control flow leads to the call, which is replaced by a finding.
    for (BasicBlock &BB : *Call->getFunction())
      if (!BB.getTerminator())
        BranchInst::Create(Call->getParent(), &BB);
    return false;
  }
}
