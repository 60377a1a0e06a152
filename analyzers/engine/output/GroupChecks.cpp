// The "+" lines of the static block: what each rule that found nothing has looked at. A rule that says so
// itself (RuleContext::passed) is quoted, the others get a plain line.
#include "analyzers/engine/output/Report.h"

using namespace kcheck;

static llvm::StringRef label(llvm::StringRef Cmpd) {
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> Labels[] = {
      {"0", "compile"},         {"1", "global effect"}, {"2", "index mapping"},
      {"3", "api"},             {"4", "macros"},        {"5", "templates"},
      {"6", "shared memory"},   {"7", "synchronisation"}, {"8", "type widths"},
      {"P", "performance"},     {"S", "style"}};
  for (auto [Key, Text] : Labels)
    if (Key == Cmpd)
      return Text;
  return Cmpd;
}

static std::string plainLine(const RegisteredRule &R, const FileReport &F) {
  std::string Label = label(R.Info.Cmpd).str();
  bool Shared = llvm::any_of(F.Static.Kernels, [](const KernelSummary &K) { return K.UsesShared; });
  if (R.Info.Cmpd == "6" && !Shared)
    return Label + ": not used";
  return Label + ": no findings";
}

std::vector<std::pair<std::string, std::string>> kcheck::passedGroups(const FileReport &F) {
  std::vector<std::pair<std::string, std::string>> Lines;
  for (const RegisteredRule &R : allRules()) {
    if (R.Info.Cmpd == "S" || llvm::is_contained(F.Static.RulesOff, R.Info.Id)) // style is noted, not checked off
      continue;
    if (llvm::any_of(F.Static.Findings, [&](const Finding &X) { return X.Rule == R.Info.Id && !X.Suppressed; }))
      continue;
    bool Said = false;
    for (const PassedCheck &P : F.Static.Passed)
      if (P.Rule == R.Info.Id) {
        Lines.emplace_back(R.Info.Id, P.Text);
        Said = true;
      }
    if (!Said)
      Lines.emplace_back(R.Info.Id, plainLine(R, F));
  }
  return Lines;
}
