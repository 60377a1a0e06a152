// Registration and launches, as the compiler's own code and the program ask for them.
#include "runner/sim/host/ShimSupport.h"
#include <algorithm>

using namespace kcheck::sim;

namespace {

HostDevice &D() { return hostDevice(); }

struct Configuration {
  ShimDim3 Grid, Block;
  size_t Shared;
  void *Stream;
  CallSite Site;
};
thread_local std::vector<Configuration> Pushed;
thread_local CallSite LaunchSite; ///< of the <<<>>> whose stub is about to call cudaLaunchKernel
size_t Units = 0;

int launchOn(const void *Stub, ShimDim3 Grid, ShimDim3 Block, void **Args, size_t Shared, void *Stream, bool Cooperative) {
  KernelHandle *H = D().kernel(Stub);
  if (!H)
    return D().fail(InvalidDeviceFunction);
  std::vector<uint8_t> Params = D().pack(*H->K, Args);
  int S = streamOf(Stream);
  if (captured(Stream, [=] { return D().run(*H, Params, Grid, Block, Shared, S, Cooperative); }))
    return Success;
  return D().run(*H, Params, Grid, Block, Shared, S, Cooperative);
}

} // namespace

extern "C" {

// What Clang puts into every file with kernels.
static void **__cudaRegisterFatBinary(void *) { return reinterpret_cast<void **>(++Units); }
static void __cudaRegisterFatBinaryEnd(void **) {}
static void __cudaUnregisterFatBinary(void **) {}
static void __cudaRegisterFunction(void **Unit, const char *Stub, char *, const char *Name, int, void *, void *, void *, void *, int *) {
  D().registerKernel(size_t(Unit) - 1, Stub, Name);
}
static void __cudaRegisterVar(void **Unit, char *Host, char *, const char *Name, int, size_t, int, int) {
  D().registerVariable(size_t(Unit) - 1, Host, Name);
}
static int __cudaPushCallConfiguration(ShimDim3 Grid, ShimDim3 Block, size_t Shared, void *Stream) {
  Pushed.push_back({Grid, Block, Shared, Stream, {uint64_t(__builtin_return_address(0)), static_cast<void **>(__builtin_frame_address(0)), {}}});
  return 0;
}
static int __cudaPopCallConfiguration(ShimDim3 *Grid, ShimDim3 *Block, size_t *Shared, void **Stream) {
  if (Pushed.empty())
    return InvalidConfiguration;
  Configuration &C = Pushed.back();
  *Grid = C.Grid, *Block = C.Block, *Shared = C.Shared, *Stream = C.Stream;
  LaunchSite = C.Site;
  Pushed.pop_back();
  return Success;
}

static int cudaLaunchKernel(const void *F, ShimDim3 Grid, ShimDim3 Block, void **Args, size_t Shared, void *Stream) {
  API_CALL;
  if (LaunchSite.Pc) // the stub's own line is the kernel's
    currentCall() = LaunchSite;
  LaunchSite = {};
  return launchOn(F, Grid, Block, Args, Shared, Stream, false);
}
static int cudaLaunchCooperativeKernel(const void *F, ShimDim3 Grid, ShimDim3 Block, void **Args, size_t Shared, void *Stream) {
  API_CALL;
  return launchOn(F, Grid, Block, Args, Shared, Stream, true);
}
static int cudaFuncSetAttribute(const void *F, int Attribute, int Value) {
  API_CALL;
  KernelHandle *H = D().kernel(F);
  if (!H)
    return D().fail(InvalidDeviceFunction);
  if (Attribute == 8) {
    if (Value < 0 || uint64_t(Value) + H->K->StaticShared > 227 * 1024)
      return D().fail(InvalidValue);
    D().allow(*H, uint64_t(Value));
  }
  return Success;
}
static int cudaFuncSetCacheConfig(const void *, int) { return Success; }
static int cudaFuncSetSharedMemConfig(const void *, int) { return Success; }
static int cudaFuncGetName(const char **Out, const void *F) {
  API_CALL;
  KernelHandle *H = D().kernel(F);
  *Out = H ? H->K->Mangled.c_str() : "";
  return H ? Success : InvalidDeviceFunction;
}

static int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *Blocks, const void *F, int Threads, size_t Dynamic, unsigned) {
  API_CALL;
  KernelHandle *H = D().kernel(F);
  if (!H || Threads <= 0)
    return D().fail(H ? InvalidValue : InvalidDeviceFunction);
  uint64_t Warps = uint64_t(Threads + 31) / 32, Shared = H->K->StaticShared + Dynamic + 1024;
  uint64_t N = std::min<uint64_t>({32, 64 / std::max<uint64_t>(Warps, 1), 228 * 1024 / Shared});
  *Blocks = Threads > 1024 ? 0 : int(N);
  return Success;
}
static int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, const void *F, int Threads, size_t Dynamic) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(Blocks, F, Threads, Dynamic, 0);
}
static int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *Bytes, const void *F, int Blocks, int) {
  API_CALL;
  KernelHandle *H = D().kernel(F);
  if (!H || Blocks <= 0)
    return D().fail(InvalidValue);
  uint64_t Share = 228 * 1024 / uint64_t(Blocks), Fixed = H->K->StaticShared + 1024;
  *Bytes = Share > Fixed ? std::min<uint64_t>(Share - Fixed, 227 * 1024) : 0;
  return Success;
}

/// For the glue: what cudaFuncGetAttributes tells.
static int kcheck_host_function(const void *F, size_t *Shared, size_t *Local, int *Threads, int *Dynamic, int *Registers) {
  API_CALL;
  KernelHandle *H = D().kernel(F);
  if (!H)
    return D().fail(InvalidDeviceFunction);
  *Shared = H->K->StaticShared;
  *Local = H->K->LocalBytes;
  *Threads = H->K->MaxThreads ? int(H->K->MaxThreads) : 1024;
  *Dynamic = int(H->MostDynamicShared);
  *Registers = 32;
  return Success;
}
static int kcheck_host_launch(const void *F, ShimDim3 Grid, ShimDim3 Block, void **Args, size_t Shared, void *Stream, int Cooperative, const unsigned *Cluster) {
  API_CALL;
  if (Cluster)
    D().unsupported("thread block clusters");
  return launchOn(F, Grid, Block, Args, Shared, Stream, Cooperative);
}

} // extern "C"

void kcheck::sim::addLaunch(Table &T) {
  SHIM(__cudaRegisterFatBinary); SHIM(__cudaRegisterFatBinaryEnd); SHIM(__cudaUnregisterFatBinary); SHIM(__cudaRegisterFunction);
  SHIM(__cudaRegisterVar); SHIM(__cudaPushCallConfiguration); SHIM(__cudaPopCallConfiguration); SHIM(cudaLaunchKernel);
  SHIM(cudaLaunchCooperativeKernel); SHIM(cudaFuncSetAttribute); SHIM(cudaFuncSetCacheConfig); SHIM(cudaFuncSetSharedMemConfig);
  SHIM(cudaFuncGetName); SHIM(cudaOccupancyMaxActiveBlocksPerMultiprocessor); SHIM(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
  SHIM(cudaOccupancyAvailableDynamicSMemPerBlock); SHIM(kcheck_host_function); SHIM(kcheck_host_launch);
}
