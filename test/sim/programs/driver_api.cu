// The driver API without modules, by a program that launches its kernels with the runtime.
// PRINTS: 7 9 32 CUDA_ERROR_INVALID_VALUE
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void past(int *q) { q[threadIdx.x] = 1; } //~ out_of_bounds_global
int main() {
  int h[32], warp = 0;
  CUdevice device;
  CUcontext context, now;
  CUdeviceptr p, q;
  CUstream s;
  CUevent a, b;
  cuInit(0);
  cuDeviceGet(&device, 0);
  char name[64];
  cuDeviceGetName(name, sizeof name, device);
  cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxPushCurrent(context);
  cuCtxGetCurrent(&now);
  cuMemAlloc(&p, 128); cuMemAlloc(&q, 64);
  cuMemsetD32(p, 9, 32);
  cuMemcpyDtoH(h, p, 128);
  int nine = h[31];
  cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&a, CU_EVENT_DEFAULT); cuEventCreate(&b, CU_EVENT_DEFAULT);
  cuEventRecord(a, s);
  fill<<<1, 32, 0, s>>>(reinterpret_cast<int *>(p), 7);
  cuEventRecord(b, s);
  cuMemcpyDtoHAsync(h, p, 128, s);
  cuStreamSynchronize(s);
  float ms;
  cuEventElapsedTime(&ms, a, b);
  const char *text = "";
  cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text);
  printf("%d %d %d %s\n", h[5], nine, warp, text);
  cuMemcpyHtoD(q, h, 128); //~ memcpy_size
  past<<<1, 32>>>(reinterpret_cast<int *>(q));
  if (cuCtxSynchronize() == CUDA_SUCCESS || now != context)
    printf("no error\n");
  cuEventDestroy(a); cuEventDestroy(b);
  cuStreamDestroy(s);
  cuMemFree(p); cuMemFree(q);
  cuCtxPopCurrent(&now);
  cuDevicePrimaryCtxRelease(device);
}
