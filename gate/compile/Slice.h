//===- Slice.h - the device half of a file, for NVRTC -------------------------===//
//
//   AST ─► declarations of the candidate's files ─► keep what device code reaches ─► blank the rest in place
//
// NVRTC takes no host code. Lines stay where they are: what is left out becomes spaces, preprocessor lines remain.
// Kernels, device functions and device variables are kept, and every type, constant, macro and template whose name
// they mention, directly or not. Methods without __device__ keep their declaration and lose their body.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_COMPILE_SLICE_H
#define KCHECK_GATE_COMPILE_SLICE_H

#include "analyzers/engine/TranslationUnit.h"
#include <map>

namespace kcheck::gate {

struct DeviceSlice {
  std::string Text;                           ///< of the candidate
  std::map<std::string, std::string> Headers; ///< by the name in the #include: local ones sliced, standard ones bundled
  std::vector<std::string> NameExpressions;   ///< kernel template instances: "scale<float, 4>"
  std::vector<std::string> Kernels;           ///< names of the kernels that are no templates
  bool Torch = false;                         ///< PyTorch's headers are included: left empty for NVRTC
};

/// Slices a unit of the device view. CudaInclude is the toolkit's include folder.
DeviceSlice sliceDevice(TranslationUnit &TU, llvm::StringRef CudaInclude);

} // namespace kcheck::gate
#endif
