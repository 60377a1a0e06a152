//===- Sanitizer.h - compute-sanitizer over the candidate's launches -----------------===//
//
//   job ─► compute-sanitizer --tool T kcheck-gpu --bare --job … ─► its text ─► findings with lines
//
//===---------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_SANITIZER_H
#define KCHECK_GPU_SANITIZER_H

#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"

namespace kcheck::gpu {

/// Findings in the text of a tool (memcheck, racecheck, synccheck, initcheck); the same fault at the same place is one
/// finding with a count. File: the candidate's name; places in other files have no line.
std::vector<protocol::Finding> parseSanitizerReport(const std::string &Tool, const std::string &Text, const std::string &File);

/// Runs the tools that the job names and adds their findings; what could not run is said in R.Notes.
void sanitize(const protocol::Job &J, int Device, protocol::Result &R);

} // namespace kcheck::gpu
#endif
