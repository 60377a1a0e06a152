#include "gate/Session.h"
#include "analyzers/engine/DidYouMean.h"
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
  if (Device == "gpu" || Device.starts_with("gpu:") || Device.starts_with("http://") || Device.starts_with("https://"))
    return problem("--device " + Device + ": this build runs kernels on the simulator only (--device sim)");
  if (!Device.empty() && Device != "sim")
    return problem("--device " + Device + ": neither sim nor none");
  std::string Path = client::findWorker("kcheck-sim");
  if (!Path.empty())
    return Path;
  Why = "no_worker"; // the default device may be absent, one that is asked for may not
  if (Device.empty())
    return "";
  return problem("--device " + Device + ": the worker program kcheck-sim is neither beside kcheck nor on the PATH");
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

void Session::check(FileReport &F, const Policy &Rules) const {
  DynamicOptions O = Options;
  O.Rules = &Rules;
  if (!NoDevice.empty() && (F.Static.Result != Verdict::Reject || O.KeepGoing)) {
    F.Dynamic.Why = NoDevice;
    F.Dynamic.Reasons.push_back({"numerics_not_run", Severity::Review});
    F.Dynamic.Lines.push_back({Mark::NotRun, NoDevice == "no_device" ? "not run: --device none" : "not run: no worker in this build can run a kernel"});
    return conclude(F);
  }
  runDynamic(F, O, [&](std::vector<protocol::Job> Jobs, bool StopAtFault) { return runConfined(Worker, std::move(Jobs), StopAtFault); });
}
