//===- RootCause.h - from the front end's messages to what a person must fix --===//
//
//   ParseDiagnostic… ─► sort by place ─► classify ─► absorb what follows from an earlier cause ─► Cause…
//
// One misspelt attribute, one lost brace or one absent header makes a dozen messages. A cause stands where
// the edit goes; messages that follow from it are dropped.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_COMPILE_ROOTCAUSE_H
#define KCHECK_RULES_COMPILE_ROOTCAUSE_H

#include "analyzers/engine/Policy.h"
#include "analyzers/engine/TranslationUnit.h"
#include "analyzers/rules/compile/SourceTokens.h"

namespace kcheck::compile {

struct Cause {
  std::string Tag;
  Certainty Sure = Certainty::Proven;
  Location Where;
  std::string Message;
  std::string Name;    ///< the identifier at fault, empty where there is none
  std::string FrontEnd;///< Clang's own words
  std::vector<FindingNote> Notes;
  std::vector<Fix> Fixes;
};

/// The causes behind TU's diagnostics, in source order.
std::vector<Cause> findCauses(TranslationUnit &TU, const Policy &P, const SourceTokens &Source);

/// Names that Clang's wrapper declares but nvcc may not: nvcc must be asked (tag nvcc_decides).
std::vector<Cause> findNvccDoubts(TranslationUnit &TU, const Policy &P, const SourceTokens &Source);

} // namespace kcheck::compile
#endif
