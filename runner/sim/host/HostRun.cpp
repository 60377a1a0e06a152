#include "runner/sim/host/HostRun.h"
#include "runner/sim/Refusals.h"
#include "runner/sim/host/HostDevice.h"
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::sim;

namespace {

bool readFile(const std::string &Path, std::string &Text) {
  std::ifstream In(Path, std::ios::binary);
  std::stringstream S;
  if (!In || !(S << In.rdbuf()))
    return false;
  Text = S.str();
  return true;
}

bool endsWith(const std::string &S, const char *End) { return S.size() >= strlen(End) && S.compare(S.size() - strlen(End), std::string::npos, End) == 0; }

[[noreturn]] void give(protocol::Result &R, protocol::Failure F, const std::string &Message, const std::function<void(const protocol::Result &)> &Write) {
  R.State = protocol::State::Failed;
  R.Failure = F;
  R.Message = Message;
  Write(R);
  _exit(F == protocol::Failure::BadJob ? 2 : 0);
}

} // namespace

void sim::runProgram(const HostJob &J, std::function<void(const protocol::Result &)> Write) {
  static protocol::Result R; // outlives main: written by the last exit handler
  R.Worker = "kcheck-sim " KCHECK_VERSION;
  R.Device = "sim";
  if (J.Files.empty())
    give(R, protocol::Failure::BadJob, "no file", Write);
  std::string Root = J.Files[0].substr(0, J.Files[0].rfind('/') + 1);
  std::vector<HostUnit> Units;
  std::vector<protocol::Source> DeviceUnits;
  for (const std::string &Path : J.Files) {
    HostUnit U;
    if (!readFile(Path, U.Source.Text))
      give(R, protocol::Failure::BadJob, "cannot read " + Path, Write);
    // Names are relative to the first file's folder.
    U.Source.File = Path.starts_with(Root) ? Path.substr(Root.size()) : Path;
    if (!Path.starts_with(Root)) {
      std::string Base = Root, Rel;
      while (!Base.empty() && !Path.starts_with(Base)) {
        Base.pop_back();
        Base = Base.substr(0, Base.rfind('/') + 1);
        Rel += "../";
      }
      U.Source.File = Rel + Path.substr(Base.size());
    }
    U.Source.Arch = J.Arch;
    U.Source.Standard = J.Standard;
    U.Source.Defines = J.Defines;
    U.Source.Args = J.CompilerArgs;
    U.Cuda = endsWith(Path, ".cu");
    if (U.Cuda)
      DeviceUnits.push_back(U.Source);
    Units.push_back(std::move(U));
  }
  // Units with device code come first: their constructors register kernels in this order.
  std::stable_partition(Units.begin(), Units.end(), [](const HostUnit &U) { return U.Cuda; });
  auto T0 = std::chrono::steady_clock::now();
  auto since = [](std::chrono::steady_clock::time_point T) { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - T).count(); };
  std::string Error;
  static std::unique_ptr<Compiled> Code = compileDeviceSide(DeviceUnits, Root, J.Checks.any(), R.Compile, Error);
  auto giveUp = [&] {
    refuse(R, Error);
    give(R, R.Failure, R.Message, Write);
  };
  if (!Code)
    giveUp();
  R.Times = Code->Times;
  static Memory Mem;
  if (!Mem.reserve(Error))
    give(R, protocol::Failure::OutOfMemory, Error, Write);
  Mem.setReuse(true);
  static HostDevice Device(*Code, Mem, R);
  Device.Arch = J.Arch;
  Device.E.Checks = J.Checks;
  Device.E.Limits = J.Limits;
  Device.Out.setLimit(J.Limits.MaxFindings);
  Device.Mem.setLimit(J.Limits.MemoryMb << 20);
  auto T1 = std::chrono::steady_clock::now();
  startProcess(Device, 4 * J.Limits.Seconds + J.Limits.CompileSeconds, Write);
  static std::unique_ptr<HostProgram> Program = loadHost(Units, Root, [](const std::string &Name) { return resolveForProgram(Name, Code->Code); }, R.Compile, Error);
  if (!Program)
    giveUp();
  R.Times["host"] = since(T1);
  R.Times["compile"] = since(T0);
  Device.setProgram(Program.get());
  for (const HostUnit &U : Units)
    Device.addSource(U.Source.File, U.Source.Text);
  Device.E.Deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(int64_t(J.Limits.Seconds * 1000));
  // A busy machine stretches the wall clock: what counts is the time that the program was given.
  Device.E.ProcessorSeconds = J.Limits.Seconds;
  Device.Mem.guard(true);
  // Kernels are registered by each unit's constructors, which must be called with that unit in mind.
  for (auto &Names : Program->Constructors)
    for (const std::string &Name : Names)
      if (auto *F = reinterpret_cast<void (*)()>(Program->address(Name)))
        F();
  auto *Main = reinterpret_cast<int (*)(int, char **, char **)>(Program->address("main"));
  static std::vector<std::string> Words{J.Files[0].substr(0, J.Files[0].rfind('.'))};
  Words.insert(Words.end(), J.Arguments.begin(), J.Arguments.end());
  static std::vector<char *> Argv;
  for (std::string &W : Words)
    Argv.push_back(W.data());
  Argv.push_back(nullptr);
  HostExitStatus = Main(int(Words.size()), Argv.data(), environ);
  exit(HostExitStatus);
}
