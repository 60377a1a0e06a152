// RUN: %kcheck_test --rules template-bloat %s

// A ladder of widths, made by a macro.
template <int W> __global__ void ladder(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * W)
    a[i] *= W;
}
#define CASE(W) case W: ladder<W><<<1, 256>>>(a, n); break;
#define CASE10(W) CASE(W) CASE(W + 1) CASE(W + 2) CASE(W + 3) CASE(W + 4) CASE(W + 5) CASE(W + 6) CASE(W + 7) CASE(W + 8) CASE(W + 9)
void ladderBad(float *a, int n, int width) {
  switch (width) {
    CASE10(1) CASE10(11) // expect: review too_many_instantiations
  }
}

template <bool A, bool B, bool C, bool D, bool E> __global__ void flags(float *a) { a[threadIdx.x] = A + B + C + D + E; }
template <bool... Done> void pick(const bool *f, float *a) {
  if constexpr (sizeof...(Done) == 5)
    flags<Done...><<<1, 32>>>(a); // expect: review combinatorial_dispatch
  else if (f[sizeof...(Done)])
    pick<Done..., true>(f, a);
  else
    pick<Done..., false>(f, a);
}
void launchFlags(const bool *f, float *a) { pick<>(f, a); }

template <int C, int H> __global__ void shaped(float *a) { a[threadIdx.x + C * H] = 0; }
void shapesBad(float *a, int c, int h) {
  if (c == 3 && h == 224) shaped<3, 224><<<1, 32>>>(a); // expect: review compile_time_shape
  if (c == 3 && h == 384) shaped<3, 384><<<1, 32>>>(a);
  if (c == 64 && h == 112) shaped<64, 112><<<1, 32>>>(a);
  if (c == 1 && h == 28) shaped<1, 28><<<1, 32>>>(a);
  if (c == 64 && h == 56) shaped<64, 56><<<1, 32>>>(a);
}

template <int N> struct Dot { // expect: review recursive_inner_template
  static __device__ float run(const float *a) { return a[0] + Dot<N - 1>::run(a + 1); }
};
template <> struct Dot<0> {
  static __device__ float run(const float *) { return 0; }
};
__global__ void deepDot(const float *a, float *y) { y[threadIdx.x] = Dot<128>::run(a); }

template <int N> struct Horner {
  static __device__ float run(float x, const float *c) { return c[0] + x * Horner<N - 1>::run(x, c + 1); }
};
template <> struct Horner<0> {
  static __device__ float run(float, const float *c) { return c[0]; }
};
__global__ void shortUnrollOk(const float *c, float *y) { y[threadIdx.x] = Horner<4>::run(y[threadIdx.x], c); }

template <typename T> __global__ void typed(T *a) { a[threadIdx.x] = T(); }
template <int Block, bool Bias> __global__ void bucket(float *a) { a[threadIdx.x % Block] = Bias; }
void fewOk(float *f, int *i, double *d, int threads, bool bias) {
  typed<<<1, 32>>>(f);
  typed<<<1, 32>>>(i);
  typed<<<1, 32>>>(d);
  switch (threads) {
  case 64: bias ? bucket<64, true><<<1, 64>>>(f) : bucket<64, false><<<1, 64>>>(f); break;
  case 128: bias ? bucket<128, true><<<1, 128>>>(f) : bucket<128, false><<<1, 128>>>(f); break;
  case 512: bias ? bucket<512, true><<<1, 512>>>(f) : bucket<512, false><<<1, 512>>>(f); break;
  default: bias ? bucket<256, true><<<1, 256>>>(f) : bucket<256, false><<<1, 256>>>(f); break;
  }
}

// Whole layers as template arguments.
template <int C, int H, int W> __global__ void layer(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < C * H * W)
    y[i] = 2.0f * x[i];
}
void layersBad(const float *x, float *y, int which) {
  switch (which) {
  case 0: layer<3, 224, 224><<<588, 256>>>(x, y); break; // expect: review compile_time_shape
  case 1: layer<64, 56, 56><<<784, 256>>>(x, y); break;
  case 2: layer<128, 28, 28><<<392, 256>>>(x, y); break;
  case 3: layer<256, 14, 14><<<196, 256>>>(x, y); break;
  }
}
template <int BM, int BN, int BK> __global__ void tilesOk(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < BM * BN * BK)
    y[i] = 2.0f * x[i];
}
void tiles(const float *x, float *y, int kind) {
  switch (kind) {
  case 0: tilesOk<64, 64, 16><<<256, 256>>>(x, y); break;
  case 1: tilesOk<128, 64, 8><<<256, 256>>>(x, y); break;
  case 2: tilesOk<128, 128, 8><<<512, 256>>>(x, y); break;
  case 3: tilesOk<32, 96, 32><<<384, 256>>>(x, y); break;
  }
}

// Several sizes at once have to equal template arguments: whole shapes.
template <int Batch, int Features> __global__ void wholeShapeNorm(const float *x, float *y) {
  for (int i = threadIdx.x; i < Features; i += blockDim.x)
    y[blockIdx.x * Features + i] = x[blockIdx.x * Features + i] / Batch;
}
void launchNorm(const float *x, float *y, int batch, int features) {
  if (batch == 1 && features == 768)
    wholeShapeNorm<1, 768><<<1, 256>>>(x, y); // expect: review compile_time_shape
  else if (batch == 16 && features == 768)
    wholeShapeNorm<16, 768><<<16, 256>>>(x, y);
  else if (batch == 16 && features == 1024)
    wholeShapeNorm<16, 1024><<<16, 256>>>(x, y);
}

// A head dimension and a page size are choices among a few.
template <int Head, int Page> __global__ void headOk(const float *x, float *y) {
  y[blockIdx.x * Head + threadIdx.x] = x[blockIdx.x * Head + threadIdx.x] * Page;
}
void launchHead(const float *x, float *y, int head, int page, int blocks) {
  if (head == 64 && page == 16)
    headOk<64, 16><<<blocks, 64>>>(x, y);
  else if (head == 128 && page == 16)
    headOk<128, 16><<<blocks, 128>>>(x, y);
  else if (head == 128 && page == 32)
    headOk<128, 32><<<blocks, 128>>>(x, y);
}

// Few types times few buckets.
template <typename T, int Log> __global__ void bucketOk(T *x) { x[threadIdx.x] *= T(1 << Log); }
template <typename T> void bucketsOf(T *x, int log) {
  switch (log) {
  case 5: bucketOk<T, 5><<<1, 32>>>(x); break;
  case 6: bucketOk<T, 6><<<1, 32>>>(x); break;
  case 7: bucketOk<T, 7><<<1, 32>>>(x); break;
  case 8: bucketOk<T, 8><<<1, 32>>>(x); break;
  case 9: bucketOk<T, 9><<<1, 32>>>(x); break;
  case 10: bucketOk<T, 10><<<1, 32>>>(x); break;
  }
}
void buckets(float *f, double *d, int *i, int log) {
  bucketsOf(f, log);
  bucketsOf(d, log);
  bucketsOf(i, log);
}

// Rows times columns of instances, each of them short.
__constant__ float matrix[256];
template <int R, int C> struct Cell { // expect: review recursive_inner_template
  static __device__ float run(const float *x) { return matrix[R * 16 + C] * x[C] + Cell<R, C - 1>::run(x); }
};
template <int R> struct Cell<R, -1> {
  static __device__ float run(const float *) { return 0; }
};
template <int R> struct Row {
  static __device__ void run(const float *x, float *y) {
    y[R] = Cell<R, 15>::run(x);
    Row<R - 1>::run(x, y);
  }
};
template <> struct Row<-1> {
  static __device__ void run(const float *, float *) {}
};
__global__ void applyRows(const float *x, float *y) {
  float in[16];
  for (int k = 0; k < 16; ++k)
    in[k] = x[k * 256 + threadIdx.x];
  Row<15>::run(in, y + threadIdx.x * 16);
}
