// The driver API of one context: most calls are the runtime's by another name, with the same numbers for attributes and errors. Modules
// are not among them: a program that loads one names a function that the simulator does not know.
#include "runner/sim/Device.h"
#include "runner/sim/host/ShimSupport.h"
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace kcheck::sim;

namespace {

HostDevice &D() { return hostDevice(); }

int TheContext; ///< its address is the one CUcontext that there is
void *Current = nullptr;
bool Retained = false;

int context(void **Out) {
  API_CALL;
  Current = &TheContext;
  *Out = Current;
  return Success;
}

int (*RuntimeCopy)(void *, const void *, size_t, int);
int (*RuntimeCopyAsync)(void *, const void *, size_t, int, void *);

template <class Word> int fill(void *To, Word Value, size_t Count, void *Stream) {
  auto Words = std::make_shared<std::vector<Word>>(Count, Value);
  const size_t Bytes = Count * sizeof(Word);
  if (captured(Stream, [=] { return D().copy(To, Words->data(), Bytes, CopyKind::HostToDevice, true); }))
    return Success;
  return RuntimeCopyAsync(To, Words->data(), Bytes, int(CopyKind::HostToDevice), Stream);
}

/// CUDA_ERROR_INVALID_VALUE for cudaErrorInvalidValue.
std::string driverName(const std::string &Name) {
  std::string Out = "CUDA";
  for (size_t I = Name.starts_with("cuda") ? 4 : 0; I < Name.size(); ++I) {
    if (isupper(static_cast<unsigned char>(Name[I])))
      Out += '_';
    Out += char(toupper(static_cast<unsigned char>(Name[I])));
  }
  return Out;
}

} // namespace

extern "C" {

static int cuInit(unsigned Flags) { API_CALL; return Flags ? D().fail(InvalidValue) : Success; }
static int cuDeviceGet(int *Device, int Ordinal) {
  API_CALL;
  if (Ordinal)
    return D().fail(InvalidDevice);
  *Device = 0;
  return Success;
}
static int cuDeviceGetName(char *Out, int Bytes, int) { snprintf(Out, size_t(Bytes), "kcheck CPU simulator"); return Success; }
static int cuDeviceTotalMem(size_t *Bytes, int) { *Bytes = D().Mem.limit(); return Success; }
static int cuDeviceComputeCapability(int *Major, int *Minor, int) {
  int Arch = atoi(D().Arch.c_str() + 3);
  *Major = Arch / 10;
  *Minor = Arch % 10;
  return Success;
}

static int cuCtxCreate2(void **Out, unsigned, int) { return context(Out); }
static int cuCtxCreate3(void **Out, void *, int, unsigned, int) { return context(Out); }
static int cuCtxCreate4(void **Out, void *, unsigned, int) { return context(Out); }
static int cuDevicePrimaryCtxRetain(void **Out, int) { Retained = true; *Out = &TheContext; return Success; }
static int cuDevicePrimaryCtxRelease(int) { Retained = false; return Success; }
static int cuDevicePrimaryCtxGetState(int, unsigned *Flags, int *Active) { *Flags = 0; *Active = Retained; return Success; }
static int cuCtxSetCurrent(void *Context) { Current = Context; return Success; }
static int cuCtxGetCurrent(void **Out) { *Out = Current; return Success; }
static int cuCtxPopCurrent(void **Out) {
  if (Out)
    *Out = Current;
  return Success;
}
static int cuCtxGetDevice(int *Device) { *Device = 0; return Success; }
static int cuCtxGetApiVersion(void *, unsigned *Version) { *Version = 13000; return Success; }
static int cuCtxDestroy(void *) { API_CALL; D().orderSyncAll(); Current = nullptr; return Success; }

static int cuMemcpyHtoD(void *To, const void *From, size_t N) { API_CALL; return RuntimeCopy(To, From, N, int(CopyKind::HostToDevice)); }
static int cuMemcpyDtoH(void *To, const void *From, size_t N) { API_CALL; return RuntimeCopy(To, From, N, int(CopyKind::DeviceToHost)); }
static int cuMemcpyDtoD(void *To, const void *From, size_t N) { API_CALL; return RuntimeCopy(To, From, N, int(CopyKind::DeviceToDevice)); }
static int cuMemcpy(void *To, const void *From, size_t N) { API_CALL; return RuntimeCopy(To, From, N, int(CopyKind::Default)); }
static int cuMemcpyHtoDAsync(void *To, const void *From, size_t N, void *S) { API_CALL; return RuntimeCopyAsync(To, From, N, int(CopyKind::HostToDevice), S); }
static int cuMemcpyDtoHAsync(void *To, const void *From, size_t N, void *S) { API_CALL; return RuntimeCopyAsync(To, From, N, int(CopyKind::DeviceToHost), S); }
static int cuMemcpyDtoDAsync(void *To, const void *From, size_t N, void *S) { API_CALL; return RuntimeCopyAsync(To, From, N, int(CopyKind::DeviceToDevice), S); }
static int cuMemcpyAsync(void *To, const void *From, size_t N, void *S) { API_CALL; return RuntimeCopyAsync(To, From, N, int(CopyKind::Default), S); }
static int cuMemsetD16(void *To, unsigned short V, size_t N) { API_CALL; return fill(To, V, N, nullptr); }
static int cuMemsetD32(void *To, unsigned V, size_t N) { API_CALL; return fill(To, V, N, nullptr); }
static int cuMemsetD16Async(void *To, unsigned short V, size_t N, void *S) { API_CALL; return fill(To, V, N, S); }
static int cuMemsetD32Async(void *To, unsigned V, size_t N, void *S) { API_CALL; return fill(To, V, N, S); }

static int cuGetErrorString(int E, const char **Out) { *Out = errorText(E); return Success; }
static int cuGetErrorName(int E, const char **Out) {
  static std::map<int, std::string> Names;
  API_CALL;
  std::string &Name = Names[E];
  if (Name.empty())
    Name = driverName(errorName(E));
  *Out = Name.c_str();
  return Success;
}
static int done() { return Success; }

} // extern "C"

void kcheck::sim::addDriver(Table &T) {
  RuntimeCopy = reinterpret_cast<decltype(RuntimeCopy)>(T["cudaMemcpy"]);
  RuntimeCopyAsync = reinterpret_cast<decltype(RuntimeCopyAsync)>(T["cudaMemcpyAsync"]);
  SHIM(cuInit); SHIM(cuDeviceGet); SHIM(cuDeviceGetName); SHIM(cuDeviceComputeCapability); SHIM_AS("cuDeviceTotalMem_v2", cuDeviceTotalMem);
  SHIM_AS("cuCtxCreate_v2", cuCtxCreate2); SHIM_AS("cuCtxCreate_v3", cuCtxCreate3); SHIM_AS("cuCtxCreate_v4", cuCtxCreate4);
  SHIM(cuDevicePrimaryCtxRetain); SHIM(cuDevicePrimaryCtxGetState);
  for (const char *Name : {"cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease"})
    SHIM_AS(Name, cuDevicePrimaryCtxRelease);
  for (const char *Name : {"cuCtxSetCurrent", "cuCtxPushCurrent_v2"})
    SHIM_AS(Name, cuCtxSetCurrent);
  SHIM(cuCtxGetCurrent); SHIM_AS("cuCtxPopCurrent_v2", cuCtxPopCurrent); SHIM(cuCtxGetDevice); SHIM(cuCtxGetApiVersion);
  SHIM_AS("cuCtxDestroy_v2", cuCtxDestroy);
  SHIM_AS("cuMemcpyHtoD_v2", cuMemcpyHtoD); SHIM_AS("cuMemcpyDtoH_v2", cuMemcpyDtoH); SHIM_AS("cuMemcpyDtoD_v2", cuMemcpyDtoD); SHIM(cuMemcpy);
  SHIM_AS("cuMemcpyHtoDAsync_v2", cuMemcpyHtoDAsync); SHIM_AS("cuMemcpyDtoHAsync_v2", cuMemcpyDtoHAsync);
  SHIM_AS("cuMemcpyDtoDAsync_v2", cuMemcpyDtoDAsync); SHIM(cuMemcpyAsync);
  SHIM_AS("cuMemsetD16_v2", cuMemsetD16); SHIM_AS("cuMemsetD32_v2", cuMemsetD32); SHIM(cuMemsetD16Async); SHIM(cuMemsetD32Async);
  SHIM(cuGetErrorString); SHIM(cuGetErrorName);
  for (const char *Name : {"cuDevicePrimaryCtxSetFlags_v2", "cuDevicePrimaryCtxReset_v2", "cuCtxSetCacheConfig", "cuProfilerStart", "cuProfilerStop"})
    SHIM_AS(Name, done);
  // The same arguments in the same order.
  static const std::pair<const char *, const char *> Alike[] = {
      {"cuMemAlloc_v2", "cudaMalloc"}, {"cuMemFree_v2", "cudaFree"}, {"cuMemAllocManaged", "cudaMallocManaged"}, {"cuMemAllocHost_v2", "cudaMallocHost"},
      {"cuMemHostAlloc", "cudaHostAlloc"}, {"cuMemFreeHost", "cudaFreeHost"}, {"cuMemHostRegister_v2", "cudaHostRegister"},
      {"cuMemHostUnregister", "cudaHostUnregister"}, {"cuMemHostGetDevicePointer_v2", "cudaHostGetDevicePointer"}, {"cuMemAllocPitch_v2", "cudaMallocPitch"},
      {"cuMemAllocAsync", "cudaMallocAsync"}, {"cuMemFreeAsync", "cudaFreeAsync"}, {"cuMemGetInfo_v2", "cudaMemGetInfo"}, {"cuMemsetD8_v2", "cudaMemset"},
      {"cuMemsetD8Async", "cudaMemsetAsync"}, {"cuDeviceGetCount", "cudaGetDeviceCount"}, {"cuDeviceGetAttribute", "cudaDeviceGetAttribute"},
      {"cuDeviceGetPCIBusId", "cudaDeviceGetPCIBusId"}, {"cuDeviceCanAccessPeer", "cudaDeviceCanAccessPeer"}, {"cuDriverGetVersion", "cudaDriverGetVersion"},
      {"cuCtxSynchronize", "cudaDeviceSynchronize"}, {"cuCtxSetLimit", "cudaDeviceSetLimit"}, {"cuCtxGetLimit", "cudaDeviceGetLimit"},
      {"cuCtxGetStreamPriorityRange", "cudaDeviceGetStreamPriorityRange"}, {"cuStreamCreate", "cudaStreamCreateWithFlags"},
      {"cuStreamCreateWithPriority", "cudaStreamCreateWithPriority"}, {"cuStreamDestroy_v2", "cudaStreamDestroy"},
      {"cuStreamSynchronize", "cudaStreamSynchronize"}, {"cuStreamQuery", "cudaStreamQuery"}, {"cuStreamWaitEvent", "cudaStreamWaitEvent"},
      {"cuStreamAddCallback", "cudaStreamAddCallback"}, {"cuLaunchHostFunc", "cudaLaunchHostFunc"}, {"cuEventCreate", "cudaEventCreateWithFlags"},
      {"cuEventRecord", "cudaEventRecord"}, {"cuEventSynchronize", "cudaEventSynchronize"}, {"cuEventQuery", "cudaEventQuery"},
      {"cuEventDestroy_v2", "cudaEventDestroy"}, {"cuEventElapsedTime", "cudaEventElapsedTime"}, {"cuEventElapsedTime_v2", "cudaEventElapsedTime"}};
  for (const auto &[Driver, Runtime] : Alike)
    if (auto It = T.find(Runtime); It != T.end())
      T[Driver] = It->second;
}
