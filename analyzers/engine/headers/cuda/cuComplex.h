#pragma once
#pragma clang system_header
#include "kcheck_bundled.h"
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define KCHECK_COMPLEX(C, T, make, re, im, add, sub, mul, div, conj, abs)                                                       \
  static __inline__ __host__ __device__ C make(T r, T i) { C z; z.x = r; z.y = i; return z; }                                  \
  static __inline__ __host__ __device__ T re(C z) { return z.x; }                                                              \
  static __inline__ __host__ __device__ T im(C z) { return z.y; }                                                              \
  static __inline__ __host__ __device__ C add(C a, C b) { return make(a.x + b.x, a.y + b.y); }                                 \
  static __inline__ __host__ __device__ C sub(C a, C b) { return make(a.x - b.x, a.y - b.y); }                                 \
  static __inline__ __host__ __device__ C mul(C a, C b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }          \
  static __inline__ __host__ __device__ C conj(C a) { return make(a.x, -a.y); }                                                \
  __host__ __device__ C div(C a, C b);                                                                                         \
  __host__ __device__ T abs(C a);
KCHECK_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, cuCrealf, cuCimagf, cuCaddf, cuCsubf, cuCmulf, cuCdivf, cuConjf, cuCabsf)
KCHECK_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, cuCreal, cuCimag, cuCadd, cuCsub, cuCmul, cuCdiv, cuConj, cuCabs)
#undef KCHECK_COMPLEX
static __inline__ __host__ __device__ cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
