#include "runner/gpu/Headers.h"

using namespace kcheck::gpu;

static constexpr char Stdint[] = R"(#pragma once
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t;
typedef long intptr_t; typedef unsigned long uintptr_t; typedef long intmax_t; typedef unsigned long uintmax_t;
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define INT64_MAX 9223372036854775807l
#define INT64_MIN (-9223372036854775807l - 1)
#define UINT64_MAX 18446744073709551615ul
#define SIZE_MAX 18446744073709551615ul
)";
static constexpr char Cstdint[] = R"(#pragma once
#include <stdint.h>
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t;
}
)";
static constexpr char Stddef[] = R"(#pragma once
typedef long ptrdiff_t;
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(t, m) __builtin_offsetof(t, m)
#endif
)";
static constexpr char Cstddef[] = R"(#pragma once
#include <stddef.h>
namespace std { using ::size_t; using ::ptrdiff_t; typedef decltype(nullptr) nullptr_t; }
)";
static constexpr char Float[] = R"(#pragma once
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_DIG 15
)";
static constexpr char Limits[] = R"(#pragma once
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-9223372036854775807l - 1)
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-9223372036854775807ll - 1)
#define ULLONG_MAX 18446744073709551615ull
)";
static constexpr char NumericLimits[] = R"(#pragma once
#include <float.h>
#include <limits.h>
namespace std {
template <typename T> struct numeric_limits { static constexpr bool is_specialized = false; };
#define KCHECK_LIMITS(T, LOW, LEAST, MOST, EPS, INTEGER) \
  template <> struct numeric_limits<T> { \
    static constexpr bool is_specialized = true, is_integer = INTEGER, is_signed = T(-1) < T(0); \
    __host__ __device__ static constexpr T lowest() { return LOW; } \
    __host__ __device__ static constexpr T min() { return LEAST; } \
    __host__ __device__ static constexpr T max() { return MOST; } \
    __host__ __device__ static constexpr T epsilon() { return EPS; } \
    __host__ __device__ static constexpr T infinity() { return INTEGER ? T(0) : T(__builtin_huge_val()); } \
    __host__ __device__ static constexpr T quiet_NaN() { return INTEGER ? T(0) : T(__builtin_nan("")); } \
  };
KCHECK_LIMITS(float, -FLT_MAX, FLT_MIN, FLT_MAX, FLT_EPSILON, false)
KCHECK_LIMITS(double, -DBL_MAX, DBL_MIN, DBL_MAX, DBL_EPSILON, false)
KCHECK_LIMITS(signed char, -128, -128, 127, 0, true)
KCHECK_LIMITS(unsigned char, 0, 0, 255, 0, true)
KCHECK_LIMITS(short, -32768, -32768, 32767, 0, true)
KCHECK_LIMITS(unsigned short, 0, 0, 65535, 0, true)
KCHECK_LIMITS(int, INT_MIN, INT_MIN, INT_MAX, 0, true)
KCHECK_LIMITS(unsigned, 0, 0, UINT_MAX, 0, true)
KCHECK_LIMITS(long, LONG_MIN, LONG_MIN, LONG_MAX, 0, true)
KCHECK_LIMITS(unsigned long, 0, 0, ULONG_MAX, 0, true)
KCHECK_LIMITS(long long, LLONG_MIN, LLONG_MIN, LLONG_MAX, 0, true)
KCHECK_LIMITS(unsigned long long, 0, 0, ULLONG_MAX, 0, true)
#undef KCHECK_LIMITS
}
)";
static constexpr char Math[] = R"(#pragma once
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF INFINITY
#define HUGE_VAL ((double)INFINITY)
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_2_SQRTPI 1.12837916709551257390
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_E 2.7182818284590452354
#endif
)";
static constexpr char Cmath[] = R"(#pragma once
#include <math.h>
namespace std {
using ::sqrt; using ::fabs; using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p; using ::pow;
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh;
using ::floor; using ::ceil; using ::round; using ::trunc; using ::rint; using ::fmod; using ::fma; using ::fmin; using ::fmax;
using ::erf; using ::erfc; using ::cbrt; using ::hypot; using ::copysign; using ::isnan; using ::isinf; using ::isfinite; using ::abs;
using ::sqrtf; using ::expf; using ::logf; using ::powf; using ::fabsf; using ::tanhf; using ::fmaxf; using ::fminf;
}
)";
static constexpr char Algorithm[] = R"(#pragma once
namespace std {
template <typename T> __host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <typename T> __host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <typename T> __host__ __device__ constexpr const T &clamp(const T &v, const T &a, const T &b) { return v < a ? a : b < v ? b : v; }
template <typename T> __host__ __device__ constexpr void swap(T &a, T &b) { T t = a; a = b; b = t; }
}
)";
static constexpr char TypeTraits[] = R"(#pragma once
namespace std {
template <typename T, T V> struct integral_constant { static constexpr T value = V; typedef T value_type; typedef integral_constant type;
  __host__ __device__ constexpr operator T() const { return V; } };
typedef integral_constant<bool, true> true_type; typedef integral_constant<bool, false> false_type;
template <typename A, typename B> struct is_same : false_type {}; template <typename A> struct is_same<A, A> : true_type {};
template <typename A, typename B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <bool C, typename A, typename B> struct conditional { typedef A type; }; template <typename A, typename B> struct conditional<false, A, B> { typedef B type; };
template <bool C, typename A, typename B> using conditional_t = typename conditional<C, A, B>::type;
template <bool C, typename T = void> struct enable_if {}; template <typename T> struct enable_if<true, T> { typedef T type; };
template <bool C, typename T = void> using enable_if_t = typename enable_if<C, T>::type;
template <typename T> struct remove_reference { typedef T type; }; template <typename T> struct remove_reference<T &> { typedef T type; };
template <typename T> struct remove_reference<T &&> { typedef T type; };
template <typename T> struct remove_const { typedef T type; }; template <typename T> struct remove_const<const T> { typedef T type; };
template <typename T> struct remove_cv { typedef typename remove_const<T>::type type; };
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> struct decay { typedef typename remove_cv<typename remove_reference<T>::type>::type type; };
template <typename T> using decay_t = typename decay<T>::type;
template <typename T> struct is_floating_point : integral_constant<bool, is_same<remove_cv_t<T>, float>::value || is_same<remove_cv_t<T>, double>::value> {};
template <typename T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <typename T> struct is_integral : integral_constant<bool, __is_integral(T)> {};
template <typename T> inline constexpr bool is_integral_v = is_integral<T>::value;
}
)";
static constexpr char Assert[] = R"(#include <stddef.h>
)";
static constexpr char Empty[] = "#pragma once\n";
static constexpr char Runtime[] = R"(#pragma once
typedef int cudaError_t; typedef int cudaMemcpyKind;
)";

const std::vector<BundledHeader> &kcheck::gpu::bundledHeaders() {
  static const std::vector<BundledHeader> All = {
      {"kcheck_prelude.h", Math}, {"stdint.h", Stdint}, {"cstdint", Cstdint}, {"stddef.h", Stddef}, {"cstddef", Cstddef}, {"float.h", Float}, {"cfloat", Float},
      {"limits.h", Limits}, {"climits", Limits}, {"limits", NumericLimits}, {"math.h", Math}, {"cmath", Cmath}, {"algorithm", Algorithm},
      {"type_traits", TypeTraits}, {"utility", Algorithm}, {"assert.h", Assert}, {"cassert", Assert},
      {"cuda_runtime.h", Runtime}, {"cuda_runtime_api.h", Runtime}, {"cuda.h", Empty}, {"device_launch_parameters.h", Empty},
      {"stdio.h", Empty}, {"cstdio", Empty}, {"stdlib.h", Empty}, {"cstdlib", Empty}, {"string.h", Empty}, {"cstring", Empty},
      {"iostream", Empty}, {"iomanip", Empty}, {"sstream", Empty}, {"fstream", Empty}, {"string", Empty}, {"vector", Empty}, {"memory", Empty},
      {"chrono", Empty}, {"random", Empty}, {"stdexcept", Empty}, {"functional", Empty}, {"numeric", Empty}, {"map", Empty}, {"array", Empty},
      {"tuple", Empty}, {"time.h", Empty}, {"ctime", Empty}, {"sys/time.h", Empty}, {"unistd.h", Empty}, {"cublas_v2.h", Empty}};
  return All;
}
