//===- Evidence.h - how much a sample of a launch proves -----------------------===//
//
// A fault at sizes that we chose is the candidate's only where its launcher lets such sizes through.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_EVIDENCE_H
#define KCHECK_MATCHERS_EVIDENCE_H

#include "matchers/LaunchModel.h"

namespace kcheck {

/// The file shows the launch, and it certainly happens at these sizes.
inline bool isPlanned(const LaunchSample &L) { return !L.Run->Assumed && (!L.Step || L.Step->Sure); }

/// One or two sizes are independent; of more, some relation may be promised that we cannot see.
inline bool hasFewSizes(const LaunchSample &L) { return !L.Plan || L.Plan->Sizes <= 2; }

/// Of many sizes some relation is promised that samples break: a fault there shows at each that fits the blocks, or tells nothing.
inline bool hasManySizes(const LaunchSample &L) { return L.Plan && L.Plan->Sizes > 3; }

/// Does every run of the launch at sizes that fit the blocks do it? Runs of a single block are left out.
bool doAllAligned(LaunchModel &Model, const LaunchSample &L, llvm::function_ref<bool(const LaunchSample &)> Does);

/// Does the launcher turn away one more of each of these sizes (bit i: size i of Host)? Goes says whether a run of the
/// same launcher was let through.
bool areLargestAdmitted(LaunchModel &Model, const eval::HostRun &Host, uint64_t Sizes,
                        llvm::function_ref<bool(const eval::HostRun &)> Goes);

} // namespace kcheck
#endif
