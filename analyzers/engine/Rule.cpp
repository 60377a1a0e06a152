#include "analyzers/engine/Rule.h"
#include <algorithm>
#include <cassert>

using namespace kcheck;

static std::vector<RegisteredRule> &registry() {
  static std::vector<RegisteredRule> Rules;
  return Rules;
}

detail::RuleRegistration::RuleRegistration(RuleInfo Info, std::unique_ptr<Rule> (*Make)()) {
  auto &R = registry();
  R.push_back({Info, Make});
  std::sort(R.begin(), R.end(), [](const RegisteredRule &A, const RegisteredRule &B) {
    return std::tie(A.Info.Cmpd, A.Info.Id) < std::tie(B.Info.Cmpd, B.Info.Id);
  });
}

llvm::ArrayRef<RegisteredRule> kcheck::allRules() { return registry(); }

const RegisteredRule *kcheck::findRule(llvm::StringRef IdOrTag) {
  for (const RegisteredRule &R : registry()) {
    if (R.Info.Id == IdOrTag)
      return &R;
    for (const TagInfo &T : R.Info.Tags)
      if (T.Tag == IdOrTag || checkId(R.Info.Id, T.Tag) == IdOrTag)
        return &R;
  }
  return nullptr;
}

FindingBuilder::~FindingBuilder() {
  F.Level = Ctx.policy().severity(F.Rule, F.Tag, F.Sure);
  if (F.Level != Severity::Off)
    Ctx.Deliver(std::move(F));
}

FindingBuilder &FindingBuilder::kernel(const clang::FunctionDecl *K) {
  if (K)
    F.Kernel = K->getNameAsString();
  return *this;
}

FindingBuilder &FindingBuilder::note(clang::SourceLocation Loc, const llvm::Twine &Message) {
  F.Notes.push_back({Ctx.TU.where(Loc), Message.str()});
  return *this;
}

FindingBuilder &FindingBuilder::evidence(llvm::StringRef Key, llvm::json::Value V) {
  F.Evidence[Key] = std::move(V);
  return *this;
}

FindingBuilder RuleContext::report(llvm::StringRef Tag, clang::SourceLocation Loc,
                                   const llvm::Twine &Message) {
  return report(Tag, TU.where(Loc), Message);
}

FindingBuilder RuleContext::report(llvm::StringRef Tag, Location Where, const llvm::Twine &Message) {
  assert(llvm::any_of(Info.Tags, [&](const TagInfo &T) { return T.Tag == Tag; }) && "tag not declared");
  Finding F;
  F.Rule = Info.Id.str();
  F.Cmpd = Info.Cmpd.str();
  F.Tag = Tag.str();
  F.Where = std::move(Where);
  F.Message = Message.str();
  return FindingBuilder(*this, std::move(F));
}

std::vector<Finding> kcheck::runRules(TranslationUnit &TU, const Policy &P) {
  std::vector<Finding> Found;
  for (const RegisteredRule &R : allRules()) {
    if (!P.enabled(R.Info.Id))
      continue;
    RuleContext Ctx(TU, R.Info, P, [&](Finding F) { Found.push_back(std::move(F)); });
    R.Make()->check(Ctx);
  }
  return Found;
}
