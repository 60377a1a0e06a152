// kcheck check FILE...: the whole gate. The static track first; what it does not reject goes to the dynamic
// track, which compiles, runs and compares.
#include "tools/kcheck/ReviewOptions.h"

using namespace kcheck;
using namespace kcheck::cli;

namespace {

struct CheckOptions {
  ReviewOptions Review;
  bool KeepGoing = false;
};

/// The dynamic track of one file. Without a worker that could run the kernel nothing was compared with a
/// reference, and that is worth a look by a person: REVIEW at best.
void runDynamicTrack(FileReport &F, const CheckOptions &O) {
  if (F.Static.Result == Verdict::Reject && !O.KeepGoing) {
    F.Dynamic.Why = "static_reject";
    return;
  }
  F.Dynamic.Why = "no_worker";
  F.Dynamic.Reasons.push_back({"numerics_not_run", Severity::Review});
  F.Dynamic.Lines.push_back({Mark::NotRun, "not run: no worker in this build can run a kernel"});
}

void addCheck(CLI::App &App, Context &Ctx) {
  auto O = std::make_shared<CheckOptions>();
  CLI::App *Sub = App.add_subcommand("check", "both tracks: read the code, then run it");
  addReviewOptions(*Sub, O->Review);
  Sub->add_flag("--keep-going", O->KeepGoing, "go on to the dynamic track after a static reject");
  Sub->callback([O, &Ctx] {
    Ctx.Exit = review(O->Review, Ctx, [&](FileReport &F) {
      runDynamicTrack(F, *O);
      conclude(F);
    });
  });
}

} // namespace

KCHECK_COMMAND(10, addCheck);
