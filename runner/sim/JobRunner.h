//===- JobRunner.h - the steps of one job, one after another ------------------===//
//
// Memory, copies and launches of a job (Simulator.cpp). What calls the candidate's own host code is added by
// runner/sim/host, which derives from it.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_JOBRUNNER_H
#define KCHECK_SIM_JOBRUNNER_H

#include "runner/sim/Engine.h"
#include "runner/sim/Simulator.h"

namespace kcheck::sim {

/// A step that cannot go on. Failure::None: not measured.
struct StepFailed {
  protocol::Failure Why;
  std::string Message;
};

/// Runs the steps of one job.
class JobRunner {
public:
  JobRunner(const protocol::Job &J, Compiled &C, Memory &M, const FillFunction &Fill, protocol::Result &R, Report &Out, Engine &E)
      : J(J), C(C), Mem(M), R(R), Out(Out), E(E), Fill(Fill) {}
  virtual ~JobRunner() = default;
  void run();

protected:
  /// The candidate's host code, where there is a process for it.
  virtual void call(const protocol::CallStep &S);

  uint64_t addressOf(const protocol::Place &P, bool NeedsLife = true);
  /// A scalar argument's bytes, as its type has them in memory.
  static std::vector<uint8_t> scalarBytes(const protocol::Argument &A);
  /// A fault of the host code.
  void host(const char *Tag, const std::string &Message);

  const protocol::Job &J;
  Compiled &C;
  Memory &Mem;
  protocol::Result &R;
  Report &Out;
  Engine &E;
  unsigned Line = 0; ///< of the step

private:
  void loadVariables();
  const protocol::Buffer &buffer(const std::string &Name);
  bool range(uint64_t A, uint64_t Bytes, const char *What);
  void put(std::vector<uint8_t> &Block, const Parameter &P, const protocol::Argument &A, size_t Index);
  void checkConfiguration(const protocol::LaunchStep &S, const Kernel &K);
  void step(const protocol::AllocStep &S);
  void step(const protocol::FreeStep &S);
  void step(const protocol::SetStep &S);
  void step(const protocol::CopyStep &S);
  void step(const protocol::SyncStep &S);
  void step(const protocol::CallStep &S) { call(S); }
  void step(const protocol::LaunchStep &S);
  void outputs();

  const FillFunction &Fill;
  std::map<std::string, uint64_t> Addresses;
  static constexpr uint64_t LargeInput = 1 << 20;
  std::map<std::string, protocol::Bytes> Initial; ///< large generated inputs that no step has written to
};

} // namespace kcheck::sim
#endif
