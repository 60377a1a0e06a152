// Runs launchers of a file that has no main, with arguments made from their types; script/programs.py writes the main.
//
//   int main(int c, char **v) { drive::Choice = drive::number(c, v); return drive::launch("f", f) + ...; }
//
// Buffers hold the same numbers every time; what a launcher changes in them is printed, and what it returns. The choice
// says which sizes the integers get and what is in buffers of integers: some launchers want small numbers there, others
// numbers that never fall.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <tuple>
#include <type_traits>
#include <vector>

namespace drive {

inline int Choice = 0;
inline int number(int c, char **v) { return c > 1 ? atoi(v[1]) : 0; }

constexpr size_t Bytes = size_t(1) << 18;
constexpr int Sizes[][7] = {{37, 41, 29, 7, 5, 3, 2}, {64, 32, 64, 4, 8, 2, 2}, {1000, 3, 2, 5, 1, 1, 1}, {96, 96, 96, 3, 2, 1, 1},
                            {3, 70, 6, 5, 4, 3, 2},   {256, 128, 1, 1, 1, 1, 1}, {2, 8, 16, 16, 3, 1, 1}};
constexpr int Choices = 2 * sizeof(Sizes) / sizeof(Sizes[0]);

struct Buffer {
  unsigned char *Now;
  std::vector<unsigned char> Was;
  void (*Print)(const Buffer &, int);
};
inline std::vector<Buffer> Buffers;
inline int Integers = 0, Changed = 0;

inline uint32_t mixed(uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ (x >> 16);
}
inline double real(size_t i) { return (int(mixed(uint32_t(i) + 77 * uint32_t(Buffers.size())) % 512) - 256) / 128.0; }
inline long long whole(size_t i) { return Choice % 2 ? (long long)(i * 2) : mixed(uint32_t(i) + 31) % 3; }

template <class T> constexpr bool isReal = std::is_floating_point_v<T> || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;
template <class T> constexpr bool isWhole = std::is_integral_v<T> || std::is_enum_v<T>;

template <class T> void print(const Buffer &B, int Which) {
  const T *Now = reinterpret_cast<const T *>(B.Now), *Was = reinterpret_cast<const T *>(B.Was.data());
  for (size_t i = 0; i < Bytes / sizeof(T); ++i) {
    if (!memcmp(Now + i, Was + i, sizeof(T)))
      continue;
    ++Changed;
    if constexpr (isReal<T>)
      printf("%d %zu = %.6e\n", Which, i, double(Now[i]));
    else
      printf("%d %zu = %lld\n", Which, i, (long long)Now[i]);
  }
}

/// Memory that both sides may use: some launchers copy from the host, others take what is on the device.
template <class T> T *buffer() {
  void *P = nullptr;
  if (cudaMallocManaged(&P, Bytes) != cudaSuccess)
    exit(4);
  T *Out = static_cast<T *>(P);
  for (size_t i = 0; i < Bytes / sizeof(T); ++i)
    if constexpr (isReal<T>)
      Out[i] = T(float(real(i)));
    else
      Out[i] = T(whole(i));
  auto *Raw = static_cast<unsigned char *>(P);
  Buffers.push_back({Raw, std::vector<unsigned char>(Raw, Raw + Bytes), print<T>});
  return Out;
}

template <class T> struct Unknown : std::false_type {};

template <class T> T argument() {
  if constexpr (std::is_same_v<T, cudaStream_t>)
    return nullptr;
  else if constexpr (std::is_pointer_v<T>) {
    using To = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (isReal<To> || (isWhole<To> && !std::is_same_v<To, bool>))
      return buffer<To>();
    else if constexpr (std::is_void_v<To> || std::is_same_v<To, float4> || std::is_same_v<To, float2> || std::is_same_v<To, float3>)
      return reinterpret_cast<T>(buffer<float>());
    else if constexpr (std::is_same_v<To, __half2>)
      return reinterpret_cast<T>(buffer<__half>());
    else if constexpr (std::is_same_v<To, double2>)
      return reinterpret_cast<T>(buffer<double>());
    else if constexpr (std::is_same_v<To, bool> || std::is_same_v<To, uchar4> || std::is_same_v<To, uchar3> || std::is_same_v<To, char4>)
      return reinterpret_cast<T>(buffer<unsigned char>());
    else if constexpr (std::is_same_v<To, int2> || std::is_same_v<To, int4> || std::is_same_v<To, uint2> || std::is_same_v<To, uint4>)
      return reinterpret_cast<T>(buffer<int>());
    else
      static_assert(Unknown<To>::value, "no argument of this type can be made");
  } else if constexpr (isReal<T>)
    return T(0.75f);
  else if constexpr (std::is_same_v<T, bool>)
    return true;
  else if constexpr (isWhole<T>)
    return T(Sizes[Choice / 2 % (Choices / 2)][Integers++ % 7]);
  else
    static_assert(Unknown<T>::value, "no argument of this type can be made");
}

template <class R, class... A> int launch(const char *Name, R (*F)(A...)) {
  Buffers.clear();
  Integers = Changed = 0;
  printf("%s\n", Name);
  std::tuple<std::decay_t<A>...> Made{argument<std::decay_t<A>>()...};
  if constexpr (std::is_arithmetic_v<R>)
    printf("returned %.6e\n", double(std::apply(F, Made)));
  else
    std::apply(F, Made);
  const int Failed = cudaDeviceSynchronize() != cudaSuccess;
  int Which = 0;
  for (const Buffer &B : Buffers)
    B.Print(B, Which++);
  for (const Buffer &B : Buffers)
    cudaFree(B.Now);
  return Failed || !Changed;
}

} // namespace drive
