// The wmma intrinsics: fragments go through the machine stack to the runtime, which does one warp's arithmetic.
#include "runner/sim/LowerSupport.h"
#include "runner/sim/Matrix.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstdio>

using namespace kcheck;
using namespace kcheck::sim;
using namespace llvm;

namespace {

struct Shape {
  unsigned M = 0, N = 0, K = 0;
};

int typeCode(StringRef T) {
  return StringSwitch<int>(T)
      .Case("f16", int(MatrixType::F16)).Case("bf16", int(MatrixType::BF16)).Case("tf32", int(MatrixType::TF32))
      .Case("f32", int(MatrixType::F32)).Case("f64", int(MatrixType::F64)).Case("s8", int(MatrixType::S8))
      .Case("u8", int(MatrixType::U8)).Case("s32", int(MatrixType::S32)).Default(-1);
}
unsigned bytesOf(int Code) {
  switch (MatrixType(Code)) {
  case MatrixType::F16:
  case MatrixType::BF16: return 2;
  case MatrixType::S8:
  case MatrixType::U8: return 1;
  case MatrixType::F64: return 8;
  default: return 4;
  }
}

class Lowering {
public:
  Lowering(CallInst *C, Program &P) : C(C), P(P), B(C), DL(C->getDataLayout()) {}

  bool run() {
    StringRef Name = C->getCalledFunction()->getName();
    Name.consume_front("llvm.nvvm.wmma.");
    Name.split(Part, '.');
    if (Part.size() < 4 || sscanf(Part[0].str().c_str(), "m%un%uk%u", &S.M, &S.N, &S.K) != 3)
      return false;
    if (Part[1] == "mma")
      return multiply();
    if (Part[1] == "load" || Part[1] == "store")
      return move(Part[1] == "store");
    return false;
  }

private:
  /// Elements of a fragment that takes Bytes on the stack.
  Value *reserve(uint64_t Bytes) { return entrySlot(C, ArrayType::get(B.getInt8Ty(), alignTo(Bytes, 8) + 8)); }

  Value *put(unsigned First, unsigned Count) {
    uint64_t Each = DL.getTypeStoreSize(C->getArgOperand(First)->getType());
    Value *Slot = reserve(Each * Count);
    for (unsigned I = 0; I < Count; ++I)
      B.CreateAlignedStore(C->getArgOperand(First + I), B.CreateConstGEP1_64(B.getInt8Ty(), Slot, Each * I), Align(1));
    return Slot;
  }

  void take(Value *Slot) {
    auto *T = dyn_cast<StructType>(C->getType());
    if (!T) {
      C->replaceAllUsesWith(B.CreateAlignedLoad(C->getType(), Slot, Align(1)));
      return;
    }
    Value *R = PoisonValue::get(T);
    uint64_t At = 0;
    for (unsigned I = 0; I < T->getNumElements(); ++I) {
      Type *E = T->getElementType(I);
      R = B.CreateInsertValue(R, B.CreateAlignedLoad(E, B.CreateConstGEP1_64(B.getInt8Ty(), Slot, At), Align(1)), I);
      At += DL.getTypeStoreSize(E);
    }
    C->replaceAllUsesWith(R);
  }

  uint64_t resultBytes() const {
    auto *T = dyn_cast<StructType>(C->getType());
    if (!T)
      return DL.getTypeStoreSize(C->getType());
    uint64_t N = 0;
    for (Type *E : T->elements())
      N += DL.getTypeStoreSize(E);
    return N;
  }

  bool move(bool Store) {
    char Which = Part[2][0];
    bool Column = Part[3] == "col";
    bool Stride = Part.size() > 4 && Part[4] == "stride";
    int Code = typeCode(Part[Stride ? 5 : 4]);
    if (Code < 0)
      return false;
    unsigned Rows = Which == 'b' ? S.K : S.M, Columns = Which == 'a' ? S.K : S.N;
    Value *Pointer = C->getArgOperand(0);
    Value *Step = Stride ? B.CreateZExtOrTrunc(C->getArgOperand(C->arg_size() - 1), B.getInt64Ty()) : B.getInt64(Column ? Rows : Columns);
    Value *Info = B.getInt32(unsigned(Code) | (Column ? 16 : 0));
    Value *Site = newSite(P, C, Store ? SiteStore : SiteLoad, Pointer->getType()->getPointerAddressSpace(), bytesOf(Code));
    if (Store) {
      unsigned Count = C->arg_size() - 1 - (Stride ? 1 : 0);
      uint64_t Bytes = DL.getTypeStoreSize(C->getArgOperand(1)->getType()) * Count;
      callRuntime(B, "kcheck_rt_wmma_store", B.getVoidTy(),
                  {put(1, Count), Pointer, Step, B.getInt32(Rows), B.getInt32(Columns), Info, B.getInt32(Bytes / bytesOf(Code)), Site});
    } else {
      Value *Slot = reserve(resultBytes());
      callRuntime(B, "kcheck_rt_wmma_load", B.getVoidTy(),
                  {Slot, Pointer, Step, B.getInt32(Rows), B.getInt32(Columns), Info, B.getInt32(resultBytes() / bytesOf(Code)), Site});
      take(Slot);
    }
    C->eraseFromParent();
    return true;
  }

  bool multiply() {
    // wmma.SHAPE.mma.LAYOUT.LAYOUT.D.C for half inputs, .TYPE for the others.
    int First = typeCode(Part[4]), Second = Part.size() > 5 ? typeCode(Part[5]) : -1;
    int Ta = int(MatrixType::F16), Td = First, Tc = Second;
    if (First < 0)
      return false;
    if (Second < 0) {
      Ta = First;
      Td = Tc = Ta == int(MatrixType::F64) ? Ta : int(bytesOf(Ta) == 1 ? MatrixType::S32 : MatrixType::F32);
    }
    // Operands of one fragment share a type; the counts follow from the sizes.
    unsigned N = C->arg_size();
    auto fragmentArgs = [&](unsigned From, uint64_t Bytes) {
      return unsigned(Bytes / DL.getTypeStoreSize(C->getArgOperand(From)->getType()));
    };
    bool Half = Ta == int(MatrixType::F16);
    uint64_t BytesA = Half ? 32 : uint64_t(S.M) * S.K / 32 * bytesOf(Ta), BytesB = Half ? 32 : uint64_t(S.K) * S.N / 32 * bytesOf(Ta);
    unsigned Na = std::max(1u, fragmentArgs(0, BytesA)), Nb = Na < N ? std::max(1u, fragmentArgs(Na, BytesB)) : 0;
    if (Na + Nb >= N)
      return false;
    Value *A = put(0, Na), *Bv = put(Na, Nb), *Cv = put(Na + Nb, N - Na - Nb), *Out = reserve(resultBytes());
    callRuntime(B, "kcheck_rt_wmma_mma", B.getVoidTy(),
                {Out, A, Bv, Cv, B.getInt32(S.M | S.N << 8 | S.K << 16), B.getInt32(unsigned(Td | Ta << 4 | Ta << 8 | Tc << 12)),
                 B.getInt32(resultBytes() / bytesOf(Td)), newSite(P, C, SiteOther)});
    take(Out);
    C->eraseFromParent();
    return true;
  }

  CallInst *C;
  Program &P;
  IRBuilder<> B;
  const DataLayout &DL;
  Shape S;
  SmallVector<StringRef, 8> Part;
};

} // namespace

bool sim::lowerWmma(CallInst *C, Program &P) { return Lowering(C, P).run(); }
