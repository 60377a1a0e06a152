// kcheck sim PROG.cu [-- ARGS]: runs a whole CUDA program, its own main included, on the simulator. The worker
// does it in a sandbox; what the program prints goes to stdout, then comes the report.
#include "runner/client/Sandbox.h"
#include "runner/client/Worker.h"
#include "runner/protocol/Result.h"
#include "tools/kcheck/Command.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::cli;
namespace fs = llvm::sys::fs;
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

std::string realPath(const std::string &P) {
  llvm::SmallString<256> Out;
  return fs::real_path(P, Out) ? P : std::string(Out);
}

/// The folder that the precompiled headers live in, as the worker looks for it.
std::string cacheFolder() {
  if (const char *V = getenv("KCHECK_CACHE_DIR"))
    return V;
  if (const char *V = getenv("XDG_CACHE_HOME"))
    return std::string(V) + "/kcheck";
  if (const char *V = getenv("HOME"))
    return std::string(V) + "/.cache/kcheck";
  return "";
}

/// The program finds its folder's files where it expects them, and may write beside them: a folder of links.
std::string workingFolder(const client::ScratchFolder &Scratch, const std::string &Folder) {
  std::string Above = Scratch.path() + "/run", Here = Above + "/" + path::filename(Folder).str();
  if (fs::create_directories(Here))
    return Scratch.path();
  std::error_code EC;
  for (fs::directory_iterator I(Folder, EC), End; !EC && I != End; I.increment(EC))
    (void)fs::create_link(I->path(), Here + "/" + path::filename(I->path()).str());
  for (fs::directory_iterator I(path::parent_path(Folder), EC), End; !EC && I != End; I.increment(EC))
    if (!fs::exists(Above + "/" + path::filename(I->path()).str()))
      (void)fs::create_link(I->path(), Above + "/" + path::filename(I->path()).str());
  return Here;
}

/// The folder of a toolkit outside of the system's folders, which the sandbox must show.
void addToolkit(client::SandboxCommand &C) {
  for (const char *Name : {"CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH", "KCHECK_HIDE_CUDA"})
    if (const char *V = getenv(Name)) {
      C.Environment.push_back({Name, V});
      if (V[0] == '/')
        C.ReadPaths.push_back(V);
    }
  for (const char *P : {"/usr/local/cuda", "/opt/cuda"})
    if (fs::exists(P))
      C.ReadPaths.push_back(realPath(P));
}

int runWorker(const SimOptions &O, const std::vector<std::string> &Arguments, Outcome &Out) {
  std::string Worker = client::findWorker("kcheck-sim");
  if (Worker.empty())
    return complain("kcheck-sim is not installed");
  std::vector<std::string> Files;
  for (const std::string &F : O.Files) {
    if (!fs::exists(F))
      return complain(F + ": no such file");
    Files.push_back(realPath(F));
  }
  client::SandboxCommand C;
  C.Argv = {realPath(Worker), "--program", "--answer-fd", std::to_string(client::ResultDescriptor), "--arch", O.Arch, "--std", O.Standard,
            "--seconds", std::to_string(O.Seconds), "--memory-mb", std::to_string(O.MemoryMb)};
  std::string Cache = cacheFolder();
  if (!Cache.empty()) {
    // The headers are precompiled out here, where the cache can be written; nothing of the program takes part.
    llvm::StringRef Words[] = {Worker, "--prepare", "--arch", O.Arch, "--std", O.Standard};
    llvm::sys::ExecuteAndWait(Worker, Words, std::nullopt, {llvm::StringRef("/dev/null"), llvm::StringRef("/dev/null"), llvm::StringRef("/dev/null")}, 300);
    C.Environment.push_back({"KCHECK_CACHE_DIR", realPath(Cache)});
    C.ReadPaths.push_back(realPath(Cache));
  }
  for (const std::string &I : O.Includes) {
    C.Argv.insert(C.Argv.end(), {"-I", realPath(I)});
    C.ReadPaths.push_back(realPath(I));
  }
  for (const std::string &D : O.Defines)
    C.Argv.insert(C.Argv.end(), {"-D", D});
  for (const std::string &D : O.Data)
    C.ReadPaths.push_back(realPath(D));
  client::ScratchFolder Scratch;
  std::string Folder = path::parent_path(Files[0]).str();
  C.Argv.insert(C.Argv.end(), {"--cwd", workingFolder(Scratch, Folder)});
  C.Argv.insert(C.Argv.end(), Files.begin(), Files.end());
  C.Argv.push_back("--");
  C.Argv.insert(C.Argv.end(), Arguments.begin(), Arguments.end());
  for (const std::string &F : Files)
    C.ReadPaths.push_back(path::parent_path(F).str());
  C.ReadPaths.push_back(path::parent_path(realPath(Worker)).str());
  addToolkit(C);
  C.Scratch = Scratch.path();
  C.WantResult = true;
  C.Limits.WallSeconds = O.Seconds + 90;
  // A byte of device memory has six of bookkeeping; the program's own memory comes on top.
  C.Limits.MemoryBytes = uint64_t(16) << 30;
  C.Limits.Processes = 1;
  C.Limits.OutputBytes = 64ull << 20;
  C.Limits.BoundAddressSpace = false;
  client::SandboxResult S = client::runSandboxed(C);
  Out.Printed = std::move(S.Out);
  Out.Errors = std::move(S.Err);
  if (S.How == client::Outcome::NotStarted)
    return complain("the sandbox does not work here: " + S.Why);
  std::string Error;
  if (auto R = protocol::parseResult(S.Result, Error)) {
    Out.R = std::move(*R);
    return 0;
  }
  Out.R.State = S.How == client::Outcome::OutOfMemory || S.How == client::Outcome::TimedOut ? protocol::State::NotMeasured : protocol::State::Failed;
  Out.R.Failure = Out.R.State == protocol::State::Failed ? protocol::Failure::Crash : protocol::Failure::None;
  Out.R.Message = "the simulator ended without a result (" + std::string(client::toString(S.How)) + (S.Why.empty() ? "" : ": " + S.Why) + ")";
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
