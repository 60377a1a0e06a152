//===- Barriers.h - where threads wait for each other ----------------------------===//
//
// Barriers and fences that a function comes by, those of the functions that it calls among them, and whether all threads do:
//
//   if (threadIdx.x < 32) __syncthreads();          not all
//   if (i >= n) return;  __syncthreads();           not all
//   if (n > 8) { __syncthreads(); … } else { … __syncthreads(); }   all: whichever way a block goes
//   while (false) __syncthreads();                  none
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_GUARD_BARRIERS_H
#define KCHECK_ACTIONS_GUARD_BARRIERS_H

#include "actions/engine/ActionContext.h"
#include "actions/guard/Guard.h"

namespace kcheck {

std::vector<BarrierFact> barriersOf(ActionContext &Ctx, const clang::FunctionDecl *F);

} // namespace kcheck
#endif
