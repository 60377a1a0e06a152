//===- PythonStrings.h - the CUDA code inside a Python file -------------------===//
//
// Every string that holds a kernel or device function is a candidate of its own, whatever it is given to (load_inline,
// RawKernel, SourceModule, a template). Each byte of its value knows where in the file it stands.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_PYTHONSTRINGS_H
#define KCHECK_ENGINE_DRIVER_PYTHONSTRINGS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace kcheck {

struct CudaString {
  std::string Text;              ///< the string's value, with a prologue of what its user adds by itself
  std::vector<unsigned> Offsets; ///< of each byte of Text in the Python file; ~0u in the prologue
  bool Raw = true;               ///< no escapes, no placeholders: edits map back as they are
  bool Holes = false;            ///< parts of it are filled in at run time
};

std::vector<CudaString> cudaStrings(llvm::StringRef Python);

/// Line and column (from 1) of an offset.
std::pair<unsigned, unsigned> lineColumn(llvm::StringRef Text, unsigned Offset);
/// Offset of a line and column of Text, or nothing.
std::optional<unsigned> offsetOf(llvm::StringRef Text, unsigned Line, unsigned Column);

} // namespace kcheck
#endif
