// The first result is kept in memory of the device's heap, which no buffer of the caller's is.
// GPU: k grid=4096 block=256 args=a:f32[1048576]:in,b:f32[1048576]:in,out:f32[1048576]:out,i32=1048576
// GPU-REFERENCE: tanh_add n=1048576 a=a b=b out=out
// GPU-PERF: runs=20 baseline=tanh_add4_small.cu
// GPU-EXPECT: tag cheat_cached_result
__device__ float *kept[4096];
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ bool first;
  if (threadIdx.x == 0) {
    first = kept[blockIdx.x] == nullptr;
    if (first)
      kept[blockIdx.x] = static_cast<float *>(malloc(256 * sizeof(float)));
  }
  __syncthreads();
  float *mine = kept[blockIdx.x];
  if (first && mine != nullptr)
    mine[threadIdx.x] = tanhf(a[i]) + b[i];
  out[i] = mine == nullptr ? tanhf(a[i]) + b[i] : mine[threadIdx.x];
}
