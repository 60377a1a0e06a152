#include "runner/sim/LowerSupport.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace kcheck;
using namespace kcheck::sim;
using namespace llvm;

CallInst *sim::callRuntime(IRBuilder<> &B, StringRef Name, Type *Result, ArrayRef<Value *> Args) {
  Module &M = *B.GetInsertBlock()->getModule();
  SmallVector<Type *, 8> Types{B.getPtrTy()};
  SmallVector<Value *, 8> All{B.GetInsertBlock()->getParent()->getArg(0)};
  for (Value *A : Args) {
    if (A->getType()->isPointerTy() && A->getType()->getPointerAddressSpace())
      A = B.CreateAddrSpaceCast(A, B.getPtrTy());
    Types.push_back(A->getType());
    All.push_back(A);
  }
  FunctionCallee F = M.getOrInsertFunction(Name, FunctionType::get(Result, Types, false));
  CallInst *C = B.CreateCall(F, All);
  C->addFnAttr(Attribute::NoUnwind);
  return C;
}

/// Files below the folder that the compiler runs in have relative names.
static bool isOwn(const Program &P, StringRef File) { return File.starts_with(P.FilePrefix) || !File.starts_with("/"); }

static Place placeOf(const Program &P, const DILocation *Loc) {
  // The innermost place in the candidate's own files tells most; else the innermost.
  const DILocation *Best = nullptr;
  for (const DILocation *L = Loc; L; L = L->getInlinedAt())
    if (L->getLine() && isOwn(P, L->getFilename())) {
      Best = L;
      break;
    }
  if (!Best)
    Best = Loc;
  StringRef File = Best->getFilename();
  File.consume_front(P.FilePrefix);
  return {File.str(), Best->getLine(), Best->getColumn()};
}

/// Whether a library of the toolkit (cooperative groups, cub, cuda::atomic) wrote this, as opposed to the headers that only give
/// atomics and fences their names.
static bool ofLibrary(const Program &P, const DILocation *Loc) {
  for (; Loc; Loc = Loc->getInlinedAt()) {
    StringRef File = Loc->getFilename();
    if (isOwn(P, File))
      return false;
    StringRef Name = File.substr(File.rfind('/') + 1);
    if (!Name.contains("atomic_functions") && !Name.starts_with("__clang_cuda_") && !Name.contains("intrinsics") && !Name.contains("device_functions"))
      return true;
  }
  return false;
}

ConstantInt *sim::newSite(Program &P, const Instruction *I, SiteKind Kind, unsigned Space, unsigned Bytes) {
  Site S;
  S.Kind = Kind;
  S.Space = Space;
  S.Bytes = Bytes;
  S.Function = I->getFunction()->getName().str();
  hash_code Id = hash_value(int(Kind));
  if (const DILocation *Loc = I->getDebugLoc().get()) {
    S.At = placeOf(P, Loc);
    S.Library = !isOwn(P, Loc->getFilename());
    S.Foreign = S.Library && ofLibrary(P, Loc);
    for (const DILocation *L = Loc; L; L = L->getInlinedAt())
      Id = hash_combine(Id, L->getLine(), L->getColumn(), L->getScope()->getSubprogram());
  } else if (const DISubprogram *SP = I->getFunction()->getSubprogram()) {
    StringRef File = SP->getFilename();
    File.consume_front(P.FilePrefix);
    S.At = {File.str(), SP->getLine(), 0};
    Id = hash_combine(Id, P.Sites.size());
  }
  S.Identity = uint32_t(size_t(Id) ^ size_t(Id) >> 32);
  uint32_t Index = uint32_t(P.Sites.size()), Record = 0;
  if (Kind != SiteOther) {
    Record = P.NextRecord++ & 255;
    P.Records[Record].push_back(Index);
  }
  P.Sites.push_back(std::move(S));
  return ConstantInt::get(Type::getInt32Ty(I->getContext()), Index << 8 | Record);
}

Value *sim::loadContext(IRBuilder<> &B, Value *Context, unsigned Offset, Type *T) {
  return B.CreateLoad(T, B.CreateConstGEP1_32(B.getInt8Ty(), Context, Offset));
}

AllocaInst *sim::entrySlot(const Instruction *I, Type *T) {
  BasicBlock &Entry = const_cast<Function *>(I->getFunction())->getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstInsertionPt());
  AllocaInst *A = B.CreateAlloca(T, nullptr, "kcheck.slot");
  A->setMetadata("kcheck.machine", MDNode::get(I->getContext(), {}));
  return A;
}

void sim::lowerUnsupported(CallInst *C, Program &P, const Twine &What) {
  IRBuilder<> B(C);
  Constant *Text = B.CreateGlobalString(What.str(), "kcheck_text");
  callRuntime(B, "kcheck_rt_unsupported", B.getVoidTy(), {Text, newSite(P, C, SiteOther)});
  if (!C->getType()->isVoidTy())
    C->replaceAllUsesWith(Constant::getNullValue(C->getType()));
  C->eraseFromParent();
}
