#include "runner/gpu/Device.h"
#include "runner/gpu/Compile.h"
#include <algorithm>
#include <cstdio>

using namespace kcheck;
using namespace kcheck::gpu;
using protocol::Failure;

Failure gpu::failureOf(Status S, bool Launch) {
  switch (S) {
  case ErrOutOfMemory: return Failure::OutOfMemory;
  case ErrIllegalAddress: case ErrInvalidAddressSpace: case ErrInvalidPc: return Failure::IllegalAddress;
  case ErrMisaligned: return Failure::Misaligned;
  case ErrLaunchTimeout: return Failure::Timeout;
  case ErrAssert: return Failure::DeviceAssert;
  case ErrHardwareStack: return Failure::StackOverflow;
  case ErrLaunchResources: case ErrCooperativeTooLarge: return Failure::LaunchConfig;
  default: return Launch ? Failure::LaunchConfig : Failure::Crash;
  }
}

bool gpu::losesContext(Status S) { return S >= ErrIllegalAddress && S != ErrLaunchResources && S != ErrCooperativeTooLarge && S < 800; }

void Device::check(Status S, const std::string &What, bool Launch) {
  if (!S)
    return;
  Lost |= losesContext(S);
  throw Failed{failureOf(S, Launch && !losesContext(S)), What + ": " + errorText(D, S)};
}

static std::string uuidText(const UuidBytes &U) {
  char Text[48];
  auto B = [&](int I) { return unsigned(static_cast<unsigned char>(U.Bytes[I])); };
  snprintf(Text, sizeof Text, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", B(0), B(1), B(2), B(3), B(4), B(5),
           B(6), B(7), B(8), B(9), B(10), B(11), B(12), B(13), B(14), B(15));
  return Text;
}

std::unique_ptr<Device> Device::identify(int Index, std::string &Why) {
  const Driver *D = driver(Why);
  if (!D)
    return nullptr;
  int Count = 0, Version = 0;
  D->deviceCount(&Count);
  if (Index < 0 || Index >= Count) {
    Why = "there is no device " + std::to_string(Index) + ": the driver sees " + std::to_string(Count);
    return nullptr;
  }
  std::unique_ptr<Device> G(new Device(*D));
  char Text[256] = "";
  UuidBytes U{};
  Status S = D->deviceGet(&G->Ordinal, Index);
  D->deviceName(Text, sizeof Text, G->Ordinal);
  D->deviceUuid(&U, G->Ordinal);
  D->driverVersion(&Version);
  G->Name = Text;
  G->Uuid = uuidText(U);
  G->DriverText = std::to_string(Version / 1000) + "." + std::to_string(Version % 1000 / 10);
  if (std::string Ignored; const Nvml *N = nvml(Ignored))
    if (N->driverText(Text, sizeof Text) == 0)
      G->DriverText += std::string(" (") + Text + ")";
  G->Arch = "sm_" + std::to_string(G->attribute(CapabilityMajor)) + std::to_string(G->attribute(CapabilityMinor));
  G->Units = std::max(1, G->attribute(UnitCount));
  if (S) {
    Why = "device " + std::to_string(Index) + ": " + errorText(*D, S);
    return nullptr;
  }
  return G;
}

std::unique_ptr<Device> Device::open(int Index, std::string &Why) {
  std::unique_ptr<Device> G = identify(Index, Why);
  if (!G)
    return nullptr;
  const Driver *D = &G->D;
  if (Status S = D->contextCreate(&G->Ctx, 0, G->Ordinal)) {
    Why = "no context on device " + std::to_string(Index) + ": " + errorText(*D, S);
    return nullptr;
  }
  // Device-side allocation and printing are bounded.
  D->contextSetLimit(LimitMallocHeap, 64u << 20);
  D->contextSetLimit(LimitPrintfFifo, 1u << 20);
  G->Helpers = {"helpers.cu", HelperKernels, nullptr, {}};
  G->References = {"references.cu", ReferenceKernels, nullptr, {}};
  return G;
}

Device::~Device() {
  if (Lost || !Ctx)
    return; // the driver cleans up at the process' end
  D.contextDestroy(Ctx);
}

int Device::attribute(Attribute A) const {
  int V = 0;
  D.deviceAttribute(&V, A, Ordinal);
  return V;
}

DeviceMemory Device::allocate(size_t Bytes, const std::string &For) {
  DevicePtr P = 0;
  Bytes = std::max<size_t>(Bytes, 16);
  check(D.memAlloc(&P, Bytes), For + " (" + std::to_string(Bytes) + " bytes)");
  return DeviceMemory(&D, P, Bytes);
}

Function Device::own(Own &M, const std::string &Kernel) {
  if (auto It = M.Found.find(Kernel); It != M.Found.end())
    return It->second;
  if (!M.Code) {
    protocol::Source S;
    S.File = M.Name;
    S.Text = M.Text;
    CompileRequest R;
    R.Source = &S;
    R.Arch = Arch;
    R.Driver = DriverText;
    R.Seconds = 120;
    Binary B = compile(R, Files);
    if (!B.Ok)
      throw Failed{Failure::NoWorker, std::string("the worker's own ") + M.Name + " does not compile: " + B.Error};
    check(D.moduleLoad(&M.Code, B.Cubin.data()), "loading the worker's own kernels");
  }
  Function F = nullptr;
  check(D.moduleFunction(&F, M.Code, Kernel.c_str()), "looking up " + Kernel);
  return M.Found[Kernel] = F;
}

void Device::callArray(Function F, int64_t Items, void **Args) {
  unsigned Blocks = unsigned(std::clamp<int64_t>((Items + 255) / 256, 1, fullGrid()));
  check(D.launch(F, Blocks, 1, 1, 256, 1, 1, 0, Main, Args, nullptr), "a kernel of the worker's own", true);
}
