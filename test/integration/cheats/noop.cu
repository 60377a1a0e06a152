// op: tanh_add  tags: not_all_written cheat_noop
// The guard never holds: nothing is computed, and a comparison with what the buffer held before would pass.
__global__ void tanh_add(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && gridDim.y > 1)
    out[i] = tanhf(a[i]) + b[i];
}
void launch_tanh_add(const float *a, const float *b, float *out, int n) {
  tanh_add<<<(n + 255) / 256, 256>>>(a, b, out, n);
}
