// kcheck doctor: what this machine offers, and what follows from it.
#include "tools/kcheck/Command.h"
#include "tools/kcheck/Probe.h"
#include "tools/kcheck/Version.h"
#include "llvm/Support/raw_ostream.h"

using namespace kcheck;
using namespace kcheck::cli;

static int doctor(const std::string &Format) {
  if (Format != "text" && Format != "json")
    return complain("--format " + Format + ": neither 'text' nor 'json'");
  std::vector<Probe> Probes = probeMachine();
  if (Format == "json") {
    llvm::json::Array Out;
    for (const Probe &P : Probes)
      Out.push_back(llvm::json::Object{{"name", P.Name}, {"found", P.Found}, {"what", P.What}, {"follows", P.Follows}});
    llvm::outs() << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{{"schema", "kcheck.doctor/1"}, {"probes", std::move(Out)}}));
    return 0;
  }
  llvm::outs() << versionText() << "\n";
  for (const Probe &P : Probes)
    llvm::outs() << "  " << (P.Found ? "+ " : "? ") << P.Name << ": " << P.What << "\n      " << P.Follows << "\n";
  return 0;
}

static void addDoctor(CLI::App &App, Context &Ctx) {
  auto Format = std::make_shared<std::string>("text");
  CLI::App *Sub = App.add_subcommand("doctor", "what this machine offers: toolkit, compilers, cache, sandbox, GPU");
  Sub->add_option("--format", *Format, "text (default) or json")->type_name("NAME");
  Sub->callback([Format, &Ctx] { Ctx.Exit = doctor(*Format); });
}

KCHECK_COMMAND(52, addDoctor);
