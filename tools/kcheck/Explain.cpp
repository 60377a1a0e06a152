#include "tools/kcheck/Explain.h"
#include "analyzers/engine/Rule.h"
#include "tools/kcheck/Command.h"
#include "tools/kcheck/RulePages.h"

using namespace kcheck;
using namespace kcheck::cli;

namespace {

llvm::StringRef pageOf(llvm::StringRef Rule) {
  for (const RulePage &P : RulePages)
    if (P.Rule && Rule == P.Rule)
      return P.Text;
  return {};
}

/// True for `#`s and a title that names Word as a whole.
bool isHeadingOf(llvm::StringRef Line, llvm::StringRef Word) {
  if (!Line.starts_with("#"))
    return false;
  auto IsWord = [](char C) { return isalnum(static_cast<unsigned char>(C)) || C == '_'; };
  for (size_t At = Line.find(Word); At != llvm::StringRef::npos; At = Line.find(Word, At + 1))
    if (!IsWord(Line[At - 1]) && (At + Word.size() == Line.size() || !IsWord(Line[At + Word.size()])))
      return true;
  return false;
}

/// The section of Page whose heading names Tag, down to the next heading of the same or a higher level.
llvm::StringRef section(llvm::StringRef Page, llvm::StringRef Tag) {
  size_t Start = llvm::StringRef::npos, Level = 0;
  bool Fenced = false;
  for (size_t At = 0; At < Page.size();) {
    size_t End = std::min(Page.find('\n', At), Page.size());
    llvm::StringRef Line = Page.slice(At, End);
    if (Line.starts_with("```"))
      Fenced = !Fenced;
    size_t Here = Fenced ? 0 : Line.find_first_not_of('#');
    if (Start != llvm::StringRef::npos && Here > 0 && Here != llvm::StringRef::npos && Here <= Level)
      return Page.slice(Start, At);
    if (Start == llvm::StringRef::npos && !Fenced && isHeadingOf(Line, Tag)) {
      Start = At;
      Level = Line.find_first_not_of('#');
    }
    At = End + 1;
  }
  return Start == llvm::StringRef::npos ? llvm::StringRef() : Page.drop_front(Start);
}

std::string weights(llvm::StringRef Rule, llvm::StringRef Tag) {
  const Policy &P = Policy::builtin();
  return ("proven: " + toString(P.severity(Rule, Tag, Certainty::Proven)) + ", doubt: " + toString(P.severity(Rule, Tag, Certainty::Doubt))).str();
}

void explainTag(llvm::raw_ostream &OS, const RegisteredRule &R, const TagInfo &T) {
  OS << checkId(R.Info.Id, T.Tag) << ": " << T.Summary << " (" << weights(R.Info.Id, T.Tag) << ")\n";
  llvm::StringRef Page = pageOf(R.Info.Id);
  llvm::StringRef Part = section(Page, T.Tag);
  if (Part.empty())
    Part = Page;
  if (!Part.empty())
    OS << "\n" << Part.rtrim() << "\n";
}

void explainRule(llvm::raw_ostream &OS, const RegisteredRule &R) {
  llvm::StringRef Page = pageOf(R.Info.Id);
  if (Page.empty())
    OS << "# " << R.Info.Id << "\n\n" << R.Info.Summary << "\n";
  else
    OS << Page.rtrim() << "\n";
  OS << "\nTags:\n";
  for (const TagInfo &T : R.Info.Tags)
    OS << "  " << T.Tag << ": " << T.Summary << " (" << weights(R.Info.Id, T.Tag) << ")\n";
}

/// Tags of the run belong to no rule that reads code: they are in the policy and on one page.
bool explainDynamic(llvm::raw_ostream &OS, llvm::StringRef Name, std::vector<std::string> &Known) {
  constexpr llvm::StringLiteral Rule = "kcheck-dynamic";
  Known.push_back(Rule.str());
  if (Name == Rule || Name == "dynamic")
    return OS << pageOf(Rule).rtrim() << "\n", true;
  for (const auto &[Id, Tags] : Policy::builtin().ruleTags())
    for (const std::string &Tag : Tags) {
      if (Id != Rule)
        continue;
      if (Name != Tag && Name != checkId(Rule, Tag)) {
        Known.push_back(Tag);
        continue;
      }
      llvm::StringRef Page = pageOf(Rule), Part;
      for (llvm::StringRef Rest = Page; !Rest.empty();) { // the part whose table has the tag
        size_t End = Rest.find("\n## ");
        llvm::StringRef Here = Rest.take_front(End);
        if (Here.contains(("`" + Tag + "`")))
          Part = Here;
        Rest = End == llvm::StringRef::npos ? llvm::StringRef() : Rest.drop_front(End + 1);
      }
      OS << checkId(Rule, Tag) << " (" << weights(Rule, Tag) << ")\n\n" << Part.rtrim() << "\n";
      return true;
    }
  return false;
}

} // namespace

llvm::Expected<std::string> cli::explain(llvm::StringRef Name) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  std::vector<std::string> Known;
  for (const RegisteredRule &R : allRules()) {
    Known.push_back(R.Info.Id.str());
    if (R.Info.Id == Name || R.Info.Id == ("kcheck-" + Name).str() || ("R" + R.Info.Cmpd).str() == Name)
      return explainRule(OS, R), Text;
    for (const TagInfo &T : R.Info.Tags) {
      std::string Check = checkId(R.Info.Id, T.Tag);
      if (T.Tag == Name || Check == Name)
        return explainTag(OS, R, T), Text;
      Known.push_back(T.Tag.str());
      Known.push_back(Check);
    }
  }
  if (explainDynamic(OS, Name, Known))
    return Text;
  std::string Hint = didYouMean(Name, Known);
  return llvm::createStringError("'" + Name + "' is no rule, tag or check" + (Hint.empty() ? "; 'kcheck rules' lists them" : Hint));
}
