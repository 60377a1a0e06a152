//===- Uninitialised.h - results made of variables without a value -------------===//
//
//   float sum;                     // no value
//   for (…) sum += row[j];
//   out[i] = sum;                  // whatever the register held, and the sum
//
//   if (i < n) s[t] = x[i];        // the last block leaves some of s as it was
//   __syncthreads();
//   if (t < h) s[t] += s[t + h];   // and adds it
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_GLOBALEFFECT_UNINITIALISED_H
#define KCHECK_RULES_GLOBALEFFECT_UNINITIALISED_H

#include "analyzers/engine/Rule.h"
#include "matchers/LaunchModel.h"

namespace kcheck::effects {

/// Reports `uninitialised_read`, once a variable.
void checkUninitialised(RuleContext &Ctx, LaunchModel &M);
/// The same of shared memory that no thread of the block has stored to, where the value goes into a result.
void checkUnsetShared(RuleContext &Ctx, LaunchModel &M);

} // namespace kcheck::effects
#endif
