//===- GpuSandbox.h - what the GPU worker may touch -------------------------------------===//
//
// The worker compiles a candidate's text and runs its kernels. It keeps a context, so it is confined once, when it is
// started: it reads the system, the toolkit and its own program, opens the GPU's device nodes, writes its cache and a
// temporary folder of its own. All other files, other processes and the network (TCP) are closed to it and to every
// compiler that it starts.
//
// CUDA does not start unless it may write below /proc (its threads' names). For an ordinary user the kernel's own settings
// there stay closed all the same; for root they would not, so a worker of root is not confined, and says why.
//
//===------------------------------------------------------------------------------------===//
#ifndef KCHECK_CLIENT_GPUSANDBOX_H
#define KCHECK_CLIENT_GPUSANDBOX_H

#include "runner/client/Sandbox.h"
#include <memory>

namespace kcheck::client {

struct GpuConfinement {
  SandboxKind Kind = SandboxKind::None;
  std::string Why;                         ///< of None: what this machine lacks, or who switched it off
  std::vector<std::string> Read, Write, Devices;
  std::shared_ptr<ScratchFolder> Scratch;  ///< lives as long as the worker
  std::vector<std::string> Wrapper;        ///< words that start the program with its temporary folder
  std::function<bool()> Enter;             ///< for WorkerOptions::Confine; empty: nothing to enter
};

/// KCHECK_GPU_SANDBOX=none switches it off.
GpuConfinement confineGpuWorker(const std::string &Program, bool Root);
GpuConfinement confineGpuWorker(const std::string &Program);

/// Nodes of this machine that CUDA opens: no disk, no terminal, no other card.
std::vector<std::string> gpuDeviceNodes(const std::string &Folder = "/dev");

} // namespace kcheck::client
#endif
