#include "runner/gpu/Worker.h"
#include "runner/gpu/Compile.h"
#include "runner/gpu/Counters.h"
#include "runner/gpu/DeviceLock.h"
#include "runner/gpu/Judge.h"
#include "runner/gpu/Perf.h"
#include "runner/gpu/Process.h"
#include "runner/gpu/Sanitizer.h"
#include <algorithm>
#include <fcntl.h>
#include <random>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;
using protocol::Failure;
using protocol::Finding;
using protocol::Role;
using Steady = std::chrono::steady_clock;

static double since(Steady::time_point T) { return std::chrono::duration<double, std::milli>(Steady::now() - T).count(); }

std::string Worker::warmUp() {
  if (G)
    return "";
  std::string Why;
  Compiler.start();
  G = Device::open(Options.Device, Why);
  if (!G)
    return Why;
  try {
    G->call("kc_nothing", 1); // loads the worker's own kernels
    G->synchronize("starting");
  } catch (const Failed &F) {
    return F.Message;
  }
  return "";
}

void Worker::hang(const protocol::Result &R, std::string Why) {
  protocol::Result Out;
  Out.Id = R.Id;
  Out.Worker = R.Worker;
  Out.Device = R.Device;
  Out.Compile = R.Compile;
  Out.Kernels = R.Kernels;
  Out.FailedStep = R.FailedStep;
  Out.Times = R.Times;
  Out.State = protocol::State::Failed;
  Out.Failure = Failure::Timeout;
  Out.Message = std::move(Why);
  Options.Answer(Out);
  _exit(HangStatus);
}

std::string Worker::printed() {
  if (Options.PrintedFd < 0)
    return "";
  fflush(stdout);
  std::string Text(65536, '\0');
  ssize_t N = pread(Options.PrintedFd, Text.data(), Text.size(), 0);
  Text.resize(size_t(std::max<ssize_t>(N, 0)));
  if (N > 0 && ftruncate(Options.PrintedFd, 0) == 0)
    lseek(Options.PrintedFd, 0, SEEK_SET);
  return Text;
}

CompileRequest gpu::compileRequest(const protocol::Job &J, const Device &G) {
  CompileRequest Q;
  Q.Source = &J.Source;
  Q.Arch = G.arch();
  Q.Driver = G.driverVersion();
  Q.Compiler = J.Compiler;
  Q.Seconds = J.Limits.CompileSeconds;
  for (const protocol::Step &S : J.Steps)
    if (auto *L = std::get_if<protocol::LaunchStep>(&S.Do); L && std::find(Q.Kernels.begin(), Q.Kernels.end(), L->Kernel) == Q.Kernels.end())
      Q.Kernels.push_back(L->Kernel);
  return Q;
}

protocol::Result gpu::compileAhead(const protocol::Job &J, const Device &G, const Cache &Files) {
  protocol::Result R;
  R.Id = J.Id;
  R.Worker = "kcheck-gpu " KCHECK_VERSION;
  auto T0 = Steady::now();
  Binary B = compile(compileRequest(J, G), Files);
  R.Times["code"] = since(T0);
  R.Compile = B.Messages;
  R.Notes["compile_cached"] = B.Cached ? "disk" : "no";
  if (!B.Ok) {
    R.State = protocol::State::Failed;
    R.Failure = B.NoCompiler ? Failure::NoWorker : Failure::CompileError;
    R.Message = B.Error;
  }
  return R;
}

Loaded &Worker::loaded(const protocol::Job &J, protocol::Result &R) {
  CompileRequest Q = compileRequest(J, *G);
  std::string Key = cacheKey(Q, "");
  for (auto It = Modules.begin(); It != Modules.end(); ++It)
    if (It->first == Key) {
      Modules.splice(Modules.begin(), Modules, It);
      R.Compile = Modules.front().second->binary().Messages;
      R.Notes["compiler"] = Modules.front().second->binary().With;
      R.Notes["compile_cached"] = "process";
      return *Modules.front().second;
    }
  auto T0 = Steady::now();
  Dog.arm(J.Limits.CompileSeconds + 5, [&] { hang(R, "the compiler is not done after " + std::to_string(int(J.Limits.CompileSeconds)) + " s"); });
  Binary B = compile(Q, G->cache(), &Compiler);
  Dog.disarm();
  R.Times["front_end"] = B.Cached ? 0 : B.Ms;
  R.Times["code"] = since(T0) - R.Times["front_end"];
  R.Compile = B.Messages;
  R.Notes["compiler"] = B.With;
  if (B.Cached)
    R.Notes["compile_cached"] = "disk";
  if (!B.Ok)
    throw Failed{B.NoCompiler ? Failure::NoWorker : Failure::CompileError, B.Error};
  Modules.emplace_front(Key, std::make_unique<Loaded>(*G, std::move(B)));
  if (Modules.size() > 32)
    Modules.pop_back();
  return *Modules.front().second;
}

void Worker::runOnce(const protocol::Job &J, Loaded &Code, Buffers &B, const FillBytes &F, protocol::Result &R, std::vector<Finding> &Out) {
  std::set<std::string> Later = allocatedBySteps(J.Steps);
  for (const protocol::Buffer &X : J.Buffers)
    if (!Later.count(X.Name))
      B.make(X, F);
  G->synchronize("filling the buffers");
  StepRunner Run(*G, Code, B, J.Buffers);
  if (Host)
    Run.Call = [&](const protocol::CallStep &S) { Host->call(S, B, J.Buffers, F, Out); };
  Dog.arm(J.Limits.Seconds, [&] {
    R.FailedStep = Run.FailedStep;
    char Text[32];
    snprintf(Text, sizeof Text, "%g", J.Limits.Seconds);
    hang(R, std::string("the launch sequence is not done after ") + Text + " s");
  });
  struct Disarm {
    Watchdog &W;
    ~Disarm() { W.disarm(); }
  } Guard{Dog};
  try {
    Run.run(J.Steps, true, F, Out);
    Run.join();
    G->synchronize("running the candidate");
  } catch (const Failed &) {
    R.FailedStep = Run.FailedStep;
    throw;
  }
  B.checkZones(Out);
}

void Worker::execute(const protocol::Job &J, Loaded &Code, protocol::Result &R) {
  std::random_device Random;
  FillBytes F;
  F.Canary = uint8_t(0x80 | Random() % 0x7F); // secret, and no byte of a small number
  DeviceLock Shared(G->uuid(), DeviceLock::Shared);
  Buffers B(*G, J.Limits.MemoryMb << 20, Options.Bare);
  auto T0 = Steady::now();
  runOnce(J, Code, B, F, R, R.Findings);
  R.Times["run"] = since(T0);
  for (int S : StepRunner::unjoined(J.Steps)) {
    Finding X;
    X.Tag = "cheat_side_stream";
    X.Message = "work is left on stream " + std::to_string(S) + ", for which the launcher does not wait: a caller would read the output before it is there";
    R.Findings.push_back(std::move(X));
  }
  outputs(J, B, R);
  if (J.Reference && !J.Perf) {
    auto T1 = Steady::now();
    judge(*G, J, B, Validated, R);
    R.Times["judge"] = since(T1);
  }
  if (J.Checks.Init && R.Findings.empty() && !Options.Bare)
    repeat(J, Code, B, F, R);
}

void Worker::repeat(const protocol::Job &J, Loaded &Code, Buffers &First, const FillBytes &Same, protocol::Result &R) {
  std::vector<const protocol::Buffer *> Outs;
  uint64_t Bytes = 0;
  for (const protocol::Buffer &X : J.Buffers) {
    Bytes += X.bytes();
    if ((X.How == Role::Out || X.How == Role::InOut) && X.bytes() && First.has(X.Name))
      Outs.push_back(&X);
  }
  if (Outs.empty() || Bytes > (uint64_t(1) << 30))
    return;
  auto T0 = Steady::now();
  const FillBytes Other{0x3C, 0x01}, OtherZones{0x3C, 0xFF};
  // Where another run first differs from the first one.
  uint64_t Count = 0;
  bool Most = false;  // of an output's elements
  bool Blank = false; // that output holds what nobody has written
  auto differs = [&](const FillBytes &F, std::string &Where) {
    Buffers B(*G, J.Limits.MemoryMb << 20);
    std::vector<Finding> Ignored;
    runOnce(J, Code, B, F, R, Ignored);
    for (const protocol::Buffer *X : Outs)
      if (int64_t At = First.firstDifference(X->Name, B.address(X->Name), X->PoisonByte, F.Poison == 0xFF ? X->PoisonByte : F.Poison, Count); At >= 0) {
        Most = Count * 2 > uint64_t(X->elements());
        protocol::Bytes Left = B.content(X->Name);
        uint8_t Untouched = F.Poison == 0xFF ? X->PoisonByte : F.Poison;
        Blank = X->How == Role::Out && std::all_of(Left.begin(), Left.end(), [&](uint8_t Byte) { return Byte == Untouched; });
        Where = "'" + X->Name + "', first at element " + std::to_string(At);
        return true;
      }
    return false;
  };
  std::string Where;
  if (differs(Other, Where)) {
    Finding X;
    std::string Again;
    if (Blank) {
      X.Tag = "cheat_stale_output";
      X.Message = "a second run writes nothing to " + Where.substr(0, Where.find(',')) + ": what an earlier call left there would pass for its result";
    } else if (differs(Same, Again)) {
      X.Tag = "nondeterministic_result";
      X.Message = "two runs on the same inputs differ in " + Again;
    } else if (differs(OtherZones, Again)) {
      X.Tag = Most ? "cheat_reads_reference" : "out_of_bounds_global"; // a tail that reads on is a mistake
      X.Message = "the output depends on memory outside the kernel's buffers: with other bytes there it differs in " + Again;
    } else {
      X.Tag = "uninitialised_read";
      X.Message = "the output depends on memory that nobody has written: with other bytes there it differs in " + Where;
    }
    R.Findings.push_back(std::move(X));
  }
  R.Times["repeat"] = since(T0);
}

void Worker::outputs(const protocol::Job &J, Buffers &B, protocol::Result &R) {
  int FD = -1;
  uint64_t At = 0;
  if (!J.OutputFile.empty()) {
    FD = open(J.OutputFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (FD < 0)
      throw Failed{Failure::BadJob, "cannot write " + J.OutputFile};
  }
  for (const std::string &Name : J.Outputs) {
    if (!B.has(Name))
      continue;
    protocol::Output O;
    O.Buffer = Name;
    O.Data = B.content(Name);
    O.Size = O.Data.size();
    if (FD >= 0) {
      O.File = J.OutputFile;
      O.Offset = At;
      At += O.Size;
      writeWhole(FD, std::string(O.Data.begin(), O.Data.end()));
      O.Data.clear();
    }
    R.Outputs.push_back(std::move(O));
  }
  if (FD >= 0)
    close(FD);
}

protocol::Result Worker::run(const protocol::Job &J) {
  auto T0 = Steady::now();
  protocol::Result R;
  R.Id = J.Id;
  R.Worker = "kcheck-gpu " KCHECK_VERSION;
  auto fail = [&](Failure F, std::string Why) {
    R.State = protocol::State::Failed;
    R.Failure = F;
    R.Message = std::move(Why);
  };
  if (std::string Why = warmUp(); !Why.empty()) {
    fail(Failure::NoWorker, Why);
    return R;
  }
  R.Device = "gpu:" + std::to_string(Options.Device) + " " + G->name() + ", " + G->arch();
  try {
    Loaded &Code = loaded(J, R);
    R.Kernels = kernelFacts(*G, Code, J.Steps);
    if (callsHost(J.Steps)) {
      auto T1 = Steady::now();
      Host = std::make_unique<HostCode>(*G, J, Code, R);
      R.Times["host_start"] = since(T1);
    }
    if (!J.Perf || !J.Outputs.empty())
      execute(J, Code, R);
    if (Host)
      R.Kernels = Host->facts();
    bool Clean = R.Findings.empty();
    if (!J.Sanitizers.empty() && !Options.Bare)
      sanitize(J, Options.Device, R);
    if (J.Perf && Clean)
      measure(*G, J, Code, Host.get(), Dog, [&](std::string Why) { hang(R, std::move(Why)); }, R);
    if (J.Counters && Clean && R.Findings.empty())
      count(*G, J, Code, R);
  } catch (const Failed &F) {
    Dog.disarm();
    fail(F.What, F.Message);
  }
  R.Printed = printed();
  if (Host)
    R.Printed += Host->takePrinted();
  Host.reset();
  R.Times["total"] = since(T0);
  return R;
}
