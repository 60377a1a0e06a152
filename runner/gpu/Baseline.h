//===- Baseline.h - the operator's hand-written launcher, called from the worker ----------===//
//
//   runner/ops/baselines/OP.cu ─► nvcc, a shared library in the cache ─► kcheck_call(arguments)
//
// Baselines are ours and trusted, so their host code runs in the worker; a candidate's never does.
//
//===------------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_BASELINE_H
#define KCHECK_GPU_BASELINE_H

#include "runner/gpu/Reference.h"

namespace kcheck::gpu {

class Baseline {
public:
  /// Builds or finds the library for the operator of Ref in the type of its first floating buffer; null and why.
  static std::unique_ptr<Baseline> open(Device &G, const protocol::ReferenceRequest &R, const DeviceReference &Ref, std::string &Why);
  /// Queues the operator on the default stream; Address gives a buffer's place by the operator's argument.
  void run(const std::function<DevicePtr(const std::string &)> &Address) const;
  double CompileMs = 0; ///< 0: it was in the cache

private:
  Baseline() = default;
  struct Value {
    std::string Buffer; ///< the operator's argument; empty: Number
    long long Integer = 0;
    double Real = 0;
  };
  void *Library = nullptr; ///< stays open: the runtime that it brought along belongs to the context
  void (*Call)(void **) = nullptr;
  std::vector<Value> Values;
};

/// The text that is compiled: the baseline and an entry that takes its arguments as an array.
std::string baselineProgram(const std::string &Operator);
/// C++ name of an element type; empty: baselines have none of it.
std::string baselineType(protocol::DType T);

} // namespace kcheck::gpu
#endif
