// Textures of linear memory and arrays, surfaces: values by hand, accesses outside are found.
// PRINTS: all right
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void line(cudaTextureObject_t t, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = tex1Dfetch<float>(t, i);
}
__global__ void lineFar(cudaTextureObject_t t, float *out) {
  out[0] = tex1Dfetch<float>(t, 64); //~ out_of_bounds_global
}
__global__ void plane(cudaTextureObject_t t, float *out, float dx, float dy, int w) {
  out[threadIdx.y * w + threadIdx.x] = tex2D<float>(t, threadIdx.x + dx, threadIdx.y + dy);
}
__global__ void one(cudaTextureObject_t t, float *out, float x, float y) { *out = tex2D<float>(t, x, y); }
__global__ void bytes(cudaTextureObject_t t, float4 *out) { *out = tex1D<float4>(t, 1.5f); }
__global__ void volume(cudaTextureObject_t t, int *out, float x, float y, float z) { *out = tex3D<int>(t, x, y, z); }
__global__ void layers(cudaTextureObject_t t, float *out, int layer) { *out = tex2DLayered<float>(t, 1.5f, 0.5f, layer); }
__global__ void corners(cudaTextureObject_t t, float4 *out) { *out = tex2Dgather<float4>(t, 1.0f, 1.0f, 0); }
__global__ void paint(cudaSurfaceObject_t s, int w, int h) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < w && y < h) {
    float v;
    surf2Dread(&v, s, x * 4, y);
    surf2Dwrite(v + 100.0f, s, x * 4, y);
  }
}
__global__ void paintFar(cudaSurfaceObject_t s) {
  surf2Dwrite(1.0f, s, 8 * 4, 0);                           //~ out_of_bounds_global
  surf2Dwrite(1.0f, s, -4, 0, cudaBoundaryModeZero);
}
__global__ void noTexture(cudaSurfaceObject_t s, float *out) {
  *out = tex2D<float>(s, 0, 0); //~ illegal_address
}

static int wrong = 0;
static void same(const char *what, double got, double want) {
  if (std::fabs(got - want) > 1e-6) {
    printf("%s: %g, not %g\n", what, got, want);
    ++wrong;
  }
}
static float *out;
static float value(int i = 0) {
  float v;
  cudaMemcpy(&v, out + i, 4, cudaMemcpyDeviceToHost);
  return v;
}
static cudaTextureObject_t make(cudaArray_t a, cudaTextureAddressMode edge, cudaTextureFilterMode filter, bool normalized, cudaTextureReadMode read = cudaReadModeElementType) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaTextureDesc d = {};
  d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = edge;
  d.filterMode = filter;
  d.readMode = read;
  d.normalizedCoords = normalized;
  d.borderColor[0] = -7;
  cudaTextureObject_t t = 0;
  if (cudaCreateTextureObject(&t, &r, &d, nullptr) != cudaSuccess)
    printf("no texture\n");
  return t;
}
static void at(const char *what, cudaTextureObject_t t, float x, float y, double want) {
  one<<<1, 1>>>(t, out, x, y);
  same(what, value(), want);
  cudaDestroyTextureObject(t);
}

int main() {
  const int w = 8, h = 4;
  std::vector<float> host(64);
  for (int i = 0; i < 64; ++i)
    host[i] = float(i);
  float *dev;
  cudaMalloc(&dev, 64 * 4);
  cudaMalloc(&out, 64 * 4);
  cudaMemcpy(dev, host.data(), 64 * 4, cudaMemcpyHostToDevice);
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = dev;
  r.res.linear.desc = cudaCreateChannelDesc<float>();
  r.res.linear.sizeInBytes = 64 * 4;
  cudaTextureDesc d = {};
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &r, &d, nullptr);
  line<<<2, 32>>>(t, out, 64);
  same("tex1Dfetch", value(63), 63);
  lineFar<<<1, 1>>>(t, out);
  same("outside of linear memory", value(), 0);
  cudaDestroyTextureObject(t);

  cudaArray_t a;
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
  cudaMallocArray(&a, &f, w, h, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(a, 0, 0, host.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice);
  cudaMemcpy2DToArray(a, 0, 0, host.data(), w * 4, w * 4 + 4, h, cudaMemcpyHostToDevice); //~ memcpy_size
  t = make(a, cudaAddressModeClamp, cudaFilterModePoint, false);
  plane<<<1, dim3(w, h)>>>(t, out, 0.5f, 0.5f, w);
  same("texel of a plane", value(2 * w + 3), 19);
  cudaDestroyTextureObject(t);
  at("clamp", make(a, cudaAddressModeClamp, cudaFilterModePoint, false), 20, -5, 7);
  at("border", make(a, cudaAddressModeBorder, cudaFilterModePoint, false), 20, 0, -7);
  at("wrap", make(a, cudaAddressModeWrap, cudaFilterModePoint, true), 1 + 2.5f / w, -1 + 1.5f / h, 10);
  at("mirror", make(a, cudaAddressModeMirror, cudaFilterModePoint, true), 1 + 0.5f / w, 0, 7);
  at("linear", make(a, cudaAddressModeClamp, cudaFilterModeLinear, false), 2, 1.5f, 9.5);
  at("linear in both axes", make(a, cudaAddressModeClamp, cudaFilterModeLinear, false), 2.25f, 2, 13.75);
  at("linear at the wrapped edge", make(a, cudaAddressModeWrap, cudaFilterModeLinear, true), 0, 0.5f / h, 3.5);
  t = make(a, cudaAddressModeClamp, cudaFilterModePoint, false);
  float4 four, *out4 = reinterpret_cast<float4 *>(out);
  corners<<<1, 1>>>(t, out4);
  cudaMemcpy(&four, out, 16, cudaMemcpyDeviceToHost);
  same("gather x", four.x, 8), same("gather y", four.y, 9), same("gather z", four.z, 1), same("gather w", four.w, 0);
  cudaDestroyTextureObject(t);

  r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaSurfaceObject_t s;
  cudaCreateSurfaceObject(&s, &r);
  paint<<<1, dim3(w, h)>>>(s, w, h);
  paintFar<<<1, 1>>>(s);
  cudaMemcpy2DFromArray(host.data(), w * 4, a, 0, 0, w * 4, h, cudaMemcpyDeviceToHost);
  same("surface", host[11], 111);

  cudaArray_t b;
  uchar4 pixels[2] = {{0, 0, 0, 0}, {255, 0, 51, 102}};
  f = cudaCreateChannelDesc<uchar4>();
  cudaMallocArray(&b, &f, 2);
  cudaMemcpy2DToArray(b, 0, 0, pixels, 8, 8, 1, cudaMemcpyHostToDevice);
  t = make(b, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat);
  bytes<<<1, 1>>>(t, out4);
  cudaMemcpy(&four, out, 16, cudaMemcpyDeviceToHost);
  same("red", four.x, 1), same("blue", four.z, 0.2), same("alpha", four.w, 0.4);
  cudaDestroyTextureObject(t);
  cudaFreeArray(b);

  std::vector<int> cube(4 * 3 * 2);
  for (int i = 0; i < 24; ++i)
    cube[i] = i;
  f = cudaCreateChannelDesc<int>();
  cudaMalloc3DArray(&b, &f, make_cudaExtent(4, 3, 2));
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(cube.data(), 4 * sizeof(int), 4, 3);
  p.dstArray = b;
  p.extent = make_cudaExtent(4, 3, 2);
  p.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&p);
  t = make(b, cudaAddressModeClamp, cudaFilterModePoint, false);
  volume<<<1, 1>>>(t, reinterpret_cast<int *>(out), 2.5f, 1.5f, 1.5f);
  int v;
  cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost);
  same("volume", v, 18);
  cudaDestroyTextureObject(t);
  cudaFreeArray(b);

  f = cudaCreateChannelDesc<float>();
  cudaMalloc3DArray(&b, &f, make_cudaExtent(2, 2, 3), cudaArrayLayered);
  for (int i = 0; i < 12; ++i)
    host[i] = float(i);
  p.srcPtr = make_cudaPitchedPtr(host.data(), 2 * sizeof(float), 2, 2);
  p.dstArray = b;
  p.extent = make_cudaExtent(2, 2, 3);
  cudaMemcpy3D(&p);
  t = make(b, cudaAddressModeClamp, cudaFilterModePoint, false);
  layers<<<1, 1>>>(t, out, 2);
  same("layer", value(), 9);
  cudaDestroyTextureObject(t);
  cudaFreeArray(b);

  noTexture<<<1, 1>>>(s, out); //~? leak
  if (cudaDeviceSynchronize() == cudaSuccess)
    printf("a surface is no texture\n"), ++wrong;
  cudaDestroySurfaceObject(s);
  cudaFreeArray(a);
  cudaFree(dev);
  cudaFree(out);
  printf(wrong ? "%d wrong\n" : "all right\n", wrong);
  return wrong != 0;
}
