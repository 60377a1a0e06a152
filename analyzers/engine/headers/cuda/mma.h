// Warp matrix operations: opaque fragments.
#pragma once
#pragma clang system_header
#include "cuda_bf16.h"
#include "cuda_fp16.h"
namespace nvcuda::wmma {
struct matrix_a; struct matrix_b; struct accumulator; struct row_major; struct col_major;
namespace precision { struct tf32; struct u4; struct s4; struct b1; }
enum layout_t { mem_row_major, mem_col_major };
template <class T> struct kcheck_element { typedef T type; };
template <> struct kcheck_element<precision::tf32> { typedef float type; };
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
  static constexpr int num_elements = 16;
  typename kcheck_element<T>::type x[num_elements];
};
template <class F, class T> __device__ void fill_fragment(F &f, const T &v);
template <class F, class T> __device__ void load_matrix_sync(F &f, const T *p, unsigned ld);
template <class F, class T> __device__ void load_matrix_sync(F &f, const T *p, unsigned ld, layout_t);
template <class F, class T> __device__ void store_matrix_sync(T *p, const F &f, unsigned ld, layout_t);
template <class D, class A, class B, class C> __device__ void mma_sync(D &d, const A &a, const B &b, const C &c, bool satf = false);
__device__ float __float_to_tf32(float);
} // namespace nvcuda::wmma
