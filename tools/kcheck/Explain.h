//===- Explain.h - what a rule or a tag means ----------------------------------===//
#ifndef KCHECK_TOOLS_KCHECK_EXPLAIN_H
#define KCHECK_TOOLS_KCHECK_EXPLAIN_H

#include "llvm/Support/Error.h"
#include <string>

namespace kcheck::cli {

/// The rule's page, or the part of it that is about the tag, as Markdown; the error names what was perhaps meant.
llvm::Expected<std::string> explain(llvm::StringRef Name);

} // namespace kcheck::cli
#endif
