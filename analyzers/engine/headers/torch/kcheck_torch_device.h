// What device code needs of kcheck_torch.h to run: the 16-bit types and complex numbers, with the hardware's conversions.
#ifndef KCHECK_TORCH_DEVICE_H
#define KCHECK_TORCH_DEVICE_H
#pragma clang system_header

namespace c10 {
__host__ __device__ inline Half::Half(float value) : x(__half_as_ushort(__float2half(value))) {}
__host__ __device__ inline Half::Half(const __half &value) : x(__half_as_ushort(value)) {}
__host__ __device__ inline Half::operator float() const { return __half2float(__ushort_as_half(x)); }
__host__ __device__ inline Half::operator __half() const { return __ushort_as_half(x); }
__host__ __device__ inline BFloat16::BFloat16(float value) : x(__bfloat16_as_ushort(__float2bfloat16(value))) {}
__host__ __device__ inline BFloat16::BFloat16(const __nv_bfloat16 &value) : x(__bfloat16_as_ushort(value)) {}
__host__ __device__ inline BFloat16::operator float() const { return __bfloat162float(__ushort_as_bfloat16(x)); }
__host__ __device__ inline BFloat16::operator __nv_bfloat16() const { return __ushort_as_bfloat16(x); }
#define KCHECK_SMALL_FLOAT_RUN(Name, Op)                                                                                        \
  __host__ __device__ inline Name operator Op(const Name &a, const Name &b) { return Name(float(a) Op float(b)); }              \
  __host__ __device__ inline Name &operator Op##=(Name &a, const Name &b) { return a = a Op b; }                                \
  __host__ __device__ inline float operator Op(Name a, float b) { return float(a) Op b; }                                       \
  __host__ __device__ inline float operator Op(float a, Name b) { return a Op float(b); }                                       \
  __host__ __device__ inline float &operator Op##=(float &a, const Name &b) { return a = a Op float(b); }                       \
  __host__ __device__ inline double operator Op(Name a, double b) { return double(float(a)) Op b; }                             \
  __host__ __device__ inline double operator Op(double a, Name b) { return a Op double(float(b)); }                             \
  __host__ __device__ inline Name operator Op(Name a, int b) { return Name(float(a) Op float(b)); }                             \
  __host__ __device__ inline Name operator Op(int a, Name b) { return Name(float(a) Op float(b)); }                             \
  __host__ __device__ inline Name operator Op(Name a, int64_t b) { return Name(float(a) Op float(b)); }                         \
  __host__ __device__ inline Name operator Op(int64_t a, Name b) { return Name(float(a) Op float(b)); }
#define KCHECK_SMALL_FLOAT_RUNS(Name)                                                                                           \
  __host__ __device__ inline Name operator-(const Name &a) { return Name(-float(a)); }                                          \
  KCHECK_SMALL_FLOAT_RUN(Name, +) KCHECK_SMALL_FLOAT_RUN(Name, -) KCHECK_SMALL_FLOAT_RUN(Name, *) KCHECK_SMALL_FLOAT_RUN(Name, /)
KCHECK_SMALL_FLOAT_RUNS(Half)
KCHECK_SMALL_FLOAT_RUNS(BFloat16)
#undef KCHECK_SMALL_FLOAT_RUNS
#undef KCHECK_SMALL_FLOAT_RUN
__device__ inline Half __ldg(const Half *address) { return *address; }
__device__ inline BFloat16 __ldg(const BFloat16 *address) { return *address; }

template <class T> __host__ __device__ complex<T> &complex<T>::operator+=(const complex<T> &o) { real_ += o.real_, imag_ += o.imag_; return *this; }
template <class T> __host__ __device__ complex<T> &complex<T>::operator-=(const complex<T> &o) { real_ -= o.real_, imag_ -= o.imag_; return *this; }
template <class T> __host__ __device__ complex<T> &complex<T>::operator*=(const complex<T> &o) {
  return *this = complex<T>(real_ * o.real_ - imag_ * o.imag_, real_ * o.imag_ + imag_ * o.real_);
}
template <class T> __host__ __device__ complex<T> &complex<T>::operator/=(const complex<T> &o) {
  T n = o.real_ * o.real_ + o.imag_ * o.imag_;
  return *this = complex<T>((real_ * o.real_ + imag_ * o.imag_) / n, (imag_ * o.real_ - real_ * o.imag_) / n);
}
template <class T> __host__ __device__ complex<T> operator+(const complex<T> &a, const complex<T> &b) { complex<T> c = a; return c += b; }
template <class T> __host__ __device__ complex<T> operator-(const complex<T> &a, const complex<T> &b) { complex<T> c = a; return c -= b; }
template <class T> __host__ __device__ complex<T> operator*(const complex<T> &a, const complex<T> &b) { complex<T> c = a; return c *= b; }
template <class T> __host__ __device__ complex<T> operator/(const complex<T> &a, const complex<T> &b) { complex<T> c = a; return c /= b; }
} // namespace c10

namespace at {
template <class T> __host__ __device__ T numeric_limits<T>::lowest() { return std::numeric_limits<T>::lowest(); }
template <class T> __host__ __device__ T numeric_limits<T>::max() { return std::numeric_limits<T>::max(); }
template <class T> __host__ __device__ T numeric_limits<T>::lower_bound() {
  return std::numeric_limits<T>::has_infinity ? T(-std::numeric_limits<T>::infinity()) : std::numeric_limits<T>::lowest();
}
template <class T> __host__ __device__ T numeric_limits<T>::upper_bound() {
  return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
}
} // namespace at

__device__ inline c10::Half atomicAdd(c10::Half *address, c10::Half value) { return c10::Half(atomicAdd(reinterpret_cast<__half *>(address), __half(value))); }
__device__ inline c10::BFloat16 atomicAdd(c10::BFloat16 *address, c10::BFloat16 value) {
  return c10::BFloat16(atomicAdd(reinterpret_cast<__nv_bfloat16 *>(address), __nv_bfloat16(value)));
}
namespace at::native {
template <class T> __device__ void fastAtomicAdd(T *tensor, size_t index, size_t, T value, bool) { ::atomicAdd(tensor + index, value); }
} // namespace at::native
#endif
