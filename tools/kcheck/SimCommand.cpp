// kcheck sim PROG.cu [-- ARGS]: runs a whole CUDA program, its own main included, on the simulator. The worker
// does it in a sandbox; what the program prints goes to stdout, then comes the report.
#include "gate/dynamic/Program.h"
#include "runner/protocol/Result.h"
#include "tools/kcheck/Command.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace kcheck;
using namespace kcheck::cli;
namespace path = llvm::sys::path;

namespace {

struct SimOptions {
  std::vector<std::string> Files, Includes, Defines, Data;
  std::string Arch = "sm_80", Standard = "c++17", Format = "text", FailOn = "reject";
  double Seconds = 120;
  unsigned MemoryMb = 16384;
};

enum Weight { Note, Review, Reject };

/// A leak harms nobody but the program; what the simulator cannot judge, a person must.
Weight weightOf(const protocol::Finding &F) {
  if (F.Tag == "leak")
    return Note;
  if (!F.Sure || F.Tag == "unsupported_by_simulator" || F.Tag == "unchecked_launch_error")
    return Review;
  return Reject;
}

struct Outcome {
  protocol::Result R;
  std::string Printed, Errors;
  Weight Worst = Note;
  std::vector<std::string> Reasons;

  void weigh(Weight W, const std::string &Tag) {
    if (W > Worst)
      Worst = W;
    if (W >= Review && std::find(Reasons.begin(), Reasons.end(), Tag) == Reasons.end())
      Reasons.push_back(Tag);
  }
};

const char *verdict(Weight W) { return W == Reject ? "REJECT" : W == Review ? "REVIEW" : "PASS"; }

int runWorker(const SimOptions &O, const std::vector<std::string> &Arguments, Outcome &Out) {
  gate::ProgramRun P;
  P.Files = O.Files;
  P.Includes = O.Includes;
  P.Defines = O.Defines;
  P.Data = O.Data;
  P.Arguments = Arguments;
  P.Arch = O.Arch;
  P.Standard = O.Standard;
  P.Seconds = O.Seconds;
  P.MemoryMb = O.MemoryMb;
  std::string Why;
  std::optional<gate::ProgramResult> R = gate::runProgram(P, Why);
  if (!R)
    return complain(Why);
  Out.R = std::move(R->R);
  Out.Printed = std::move(R->Printed);
  Out.Errors = std::move(R->Errors);
  return 0;
}

void weigh(Outcome &O) {
  for (const protocol::Finding &F : O.R.Findings)
    O.weigh(weightOf(F), F.Tag);
  if (O.R.State == protocol::State::NotMeasured)
    O.weigh(Review, "not_measured");
  if (O.R.State != protocol::State::Failed)
    return;
  std::string Tag(protocol::tagOf(O.R.Failure));
  bool Seen = std::any_of(O.R.Findings.begin(), O.R.Findings.end(), [&](const protocol::Finding &F) { return weightOf(F) == Reject; });
  // A program that Clang refuses may be one that nvcc takes.
  if (!Seen)
    O.weigh(Review, Tag.empty() ? "not_measured" : Tag);
}

std::string place(const protocol::SourcePlace &P) {
  if (!P.known())
    return "";
  return P.File + ":" + std::to_string(P.Line) + (P.Column ? ":" + std::to_string(P.Column) : "");
}

void writeText(const SimOptions &O, const Outcome &Out) {
  llvm::raw_ostream &OS = llvm::outs();
  OS << Out.Printed;
  if (!Out.Printed.empty() && Out.Printed.back() != '\n')
    OS << "\n";
  OS << "[dynamic_check] " << path::filename(O.Files[0]) << " on sim\n";
  for (const protocol::Finding &F : Out.R.Findings) {
    static constexpr char Marks[] = {'+', '~', '-'};
    std::string At = place(F.Where);
    OS << "  " << Marks[weightOf(F)] << " " << (At.empty() ? "" : At + " ") << F.Tag << ": " << F.Message;
    if (F.Count > 1)
      OS << " (" << F.Count << " times)";
    OS << "\n";
    if (F.Other.known())
      OS << "      " << place(F.Other) << " " << F.OtherMessage << "\n";
  }
  if (Out.R.Findings.empty() && Out.R.State == protocol::State::Ok)
    OS << "  + no findings\n";
  if (Out.R.ExitStatus && Out.R.State == protocol::State::Ok)
    OS << "  + program: exit status " << *Out.R.ExitStatus << (Out.R.Message.empty() ? "" : ", " + Out.R.Message) << "\n";
  else if (!Out.R.Message.empty())
    OS << "  ? program: " << Out.R.Message << "\n";
  OS << "  verdict: " << verdict(Out.Worst) << "\n";
  if (!Out.Reasons.empty())
    OS << "  reason: " << llvm::join(Out.Reasons, ", ") << "\n";
  OS << "result: " << verdict(Out.Worst) << "\n";
}

void writeJson(const SimOptions &O, const Outcome &Out) {
  llvm::json::Array Findings;
  for (const protocol::Finding &F : Out.R.Findings) {
    llvm::json::Object J{{"tag", F.Tag}, {"severity", weightOf(F) == Reject ? "reject" : weightOf(F) == Review ? "review" : "note"},
                         {"file", F.Where.File}, {"line", int64_t(F.Where.Line)}, {"column", int64_t(F.Where.Column)}, {"message", F.Message},
                         {"kernel", F.Kernel}, {"count", int64_t(F.Count)}};
    if (F.Other.known())
      J["other"] = llvm::json::Object{{"file", F.Other.File}, {"line", int64_t(F.Other.Line)}, {"message", F.OtherMessage}};
    llvm::json::Array Threads;
    for (const protocol::ThreadId &T : F.Threads)
      Threads.push_back(llvm::json::Object{{"block", T.Block}, {"thread", T.Thread}});
    J["threads"] = std::move(Threads);
    Findings.push_back(std::move(J));
  }
  llvm::json::Object J{{"schema", "kcheck.sim/1"}, {"file", O.Files[0]}, {"verdict", verdict(Out.Worst)}, {"reasons", llvm::json::Array(Out.Reasons)},
                       {"state", std::string(protocol::toString(Out.R.State))}, {"message", Out.R.Message}, {"printed", llvm::json::fixUTF8(Out.Printed)},
                       {"findings", std::move(Findings)}};
  if (Out.R.ExitStatus)
    J["exit_status"] = *Out.R.ExitStatus;
  llvm::outs() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(J)));
}

int simulate(const SimOptions &O, const std::vector<std::string> &Arguments) {
  if (O.Format != "text" && O.Format != "json")
    return complain("--format " + O.Format + ": neither 'text' nor 'json'");
  if (O.FailOn != "reject" && O.FailOn != "review")
    return complain("--fail-on " + O.FailOn + ": neither 'reject' nor 'review'");
  Outcome Out;
  if (int Status = runWorker(O, Arguments, Out))
    return Status;
  llvm::errs() << Out.Errors;
  weigh(Out);
  O.Format == "json" ? writeJson(O, Out) : writeText(O, Out);
  return Out.Worst == Reject || (Out.Worst == Review && O.FailOn == "review") ? 1 : 0;
}

void addSim(CLI::App &App, Context &Ctx) {
  auto O = std::make_shared<SimOptions>();
  CLI::App *Sub = App.add_subcommand("sim", "run a whole CUDA program on the simulator, all checks on; its arguments follow --");
  Sub->add_option("files", O->Files, "the program's .cu files, and .cpp files that belong to it")->required()->type_name("FILE");
  Sub->add_option("-I", O->Includes, "folder of headers")->allow_extra_args(false)->type_name("DIR");
  Sub->add_option("-D", O->Defines, "macro, NAME or NAME=VALUE")->allow_extra_args(false)->type_name("NAME");
  Sub->add_option("--data", O->Data, "file or folder that the program may read, besides its own folder")->allow_extra_args(false)->type_name("PATH");
  Sub->add_option("--std", O->Standard, "language standard (default c++17)")->type_name("NAME");
  Sub->add_option("--arch", O->Arch, "architecture that the device says it is (default sm_80)")->type_name("sm_XX");
  Sub->add_option("--seconds", O->Seconds, "time limit of the run (default 120)")->type_name("N");
  Sub->add_option("--memory-mb", O->MemoryMb, "memory of the device (default 16384)")->type_name("N");
  Sub->add_option("--format", O->Format, "text (default) or json")->type_name("NAME");
  Sub->add_option("--fail-on", O->FailOn, "reject (default) or review")->type_name("VERDICT");
  Sub->callback([O, &Ctx] { Ctx.Exit = simulate(*O, Ctx.AfterDashes); });
}

} // namespace

KCHECK_COMMAND(14, addSim);
