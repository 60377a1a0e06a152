// The device math library where there is no toolkit: what Clang's headers call __nv_NAME, in terms of the compiler's own
// builtins, which the simulator gives to the C library.
#ifndef KCHECK_DEVICE_MATH_H
#define KCHECK_DEVICE_MATH_H
#pragma clang system_header
#define KCHECK_FN extern "C" __device__ __attribute__((weak))
#define KCHECK_1(N)                                                                                                    \
  KCHECK_FN float __nv_##N##f(float x) { return __builtin_##N##f(x); }                                                 \
  KCHECK_FN double __nv_##N(double x) { return __builtin_##N(x); }
#define KCHECK_2(N)                                                                                                    \
  KCHECK_FN float __nv_##N##f(float x, float y) { return __builtin_##N##f(x, y); }                                     \
  KCHECK_FN double __nv_##N(double x, double y) { return __builtin_##N(x, y); }
KCHECK_1(sin) KCHECK_1(cos) KCHECK_1(tan) KCHECK_1(asin) KCHECK_1(acos) KCHECK_1(atan) KCHECK_1(sinh) KCHECK_1(cosh)
KCHECK_1(tanh) KCHECK_1(asinh) KCHECK_1(acosh) KCHECK_1(atanh) KCHECK_1(exp) KCHECK_1(exp2) KCHECK_1(exp10)
KCHECK_1(expm1) KCHECK_1(log) KCHECK_1(log2) KCHECK_1(log10) KCHECK_1(log1p) KCHECK_1(sqrt) KCHECK_1(cbrt)
KCHECK_1(floor) KCHECK_1(ceil) KCHECK_1(trunc) KCHECK_1(round) KCHECK_1(rint) KCHECK_1(nearbyint) KCHECK_1(fabs)
KCHECK_1(erf) KCHECK_1(erfc) KCHECK_1(tgamma) KCHECK_1(lgamma)
KCHECK_2(fmod) KCHECK_2(pow) KCHECK_2(atan2) KCHECK_2(fmin) KCHECK_2(fmax) KCHECK_2(hypot) KCHECK_2(copysign)
KCHECK_2(remainder) KCHECK_2(fdim) KCHECK_2(nextafter)
KCHECK_FN float __nv_fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
KCHECK_FN double __nv_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
KCHECK_FN float __nv_ldexpf(float x, int n) { return __builtin_ldexpf(x, n); }
KCHECK_FN double __nv_ldexp(double x, int n) { return __builtin_ldexp(x, n); }
KCHECK_FN float __nv_scalbnf(float x, int n) { return __builtin_ldexpf(x, n); }
KCHECK_FN double __nv_scalbn(double x, int n) { return __builtin_ldexp(x, n); }
KCHECK_FN float __nv_powif(float x, int n) { return __builtin_powf(x, float(n)); }
KCHECK_FN double __nv_powi(double x, int n) { return __builtin_pow(x, double(n)); }
KCHECK_FN float __nv_rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
KCHECK_FN double __nv_rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
KCHECK_FN float __nv_rcbrtf(float x) { return 1.0f / __builtin_cbrtf(x); }
KCHECK_FN double __nv_rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
KCHECK_FN void __nv_sincosf(float x, float *s, float *c) { *s = __builtin_sinf(x), *c = __builtin_cosf(x); }
KCHECK_FN void __nv_sincos(double x, double *s, double *c) { *s = __builtin_sin(x), *c = __builtin_cos(x); }
KCHECK_FN float __nv_sinpif(float x) { return float(__builtin_sin(3.14159265358979323846 * __builtin_fmod(x, 2.0))); }
KCHECK_FN float __nv_cospif(float x) { return float(__builtin_cos(3.14159265358979323846 * __builtin_fmod(x, 2.0))); }
KCHECK_FN double __nv_sinpi(double x) { return __builtin_sin(3.14159265358979323846 * __builtin_fmod(x, 2.0)); }
KCHECK_FN double __nv_cospi(double x) { return __builtin_cos(3.14159265358979323846 * __builtin_fmod(x, 2.0)); }
KCHECK_FN float __nv_normcdff(float x) { return float(0.5 * __builtin_erfc(-x * 0.70710678118654752440)); }
KCHECK_FN double __nv_normcdf(double x) { return 0.5 * __builtin_erfc(-x * 0.70710678118654752440); }
// The fast ones promise less, so the good ones do.
KCHECK_FN float __nv_fast_sinf(float x) { return __builtin_sinf(x); }
KCHECK_FN float __nv_fast_cosf(float x) { return __builtin_cosf(x); }
KCHECK_FN float __nv_fast_tanf(float x) { return __builtin_tanf(x); }
KCHECK_FN void __nv_fast_sincosf(float x, float *s, float *c) { *s = __builtin_sinf(x), *c = __builtin_cosf(x); }
KCHECK_FN float __nv_fast_expf(float x) { return __builtin_expf(x); }
KCHECK_FN float __nv_fast_exp10f(float x) { return __builtin_exp10f(x); }
KCHECK_FN float __nv_fast_logf(float x) { return __builtin_logf(x); }
KCHECK_FN float __nv_fast_log2f(float x) { return __builtin_log2f(x); }
KCHECK_FN float __nv_fast_log10f(float x) { return __builtin_log10f(x); }
KCHECK_FN float __nv_fast_powf(float x, float y) { return __builtin_powf(x, y); }
KCHECK_FN float __nv_fast_fdividef(float x, float y) { return x / y; }
KCHECK_FN float __nv_fadd_rn(float x, float y) { return x + y; }
KCHECK_FN float __nv_fsub_rn(float x, float y) { return x - y; }
KCHECK_FN float __nv_fmul_rn(float x, float y) { return x * y; }
KCHECK_FN float __nv_fdiv_rn(float x, float y) { return x / y; }
KCHECK_FN float __nv_frcp_rn(float x) { return 1.0f / x; }
KCHECK_FN float __nv_fsqrt_rn(float x) { return __builtin_sqrtf(x); }
KCHECK_FN float __nv_frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }
KCHECK_FN float __nv_fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
KCHECK_FN double __nv_dadd_rn(double x, double y) { return x + y; }
KCHECK_FN double __nv_dsub_rn(double x, double y) { return x - y; }
KCHECK_FN double __nv_dmul_rn(double x, double y) { return x * y; }
KCHECK_FN double __nv_ddiv_rn(double x, double y) { return x / y; }
KCHECK_FN double __nv_drcp_rn(double x) { return 1.0 / x; }
KCHECK_FN double __nv_dsqrt_rn(double x) { return __builtin_sqrt(x); }
KCHECK_FN double __nv_fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
KCHECK_FN float __nv_saturatef(float x) { return x != x ? 0.0f : __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
// Bits and integers
KCHECK_FN int __nv_float_as_int(float x) { return __builtin_bit_cast(int, x); }
KCHECK_FN unsigned __nv_float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
KCHECK_FN float __nv_int_as_float(int x) { return __builtin_bit_cast(float, x); }
KCHECK_FN float __nv_uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
KCHECK_FN unsigned long long __nv_double_as_longlong(double x) { return __builtin_bit_cast(unsigned long long, x); }
KCHECK_FN double __nv_longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
KCHECK_FN int __nv_abs(int x) { return x < 0 ? -x : x; }
KCHECK_FN long long __nv_llabs(long long x) { return x < 0 ? -x : x; }
KCHECK_FN int __nv_min(int x, int y) { return y < x ? y : x; }
KCHECK_FN int __nv_max(int x, int y) { return x < y ? y : x; }
KCHECK_FN unsigned __nv_umin(unsigned x, unsigned y) { return y < x ? y : x; }
KCHECK_FN unsigned __nv_umax(unsigned x, unsigned y) { return x < y ? y : x; }
KCHECK_FN long long __nv_llmin(long long x, long long y) { return y < x ? y : x; }
KCHECK_FN long long __nv_llmax(long long x, long long y) { return x < y ? y : x; }
KCHECK_FN unsigned long long __nv_ullmin(unsigned long long x, unsigned long long y) { return y < x ? y : x; }
KCHECK_FN unsigned long long __nv_ullmax(unsigned long long x, unsigned long long y) { return x < y ? y : x; }
KCHECK_FN int __nv_mulhi(int x, int y) { return int((long long)x * y >> 32); }
KCHECK_FN unsigned __nv_umulhi(unsigned x, unsigned y) { return unsigned((unsigned long long)x * y >> 32); }
KCHECK_FN long long __nv_mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
KCHECK_FN unsigned long long __nv_umul64hi(unsigned long long x, unsigned long long y) { return (unsigned long long)((unsigned __int128)x * y >> 64); }
KCHECK_FN int __nv_mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
KCHECK_FN unsigned __nv_umul24(unsigned x, unsigned y) { return (x & 0xFFFFFF) * (y & 0xFFFFFF); }
KCHECK_FN int __nv_popc(int x) { return __builtin_popcount(unsigned(x)); }
KCHECK_FN int __nv_popcll(long long x) { return __builtin_popcountll((unsigned long long)x); }
KCHECK_FN int __nv_clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
KCHECK_FN int __nv_clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
KCHECK_FN int __nv_ffs(int x) { return x ? __builtin_ctz(unsigned(x)) + 1 : 0; }
KCHECK_FN int __nv_ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }
KCHECK_FN int __nv_brev(int x) { return int(__builtin_bitreverse32(unsigned(x))); }
KCHECK_FN long long __nv_brevll(long long x) { return (long long)__builtin_bitreverse64((unsigned long long)x); }
KCHECK_FN int __nv_isnanf(float x) { return x != x; }
KCHECK_FN int __nv_isnand(double x) { return x != x; }
KCHECK_FN int __nv_isinff(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
KCHECK_FN int __nv_isinfd(double x) { return __builtin_fabs(x) == __builtin_inf(); }
KCHECK_FN int __nv_finitef(float x) { return __builtin_fabsf(x) < __builtin_inff(); }
KCHECK_FN int __nv_isfinited(double x) { return __builtin_fabs(x) < __builtin_inf(); }
KCHECK_FN int __nv_signbitf(float x) { return __builtin_bit_cast(int, x) < 0; }
KCHECK_FN int __nv_signbitd(double x) { return __builtin_bit_cast(long long, x) < 0; }
// Conversions: to nearest, and as C does it.
#define KCHECK_TO(N, From, To) KCHECK_FN To __nv_##N##_rz(From x) { return (To)x; }
#define KCHECK_NEAR(N, From, To, R) KCHECK_FN To __nv_##N##_rn(From x) { return (To)__builtin_rint##R(x); } \
  KCHECK_FN To __nv_##N##_rd(From x) { return (To)__builtin_floor##R(x); } KCHECK_FN To __nv_##N##_ru(From x) { return (To)__builtin_ceil##R(x); }
KCHECK_TO(float2int, float, int) KCHECK_TO(float2uint, float, unsigned) KCHECK_TO(float2ll, float, long long) KCHECK_TO(float2ull, float, unsigned long long)
KCHECK_TO(double2int, double, int) KCHECK_TO(double2uint, double, unsigned) KCHECK_TO(double2ll, double, long long) KCHECK_TO(double2ull, double, unsigned long long)
KCHECK_NEAR(float2int, float, int, f) KCHECK_NEAR(float2uint, float, unsigned, f) KCHECK_NEAR(float2ll, float, long long, f) KCHECK_NEAR(float2ull, float, unsigned long long, f)
KCHECK_NEAR(double2int, double, int, ) KCHECK_NEAR(double2uint, double, unsigned, ) KCHECK_NEAR(double2ll, double, long long, ) KCHECK_NEAR(double2ull, double, unsigned long long, )
KCHECK_FN float __nv_int2float_rn(int x) { return float(x); }
KCHECK_FN float __nv_uint2float_rn(unsigned x) { return float(x); }
KCHECK_FN float __nv_ll2float_rn(long long x) { return float(x); }
KCHECK_FN float __nv_ull2float_rn(unsigned long long x) { return float(x); }
KCHECK_FN double __nv_int2double_rn(int x) { return x; }
KCHECK_FN double __nv_uint2double_rn(unsigned x) { return x; }
KCHECK_FN double __nv_ll2double_rn(long long x) { return double(x); }
KCHECK_FN double __nv_ull2double_rn(unsigned long long x) { return double(x); }
KCHECK_FN float __nv_double2float_rn(double x) { return float(x); }
#undef KCHECK_FN
#undef KCHECK_1
#undef KCHECK_2
#undef KCHECK_TO
#undef KCHECK_NEAR
#endif
