// op: tanh_add  tags: wrong_result cheat_cached_result
// The first result is kept and handed out again, whatever the inputs are.
__device__ float kept[1 << 20];
__device__ int known;

__global__ void tanh_add(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || i >= 1 << 20)
    return;
  if (known == 0)
    kept[i] = tanhf(a[i]) + b[i];
  out[i] = kept[i];
}
__global__ void remember() { known = 1; }

void launch_tanh_add(const float *a, const float *b, float *out, int n) {
  tanh_add<<<(n + 255) / 256, 256>>>(a, b, out, n);
  remember<<<1, 1>>>();
}
