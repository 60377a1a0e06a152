// kcheck check FILE...: the whole gate. The static track first; what it does not reject goes to the dynamic track, which runs it and
// compares. kcheck run FILE...: the dynamic track, whatever the static one says.
#include "gate/Session.h"
#include "tools/kcheck/ReviewOptions.h"
#include "llvm/Support/FileSystem.h"

using namespace kcheck;
using namespace kcheck::cli;

namespace {

struct CheckOptions {
  ReviewOptions Review;
  gate::SessionOptions Session;
  std::string Counters = "auto";
};

int check(CheckOptions &O, Context &Ctx, bool DynamicOnly) {
  if (!llvm::is_contained({"auto", "on", "off"}, O.Counters))
    return complain("--counters " + O.Counters + ": neither auto, on nor off");
  bool One = O.Review.Files.size() == 1 && !llvm::sys::fs::is_directory(O.Review.Files.front());
  O.Session.Counters = O.Counters == "on" || (O.Counters == "auto" && One);
  O.Session.Parse.Arch = O.Review.Arch;
  O.Session.Parse.BuildDir = O.Review.BuildDir;
  O.Session.Parse.ExtraArgs = Ctx.AfterDashes;
  auto Session = gate::Session::open(O.Session);
  if (!Session)
    return complain(llvm::toString(Session.takeError()));
  if (O.Review.Arch.empty())
    O.Review.Arch = (*Session)->arch(); // what it runs on is what it is read for
  if (One)
    (*Session)->expect();
  return review(O.Review, Ctx, [&](FileReport &F, const Policy &Rules) {
    if (DynamicOnly)
      dropStaticFindings(F);
    (*Session)->check(F, Rules);
  }, (*Session)->parallel());
}

void add(CLI::App &App, Context &Ctx, const char *Name, const char *Help, bool DynamicOnly) {
  auto O = std::make_shared<CheckOptions>();
  CLI::App *Sub = App.add_subcommand(Name, Help);
  addReviewOptions(*Sub, O->Review);
  Sub->add_option("--task", O->Session.TaskFile, "task.yaml that says what the kernel must compute")->type_name("T");
  Sub->add_option("--op", O->Session.Op, "built-in operator that the kernel must compute")->type_name("NAME");
  Sub->add_option("--device", O->Session.Device, "where to run: sim (the default), gpu, gpu:N, gpu:all, http(s)://host:port of a kcheck-gpu server, several with commas, or none")->type_name("D");
  Sub->add_option("--counters", O->Counters, "hardware counters on a GPU: on, off or auto (with one file)")->type_name("WHEN");
  Sub->add_option("--baseline", O->Session.Baseline, "kernel to time against on a GPU, instead of the task's or the operator's own")->type_name("F")->check(CLI::ExistingFile);
  Sub->add_option("--seed", O->Session.Seed, "seed of the inputs, from an earlier report")->type_name("N");
  Sub->add_flag("--trust-host", O->Session.TrustHost, "a launcher that had to run itself (its launch plan is not known) is no reason for a review");
  if (!DynamicOnly)
    Sub->add_flag("--keep-going", O->Session.KeepGoing, "run it also after a static reject");
  Sub->callback([O, &Ctx, DynamicOnly] { Ctx.Exit = check(*O, Ctx, DynamicOnly); });
}

void addCheck(CLI::App &App, Context &Ctx) { add(App, Ctx, "check", "both tracks: read the code, then run it and compare", false); }
void addRun(CLI::App &App, Context &Ctx) { add(App, Ctx, "run", "dynamic track only: run it and compare", true); }

} // namespace

KCHECK_COMMAND(10, addCheck);
KCHECK_COMMAND(30, addRun);
