#include "analyzers/engine/Policy.h"
#include "analyzers/engine/BuiltinPolicy.h"
#include "llvm/Support/ErrorHandling.h"

using namespace kcheck;

const Policy &Policy::builtin() {
  static const Policy P = [] {
    Policy Made;
    llvm::Expected<llvm::json::Value> V = llvm::json::parse(BuiltinPolicyJson);
    if (!V)
      llvm::report_fatal_error("built-in policy is not valid JSON");
    Made.Root = std::move(*V);
    return Made;
  }();
  return P;
}

const llvm::json::Value *Policy::table(llvm::ArrayRef<llvm::StringRef> Path) const {
  const llvm::json::Value *V = &Root;
  for (llvm::StringRef Key : Path) {
    const llvm::json::Object *O = V->getAsObject();
    if (!O || !(V = O->get(Key)))
      return nullptr;
  }
  return V;
}

bool Policy::enabled(llvm::StringRef Rule) const {
  const llvm::json::Value *V = table({"rules", Rule, "enabled"});
  return !V || V->getAsBoolean().value_or(true);
}

Severity Policy::severity(llvm::StringRef Rule, llvm::StringRef Tag, Certainty Sure) const {
  // tags: {tag: reject} or {tag: {proven: reject, doubt: review}}
  Severity Proven = Severity::Review;
  std::optional<Severity> Doubt;
  const llvm::json::Value *V = table({"rules", Rule, "tags", Tag});
  if (V) {
    if (auto S = V->getAsString())
      Proven = parseSeverity(*S).value_or(Severity::Review);
    else if (const llvm::json::Object *O = V->getAsObject()) {
      if (auto S = O->getString("proven"))
        Proven = parseSeverity(*S).value_or(Severity::Review);
      if (auto S = O->getString("doubt"))
        Doubt = parseSeverity(*S);
    }
  }
  if (Sure == Certainty::Proven)
    return Proven;
  return std::min(Doubt.value_or(Severity::Review), std::min(Proven, Severity::Review));
}

static const llvm::json::Value *option(const Policy &P, llvm::StringRef Rule, llvm::StringRef Name) {
  return P.table({"rules", Rule, "options", Name});
}

int64_t Policy::intOption(llvm::StringRef Rule, llvm::StringRef Name, int64_t Default) const {
  const llvm::json::Value *V = option(*this, Rule, Name);
  return V ? V->getAsInteger().value_or(Default) : Default;
}
bool Policy::boolOption(llvm::StringRef Rule, llvm::StringRef Name, bool Default) const {
  const llvm::json::Value *V = option(*this, Rule, Name);
  return V ? V->getAsBoolean().value_or(Default) : Default;
}
double Policy::realOption(llvm::StringRef Rule, llvm::StringRef Name, double Default) const {
  const llvm::json::Value *V = option(*this, Rule, Name);
  return V ? V->getAsNumber().value_or(Default) : Default;
}
std::vector<std::string> Policy::listOption(llvm::StringRef Rule, llvm::StringRef Name) const {
  std::vector<std::string> Out;
  if (const llvm::json::Value *V = option(*this, Rule, Name))
    if (const llvm::json::Array *A = V->getAsArray())
      for (const llvm::json::Value &E : *A)
        if (auto S = E.getAsString())
          Out.push_back(S->str());
  return Out;
}
