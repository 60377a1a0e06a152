// fp64 references on the device. Each takes the operator's inputs widened to double and writes value and S (the sum of
// the terms' magnitudes) of every output element; the formulas are those of runner/ops/operators, against which they are
// checked before they judge anything. One signature for all, so that the host needs only a table (Reference.cpp).
struct Args {
  const double *in[8];
  double *out, *terms; // terms may be null
  long long d[8];
  double a[4];
  int variant;
};
__device__ __forceinline__ long long first() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ long long step() { return (long long)gridDim.x * blockDim.x; }

__device__ double geluErf(double x) { return 0.5 * x * (1 + erf(x * 0.70710678118654752440)); }
__device__ double geluTanh(double x) { return 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))); }
__device__ double gelu(double x, int variant) { return variant ? geluTanh(x) : geluErf(x); }
__device__ double relu(double x) { return x > 0 ? x : 0.0; }

#define UNARY(NAME, EXPR)                                                                                                         \
  extern "C" __global__ void ref_##NAME(Args r) {                                                                                 \
    double p = r.a[0];                                                                                                            \
    (void)p;                                                                                                                      \
    for (long long i = first(); i < r.d[0]; i += step()) {                                                                        \
      double x = r.in[0][i];                                                                                                      \
      r.out[i] = EXPR;                                                                                                            \
    }                                                                                                                             \
  }
UNARY(abs, fabs(x))
UNARY(copy, x)
UNARY(elu, x > 0 ? x : p * expm1(x))
UNARY(exp, exp(x))
UNARY(gelu, gelu(x, r.variant))
UNARY(hardswish, x *fmin(fmax(x + 3, 0.0), 6.0) / 6)
UNARY(leaky_relu, x > 0 ? x : p * x)
UNARY(relu, relu(x))
UNARY(scale, p *x)
UNARY(sigmoid, 1 / (1 + exp(-x)))
UNARY(silu, x / (1 + exp(-x)))
UNARY(softplus, x > 30 ? x : log1p(exp(x)))
UNARY(square, x *x)
UNARY(tanh, tanh(x))

#define BINARY(NAME, EXPR, TERMS)                                                                                                 \
  extern "C" __global__ void ref_##NAME(Args r) {                                                                                 \
    for (long long i = first(); i < r.d[0]; i += step()) {                                                                        \
      double a = r.in[0][i], b = r.in[1][i], v = EXPR;                                                                            \
      r.out[i] = v;                                                                                                               \
      if (r.terms)                                                                                                                \
        r.terms[i] = TERMS;                                                                                                       \
    }                                                                                                                             \
  }
BINARY(add, a + b, fabs(a) + fabs(b))
BINARY(add_relu, relu(a + b), fabs(a) + fabs(b))
BINARY(mul, a *b, fabs(v))
BINARY(sigmoid_mul, b / (1 + exp(-a)), fabs(v))
BINARY(silu_mul, a / (1 + exp(-a)) * b, fabs(v))
BINARY(sub, a - b, fabs(a) + fabs(b))
BINARY(tanh_add, tanh(a) + b, fabs(tanh(a)) + fabs(b))

extern "C" __global__ void ref_mul_add(Args r) {
  for (long long i = first(); i < r.d[0]; i += step()) {
    double p = r.in[0][i] * r.in[1][i], c = r.in[2][i];
    r.out[i] = p + c;
    if (r.terms)
      r.terms[i] = fabs(p) + fabs(c);
  }
}
extern "C" __global__ void ref_axpy(Args r) {
  for (long long i = first(); i < r.d[0]; i += step()) {
    double p = r.a[0] * r.in[0][i], y = r.in[1][i];
    r.out[i] = p + y;
    if (r.terms)
      r.terms[i] = fabs(p) + fabs(y);
  }
}

// x[rows, cols] and bias[cols]
#define BIASED(NAME, F)                                                                                                           \
  extern "C" __global__ void ref_##NAME(Args r) {                                                                                 \
    for (long long i = first(); i < r.d[0] * r.d[1]; i += step()) {                                                               \
      double x = r.in[0][i], b = r.in[1][i % r.d[1]], v = x + b;                                                                  \
      r.out[i] = F;                                                                                                               \
      if (r.terms)                                                                                                                \
        r.terms[i] = fabs(x) + fabs(b);                                                                                           \
    }                                                                                                                             \
  }
BIASED(bias_add, v)
BIASED(bias_relu, relu(v))
BIASED(bias_gelu, gelu(v, r.variant))

template <typename Op> __device__ double blockAll(double v, Op op) {
  __shared__ double part[32];
  for (int d = 16; d; d /= 2)
    v = op(v, __shfl_xor_sync(~0u, v, d));
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
  for (int w = 1; w < blockDim.x / 32; ++w)
    v = op(v, part[w]);
  return v;
}
struct Sum { __device__ double operator()(double a, double b) const { return a + b; } };
struct Max { __device__ double operator()(double a, double b) const { return a > b ? a : b; } };
#define LOW (-__longlong_as_double(0x7ff0000000000000ll))

template <bool Log> __device__ void softmax(Args &r) {
  long long cols = r.d[1];
  for (long long row = blockIdx.x; row < r.d[0]; row += gridDim.x) {
    const double *x = r.in[0] + row * cols;
    double m = LOW, s = 0;
    for (long long i = threadIdx.x; i < cols; i += blockDim.x)
      m = x[i] > m ? x[i] : m;
    m = blockAll(m, Max());
    for (long long i = threadIdx.x; i < cols; i += blockDim.x)
      s += exp(x[i] - m);
    s = blockAll(s, Sum());
    double root = sqrt(double(cols));
    for (long long i = threadIdx.x; i < cols; i += blockDim.x) {
      double gap = x[i] - m, y = Log ? gap - log(s) : exp(gap) / s, size = fabs(x[i]) + fabs(m);
      r.out[row * cols + i] = y;
      if (r.terms)
        r.terms[row * cols + i] = Log ? (size + log(s)) / root + 1 : y * (1 + size / root);
    }
  }
}
extern "C" __global__ void ref_softmax(Args r) { softmax<false>(r); }
extern "C" __global__ void ref_log_softmax(Args r) { softmax<true>(r); }

// x, gamma or null, beta or null; a[0] eps
extern "C" __global__ void ref_layernorm(Args r) {
  long long cols = r.d[1];
  for (long long row = blockIdx.x; row < r.d[0]; row += gridDim.x) {
    const double *x = r.in[0] + row * cols;
    double s = 0, v = 0, z = 0;
    for (long long i = threadIdx.x; i < cols; i += blockDim.x)
      s += x[i];
    double mean = blockAll(s, Sum()) / double(cols);
    for (long long i = threadIdx.x; i < cols; i += blockDim.x) {
      v += (x[i] - mean) * (x[i] - mean);
      z += fabs(x[i]);
    }
    double inverse = 1 / sqrt(blockAll(v, Sum()) / double(cols) + r.a[0]), size = blockAll(z, Sum()) / double(cols);
    for (long long i = threadIdx.x; i < cols; i += blockDim.x) {
      double g = r.in[1] ? r.in[1][i] : 1, b = r.in[2] ? r.in[2][i] : 0, unit = (x[i] - mean) * inverse;
      r.out[row * cols + i] = unit * g + b;
      if (r.terms)
        r.terms[row * cols + i] = fabs(g) * (inverse * (fabs(x[i]) + size) + fabs(unit)) + fabs(b);
    }
  }
}
extern "C" __global__ void ref_rmsnorm(Args r) {
  long long cols = r.d[1];
  for (long long row = blockIdx.x; row < r.d[0]; row += gridDim.x) {
    const double *x = r.in[0] + row * cols;
    double s = 0;
    for (long long i = threadIdx.x; i < cols; i += blockDim.x)
      s += x[i] * x[i];
    double inverse = 1 / sqrt(blockAll(s, Sum()) / double(cols) + r.a[0]);
    for (long long i = threadIdx.x; i < cols; i += blockDim.x) {
      double y = x[i] * inverse * (r.in[1] ? r.in[1][i] : 1);
      r.out[row * cols + i] = y;
      if (r.terms)
        r.terms[row * cols + i] = fabs(y);
    }
  }
}

// kind 0 sum, 1 max, 2 mean: rows of [rows, cols]
__device__ void reduceRows(Args &r, long long rows, long long cols, int kind) {
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    const double *x = r.in[0] + row * cols;
    double v = kind == 1 ? LOW : 0, z = 0;
    for (long long i = threadIdx.x; i < cols; i += blockDim.x) {
      v = kind == 1 ? (x[i] > v ? x[i] : v) : v + x[i];
      z += fabs(x[i]);
    }
    v = kind == 1 ? blockAll(v, Max()) : blockAll(v, Sum());
    z = blockAll(z, Sum());
    if (threadIdx.x == 0) {
      double scale = kind == 2 ? 1.0 / double(cols) : 1.0;
      r.out[row] = kind == 1 ? v : v * scale;
      if (r.terms)
        r.terms[row] = kind == 1 ? 0 : z * scale;
    }
  }
}
extern "C" __global__ void ref_row_sum(Args r) { reduceRows(r, r.d[0], r.d[1], 0); }
extern "C" __global__ void ref_row_max(Args r) { reduceRows(r, r.d[0], r.d[1], 1); }
extern "C" __global__ void ref_row_mean(Args r) { reduceRows(r, r.d[0], r.d[1], 2); }
extern "C" __global__ void ref_col_sum(Args r) {
  for (long long c = first(); c < r.d[1]; c += step()) {
    double s = 0, z = 0;
    for (long long row = 0; row < r.d[0]; ++row) {
      s += r.in[0][row * r.d[1] + c];
      z += fabs(r.in[0][row * r.d[1] + c]);
    }
    r.out[c] = s;
    if (r.terms)
      r.terms[c] = z;
  }
}

// Whole vectors: every block a partial sum; the last one to end adds them up. a[1..] unused, scratch behind the output.
__device__ unsigned int done;
__device__ double partial[4096], partialSize[4096];
template <typename Term, bool Larger> __device__ void reduceAll(Args &r, Term term, double scale, bool meanTerms) {
  double v = Larger ? LOW : 0, z = 0;
  for (long long i = first(); i < r.d[0]; i += step()) {
    double t = term(i);
    v = Larger ? (t > v ? t : v) : v + t;
    z += fabs(t);
  }
  if constexpr (Larger)
    v = blockAll(v, Max());
  else
    v = blockAll(v, Sum());
  z = blockAll(z, Sum());
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    partialSize[blockIdx.x] = z;
    __threadfence();
    last = atomicAdd(&done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x)
    return;
  __threadfence();
  v = Larger ? LOW : 0;
  z = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) {
    double t = ((volatile double *)partial)[b];
    v = Larger ? (t > v ? t : v) : v + t;
    z += ((volatile double *)partialSize)[b];
  }
  r.out[0] = v * scale;
  if (r.terms)
    r.terms[0] = Larger ? 0 : z * (meanTerms ? scale : 1);
  done = 0;
}
struct Plain { const double *x; __device__ double operator()(long long i) const { return x[i]; } };
struct Product { const double *x, *y; __device__ double operator()(long long i) const { return x[i] * y[i]; } };
struct Gap { const double *x, *y; __device__ double operator()(long long i) const { return (x[i] - y[i]) * (x[i] - y[i]); } };
extern "C" __global__ void ref_reduce_sum(Args r) { reduceAll<Plain, false>(r, Plain{r.in[0]}, 1, false); }
extern "C" __global__ void ref_reduce_max(Args r) { reduceAll<Plain, true>(r, Plain{r.in[0]}, 1, false); }
extern "C" __global__ void ref_reduce_mean(Args r) { reduceAll<Plain, false>(r, Plain{r.in[0]}, 1.0 / double(r.d[0]), true); }
extern "C" __global__ void ref_dot(Args r) { reduceAll<Product, false>(r, Product{r.in[0], r.in[1]}, 1, false); }
extern "C" __global__ void ref_mse_loss(Args r) { reduceAll<Gap, false>(r, Gap{r.in[0], r.in[1]}, 1.0 / double(r.d[0]), true); }

// d: m, n, k, batch (0 as 1). a in[0], b in[1], bias in[2] or null, old c in[3] or null; a[0] alpha, a[1] beta.
// F 0 nothing, 1 relu, 2 gelu.
template <bool TA, bool TB, int F> __device__ void gemm(Args &r, double alpha, double beta) {
  constexpr int Tile = 32;
  __shared__ double sa[Tile][Tile + 1], sb[Tile][Tile + 1];
  long long m = r.d[0], n = r.d[1], k = r.d[2], batches = r.d[3] ? r.d[3] : 1;
  long long tilesN = (n + Tile - 1) / Tile, tilesM = (m + Tile - 1) / Tile, tiles = tilesM * tilesN * batches;
  int tx = threadIdx.x % 32, ty = threadIdx.x / 32; // 256 threads: four rows each
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    long long z = t / (tilesM * tilesN), row0 = t / tilesN % tilesM * Tile, col0 = t % tilesN * Tile;
    const double *a = r.in[0] + z * m * k, *b = r.in[1] + z * k * n;
    double sum[4] = {}, size[4] = {};
    for (long long k0 = 0; k0 < k; k0 += Tile) {
      __syncthreads();
      for (int q = 0; q < 4; ++q) {
        int y = ty + 8 * q;
        if (TA) {
          long long gk = k0 + y, gr = row0 + tx;
          sa[tx][y] = gr < m && gk < k ? a[gk * m + gr] : 0;
        } else {
          long long gr = row0 + y, gk = k0 + tx;
          sa[y][tx] = gr < m && gk < k ? a[gr * k + gk] : 0;
        }
        if (TB) {
          long long gc = col0 + y, gk = k0 + tx;
          sb[tx][y] = gc < n && gk < k ? b[gc * k + gk] : 0;
        } else {
          long long gk = k0 + y, gc = col0 + tx;
          sb[y][tx] = gc < n && gk < k ? b[gk * n + gc] : 0;
        }
      }
      __syncthreads();
      for (int s = 0; s < Tile; ++s) {
        double v = sb[s][tx];
        for (int q = 0; q < 4; ++q) {
          double p = sa[ty + 8 * q][s] * v;
          sum[q] += p;
          size[q] += fabs(p);
        }
      }
    }
    for (int q = 0; q < 4; ++q) {
      long long row = row0 + ty + 8 * q, col = col0 + tx;
      if (row >= m || col >= n)
        continue;
      long long at = (z * m + row) * n + col;
      double bias = r.in[2] ? r.in[2][col] : 0, old = r.in[3] ? beta * r.in[3][at] : 0;
      double v = alpha * sum[q] + bias + old;
      r.out[at] = F == 1 ? relu(v) : F == 2 ? gelu(v, r.variant) : v;
      if (r.terms)
        r.terms[at] = fabs(alpha) * size[q] + fabs(bias) + fabs(old);
    }
  }
}
extern "C" __global__ void ref_matmul(Args r) { gemm<false, false, 0>(r, 1, 0); }
extern "C" __global__ void ref_matmul_nt(Args r) { gemm<false, true, 0>(r, 1, 0); }
extern "C" __global__ void ref_matmul_tn(Args r) { gemm<true, false, 0>(r, 1, 0); }
extern "C" __global__ void ref_matmul_tt(Args r) { gemm<true, true, 0>(r, 1, 0); }
extern "C" __global__ void ref_gemm(Args r) { gemm<false, false, 0>(r, r.a[0], r.a[1]); }
extern "C" __global__ void ref_linear_relu(Args r) { gemm<false, true, 1>(r, 1, 0); }
extern "C" __global__ void ref_linear_gelu(Args r) { gemm<false, true, 2>(r, 1, 0); }
extern "C" __global__ void ref_linear_relu_kn(Args r) { gemm<false, false, 1>(r, 1, 0); }
extern "C" __global__ void ref_linear_gelu_kn(Args r) { gemm<false, false, 2>(r, 1, 0); }

extern "C" __global__ void ref_transpose(Args r) {
  long long rows = r.d[0], cols = r.d[1];
  for (long long i = first(); i < rows * cols; i += step())
    r.out[i] = r.in[0][i % rows * cols + i / rows];
}
// src, idx: out[m]
extern "C" __global__ void ref_gather(Args r) {
  for (long long i = first(); i < r.d[0]; i += step())
    r.out[i] = r.in[0][(long long)r.in[1][i]];
}
// table, ids: out[n, d]
extern "C" __global__ void ref_embedding(Args r) {
  for (long long i = first(); i < r.d[0] * r.d[1]; i += step())
    r.out[i] = r.in[0][(long long)r.in[1][i / r.d[1]] * r.d[1] + i % r.d[1]];
}
// logits[rows, cols], labels[rows]
extern "C" __global__ void ref_batchnorm(Args r) {
  long long channels = r.d[1], size = r.d[2];
  for (long long i = first(); i < r.d[0] * channels * size; i += step()) {
    long long k = i / size % channels;
    double x = r.in[0][i], mean = r.in[3][k], f = r.in[1][k] / sqrt(r.in[4][k] + r.a[0]), b = r.in[2][k];
    r.out[i] = (x - mean) * f + b;
    if (r.terms)
      r.terms[i] = (fabs(x) + fabs(mean)) * fabs(f) + fabs(b);
  }
}
