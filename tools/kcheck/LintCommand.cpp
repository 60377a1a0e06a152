// kcheck lint FILE...: the static track only.
#include "tools/kcheck/ReviewOptions.h"

using namespace kcheck;
using namespace kcheck::cli;

static void addLint(CLI::App &App, Context &Ctx) {
  auto O = std::make_shared<ReviewOptions>();
  CLI::App *Sub = App.add_subcommand("lint", "static track only: read the code, run nothing");
  addReviewOptions(*Sub, *O);
  Sub->callback([O, &Ctx] {
    Ctx.Exit = review(*O, Ctx, [](FileReport &F, const Policy &) {
      F.Dynamic.Why = "lint";
      conclude(F);
    });
  });
}

KCHECK_COMMAND(20, addLint);
