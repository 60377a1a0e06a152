// RUN: %kcheck_test --rules=sync %s
// Order that threads make by atomics and fences: locks, flags, and how far each of them holds.
#include <cuda_runtime.h>

__device__ int mutex = 0;
__device__ int ready = 0;

__device__ void lock(int *m) {
  while (atomicCAS(m, 0, 1) != 0) {
  }
  __threadfence();
}
__device__ void unlock(int *m) {
  __threadfence();
  atomicExch(m, 0);
}

__global__ void lockedOk(volatile float *total, const float *x) {
  if (threadIdx.x == 0) {
    lock(&mutex);
    total[0] += x[blockIdx.x];
    unlock(&mutex);
  }
}
__global__ void noReleaseFenceBad(volatile float *total, const float *x) {
  if (threadIdx.x == 0) {
    lock(&mutex);
    total[0] += x[blockIdx.x]; // expect: review cross_block_dependency
    atomicExch(&mutex, 0);
  }
}
__global__ void noAcquireFenceBad(volatile float *total, const float *x) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&mutex, 0, 1) != 0) {
    }
    total[0] += x[blockIdx.x]; // expect: review cross_block_dependency
    unlock(&mutex);
  }
}
__global__ void narrowFenceBad(volatile float *total, const float *x) {
  if (threadIdx.x == 0) {
    lock(&mutex);
    total[0] += x[blockIdx.x]; // expect: review cross_block_dependency
    __threadfence_block();
    atomicExch(&mutex, 0);
  }
}
__global__ void narrowLockBad(volatile float *total, const float *x) {
  if (threadIdx.x == 0) {
    while (atomicCAS_block(&mutex, 0, 1) != 0) { // expect: review cross_block_dependency
    }
    __threadfence();
    total[0] += x[blockIdx.x];
    __threadfence();
    atomicExch_block(&mutex, 0);
  }
}
// A lock in shared memory is the block's own: narrow fences do.
__global__ void warpsLockedOk(float *out, const float *x) {
  __shared__ int own;
  __shared__ volatile float sum;
  if (threadIdx.x == 0) {
    own = 0;
    sum = 0.0f;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS_block(&own, 0, 1) != 0) {
    }
    __threadfence_block();
    sum += x[threadIdx.x];
    __threadfence_block();
    atomicExch_block(&own, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}
// The threads of the block work under a lock that one of them took: barriers stand where fences would.
__global__ void blockLockedOk(float *table, const float *x) {
  if (threadIdx.x == 0)
    while (atomicCAS(&mutex, 0, 1) != 0) {
    }
  __syncthreads();
  table[threadIdx.x] += x[threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    atomicExch(&mutex, 0);
}
__global__ void outsideBad(volatile float *best, const float *x) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      lock(&mutex);
      best[0] += x[0];
      unlock(&mutex);
    }
  } else if (threadIdx.x == 0)
    best[0] = x[blockIdx.x]; // expect: review cross_block_dependency
}
// A place for each block needs no lock.
__global__ void placeOfItsOwnOk(volatile float *best, const float *x) {
  if (threadIdx.x == 0) {
    lock(&mutex);
    best[gridDim.x] += x[blockIdx.x];
    unlock(&mutex);
    best[blockIdx.x] = x[blockIdx.x];
  }
}

// Handed over: one thread announces, another waits.
__global__ void handedOverOk(volatile int *data, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    data[0] = 42;
    __threadfence();
    atomicExch(&ready, 1);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence();
    out[0] = data[0];
  }
}
__global__ void narrowHandoverBad(volatile int *data, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    data[0] = 42; // expect: review cross_block_dependency
    __threadfence_block();
    atomicExch(&ready, 1);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence();
    out[0] = data[0];
  }
}
// Two warps of one block: the narrow fence is wide enough.
__global__ void warpToWarpOk(volatile int *data, int *out) {
  if (threadIdx.x == 0) {
    data[0] = 42;
    __threadfence_block();
    atomicExch(&ready, 1);
  } else if (threadIdx.x == 32) {
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence_block();
    out[0] = data[0];
  }
}
__global__ void usedAfterwardsBad(volatile int *data, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    out[0] = data[0];
    __threadfence();
    atomicExch(&ready, 1);
    out[1] = data[0]; // expect: review cross_block_dependency
  } else if (blockIdx.x == 1) {
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence();
    data[0] = 7;
  }
}

// A chain in the order of tickets: nobody knows which block is whose.
__global__ void chainBad(const int *in, int *out, int *prefix, volatile int *state, unsigned *ticket) {
  __shared__ unsigned turn;
  if (threadIdx.x == 0)
    turn = atomicAdd(ticket, 1u);
  __syncthreads();
  if (threadIdx.x == 0) {
    int before = 0;
    if (turn > 0) {
      while (state[turn - 1] == 0) {
      }
      before = prefix[turn - 1];
    }
    prefix[turn] = before + in[turn]; // expect: review cross_block_dependency
    state[turn] = 1;
    out[turn] = before;
  }
}
__global__ void chainOk(const int *in, int *out, int *prefix, volatile int *state, unsigned *ticket) {
  __shared__ unsigned turn;
  if (threadIdx.x == 0)
    turn = atomicAdd(ticket, 1u);
  __syncthreads();
  if (threadIdx.x == 0) {
    int before = 0, ready = 0;
    if (turn > 0) {
      do {
        ready = state[turn - 1];
      } while (ready == 0);
      __threadfence();
      before = prefix[turn - 1];
    }
    prefix[turn] = before + in[turn];
    __threadfence();
    state[turn] = 1;
    out[turn] = before; // read by nobody here
  }
}
void launchChains(const int *in, int *out, int *prefix, int *state, unsigned *ticket, int n) {
  chainBad<<<n, 32>>>(in, out, prefix, state, ticket);
  chainOk<<<n, 32>>>(in, out, prefix, state, ticket);
}

// Atomics for a block, at places of the block and at places of all.
__global__ void blockCountOk(int *counts, const int *keys) { atomicAdd_block(&counts[blockIdx.x], keys[threadIdx.x]); }
__global__ void allCountBad(int *counts, const int *keys) {
  atomicAdd_block(&counts[0], keys[blockIdx.x]); // expect: review cross_block_dependency
}

// Adding nothing reads: all threads of the block find the same.
__global__ void turnsOk(int *turn, int *work, const int *ends) {
  int at = 0, end = ends[blockIdx.x];
  while (at < end) {
    if (threadIdx.x == 0)
      work[blockIdx.x] += at;
    __syncthreads();
    if (threadIdx.x == 0)
      atomicAdd_block(&turn[blockIdx.x], 1);
    __syncthreads();
    at = atomicAdd_block(&turn[blockIdx.x], 0);
    __syncthreads();
  }
}

void launches(float *total, float *x, int *data, int *out, int *counts, int *keys) {
  lockedOk<<<8, 64>>>(total, x);
  noReleaseFenceBad<<<8, 64>>>(total, x);
  noAcquireFenceBad<<<8, 64>>>(total, x);
  narrowFenceBad<<<8, 64>>>(total, x);
  narrowLockBad<<<8, 64>>>(total, x);
  warpsLockedOk<<<8, 64>>>(total, x);
  blockLockedOk<<<8, 64>>>(total, x);
  outsideBad<<<8, 64>>>(total, x);
  placeOfItsOwnOk<<<8, 64>>>(total, x);
  handedOverOk<<<2, 64>>>(data, out);
  warpToWarpOk<<<1, 64>>>(data, out);
  narrowHandoverBad<<<2, 64>>>(data, out);
  usedAfterwardsBad<<<2, 64>>>(data, out);
  blockCountOk<<<8, 64>>>(counts, keys);
  allCountBad<<<8, 64>>>(counts, keys);
  turnsOk<<<8, 64>>>(counts, out, keys);
}

// A part of its own for each thread, in which data chooses the place. (At some sizes the product is lost in 32 bits.)
__global__ void collectOk(int boxes, int points, int most, int a, int b, int c, const int *mask, int *cells) {
  int box = blockIdx.x * blockDim.x + threadIdx.x;
  if (box >= boxes)
    return;
  cells += box * a * b * c * most;
  for (int k = 0; k < points; ++k) {
    unsigned e = mask[box * points + k];
    unsigned at = (e >> 16 & 0xff) * b * c * most + (e >> 8 & 0xff) * c * most + (e & 0xff) * most;
    unsigned n = cells[at];
    if (n < most - 1) {
      cells[at + n + 1] = k;
      cells[at]++;
    }
  }
}
__global__ void collectBad(int boxes, int points, int most, int a, int b, int c, const int *mask, int *cells) {
  int box = blockIdx.x * blockDim.x + threadIdx.x;
  if (box >= boxes)
    return;
  for (int k = 0; k < points; ++k) {
    unsigned e = mask[box * points + k];
    unsigned at = (e >> 16 & 0xff) * b * c * most + (e >> 8 & 0xff) * c * most + (e & 0xff) * most;
    unsigned n = cells[at];
    if (n < most - 1) {
      cells[at + n + 1] = k;
      cells[at]++; // expect: review cross_block_dependency
    }
  }
}
void launchCollect(int boxes, int points, int most, int a, int b, int c, const int *mask, int *cells) {
  collectOk<<<(boxes + 255) / 256, 256>>>(boxes, points, most, a, b, c, mask, cells);
  collectBad<<<(boxes + 255) / 256, 256>>>(boxes, points, most, a, b, c, mask, cells);
}
