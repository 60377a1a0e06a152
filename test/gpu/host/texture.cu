// Textures over linear memory, over rows of it and over an array that the launcher fills; each gives a third of the output.
// GPU-CALL: launch_relu args=x:f32[65536]:in,y:f32[65536]:out,i32=65536
// GPU-REFERENCE: relu n=65536 x=x y=y
// GPU-PERF: runs=10
// GPU-EXPECT: ok
#include <cuda_runtime.h>

__global__ void relu_kernel(cudaTextureObject_t linear, cudaTextureObject_t rows, cudaTextureObject_t array, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float column = i % 256 + 0.5f, row = i / 256 + 0.5f;
  float v = i % 3 == 0 ? tex1Dfetch<float>(linear, i) : i % 3 == 1 ? tex2D<float>(rows, column, row) : tex2D<float>(array, column / 256.0f, row / 256.0f);
  y[i] = fmaxf(v, 0.0f);
}

void launch_relu(const float *x, float *y, int n) {
  cudaResourceDesc what = {};
  cudaTextureDesc how = {};
  cudaTextureObject_t linear = 0, rows = 0, array = 0;
  cudaArray_t copy = nullptr;
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = const_cast<float *>(x);
  what.res.linear.desc = cudaCreateChannelDesc<float>();
  what.res.linear.sizeInBytes = n * sizeof(float);
  cudaCreateTextureObject(&linear, &what, &how, nullptr);

  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D.devPtr = const_cast<float *>(x);
  what.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  what.res.pitch2D.width = 256;
  what.res.pitch2D.height = n / 256;
  what.res.pitch2D.pitchInBytes = 256 * sizeof(float);
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  cudaCreateTextureObject(&rows, &what, &how, nullptr);

  cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaMallocArray(&copy, &one, 256, n / 256);
  cudaMemcpy2DToArray(copy, 0, 0, x, 256 * sizeof(float), 256 * sizeof(float), n / 256, cudaMemcpyDeviceToDevice);
  what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = copy;
  how.filterMode = cudaFilterModePoint;
  how.normalizedCoords = 1;
  cudaCreateTextureObject(&array, &what, &how, nullptr);

  relu_kernel<<<(n + 255) / 256, 256>>>(linear, rows, array, y, n);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(linear);
  cudaDestroyTextureObject(rows);
  cudaDestroyTextureObject(array);
  cudaFreeArray(copy);
}
