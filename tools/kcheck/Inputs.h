//===- Inputs.h - from the words of the command line to candidates ------------===//
//
// FILE, a folder (walked for .cu, .cuh and .py) or "-" (stdin). What cannot be read is an error with the
// place and the remedy, before anything is checked.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_TOOLS_KCHECK_INPUTS_H
#define KCHECK_TOOLS_KCHECK_INPUTS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>
#include <vector>

namespace kcheck::cli {

/// The files that Words name, folders walked in sorted order, each file once.
llvm::Expected<std::vector<std::string>> expandInputs(const std::vector<std::string> &Words);

/// The content of one of them. stdin is named "<stdin>.cu" in the report.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInput(llvm::StringRef File);
std::string displayName(llvm::StringRef File);

} // namespace kcheck::cli
#endif
