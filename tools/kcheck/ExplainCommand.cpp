// kcheck explain RULE|TAG|CHECK: the rule's page, or the part of it that is about the tag.
#include "tools/kcheck/Explain.h"
#include "tools/kcheck/Command.h"

using namespace kcheck;
using namespace kcheck::cli;

static int print(const std::string &Name) {
  auto Text = explain(Name);
  if (!Text)
    return complain(llvm::toString(Text.takeError()));
  llvm::outs() << *Text;
  return 0;
}

static void addExplain(CLI::App &App, Context &Ctx) {
  auto Name = std::make_shared<std::string>();
  CLI::App *Sub = App.add_subcommand("explain", "what a rule or tag means, with bad and good code");
  Sub->add_option("RULE|TAG|CHECK", *Name, "kcheck-sync, barrier_divergence, kcheck-sync-barrier-divergence")->required();
  Sub->callback([Name, &Ctx] { Ctx.Exit = print(*Name); });
}

KCHECK_COMMAND(50, addExplain);
