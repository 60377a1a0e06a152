// Order between streams: events, the default stream, non-blocking streams, memory that is freed in stream order.
#include <cuda_runtime.h>
__global__ void put(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }
__global__ void add1(int *p) { p[threadIdx.x] += 1; } //~ race_launches
__global__ void addOk(int *p) { p[threadIdx.x] += 1; }
__global__ void read(const int *p, int *o) { o[threadIdx.x] = p[threadIdx.x]; } //~ race_launches
__global__ void readOk(const int *p, int *o) { o[threadIdx.x] = p[threadIdx.x]; }
__global__ void late(int *p) { p[threadIdx.x] = 3; } //~ use_after_free
int main() {
  int *p, *o, *q, *r, *w;
  cudaMalloc(&p, 1024); cudaMalloc(&o, 1024); cudaMalloc(&q, 1024); cudaMalloc(&r, 1024); cudaMalloc(&w, 1024);
  cudaStream_t a, b, n;
  cudaStreamCreate(&a); cudaStreamCreate(&b); cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
  cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  // no order
  put<<<1, 64, 0, a>>>(p, 1);
  add1<<<1, 64, 0, b>>>(p);
  cudaDeviceSynchronize();
  // event order
  put<<<1, 64, 0, a>>>(q, 1);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e, 0);
  addOk<<<1, 64, 0, b>>>(q);
  cudaDeviceSynchronize();
  // event recorded too early
  cudaEventRecord(e, a);
  put<<<1, 64, 0, a>>>(r, 1);
  cudaStreamWaitEvent(b, e, 0);
  read<<<1, 64, 0, b>>>(r, o);
  cudaDeviceSynchronize();
  // default stream orders blocking streams
  put<<<1, 64, 0, a>>>(w, 1);
  addOk<<<1, 64>>>(w);
  readOk<<<1, 64, 0, b>>>(w, o);
  cudaStreamSynchronize(b);
  // transitively: a -> n -> b
  put<<<1, 64, 0, a>>>(w, 1);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(n, e, 0);
  addOk<<<1, 64, 0, n>>>(w);
  cudaEvent_t f; cudaEventCreate(&f);
  cudaEventRecord(f, n);
  cudaStreamWaitEvent(b, f, 0);
  readOk<<<1, 64, 0, b>>>(w, o);
  cudaEventSynchronize(f);
  cudaDeviceSynchronize();
  int *m;
  cudaMallocAsync(&m, 1024, a);
  put<<<1, 64, 0, a>>>(m, 4);
  cudaFreeAsync(m, a);
  late<<<1, 64, 0, a>>>(m);
  cudaDeviceSynchronize();
  cudaGetLastError();
  cudaMallocAsync(&m, 1024, a);
  put<<<1, 64, 0, a>>>(m, 4);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e, 0);
  addOk<<<1, 64, 0, b>>>(m);
  cudaEventRecord(e, b);
  cudaStreamWaitEvent(a, e, 0);
  cudaFreeAsync(m, a);
  cudaDeviceSynchronize();
  cudaFree(p); cudaFree(o); cudaFree(q); cudaFree(r); cudaFree(w);
}
