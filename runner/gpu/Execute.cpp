#include "runner/gpu/Execute.h"
#include "runner/gpu/Compile.h"
#include "runner/ops/Generate.h"
#include <algorithm>
#include <cstring>
#include <cxxabi.h>

using namespace kcheck;
using namespace kcheck::gpu;
using protocol::Failure;
using protocol::Finding;

//===--- Loaded -------------------------------------------------------------===//

Loaded::Loaded(Device &G, Binary Of) : G(G), B(std::move(Of)) {
  G.check(G.api().moduleLoad(&M, B.Cubin.data()), "loading the candidate's module");
}

Loaded::~Loaded() {
  if (M && !G.lost())
    G.api().moduleUnload(M);
}

void Loaded::collect() {
  const Driver &D = G.api();
  unsigned Count = 0;
  if (!Plain.empty() || !D.functionCount || !D.enumerateFunctions || !D.functionName || D.functionCount(&Count, M) || !Count)
    return;
  std::vector<Function> All(Count);
  if (D.enumerateFunctions(All.data(), Count, M))
    return;
  for (Function F : All) {
    const char *Symbol = nullptr;
    if (D.functionName(&Symbol, F) || !Symbol)
      continue;
    int Ignored = 0;
    char *Text = abi::__cxa_demangle(Symbol, nullptr, nullptr, &Ignored);
    Plain[plainKernelName(Text ? Text : Symbol)] = Symbol;
    free(Text);
  }
}

Function Loaded::kernel(const std::string &Name) {
  if (auto It = Known.find(Name); It != Known.end())
    return It->second;
  std::string Symbol = Name;
  if (auto It = B.Lowered.find(Name); It != B.Lowered.end()) {
    Symbol = It->second;
  } else {
    collect();
    if (auto P = Plain.find(plainKernelName(Name + "(")); P != Plain.end())
      Symbol = P->second;
  }
  Function F = nullptr;
  if (G.api().moduleFunction(&F, M, Symbol.c_str()))
    throw Failed{Failure::BadJob, "the launched kernel '" + Name + "' is not in the candidate"};
  return Known[Name] = F;
}

std::pair<DevicePtr, size_t> Loaded::variable(const std::string &Name) {
  // Global variables keep their name; static ones and members of namespaces are mangled.
  std::vector<std::string> Tries = {Name, "_ZL" + std::to_string(Name.size()) + Name};
  std::string Nested;
  for (std::string Rest = Name; !Rest.empty();) {
    size_t At = Rest.find("::");
    std::string Part = Rest.substr(0, At);
    Nested += std::to_string(Part.size()) + Part;
    Rest = At == std::string::npos ? "" : Rest.substr(At + 2);
  }
  Tries.push_back("_ZN" + Nested + "E");
  for (const std::string &T : Tries) {
    DevicePtr P = 0;
    size_t Size = 0;
    if (symbol(T, P, Size))
      return {P, Size};
  }
  throw Failed{Failure::BadJob, "the variable '" + Name + "' is not in the candidate's module"};
}

//===--- Buffers ------------------------------------------------------------===//

static size_t alignUp(size_t N, size_t To) { return (N + To - 1) / To * To; }

void Buffers::make(const protocol::Buffer &Of, const FillBytes &F) {
  One &O = All[Of.Name];
  size_t Whole = Edge ? Zone + alignUp(Of.bytes(), 256) + Zone : std::max<size_t>(Of.bytes(), 16);
  if (!O.Memory.get() || O.Memory.size() != Whole) {
    Used += Whole - O.Memory.size();
    if (Used > MostBytes)
      throw Failed{Failure::OutOfMemory, "the buffers need more than the limit of " + std::to_string(MostBytes >> 20) + " MB"};
    O.Memory = G.allocate(Whole, "allocating '" + Of.Name + "'");
  }
  O.B = &Of;
  O.Data = O.Memory.get() + Edge;
  O.Fill = F;
  O.Retired = false;
  fill(O);
}

/// Number of a distribution in kernels/helpers.cu; -1: made on the CPU.
static int distributionOnDevice(const protocol::Generator &Gen) {
  constexpr const char *Names[] = {"normal", "uniform", "constant", "zero", "index", "iota"};
  for (int I = 0; I < 6; ++I)
    if (Gen.Distribution == Names[I])
      return I;
  return -1;
}

void Buffers::fill(One &O) {
  const Driver &D = G.api();
  const protocol::Buffer &B = *O.B;
  size_t Bytes = B.bytes();
  if (Edge) {
    G.check(D.set8(O.Memory.get(), O.Fill.Canary, Edge, G.stream()), "filling a red zone");
    G.check(D.set8(O.Data + Bytes, O.Fill.Canary, O.Memory.size() - Edge - Bytes, G.stream()), "filling a red zone");
  }
  if (!Bytes)
    return;
  switch (B.Fill) {
  case protocol::Content::Uninitialised:
  case protocol::Content::Poison:
    if (!Edge)
      return;
    // Only the client's poison lets it see what was not written; another one is the worker's own second opinion.
    G.check(D.set8(O.Data, O.Fill.Poison == 0xFF ? B.PoisonByte : O.Fill.Poison, Bytes, G.stream()), "poisoning '" + B.Name + "'");
    return;
  case protocol::Content::Zero:
    G.check(D.set8(O.Data, 0, Bytes, G.stream()), "zeroing '" + B.Name + "'");
    return;
  case protocol::Content::Data:
    G.check(D.copyToDevice(O.Data, B.Data.data(), Bytes, G.stream()), "filling '" + B.Name + "'");
    return;
  case protocol::Content::Generated:
    break;
  }
  if (!ops::isDistribution(B.Gen.Distribution))
    throw Failed{Failure::BadJob, "buffer '" + B.Name + "': unknown distribution '" + B.Gen.Distribution + "'"};
  if (regenerate(B, O.Data, B.Gen.Seed))
    return;
  protocol::Bytes Data = ops::generate(B.Gen, B.Type, B.Shape);
  G.check(D.copyToDevice(O.Data, Data.data(), Bytes, G.stream()), "filling '" + B.Name + "'");
  G.synchronize("filling '" + B.Name + "'");
}

bool Buffers::regenerate(const protocol::Buffer &B, DevicePtr At, uint64_t Seed) {
  int What = distributionOnDevice(B.Gen);
  if (What < 0 || B.Type == protocol::DType::Bytes)
    return false;
  G.call("kc_generate", B.elements(), At, (long long)B.elements(), int(B.Type), What, (unsigned long long)Seed, (unsigned long long)B.Gen.Stream,
         B.Gen.A, B.Gen.B);
  return true;
}

DevicePtr Buffers::address(const std::string &Name) const {
  auto It = All.find(Name);
  if (It == All.end())
    throw Failed{Failure::BadJob, "buffer '" + Name + "' is used before it is allocated"};
  return It->second.Data;
}

namespace {
struct PlaceCount {
  unsigned long long Count, First;
};
} // namespace

void Buffers::checkZone(const std::string &Name, One &O, std::vector<Finding> &Out) {
  if (!Edge)
    return;
  size_t Bytes = O.B->bytes(), Size = protocol::sizeOf(O.B->Type);
  DeviceMemory Report = G.allocate(2 * sizeof(PlaceCount), "red zone report");
  DevicePtr None = 0, Before = Report.get(), After = Report.get() + sizeof(PlaceCount);
  size_t Tail = O.Memory.size() - Edge - Bytes;
  G.call("kc_clear", 1, None, Before);
  G.call("kc_clear", 1, None, After);
  G.call("kc_canary", int64_t(Zone), O.Memory.get(), (long long)Zone, O.Fill.Canary, Before);
  G.call("kc_canary", int64_t(Tail), O.Data + Bytes, (long long)Tail, O.Fill.Canary, After);
  struct Both {
    PlaceCount Before, After;
  };
  Both R = G.read<Both>(Report.get(), "reading the red zones");
  auto add = [&](const PlaceCount &P, bool Past) {
    if (!P.Count)
      return;
    Finding F;
    F.Tag = "out_of_bounds_global";
    F.Buffer = Name;
    F.Size = uint64_t(O.B->elements());
    F.Index = Past ? int64_t((Bytes + P.First) / Size) : -int64_t((Zone - P.First + Size - 1) / Size);
    F.Count = std::max<uint64_t>(1, P.Count / Size);
    F.AccessBytes = Size;
    F.Message = std::to_string(P.Count) + " bytes " + (Past ? "past the end of '" : "before the start of '") + Name + "' were overwritten, first at element " +
                std::to_string(F.Index) + " of " + std::to_string(F.Size);
    Out.push_back(std::move(F));
  };
  add(R.Before, false);
  add(R.After, true);
}

void Buffers::checkZones(std::vector<Finding> &Out) {
  for (auto &[Name, O] : All)
    checkZone(Name, O, Out);
}

void Buffers::retire(const std::string &Name, std::vector<Finding> &Out) {
  auto It = All.find(Name);
  if (It == All.end() || It->second.Retired)
    throw Failed{Failure::BadJob, "buffer '" + Name + "' is freed but not allocated"};
  It->second.Retired = true;
  checkZone(Name, It->second, Out);
  G.check(G.api().set8(It->second.Data, 0xFF, It->second.B->bytes(), G.stream()), "freeing '" + Name + "'");
}

int64_t Buffers::firstDifference(const std::string &Name, DevicePtr Other, uint8_t Poison, uint8_t OtherPoison, uint64_t &Count) {
  const protocol::Buffer &B = of(Name);
  DeviceMemory Report = G.allocate(sizeof(PlaceCount), "difference report");
  DevicePtr None = 0;
  G.call("kc_clear", 1, None, Report.get());
  G.call("kc_differs", B.elements(), address(Name), Other, (long long)B.elements(), int(protocol::sizeOf(B.Type)), Poison, OtherPoison, Report.get());
  PlaceCount P = G.read<PlaceCount>(Report.get(), "comparing two runs");
  Count = P.Count;
  return P.Count ? int64_t(P.First) : -1;
}

protocol::Bytes Buffers::content(const std::string &Name) {
  protocol::Bytes Out(of(Name).bytes());
  if (!Out.empty())
    G.check(G.api().copyFromDevice(Out.data(), address(Name), Out.size(), G.stream()), "reading '" + Name + "'");
  G.synchronize("reading '" + Name + "'");
  return Out;
}

//===--- StepRunner ---------------------------------------------------------===//

std::set<std::string> gpu::allocatedBySteps(const std::vector<protocol::Step> &Steps) {
  std::set<std::string> Names;
  for (const protocol::Step &S : Steps)
    if (auto *A = std::get_if<protocol::AllocStep>(&S.Do))
      Names.insert(A->Buffer);
  return Names;
}

StepRunner::~StepRunner() {
  if (G.lost())
    return;
  for (auto &[Number, S] : Streams)
    G.api().streamDestroy(S);
  for (Event E : {Joined, Begun})
    if (E)
      G.api().eventDestroy(E);
}

void StepRunner::follow(Stream S) {
  if (Begun)
    G.check(G.api().streamWaitEvent(S, Begun, 0), "starting a stream");
}

const protocol::Buffer &StepRunner::declared(const std::string &Name) const {
  for (const protocol::Buffer &X : Declared)
    if (X.Name == Name)
      return X;
  throw Failed{Failure::BadJob, "no buffer '" + Name + "' in the job"};
}

Stream StepRunner::streamOf(int Number) {
  if (Number <= 0)
    return G.stream();
  Stream &S = Streams[Number];
  if (!S) {
    G.check(G.api().streamCreate(&S, 1), "making a stream");
    follow(S);
  }
  return S;
}

void StepRunner::join() {
  if (Streams.empty())
    return;
  if (!Joined)
    G.check(G.api().eventCreate(&Joined, 2), "making an event"); // without a time
  for (auto &[Number, S] : Streams) {
    G.check(G.api().eventRecord(Joined, S), "joining a stream");
    G.check(G.api().streamWaitEvent(G.stream(), Joined, 0), "joining a stream");
  }
}

std::vector<int> StepRunner::unjoined(const std::vector<protocol::Step> &Steps) {
  std::set<int> Busy;
  for (size_t I = 0; I < Steps.size(); ++I) {
    if (auto *L = std::get_if<protocol::LaunchStep>(&Steps[I].Do); L && L->Stream > 0)
      Busy.insert(L->Stream);
    auto *S = std::get_if<protocol::SyncStep>(&Steps[I].Do);
    if (!S || (I + 1 == Steps.size() && !Steps[I].Line))
      continue;
    if (S->Stream < 0)
      Busy.clear();
    else
      Busy.erase(S->Stream);
  }
  return {Busy.begin(), Busy.end()};
}

DevicePtr StepRunner::resolve(const protocol::Place &P, uint64_t Bytes, const char *What) {
  if (!P.Symbol.empty()) {
    auto [Address, Size] = Code.variable(P.Symbol);
    if (P.Offset > Size || Bytes > Size - P.Offset)
      throw Failed{Failure::IllegalAddress, std::string(What) + " leaves the variable '" + P.Symbol + "' of " + std::to_string(Size) + " bytes"};
    return Address + P.Offset;
  }
  uint64_t Size = declared(P.Buffer).bytes();
  if (Bytes && (P.Offset > Size || Bytes > Size - P.Offset))
    throw Failed{Failure::IllegalAddress, std::string(What) + " leaves the buffer '" + P.Buffer + "' of " + std::to_string(Size) + " bytes"};
  return B.address(P.Buffer) + P.Offset;
}

void StepRunner::launch(const protocol::LaunchStep &L) {
  Function F = Code.kernel(L.Kernel);
  const Driver &D = G.api();
  if (L.SharedBytes > 48 * 1024 && !L.DefaultShared)
    G.check(D.setFunctionAttribute(F, FnMaxDynamicShared, int(L.SharedBytes)), "shared memory of '" + L.Kernel + "'", true);
  std::vector<std::vector<uint8_t>> Values;
  std::vector<void *> Args;
  for (const protocol::Argument &A : L.Args) {
    std::vector<uint8_t> V(8, 0);
    switch (A.What) {
    case protocol::Argument::Kind::Null: break;
    case protocol::Argument::Kind::Pointer: {
      DevicePtr P = resolve(A.Where, 0, "an argument");
      memcpy(V.data(), &P, 8);
      break;
    }
    case protocol::Argument::Kind::Struct:
      V = A.Raw;
      for (size_t I = 0; I < A.Fields.size(); ++I) {
        DevicePtr P = resolve(A.Fields[I], 0, "an argument");
        memcpy(V.data() + A.FieldOffsets[I], &P, 8);
      }
      break;
    case protocol::Argument::Kind::Scalar:
      if (protocol::isFloat(A.Type))
        ops::storeElement(A.Type, A.Float, V.data());
      else
        memcpy(V.data(), &A.Int, protocol::sizeOf(A.Type)); // little endian on both sides
      break;
    }
    Values.push_back(std::move(V));
  }
  for (auto &V : Values)
    Args.push_back(V.data());
  std::string What = "launch of '" + L.Kernel + "'";
  Stream S = streamOf(L.Stream);
  uint64_t Shared = L.SharedBytes;
  Status R = L.Cooperative
                 ? D.launchCooperative(F, L.Grid.X, L.Grid.Y, L.Grid.Z, L.Block.X, L.Block.Y, L.Block.Z, unsigned(Shared), S, Args.data())
                 : D.launch(F, L.Grid.X, L.Grid.Y, L.Grid.Z, L.Block.X, L.Block.Y, L.Block.Z, unsigned(Shared), S, Args.data(), nullptr);
  G.check(R, What, true);
}

static bool usesStreams(const std::vector<protocol::Step> &Steps) {
  return std::any_of(Steps.begin(), Steps.end(), [](const protocol::Step &S) {
    auto *L = std::get_if<protocol::LaunchStep>(&S.Do);
    return L && L->Stream > 0;
  });
}

void StepRunner::run(const std::vector<protocol::Step> &Steps, bool Whole, const FillBytes &F, std::vector<Finding> &Out) {
  const Driver &D = G.api();
  // Other streams do not wait for the main one by themselves: what fills the buffers comes before any step all the same.
  if (usesStreams(Steps)) {
    if (!Begun)
      G.check(D.eventCreate(&Begun, 2), "making an event");
    G.check(D.eventRecord(Begun, G.stream()), "starting the steps");
    for (auto &[Number, S] : Streams)
      follow(S);
  }
  for (FailedStep = 0; FailedStep < Steps.size(); ++FailedStep) {
    const auto &Do = Steps[FailedStep].Do;
    if (auto *A = std::get_if<protocol::AllocStep>(&Do)) {
      if (Whole)
        B.make(declared(A->Buffer), F);
    } else if (auto *R = std::get_if<protocol::FreeStep>(&Do)) {
      if (Whole) {
        join();
        B.retire(R->Buffer, Out);
      }
    } else if (auto *T = std::get_if<protocol::SetStep>(&Do)) {
      if (T->Bytes)
        G.check(D.set8(resolve(T->To, T->Bytes, "a memset"), T->Value, T->Bytes, G.stream()), "memset");
    } else if (auto *C = std::get_if<protocol::CopyStep>(&Do)) {
      if (!C->Bytes)
        continue;
      DevicePtr To = resolve(C->To, C->Bytes, "a copy");
      if (C->From.Buffer.empty() && C->From.Symbol.empty())
        G.check(D.copyToDevice(To, C->Data.data(), C->Bytes, G.stream()), "copy");
      else
        G.check(D.copyOnDevice(To, resolve(C->From, C->Bytes, "a copy"), C->Bytes, G.stream()), "copy");
    } else if (auto *L = std::get_if<protocol::LaunchStep>(&Do)) {
      launch(*L);
    } else if (auto *H = std::get_if<protocol::CallStep>(&Do)) {
      if (!Call)
        throw Failed{Failure::BadJob, "no host code is run here"};
      Call(*H);
    } else if (auto *S = std::get_if<protocol::SyncStep>(&Do); S && Whole) {
      join();
      G.synchronize("running the candidate");
    }
  }
  FailedStep = 0;
  for (unsigned I = 0; I < Steps.size(); ++I) // a fault that shows later is the last launch's, for want of better knowledge
    if (std::holds_alternative<protocol::LaunchStep>(Steps[I].Do) || std::holds_alternative<protocol::CallStep>(Steps[I].Do))
      FailedStep = I;
}

//===--- facts --------------------------------------------------------------===//

std::string gpu::occupancyLimiter(const OccupancyInput &I) {
  if (!I.BlockThreads || I.Resident * I.BlockThreads >= I.MaxThreadsPerUnit)
    return "";
  auto fits = [&](uint64_t Have, uint64_t Each) { return Each ? Have / Each : uint64_t(1) << 30; };
  uint64_t ByThreads = fits(uint64_t(I.MaxThreadsPerUnit), uint64_t((I.BlockThreads + 31) / 32 * 32));
  // Registers are handed out to warps in units of 256.
  uint64_t PerWarp = (uint64_t(I.Registers) * 32 + 255) / 256 * 256;
  uint64_t ByRegisters = fits(uint64_t(I.RegistersPerUnit), PerWarp * uint64_t((I.BlockThreads + 31) / 32));
  uint64_t ByShared = fits(uint64_t(I.SharedPerUnit), I.SharedPerBlock), ByBlocks = uint64_t(I.BlocksPerUnit);
  uint64_t Least = std::min({ByThreads, ByRegisters, ByShared, ByBlocks});
  if (Least == ByShared)
    return "shared_memory";
  if (Least == ByRegisters)
    return "registers";
  return Least == ByBlocks ? "blocks" : "block_size";
}

std::vector<protocol::KernelFacts> gpu::kernelFacts(Device &G, Loaded &Code, const std::vector<protocol::Step> &Steps) {
  std::vector<protocol::KernelFacts> All;
  const Driver &D = G.api();
  for (const protocol::Step &S : Steps) {
    auto *L = std::get_if<protocol::LaunchStep>(&S.Do);
    if (!L || std::any_of(All.begin(), All.end(), [&](const auto &K) { return K.Name == L->Kernel; }))
      continue;
    Function F = Code.kernel(L->Kernel);
    protocol::KernelFacts K;
    K.Name = L->Kernel;
    auto get = [&](FunctionAttribute A, int &To) { D.functionAttribute(&To, A, F); };
    get(FnRegisters, K.Registers);
    get(FnSharedBytes, K.StaticShared);
    get(FnLocalBytes, K.LocalBytes);
    get(FnConstBytes, K.ConstBytes);
    get(FnMaxThreads, K.MaxThreads);
    uint64_t Threads = L->Block.count();
    K.DynamicShared = L->SharedBytes;
    if (Threads && Threads <= 1024) {
      K.BlockThreads = int(Threads);
      if (L->SharedBytes > 48 * 1024 && !L->DefaultShared)
        D.setFunctionAttribute(F, FnMaxDynamicShared, int(L->SharedBytes));
      D.occupancy(&K.BlocksPerUnit, F, K.BlockThreads, size_t(L->SharedBytes));
      int Most = std::max(1, G.attribute(MaxThreadsPerUnit) / 32);
      K.Occupancy = double(K.BlocksPerUnit * ((K.BlockThreads + 31) / 32)) / Most;
      OccupancyInput I{K.Registers, K.BlockThreads, G.attribute(MaxThreadsPerUnit), G.attribute(MaxRegistersPerUnit), G.attribute(MaxSharedPerUnit),
                       G.attribute(MaxBlocksPerUnit), uint64_t(K.StaticShared) + L->SharedBytes + 1024, K.BlocksPerUnit};
      K.Limiter = occupancyLimiter(I);
      uint64_t Blocks = L->Grid.count(), Wave = uint64_t(K.BlocksPerUnit) * uint64_t(G.attribute(UnitCount));
      if (K.Limiter.empty() && Blocks < Wave)
        K.Limiter = "grid";
    }
    All.push_back(std::move(K));
  }
  return All;
}
