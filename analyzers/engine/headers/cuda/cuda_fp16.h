// 16-bit floating point in our own words: the types and the calls that kernels make.
#pragma once
#pragma clang system_header
#include "kcheck_bundled.h"
struct __attribute__((aligned(2))) __half_raw { unsigned short x; };
struct __attribute__((aligned(2))) __half {
  unsigned short __x;
  __half() = default;
  __host__ __device__ __half(float);
  __host__ __device__ __half(double);
  __host__ __device__ __half(int);
  __host__ __device__ __half(unsigned int);
  __host__ __device__ __half(long);
  __host__ __device__ __half(unsigned long);
  __host__ __device__ __half(long long);
  __host__ __device__ __half(unsigned long long);
  __host__ __device__ __half(short);
  __host__ __device__ __half(unsigned short);
  __host__ __device__ operator float() const;
  __host__ __device__ __half &operator=(float);
  __host__ __device__ __half &operator=(double);
  __host__ __device__ explicit operator bool() const;
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ constexpr __half2(const __half &a, const __half &b) : x(a), y(b) {}
};
__host__ __device__ __half operator+(const __half &, const __half &);
static inline __host__ __device__ __half &operator+=(__half &a, const __half &b) { a = a + b; return a; }
__host__ __device__ __half operator-(const __half &, const __half &);
static inline __host__ __device__ __half &operator-=(__half &a, const __half &b) { a = a - b; return a; }
__host__ __device__ __half operator*(const __half &, const __half &);
static inline __host__ __device__ __half &operator*=(__half &a, const __half &b) { a = a * b; return a; }
__host__ __device__ __half operator/(const __half &, const __half &);
static inline __host__ __device__ __half &operator/=(__half &a, const __half &b) { a = a / b; return a; }
__host__ __device__ __half operator-(const __half &);
__host__ __device__ bool operator==(const __half &, const __half &);
__host__ __device__ bool operator!=(const __half &, const __half &);
__host__ __device__ bool operator<(const __half &, const __half &);
__host__ __device__ bool operator>(const __half &, const __half &);
__host__ __device__ bool operator<=(const __half &, const __half &);
__host__ __device__ bool operator>=(const __half &, const __half &);
__host__ __device__ __half2 operator+(const __half2 &, const __half2 &);
static inline __host__ __device__ __half2 &operator+=(__half2 &a, const __half2 &b) { a = a + b; return a; }
__host__ __device__ __half2 operator-(const __half2 &, const __half2 &);
static inline __host__ __device__ __half2 &operator-=(__half2 &a, const __half2 &b) { a = a - b; return a; }
__host__ __device__ __half2 operator*(const __half2 &, const __half2 &);
static inline __host__ __device__ __half2 &operator*=(__half2 &a, const __half2 &b) { a = a * b; return a; }
__host__ __device__ __half2 operator/(const __half2 &, const __half2 &);
static inline __host__ __device__ __half2 &operator/=(__half2 &a, const __half2 &b) { a = a / b; return a; }
__host__ __device__ __half2 operator-(const __half2 &);
__host__ __device__ bool operator==(const __half2 &, const __half2 &);
__host__ __device__ bool operator!=(const __half2 &, const __half2 &);
__host__ __device__ bool operator<(const __half2 &, const __half2 &);
__host__ __device__ bool operator>(const __half2 &, const __half2 &);
__host__ __device__ bool operator<=(const __half2 &, const __half2 &);
__host__ __device__ bool operator>=(const __half2 &, const __half2 &);
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
__host__ __device__ __half __hadd(__half, __half);
__host__ __device__ __half __hsub(__half, __half);
__host__ __device__ __half __hmul(__half, __half);
__host__ __device__ __half __hdiv(__half, __half);
__host__ __device__ __half __hmin(__half, __half);
__host__ __device__ __half __hmax(__half, __half);
__host__ __device__ __half __hadd_rn(__half, __half);
__host__ __device__ __half __hsub_rn(__half, __half);
__host__ __device__ __half __hmul_rn(__half, __half);
__host__ __device__ __half __hadd_sat(__half, __half);
__host__ __device__ __half __hsub_sat(__half, __half);
__host__ __device__ __half __hmul_sat(__half, __half);
__host__ __device__ __half __hmin_nan(__half, __half);
__host__ __device__ __half __hmax_nan(__half, __half);
__host__ __device__ __half2 __hadd2(__half2, __half2);
__host__ __device__ __half2 __hsub2(__half2, __half2);
__host__ __device__ __half2 __hmul2(__half2, __half2);
__host__ __device__ __half2 __hmin2(__half2, __half2);
__host__ __device__ __half2 __hmax2(__half2, __half2);
__host__ __device__ __half2 __hadd_rn2(__half2, __half2);
__host__ __device__ __half2 __hsub_rn2(__half2, __half2);
__host__ __device__ __half2 __hmul_rn2(__half2, __half2);
__host__ __device__ __half2 __hadd_sat2(__half2, __half2);
__host__ __device__ __half2 __hsub_sat2(__half2, __half2);
__host__ __device__ __half2 __hmul_sat2(__half2, __half2);
__host__ __device__ __half2 __hmin_nan2(__half2, __half2);
__host__ __device__ __half2 __hmax_nan2(__half2, __half2);
__host__ __device__ __half2 __h2div(__half2, __half2);
__device__ __half __hfma(__half, __half, __half);
__device__ __half2 __hfma2(__half2, __half2, __half2);
__device__ __half __hfma_sat(__half, __half, __half);
__device__ __half2 __hfma2_sat(__half2, __half2, __half2);
__device__ __half __hfma_relu(__half, __half, __half);
__device__ __half2 __hfma2_relu(__half2, __half2, __half2);
__host__ __device__ __half __hneg(__half);
__host__ __device__ __half2 __hneg2(__half2);
__host__ __device__ __half __habs(__half);
__host__ __device__ __half2 __habs2(__half2);
__device__ __half hexp(__half);
__device__ __half2 h2exp(__half2);
__device__ __half hexp2(__half);
__device__ __half2 h2exp2(__half2);
__device__ __half hexp10(__half);
__device__ __half2 h2exp10(__half2);
__device__ __half hlog(__half);
__device__ __half2 h2log(__half2);
__device__ __half hlog2(__half);
__device__ __half2 h2log2(__half2);
__device__ __half hlog10(__half);
__device__ __half2 h2log10(__half2);
__device__ __half hsqrt(__half);
__device__ __half2 h2sqrt(__half2);
__device__ __half hrsqrt(__half);
__device__ __half2 h2rsqrt(__half2);
__device__ __half hrcp(__half);
__device__ __half2 h2rcp(__half2);
__device__ __half hsin(__half);
__device__ __half2 h2sin(__half2);
__device__ __half hcos(__half);
__device__ __half2 h2cos(__half2);
__device__ __half hfloor(__half);
__device__ __half2 h2floor(__half2);
__device__ __half hceil(__half);
__device__ __half2 h2ceil(__half2);
__device__ __half hrint(__half);
__device__ __half2 h2rint(__half2);
__device__ __half htrunc(__half);
__device__ __half2 h2trunc(__half2);
__device__ __half htanh(__half);
__device__ __half2 h2tanh(__half2);
__host__ __device__ bool __heq(__half, __half);
__host__ __device__ __half2 __heq2(__half2, __half2);
__host__ __device__ bool __hbeq2(__half2, __half2);
__host__ __device__ bool __hne(__half, __half);
__host__ __device__ __half2 __hne2(__half2, __half2);
__host__ __device__ bool __hbne2(__half2, __half2);
__host__ __device__ bool __hlt(__half, __half);
__host__ __device__ __half2 __hlt2(__half2, __half2);
__host__ __device__ bool __hblt2(__half2, __half2);
__host__ __device__ bool __hgt(__half, __half);
__host__ __device__ __half2 __hgt2(__half2, __half2);
__host__ __device__ bool __hbgt2(__half2, __half2);
__host__ __device__ bool __hle(__half, __half);
__host__ __device__ __half2 __hle2(__half2, __half2);
__host__ __device__ bool __hble2(__half2, __half2);
__host__ __device__ bool __hge(__half, __half);
__host__ __device__ __half2 __hge2(__half2, __half2);
__host__ __device__ bool __hbge2(__half2, __half2);
__host__ __device__ bool __hequ(__half, __half);
__host__ __device__ __half2 __hequ2(__half2, __half2);
__host__ __device__ bool __hbequ2(__half2, __half2);
__host__ __device__ bool __hneu(__half, __half);
__host__ __device__ __half2 __hneu2(__half2, __half2);
__host__ __device__ bool __hbneu2(__half2, __half2);
__host__ __device__ bool __hltu(__half, __half);
__host__ __device__ __half2 __hltu2(__half2, __half2);
__host__ __device__ bool __hbltu2(__half2, __half2);
__host__ __device__ bool __hgtu(__half, __half);
__host__ __device__ __half2 __hgtu2(__half2, __half2);
__host__ __device__ bool __hbgtu2(__half2, __half2);
__host__ __device__ bool __hleu(__half, __half);
__host__ __device__ __half2 __hleu2(__half2, __half2);
__host__ __device__ bool __hbleu2(__half2, __half2);
__host__ __device__ bool __hgeu(__half, __half);
__host__ __device__ __half2 __hgeu2(__half2, __half2);
__host__ __device__ bool __hbgeu2(__half2, __half2);
__host__ __device__ bool __hisnan(__half);
__host__ __device__ int __hisinf(__half);
static inline __device__ __half __ldg(const __half *p) { return *p; }
static inline __device__ __half2 __ldg(const __half2 *p) { return *p; }
static inline __device__ __half __ldcg(const __half *p) { return *p; }
static inline __device__ __half2 __ldcg(const __half2 *p) { return *p; }
static inline __device__ __half __ldcs(const __half *p) { return *p; }
static inline __device__ __half2 __ldcs(const __half2 *p) { return *p; }
static inline __device__ __half __ldca(const __half *p) { return *p; }
static inline __device__ __half2 __ldca(const __half2 *p) { return *p; }
static inline __device__ __half __ldlu(const __half *p) { return *p; }
static inline __device__ __half2 __ldlu(const __half2 *p) { return *p; }
static inline __device__ __half __ldcv(const __half *p) { return *p; }
static inline __device__ __half2 __ldcv(const __half2 *p) { return *p; }
static inline __device__ void __stcg(__half *p, __half v) { *p = v; }
static inline __device__ void __stcg(__half2 *p, __half2 v) { *p = v; }
static inline __device__ void __stcs(__half *p, __half v) { *p = v; }
static inline __device__ void __stcs(__half2 *p, __half2 v) { *p = v; }
static inline __device__ void __stwb(__half *p, __half v) { *p = v; }
static inline __device__ void __stwb(__half2 *p, __half2 v) { *p = v; }
static inline __device__ void __stwt(__half *p, __half v) { *p = v; }
static inline __device__ void __stwt(__half2 *p, __half2 v) { *p = v; }
__device__ __half __shfl_sync(unsigned, __half, int, int = 32);
__device__ __half2 __shfl_sync(unsigned, __half2, int, int = 32);
__device__ __half __shfl_up_sync(unsigned, __half, unsigned int, int = 32);
__device__ __half2 __shfl_up_sync(unsigned, __half2, unsigned int, int = 32);
__device__ __half __shfl_down_sync(unsigned, __half, unsigned int, int = 32);
__device__ __half2 __shfl_down_sync(unsigned, __half2, unsigned int, int = 32);
__device__ __half __shfl_xor_sync(unsigned, __half, int, int = 32);
__device__ __half2 __shfl_xor_sync(unsigned, __half2, int, int = 32);
static inline __device__ __half atomicAdd(__half *p, __half v) { __half old = *p; *p = old + v; return old; }
static inline __device__ __half2 atomicAdd(__half2 *p, __half2 v) { __half2 old = *p; *p = old + v; return old; }
__host__ __device__ __half __float2half(float);
__host__ __device__ __half __float2half_rn(float);
__host__ __device__ __half __float2half_rz(float);
__host__ __device__ __half __float2half_ru(float);
__host__ __device__ __half __float2half_rd(float);
__host__ __device__ __half __double2half(double);
__host__ __device__ float __half2float(__half);
__host__ __device__ __half2 __float2half2_rn(float);
__host__ __device__ __half2 __floats2half2_rn(float, float);
__host__ __device__ __half2 __float22half2_rn(float2);
__host__ __device__ float2 __half22float2(__half2);
__host__ __device__ float __low2float(__half2);
__host__ __device__ float __high2float(__half2);
__host__ __device__ __half __low2half(__half2);
__host__ __device__ __half __high2half(__half2);
__host__ __device__ __half2 __half2half2(__half);
__host__ __device__ __half2 __halves2half2(__half, __half);
__host__ __device__ __half2 __lowhigh2highlow(__half2);
__host__ __device__ __half2 __low2half2(__half2);
__host__ __device__ __half2 __high2half2(__half2);
__host__ __device__ __half2 make_half2(__half, __half);
__host__ __device__ int __half2int_rn(__half);
__host__ __device__ int __half2int_rz(__half);
__host__ __device__ __half __int2half_rn(int);
__host__ __device__ unsigned int __half2uint_rn(__half);
__host__ __device__ unsigned int __half2uint_rz(__half);
__host__ __device__ __half __uint2half_rn(unsigned int);
__host__ __device__ short __half2short_rn(__half);
__host__ __device__ short __half2short_rz(__half);
__host__ __device__ __half __short2half_rn(short);
__host__ __device__ unsigned short __half2ushort_rn(__half);
__host__ __device__ unsigned short __half2ushort_rz(__half);
__host__ __device__ __half __ushort2half_rn(unsigned short);
__host__ __device__ long long __half2ll_rn(__half);
__host__ __device__ long long __half2ll_rz(__half);
__host__ __device__ __half __ll2half_rn(long long);
__host__ __device__ unsigned long long __half2ull_rn(__half);
__host__ __device__ unsigned long long __half2ull_rz(__half);
__host__ __device__ __half __ull2half_rn(unsigned long long);
__host__ __device__ __half __ushort_as_half(unsigned short);
__host__ __device__ unsigned short __half_as_ushort(__half);
__host__ __device__ __half __short_as_half(short);
__host__ __device__ short __half_as_short(__half);
