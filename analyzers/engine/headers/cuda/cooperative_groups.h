// Cooperative groups in our own words: the groups, their barriers, ranks and collectives.
#pragma once
#pragma clang system_header
#include "kcheck_bundled.h"
namespace cooperative_groups {
class thread_group {
public:
  __device__ void sync() const;
  __device__ unsigned long long size() const;
  __device__ unsigned long long num_threads() const;
  __device__ unsigned long long thread_rank() const;
};
class thread_block : public thread_group {
public:
  static __device__ void sync() { __syncthreads(); }
  static __device__ unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
  static __device__ unsigned int num_threads() { return size(); }
  static __device__ unsigned int thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
  static __device__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static __device__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static __device__ dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static __device__ dim3 dim_threads() { return group_dim(); }
};
class grid_group : public thread_group {
public:
  __device__ void sync() const;
  __device__ bool is_valid() const;
  __device__ unsigned long long size() const;
  __device__ unsigned long long num_threads() const;
  __device__ unsigned long long thread_rank() const;
  __device__ unsigned long long block_rank() const;
  __device__ unsigned long long num_blocks() const;
  __device__ dim3 group_dim() const;
};
class cluster_group : public thread_group {
public:
  static __device__ void sync();
  static __device__ unsigned int block_rank();
  static __device__ unsigned int num_blocks();
  static __device__ dim3 block_index();
  template <class T> static __device__ T *map_shared_rank(T *, int);
};
#define KCHECK_LANES                                                                                                            \
  template <class T> __device__ T shfl(T, int) const;                                                                           \
  template <class T> __device__ T shfl_up(T, unsigned int) const;                                                               \
  template <class T> __device__ T shfl_down(T, unsigned int) const;                                                             \
  template <class T> __device__ T shfl_xor(T, unsigned int) const;                                                              \
  __device__ int any(int) const;                                                                                                \
  __device__ int all(int) const;                                                                                                \
  __device__ unsigned int ballot(int) const;                                                                                    \
  template <class T> __device__ unsigned int match_any(T) const;                                                                \
  template <class T> __device__ unsigned int match_all(T, int &) const;
class coalesced_group : public thread_group {
public:
  KCHECK_LANES
  __device__ unsigned int meta_group_rank() const;
  __device__ unsigned int meta_group_size() const;
};
template <unsigned int Size, class Parent = void> class thread_block_tile : public thread_group {
public:
  static __device__ unsigned int num_threads() { return Size; }
  static __device__ unsigned int size() { return Size; }
  __device__ unsigned int thread_rank() const;
  __device__ unsigned int meta_group_rank() const;
  __device__ unsigned int meta_group_size() const;
  KCHECK_LANES
};
#undef KCHECK_LANES
__device__ inline thread_block this_thread_block() { return thread_block(); }
__device__ grid_group this_grid();
__device__ cluster_group this_cluster();
__device__ coalesced_group coalesced_threads();
template <unsigned int Size, class P> __device__ thread_block_tile<Size, P> tiled_partition(const P &);
__device__ thread_group tiled_partition(const thread_group &, unsigned int);
template <class G> __device__ coalesced_group labeled_partition(const G &, int);
template <class G> __device__ coalesced_group binary_partition(const G &, bool);
template <class G> __device__ void sync(const G &g) { g.sync(); }
template <class G> __device__ unsigned int thread_rank(const G &g) { return g.thread_rank(); }
template <class G> __device__ unsigned int group_size(const G &g) { return g.size(); }
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };
template <class G, class T, class F> __device__ T reduce(const G &, T, F);
template <class G, class T, class F> __device__ T inclusive_scan(const G &, T, F);
template <class G, class T> __device__ T inclusive_scan(const G &, T);
template <class G, class T, class F> __device__ T exclusive_scan(const G &, T, F);
template <class G, class T> __device__ T exclusive_scan(const G &, T);
template <class G, class T> __device__ void memcpy_async(const G &, T *dst, const T *src, size_t bytes);
template <class G> __device__ void wait(const G &);
template <unsigned N, class G> __device__ void wait_prior(const G &);
template <class G, class F> __device__ void invoke_one(const G &, F &&);
} // namespace cooperative_groups
