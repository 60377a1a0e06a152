//===- LocalArrays.h - indices past a thread's own arrays ----------------------===//
//
//   float acc[4];
//   for (int j = 0; j <= 4; ++j) acc[j] = 0.f;      // acc[4]
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_SHAREDBOUNDS_LOCALARRAYS_H
#define KCHECK_RULES_SHAREDBOUNDS_LOCALARRAYS_H

#include "analyzers/engine/Rule.h"
#include "matchers/LaunchModel.h"

namespace kcheck::shared {

/// Reports `local_index_out_of_range`, once a variable.
void checkLocalArrays(RuleContext &Ctx, LaunchModel &M);

} // namespace kcheck::shared
#endif
