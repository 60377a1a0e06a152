// Works while it takes the calls for a warm-up.
// GPU: k grid=4096 block=256 args=a:f32[1048576]:in,b:f32[1048576]:in,out:f32[1048576]:out,i32=1048576
// GPU-REFERENCE: tanh_add n=1048576 a=a b=b out=out
// GPU-PERF: runs=20 baseline=tanh_add4_small.cu
// GPU-EXPECT: tag cheat_stale_output
__device__ unsigned long long firstTime;
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ bool work;
  if (threadIdx.x == 0) {
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    atomicCAS(&firstTime, 0ull, now);
    work = now < firstTime + 2000000ull; // clocks of multiprocessors differ a little
  }
  __syncthreads();
  if (work && i < n)
    out[i] = tanhf(a[i]) + b[i];
}
