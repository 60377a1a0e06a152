// The host half of kcheck_torch.h, for the simulator: tensors over the runtime's memory, and a search for arguments that an
// extension's own checks accept. It is included behind the candidate, once, and calls the candidate's function.
//
//   arguments ─► function, without its launches ─┬─ a check fails ─► what was looked at last is changed ─► again
//                                                └─ it launches ─► the same arguments with memory and content ─► function
//
// What stands in kcheck_torch.h without a definition here ends the run with its name (kcheck_host_unsupported).
#ifndef KCHECK_TORCH_HOST_H
#define KCHECK_TORCH_HOST_H
#pragma clang system_header

#include <set>

extern "C" {
void kcheck_host_unsupported(const char *);
void *kcheck_torch_allocate(size_t Bytes, const char *Name);
void kcheck_torch_dry(int On);       ///< launches, copies and sets are left out
int kcheck_torch_launches(void);     ///< since the last kcheck_torch_dry
void kcheck_torch_say(const char *Kind, const char *Text);
}

namespace kcheck_torch {

//===- what is looked at ----------------------------------------------------===//

enum class Look : char { Rank, Size, Elements, Type, Place, Layout, Defined };
struct Seen {
  Look What;
  int Param; ///< of the candidate's function
  int Dim;
  bool operator<(const Seen &O) const { return std::tie(What, Param, Dim) < std::tie(O.What, O.Param, O.Dim); }
  bool operator==(const Seen &O) const { return std::tie(What, Param, Dim) == std::tie(O.What, O.Param, O.Dim); }
};

/// Since the last check that held, and ever.
inline std::vector<Seen> Recent;
inline std::set<Seen> Ever;
inline bool Searching = false;
inline std::vector<std::vector<int64_t>> Made; ///< sizes of tensors that the candidate asked for

struct NeedsRank { int Param, Rank; };
struct NeedsType { int Param; c10::ScalarType Type; };

inline void look(Look What, int Param, int Dim = 0) {
  if (Param < 0)
    return;
  Seen S{What, Param, Dim};
  Recent.push_back(S);
  Ever.insert(S);
}

[[noreturn]] inline void fail(const std::string &Text) {
  c10::Error E;
  E.what_ = Text;
  throw E;
}
template <class... A> [[noreturn]] void failWith(const A &...Words) {
  std::ostringstream Out;
  (void)(Out << ... << Words);
  fail(Out.str());
}

} // namespace kcheck_torch

namespace at {
struct TensorImpl {
  std::shared_ptr<char> Memory; ///< of the storage
  char *Data = nullptr;
  std::vector<int64_t> Sizes, Strides;
  int64_t Offset = 0;
  c10::ScalarType Type = c10::ScalarType::Float;
  c10::DeviceType Where = c10::DeviceType::CUDA;
  int Param = -1; ///< the parameter that it is, or whose shape it has
  bool Own = false; ///< it is the parameter itself

  int64_t elements() const {
    int64_t N = 1;
    for (int64_t S : Sizes)
      N *= S;
    return N;
  }
};
} // namespace at

namespace c10 {
inline size_t elementSize(ScalarType T) {
  switch (T) {
  case ScalarType::Byte: case ScalarType::Char: case ScalarType::Bool: case ScalarType::Float8_e4m3fn: case ScalarType::Float8_e5m2: return 1;
  case ScalarType::Short: case ScalarType::Half: case ScalarType::BFloat16: case ScalarType::UInt16: return 2;
  case ScalarType::Double: case ScalarType::Long: case ScalarType::ComplexFloat: case ScalarType::UInt64: return 8;
  case ScalarType::ComplexDouble: return 16;
  default: return 4;
  }
}
inline bool isFloatingType(ScalarType T) {
  return T == ScalarType::Float || T == ScalarType::Double || T == ScalarType::Half || T == ScalarType::BFloat16 || T == ScalarType::Float8_e4m3fn || T == ScalarType::Float8_e5m2;
}
inline bool isIntegralType(ScalarType T, bool WithBool) {
  return T == ScalarType::Byte || T == ScalarType::Char || T == ScalarType::Short || T == ScalarType::Int || T == ScalarType::Long || (WithBool && T == ScalarType::Bool);
}
inline const char *toString(ScalarType T) {
  switch (T) {
  case ScalarType::Byte: return "Byte"; case ScalarType::Char: return "Char"; case ScalarType::Short: return "Short";
  case ScalarType::Int: return "Int"; case ScalarType::Long: return "Long"; case ScalarType::Half: return "Half";
  case ScalarType::Float: return "Float"; case ScalarType::Double: return "Double"; case ScalarType::Bool: return "Bool";
  case ScalarType::BFloat16: return "BFloat16"; default: return "another type";
  }
}
inline std::ostream &operator<<(std::ostream &O, ScalarType T) { return O << toString(T); }

template <class T> bool operator==(ArrayRef<T> A, ArrayRef<T> B) { return A.equals(B); }
template <class T> bool operator!=(ArrayRef<T> A, ArrayRef<T> B) { return !A.equals(B); }
template <class T> bool ArrayRef<T>::equals(ArrayRef O) const { return size() == O.size() && std::equal(begin(), end(), O.begin()); }
template <class T> std::vector<T> ArrayRef<T>::vec() const { return std::vector<T>(begin(), end()); }
template <class T> ArrayRef<T> ArrayRef<T>::slice(size_t N, size_t M) const { return ArrayRef(Data + N, M); }
template <class T> ArrayRef<T> ArrayRef<T>::slice(size_t N) const { return ArrayRef(Data + N, Length - N); }
template <class T> std::ostream &operator<<(std::ostream &O, ArrayRef<T> A) {
  O << "[";
  for (size_t I = 0; I < A.size(); ++I)
    O << (I ? ", " : "") << A[I];
  return O << "]";
}

inline Scalar::Scalar() {}
template <class T, class> Scalar::Scalar(T V)
    : real_(double(V)), whole_(int64_t(V)), type_(std::is_same_v<T, bool> ? ScalarType::Bool : std::is_integral_v<T> ? ScalarType::Long : ScalarType::Double) {}
inline Scalar::Scalar(Half V) : Scalar(double(float(V))) {}
inline Scalar::Scalar(BFloat16 V) : Scalar(double(float(V))) {}
template <class T> T Scalar::to() const {
  if constexpr (std::is_integral_v<T>)
    return T(type_ == ScalarType::Double ? int64_t(real_) : whole_);
  else
    return T(float(real_));
}
template <> inline double Scalar::to<double>() const { return real_; }
inline float Scalar::toFloat() const { return float(real_); }
inline double Scalar::toDouble() const { return real_; }
inline int Scalar::toInt() const { return to<int>(); }
inline int64_t Scalar::toLong() const { return to<int64_t>(); }
inline bool Scalar::toBool() const { return real_ != 0; }
inline bool Scalar::isFloatingPoint() const { return type_ == ScalarType::Double; }
inline bool Scalar::isIntegral(bool WithBool) const { return type_ == ScalarType::Long || (WithBool && type_ == ScalarType::Bool); }
inline ScalarType Scalar::type() const { return type_; }

inline Device::Device(DeviceType T, DeviceIndex I) : type_(T), index_(I) {}
inline Device::Device(const std::string &S) : type_(S.compare(0, 3, "cpu") ? DeviceType::CUDA : DeviceType::CPU), index_(type_ == DeviceType::CUDA ? 0 : -1) {}
inline Device::Device(const char *S) : Device(std::string(S)) {}
inline DeviceType Device::type() const { return type_; }
inline DeviceIndex Device::index() const { return index_; }
inline bool Device::is_cuda() const { return type_ == DeviceType::CUDA; }
inline bool Device::is_cpu() const { return type_ == DeviceType::CPU; }
inline bool Device::has_index() const { return index_ >= 0; }
inline std::string Device::str() const { return is_cuda() ? "cuda:0" : "cpu"; }
inline bool Device::operator==(const Device &O) const { return type_ == O.type_; }
inline bool Device::operator!=(const Device &O) const { return type_ != O.type_; }
inline std::ostream &operator<<(std::ostream &O, const Device &D) { return O << D.str(); }

template <class T> TypeMeta TypeMeta::Make() { TypeMeta M; M.type_ = CppTypeToScalarType<T>::value; return M; }
inline size_t TypeMeta::itemsize() const { return elementSize(type_); }
inline const char *TypeMeta::name() const { return toString(type_); }
inline ScalarType TypeMeta::toScalarType() const { return type_; }
inline bool TypeMeta::operator==(const TypeMeta &O) const { return type_ == O.type_; }
inline bool TypeMeta::operator!=(const TypeMeta &O) const { return type_ != O.type_; }
inline bool operator==(TypeMeta A, ScalarType B) { return A.type_ == B; }
inline bool operator==(ScalarType A, TypeMeta B) { return A == B.type_; }
inline bool operator!=(TypeMeta A, ScalarType B) { return A.type_ != B; }
inline bool operator!=(ScalarType A, TypeMeta B) { return A != B.type_; }
inline std::ostream &operator<<(std::ostream &O, TypeMeta M) { return O << M.name(); }
inline std::ostream &operator<<(std::ostream &O, DeviceType T) { return O << Device(T).str(); }
inline std::ostream &operator<<(std::ostream &O, Layout L) { return O << (L == Layout::Strided ? "Strided" : L == Layout::Sparse ? "Sparse" : "SparseCsr"); }
inline std::ostream &operator<<(std::ostream &O, MemoryFormat F) {
  static const char *const Names[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
  return O << Names[int(F)];
}
inline std::ostream &operator<<(std::ostream &O, const TensorOptions &T) {
  return O << "TensorOptions(dtype=" << T.dtype() << ", device=" << T.device() << ")";
}
inline ScalarType typeMetaToScalarType(TypeMeta M) { return M.type_; }
namespace detail { inline TypeMeta metaOf(ScalarType T) { TypeMeta M; M.type_ = T; return M; } }

inline TensorOptions::TensorOptions() {}
inline TensorOptions::TensorOptions(ScalarType T) : type_(T) {}
inline TensorOptions::TensorOptions(TypeMeta M) : type_(M.type_) {}
inline TensorOptions::TensorOptions(Device D) : device_(D.type_) {}
inline TensorOptions::TensorOptions(DeviceType D) : device_(D) {}
inline TensorOptions::TensorOptions(Layout) {}
inline TensorOptions TensorOptions::dtype(ScalarType T) const { TensorOptions O = *this; O.type_ = T; return O; }
inline TensorOptions TensorOptions::dtype(TypeMeta M) const { return dtype(M.type_); }
inline TensorOptions TensorOptions::dtype(std::optional<ScalarType> T) const { return T ? dtype(*T) : *this; }
template <class T> TensorOptions TensorOptions::dtype() const { return dtype(CppTypeToScalarType<T>::value); }
inline TensorOptions TensorOptions::device(Device D) const { TensorOptions O = *this; O.device_ = D.type_; return O; }
inline TensorOptions TensorOptions::device(DeviceType D, DeviceIndex) const { TensorOptions O = *this; O.device_ = D; return O; }
inline TensorOptions TensorOptions::device_index(DeviceIndex) const { return device(DeviceType::CUDA); }
inline TensorOptions TensorOptions::layout(Layout) const { return *this; }
inline TensorOptions TensorOptions::requires_grad(bool) const { return *this; }
inline TensorOptions TensorOptions::pinned_memory(bool) const { return *this; }
inline TensorOptions TensorOptions::memory_format(MemoryFormat) const { return *this; }
inline TypeMeta TensorOptions::dtype() const { return detail::metaOf(type_); }
inline Device TensorOptions::device() const { return Device(device_); }
inline TensorOptions dtype(ScalarType T) { return TensorOptions(T); }
inline TensorOptions dtype(TypeMeta M) { return TensorOptions(M); }
inline TensorOptions device(Device D) { return TensorOptions(D); }
inline TensorOptions device(DeviceType D) { return TensorOptions(D); }
inline TensorOptions layout(Layout L) { return TensorOptions(L); }
inline TensorOptions requires_grad(bool) { return TensorOptions(); }

namespace detail {
inline void torchCheckPassed() { kcheck_torch::Recent.clear(); }
template <class F, class... A> [[noreturn]] void failedCheck(const F &Condition, const A &...Words) {
  if constexpr (sizeof...(A))
    kcheck_torch::failWith(Condition, ": ", Words...);
  else
    kcheck_torch::failWith(Condition);
}
template <class... A> [[noreturn]] void torchCheckFail(const A &...Words) { failedCheck(Words...); }
template <class... A> void torchWarn(const A &...) {}
} // namespace detail

namespace cuda {
inline CUDAStream::operator cudaStream_t() const { return nullptr; }
inline cudaStream_t CUDAStream::stream() const { return nullptr; }
inline DeviceIndex CUDAStream::device_index() const { return 0; }
inline Device CUDAStream::device() const { return Device(DeviceType::CUDA, 0); }
inline void CUDAStream::synchronize() const { cudaDeviceSynchronize(); }
inline bool CUDAStream::query() const { return true; }
inline int64_t CUDAStream::id() const { return 0; }
inline CUDAStream getCurrentCUDAStream(DeviceIndex) { return {}; }
inline CUDAStream getDefaultCUDAStream(DeviceIndex) { return {}; }
inline CUDAGuard::CUDAGuard(DeviceIndex) {}
inline CUDAGuard::CUDAGuard(Device) {}
inline void CUDAGuard::set_index(DeviceIndex) {}
inline void CUDAGuard::set_device(Device) {}
inline CUDAGuard::~CUDAGuard() {}
inline OptionalCUDAGuard::OptionalCUDAGuard() {}
inline OptionalCUDAGuard::OptionalCUDAGuard(std::optional<Device>) {}
inline OptionalCUDAGuard::OptionalCUDAGuard(std::optional<DeviceIndex>) {}
inline OptionalCUDAGuard::OptionalCUDAGuard(Device) {}
inline OptionalCUDAGuard::~OptionalCUDAGuard() {}
inline DeviceIndex device_count() { return 1; }
inline DeviceIndex current_device() { return 0; }
inline void set_device(DeviceIndex) {}
inline void device_synchronize() { cudaDeviceSynchronize(); }
inline int warp_size() { return 32; }
inline void c10_cuda_check_implementation(int E, const char *, const char *, int, bool) {
  if (E)
    kcheck_torch::failWith("CUDA error: ", cudaGetErrorString(cudaError_t(E)));
}
} // namespace cuda
} // namespace c10

namespace at::cuda {
inline cudaDeviceProp *getDeviceProperties(c10::DeviceIndex) {
  static cudaDeviceProp P = [] {
    cudaDeviceProp Q;
    cudaGetDeviceProperties(&Q, 0);
    return Q;
  }();
  return &P;
}
inline cudaDeviceProp *getCurrentDeviceProperties() { return getDeviceProperties(0); }
inline int getNumGPUs() { return 1; }
inline bool is_available() { return true; }
inline int warp_size() { return 32; }
namespace detail { inline bool canUse32BitIndexMath(const at::Tensor &T, int64_t Most) { return T.numel() <= Most; } }
} // namespace at::cuda

namespace detail {
inline at::ScalarType scalar_type(const c10::TypeMeta &M) { return M.type_; }
} // namespace detail

//===- tensors --------------------------------------------------------------===//
namespace kcheck_torch {
using at::Tensor;
using at::TensorImpl;
using c10::DeviceType;
using c10::IntArrayRef;
using c10::ScalarType;

inline std::vector<int64_t> packed(IntArrayRef Sizes) {
  std::vector<int64_t> Strides(Sizes.size());
  int64_t N = 1;
  for (size_t I = Sizes.size(); I-- > 0; N *= std::max<int64_t>(Sizes[I], 1))
    Strides[I] = N;
  return Strides;
}

inline std::shared_ptr<char> memory(size_t Bytes, DeviceType Where, const std::string &Name) {
  if (Where != DeviceType::CUDA) {
    return std::shared_ptr<char>(static_cast<char *>(calloc(std::max<size_t>(Bytes, 1), 1)), [](char *P) { free(P); });
  }
  if (Searching) {
    static uintptr_t Next = uintptr_t(1) << 44; // nobody reads or writes there
    uintptr_t At = Next;
    Next += (Bytes + 4095) / 4096 * 4096 + 4096;
    return std::shared_ptr<char>(reinterpret_cast<char *>(At), [](char *) {});
  }
  // What the caching allocator of PyTorch keeps stays valid until all work is done; it is not given back here.
  return std::shared_ptr<char>(static_cast<char *>(kcheck_torch_allocate(Bytes, Name.c_str())), [](char *) {});
}

inline Tensor make(std::vector<int64_t> Sizes, ScalarType Type, DeviceType Where, const std::string &Name = "") {
  for (int64_t S : Sizes)
    if (S < 0)
      failWith("Trying to create tensor with negative dimension ", S);
  Tensor T;
  T.impl_ = std::make_shared<TensorImpl>();
  T.impl_->Sizes = std::move(Sizes);
  T.impl_->Strides = packed(T.impl_->Sizes);
  T.impl_->Type = Type;
  T.impl_->Where = Where;
  int64_t N = T.impl_->elements();
  if (N > (int64_t(1) << 28)) {
    if (Searching)
      fail("a tensor that is too large to be tried");
    kcheck_host_unsupported("a tensor of more than 2^28 elements");
  }
  T.impl_->Memory = memory(size_t(N) * c10::elementSize(Type), Where, Name);
  T.impl_->Data = T.impl_->Memory.get();
  return T;
}

inline Tensor viewOf(const Tensor &T, std::vector<int64_t> Sizes, std::vector<int64_t> Strides, int64_t MoreOffset = 0) {
  Tensor V;
  V.impl_ = std::make_shared<TensorImpl>(*T.impl_);
  V.impl_->Sizes = std::move(Sizes);
  V.impl_->Strides = std::move(Strides);
  V.impl_->Offset += MoreOffset;
  V.impl_->Param = -1;
  V.impl_->Own = false;
  return V;
}

inline TensorImpl &of(const Tensor &T) {
  if (!T.impl_)
    fail("a tensor that is not defined is used");
  return *T.impl_;
}
inline char *start(const Tensor &T) { return of(T).Data + of(T).Offset * int64_t(c10::elementSize(of(T).Type)); }

inline bool isPacked(const TensorImpl &I) {
  int64_t N = 1;
  for (size_t D = I.Sizes.size(); D-- > 0;) {
    if (I.Sizes[D] != 1 && I.Strides[D] != N)
      return false;
    N *= I.Sizes[D];
  }
  return true;
}

inline int64_t dimOf(int64_t D, const TensorImpl &I) {
  int64_t Rank = int64_t(I.Sizes.size());
  if (D >= Rank || D < -Rank) {
    if (I.Param >= 0 && Searching)
      throw NeedsRank{I.Param, int(D < 0 ? -D : D + 1)};
    failWith("Dimension out of range (expected to be in range of [", -std::max<int64_t>(Rank, 1), ", ", std::max<int64_t>(Rank, 1) - 1, "], but got ", D, ")");
  }
  return D < 0 ? D + Rank : D;
}

inline void lookAtAll(const TensorImpl &I) {
  for (size_t D = 0; D < I.Sizes.size(); ++D)
    look(Look::Size, I.Param, int(D));
}

/// Elements one after another on the host, and back.
inline std::vector<char> bytesOf(const Tensor &T) {
  TensorImpl &I = of(T);
  const size_t Width = c10::elementSize(I.Type), N = size_t(I.elements());
  std::vector<char> Out(N * Width), Whole;
  if (Searching && I.Where == DeviceType::CUDA)
    return Out;
  int64_t Last = 0;
  for (size_t D = 0; D < I.Sizes.size(); ++D)
    Last += N ? (I.Sizes[D] - 1) * I.Strides[D] : 0;
  const char *From = start(T);
  if (N && I.Where == DeviceType::CUDA) {
    Whole.resize(size_t(Last + 1) * Width);
    c10::cuda::c10_cuda_check_implementation(cudaMemcpy(Whole.data(), From, Whole.size(), cudaMemcpyDeviceToHost), "", "", 0, true);
    From = Whole.data();
  }
  for (size_t K = 0; K < N; ++K) {
    int64_t At = 0;
    size_t Rest = K;
    for (size_t D = I.Sizes.size(); D-- > 0; Rest /= size_t(I.Sizes[D]))
      At += int64_t(Rest % size_t(I.Sizes[D])) * I.Strides[D];
    memcpy(&Out[K * Width], From + At * int64_t(Width), Width);
  }
  return Out;
}
inline void put(const Tensor &T, const std::vector<char> &Bytes) {
  TensorImpl &I = of(T);
  if (!isPacked(I))
    kcheck_host_unsupported("a write to a tensor that is not contiguous");
  if (Bytes.empty() || (Searching && I.Where == DeviceType::CUDA))
    return;
  if (I.Where == DeviceType::CUDA)
    c10::cuda::c10_cuda_check_implementation(cudaMemcpy(start(T), Bytes.data(), Bytes.size(), cudaMemcpyHostToDevice), "", "", 0, true);
  else
    memcpy(start(T), Bytes.data(), Bytes.size());
}

template <class F> void withType(ScalarType T, F Do) {
  switch (T) {
  case ScalarType::Byte: return Do(uint8_t());
  case ScalarType::Char: return Do(int8_t());
  case ScalarType::Short: return Do(short());
  case ScalarType::Int: return Do(int());
  case ScalarType::Long: return Do(int64_t());
  case ScalarType::Half: return Do(c10::Half(0.f));
  case ScalarType::Float: return Do(float());
  case ScalarType::Double: return Do(double());
  case ScalarType::Bool: return Do(bool());
  case ScalarType::BFloat16: return Do(c10::BFloat16(0.f));
  default: kcheck_host_unsupported("values of a rare type on the host");
  }
}
inline std::vector<double> valuesOf(const Tensor &T) {
  std::vector<char> Bytes = bytesOf(T);
  std::vector<double> Out;
  withType(of(T).Type, [&](auto Zero) {
    using E = decltype(Zero);
    for (size_t At = 0; At < Bytes.size(); At += sizeof(E)) {
      E V = Zero;
      memcpy(&V, &Bytes[At], sizeof V);
      if constexpr (std::is_arithmetic_v<E>)
        Out.push_back(double(V));
      else
        Out.push_back(double(float(V)));
    }
  });
  return Out;
}
inline void setValues(const Tensor &T, const std::vector<double> &Values) {
  std::vector<char> Bytes;
  withType(of(T).Type, [&](auto Zero) {
    using E = decltype(Zero);
    Bytes.resize(Values.size() * sizeof(E));
    for (size_t K = 0; K < Values.size(); ++K) {
      E V = Zero;
      if constexpr (std::is_arithmetic_v<E>)
        V = E(Values[K]);
      else
        V = E(float(Values[K]));
      memcpy(&Bytes[K * sizeof(E)], &V, sizeof V);
    }
  });
  put(T, Bytes);
}
inline Tensor filled(std::vector<int64_t> Sizes, ScalarType Type, DeviceType Where, double Value) {
  Tensor T = make(std::move(Sizes), Type, Where);
  int64_t N = of(T).elements();
  if (Where == DeviceType::CUDA && Value == 0) {
    if (N && !Searching)
      cudaMemset(start(T), 0, size_t(N) * c10::elementSize(Type));
  } else {
    setValues(T, std::vector<double>(size_t(N), Value));
  }
  return T;
}
inline Tensor like(const Tensor &T, Tensor New) {
  New.impl_->Param = of(T).Param;
  return New;
}
inline Tensor copyOf(const Tensor &T, ScalarType Type, DeviceType Where) {
  TensorImpl &I = of(T);
  Tensor New = make(I.Sizes, Type, Where);
  if (Type == I.Type)
    put(New, bytesOf(T));
  else
    setValues(New, valuesOf(T));
  return like(T, New);
}
inline std::vector<int64_t> shape(IntArrayRef Wanted, int64_t Elements) {
  std::vector<int64_t> Out = Wanted.vec();
  int64_t Known = 1, Open = -1;
  for (size_t I = 0; I < Out.size(); ++I)
    if (Out[I] == -1)
      Open = int64_t(I);
    else
      Known *= Out[I];
  if (Open >= 0 && Known)
    Out[size_t(Open)] = Elements / Known;
  int64_t N = 1;
  for (int64_t S : Out)
    N *= S;
  if (N != Elements)
    failWith("shape '", Wanted, "' is invalid for input of size ", Elements);
  return Out;
}

/// Options among the arguments of a factory.
struct Wish {
  ScalarType Type = ScalarType::Float;
  DeviceType Where = DeviceType::CPU;
  void take(const c10::TensorOptions &O) { Type = O.type_, Where = O.device_; }
  void take(ScalarType T) { Type = T; }
  void take(c10::TypeMeta T) { Type = T.type_; }
  void take(c10::Device D) { Where = D.type_; }
  void take(DeviceType D) { Where = D; }
  template <class T> void take(const T &) {}
  template <class... A> Wish &all(const A &...Of) { (take(Of), ...); return *this; }
};
template <class... A> Wish wish(const A &...Of) { return Wish().all(Of...); }
template <class... A> Wish wishLike(const Tensor &T, const A &...Of) {
  Wish W{of(T).Type, of(T).Where};
  bool Options = false;
  ((Options |= std::is_same_v<std::decay_t<A>, c10::TensorOptions>), ...);
  return W.all(Of...);
}
template <class T> std::vector<int64_t> sizesFrom(const T &Sizes) {
  std::vector<int64_t> Out;
  if constexpr (std::is_integral_v<T>)
    Out = {int64_t(Sizes)};
  else if constexpr (std::is_convertible_v<T, IntArrayRef>)
    Out = IntArrayRef(Sizes).vec();
  else
    kcheck_host_unsupported("this form of a tensor's sizes");
  Made.push_back(Out);
  return Out;
}

template <class T> inline constexpr bool isTensor = std::is_same_v<std::decay_t<T>, Tensor>;

/// What operators do. One that is not here, or not with these arguments, ends the run.
#define KCHECK_TORCH_CAN(Op, ...)                                                                                               \
  struct Op {                                                                                                                   \
    static constexpr const char *Name = #Op;                                                                                    \
    __VA_ARGS__                                                                                                                 \
  };
inline Tensor sameOr(const Tensor &T, ScalarType Type, DeviceType Where) { return of(T).Type == Type && of(T).Where == Where ? T : copyOf(T, Type, Where); }
namespace can {
KCHECK_TORCH_CAN(contiguous, template <class... A> Tensor operator()(const Tensor &T, A &&...) { look(Look::Layout, of(T).Param); return isPacked(of(T)) ? T : copyOf(T, of(T).Type, of(T).Where); })
KCHECK_TORCH_CAN(clone, template <class... A> Tensor operator()(const Tensor &T, A &&...) { return copyOf(T, of(T).Type, of(T).Where); })
KCHECK_TORCH_CAN(detach, Tensor operator()(const Tensor &T) { return T; })
KCHECK_TORCH_CAN(alias, Tensor operator()(const Tensor &T) { return T; })
KCHECK_TORCH_CAN(cpu, Tensor operator()(const Tensor &T) { return sameOr(T, of(T).Type, DeviceType::CPU); })
KCHECK_TORCH_CAN(cuda, Tensor operator()(const Tensor &T) { return sameOr(T, of(T).Type, DeviceType::CUDA); })
KCHECK_TORCH_CAN(toType, Tensor operator()(const Tensor &T, ScalarType S) { return sameOr(T, S, of(T).Where); })
KCHECK_TORCH_CAN(type_as, Tensor operator()(const Tensor &T, const Tensor &O) { return sameOr(T, of(O).Type, of(O).Where); })
KCHECK_TORCH_CAN(to,
  Tensor operator()(const Tensor &T, const Tensor &O) { return sameOr(T, of(O).Type, of(O).Where); }
  template <class... A> Tensor operator()(const Tensor &T, const A &...Of) { Wish W{of(T).Type, of(T).Where}; W.all(Of...); return sameOr(T, W.Type, W.Where); })
KCHECK_TORCH_CAN(view,
  Tensor operator()(const Tensor &T, IntArrayRef S) {
    if (!isPacked(of(T)))
      fail("view size is not compatible with input tensor's size and stride");
    std::vector<int64_t> To = shape(S, of(T).elements());
    return viewOf(T, To, packed(To));
  }
  template <class N, class = std::enable_if_t<std::is_integral_v<N>>> Tensor operator()(const Tensor &T, N S) { return (*this)(T, IntArrayRef(int64_t(S))); })
KCHECK_TORCH_CAN(reshape,
  Tensor operator()(const Tensor &T, IntArrayRef S) { return view()(contiguous()(T), S); }
  template <class N, class = std::enable_if_t<std::is_integral_v<N>>> Tensor operator()(const Tensor &T, N S) { return (*this)(T, IntArrayRef(int64_t(S))); })
KCHECK_TORCH_CAN(view_as, Tensor operator()(const Tensor &T, const Tensor &O) { return view()(T, of(O).Sizes); })
KCHECK_TORCH_CAN(flatten, Tensor operator()(const Tensor &T, int64_t From = 0, int64_t To = -1) {
    TensorImpl &I = of(T);
    if (I.Sizes.empty())
      return reshape()(T, 1);
    From = dimOf(From, I), To = dimOf(To, I);
    std::vector<int64_t> S(I.Sizes.begin(), I.Sizes.begin() + From);
    S.push_back(1);
    for (int64_t D = From; D <= To; ++D)
      S.back() *= I.Sizes[size_t(D)];
    S.insert(S.end(), I.Sizes.begin() + To + 1, I.Sizes.end());
    return reshape()(T, S);
  })
KCHECK_TORCH_CAN(transpose, Tensor operator()(const Tensor &T, int64_t A, int64_t B) {
    TensorImpl &I = of(T);
    std::vector<int64_t> S = I.Sizes, R = I.Strides;
    A = dimOf(A, I), B = dimOf(B, I);
    std::swap(S[size_t(A)], S[size_t(B)]), std::swap(R[size_t(A)], R[size_t(B)]);
    return viewOf(T, S, R);
  })
KCHECK_TORCH_CAN(t, Tensor operator()(const Tensor &T) { return of(T).Sizes.size() < 2 ? T : transpose()(T, 0, 1); })
KCHECK_TORCH_CAN(permute, Tensor operator()(const Tensor &T, IntArrayRef P) {
    TensorImpl &I = of(T);
    if (P.size() != I.Sizes.size() && I.Param >= 0 && Searching)
      throw NeedsRank{I.Param, int(P.size())};
    if (P.size() != I.Sizes.size())
      fail("permute: another number of dimensions");
    std::vector<int64_t> S;
    std::vector<int64_t> R;
    for (int64_t D : P) {
      D = dimOf(D, I);
      S.push_back(I.Sizes[size_t(D)]), R.push_back(I.Strides[size_t(D)]);
    }
    return viewOf(T, S, R);
  })
KCHECK_TORCH_CAN(unsqueeze, Tensor operator()(const Tensor &T, int64_t D) {
    TensorImpl &I = of(T);
    std::vector<int64_t> S = I.Sizes, R = I.Strides;
    D = D < 0 ? D + int64_t(S.size()) + 1 : D;
    if (D < 0 || D > int64_t(S.size()))
      fail("Dimension out of range");
    S.insert(S.begin() + D, 1), R.insert(R.begin() + D, 1);
    return viewOf(T, S, R);
  })
KCHECK_TORCH_CAN(squeeze,
  Tensor operator()(const Tensor &T, int64_t D) {
    TensorImpl &I = of(T);
    D = dimOf(D, I);
    if (I.Sizes[size_t(D)] != 1)
      return T;
    std::vector<int64_t> S = I.Sizes, R = I.Strides;
    S.erase(S.begin() + D), R.erase(R.begin() + D);
    return viewOf(T, S, R);
  }
  Tensor operator()(const Tensor &T) {
    std::vector<int64_t> S, R;
    for (size_t D = 0; D < of(T).Sizes.size(); ++D)
      if (of(T).Sizes[D] != 1)
        S.push_back(of(T).Sizes[D]), R.push_back(of(T).Strides[D]);
    return viewOf(T, S, R);
  })
KCHECK_TORCH_CAN(narrow, Tensor operator()(const Tensor &T, int64_t D, int64_t From, int64_t N) {
    TensorImpl &I = of(T);
    D = dimOf(D, I);
    std::vector<int64_t> S = I.Sizes;
    if (From < 0 || N < 0 || From + N > S[size_t(D)])
      fail("narrow: out of range");
    S[size_t(D)] = N;
    return viewOf(T, S, I.Strides, From * I.Strides[size_t(D)]);
  })
KCHECK_TORCH_CAN(select, Tensor operator()(const Tensor &T, int64_t D, int64_t At) {
    Tensor N = narrow()(T, D, At < 0 ? At + of(T).Sizes[size_t(dimOf(D, of(T)))] : At, 1);
    return squeeze()(N, D);
  })
KCHECK_TORCH_CAN(expand, Tensor operator()(const Tensor &T, IntArrayRef Wanted) {
    TensorImpl &I = of(T);
    std::vector<int64_t> S = Wanted.vec(), R(S.size(), 0);
    if (S.size() < I.Sizes.size())
      fail("expand: too few dimensions");
    for (size_t K = 0; K < I.Sizes.size(); ++K) {
      size_t To = S.size() - I.Sizes.size() + K;
      if (S[To] == -1)
        S[To] = I.Sizes[K];
      if (I.Sizes[K] != S[To] && I.Sizes[K] != 1)
        fail("expand: the sizes do not match");
      R[To] = I.Sizes[K] == 1 ? 0 : I.Strides[K];
    }
    return viewOf(T, S, R);
  })
KCHECK_TORCH_CAN(expand_as, Tensor operator()(const Tensor &T, const Tensor &O) { return expand()(T, of(O).Sizes); })

// What makes tensors.
KCHECK_TORCH_CAN(empty, template <class S, class... A> Tensor operator()(const S &Sizes, const A &...Of) { Wish W = wish(Of...); return make(sizesFrom(Sizes), W.Type, W.Where); })
KCHECK_TORCH_CAN(zeros, template <class S, class... A> Tensor operator()(const S &Sizes, const A &...Of) { Wish W = wish(Of...); return filled(sizesFrom(Sizes), W.Type, W.Where, 0); })
KCHECK_TORCH_CAN(ones, template <class S, class... A> Tensor operator()(const S &Sizes, const A &...Of) { Wish W = wish(Of...); return filled(sizesFrom(Sizes), W.Type, W.Where, 1); })
KCHECK_TORCH_CAN(full, template <class S, class... A> Tensor operator()(const S &Sizes, c10::Scalar V, const A &...Of) { Wish W = wish(Of...); return filled(sizesFrom(Sizes), W.Type, W.Where, V.real_); })
KCHECK_TORCH_CAN(empty_like, template <class... A> Tensor operator()(const Tensor &T, const A &...Of) { Wish W = wishLike(T, Of...); return like(T, make(of(T).Sizes, W.Type, W.Where)); })
KCHECK_TORCH_CAN(zeros_like, template <class... A> Tensor operator()(const Tensor &T, const A &...Of) { Wish W = wishLike(T, Of...); return like(T, filled(of(T).Sizes, W.Type, W.Where, 0)); })
KCHECK_TORCH_CAN(ones_like, template <class... A> Tensor operator()(const Tensor &T, const A &...Of) { Wish W = wishLike(T, Of...); return like(T, filled(of(T).Sizes, W.Type, W.Where, 1)); })
KCHECK_TORCH_CAN(full_like, template <class... A> Tensor operator()(const Tensor &T, c10::Scalar V, const A &...Of) { Wish W = wishLike(T, Of...); return like(T, filled(of(T).Sizes, W.Type, W.Where, V.real_)); })
KCHECK_TORCH_CAN(new_empty, template <class S, class... A> Tensor operator()(const Tensor &T, const S &Sizes, const A &...Of) { Wish W = wishLike(T, Of...); return make(sizesFrom(Sizes), W.Type, W.Where); })
KCHECK_TORCH_CAN(new_zeros, template <class S, class... A> Tensor operator()(const Tensor &T, const S &Sizes, const A &...Of) { Wish W = wishLike(T, Of...); return filled(sizesFrom(Sizes), W.Type, W.Where, 0); })
KCHECK_TORCH_CAN(new_ones, template <class S, class... A> Tensor operator()(const Tensor &T, const S &Sizes, const A &...Of) { Wish W = wishLike(T, Of...); return filled(sizesFrom(Sizes), W.Type, W.Where, 1); })
KCHECK_TORCH_CAN(new_full, template <class S, class... A> Tensor operator()(const Tensor &T, const S &Sizes, c10::Scalar V, const A &...Of) { Wish W = wishLike(T, Of...); return filled(sizesFrom(Sizes), W.Type, W.Where, V.real_); })
KCHECK_TORCH_CAN(arange, template <class... A> Tensor operator()(int64_t N, const A &...Of) {
    Wish W{ScalarType::Long, DeviceType::CPU};
    W.all(Of...);
    Tensor T = make({N}, W.Type, W.Where);
    std::vector<double> V(size_t(std::max<int64_t>(N, 0)));
    std::iota(V.begin(), V.end(), 0.0);
    setValues(T, V);
    return T;
  })
KCHECK_TORCH_CAN(zero_, Tensor operator()(const Tensor &T) { put(T, std::vector<char>(size_t(of(T).elements()) * c10::elementSize(of(T).Type))); return T; })
KCHECK_TORCH_CAN(fill_, Tensor operator()(const Tensor &T, c10::Scalar V) { setValues(T, std::vector<double>(size_t(of(T).elements()), V.real_)); return T; })
KCHECK_TORCH_CAN(copy_, template <class... A> Tensor operator()(const Tensor &T, const Tensor &From, A &&...) {
    if (of(T).elements() != of(From).elements())
      kcheck_host_unsupported("copy_ of another size");
    setValues(T, valuesOf(From));
    return T;
  })
KCHECK_TORCH_CAN(requires_grad_, template <class... A> Tensor operator()(const Tensor &T, A &&...) { return T; })

// Arithmetic whose result is a value of the host's: few elements, exact enough for what comes after.
inline Tensor mapped(const Tensor &T, double (*F)(double)) {
  Tensor New = make(of(T).Sizes, of(T).Type, of(T).Where);
  std::vector<double> V = valuesOf(T);
  for (double &X : V)
    X = F(X);
  setValues(New, V);
  return like(T, New);
}
inline Tensor combined(const Tensor &A, const Tensor &B, double (*F)(double, double)) {
  Tensor L = A, R = B;
  if (of(A).Sizes != of(B).Sizes) {
    std::vector<int64_t> S(std::max(of(A).Sizes.size(), of(B).Sizes.size()), 1);
    for (const Tensor *T : {&A, &B})
      for (size_t K = 0; K < of(*T).Sizes.size(); ++K) {
        int64_t &To = S[S.size() - of(*T).Sizes.size() + K];
        To = std::max(To, of(*T).Sizes[K]);
      }
    L = expand()(A, S), R = expand()(B, S);
  }
  Tensor New = make(of(L).Sizes, of(A).Type, of(A).Where);
  std::vector<double> X = valuesOf(L), Y = valuesOf(R);
  for (size_t K = 0; K < X.size(); ++K)
    X[K] = F(X[K], Y[K]);
  setValues(New, X);
  return New;
}
inline Tensor constant(const Tensor &Like, c10::Scalar V) { return filled({}, of(Like).Type, of(Like).Where, V.real_); }
#define KCHECK_TORCH_UNARY(Op, Expression) KCHECK_TORCH_CAN(Op, Tensor operator()(const Tensor &T) { return mapped(T, [](double x) -> double { return Expression; }); })
KCHECK_TORCH_UNARY(exp, std::exp(x)) KCHECK_TORCH_UNARY(log, std::log(x)) KCHECK_TORCH_UNARY(sqrt, std::sqrt(x)) KCHECK_TORCH_UNARY(rsqrt, 1 / std::sqrt(x))
KCHECK_TORCH_UNARY(tanh, std::tanh(x)) KCHECK_TORCH_UNARY(sigmoid, 1 / (1 + std::exp(-x))) KCHECK_TORCH_UNARY(relu, x > 0 ? x : 0) KCHECK_TORCH_UNARY(abs, std::fabs(x))
KCHECK_TORCH_UNARY(neg, -x) KCHECK_TORCH_UNARY(square, x * x) KCHECK_TORCH_UNARY(reciprocal, 1 / x) KCHECK_TORCH_UNARY(sin, std::sin(x)) KCHECK_TORCH_UNARY(cos, std::cos(x))
#define KCHECK_TORCH_BINARY(Op, Expression)                                                                                     \
  KCHECK_TORCH_CAN(Op,                                                                                                          \
    Tensor operator()(const Tensor &A, const Tensor &B) { return combined(A, B, [](double x, double y) -> double { return Expression; }); } \
    Tensor operator()(const Tensor &A, c10::Scalar B) { return (*this)(A, constant(A, B)); })
KCHECK_TORCH_BINARY(add, x + y) KCHECK_TORCH_BINARY(sub, x - y) KCHECK_TORCH_BINARY(mul, x * y) KCHECK_TORCH_BINARY(div, x / y)
KCHECK_TORCH_BINARY(pow, std::pow(x, y)) KCHECK_TORCH_BINARY(maximum, std::max(x, y)) KCHECK_TORCH_BINARY(minimum, std::min(x, y))
KCHECK_TORCH_CAN(sum, Tensor operator()(const Tensor &T) {
    double S = 0;
    for (double X : valuesOf(T))
      S += X;
    return filled({}, of(T).Type, of(T).Where, S);
  })
KCHECK_TORCH_CAN(mean, Tensor operator()(const Tensor &T) { return div()(sum()(T), c10::Scalar(double(std::max<int64_t>(1, of(T).elements())))); })
inline Tensor product(const Tensor &A, const Tensor &B) {
  TensorImpl &L = of(A), &R = of(B);
  if (L.Sizes.size() != 2 || R.Sizes.size() != 2)
    kcheck_host_unsupported("matmul of tensors that are no matrices");
  if (L.Sizes[1] != R.Sizes[0])
    fail("mat1 and mat2 shapes cannot be multiplied");
  int64_t M = L.Sizes[0], K = L.Sizes[1], N = R.Sizes[1];
  std::vector<double> X = valuesOf(A), Y = valuesOf(B), Z(size_t(M * N));
  for (int64_t I = 0; I < M; ++I)
    for (int64_t J = 0; J < N; ++J)
      for (int64_t P = 0; P < K; ++P)
        Z[size_t(I * N + J)] += X[size_t(I * K + P)] * Y[size_t(P * N + J)];
  Tensor T = make({M, N}, L.Type, L.Where);
  setValues(T, Z);
  return T;
}
KCHECK_TORCH_CAN(matmul, Tensor operator()(const Tensor &A, const Tensor &B) { return product(A, B); })
KCHECK_TORCH_CAN(mm, Tensor operator()(const Tensor &A, const Tensor &B) { return product(A, B); })
} // namespace can

// Which of them are methods, and which functions of at::.
#define KCHECK_TORCH_BOTH(M)                                                                                                    \
  M(clone) M(contiguous) M(detach) M(alias) M(toType) M(type_as) M(view) M(reshape) M(view_as) M(flatten) M(transpose) M(t) M(permute) M(unsqueeze) \
  M(squeeze) M(narrow) M(select) M(expand) M(expand_as) M(new_empty) M(new_zeros) M(new_ones) M(new_full) M(exp) M(log) M(sqrt) M(rsqrt) M(tanh)   \
  M(sigmoid) M(relu) M(abs) M(neg) M(square) M(reciprocal) M(sin) M(cos) M(add) M(sub) M(mul) M(div) M(pow) M(sum) M(mean) M(matmul) M(mm)
#define KCHECK_TORCH_MEMBERS(M) KCHECK_TORCH_BOTH(M) M(cpu) M(cuda) M(to)
#define KCHECK_TORCH_FUNCTIONS(M)                                                                                               \
  KCHECK_TORCH_BOTH(M) M(empty) M(zeros) M(ones) M(full) M(empty_like) M(zeros_like) M(ones_like) M(full_like) M(arange) M(maximum) M(minimum)

/// An operator with these arguments, or the end of the run.
template <class Op, class... A> Tensor apply(A &&...Of) {
  if constexpr (std::is_invocable_v<Op, A...>) {
    return Op()(std::forward<A>(Of)...);
  } else {
    std::string Name = std::string("PyTorch's operator ") + Op::Name + " with these arguments";
    kcheck_host_unsupported(Name.c_str());
    return Tensor();
  }
}
} // namespace kcheck_torch

namespace at {
inline Tensor::Tensor() {}
inline Tensor::Tensor(const Tensor &) = default;
inline Tensor::Tensor(Tensor &&) noexcept = default;
inline Tensor::~Tensor() {}
inline Tensor &Tensor::operator=(const Tensor &) = default;
inline Tensor &Tensor::operator=(Tensor &&) noexcept = default;

namespace run = kcheck_torch;
using run::Look;

inline int64_t Tensor::size(int64_t D) const {
  D = run::dimOf(D, run::of(*this));
  run::look(Look::Size, impl_->Param, int(D));
  return impl_->Sizes[size_t(D)];
}
inline int64_t Tensor::stride(int64_t D) const {
  D = run::dimOf(D, run::of(*this));
  run::look(Look::Layout, impl_->Param);
  return impl_->Strides[size_t(D)];
}
inline IntArrayRef Tensor::sizes() const { run::look(Look::Rank, run::of(*this).Param); run::lookAtAll(*impl_); return impl_->Sizes; }
inline IntArrayRef Tensor::sym_sizes() const { return sizes(); }
inline IntArrayRef Tensor::strides() const { run::look(Look::Layout, run::of(*this).Param); return impl_->Strides; }
inline int64_t Tensor::numel() const { run::look(Look::Elements, run::of(*this).Param); return impl_->elements(); }
inline int64_t Tensor::dim() const { run::look(Look::Rank, run::of(*this).Param); return int64_t(impl_->Sizes.size()); }
inline int64_t Tensor::ndimension() const { return dim(); }
inline size_t Tensor::nbytes() const { return size_t(numel()) * c10::elementSize(impl_->Type); }
inline size_t Tensor::itemsize() const { run::look(Look::Type, run::of(*this).Param); return c10::elementSize(impl_->Type); }
inline int64_t Tensor::element_size() const { return int64_t(itemsize()); }
inline int64_t Tensor::storage_offset() const { return run::of(*this).Offset; }
inline int64_t Tensor::use_count() const { return impl_.use_count(); }
inline bool Tensor::defined() const { return bool(impl_); }
inline bool Tensor::has_storage() const { return bool(impl_); }
inline bool Tensor::is_contiguous(MemoryFormat F) const {
  run::look(Look::Layout, run::of(*this).Param);
  return (F == MemoryFormat::Contiguous || F == MemoryFormat::Preserve) && run::isPacked(*impl_);
}
inline bool Tensor::is_cuda() const { run::look(Look::Place, run::of(*this).Param); return impl_->Where == DeviceType::CUDA; }
inline bool Tensor::is_cpu() const { return !is_cuda(); }
inline bool Tensor::is_sparse() const { return false; }
inline bool Tensor::is_floating_point() const { run::look(Look::Type, run::of(*this).Param); return c10::isFloatingType(impl_->Type); }
inline bool Tensor::is_complex() const { return false; }
inline bool Tensor::is_same(const Tensor &O) const { return impl_ == O.impl_; }
inline bool Tensor::is_non_overlapping_and_dense() const { return run::isPacked(run::of(*this)); }
inline bool Tensor::is_pinned() const { return false; }
inline bool Tensor::requires_grad() const { return false; }
inline ScalarType Tensor::scalar_type() const { run::look(Look::Type, run::of(*this).Param); return impl_->Type; }
inline TypeMeta Tensor::dtype() const { return c10::detail::metaOf(scalar_type()); }
inline ScalarType typeOf(const Tensor &T) { return T.scalar_type(); }
inline Device Tensor::device() const { run::look(Look::Place, run::of(*this).Param); return Device(impl_->Where, impl_->Where == DeviceType::CUDA ? 0 : -1); }
inline int64_t Tensor::get_device() const { return is_cuda() ? 0 : -1; }
inline Layout Tensor::layout() const { return Layout::Strided; }
inline TensorOptions Tensor::options() const { return TensorOptions(run::of(*this).Type).device(impl_->Where); }
inline MemoryFormat Tensor::suggest_memory_format() const { return MemoryFormat::Contiguous; }
inline std::string Tensor::toString() const { return c10::toString(run::of(*this).Type); }
inline Tensor Tensor::data() const { return *this; }
inline void Tensor::reset() { impl_.reset(); }
inline void *Tensor::data_ptr() const { return run::start(*this); }
inline const void *Tensor::const_data_ptr() const { return data_ptr(); }
inline void *Tensor::mutable_data_ptr() const { return data_ptr(); }
template <class T> T *Tensor::data_ptr() const {
  using E = std::remove_const_t<T>;
  constexpr ScalarType Wanted = c10::CppTypeToScalarType<E>::value;
  if (run::of(*this).Type != Wanted) {
    if (run::Searching && impl_->Param >= 0)
      throw run::NeedsType{impl_->Param, Wanted};
    run::failWith("expected scalar type ", Wanted, " but found ", impl_->Type);
  }
  return reinterpret_cast<T *>(run::start(*this));
}
template <class T> T *Tensor::data() const { return data_ptr<T>(); }
template <class T> const T *Tensor::const_data_ptr() const { return data_ptr<T>(); }
template <class T> T *Tensor::mutable_data_ptr() const { return data_ptr<T>(); }
inline Scalar Tensor::item() const {
  if (run::of(*this).elements() != 1)
    run::fail("a Tensor with more than one element cannot be converted to Scalar");
  double V = run::valuesOf(*this).at(0);
  return c10::isFloatingType(impl_->Type) ? Scalar(V) : Scalar(int64_t(V));
}
template <class T> T Tensor::item() const { return item().template to<T>(); }
template <class T, size_t N> TensorAccessor<T, N> Tensor::accessor() const {
  if (run::of(*this).Sizes.size() != N && run::Searching && impl_->Param >= 0)
    throw run::NeedsRank{impl_->Param, int(N)};
  if (impl_->Sizes.size() != N)
    run::failWith("TensorAccessor expected ", N, " dims but tensor has ", impl_->Sizes.size());
  if (is_cuda())
    kcheck_host_unsupported("an accessor of a tensor on the device, used on the host,");
  run::look(Look::Rank, impl_->Param);
  run::lookAtAll(*impl_);
  return TensorAccessor<T, N>(data_ptr<T>(), impl_->Sizes.data(), impl_->Strides.data());
}
template <class T, size_t N, template <class> class P, class I>
GenericPackedTensorAccessorBase<T, N, P, I>::GenericPackedTensorAccessorBase(PtrType d, const I *sizes, const I *strides) : data_(d) {
  std::copy_n(sizes, N, sizes_);
  std::copy_n(strides, N, strides_);
}
template <class T, size_t N, template <class> class P, class I> GenericPackedTensorAccessor<T, N, P, I> Tensor::packed_accessor() const {
  if (run::of(*this).Sizes.size() != N && run::Searching && impl_->Param >= 0)
    throw run::NeedsRank{impl_->Param, int(N)};
  if (impl_->Sizes.size() != N)
    run::failWith("TensorAccessor expected ", N, " dims but tensor has ", impl_->Sizes.size());
  run::look(Look::Rank, impl_->Param);
  run::lookAtAll(*impl_);
  std::array<I, N> Sizes, Strides;
  std::copy_n(impl_->Sizes.begin(), N, Sizes.begin());
  std::copy_n(impl_->Strides.begin(), N, Strides.begin());
  return GenericPackedTensorAccessor<T, N, P, I>(data_ptr<T>(), Sizes.data(), Strides.data());
}
template <class T, size_t N, template <class> class P> PackedTensorAccessor32<T, N, P> Tensor::packed_accessor32() const { return packed_accessor<T, N, P, int32_t>(); }
template <class T, size_t N, template <class> class P> PackedTensorAccessor64<T, N, P> Tensor::packed_accessor64() const { return packed_accessor<T, N, P, int64_t>(); }
inline ScalarType DeprecatedTypeProperties::scalarType() const { return type_; }
inline bool DeprecatedTypeProperties::is_cuda() const { return cuda_; }
inline Device DeprecatedTypeProperties::device() const { return Device(cuda_ ? DeviceType::CUDA : DeviceType::CPU); }
inline DeprecatedTypeProperties Tensor::type() const { return {scalar_type(), is_cuda()}; }

#define M(Name)                                                                                                                 \
  template <class... A> Tensor Tensor::Name(A &&...a) const { return run::apply<run::can::Name>(*this, std::forward<A>(a)...); } \
  template <class... A> Tensor Tensor::Name(IntArrayRef s, A &&...a) const { return run::apply<run::can::Name>(*this, s, std::forward<A>(a)...); }
KCHECK_TORCH_MEMBERS(M)
#undef M
#define M(Name)                                                                                                                 \
  template <class... A> Tensor &Tensor::Name(A &&...a) const { run::apply<run::can::Name>(*this, std::forward<A>(a)...); return const_cast<Tensor &>(*this); }
M(zero_) M(fill_) M(copy_) M(requires_grad_)
#undef M
#define M(Name)                                                                                                                 \
  template <class... A> Tensor Name(A &&...a) { return run::apply<run::can::Name>(std::forward<A>(a)...); }                     \
  template <class... A> Tensor Name(IntArrayRef s, A &&...a) { return run::apply<run::can::Name>(s, std::forward<A>(a)...); }
KCHECK_TORCH_FUNCTIONS(M)
#undef M
inline Tensor Tensor::operator[](int64_t I) const { return run::apply<run::can::select>(*this, int64_t(0), I); }
#define KCHECK_TENSOR_OP(Op, Name)                                                                                              \
  inline Tensor operator Op(const Tensor &A, const Tensor &B) { return run::apply<run::can::Name>(A, B); }                      \
  inline Tensor operator Op(const Tensor &A, const Scalar &B) { return run::apply<run::can::Name>(A, B); }                      \
  inline Tensor operator Op(const Scalar &A, const Tensor &B) { return run::apply<run::can::Name>(run::can::constant(B, A), B); }
KCHECK_TENSOR_OP(+, add) KCHECK_TENSOR_OP(-, sub) KCHECK_TENSOR_OP(*, mul) KCHECK_TENSOR_OP(/, div)
#undef KCHECK_TENSOR_OP
inline int64_t numel(const Tensor &T) { return T.numel(); }
inline std::optional<Device> device_of(const Tensor &T) { return T.defined() ? std::optional<Device>(T.device()) : std::nullopt; }
inline std::ostream &operator<<(std::ostream &O, const Tensor &T) { return T.defined() ? O << "[tensor of " << IntArrayRef(T.impl_->Sizes) << "]" : O << "[undefined]"; }
inline NoGradGuard::NoGradGuard() {}
inline NoGradGuard::~NoGradGuard() {}
inline AutoGradMode::AutoGradMode(bool) {}
inline DeviceGuard::DeviceGuard(Device) {}
inline OptionalDeviceGuard::OptionalDeviceGuard() {}
inline OptionalDeviceGuard::OptionalDeviceGuard(std::optional<Device>) {}
} // namespace at
namespace detail {
inline at::ScalarType scalar_type(const at::DeprecatedTypeProperties &P) { return P.scalarType(); }
} // namespace detail
namespace torch::cuda {
inline bool is_available() { return true; }
inline size_t device_count() { return 1; }
inline void synchronize(int64_t) { cudaDeviceSynchronize(); }
} // namespace torch::cuda

#include "kcheck_torch_search.h"
#endif
