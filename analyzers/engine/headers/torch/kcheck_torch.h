// Declarations that let PyTorch extensions parse where PyTorch is not installed: enough of ATen, c10, torch and pybind11
// to see an extension's kernels, its launches and the sizes they come from. Nothing here has an implementation: where an extension
// is run (KCHECK_TORCH_RUN), kcheck_torch_device.h and kcheck_torch_host.h have those of the functions that extensions use most.
#ifndef KCHECK_TORCH_H
#define KCHECK_TORCH_H
#pragma clang system_header

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 8
#define TORCH_VERSION_PATCH 0
#define TORCH_VERSION "2.8.0"
#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME kcheck_extension
#endif

#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(n) __launch_bounds__((n))
#define C10_LAUNCH_BOUNDS_2(n, m) __launch_bounds__((n), (m))
#define C10_RESTRICT __restrict__
#define C10_UNUSED [[maybe_unused]]
#define C10_NODISCARD [[nodiscard]]
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define C10_LIKELY(e) (__builtin_expect(static_cast<bool>(e), 1))
#define C10_UNLIKELY(e) (__builtin_expect(static_cast<bool>(e), 0))
#define C10_WARP_SIZE 32
#define C10_API
#define C10_EXPORT
#define TORCH_API
#define TORCH_CUDA_CU_API
#define TORCH_CUDA_CPP_API
#define AT_CUDA_API
#define GPU_LAMBDA __host__ __device__
#define AT_FORALL_SCALAR_TYPES(_)                                                                                               \
  _(uint8_t, Byte) _(int8_t, Char) _(int, Int) _(int64_t, Long) _(short, Short) _(float, Float) _(double, Double)

namespace c10 {

//===- 16-bit types ---------------------------------------------------------===//
#define KCHECK_SMALL_FLOAT(Name, Native)                                                                                        \
  struct alignas(2) Name {                                                                                                      \
    unsigned short x;                                                                                                           \
    struct from_bits_t {};                                                                                                      \
    static constexpr __host__ __device__ from_bits_t from_bits() { return from_bits_t(); }                                      \
    Name() = default;                                                                                                           \
    constexpr __host__ __device__ Name(unsigned short bits, from_bits_t) : x(bits) {}                                           \
    __host__ __device__ Name(float value);                                                                                      \
    __host__ __device__ Name(const Native &value);                                                                              \
    __host__ __device__ operator float() const;                                                                                 \
    __host__ __device__ operator Native() const;                                                                                \
  };                                                                                                                            \
  __host__ __device__ Name operator-(const Name &a);                                                                            \
  KCHECK_SMALL_FLOAT_OP(Name, +) KCHECK_SMALL_FLOAT_OP(Name, -) KCHECK_SMALL_FLOAT_OP(Name, *) KCHECK_SMALL_FLOAT_OP(Name, /)
#define KCHECK_SMALL_FLOAT_OP(Name, Op)                                                                                         \
  __host__ __device__ Name operator Op(const Name &a, const Name &b);                                                           \
  __host__ __device__ Name &operator Op##=(Name &a, const Name &b);                                                             \
  __host__ __device__ float operator Op(Name a, float b);                                                                       \
  __host__ __device__ float operator Op(float a, Name b);                                                                       \
  __host__ __device__ float &operator Op##=(float &a, const Name &b);                                                           \
  __host__ __device__ double operator Op(Name a, double b);                                                                     \
  __host__ __device__ double operator Op(double a, Name b);                                                                     \
  __host__ __device__ Name operator Op(Name a, int b);                                                                          \
  __host__ __device__ Name operator Op(int a, Name b);                                                                          \
  __host__ __device__ Name operator Op(Name a, int64_t b);                                                                      \
  __host__ __device__ Name operator Op(int64_t a, Name b);
KCHECK_SMALL_FLOAT(Half, __half)
KCHECK_SMALL_FLOAT(BFloat16, __nv_bfloat16)
#undef KCHECK_SMALL_FLOAT
#undef KCHECK_SMALL_FLOAT_OP
__device__ Half __ldg(const Half *address);
__device__ BFloat16 __ldg(const BFloat16 *address);
// Extensions are built without __half's own comparisons, which would be as good a match as those of float.
#define KCHECK_SMALL_FLOAT_TEST(Name, Op)                                                                                       \
  __host__ __device__ inline bool operator Op(const Name &a, const Name &b) { return float(a) Op float(b); }                    \
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>                                                         \
  __host__ __device__ inline bool operator Op(const Name &a, T b) { return float(a) Op b; }                                     \
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>                                                         \
  __host__ __device__ inline bool operator Op(T a, const Name &b) { return a Op float(b); }
#define KCHECK_SMALL_FLOAT_TESTS(Op) KCHECK_SMALL_FLOAT_TEST(Half, Op) KCHECK_SMALL_FLOAT_TEST(BFloat16, Op)
KCHECK_SMALL_FLOAT_TESTS(<) KCHECK_SMALL_FLOAT_TESTS(>) KCHECK_SMALL_FLOAT_TESTS(<=) KCHECK_SMALL_FLOAT_TESTS(>=)
KCHECK_SMALL_FLOAT_TESTS(==) KCHECK_SMALL_FLOAT_TESTS(!=)
#undef KCHECK_SMALL_FLOAT_TEST
#undef KCHECK_SMALL_FLOAT_TESTS
struct alignas(1) Float8_e4m3fn { uint8_t x; __host__ __device__ Float8_e4m3fn(float); Float8_e4m3fn() = default; __host__ __device__ operator float() const; };
struct alignas(1) Float8_e5m2 { uint8_t x; __host__ __device__ Float8_e5m2(float); Float8_e5m2() = default; __host__ __device__ operator float() const; };
template <class T> struct alignas(sizeof(T) * 2) complex {
  T real_, imag_;
  __host__ __device__ constexpr complex(T re = T(), T im = T()) : real_(re), imag_(im) {}
  __host__ __device__ constexpr T real() const { return real_; }
  __host__ __device__ constexpr T imag() const { return imag_; }
  __host__ __device__ complex &operator+=(const complex &);
  __host__ __device__ complex &operator-=(const complex &);
  __host__ __device__ complex &operator*=(const complex &);
  __host__ __device__ complex &operator/=(const complex &);
};
template <class T> __host__ __device__ complex<T> operator+(const complex<T> &, const complex<T> &);
template <class T> __host__ __device__ complex<T> operator-(const complex<T> &, const complex<T> &);
template <class T> __host__ __device__ complex<T> operator*(const complex<T> &, const complex<T> &);
template <class T> __host__ __device__ complex<T> operator/(const complex<T> &, const complex<T> &);

//===- scalar types ---------------------------------------------------------===//
enum class ScalarType : int8_t {
  Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool, QInt8, QUInt8, QInt32, BFloat16,
  QUInt4x2, QUInt2x4, Bits1x8, Bits2x4, Bits4x2, Bits8, Bits16, Float8_e5m2, Float8_e4m3fn, Float8_e5m2fnuz, Float8_e4m3fnuz,
  UInt16, UInt32, UInt64, Undefined, NumOptions
};
constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short, kInt = ScalarType::Int,
                     kLong = ScalarType::Long, kHalf = ScalarType::Half, kFloat = ScalarType::Float, kDouble = ScalarType::Double,
                     kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16, kUInt8 = ScalarType::Byte, kInt8 = ScalarType::Char,
                     kInt16 = ScalarType::Short, kInt32 = ScalarType::Int, kInt64 = ScalarType::Long, kFloat16 = ScalarType::Half,
                     kFloat32 = ScalarType::Float, kFloat64 = ScalarType::Double, kFloat8_e4m3fn = ScalarType::Float8_e4m3fn,
                     kFloat8_e5m2 = ScalarType::Float8_e5m2, kComplexFloat = ScalarType::ComplexFloat,
                     kComplexDouble = ScalarType::ComplexDouble, kUInt16 = ScalarType::UInt16, kUInt32 = ScalarType::UInt32, kUInt64 = ScalarType::UInt64;
template <ScalarType> struct ScalarTypeToCPPType;
template <class T> struct CppTypeToScalarType;
#define KCHECK_SCALAR(T, Name)                                                                                                  \
  template <> struct ScalarTypeToCPPType<ScalarType::Name> { using type = T; };                                                 \
  template <> struct CppTypeToScalarType<T> { static constexpr ScalarType value = ScalarType::Name; };
KCHECK_SCALAR(uint8_t, Byte) KCHECK_SCALAR(int8_t, Char) KCHECK_SCALAR(short, Short) KCHECK_SCALAR(int, Int) KCHECK_SCALAR(int64_t, Long)
KCHECK_SCALAR(Half, Half) KCHECK_SCALAR(float, Float) KCHECK_SCALAR(double, Double) KCHECK_SCALAR(bool, Bool) KCHECK_SCALAR(BFloat16, BFloat16)
KCHECK_SCALAR(Float8_e4m3fn, Float8_e4m3fn) KCHECK_SCALAR(Float8_e5m2, Float8_e5m2) KCHECK_SCALAR(complex<float>, ComplexFloat)
KCHECK_SCALAR(complex<double>, ComplexDouble) KCHECK_SCALAR(uint16_t, UInt16) KCHECK_SCALAR(uint32_t, UInt32) KCHECK_SCALAR(uint64_t, UInt64)
#undef KCHECK_SCALAR
template <ScalarType S> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<S>::type;
const char *toString(ScalarType);
size_t elementSize(ScalarType);
bool isFloatingType(ScalarType);
bool isIntegralType(ScalarType, bool includeBool = false);
std::ostream &operator<<(std::ostream &, ScalarType);

//===- small values ---------------------------------------------------------===//
template <class T> class ArrayRef {
  const T *Data = nullptr;
  size_t Length = 0;

public:
  using value_type = T;
  using iterator = const T *;
  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T &One) : Data(&One), Length(1) {}
  constexpr ArrayRef(const T *D, size_t N) : Data(D), Length(N) {}
  template <class A> ArrayRef(const std::vector<T, A> &V) : Data(V.data()), Length(V.size()) {}
  template <size_t N> constexpr ArrayRef(const std::array<T, N> &A) : Data(A.data()), Length(N) {}
  template <size_t N> constexpr ArrayRef(const T (&A)[N]) : Data(A), Length(N) {}
  constexpr ArrayRef(const std::initializer_list<T> &L) : Data(L.begin()), Length(L.size()) {}
  constexpr size_t size() const { return Length; }
  constexpr bool empty() const { return Length == 0; }
  constexpr const T *data() const { return Data; }
  constexpr const T *begin() const { return Data; }
  constexpr const T *end() const { return Data + Length; }
  constexpr const T &operator[](size_t I) const { return Data[I]; }
  constexpr const T &front() const { return Data[0]; }
  constexpr const T &back() const { return Data[Length - 1]; }
  ArrayRef slice(size_t N, size_t M) const;
  ArrayRef slice(size_t N) const;
  std::vector<T> vec() const;
  bool equals(ArrayRef) const;
};
template <class T> bool operator==(ArrayRef<T>, ArrayRef<T>);
template <class T> bool operator!=(ArrayRef<T>, ArrayRef<T>);
template <class T> std::ostream &operator<<(std::ostream &, ArrayRef<T>);
using IntArrayRef = ArrayRef<int64_t>;
using DeviceIndex = int8_t;
using std::optional;
using std::nullopt;
using std::nullopt_t;
using std::make_optional;
using string_view = std::string;

struct Scalar {
  Scalar();
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> Scalar(T);
  Scalar(Half);
  Scalar(BFloat16);
  template <class T> T to() const;
  float toFloat() const;
  double toDouble() const;
  int toInt() const;
  int64_t toLong() const;
  bool toBool() const;
  bool isFloatingPoint() const;
  bool isIntegral(bool) const;
  ScalarType type() const;
  double real_ = 0;
  int64_t whole_ = 0;
  ScalarType type_ = ScalarType::Long;
};

enum class DeviceType : int8_t { CPU, CUDA, MKLDNN, HIP, MPS, Meta };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;
enum class DispatchKey : uint16_t { CPU, CUDA, CompositeImplicitAutograd, CompositeExplicitAutograd, Autograd, AutogradCUDA, Meta };
struct Device {
  Device(DeviceType, DeviceIndex = -1);
  Device(const std::string &);
  Device(const char *);
  DeviceType type() const;
  DeviceIndex index() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool has_index() const;
  std::string str() const;
  bool operator==(const Device &) const;
  bool operator!=(const Device &) const;
  DeviceType type_;
  DeviceIndex index_;
};
std::ostream &operator<<(std::ostream &, const Device &);
enum class Layout : int8_t { Strided, Sparse, SparseCsr };
constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse;
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
std::ostream &operator<<(std::ostream &, DeviceType);
std::ostream &operator<<(std::ostream &, Layout);
std::ostream &operator<<(std::ostream &, MemoryFormat);
namespace detail {
template <class... A> [[noreturn]] void torchCheckFail(const A &...);
template <class... A> void torchWarn(const A &...);
} // namespace detail
struct Error : std::exception {
  std::string what_;
  const char *what() const noexcept override { return what_.c_str(); }
};
/// Memory of an allocator.
struct DataPtr { void *get() const; void *mutable_get(); explicit operator bool() const; void clear(); };
struct Allocator { DataPtr allocate(size_t); };

struct TypeMeta {
  template <class T> static TypeMeta Make();
  size_t itemsize() const;
  const char *name() const;
  ScalarType toScalarType() const;
  bool operator==(const TypeMeta &) const;
  bool operator!=(const TypeMeta &) const;
  ScalarType type_ = ScalarType::Float;
};
bool operator==(TypeMeta, ScalarType);
bool operator==(ScalarType, TypeMeta);
bool operator!=(TypeMeta, ScalarType);
bool operator!=(ScalarType, TypeMeta);
std::ostream &operator<<(std::ostream &, TypeMeta);
ScalarType typeMetaToScalarType(TypeMeta);

struct TensorOptions {
  TensorOptions();
  TensorOptions(ScalarType);
  TensorOptions(TypeMeta);
  TensorOptions(Device);
  TensorOptions(DeviceType);
  TensorOptions(Layout);
  TensorOptions dtype(ScalarType) const;
  TensorOptions dtype(TypeMeta) const;
  TensorOptions dtype(std::optional<ScalarType>) const;
  template <class T> TensorOptions dtype() const;
  TensorOptions device(Device) const;
  TensorOptions device(DeviceType, DeviceIndex = -1) const;
  TensorOptions device_index(DeviceIndex) const;
  TensorOptions layout(Layout) const;
  TensorOptions requires_grad(bool) const;
  TensorOptions pinned_memory(bool) const;
  TensorOptions memory_format(MemoryFormat) const;
  TypeMeta dtype() const;
  Device device() const;
  ScalarType type_ = ScalarType::Float;
  DeviceType device_ = DeviceType::CPU;
};
TensorOptions dtype(ScalarType);
TensorOptions dtype(TypeMeta);
TensorOptions device(Device);
TensorOptions device(DeviceType);
TensorOptions layout(Layout);
TensorOptions requires_grad(bool = true);
std::ostream &operator<<(std::ostream &, const TensorOptions &);
template <class T> using intrusive_ptr = std::shared_ptr<T>;
} // namespace c10

namespace at {
using namespace c10;
using c10::complex;
using c10::Device;
using c10::DeviceType;
using c10::Half;
using c10::BFloat16;
using c10::IntArrayRef;
using c10::Scalar;
using c10::ScalarType;
using c10::TensorOptions;
class Tensor;
struct TensorImpl;
using TensorList = c10::ArrayRef<Tensor>;
using OptionalIntArrayRef = std::optional<c10::IntArrayRef>;
struct Generator {};

//===- accessors ------------------------------------------------------------===//
template <class T> struct DefaultPtrTraits { using PtrType = T *; };
template <class T> struct RestrictPtrTraits { using PtrType = T *__restrict__; };
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t> class TensorAccessorBase {
public:
  using PtrType = typename P<T>::PtrType;
  C10_HOST_DEVICE TensorAccessorBase(PtrType d, const I *sizes, const I *strides) : data_(d), sizes_(sizes), strides_(strides) {}
  C10_HOST_DEVICE I stride(I i) const { return strides_[i]; }
  C10_HOST_DEVICE I size(I i) const { return sizes_[i]; }
  C10_HOST_DEVICE PtrType data() { return data_; }
  C10_HOST_DEVICE const PtrType data() const { return data_; }

protected:
  PtrType data_;
  const I *sizes_;
  const I *strides_;
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
class TensorAccessor : public TensorAccessorBase<T, N, P, I> {
public:
  using TensorAccessorBase<T, N, P, I>::TensorAccessorBase;
  C10_HOST_DEVICE TensorAccessor<T, N - 1, P, I> operator[](I i) {
    return TensorAccessor<T, N - 1, P, I>(this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1);
  }
  C10_HOST_DEVICE const TensorAccessor<T, N - 1, P, I> operator[](I i) const {
    return TensorAccessor<T, N - 1, P, I>(this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1);
  }
};
template <class T, template <class> class P, class I> class TensorAccessor<T, 1, P, I> : public TensorAccessorBase<T, 1, P, I> {
public:
  using TensorAccessorBase<T, 1, P, I>::TensorAccessorBase;
  C10_HOST_DEVICE T &operator[](I i) { return this->data_[this->strides_[0] * i]; }
  C10_HOST_DEVICE const T &operator[](I i) const { return this->data_[this->strides_[0] * i]; }
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t> class GenericPackedTensorAccessorBase {
public:
  using PtrType = typename P<T>::PtrType;
  C10_HOST GenericPackedTensorAccessorBase(PtrType d, const I *sizes, const I *strides);
  C10_HOST_DEVICE I stride(I i) const { return strides_[i]; }
  C10_HOST_DEVICE I size(I i) const { return sizes_[i]; }
  C10_HOST_DEVICE PtrType data() { return data_; }
  C10_HOST_DEVICE const PtrType data() const { return data_; }

protected:
  PtrType data_;
  I sizes_[N];
  I strides_[N];
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
class GenericPackedTensorAccessor : public GenericPackedTensorAccessorBase<T, N, P, I> {
public:
  using GenericPackedTensorAccessorBase<T, N, P, I>::GenericPackedTensorAccessorBase;
  C10_DEVICE TensorAccessor<T, N - 1, P, I> operator[](I i) {
    return TensorAccessor<T, N - 1, P, I>(this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1);
  }
  C10_DEVICE const TensorAccessor<T, N - 1, P, I> operator[](I i) const {
    return TensorAccessor<T, N - 1, P, I>(this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1);
  }
};
template <class T, template <class> class P, class I> class GenericPackedTensorAccessor<T, 1, P, I> : public GenericPackedTensorAccessorBase<T, 1, P, I> {
public:
  using GenericPackedTensorAccessorBase<T, 1, P, I>::GenericPackedTensorAccessorBase;
  C10_DEVICE T &operator[](I i) { return this->data_[this->strides_[0] * i]; }
  C10_DEVICE const T &operator[](I i) const { return this->data_[this->strides_[0] * i]; }
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits> using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P, int32_t>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits> using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P, int64_t>;

//===- Tensor ---------------------------------------------------------------===//
namespace indexing {
struct Slice { Slice(); template <class... A> Slice(A...); };
struct EllipsisIndexType {};
constexpr EllipsisIndexType Ellipsis{};
constexpr std::nullopt_t None = std::nullopt;
struct TensorIndex { template <class T> TensorIndex(T &&); };
} // namespace indexing

// An operator of ATen: whatever it is given, a tensor comes back.
#define KCHECK_METHODS(M)                                                                                                       \
  M(view) M(reshape) M(permute) M(transpose) M(t) M(expand) M(expand_as) M(view_as) M(repeat) M(flatten) M(squeeze) M(unsqueeze) \
  M(select) M(narrow) M(slice) M(clone) M(contiguous) M(detach) M(type_as) M(add) M(sub) M(mul) M(div)     \
  M(pow) M(matmul) M(mm) M(bmm) M(dot) M(sum) M(mean) M(prod) M(std) M(var) M(norm) M(abs) M(neg) M(exp) M(log) M(sqrt)         \
  M(rsqrt) M(tanh) M(sigmoid) M(relu) M(softmax) M(log_softmax) M(clamp) M(clamp_min) M(clamp_max) M(floor) M(ceil) M(round)    \
  M(eq) M(ne) M(lt) M(gt) M(le) M(ge) M(all) M(any) M(argmax) M(argmin) M(amax) M(amin) M(cumsum) M(gather) M(index_select)     \
  M(masked_fill) M(masked_select) M(nonzero) M(where) M(isnan) M(isinf) M(bitwise_and) M(logical_not) M(square) M(sin) M(cos)   \
  M(erf) M(triu) M(tril) M(diagonal) M(flip) M(roll) M(unfold) M(as_strided) M(new_empty) M(new_zeros) M(new_ones) M(new_full)  \
  M(pin_memory) M(alias) M(movedim) M(swapaxes) M(scatter) M(scatter_add) M(index_put) M(index) M(addmm) M(remainder)           \
  M(to_dense) M(coalesce) M(indices) M(values) M(view_dtype) M(toType) M(unflatten) M(reciprocal) M(sign) M(trunc) M(outer)
// Those that are met more rarely: as methods only, for as functions they would hide the ones of <cmath> from their callers.
#define KCHECK_RARE_METHODS(M)                                                                                                  \
  M(absolute) M(acos) M(acosh) M(addbmm) M(addcdiv) M(addcmul) M(addmv) M(addr) M(angle) M(arccos) M(arcsin) M(arctan) \
  M(argsort) M(argwhere) M(asin) M(asinh) M(atan) M(atan2) M(atanh) M(baddbmm) M(bernoulli) M(bincount) \
  M(bitwise_left_shift) M(bitwise_not) M(bitwise_or) M(bitwise_right_shift) M(bitwise_xor) M(broadcast_to) M(clip) \
  M(conj) M(copysign) M(cosh) M(count_nonzero) M(cross) M(cumprod) M(deg2rad) M(det) M(diag) M(diag_embed) M(digamma) \
  M(dist) M(divide) M(erfc) M(erfinv) M(exp2) M(expm1) M(fliplr) M(flipud) M(floor_divide) M(fmod) M(frac) M(gcd) \
  M(ger) M(hardshrink) M(heaviside) M(histc) M(hypot) M(index_add) M(index_copy) M(index_fill) M(inner) M(inverse) \
  M(isclose) M(isfinite) M(isneginf) M(isposinf) M(kron) M(lerp) M(lgamma) M(log10) M(log1p) M(log2) M(logcumsumexp) \
  M(logdet) M(logical_and) M(logical_or) M(logical_xor) M(logit) M(logsumexp) M(masked_scatter) M(matrix_power) \
  M(maximum) M(minimum) M(moveaxis) M(msort) M(multinomial) M(multiply) M(mv) M(nan_to_num) M(nansum) M(narrow_copy) \
  M(negative) M(prelu) M(rad2deg) M(ravel) M(renorm) M(repeat_interleave) M(rot90) M(scatter_reduce) M(sinc) M(sinh) \
  M(sparse_mask) M(subtract) M(sum_to_size) M(swapdims) M(take) M(take_along_dim) M(tan) M(tile) M(to_sparse) M(trace) \
  M(true_divide) M(vdot) M(xlogy)
#define KCHECK_INPLACE(M)                                                                                                       \
  M(add_) M(sub_) M(mul_) M(div_) M(zero_) M(fill_) M(copy_) M(clamp_) M(exp_) M(sqrt_) M(neg_) M(relu_) M(normal_) M(uniform_) \
  M(masked_fill_) M(scatter_) M(scatter_add_) M(index_add_) M(index_copy_) M(resize_) M(set_) M(requires_grad_) M(random_)      \
  M(squeeze_) M(unsqueeze_) M(transpose_) M(index_put_) M(clamp_min_) M(tanh_) M(sigmoid_) M(abs_) M(pow_) M(t_) M(bernoulli_)  \
  M(absolute_) M(acos_) M(addcdiv_) M(addcmul_) M(addmm_) M(asin_) M(atan_) M(bitwise_and_) M(bitwise_not_) \
  M(bitwise_or_) M(bitwise_xor_) M(cauchy_) M(ceil_) M(clamp_max_) M(clip_) M(cos_) M(cumsum_) M(detach_) M(divide_) \
  M(eq_) M(erf_) M(exponential_) M(expm1_) M(fill_diagonal_) M(floor_) M(floor_divide_) M(fmod_) M(ge_) M(geometric_) \
  M(gt_) M(index_fill_) M(le_) M(lerp_) M(log_) M(log1p_) M(log2_) M(log_normal_) M(logical_and_) M(logical_not_) \
  M(logical_or_) M(lt_) M(masked_scatter_) M(multiply_) M(nan_to_num_) M(ne_) M(reciprocal_) M(remainder_) M(renorm_) \
  M(resize_as_) M(round_) M(rsqrt_) M(scatter_reduce_) M(sign_) M(sin_) M(square_) M(subtract_) M(swapaxes_) M(tan_) \
  M(tril_) M(triu_) M(true_divide_) M(trunc_) M(xlogy_)

struct DeprecatedTypeProperties {
  ScalarType scalarType() const;
  bool is_cuda() const;
  Device device() const;
  ScalarType type_;
  bool cuda_;
};
class Tensor {
public:
  Tensor();
  Tensor(const Tensor &);
  Tensor(Tensor &&) noexcept;
  ~Tensor();
  Tensor &operator=(const Tensor &);
  Tensor &operator=(Tensor &&) noexcept;
  Tensor &operator=(const Scalar &);

  int64_t size(int64_t dim) const;
  int64_t stride(int64_t dim) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  IntArrayRef sym_sizes() const;
  int64_t numel() const;
  int64_t dim() const;
  int64_t ndimension() const;
  size_t nbytes() const;
  size_t itemsize() const;
  int64_t element_size() const;
  int64_t storage_offset() const;
  int64_t use_count() const;
  bool defined() const;
  bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_sparse() const;
  bool is_floating_point() const;
  bool is_complex() const;
  bool is_same(const Tensor &) const;
  bool is_non_overlapping_and_dense() const;
  bool is_pinned() const;
  bool requires_grad() const;
  bool has_storage() const;
  bool equal(const Tensor &) const;
  ScalarType scalar_type() const;
  TypeMeta dtype() const;
  DeprecatedTypeProperties type() const;
  Device device() const;
  int64_t get_device() const;
  Layout layout() const;
  TensorOptions options() const;
  MemoryFormat suggest_memory_format() const;
  std::string toString() const;
  Tensor grad() const;
  Tensor &mutable_grad();
  Tensor data() const;
  void reset();
  template <class... A> void backward(A &&...) const;
  void *data_ptr() const;
  template <class T> T *data_ptr() const;
  template <class T> T *data() const;
  const void *const_data_ptr() const;
  template <class T> const T *const_data_ptr() const;
  void *mutable_data_ptr() const;
  template <class T> T *mutable_data_ptr() const;
  template <class T> T item() const;
  Scalar item() const;
  template <class T, size_t N> TensorAccessor<T, N> accessor() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t> GenericPackedTensorAccessor<T, N, P, I> packed_accessor() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits> PackedTensorAccessor32<T, N, P> packed_accessor32() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits> PackedTensorAccessor64<T, N, P> packed_accessor64() const;
  template <class... A> GenericPackedTensorAccessor<float, 1> generic_packed_accessor(A &&...) const;
  std::vector<Tensor> split(int64_t, int64_t = 0) const;
  std::vector<Tensor> chunk(int64_t, int64_t = 0) const;
  std::vector<Tensor> unbind(int64_t = 0) const;
  template <class... A> std::tuple<Tensor, Tensor> max(int64_t, A &&...) const;
  template <class... A> std::tuple<Tensor, Tensor> min(int64_t, A &&...) const;
  template <class... A> std::tuple<Tensor, Tensor> sort(A &&...) const;
  template <class... A> std::tuple<Tensor, Tensor> topk(A &&...) const;
  Tensor max() const;
  Tensor min() const;
  Tensor max(const Tensor &) const;
  Tensor min(const Tensor &) const;
#define M(Name)                                                                                                                 \
  template <class... A> Tensor Name(A &&...) const;                                                                             \
  template <class... A> Tensor Name(IntArrayRef, A &&...) const;
  KCHECK_METHODS(M) KCHECK_RARE_METHODS(M) M(cpu) M(cuda) M(to)
#undef M
#define M(Name)                                                                                                                 \
  template <class... A> Tensor &Name(A &&...) const;                                                                            \
  template <class... A> Tensor &Name(IntArrayRef, A &&...) const;
  KCHECK_INPLACE(M)
#undef M
  Tensor operator[](int64_t) const;
  Tensor operator[](const Tensor &) const;
  Tensor index(std::initializer_list<indexing::TensorIndex>) const;
  Tensor &index_put_(std::initializer_list<indexing::TensorIndex>, const Tensor &);
  Tensor &operator+=(const Tensor &);
  Tensor &operator+=(const Scalar &);
  Tensor &operator-=(const Tensor &);
  Tensor &operator-=(const Scalar &);
  Tensor &operator*=(const Tensor &);
  Tensor &operator*=(const Scalar &);
  Tensor &operator/=(const Tensor &);
  Tensor &operator/=(const Scalar &);
  Tensor operator-() const;
  Tensor operator~() const;
  std::shared_ptr<TensorImpl> impl_; ///< kcheck_torch_host.h
};
#define KCHECK_TENSOR_OP(Op)                                                                                                    \
  Tensor operator Op(const Tensor &, const Tensor &);                                                                           \
  Tensor operator Op(const Tensor &, const Scalar &);                                                                           \
  Tensor operator Op(const Scalar &, const Tensor &);
KCHECK_TENSOR_OP(+) KCHECK_TENSOR_OP(-) KCHECK_TENSOR_OP(*) KCHECK_TENSOR_OP(/) KCHECK_TENSOR_OP(<) KCHECK_TENSOR_OP(>) KCHECK_TENSOR_OP(<=)
KCHECK_TENSOR_OP(>=) KCHECK_TENSOR_OP(==) KCHECK_TENSOR_OP(!=) KCHECK_TENSOR_OP(&) KCHECK_TENSOR_OP(|) KCHECK_TENSOR_OP(%)
#undef KCHECK_TENSOR_OP
std::ostream &operator<<(std::ostream &, const Tensor &);

#define M(Name)                                                                                                                 \
  template <class... A> Tensor Name(A &&...);                                                                                   \
  template <class... A> Tensor Name(IntArrayRef, A &&...);
M(empty) M(zeros) M(ones) M(full) M(rand) M(randn) M(randint) M(arange) M(linspace) M(eye) M(empty_like) M(zeros_like) M(ones_like)
M(full_like) M(rand_like) M(randn_like) M(randperm) M(empty_strided) M(from_blob) M(scalar_tensor) M(conv1d) M(conv2d) M(conv3d)
M(conv_transpose2d) M(linear) M(layer_norm) M(batch_norm) M(group_norm) M(gelu) M(silu) M(leaky_relu) M(elu) M(dropout) M(embedding)
M(max_pool2d) M(avg_pool2d) M(adaptive_avg_pool2d) M(cross_entropy_loss) M(nll_loss) M(mse_loss) M(maximum) M(minimum) M(einsum)
M(baddbmm) M(_softmax) M(pad) M(constant_pad_nd) M(bernoulli) M(multinomial) M(sort_out) M(fmod) M(logsumexp) M(cross) M(cdist)
M(native_layer_norm) M(tensordot) M(hstack) M(vstack) M(logical_and) M(logical_or) M(_cast_Float) M(sparse_coo_tensor) M(linalg_norm)
KCHECK_METHODS(M)
#undef M
template <class... A> Tensor cat(TensorList, A &&...);
template <class... A> Tensor stack(TensorList, A &&...);
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> Tensor tensor(T, const TensorOptions & = {});
template <class T> Tensor tensor(std::initializer_list<T>, const TensorOptions & = {});
template <class T> Tensor tensor(const std::vector<T> &, const TensorOptions & = {});
template <class... A> Tensor max(const Tensor &, const Tensor &);
template <class... A> Tensor min(const Tensor &, const Tensor &);
template <class... A> std::tuple<Tensor, Tensor> max(const Tensor &, int64_t, A &&...);
template <class... A> std::tuple<Tensor, Tensor> min(const Tensor &, int64_t, A &&...);
Tensor max(const Tensor &);
Tensor min(const Tensor &);
template <class... A> std::tuple<Tensor, Tensor> topk(const Tensor &, A &&...);
template <class... A> std::tuple<Tensor, Tensor> sort(const Tensor &, A &&...);
template <class... A> Tensor &mm_out(Tensor &, A &&...);
template <class... A> Tensor &bmm_out(Tensor &, A &&...);
template <class... A> Tensor &addmm_out(Tensor &, A &&...);
template <class... A> bool allclose(const Tensor &, const Tensor &, A &&...);
bool equal(const Tensor &, const Tensor &);
int64_t numel(const Tensor &);
void manual_seed(uint64_t);
std::optional<Device> device_of(const Tensor &);
struct NoGradGuard { NoGradGuard(); ~NoGradGuard(); };
struct AutoGradMode { AutoGradMode(bool); };
struct AutoNonVariableTypeMode { AutoNonVariableTypeMode(bool = true); };
struct AutoDispatchBelowADInplaceOrView { AutoDispatchBelowADInplaceOrView(); };
struct DeviceGuard { DeviceGuard(Device); };
struct OptionalDeviceGuard { OptionalDeviceGuard(); OptionalDeviceGuard(std::optional<Device>); };
struct TensorArg { TensorArg(const Tensor &, const char *, int); const Tensor *operator->() const; };
template <class... A> void checkAllSameGPU(A &&...);
template <class... A> void checkAllSameType(A &&...);
template <class T> constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }
template <class T> constexpr T round_up(T a, T b) { return ceil_div(a, b) * b; }

template <class T> struct OpMathType { using type = T; };
template <> struct OpMathType<Half> { using type = float; };
template <> struct OpMathType<BFloat16> { using type = float; };
template <class T> using opmath_type = typename OpMathType<T>::type;
template <class T, bool is_cuda> struct AccumulateType { using type = T; };
template <> struct AccumulateType<Half, true> { using type = float; };
template <> struct AccumulateType<BFloat16, true> { using type = float; };
template <> struct AccumulateType<float, false> { using type = double; };
template <> struct AccumulateType<int8_t, true> { using type = int64_t; };
template <> struct AccumulateType<uint8_t, true> { using type = int64_t; };
template <> struct AccumulateType<int16_t, true> { using type = int64_t; };
template <> struct AccumulateType<int32_t, true> { using type = int64_t; };
template <class T, bool is_cuda> using acc_type = typename AccumulateType<T, is_cuda>::type;
struct PhiloxCudaState { uint64_t seed_, offset_; bool captured_; };
struct CUDAGeneratorImpl { PhiloxCudaState philox_cuda_state(uint64_t); uint64_t current_seed() const; std::mutex mutex_; };
template <class T> T *get_generator_or_default(const std::optional<Generator> &, const Generator &);
template <class T> T *check_generator(std::optional<Generator>);
} // namespace at

namespace detail {
inline at::ScalarType scalar_type(at::ScalarType s) { return s; }
at::ScalarType scalar_type(const c10::TypeMeta &);
at::ScalarType scalar_type(const at::DeprecatedTypeProperties &);
} // namespace detail

//===- checks ---------------------------------------------------------------===//
#ifdef KCHECK_TORCH_RUN
namespace c10::detail { void torchCheckPassed(); }
#define KCHECK_CHECK_PASSED ::c10::detail::torchCheckPassed();
#else
#define KCHECK_CHECK_PASSED
#endif
#define TORCH_CHECK(cond, ...)                                                                                                  \
  do {                                                                                                                          \
    if (!(cond)) ::c10::detail::torchCheckFail("" #cond, ##__VA_ARGS__);                                                        \
    KCHECK_CHECK_PASSED                                                                                                         \
  } while (false)
#define TORCH_INTERNAL_ASSERT(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b))
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b))
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b))
#define TORCH_CHECK_NOTNULL(p) (p)
#define TORCH_CHECK_VALUE(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define AT_ASSERT(cond) TORCH_CHECK(cond)
#define AT_ASSERTM(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define AT_CHECK(cond, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define AT_ERROR(...) ::c10::detail::torchCheckFail(__VA_ARGS__)
#define TORCH_WARN(...) ::c10::detail::torchWarn(__VA_ARGS__)
#define TORCH_WARN_ONCE(...) ::c10::detail::torchWarn(__VA_ARGS__)
#define CUDA_KERNEL_ASSERT(cond)                                                                                                \
  do {                                                                                                                          \
    if (!(cond)) __trap();                                                                                                      \
  } while (false)

//===- dispatch -------------------------------------------------------------===//
#define AT_PRIVATE_CASE_TYPE_USING_HINT(enum_type, HINT, ...)                                                                   \
  case enum_type: {                                                                                                             \
    using HINT [[maybe_unused]] = ::c10::ScalarTypeToCPPTypeT<enum_type>;                                                       \
    return __VA_ARGS__();                                                                                                       \
  }
#define AT_DISPATCH_CASE(enum_type, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(enum_type, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                                                                     \
  [&] {                                                                                                                         \
    const auto &the_type = TYPE;                                                                                                \
    ::at::ScalarType _st = ::detail::scalar_type(the_type);                                                                     \
    switch (_st) {                                                                                                              \
      __VA_ARGS__                                                                                                               \
    default: ::c10::detail::torchCheckFail(NAME, " not implemented for this type");                                             \
    }                                                                                                                           \
  }()
#define AT_DISPATCH_CASE_FLOATING_TYPES(...)                                                                                    \
  AT_DISPATCH_CASE(::at::ScalarType::Double, __VA_ARGS__) AT_DISPATCH_CASE(::at::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)                                                                                    \
  AT_DISPATCH_CASE(::at::ScalarType::Byte, __VA_ARGS__)                                                                         \
  AT_DISPATCH_CASE(::at::ScalarType::Char, __VA_ARGS__)                                                                         \
  AT_DISPATCH_CASE(::at::ScalarType::Int, __VA_ARGS__)                                                                          \
  AT_DISPATCH_CASE(::at::ScalarType::Long, __VA_ARGS__)                                                                         \
  AT_DISPATCH_CASE(::at::ScalarType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_COMPLEX_TYPES(...)                                                                                     \
  AT_DISPATCH_CASE(::at::ScalarType::ComplexDouble, __VA_ARGS__) AT_DISPATCH_CASE(::at::ScalarType::ComplexFloat, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...)                                                                            \
  AT_DISPATCH_CASE(::at::ScalarType::Half, __VA_ARGS__) AT_DISPATCH_CASE(::at::ScalarType::BFloat16, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...)                                                                    \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(::at::ScalarType::Half, __VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(A, TYPE, NAME, ...)                                                                      \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(A, B, TYPE, NAME, ...)                                                                  \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND3(A, B, C, TYPE, NAME, ...)                                                               \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__) AT_DISPATCH_CASE(C, __VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                                                                                \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_PRIVATE_CASE_TYPE_USING_HINT(::at::ScalarType::Int, index_t, __VA_ARGS__) AT_PRIVATE_CASE_TYPE_USING_HINT(::at::ScalarType::Long, index_t, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(A, TYPE, NAME, ...)                                                                           \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(A, B, TYPE, NAME, ...)                                                                       \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(A, B, C, TYPE, NAME, ...)                                                                    \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__) AT_DISPATCH_CASE(C, __VA_ARGS__) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_HALF(TYPE, NAME, ...) AT_DISPATCH_ALL_TYPES_AND(::at::ScalarType::Half, TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...)                                                                 \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(A, B, TYPE, NAME, ...)                                                      \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(TYPE, NAME, ...)                                                                      \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(A, TYPE, NAME, ...)                                                               \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(A, B, TYPE, NAME, ...)                                                           \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(A, B, C, TYPE, NAME, ...)                                                        \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__) AT_DISPATCH_CASE(C, __VA_ARGS__) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_PRIVATE_CASE_TYPE(NAME, enum_type, type, ...)                                                                        \
  case enum_type: {                                                                                                             \
    using scalar_t = type;                                                                                                      \
    return __VA_ARGS__();                                                                                                       \
  }

//===- CUDA -----------------------------------------------------------------===//
namespace c10::cuda {
class CUDAStream {
public:
  operator cudaStream_t() const;
  cudaStream_t stream() const;
  DeviceIndex device_index() const;
  Device device() const;
  void synchronize() const;
  bool query() const;
  int64_t id() const;
};
CUDAStream getCurrentCUDAStream(DeviceIndex = -1);
CUDAStream getDefaultCUDAStream(DeviceIndex = -1);
CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1);
CUDAStream getStreamFromExternal(cudaStream_t, DeviceIndex);
void setCurrentCUDAStream(CUDAStream);
struct CUDAGuard { explicit CUDAGuard(DeviceIndex); explicit CUDAGuard(Device); void set_index(DeviceIndex); void set_device(Device); ~CUDAGuard(); };
struct OptionalCUDAGuard { OptionalCUDAGuard(); explicit OptionalCUDAGuard(std::optional<Device>); explicit OptionalCUDAGuard(std::optional<DeviceIndex>); explicit OptionalCUDAGuard(Device); ~OptionalCUDAGuard(); };
struct CUDAStreamGuard { explicit CUDAStreamGuard(CUDAStream); ~CUDAStreamGuard(); };
DeviceIndex device_count();
DeviceIndex current_device();
void set_device(DeviceIndex);
void device_synchronize();
int warp_size();
void c10_cuda_check_implementation(int, const char *, const char *, int, bool);
namespace CUDACachingAllocator { void *raw_alloc(size_t); void *raw_alloc_with_stream(size_t, cudaStream_t); void raw_delete(void *); void emptyCache(); Allocator *get(); }
namespace compat {
template <class T> __host__ __device__ T max(T a, T b) { return a < b ? b : a; }
template <class T> __host__ __device__ T min(T a, T b) { return b < a ? b : a; }
__host__ __device__ inline float exp(float x) { return ::expf(x); }
__host__ __device__ inline double exp(double x) { return ::exp(x); }
__host__ __device__ inline float tanh(float x) { return ::tanhf(x); }
__host__ __device__ inline double tanh(double x) { return ::tanh(x); }
__host__ __device__ inline float log(float x) { return ::logf(x); }
__host__ __device__ inline double log(double x) { return ::log(x); }
__host__ __device__ inline float pow(float x, float y) { return ::powf(x, y); }
__host__ __device__ inline double pow(double x, double y) { return ::pow(x, y); }
__host__ __device__ inline float sqrt(float x) { return ::sqrtf(x); }
__host__ __device__ inline double sqrt(double x) { return ::sqrt(x); }
__host__ __device__ inline float abs(float x) { return ::fabsf(x); }
__host__ __device__ inline double abs(double x) { return ::fabs(x); }
} // namespace compat
} // namespace c10::cuda
#define C10_CUDA_CHECK(EXPR)                                                                                                    \
  do {                                                                                                                          \
    const cudaError_t __err = EXPR;                                                                                             \
    ::c10::cuda::c10_cuda_check_implementation(static_cast<int>(__err), __FILE__, __func__, __LINE__, true);                    \
  } while (0)
#define C10_CUDA_CHECK_WARN(EXPR) C10_CUDA_CHECK(EXPR)
#define C10_CUDA_ERROR_HANDLED(EXPR) EXPR
#define C10_CUDA_IGNORE_ERROR(EXPR) (void)(EXPR)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(EXPR) C10_CUDA_CHECK(EXPR)
#define TORCH_CUDA_CHECK(EXPR) C10_CUDA_CHECK(EXPR)
#define TORCH_CUDABLAS_CHECK(EXPR) (void)(EXPR)
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                                                                 \
  int64_t _i_n_d_e_x = ((int64_t)blockIdx.x) * blockDim.x + threadIdx.x;                                                        \
  for (index_type i = _i_n_d_e_x; _i_n_d_e_x < (n); _i_n_d_e_x += blockDim.x * gridDim.x, i = _i_n_d_e_x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
struct cublasContext;
namespace at::cuda {
using namespace c10::cuda;
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStream;
using c10::cuda::OptionalCUDAGuard;
cudaDeviceProp *getCurrentDeviceProperties();
cudaDeviceProp *getDeviceProperties(c10::DeviceIndex);
cublasContext *getCurrentCUDABlasHandle();
int getNumGPUs();
bool is_available();
int warp_size();
template <class A, class B> constexpr __host__ __device__ auto ATenCeilDiv(A a, B b) { return (a + b - 1) / b; }
namespace detail {
constexpr int CUDA_NUM_THREADS = 1024;
inline int GET_BLOCKS(const int64_t N, const int64_t max_threads_per_block = CUDA_NUM_THREADS) { return (int)((N - 1) / max_threads_per_block + 1); }
const at::Generator &getDefaultCUDAGenerator(c10::DeviceIndex = -1);
template <class T, class I> struct TensorInfo { T *data; I sizes[25]; I strides[25]; int dims; };
template <class T, class I> TensorInfo<T, I> getTensorInfo(const at::Tensor &);
template <class T, class I, int Dims> struct IndexToOffset { static __host__ __device__ I get(I, const TensorInfo<T, I> &); };
bool canUse32BitIndexMath(const at::Tensor &, int64_t = 2147483647);
} // namespace detail
namespace philox { __device__ std::tuple<uint64_t, uint64_t> unpack(at::PhiloxCudaState); }
} // namespace at::cuda
namespace at {
/// The ends of a type, in device code.
template <class T> struct numeric_limits {
  static __host__ __device__ T lowest();
  static __host__ __device__ T max();
  static __host__ __device__ T lower_bound();
  static __host__ __device__ T upper_bound();
};
} // namespace at
namespace at::native { using at::opmath_type; template <class T> __device__ void fastAtomicAdd(T *tensor, size_t index, size_t numel, T value, bool fast_atomics); }
#ifdef KCHECK_TORCH_RUN
template <class T> __device__ T gpuAtomicAdd(T *address, T val) { return atomicAdd(address, val); }
template <class T> __device__ T gpuAtomicMax(T *address, T val) { return atomicMax(address, val); }
#else
template <class T> __device__ T gpuAtomicAdd(T *address, T val) { T old = *address; *address = old + val; return old; }
template <class T> __device__ T gpuAtomicMax(T *address, T val) { T old = *address; *address = old < val ? val : old; return old; }
#endif
template <class T> __device__ void gpuAtomicAddNoReturn(T *address, T val) { gpuAtomicAdd(address, val); }
template <class T> __device__ T WARP_SHFL(T v, int lane, int width = 32, unsigned mask = 0xffffffff) { return __shfl_sync(mask, v, lane, width); }
template <class T> __device__ T WARP_SHFL_XOR(T v, int lane, int width = 32, unsigned mask = 0xffffffff) { return __shfl_xor_sync(mask, v, lane, width); }
template <class T> __device__ T WARP_SHFL_UP(T v, unsigned d, int width = 32, unsigned mask = 0xffffffff) { return __shfl_up_sync(mask, v, d, width); }
template <class T> __device__ T WARP_SHFL_DOWN(T v, unsigned d, int width = 32, unsigned mask = 0xffffffff) { return __shfl_down_sync(mask, v, d, width); }
__device__ inline unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) { return __ballot_sync(mask, predicate); }
__device__ c10::Half atomicAdd(c10::Half *, c10::Half);
__device__ c10::BFloat16 atomicAdd(c10::BFloat16 *, c10::BFloat16);

//===- torch ----------------------------------------------------------------===//
namespace torch {
using namespace at;
using at::Tensor;
using at::TensorOptions;
using at::Device;
using c10::IntArrayRef;
using c10::ScalarType;
using Dtype = at::ScalarType;
using c10::nullopt;
using c10::optional;
namespace cuda { bool is_available(); size_t device_count(); void synchronize(int64_t = -1); void manual_seed(uint64_t); }
namespace indexing { using namespace at::indexing; }
namespace autograd {
using Variable = at::Tensor;
using variable_list = std::vector<at::Tensor>;
using tensor_list = variable_list;
struct AutogradContext {
  std::unordered_map<std::string, struct IValue> saved_data;
  void save_for_backward(variable_list);
  variable_list get_saved_variables() const;
  template <class... A> void mark_non_differentiable(A &&...);
  template <class... A> void mark_dirty(A &&...);
  bool needs_input_grad(size_t) const;
};
struct IValue {
  template <class T> IValue(T &&);
  IValue();
  int64_t toInt() const;
  double toDouble() const;
  bool toBool() const;
  at::Tensor toTensor() const;
  std::string toStringRef() const;
};
template <class T> struct Function { template <class... A> static auto apply(A &&...args) -> decltype(T::forward(nullptr, static_cast<A &&>(args)...)); };
} // namespace autograd
namespace nn::functional {
template <class... A> at::Tensor pad(A &&...);
template <class... A> at::Tensor relu(A &&...);
template <class... A> at::Tensor softmax(A &&...);
template <class... A> at::Tensor interpolate(A &&...);
} // namespace nn::functional
class Library {
public:
  template <class... A> Library &def(A &&...);
  template <class... A> Library &impl(A &&...);
  template <class T> T class_(const char *);
};
struct CppFunction { template <class F> CppFunction(F &&); };
template <class... A> struct Arg { };
} // namespace torch
using torch::autograd::IValue;
#define KCHECK_CAT2(a, b) a##b
#define KCHECK_CAT(a, b) KCHECK_CAT2(a, b)
#define TORCH_LIBRARY(ns, m) static void KCHECK_CAT(TORCH_LIBRARY_init_##ns##_, __LINE__)(::torch::Library & m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) TORCH_LIBRARY(ns, m)
#define TORCH_LIBRARY_EXPAND(ns, m) TORCH_LIBRARY_EXPAND_(ns, m)
#define TORCH_LIBRARY_EXPAND_(ns, m) TORCH_LIBRARY(ns, m)
#define TORCH_LIBRARY_IMPL(ns, k, m) static void KCHECK_CAT(TORCH_LIBRARY_IMPL_init_##ns##_##k##_, __LINE__)(::torch::Library & m)
#define TORCH_FN(f) &f
#define REGISTER_EXTENSION(NAME)

//===- pybind11 -------------------------------------------------------------===//
namespace pybind11 {
struct object {
  template <class T> T cast() const;
  template <class... A> object operator()(A &&...) const;
  object attr(const char *) const;
  object operator[](const char *) const;
  bool is_none() const;
};
struct handle : object {};
struct dict : object {};
struct list : object { template <class T> void append(T &&); size_t size() const; };
struct tuple : object { size_t size() const; };
struct str : object { template <class T> str(T &&); };
struct bytes : object { template <class... A> bytes(A &&...); };
struct none : object {};
struct int_ : object { int_(long); };
struct float_ : object { float_(double); };
struct function : object {};
struct args : tuple {};
struct kwargs : dict {};
struct buffer_info { void *ptr; ssize_t itemsize, size, ndim; std::vector<ssize_t> shape, strides; std::string format; };
struct buffer : object { buffer_info request(bool = false) const; };
struct array : buffer { static constexpr int c_style = 1, f_style = 2, forcecast = 16; ssize_t size() const; ssize_t ndim() const; ssize_t shape(ssize_t) const; const ssize_t *shape() const; void *mutable_data(); const void *data() const; };
template <class T, int Flags = 0> struct array_t : array { template <class... A> array_t(A &&...); T *mutable_data(); const T *data() const; template <class... I> const T &at(I...) const; template <int N> auto unchecked() const; };
struct arg_v {};
struct arg { explicit constexpr arg(const char *) {} template <class T> arg_v operator=(T &&) const; arg &noconvert(bool = true); arg &none(bool = true); };
struct gil_scoped_release {};
struct gil_scoped_acquire {};
template <class R> struct call_guard {};
struct dynamic_attr {};
enum class return_value_policy : uint8_t { automatic, take_ownership, copy, move, reference, reference_internal };
template <class... A> struct init_t {};
template <class... A> init_t<A...> init();
struct module_ : object {
  template <class F, class... E> module_ &def(const char *, F &&, const E &...);
  module_ def_submodule(const char *, const char * = nullptr);
  const char *&doc();
  static module_ import(const char *);
};
using module = module_;
template <class T, class... O> struct class_ : object {
  class_(handle, const char *, ...);
  class_(module_ &, const char *);
  template <class... A> class_ &def(A &&...);
  template <class... A> class_ &def_readwrite(A &&...);
  template <class... A> class_ &def_readonly(A &&...);
  template <class... A> class_ &def_property_readonly(A &&...);
  template <class... A> class_ &def_static(A &&...);
};
template <class T> struct enum_ : object { enum_(module_ &, const char *); enum_ &value(const char *, T); enum_ &export_values(); };
template <class... A> tuple make_tuple(A &&...);
template <class T> object cast(T &&);
namespace literals { constexpr arg operator""_a(const char *s, size_t) { return arg(s); } }
template <class... A> struct overload_cast_t { template <class R> constexpr auto operator()(R (*p)(A...)) const { return p; } };
template <class... A> constexpr overload_cast_t<A...> overload_cast{};
} // namespace pybind11
namespace py = pybind11;
#define PYBIND11_MODULE(name, variable) static void KCHECK_CAT(pybind11_init_, name)(::pybind11::module_ & variable)
#ifdef KCHECK_TORCH_RUN
#include "kcheck_torch_device.h"
#endif
#endif
