// What the program asks about the device and the runtime.
#include "runner/sim/Device.h"
#include "runner/sim/host/ShimSupport.h"
#include <cstdlib>
#include <cstring>

using namespace kcheck::sim;

namespace {

HostDevice &D() { return hostDevice(); }
int archNumber() { return atoi(D().Arch.c_str() + 3); }

/// cudaDeviceAttr: what a data-centre GPU of the architecture says.
int attribute(int Which) {
  int Arch = archNumber();
  bool Hopper = Arch >= 90;
  switch (Which) {
  case 1: return 1024;          // threads a block
  case 2: case 3: return 1024;  // block x, y
  case 4: return 64;
  case 5: return 2147483647;    // grid x
  case 6: case 7: return 65535;
  case 8: return 49152;         // shared a block
  case 9: return 65536;         // constant memory
  case 10: return 32;           // warp
  case 11: return 2147483647;   // pitch
  case 12: return 65536;        // registers a block
  case 13: return 1410000;      // kHz
  case 14: return 512;          // texture alignment
  case 15: return 1;            // overlap
  case 16: return int(Multiprocessors);
  case 17: return 0;            // time-out
  case 18: return 0;            // integrated
  case 19: return 1;            // map host memory
  case 20: return 0;            // compute mode
  case 21: return 131072;       // texture 1D
  case 22: return 131072; case 23: return 65536;
  case 24: case 25: case 26: return 16384;
  case 31: return 1;            // concurrent kernels
  case 32: return 0;            // ECC
  case 33: return 1; case 34: return 0; // PCI
  case 36: return 1593000;      // memory kHz
  case 37: return 5120;         // bus width
  case 38: return Hopper ? 52428800 : 41943040; // L2
  case 39: return 2048;         // threads a multiprocessor
  case 40: return 3;            // copy engines
  case 41: return 1;            // unified addressing
  case 75: return Arch / 10;
  case 76: return Arch % 10;
  case 78: return 1;            // stream priorities
  case 79: case 80: return 1;   // caching in L1
  case 81: return Hopper ? 233472 : 167936;
  case 82: return 65536;        // registers a multiprocessor
  case 83: return 1;            // managed memory
  case 84: return 0;
  case 86: return 1;            // host atomics
  case 87: return 2;            // single to double
  case 88: return 0;            // pageable memory access
  case 89: return 1;            // concurrent managed access
  case 90: return 1; case 91: return 0;
  case 95: return 1;            // cooperative launch
  case 97: return Hopper ? 232448 : 166912; // shared a block, opt-in
  case 106: return 32;          // blocks a multiprocessor
  case 108: return attribute(38) / 4 * 3; // of L2 for lines that stay
  case 109: return 134213632;   // the window of these
  case 111: return 1024;        // reserved shared
  case 115: return 1;           // memory pools
  default: return 0;
  }
}

} // namespace

extern "C" {

static const char *cudaGetErrorName(int E) { return errorName(E); }
static const char *cudaGetErrorString(int E) { return errorText(E); }
static int cudaGetDeviceCount(int *N) { *N = 1; return Success; }
static int cudaGetDevice(int *N) { *N = 0; return Success; }
static int cudaSetDevice(int N) { API_CALL; return N == 0 ? Success : D().fail(InvalidDevice); }
static int cudaInitDevice(int, unsigned, unsigned) { return Success; }
static int cudaSetDeviceFlags(unsigned) { return Success; }
static int cudaGetDeviceFlags(unsigned *F) { *F = 0; return Success; }
static int cudaSetValidDevices(int *, int) { return Success; }
static int cudaDeviceReset() { API_CALL; D().orderSyncAll(); return Success; }
static int cudaDeviceGetAttribute(int *Value, int Which, int Device) {
  API_CALL;
  if (Device)
    return D().fail(InvalidDevice);
  *Value = attribute(Which);
  return Success;
}
static int cudaDeviceGetPCIBusId(char *Out, int N, int) { snprintf(Out, size_t(N), "0000:01:00.0"); return Success; }
static int cudaDeviceGetByPCIBusId(int *Device, const char *) { *Device = 0; return Success; }
static int cudaDeviceCanAccessPeer(int *Can, int, int) { *Can = 0; return Success; }
static int cudaDeviceEnablePeerAccess(int, unsigned) { API_CALL; return D().fail(InvalidDevice); }
static int cudaDeviceDisablePeerAccess(int) { API_CALL; return D().fail(PeerAccessNotEnabled); }
static int cudaDeviceSetCacheConfig(int) { return Success; }
static int cudaDeviceGetCacheConfig(int *C) { *C = 0; return Success; }
static int cudaDeviceSetSharedMemConfig(int) { return Success; }
static int cudaDeviceGetSharedMemConfig(int *C) { *C = 1; return Success; }
static int cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) { *Least = 0; *Greatest = -5; return Success; }
static int cudaDeviceSetLimit(int Which, size_t Value) {
  API_CALL;
  if (Which == 2)
    D().E.HeapLimit = Value;
  return Success;
}
static int cudaDeviceGetLimit(size_t *Value, int Which) {
  API_CALL;
  *Value = Which == 0 ? 1024 : Which == 1 ? 1 << 20 : Which == 2 ? D().E.HeapLimit : 0;
  return Success;
}
static int cudaDriverGetVersion(int *V) { *V = 13000; return Success; }
static int cudaRuntimeGetVersion(int *V) { *V = 13000; return Success; }
static int cudaProfilerStart() { return Success; }
static int cudaProfilerStop() { return Success; }
static int nothing() { return 0; }
static int kcheck_host_attribute(int Which) { return attribute(Which); }
static const char *kcheck_host_name() { return "kcheck CPU simulator"; }
static size_t kcheck_host_memory() { return hostDevice().Mem.limit(); }
static void kcheck_host_unsupported(const char *What) { API_CALL; D().unsupported(What); }
static int kcheck_host_fail(int E) { API_CALL; return D().fail(E); }

} // extern "C"

void kcheck::sim::addInfo(Table &T) {
  SHIM(cudaGetErrorName); SHIM(cudaGetErrorString); SHIM(cudaGetDeviceCount); SHIM(cudaGetDevice); SHIM(cudaSetDevice);
  SHIM(cudaInitDevice); SHIM(cudaSetDeviceFlags); SHIM(cudaGetDeviceFlags); SHIM(cudaSetValidDevices); SHIM(cudaDeviceReset);
  SHIM_AS("cudaThreadExit", cudaDeviceReset); SHIM(cudaDeviceGetAttribute); SHIM(cudaDeviceGetPCIBusId); SHIM(cudaDeviceGetByPCIBusId);
  SHIM(cudaDeviceCanAccessPeer); SHIM(cudaDeviceEnablePeerAccess); SHIM(cudaDeviceDisablePeerAccess); SHIM(cudaDeviceSetCacheConfig);
  SHIM(cudaDeviceGetCacheConfig); SHIM(cudaDeviceSetSharedMemConfig); SHIM(cudaDeviceGetSharedMemConfig);
  SHIM(cudaDeviceGetStreamPriorityRange); SHIM(cudaDeviceSetLimit); SHIM(cudaDeviceGetLimit); SHIM(cudaDriverGetVersion);
  SHIM(cudaRuntimeGetVersion); SHIM(cudaProfilerStart); SHIM(cudaProfilerStop); SHIM(kcheck_host_attribute);
  SHIM(kcheck_host_memory); SHIM(kcheck_host_name); SHIM(kcheck_host_unsupported); SHIM(kcheck_host_fail);
  for (const char *Name : {"nvtxRangePushA", "nvtxRangePushW", "nvtxRangePop", "nvtxMarkA", "nvtxRangePushEx", "nvtxRangeStartA", "nvtxRangeEnd",
                           "nvtxNameOsThreadA", "nvtxNameCudaStreamA", "nvtxInitialize"})
    SHIM_AS(Name, nothing);
}
