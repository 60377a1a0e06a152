//===- Samples.h - the sizes and inputs at which an operator is tried -------------===//
#ifndef KCHECK_OPS_SAMPLES_H
#define KCHECK_OPS_SAMPLES_H

#include "runner/ops/Match.h"

namespace kcheck::ops {

/// One run of the candidate.
struct Case {
  Dims Sizes; ///< the binding's free dims
  Draw Inputs;
  bool empty() const;
};

struct SampleOptions {
  int64_t MostElements = 1 << 21; ///< of all buffers of a case
  double MostWork = 3e7;          ///< product of the operator's dims, the work of a matmul
  bool Quick = false;             ///< one usual shape and the edges at 1 and 33 only
  std::vector<int64_t> Also;      ///< more edge sizes: those that the code under test tells apart
};

/// Edge sizes (1, 31, 32, 33, primes, powers of two and their neighbours, empty) a dim at a time around the usual shapes, then
/// the other distributions at one shape. Ordered from cheap to dear: the first failure ends a check.
std::vector<Case> sampleCases(const Binding &B, const SampleOptions &Options = {});

/// The operator's distributions at given shapes (a task's): all at the smallest, the first at each.
std::vector<Case> casesAt(const std::vector<Dims> &Shapes, const std::vector<Draw> &Draws);

/// The generator of an input: its distribution, unless the argument's domain says otherwise.
protocol::Generator generatorFor(const Arg &A, DType Type, const Draw &D, const Dims &OperatorDims, uint64_t Seed, uint64_t Stream);

} // namespace kcheck::ops
#endif
