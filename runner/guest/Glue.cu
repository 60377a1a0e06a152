// The part of the runtime that fills or reads the toolkit's structures. It is compiled with the headers that
// the program is compiled with, so that the layout is the same, and calls the runtime of the process that it is loaded into for the rest.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>

extern "C" {
int kcheck_host_attribute(int);
size_t kcheck_host_memory();
const char *kcheck_host_name();
void kcheck_host_unsupported(const char *);
int kcheck_host_fail(int);
int kcheck_host_pointer(const void *, void **, size_t *);
int kcheck_host_function(const void *, size_t *, size_t *, int *, int *, int *);
int kcheck_host_array(void *, size_t, size_t, size_t, size_t, size_t, size_t, char **, size_t *, size_t *, size_t *);
int kcheck_host_texture(unsigned long long *, int, void *, const cudaChannelFormatDesc *, size_t, size_t, size_t, const int *, const float *);
/// Cluster: null where there is none.
int kcheck_host_launch(const void *, dim3, dim3, void **, size_t, void *, int, const unsigned *Cluster);
int kcheck_graph_kernel(void **, void *, void **, size_t, const void *, dim3, dim3, void **, size_t);
int kcheck_graph_update_kernel(void *, void *, const void *, dim3, dim3, void **, size_t);
int kcheck_graph_dependencies(void **, void **, size_t);
int kcheck_graph_host(void **, void *, void **, size_t, void (*)(void *), void *);
int kcheck_graph_call(void **, void *, void **, size_t, int, int (*)(const void *), const void *, size_t);
}

static cudaError_t result(int E) { return cudaError_t(E); }

extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp *P, int Device) {
  if (!P || Device)
    return result(kcheck_host_fail(Device ? cudaErrorInvalidDevice : cudaErrorInvalidValue));
  auto A = [](cudaDeviceAttr W) { return kcheck_host_attribute(int(W)); };
  memset(P, 0, sizeof *P);
  snprintf(P->name, sizeof P->name, "%s", kcheck_host_name());
  P->totalGlobalMem = kcheck_host_memory();
  P->sharedMemPerBlock = A(cudaDevAttrMaxSharedMemoryPerBlock);
  P->regsPerBlock = A(cudaDevAttrMaxRegistersPerBlock);
  P->warpSize = 32;
  P->memPitch = 2147483647;
  P->maxThreadsPerBlock = 1024;
  P->maxThreadsDim[0] = P->maxThreadsDim[1] = 1024;
  P->maxThreadsDim[2] = 64;
  P->maxGridSize[0] = 2147483647;
  P->maxGridSize[1] = P->maxGridSize[2] = 65535;
  P->totalConstMem = 65536;
  P->major = A(cudaDevAttrComputeCapabilityMajor);
  P->minor = A(cudaDevAttrComputeCapabilityMinor);
  P->textureAlignment = 512;
  P->texturePitchAlignment = 32;
  P->multiProcessorCount = A(cudaDevAttrMultiProcessorCount);
  P->canMapHostMemory = 1;
  P->maxTexture1D = 131072;
  P->maxTexture2D[0] = 131072;
  P->maxTexture2D[1] = 65536;
  P->maxTexture3D[0] = P->maxTexture3D[1] = P->maxTexture3D[2] = 16384;
  P->concurrentKernels = 1;
  P->pciBusID = 1;
  P->asyncEngineCount = 3;
  P->unifiedAddressing = 1;
  P->memoryBusWidth = A(cudaDevAttrGlobalMemoryBusWidth);
  P->l2CacheSize = A(cudaDevAttrL2CacheSize);
  P->persistingL2CacheMaxSize = A(cudaDevAttrMaxPersistingL2CacheSize);
  P->accessPolicyMaxWindowSize = A(cudaDevAttrMaxAccessPolicyWindowSize);
  P->maxThreadsPerMultiProcessor = A(cudaDevAttrMaxThreadsPerMultiProcessor);
  P->streamPrioritiesSupported = 1;
  P->globalL1CacheSupported = P->localL1CacheSupported = 1;
  P->sharedMemPerMultiprocessor = A(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  P->regsPerMultiprocessor = A(cudaDevAttrMaxRegistersPerMultiprocessor);
  P->managedMemory = 1;
  P->hostNativeAtomicSupported = 1;
  P->concurrentManagedAccess = 1;
  P->computePreemptionSupported = 1;
  P->cooperativeLaunch = 1;
  P->sharedMemPerBlockOptin = A(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  P->maxBlocksPerMultiProcessor = A(cudaDevAttrMaxBlocksPerMultiprocessor);
  P->reservedSharedMemPerBlock = 1024;
  P->memoryPoolsSupported = 1;
#if CUDART_VERSION < 13000
  P->clockRate = A(cudaDevAttrClockRate);
  P->memoryClockRate = A(cudaDevAttrMemoryClockRate);
  P->deviceOverlap = 1;
  P->singleToDoublePrecisionPerfRatio = 2;
#endif
  return cudaSuccess;
}

extern "C" cudaError_t cudaChooseDevice(int *Device, const cudaDeviceProp *) {
  *Device = 0;
  return cudaSuccess;
}

extern "C" cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *A, const void *F) {
  size_t Shared = 0, Local = 0;
  int Threads = 0, Dynamic = 0, Registers = 0;
  memset(A, 0, sizeof *A);
  if (int E = kcheck_host_function(F, &Shared, &Local, &Threads, &Dynamic, &Registers))
    return result(E);
  A->sharedSizeBytes = Shared;
  A->localSizeBytes = Local;
  A->maxThreadsPerBlock = Threads;
  A->numRegs = Registers;
  A->maxDynamicSharedSizeBytes = Dynamic;
  A->ptxVersion = A->binaryVersion = kcheck_host_attribute(cudaDevAttrComputeCapabilityMajor) * 10 + kcheck_host_attribute(cudaDevAttrComputeCapabilityMinor);
  return cudaSuccess;
}

extern "C" cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *A, const void *P) {
  void *Base = nullptr;
  size_t Bytes = 0;
  memset(A, 0, sizeof *A);
  int Kind = kcheck_host_pointer(P, &Base, &Bytes);
  A->type = Kind == 2 ? cudaMemoryTypeDevice : Kind == 1 ? cudaMemoryTypeManaged : cudaMemoryTypeUnregistered;
  A->device = 0;
  A->devicePointer = Kind ? const_cast<void *>(P) : nullptr;
  A->hostPointer = Kind == 2 ? nullptr : const_cast<void *>(P);
  return cudaSuccess;
}

// Memory of three dimensions -------------------------------------------------

extern "C" cudaError_t cudaMalloc3D(cudaPitchedPtr *P, cudaExtent E) {
  size_t Pitch = (E.width + 511) / 512 * 512;
  void *At = nullptr;
  cudaError_t R = cudaMalloc(&At, Pitch * E.height * E.depth);
  P->ptr = At;
  P->pitch = Pitch;
  P->xsize = E.width;
  P->ysize = E.height;
  return R;
}

extern "C" cudaError_t cudaMemset3D(cudaPitchedPtr P, int Value, cudaExtent E) {
  for (size_t Z = 0; Z < E.depth; ++Z)
    for (size_t Y = 0; Y < E.height; ++Y)
      if (cudaError_t R = cudaMemset((char *)P.ptr + (Z * P.ysize + Y) * P.pitch, Value, E.width))
        return R;
  return cudaSuccess;
}
extern "C" cudaError_t cudaMemset3DAsync(cudaPitchedPtr P, int Value, cudaExtent E, cudaStream_t) { return cudaMemset3D(P, Value, E); }

namespace {
/// One side of a copy of three dimensions.
struct Side {
  char *At;
  size_t Pitch, Rows;
};
}
/// Bytes: of a row; with an array on either side the copy counts texels.
static int copySide(cudaArray_t Array, cudaPos Pos, cudaPitchedPtr P, cudaExtent E, Side &Out, size_t &Bytes) {
  if (Array)
    return kcheck_host_array(Array, Pos.x, Pos.y, Pos.z, E.width, E.height, E.depth, &Out.At, &Out.Pitch, &Out.Rows, &Bytes);
  Out.At = (char *)P.ptr + (Pos.z * P.ysize + Pos.y) * P.pitch + Pos.x;
  Out.Pitch = P.pitch;
  Out.Rows = P.ysize;
  return 0;
}

extern "C" cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *P) {
  Side To, From;
  size_t Bytes = P->extent.width;
  if (int E = copySide(P->dstArray, P->dstPos, P->dstPtr, P->extent, To, Bytes))
    return result(E);
  if (int E = copySide(P->srcArray, P->srcPos, P->srcPtr, P->extent, From, Bytes))
    return result(E);
  for (size_t Z = 0; Z < P->extent.depth; ++Z)
    for (size_t Y = 0; Y < P->extent.height; ++Y)
      if (cudaError_t R = cudaMemcpy(To.At + (Z * To.Rows + Y) * To.Pitch, From.At + (Z * From.Rows + Y) * From.Pitch, Bytes, P->kind))
        return R;
  return cudaSuccess;
}
extern "C" cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *P, cudaStream_t) { return cudaMemcpy3D(P); }

extern "C" cudaChannelFormatDesc cudaCreateChannelDesc(int X, int Y, int Z, int W, cudaChannelFormatKind F) {
  cudaChannelFormatDesc D;
  D.x = X, D.y = Y, D.z = Z, D.w = W, D.f = F;
  return D;
}

// Textures and surfaces ------------------------------------------------------

extern "C" cudaError_t cudaCreateTextureObject(cudaTextureObject_t *Out, const cudaResourceDesc *R, const cudaTextureDesc *T, const cudaResourceViewDesc *) {
  if (T->sRGB || R->resType == cudaResourceTypeMipmappedArray)
    kcheck_host_unsupported(T->sRGB ? "sRGB textures" : "mipmapped arrays");
  int Settings[] = {T->addressMode[0], T->addressMode[1], T->addressMode[2], T->filterMode, T->readMode == cudaReadModeNormalizedFloat, T->normalizedCoords};
  if (R->resType == cudaResourceTypeArray)
    return result(kcheck_host_texture(Out, 0, R->res.array.array, nullptr, 0, 0, 0, Settings, T->borderColor));
  if (R->resType == cudaResourceTypeLinear)
    return result(kcheck_host_texture(Out, 2, R->res.linear.devPtr, &R->res.linear.desc, R->res.linear.sizeInBytes, 1, 0, Settings, T->borderColor));
  return result(kcheck_host_texture(Out, 3, R->res.pitch2D.devPtr, &R->res.pitch2D.desc, R->res.pitch2D.width, R->res.pitch2D.height, R->res.pitch2D.pitchInBytes,
                                    Settings, T->borderColor));
}
extern "C" cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *Out, const cudaResourceDesc *R) {
  return result(kcheck_host_texture(Out, R->resType == cudaResourceTypeArray ? 0 : 1, R->res.array.array, nullptr, 0, 0, 0, nullptr, nullptr));
}

// Launches with attributes ---------------------------------------------------

extern "C" cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *C, const void *F, void **Args) {
  int Cooperative = 0;
  unsigned Cluster[3] = {1, 1, 1};
  for (unsigned I = 0; I < C->numAttrs; ++I) {
    const cudaLaunchAttribute &A = C->attrs[I];
    if (A.id == cudaLaunchAttributeCooperative)
      Cooperative = A.val.cooperative;
    if (A.id == cudaLaunchAttributeClusterDimension)
      Cluster[0] = A.val.clusterDim.x, Cluster[1] = A.val.clusterDim.y, Cluster[2] = A.val.clusterDim.z;
  }
  return result(kcheck_host_launch(F, C->gridDim, C->blockDim, Args, C->dynamicSmemBytes, C->stream, Cooperative, Cluster[0] * Cluster[1] * Cluster[2] > 1 ? Cluster : nullptr));
}

// Hints, pools ---------------------------------------------------------------

#if CUDART_VERSION >= 13000
extern "C" cudaError_t cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t) { return cudaSuccess; }
extern "C" cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }
#else
extern "C" cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t) { return cudaSuccess; }
extern "C" cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
#endif
extern "C" cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *P, int) { *P = (cudaMemPool_t)1; return cudaSuccess; }
extern "C" cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *P, int) { *P = (cudaMemPool_t)1; return cudaSuccess; }
extern "C" cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaSuccess; }
extern "C" cudaError_t cudaMemPoolCreate(cudaMemPool_t *P, const cudaMemPoolProps *) { *P = (cudaMemPool_t)2; return cudaSuccess; }
extern "C" cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
extern "C" cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
extern "C" cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *V) { memset(V, 0, 4); return cudaSuccess; }
extern "C" cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
extern "C" cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, size_t) { return cudaSuccess; }
extern "C" cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue *) { return cudaSuccess; }
extern "C" cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue *V) { memset(V, 0, sizeof *V); return cudaSuccess; }
extern "C" cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

// Graph nodes ----------------------------------------------------------------

extern "C" cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *N, cudaGraph_t G, const cudaGraphNode_t *Before, size_t Count, const cudaKernelNodeParams *P) {
  return result(kcheck_graph_kernel((void **)N, G, (void **)Before, Count, P->func, P->gridDim, P->blockDim, P->kernelParams, P->sharedMemBytes));
}
extern "C" cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t N, const cudaKernelNodeParams *P) {
  return result(kcheck_graph_update_kernel(nullptr, N, P->func, P->gridDim, P->blockDim, P->kernelParams, P->sharedMemBytes));
}
extern "C" cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t E, cudaGraphNode_t N, const cudaKernelNodeParams *P) {
  return result(kcheck_graph_update_kernel(E, N, P->func, P->gridDim, P->blockDim, P->kernelParams, P->sharedMemBytes));
}
extern "C" cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *N, cudaGraph_t G, const cudaGraphNode_t *Before, size_t Count, const cudaHostNodeParams *P) {
  return result(kcheck_graph_host((void **)N, G, (void **)Before, Count, P->fn, P->userData));
}
#if CUDART_VERSION >= 13000
extern "C" cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *From, const cudaGraphNode_t *To, const cudaGraphEdgeData *, size_t Count) {
  return result(kcheck_graph_dependencies((void **)From, (void **)To, Count));
}
#else
extern "C" cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *From, const cudaGraphNode_t *To, size_t Count) {
  return result(kcheck_graph_dependencies((void **)From, (void **)To, Count));
}
#endif
static int graphCopy(const void *P) { return int(cudaMemcpy3D((const cudaMemcpy3DParms *)P)); }
extern "C" cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *N, cudaGraph_t G, const cudaGraphNode_t *Before, size_t Count, const cudaMemcpy3DParms *P) {
  return result(kcheck_graph_call((void **)N, G, (void **)Before, Count, 1, graphCopy, P, sizeof *P));
}
namespace {
struct Copy1D {
  void *To;
  const void *From;
  size_t Bytes;
  cudaMemcpyKind Kind;
};
}
static int graphCopy1D(const void *P) {
  const Copy1D *C = (const Copy1D *)P;
  return int(cudaMemcpy(C->To, C->From, C->Bytes, C->Kind));
}
extern "C" cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *N, cudaGraph_t G, const cudaGraphNode_t *Before, size_t Count, void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind) {
  Copy1D C = {To, From, Bytes, Kind};
  return result(kcheck_graph_call((void **)N, G, (void **)Before, Count, 1, graphCopy1D, &C, sizeof C));
}
static int graphSet(const void *P) {
  const cudaMemsetParams *M = (const cudaMemsetParams *)P;
  for (size_t Y = 0; Y < M->height; ++Y) {
    char *Row = (char *)M->dst + Y * M->pitch;
    if (M->elementSize == 1 || M->value == 0) {
      if (int E = int(cudaMemset(Row, int(M->value), M->width * M->elementSize)))
        return E;
      continue;
    }
    for (size_t X = 0; X < M->width; ++X)
      if (int E = int(cudaMemcpy(Row + X * M->elementSize, &M->value, M->elementSize, cudaMemcpyHostToDevice)))
        return E;
  }
  return 0;
}
extern "C" cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *N, cudaGraph_t G, const cudaGraphNode_t *Before, size_t Count, const cudaMemsetParams *P) {
  return result(kcheck_graph_call((void **)N, G, (void **)Before, Count, 2, graphSet, P, sizeof *P));
}
