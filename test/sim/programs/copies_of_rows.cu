// Copies of rows and of boxes.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
int main() {
  float *d; size_t pitch;
  const int W = 30, H = 8;
  cudaMallocPitch((void **)&d, &pitch, W * sizeof(float), H);
  std::vector<float> h(W * H), back(W * H);
  for (int i = 0; i < W * H; ++i) h[i] = i;
  cudaMemcpy2D(d, pitch, h.data(), W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice);
  cudaMemcpy2D(back.data(), W * sizeof(float), d, pitch, W * sizeof(float), H, cudaMemcpyDeviceToHost);
  printf("%g\n", back[W * H - 1]);
  cudaMemcpy2D(d, pitch, h.data(), W * sizeof(float), W * sizeof(float), H + 1, cudaMemcpyHostToDevice); //~ memcpy_size
  cudaMemcpy2D(d, W, h.data(), W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice); //~ memcpy_size
  cudaMemset2D(d, pitch, 0, pitch, H);
  cudaMemset2D(d, pitch, 0, W, H + 2); //~ memcpy_size
  cudaFree(d);
  cudaPitchedPtr v;
  cudaExtent e = make_cudaExtent(16 * sizeof(float), 4, 3);
  cudaMalloc3D(&v, e);
  std::vector<float> box(16 * 4 * 3, 2.f);
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(box.data(), 16 * sizeof(float), 16, 4);
  p.dstPtr = v;
  p.extent = e;
  p.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&p);
  p.extent.depth = 4;
  cudaMemcpy3D(&p); //~ memcpy_size
  cudaFree(v.ptr);
  return 0;
}
// PRINTS: 239
