//===- Vary.h - a sequence of steps with one of them changed --------------------------------===//
//
//   s1 s2 s3 ─► s1 s3 | s1 s2' s3 | s1 x s3 | s1 x s2 s3, each built once more from the start
//
// What a search that only ever appends cannot find: most actions apply once, and some bar the way for others.
//
//===------------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_POLICY_VARY_H
#define KCHECK_AGENT_POLICY_VARY_H

#include "agent/Context.h"

namespace kcheck::agent {

struct Variation {
  std::vector<Step> Steps; ///< from the start
  std::string What;        ///< in words: which step is changed, and into what
  std::string Place;       ///< which change it is, without parameters: alike for those that tell the same
  double LogGain = 0;      ///< expected, over the sequence that is varied
  std::string Hash;        ///< of what it gives, once it was built
};

struct VaryRequest {
  const Context &Known;
  const Parent &Of;                                                     ///< made by steps from the start alone
  std::function<double(const Step &, const llvm::json::Object &)> Worth; ///< of a step with its predicted effect, as the logarithm of a gain
  std::function<bool(llvm::StringRef)> May; ///< whether an action that is not in the sequence may be tried
  size_t Most = 16;
};

/// Those that can be built, the most promising first.
std::vector<Variation> variationsOf(const VaryRequest &R, Workbench &Bench);

} // namespace kcheck::agent
#endif
