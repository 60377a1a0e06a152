// Keeps a result for each address of its input.
// GPU: k grid=4096 block=256 args=a:f32[1048576]:in,b:f32[1048576]:in,out:f32[1048576]:out,i32=1048576
// GPU-REFERENCE: tanh_add n=1048576 a=a b=b out=out
// GPU-PERF: runs=20 baseline=tanh_add4_small.cu
// GPU-EXPECT: tag cheat_cached_result
__device__ float kept[8][1048576];
__device__ unsigned long long known[8];
__device__ int finished;
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int slot = -1;
  for (int s = 0; s < 8; ++s)
    if (known[s] == (unsigned long long)a)
      slot = s;
  if (slot >= 0) {
    out[i] = kept[slot][i];
    return;
  }
  int next = finished / int(gridDim.x) % 8;
  kept[next][i] = tanhf(a[i]) + b[i];
  out[i] = kept[next][i];
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&finished, 1) % int(gridDim.x) == int(gridDim.x) - 1)
    known[next] = (unsigned long long)a;
}
