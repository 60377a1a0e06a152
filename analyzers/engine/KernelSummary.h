//===- KernelSummary.h - the kernels and launches of a file, as plain data ----===//
//
// What every report says of a file besides its findings: which kernels it defines, where they are launched
// and with which operands, whether they use shared memory and barriers.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_KERNELSUMMARY_H
#define KCHECK_ENGINE_KERNELSUMMARY_H

#include "analyzers/engine/TranslationUnit.h"

namespace kcheck {

/// One `kernel<<<grid, block, shared, stream>>>(…)`, operands as they stand in the source.
struct LaunchSummary {
  unsigned Line = 0;
  std::string Grid, Block, SharedBytes;
};

struct KernelSummary {
  std::string Name;
  unsigned Line = 0;
  bool UsesShared = false;
  std::vector<LaunchSummary> Launches;
};

/// Kernels defined in the main file, in order. A kernel template is one kernel.
std::vector<KernelSummary> summariseKernels(TranslationUnit &TU);

} // namespace kcheck
#endif
