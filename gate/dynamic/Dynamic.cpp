#include "gate/plan/Guess.h"
#include "gate/dynamic/Dynamic.h"
#include "analyzers/engine/driver/PythonStrings.h"
#include "gate/dynamic/Cheats.h"
#include "gate/dynamic/Extensions.h"
#include "gate/dynamic/Perf.h"
#include "gate/dynamic/Prepare.h"
#include "gate/dynamic/Program.h"
#include "gate/dynamic/Write.h"
#include "runner/ops/LargeBlocks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cmath>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <random>
#include <set>

using namespace kcheck;
using namespace kcheck::gate;
using protocol::Failure;
using protocol::State;

namespace {

constexpr char Rule[] = "kcheck-dynamic";

/// A choice of static rules (--rules) must not make faults of the run weightless.
bool weighs(const Policy *P) {
  return P && P->enabled(Rule) && P->severity(Rule, "wrong_result", Certainty::Proven) != Severity::Off;
}

uint64_t freshSeed() {
  std::random_device Device;
  return (uint64_t(Device()) << 32 | Device()) >> 11; // fits a double, so that JSON keeps it
}

/// One job of the batch.
struct Trial {
  enum class Kind {
    First,  ///< compare with the reference
    Again,  ///< the same once more: bitwise equal
    Twice,  ///< two calls in one process, the second with other inputs
    Both,   ///< First and Twice in one run
    Probe,  ///< by the launcher itself, once, beside the plan
    Far     ///< judged by the worker, where the outputs lie
  } What = Kind::First;
  size_t Case = 0;
};

class Track {
public:
  Track(FileReport &F, const DynamicOptions &O, const RunJobs &Run)
      : F(F), D(F.Dynamic), O(O), P(weighs(O.Rules) ? *O.Rules : Policy::builtin()), Run(Run), Seed(O.Seed ? *O.Seed : freshSeed()) {}

  void run() {
    if (F.Static.Result == Verdict::Reject && !O.KeepGoing)
      return notRun("static_reject");
    D.Device = O.Device;
    if (!O.Task)
      return withoutTask();
    std::vector<std::string> Problems;
    Owned.push_back(prepareTask(F.File, F.Text, O.Parse, *O.Task, Problems));
    Work = Owned.back().get();
    std::string Error;
    if (Work && !makeReference(Error)) {
      Problems.push_back(Error);
      Work = nullptr;
    }
    if (!Work)
      return mismatch(Problems);
    begin();
    chooseMode();
    runTask();
    if (isGpu(O.Device))
      measure();
    finish();
  }

private:
  void begin() {
    D.State = "done";
    D.Result = Verdict::Pass;
  }

  // What the verdict hears.
  void weigh(const std::string &Tag, Certainty Sure = Certainty::Proven) {
    Severity Level = P.severity(Rule, Tag, Sure);
    if (Level != Severity::Off)
      D.Reasons.push_back({Tag, Level});
  }
  void line(Mark M, std::string Text) { D.Lines.push_back({M, std::move(Text)}); }

  Severity fault(const std::string &Tag, std::string Message, Certainty Sure, unsigned Line, llvm::json::Object Evidence = {}) {
    Finding X;
    X.Rule = Rule;
    X.Tag = Tag;
    X.Cmpd = "D";
    X.Sure = Sure;
    X.Level = P.severity(Rule, Tag, Sure);
    X.Where = {F.File, Line, Line ? 1u : 0u};
    X.Message = std::move(Message);
    X.Evidence = std::move(Evidence);
    Severity Level = X.Level;
    if (Level != Severity::Off)
      D.Findings.push_back(std::move(X));
    return Level;
  }

  void notRun(std::string Why) {
    D.State = "not_run";
    D.Why = std::move(Why);
    D.Result.reset();
  }

  /// Task and candidate do not fit: nobody can say of what. With a header missing the launcher may be one that could not be read.
  void mismatch(const std::vector<std::string> &Problems) {
    notRun("task_mismatch");
    std::string All;
    for (const std::string &Text : Problems) {
      line(Mark::Review, "task: " + Text);
      All += (All.empty() ? "" : "\n") + F.File + ":" + (llvm::isDigit(Text.front()) ? "" : " ") + Text;
    }
    weigh("numerics_not_run");
    if (F.Static.MissingHeaders.empty())
      F.Error = All + "\n" + (O.Task->Args.empty() ? "name the parameters like the operator's arguments, or say in a task.yaml under 'args' what each one is"
                                                 : "make 'args' in " + O.Task->File + " and the parameters agree, in order and type");
  }

  bool makeReference(std::string &Error) {
    const Bound &B = Work->B;
    if (B.Op)
      Ref = operatorReference(B);
    else if (!O.Task->CppReference.empty())
      Ref = cppReference(B, O.Task->CppReference, O.Task->SimSeconds, Error);
    else
      Ref = storedReference(B, O.Task->NpzReference, Error);
    if (!Ref)
      return false;
    for (size_t I = 0; I < Ref->alternatives(); ++I)
      Alive.push_back(I);
    return true;
  }

  //===--- with a task ------------------------------------------------------===//

  /// What the plan does not know, the candidate's own host code does, in the sandbox.
  void chooseMode() {
    auto Refusing = llvm::find_if(Work->Cases, [](const PlannedCase &C) { return !C.Plan.Refusal.empty(); });
    if (!runsHostCode(O.Device) || Refusing == Work->Cases.end() || Work->Call.Text.empty())
      return;
    LauncherMode = true;
    RefusedText = "line " + std::to_string(Refusing->Plan.RefusalLine) + ": " + Refusing->Plan.Refusal;
    for (size_t I = 0; I < Work->Cases.size(); ++I)
      Work->Cases[I].Plan = Work->Called[I];
    if (Work->Perf)
      Work->Perf->Plan = Work->PerfCalled;
    for (size_t I = 0; I < Work->B.Args.size(); ++I)
      Work->B.Args[I].HostMemory = Work->B.Args[I].isBuffer() && Work->Call.HostMemory[I];
    Work->Source.CallText = Work->Call.Text;
  }

  /// Host code that does more than a plan can show is run once as it is, too.
  std::optional<protocol::Job> probe(size_t Case) const {
    if (!runsHostCode(O.Device) || LauncherMode || Work->HostConcern.empty() || Work->Call.Text.empty())
      return std::nullopt;
    PlannedCase C{Work->Cases[Case].Case, Work->Called[Case]};
    protocol::Source S = Work->Source;
    S.CallText = Work->Call.Text;
    JobOptions J;
    J.Seconds = isGpu(O.Device) ? O.Task->Seconds : O.Task->SimSeconds;
    J.Seed = Seed;
    return makeJob(Work->B, C, S, J, Ref.get());
  }

  void runTask() {
    std::vector<Trial> Trials;
    std::vector<protocol::Job> Jobs;
    std::vector<size_t> Order, Empty;
    for (size_t I = 0; I < Work->Cases.size(); ++I) {
      if (!Work->Cases[I].Plan.Refusal.empty())
        refused(Work->Cases[I]);
      else if (declined(Work->Cases[I]))
        Declined.push_back(toString(Work->Cases[I].Case));
      else // an empty grid is an error that ends the batch: last
        (Work->Cases[I].Case.empty() ? Empty : Order).push_back(I);
    }
    std::vector<size_t> Large = takeLarge(Order);
    const size_t Heaviest = Order.empty() ? 0 : Order.back(), Middle = Order.empty() ? 0 : Order[Order.size() / 2]; // they come in the order of their cost
    tellingFirst(Order);
    for (size_t K = 0; K < Order.size(); ++K) {
      JobOptions J;
      J.Seconds = isGpu(O.Device) ? O.Task->Seconds : O.Task->SimSeconds;
      J.Seed = Seed;
      J.Metrics = Order[K] == Heaviest;
      auto add = [&](Trial::Kind What, protocol::Job Job) {
        Trials.push_back({What, Order[K]});
        Jobs.push_back(std::move(Job));
      };
      protocol::Job First = makeJob(Work->B, Work->Cases[Order[K]], Work->Source, J, Ref.get());
      First.Checks.Init &= !(isGpu(O.Device) && Work->FloatAtomics); // a GPU worker sees it by running again
      // Where a run is all that a launch costs, the first call of two is as good as one alone.
      bool Together = O.Device == "sim" && Order[K] == Middle && !Ref->stored();
      if (Together)
        add(Trial::Kind::Both, makeBothCalls(Work->B, Work->Cases[Order[K]], First, secondSeed()));
      else
        add(Trial::Kind::First, First);
      if (Order[K] != Middle)
        continue;
      First.Checks.Metrics = false;
      // Without atomics a run that races with nothing and reads nothing unwritten gives the same again: not worth a heavy run.
      if (Work->FloatAtomics || work(Work->Cases[Order[K]].Case) < Heavy)
        add(Trial::Kind::Again, First);
      if (!Ref->stored() && !Together)
        add(Trial::Kind::Twice, makeSecondCall(Work->B, Work->Cases[Order[K]], First, secondSeed()));
    }
    for (size_t I : Empty) {
      JobOptions J;
      J.Seconds = isGpu(O.Device) ? O.Task->Seconds : O.Task->SimSeconds;
      J.Seed = Seed;
      Trials.push_back({Trial::Kind::First, I});
      Jobs.push_back(makeJob(Work->B, Work->Cases[I], Work->Source, J, Ref.get()));
    }
    if (Jobs.empty())
      return;
    if (auto J = Order.empty() ? std::nullopt : probe(Middle)) {
      Trials.push_back({Trial::Kind::Probe, Middle});
      Jobs.push_back(std::move(*J));
    }
    HostCodeRuns = LauncherMode || Trials.back().What == Trial::Kind::Probe;
    {
      Answers Given = Run(std::move(Jobs), true);
      size_t I = 0;
      for (std::optional<protocol::Result> R; I < Trials.size() && !Stopped; ++I) {
        workAhead(Trials[I]);
        if (!(R = Given.next()))
          break;
        take(Trials[I], *R);
      }
      Ahead.reset();
      if (!Verdicts.empty() && !Verdicts.back().pass() && !Second)
        lookFurther(Trials, Given, I);
    }
    if (!Stopped)
      runLarge(Large);
  }

  /// Sizes whose outputs are better judged on the device than sent here: all but a few small ones, on a GPU.
  std::vector<size_t> takeLarge(std::vector<size_t> &Order) const {
    constexpr int64_t Small = 1 << 14;
    size_t Outputs = 0;
    for (const BoundArg &A : Work->B.Args)
      Outputs += A.isOutput();
    std::vector<size_t> Large;
    if (!isGpu(O.Device) || !Work->B.Op || Outputs != 1)
      return Large;
    bool Any = llvm::any_of(Order, [&](size_t I) { return largest(I) <= Small; });
    const size_t Least = Order.empty() ? 0 : Order.front(); // one at least is compared here
    llvm::copy_if(Order, std::back_inserter(Large), [&](size_t I) { return largest(I) > Small && (Any || I != Least); });
    std::erase_if(Order, [&](size_t I) { return llvm::is_contained(Large, I); });
    return Large;
  }

  /// After the small ones: which definition the candidate means is known by then.
  void runLarge(const std::vector<size_t> &Large) {
    std::vector<protocol::Job> Batch;
    for (size_t I : Large) {
      JobOptions J;
      J.Seconds = O.Task->Seconds;
      J.Seed = Seed;
      J.WantInputs = false;
      Batch.push_back(makeJob(Work->B, Work->Cases[I], Work->Source, J, Ref.get()));
      Batch.back().Checks.Init &= !Work->FloatAtomics;
      Batch.back().Outputs.clear();
      Batch.back().Reference = referenceOf(Work->B, Work->Cases[I].Case, *O.Task, *Ref, Alive.front());
    }
    if (Batch.empty())
      return;
    std::vector<protocol::Result> All; // one that is wrong is run again, for which the device has to be free
    {
      Answers Given = Run(std::move(Batch), true);
      for (std::optional<protocol::Result> R; All.size() < Large.size() && (R = Given.next());)
        All.push_back(std::move(*R));
    }
    for (size_t I = 0; I < All.size() && !Stopped; ++I)
      take({Trial::Kind::Far, Large[I]}, All[I]);
  }

  /// What is wrong from afar is looked at from near, where it can be named.
  void takeFar(size_t I, const protocol::Result &R) {
    const PlannedCase &C = Work->Cases[I];
    auto V = judgedByWorker(Work->B, C.Case, R, Alive.front());
    if (V && V->pass())
      return void(Verdicts.push_back(std::move(*V)));
    JobOptions J;
    J.Seconds = O.Task->Seconds;
    J.Seed = Seed;
    if (auto Near = Run({makeJob(Work->B, C, Work->Source, J, Ref.get())}, true).next())
      take({Trial::Kind::First, I}, *Near);
    if (!Verdicts.empty() && !Verdicts.back().pass())
      Sign = signOf(Verdicts.back());
    if (Stopped || !V)
      return;
    Verdicts.back() = std::move(*V); // wrong once, right once
    Stopped = true;
  }

  int64_t largest(size_t I) const {
    int64_t Most = 1;
    for (const BoundArg &A : Work->B.Args) {
      int64_t N = A.isBuffer() ? 1 : 0;
      for (int64_t X : A.isBuffer() ? Work->B.shapeOf(A, Work->Cases[I].Case) : std::vector<int64_t>())
        N *= X;
      Most = std::max(Most, N);
    }
    return Most;
  }

  /// On a GPU, once nothing is wrong at the small sizes: time, counters, and every output judged at a size that matters.
  void measure() {
    if (Stopped || Verdicts.empty() || Refused || !Trouble.empty() || !CompileFailed.empty())
      return;
    if (!Work->Perf || !Work->Perf->Plan.Refusal.empty()) {
      Timed.emplace().Why = Work->Perf ? "the launch plan is not known at the size that is timed" : "no size is known at which to time it (perf.shape in the task)";
      return;
    }
    protocol::Job J = perfJob(*Work, *O.Task, *Ref, Alive.front(), Seed, O.Counters);
    if (std::string Why = addBaseline(J, *Work, *O.Task, O.Parse); !Why.empty()) {
      Timed.emplace().Why = std::move(Why);
      return;
    }
    std::optional<protocol::Result> Given = Run({std::move(J)}, true).next();
    if (!Given)
      return;
    protocol::Result &R = *Given;
    bool Usable = usable(*Work->Perf, R);
    Timed = R.Perf ? *R.Perf : protocol::PerfResult();
    if (!R.Perf)
      Timed->Why = R.Message.empty() ? "the worker says nothing of it" : R.Message;
    Counted = R.Counters;
    if (auto It = R.Notes.find("baseline"); It != R.Notes.end() && Timed->Measured && !Timed->Baseline.Samples && Timed->Why.empty())
      Timed->Why = It->second;
    double Most = O.Task->PerfMaxRatio;
    // Calls of the runtime that the device waits for come from another process here: what that may cost is no evidence.
    auto Calls = R.Times.find("host_calls");
    bool Explained = Calls != R.Times.end() && Timed->Candidate.Median - Calls->second <= Most * Timed->Baseline.Median;
    if (Usable && Timed->Measured && Timed->Baseline.Samples && Timed->Ratio > Most)
      fault("perf_regression_ratio_exceeded", "takes " + number(Timed->Ratio) + " times as long as the baseline at " + ops::toString(Work->Perf->Case.Sizes) +
                                                  ", at most " + number(Most) + " times is allowed" +
                                                  (Explained ? "; the device waits for the launcher's calls, which may cost that much here" : ""),
            Explained ? Certainty::Doubt : Certainty::Proven, lineOf(Work->Perf->Case));
  }

  /// One wrong element says little of how it is wrong: what the same batch answered at larger sizes says more.
  void lookFurther(const std::vector<Trial> &Trials, Answers &Given, size_t From) {
    constexpr int64_t Telling = 64, Most = 1 << 18;
    Sign = signOf(Verdicts.back());
    if (elements(Verdicts.back()) >= Telling)
      return;
    std::optional<protocol::Result> Next;
    for (size_t I = From, Looked = 0; I < Trials.size() && Looked < 3 && (Next = Given.next()); ++I) {
      const PlannedCase &C = Work->Cases[Trials[I].Case];
      const protocol::Result &R = *Next;
      if (Trials[I].What != Trial::Kind::First || R.State != State::Ok || !R.Findings.empty())
        continue;
      CaseVerdict V = judge(Work->B, C.Case, R, makeInputs(Work->B, C.Case, Seed, Ref.get()), *Ref, Verdicts.back().Alternative, *O.Task);
      if (elements(V) < Telling || elements(V) > Most)
        continue;
      ++Looked;
      Sign = V.pass() ? std::nullopt : signOf(V);
      if (!V.pass())
        Further = V.Message + " [at " + toString(C.Case) + "]";
      if (!Sign && V.Tag == "wrong_result")
        Narrowed = signOfPrecision(Work->B, C.Case, R, makeInputs(Work->B, C.Case, Seed, Ref.get()), *Ref, V.Alternative);
      if (Sign || Narrowed)
        return;
    }
  }

  /// One element says little of a fault and a million take long: what fails first had better be between.
  void tellingFirst(std::vector<size_t> &Order) const {
    auto distance = [&](size_t I) { return std::abs(std::log2(double(largest(I))) - 10); };
    auto First = std::min_element(Order.begin(), Order.end(), [&](size_t A, size_t B) { return distance(A) < distance(B); });
    if (First != Order.end())
      std::rotate(Order.begin(), First, First + 1);
  }

  /// The launcher does nothing at an edge size that nobody asked for: a limit of the kernel, for a person to judge. At sizes of the
  /// task and the operator's usual ones it is work left undone.
  bool declined(const PlannedCase &C) const {
    bool Does = llvm::any_of(C.Plan.Steps, [](const protocol::Step &S) { return !std::holds_alternative<protocol::SyncStep>(S.Do); });
    if (Does || C.Case.empty() || !O.Task->Shapes.empty() || !Work->B.Op)
      return false;
    return !llvm::is_contained(Work->B.Op->Shapes, Work->B.operatorDims(C.Case));
  }

  static constexpr double Heavy = 1 << 18;
  static double work(const ops::Case &C) {
    double W = 1;
    for (const auto &[Name, V] : C.Sizes)
      W *= double(std::max<int64_t>(V, 1));
    return W;
  }

  uint64_t secondSeed() const { return (Seed + 1) & ((uint64_t(1) << 53) - 1); }

  void refused(const PlannedCase &C) {
    if (Refused++)
      return;
    weigh("numerics_not_run");
    RefusedText = "line " + std::to_string(C.Plan.RefusalLine) + ": " + C.Plan.Refusal;
  }

  void take(const Trial &T, protocol::Result &R) {
    const PlannedCase &C = Work->Cases[T.Case];
    noteTimes(R);
    if (T.What == Trial::Kind::Far && (R.Failure == Failure::NoWorker || R.Failure == Failure::BadJob))
      return takeFar(T.Case, R); // it cannot judge: this side can
    bool EmptyGrid = R.Failure == Failure::LaunchConfig || (LauncherMode && R.State == State::Ok && !R.Findings.empty() &&
                                                            llvm::all_of(R.Findings, [](const protocol::Finding &X) { return X.Tag == "launch_config"; }));
    if (C.Case.empty() && EmptyGrid) {
      EmptyLaunch = true; // an empty grid is an error that nobody sees and that does no harm
      return;
    }
    // Host code that this device cannot run beside a plan that it can: nothing is known of it, and nothing against it.
    bool Said = llvm::any_of(R.Findings, [](const protocol::Finding &X) { return X.Sure && !llvm::StringRef(X.Tag).starts_with("unsupported_by_"); });
    if (T.What == Trial::Kind::Probe && R.State != State::Ok && !Said) {
      ProbeTrouble = R.Message;
      return;
    }
    if (!usable(C, R))
      return;
    if (T.What == Trial::Kind::Both)
      R.Launches.resize((R.Launches.size() + 1) / 2); // the second call's are the same
    if (!R.Launches.empty() && R.Launches.front().Instructions)
      Launches = R.Launches;
    switch (T.What) {
    case Trial::Kind::First:
    case Trial::Kind::Probe: return compareCase(C, R);
    case Trial::Kind::Both: return compareBoth(C, R);
    case Trial::Kind::Again: return compareAgain(C, R);
    case Trial::Kind::Twice: return compareSecondCall(C, R);
    case Trial::Kind::Far: return takeFar(T.Case, R);
    }
  }

  void noteTimes(const protocol::Result &R) {
    if (isGpu(O.Device) && !R.Device.empty())
      D.Device = R.Device;
    if (!R.Kernels.empty())
      Facts = R.Kernels;
    for (const auto &[Name, Ms] : R.Times)
      Times[Name] += Ms;
    ++Jobs;
  }

  /// Failures and findings of a run; false when its outputs are not to be compared.
  bool usable(const PlannedCase &C, const protocol::Result &R, bool Guessed = false) {
    bool Bad = false;
    for (const protocol::Finding &X : R.Findings)
      Bad |= seen(X, C, Guessed) == Severity::Reject;
    if (R.State == State::NotMeasured) {
      Slow = toString(C.Case) + ": " + R.Message;
      Stopped = true;
      return false;
    }
    if (R.State == State::Failed)
      return failed(C, R, Guessed);
    Stopped |= Bad;
    return !Bad;
  }

  /// A finding of the worker, weighed; one that says nothing new is left out.
  Severity seen(const protocol::Finding &X, const PlannedCase &C, bool Guessed) {
    bool Atomics = X.Tag == "nondeterministic_result" && Work->FloatAtomics;
    Certainty Sure = X.Sure && !Atomics && !(Guessed && hangsOnSizes(X)) ? Certainty::Proven : Certainty::Doubt;
    Severity Level = P.severity(Rule, X.Tag, Sure);
    for (const Finding &Y : D.Findings)
      if (Y.Tag == X.Tag && Y.Where.Line == X.Where.Line && Y.Evidence.getString("buffer").value_or("") == X.Buffer)
        return Level;
    if (Level != Severity::Off)
      D.Findings.push_back(findingOf(X, Level, Sure, toString(C.Case), F.File, Work->Source.File));
    if (auto S = Guessed ? std::nullopt : signOf(X))
      fault(S->Tag, S->Message, Sure, X.Where.Line);
    if (auto S = X.Tag == "launch_config" && !Guessed ? signOfRefusal(C.Case.Sizes, Verdicts) : std::nullopt)
      fault(S->Tag, S->Message, Sure, X.Where.Line);
    return Level;
  }

  /// An unwritten read that names a second place: an asynchronous copy that nobody has waited for, at whatever size.
  static bool isUnarrivedCopy(const protocol::Finding &X) { return X.Tag == "uninitialised_read" && X.Other.Line; }

  /// Without a task the sizes are a guess, and so is what they are wrong about.
  static bool hangsOnSizes(const protocol::Finding &X) {
    llvm::StringRef Tag = X.Tag;
    if (isUnarrivedCopy(X))
      return false;
    return Tag == "out_of_bounds_global" || Tag == "null_access" || Tag == "memcpy_size" || Tag == "uninitialised_read" || Tag == "timeout" ||
           Tag == "device_assert" || Tag == "launch_config" || Tag == "misaligned_access";
  }

  bool failed(const PlannedCase &C, const protocol::Result &R, bool Guessed) {
    Stopped = true;
    if (R.Failure == Failure::NoWorker || R.Failure == Failure::BadJob) {
      Trouble = R.Message.empty() ? "the worker does not say why" : R.Message; // ours, not the candidate's
      return false;
    }
    if (R.Failure == Failure::CompileError) {
      CompileMessages = R.Compile;
      CompileFailed = R.Message.empty() ? "the worker cannot compile it" : R.Message;
      return false;
    }
    std::string Tag(isGpu(O.Device) && R.Failure == Failure::Unsupported ? "unsupported_by_gpu" : protocol::tagOf(R.Failure));
    if (llvm::any_of(D.Findings, [&](const Finding &Y) { return Y.Tag == Tag; }))
      return false; // said better already
    protocol::Finding X;
    X.Tag = Tag;
    X.Message = R.Message;
    if (R.FailedStep < C.Plan.Steps.size())
      X.Where.Line = C.Plan.Steps[R.FailedStep].Line;
    // A worker that dies or runs out of room may be at fault itself.
    X.Sure = !(O.Device == "sim" && (R.Failure == Failure::Crash || R.Failure == Failure::OutOfMemory || R.Failure == Failure::Unsupported));
    seen(X, C, Guessed);
    return false;
  }

  /// The answer takes a while: what it will be compared with can be there by then.
  void workAhead(const Trial &T) {
    Ahead.reset();
    if ((T.What != Trial::Kind::First && T.What != Trial::Kind::Both) || Alive.size() != 1)
      return;
    Wanted &W = Ahead.emplace();
    W.Alternative = Alive.front();
    W.In = makeInputs(Work->B, Work->Cases[T.Case].Case, Seed, Ref.get());
    W.Outputs = Ref->outputs(Work->Cases[T.Case].Case, W.In, W.Alternative, W.Error);
  }

  void compareCase(const PlannedCase &C, protocol::Result &R) {
    Inputs In = Ahead ? Inputs() : makeInputs(Work->B, C.Case, Seed, Ref.get());
    // Equally right definitions are kept while they fit, one and the same at all cases.
    std::optional<CaseVerdict> Best;
    std::vector<size_t> Still;
    for (size_t A : Alive) {
      CaseVerdict V = Ahead ? judge(Work->B, C.Case, R, *Ahead, *Ref, *O.Task) : judge(Work->B, C.Case, R, In, *Ref, A, *O.Task);
      if (V.pass())
        Still.push_back(A);
      if (!Best || (V.pass() && !Best->pass()) || (V.pass() == Best->pass() && V.wrong() < Best->wrong()))
        Best = std::move(V);
    }
    if (!Still.empty())
      Alive = std::move(Still);
    else
      Stopped = true;
    precision(C, R, Ahead ? Ahead->In : In, *Best);
    if (!Best->pass() && isGpu(O.Device) && repeats(R, First, *Best))
      Second = CheatSign{"cheat_cached_result", "the output is that of an earlier call, which had other inputs"};
    Verdicts.push_back(std::move(*Best));
    if (First.Outputs.empty())
      First = R;
    Last = std::move(R);
  }

  /// A GPU keeps a module's variables from case to case, as a program's are kept from call to call. What is right where it is the same
  /// tells nothing: the inputs of two sizes begin alike.
  bool repeats(const protocol::Result &R, const protocol::Result &Earlier, const CaseVerdict &Wrong) const {
    constexpr size_t Telling = 64;
    for (const BoundArg &A : Work->B.Args)
      for (const protocol::Output &X : Earlier.Outputs)
        for (const protocol::Output &Y : R.Outputs) {
          size_t N = std::min(X.Data.size(), Y.Data.size());
          bool Differs = llvm::any_of(Wrong.Outputs, [&](const OutputVerdict &V) {
            return V.Name == A.Name && !V.Result.First.empty() && size_t(V.Result.First.front().Flat + 1) * protocol::sizeOf(V.Type) <= N;
          });
          if (A.isOutput() && A.Name == X.Buffer && X.Buffer == Y.Buffer && N >= Telling && Differs && std::equal(X.Data.begin(), X.Data.begin() + std::ptrdiff_t(N), Y.Data.begin()))
            return true;
        }
    return false;
  }

  /// Once: at the case that went wrong, else at the first one with enough values to tell.
  void precision(const PlannedCase &C, const protocol::Result &R, const Inputs &In, const CaseVerdict &V) {
    bool Plain = C.Case.Inputs.Distribution == "normal" || C.Case.Inputs.Distribution == "uniform";
    bool Ask = V.pass() ? Plain && !PrecisionAsked && elements(V) >= 256 && elements(V) <= 1 << 17 : V.Tag == "wrong_result";
    if (!Ask)
      return;
    PrecisionAsked = true;
    Narrowed = signOfPrecision(Work->B, C.Case, R, In, *Ref, V.Alternative);
    NarrowedPasses = V.pass();
  }
  static int64_t elements(const CaseVerdict &V) {
    int64_t N = 0;
    for (const OutputVerdict &X : V.Outputs)
      N = std::max(N, X.Result.Elements);
    return N;
  }

  void compareAgain(const PlannedCase &C, const protocol::Result &R) {
    for (const BoundArg &A : Work->B.Args)
      for (const protocol::Output &X : Last.Outputs)
        for (const protocol::Output &Y : R.Outputs)
          if (A.What == TaskArg::Kind::Buffer && A.Name == X.Buffer && X.Buffer == Y.Buffer && Differs.empty())
            if (int64_t At = ops::firstDifference(X.Data, Y.Data, A.Type); At >= 0)
              Differs = "output '" + A.Name + "' differs between two runs at " + toString(C.Case) + ", first at element " + std::to_string(At);
  }

  void compareBoth(const PlannedCase &C, protocol::Result &R) {
    protocol::Result First = takeFirstCall(R);
    compareCase(C, First);
    if (!Stopped)
      compareSecondCall(C, R);
  }

  void compareSecondCall(const PlannedCase &C, const protocol::Result &R) {
    Inputs In = makeInputs(Work->B, C.Case, secondSeed(), Ref.get());
    CaseVerdict V = judge(Work->B, C.Case, R, In, *Ref, Alive.front(), *O.Task);
    if (V.pass())
      return;
    Second = signOfSecondCall(V, R, Last, Work->B);
    V.Message = "right at the first call, wrong at the second in one process: " + V.Message;
    Verdicts.push_back(std::move(V));
    Stopped = true;
  }

  //===--- the report -------------------------------------------------------===//

  void finish() {
    if (!Trouble.empty())
      return trouble();
    finishCompile();
    if (CompileFailed.empty()) {
      finishHostCode();
      finishSanitize();
      finishNumerics();
      finishPerf();
    }
    finishTimes();
    settleDeferred();
  }

  /// Outputs that the candidate's own host code had a hand in are for a person to believe, or for who says so beforehand.
  void finishHostCode() {
    D.HostCodeExecuted = HostCodeRuns;
    if (LauncherMode)
      line(O.TrustHost ? Mark::Ok : Mark::Review, "host code: the launcher itself ran, in the sandbox, because the launch plan is not known (" + RefusedText + ")");
    else if (!ProbeTrouble.empty())
      line(Mark::NotRun, "host code: could not be run beside the launch plan (" + Work->HostConcern + "): " + ProbeTrouble);
    else if (HostCodeRuns)
      line(Mark::Ok, "host code: run once, in the sandbox, beside the launch plan (" + Work->HostConcern + ")");
    if (LauncherMode && !O.TrustHost)
      weigh("host_code_executed");
  }

  /// Where a GPU worker's time went, over all jobs.
  void finishTimes() {
    if (!isGpu(O.Device))
      return;
    llvm::json::Object Ms;
    for (const auto &[Name, Value] : Times)
      Ms[Name] = Value;
    D.Sections["times_ms"] = std::move(Ms);
  }

  void trouble() {
    notRun("no_worker");
    line(Mark::NotRun, "not run: " + Trouble);
    weigh("numerics_not_run");
  }

  void finishCompile() {
    double Ms = Times["front_end"] + Times["code"];
    llvm::json::Object C{{"state", CompileFailed.empty() ? "ok" : "failed"}, {"ms", Ms}};
    if (CompileFailed.empty()) {
      line(Mark::Ok, "compile: OK (" + milliseconds(Ms) + ")");
      cover("compile");
    } else {
      // The static track has confirmed compile errors with the toolkit's compiler; what it let pass and the worker cannot
      // compile is the worker's limit.
      line(Mark::Review, "compile: not by this device: " + CompileFailed);
      for (const protocol::CompileMessage &M : CompileMessages)
        if (M.Level == "error") {
          line(Mark::Review, std::to_string(M.Where.Line) + ":" + std::to_string(M.Where.Column) + " " + M.Message);
          break;
        }
      weigh(O.Device == "sim" ? "unsupported_by_simulator" : "compile_error", Certainty::Doubt);
      weigh("numerics_not_run");
    }
    C["messages"] = compileJson(CompileMessages);
    if (!Facts.empty())
      C["kernels"] = kernelsJson(Facts);
    D.Sections["compile"] = std::move(C);
  }

  void cover(const char *What) {
    if (!llvm::is_contained(F.Coverage, What))
      F.Coverage.push_back(What);
  }

  void finishSanitize() {
    Severity Worst = Severity::Off;
    for (const Finding &X : D.Findings)
      Worst = std::max(Worst, X.Level);
    if (Jobs && D.Findings.empty())
      line(Mark::Ok, "sanitize: clean (" + std::to_string(Jobs) + (Jobs == 1 ? " run)" : " runs)"));
    else if (Jobs)
      line(Worst == Severity::Reject ? Mark::Reject : Mark::Review, "sanitize: " + std::to_string(D.Findings.size()) + (D.Findings.size() == 1 ? " fault" : " faults"));
    if (Jobs)
      cover("sanitize");
    D.Sections["sanitize"] = llvm::json::Object{{"state", !Jobs ? "not_run" : D.Findings.empty() ? "clean" : Worst == Severity::Reject ? "failed" : "review"},
                                                {"runs", Jobs}};
  }

  void finishNumerics() {
    const CaseVerdict *Wrong = nullptr;
    double MaxRel = 0, MaxAbs = 0, Worst = 0, Shift = 0;
    llvm::json::Array Shapes;
    for (const CaseVerdict &V : Verdicts) {
      Shapes.push_back(caseJson(V, Ref->nameOf(V.Alternative)));
      if (!V.pass())
        Wrong = &V;
      for (const OutputVerdict &X : V.Outputs) {
        MaxRel = std::max(MaxRel, X.Result.MaxRel);
        MaxAbs = std::max(MaxAbs, X.Result.MaxAbs);
        Worst = std::max(Worst, X.Result.Worst);
        bool Spread = V.Case.Inputs.Distribution == "normal" || V.Case.Inputs.Distribution == "uniform";
        if (X.Result.pass() && X.Result.Elements >= 1000 && Spread && protocol::isFloat(X.Type) && protocol::sizeOf(X.Type) >= 4)
          Shift = std::max(Shift, X.Result.Shift); // rounding to 16 bits alone moves values over the bins' borders
      }
    }
    bool Complete = Verdicts.size() + Refused + Declined.size() + (EmptyLaunch ? 1 : 0) >= Work->Cases.size();
    std::string State = Wrong ? "fail" : Verdicts.empty() ? "not_run" : Complete && !Refused ? "pass" : "incomplete";
    if (Wrong)
      wrong(*Wrong);
    else if (State == "pass")
      line(Mark::Ok, "numerics: PASS (" + std::to_string(Verdicts.size()) + " cases, max abs err " + number(MaxAbs) + ", at most " + number(Worst) + " of what is allowed)");
    else
      incomplete();
    if (State == "pass" || Wrong)
      cover("numerics");
    if (!Declined.empty()) {
      line(Mark::Review, "numerics: the launcher does nothing at " + std::to_string(Declined.size()) + " of the sizes, such as " + Declined.front());
      weigh("numerics_not_run");
    }
    Passed = State == "pass";
    if (Narrowed)
      narrowed();
    shift(Shift);
    determinism();
    if (EmptyLaunch)
      line(Mark::Ok, "empty input: the launch has an empty grid, which does nothing");
    D.Sections["numerics"] = llvm::json::Object{{"state", State}, {"seed", int64_t(Seed)}, {"operator", Work->B.Op ? Work->B.Op->Name : ""},
                                                {"launcher", Work->Launch.Name}, {"shapes", std::move(Shapes)}, {"max_rel_error", MaxRel}, {"max_abs_error", MaxAbs}, {"worst_of_allowed", Worst}};
  }

  /// The line of the kernel that was launched last, where the candidate shows it; else of the launcher.
  unsigned lineOf(const ops::Case &C) const {
    for (const PlannedCase &K : Work->Cases)
      if (toString(K.Case) == toString(C))
        for (auto It = K.Plan.Steps.rbegin(); It != K.Plan.Steps.rend(); ++It)
          if (const auto *L = std::get_if<protocol::LaunchStep>(&It->Do)) {
            auto Line = Work->KernelLines.find(L->Kernel);
            return Line != Work->KernelLines.end() ? Line->second : It->Line;
          }
    return Work->Launch.Line;
  }

  llvm::json::Object evidence(const CaseVerdict &V) const {
    return llvm::json::Object{{"case", toString(V.Case)}, {"buffer", V.Buffer}, {"wrong", V.wrong()}, {"seed", int64_t(Seed)}};
  }

  void wrong(const CaseVerdict &V) {
    if (V.Tag == "numerics_not_run") { // no reference is no fault of the candidate
      line(Mark::Review, "numerics: " + V.Message);
      return weigh(V.Tag);
    }
    line(Mark::Reject, "numerics: FAIL at " + toString(V.Case) + ", case " + std::to_string(Verdicts.size()) + " of " + std::to_string(Work->Cases.size()));
    fault(V.Tag, V.Message + " [at " + toString(V.Case) + "]" + (Further.empty() ? "" : "; " + Further), Certainty::Proven, lineOf(V.Case), evidence(V));
    if (Second)
      Sign = Second;
    if (!Sign && !Narrowed)
      Sign = signOfSizes(V, Verdicts, Work->ComparedSizes);
    if (Sign)
      fault(Sign->Tag, Sign->Message, Certainty::Proven, lineOf(V.Case), evidence(V));
  }

  /// Where the task says how far off a result may be, a narrower type that stays within it is the author's choice.
  void narrowed() {
    bool Allowed = NarrowedPasses && (O.Task->Relative || O.Task->Absolute);
    fault(Narrowed->Tag, Narrowed->Message + (Allowed ? ", within the task's tolerance" : ""), Allowed ? Certainty::Doubt : Certainty::Proven,
          Verdicts.empty() ? Work->Launch.Line : lineOf(Verdicts.back().Case));
  }

  void incomplete() {
    std::string Why = !Slow.empty() ? "too slow for the time limit at " + Slow : Refused ? "the launch plan is not known, " + RefusedText : "stopped by the findings below";
    line(Mark::NotRun, "numerics: " + std::to_string(Verdicts.size()) + " of " + std::to_string(Work->Cases.size()) + " cases: " + Why);
    if (!Slow.empty())
      weigh("not_measured");
  }

  void shift(double Shift) {
    if (Shift * 100 <= P.realOption(Rule, "shift_percent", 5))
      return;
    fault("distribution_shift", "within tolerance, but the cumulative distributions of the values are " + number(Shift) + " apart", Certainty::Proven, Work->Launch.Line);
  }

  void determinism() {
    if (!Differs.empty())
      fault("nondeterministic_result", Differs + (Work->FloatAtomics ? " (floating-point atomics add in any order)" : ""),
            Work->FloatAtomics ? Certainty::Doubt : Certainty::Proven, Work->Launch.Line);
  }

  void finishPerf() {
    if (O.Device == "sim") {
      D.Sections["perf"] = llvm::json::Object{{"state", "not_measured"}, {"why", "the simulator has no clock of a GPU"}};
      line(Mark::NotRun, "perf: not measured on sim");
    }
    if (Timed) {
      D.Sections["perf"] = perfJson(*Timed, Work->Perf ? Work->Perf->Case : ops::Case(), O.Task ? O.Task->PerfMaxRatio : 2);
      bool Slow = Timed->Measured && O.Task && Timed->Ratio > O.Task->PerfMaxRatio;
      line(!Timed->Measured ? Mark::NotRun : Slow ? Mark::Reject : Mark::Ok, perfLine(*Timed));
      if (Timed->Measured)
        cover("perf");
    }
    if (!Counted.empty()) {
      D.Sections["counters"] = gpuCountersJson(Counted);
      for (const std::string &Text : gpuCounterLines(Counted))
        line(Counted.front().Measured ? Mark::Ok : Mark::NotRun, Text);
      if (Counted.front().Measured)
        cover("counters");
    }
    if (Launches.empty())
      return;
    CounterLimits Limits = CounterLimits::from(P, Rule);
    D.Sections["counters"] = countersJson(Launches, Limits, Work->Source.Arch);
    cover("counters");
    for (const std::string &Text : counterLines(Launches, Limits, Work->Source.Arch))
      line(Mark::Ok, Text);
  }

  /// Rule 1 with unknown callees: numerics decide.
  void settleDeferred() {
    for (Finding &X : F.Static.Findings) {
      if (!X.Defer || X.Suppressed)
        continue;
      X.Evidence["decided_by"] = Passed ? "numerics" : "static";
      if (Passed)
        X.Level = std::min(X.Level, Severity::Note);
    }
  }

  //===--- without a task ---------------------------------------------------===//

  /// Compile and sanitize every launcher whose buffers follow from what it touches; nothing says what is right.
  void withoutTask() {
    std::vector<std::string> Problems;
    bool Program = false;
    std::vector<PreparedExtension> Extensions;
    for (const std::string &Text : cudaTexts(Problems))
      llvm::move(prepareGuess(F.File, Text, O.Parse, O.Device == "sim", Problems, Extensions, Program), std::back_inserter(Owned));
    weigh("numerics_not_run");
    if (Owned.empty() && Program && O.Device == "sim" && runItself())
      return;
    for (PreparedExtension &X : Extensions) {
      llvm::StringRef Name = X.Call.Name;
      std::vector<KnownArgument> Known;
      if (llvm::StringRef(F.File).ends_with(".py"))
        Known = pythonArguments(F.Text, Name.substr(Name.rfind(':') + 1));
      X.Shown = llvm::any_of(Known, [](const KnownArgument &K) { return !K.Dims.empty(); });
      X.Source.CallText = extensionText(X.Call, Known);
    }
    ExtensionOutcome Called;
    if (O.Device == "sim")
      Called = runExtensions(Extensions, Run);
    takeExtensions(Called, Problems);
    if (Owned.empty() && !Called.Ran && Called.Trouble.empty()) {
      notRun("no_task");
      for (const std::string &Text : Problems)
        line(Mark::NotRun, "sanitize: " + Text);
      line(Mark::NotRun, "numerics: not run, no task or operator says what is right (--task, --op)");
      return;
    }
    begin();
    D.HostCodeExecuted |= llvm::any_of(Owned, [](const auto &W) { return W->callsItself(); });
    struct Guessed {
      Prepared *What;
      const PlannedCase *Case;
      bool Counting; ///< integers of buffers count up
    };
    std::vector<Guessed> Of;
    std::vector<protocol::Job> Batch;
    for (auto &W : Owned) {
      for (const PlannedCase &C : W->Cases) {
        Batch.push_back(guessedJob(*W, C, &C == &W->Cases.back()));
        Of.push_back({W.get(), &C, false});
      }
      const PlannedCase &Cheapest = *std::min_element(W->Cases.begin(), W->Cases.end(), [](auto &A, auto &B) { return work(A.Case) < work(B.Case); });
      if (protocol::Job J = guessedJob(*W, Cheapest, false); countUp(J)) {
        Batch.push_back(std::move(J));
        Of.push_back({W.get(), &Cheapest, true});
      }
    }
    std::vector<std::pair<size_t, protocol::Result>> Taken;
    {
      // The device is ours while these answers live, and a further run may be needed.
      Answers Given = Run(std::move(Batch), false);
      std::optional<protocol::Result> R;
      for (size_t I = 0; I < Of.size() && (R = Given.next()); ++I)
        Taken.push_back({I, std::move(*R)});
    }
    for (auto &[I, Answer] : Taken) {
      if (!Trouble.empty() || !CompileFailed.empty())
        break;
      Work = Of[I].What;
      if (Of[I].Counting) {
        takeCounting(*Of[I].Case, Answer);
        continue;
      }
      dropBeyondRoom(*Of[I].Case, Answer);
      dropRacesOfData(*Of[I].Case, Answer);
      takeGuess(*Of[I].Case, Answer);
    }
    if (Trouble.empty() && CompileFailed.empty())
      for (const auto &[W, Refused] : RefusedLaunches)
        if (Refused.size() == W->Cases.size())
          takeRefusal(*W, Refused);
    finishGuess(Problems);
  }

  /// The candidate, or the CUDA strings of a Python file, each with its lines where they stand there.
  std::vector<std::string> cudaTexts(std::vector<std::string> &Problems) const {
    if (!llvm::StringRef(F.File).ends_with(".py"))
      return {F.Text};
    std::vector<std::string> Out;
    for (AlignedCuda &S : alignedStrings(F.Text)) {
      if (S.Holes)
        Problems.push_back("parts of a CUDA string are filled in at run time");
      else
        Out.push_back(std::move(S.Text));
    }
    return Out;
  }

  void takeExtensions(ExtensionOutcome &E, std::vector<std::string> &Problems) {
    llvm::move(E.Problems, std::back_inserter(Problems));
    if (!E.Ran && E.Trouble.empty())
      return;
    begin();
    Called = E.Ran;
    Trouble = E.Trouble;
    D.HostCodeExecuted = E.Ran;
    for (const protocol::Result &R : E.Results)
      noteTimes(R);
    const std::string Own = llvm::sys::path::filename(F.File).str();
    for (const ExtensionFinding &X : E.Findings) {
      Certainty Sure = X.What.Sure ? Certainty::Proven : Certainty::Doubt;
      Severity Level = P.severity(Rule, X.What.Tag, Sure);
      if (Level != Severity::Off)
        D.Findings.push_back(findingOf(X.What, Level, Sure, X.At, F.File, Own));
    }
  }

  /// A whole program says itself at which sizes its kernels run. False: it could not be started.
  bool runItself() {
    constexpr double Seconds = 20;
    ProgramRun Itself;
    Itself.Files = {F.File};
    if (!llvm::sys::fs::is_regular_file(F.File))
      return false;
    if (!O.Parse.Arch.empty())
      Itself.Arch = O.Parse.Arch;
    Itself.Seconds = Seconds;
    for (size_t I = 0; I < O.Parse.ExtraArgs.size(); ++I)
      for (auto [Flag, Into] : {std::pair("-I", &Itself.Includes), std::pair("-D", &Itself.Defines)})
        if (llvm::StringRef Word = O.Parse.ExtraArgs[I]; Word.consume_front(Flag)) {
          if (Word.empty() && I + 1 < O.Parse.ExtraArgs.size())
            Word = O.Parse.ExtraArgs[++I];
          Into->push_back(Word.str());
        }
    std::string Why;
    std::optional<ProgramResult> Run = runProgram(Itself, Why);
    if (!Run || Run->R.Failure == Failure::CompileError)
      return false;
    begin();
    D.HostCodeExecuted = true;
    Jobs = 1;
    for (const protocol::Finding &X : Run->R.Findings)
      seenInProgram(X);
    finishSanitize();
    line(Mark::Ok, "host code: the program itself ran, in the sandbox");
    if (Run->R.State == State::NotMeasured)
      line(Mark::NotRun, "program: " + Run->R.Message);
    if (!O.TrustHost)
      weigh("host_code_executed");
    line(Mark::NotRun, "numerics: not run, no task or operator says what is right (--task, --op)");
    finishPerf();
    return true;
  }

  void seenInProgram(const protocol::Finding &X) {
    const bool Leak = X.Tag == "leak";
    Certainty Sure = X.Sure && !Leak ? Certainty::Proven : Certainty::Doubt;
    Severity Level = Leak ? Severity::Note : P.severity(Rule, X.Tag, Sure);
    if (Level != Severity::Off)
      D.Findings.push_back(findingOf(X, Level, Sure, "", F.File, llvm::sys::path::filename(F.File).str()));
  }

  protocol::Job guessedJob(const Prepared &W, const PlannedCase &C, bool Metrics) const {
    JobOptions J;
    J.Seed = Seed;
    J.Seconds = 10;
    J.WantInputs = false;
    J.Metrics = Metrics;
    protocol::Job Job = makeJob(W.B, C, W.Source, J, nullptr);
    Job.Outputs.clear();
    return Job;
  }

  /// A buffer whose length follows from nothing was too short: what lies behind it is another's, and every access of memory is in doubt.
  static void dropBeyondRoom(const PlannedCase &C, protocol::Result &R) {
    auto beyond = [&](const protocol::Finding &X) { return X.Tag == "out_of_bounds_global" && C.Case.Sizes.count(roomFor(X.Buffer)); };
    if (llvm::none_of(R.Findings, beyond))
      return;
    llvm::erase_if(R.Findings, [](const protocol::Finding &X) {
      llvm::StringRef T = X.Tag;
      return T == "out_of_bounds_global" || T == "uninitialised_read" || T == "race_global" || T == "race_blocks" || T == "race_launches";
    });
  }

  /// Gives buffers of integers different ones that rise. False: there are none.
  static bool countUp(protocol::Job &Job) {
    bool Any = false;
    for (protocol::Buffer &B : Job.Buffers)
      if (B.Fill == protocol::Content::Generated && !protocol::isFloat(B.Type) && B.Type != protocol::DType::Bool) {
        B.Gen.Distribution = "iota";
        Any = true;
      }
    return Any;
  }

  /// Zeros hide what hangs on integers: sums that change nothing, segments without elements. Numbers that count up are as good as rows,
  /// places or offsets, but they may lead out of a buffer, to what nobody wrote, or to where others are: only how the threads of a
  /// block stand to each other counts, and only where nothing has gone astray.
  void takeCounting(const PlannedCase &C, protocol::Result &R) {
    if (R.Failure == Failure::NoWorker || R.Failure == Failure::BadJob || R.Failure == Failure::CompileError)
      return; // the runs before have said so
    auto counts = [](const protocol::Finding &X) {
      return X.Tag == "race_shared" || X.Tag == "barrier_divergence" || X.Tag == "warp_lane_absent" || isUnarrivedCopy(X);
    };
    bool Astray = R.State != State::Ok || llvm::any_of(R.Findings, [&](const protocol::Finding &X) { return !counts(X) && !llvm::StringRef(X.Tag).starts_with("race_"); });
    llvm::erase_if(R.Findings, [&](const protocol::Finding &X) { return Astray ? !isUnarrivedCopy(X) : !counts(X); });
    R.State = State::Ok;
    R.Failure = Failure::None;
    for (protocol::Finding &X : R.Findings)
      X.Sure &= X.Tag != "barrier_divergence"; // the same for all threads, the author may say of such a number
    takeGuess(C, R);
  }

  /// Integers that were drawn name the same place twice, which a permutation does not: a race that is gone when all of them differ
  /// is the data's.
  void dropRacesOfData(const PlannedCase &C, protocol::Result &R) {
    auto isRace = [](const protocol::Finding &X) { return llvm::StringRef(X.Tag).starts_with("race_"); };
    if (llvm::none_of(R.Findings, isRace))
      return;
    protocol::Job Job = guessedJob(*Work, C, false);
    if (!countUp(Job))
      return;
    std::vector<protocol::Job> One;
    One.push_back(std::move(Job));
    std::optional<protocol::Result> Different = Run(std::move(One), false).next();
    if (!Different || Different->State != State::Ok)
      return;
    llvm::erase_if(R.Findings, [&](const protocol::Finding &X) {
      return isRace(X) && llvm::none_of(Different->Findings, [&](const protocol::Finding &Y) { return isRace(Y) && Y.Where.Line == X.Where.Line; });
    });
  }

  /// A launch that no size lets happen. What it asks for at every size alike is no matter of sizes.
  void takeRefusal(Prepared &W, const std::vector<protocol::Result> &Refused) {
    auto shape = [&](const PlannedCase &C, unsigned Step) {
      const auto *L = Step < C.Plan.Steps.size() ? std::get_if<protocol::LaunchStep>(&C.Plan.Steps[Step].Do) : nullptr;
      return L ? std::tuple(L->Block.X, L->Block.Y, L->Block.Z, L->SharedBytes) : std::tuple(0u, 0u, 0u, uint64_t(0));
    };
    const auto First = shape(W.Cases.front(), Refused.front().FailedStep);
    bool Same = Refused.size() > 1 && std::get<0>(First);
    for (size_t I = 0; I < Refused.size(); ++I)
      Same &= shape(W.Cases[I], Refused[I].FailedStep) == First;
    Work = &W;
    noteTimes(Refused.front());
    usable(W.Cases.front(), Refused.front(), !Same);
  }

  void takeGuess(const PlannedCase &C, protocol::Result R) {
    if (Work->callsItself() && !takeCalled(R))
      return;
    if (R.Failure == Failure::LaunchConfig)
      RefusedLaunches[Work].push_back(R); // at sizes that nobody promised
    if (R.Failure == Failure::LaunchConfig || R.Failure == Failure::OutOfMemory)
      return;
    takeUnsupported(R);
    noteTimes(R);
    Ran.insert(Work);
    usable(C, R, true);
    for (const protocol::LaunchMetrics &M : R.Launches)
      if (M.Instructions)
        Launches.push_back(M);
  }

  /// Host code that is called with guesses may refuse them, find no memory of the host's where it looks for some, or be called in the
  /// wrong order: only what its kernels do counts. False: not even that.
  bool takeCalled(protocol::Result &R) {
    static const llvm::StringSet<> OfHost = {"crash", "memcpy_size", "memcpy_direction", "double_free", "illegal_address", "null_access", "launch_config",
                                             "leak", "unchecked_launch_error", "timeout", "device_assert", "cheat_side_stream"};
    const bool Stopped = R.State != State::Ok && R.Failure != Failure::Unsupported;
    if (Stopped)
      notRunAt(0, R.Failure == Failure::CompileError ? "the call of it cannot be compiled" : R.Message);
    if (R.Failure == Failure::NoWorker || R.Failure == Failure::BadJob || R.Failure == Failure::CompileError)
      return false;
    llvm::erase_if(R.Findings, [](const protocol::Finding &X) { return OfHost.contains(X.Tag); });
    if (Stopped) {
      R.State = State::Ok;
      R.Failure = Failure::None;
    }
    return !Stopped || !R.Findings.empty();
  }

  void notRunAt(unsigned Line, const std::string &Why) {
    std::string Text = Work->Launch.Name + " (line " + std::to_string(Line ? Line : Work->Launch.Line) + "): " + Why;
    if (!llvm::is_contained(LeftOut, Text))
      LeftOut.push_back(std::move(Text));
  }

  /// What a guess cannot make, or the simulator cannot hold, is a launcher that was not run, and no fault of it.
  void takeUnsupported(protocol::Result &R) {
    llvm::erase_if(R.Findings, [&](const protocol::Finding &X) {
      if (X.Tag != protocol::tagOf(Failure::Unsupported))
        return false;
      notRunAt(X.Where.Line, X.Message);
      return true;
    });
    if (R.Failure != Failure::Unsupported)
      return;
    notRunAt(0, R.Message);
    R.Failure = Failure::None;
    R.State = State::Ok;
  }

  void finishGuess(std::vector<std::string> Problems) {
    llvm::move(LeftOut, std::back_inserter(Problems));
    if (!Trouble.empty())
      return trouble();
    finishCompile();
    if (CompileFailed.empty()) {
      finishSanitize();
      if (Called)
        line(Mark::Ok, "sizes: found for " + std::to_string(Called) + (Called == 1 ? " function" : " functions") + " with tensors, by their own checks");
      if (!Ran.empty())
        line(Mark::Ok, "sizes: guessed for " + std::to_string(Ran.size()) + (Ran.size() == 1 ? " launcher" : " launchers") + " from what the launches touch");
      if (size_t N = llvm::count_if(Ran, [](const Prepared *W) { return W->callsItself(); })) {
        line(Mark::Ok, "host code: " + std::to_string(N) + (N == 1 ? " launcher" : " launchers") + " called as they are, in the sandbox, because the launch plan is not known");
        if (!O.TrustHost)
          weigh("host_code_executed");
      }
    }
    for (const std::string &Text : Problems)
      line(Mark::NotRun, "sanitize: " + Text);
    line(Mark::NotRun, "numerics: not run, no task or operator says what is right (--task, --op)");
    finishPerf();
  }

  FileReport &F;
  DynamicTrack &D;
  const DynamicOptions &O;
  const Policy &P;
  const RunJobs &Run;
  uint64_t Seed = 0;
  std::vector<std::unique_ptr<Prepared>> Owned;
  Prepared *Work = nullptr; ///< the one at hand
  std::unique_ptr<Reference> Ref;
  std::vector<size_t> Alive;
  std::optional<Wanted> Ahead; ///< of the trial whose answer comes next
  std::vector<CaseVerdict> Verdicts;
  std::vector<std::string> Declined;
  protocol::Result First, Last; ///< of the compared cases
  std::vector<protocol::LaunchMetrics> Launches;
  std::vector<protocol::CompileMessage> CompileMessages;
  std::map<std::string, double> Times;
  std::optional<protocol::PerfResult> Timed;
  std::vector<protocol::CounterResult> Counted;
  std::vector<protocol::KernelFacts> Facts;
  std::optional<CheatSign> Second, Narrowed, Sign;
  std::string Further; ///< of a wrong case: a larger one that is wrong too
  std::string Trouble, CompileFailed, Slow, Differs, RefusedText;
  unsigned Jobs = 0, Refused = 0, Called = 0;
  std::string ProbeTrouble;
  std::vector<std::string> LeftOut; ///< of guessed runs, line by line
  std::set<const Prepared *> Ran;   ///< at guessed sizes
  std::map<Prepared *, std::vector<protocol::Result>> RefusedLaunches; ///< of guessed sizes
  bool LauncherMode = false, HostCodeRuns = false;
  bool Stopped = false, EmptyLaunch = false, Passed = false, PrecisionAsked = false, NarrowedPasses = false;
};

} // namespace

void gate::runDynamic(FileReport &F, const DynamicOptions &O, const RunJobs &Run) {
  ops::useLargeBlocks();
#ifdef __GLIBC__
  // References and comparisons need the same large vectors at every case: keep their pages.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  Track(F, O, Run).run();
  conclude(F);
}
