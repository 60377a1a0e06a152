#include "tools/kcheck/EditReports.h"
#include "analyzers/engine/output/Report.h"

using namespace kcheck;

static llvm::json::Object parameter(const ActionParameter &P) {
  llvm::json::Object O{{"name", P.Name}, {"summary", P.Summary}};
  if (P.Values.empty()) {
    O["min"] = P.Min;
    O["max"] = P.Max;
  } else {
    O["values"] = llvm::json::Array(P.Values);
  }
  return O;
}

llvm::json::Value cli::actionsJson(llvm::StringRef File, FileActions &F) {
  llvm::json::Array Actions;
  for (ActionSummary &A : F.Actions) {
    llvm::json::Array Sites, Parameters;
    for (const ActionParameter &P : A.Info->Parameters)
      Parameters.push_back(parameter(P));
    for (SiteSummary &S : A.Sites) {
      llvm::json::Object O{{"kernel", S.Kernel}, {"line", S.Where.Line}, {"what", S.What}, {"applies", S.WhyNot.empty()}};
      if (!S.WhyNot.empty())
        O["why_not"] = S.WhyNot;
      llvm::json::Array Sets;
      for (ParameterSet &P : S.Sets) {
        llvm::json::Object Values;
        for (auto &[K, V] : P.Values)
          Values[K] = V;
        Sets.push_back(llvm::json::Object{{"set", std::move(Values)}, {"effect", std::move(P.Effect)}});
      }
      O["sets"] = std::move(Sets);
      Sites.push_back(std::move(O));
    }
    Actions.push_back(llvm::json::Object{{"action", A.Info->Name}, {"summary", A.Info->Summary}, {"parameters", std::move(Parameters)}, {"sites", std::move(Sites)}});
  }
  llvm::json::Object O{{"schema", "kcheck.actions/1"}, {"file", File.str()}, {"kernels", llvm::json::Array(F.Kernels)}, {"actions", std::move(Actions)}};
  if (!F.Errors.empty())
    O["errors"] = llvm::json::Array(F.Errors);
  return O;
}

llvm::json::Value cli::guardJson(llvm::StringRef Parent, llvm::StringRef Candidate, const GuardResult &R) {
  llvm::json::Array Violations, Touched;
  for (const Finding &F : R.Violations)
    Violations.push_back(llvm::json::Object{{"tag", F.Tag}, {"check", F.check()}, {"severity", toString(F.Level)}, {"line", F.Where.Line}, {"function", F.Kernel}, {"message", F.Message}});
  for (const kcheck::Touched &T : R.Changes)
    Touched.push_back(llvm::json::Object{{"function", T.Function}, {"line", T.Line}, {"what", T.What}});
  return llvm::json::Object{{"schema", "kcheck.guard/1"}, {"parent", Parent.str()}, {"candidate", Candidate.str()}, {"verdict", toString(verdictOf(R.Worst))},
                            {"violations", std::move(Violations)}, {"touched", std::move(Touched)}};
}
