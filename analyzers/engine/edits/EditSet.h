//===- EditSet.h - source edits that rules and actions share ------------------===//
#ifndef KCHECK_ENGINE_EDITS_EDITSET_H
#define KCHECK_ENGINE_EDITS_EDITSET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace kcheck {

/// Replaces Length bytes at Offset of File by Text.
struct Edit {
  std::string File;
  unsigned Offset = 0, Length = 0;
  std::string Text;
};

/// Edits that belong together, with one line for a menu ("add the missing barrier").
struct Fix {
  std::string Description;
  std::vector<Edit> Edits;
};

/// Applies the edits of one file to its text. Overlapping edits are an error; two insertions at one
/// place keep their order.
llvm::Expected<std::string> applyEdits(llvm::StringRef Text, std::vector<Edit> Edits);

} // namespace kcheck
#endif
