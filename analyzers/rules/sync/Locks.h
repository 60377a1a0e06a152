//===- Locks.h - what an order made by atomics and fences lacks ------------------===//
#ifndef KCHECK_RULES_SYNC_LOCKS_H
#define KCHECK_RULES_SYNC_LOCKS_H

#include "matchers/ThreadOrder.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kcheck {

/// What to say of a fault, and of the other access.
struct OrderText {
  llvm::StringRef Tag;
  std::string Message;
  const char *Note;
};
OrderText describe(const OrderFault &F);

} // namespace kcheck
#endif
