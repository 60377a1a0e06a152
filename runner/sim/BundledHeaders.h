//===- BundledHeaders.h - the headers inside the simulator --------------------===//
#ifndef KCHECK_SIM_BUNDLEDHEADERS_H
#define KCHECK_SIM_BUNDLEDHEADERS_H

#include <optional>
#include <string_view>

namespace kcheck::sim {

/// The text of "clang/include/stddef.h" (the compiler's own headers) or "cuda/cuda_runtime.h" (declarations for machines
/// without a toolkit); a zero byte follows it.
std::optional<std::string_view> bundledHeader(std::string_view Path);
bool isBundledFolder(std::string_view Path);
/// Changes whenever a header does.
std::string_view bundledDigest();

} // namespace kcheck::sim
#endif
