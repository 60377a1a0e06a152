#include "gate/Session.h"
#include "analyzers/engine/DidYouMean.h"
#include "analyzers/engine/driver/Parse.h"
#include "analyzers/engine/driver/Toolkit.h"
#include "gate/compile/Slice.h"
#include "runner/protocol/StandIns.h"
#include "gate/dynamic/Combine.h"
#include "llvm/ADT/StringExtras.h"
#include <thread>

using namespace kcheck;
using namespace kcheck::gate;

static llvm::Error problem(const llvm::Twine &Text) { return llvm::createStringError(Text); }

static llvm::Expected<std::optional<Task>> taskOf(const SessionOptions &O) {
  if (O.Task)
    return O.Task;
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

Session::~Session() = default;

/// The default device may be absent, one that is asked for may not.
static llvm::Error openTargets(llvm::StringRef List, std::vector<std::unique_ptr<Target>> &Out, std::string &Why) {
  if (List.empty()) {
    auto T = openTarget("sim");
    if (T)
      Out.push_back(std::move(*T));
    else
      Why = (llvm::consumeError(T.takeError()), "no_worker");
    return llvm::Error::success();
  }
  auto Words = deviceWords(List);
  if (!Words)
    return Words.takeError();
  for (const std::string &W : *Words) {
    if (W == "none") {
      Why = "no_device";
      continue;
    }
    auto T = openTarget(W);
    if (!T)
      return T.takeError();
    Out.push_back(std::move(*T));
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Session>> Session::open(const SessionOptions &O) {
  std::unique_ptr<Session> S(new Session);
  auto T = taskOf(O);
  if (!T)
    return T.takeError();
  S->Options.Task = std::move(*T);
  if (!O.Baseline.empty() && !S->Options.Task)
    return problem("--baseline wants a task or an operator (--task, --op)");
  if (!O.Baseline.empty())
    S->Options.Task->Baseline = O.Baseline;
  if (llvm::Error E = openTargets(O.Device, S->Targets, S->NoDevice))
    return std::move(E);
  uint64_t Seed = 0;
  if (!O.Seed.empty()) {
    if (llvm::StringRef(O.Seed).getAsInteger(0, Seed) || Seed >> 53)
      return problem("--seed " + O.Seed + ": a whole number below 2^53 is wanted");
    S->Options.Seed = Seed;
  }
  S->Options.KeepGoing = O.KeepGoing;
  S->Options.TrustHost = O.TrustHost;
  S->Options.Counters = O.Counters;
  S->Options.Parse = O.Parse;
  if (S->Options.Parse.Arch.empty())
    S->Options.Parse.Arch = S->arch();
  return S;
}

std::string Session::arch() const {
  for (const auto &T : Targets)
    if (!T->Arch.empty())
      return T->Arch;
  return "";
}

void Session::expect() const {
  for (const auto &T : Targets)
    for (const auto &L : T->Lanes)
      L->expect(/*StopAtFault=*/Options.Task.has_value());
}

unsigned Session::parallel() const {
  // Reading, references and comparison take the processor while another candidate has the GPU.
  constexpr unsigned CandidatesALane = 4;
  unsigned Lanes = 0;
  for (const auto &T : Targets)
    Lanes += T->Gpu ? unsigned(T->Lanes.size()) : 0;
  return Lanes ? std::min(Lanes * CandidatesALane, std::max(1u, std::thread::hardware_concurrency())) : 1;
}

/// The device half of a file into a job's source, for NVRTC. Without it nvcc compiles the whole file.
static void cutDeviceText(protocol::Source &S, llvm::StringRef File, llvm::StringRef Text, const ParseOptions &O) {
  llvm::Expected<ParseOptions> Effective = effectiveOptions(File, O);
  if (!Effective)
    return llvm::consumeError(Effective.takeError());
  std::string Include = findToolkit(Effective->CudaRoot).Root + "/include";
  llvm::consumeError(parse(File, Text, *Effective, View::Device, [&](TranslationUnit &TU) {
    DeviceSlice Slice = sliceDevice(TU, Include);
    if (Slice.Torch)
      return;
    S.DeviceText = std::move(Slice.Text);
    for (auto &[Name, Text] : Slice.Headers)
      S.DeviceIncludes.push_back({Name, std::move(Text)});
  }));
}

void Session::checkOn(FileReport &F, Target &T, const Policy &Rules, const gate::Task *Other) const {
  DynamicOptions O = Options;
  if (Other)
    O.Task = *Other;
  O.Rules = &Rules;
  O.Device = T.Name;
  Target::Seat Seat(T);
  std::optional<protocol::Source> Cut;
  runDynamic(F, O, [&](std::vector<protocol::Job> Jobs, bool StopAtFault) {
    if (T.Gpu && !Jobs.empty() && !Cut)
      cutDeviceText(Cut.emplace(), F.File, F.Text, O.Parse);
    for (protocol::Job &J : Jobs) {
      if (T.Gpu) // a compiler there has the headers themselves, or nothing
        std::erase_if(J.Source.Includes, [](const protocol::SourceFile &I) { return I.Path.starts_with(protocol::StandInFolder); });
      if (Cut) {
        J.Source.DeviceText = Cut->DeviceText;
        J.Source.DeviceIncludes = Cut->DeviceIncludes;
      }
      if (T.Gpu && J.Perf && !J.Perf->Source.Text.empty())
        cutDeviceText(J.Perf->Source, O.Task->Baseline, J.Perf->Source.Text, O.Parse);
    }
    return Seat.run(std::move(Jobs), StopAtFault);
  });
}

void Session::check(FileReport &F, const Policy &Rules, const gate::Task *Other) const {
  if (!NoDevice.empty() && (F.Static.Result != Verdict::Reject || Options.KeepGoing)) {
    F.Dynamic.Why = NoDevice;
    F.Dynamic.Reasons.push_back({"numerics_not_run", Severity::Review});
    F.Dynamic.Lines.push_back({Mark::NotRun, NoDevice == "no_device" ? "not run: --device none" : "not run: no worker in this build can run a kernel"});
    return conclude(F);
  }
  if (Targets.empty()) // a static reject
    return runDynamic(F, Options, [](auto, bool) { return std::vector<protocol::Result>(); });
  if (Targets.size() == 1)
    return checkOn(F, *Targets.front(), Rules, Other);
  std::vector<FileReport> Each;
  for (const auto &T : Targets) {
    Each.push_back(F);
    checkOn(Each.back(), *T, Rules, Other);
    if (Each.back().Dynamic.Why == "static_reject") { // the same everywhere
      F = std::move(Each.back());
      return;
    }
  }
  F = combine(std::move(Each));
}
