#include "runner/ops/operators/Gemm.h"
#include "runner/ops/Parallel.h"
#include <algorithm>
#include <cmath>

using namespace kcheck::ops;

#ifndef __has_feature // Clang has it
#define __has_feature(F) 0
#endif
#if defined(__x86_64__) && defined(__linux__) && !__has_feature(address_sanitizer)
#define KCHECK_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define KCHECK_WIDE
#endif

namespace {

constexpr int64_t Wide = 8; // columns at a time: two registers of AVX2 for the sum, two for the magnitudes

/// One panel: eight columns of B, k of them in a row, against one row of A.
KCHECK_WIDE void panel(const double *A, const double *B, double *C, double *S, int64_t K) {
  double Sum[Wide] = {}, Size[Wide] = {};
  for (int64_t I = 0; I < K; ++I)
    for (int64_t J = 0; J < Wide; ++J) {
      double T = A[I] * B[I * Wide + J];
      Sum[J] += T;
      Size[J] += __builtin_fabs(T);
    }
  for (int64_t J = 0; J < Wide; ++J) {
    C[J] = Sum[J];
    S[J] = Size[J];
  }
}

std::vector<double> transposed(const double *X, int64_t Rows, int64_t Cols) {
  std::vector<double> T(size_t(Rows * Cols));
  for (int64_t R = 0; R < Rows; ++R)
    for (int64_t C = 0; C < Cols; ++C)
      T[C * Rows + R] = X[R * Cols + C];
  return T;
}

/// B as panels of eight columns, padded with zeros.
std::vector<double> packed(const double *B, int64_t N, int64_t K, bool Trans) {
  int64_t Panels = (N + Wide - 1) / Wide;
  std::vector<double> P(size_t(Panels * K * Wide));
  parallelFor(Panels, 16, [&](int64_t Begin, int64_t End) {
    for (int64_t Q = Begin; Q < End; ++Q)
      for (int64_t I = 0; I < K; ++I)
        for (int64_t J = 0; J < Wide && Q * Wide + J < N; ++J)
          P[(Q * K + I) * Wide + J] = Trans ? B[(Q * Wide + J) * K + I] : B[I * N + Q * Wide + J];
  });
  return P;
}

} // namespace

void kcheck::ops::gemm(const double *A, const double *B, double *C, double *S, int64_t M, int64_t N, int64_t K, bool TransA,
                       bool TransB) {
  std::vector<double> Rows;
  if (TransA) {
    Rows = transposed(A, K, M);
    A = Rows.data();
  }
  std::vector<double> Panels = packed(B, N, K, TransB);
  int64_t Count = (N + Wide - 1) / Wide;
  int64_t Grain = std::max<int64_t>(1, (1 << 18) / std::max<int64_t>(1, N * K));
  parallelFor(M, Grain, [&](int64_t Begin, int64_t End) {
    double Sum[Wide], Size[Wide];
    for (int64_t Q = 0; Q < Count; ++Q) // a panel stays in cache for all rows of the piece
      for (int64_t R = Begin; R < End; ++R) {
        panel(A + R * K, Panels.data() + Q * K * Wide, Sum, Size, K);
        int64_t Here = std::min(Wide, N - Q * Wide);
        std::copy_n(Sum, Here, C + R * N + Q * Wide);
        std::copy_n(Size, Here, S + R * N + Q * Wide);
      }
  });
}
