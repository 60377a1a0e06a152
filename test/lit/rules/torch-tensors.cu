// RUN: %kcheck_test --rules index-space,type-width,api --hosts kcheck %s
// REQUIRES: cuda
// What a launcher makes itself has a known length, and a known element type.
#include <torch/extension.h>

__global__ void flagsOf(const float4 *x, int4 *flags, int64_t n4) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n4)
    flags[i] = make_int4(x[i].x > 0, x[i].y > 0, x[i].z > 0, x[i].w > 0); // expect: reject missing_bounds_guard
}
torch::Tensor flagsBad(torch::Tensor x) {
  TORCH_CHECK(x.numel() % 4 == 0 && x.is_contiguous());
  auto flags = torch::empty({x.numel()}, x.options().dtype(at::kByte));
  int64_t n4 = x.numel() / 4;
  flagsOf<<<unsigned((n4 + 255) / 256), 256>>>(reinterpret_cast<const float4 *>(x.data_ptr<float>()),
                                               reinterpret_cast<int4 *>(flags.data_ptr<uint8_t>()), n4); // expect: reject pointer_width_mismatch
  return flags;
}

__global__ void firstOf(const float *x, int *at, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int found = cols;
  for (int c = 0; c < cols; ++c)
    if (x[size_t(r) * cols + c] > 0 && c < found)
      found = c;
  at[r] = found;
}
torch::Tensor firstBad(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1);
  auto at = torch::empty({rows}, x.options().dtype(torch::kInt64));
  firstOf<<<(rows + 127) / 128, 128>>>(x.data_ptr<float>(), reinterpret_cast<int *>(at.data_ptr<int64_t>()), rows, cols); // expect: reject pointer_width_mismatch
  return at;
}
torch::Tensor firstGood(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1);
  auto at = torch::empty({rows}, x.options().dtype(torch::kInt32));
  firstOf<<<(rows + 127) / 128, 128>>>(x.data_ptr<float>(), at.data_ptr<int>(), rows, cols);
  return at;
}

// Eight nibbles in each word: the bytes are moved, not counted.
__global__ void pack(const int *x, int *words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 8)
    return;
  unsigned w = 0;
  for (int k = 0; k < 8; ++k)
    w |= unsigned(x[8 * i + k] & 15) << (4 * k);
  words[i] = int(w);
}
torch::Tensor packGood(torch::Tensor x) {
  TORCH_CHECK(x.numel() % 8 == 0 && x.numel() < 1000000000);
  int n = x.numel();
  auto packed = torch::empty({n / 2}, x.options().dtype(torch::kUInt8));
  pack<<<(n / 8 + 255) / 256, 256>>>(x.data_ptr<int>(), reinterpret_cast<int *>(packed.data_ptr<uint8_t>()), n);
  return packed;
}

// All sizes leave some of the last blocks out.
__global__ void pooled(const float *x, float *y, int H, int W, int OH, int OW, int k, int stride) {
  int ow = blockIdx.x * blockDim.x + threadIdx.x, oh = blockIdx.y * blockDim.y + threadIdx.y;
  if (ow >= OW || oh >= OH)
    return;
  const float *in = x + size_t(blockIdx.z) * H * W;
  float m = -INFINITY;
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j)
      m = fmaxf(m, in[size_t(oh * stride + i) * W + ow * stride + j]);
  y[(size_t(blockIdx.z) * OH + oh) * OW + ow] = m;
}
torch::Tensor poolBad(torch::Tensor x, int64_t k, int64_t stride) {
  TORCH_CHECK(x.dim() == 4 && x.numel() > 0 && k >= 1 && stride >= 1 && k <= x.size(2) && k <= x.size(3));
  TORCH_CHECK(x.size(0) * x.size(1) <= 65535);
  int H = x.size(2), W = x.size(3), OH = (H - int(k)) / int(stride) + 1, OW = (W - int(k)) / int(stride) + 1;
  auto y = torch::empty({x.size(0), x.size(1), OH, OW}, x.options());
  pooled<<<dim3(OW / 32, OH / 8, unsigned(x.size(0) * x.size(1))), dim3(32, 8)>>>(x.data_ptr<float>(), y.data_ptr<float>(), H, W, OH, OW, k, stride); // expect: reject tail_not_covered
  return y;
}

// A dispatch over element types: as many elements, of other sizes.
template <typename T> __global__ void halve(const T *x, T *y, int64_t n) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n)
    y[i] = T(0.5) * x[i];
}
torch::Tensor halveGood(torch::Tensor x) {
  auto y = torch::empty({x.size(0), x.size(1)}, x.options());
  int64_t n = y.numel();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "halve", [&] {
    halve<scalar_t><<<unsigned((n + 255) / 256), 256>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), n);
  });
  return y;
}

// Packets that are rounded up pass the end.
__device__ float dot4(float4 v) { return v.x + v.y + v.z + v.w; }
__global__ void sumsBad(const float4 *x, float *part, int64_t n4) {
  float s = 0;
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < n4; i += int64_t(gridDim.x) * blockDim.x)
    s += dot4(x[i]); // expect: reject missing_bounds_guard
  atomicAdd(part, s);
}
torch::Tensor sumsOf(torch::Tensor x) {
  auto part = torch::zeros({1}, x.options());
  int64_t n4 = (x.numel() + 3) / 4;
  sumsBad<<<unsigned(std::min<int64_t>((n4 + 255) / 256, 1024)), 256>>>(reinterpret_cast<const float4 *>(x.data_ptr<float>()), part.data_ptr<float>(), n4);
  return part;
}

__constant__ float taps[64];
void tapsBad(torch::Tensor t, torch::Tensor host) {
  TORCH_CHECK(t.is_cuda() && t.numel() <= 64, "taps");
  cudaMemcpyToSymbol(taps, t.data_ptr<float>(), t.numel() * sizeof(float), 0, cudaMemcpyHostToDevice); // expect: reject memcpy_direction
  cudaMemcpyToSymbol(taps, t.data_ptr<float>(), t.numel() * sizeof(float), 0, cudaMemcpyDeviceToDevice);
  cudaMemcpyToSymbol(taps, host.data_ptr<float>(), host.numel() * sizeof(float), 0, cudaMemcpyHostToDevice);
}

// A comparison with a number of axes decides nothing that a caller could still choose.
__global__ void doubled(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2 * x[i];
}
void doubledBad(torch::Tensor x, torch::Tensor y) {
  if (x.dim() != 1)
    return;
  int n = x.size(0);
  doubled<<<n / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>()); // expect: reject tail_not_covered
}

// Braces of a reduction name its axes, not the shape of what it gives. A product of sizes that no caller need have.
__global__ void centredOk(const float *x, float *y, const float *mean, int features, int area, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] - mean[i / (features * area) * features + i / area % features];
}
torch::Tensor centred(torch::Tensor x) {
  auto mean = x.mean({2, 3}, true);
  auto y = torch::empty_like(x);
  const int n = x.numel();
  centredOk<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), mean.data_ptr<float>(), x.size(1), x.size(2) * x.size(3), n);
  return y;
}
template <int K> __global__ void windowsOk(const float *x, float *y, int w, int h) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < w && r < h)
    y[(size_t(blockIdx.z) * h + r) * w + c] = K * x[(size_t(blockIdx.z) * h + r) * w + c];
}
void windows(torch::Tensor x, torch::Tensor y, torch::Tensor taps) {
  const int w = x.size(3), h = x.size(2);
  const dim3 block(16, 8), grid((w + 15) / 16, (h + 7) / 8, x.size(0) * x.size(1));
  if (taps.size(0) == 3)
    windowsOk<3><<<grid, block>>>(x.data_ptr<float>(), y.data_ptr<float>(), w, h);
  else
    windowsOk<5><<<grid, block>>>(x.data_ptr<float>(), y.data_ptr<float>(), w, h);
}

// Groups that leave a remainder, a window that is larger than the picture, a size that has no part in the buffer's: callers know.
__global__ void groupedRows(const float *x, const float *mean, float *y, int n, int channels, int groups, int area) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int batch = i / (channels * area), c = i / area % channels;
  y[i] = x[i] - mean[batch * groups + c / (channels / groups)]; // expect: review missing_bounds_guard
}
torch::Tensor grouped(torch::Tensor x, int groups) {
  auto mean = torch::zeros({x.size(0), groups}, x.options());
  auto y = torch::empty_like(x);
  const int n = x.size(0) * x.size(1) * x.size(2);
  groupedRows<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), mean.data_ptr<float>(), y.data_ptr<float>(), n, x.size(1), groups, x.size(2));
  return y;
}
__global__ void keepsFew(float *y, int total, int kept) {
  float s = 0;
  for (int i = threadIdx.x; i < total; i += blockDim.x)
    s += y[blockIdx.x * total + i];
  for (int i = threadIdx.x; i < kept; i += blockDim.x)
    y[blockIdx.x * total + i] /= s; // expect: review missing_bounds_guard
}
torch::Tensor keepFew(torch::Tensor x, torch::Tensor clusters, int kept) {
  auto y = torch::zeros({x.size(0), clusters.size(1)}, x.options());
  keepsFew<<<x.size(0), 256>>>(y.data_ptr<float>(), clusters.size(1), kept);
  return y;
}

// Element types that the launcher demands, or chose itself.
__global__ void swishOf(const float *x, float *y, int64_t n) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n)
    y[i] = x[i] / (1.0f + __expf(-x[i]));
}
torch::Tensor swishBad(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat64, "float64 only");
  auto y = torch::empty(x.sizes(), x.options());
  int64_t n = x.numel();
  swishOf<<<unsigned((n + 255) / 256), 256>>>((const float *)x.data_ptr(), y.data_ptr<float>(), n); // expect: reject pointer_width_mismatch
  return y;
}
torch::Tensor swishOk(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.dtype() == torch::kFloat32, "float32 only");
  auto y = torch::empty(x.sizes(), x.options().dtype(torch::kFloat));
  int64_t n = x.numel();
  swishOf<<<unsigned((n + 255) / 256), 256>>>((const float *)x.data_ptr(), static_cast<float *>(y.data_ptr()), n);
  return y;
}
torch::Tensor placesBad(torch::Tensor x, int rows, int cols) {
  auto at = torch::zeros({rows}, x.options().dtype(torch::kLong));
  firstOf<<<(rows + 255) / 256, 256>>>(x.data_ptr<float>(), at.data_ptr<int>(), rows, cols); // expect: reject pointer_width_mismatch
  return at;
}
// Halves in packets, and the bits of floats: meant.
__global__ void moveOf(const uint4 *x, unsigned *y, int64_t n) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n)
    y[i] = x[i].x ^ x[i].y ^ x[i].z ^ x[i].w;
}
torch::Tensor moveOk(torch::Tensor x) {
  TORCH_CHECK(x.scalar_type() == at::kHalf && x.numel() % 8 == 0);
  int64_t n = x.numel() / 8;
  auto y = torch::empty({n}, x.options().dtype(at::kFloat));
  moveOf<<<unsigned((n + 255) / 256), 256>>>(reinterpret_cast<const uint4 *>(x.data_ptr()), reinterpret_cast<unsigned *>(y.data_ptr()), n);
  return y;
}
// One of two types: the branch says which.
torch::Tensor eitherOk(torch::Tensor x) {
  TORCH_CHECK(x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble);
  auto y = torch::empty(x.sizes(), x.options());
  int64_t n = x.numel();
  if (x.scalar_type() == at::kFloat)
    swishOf<<<unsigned((n + 255) / 256), 256>>>((const float *)x.data_ptr(), (float *)y.data_ptr(), n);
  return y;
}
