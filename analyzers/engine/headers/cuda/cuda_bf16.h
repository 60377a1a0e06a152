// 16-bit floating point in our own words: the types and the calls that kernels make.
#pragma once
#pragma clang system_header
#include "kcheck_bundled.h"
struct __attribute__((aligned(2))) __nv_bfloat16_raw { unsigned short x; };
struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(float);
  __host__ __device__ __nv_bfloat16(double);
  __host__ __device__ __nv_bfloat16(int);
  __host__ __device__ __nv_bfloat16(unsigned int);
  __host__ __device__ __nv_bfloat16(long);
  __host__ __device__ __nv_bfloat16(unsigned long);
  __host__ __device__ __nv_bfloat16(long long);
  __host__ __device__ __nv_bfloat16(unsigned long long);
  __host__ __device__ __nv_bfloat16(short);
  __host__ __device__ __nv_bfloat16(unsigned short);
  __host__ __device__ operator float() const;
  __host__ __device__ __nv_bfloat16 &operator=(float);
  __host__ __device__ __nv_bfloat16 &operator=(double);
  __host__ __device__ explicit operator bool() const;
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ constexpr __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
};
__host__ __device__ __nv_bfloat16 operator+(const __nv_bfloat16 &, const __nv_bfloat16 &);
static inline __host__ __device__ __nv_bfloat16 &operator+=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { a = a + b; return a; }
__host__ __device__ __nv_bfloat16 operator-(const __nv_bfloat16 &, const __nv_bfloat16 &);
static inline __host__ __device__ __nv_bfloat16 &operator-=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { a = a - b; return a; }
__host__ __device__ __nv_bfloat16 operator*(const __nv_bfloat16 &, const __nv_bfloat16 &);
static inline __host__ __device__ __nv_bfloat16 &operator*=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { a = a * b; return a; }
__host__ __device__ __nv_bfloat16 operator/(const __nv_bfloat16 &, const __nv_bfloat16 &);
static inline __host__ __device__ __nv_bfloat16 &operator/=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { a = a / b; return a; }
__host__ __device__ __nv_bfloat16 operator-(const __nv_bfloat16 &);
__host__ __device__ bool operator==(const __nv_bfloat16 &, const __nv_bfloat16 &);
__host__ __device__ bool operator!=(const __nv_bfloat16 &, const __nv_bfloat16 &);
__host__ __device__ bool operator<(const __nv_bfloat16 &, const __nv_bfloat16 &);
__host__ __device__ bool operator>(const __nv_bfloat16 &, const __nv_bfloat16 &);
__host__ __device__ bool operator<=(const __nv_bfloat16 &, const __nv_bfloat16 &);
__host__ __device__ bool operator>=(const __nv_bfloat16 &, const __nv_bfloat16 &);
__host__ __device__ __nv_bfloat162 operator+(const __nv_bfloat162 &, const __nv_bfloat162 &);
static inline __host__ __device__ __nv_bfloat162 &operator+=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { a = a + b; return a; }
__host__ __device__ __nv_bfloat162 operator-(const __nv_bfloat162 &, const __nv_bfloat162 &);
static inline __host__ __device__ __nv_bfloat162 &operator-=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { a = a - b; return a; }
__host__ __device__ __nv_bfloat162 operator*(const __nv_bfloat162 &, const __nv_bfloat162 &);
static inline __host__ __device__ __nv_bfloat162 &operator*=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { a = a * b; return a; }
__host__ __device__ __nv_bfloat162 operator/(const __nv_bfloat162 &, const __nv_bfloat162 &);
static inline __host__ __device__ __nv_bfloat162 &operator/=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { a = a / b; return a; }
__host__ __device__ __nv_bfloat162 operator-(const __nv_bfloat162 &);
__host__ __device__ bool operator==(const __nv_bfloat162 &, const __nv_bfloat162 &);
__host__ __device__ bool operator!=(const __nv_bfloat162 &, const __nv_bfloat162 &);
__host__ __device__ bool operator<(const __nv_bfloat162 &, const __nv_bfloat162 &);
__host__ __device__ bool operator>(const __nv_bfloat162 &, const __nv_bfloat162 &);
__host__ __device__ bool operator<=(const __nv_bfloat162 &, const __nv_bfloat162 &);
__host__ __device__ bool operator>=(const __nv_bfloat162 &, const __nv_bfloat162 &);
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
__host__ __device__ __nv_bfloat16 __hadd(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hsub(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hmul(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hdiv(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hmin(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hmax(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hadd_rn(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hsub_rn(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hmul_rn(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hadd_sat(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hsub_sat(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hmul_sat(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hmin_nan(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __hmax_nan(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hadd2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hsub2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hmul2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hmin2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hmax2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hadd_rn2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hsub_rn2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hmul_rn2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hadd_sat2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hsub_sat2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hmul_sat2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hmin_nan2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __hmax_nan2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat162 __h2div(__nv_bfloat162, __nv_bfloat162);
__device__ __nv_bfloat16 __hfma(__nv_bfloat16, __nv_bfloat16, __nv_bfloat16);
__device__ __nv_bfloat162 __hfma2(__nv_bfloat162, __nv_bfloat162, __nv_bfloat162);
__device__ __nv_bfloat16 __hfma_sat(__nv_bfloat16, __nv_bfloat16, __nv_bfloat16);
__device__ __nv_bfloat162 __hfma2_sat(__nv_bfloat162, __nv_bfloat162, __nv_bfloat162);
__device__ __nv_bfloat16 __hfma_relu(__nv_bfloat16, __nv_bfloat16, __nv_bfloat16);
__device__ __nv_bfloat162 __hfma2_relu(__nv_bfloat162, __nv_bfloat162, __nv_bfloat162);
__host__ __device__ __nv_bfloat16 __hneg(__nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hneg2(__nv_bfloat162);
__host__ __device__ __nv_bfloat16 __habs(__nv_bfloat16);
__host__ __device__ __nv_bfloat162 __habs2(__nv_bfloat162);
__device__ __nv_bfloat16 hexp(__nv_bfloat16);
__device__ __nv_bfloat162 h2exp(__nv_bfloat162);
__device__ __nv_bfloat16 hexp2(__nv_bfloat16);
__device__ __nv_bfloat162 h2exp2(__nv_bfloat162);
__device__ __nv_bfloat16 hexp10(__nv_bfloat16);
__device__ __nv_bfloat162 h2exp10(__nv_bfloat162);
__device__ __nv_bfloat16 hlog(__nv_bfloat16);
__device__ __nv_bfloat162 h2log(__nv_bfloat162);
__device__ __nv_bfloat16 hlog2(__nv_bfloat16);
__device__ __nv_bfloat162 h2log2(__nv_bfloat162);
__device__ __nv_bfloat16 hlog10(__nv_bfloat16);
__device__ __nv_bfloat162 h2log10(__nv_bfloat162);
__device__ __nv_bfloat16 hsqrt(__nv_bfloat16);
__device__ __nv_bfloat162 h2sqrt(__nv_bfloat162);
__device__ __nv_bfloat16 hrsqrt(__nv_bfloat16);
__device__ __nv_bfloat162 h2rsqrt(__nv_bfloat162);
__device__ __nv_bfloat16 hrcp(__nv_bfloat16);
__device__ __nv_bfloat162 h2rcp(__nv_bfloat162);
__device__ __nv_bfloat16 hsin(__nv_bfloat16);
__device__ __nv_bfloat162 h2sin(__nv_bfloat162);
__device__ __nv_bfloat16 hcos(__nv_bfloat16);
__device__ __nv_bfloat162 h2cos(__nv_bfloat162);
__device__ __nv_bfloat16 hfloor(__nv_bfloat16);
__device__ __nv_bfloat162 h2floor(__nv_bfloat162);
__device__ __nv_bfloat16 hceil(__nv_bfloat16);
__device__ __nv_bfloat162 h2ceil(__nv_bfloat162);
__device__ __nv_bfloat16 hrint(__nv_bfloat16);
__device__ __nv_bfloat162 h2rint(__nv_bfloat162);
__device__ __nv_bfloat16 htrunc(__nv_bfloat16);
__device__ __nv_bfloat162 h2trunc(__nv_bfloat162);
__device__ __nv_bfloat16 htanh(__nv_bfloat16);
__device__ __nv_bfloat162 h2tanh(__nv_bfloat162);
__host__ __device__ bool __heq(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __heq2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hbeq2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hne(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hne2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hbne2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hlt(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hlt2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hblt2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hgt(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hgt2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hbgt2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hle(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hle2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hble2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hge(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hge2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hbge2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hequ(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hequ2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hbequ2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hneu(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hneu2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hbneu2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hltu(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hltu2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hbltu2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hgtu(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hgtu2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hbgtu2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hleu(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hleu2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hbleu2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hgeu(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 __hgeu2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hbgeu2(__nv_bfloat162, __nv_bfloat162);
__host__ __device__ bool __hisnan(__nv_bfloat16);
__host__ __device__ int __hisinf(__nv_bfloat16);
static inline __device__ __nv_bfloat16 __ldg(const __nv_bfloat16 *p) { return *p; }
static inline __device__ __nv_bfloat162 __ldg(const __nv_bfloat162 *p) { return *p; }
static inline __device__ __nv_bfloat16 __ldcg(const __nv_bfloat16 *p) { return *p; }
static inline __device__ __nv_bfloat162 __ldcg(const __nv_bfloat162 *p) { return *p; }
static inline __device__ __nv_bfloat16 __ldcs(const __nv_bfloat16 *p) { return *p; }
static inline __device__ __nv_bfloat162 __ldcs(const __nv_bfloat162 *p) { return *p; }
static inline __device__ __nv_bfloat16 __ldca(const __nv_bfloat16 *p) { return *p; }
static inline __device__ __nv_bfloat162 __ldca(const __nv_bfloat162 *p) { return *p; }
static inline __device__ __nv_bfloat16 __ldlu(const __nv_bfloat16 *p) { return *p; }
static inline __device__ __nv_bfloat162 __ldlu(const __nv_bfloat162 *p) { return *p; }
static inline __device__ __nv_bfloat16 __ldcv(const __nv_bfloat16 *p) { return *p; }
static inline __device__ __nv_bfloat162 __ldcv(const __nv_bfloat162 *p) { return *p; }
static inline __device__ void __stcg(__nv_bfloat16 *p, __nv_bfloat16 v) { *p = v; }
static inline __device__ void __stcg(__nv_bfloat162 *p, __nv_bfloat162 v) { *p = v; }
static inline __device__ void __stcs(__nv_bfloat16 *p, __nv_bfloat16 v) { *p = v; }
static inline __device__ void __stcs(__nv_bfloat162 *p, __nv_bfloat162 v) { *p = v; }
static inline __device__ void __stwb(__nv_bfloat16 *p, __nv_bfloat16 v) { *p = v; }
static inline __device__ void __stwb(__nv_bfloat162 *p, __nv_bfloat162 v) { *p = v; }
static inline __device__ void __stwt(__nv_bfloat16 *p, __nv_bfloat16 v) { *p = v; }
static inline __device__ void __stwt(__nv_bfloat162 *p, __nv_bfloat162 v) { *p = v; }
__device__ __nv_bfloat16 __shfl_sync(unsigned, __nv_bfloat16, int, int = 32);
__device__ __nv_bfloat162 __shfl_sync(unsigned, __nv_bfloat162, int, int = 32);
__device__ __nv_bfloat16 __shfl_up_sync(unsigned, __nv_bfloat16, unsigned int, int = 32);
__device__ __nv_bfloat162 __shfl_up_sync(unsigned, __nv_bfloat162, unsigned int, int = 32);
__device__ __nv_bfloat16 __shfl_down_sync(unsigned, __nv_bfloat16, unsigned int, int = 32);
__device__ __nv_bfloat162 __shfl_down_sync(unsigned, __nv_bfloat162, unsigned int, int = 32);
__device__ __nv_bfloat16 __shfl_xor_sync(unsigned, __nv_bfloat16, int, int = 32);
__device__ __nv_bfloat162 __shfl_xor_sync(unsigned, __nv_bfloat162, int, int = 32);
static inline __device__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) { __nv_bfloat16 old = *p; *p = old + v; return old; }
static inline __device__ __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) { __nv_bfloat162 old = *p; *p = old + v; return old; }
__host__ __device__ __nv_bfloat16 __float2bfloat16(float);
__host__ __device__ __nv_bfloat16 __float2bfloat16_rn(float);
__host__ __device__ __nv_bfloat16 __float2bfloat16_rz(float);
__host__ __device__ __nv_bfloat16 __float2bfloat16_ru(float);
__host__ __device__ __nv_bfloat16 __float2bfloat16_rd(float);
__host__ __device__ __nv_bfloat16 __double2bfloat16(double);
__host__ __device__ float __bfloat162float(__nv_bfloat16);
__host__ __device__ __nv_bfloat162 __float2bfloat162_rn(float);
__host__ __device__ __nv_bfloat162 __floats2bfloat162_rn(float, float);
__host__ __device__ __nv_bfloat162 __float22bfloat162_rn(float2);
__host__ __device__ float2 __bfloat1622float2(__nv_bfloat162);
__host__ __device__ float __low2float(__nv_bfloat162);
__host__ __device__ float __high2float(__nv_bfloat162);
__host__ __device__ __nv_bfloat16 __low2bfloat16(__nv_bfloat162);
__host__ __device__ __nv_bfloat16 __high2bfloat16(__nv_bfloat162);
__host__ __device__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16);
__host__ __device__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat162 make_bfloat162(__nv_bfloat16, __nv_bfloat16);
__host__ __device__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short);
__host__ __device__ unsigned short __bfloat16_as_ushort(__nv_bfloat16);
__host__ __device__ __nv_bfloat16 __int2bfloat16_rn(int);
__host__ __device__ int __bfloat162int_rn(__nv_bfloat16);
__host__ __device__ int __bfloat162int_rz(__nv_bfloat16);
