// kcheck guard PARENT CANDIDATE: what an edit touched that it may not touch.
#include "analyzers/engine/Policy.h"
#include "analyzers/engine/output/Report.h"
#include "tools/kcheck/EditReports.h"
#include "tools/kcheck/ParseFlags.h"

using namespace kcheck;
using namespace kcheck::cli;

namespace {

struct GuardFlags {
  std::string Parent, Candidate, Config, FailOn = "reject";
  std::vector<std::string> Allow;
  bool InnerOnly = false, Json = false;
  ParseFlags Parse;
};

void text(const GuardResult &R) {
  llvm::outs() << "[guard]\n";
  for (const Touched &T : R.Changes)
    llvm::outs() << "+ touched: " << (T.Function.empty() ? T.What : T.Function + " (" + T.What + ")") << "\n";
  if (R.Changes.empty())
    llvm::outs() << "+ nothing but names, layout and comments differs\n";
  for (const Finding &F : R.Violations)
    llvm::outs() << (F.Level == Severity::Reject ? "- " : F.Level == Severity::Review ? "~ " : "+ ")
                 << (F.Where.Line ? std::to_string(F.Where.Line) + " " : "") << F.Tag << ": " << F.Message << "\n";
  llvm::outs() << "result: " << toString(verdictOf(R.Worst)) << "\n";
}

int run(const GuardFlags &O, const Context &Ctx) {
  if (O.FailOn != "reject" && O.FailOn != "review")
    return complain("--fail-on " + O.FailOn + ": neither 'reject' nor 'review'");
  auto Options = O.Parse.options(Ctx);
  if (!Options)
    return complain(llvm::toString(Options.takeError()));
  Policy P = Policy::builtin();
  if (!O.Config.empty()) {
    auto Loaded = Policy::load(O.Config, P);
    if (!Loaded)
      return complain(llvm::toString(Loaded.takeError()));
    P = std::move(*Loaded);
  }
  GuardOptions G{O.InnerOnly, O.Allow};
  for (const std::string &Tag : O.Allow) {
    std::vector<std::string> Known;
    for (auto &[Rule, Tags] : P.ruleTags())
      if (Rule == "kcheck-guard")
        Known = Tags;
    if (!llvm::is_contained(Known, Tag))
      return complain("--allow " + Tag + ": not a tag of the guard" + didYouMean(Tag, Known));
  }
  auto A = readCandidate(O.Parent), B = readCandidate(O.Candidate);
  if (!A || !B) {
    std::string Why = !A ? llvm::toString(A.takeError()) : "";
    if (!B)
      Why = (Why.empty() ? "" : Why + "; ") + llvm::toString(B.takeError());
    return complain(Why);
  }
  auto R = guard(*A, *B, *Options, G, P);
  if (!R)
    return complain(llvm::toString(R.takeError()));
  if (O.Json)
    llvm::outs() << llvm::formatv("{0:2}\n", guardJson(O.Parent, O.Candidate, *R));
  else
    text(*R);
  return R->Worst >= (O.FailOn == "review" ? Severity::Review : Severity::Reject) ? 1 : 0;
}

void addGuard(CLI::App &App, Context &Ctx) {
  auto O = std::make_shared<GuardFlags>();
  CLI::App *Sub = App.add_subcommand("guard", "what an edit touched that it may not touch");
  Sub->add_option("PARENT", O->Parent, "the file before the edit, or - for stdin")->required();
  Sub->add_option("CANDIDATE", O->Candidate, "the file after it, or - for stdin")->required();
  Sub->add_flag("--inner-only", O->InnerOnly, "nothing but the bodies of innermost loops may change");
  Sub->add_option("--allow", O->Allow, "tags that are no violation, such as launch_changed")->delimiter(',')->type_name("TAGS");
  Sub->add_option("--fail-on", O->FailOn, "exit with 1 from this verdict on: reject (default) or review")->type_name("VERDICT");
  Sub->add_option("--config", O->Config, "policy file laid over the built-in rules.yaml")->type_name("F");
  Sub->add_flag("--json", O->Json, "report as JSON");
  O->Parse.add(*Sub);
  Sub->callback([O, &Ctx] { Ctx.Exit = run(*O, Ctx); });
}

} // namespace

KCHECK_COMMAND(42, addGuard);
