#include "runner/sim/host/HostProgram.h"
#include "runner/protocol/StandIns.h"
#include "runner/sim/FrontEnd.h"
#include "runner/guest/Names.h"
#include "runner/sim/JitSupport.h"
#include "runner/sim/Pipeline.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"
#include "llvm/ADT/StringExtras.h"
#include <dlfcn.h>
#include <map>
#include <mutex>

using namespace kcheck;
using namespace kcheck::sim;
using namespace llvm;

extern "C" const char kcheck_glue_text[];
extern "C" const char kcheck_glue_text_end[];

namespace {

/// Tells the unwinder that libstdc++ uses about the program's frames: exceptions must find their handlers.
void frames(const char *Function, uint8_t *Address) {
  static void *Gcc = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (auto *F = Gcc ? reinterpret_cast<void (*)(void *)>(dlsym(Gcc, Function)) : nullptr)
    F(Address);
}

class HostSections : public SectionMemoryManager {
public:
  explicit HostSections(std::vector<std::pair<uint64_t, uint64_t>> &Code) : Code(Code) {}
  uint8_t *allocateCodeSection(uintptr_t Size, unsigned Align, unsigned Id, StringRef Name) override {
    uint8_t *P = SectionMemoryManager::allocateCodeSection(Size, Align, Id, Name);
    if (P)
      Code.push_back({uint64_t(P), uint64_t(P) + Size});
    return P;
  }
  void registerEHFrames(uint8_t *Address, uint64_t, size_t) override { frames("__register_frame", Address); }
  void deregisterEHFrames() override {}

private:
  std::vector<std::pair<uint64_t, uint64_t>> &Code;
};

/// Undefined names of the program.
class Outside : public orc::DefinitionGenerator {
public:
  explicit Outside(ResolveFunction Resolve) : Resolve(std::move(Resolve)) {}
  Error tryToGenerate(orc::LookupState &, orc::LookupKind, orc::JITDylib &JD, orc::JITDylibLookupFlags,
                      const orc::SymbolLookupSet &Names) override {
    orc::SymbolMap Found;
    for (const auto &[Name, Flags] : Names)
      if (void *P = Resolve((*Name).str()))
        Found[Name] = {orc::ExecutorAddr::fromPtr(P), JITSymbolFlags::Exported | JITSymbolFlags::Absolute};
    return Found.empty() ? Error::success() : JD.define(orc::absoluteSymbols(std::move(Found)));
  }

private:
  ResolveFunction Resolve;
};

class Loaded : public HostProgram {
public:
  explicit Loaded(std::string Root) : Root(std::move(Root)) {}
  // The program's static destructors run after main: its code stays until the process ends.
  std::unique_ptr<orc::ExecutionSession> Session;
  std::unique_ptr<orc::RTDyldObjectLinkingLayer> Linking;
  orc::JITDylib *Lib = nullptr;

  Error start(ResolveFunction Resolve) {
    auto Epc = orc::SelfExecutorProcessControl::Create();
    if (!Epc)
      return Epc.takeError();
    Session = std::make_unique<orc::ExecutionSession>(std::move(*Epc));
    Session->setErrorReporter([this](Error E) { Words += toString(std::move(E)) + "\n"; });
    Linking = std::make_unique<orc::RTDyldObjectLinkingLayer>(*Session, [this](const MemoryBuffer &) { return std::make_unique<HostSections>(Code); });
    Linking->setOverrideObjectFlagsWithResponsibilityFlags(true);
    Linking->setAutoClaimResponsibilityForObjectSymbols(true);
    Linking->setNotifyLoaded([this](orc::MaterializationResponsibility &, const object::ObjectFile &Object, const RuntimeDyld::LoadedObjectInfo &Info) {
      std::lock_guard<std::mutex> Guard(Lock);
      Debug.push_back(Info.getObjectForDebug(Object));
      Contexts.push_back(nullptr);
    });
    auto L = Session->createJITDylib("program");
    if (!L)
      return L.takeError();
    Lib = &*L;
    Lib->addGenerator(std::make_unique<Outside>(std::move(Resolve)));
    return Error::success();
  }

  void *address(const std::string &Symbol) override {
    auto S = Session->lookup({Lib}, Session->intern(Symbol));
    if (!S) {
      Words += toString(S.takeError()) + "\n";
      return nullptr;
    }
    return S->getAddress().toPtr<void *>();
  }

  bool isCode(uint64_t A) const override {
    return std::any_of(Code.begin(), Code.end(), [&](auto &R) { return A >= R.first && A < R.second; });
  }

  Place placeOf(uint64_t A) override {
    if (auto It = Places.find(A); It != Places.end())
      return It->second;
    return Places[A] = lookUp(A);
  }

  std::string Words;

private:
  Place lookUp(uint64_t A) {
    std::lock_guard<std::mutex> Guard(Lock);
    for (size_t I = 0; I < Debug.size(); ++I) {
      if (!Debug[I].getBinary())
        continue;
      if (!Contexts[I])
        Contexts[I] = DWARFContext::create(*Debug[I].getBinary());
      uint64_t Index = object::SectionedAddress::UndefSection;
      for (const object::SectionRef &S : Debug[I].getBinary()->sections())
        if (S.isText() && A >= S.getAddress() && A < S.getAddress() + S.getSize())
          Index = S.getIndex();
      if (Index == object::SectionedAddress::UndefSection)
        continue;
      DIInliningInfo Frames = Contexts[I]->getInliningInfoForAddress(
          {A, Index},
          DILineInfoSpecifier(DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, DILineInfoSpecifier::FunctionNameKind::None));
      for (uint32_t F = 0; F < Frames.getNumberOfFrames(); ++F) {
        const DILineInfo &L = Frames.getFrame(F);
        StringRef File = L.FileName;
        if (L.Line && isOwn(File)) {
          File.consume_front(Root);
          return {File.str(), L.Line, L.Column};
        }
      }
    }
    return {};
  }
  /// The program's own files: not the toolkit's, the system's, or ours.
  bool isOwn(StringRef File) const {
    if (File.contains(protocol::StandInFolder))
      return false;
    if (File.starts_with(Root))
      return true;
    return !File.starts_with("/usr/") && !File.starts_with("/kcheck-src/") && !File.starts_with("/kcheck-bundled/") && !File.contains("/cuda/include/") &&
           !File.contains("/lib/clang/") && File.starts_with("/") && !File.contains("/targets/x86_64-linux/");
  }

  std::string Root;
  std::mutex Lock;
  std::vector<std::pair<uint64_t, uint64_t>> Code;
  std::vector<object::OwningBinary<object::ObjectFile>> Debug;
  std::vector<std::unique_ptr<DWARFContext>> Contexts;
  std::map<uint64_t, Place> Places;
};

/// Takes the constructors out of the module and gives them names to be called by.
std::vector<std::string> takeConstructors(Module &M, size_t Unit) {
  std::vector<std::pair<unsigned, Function *>> Found;
  for (auto C : orc::getConstructors(M))
    if (C.Func)
      Found.push_back({C.Priority, C.Func});
  std::stable_sort(Found.begin(), Found.end(), [](auto &A, auto &B) { return A.first < B.first; });
  std::vector<std::string> Names;
  for (auto &[Priority, F] : Found) {
    std::string Name = "kcheck_constructor_" + std::to_string(Unit) + "_" + std::to_string(Names.size());
    // One more function, because what it calls may be private or shared with other units.
    auto *Outer = Function::Create(FunctionType::get(Type::getVoidTy(M.getContext()), false), GlobalValue::ExternalLinkage, Name, &M);
    IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Outer));
    B.CreateCall(FunctionType::get(B.getVoidTy(), false), F);
    B.CreateRetVoid();
    Names.push_back(Name);
  }
  if (GlobalVariable *G = M.getNamedGlobal("llvm.global_ctors"))
    G->eraseFromParent();
  return Names;
}

void prepare(Module &M) {
  if (GlobalVariable *G = M.getNamedGlobal("__dso_handle")) {
    if (G->isDeclaration()) {
      G->setInitializer(Constant::getNullValue(G->getValueType()));
      G->setVisibility(GlobalValue::DefaultVisibility);
      G->setLinkage(GlobalValue::InternalLinkage);
    }
  }
  // Managed variables lie in the device's memory, where host code may use them.
  for (GlobalVariable *G : takeManaged(M)) {
    G->setInitializer(nullptr);
    G->setLinkage(GlobalValue::ExternalLinkage);
    G->setComdat(nullptr);
  }
  // Code lands wherever memory is free: nothing outside of the unit is near.
  for (GlobalValue &G : M.global_values())
    if (G.isDeclaration()) {
      G.setVisibility(GlobalValue::DefaultVisibility);
      G.setDSOLocal(false);
    }
}

std::unique_ptr<MemoryBuffer> machineCode(Module &M, TargetMachine &TM) {
  runPasses(M, TM, "default<O2>");
  return generateObject(M, TM);
}

std::string gluePath(const protocol::Source &S) {
  SHA1 Hash;
  Hash.update(KCHECK_VERSION);
  Hash.update(StringRef(kcheck_glue_text, size_t(kcheck_glue_text_end - kcheck_glue_text)));
  Hash.update(findCudaRoot());
  SmallString<128> Path(defaultCacheDir());
  sys::path::append(Path, "glue-" + toHex(Hash.final(), true).substr(0, 20) + ".o");
  return std::string(Path);
}

protocol::Source glueSource(const std::string &Arch) {
  protocol::Source S;
  S.File = "kcheck-glue.cu";
  S.Text.assign(kcheck_glue_text, size_t(kcheck_glue_text_end - kcheck_glue_text));
  S.Arch = Arch;
  return S;
}

std::unique_ptr<MemoryBuffer> glue(const std::string &Arch, TargetMachine &TM, std::string &Error) {
  protocol::Source S = glueSource(Arch);
  std::string Path = gluePath(S);
  if (auto Old = MemoryBuffer::getFile(Path))
    return std::move(*Old);
  LLVMContext Context;
  FrontEndOptions Options;
  Options.Host = true;
  DeviceModule D = compileSide(S, {}, Context, Options);
  if (!D.IR) {
    Error = "internal: the runtime's glue does not compile with this toolkit";
    for (const protocol::CompileMessage &M : D.Messages)
      if (M.Level == "error") {
        Error += ": " + M.Where.File + ":" + std::to_string(M.Where.Line) + ": " + M.Message;
        break;
      }
    return nullptr;
  }
  prepare(*D.IR);
  takeConstructors(*D.IR, 999);
  auto Object = machineCode(*D.IR, TM);
  SmallString<128> Temp;
  int FD;
  if (Object && !sys::fs::createUniqueFile(Path + ".%%%%%%.tmp", FD, Temp)) {
    raw_fd_ostream(FD, true) << Object->getBuffer();
    if (sys::fs::rename(Temp, Path))
      sys::fs::remove(Temp);
  }
  return Object;
}

} // namespace

std::unique_ptr<HostProgram> sim::loadHost(const std::vector<HostUnit> &Units, const std::string &Root, ResolveFunction Resolve,
                                           std::vector<protocol::CompileMessage> &Messages, std::string &Error, const std::string &Entry) {
  initialiseTargets();
  auto Out = std::make_unique<Loaded>(Root);
  auto TM = hostTargetMachine(/*Emulated thread storage=*/true);
  if (!TM) {
    Error = "internal: no code generator for the host";
    return nullptr;
  }
  if (llvm::Error E = Out->start(std::move(Resolve))) {
    Error = "internal: " + toString(std::move(E));
    return nullptr;
  }
  auto add = [&](std::unique_ptr<MemoryBuffer> Object) {
    if (!Object) {
      if (Error.empty())
        Error = "internal: no machine code for the host side";
      return false;
    }
    if (llvm::Error E = Out->Linking->add(*Out->Lib, std::move(Object))) {
      Error = toString(std::move(E));
      return false;
    }
    return true;
  };
  if (!add(glue(Units.empty() ? "sm_80" : Units[0].Source.Arch, *TM, Error)))
    return nullptr;
  for (size_t I = 0; I < Units.size(); ++I) {
    LLVMContext Context;
    FrontEndOptions Options;
    Options.Root = Root;
    Options.Host = true;
    Options.PlainHost = !Units[I].Cuda;
    DeviceModule D = compileSide(Units[I].Source, {}, Context, Options);
    Messages.insert(Messages.end(), D.Messages.begin(), D.Messages.end());
    if (!D.IR) {
      Error = Units[I].Source.File + " does not compile";
      for (const protocol::CompileMessage &M : D.Messages)
        if (M.Level == "error") {
          Error = M.Where.File + ":" + std::to_string(M.Where.Line) + ": " + M.Message;
          break;
        }
      return nullptr;
    }
    for (const Function &F : *D.IR)
      if (!F.isDeclaration() && !F.hasLocalLinkage() && guest::isRuntimeName(F.getName().str())) {
        const DISubprogram *P = F.getSubprogram();
        Out->Hidden.push_back({F.getName().str(), {Units[I].Source.File, P ? P->getLine() : 0, 1}});
      }
    prepare(*D.IR);
    Out->Constructors.push_back(takeConstructors(*D.IR, I));
    if (!add(machineCode(*D.IR, *TM)))
      return nullptr;
  }
  if (!Out->address(Entry)) {
    Error = "the program does not link: " + (Out->Words.empty() ? "no " + Entry + "()" : Out->Words.substr(0, 300));
    return nullptr;
  }
  return Out;
}

bool sim::prepareHost(const std::string &Arch, const std::string &Standard) {
  initialiseTargets();
  bool All = true;
  for (bool Host : {false, true}) {
    LLVMContext Context;
    FrontEndOptions Options;
    Options.Host = Host;
    Options.PrepareOnly = true;
    protocol::Source S;
    S.File = "prefix.cu";
    S.Arch = Arch;
    S.Standard = Standard;
    All &= compileSide(S, {}, Context, Options).Prepared;
  }
  std::string Error;
  auto TM = hostTargetMachine(true);
  return TM && glue(Arch, *TM, Error) && All;
}
