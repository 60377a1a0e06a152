// kcheck explain RULE|TAG|CHECK: the rule's page, or the part of it that is about the tag.
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

void explainTag(const RegisteredRule &R, const TagInfo &T) {
  llvm::outs() << checkId(R.Info.Id, T.Tag) << ": " << T.Summary << " (" << weights(R.Info.Id, T.Tag) << ")\n";
  llvm::StringRef Page = pageOf(R.Info.Id);
  llvm::StringRef Part = section(Page, T.Tag);
  if (Part.empty())
    Part = Page;
  if (!Part.empty())
    llvm::outs() << "\n" << Part.rtrim() << "\n";
}

void explainRule(const RegisteredRule &R) {
  llvm::StringRef Page = pageOf(R.Info.Id);
  if (Page.empty())
    llvm::outs() << "# " << R.Info.Id << "\n\n" << R.Info.Summary << "\n";
  else
    llvm::outs() << Page.rtrim() << "\n";
  llvm::outs() << "\nTags:\n";
  for (const TagInfo &T : R.Info.Tags)
    llvm::outs() << "  " << T.Tag << ": " << T.Summary << " (" << weights(R.Info.Id, T.Tag) << ")\n";
}

/// Tags of the run belong to no rule that reads code: they are in the policy and on one page.
bool explainDynamic(llvm::StringRef Name, std::vector<std::string> &Known) {
  constexpr llvm::StringLiteral Rule = "kcheck-dynamic";
  Known.push_back(Rule.str());
  if (Name == Rule || Name == "dynamic")
    return llvm::outs() << pageOf(Rule).rtrim() << "\n", true;
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
      llvm::outs() << checkId(Rule, Tag) << " (" << weights(Rule, Tag) << ")\n\n" << Part.rtrim() << "\n";
      return true;
    }
  return false;
}

int explain(std::string Name) {
  std::vector<std::string> Known;
  for (const RegisteredRule &R : allRules()) {
    Known.push_back(R.Info.Id.str());
    if (R.Info.Id == Name || R.Info.Id == "kcheck-" + Name || ("R" + R.Info.Cmpd).str() == Name)
      return explainRule(R), 0;
    for (const TagInfo &T : R.Info.Tags) {
      std::string Check = checkId(R.Info.Id, T.Tag);
      if (T.Tag == Name || Check == Name)
        return explainTag(R, T), 0;
      Known.push_back(T.Tag.str());
      Known.push_back(Check);
    }
  }
  if (explainDynamic(Name, Known))
    return 0;
  std::string Hint = didYouMean(Name, Known);
  return complain("'" + Name + "' is no rule, tag or check" + (Hint.empty() ? "; 'kcheck rules' lists them" : Hint));
}

void addExplain(CLI::App &App, Context &Ctx) {
  auto Name = std::make_shared<std::string>();
  CLI::App *Sub = App.add_subcommand("explain", "what a rule or tag means, with bad and good code");
  Sub->add_option("RULE|TAG|CHECK", *Name, "kcheck-sync, barrier_divergence, kcheck-sync-barrier-divergence")->required();
  Sub->callback([Name, &Ctx] { Ctx.Exit = explain(*Name); });
}

} // namespace

KCHECK_COMMAND(50, addExplain);
