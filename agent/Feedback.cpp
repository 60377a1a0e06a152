#include "agent/Feedback.h"
#include "agent/Workbench.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace kcheck;
using namespace kcheck::agent;
namespace json = llvm::json;

static constexpr std::pair<Stage, const char *> Stages[] = {{Stage::Policy, "policy"}, {Stage::Build, "build"},     {Stage::Guard, "guard"},
                                                            {Stage::Static, "static"}, {Stage::Dynamic, "dynamic"}, {Stage::Measured, "measured"}};

llvm::StringRef agent::toString(Stage S) {
  for (auto &[Value, Name] : Stages)
    if (Value == S)
      return Name;
  return "";
}

std::vector<const Outcome *> agent::ranked(const std::vector<Outcome> &All) {
  std::vector<const Outcome *> Order;
  for (const Outcome &O : All)
    Order.push_back(&O);
  llvm::stable_sort(Order, [](const Outcome *A, const Outcome *B) {
    if (A->good() != B->good())
      return A->good();
    return A->good() && A->Speedup > B->Speedup;
  });
  return Order;
}

llvm::StringRef agent::verdictOn(const Outcome &O) {
  if (!O.good())
    return "not answered";
  double Said = O.What.PredictedGain;
  if (O.Gain < 0.99)
    return "wrong";
  if (O.Gain < 1.01)
    return Said > 1.01 ? "wrong" : "no effect";
  return Said <= 0 || O.Gain >= 1 + (Said - 1) / 2 ? "holds" : "holds in part";
}

namespace {

std::string times(double X) { return llvm::formatv("{0:f2}x", X); }

std::string changeOf(const Candidate &C) { return C.Source ? "an edited source" : toString(C.Steps); }

std::string primary(const Diagnosis &D) {
  return D.Found.empty() ? "nothing that counters show" : D.Found.front().Label + " (" + D.Found.front().Evidence + ")";
}

/// Actions with a setting each, as words to compare candidates by.
std::set<std::string> traits(const Outcome &O) {
  std::set<std::string> T;
  if (O.What.Source)
    T.insert("a free edit");
  for (const Step &S : O.What.Steps) {
    T.insert(S.Action);
    for (const auto &[Name, Value] : S.Set)
      T.insert(S.Action + " " + Name + "=" + std::to_string(Value));
  }
  for (const Bottleneck &B : O.Why.Found)
    if (&B == &O.Why.Found.front())
      T.insert("limited by " + B.Label);
  return T;
}

struct Ends {
  std::vector<const Outcome *> Best, Worst;
};

/// The good ones from both ends; nobody stands in both.
Ends endsOf(const Round &R, unsigned Top) {
  std::vector<const Outcome *> Good;
  for (const Outcome *O : ranked(R.Outcomes))
    if (O->good())
      Good.push_back(O);
  Ends E;
  size_t Best = std::min<size_t>(Top, (Good.size() + 1) / 2);
  E.Best.assign(Good.begin(), Good.begin() + Best);
  for (size_t I = Good.size(); I > Best && E.Worst.size() < Top; --I)
    E.Worst.push_back(Good[I - 1]);
  return E;
}

/// What all of A have and none of B.
std::vector<std::string> only(const std::vector<const Outcome *> &A, const std::vector<const Outcome *> &B) {
  std::vector<std::string> Out;
  if (A.empty() || B.empty())
    return Out;
  std::map<std::string, size_t> Count;
  for (const Outcome *O : A)
    for (const std::string &T : traits(*O))
      ++Count[T];
  std::set<std::string> Others;
  for (const Outcome *O : B)
    Others.merge(traits(*O));
  for (auto &[T, N] : Count)
    if (N == A.size() && !Others.count(T))
      Out.push_back(T);
  return Out;
}

std::string outcomeOf(const Outcome &O) {
  std::string Text = verdictOn(O).str();
  if (O.good())
    Text += llvm::formatv(", {0:f2}x of `{1}`", O.Gain, O.What.heldAgainst());
  if (O.good() && O.What.PredictedGain > 0)
    Text += llvm::formatv(", {0:f2}x predicted", O.What.PredictedGain);
  return Text;
}

void rankingLine(llvm::raw_ostream &OS, const Outcome &O, size_t Place) {
  OS << llvm::formatv("{0}. `{1}` {2:f4} ms, {3} of the start: {4} on `{5}`", Place, O.What.Id, O.Measured.Ms, times(O.Speedup), changeOf(O.What), O.What.Parent);
  if (!O.Why.Found.empty())
    OS << "; now limited by " << primary(O.Why);
  if (O.Verdict == "REVIEW")
    OS << "; for review: " << llvm::join(O.Reasons, ", ");
  OS << "\n";
}

} // namespace

std::pair<std::vector<std::string>, std::vector<std::string>> agent::distinguishing(const Round &R, unsigned Top) {
  Ends E = endsOf(R, Top);
  return {only(E.Best, E.Worst), only(E.Worst, E.Best)};
}

std::string agent::feedbackMarkdown(const Round &R, unsigned Top) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  Ends E = endsOf(R, Top);
  OS << "### Round " << R.Number << "\n\n";
  if (E.Best.empty())
    OS << "No candidate of this round was right and timed.\n";
  size_t Good = llvm::count_if(R.Outcomes, [](const Outcome &O) { return O.good(); });
  for (size_t I = 0; I < E.Best.size(); ++I)
    rankingLine(OS, *E.Best[I], I + 1);
  if (!E.Worst.empty()) {
    OS << "\nLast of " << Good << ":\n";
    for (size_t I = E.Worst.size(); I-- > 0;)
      rankingLine(OS, *E.Worst[I], Good - I);
    std::vector<std::string> Plus = only(E.Best, E.Worst), Minus = only(E.Worst, E.Best);
    if (!Plus.empty())
      OS << "\nOnly the best have: " << llvm::join(Plus, ", ") << ".\n";
    if (!Minus.empty())
      OS << "\nOnly the last have: " << llvm::join(Minus, ", ") << ".\n";
  }
  bool Any = false;
  for (const Outcome &O : R.Outcomes) {
    if (O.good())
      continue;
    OS << (Any ? "" : "\nFailures:\n") << "- `" << O.What.Id << "` " << O.Failure << " (" << toString(O.Reached) << "): " << changeOf(O.What) << "\n";
    Any = true;
    llvm::SmallVector<llvm::StringRef> Lines;
    llvm::StringRef(O.Message).split(Lines, '\n', -1, false);
    for (llvm::StringRef L : llvm::ArrayRef(Lines).take_back(6))
      OS << "      " << L.rtrim() << "\n";
  }
  OS << "\nHypotheses:\n";
  for (const Outcome &O : R.Outcomes)
    if (!O.What.Hypothesis.empty())
      OS << "- `" << O.What.Id << "` " << O.What.Hypothesis << " -> " << outcomeOf(O) << "\n";
  return Text;
}

json::Value agent::feedbackJson(const Round &R, unsigned Top) {
  Ends E = endsOf(R, Top);
  auto line = [](const Outcome &O) {
    json::Object J{{"id", O.What.Id}, {"parent", O.What.Parent}, {"change", changeOf(O.What)}, {"ms", O.Measured.Ms}, {"speedup", O.Speedup}, {"gain", O.Gain}};
    if (!O.Why.Found.empty())
      J["primary"] = O.Why.Found.front().Label;
    return J;
  };
  json::Array Best, Worst, Failures, Hypotheses;
  for (const Outcome *O : E.Best)
    Best.push_back(line(*O));
  for (const Outcome *O : E.Worst)
    Worst.push_back(line(*O));
  for (const Outcome &O : R.Outcomes) {
    if (!O.good())
      Failures.push_back(json::Object{{"id", O.What.Id}, {"stage", toString(O.Reached)}, {"type", O.Failure}, {"message", O.Message}, {"change", changeOf(O.What)}});
    if (!O.What.Hypothesis.empty())
      Hypotheses.push_back(json::Object{{"id", O.What.Id}, {"hypothesis", O.What.Hypothesis}, {"predicted_gain", O.What.PredictedGain}, {"gain", O.Gain}, {"outcome", outcomeOf(O)}});
  }
  return json::Object{{"round", R.Number}, {"best", std::move(Best)}, {"worst", std::move(Worst)}, {"only_best", json::Array(only(E.Best, E.Worst))},
                      {"only_worst", json::Array(only(E.Worst, E.Best))}, {"failures", std::move(Failures)}, {"hypotheses", std::move(Hypotheses)}};
}

json::Value agent::toJson(const Outcome &O) {
  json::Array Others;
  for (const Measurement &M : O.Others)
    Others.push_back(toJson(M));
  return json::Object{{"facts", json::Object{{"uses_shared", O.Facts.UsesShared}, {"findings", json::Array(O.Facts.Findings)}}},
                      {"others", std::move(Others)}, {"candidate", toJson(O.What)}, {"stage", toString(O.Reached)}, {"failure", O.Failure}, {"message", O.Message}, {"text", O.Text},
                      {"hash", O.Hash}, {"verdict", O.Verdict}, {"reasons", json::Array(O.Reasons)}, {"measurement", toJson(O.Measured)},
                      {"diagnosis", toJson(O.Why)}, {"speedup", O.Speedup}, {"gain", O.Gain}, {"round", O.Round}};
}

static std::vector<std::string> texts(const json::Array *A) {
  std::vector<std::string> Out;
  for (size_t I = 0; A && I < A->size(); ++I)
    Out.push_back((*A)[I].getAsString().value_or("").str());
  return Out;
}

std::optional<Outcome> agent::outcomeFromJson(const json::Value &V, std::string &Error) {
  const json::Object *J = V.getAsObject();
  const json::Object *C = J ? J->getObject("candidate") : nullptr;
  if (!C) {
    Error = "an outcome has no candidate";
    return std::nullopt;
  }
  Outcome O;
  // What a policy failed to give has no change, so candidateFromJson would refuse it.
  json::Object Copy = *C;
  bool Bare = !Copy.get("source") && (!Copy.getArray("steps") || Copy.getArray("steps")->empty());
  if (Bare)
    Copy["steps"] = json::Array{"nothing"};
  auto Read = candidateFromJson(std::move(Copy), Error);
  if (!Read)
    return std::nullopt;
  O.What = std::move(*Read);
  if (Bare)
    O.What.Steps.clear();
  auto text = [&](const char *Key) { return J->getString(Key).value_or("").str(); };
  std::string Name = text("stage");
  auto It = llvm::find_if(Stages, [&](auto &P) { return Name == P.second; });
  if (It == std::end(Stages)) {
    Error = "unknown stage '" + Name + "'";
    return std::nullopt;
  }
  O.Reached = It->first;
  O.Failure = text("failure"), O.Message = text("message"), O.Text = text("text"), O.Hash = text("hash"), O.Verdict = text("verdict");
  O.Reasons = texts(J->getArray("reasons"));
  if (const json::Object *Facts = J->getObject("facts")) {
    O.Facts.UsesShared = Facts->getBoolean("uses_shared").value_or(false);
    O.Facts.Findings = texts(Facts->getArray("findings"));
  }
  if (const json::Value *M = J->get("measurement"))
    O.Measured = measurementFromJson(*M);
  if (const json::Array *A = J->getArray("others"))
    for (const json::Value &M : *A)
      O.Others.push_back(measurementFromJson(M));
  if (const json::Value *D = J->get("diagnosis"))
    O.Why = diagnosisFromJson(*D);
  O.Speedup = J->getNumber("speedup").value_or(0), O.Gain = J->getNumber("gain").value_or(0);
  O.Round = unsigned(J->getInteger("round").value_or(0));
  return O;
}

json::Value agent::toJson(const RunResult &R) {
  json::Array Others;
  for (const Measurement &M : R.Others)
    Others.push_back(toJson(M));
  return json::Object{{"verdict", R.Verdict}, {"failure", R.Failure}, {"message", R.Message}, {"reasons", json::Array(R.Reasons)},
                      {"measurement", toJson(R.Measured)}, {"others", std::move(Others)}};
}

RunResult agent::runResultFromJson(const json::Value &V) {
  RunResult R;
  const json::Object *J = V.getAsObject();
  if (!J)
    return R;
  auto text = [&](const char *Key) { return J->getString(Key).value_or("").str(); };
  R.Verdict = text("verdict"), R.Failure = text("failure"), R.Message = text("message");
  R.Reasons = texts(J->getArray("reasons"));
  if (const json::Value *M = J->get("measurement"))
    R.Measured = measurementFromJson(*M);
  if (const json::Array *A = J->getArray("others"))
    for (const json::Value &M : *A)
      R.Others.push_back(measurementFromJson(M));
  return R;
}
