#include "analyzers/engine/Finding.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace kcheck;

std::string kcheck::checkId(llvm::StringRef Rule, llvm::StringRef Tag) {
  std::string Id = (Rule + "-" + Tag).str();
  std::replace(Id.begin(), Id.end(), '_', '-');
  return Id;
}

std::string Finding::check() const { return checkId(Rule, Tag); }

llvm::StringRef kcheck::toString(Severity S) {
  switch (S) {
  case Severity::Off: return "off";
  case Severity::Note: return "note";
  case Severity::Review: return "review";
  case Severity::Reject: return "reject";
  }
  return "review";
}

std::optional<Severity> kcheck::parseSeverity(llvm::StringRef Text) {
  return llvm::StringSwitch<std::optional<Severity>>(Text)
      .Case("off", Severity::Off)
      .Case("note", Severity::Note)
      .Case("review", Severity::Review)
      .Case("reject", Severity::Reject)
      .Default(std::nullopt);
}
