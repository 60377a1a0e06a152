//===- SelfTest.h - the worker's own kernels against the CPU's code -----------------===//
#ifndef KCHECK_GPU_SELFTEST_H
#define KCHECK_GPU_SELFTEST_H

#include <string>
#include <vector>

namespace kcheck::gpu {

/// Generators bit for bit, every reference by dtype, the comparison on disturbed outputs. Lines for people; Failed counts
/// what did not agree, and is negative where there is no device.
std::vector<std::string> selfTest(int Device, int &Failed);

} // namespace kcheck::gpu
#endif
