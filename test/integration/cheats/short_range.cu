// op: sigmoid  tags: wrong_result
// A polynomial that holds for small inputs only.
__global__ void sigmoid(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i], s = v * v;
  y[i] = 0.5f + v * (0.25f - s * (1.0f / 48 - s * (1.0f / 480 - s * (17.0f / 80640))));
}
void launch_sigmoid(const float *x, float *y, int n) { sigmoid<<<(n + 255) / 256, 256>>>(x, y, n); }
