//===- Uninitialised.h - results made of variables without a value -------------===//
//
//   float sum;                     // no value
//   for (…) sum += row[j];
//   out[i] = sum;                  // whatever the register held, and the sum
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_GLOBALEFFECT_UNINITIALISED_H
#define KCHECK_RULES_GLOBALEFFECT_UNINITIALISED_H

#include "analyzers/engine/Rule.h"
#include "matchers/LaunchModel.h"

namespace kcheck::effects {

/// Reports `uninitialised_read`, once a variable.
void checkUninitialised(RuleContext &Ctx, LaunchModel &M);

} // namespace kcheck::effects
#endif
