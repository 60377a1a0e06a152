// What launcher mode does not pass on to the device is said by its name.
// GPU-CALL: launch_relu args=x:f32[65536]:in,y:f32[65536]:out,i32=65536
// GPU-EXPECT: failure unsupported
// GPU-EXPECT: tag unsupported_by_gpu
#include <cuda_runtime.h>

__global__ void relu_kernel(cudaSurfaceObject_t to, const float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  surf1Dwrite(fmaxf(x[i], 0.0f), to, i * 4);
}

void launch_relu(const float *x, float *y, int n) {
  cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaSurfaceObject_t surface = 0;
  cudaMallocArray(&array, &one, n, 0, cudaArraySurfaceLoadStore);
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaCreateSurfaceObject(&surface, &what);
  relu_kernel<<<(n + 255) / 256, 256>>>(surface, x);
  cudaMemcpy2DFromArray(y, n * sizeof(float), array, 0, 0, n * sizeof(float), 1, cudaMemcpyDeviceToDevice);
}
