#include "actions/engine/Action.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kcheck;

static std::vector<ActionInfo> &registry() {
  static std::vector<ActionInfo> Actions;
  return Actions;
}

detail::ActionRegistration::ActionRegistration(ActionInfo Info) {
  auto &R = registry();
  R.push_back(std::move(Info));
  llvm::sort(R, [](const ActionInfo &A, const ActionInfo &B) { return A.Name < B.Name; });
}

llvm::ArrayRef<ActionInfo> kcheck::allActions() { return registry(); }

const ActionInfo *kcheck::findAction(llvm::StringRef Name) {
  auto It = llvm::find_if(registry(), [&](const ActionInfo &A) { return A.Name == Name; });
  return It == registry().end() ? nullptr : &*It;
}

bool ActionParameter::allows(int64_t V) const {
  return Values.empty() ? V >= Min && V <= Max : llvm::is_contained(Values, V);
}

std::string ActionParameter::range() const {
  if (Values.empty())
    return std::to_string(Min) + " to " + std::to_string(Max);
  return llvm::join(llvm::map_range(Values, [](int64_t V) { return std::to_string(V); }), ", ");
}

const ActionParameter *ActionInfo::parameter(llvm::StringRef Name) const {
  auto It = llvm::find_if(Parameters, [&](const ActionParameter &P) { return P.Name == Name; });
  return It == Parameters.end() ? nullptr : &*It;
}
