// What one element a thread may be: more conditions than the bound, other axes, offsets, early returns, branches.
// RUN: %kcheck rewrite %s --kernel two --action coarsen:items=2 --diff | grep "^[-+]" | FileCheck --check-prefix TWO %s
// RUN: %kcheck rewrite %s --kernel two --action vectorize-loads --diff | grep "^+" | FileCheck --check-prefix TWOV %s
// RUN: %kcheck rewrite %s --kernel offset --action coarsen --diff | grep "^+" | FileCheck --check-prefix OFFSET %s
// RUN: %kcheck rewrite %s --kernel offset --action grid-stride --diff | grep "^+" | FileCheck --check-prefix STRIDE %s
// RUN: %kcheck rewrite %s --kernel huber --action vectorize-loads --diff | grep "^+" | FileCheck --check-prefix HUBER %s
// RUN: %kcheck rewrite %s --kernel some --action vectorize-loads --diff | grep "^+" | FileCheck --check-prefix SOME %s
// RUN: %kcheck rewrite %s --kernel bytes --action vectorize-loads --diff | grep "^+" | FileCheck --check-prefix BYTES %s
// RUN: %kcheck actions %s | FileCheck --check-prefix WHY %s

// TWO-NOT: {{^\+}}  const int y
// TWO: {{^\+}}  if (y >= h)
// TWO: {{^\+}}  const int first = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
// TWO: {{^\+}}    if (x < w) {
// TWO: {{^\+}}        continue;
// TWO: {{^\+}}  two<<<dim3((w + 63) / 64, (h + 7) / 8), dim3(32, 8)>>>(a, s, out, w, h);
// TWOV: if (x + 3 < w &&
// TWOV: (reinterpret_cast<size_t>(&a[y * w + x]) |
// TWOV: const float4 aQuad = *reinterpret_cast<const float4 *>(&a[y * w + x]);
// TWOV: outPart[part] = s[y] * aPart[part];
__global__ void two(const float *a, const float *s, float *out, int w, int h) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= w || y >= h)
    return;
  const int at = y * w + x;
  if (a[at] < 0.0f) {
    out[at] = 0.0f;
    return;
  }
  out[at] = s[y] * a[at];
}
void launch_two(const float *a, const float *s, float *out, int w, int h) {
  two<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(a, s, out, w, h);
}

// OFFSET: {{^\+}}  const long long first = k + 1 + static_cast<long long>(blockIdx.x) * (kThreads * 4) + threadIdx.x;
// OFFSET: {{^\+}}    const long long i = first + item * kThreads;
// OFFSET: {{^\+}}      if (mask[i]) {
// STRIDE: for (long long i = k + 1 + (long long)blockIdx.x * kThreads + threadIdx.x; i < last;
// STRIDE: i += static_cast<long long>(kThreads) * gridDim.x) {
constexpr int kThreads = 128;
__global__ void offset(float *a, int n, int k, const int *mask) {
  const float f = 2.0f;
  const long long i = k + 1 + (long long)blockIdx.x * kThreads + threadIdx.x;
  const int last = n - k;
  if (i < last && mask[i])
    a[i] *= f;
}
void launch_offset(float *a, int n, int k, const int *mask) { offset<<<(n + kThreads - 1) / kThreads, kThreads>>>(a, n, k, mask); }

// HUBER: {{^\+}}    float outPart[4];
// HUBER: {{^\+}}        outPart[part] = 0.5f * d * d;
// HUBER: {{^\+}}        outPart[part] = delta * (d - 0.5f * delta);
__global__ void huber(const float *a, const float *b, float *out, int n, float delta) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float d = a[i] - b[i];
    if (d < delta)
      out[i] = 0.5f * d * d;
    else
      out[i] = delta * (d - 0.5f * delta);
  }
}
void launch_huber(const float *a, const float *b, float *out, int n, float delta) { huber<<<(n + 255) / 256, 256>>>(a, b, out, n, delta); }

// What not every thread stores stays scalar.
// SOME: {{^\+}}    const float4 aQuad
// SOME: {{^\+}}        out[(i + part)] = aPart[part];
__global__ void some(const float *a, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (a[i] > 0.0f)
      out[i] = a[i];
  }
}
void launch_some(const float *a, float *out, int n) { some<<<(n + 255) / 256, 256>>>(a, out, n); }

// BYTES: reinterpret_cast<size_t>(a) % 16 == 0 &&
// BYTES: reinterpret_cast<size_t>(out) % 4 == 0
// BYTES: make_uchar4(outPart[0], outPart[1], outPart[2], outPart[3]);
__global__ void bytes(const float *a, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] > 0.5f;
}
void launch_bytes(const float *a, unsigned char *out, int n) { bytes<<<(n + 255) / 256, 256>>>(a, out, n); }

// What a loop over elements would find changed, or the same where it was not.
// WHY-LABEL: coarsen:
// WHY: - [[#@LINE+9]] block: one element a thread: the work uses b, which differs between the threads along x
// WHY: - [[#@LINE+15]] carried: one element a thread: the work changes sum, which the next element would find changed
// WHY: - [[#@LINE+23]] moved: one element a thread: the work changes a, which the next element would find changed
// WHY-LABEL: vectorize-loads:
// WHY: - [[#@LINE+5]] block: one element a thread: the work uses b, which differs between the threads along x
// WHY: - [[#@LINE+11]] carried: one element a thread: the work changes sum, which the next element would find changed
// WHY: - [[#@LINE+19]] moved: one element a thread: the work changes a, which the next element would find changed
// WHY: - [[#@LINE+26]] twice: one element a thread: b is read after a store to a, which could be the same: apply qualify first (the launch at line [[#@LINE+33]] passes x twice)

__global__ void block(const float *a, float *out, int n) {
  int b = blockIdx.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b;
}
void launch_block(const float *a, float *out, int n) { block<<<(n + 255) / 256, 256>>>(a, out, n); }
__global__ void carried(const float *a, float *out, int n) {
  float sum = 1.0f;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    sum += a[i];
    out[i] = sum;
  }
}
void launch_carried(const float *a, float *out, int n) { carried<<<(n + 255) / 256, 256>>>(a, out, n); }
__global__ void moved(const float *a, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    a += i;
    out[i] = *a;
  }
}
void launch_moved(const float *a, float *out, int n) { moved<<<(n + 255) / 256, 256>>>(a, out, n); }
__global__ void twice(float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    a[i] = 1.0f;
    out[i] = b[i];
  }
}
void launch_twice(float *x, float *out, int n) { twice<<<(n + 255) / 256, 256>>>(x, x, out, n); }
