//===- Compare.h - a candidate's output against the reference -------------------===//
//
//   |got - want| <= rtol·|want| + atol + c·u·sqrt(L)·S
//
// with `want` rounded to the output's type, L how many terms an element accumulates, S the sum of their
// magnitudes and u the unit roundoff of the accumulation: the last term is absent at L = 1, uses the type's own u up to
// L = 4 (fused elementwise code keeps its intermediates in it) and that of f32 for f16 and bf16 beyond.
// NaN must stand where the reference has NaN, infinities must agree in sign.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_OPS_COMPARE_H
#define KCHECK_OPS_COMPARE_H

#include "runner/ops/Operator.h"

namespace kcheck::ops {

struct Tolerance {
  double Relative = 1e-4, Absolute = 1e-5;
  double Factor = 4; ///< c
};
/// By the output's type; integers are exact.
Tolerance defaultTolerance(DType Type);

struct Mismatch {
  int64_t Flat = 0;
  std::vector<int64_t> Index;
  double Got = 0, Want = 0, Allowed = 0;
};

/// Moments, range and a histogram of values, for a person's eye.
struct Summary {
  int64_t Count = 0, Nan = 0, Inf = 0, Zero = 0;
  double Min = 0, Max = 0, Mean = 0, Deviation = 0;
  double Low = 0, High = 0; ///< range of the histogram
  std::vector<int64_t> Histogram;
};
/// Low > High: the range of the finite values.
Summary summarize(const std::vector<double> &Values, double Low = 1, double High = 0, int Bins = 32);

struct Comparison {
  int64_t Elements = 0, Wrong = 0;
  int64_t NanWrong = 0;    ///< of Wrong: NaN or infinity where the reference has none, or the reverse
  int64_t Unwritten = 0;   ///< of Wrong: still the poison
  double MaxAbs = 0, MaxRel = 0;
  double Worst = 0; ///< largest error in units of what is allowed; finite pairs only
  std::vector<Mismatch> First; ///< at most 8
  std::string Pattern;         ///< what the wrong ones have in common, empty when nothing
  Summary Got, Want;
  std::vector<int64_t> ErrorHistogram; ///< |error| by powers of ten: below 1e-12, ... , 1e2 and above
  double Shift = 0; ///< largest distance of the two cumulative distributions, 0 to 1
  bool pass() const { return Wrong == 0; }
  /// RULES.md, dynamic tags: not_all_written, nan_inf or wrong_result; empty when it passes.
  std::string tag() const;
};

/// Accept decides elements that the tolerance refuses. Poison is the byte that filled the buffer before.
Comparison compare(const Bytes &Got, const Value &Want, const Tolerance &T, uint8_t Poison = 0xFF,
                   const std::function<bool(int64_t, double)> &Accept = nullptr);

/// One line for a report: what is wrong, how much, where first.
std::string describe(const Comparison &C);

/// Bytes that differ between two buffers of one size, by element: the first index, or -1.
int64_t firstDifference(const Bytes &A, const Bytes &B, DType Type);

} // namespace kcheck::ops
#endif
