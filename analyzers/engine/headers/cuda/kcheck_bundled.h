// What every CUDA file reads first when no toolkit was found: enough of the CUDA runtime, in our own words, to analyse
// typical kernels and their launches. Intrinsics and math functions come from Clang's own headers.
#ifndef KCHECK_BUNDLED_H
#define KCHECK_BUNDLED_H
#pragma clang system_header
#if defined(__CUDA__) && defined(__clang__)

#include <__clang_cuda_math_forward_declares.h>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility>

#define CUDA_VERSION 12080
#define CUDART_VERSION 12080
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __NVCC__
#define __CUDACC__

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#define __cluster_dims__(...)
#define __maxnreg__(n)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB
#define CUDART_INF_F __int_as_float(0x7f800000)
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_INF __longlong_as_double(0x7ff0000000000000LL)

#include "vector_types.h"
#include <__clang_cuda_builtin_vars.h>

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return {x, y, z}; }

#include "kcheck_runtime_api.h"

//===- device code ----------------------------------------------------------===//
extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void free(void *) __attribute((nothrow));
__device__ void *malloc(size_t) __attribute((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t charSize);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line, const char *function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}
namespace std {
__device__ static inline void free(void *p) { ::free(p); }
__device__ static inline void *malloc(size_t n) { return ::malloc(n); }
} // namespace std

typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
#define KCHECK_DEVICE static __device__ __forceinline__
KCHECK_DEVICE unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
KCHECK_DEVICE unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
KCHECK_DEVICE unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
KCHECK_DEVICE unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
extern "C" {
__device__ size_t __cvta_generic_to_shared(const void *);
__device__ size_t __cvta_generic_to_global(const void *);
__device__ void *__cvta_shared_to_generic(size_t);
__device__ void *__cvta_global_to_generic(size_t);
}

#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>
#include <__clang_cuda_intrinsics.h>
#include <__clang_cuda_complex_builtins.h>

extern "C" {
__host__ float rsqrtf(float);
__host__ double rsqrt(double);
__host__ void sincospif(float, float *, float *);
__host__ void sincospi(double, double *, double *);
__host__ float rcbrtf(float);
__host__ double normcdf(double);
__host__ float normcdff(float);
}
KCHECK_DEVICE float rsqrt(float a) { return rsqrtf(a); }

#ifdef KCHECK_SIMULATOR
#include "kcheck_sim_atomics.h"
#include "kcheck_device_math.h"
#else
// Atomics read, modify and write in one step; the bodies say what is written.
#define KCHECK_ATOMIC(Name, T, New)                                                                                             \
  KCHECK_DEVICE T Name(T *address, T val) { T old = *address; *address = (New); return old; }                                  \
  KCHECK_DEVICE T Name##_block(T *address, T val) { T old = *address; *address = (New); return old; }                          \
  KCHECK_DEVICE T Name##_system(T *address, T val) { T old = *address; *address = (New); return old; }
#define KCHECK_ATOMIC_INT(M, Name, New) M(Name, int, New) M(Name, unsigned int, New) M(Name, unsigned long long, New)
KCHECK_ATOMIC_INT(KCHECK_ATOMIC, atomicAdd, old + val)
KCHECK_ATOMIC(atomicAdd, float, old + val)
KCHECK_ATOMIC(atomicAdd, double, old + val)
KCHECK_ATOMIC(atomicSub, int, old - val)
KCHECK_ATOMIC(atomicSub, unsigned int, old - val)
KCHECK_ATOMIC_INT(KCHECK_ATOMIC, atomicExch, val)
KCHECK_ATOMIC(atomicExch, float, val)
KCHECK_ATOMIC_INT(KCHECK_ATOMIC, atomicMin, val < old ? val : old)
KCHECK_ATOMIC(atomicMin, long long, val < old ? val : old)
KCHECK_ATOMIC_INT(KCHECK_ATOMIC, atomicMax, val > old ? val : old)
KCHECK_ATOMIC(atomicMax, long long, val > old ? val : old)
KCHECK_ATOMIC(atomicInc, unsigned int, old >= val ? 0 : old + 1)
KCHECK_ATOMIC(atomicDec, unsigned int, (old == 0 || old > val) ? val : old - 1)
KCHECK_ATOMIC_INT(KCHECK_ATOMIC, atomicAnd, old & val)
KCHECK_ATOMIC_INT(KCHECK_ATOMIC, atomicOr, old | val)
KCHECK_ATOMIC_INT(KCHECK_ATOMIC, atomicXor, old ^ val)
#define KCHECK_CAS(T)                                                                                                           \
  KCHECK_DEVICE T atomicCAS(T *address, T compare, T val) { T old = *address; *address = old == compare ? val : old; return old; } \
  KCHECK_DEVICE T atomicCAS_block(T *address, T compare, T val) { return atomicCAS(address, compare, val); }                   \
  KCHECK_DEVICE T atomicCAS_system(T *address, T compare, T val) { return atomicCAS(address, compare, val); }
KCHECK_CAS(int) KCHECK_CAS(unsigned int) KCHECK_CAS(unsigned long long) KCHECK_CAS(unsigned short)
#undef KCHECK_CAS
#undef KCHECK_ATOMIC_INT
#undef KCHECK_ATOMIC
#endif

__device__ int __dp4a(int a, int b, int c);
__device__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c);
__device__ int __dp2a_lo(short2 a, char4 b, int c);
__device__ int __dp2a_hi(short2 a, char4 b, int c);

// Textures and surfaces: opaque.
template <class T> __device__ T tex1Dfetch(cudaTextureObject_t, int);
template <class T> __device__ T tex1D(cudaTextureObject_t, float);
template <class T> __device__ T tex2D(cudaTextureObject_t, float, float);
template <class T> __device__ T tex3D(cudaTextureObject_t, float, float, float);
template <class T> __device__ T tex1DLayered(cudaTextureObject_t, float, int);
template <class T> __device__ T tex2DLayered(cudaTextureObject_t, float, float, int);
template <class T> __device__ T tex2DLod(cudaTextureObject_t, float, float, float);
template <class T> __device__ T tex2Dgather(cudaTextureObject_t, float, float, int = 0);
template <class T> __device__ T surf1Dread(cudaSurfaceObject_t, int, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
template <class T> __device__ T surf2Dread(cudaSurfaceObject_t, int, int, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
template <class T> __device__ void surf1Dread(T *, cudaSurfaceObject_t, int, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
template <class T> __device__ void surf2Dread(T *, cudaSurfaceObject_t, int, int, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
template <class T> __device__ void surf3Dread(T *, cudaSurfaceObject_t, int, int, int, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
template <class T> __device__ void surf1Dwrite(T, cudaSurfaceObject_t, int, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
template <class T> __device__ void surf2Dwrite(T, cudaSurfaceObject_t, int, int, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
template <class T> __device__ void surf3Dwrite(T, cudaSurfaceObject_t, int, int, int, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);

#define KCHECK_MINMAX_DEVICE
#include "kcheck_minmax.h"
#include "kcheck_cache_hints.h"
#include "kcheck_nv_atomics.h"
extern "C" unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0, void *stream = 0);
#undef KCHECK_DEVICE
#endif
#endif
