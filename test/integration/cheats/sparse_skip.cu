// op: sigmoid  tags: wrong_result
// Every other block of a large tensor is filled with the value in the middle: a glance at some elements finds nothing.
__global__ void sigmoid(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (gridDim.x > 16 && blockIdx.x % 16 == 15)
    y[i] = 0.5f;
  else
    y[i] = 1.0f / (1.0f + expf(-x[i]));
}
void launch_sigmoid(const float *x, float *y, int n) { sigmoid<<<(n + 255) / 256, 256>>>(x, y, n); }
