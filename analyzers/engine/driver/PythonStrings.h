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

/// A CUDA string as a file of its own, its lines where they stand in the Python file.
struct AlignedCuda {
  std::string Text;
  std::vector<unsigned> Lines; ///< of each line of Text in the Python file; 0: of the prologue, or filling
  bool Holes = false;

  /// Of a line of Text (from 1) in the Python file: they differ behind line breaks that are written as escapes.
  unsigned pythonLine(unsigned Line) const;
  /// Whether a line of the Python file is one of the string's.
  bool holds(unsigned PythonLine) const;
};

std::vector<AlignedCuda> alignedStrings(llvm::StringRef Python);

/// Line and column (from 1) of an offset.
std::pair<unsigned, unsigned> lineColumn(llvm::StringRef Text, unsigned Offset);
/// Offset of a line and column of Text, or nothing.
std::optional<unsigned> offsetOf(llvm::StringRef Text, unsigned Line, unsigned Column);

} // namespace kcheck
#endif
