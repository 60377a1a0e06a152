#include "runner/sim/LowerSupport.h"
#include "runner/sim/Pipeline.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace kcheck;
using namespace kcheck::sim;
using namespace llvm;

namespace {

class Instrumenter {
public:
  Instrumenter(Function &F, Program &P) : F(F), P(P), DL(F.getDataLayout()) {}

  void run() {
    if (P.Checked)
      splitCopies();
    collect();
    if (P.Checked) {
      for (Instruction *I : Accesses)
        access(I);
      localMemory();
    }
    for (Instruction *I : Atomics)
      atomic(I);
    for (MemIntrinsic *I : Bulk)
      bulk(I);
    fuel();
    if (P.Checked)
      blocks();
  }

private:
  static bool isOurs(const Value *Pointer) {
    const Value *O = getUnderlyingObject(Pointer, 12);
    if (auto *A = dyn_cast<AllocaInst>(O))
      return A->hasMetadata("kcheck.machine");
    return false;
  }

  /// A copy of a whole aligned word or vector is one load and one store, as it is on the GPU.
  void splitCopies() {
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *M = dyn_cast<MemCpyInst>(&I);
      auto *N = M ? dyn_cast<ConstantInt>(M->getLength()) : nullptr;
      if (!N || M->isVolatile() || M->hasMetadata("kcheck.param") || isOurs(M->getDest()) || isOurs(M->getSource()))
        continue;
      uint64_t Bytes = N->getZExtValue();
      if ((Bytes != 4 && Bytes != 8 && Bytes != 16) || M->getDestAlign().valueOrOne().value() < Bytes ||
          M->getSourceAlign().valueOrOne().value() < Bytes)
        continue;
      IRBuilder<> B(M);
      Type *T = Bytes == 16 ? (Type *)FixedVectorType::get(B.getInt32Ty(), 4) : B.getIntNTy(unsigned(Bytes) * 8);
      Value *V = B.CreateAlignedLoad(T, M->getSource(), Align(Bytes));
      B.CreateAlignedStore(V, M->getDest(), Align(Bytes));
      M->eraseFromParent();
    }
  }

  void collect() {
    for (Instruction &I : instructions(F)) {
      if (isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I)) {
        Atomics.push_back(&I);
        continue;
      }
      if (auto *M = dyn_cast<MemIntrinsic>(&I)) {
        Bulk.push_back(M);
        continue;
      }
      if (auto *A = dyn_cast<AllocaInst>(&I))
        if (!A->hasMetadata("kcheck.machine"))
          Allocas.push_back(A);
      const Value *Ptr = getLoadStorePointerOperand(&I);
      if (!Ptr || isOurs(Ptr) || isContext(Ptr) || I.hasMetadata("kcheck.param"))
        continue;
      Accesses.push_back(&I);
    }
  }

  bool isContext(const Value *Ptr) const { return getUnderlyingObject(Ptr, 4) == F.getArg(0); }

  bool isLocal(const Value *Ptr) const {
    return Ptr->getType()->getPointerAddressSpace() == 5 || isa<AllocaInst>(getUnderlyingObject(Ptr, 12));
  }

  static bool handled(uint64_t N) { return N == 1 || N == 2 || N == 4 || N == 8 || N == 16; }

  /// The stored value as two words, so that a store of what is there already is no race.
  std::pair<Value *, Value *> words(IRBuilder<> &B, Value *V, uint64_t Bytes) {
    Value *Zero = B.getInt64(0);
    if (!handled(Bytes) || V->getType()->isAggregateType())
      return {Zero, Zero};
    if (V->getType()->isPointerTy())
      V = B.CreatePtrToInt(V, B.getInt64Ty());
    uint64_t Bits = DL.getTypeSizeInBits(V->getType());
    if (V->getType()->isPtrOrPtrVectorTy())
      return {Zero, Zero};
    V = B.CreateBitCast(V, B.getIntNTy(Bits));
    if (Bytes <= 8)
      return {B.CreateZExtOrTrunc(V, B.getInt64Ty()), Zero};
    return {B.CreateTrunc(V, B.getInt64Ty()), B.CreateTrunc(B.CreateLShr(V, 64), B.getInt64Ty())};
  }

  void access(Instruction *I) {
    auto *L = dyn_cast<LoadInst>(I);
    auto *S = dyn_cast<StoreInst>(I);
    Value *Ptr = L ? L->getPointerOperand() : S->getPointerOperand();
    Type *T = L ? L->getType() : S->getValueOperand()->getType();
    uint64_t Bytes = DL.getTypeStoreSize(T);
    uint64_t Al = (L ? L->getAlign() : S->getAlign()).value();
    bool Local = isLocal(Ptr);
    bool Strong = !Local && (L ? L->isVolatile() || L->isAtomic() : S->isVolatile() || S->isAtomic());
    IRBuilder<> B(I);
    Value *Flat = flat(B, Ptr);
    unsigned Space = Local ? 5 : Ptr->getType()->getPointerAddressSpace();
    SiteKind Kind = L ? (Strong ? SiteVolatileLoad : SiteLoad) : (Strong ? SiteVolatileStore : SiteStore);
    Value *Site = newSite(P, I, Kind, Space, unsigned(Bytes));
    if (Strong && Space != 3) {
      P.HasVolatile |= !P.Sites.back().Foreign;
      P.Sites.back().Decides = L && decides(L, Ptr);
    }
    // No access of the hardware is wider: what the language promises beyond that nobody can see broken.
    constexpr uint64_t Widest = 16;
    Value *Size = B.getInt32(Bytes), *Alignment = B.getInt32(std::min(Al, Widest));
    Value *Checked;
    if (L && !Strong && movesInShared(L)) {
      Checked = callRuntime(B, "kcheck_rt_move_load", B.getPtrTy(), {Flat, Site, Size, Alignment});
      Moves[cast<StoreInst>(L->user_back())] = Flat;
    } else if (L && (Strong || !handled(Bytes))) {
      Checked = callRuntime(B, "kcheck_slow_load", B.getPtrTy(), {Flat, Site, Size, Alignment});
    } else if (L) {
      Checked = callRuntime(B, std::string(Local ? "kcheck_local_load_" : "kcheck_load_") + std::to_string(Bytes), B.getPtrTy(), {Flat, Site, Alignment});
    } else {
      auto [V0, V1] = words(B, S->getValueOperand(), Bytes);
      if (Strong || !handled(Bytes))
        Checked = callRuntime(B, "kcheck_slow_store", B.getPtrTy(), {Flat, Site, Size, Alignment, V0, V1});
      else
        Checked = callRuntime(B, std::string(Local ? "kcheck_local_store_" : "kcheck_store_") + std::to_string(Bytes), B.getPtrTy(), {Flat, Site, Alignment, V0, V1});
    }
    replacePointer(B, I, Checked);
    if (Strong) {
      B.SetInsertPoint(I->getNextNode());
      if (L)
        acquire(B, Checked, L);
    }
    if (auto It = Moves.find(I); It != Moves.end()) {
      B.SetInsertPoint(I->getNextNode());
      callRuntime(B, "kcheck_rt_moved", B.getVoidTy(), {It->second, Checked, Size});
    }
  }

  /// A value that goes from one place in shared memory straight to another: whether anybody wrote it matters to who uses it.
  static bool movesInShared(const LoadInst *L) {
    if (L->getPointerAddressSpace() != 3 || !L->hasOneUse())
      return false;
    auto *S = dyn_cast<StoreInst>(L->user_back());
    return S && S->getValueOperand() == L && S->getPointerAddressSpace() == 3 && S->isSimple();
  }

  /// After a strong read: what it saw tells polling from work, and may order what others did before. A read that says it is relaxed
  /// orders nothing by itself; volatile reads and updates, which have no word for it, are taken for more.
  void acquire(IRBuilder<> &B, Value *Pointer, Instruction *Seen) {
    Value *V = words(B, Seen, DL.getTypeStoreSize(Seen->getType())).first;
    callRuntime(B, "kcheck_rt_acquire", B.getVoidTy(), {Pointer, V, B.getInt32(Seen->hasMetadata("kcheck.relaxed"))});
  }

  /// Whether what a strong read saw decides a branch, or an atomic update of the same memory, rather than being data. Follows
  /// the value through arithmetic; stored values are not followed.
  static bool decides(Instruction *Read, const Value *Pointer) {
    const Value *Memory = getUnderlyingObject(Pointer, 12);
    SmallPtrSet<const Value *, 16> Seen;
    SmallVector<const Value *, 8> Todo{Read};
    while (!Todo.empty() && Seen.size() < 64) {
      for (const User *U : Todo.pop_back_val()->users()) {
        auto *I = dyn_cast<Instruction>(U);
        if (!I || !Seen.insert(I).second)
          continue;
        if (I->isTerminator() && !isa<ReturnInst>(I))
          return true;
        if (auto *R = dyn_cast<AtomicRMWInst>(I); R && getUnderlyingObject(R->getPointerOperand(), 12) == Memory)
          return true;
        if (auto *X = dyn_cast<AtomicCmpXchgInst>(I); X && getUnderlyingObject(X->getPointerOperand(), 12) == Memory)
          return true;
        if (isa<StoreInst>(I) || isa<LoadInst>(I) || isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I) || isa<GetElementPtrInst>(I))
          continue;
        if (auto *C = dyn_cast<CallInst>(I); C && !isa<IntrinsicInst>(C)) {
          // A vote or a barrier that counts: all threads decide by it.
          if (Function *Callee = C->getCalledFunction(); Callee && Callee->getName().starts_with("kcheck_rt_"))
            Todo.push_back(I);
          continue;
        }
        Todo.push_back(I);
      }
    }
    return false;
  }

  /// Whether I may run again after it has run.
  bool inLoop(const Instruction *I) const {
    for (const BasicBlock *S : successors(I->getParent()))
      if (isPotentiallyReachable(S, I->getParent()))
        return true;
    return false;
  }

  /// A swap of 0 for something, or an exchange of something that found 0, in a loop that it decides: perhaps a lock's.
  void lock(IRBuilder<> &B, Value *Pointer, AtomicRMWInst *R, AtomicCmpXchgInst *X, Value *Site) {
    Instruction *I = R ? static_cast<Instruction *>(R) : X;
    AtomicOrdering Order = R ? R->getOrdering() : X->getSuccessOrdering();
    const struct Site &S = P.Sites.back();
    if (!P.Checked || S.Foreign || !S.Decides || Order == AtomicOrdering::Acquire || Order == AtomicOrdering::AcquireRelease || !inLoop(I))
      return;
    Value *Taken = nullptr;
    if (X && isa<ConstantInt>(X->getCompareOperand()))
      Taken = B.CreateExtractValue(X, 1);
    else if (R && R->getOperation() == AtomicRMWInst::Xchg && isa<ConstantInt>(R->getValOperand()) && !cast<ConstantInt>(R->getValOperand())->isZero())
      Taken = B.CreateICmpEQ(R, Constant::getNullValue(R->getType()));
    if (Taken)
      callRuntime(B, "kcheck_rt_lock", B.getVoidTy(), {Pointer, B.CreateZExt(Taken, B.getInt32Ty()), Site});
  }

  static Value *flat(IRBuilder<> &B, Value *Ptr) {
    return Ptr->getType()->getPointerAddressSpace() ? B.CreateAddrSpaceCast(Ptr, B.getPtrTy()) : Ptr;
  }
  static void replacePointer(IRBuilder<> &B, Instruction *I, Value *Flat) {
    unsigned Index = isa<StoreInst>(I) ? 1 : 0;
    I->setOperand(Index, Flat);
    // What was known of the alignment no longer holds: the checked pointer may be a stand-in.
    if (auto *L = dyn_cast<LoadInst>(I)) {
      L->setMetadata(LLVMContext::MD_invariant_load, nullptr);
      L->setMetadata(LLVMContext::MD_tbaa, nullptr);
      L->setAlignment(Align(1));
      if (L->isAtomic())
        L->setAlignment(Align(std::max<uint64_t>(1, PowerOf2Ceil(L->getDataLayout().getTypeStoreSize(L->getType())))));
    } else if (auto *S = dyn_cast<StoreInst>(I)) {
      S->setMetadata(LLVMContext::MD_tbaa, nullptr);
      S->setAlignment(Align(1));
      if (S->isAtomic())
        S->setAlignment(Align(std::max<uint64_t>(1, PowerOf2Ceil(S->getDataLayout().getTypeStoreSize(S->getValueOperand()->getType())))));
    }
  }

  void atomic(Instruction *I) {
    auto *R = dyn_cast<AtomicRMWInst>(I);
    auto *X = dyn_cast<AtomicCmpXchgInst>(I);
    Value *Ptr = R ? R->getPointerOperand() : X->getPointerOperand();
    Type *T = R ? R->getType() : X->getCompareOperand()->getType();
    SyncScope::ID Scope = R ? R->getSyncScopeID() : X->getSyncScopeID();
    SmallVector<StringRef, 8> Names;
    I->getContext().getSyncScopeNames(Names);
    bool Block = Scope < Names.size() && (Names[Scope] == "block" || Names[Scope] == "workgroup");
    AtomicOrdering Order = R ? R->getOrdering() : X->getSuccessOrdering();
    // CUDA's own atomics are relaxed; Clang gives its builtins the strongest order.
    bool Fenced = Order == AtomicOrdering::Release || Order == AtomicOrdering::AcquireRelease;
    uint64_t Bytes = DL.getTypeStoreSize(T);
    IRBuilder<> B(I);
    Value *Site = newSite(P, I, SiteAtomic, Ptr->getType()->getPointerAddressSpace(), unsigned(Bytes));
    P.Sites.back().Decides = decides(I, Ptr);
    // An exchange whose old value nobody looks at reads nothing.
    bool Blind = R && R->getOperation() == AtomicRMWInst::Xchg && R->use_empty();
    // A plain read before it is a hint only: it tests again.
    bool Tests = X || (R && R->getOperation() == AtomicRMWInst::Xchg && isa<ConstantInt>(R->getValOperand()) && !R->use_empty());
    unsigned Flags = (Block ? 1 : 0) | (Fenced ? 2 : 0) | (Tests ? 4 : 0) | (Blind ? 8 : 0);
    Value *Checked = callRuntime(B, "kcheck_rt_atomic", B.getPtrTy(), {flat(B, Ptr), Site, B.getInt32(Bytes), B.getInt32(Flags)});
    I->setOperand(0, Checked);
    B.SetInsertPoint(I->getNextNode());
    acquire(B, Checked, R ? I : cast<Instruction>(B.CreateExtractValue(I, 0)));
    lock(B, Checked, R, X, Site);
    SyncScope::ID System = SyncScope::System;
    if (R) {
      R->setSyncScopeID(System);
      R->setAlignment(Align(PowerOf2Ceil(Bytes)));
      R->setMetadata(LLVMContext::MD_tbaa, nullptr);
    } else {
      X->setSyncScopeID(System);
      X->setAlignment(Align(PowerOf2Ceil(Bytes)));
      X->setMetadata(LLVMContext::MD_tbaa, nullptr);
    }
  }

  void bulk(MemIntrinsic *M) {
    if (isOurs(M->getDest()))
      return;
    IRBuilder<> B(M);
    Value *N = B.CreateZExtOrTrunc(M->getLength(), B.getInt64Ty());
    Value *Dest = flat(B, M->getDest());
    if (auto *S = dyn_cast<MemSetInst>(M))
      callRuntime(B, "kcheck_rt_memset", B.getVoidTy(), {Dest, S->getValue(), N, newSite(P, M, SiteStore)});
    else {
      auto *C = cast<MemTransferInst>(M);
      auto alignment = [](MaybeAlign A) { return unsigned(std::min<uint64_t>(A.valueOrOne().value(), 16)); };
      unsigned Flags = (C->hasMetadata("kcheck.param") ? 1 : 0) | alignment(C->getDestAlign()) << 8 | alignment(C->getSourceAlign()) << 16;
      callRuntime(B, "kcheck_rt_memcpy", B.getVoidTy(), {Dest, flat(B, C->getSource()), N, newSite(P, M, SiteStore), B.getInt32(Flags)});
    }
    M->eraseFromParent();
  }

  /// Arrays that did not fit registers get checked local memory: a frame at entry, cleared at every exit.
  void localMemory() {
    if (Allocas.empty())
      return;
    Frame Fr;
    BasicBlock &Entry = F.getEntryBlock();
    IRBuilder<> B(&Entry, Entry.getFirstInsertionPt());
    std::vector<std::pair<AllocaInst *, uint64_t>> Static;
    std::vector<AllocaInst *> Dynamic;
    uint64_t Top = RedZone;
    for (AllocaInst *A : Allocas) {
      auto *Count = dyn_cast<ConstantInt>(A->getArraySize());
      if (!Count || A->getParent() != &Entry) {
        Dynamic.push_back(A);
        continue;
      }
      uint64_t Bytes = DL.getTypeAllocSize(A->getAllocatedType()) * Count->getZExtValue();
      Top = alignTo(Top, std::max<uint64_t>(A->getAlign().value(), 16));
      Type *E = A->getAllocatedType();
      while (auto *Arr = dyn_cast<ArrayType>(E))
        E = Arr->getElementType();
      Fr.Slots.push_back({Top, Bytes, std::max<uint64_t>(1, DL.getTypeAllocSize(E)), A->getName().str()});
      Static.push_back({A, Top});
      Top += Bytes + RedZone;
    }
    Fr.Bytes = alignTo(Top, 16);
    P.Frames.push_back(Fr);
    Value *Base = callRuntime(B, "kcheck_rt_enter", B.getInt64Ty(), {B.getInt32(P.Frames.size() - 1), newSite(P, &*Entry.getFirstInsertionPt(), SiteOther)});
    for (auto &[A, Offset] : Static) {
      B.SetInsertPoint(cast<Instruction>(Base)->getNextNode()); // what stood there may be gone
      Value *V = B.CreateIntToPtr(B.CreateAdd(Base, B.getInt64(Offset)), A->getType());
      V->takeName(A);
      A->replaceAllUsesWith(V);
      A->eraseFromParent();
    }
    for (AllocaInst *A : Dynamic) {
      IRBuilder<> D(A);
      Value *Bytes = D.CreateMul(D.CreateZExtOrTrunc(A->getArraySize(), D.getInt64Ty()), D.getInt64(DL.getTypeAllocSize(A->getAllocatedType())));
      Value *V = callRuntime(D, "kcheck_rt_alloca", D.getPtrTy(), {Bytes, newSite(P, A, SiteOther)});
      A->replaceAllUsesWith(V);
      A->eraseFromParent();
    }
    for (BasicBlock &BB : F)
      if (auto *R = dyn_cast<ReturnInst>(BB.getTerminator())) {
        IRBuilder<> X(R);
        callRuntime(X, "kcheck_rt_leave", X.getVoidTy(), {Base});
      }
  }

  void fuel() {
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> Edges;
    FindFunctionBackedges(F, Edges);
    SmallPtrSet<const BasicBlock *, 8> Headers;
    for (auto &E : Edges)
      Headers.insert(E.second);
    for (const BasicBlock *H : Headers) {
      auto *BB = const_cast<BasicBlock *>(H);
      IRBuilder<> B(BB, BB->getFirstInsertionPt());
      const Instruction *At = BB->getTerminator();
      callRuntime(B, "kcheck_fuel", B.getVoidTy(), {newSite(P, At, SiteOther)});
    }
    if (isRecursive()) {
      IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
      callRuntime(B, "kcheck_rt_stack", B.getVoidTy(), {newSite(P, F.getEntryBlock().getTerminator(), SiteOther)});
    }
  }

  /// Functions that are called at all may be on a cycle; what was inlined is not.
  bool isRecursive() const {
    for (const User *U : F.users())
      if (auto *C = dyn_cast<CallInst>(U))
        if (!C->getFunction()->getName().starts_with("kcheck_entry_"))
          return true;
    return F.hasAddressTaken();
  }

  void blocks() {
    for (BasicBlock &BB : F) {
      CodeBlock W;
      for (Instruction &I : BB) {
        if (auto *C = dyn_cast<CallInst>(&I))
          if (C->getCalledFunction() && C->getCalledFunction()->getName().starts_with("kcheck_"))
            continue;
        if (isa<PHINode>(I))
          continue;
        ++W.Instructions;
        unsigned Lanes = isa<FixedVectorType>(I.getType()) ? cast<FixedVectorType>(I.getType())->getNumElements() : 1;
        switch (I.getOpcode()) {
        case Instruction::FAdd: case Instruction::FSub: case Instruction::FMul: case Instruction::FDiv: case Instruction::FRem:
          W.Flops += Lanes;
          break;
        case Instruction::Call:
          if (auto *II = dyn_cast<IntrinsicInst>(&I))
            W.Flops += II->getIntrinsicID() == Intrinsic::fma || II->getIntrinsicID() == Intrinsic::fmuladd ? 2 * Lanes
                       : II->getType()->isFPOrFPVectorTy()                                                ? Lanes
                                                                                                           : 0;
          break;
        }
      }
      auto *Br = dyn_cast<BranchInst>(BB.getTerminator());
      W.Branches = (Br && Br->isConditional()) || isa<SwitchInst>(BB.getTerminator());
      if (const DILocation *L = BB.getTerminator()->getDebugLoc().get())
        W.Line = L->getLine();
      P.Blocks.push_back(W);
      Instruction *At = &*BB.getFirstInsertionPt();
      IRBuilder<> B(At);
      callRuntime(B, "kcheck_block", B.getVoidTy(), {B.getInt32(P.Blocks.size() - 1), B.getInt32(W.Instructions)});
    }
  }

  static constexpr uint64_t RedZone = 64;
  Function &F;
  Program &P;
  const DataLayout &DL;
  SmallVector<Instruction *, 32> Accesses, Atomics;
  DenseMap<const Instruction *, Value *> Moves; ///< stores of what was just loaded from that address
  SmallVector<MemIntrinsic *, 8> Bulk;
  SmallVector<AllocaInst *, 8> Allocas;
};

} // namespace

void sim::instrument(Module &M, Program &P) {
  std::vector<Function *> All;
  for (Function &F : M)
    if (!F.isDeclaration() && !F.getName().starts_with("kcheck_"))
      All.push_back(&F);
  for (Function *F : All)
    Instrumenter(*F, P).run();
}
