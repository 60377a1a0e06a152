//===- Flags.h - nvcc's and Clang's command lines as parse arguments ----------===//
//
// Only what changes how a file reads is kept: macros, include folders, the standard, the architecture, relocatable
// device code. Everything else (optimisation, code generation, outputs, linking) is dropped, so no flag can make a
// parse write a file; flags that load code or read other command lines are errors.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_FLAGS_H
#define KCHECK_ENGINE_DRIVER_FLAGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace kcheck {

struct ParseFlags {
  std::vector<std::string> Clang;       ///< in Clang's spelling, include folders absolute
  std::vector<std::string> IncludeDirs; ///< every folder that they name
  std::string Arch;                     ///< the highest architecture named, or empty
  std::string Standard;                 ///< "c++17", or empty
};

/// Translates Args (without program name); relative folders are below Directory.
llvm::Expected<ParseFlags> translateFlags(llvm::ArrayRef<std::string> Args, llvm::StringRef Directory);

} // namespace kcheck
#endif
