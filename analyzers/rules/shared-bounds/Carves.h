//===- Carves.h - parts of dynamic shared memory that lie over one another ------===//
#ifndef KCHECK_RULES_SHAREDBOUNDS_CARVES_H
#define KCHECK_RULES_SHAREDBOUNDS_CARVES_H

#include "matchers/VariableWrites.h"
#include "matchers/eval/Trace.h"

namespace kcheck::shared {

/// A value that is stored through one pointer into dynamic shared memory, overwritten through another before anybody has read
/// it, and then read through the first.
struct LostValue {
  const clang::VarDecl *Kept = nullptr, *Overwriting = nullptr;
  const eval::Access *Stored = nullptr, *Over = nullptr, *Read = nullptr;
  unsigned Thread = 0; ///< that reads
  int64_t Offset = 0;  ///< bytes from the start of dynamic shared memory
};

/// The first of the run's first block, if there is one. Constants that are overwritten are a fill, and pointers that change are
/// buffers that take turns.
std::optional<LostValue> findLostValue(const eval::KernelRun &R, const VariableWrites &Writes);

} // namespace kcheck::shared
#endif
