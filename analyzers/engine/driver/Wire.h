//===- Wire.h - a lint result as JSON, between processes ----------------------===//
#ifndef KCHECK_ENGINE_DRIVER_WIRE_H
#define KCHECK_ENGINE_DRIVER_WIRE_H

#include "analyzers/engine/Driver.h"

namespace kcheck {

llvm::json::Value toWire(const LintResult &R);
/// Nothing where Text is not what toWire writes.
std::optional<LintResult> fromWire(llvm::StringRef Text);

} // namespace kcheck
#endif
