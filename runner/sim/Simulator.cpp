#include "runner/sim/Simulator.h"
#include "runner/sim/Engine.h"
#include "runner/sim/JobRunner.h"
#include "runner/sim/Refusals.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <ctime>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::sim;
using protocol::Failure;

namespace {

using Steady = std::chrono::steady_clock;
double since(Steady::time_point T) { return std::chrono::duration<double, std::milli>(Steady::now() - T).count(); }

/// Processor time of the process: what a busy machine does not stretch.
double cpuMs() {
  timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return double(T.tv_sec) * 1e3 + double(T.tv_nsec) / 1e6;
}

std::vector<std::string> kernelsOf(const protocol::Job &J) {
  std::vector<std::string> Names;
  for (const protocol::Step &S : J.Steps)
    if (auto *L = std::get_if<protocol::LaunchStep>(&S.Do))
      if (std::find(Names.begin(), Names.end(), L->Kernel) == Names.end())
        Names.push_back(L->Kernel);
  return Names;
}

} // namespace

/// Counters come from the same calls as the checks.
static bool instrumented(const protocol::Job &J) { return J.Checks.any() || J.Checks.Metrics; }

Compiled *Simulator::compiled(const protocol::Job &J, const std::vector<std::string> &Kernels, protocol::Result &R) {
  std::string Key = J.Source.Arch + "\n" + J.Source.Standard + "\n" + J.Source.File + "\n" + (instrumented(J) ? "c" : "u") + "\n";
  for (const auto *List : {&J.Source.Defines, &J.Source.Args, &Kernels})
    for (const std::string &S : *List)
      Key += S + "\n";
  for (const protocol::SourceFile &F : J.Source.Includes)
    Key += F.Path + "\n" + F.Text + "\n";
  Key += J.Source.Text;
  if (auto It = Cache.find(Key); It != Cache.end())
    return It->second.get();
  std::string Error;
  auto C = compile(J.Source, Kernels, instrumented(J), R.Compile, Error);
  if (!C) {
    refuse(R, Error);
    if (Error.starts_with("kcheck kernel name")) {
      R.Failure = Failure::BadJob;
      R.Message = "a launched kernel is not in the candidate: " + Error;
    }
    return nullptr;
  }
  R.Times.insert(C->Times.begin(), C->Times.end());
  if (Cache.size() >= 16)
    Cache.clear();
  return (Cache[Key] = std::move(C)).get();
}

protocol::Result Simulator::run(const protocol::Job &J) {
  auto T0 = Steady::now();
  double Cpu0 = cpuMs();
  protocol::Result R;
  R.Id = J.Id;
  R.Worker = "kcheck-sim " KCHECK_VERSION;
  R.Device = "sim";
  std::string Error;
  if (!Mem.reserve(Error)) {
    R.State = protocol::State::Failed;
    R.Failure = Failure::OutOfMemory;
    R.Message = Error;
    return R;
  }
  bool CallsHost = std::any_of(J.Steps.begin(), J.Steps.end(), [](const protocol::Step &S) { return std::holds_alternative<protocol::CallStep>(S.Do); });
  if (CallsHost && HostCode) {
    HostCode(J, Mem, Fill, NextUid, R);
    Mem.reset(NextUid == 1);
  } else if (Compiled *C = compiled(J, kernelsOf(J), R)) {
    auto T1 = Steady::now();
    double Cpu1 = cpuMs();
    R.Times["compile_cpu"] = Cpu1 - Cpu0;
    Report Out(C->Code);
    Engine E(C->Code, Mem, Out);
    E.NextUid = NextUid;
    JobRunner(J, *C, Mem, Fill, R, Out, E).run();
    bool StartOver = E.NextUid > MaxUid / 2;
    NextUid = StartOver ? 1 : E.NextUid;
    R.Times["run"] = since(T1);
    R.Times["run_cpu"] = cpuMs() - Cpu1;
    Mem.reset(StartOver);
  }
  R.Times["total"] = since(T0);
  return R;
}
