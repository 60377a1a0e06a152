#include "agent/bench/LocalBench.h"
#include "actions/engine/FindActions.h"
#include "actions/guard/ContentHash.h"
#include "actions/guard/Guard.h"
#include "agent/bench/CostModel.h"
#include "agent/bench/Isolated.h"
#include "agent/bench/Sampled.h"
#include "analyzers/engine/record/Corpus.h"
#include "gate/compile/Confirm.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/thread.h"
#include <atomic>
#include <list>
#include <mutex>

using namespace kcheck;
using namespace kcheck::agent;
namespace json = llvm::json;

namespace {

std::string print(json::Value V) { return llvm::formatv("{0}", V).str(); }

/// The worst findings as a compiler would print them, without the file.
std::string worstFindings(const std::vector<Finding> &All, Severity From) {
  std::string Text;
  unsigned N = 0;
  for (const Finding &F : All)
    if (!F.Suppressed && F.Level >= From && N++ < 6)
      Text += (Text.empty() ? "" : "\n") + std::to_string(F.Where.Line) + ":" + std::to_string(F.Where.Column) + " " + F.Tag + ": " + F.Message;
  return Text;
}

const Finding *firstReject(const std::vector<Finding> &All) {
  for (const Finding &F : All)
    if (!F.Suppressed && F.Level == Severity::Reject)
      return &F;
  return nullptr;
}

json::Value siteJson(const ActionSummary &A, const SiteSummary &S) {
  json::Array Options;
  for (const ParameterSet &P : S.Sets) {
    json::Object Set;
    for (const auto &[Name, V] : P.Values)
      Set[Name] = V;
    Options.push_back(json::Object{{"set", std::move(Set)}, {"effect", json::Object(P.Effect)}});
  }
  return json::Object{{"action", A.Info->Name}, {"kernel", S.Kernel}, {"what", S.What}, {"why_not", S.WhyNot}, {"line", S.Where.Line}, {"options", std::move(Options)}};
}

ActionSite siteFromJson(const json::Object &O) {
  ActionSite S;
  auto text = [&](const char *Key) { return O.getString(Key).value_or("").str(); };
  S.Action = text("action"), S.Kernel = text("kernel"), S.What = text("what"), S.WhyNot = text("why_not");
  S.Line = unsigned(O.getInteger("line").value_or(0));
  if (const json::Array *A = O.getArray("options"))
    for (const json::Value &V : *A) {
      SiteOption P;
      if (const json::Object *Set = V.getAsObject()->getObject("set"))
        for (const auto &[Name, N] : *Set)
          P.Set[llvm::StringRef(Name).str()] = N.getAsInteger().value_or(0);
      if (const json::Object *Effect = V.getAsObject()->getObject("effect"))
        P.Effect = *Effect;
      S.Options.push_back(std::move(P));
    }
  return S;
}

Step stepFromJson(const json::Value &V) {
  std::string Error;
  auto C = candidateFromJson(json::Object{{"steps", json::Array{V}}}, Error);
  return C ? C->Steps.front() : Step();
}

constexpr unsigned MostRuns = 20; ///< of a candidate: enough to rank

double sizeOf(const ops::Dims &D) {
  double N = 1;
  for (const auto &[Name, Size] : D)
    N *= double(Size);
  return N;
}

/// Calls Do with 0 … Count - 1 on so many threads, this one among them.
void onThreads(size_t Count, unsigned Threads, const std::function<void(size_t)> &Do) {
  std::atomic<size_t> Next = 0;
  auto Work = [&] {
    for (size_t I = Next++; I < Count; I = Next++)
      Do(I);
  };
  std::list<llvm::thread> Others; // of a parse: deep recursion is usual
  for (unsigned T = 1; T < Threads && T < Count; ++T)
    Others.emplace_back(std::optional<unsigned>(64u << 20), Work);
  Work();
  for (llvm::thread &T : Others)
    T.join();
}

class LocalBench : public Workbench {
public:
  LocalBench(BenchOptions Options) : O(std::move(Options)), Rules(O.Rules ? *O.Rules : Policy::builtin()) {
    O.Task.PerfMaxRatio = 1e9; // a slow candidate is no fault here
    O.Task.PerfRuns = std::min(O.Task.PerfRuns, MostRuns);
    for (const std::string &A : O.Archs)
      Models.push_back(DeviceModel::of(A));
    if (Models.empty())
      Models.push_back(DeviceModel::of(O.Parse.Arch));
  }

  llvm::Error open() {
    for (const std::string &Device : O.Devices) {
      auto S = openSession(Device, O.Task);
      if (!S)
        return S.takeError();
      Sessions.push_back(std::move(*S));
    }
    return llvm::Error::success();
  }

  std::vector<ActionDoc> actions() const override {
    std::vector<ActionDoc> All;
    for (const ActionInfo &A : allActions()) {
      ActionDoc D{A.Name.str(), A.Summary.str(), {}};
      for (const ActionParameter &P : A.Parameters)
        D.Parameters.push_back({P.Name.str(), P.range() + ", " + P.Summary.str()});
      All.push_back(std::move(D));
    }
    return All;
  }

  std::vector<Built> build(const std::vector<BuildRequest> &All) override {
    std::vector<IsolatedAnswer> Answers = runIsolated(All.size(), Limits, [&](size_t I) { return print(buildOne(All[I])); });
    std::vector<Built> Out;
    for (IsolatedAnswer &A : Answers)
      Out.push_back(builtFrom(A));
    return Out;
  }

  std::vector<Inspected> inspect(const std::vector<InspectRequest> &All) override {
    std::vector<Inspected> Out(All.size());
    std::vector<size_t> Passed = guarded(All, Out);
    std::vector<LintInput> Inputs;
    for (size_t I : Passed)
      Inputs.push_back({O.File, All[I].Text});
    std::vector<LintResult> Done = lintFiles(Inputs, O.Parse, Rules);
    gate::confirmAll(Done, Inputs, O.Parse, Rules);
    for (size_t K = 0; K < Passed.size(); ++K)
      Out[Passed[K]] = reviewed(std::move(Done[K]), All[Passed[K]].Text);
    return Out;
  }

  /// On a GPU while one candidate runs others are read, planned and compiled, and their outputs compared.
  std::vector<RunResult> run(const std::vector<std::string> &Texts, const std::function<void(size_t, const RunResult &)> &Done) override {
    std::vector<RunResult> Out(Texts.size());
    std::mutex Saying;
    onThreads(Texts.size(), atOnce(), [&](size_t I) {
      for (size_t D = 0; D < Sessions.size() && (D == 0 || Out[I].Measured.timed()); ++D) {
        RunResult R = isSim(D) ? simulated(Texts[I], D) : timed(Texts[I], *Sessions[D], O.Task, true);
        merge(Out[I], std::move(R), D);
      }
      std::lock_guard Guard(Saying);
      if (Done)
        Done(I, Out[I]);
    });
    return Out;
  }

  RunResult regress(const std::string &Text) override {
    RunResult Out;
    std::vector<ops::Dims> Shapes = checkedShapes(O.Task);
    Shapes.push_back(tunedShape(O.Task));
    llvm::erase_if(Shapes, [](const ops::Dims &D) { return llvm::any_of(D, [](auto &E) { return E.second <= 0; }); });
    if (isSim(0))
      return simulatedShapes(Text, Shapes);
    Out.Verdict = "PASS";
    if (Shapes.empty())
      return Out;
    const gate::Session &Session = plain();
    // Right at all sizes it was before, and each timed output is compared on the device: beyond that a small size is enough.
    const ops::Dims Smallest = *std::min_element(Shapes.begin(), Shapes.end(), [](const ops::Dims &A, const ops::Dims &B) { return sizeOf(A) < sizeOf(B); });
    std::vector<RunResult> Each(Shapes.size());
    onThreads(Shapes.size(), Session.parallel(), [&](size_t I) {
      gate::Task T = O.Task; // here the clock has the word
      T.PerfShape = Shapes[I];
      T.Shapes = {Smallest};
      T.Draws = {{"normal", 0, 1}};
      Each[I] = timed(Text, Session, T, false);
    });
    for (size_t I = 0; I < Each.size(); ++I) {
      if (!Each[I].Measured.timed())
        return Each[I];
      Out.Measured.Shapes.push_back({ops::toString(Shapes[I]), Each[I].Measured.Ms, 0});
      if (Out.Verdict == "PASS")
        Out.Verdict = Each[I].Verdict;
    }
    return Out;
  }

  void startIs(const Measurement &M) override { StartFlops = M.Flops; }

private:
  bool isSim(size_t Device) const { return O.Devices[Device] == "sim"; }

  /// How many candidates may be under way: on the simulator each takes all processors by itself.
  unsigned atOnce() const {
    unsigned N = 64;
    for (size_t D = 0; D < Sessions.size(); ++D)
      N = std::min(N, isSim(D) ? 1 : Sessions[D]->parallel());
    return N;
  }

  /// The first device, its counters left alone: they take longer than all the rest.
  const gate::Session &plain() {
    if (!Plain) {
      if (auto S = openSession(O.Devices.front(), O.Task, false))
        Plain = std::move(*S);
      else
        llvm::consumeError(S.takeError());
    }
    return Plain ? *Plain : *Sessions.front();
  }

  llvm::Expected<std::unique_ptr<gate::Session>> openSession(const std::string &Device, const gate::Task &T, bool Counters = true) const {
    gate::SessionOptions S;
    S.Counters = Counters;
    S.Task = T;
    S.Device = Device;
    S.Seed = std::to_string(O.Seed);
    S.Parse = O.Parse;
    return gate::Session::open(S);
  }

  //===--- build ------------------------------------------------------------===//

  json::Value buildOne(const BuildRequest &R) const {
    std::string Text = R.Text;
    json::Array Steps;
    for (size_t I = 0; I < R.Steps.size(); ++I) {
      const Step &S = R.Steps[I];
      auto New = rewrite(O.File, Text, O.Parse, {S.Action, S.Set, S.Kernel, S.Line});
      if (!New)
        return json::Object{{"error", (R.Steps.size() > 1 ? "step " + std::to_string(I + 1) + ": " : std::string()) + llvm::toString(New.takeError())}};
      Text = std::move(New->Text);
      Steps.push_back(toJson(Step{S.Action, New->Used, S.Kernel, S.Line}));
    }
    json::Object Out{{"text", Text}, {"steps", std::move(Steps)}};
    llvm::Error E = parse(O.File, Text, O.Parse, View::Device, [&](TranslationUnit &TU) {
      Out["hash"] = contentHash(TU);
      if (R.WantSites)
        Out["sites"] = sitesOf(TU);
    });
    if (E)
      return json::Object{{"error", llvm::toString(std::move(E))}};
    return Out;
  }

  json::Value sitesOf(TranslationUnit &TU) const {
    json::Array Sites;
    for (const ActionSummary &A : findActions(TU, O.File).Actions)
      for (const SiteSummary &S : A.Sites)
        Sites.push_back(siteJson(A, S));
    return Sites;
  }

  static Built builtFrom(const IsolatedAnswer &A) {
    Built B;
    auto V = json::parse(A.Text.value_or("{}"));
    if (!V)
      llvm::consumeError(V.takeError());
    const json::Object *J = A.Text && V ? V->getAsObject() : nullptr;
    if (!J) {
      B.Error = "reading it " + (A.Why.empty() ? "gave nothing" : A.Why);
      return B;
    }
    B.Error = J->getString("error").value_or("").str();
    B.Text = J->getString("text").value_or("").str();
    B.Hash = J->getString("hash").value_or("").str();
    if (const json::Array *Steps = J->getArray("steps"))
      for (const json::Value &S : *Steps)
        B.Steps.push_back(stepFromJson(S));
    if (const json::Array *Sites = J->getArray("sites"))
      for (const json::Value &S : *Sites)
        B.Sites.push_back(siteFromJson(*S.getAsObject()));
    return B;
  }

  //===--- inspect ----------------------------------------------------------===//

  /// Those that the guard lets pass, or that need none.
  std::vector<size_t> guarded(const std::vector<InspectRequest> &All, std::vector<Inspected> &Out) const {
    std::vector<size_t> Passed, Guarded;
    for (size_t I = 0; I < All.size(); ++I)
      (All[I].GuardedBy ? Guarded : Passed).push_back(I);
    std::vector<IsolatedAnswer> Answers = runIsolated(Guarded.size(), Limits, [&](size_t K) { return print(guardOne(All[Guarded[K]])); });
    for (size_t K = 0; K < Guarded.size(); ++K) {
      Inspected &X = Out[Guarded[K]];
      auto V = json::parse(Answers[K].Text.value_or("{}"));
      if (!V)
        llvm::consumeError(V.takeError());
      const json::Object *J = Answers[K].Text && V ? V->getAsObject() : nullptr;
      std::string Tag = J ? J->getString("tag").value_or("").str() : "guard_failed";
      if (Tag.empty()) {
        Passed.push_back(Guarded[K]);
        continue;
      }
      X.Reached = Stage::Guard;
      X.Rejected = true;
      X.Failure = Tag;
      X.Reasons = {Tag};
      X.Message = J ? J->getString("message").value_or("").str() : "comparing it with its parent " + Answers[K].Why;
    }
    llvm::sort(Passed);
    return Passed;
  }

  json::Value guardOne(const InspectRequest &R) const {
    auto G = guard({O.File, *R.GuardedBy}, {O.File, R.Text}, O.Parse, {}, Rules);
    if (!G)
      return json::Object{{"tag", "guard_failed"}, {"message", llvm::toString(G.takeError())}};
    const Finding *F = firstReject(G->Violations);
    if (F) {
      LintResult L;
      L.File = O.File;
      L.Findings = G->Violations;
      FileReport Report = makeFileReport(std::move(L), R.Text);
      Report.Dynamic.Why = "static_reject";
      conclude(Report);
      record(Report);
    }
    return F ? json::Object{{"tag", F->Tag}, {"message", worstFindings(G->Violations, Severity::Reject)}} : json::Object{};
  }

  Inspected reviewed(LintResult L, const std::string &Text) {
    Inspected X;
    if (!L.Error.empty()) {
      X.Rejected = true;
      X.Failure = "unreadable", X.Message = L.Error;
      return X;
    }
    FileReport F = makeFileReport(std::move(L), Text);
    conclude(F);
    for (const KernelSummary &K : F.Static.Kernels)
      X.Facts.UsesShared |= K.UsesShared;
    for (const Finding &A : F.Static.Findings)
      if (A.Cmpd == "P" && !A.Suppressed && !llvm::is_contained(X.Facts.Findings, A.Tag))
        X.Facts.Findings.push_back(A.Tag);
    X.Reasons = F.Reasons;
    if (const Finding *R = firstReject(F.Static.Findings)) {
      X.Rejected = true;
      X.Failure = R->Tag;
      X.Message = worstFindings(F.Static.Findings, Severity::Reject);
      record(F);
    } else {
      Reports[Text] = std::move(F);
    }
    return X;
  }

  void record(const FileReport &F) const {
    if (O.Record.empty())
      return;
    std::lock_guard Guard(Recording);
    auto C = Corpus::open(O.Record);
    if (!C)
      return llvm::consumeError(C.takeError());
    llvm::consumeError((*C)->add(F, {O.Version, "", ""}));
  }

  /// The static half of a text's report; made anew after a restart.
  FileReport reportOf(const std::string &Text) {
    std::lock_guard Guard(Reading);
    if (!Reports.count(Text))
      inspect({{Text, std::nullopt}});
    auto It = Reports.find(Text);
    if (It != Reports.end())
      return It->second;
    FileReport F;
    F.Error = "rejected by the static track";
    return F;
  }

  //===--- run --------------------------------------------------------------===//

  static void merge(RunResult &To, RunResult From, size_t Device) {
    if (Device == 0) {
      To = std::move(From);
      return;
    }
    if (From.Measured.timed())
      To.Others.push_back(std::move(From.Measured));
    if (!From.Failure.empty()) { // right on one device is not enough
      To.Failure = From.Failure, To.Message = From.Measured.Device + From.Message, To.Verdict = From.Verdict;
      To.Measured.Ms = 0;
    }
  }

  /// What the dynamic track says, without any time.
  static RunResult resultOf(const FileReport &F) {
    RunResult R;
    R.Reasons = F.Reasons;
    R.Verdict = toString(F.Result).str();
    if (!F.Error.empty() || F.Dynamic.State != "done") {
      R.Failure = F.Dynamic.Why.empty() ? "not_run" : F.Dynamic.Why;
      R.Message = F.Error;
      for (const CheckLine &L : F.Dynamic.Lines)
        R.Message += (R.Message.empty() ? "" : "\n") + L.Text;
      R.Verdict.clear();
      return R;
    }
    if (F.Result == Verdict::Reject) {
      const Finding *X = firstReject(F.Dynamic.Findings);
      R.Failure = X ? X->Tag : F.Reasons.empty() ? "rejected" : F.Reasons.front();
      R.Message = worstFindings(F.Dynamic.Findings, Severity::Reject);
      return R;
    }
    const json::Object *N = F.Dynamic.Sections.getObject("numerics");
    if (!N || N->getString("state").value_or("") != "pass") {
      R.Failure = "numerics_not_run";
      for (const CheckLine &L : F.Dynamic.Lines)
        if (L.Kind != Mark::Ok)
          R.Message += (R.Message.empty() ? "" : "\n") + L.Text;
    }
    return R;
  }

  /// In a process of its own: interpreting a hostile launcher must not end the run.
  RunResult simulated(const std::string &Text, size_t Device) {
    FileReport Static = reportOf(Text);
    auto Work = [&](size_t) {
      FileReport F = Static;
      if (!F.Error.empty())
        return print(toJson(failed("static_reject", F.Error)));
      Sessions[Device]->check(F, Rules);
      record(F);
      RunResult R = resultOf(F);
      if (R.Failure.empty())
        model(Text, R);
      return print(toJson(R));
    };
    return isolated(Work);
  }

  RunResult simulatedShapes(const std::string &Text, const std::vector<ops::Dims> &Shapes) {
    return isolated([&](size_t) {
      RunResult R;
      R.Verdict = "PASS";
      std::string Why;
      for (const ops::Dims &D : Shapes)
        if (auto S = countSampled(O.File, Text, O.Parse, O.Task, D, Why))
          R.Measured.Shapes.push_back({ops::toString(D), modelTimes(S->Launches, S->Footprint, S->LeastBytes, 0, Models.front()).Ms, 0});
      return print(toJson(R));
    });
  }

  static RunResult failed(std::string Failure, std::string Message) {
    RunResult R;
    R.Failure = std::move(Failure), R.Message = std::move(Message);
    return R;
  }

  RunResult isolated(const std::function<std::string(size_t)> &Work) const {
    IsolationLimits L = Limits;
    L.Seconds = 120;
    L.MemoryMB = 0; // the simulator's worker inherits it, and reserves far more than it touches; its sandbox bounds what it uses
    IsolatedAnswer A = runIsolated(1, L, Work).front();
    if (!A.Text)
      return failed("checking_failed", "checking it " + A.Why);
    auto V = json::parse(*A.Text);
    if (!V)
      return failed("checking_failed", llvm::toString(V.takeError()));
    return runResultFromJson(*V);
  }

  void model(const std::string &Text, RunResult &R) const {
    std::string Why;
    auto S = countSampled(O.File, Text, O.Parse, O.Task, tunedShape(O.Task), Why);
    if (!S) {
      R.Failure = "not_modelled", R.Message = Why;
      return;
    }
    double Flops = StartFlops > 0 ? StartFlops : flopsOf(S->Launches);
    for (size_t I = 0; I < Models.size(); ++I) {
      Measurement M = modelTimes(S->Launches, S->Footprint, S->LeastBytes, Flops, Models[I]);
      if (I == 0)
        R.Measured = std::move(M);
      else
        R.Others.push_back(std::move(M));
    }
  }

  /// On a GPU, in this process: its worker keeps the device's context.
  RunResult timed(const std::string &Text, const gate::Session &S, const gate::Task &T, bool Record) {
    FileReport F = reportOf(Text);
    if (!F.Error.empty())
      return failed("static_reject", F.Error);
    S.check(F, Rules, &T);
    if (Record)
      record(F);
    RunResult R = resultOf(F);
    if (R.Failure.empty() && !readPerf(F, R.Measured)) {
      R.Failure = "not_measured";
      const json::Object *P = F.Dynamic.Sections.getObject("perf");
      R.Message = P ? P->getString("why").value_or("no time was measured").str() : "no time was measured";
    }
    return R;
  }

  static bool readPerf(const FileReport &F, Measurement &M) {
    const json::Object *P = F.Dynamic.Sections.getObject("perf");
    const json::Object *C = P ? P->getObject("candidate") : nullptr;
    if (!C)
      return false;
    auto number = [](const json::Object &J, const char *Key) { return J.getNumber(Key).value_or(0); };
    M.Device = F.Dynamic.Device;
    M.Ms = number(*C, "median_ms"), M.LowMs = number(*C, "low_ms"), M.HighMs = number(*C, "high_ms");
    M.Bytes = number(*P, "bytes"), M.Flops = number(*P, "flops");
    M.CopyGBs = number(*P, "copy_gb_s"), M.FmaGflops = number(*P, "fma_gflop_s"), M.LaunchMs = number(*P, "launch_ms");
    M.FloorMs = std::max(M.CopyGBs > 0 ? M.Bytes / (M.CopyGBs * 1e6) : 0, M.FmaGflops > 0 ? M.Flops / (M.FmaGflops * 1e6) : 0);
    readCounters(F, M);
    return M.Ms > 0;
  }

  static void readCounters(const FileReport &F, Measurement &M) {
    const json::Object *All = F.Dynamic.Sections.getObject("counters");
    const json::Array *Kernels = All ? All->getArray("kernels") : nullptr;
    double Time = 0;
    for (size_t I = 0; Kernels && I < Kernels->size(); ++I) {
      const json::Object *K = (*Kernels)[I].getAsObject();
      if (!K)
        continue;
      KernelProfile P;
      P.Kernel = K->getString("kernel").value_or("").str();
      if (const json::Object *Values = K->getObject("values"))
        for (const auto &[Name, V] : *Values)
          P.Values[llvm::StringRef(Name).str()] = V.getAsNumber().value_or(0);
      P.Share = P.Values.count("time_ns") ? P.Values["time_ns"] : 1;
      Time += P.Share;
      M.Kernels.push_back(std::move(P));
    }
    const json::Object *Compile = F.Dynamic.Sections.getObject("compile");
    const json::Array *Facts = Compile ? Compile->getArray("kernels") : nullptr;
    for (size_t I = 0; Facts && I < Facts->size(); ++I) {
      const json::Object *K = (*Facts)[I].getAsObject();
      std::string Name = K ? K->getString("name").value_or("").str() : "";
      auto P = llvm::find_if(M.Kernels, [&](const KernelProfile &X) { return X.Kernel == Name; });
      if (!K || P == M.Kernels.end())
        continue;
      P->OccupancyLimiter = K->getString("limiter").value_or("").str();
      for (const char *Key : {"registers", "static_shared", "local_bytes", "dynamic_shared"})
        if (auto V = K->getNumber(Key))
          P->Values[Key] = *V;
      if (auto V = K->getNumber("occupancy"))
        P->Values.try_emplace("occupancy_pct", *V * 100);
    }
    for (KernelProfile &P : M.Kernels)
      P.Share = Time > 0 ? P.Share / Time : 0;
    llvm::stable_sort(M.Kernels, [](const KernelProfile &A, const KernelProfile &B) { return A.Share > B.Share; });
  }

  BenchOptions O;
  const Policy &Rules;
  IsolationLimits Limits;
  std::vector<DeviceModel> Models;
  std::vector<std::unique_ptr<gate::Session>> Sessions; ///< one a device
  std::unique_ptr<gate::Session> Plain;                 ///< of the first device, for the last word on a winner
  std::mutex Reading;
  mutable std::mutex Recording;
  std::map<std::string, FileReport> Reports;            ///< static halves, by text
  double StartFlops = 0;
};

} // namespace

llvm::Expected<std::unique_ptr<Workbench>> agent::localBench(const BenchOptions &O) {
  auto B = std::make_unique<LocalBench>(O);
  if (llvm::Error E = B->open())
    return std::move(E);
  return B;
}

ops::Dims agent::tunedShape(const gate::Task &T) {
  if (!T.PerfShape.empty())
    return T.PerfShape;
  if (const ops::Operator *Op = ops::findOperator(T.Op); Op && !Op->PerfShape.empty())
    return Op->PerfShape;
  std::vector<ops::Dims> All = checkedShapes(T);
  return All.empty() ? ops::Dims() : All.back();
}

std::vector<ops::Dims> agent::checkedShapes(const gate::Task &T) {
  if (!T.Shapes.empty())
    return T.Shapes;
  const ops::Operator *Op = ops::findOperator(T.Op);
  return Op ? Op->Shapes : std::vector<ops::Dims>();
}
