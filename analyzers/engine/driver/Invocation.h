//===- Invocation.h - how one view of a file is compiled ----------------------===//
//
// The driver's work (finding the C++ library, translating flags) is done once for each set of flags; every parse
// copies the result.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_INVOCATION_H
#define KCHECK_ENGINE_DRIVER_INVOCATION_H

#include "analyzers/engine/Driver.h"
#include "analyzers/engine/driver/Toolkit.h"
#include "clang/Frontend/CompilerInvocation.h"

namespace kcheck {

struct Setup {
  std::shared_ptr<const clang::CompilerInvocation> Base; ///< without inputs
  Toolkit TheToolkit;
  std::string Arch;
  View Which = View::Device;
  std::vector<std::string> SystemDirs; ///< in search order
  std::vector<std::string> UserDirs;   ///< -I and the like
  std::vector<std::string> Notes;
  unsigned HeadersInBase = 1; ///< leading -include options that the base PCH holds: ours; the user's come after
  std::string Key; ///< equal for equal invocations: part of the PCH's name
};

/// The set-up for Options in the given view, or why its flags are refused.
llvm::Expected<std::shared_ptr<const Setup>> setupFor(const ParseOptions &Options, View Which);

} // namespace kcheck
#endif
