#include "runner/gpu/Statistics.h"
#include "runner/ops/Philox.h"
#include <algorithm>
#include <cmath>

using namespace kcheck;
using namespace kcheck::gpu;

double gpu::quantile(std::vector<double> S, double Q) {
  if (S.empty())
    return 0;
  std::sort(S.begin(), S.end());
  double At = Q * double(S.size() - 1);
  size_t I = size_t(At);
  return I + 1 < S.size() ? S[I] + (At - double(I)) * (S[I + 1] - S[I]) : S.back();
}

double gpu::median(const std::vector<double> &S) { return quantile(S, 0.5); }

double gpu::middleMean(std::vector<double> S) {
  if (S.empty())
    return 0;
  std::sort(S.begin(), S.end());
  size_t Cut = S.size() / 4;
  double Sum = 0;
  for (size_t I = Cut; I < S.size() - Cut; ++I)
    Sum += S[I];
  return Sum / double(S.size() - 2 * Cut);
}

protocol::Timing gpu::summarizeTimes(const std::vector<double> &Ms) {
  protocol::Timing T;
  T.Samples = unsigned(Ms.size());
  T.Median = median(Ms);
  T.Low = quantile(Ms, 0.25);
  T.High = quantile(Ms, 0.75);
  T.Least = quantile(Ms, 0);
  return T;
}

std::pair<double, double> gpu::bootstrapRatio(const std::vector<double> &A, const std::vector<double> &B, uint64_t Seed, unsigned Rounds) {
  if (A.empty() || B.empty())
    return {0, 0};
  uint64_t Counter = 0;
  auto resampled = [&](const std::vector<double> &From) {
    std::vector<double> S(From.size());
    for (double &V : S)
      V = From[size_t(uint64_t(ops::philox(Seed, 0, Counter++)[0]) * From.size() >> 32)];
    return middleMean(std::move(S));
  };
  std::vector<double> Ratios(Rounds);
  for (double &R : Ratios)
    R = resampled(A) / resampled(B);
  return {quantile(Ratios, 0.025), quantile(Ratios, 0.975)};
}
