//===- Includes.h - the includes that a file begins with ----------------------===//
//
// Only the run of #include directives before anything else (comments, #pragma once and a header guard aside) may be
// taken from a precompiled header: whatever follows a #define, a condition or code could read differently.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_INCLUDES_H
#define KCHECK_ENGINE_DRIVER_INCLUDES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kcheck {

struct IncludeName {
  std::string Name;
  bool Angled = false;
};

std::vector<IncludeName> leadingIncludes(llvm::StringRef Text);

} // namespace kcheck
#endif
