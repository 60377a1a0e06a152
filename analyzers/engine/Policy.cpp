#include "analyzers/engine/Policy.h"
#include "analyzers/engine/BuiltinPolicy.h"
#include "analyzers/engine/DidYouMean.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"

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

/// '*' any characters but '/', '**' any, '?' one. Plain recursion: patterns are short.
static bool globMatch(llvm::StringRef P, llvm::StringRef T) {
  if (P.empty())
    return T.empty();
  if (P.starts_with("**")) {
    llvm::StringRef Rest = P.drop_front(2);
    if (Rest.starts_with("/") && globMatch(Rest.drop_front(), T))
      return true;
    for (size_t I = 0; I <= T.size(); ++I)
      if (globMatch(Rest, T.drop_front(I)))
        return true;
    return false;
  }
  if (P[0] == '*') {
    for (size_t I = 0; I <= T.size(); ++I) {
      if (globMatch(P.drop_front(), T.drop_front(I)))
        return true;
      if (I < T.size() && T[I] == '/')
        return false;
    }
    return false;
  }
  if (T.empty() || (P[0] != '?' && P[0] != T[0]))
    return false;
  return globMatch(P.drop_front(), T.drop_front());
}

bool Policy::names(llvm::StringRef Pattern, llvm::StringRef Rule, llvm::StringRef Tag) {
  if (Pattern == Rule || Pattern == Tag)
    return true;
  return globMatch(Pattern, Rule) || globMatch(Pattern, Tag) || globMatch(Pattern, checkId(Rule, Tag));
}

std::vector<std::pair<std::string, std::vector<std::string>>> Policy::ruleTags() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> Out;
  const llvm::json::Value *Rules = table({"rules"});
  if (!Rules || !Rules->getAsObject())
    return Out;
  for (const auto &[Id, R] : *Rules->getAsObject()) {
    std::vector<std::string> Tags;
    if (const llvm::json::Object *O = R.getAsObject())
      if (const llvm::json::Object *T = O->getObject("tags"))
        for (const auto &[Tag, Level] : *T)
          Tags.push_back(Tag.str());
    std::sort(Tags.begin(), Tags.end());
    Out.emplace_back(Id.str(), std::move(Tags));
  }
  std::sort(Out.begin(), Out.end());
  return Out;
}

llvm::Error Policy::select(llvm::StringRef List) {
  llvm::SmallVector<llvm::StringRef, 8> Items;
  List.split(Items, ',', -1, false);
  auto All = ruleTags();
  std::map<std::pair<std::string, std::string>, bool> On;
  bool Default = Items.empty() || Items.front().trim().starts_with("-");
  for (auto &[Rule, Tags] : All)
    for (auto &Tag : Tags)
      On[{Rule, Tag}] = Default;
  for (llvm::StringRef Item : Items) {
    Item = Item.trim();
    bool Add = !Item.consume_front("-");
    bool Any = false;
    for (auto &[Key, Value] : On)
      if (names(Item, Key.first, Key.second)) {
        Value = Add;
        Any = true;
      }
    if (Any)
      continue;
    std::vector<std::string> Known;
    for (auto &[Key, Value] : On) {
      Known.push_back(Key.first);
      Known.push_back(Key.second);
      Known.push_back(checkId(Key.first, Key.second));
    }
    std::string Near = nearest(Item, Known);
    return llvm::createStringError("'" + Item + "' names no rule, tag or check" +
                                   (Near.empty() ? std::string("; 'kcheck rules' lists them") : "; did you mean '" + Near + "'?"));
  }
  llvm::json::Object *Rules = Root.getAsObject()->getObject("rules");
  for (auto &[Rule, Tags] : All) {
    llvm::json::Object *R = Rules->getObject(Rule);
    bool AnyOn = false;
    for (auto &Tag : Tags) {
      if (On[{Rule, Tag}])
        AnyOn = true;
      else
        (*R->getObject("tags"))[Tag] = "off";
    }
    if (!AnyOn)
      (*R)["enabled"] = false;
  }
  return llvm::Error::success();
}

std::string Policy::exemption(llvm::StringRef File, llvm::StringRef Rule, llvm::StringRef Tag) const {
  const llvm::json::Value *V = table({"exempt"});
  const llvm::json::Array *List = V ? V->getAsArray() : nullptr;
  if (!List)
    return {};
  for (const llvm::json::Value &E : *List) {
    const llvm::json::Object *O = E.getAsObject();
    auto Path = O ? O->getString("path") : std::nullopt;
    // A pattern matches the whole path or its end, from a folder border.
    if (!Path || !(globMatch(*Path, File) || globMatch(("**/" + *Path).str(), File)))
      continue;
    const llvm::json::Array *Rules = O->getArray("rules");
    if (!Rules)
      return Path->str();
    for (const llvm::json::Value &R : *Rules)
      if (auto S = R.getAsString(); S && names(*S, Rule, Tag))
        return Path->str();
  }
  return {};
}
