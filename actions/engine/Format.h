//===- Format.h - new text in the style of its file ----------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_FORMAT_H
#define KCHECK_ACTIONS_ENGINE_FORMAT_H

#include "analyzers/engine/edits/EditSet.h"

namespace kcheck {

/// Text with the edits of File applied. What the edits wrote in several lines is formatted by the nearest
/// .clang-format, or as the rest of the file looks; nothing else is touched.
llvm::Expected<std::string> applyFormatted(llvm::StringRef File, llvm::StringRef Text, std::vector<Edit> Edits);

/// Unified diff of two texts with three lines of context; empty when they are equal.
std::string unifiedDiff(llvm::StringRef Name, llvm::StringRef Old, llvm::StringRef New);

} // namespace kcheck
#endif
