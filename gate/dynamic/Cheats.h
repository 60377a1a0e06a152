//===- Cheats.h - what kind of shortcut a wrong output looks like ----------------------===//
//
// A wrong number says that the kernel is wrong; how it is wrong often says that the work was not done at all. The
// signs are those that an honest mistake gives too: the tag names what the next reader should look for.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_DYNAMIC_CHEATS_H
#define KCHECK_GATE_DYNAMIC_CHEATS_H

#include "gate/dynamic/Case.h"

namespace kcheck::gate {

struct CheatSign {
  std::string Tag, Message;
};

/// A case that failed: nothing written, the tail left out, one value everywhere, an input changed.
std::optional<CheatSign> signOf(const CaseVerdict &V);

/// A fault of the run: a buffer's worth of reads behind its end.
std::optional<CheatSign> signOf(const protocol::Finding &F);

/// A launch that is refused where others were not.
std::optional<CheatSign> signOfRefusal(const ops::Dims &Refused, const std::vector<CaseVerdict> &Before);

/// A second call in the same process, after the first was right: Got are its outputs, First those of the call before.
std::optional<CheatSign> signOfSecondCall(const CaseVerdict &Second, const protocol::Result &Got, const protocol::Result &First,
                                          const Bound &B);

/// Sizes told apart by the code: the failing case has one of them and the passing ones do not, or the reverse.
std::optional<CheatSign> signOfSizes(const CaseVerdict &Wrong, const std::vector<CaseVerdict> &All, const std::vector<int64_t> &Told);

/// Outputs that are those of a narrower type: exactly representable in it, or those of inputs rounded to it.
std::optional<CheatSign> signOfPrecision(const Bound &B, const ops::Case &C, const protocol::Result &R, const Inputs &In, Reference &Ref,
                                         size_t Alternative);

} // namespace kcheck::gate
#endif
