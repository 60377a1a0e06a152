//===- Behaviour.h - what a file's launches touch, as plain data ---------------===//
//
// The launch plans at sample sizes say which bytes of each buffer a launcher reaches and writes. An edit that
// means to keep the results must keep them, whatever it did to threads and blocks.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_BEHAVIOUR_H
#define KCHECK_ACTIONS_ENGINE_BEHAVIOUR_H

#include "matchers/LaunchModel.h"
#include <map>
#include <string>

namespace kcheck {

struct Reached {
  int64_t Begin = 0, End = 0; ///< bytes
  int64_t Written = 0;        ///< distinct bytes; 0 when not known
  bool Exact = true;
  unsigned Launches = 0;      ///< that were followed
};

class Behaviour {
public:
  explicit Behaviour(LaunchModel &M);
  /// A sentence on the first difference, with sizes; empty when nothing that is known differs. Further: only what
  /// After touches beyond this.
  std::string difference(const Behaviour &After, bool FurtherOnly = false) const;
  /// Every buffer is known exactly on both sides, and there is one.
  bool comparable(const Behaviour &After) const;
  bool followed() const { return !Buffers.empty(); }
  /// Every buffer that is touched here is seen to be touched there, as far as either is known.
  bool seenIn(const Behaviour &After) const;

private:
  /// launcher, sizes, buffer
  std::map<std::pair<std::string, std::string>, Reached> Buffers;
};

} // namespace kcheck
#endif
