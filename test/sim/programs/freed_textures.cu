// A texture over linear memory that is freed, an array that is too small for the copy.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
__global__ void fetchOk(cudaTextureObject_t t, float *o, int n) { if (threadIdx.x < n) o[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }
__global__ void fetchFreedBad(cudaTextureObject_t t, float *o) { o[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); } //~ use_after_free
__global__ void sampleOk(cudaTextureObject_t t, float *o, int w) { o[threadIdx.x] = tex2D<float>(t, threadIdx.x % w + .5f, threadIdx.x / w + .5f); }
__global__ void surfBad(cudaSurfaceObject_t s) { surf2Dwrite(1.f, s, threadIdx.x * 4, threadIdx.x); } //~ out_of_bounds_global
int main() {
  float *d, *o;
  cudaMalloc(&d, 64 * 4); cudaMalloc(&o, 64 * 4); cudaMemset(d, 0, 256);
  cudaResourceDesc r = {}; r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = d;
  r.res.linear.desc = cudaCreateChannelDesc<float>(); r.res.linear.sizeInBytes = 256;
  cudaTextureDesc td = {};
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &r, &td, nullptr);
  fetchOk<<<1, 64>>>(t, o, 64);
  cudaDeviceSynchronize();
  cudaArray_t arr; auto desc = cudaCreateChannelDesc<float>();
  cudaMallocArray(&arr, &desc, 8, 8, cudaArraySurfaceLoadStore);
  std::vector<float> h(100, 1.f);
  for (int i = 0; i < 64; ++i) h[i] = i;
  cudaMemcpy2DToArray(arr, 0, 0, h.data(), 32, 32, 8, cudaMemcpyHostToDevice);
  cudaMemcpy2DToArray(arr, 0, 0, h.data(), 40, 40, 8, cudaMemcpyHostToDevice); //~ memcpy_size
  cudaResourceDesc ra = {}; ra.resType = cudaResourceTypeArray; ra.res.array.array = arr;
  cudaTextureObject_t ta; cudaCreateTextureObject(&ta, &ra, &td, nullptr);
  sampleOk<<<1, 64>>>(ta, o, 8);
  cudaMemcpy(h.data(), o, 256, cudaMemcpyDeviceToHost);
  printf("t %g\n", h[37]);
  cudaSurfaceObject_t s; cudaCreateSurfaceObject(&s, &ra);
  surfBad<<<1, 9>>>(s);
  cudaDeviceSynchronize();
  cudaFree(d);
  fetchFreedBad<<<1, 64>>>(t, o);
  cudaDeviceSynchronize();
  cudaFree(o);
  cudaFreeArray(arr);
}
// PRINTS: t 37
