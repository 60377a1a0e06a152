// kcheck rules: every rule with its tags and what they weigh under the policy in force.
#include "analyzers/engine/Rule.h"
#include "tools/kcheck/Command.h"

using namespace kcheck;
using namespace kcheck::cli;

namespace {

struct RulesOptions {
  std::string Format = "text", Config;
};

void text(const Policy &P) {
  for (const RegisteredRule &R : allRules()) {
    llvm::outs() << llvm::formatv("{0,-2} {1}: {2}{3}\n", R.Info.Cmpd, R.Info.Id, R.Info.Summary, P.enabled(R.Info.Id) ? "" : " (off)");
    for (const TagInfo &T : R.Info.Tags) {
      Severity Proven = P.severity(R.Info.Id, T.Tag, Certainty::Proven), Doubt = P.severity(R.Info.Id, T.Tag, Certainty::Doubt);
      std::string Weight = toString(Proven).str();
      if (Doubt != Proven)
        Weight += ("/" + toString(Doubt)).str();
      llvm::outs() << llvm::formatv("   {0,-28} {1,-14} {2}\n", T.Tag, Weight, T.Summary);
    }
  }
}

void json(const Policy &P) {
  llvm::json::Array Rules;
  for (const RegisteredRule &R : allRules()) {
    llvm::json::Array Tags;
    for (const TagInfo &T : R.Info.Tags)
      Tags.push_back(llvm::json::Object{{"tag", T.Tag}, {"check", checkId(R.Info.Id, T.Tag)}, {"summary", T.Summary},
                                        {"proven", toString(P.severity(R.Info.Id, T.Tag, Certainty::Proven))},
                                        {"doubt", toString(P.severity(R.Info.Id, T.Tag, Certainty::Doubt))}});
    Rules.push_back(llvm::json::Object{{"rule", R.Info.Id}, {"cmpd", R.Info.Cmpd}, {"summary", R.Info.Summary},
                                       {"enabled", P.enabled(R.Info.Id)}, {"tags", std::move(Tags)}});
  }
  llvm::outs() << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{{"schema", "kcheck.rules/1"}, {"rules", std::move(Rules)}}));
}

int list(const RulesOptions &O) {
  if (O.Format != "text" && O.Format != "json")
    return complain("--format " + O.Format + ": neither 'text' nor 'json'");
  Policy P = Policy::builtin();
  if (!O.Config.empty()) {
    auto Loaded = Policy::load(O.Config, P);
    if (!Loaded)
      return complain(llvm::toString(Loaded.takeError()));
    P = std::move(*Loaded);
  }
  O.Format == "json" ? json(P) : text(P);
  return 0;
}

void addRules(CLI::App &App, Context &Ctx) {
  auto O = std::make_shared<RulesOptions>();
  CLI::App *Sub = App.add_subcommand("rules", "list rules and tags with their severity (proven/doubt)");
  Sub->add_option("--format", O->Format, "text (default) or json")->type_name("NAME");
  Sub->add_option("--config", O->Config, "policy file laid over the built-in one")->type_name("F");
  Sub->callback([O, &Ctx] { Ctx.Exit = list(*O); });
}

} // namespace

KCHECK_COMMAND(51, addRules);
