//===- BundledStandard.h - standard headers for NVRTC, which has none ---------===//
#ifndef KCHECK_GATE_COMPILE_BUNDLEDSTANDARD_H
#define KCHECK_GATE_COMPILE_BUNDLEDSTANDARD_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace kcheck::gate {

/// Text that stands for #include <Name> in device code: our own for the C limits and integers, the toolkit's
/// cuda::std for the rest, nothing for what device code cannot use (<vector>, <iostream>, third-party headers).
std::string standardHeader(llvm::StringRef Name, llvm::StringRef CudaInclude);

/// What every slice begins with.
llvm::StringRef slicePrelude();

} // namespace kcheck::gate
#endif
