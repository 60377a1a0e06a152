// Locks and flags: missing or too narrow fences, volatile data beside atomics, and what is no fault.
#include <cuda_runtime.h>

__device__ int lock = 0;
__device__ int flag = 0;

// SIM: no_acquire_fence grid=2 block=32 args=d:i32[1]:inout:zero
__global__ void no_acquire_fence(volatile int *d) {
  if (threadIdx.x) return;
  while (atomicCAS(&lock, 0, 1) != 0) {}
  d[0] = blockIdx.x + 1; //~ race_blocks
  __threadfence();
  atomicExch(&lock, 0);
}
// SIM-NEW
// SIM: narrow_acquire_fence grid=2 block=32 args=d:i32[1]:inout:zero
__global__ void narrow_acquire_fence(int *d) {
  if (threadIdx.x) return;
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence_block();
  d[0] = d[0] + 1; //~ race_blocks
  __threadfence();
  atomicExch(&lock, 0);
}
// SIM-NEW
// SIM: block_lock grid=1 block=64 args=d:i32[1]:inout:zero
__global__ void block_lock(volatile int *d) {
  if (threadIdx.x % 32) return;
  while (atomicCAS_block(&lock, 0, 1) != 0) {}
  __threadfence_block();
  d[0] = threadIdx.x + 1;
  __threadfence_block();
  atomicExch_block(&lock, 0);
}
// SIM-NEW
// SIM: volatile_unlock grid=4 block=32 args=d:i32[1]:inout:zero
__global__ void volatile_unlock(int *d) {
  if (threadIdx.x) return;
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  d[0] += 1;
  __threadfence();
  *(volatile int *)&lock = 0;
}
// SIM-NEW
// SIM: exchange_and_volatile grid=2 block=32 args=d:i32[1]:inout:zero
__global__ void exchange_and_volatile(int *d) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0)
    atomicExch(d, 1);
  else
    *(volatile int *)d = 2; //~ race_blocks
}
// SIM-NEW
// SIM: read_after_release grid=2 block=32 args=d:i32[1]:inout:one,o:i32[2]:out
__global__ void read_after_release(volatile int *d, int *o) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    o[0] = d[0];
    __threadfence();
    atomicExch(&flag, 1);
    o[1] = d[0];
  } else {
    while (atomicAdd(&flag, 0) == 0) {}
    __threadfence();
    d[0] = 7; //~ race_blocks
  }
}
// SIM-NEW
// SIM: counter_polled grid=4 block=32 args=n:i32[1]:inout:zero,o:i32[4]:out
__global__ void counter_polled(int *n, int *o) {
  if (threadIdx.x) return;
  atomicAdd(n, 1);
  while (*(volatile int *)n < gridDim.x) {}
  o[blockIdx.x] = 1;
}
// A claim in a loop is no lock: nobody gives it back.
// SIM-NEW
// SIM: claims grid=2 block=32 args=seen:i32[16]:inout:zero,by:i32[16]:out
__global__ void claims(int *seen, int *by) {
  for (int i = threadIdx.x; i < 16; i += 32)
    if (atomicCAS(&seen[i], 0, 1) == 0)
      by[i] = blockIdx.x;
}
// SIM-NEW
// SIM: tries_before_exchange grid=4 block=64 args=taken:i32[16]:inout:zero,o:i32[16]:inout:zero
__global__ void tries_before_exchange(int *taken, int *o) {
  int i = threadIdx.x % 16;
  if (taken[i] == 0) // a hint: the exchange tests again
    if (!atomicExch(&taken[i], 1))
      o[i] = 1;
}
// SIM-NEW
// SIM: swaps_data grid=1 block=64 args=last:i32[16]:inout:zero,o:i32[64]:out
__global__ void swaps_data(int *last, int *o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = last[i % 16]; //~ race_global
  o[i] += atomicExch(&last[i % 16], i); //~ race_global
}
// SIM-NEW
// SIM: ordered_builtins grid=4 block=64 args=n:i32[4]:inout:zero,o:i32[256]:out
__global__ void ordered_builtins(int *n, int *o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int old = __nv_atomic_fetch_add(n, 1, __NV_ATOMIC_RELAXED);
  int expected = old;
  __nv_atomic_compare_exchange_n(n + 1, &expected, 7, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_max(n + 2, old, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  o[i] = __nv_atomic_load_n(n + 3, __NV_ATOMIC_ACQUIRE);
}
