//===- OptimizeSetup.h - what a search is about, for the command and for agents ------------===//
#ifndef KCHECK_TOOLS_KCHECK_OPTIMIZESETUP_H
#define KCHECK_TOOLS_KCHECK_OPTIMIZESETUP_H

#include "gate/task/Task.h"
#include "llvm/Support/Error.h"

namespace kcheck::cli {

/// Of a file, or of a built-in operator; the error has a line for each thing that is wrong.
llvm::Expected<gate::Task> searchTask(const std::string &File, const std::string &Op);

/// "a, b" as its words.
std::vector<std::string> wordsOf(llvm::StringRef List);

} // namespace kcheck::cli
#endif
