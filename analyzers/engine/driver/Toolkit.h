//===- Toolkit.h - where the CUDA toolkit is, and what it can do --------------===//
#ifndef KCHECK_ENGINE_DRIVER_TOOLKIT_H
#define KCHECK_ENGINE_DRIVER_TOOLKIT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace kcheck {

struct Toolkit {
  std::string Root;     ///< folder with include/; empty: none, the bundled declarations serve
  std::string Include;  ///< folder of cuda_runtime.h
  unsigned Version = 0; ///< 13000 for 13.0
  bool found() const { return !Root.empty(); }
};

/// Finds the toolkit: Wanted ("none" hides any), else $CUDAToolkit_ROOT, $CUDA_HOME, $CUDA_PATH, nvcc on the path,
/// then the usual places. KCHECK_HIDE_CUDA=1 in the environment hides it too. Looked up once for each Wanted.
const Toolkit &findToolkit(llvm::StringRef Wanted);

/// The architecture to parse for: Wanted ("sm_90", "90", "compute_90", "native", empty) raised to the lowest that the
/// toolkit still has, lowered to the newest that the front end knows. Note says what was changed, if anything.
std::string chooseArch(llvm::StringRef Wanted, const Toolkit &T, std::string &Note);

} // namespace kcheck
#endif
