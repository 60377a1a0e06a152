//===- Buffers.h - may two pointers of a kernel point into one buffer? --------------===//
#ifndef KCHECK_ACTIONS_ENGINE_BUFFERS_H
#define KCHECK_ACTIONS_ENGINE_BUFFERS_H

#include "actions/engine/ActionContext.h"

namespace kcheck {

/// Why two pointer parameters of K may point into one buffer; empty when every launch shows that they do not. Distinct
/// parameters of a launcher are distinct buffers by kcheck's contract, unless a call in the file says else.
std::string whyBuffersMayCoincide(ActionContext &Ctx, const KernelView &K);

} // namespace kcheck
#endif
