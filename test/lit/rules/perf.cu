// RUN: %kcheck_test %s
#include <cuda_runtime.h>

__global__ void tanhAddBad(const float *a, const float *b, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = tanhf(a[i]) + b[i]; // expect: review scalar_access
}
void launchTanhAdd(const float *a, const float *b, float *out, int n) { tanhAddBad<<<(n + 255) / 256, 256>>>(a, b, out, n); }

__global__ void axpbyBad(const float *x, float *y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i]; // expect: review scalar_access
}
void launchAxpby(const float *x, float *y, float a, int n) { axpbyBad<<<128, 256>>>(x, y, a, n); }

__global__ void packetsOk(const float4 *x, float4 *y, int n4) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4)
    y[i] = x[i];
}
void launchPackets(const float4 *x, float4 *y, int n4) { packetsOk<<<(n4 + 255) / 256, 256>>>(x, y, n4); }

__global__ void reverseOk(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[n - 1 - i];
}
void launchReverse(const float *x, float *y, int n) { reverseOk<<<(n + 255) / 256, 256>>>(x, y, n); }

template <class T> __global__ void anyTypeOk(const T *x, T *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}
void launchAnyType(const float *x, float *y, int n) { anyTypeOk<<<(n + 255) / 256, 256>>>(x, y, n); }

__global__ void rowSumBad(const float *x, float *out, int rows, int cols) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float s = 0.0f;
  for (int c = 0; c < cols; ++c)
    s += x[(size_t)r * cols + c]; // expect: review uncoalesced
  out[r] = s;
}
void launchRowSum(const float *x, float *out, int rows, int cols) { rowSumBad<<<(rows + 127) / 128, 128>>>(x, out, rows, cols); }

__global__ void gatherOk(const float *x, const int *at, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[at[i]];
}
void launchGather(const float *x, const int *at, float *out, int n) { gatherOk<<<(n + 127) / 128, 128>>>(x, at, out, n); }

struct Particle {
  float px, py, pz, vx, vy, vz, mass, age;
};
__global__ void stepBad(Particle *p, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i].px += dt * p[i].vx; // expect: review struct_of_fields_strided
}
void launchStep(Particle *p, float dt, int n) { stepBad<<<(n + 127) / 128, 128>>>(p, dt, n); }

__global__ void tileBad(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < n && y < n)
    tile[threadIdx.y][threadIdx.x] = in[(size_t)y * n + x];
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  if (tx < n && ty < n)
    out[(size_t)ty * n + tx] = tile[threadIdx.x][threadIdx.y]; // expect: review bank_conflict
}
void launchTile(const float *in, float *out, int n) {
  const int b = (n + 31) / 32;
  tileBad<<<dim3(b, b), dim3(32, 32)>>>(in, out, n);
}
__global__ void paddedOk(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < n && y < n)
    tile[threadIdx.y][threadIdx.x] = in[(size_t)y * n + x];
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  if (tx < n && ty < n)
    out[(size_t)ty * n + tx] = tile[threadIdx.x][threadIdx.y];
}
void launchPadded(const float *in, float *out, int n) {
  const int b = (n + 31) / 32;
  paddedOk<<<dim3(b, b), dim3(32, 32)>>>(in, out, n);
}

__device__ float parityBad(float a) {
  if (threadIdx.x % 2 == 0) // expect: review divergent_branch
    return sinf(a);
  else
    return cosf(a);
}
__device__ float warpRoleOk(float a) {
  if (threadIdx.x / 32 % 2 == 0)
    return sinf(a);
  else
    return cosf(a);
}

__device__ float geluBad(float x) {
  return 0.5 * x * (1.0f + tanhf(x)); // expect: review double_literal
}
__device__ float geluOk(float x) { return 0.5f * x * (1.0f + tanhf(x)); }
__device__ double meanOk(const float *x, int n) {
  double s = 0.0;
  for (int i = 0; i < n; ++i)
    s += 0.5 * x[i];
  return s / n;
}
template <class T> __device__ T halfOk(T x) { return T(0.5) * x; }

__global__ void blockMeanBad(const float4 *x, float *mean, int cols4) {
  __shared__ float sh[256];
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols4; c += 256)
    s += x[(size_t)blockIdx.x * cols4 + c].x;
  sh[threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int t = 0; t < 256; ++t)
      total += sh[t]; // expect: review serial_reduction
    mean[blockIdx.x] = total;
  }
}
void launchBlockMean(const float4 *x, float *mean, int rows, int cols4) { blockMeanBad<<<rows, 256>>>(x, mean, cols4); }

__global__ void lossBad(const float4 *x, float *loss, int n4) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4)
    atomicAdd(loss, x[i].x); // expect: review atomic_hot_spot
}
void launchLoss(const float4 *x, float *loss, int n4) { lossBad<<<(n4 + 255) / 256, 256>>>(x, loss, n4); }

__device__ float tapsBad(const float *w, const float *x) {
  float acc = 0.0f;
  for (int k = 0; k < 25; ++k) // expect: review missing_unroll
    acc = fmaf(w[k], x[k], acc);
  return acc;
}
__device__ float tapsOk(const float *w, const float *x) {
  float acc = 0.0f;
#pragma unroll
  for (int k = 0; k < 25; ++k)
    acc = fmaf(w[k], x[k], acc);
  for (int k = 0; k < 3; ++k)
    acc = fmaf(w[k], x[k], acc);
  return acc;
}

__global__ void copy4(const float4 *x, float4 *y, int n4) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4)
    y[i] = x[i];
}
void launchTinyBad(const float4 *x, float4 *y, int n4) {
  copy4<<<(n4 + 15) / 16, 16>>>(x, y, n4); // expect: review low_occupancy
}

// Packets where the pointers allow it, and single elements for the rest.
__global__ void packetsAndRestOk(const float *x, float *y, long n, long packets) {
  long i = blockIdx.x * long(blockDim.x) + threadIdx.x, stride = long(gridDim.x) * blockDim.x;
  const float4 *x4 = reinterpret_cast<const float4 *>(x);
  float4 *y4 = reinterpret_cast<float4 *>(y);
  for (long k = i; k < packets; k += stride)
    y4[k] = x4[k];
  for (long k = packets * 4 + i; k < n; k += stride)
    y[k] = x[k];
}
void launchPackets(const float *x, float *y, long n) {
  bool aligned = ((reinterpret_cast<unsigned long>(x) | reinterpret_cast<unsigned long>(y)) & 15) == 0;
  long work = aligned ? (n + 3) / 4 : n;
  packetsAndRestOk<<<int(min((work + 255) / 256, 4096L)), 256>>>(x, y, n, aligned ? n / 4 : 0);
}
