// Device-side random numbers: opaque state, the usual draws.
#pragma once
#pragma clang system_header
#include "kcheck_bundled.h"
struct curandStateXORWOW { unsigned d, v[5]; int flags; float extra; double extra2; };
struct curandStatePhilox4_32_10 { uint4 ctr, output; uint2 key; unsigned state; int flags; float extra; double extra2; };
struct curandStateMRG32k3a { unsigned s1[3], s2[3]; int flags; float extra; double extra2; };
typedef curandStateXORWOW curandState_t, curandState, curandStateXORWOW_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
#define KCHECK_RNG(S)                                                                                                           \
  __device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, S *state);       \
  __device__ unsigned int curand(S *state);                                                                                     \
  __device__ float curand_uniform(S *state);                                                                                    \
  __device__ double curand_uniform_double(S *state);                                                                            \
  __device__ float curand_normal(S *state);                                                                                     \
  __device__ double curand_normal_double(S *state);                                                                             \
  __device__ float2 curand_normal2(S *state);                                                                                   \
  __device__ float curand_log_normal(S *state, float, float);                                                                   \
  __device__ unsigned int curand_poisson(S *state, double);                                                                     \
  __device__ void skipahead(unsigned long long, S *state);
KCHECK_RNG(curandStateXORWOW) KCHECK_RNG(curandStatePhilox4_32_10) KCHECK_RNG(curandStateMRG32k3a)
#undef KCHECK_RNG
__device__ float4 curand_uniform4(curandStatePhilox4_32_10 *);
__device__ float4 curand_normal4(curandStatePhilox4_32_10 *);
__device__ uint4 curand4(curandStatePhilox4_32_10 *);
