//===- Judge.h - the outputs of a run, judged where they lie ---------------------------===//
//
// For sizes that are too big to send back. Inputs are made afresh from their seeds: what the candidate left of its own
// is only held against them.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_JUDGE_H
#define KCHECK_GPU_JUDGE_H

#include "runner/gpu/Execute.h"
#include <set>

namespace kcheck::gpu {

/// Judges the job's one output by its reference and its inputs by their seeds, into R.Judged. Validated: operators (with
/// variant and attributes) whose device reference was held against the CPU's before; grows. Throws Failed.
void judge(Device &G, const protocol::Job &J, Buffers &B, std::set<std::string> &Validated, protocol::Result &R);

} // namespace kcheck::gpu
#endif
