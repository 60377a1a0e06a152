//===- Refusals.h - what Clang refuses and nvcc takes -------------------------===//
#ifndef KCHECK_SIM_REFUSALS_H
#define KCHECK_SIM_REFUSALS_H

#include "runner/protocol/Result.h"

namespace kcheck::sim {

/// A result that says why nothing was compiled. Device code that nvcc takes and this front end does not is the
/// simulator's limit, with its line, and no fault of the program.
void refuse(protocol::Result &R, const std::string &Error);

} // namespace kcheck::sim
#endif
