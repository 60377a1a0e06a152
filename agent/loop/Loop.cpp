#include "agent/loop/Loop.h"
#include "agent/loop/Folder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <set>

using namespace kcheck;
using namespace kcheck::agent;
namespace json = llvm::json;

static constexpr size_t ParentsKept = 3, RunnersUp = 2;

uint64_t agent::roundSeed(uint64_t Seed, unsigned Round) {
  uint64_t X = Seed * 0x9E3779B97F4A7C15ull + Round; // splitmix64
  X = (X ^ (X >> 30)) * 0xBF58476D1CE4E5B9ull;
  X = (X ^ (X >> 27)) * 0x94D049BB133111EBull;
  return X ^ (X >> 31);
}

std::function<void(Diagnosis &)> agent::shuffledLabels(uint64_t Seed) {
  std::vector<std::string> Labels{"memory", "compute", "latency", "coalescing", "occupancy", "divergence", "bank_conflicts"}, Other = Labels;
  for (uint64_t Turn = 0; llvm::any_of(llvm::seq<size_t>(0, Labels.size()), [&](size_t I) { return Labels[I] == Other[I]; }); ++Turn)
    for (size_t I = Other.size() - 1; I > 0; --I)
      std::swap(Other[I], Other[roundSeed(Seed + Turn, unsigned(I)) % (I + 1)]);
  return [=](Diagnosis &D) {
    for (Bottleneck &B : D.Found)
      if (auto It = llvm::find(Labels, B.Label); It != Labels.end())
        B.Label = Other[size_t(It - Labels.begin())];
  };
}

const Outcome *LoopResult::find(llvm::StringRef Id) const {
  for (const Round &X : Rounds)
    for (const Outcome &O : X.Outcomes)
      if (O.What.Id == Id)
        return &O;
  return nullptr;
}

Loop::Loop(Workbench &Bench, agent::Policy &Policy, Context Base, LoopOptions O) : Bench(Bench), P(Policy), Base(std::move(Base)), O(std::move(O)) {
  this->Base.Actions = Bench.actions();
}

void Loop::say(const std::string &Text) const {
  if (O.Say)
    O.Say(Text);
}

//===--- the start -----------------------------------------------------------===//

static void conclude(Round &X) {
  X.Best = "start";
  for (const Outcome *O : ranked(X.Outcomes))
    if (O->good()) {
      X.Best = O->What.Id, X.BestMs = O->Measured.Ms;
      break;
    }
}

llvm::Error Loop::begin() {
  RunFolder F(O.Folder);
  Round Zero;
  std::string Error;
  if (auto V = F.readJson("start.json"))
    if (auto S = outcomeFromJson(*V, Error))
      Zero.Outcomes.push_back(std::move(*S));
  if (Zero.Outcomes.empty()) {
    Outcome S;
    S.What.Id = "start";
    S.Text = Base.Source;
    Zero.Outcomes.push_back(std::move(S));
    Outcome &First = Zero.Outcomes.front();
    Built B = Bench.build({{Base.Source, {}, false}}).front();
    if (!B.Error.empty())
      return llvm::createStringError("the kernel cannot be read: " + B.Error);
    First.Hash = B.Hash;
    inspectAll(Zero);
    runAll(Zero);
    if (!First.Measured.timed())
      return llvm::createStringError("the kernel itself is not right and timed, so there is nothing to start from: " + First.Failure +
                                     (First.Message.empty() ? "" : ": " + First.Message));
    if (!F.none() && (!F.write("start.cu", Base.Source) || !F.writeJson("start.json", toJson(First))))
      return llvm::createStringError(O.Folder + ": cannot be written");
  }
  Outcome &S = Zero.Outcomes.front();
  S.Speedup = S.Gain = 1;
  Bench.startIs(S.Measured);
  if (O.Disturb)
    O.Disturb(S.Why);
  conclude(Zero);
  R.StartMs = R.BestMs = S.Measured.Ms;
  R.Rounds.push_back(std::move(Zero));
  say(llvm::formatv("start: {0:f4} ms{1}", R.StartMs, S.Measured.Modelled ? " (modelled)" : ""));
  return llvm::Error::success();
}

//===--- a round -------------------------------------------------------------===//

std::vector<const Outcome *> Loop::best(size_t Most) const {
  std::vector<const Outcome *> All;
  for (const Round &X : R.Rounds)
    for (const Outcome &O : X.Outcomes)
      if (O.good())
        All.push_back(&O);
  llvm::stable_sort(All, [](const Outcome *A, const Outcome *B) { return A->Speedup > B->Speedup; });
  if (All.size() > Most)
    All.resize(Most);
  return All;
}

/// Steps from the start, or from the last free edit: what that did cannot be said in steps.
static std::vector<Step> stepsOf(const LoopResult &R, const Outcome &O, std::string &Root) {
  Root = O.What.Id;
  if (O.What.Id == "start" || O.What.Source)
    return {};
  std::vector<Step> All;
  if (const Outcome *Parent = R.find(O.What.Parent))
    All = stepsOf(R, *Parent, Root);
  llvm::append_range(All, O.What.Steps);
  return All;
}

Context Loop::context() {
  Context C = Base;
  C.StartMs = R.StartMs;
  C.Rounds.assign(R.Rounds.begin() + 1, R.Rounds.end());
  std::vector<const Outcome *> Best = best(ParentsKept);
  std::vector<BuildRequest> Requests;
  for (const Outcome *X : Best)
    Requests.push_back({X->Text, {}, true});
  std::vector<Built> Sites = Bench.build(Requests);
  for (size_t I = 0; I < Best.size(); ++I) {
    Parent Q;
    Q.Id = Best[I]->What.Id, Q.Text = Best[I]->Text;
    Q.Steps = stepsOf(R, *Best[I], Q.Root);
    Q.Ms = Best[I]->Measured.Ms, Q.Speedup = Best[I]->Speedup;
    Q.Measured = Best[I]->Measured, Q.Why = Best[I]->Why;
    if (I < Sites.size())
      Q.Sites = std::move(Sites[I].Sites);
    C.Parents.push_back(std::move(Q));
  }
  return C;
}

Proposal Loop::proposalOf(unsigned Number, const std::vector<Candidate> *Given) {
  RunFolder F(O.Folder);
  std::string Folder = RunFolder::round(Number);
  if (!Given)
    if (auto V = F.readJson(Folder + "proposal.json"))
      if (auto Old = proposalFromJson(*V))
        return std::move(*Old); // the run was killed behind it
  Proposal Q;
  if (Given) {
    Q.Candidates = *Given;
  } else {
    Context C = context();
    F.write(Folder + "prompt.md", renderContext(C, O.TokenBudget));
    Q = P.propose({C, Bench, Number, O.Candidates, roundSeed(O.Seed, Number), O.TokenBudget});
  }
  if (Q.Candidates.size() > O.Candidates)
    Q.Candidates.resize(O.Candidates);
  for (const Candidate &C : Q.Candidates)
    if (C.Steps.empty() && !C.Source)
      Q.Failures.push_back({"no_change", "neither steps nor a source"});
  llvm::erase_if(Q.Candidates, [](const Candidate &C) { return C.Steps.empty() && !C.Source; });
  for (size_t I = 0; I < Q.Candidates.size(); ++I)
    Q.Candidates[I].Id = llvm::formatv("r{0}c{1}", Number, I + 1);
  F.writeJson(Folder + "proposal.json", toJson(Q));
  for (size_t I = 0; I < Q.Exchanges.size(); ++I)
    F.writeJson(Folder + "exchange-" + std::to_string(I + 1) + ".json",
            json::Object{{"prompt", Q.Exchanges[I].Prompt}, {"reply", Q.Exchanges[I].Reply}, {"facts", json::Object(Q.Exchanges[I].Facts)}});
  return Q;
}

static void fail(Outcome &O, Stage At, std::string Failure, std::string Message) {
  O.Reached = At;
  O.Failure = std::move(Failure), O.Message = std::move(Message);
}

static bool alive(const Outcome &O) { return O.Failure.empty(); }

Round Loop::evaluate(unsigned Number, Proposal Q) {
  Round X;
  X.Number = Number;
  for (Candidate &C : Q.Candidates) {
    Outcome New;
    New.Round = Number;
    New.What = std::move(C);
    if (New.What.Parent.empty())
      New.What.Parent = R.Winner;
    if (const Outcome *Varied = R.find(New.What.Varies); !Varied || !Varied->good())
      New.What.Varies.clear();
    if (const Outcome *Parent = R.find(New.What.Parent); !Parent || !Parent->good())
      fail(New, Stage::Policy, "unknown_parent", "there is no candidate '" + New.What.Parent + "' to build on");
    X.Outcomes.push_back(std::move(New));
  }
  for (const PolicyFailure &F : Q.Failures) {
    if (X.Outcomes.size() >= O.Candidates)
      break;
    Outcome New;
    New.Round = Number;
    New.What.Id = llvm::formatv("r{0}c{1}", Number, X.Outcomes.size() + 1);
    New.What.Parent = R.Winner;
    fail(New, Stage::Policy, F.Type, F.Message);
    X.Outcomes.push_back(std::move(New));
  }
  buildAll(X);
  inspectAll(X);
  runAll(X);
  return X;
}

void Loop::buildAll(Round &X) {
  std::vector<Outcome *> Todo;
  std::vector<BuildRequest> Requests;
  for (Outcome &C : X.Outcomes) {
    if (!alive(C))
      continue;
    Todo.push_back(&C);
    Requests.push_back(C.What.Source ? BuildRequest{*C.What.Source, {}, false} : BuildRequest{R.find(C.What.Parent)->Text, C.What.Steps, false});
  }
  std::vector<Built> Results = Requests.empty() ? std::vector<Built>() : Bench.build(Requests);
  std::map<std::string, std::string> Known;
  for (const Round &Old : R.Rounds)
    for (const Outcome &Before : Old.Outcomes)
      if (!Before.Hash.empty())
        Known.try_emplace(Before.Hash, Before.What.Id);
  for (size_t I = 0; I < Todo.size(); ++I) {
    Outcome &C = *Todo[I];
    if (I >= Results.size() || !Results[I].Error.empty()) {
      fail(C, Stage::Build, "not_applicable", I < Results.size() ? Results[I].Error : "nothing was built");
      continue;
    }
    C.Text = std::move(Results[I].Text), C.Hash = std::move(Results[I].Hash);
    if (!C.What.Source && !Results[I].Steps.empty())
      C.What.Steps = std::move(Results[I].Steps);
    if (auto [It, New] = Known.try_emplace(C.Hash, C.What.Id); !New && !C.Hash.empty())
      fail(C, Stage::Build, "duplicate", "the same code as " + It->second);
  }
}

void Loop::inspectAll(Round &X) {
  std::vector<Outcome *> Todo;
  std::vector<InspectRequest> Requests;
  for (Outcome &C : X.Outcomes) {
    if (!alive(C))
      continue;
    Todo.push_back(&C);
    Requests.push_back({C.Text, C.What.Source ? std::optional(R.find(C.What.Parent)->Text) : std::nullopt});
  }
  std::vector<Inspected> Results = Requests.empty() ? std::vector<Inspected>() : Bench.inspect(Requests);
  for (size_t I = 0; I < Todo.size() && I < Results.size(); ++I) {
    Todo[I]->Facts = std::move(Results[I].Facts);
    Todo[I]->Reasons = Results[I].Reasons;
    if (!Results[I].Rejected)
      continue;
    fail(*Todo[I], Results[I].Reached, std::move(Results[I].Failure), std::move(Results[I].Message));
    Todo[I]->Verdict = "REJECT";
  }
}

void Loop::runAll(Round &X) {
  RunFolder F(O.Folder);
  std::string Folder = RunFolder::round(X.Number);
  std::vector<Outcome *> Todo;
  std::vector<std::string> Texts;
  for (Outcome &C : X.Outcomes) {
    if (!alive(C))
      continue;
    std::string Error;
    auto Old = X.Number ? F.readJson(Folder + C.What.Id + ".json") : std::nullopt;
    auto Before = Old ? outcomeFromJson(*Old, Error) : std::nullopt;
    if (Before && Before->Text == C.Text) { // measured before the run was killed
      C = std::move(*Before);
      continue;
    }
    Todo.push_back(&C);
    Texts.push_back(C.Text);
  }
  if (Texts.empty())
    return;
  Bench.run(Texts, [&](size_t I, const RunResult &Ran) {
    Outcome &C = *Todo[I];
    settle(C, Ran);
    if (!X.Number)
      return;
    F.writeJson(Folder + C.What.Id + ".json", toJson(C));
    say(C.good() ? llvm::formatv("  {0}: {1:f4} ms, {2:f2}x: {3}", C.What.Id, C.Measured.Ms, C.Speedup, C.What.Source ? "an edited source" : toString(C.What.Steps)).str()
                 : llvm::formatv("  {0}: {1}", C.What.Id, C.Failure).str());
  });
}

/// Over several devices the geometric mean: none may pay for the others alone.
static double speedup(const Measurement &Start, const std::vector<Measurement> &StartOthers, const Measurement &M, const std::vector<Measurement> &Others) {
  double Log = std::log(Start.Ms / M.Ms);
  size_t N = 1;
  for (size_t I = 0; I < Others.size() && I < StartOthers.size(); ++I)
    if (Others[I].timed() && StartOthers[I].timed()) {
      Log += std::log(StartOthers[I].Ms / Others[I].Ms);
      ++N;
    }
  return std::exp(Log / double(N));
}

void Loop::settle(Outcome &C, const RunResult &Ran) {
  C.Verdict = Ran.Verdict;
  C.Reasons = Ran.Reasons;
  if (!Ran.Failure.empty() || !Ran.Measured.timed())
    return fail(C, Stage::Dynamic, Ran.Failure.empty() ? "not_measured" : Ran.Failure, Ran.Message);
  C.Reached = Stage::Measured;
  C.Measured = Ran.Measured;
  C.Others = Ran.Others;
  C.Why = diagnose(C.Measured, C.Facts);
  if (R.Rounds.empty())
    return;
  const Outcome &Start = R.Rounds.front().Outcomes.front();
  C.Speedup = speedup(Start.Measured, Start.Others, C.Measured, C.Others);
  const Outcome *Against = R.find(C.What.heldAgainst());
  C.Gain = Against && Against->Speedup > 0 ? C.Speedup / Against->Speedup : 0;
}

bool Loop::resumeRound(unsigned Number) {
  RunFolder F(O.Folder);
  auto V = F.readJson(RunFolder::round(Number) + "round.json");
  const json::Array *A = V && V->getAsObject() ? V->getAsObject()->getArray("outcomes") : nullptr;
  if (!A)
    return false;
  Round X;
  X.Number = Number;
  std::string Error;
  for (const json::Value &One : *A) {
    auto Old = outcomeFromJson(One, Error);
    if (!Old)
      return false;
    X.Outcomes.push_back(std::move(*Old));
  }
  R.Rounds.push_back(std::move(X));
  return true;
}

bool Loop::round(const std::vector<Candidate> *Given) {
  if (!R.Stopped.empty())
    return false;
  unsigned Number = unsigned(R.Rounds.size());
  bool Old = !Given && resumeRound(Number);
  if (!Old) {
    say(llvm::formatv("round {0}", Number));
    R.Rounds.push_back(evaluate(Number, proposalOf(Number, Given)));
  }
  Round &X = R.Rounds.back();
  if (O.Disturb && !Old) // what was recorded is disturbed already
    for (Outcome &C : X.Outcomes)
      O.Disturb(C.Why);
  std::vector<const Outcome *> Best = best(1);
  R.Winner = Best.front()->What.Id;
  R.BestMs = Best.front()->Measured.Ms;
  R.Speedup = Best.front()->Speedup;
  X.Best = R.Winner, X.BestMs = R.BestMs;
  if (!Old) {
    RunFolder F(O.Folder);
    std::string Folder = RunFolder::round(Number);
    json::Array Outcomes;
    for (const Outcome &C : X.Outcomes) {
      if (!C.Text.empty()) {
        F.write(Folder + C.What.Id + ".cu", C.Text);
        if (const Outcome *Parent = R.find(C.What.Parent))
          F.write(Folder + C.What.Id + ".diff", lineDiff(Parent->Text, C.Text, C.What.Parent + " -> " + C.What.Id));
      }
      F.writeJson(Folder + C.What.Id + ".json", toJson(C));
      Outcomes.push_back(toJson(C));
    }
    F.write(Folder + "feedback.md", feedbackMarkdown(X));
    F.writeJson(Folder + "feedback.json", feedbackJson(X));
    F.writeJson(Folder + "round.json", json::Object{{"number", Number}, {"best", X.Best}, {"best_ms", X.BestMs}, {"outcomes", std::move(Outcomes)}});
  }
  R.Stopped = whyStop();
  return R.Stopped.empty();
}

std::string Loop::whyStop() const {
  if (O.Cancelled && O.Cancelled())
    return "cancelled";
  const Outcome &Best = *R.find(R.Winner);
  if (Best.Why.RooflineShare >= O.EnoughRoofline)
    return "roofline";
  size_t N = R.Rounds.size();
  auto gain = [&](size_t I) { return R.Rounds[I].BestMs > 0 ? R.Rounds[I - 1].BestMs / R.Rounds[I].BestMs - 1 : 0; };
  if (N >= 3 && gain(N - 1) < O.LeastGain && gain(N - 2) < O.LeastGain)
    return "no_gain";
  return N > O.Rounds ? "rounds" : "";
}

//===--- the end -------------------------------------------------------------===//

/// Winner, runners-up and start at every shape of the task. A winner that is wrong anywhere makes room for the next one.
void Loop::regress() {
  std::vector<std::pair<std::string, Measurement>> Times;
  std::vector<const Outcome *> Best = best(RunnersUp + 1);
  if (llvm::none_of(Best, [](const Outcome *X) { return X->What.Id == "start"; }))
    Best.push_back(&R.Rounds.front().Outcomes.front());
  for (const Outcome *X : Best) {
    RunResult Ran = Bench.regress(X->Text);
    if (Ran.Failure.empty() && Ran.Verdict != "REJECT") {
      Times.push_back({X->What.Id, std::move(Ran.Measured)});
      continue;
    }
    R.Warnings.push_back("`" + X->What.Id + "` fails at the shapes of the task: " + Ran.Failure + (Ran.Message.empty() ? "" : ": " + Ran.Message));
  }
  if (!Times.empty() && Times.front().first != R.Winner) {
    const Outcome *Next = R.find(Times.front().first);
    R.Winner = Next->What.Id, R.BestMs = Next->Measured.Ms, R.Speedup = Next->Speedup;
  }
  suggestDispatch(Times);
}

void Loop::suggestDispatch(const std::vector<std::pair<std::string, Measurement>> &Times) {
  constexpr double Matters = 1.05; // less is noise, and not worth a branch
  if (Times.empty() || Times.front().first == "start")
    return;
  std::map<std::string, std::vector<std::string>> Better;
  for (size_t S = 0; S < Times.front().second.Shapes.size(); ++S) {
    DispatchRule D;
    D.Shape = Times.front().second.Shapes[S].Shape;
    D.WinnerMs = D.Ms = Times.front().second.Shapes[S].Ms;
    D.Best = R.Winner;
    for (const auto &[Id, M] : Times) {
      if (S >= M.Shapes.size() || M.Shapes[S].Ms <= 0)
        continue;
      if (Id == "start")
        D.StartMs = M.Shapes[S].Ms;
      if (M.Shapes[S].Ms * Matters < D.WinnerMs && M.Shapes[S].Ms < D.Ms)
        D.Best = Id, D.Ms = M.Shapes[S].Ms;
    }
    if (D.StartMs > 0 && D.WinnerMs > D.StartMs * Matters)
      R.Warnings.push_back(llvm::formatv("at {0} the winner takes {1:f2} times as long as the kernel as it came", D.Shape, D.WinnerMs / D.StartMs));
    if (D.Best != R.Winner)
      Better[D.Best].push_back(D.Shape);
    R.Shapes.push_back(std::move(D));
  }
  for (const auto &[Id, Shapes] : Better)
    R.Dispatch += (R.Dispatch.empty() ? "launch `" : ", `") + Id + "` at " + llvm::join(Shapes, "; ");
  if (!R.Dispatch.empty())
    R.Dispatch += ", and `" + R.Winner + "` elsewhere";
}

static void warnOfDevices(LoopResult &R) {
  const Outcome &Start = R.Rounds.front().Outcomes.front(), &W = R.winner();
  for (size_t I = 0; I < W.Others.size() && I < Start.Others.size(); ++I)
    if (W.Others[I].Ms > Start.Others[I].Ms)
      R.Warnings.push_back(llvm::formatv("on {0} the winner takes {1:f2} times as long as the kernel as it came", W.Others[I].Device, W.Others[I].Ms / Start.Others[I].Ms));
}

void Loop::finish() {
  if (R.Stopped.empty())
    R.Stopped = "rounds";
  regress();
  warnOfDevices(R);
  RunFolder F(O.Folder);
  if (F.none())
    return;
  const Outcome &W = R.winner();
  F.write("best.cu", W.Text);
  F.write("best.diff", lineDiff(Base.Source, W.Text, "start -> " + W.What.Id));
  std::vector<std::pair<unsigned, std::string>> Analyses;
  for (const Round &X : R.Rounds)
    if (auto V = F.readJson(RunFolder::round(X.Number) + "proposal.json"))
      if (auto Q = proposalFromJson(*V))
        Analyses.push_back({X.Number, Q->Analysis});
  F.write("notebook.md", notebook(R, Base, Analyses));
  F.write("report.html", htmlReport(R, Base));
  F.writeJson("result.json", toJson(R));
}

llvm::Expected<LoopResult> Loop::run() {
  if (llvm::Error E = begin())
    return std::move(E);
  if (R.Rounds.front().Outcomes.front().Why.RooflineShare >= O.EnoughRoofline)
    R.Stopped = "roofline";
  while (round())
    ;
  finish();
  return R;
}
