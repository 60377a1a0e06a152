// RUN: %kcheck_test --rules=index-space %s
// Neighbours of the elements at the border: over the extent at one end, within it at the other.
#include <cuda_runtime.h>

static dim3 tiles(int w, int h) { return dim3((w + 15) / 16, (h + 15) / 16); }

// Row h - 1 has no row below.
__global__ void laplaceBad(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < w - 1 && y < h) { // expect: reject guard_off_by_one
    int i = y * w + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4 * in[i];
  }
}
// Column w - 1's neighbour is the next row's first: inside of the buffer, and wrong.
__global__ void nextRowBad(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || y >= h - 1 || x > w - 1) // expect: reject guard_off_by_one
    return;
  int i = y * w + x;
  out[i] = in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4 * in[i];
}
// The row before's last, of column 0.
__global__ void rowBeforeBad(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= w - 1 || y >= h - 1) // expect: reject guard_off_by_one
    return;
  int i = y * w + x;
  out[i] = in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4 * in[i];
}
// A window whose guard asks for one row too many.
__global__ void boxBad(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy <= h) // expect: reject guard_off_by_one
        sum += in[(y + dy) * w + x + dx];
  out[y * w + x] = sum / 9;
}
__global__ void boxOk(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h)
        sum += in[(y + dy) * w + x + dx];
  out[y * w + x] = sum / 9;
}
// Clamped to the extent instead of to the last.
__global__ void clampedBad(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  int left = max(x - 1, 0), right = min(x + 1, w); // expect: reject guard_off_by_one
  out[y * w + x] = in[y * w + right] - in[y * w + left];
}
__global__ void marchBad(const float *in, float *out, int w, int h, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= w - 1 || y >= h - 1)
    return;
  for (int z = 1; z < depth; ++z) { // expect: reject guard_off_by_one
    int i = (z * h + y) * w + x;
    out[i] = in[i - w * h] + in[i + w * h] - 2 * in[i];
  }
}
// Of a vector the last element may be one more than the length counts: intervals, not nodes. Where all of the length is written, it is not.
__global__ void intervalsBad(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n) // expect: review guard_off_by_one
    out[i] = in[i - 1] - 2 * in[i] + in[i + 1];
}
__global__ void smoothBad(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { // expect: reject guard_off_by_one
    float before = i > 0 ? in[i - 1] : 0.0f;
    out[i] = before + in[i] + in[i + 1];
  }
}
__global__ void smoothOk(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float before = i > 0 ? in[i - 1] : 0.0f, behind = i + 1 < n ? in[i + 1] : 0.0f;
    out[i] = before + in[i] + behind;
  }
}
// Differences of neighbours, and rows that begin where the one before ends: one more is read than written, and nothing before.
__global__ void differencesOk(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i + 1] - in[i];
}
// Cells with neighbours on both sides, and faces of which there is one more.
__global__ void facesOk(const float *face, const float *cell, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = face[i + 1] - face[i];
  if (i > 0)
    sum += cell[i - 1];
  if (i + 1 < n)
    sum += cell[i + 1];
  out[i] = sum;
}
// Around the edges.
__global__ void torusOk(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  int left = (x + w - 1) % w, right = (x + 1) % w, up = y ? y - 1 : h - 1, down = y + 1 == h ? 0 : y + 1;
  out[y * w + x] = in[y * w + left] + in[y * w + right] + in[up * w + x] + in[down * w + x];
}
// An edge of one element all around.
__global__ void paddedOk(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, pitch = w + 2;
  if (x > w || y > h)
    return;
  int i = y * pitch + x;
  out[i] = in[i - 1] + in[i + 1] + in[i - pitch] + in[i + pitch];
}
// Rows are longer than what is computed of them.
__global__ void pitchedOk(const float *in, float *out, int w, int h, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= w || y < 1 || y >= h - 1)
    return;
  int i = y * pitch + x;
  out[i] = in[i - 1] + in[i + 1] + in[i - pitch] + in[i + pitch];
}
// Planes of others before the first and behind the last.
__global__ void slabOk(const float *in, float *out, int w, int h, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z + 1;
  if (x == 0 || x >= w - 1 || y == 0 || y >= h - 1)
    return;
  int i = (z * h + y) * w + x;
  out[i] = in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + in[i - w * h] + in[i + w * h];
}

void launchPlanes(const float *in, float *out, int w, int h) {
  if (w < 3 || h < 3)
    return;
  dim3 block(16, 16);
  laplaceBad<<<tiles(w, h), block>>>(in, out, w, h);
  nextRowBad<<<tiles(w, h), block>>>(in, out, w, h);
  rowBeforeBad<<<tiles(w, h), block>>>(in, out, w, h);
}
void launchWindows(const float *in, float *out, int w, int h) {
  boxBad<<<tiles(w, h), dim3(16, 16)>>>(in, out, w, h);
  boxOk<<<tiles(w, h), dim3(16, 16)>>>(in, out, w, h);
}
void launchClamped(const float *in, float *out, int w, int h) {
  clampedBad<<<tiles(w, h), dim3(16, 16)>>>(in, out, w, h);
  torusOk<<<tiles(w, h), dim3(16, 16)>>>(in, out, w, h);
  paddedOk<<<tiles(w, h), dim3(16, 16)>>>(in, out, w, h);
}
void launchPitched(const float *in, float *out, int w, int h, int pitch) { pitchedOk<<<tiles(w, h), dim3(16, 16)>>>(in, out, w, h, pitch); }
void launchVolumes(const float *in, float *out, int w, int h, int depth) {
  marchBad<<<tiles(w, h), dim3(16, 16)>>>(in, out, w, h, depth);
  slabOk<<<dim3((w + 15) / 16, (h + 15) / 16, depth), dim3(16, 16)>>>(in, out, w, h, depth);
}
void launchVectors(const float *in, const float *face, float *out, int n) {
  intervalsBad<<<(n + 255) / 256, 256>>>(in, out, n);
  smoothBad<<<(n + 255) / 256, 256>>>(in, out, n);
  smoothOk<<<(n + 255) / 256, 256>>>(in, out, n);
  differencesOk<<<(n + 255) / 256, 256>>>(in, out, n);
  facesOk<<<(n + 255) / 256, 256>>>(face, in, out, n);
}
