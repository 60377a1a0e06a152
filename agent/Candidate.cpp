#include "agent/Candidate.h"
#include "llvm/ADT/StringExtras.h"

using namespace kcheck;
using namespace kcheck::agent;
namespace json = llvm::json;

std::string agent::toString(const Step &S) {
  std::string Text = S.Action, Set;
  for (const auto &[Name, Value] : S.Set)
    Set += (Set.empty() ? "" : ",") + Name + "=" + std::to_string(Value);
  if (!Set.empty())
    Text += ":" + Set;
  if (!S.Kernel.empty() || S.Line)
    Text += "@" + S.Kernel + (S.Line ? ":" + std::to_string(S.Line) : "");
  return Text;
}

std::string agent::toString(const std::vector<Step> &Steps) {
  std::string Text;
  for (const Step &S : Steps)
    Text += (Text.empty() ? "" : ", ") + toString(S);
  return Text.empty() ? "nothing" : Text;
}

static bool isName(llvm::StringRef Word) {
  return !Word.empty() && llvm::all_of(Word, [](char C) { return llvm::isAlnum(C) || C == '-' || C == '_'; });
}

static bool parseSettings(llvm::StringRef Text, Step &S, std::string &Error) {
  while (!Text.empty()) {
    auto [One, Rest] = Text.split(',');
    auto [Name, Value] = One.split('=');
    int64_t N = 0;
    if (!isName(Name.trim()) || Value.trim().getAsInteger(0, N)) {
      Error = "'" + One.str() + "' is no name=number";
      return false;
    }
    S.Set[Name.trim().str()] = N;
    Text = Rest;
  }
  return true;
}

std::optional<Step> agent::parseStep(llvm::StringRef Text, std::string &Error) {
  Step S;
  auto [What, Where] = Text.split('@');
  auto [Action, Set] = What.split(':');
  S.Action = Action.trim().str();
  if (!isName(S.Action)) {
    Error = "'" + Text.str() + "' does not begin with an action's name";
    return std::nullopt;
  }
  if (!parseSettings(Set.trim(), S, Error))
    return std::nullopt;
  auto [Kernel, Line] = Where.rsplit(':');
  S.Kernel = Kernel.trim().str();
  if (!Line.empty() && Line.trim().getAsInteger(10, S.Line)) {
    Error = "'" + Line.str() + "' is no line";
    return std::nullopt;
  }
  return S;
}

json::Value agent::toJson(const Step &S) {
  json::Object Set;
  for (const auto &[Name, Value] : S.Set)
    Set[Name] = Value;
  json::Object J{{"action", S.Action}, {"set", std::move(Set)}};
  if (!S.Kernel.empty())
    J["kernel"] = S.Kernel;
  if (S.Line)
    J["line"] = S.Line;
  return J;
}

json::Value agent::toJson(const Candidate &C) {
  json::Object J{{"id", C.Id}, {"parent", C.Parent}, {"hypothesis", C.Hypothesis}};
  if (!C.Varies.empty())
    J["varies"] = C.Varies;
  if (C.PredictedGain > 0)
    J["predicted_gain"] = C.PredictedGain;
  if (C.Source)
    J["source"] = *C.Source;
  else {
    json::Array Steps;
    for (const Step &S : C.Steps)
      Steps.push_back(toJson(S));
    J["steps"] = std::move(Steps);
  }
  return J;
}

namespace {

/// Reads an object and keeps the first complaint.
struct Reader {
  const json::Object &O;
  std::string Path;
  std::string &Error;

  bool fail(llvm::StringRef Key, const char *What) {
    if (Error.empty())
      Error = Path + (Path.empty() ? "" : ".") + Key.str() + ": " + What;
    return false;
  }
  bool text(llvm::StringRef Key, std::string &To) {
    const json::Value *V = O.get(Key);
    if (!V || V->kind() == json::Value::Null)
      return true;
    auto S = V->getAsString();
    if (!S)
      return fail(Key, "a string is wanted");
    To = S->str();
    return true;
  }
  bool number(llvm::StringRef Key, double &To) {
    const json::Value *V = O.get(Key);
    if (!V || V->kind() == json::Value::Null)
      return true;
    auto N = V->getAsNumber();
    if (!N)
      return fail(Key, "a number is wanted");
    To = *N;
    return true;
  }
};

bool readSettings(const json::Value &V, Step &S) {
  const json::Object *Set = V.getAsObject();
  if (!Set)
    return false;
  for (const auto &[Name, Value] : *Set) {
    std::optional<int64_t> N = Value.getAsInteger();
    if (auto B = Value.getAsBoolean())
      N = *B;
    if (!N || !isName(Name))
      return false;
    S.Set[llvm::StringRef(Name).str()] = *N;
  }
  return true;
}

std::optional<Step> readStep(const json::Value &V, const std::string &Path, std::string &Error) {
  if (auto Text = V.getAsString()) {
    auto S = parseStep(*Text, Error);
    if (!S)
      Error = Path + ": " + Error;
    return S;
  }
  const json::Object *O = V.getAsObject();
  if (!O) {
    Error = Path + ": an object or a text such as \"unroll:factor=4\" is wanted";
    return std::nullopt;
  }
  Step S;
  Reader R{*O, Path, Error};
  double Line = 0;
  if (!R.text("action", S.Action) || !R.text("kernel", S.Kernel) || !R.number("line", Line))
    return std::nullopt;
  if (!isName(S.Action) || Line < 0 || Line > 1e9) {
    R.fail(isName(S.Action) ? "line" : "action", isName(S.Action) ? "a line is wanted" : "the name of an action is wanted");
    return std::nullopt;
  }
  S.Line = unsigned(Line);
  const json::Value *Set = O->get("set");
  if (!Set)
    Set = O->get("parameters");
  if (Set && Set->kind() != json::Value::Null && !readSettings(*Set, S)) {
    R.fail("set", "an object of whole numbers is wanted");
    return std::nullopt;
  }
  return S;
}

} // namespace

std::optional<Candidate> agent::candidateFromJson(const json::Value &V, std::string &Error) {
  const json::Object *O = V.getAsObject();
  if (!O) {
    Error = "a candidate must be an object";
    return std::nullopt;
  }
  Candidate C;
  Reader R{*O, "", Error};
  std::string Source;
  if (!R.text("id", C.Id) || !R.text("parent", C.Parent) || !R.text("varies", C.Varies) || !R.text("hypothesis", C.Hypothesis) || !R.text("source", Source) ||
      !R.number("predicted_gain", C.PredictedGain))
    return std::nullopt;
  if (!Source.empty())
    C.Source = std::move(Source);
  if (const json::Value *Steps = O->get("steps"); Steps && Steps->kind() != json::Value::Null) {
    const json::Array *A = Steps->getAsArray();
    if (!A) {
      R.fail("steps", "an array is wanted");
      return std::nullopt;
    }
    for (size_t I = 0; I < A->size(); ++I) {
      auto S = readStep((*A)[I], "steps[" + std::to_string(I) + "]", Error);
      if (!S)
        return std::nullopt;
      C.Steps.push_back(std::move(*S));
    }
  }
  if (C.Source.has_value() == !C.Steps.empty()) {
    Error = C.Source ? "both 'steps' and 'source' are given: one change at a time" : "neither 'steps' nor 'source' is given";
    return std::nullopt;
  }
  return C;
}
