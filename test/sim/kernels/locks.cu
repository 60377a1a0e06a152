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
