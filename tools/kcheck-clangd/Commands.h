//===- Commands.h - compile commands that clangd can use for CUDA ---------------===//
//
//   nvcc -gencode arch=… -Xcompiler … ─► Clang's flags (engine/driver/Flags)
//   no database, plain clang           ─► as it is
//                                      + architecture, toolkit and our headers, where nothing is said
//
// clangd reads the result as if the project had said so; `.clangd` still has the last word.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_TOOLS_KCHECK_CLANGD_COMMANDS_H
#define KCHECK_TOOLS_KCHECK_CLANGD_COMMANDS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kcheck {

/// Rewrites the words of a compile command in place where File is CUDA.
void adjustCudaCommand(std::vector<std::string> &Words, llvm::StringRef Directory, llvm::StringRef File);

} // namespace kcheck
#endif
