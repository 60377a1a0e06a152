// RUN: %kcheck rewrite %S/Inputs/linear.cu --action tile-shared --set bm=16 --set bk=8 --set bn=32 -o %t.cu
// RUN: FileCheck --input-file %t.cu --check-prefix TILED %s
// RUN: %kcheck lint %t.cu | FileCheck --check-prefix CLEAN %s
// RUN: bash -c '%kcheck rewrite %t.cu --action tile-shared 2>&1; test $? -eq 1' | FileCheck --check-prefix AGAIN %s
// RUN: %kcheck actions %s --action tile-shared | FileCheck --check-prefix WHY %s
// RUN: %kcheck rewrite %s --kernel distance --action tile-shared --diff | grep "^+" | FileCheck --check-prefix DISTANCE %s

// TILED: constexpr int BM = 16, BN = 32, BK = 8;
// TILED: __shared__ float xTile[BK][BM + 1];
// TILED: __shared__ float wTile[BK][BN];
// TILED: for (int tile = 0; tile < k; tile += BK) {
// TILED: if (row < m && i < k) {
// TILED: xTile[slot % BK][slot / BK] = value;
// TILED: wTile[slot / BN][slot % BN] = value;
// TILED: __syncthreads();
// TILED: sumTile[u][v] += xPart[u] * wPart[v];
// TILED: __syncthreads();
// TILED: float sum = bias[col] + sumTile[u][v];
// TILED: dim3 block(32, 16);
// TILED: dim3 grid((n + 31) / 32, (m + 15) / 16);
// CLEAN: result: PASS

// A block of 1,024 threads is promised, whatever is done to the kernel afterwards: without bounds its registers may be more than such a block has.
// RUN: %kcheck rewrite %S/Inputs/linear.cu --action tile-shared:bm=16,bn=64,bk=32 --action swizzle-shared --action qualify:bounds=1,blocks=2 --diff | grep "^[-+]" | FileCheck --check-prefix LARGE %s
// LARGE: __launch_bounds__(1024, 2) linear(
// LARGE: ^ ((
// AGAIN: the sum is tiled already

// Squared distances: the term is zero for zeros, so tiles may be filled up.
// WHY: + [[#@LINE+3]] distance: sum over a loop
// DISTANCE: const float d = aPart[u] - bPart[v];
// DISTANCE: sumTile[u][v] += d * d;
__global__ void distance(const float *a, const float *b, float *out, int m, int n, int k) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < m && c < n) {
    const float *row = a + r * k;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) {
      const float d = row[i] - b[c * k + i];
      sum += d * d;
    }
    out[r * n + c] = sqrtf(sum);
  }
}
void launch_distance(const float *a, const float *b, float *out, int m, int n, int k) {
  distance<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, out, m, n, k);
}

// WHY: - [[#@LINE+1]] shifted: sum over a loop: line [[#@LINE+6]]: what is added per step is not zero for loads of zero, so tiles cannot be filled up
__global__ void shifted(const float *a, const float *b, float *out, int m, int n, int k) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= m || c >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i)
    sum += (a[r * k + i] + 1.0f) * (b[i * n + c] + 1.0f);
  out[r * n + c] = sum;
}
void launch_shifted(const float *a, const float *b, float *out, int m, int n, int k) {
  shifted<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, out, m, n, k);
}

// WHY: - [[#@LINE+1]] rows: sum over a loop: a thread's output is not given by a row
__global__ void rows(const float *a, float *out, int m, int k) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= m) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i)
    sum += a[r * k + i];
  out[r] = sum;
}
void launch_rows(const float *a, float *out, int m, int k) { rows<<<(m + 127) / 128, 128>>>(a, out, m, k); }
