//===- LauncherJob.h - jobs that call the candidate's own launcher ----------------===//
#ifndef KCHECK_SIM_HOST_LAUNCHERJOB_H
#define KCHECK_SIM_HOST_LAUNCHERJOB_H

#include "runner/sim/Simulator.h"

namespace kcheck::sim {

/// A HostCodeFunction: device and host side are compiled once a source, each job has its own process for the host code.
void runLauncherJob(const protocol::Job &J, Memory &Mem, const FillFunction &Fill, uint32_t &Uid, protocol::Result &R);

} // namespace kcheck::sim
#endif
