// An answer, held against what the context allows.
#include "agent/chat/Extract.h"
#include "agent/policy/Asking.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kcheck;
using namespace kcheck::agent;
namespace json = llvm::json;

namespace {

constexpr size_t MostSource = 1u << 20, MostSteps = 12, MostShown = 60;

std::string quoted(llvm::StringRef Name) { return ("'" + Name.take_front(MostShown) + "'").str(); }

const ActionDoc *find(const Context &C, llvm::StringRef Name) {
  auto It = llvm::find_if(C.Actions, [&](const ActionDoc &A) { return A.Name == Name; });
  return It == C.Actions.end() ? nullptr : &*It;
}

/// Why the step is none; empty: it is one.
std::string faultOf(const Step &S, const Context &C) {
  const ActionDoc *A = find(C, S.Action);
  if (!A)
    return "there is no action " + quoted(S.Action) + "; there are " + llvm::join(llvm::map_range(C.Actions, [](const ActionDoc &X) { return X.Name; }), ", ");
  for (const auto &[Name, Value] : S.Set)
    if (llvm::none_of(A->Parameters, [&, &Name = Name](const auto &P) { return P.first == Name; }))
      return A->Name + " has no parameter " + quoted(Name) +
             (A->Parameters.empty() ? "" : "; it has " + llvm::join(llvm::map_range(A->Parameters, [](const auto &P) { return P.first; }), ", "));
  return "";
}

std::string faultOf(const Candidate &X, const Context &C) {
  auto Parent = llvm::find_if(C.Parents, [&](const agent::Parent &P) { return P.Id == X.Parent; });
  if (!X.Parent.empty() && Parent == C.Parents.end())
    return "there is no parent " + quoted(X.Parent) + "; there are " + llvm::join(llvm::map_range(C.Parents, [](const agent::Parent &P) { return P.Id; }), ", ");
  if (llvm::StringRef(X.Hypothesis).trim().empty())
    return "a hypothesis is missing";
  if (X.Source && X.Source->size() > MostSource)
    return "the source is longer than 1 MiB";
  if (X.Source && !C.Parents.empty() && *X.Source == (Parent == C.Parents.end() ? C.Parents.front() : *Parent).Text)
    return "the source is the parent's, unchanged";
  if (X.Steps.size() > MostSteps)
    return "more than " + std::to_string(MostSteps) + " steps";
  for (const Step &S : X.Steps)
    if (std::string Fault = faultOf(S, C); !Fault.empty())
      return Fault;
  return "";
}

/// The first object that has candidates; none: what is wrong.
std::optional<json::Object> mainObject(llvm::StringRef Text, std::string &Fault) {
  Fault = "the answer holds no JSON object";
  for (std::string_view Part : objectsIn(Text)) {
    auto V = json::parse(llvm::StringRef(Part.data(), Part.size()));
    if (!V) {
      std::string Why = llvm::toString(V.takeError());
      if (Part.find("\"candidates\"") != Part.npos)
        Fault = "the answer is no valid JSON: " + Why;
      continue;
    }
    json::Object *O = V->getAsObject();
    if (O && O->getArray("candidates"))
      return std::move(*O);
    if (O && Fault.find("valid") == Fault.npos)
      Fault = "the object has no array 'candidates'";
  }
  return std::nullopt;
}

} // namespace

ReadReply agent::readReply(llvm::StringRef Text, const Context &C, unsigned Wanted) {
  ReadReply Out;
  std::string Fault;
  auto O = mainObject(Text, Fault);
  if (!O) {
    Out.Faults.push_back(Fault);
    return Out;
  }
  Out.Analysis = O->getString("analysis").value_or("").str();
  const json::Array &All = *O->getArray("candidates");
  for (size_t I = 0; I < All.size() && Out.Candidates.size() + Out.Faults.size() < Wanted; ++I) {
    std::string Why;
    auto X = candidateFromJson(All[I], Why);
    if (X)
      Why = faultOf(*X, C);
    if (!Why.empty() || !X) {
      Out.Faults.push_back("candidate " + std::to_string(I + 1) + ": " + Why);
      continue;
    }
    X->Id.clear(); // the loop gives names
    if (llvm::is_contained(Out.Candidates, *X))
      Out.Faults.push_back("candidate " + std::to_string(I + 1) + ": the same as an earlier one");
    else
      Out.Candidates.push_back(std::move(*X));
  }
  if (All.empty())
    Out.Faults.push_back("no candidates");
  return Out;
}
