//===- Guest.h - the candidate's host code, in a process of its own ------------===//
//
//   LauncherJob (device, findings, outputs) ◄── calls of the runtime ── Guest: constructors, kcheck_call()
//                └─ Call(arguments) ──────────────────────────────────►
//
// The process is forked from the worker once the host code is compiled. It has no descriptor but the wire, a place to print
// to and a bait where an answer's descriptor usually is; it may start nothing, open nothing for writing and make no page
// executable (GuestLimits.cpp). Device memory is closed to it; pinned and managed memory is shared.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_HOST_GUEST_H
#define KCHECK_SIM_HOST_GUEST_H

#include "runner/sim/host/HostDevice.h"
#include "runner/sim/host/Wire.h"

namespace kcheck::sim {

struct GuestPipes {
  int In = -1, Out = -1; ///< the wire
  int Print = -1, Bait = -1;
};

/// Runs in the child: serves calls of Function until the wire ends.
[[noreturn]] void runGuest(HostDevice &D, HostProgram &P, void (*Function)(void **), GuestPipes Pipes);

/// System calls that host code of a candidate needs not; false: they could not be taken away.
bool limitGuest();

} // namespace kcheck::sim
#endif
