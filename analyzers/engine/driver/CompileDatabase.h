//===- CompileDatabase.h - the flags that a build gives a file ----------------===//
#ifndef KCHECK_ENGINE_DRIVER_COMPILEDATABASE_H
#define KCHECK_ENGINE_DRIVER_COMPILEDATABASE_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace kcheck {

struct BuildCommand {
  std::string File;              ///< absolute
  std::string Directory;         ///< where relative paths of the arguments start
  std::vector<std::string> Args; ///< without the compiler
};

/// Reads BuildDir/compile_commands.json; each folder is read once.
llvm::Expected<const std::vector<BuildCommand> *> readCompileDatabase(llvm::StringRef BuildDir);

/// The command for File: its own, else (a header has none) that of a file that includes it by name, else of the
/// nearest one by folder and stem. Null in an empty database.
const BuildCommand *commandFor(const std::vector<BuildCommand> &Commands, llvm::StringRef File);

} // namespace kcheck
#endif
