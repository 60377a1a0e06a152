//===- Finding.h - one fault at one place, as plain data ----------------------===//
//
// A finding leaves the pass that made it, so it holds no AST pointer.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_FINDING_H
#define KCHECK_ENGINE_FINDING_H

#include "analyzers/engine/edits/EditSet.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace kcheck {

/// How much a finding weighs in the verdict. Off: reported nowhere.
enum class Severity { Off, Note, Review, Reject };

/// How sure the rule is. The policy maps (tag, certainty) to a severity: a doubt is never a reject.
enum class Certainty {
  Proven, ///< evidence that cannot be wrong: a witness, or a contradiction in the text
  Doubt   ///< wrong unless something holds that the file does not show; the message says what
};

/// A place in a source file; line and column count from 1, 0 is unknown.
struct Location {
  std::string File;
  unsigned Line = 0, Column = 0;
};

struct FindingNote {
  Location Where;
  std::string Message;
};

struct Finding {
  std::string Rule; ///< "kcheck-sync"
  std::string Tag;  ///< "barrier_divergence"
  std::string Cmpd; ///< "0".."8", "P" or "S"
  Severity Level = Severity::Review;
  Certainty Sure = Certainty::Proven;
  Location Where;
  std::string Message; ///< lower-case start, no final period, names threads or sizes
  std::string Kernel;  ///< name of the kernel, empty for host code
  std::vector<FindingNote> Notes;
  llvm::json::Object Evidence; ///< witness: {"block":"(0,0,0)","threads":[0,1]}, sizes, ...
  std::vector<Fix> Fixes;
  bool Defer = false;      ///< the dynamic track's numerics decide
  bool Suppressed = false; ///< by NOLINT, exemption or baseline: counted, without weight
  std::string SuppressedBy;

  /// "kcheck-sync-barrier-divergence"
  std::string check() const;
};

llvm::StringRef toString(Severity S);
std::optional<Severity> parseSeverity(llvm::StringRef Text);

/// Check id of a rule and a tag: tag underscores become dashes.
std::string checkId(llvm::StringRef Rule, llvm::StringRef Tag);

} // namespace kcheck
#endif
