//===- Parse.h - one run of the front end -------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_PARSE_H
#define KCHECK_ENGINE_DRIVER_PARSE_H

#include "analyzers/engine/Driver.h"
#include "analyzers/engine/driver/Views.h"

namespace kcheck {

/// What a run tells besides its AST.
struct ParseFacts {
  bool HostDiffers = false;          ///< the candidate asks for a macro that host compilation lacks
  std::vector<LineRange> DeviceOnly; ///< code that never runs on the host
  std::vector<std::string> Notes;
  std::vector<std::string> Macros;   ///< in place of those of absent headers; where some are given, no others are looked for
  std::string Arch;
  unsigned CudaVersion = 0;
  bool HasToolkit = false;
};

/// Options with the flags of the compile database in them, where one is named.
llvm::Expected<ParseOptions> effectiveOptions(llvm::StringRef File, const ParseOptions &Options);

/// parse() for effective options.
llvm::Error parseView(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, View Which, ParseFacts &Facts,
                      llvm::function_ref<void(TranslationUnit &)> Use);

} // namespace kcheck
#endif
