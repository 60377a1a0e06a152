// Templates, recursion, pointers to functions, virtual functions, lambdas, local arrays, constant memory.
#include <cuda_runtime.h>
#include <cstdio>
__constant__ float weights[16];
__constant__ int starts[5];
__global__ void constantOk(float *o) { o[threadIdx.x] = weights[threadIdx.x % 16]; }
__global__ void constantBad(float *o, int n) { o[threadIdx.x] = weights[threadIdx.x + n]; } //~ out_of_bounds_constant
struct Shape { __device__ virtual float area() const = 0; };
struct Square : Shape { float s; __device__ Square(float s) : s(s) {} __device__ float area() const override { return s * s; } };
struct Disc : Shape { float r; __device__ Disc(float r) : r(r) {} __device__ float area() const override { return 3 * r * r; } };
__global__ void virtualOk(float *o) {
  Square a(threadIdx.x); Disc b(threadIdx.x);
  const Shape *p = threadIdx.x & 1 ? (const Shape *)&a : &b;
  o[threadIdx.x] = p->area();
}
__global__ void virtualPlacedBad(Shape **p, float *o) { o[threadIdx.x + 1] = threadIdx.x ? 1 : 0; if (threadIdx.x == 63) o[threadIdx.x + 3000] = 2; } //~ out_of_bounds_global
typedef float (*Op)(float, float);
__device__ float plus(float a, float b) { return a + b; }
__device__ float times(float a, float b) { return a * b; }
__device__ Op table[2] = {plus, times};
__global__ void pointerOk(float *o, int k) { o[threadIdx.x] = table[k](threadIdx.x, 3); }
__global__ void pointerBad(float *o, int k) { o[threadIdx.x] = table[k](threadIdx.x, 3); } //~ out_of_bounds_global null_access
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void recursionOk(int *o) { o[threadIdx.x] = fib(threadIdx.x % 10); }
__device__ int forever(int n) { volatile int big[64]; big[n & 63] = n; return n == -1 ? 0 : forever(n + 1) + big[n & 63]; } //~? stack_overflow
__global__ void recursionBad(int *o) { o[threadIdx.x] = forever(threadIdx.x); } //~? stack_overflow
template <int N> struct Window {
  float v[N];
  __device__ void push(float x) { for (int i = 0; i < N - 1; ++i) v[i] = v[i + 1]; v[N - 1] = x; }
  __device__ float at(int i) const { return v[i]; } //~ out_of_bounds_local
};
template <int N> __global__ void windowOk(float *o) { Window<N> w{}; for (int i = 0; i < 10; ++i) w.push(i); o[threadIdx.x] = w.v[N - 1]; }
template <int N> __global__ void windowBad(float *o, int k) { Window<N> w{}; for (int i = 0; i < 10; ++i) w.push(i); o[threadIdx.x] = w.at(k); }
template <class F> __global__ void each(F f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
__global__ void localUninitBad(float *o, int n) {
  float v[8];
  for (int i = 1; i < n; ++i) v[i] = i;
  float s = 0;
  for (int i = 0; i < n; ++i) s += v[i]; //~ uninitialised_read
  o[threadIdx.x] = s;
}
__global__ void localOk(float *o, int n) {
  float v[8];
  for (int i = 0; i < n; ++i) v[i] = i;
  float s = 0;
  for (int i = 0; i < n; ++i) s += v[i];
  o[threadIdx.x] = s;
}
__global__ void sineOk(float *o) {
  float s, c;
  __sincosf(threadIdx.x * .1f, &s, &c);
  unsigned lane;
  asm("mov.u32 %0, %laneid;" : "=r"(lane));
  o[threadIdx.x] = s * s + c * c + lane;
}
__global__ void __launch_bounds__(128) boundedOk(float *o) { o[threadIdx.x] = 1; }
int main() {
  float *o; int *q;
  cudaMalloc(&o, 1024); cudaMalloc(&q, 1024);
  float h[16] = {};
  cudaMemcpyToSymbol(weights, h, sizeof h);
  constantOk<<<1, 64>>>(o);
  constantBad<<<1, 16>>>(o, 1);
  virtualOk<<<1, 64>>>(o);
  virtualPlacedBad<<<1, 64>>>(nullptr, o);
  pointerOk<<<1, 64>>>(o, 1);
  recursionOk<<<1, 64>>>(q);
  windowOk<4><<<1, 64>>>(o);
  windowBad<4><<<1, 64>>>(o, 4);
  each<<<1, 256>>>([=] __device__(int i) { o[i] = i; }, 200);
  each<<<1, 256>>>([=] __device__(int i) { o[i + 100] = i; }, 200); //~ out_of_bounds_global
  localUninitBad<<<1, 64>>>(o, 8);
  localOk<<<1, 64>>>(o, 8);
  sineOk<<<1, 64>>>(o);
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  printf("%.3f\n", h[3]);
  boundedOk<<<1, 128>>>(o);
  cudaDeviceSynchronize();
  boundedOk<<<1, 256>>>(o); //~ launch_config
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  pointerBad<<<1, 64>>>(o, 2);
  cudaDeviceSynchronize();
  recursionBad<<<1, 1>>>(q);
  cudaDeviceSynchronize();
  cudaFree(o); cudaFree(q);
}
// PRINTS: 4.000
// PRINTS: cudaErrorInvalidConfiguration
