//===- Action.h - what an action is --------------------------------------------===//
//
//   TranslationUnit ─► ActionContext ─► find: sites, each legal or with the reason why not
//                                         │ legal parameter sets with their predicted effect
//                                         └─► Apply(settings) ─► edits ─► Rewrite.h
//
// An action says what it can do from the analyses alone, before anything is changed. Its edits go through
// rewrite(), which formats what is new, parses the result again and refuses it when it does not compile or
// does something else than before.
//
// To add an action: actions/<name>/<name>.cpp with a find function and KCHECK_ACTION at its end,
// test/lit/actions/<name>.cu and docs/actions/<name>.md. CMake finds the folder by itself.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_ACTION_H
#define KCHECK_ACTIONS_ENGINE_ACTION_H

#include "analyzers/engine/Finding.h"
#include <functional>
#include <map>

namespace kcheck {

class ActionContext;

using Settings = std::map<std::string, int64_t>;

/// A number that the user may choose: one of Values, or anything from Min to Max when there are none.
struct ActionParameter {
  llvm::StringRef Name, Summary;
  std::vector<int64_t> Values;
  int64_t Min = 0, Max = 0;
  bool allows(int64_t V) const;
  std::string range() const; ///< "16, 32, 64" or "1 to 1024"
};

/// Values that are legal together at a site, and what they are expected to change.
struct ParameterSet {
  Settings Values;
  llvm::json::Object Effect;
};

/// A place where an action was looked for. Lives as long as the AST.
struct Site {
  std::string Kernel;
  Location Where;
  std::string What;   ///< "loop over i"
  std::string WhyNot; ///< empty: the action applies
  std::vector<ParameterSet> Sets; ///< legal ones, the best guess first; a free parameter stands with its default
  bool OnlyListed = false;        ///< nothing but a listed set is legal
  std::function<llvm::Expected<std::vector<Edit>>(const Settings &)> Apply;
};

struct ActionInfo {
  llvm::StringRef Name, Summary;
  std::vector<ActionParameter> Parameters;
  void (*Find)(ActionContext &Ctx, std::vector<Site> &Out);
  const ActionParameter *parameter(llvm::StringRef Name) const;
};

/// All actions of this program, by name.
llvm::ArrayRef<ActionInfo> allActions();
const ActionInfo *findAction(llvm::StringRef Name);

namespace detail {
struct ActionRegistration {
  explicit ActionRegistration(ActionInfo Info);
};
} // namespace detail

#define KCHECK_ACTION(Id, ...) static const ::kcheck::detail::ActionRegistration Register##Id(::kcheck::ActionInfo{__VA_ARGS__})

} // namespace kcheck
#endif
