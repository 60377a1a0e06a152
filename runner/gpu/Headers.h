//===- Headers.h - standard headers for NVRTC, which has none ---------------------===//
#ifndef KCHECK_GPU_HEADERS_H
#define KCHECK_GPU_HEADERS_H

#include <vector>

namespace kcheck::gpu {

struct BundledHeader {
  const char *Name, *Text;
};
/// What device code uses of them; headers that only host code needs are empty. C++ and CUDA runtime names included.
const std::vector<BundledHeader> &bundledHeaders();

} // namespace kcheck::gpu
#endif
