// The little of CUDA that rule tests need, so that they run without a toolkit and parse in milliseconds.
// Real index variables come from Clang's own header: the AST has the same shape as with a toolkit.
#pragma clang system_header // as the toolkit's own headers are
#ifndef KCHECK_TEST_MOCK_CUDA_H
#define KCHECK_TEST_MOCK_CUDA_H
#include <stddef.h>
#include <stdint.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define CUDART_VERSION 13000

#define KCHECK_MOCK_VECTOR(T, N, A)                                                                \
  struct T##2 { N x, y; } __align__(2 * A);                                                        \
  struct T##3 { N x, y, z; };                                                                      \
  struct T##4 { N x, y, z, w; } __align__(4 * A);                                                  \
  static inline __host__ __device__ T##2 make_##T##2(N x, N y) { return {x, y}; }                  \
  static inline __host__ __device__ T##3 make_##T##3(N x, N y, N z) { return {x, y, z}; }          \
  static inline __host__ __device__ T##4 make_##T##4(N x, N y, N z, N w) { return {x, y, z, w}; }
KCHECK_MOCK_VECTOR(char, signed char, 1)
KCHECK_MOCK_VECTOR(uchar, unsigned char, 1)
KCHECK_MOCK_VECTOR(short, short, 2)
KCHECK_MOCK_VECTOR(ushort, unsigned short, 2)
KCHECK_MOCK_VECTOR(int, int, 4)
KCHECK_MOCK_VECTOR(uint, unsigned, 4)
KCHECK_MOCK_VECTOR(float, float, 4)
struct double2 { double x, y; } __align__(16);
struct longlong2 { long long x, y; } __align__(16);
struct ulonglong2 { unsigned long long x, y; } __align__(16);

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};
#include <__clang_cuda_builtin_vars.h>

// Runtime API
enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };
typedef cudaError cudaError_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
extern "C" {
cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t s);
cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags = 1);
cudaError_t cudaMallocHost(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeAsync(void *p, cudaStream_t s);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t s = 0);
cudaError_t cudaMemset(void *p, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t s = 0);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t e);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamCreate(cudaStream_t *s);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaEventCreate(cudaEvent_t *e);
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t e);
cudaError_t cudaFuncSetAttribute(const void *f, cudaFuncAttribute a, int value);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s);
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t);
__device__ void free(void *);
}
template <class T> cudaError_t cudaMalloc(T **p, size_t bytes) { return cudaMalloc((void **)(void *)p, bytes); }
template <class T> cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t s) { return cudaMallocAsync((void **)(void *)p, bytes, s); }
template <class T> cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned flags = 1) { return cudaMallocManaged((void **)(void *)p, bytes, flags); }
template <class T> cudaError_t cudaMallocHost(T **p, size_t bytes) { return cudaMallocHost((void **)(void *)p, bytes); }
template <class F> cudaError_t cudaFuncSetAttribute(F *f, cudaFuncAttribute a, int value) { return cudaFuncSetAttribute((const void *)f, a, value); }
template <class T> cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice);
template <class T> cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost);

// Device functions
extern "C" {
__device__ void __syncwarp(unsigned mask = 0xffffffffu);
__device__ int __syncthreads_count(int);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_or(int);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();
__device__ void __trap();
}
__device__ unsigned __ballot_sync(unsigned mask, int p);
__device__ int __any_sync(unsigned mask, int p);
__device__ int __all_sync(unsigned mask, int p);
__device__ unsigned __activemask();
__device__ int __popc(unsigned);
__device__ int __ffs(int);
__device__ int __clz(int);
__device__ unsigned __float_as_uint(float);
__device__ int __float_as_int(float);
__device__ float __uint_as_float(unsigned);
__device__ float __int_as_float(int);
#define KCHECK_MOCK_SHUFFLE(T)                                                                     \
  __device__ T __shfl_sync(unsigned mask, T v, int lane, int width = 32);                          \
  __device__ T __shfl_up_sync(unsigned mask, T v, unsigned d, int width = 32);                     \
  __device__ T __shfl_down_sync(unsigned mask, T v, unsigned d, int width = 32);                   \
  __device__ T __shfl_xor_sync(unsigned mask, T v, int m, int width = 32);                         \
  __device__ T __shfl(T v, int lane, int width = 32);                                              \
  __device__ T __shfl_up(T v, unsigned d, int width = 32);                                         \
  __device__ T __shfl_down(T v, unsigned d, int width = 32);                                       \
  __device__ T __shfl_xor(T v, int m, int width = 32);
KCHECK_MOCK_SHUFFLE(int)
KCHECK_MOCK_SHUFFLE(unsigned)
KCHECK_MOCK_SHUFFLE(float)
KCHECK_MOCK_SHUFFLE(double)
#define KCHECK_MOCK_ATOMIC(T)                                                                      \
  __device__ T atomicAdd(T *p, T v);                                                               \
  __device__ T atomicExch(T *p, T v);                                                              \
  __device__ T atomicAdd_block(T *p, T v);                                                         \
  __device__ T atomicExch_block(T *p, T v);
#define KCHECK_MOCK_ATOMIC_INT(T)                                                                  \
  KCHECK_MOCK_ATOMIC(T)                                                                            \
  __device__ T atomicSub(T *p, T v);                                                               \
  __device__ T atomicMin(T *p, T v);                                                               \
  __device__ T atomicMax(T *p, T v);                                                               \
  __device__ T atomicAnd(T *p, T v);                                                               \
  __device__ T atomicOr(T *p, T v);                                                                \
  __device__ T atomicXor(T *p, T v);                                                               \
  __device__ T atomicCAS(T *p, T old, T v);                                                        \
  __device__ T atomicCAS_block(T *p, T old, T v);
KCHECK_MOCK_ATOMIC_INT(int)
KCHECK_MOCK_ATOMIC_INT(unsigned)
KCHECK_MOCK_ATOMIC_INT(unsigned long long)
KCHECK_MOCK_ATOMIC(float)
KCHECK_MOCK_ATOMIC(double)
__device__ unsigned atomicInc(unsigned *p, unsigned limit);
__device__ unsigned atomicDec(unsigned *p, unsigned limit);
template <class T> __device__ T __ldg(const T *p) { return *p; }
template <class T> __device__ void __stcs(T *p, T v) { *p = v; }
template <class T> __device__ T __ldcs(const T *p) { return *p; }

#define KCHECK_MOCK_MATH1(F)                                                                       \
  __device__ float F##f(float);                                                                    \
  __device__ double F(double);                                                                     \
  __device__ float F(float);
KCHECK_MOCK_MATH1(exp)
KCHECK_MOCK_MATH1(log)
KCHECK_MOCK_MATH1(sqrt)
KCHECK_MOCK_MATH1(rsqrt)
KCHECK_MOCK_MATH1(tanh)
KCHECK_MOCK_MATH1(sin)
KCHECK_MOCK_MATH1(cos)
KCHECK_MOCK_MATH1(erf)
KCHECK_MOCK_MATH1(fabs)
KCHECK_MOCK_MATH1(floor)
KCHECK_MOCK_MATH1(ceil)
KCHECK_MOCK_MATH1(log1p)
KCHECK_MOCK_MATH1(exp2)
__device__ float fmaxf(float, float);
__device__ float fminf(float, float);
__device__ double fmax(double, double);
__device__ double fmin(double, double);
__device__ float powf(float, float);
__device__ double pow(double, double);
__device__ float fmaf(float, float, float);
__device__ float __expf(float);
__device__ float __fdividef(float, float);
#define KCHECK_MOCK_MINMAX(T)                                                                      \
  static inline __host__ __device__ T min(T a, T b) { return a < b ? a : b; }                      \
  static inline __host__ __device__ T max(T a, T b) { return a > b ? a : b; }
KCHECK_MOCK_MINMAX(int)
KCHECK_MOCK_MINMAX(unsigned)
KCHECK_MOCK_MINMAX(long)
KCHECK_MOCK_MINMAX(long long)
KCHECK_MOCK_MINMAX(unsigned long)
KCHECK_MOCK_MINMAX(unsigned long long)
KCHECK_MOCK_MINMAX(float)
KCHECK_MOCK_MINMAX(double)

#endif
