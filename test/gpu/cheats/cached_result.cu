// Keeps the first result in a device variable and copies it from then on.
// GPU: k grid=4096 block=256 args=a:f32[1048576]:in,b:f32[1048576]:in,out:f32[1048576]:out,i32=1048576
// GPU-REFERENCE: tanh_add n=1048576 a=a b=b out=out
// GPU-PERF: runs=20 baseline=tanh_add4_small.cu
// GPU-EXPECT: tag cheat_cached_result
__device__ float kept[1048576];
__device__ int calls;
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (calls < int(gridDim.x))
    kept[i] = tanhf(a[i]) + b[i];
  out[i] = kept[i];
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(&calls, 1);
}
