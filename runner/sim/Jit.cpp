#include "runner/sim/Jit.h"
#include "runner/sim/JitSupport.h"
#include "runner/sim/FrontEnd.h"
#include "runner/sim/Pipeline.h"
#include "runner/sim/Runtime.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/IRCompileLayer.h"
#include "llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <chrono>

using namespace kcheck;
using namespace kcheck::sim;
using namespace llvm;

extern "C" const char kcheck_checks_bitcode[];
extern "C" const char kcheck_checks_bitcode_end[];

void sim::initialiseTargets() {
  static bool Once = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser(); // inline assembly of host code
    return true;
  }();
  (void)Once;
}

std::unique_ptr<TargetMachine> sim::hostTargetMachine(bool EmulatedTls) {
  auto B = orc::JITTargetMachineBuilder::detectHost();
  if (!B) {
    consumeError(B.takeError());
    return nullptr;
  }
  B->setCodeGenOptLevel(CodeGenOptLevel::Less);
  // Wide vectors gain nothing here and cost compile time.
  B->getFeatures().AddFeature("prefer-256-bit");
  B->getOptions().EmulatedTLS = B->getOptions().EmulatedTLS || EmulatedTls;
  B->setRelocationModel(Reloc::PIC_);
  B->setCodeModel(CodeModel::Small);
  auto TM = B->createTargetMachine();
  if (!TM) {
    consumeError(TM.takeError());
    return nullptr;
  }
  (*TM)->setFastISel(false);
  return std::move(*TM);
}

std::vector<GlobalVariable *> sim::takeManaged(Module &M) {
  std::vector<GlobalVariable *> Out;
  GlobalVariable *Marks = M.getNamedGlobal("llvm.global.annotations");
  if (!Marks || !Marks->hasInitializer())
    return Out;
  for (Value *Entry : Marks->getInitializer()->operand_values()) {
    auto *Fields = dyn_cast<ConstantStruct>(Entry);
    auto *G = Fields ? dyn_cast<GlobalVariable>(Fields->getOperand(0)->stripPointerCasts()) : nullptr;
    auto *Word = Fields ? dyn_cast<GlobalVariable>(Fields->getOperand(1)->stripPointerCasts()) : nullptr;
    auto *Text = Word && Word->hasInitializer() ? dyn_cast<ConstantDataSequential>(Word->getInitializer()) : nullptr;
    if (G && Text && Text->isCString() && Text->getAsCString() == "kcheck_managed")
      Out.push_back(G);
  }
  Marks->eraseFromParent();
  return Out;
}

std::unique_ptr<MemoryBuffer> sim::generateObject(Module &M, TargetMachine &Host) {
  orc::SimpleCompiler Compile(Host);
  auto Object = Compile(M);
  if (!Object) {
    consumeError(Object.takeError());
    return nullptr;
  }
  return std::move(*Object);
}

namespace {

using Steady = std::chrono::steady_clock;
double since(Steady::time_point T) { return std::chrono::duration<double, std::milli>(Steady::now() - T).count(); }

std::unique_ptr<TargetMachine> gpuMachine(const Module &M, StringRef Arch) {
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(M.getTargetTriple(), Error);
  if (!T)
    return nullptr;
  return std::unique_ptr<TargetMachine>(T->createTargetMachine(M.getTargetTriple(), Arch, "", {}, std::nullopt));
}

/// Remembers where the code went.
class Sections : public SectionMemoryManager {
public:
  uint8_t *allocateCodeSection(uintptr_t Size, unsigned Align, unsigned Id, StringRef Name) override {
    uint8_t *P = SectionMemoryManager::allocateCodeSection(Size, Align, Id, Name);
    if (P)
      setCodeRange(uint64_t(P), uint64_t(P) + Size);
    return P;
  }
};

class Jitted : public Compiled {
public:
  std::unique_ptr<orc::ExecutionSession> Session;
  std::unique_ptr<orc::RTDyldObjectLinkingLayer> Linking;
  orc::JITDylib *Lib = nullptr;

  ~Jitted() override {
    if (Session)
      consumeError(Session->endSession());
  }

  void *address(const std::string &Symbol) override {
    auto S = Session->lookup({Lib}, Session->intern(Symbol));
    if (!S) {
      consumeError(S.takeError());
      return nullptr;
    }
    return S->getAddress().toPtr<void *>();
  }

  Error load(std::unique_ptr<MemoryBuffer> Object) {
    auto Epc = orc::SelfExecutorProcessControl::Create();
    if (!Epc)
      return Epc.takeError();
    Session = std::make_unique<orc::ExecutionSession>(std::move(*Epc));
    Linking = std::make_unique<orc::RTDyldObjectLinkingLayer>(*Session, [](const MemoryBuffer &) { return std::make_unique<Sections>(); });
    Linking->setOverrideObjectFlagsWithResponsibilityFlags(true);
    Linking->setAutoClaimResponsibilityForObjectSymbols(true);
    auto L = Session->createJITDylib("kernel");
    if (!L)
      return L.takeError();
    Lib = &*L;
    orc::SymbolMap Map;
    for (const RuntimeSymbol &S : runtimeSymbols())
      Map[Session->intern(S.Name)] = {orc::ExecutorAddr::fromPtr(S.Address), JITSymbolFlags::Exported | JITSymbolFlags::Absolute};
    if (Error E = Lib->define(orc::absoluteSymbols(std::move(Map))))
      return E;
    return Linking->add(*Lib, std::move(Object));
  }
};

void linkChecks(Module &M) {
  StringRef Bits(kcheck_checks_bitcode, size_t(kcheck_checks_bitcode_end - kcheck_checks_bitcode));
  auto Checks = parseBitcodeFile(MemoryBufferRef(Bits, "checks"), M.getContext());
  if (!Checks) {
    consumeError(Checks.takeError());
    return;
  }
  (*Checks)->setTargetTriple(M.getTargetTriple());
  (*Checks)->setDataLayout(M.getDataLayout());
  for (Function &F : **Checks) {
    F.removeFnAttr("target-cpu");
    F.removeFnAttr("target-features");
    F.removeFnAttr("tune-cpu");
  }
  if (GlobalVariable *Used = (*Checks)->getNamedGlobal("llvm.compiler.used"))
    Used->eraseFromParent();
  if (GlobalVariable *Used = (*Checks)->getNamedGlobal("llvm.used"))
    Used->eraseFromParent();
  Linker::linkModules(M, std::move(*Checks), Linker::LinkOnlyNeeded);
  for (Function &F : M)
    if (!F.isDeclaration() && F.getName().starts_with("kcheck_") && !F.getName().starts_with("kcheck_entry_"))
      F.setLinkage(GlobalValue::InternalLinkage);
}

/// Where a kernel has very many accesses, calls keep the code and the time to make it small.
void limitInlining(Module &M) {
  constexpr unsigned Most = 400;
  unsigned Calls = 0;
  for (Function &F : M)
    if (F.hasFnAttribute(Attribute::AlwaysInline) && F.getName().starts_with("kcheck_"))
      Calls += F.getNumUses();
  if (Calls <= Most)
    return;
  for (Function &F : M)
    if (F.getName().starts_with("kcheck_load") || F.getName().starts_with("kcheck_store") || F.getName().starts_with("kcheck_local_")) {
      F.removeFnAttr(Attribute::AlwaysInline);
      F.addFnAttr(Attribute::NoInline);
    }
}

} // namespace

namespace {

std::string firstError(const std::vector<protocol::CompileMessage> &Messages, const std::string &Else) {
  for (const protocol::CompileMessage &M : Messages)
    if (M.Level == "error")
      return M.Where.File + ":" + std::to_string(M.Where.Line) + ": " + M.Message;
  return Else;
}

void dump(Module &M, const char *Stage) {
  if (const char *Dir = getenv("KCHECK_SIM_DUMP")) {
    std::error_code EC;
    raw_fd_ostream OS(std::string(Dir) + "/" + Stage + ".ll", EC);
    M.print(OS, nullptr);
  }
}

/// From raw IR to machine code in the process. False: Error says why.
bool finish(Module &M, const std::string &Arch, Jitted &Out, std::string &Error) {
  auto T1 = Steady::now();
  dump(M, "0-front");
  auto Gpu = gpuMachine(M, Arch);
  auto Host = hostTargetMachine();
  if (!Gpu || !Host) {
    Error = "no code generator for " + Arch;
    return false;
  }
  optimiseEarly(M, *Gpu, Out.Code.FilePrefix);
  dump(M, "1-early");
  M.setTargetTriple(Host->getTargetTriple());
  M.setDataLayout(Host->createDataLayout());
  lower(M, Out.Code);
  dump(M, "2-lower");
  instrument(M, Out.Code);
  dump(M, "3-instrument");
  linkChecks(M);
  limitInlining(M);
  std::string Broken;
  raw_string_ostream BrokenText(Broken);
  if (verifyModule(M, &BrokenText)) {
    Error = "internal: " + Broken.substr(0, 400);
    return false;
  }
  Out.Times["lower"] = since(T1);
  auto T2 = Steady::now();
  runPasses(M, *Host, "always-inline,globaldce,function(early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg)");
  dump(M, "4-late");
  Out.Times["late"] = since(T2);
  auto T3 = Steady::now();
  auto Object = generateObject(M, *Host);
  Out.Times["code"] = since(T3);
  if (!Object) {
    Error = "internal: no machine code";
    return false;
  }
  if (llvm::Error E = Out.load(std::move(Object))) {
    Error = "internal: " + toString(std::move(E));
    return false;
  }
  return true;
}

/// Makes From ready to be linked behind Into: definitions of the same name that are no templates or inline functions are two
/// things, unless -rdc asks for one; kernels keep apart by another name.
void keepApart(Module &Into, Module &From, size_t Unit, std::map<std::string, std::string> &Renamed) {
  std::vector<GlobalObject *> All;
  for (GlobalObject &G : From.global_objects())
    All.push_back(&G);
  for (GlobalObject *G : All) {
    if (G->isDeclaration() || !G->hasExternalLinkage())
      continue;
    auto *Other = Into.getNamedValue(G->getName());
    if (!Other || Other->isDeclaration() || !Other->hasExternalLinkage())
      continue;
    std::string Old = G->getName().str();
    G->setName(Old + ".unit" + std::to_string(Unit));
    Renamed[Old] = G->getName().str();
  }
}

} // namespace

std::unique_ptr<Compiled> sim::compile(const protocol::Source &S, const std::vector<std::string> &Kernels, bool Checked,
                                       std::vector<protocol::CompileMessage> &Messages, std::string &Error) {
  initialiseTargets();
  auto T0 = Steady::now();
  auto Out = std::make_unique<Jitted>();
  LLVMContext Context;
  FrontEndOptions Options;
  DeviceModule D = compileSide(S, Kernels, Context, Options);
  Messages = D.Messages;
  if (!D.IR) {
    Error = firstError(Messages, "the candidate does not compile");
    return nullptr;
  }
  Out->Times["front_end"] = since(T0);
  Out->Names = std::move(D.Kernels);
  Out->Code.FilePrefix = Options.Root;
  Out->Code.Checked = Checked;
  return finish(*D.IR, S.Arch, *Out, Error) ? std::move(Out) : nullptr;
}

std::unique_ptr<Compiled> sim::compileDeviceSide(const std::vector<protocol::Source> &Units, const std::string &Root, bool Checked,
                                                 std::vector<protocol::CompileMessage> &Messages, std::string &Error) {
  initialiseTargets();
  auto T0 = Steady::now();
  auto Out = std::make_unique<Jitted>();
  LLVMContext Context;
  std::unique_ptr<Module> All;
  Out->Renamed.resize(Units.size());
  for (size_t I = 0; I < Units.size(); ++I) {
    FrontEndOptions Options;
    Options.Root = Root;
    DeviceModule D = compileSide(Units[I], {}, Context, Options);
    Messages.insert(Messages.end(), D.Messages.begin(), D.Messages.end());
    if (!D.IR) {
      Error = firstError(D.Messages, Units[I].File + " does not compile");
      return nullptr;
    }
    if (!All) {
      All = std::move(D.IR);
      continue;
    }
    keepApart(*All, *D.IR, I, Out->Renamed[I]);
    if (Linker::linkModules(*All, std::move(D.IR))) {
      Error = "the device code of " + Units[I].File + " does not link with the other files";
      return nullptr;
    }
  }
  if (!All) {
    Error = "no CUDA file";
    return nullptr;
  }
  Out->Times["front_end"] = since(T0);
  Out->Code.FilePrefix = Root;
  Out->Code.Checked = Checked;
  return finish(*All, Units[0].Arch, *Out, Error) ? std::move(Out) : nullptr;
}
