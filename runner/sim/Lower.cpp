#include "runner/sim/LowerSupport.h"
#include "runner/sim/Pipeline.h"
#include "runner/sim/Runtime.h"
#include "runner/sim/JitSupport.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <set>

using namespace kcheck;
using namespace kcheck::sim;
using namespace llvm;

void sim::runPasses(Module &M, TargetMachine &TM, StringRef Pipeline) {
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB(&TM);
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  ModulePassManager MPM;
  cantFail(PB.parsePassPipeline(MPM, Pipeline));
  MPM.run(M, MAM);
}

namespace {

bool isKernel(const Function &F) { return F.getCallingConv() == CallingConv::PTX_Kernel; }

/// Arguments passed by value are copies of the callee's own: makes the copy visible, so that it can be split
/// into registers or checked as local memory.
void copyByValueArguments(Function &F) {
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  for (Argument &A : F.args()) {
    if (!A.hasByValAttr() || A.use_empty())
      continue;
    Type *T = A.getParamByValType();
    Align Al = A.getParamAlign().valueOrOne();
    AllocaInst *Copy = B.CreateAlloca(T, nullptr, A.getName() + ".copy");
    Copy->setAlignment(Al);
    A.replaceAllUsesWith(Copy);
    B.CreateMemCpy(Copy, Al, &A, Al, F.getDataLayout().getTypeAllocSize(T));
  }
}

void dropProgressPromises(Function &F) {
  F.removeFnAttr(Attribute::MustProgress);
  F.removeFnAttr(Attribute::WillReturn);
  F.removeFnAttr(Attribute::OptimizeNone);
  for (BasicBlock &BB : F) {
    MDNode *Loop = BB.getTerminator()->getMetadata(LLVMContext::MD_loop);
    if (!Loop)
      continue;
    SmallVector<Metadata *, 4> Keep(1);
    for (const MDOperand &Op : drop_begin(Loop->operands())) {
      auto *N = dyn_cast<MDNode>(Op);
      auto *S = N && N->getNumOperands() ? dyn_cast<MDString>(N->getOperand(0)) : nullptr;
      if (!S || S->getString() != "llvm.loop.mustprogress")
        Keep.push_back(Op);
    }
    MDNode *New = MDNode::getDistinct(F.getContext(), Keep);
    New->replaceOperandWith(0, New);
    BB.getTerminator()->setMetadata(LLVMContext::MD_loop, New);
  }
}

/// The last part of a demangled name: "k(float*)::tile" is "tile".
std::string plainName(StringRef Mangled) {
  std::string D = demangle(Mangled.str());
  size_t Depth = 0, From = 0;
  for (size_t I = 0; I + 1 < D.size(); ++I) {
    Depth += (D[I] == '(' || D[I] == '<' || D[I] == '{') ? 1 : 0;
    Depth -= (D[I] == ')' || D[I] == '>' || D[I] == '}') && Depth ? 1 : 0;
    if (!Depth && D[I] == ':' && D[I + 1] == ':')
      From = I + 2;
  }
  return D.substr(From);
}

uint64_t elementBytes(Type *T, const DataLayout &DL) {
  while (auto *A = dyn_cast<ArrayType>(T))
    T = A->getElementType();
  return T->isSized() ? std::max<uint64_t>(1, DL.getTypeAllocSize(T)) : 1;
}

/// Moves a module's variables into simulated memory.
class Variables {
public:
  Variables(Module &M, Program &P) : M(M), P(P), DL(M.getDataLayout()) {}

  void run() {
    const std::vector<GlobalVariable *> Marked = takeManaged(M);
    Managed.insert(Marked.begin(), Marked.end());
    std::vector<GlobalVariable *> All;
    for (GlobalVariable &G : M.globals())
      if (!G.getName().starts_with("llvm.") && !G.getName().starts_with("kcheck_"))
        All.push_back(&G);
    for (GlobalVariable *G : All) {
      G->removeDeadConstantUsers();
      if (G->use_empty() && (G->hasLocalLinkage() || !G->hasInitializer()))
        continue;
      G->getAddressSpace() == 3 ? placeShared(*G) : placeGlobal(*G);
    }
    // Dynamic shared memory starts behind everything static.
    P.SharedBytes = SharedTop = alignTo(SharedTop, 128);
    for (auto &[G, Index] : Dynamic) {
      P.Variables[Index].Address = SharedTop;
      replaceShared(*G, SharedTop);
    }
    for (GlobalVariable *G : Dead)
      if (G->use_empty())
        G->eraseFromParent();
  }

private:
  Variable describe(GlobalVariable &G) {
    Variable V;
    V.Mangled = G.getName().str();
    V.Name = plainName(G.getName());
    if (StringRef(V.Mangled).starts_with(".str") || StringRef(V.Mangled).starts_with("__const"))
      V.Name = "constant";
    V.Bytes = DL.getTypeAllocSize(G.getValueType());
    V.Align = std::max<uint64_t>(G.getAlign().valueOrOne().value(), 1);
    V.ElementBytes = elementBytes(G.getValueType(), DL);
    V.Constant = G.getAddressSpace() == 4 || G.isConstant();
    return V;
  }

  void placeShared(GlobalVariable &G) {
    Variable V = describe(G);
    V.Shared = true;
    if (!G.hasInitializer() && V.Bytes == 0) {
      Dynamic.push_back({&G, P.Variables.size()});
      P.Variables.push_back(V);
      Dead.push_back(&G);
      return;
    }
    SharedTop = alignTo(SharedTop, std::max<uint64_t>(V.Align, 16));
    V.Address = SharedTop;
    SharedTop += V.Bytes + RedZone;
    replaceShared(G, V.Address);
    P.Variables.push_back(V);
    Dead.push_back(&G);
  }

  void replaceShared(GlobalVariable &G, uint64_t Offset) {
    Constant *C = &G;
    convertUsersOfConstantsToInstructions(C);
    std::map<Function *, Value *> InFunction;
    for (Use &U : make_early_inc_range(G.uses())) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I)
        continue;
      Value *&V = InFunction[I->getFunction()];
      if (!V) {
        IRBuilder<> B(&*I->getFunction()->getEntryBlock().getFirstInsertionPt());
        Value *Base = loadContext(B, contextOf(I), offsetof(ThreadContext, SharedBase), B.getInt64Ty());
        V = B.CreateIntToPtr(B.CreateAdd(Base, B.getInt64(Offset)), G.getType(), G.getName());
        cast<Instruction>(V)->setMetadata("kcheck.var", MDNode::get(M.getContext(), MDString::get(M.getContext(), G.getName())));
      }
      U.set(V);
    }
  }

  void placeGlobal(GlobalVariable &G) {
    Variable V = describe(G);
    V.Defined = G.hasInitializer();
    V.Managed = Managed.contains(&G);
    uint64_t &End = V.Managed ? ManagedTop : Top;
    End = alignTo(End, std::max<uint64_t>(V.Align, 256));
    V.Address = End;
    End += V.Bytes + std::min<uint64_t>(std::max<uint64_t>(V.Bytes, 4096), 1 << 26);
    if (G.hasInitializer() && !G.getInitializer()->isNullValue() && !isa<UndefValue>(G.getInitializer())) {
      V.Initial = "kcheck_init_" + std::to_string(P.Variables.size());
      auto *Copy = new GlobalVariable(M, G.getValueType(), true, GlobalValue::ExternalLinkage, G.getInitializer(), V.Initial);
      Copy->setAlignment(G.getAlign());
    }
    Type *I64 = Type::getInt64Ty(M.getContext());
    G.replaceAllUsesWith(ConstantExpr::getIntToPtr(ConstantInt::get(I64, DataBase + V.Address), G.getType()));
    P.Variables.push_back(V);
    P.GlobalEnd = Top;
    Dead.push_back(&G);
  }

  static constexpr uint64_t RedZone = 256;
  Module &M;
  Program &P;
  const DataLayout &DL;
  uint64_t SharedTop = 1024, Top = 1 << 16, ManagedTop = HostVisibleOffset + (1 << 16);
  DenseSet<GlobalVariable *> Managed;
  std::vector<std::pair<GlobalVariable *, size_t>> Dynamic;
  std::vector<GlobalVariable *> Dead;
};

/// Gives F a context argument in front; F is gone afterwards.
Function *addContext(Function &F) {
  Module &M = *F.getParent();
  SmallVector<Type *, 8> Params{PointerType::get(M.getContext(), 0)};
  append_range(Params, F.getFunctionType()->params());
  auto *NF = Function::Create(FunctionType::get(F.getReturnType(), Params, false), GlobalValue::InternalLinkage, "", &M);
  NF->takeName(&F);
  NF->setDSOLocal(true);
  NF->setComdat(nullptr);
  for (Attribute::AttrKind K : {Attribute::NoInline, Attribute::AlwaysInline, Attribute::Convergent})
    if (F.hasFnAttribute(K))
      NF->addFnAttr(K);
  NF->addFnAttr(Attribute::NoUnwind);
  NF->splice(NF->begin(), &F);
  NF->getArg(0)->setName("context");
  NF->addParamAttr(0, Attribute::NoAlias);
  NF->addParamAttr(0, Attribute::NonNull);
  for (auto [Old, New] : zip(F.args(), drop_begin(NF->args()))) {
    New.takeName(&Old);
    Old.replaceAllUsesWith(&New);
  }
  NF->setSubprogram(F.getSubprogram());
  F.setSubprogram(nullptr);
  F.replaceAllUsesWith(NF);
  F.eraseFromParent();
  return NF;
}

bool isDeviceCall(const CallInst &C) {
  if (C.isInlineAsm() || isa<IntrinsicInst>(C))
    return false;
  const Function *Callee = C.getCalledFunction();
  return !Callee || !Callee->isDeclaration();
}

void passContext(CallInst *C, Program &P) {
  IRBuilder<> B(C);
  Value *Context = contextOf(C);
  SmallVector<Type *, 8> Params{Context->getType()};
  append_range(Params, C->getFunctionType()->params());
  SmallVector<Value *, 8> Args{Context};
  append_range(Args, C->args());
  Value *Callee = C->getCalledOperand();
  if (!C->getCalledFunction() || C->getFunctionType() != C->getCalledFunction()->getFunctionType())
    if (!isa<Function>(Callee))
      Callee = callRuntime(B, "kcheck_rt_callee", B.getPtrTy(), {Callee, newSite(P, C, SiteOther)});
  CallInst *New = B.CreateCall(FunctionType::get(C->getType(), Params, false), Callee, Args);
  New->takeName(C);
  New->setDebugLoc(C->getDebugLoc());
  if (isa<FPMathOperator>(New))
    New->copyFastMathFlags(C);
  C->replaceAllUsesWith(New);
  C->eraseFromParent();
}

/// void ENTRY(context, parameter block): loads the arguments and calls the kernel.
void makeEntry(Function &F, Kernel &K, ArrayRef<Type *> ByVal) {
  Module &M = *F.getParent();
  IRBuilder<> B(M.getContext());
  auto *E = Function::Create(FunctionType::get(B.getVoidTy(), {B.getPtrTy(), B.getPtrTy()}, false),
                             GlobalValue::ExternalLinkage, K.Entry, &M);
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", E));
  SmallVector<Value *, 8> Args{E->getArg(0)};
  for (size_t I = 0; I < K.Params.size(); ++I) {
    Value *Address = B.CreateConstGEP1_64(B.getInt8Ty(), E->getArg(1), K.Params[I].Offset);
    Args.push_back(ByVal[I] ? Address : B.CreateAlignedLoad(F.getArg(I + 1)->getType(), Address, Align(1)));
  }
  B.CreateCall(&F, Args);
  B.CreateRetVoid();
}

void collectReachable(Function *F, std::set<Function *> &Seen) {
  if (!Seen.insert(F).second)
    return;
  for (Instruction &I : instructions(F))
    for (Value *Op : I.operands())
      if (auto *G = dyn_cast<Function>(Op))
        collectReachable(G, Seen);
}

/// What the compiler's output calls but the module does not define.
bool lowerLibraryCall(CallInst *C, Program &P) {
  Function *F = C->getCalledFunction();
  if (!F)
    return false;
  StringRef N = F->getName();
  IRBuilder<> B(C);
  auto replace = [&](Value *V) {
    if (V && !C->getType()->isVoidTy())
      C->replaceAllUsesWith(V);
    C->eraseFromParent();
    return true;
  };
  auto site = [&] { return newSite(P, C, SiteOther); };
  if (N == "vprintf")
    return replace(callRuntime(B, "kcheck_rt_printf", B.getInt32Ty(), {C->getArgOperand(0), C->getArgOperand(1), site()}));
  if (N == "__assertfail" || N == "__assert_fail") {
    callRuntime(B, "kcheck_rt_assert", B.getVoidTy(), {C->getArgOperand(0), C->getArgOperand(2), site()});
    return replace(Constant::getNullValue(C->getType()->isVoidTy() ? B.getInt32Ty() : C->getType()));
  }
  if (N == "malloc" || N == "_Znwm" || N == "_Znam")
    return replace(callRuntime(B, "kcheck_rt_malloc", B.getPtrTy(), {C->getArgOperand(0), site()}));
  if (N == "free" || N.starts_with("_ZdlPv") || N.starts_with("_ZdaPv")) {
    callRuntime(B, "kcheck_rt_free", B.getVoidTy(), {C->getArgOperand(0), site()});
    return replace(nullptr);
  }
  // What the C library computes needs nothing of ours; its linkage is all that is left to do.
  static const std::set<std::string, std::less<>> Arithmetic = [] {
    std::set<std::string, std::less<>> Names;
    for (const RuntimeSymbol &S : runtimeSymbols())
      if (StringRef Name = S.Name; !Name.starts_with("kcheck_") && !Name.starts_with("__") && !Name.starts_with("mem"))
        Names.insert(S.Name);
    return Names;
  }();
  return Arithmetic.count(N) && !C->getType()->isVoidTy() && !C->getType()->isPointerTy();
}

/// Reads of a kernel's by-value parameters go to the launch's own block, not to simulated memory.
void markParameterReads(Function &F) {
  MDNode *Mark = MDNode::get(F.getContext(), {});
  for (Instruction &I : instructions(F)) {
    const Value *Ptr = isa<MemTransferInst>(I) ? cast<MemTransferInst>(I).getSource() : getLoadStorePointerOperand(&I);
    auto *A = Ptr ? dyn_cast<Argument>(getUnderlyingObject(Ptr, 12)) : nullptr;
    if (A && A->hasByValAttr())
      I.setMetadata("kcheck.param", Mark);
  }
}

/// A structure that is passed by value is copied field by field, those too that were never set and that nobody looks at:
/// such a copy reads nothing in the program's sense.
void markArgumentCopies(Function &F) {
  MDNode *Mark = MDNode::get(F.getContext(), {});
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : instructions(F)) {
    auto *L = dyn_cast<LoadInst>(&I);
    if (!L)
      continue;
    APInt Offset(64, 0);
    const Value *Base = L->getPointerOperand();
    while (true) {
      APInt Part(DL.getIndexTypeSizeInBits(Base->getType()), 0);
      Base = Base->stripAndAccumulateConstantOffsets(DL, Part, /*AllowNonInbounds=*/true);
      Offset += Part.sextOrTrunc(64);
      auto *Cast = dyn_cast<AddrSpaceCastOperator>(Base);
      if (!Cast)
        break;
      Base = Cast->getPointerOperand();
    }
    auto *A = dyn_cast<Argument>(Base);
    if (A && A->hasByValAttr() && (Offset + DL.getTypeStoreSize(L->getType())).ule(DL.getTypeAllocSize(A->getParamByValType())))
      I.setMetadata("kcheck.param", Mark);
  }
}

bool isNaturalIntrinsic(const Function &F) { return F.isIntrinsic() && !F.getName().starts_with("llvm.nvvm."); }

/// The vectorizer makes one access with gaps of several: each part is an access of its own again, as it was written.
void splitMaskedAccess(IntrinsicInst *I, const DataLayout &DL) {
  IRBuilder<> B(I);
  const bool Load = I->getIntrinsicID() == Intrinsic::masked_load;
  Value *Ptr = I->getArgOperand(Load ? 0 : 1), *Stored = Load ? nullptr : I->getArgOperand(0);
  auto *Mask = cast<Constant>(I->getArgOperand(Load ? 1 : 2));
  auto *T = cast<FixedVectorType>(Load ? I->getType() : Stored->getType());
  const Align Whole = I->getParamAlign(Load ? 0 : 1).valueOrOne();
  const uint64_t Bytes = DL.getTypeStoreSize(T->getElementType());
  Value *Result = Load ? I->getArgOperand(2) : nullptr;
  for (unsigned L = 0; L < T->getNumElements(); ++L) {
    if (!Mask->getAggregateElement(L)->isOneValue())
      continue;
    Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Ptr, L * Bytes);
    const Align Al = commonAlignment(Whole, L * Bytes);
    if (Load)
      Result = B.CreateInsertElement(Result, B.CreateAlignedLoad(T->getElementType(), At, Al), L);
    else
      B.CreateAlignedStore(B.CreateExtractElement(Stored, L), At, Al);
  }
  if (Load)
    I->replaceAllUsesWith(Result);
  I->eraseFromParent();
}

/// Integer division traps on x86 and float to integer conversion wraps; a GPU does neither.
void gentleArithmetic(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    IRBuilder<> B(&I);
    if (auto *D = dyn_cast<BinaryOperator>(&I)) {
      unsigned Op = D->getOpcode();
      bool Signed = Op == Instruction::SDiv || Op == Instruction::SRem;
      bool Rem = Op == Instruction::SRem || Op == Instruction::URem;
      if (!Signed && Op != Instruction::UDiv && Op != Instruction::URem)
        continue;
      if (D->getType()->isVectorTy())
        continue;
      Value *L = D->getOperand(0), *R = D->getOperand(1);
      auto *Const = dyn_cast<ConstantInt>(R);
      if (Const && !Const->isZero() && !Const->isMinusOne())
        continue;
      Value *Zero = Constant::getNullValue(D->getType()), *One = ConstantInt::get(D->getType(), 1),
            *Ones = Constant::getAllOnesValue(D->getType());
      Value *IsZero = B.CreateICmpEQ(R, Zero);
      Value *Bad = IsZero;
      Value *IsMinusOne = nullptr;
      if (Signed) {
        IsMinusOne = B.CreateICmpEQ(R, Ones);
        Bad = B.CreateOr(Bad, IsMinusOne);
      }
      Value *Safe = B.CreateSelect(Bad, One, R);
      Value *Res = B.CreateBinOp(D->getOpcode(), L, Safe);
      if (Signed)
        Res = B.CreateSelect(IsMinusOne, Rem ? Zero : B.CreateNeg(L), Res);
      Res = B.CreateSelect(IsZero, Rem ? L : Ones, Res);
      D->replaceAllUsesWith(Res);
      D->eraseFromParent();
    } else if (isa<FPToSIInst>(I) || isa<FPToUIInst>(I)) {
      Value *Src = I.getOperand(0);
      Value *Res = B.CreateIntrinsic(isa<FPToSIInst>(I) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
                                     {I.getType(), Src->getType()}, {Src});
      I.replaceAllUsesWith(Res);
      I.eraseFromParent();
    }
  }
}

/// Functions that nobody defines but whose address somebody takes, such as those in place of pure virtual ones: they end the thread.
void defineMissing(Module &M) {
  std::vector<Function *> Missing;
  for (Function &F : M)
    if (F.isDeclaration() && !F.isIntrinsic() && !F.getName().starts_with("kcheck_"))
      Missing.push_back(&F);
  for (Function *F : Missing) {
    auto isCall = [&](const Use &U) {
      auto *C = dyn_cast<CallInst>(U.getUser());
      return C && C->isCallee(&U);
    };
    if (all_of(F->uses(), isCall))
      continue;
    auto *Body = Function::Create(F->getFunctionType(), GlobalValue::InternalLinkage, F->getName() + ".missing", &M);
    IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Body));
    B.CreateIntrinsic(Intrinsic::trap, {});
    B.CreateUnreachable();
    F->replaceUsesWithIf(Body, [&](Use &U) { return !isCall(U); });
  }
}

void lowerCalls(Function &F, Program &P) {
  SmallVector<CallInst *, 32> Calls;
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<CallInst>(&I))
      Calls.push_back(C);
  for (CallInst *C : Calls) {
    if (C->isInlineAsm()) {
      std::string Unknown;
      if (!translatePtx(C, P, Unknown))
        lowerUnsupported(C, P, "inline PTX '" + Unknown + "'");
      continue;
    }
    Function *Callee = C->getCalledFunction();
    if (!Callee || !Callee->isDeclaration() || Callee->getName().starts_with("kcheck_"))
      continue;
    if (auto *II = dyn_cast<IntrinsicInst>(C)) {
      if (II->isLifetimeStartOrEnd() || II->isAssumeLikeIntrinsic()) {
        if (II->getType()->isVoidTy()) {
          II->eraseFromParent();
          continue;
        }
      }
      if (II->getIntrinsicID() == Intrinsic::trap || II->getIntrinsicID() == Intrinsic::debugtrap) {
        IRBuilder<> B(C);
        callRuntime(B, "kcheck_rt_trap", B.getVoidTy(), {newSite(P, C, SiteOther)});
        C->eraseFromParent();
        continue;
      }
      if (II->getIntrinsicID() == Intrinsic::masked_load || II->getIntrinsicID() == Intrinsic::masked_store) {
        if (isa<Constant>(II->getArgOperand(II->arg_size() - (II->getIntrinsicID() == Intrinsic::masked_load ? 2 : 1))))
          splitMaskedAccess(II, F.getDataLayout());
        else
          lowerUnsupported(C, P, Callee->getName());
        continue;
      }
      if (isNaturalIntrinsic(*Callee) && !isa<MemIntrinsic>(II) && II->onlyAccessesArgMemory() && !II->doesNotAccessMemory()) {
        lowerUnsupported(C, P, Callee->getName());
        continue;
      }
      if (isNaturalIntrinsic(*Callee))
        continue;
    }
    if (lowerIntrinsic(C, P) || lowerLibraryCall(C, P))
      continue;
    lowerUnsupported(C, P, Callee->isIntrinsic() ? Callee->getName() : Twine(demangle(Callee->getName().str())));
  }
}

} // namespace

/// Assembly whose place in the candidate's code matters: of textures and surfaces, of barrier objects and asynchronous copies. Clang's headers read the former by
/// assembly that claims to depend on its operands only: two reads would become one whatever is written between them.
static bool keepPlacedAssembly(Function &F) {
  bool Any = false;
  for (Instruction &I : instructions(F)) {
    auto *C = dyn_cast<CallInst>(&I);
    auto *A = C ? dyn_cast<InlineAsm>(C->getCalledOperand()) : nullptr;
    if (!A)
      continue;
    StringRef Text = A->getAsmString();
    if (Text.contains("mbarrier.") || Text.contains("cp.async")) {
      Any = true;
      continue;
    }
    if (!Text.contains("suld.") && !Text.contains("sust.") && !Text.contains("tex.") && !Text.contains("tld4."))
      continue;
    Any = true;
    C->setCalledOperand(InlineAsm::get(A->getFunctionType(), Text, A->getConstraintString(), true));
    C->removeFnAttr(Attribute::Memory);
  }
  return Any;
}

/// Headers' functions between the candidate's own code and such assembly have no hint to be inlined; a finding belongs to the line that
/// calls them.
static void inlineWrappers(std::vector<Function *> Todo, StringRef OwnFiles) {
  while (!Todo.empty()) {
    Function *F = Todo.back();
    Todo.pop_back();
    const DISubprogram *S = F->getSubprogram();
    if (isKernel(*F) || !S || S->getFilename().starts_with(OwnFiles) || !S->getFilename().starts_with("/") || F->hasFnAttribute(Attribute::AlwaysInline))
      continue;
    F->removeFnAttr(Attribute::NoInline);
    F->addFnAttr(Attribute::AlwaysInline);
    for (User *U : F->users())
      if (auto *C = dyn_cast<CallInst>(U))
        Todo.push_back(C->getFunction());
  }
}

void sim::optimiseEarly(Module &M, TargetMachine &Gpu, StringRef OwnFiles) {
  std::vector<Function *> Wrappers;
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    dropProgressPromises(F);
    if (keepPlacedAssembly(F))
      Wrappers.push_back(&F);
    copyByValueArguments(F);
    // Keeps loads where they are: a speculated load would look like a race or an unwritten read.
    F.addFnAttr(Attribute::SanitizeThread);
    if (!isKernel(F))
      F.setLinkage(GlobalValue::InternalLinkage);
    F.setComdat(nullptr);
    // A header's wrapper that does not return is not inlined by itself; the finding belongs to the line with the assert.
    if (F.getName() == "__assert_fail") {
      F.removeFnAttr(Attribute::NoInline);
      F.addFnAttr(Attribute::AlwaysInline);
    }
  }
  inlineWrappers(std::move(Wrappers), OwnFiles);
  runPasses(M, Gpu,
            "nvvm-reflect,always-inline,globaldce,cgscc(inline),function(sroa,early-cse,simplifycfg,"
            "instcombine<no-verify-fixpoint>,simplifycfg,infer-address-spaces,load-store-vectorizer),globaldce");
}

void sim::lower(Module &M, Program &P) {
  for (StringRef Name : {"llvm.used", "llvm.compiler.used", "llvm.global_ctors"})
    if (GlobalVariable *G = M.getNamedGlobal(Name))
      G->eraseFromParent();
  if (NamedMDNode *N = M.getNamedMetadata("nvvm.annotations"))
    N->eraseFromParent();
  defineMissing(M);
  std::vector<GlobalVariable *> Names;
  for (GlobalVariable &G : M.globals())
    if (G.getName().starts_with("kcheck_name_"))
      Names.push_back(&G);
  for (GlobalVariable *G : Names)
    G->eraseFromParent();

  const DataLayout &DL = M.getDataLayout();
  std::vector<Function *> Defined;
  for (Function &F : M) {
    F.removeFnAttr("target-cpu");
    F.removeFnAttr("target-features");
    F.removeFnAttr(Attribute::SanitizeThread);
    if (!F.isDeclaration())
      Defined.push_back(&F);
  }
  std::vector<std::pair<size_t, std::vector<Type *>>> ByVal(0);
  std::map<Function *, size_t> KernelOf;
  std::vector<std::vector<Type *>> KernelByVal;
  std::vector<Function *> All;
  for (Function *F : Defined) {
    bool IsKernel = isKernel(*F);
    if (IsKernel) {
      markParameterReads(*F);
      Kernel K;
      K.Mangled = F->getName().str();
      K.Name = demangle(K.Mangled);
      K.Entry = "kcheck_entry_" + std::to_string(P.Kernels.size());
      if (Attribute A = F->getFnAttribute("nvvm.maxntid"); A.isValid()) {
        K.MaxThreads = 1;
        SmallVector<StringRef, 3> Parts;
        A.getValueAsString().split(Parts, ',');
        for (StringRef S : Parts) {
          unsigned N = 1;
          S.trim().getAsInteger(10, N);
          K.MaxThreads *= N;
        }
      }
      std::vector<Type *> Types;
      uint64_t Top = 0;
      for (Argument &A : F->args()) {
        Type *T = A.hasByValAttr() ? A.getParamByValType() : A.getType();
        uint64_t Al = A.hasByValAttr() ? A.getParamAlign().valueOrOne().value() : DL.getABITypeAlign(T).value();
        Top = alignTo(Top, Al);
        K.Params.push_back({Top, DL.getTypeAllocSize(T)});
        Top += DL.getTypeAllocSize(T);
        Types.push_back(A.hasByValAttr() ? T : nullptr);
      }
      K.ParamBytes = Top;
      P.Kernels.push_back(K);
      KernelByVal.push_back(Types);
    } else {
      markArgumentCopies(*F);
    }
    F->setCallingConv(CallingConv::C);
    Function *NF = addContext(*F);
    if (IsKernel)
      KernelOf[NF] = P.Kernels.size() - 1;
    All.push_back(NF);
  }
  for (Function *F : All) {
    SmallVector<CallInst *, 16> Calls;
    for (Instruction &I : instructions(*F))
      if (auto *C = dyn_cast<CallInst>(&I))
        Calls.push_back(C);
    for (CallInst *C : Calls)
      if (isDeviceCall(*C))
        passContext(C, P);
  }
  Variables(M, P).run();
  for (Function *F : All) {
    lowerCalls(*F, P);
    gentleArithmetic(*F);
  }
  for (auto &[F, Index] : KernelOf) {
    Kernel &K = P.Kernels[Index];
    makeEntry(*F, K, KernelByVal[Index]);
    std::set<Function *> Reach;
    collectReachable(F, Reach);
    std::set<std::string> Used;
    for (Function *R : Reach)
      for (Instruction &I : instructions(R))
        if (MDNode *N = I.getMetadata("kcheck.var"))
          Used.insert(cast<MDString>(N->getOperand(0))->getString().str());
    for (const Variable &V : P.Variables)
      if (V.Shared && Used.count(V.Mangled)) { // instances of a template each have their own, all of one name in the source
        K.StaticShared += V.Bytes;
        K.UsesDynamicShared |= V.Bytes == 0;
      }
  }
}
