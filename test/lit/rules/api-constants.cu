// RUN: %kcheck_test --rules=api %s
#include <cuda_runtime.h>

// Device code may read a host constant, of which it has a copy; the host's is no symbol for that.
static const int steps[4] = {1, 2, 7, 61};
__constant__ int fixed[4];
__global__ void addSteps(const int *table, int *out) { out[threadIdx.x] = steps[threadIdx.x % 4] + fixed[threadIdx.x % 4] + table[0]; }

void copyOk(int *table) { cudaMemcpy(table, steps, sizeof(steps), cudaMemcpyHostToDevice); }
void copyBad() { cudaMemcpy(fixed, steps, sizeof(steps), cudaMemcpyHostToDevice); } // expect: reject memcpy_direction
