//===- Guest.h - the candidate's host code, in a process of its own ------------===//
//
//   LauncherJob (device, findings, outputs) ◄── calls of the runtime ── Guest: constructors, kcheck_call()
//                └─ Call(arguments) ──────────────────────────────────►
//
// The process is forked from the worker once the host code is compiled. It has no descriptor but the wire, a place to print
// to and a bait where an answer's descriptor usually is; it may start nothing, open nothing for writing and make no page
// executable (runner/guest/Limits.h). Device memory is closed to it; pinned and managed memory is shared.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_HOST_GUEST_H
#define KCHECK_SIM_HOST_GUEST_H

#include "runner/guest/Process.h"
#include "runner/sim/host/HostDevice.h"

namespace kcheck::sim {

/// Runs in the child: serves calls of Function until the wire ends.
[[noreturn]] void runGuest(HostDevice &D, HostProgram &P, void (*Function)(void **), guest::Pipes Ends);

} // namespace kcheck::sim
#endif
