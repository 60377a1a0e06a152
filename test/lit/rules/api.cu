// RUN: %kcheck_test %s

__global__ void printsBad(float *a) {
  printf("%f\n", a[threadIdx.x]); // expect: review device_printf
}

#ifdef KERNEL_DEBUG
__global__ void printsInDebugOnlyOk(float *a) {
  printf("%f\n", a[threadIdx.x]);
}
#endif

__global__ void scaleOk(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2.0f;
}
