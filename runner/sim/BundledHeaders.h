//===- BundledHeaders.h - declarations for machines without a toolkit ---------===//
#ifndef KCHECK_SIM_BUNDLEDHEADERS_H
#define KCHECK_SIM_BUNDLEDHEADERS_H

#include <string_view>
#include <vector>

namespace kcheck::sim {

struct BundledFile {
  const char *Path; ///< "cuda/cuda_runtime.h"
  std::string_view Text;
};
const std::vector<BundledFile> &bundledHeaders();
/// Changes whenever a header does.
std::string_view bundledDigest();

} // namespace kcheck::sim
#endif
