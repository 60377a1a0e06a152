__global__ void printer(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    printf("%f\n", a[i]);
    a[i] = 0.0f;
  }
}
