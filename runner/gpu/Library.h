//===- Library.h - the CUDA libraries, opened at run time ---------------------===//
//
//   libcuda ─► Driver      libnvrtc ─► Nvrtc      libnvidia-ml ─► Nvml
//
// Nothing of CUDA is linked and no toolkit header is needed, so the worker starts on any machine and says what is
// missing. The declarations below are those of the stable C interfaces; a test holds them against the toolkit's headers.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_LIBRARY_H
#define KCHECK_GPU_LIBRARY_H

#include <cstddef>
#include <string>
#include <vector>

namespace kcheck::gpu {

using DevicePtr = unsigned long long;
using Status = int; ///< CUresult, nvrtcResult, nvmlReturn_t: 0 is success
struct UuidBytes {
  char Bytes[16];
};
typedef struct ContextHandle *Context;
typedef struct ModuleHandle *Module;
typedef struct FunctionHandle *Function;
typedef struct StreamHandle *Stream;
typedef struct EventHandle *Event;
typedef struct ProgramHandle *Program;
typedef struct NvmlHandle *NvmlDevice;

/// Device attributes, by the driver's numbers.
enum Attribute : int {
  MaxThreadsPerBlock = 1, MaxSharedPerBlock = 8, UnitCount = 16, L2CacheSize = 38, MaxThreadsPerUnit = 39,
  CapabilityMajor = 75, CapabilityMinor = 76, MaxSharedPerUnit = 81, MaxRegistersPerUnit = 82, CooperativeLaunch = 95,
  MaxSharedOptIn = 97, MaxBlocksPerUnit = 106
};
enum FunctionAttribute : int {
  FnMaxThreads = 0, FnSharedBytes = 1, FnConstBytes = 2, FnLocalBytes = 3, FnRegisters = 4, FnMaxDynamicShared = 8, FnSharedShare = 9,
  FnLargeClusters = 14
};
enum ErrorCode : int {
  ErrInvalidValue = 1, ErrOutOfMemory = 2, ErrNotFound = 500, ErrIllegalAddress = 700, ErrLaunchResources = 701, ErrLaunchTimeout = 702,
  ErrAssert = 710, ErrHardwareStack = 714, ErrIllegalInstruction = 715, ErrMisaligned = 716, ErrInvalidAddressSpace = 717,
  ErrInvalidPc = 718, ErrLaunchFailed = 719, ErrCooperativeTooLarge = 720
};
/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  enum : int { Cooperative = 2, ClusterDimension = 4 };
  int Id;
  int Pad;
  unsigned Value[16];
};
struct LaunchConfig {
  unsigned Grid[3], Block[3], SharedBytes;
  Stream On;
  LaunchAttribute *Attributes;
  unsigned Count;
};
/// One side of CUDA_MEMCPY2D, and the whole of it.
struct CopySide {
  enum : int { Host = 1, Device = 2 };
  size_t X, Y;
  int Kind;
  const void *AtHost;
  DevicePtr At;
  void *Array;
  size_t Pitch;
};
struct CopyRows {
  CopySide From, To;
  size_t Bytes, Rows;
};
/// CUDA_RESOURCE_DESC of memory: linear, or rows of it.
struct ResourceDesc {
  enum : int { Linear = 2, Rows = 3 };
  int Kind;
  union {
    struct {
      DevicePtr At;
      int Format;
      unsigned Channels;
      size_t Width, Height, Pitch; ///< of linear memory the first is the bytes
    } Memory;
    int Reserved[32];
  };
  unsigned Flags;
};
/// CUDA_TEXTURE_DESC.
struct TextureDesc {
  enum : unsigned { ReadAsInteger = 1, NormalizedCoordinates = 2 };
  int Edge[3], Filter;
  unsigned Flags, MaxAnisotropy;
  int MipFilter;
  float MipBias, MipLeast, MipMost, Border[4];
  int Reserved[12];
};
enum ContextLimit : int { LimitPrintfFifo = 1, LimitMallocHeap = 2 };

// name in the structure, symbol in the library, parameters
#define KCHECK_DRIVER_FUNCTIONS(F)                                                                                              \
  F(init, cuInit, (unsigned))                                                                                                   \
  F(driverVersion, cuDriverGetVersion, (int *))                                                                                 \
  F(deviceCount, cuDeviceGetCount, (int *))                                                                                     \
  F(deviceGet, cuDeviceGet, (int *, int))                                                                                       \
  F(deviceName, cuDeviceGetName, (char *, int, int))                                                                            \
  F(deviceAttribute, cuDeviceGetAttribute, (int *, int, int))                                                                   \
  F(deviceMemory, cuDeviceTotalMem_v2, (size_t *, int))                                                                         \
  F(deviceUuid, cuDeviceGetUuid_v2, (UuidBytes *, int))                                                                         \
  F(contextCreate, cuCtxCreate_v2, (Context *, unsigned, int))                                                                  \
  F(contextDestroy, cuCtxDestroy_v2, (Context))                                                                                 \
  F(contextSynchronize, cuCtxSynchronize, ())                                                                                   \
  F(contextSetCurrent, cuCtxSetCurrent, (Context))                                                                              \
  F(contextSetLimit, cuCtxSetLimit, (int, size_t))                                                                              \
  F(resetPersistingL2, cuCtxResetPersistingL2Cache, ())                                                                         \
  F(moduleLoad, cuModuleLoadData, (Module *, const void *))                                                                     \
  F(moduleUnload, cuModuleUnload, (Module))                                                                                     \
  F(moduleFunction, cuModuleGetFunction, (Function *, Module, const char *))                                                    \
  F(moduleGlobal, cuModuleGetGlobal_v2, (DevicePtr *, size_t *, Module, const char *))                                          \
  F(functionAttribute, cuFuncGetAttribute, (int *, int, Function))                                                              \
  F(setFunctionAttribute, cuFuncSetAttribute, (Function, int, int))                                                             \
  F(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, Function, int, size_t))                                     \
  F(memAlloc, cuMemAlloc_v2, (DevicePtr *, size_t))                                                                             \
  F(memFree, cuMemFree_v2, (DevicePtr))                                                                                         \
  F(memInfo, cuMemGetInfo_v2, (size_t *, size_t *))                                                                             \
  F(copyToDevice, cuMemcpyHtoDAsync_v2, (DevicePtr, const void *, size_t, Stream))                                              \
  F(copyFromDevice, cuMemcpyDtoHAsync_v2, (void *, DevicePtr, size_t, Stream))                                                  \
  F(copyOnDevice, cuMemcpyDtoDAsync_v2, (DevicePtr, DevicePtr, size_t, Stream))                                                 \
  F(copyRows, cuMemcpy2DAsync_v2, (const CopyRows *, Stream))                                                                   \
  F(set8, cuMemsetD8Async, (DevicePtr, unsigned char, size_t, Stream))                                                          \
  F(set32, cuMemsetD32Async, (DevicePtr, unsigned, size_t, Stream))                                                             \
  F(launch, cuLaunchKernel,                                                                                                     \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void **, void **))                 \
  F(launchCooperative, cuLaunchCooperativeKernel,                                                                               \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void **))                          \
  F(streamCreate, cuStreamCreate, (Stream *, unsigned))                                                                         \
  F(streamSynchronize, cuStreamSynchronize, (Stream))                                                                           \
  F(streamQuery, cuStreamQuery, (Stream))                                                                                       \
  F(streamDestroy, cuStreamDestroy_v2, (Stream))                                                                                \
  F(streamWaitEvent, cuStreamWaitEvent, (Stream, Event, unsigned))                                                              \
  F(eventCreate, cuEventCreate, (Event *, unsigned))                                                                            \
  F(eventRecord, cuEventRecord, (Event, Stream))                                                                                \
  F(eventSynchronize, cuEventSynchronize, (Event))                                                                              \
  F(eventQuery, cuEventQuery, (Event))                                                                                          \
  F(eventElapsed, cuEventElapsedTime, (float *, Event, Event))                                                                  \
  F(eventDestroy, cuEventDestroy_v2, (Event))                                                                                   \
  F(textureCreate, cuTexObjectCreate, (unsigned long long *, const ResourceDesc *, const TextureDesc *, const void *))          \
  F(textureDestroy, cuTexObjectDestroy, (unsigned long long))                                                                   \
  F(errorName, cuGetErrorName, (int, const char **))                                                                            \
  F(errorText, cuGetErrorString, (int, const char **))

// Absent in drivers before 12.4 (launchEx: 11.8): callers test for null.
#define KCHECK_DRIVER_OPTIONAL(F)                                                                                               \
  F(launchEx, cuLaunchKernelEx, (const LaunchConfig *, Function, void **, void **))                                              \
  F(functionCount, cuModuleGetFunctionCount, (unsigned *, Module))                                                              \
  F(enumerateFunctions, cuModuleEnumerateFunctions, (Function *, unsigned, Module))                                             \
  F(functionName, cuFuncGetName, (const char **, Function))                                                                     \
  F(functionParameter, cuFuncGetParamInfo, (Function, size_t, size_t *, size_t *))

#define KCHECK_NVRTC_FUNCTIONS(F)                                                                                               \
  F(version, nvrtcVersion, (int *, int *))                                                                                      \
  F(create, nvrtcCreateProgram, (Program *, const char *, const char *, int, const char *const *, const char *const *))         \
  F(destroy, nvrtcDestroyProgram, (Program *))                                                                                  \
  F(compile, nvrtcCompileProgram, (Program, int, const char *const *))                                                          \
  F(logSize, nvrtcGetProgramLogSize, (Program, size_t *))                                                                       \
  F(log, nvrtcGetProgramLog, (Program, char *))                                                                                 \
  F(cubinSize, nvrtcGetCUBINSize, (Program, size_t *))                                                                          \
  F(cubin, nvrtcGetCUBIN, (Program, char *))                                                                                    \
  F(addName, nvrtcAddNameExpression, (Program, const char *))                                                                   \
  F(loweredName, nvrtcGetLoweredName, (Program, const char *, const char **))

#define KCHECK_NVML_FUNCTIONS(F)                                                                                                \
  F(init, nvmlInit_v2, ())                                                                                                      \
  F(byUuid, nvmlDeviceGetHandleByUUID, (const char *, NvmlDevice *))                                                            \
  F(clock, nvmlDeviceGetClockInfo, (NvmlDevice, int, unsigned *))                                                               \
  F(temperature, nvmlDeviceGetTemperature, (NvmlDevice, int, unsigned *))                                                       \
  F(driverText, nvmlSystemGetDriverVersion, (char *, unsigned))
#define KCHECK_NVML_OPTIONAL(F)                                                                                                 \
  F(clockReasons, nvmlDeviceGetCurrentClocksEventReasons, (NvmlDevice, unsigned long long *))                                   \
  F(clockReasonsOld, nvmlDeviceGetCurrentClocksThrottleReasons, (NvmlDevice, unsigned long long *))

#define KCHECK_MEMBER(Name, Symbol, Params) Status(*Name) Params = nullptr;
struct Driver {
  KCHECK_DRIVER_FUNCTIONS(KCHECK_MEMBER)
  KCHECK_DRIVER_OPTIONAL(KCHECK_MEMBER)
};
struct Nvrtc {
  KCHECK_NVRTC_FUNCTIONS(KCHECK_MEMBER)
  int Major = 0, Minor = 0;
  std::string Path; ///< the library's file, where the loader tells
};
struct Nvml {
  KCHECK_NVML_FUNCTIONS(KCHECK_MEMBER)
  KCHECK_NVML_OPTIONAL(KCHECK_MEMBER)
};
#undef KCHECK_MEMBER

/// Opened once a process; null and a reason where the machine has none. The driver is initialised.
const Driver *driver(std::string &Why);
const Nvrtc *nvrtc(std::string &Why);
const Nvml *nvml(std::string &Why);

/// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
std::string errorText(const Driver &D, Status S);

/// The toolkit's root folder: KCHECK_CUDA, CUDA_HOME, CUDA_PATH, /usr/local/cuda, /opt/cuda; empty: none.
std::string toolkitRoot();
/// A program of the toolkit (nvcc, compute-sanitizer), else on PATH; empty: not found.
std::string toolkitProgram(const std::string &Name);
/// The first of these libraries that the loader or the toolkit's folders have; null and a reason otherwise.
void *openLibrary(const std::vector<std::string> &Names, std::string &Why);

} // namespace kcheck::gpu
#endif
