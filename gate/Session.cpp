#include "gate/Session.h"
#include "analyzers/engine/DidYouMean.h"
#include "analyzers/engine/driver/Parse.h"
#include "analyzers/engine/driver/Toolkit.h"
#include "gate/compile/Slice.h"
#include "gate/dynamic/Perf.h"
#include "runner/client/Batch.h"
#include "runner/client/Worker.h"
#include "llvm/ADT/StringExtras.h"

using namespace kcheck;
using namespace kcheck::gate;

static llvm::Error problem(const llvm::Twine &Text) { return llvm::createStringError(Text); }

static llvm::Expected<std::optional<Task>> taskOf(const SessionOptions &O) {
  if (!O.TaskFile.empty() && !O.Op.empty())
    return problem("--task and --op exclude each other");
  if (!O.TaskFile.empty()) {
    std::vector<TaskError> Errors;
    auto T = loadTask(O.TaskFile, Errors);
    if (T)
      return T;
    std::string All;
    for (const TaskError &E : Errors)
      All += (All.empty() ? "" : "\n") + toString(E, O.TaskFile);
    return problem(All);
  }
  if (O.Op.empty())
    return std::nullopt;
  if (ops::findOperator(O.Op))
    return taskForOperator(O.Op);
  std::vector<std::string> Names;
  for (const ops::Operator *X : ops::allOperators())
    Names.push_back(X->Name);
  std::string Near = nearest(O.Op, Names);
  return problem("--op " + O.Op + ": unknown operator" +
                 (Near.empty() ? "; one of " + llvm::join(Names, ", ") : "; did you mean '" + Near + "'?"));
}

/// The worker program of a device, or why there is none.
static llvm::Expected<std::string> workerOf(llvm::StringRef Device, std::string &Why) {
  if (Device == "none") {
    Why = "no_device";
    return "";
  }
  unsigned Number = 0;
  bool Gpu = Device == "gpu" || (Device.starts_with("gpu:") && !Device.drop_front(4).getAsInteger(10, Number));
  if (!Gpu && !Device.empty() && Device != "sim")
    return problem("--device " + Device + ": neither sim, gpu, gpu:N nor none");
  std::string Name = Gpu ? "kcheck-gpu" : "kcheck-sim", Path = client::findWorker(Name);
  if (!Path.empty())
    return Path;
  Why = "no_worker"; // the default device may be absent, one that is asked for may not
  if (Device.empty())
    return "";
  return problem("--device " + Device + ": the worker program " + Name + " is neither beside kcheck nor on the PATH");
}

Session::~Session() = default;

llvm::Expected<std::unique_ptr<Session>> Session::open(const SessionOptions &O) {
  std::unique_ptr<Session> S(new Session);
  auto T = taskOf(O);
  if (!T)
    return T.takeError();
  S->Options.Task = std::move(*T);
  auto Program = workerOf(O.Device, S->NoDevice);
  if (!Program)
    return Program.takeError();
  S->Worker = std::move(*Program);
  if (isGpu(O.Device)) {
    client::WorkerOptions W;
    W.Program = S->Worker;
    llvm::StringRef Number = llvm::StringRef(O.Device).drop_while([](char C) { return C != ':'; });
    W.Args = {"--device", Number.empty() ? "0" : Number.drop_front().str()};
    W.GraceSeconds = 200; // it watches its own limits
    S->Gpu = std::make_unique<client::Worker>(std::move(W));
  }
  uint64_t Seed = 0;
  if (!O.Seed.empty()) {
    if (llvm::StringRef(O.Seed).getAsInteger(0, Seed) || Seed >> 53)
      return problem("--seed " + O.Seed + ": a whole number below 2^53 is wanted");
    S->Options.Seed = Seed;
  }
  S->Options.Device = O.Device.empty() ? "sim" : O.Device;
  S->Options.KeepGoing = O.KeepGoing;
  S->Options.Parse = O.Parse;
  return S;
}

static std::vector<protocol::Result> runConfined(const std::string &Worker, std::vector<protocol::Job> Jobs, bool StopAtFault) {
  if (Jobs.empty())
    return {};
  client::BatchOptions B;
  B.Program = Worker;
  B.CacheFolder = client::prepareCache(Worker, Jobs.front().Source);
  B.StopAtFault = StopAtFault;
  return client::runBatch(std::move(Jobs), B).Answers;
}

/// The device half of a file into a job's source, for NVRTC. Without it nvcc compiles the whole file.
static void addDeviceText(protocol::Source &S, const FileReport &F, const ParseOptions &O) {
  llvm::Expected<ParseOptions> Effective = effectiveOptions(F.File, O);
  if (!Effective)
    return llvm::consumeError(Effective.takeError());
  std::string Include = findToolkit(Effective->CudaRoot).Root + "/include";
  llvm::consumeError(parse(F.File, F.Text, *Effective, View::Device, [&](TranslationUnit &TU) {
    DeviceSlice Slice = sliceDevice(TU, Include);
    if (Slice.Torch)
      return;
    S.DeviceText = std::move(Slice.Text);
    for (auto &[Name, Text] : Slice.Headers)
      S.DeviceIncludes.push_back({Name, std::move(Text)});
  }));
}

/// The worker keeps its context from file to file, and answers one job at a time.
std::vector<protocol::Result> Session::runOnGpu(const FileReport &F, const DynamicOptions &O, std::vector<protocol::Job> Jobs, bool StopAtFault) const {
  std::lock_guard Guard(Lock);
  protocol::Source Device;
  if (!Jobs.empty())
    addDeviceText(Device, F, O.Parse);
  std::vector<protocol::Result> Answers;
  for (protocol::Job &J : Jobs) {
    J.Source.DeviceText = Device.DeviceText;
    J.Source.DeviceIncludes = Device.DeviceIncludes;
    Answers.push_back(Gpu->run(J));
    const protocol::Result &R = Answers.back();
    if (StopAtFault && (R.State != protocol::State::Ok || llvm::any_of(R.Findings, [](const protocol::Finding &X) { return X.Sure; })))
      break;
  }
  return Answers;
}

void Session::check(FileReport &F, const Policy &Rules) const {
  DynamicOptions O = Options;
  O.Rules = &Rules;
  if (!NoDevice.empty() && (F.Static.Result != Verdict::Reject || O.KeepGoing)) {
    F.Dynamic.Why = NoDevice;
    F.Dynamic.Reasons.push_back({"numerics_not_run", Severity::Review});
    F.Dynamic.Lines.push_back({Mark::NotRun, NoDevice == "no_device" ? "not run: --device none" : "not run: no worker in this build can run a kernel"});
    return conclude(F);
  }
  runDynamic(F, O, [&](std::vector<protocol::Job> Jobs, bool StopAtFault) {
    return Gpu ? runOnGpu(F, O, std::move(Jobs), StopAtFault) : runConfined(Worker, std::move(Jobs), StopAtFault);
  });
}
