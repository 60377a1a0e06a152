// kcheck optimize TASK: search for a faster kernel, every candidate checked and measured. kcheck replay DIR: a recorded
// search once more, step by step, without the policy.
#include "agent/bench/LocalBench.h"
#include "agent/loop/Folder.h"
#include "analyzers/engine/driver/OneShot.h"
#include "analyzers/engine/record/Repairs.h"
#include "tools/kcheck/Command.h"
#include "tools/kcheck/Inputs.h"
#include "tools/kcheck/OptimizeSetup.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/thread.h"
#include <csignal>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::cli;
namespace json = llvm::json;

namespace {

struct OptimizeOptions {
  std::string Task, Kernel, Op, Device = "sim", Arch, Out, Record, Format = "text";
  unsigned Rounds = 4, Candidates = agent::MostCandidates;
  uint64_t Seed = 1;
  size_t Tokens = 12000;
  bool Quiet = false, ShuffleLabels = false;
  agent::PolicyOptions Policy;
};

/// Ctrl-C ends the search at once: what it has found lies in its folder, and the same call goes on from there.
std::string InterruptedText;
pid_t SearchingProcess;
void interrupted(int) {
  if (::getpid() == SearchingProcess) {
    unsilenceErrors();
    (void)!::write(2, InterruptedText.data(), InterruptedText.size());
  }
  ::_exit(2);
}

/// The kernel to start from: named, or the task's neighbour naive.cu, or the only .cu beside the task.
llvm::Expected<std::string> kernelOf(const OptimizeOptions &O) {
  if (!O.Kernel.empty())
    return O.Kernel;
  llvm::StringRef Folder = llvm::sys::path::parent_path(O.Task);
  llvm::SmallString<256> Naive(Folder);
  llvm::sys::path::append(Naive, "naive.cu");
  if (!O.Task.empty() && llvm::sys::fs::exists(Naive))
    return std::string(Naive);
  return llvm::createStringError("which kernel? name it with --kernel FILE (a naive.cu beside the task is taken by itself)");
}

/// What a run was asked for. A folder that holds another run is not overwritten.
json::Value request(const OptimizeOptions &O, const std::string &Kernel, const std::string &Text) {
  json::Object Asked{{"schema", "kcheck.run/1"}, {"task", O.Task}, {"op", O.Op}, {"kernel", Kernel}, {"text", Text}, {"device", O.Device}, {"arch", O.Arch},
                      {"policy", O.Policy.Name}, {"rounds", O.Rounds}, {"candidates", O.Candidates}, {"seed", int64_t(O.Seed)}, {"record", O.Record}};
  if (O.ShuffleLabels)
    Asked["shuffle_labels"] = true;
  return Asked;
}

std::string freshFolder(const std::string &Kernel) {
  std::string Base = "kcheck-run-" + llvm::sys::path::stem(Kernel).str(), Name = Base;
  for (unsigned N = 2; llvm::sys::fs::exists(Name); ++N)
    Name = Base + "-" + std::to_string(N);
  return Name;
}

void say(const std::string &Text) { llvm::errs() << Text << "\n"; }

void summary(const agent::LoopResult &R, const std::string &Folder) {
  const agent::Outcome &W = R.winner();
  llvm::raw_ostream &OS = llvm::outs();
  OS << llvm::formatv("start   {0:f4} ms\nwinner  {1:f4} ms  {2:f2}x  {3}{4}\n", R.StartMs, R.BestMs, R.Speedup, R.Winner, W.Measured.Modelled ? "  (times are modelled)" : "");
  if (W.Why.RooflineShare > 0)
    OS << llvm::formatv("roof    {0:f0} % of the {1} roofline\n", W.Why.RooflineShare * 100, W.Why.Ceiling);
  if (!W.Why.Found.empty())
    OS << "limit   " << W.Why.Found.front().Label << ": " << W.Why.Found.front().Evidence << "\n";
  if (!R.Dispatch.empty())
    OS << "shapes  " << R.Dispatch << "\n";
  for (const std::string &Warning : R.Warnings)
    OS << "warning " << Warning << "\n";
  OS << "stopped " << R.Stopped << "\n" << "result: " << Folder << "/best.cu, " << Folder << "/report.html, " << Folder << "/notebook.md\n";
}

/// Earlier rejects and their repairs that look like the kernel at hand.
std::vector<agent::RepairExample> examplesFor(const OptimizeOptions &O, const std::string &Text) {
  std::vector<agent::RepairExample> Out;
  if (O.Record.empty() || !llvm::sys::fs::exists(O.Record))
    return Out;
  auto Pairs = repairs(O.Record, Text, 3);
  if (!Pairs)
    return llvm::consumeError(Pairs.takeError()), Out;
  for (CorpusRepair &P : *Pairs)
    Out.push_back({std::move(P.Reason), std::move(P.Message), std::move(P.Bad), std::move(P.Good)});
  return Out;
}

/// In one thread with a deep stack, to the end: workers live as long as the thread that started them.
int inDeepThread(const std::function<int()> &Do) {
  int Exit = 2;
  llvm::thread Deep(std::optional<unsigned>(256u << 20), [&] { Exit = Do(); });
  Deep.join();
  return Exit;
}

int run(const OptimizeOptions &O, const std::string &Kernel, const std::string &Text, const std::string &Folder, agent::Policy &P, const Context &Ctx, json::Object *Result = nullptr) {
  auto T = searchTask(O.Task, O.Op);
  if (!T)
    return complain(llvm::toString(T.takeError()));
  agent::BenchOptions B;
  B.File = Kernel;
  B.Task = std::move(*T);
  B.Devices = wordsOf(O.Device);
  B.Archs = wordsOf(O.Arch);
  B.Parse.Arch = B.Archs.empty() ? "" : B.Archs.front();
  B.Parse.ExtraArgs = Ctx.AfterDashes;
  B.Seed = O.Seed;
  B.Record = O.Record;
  B.Version = KCHECK_VERSION;
  if (B.Devices.empty())
    return complain("--device: name one");
  auto Bench = agent::localBench(B);
  if (!Bench)
    return complain(llvm::toString(Bench.takeError()));
  auto Known = agent::collectContext(B, Text);
  if (!Known)
    return complain(llvm::toString(Known.takeError()));
  Known->Examples = examplesFor(O, Text);
  agent::LoopOptions L;
  L.Rounds = O.Rounds, L.Candidates = O.Candidates, L.Seed = O.Seed, L.TokenBudget = O.Tokens;
  L.Folder = Folder;
  if (!O.Quiet)
    L.Say = say;
  if (O.ShuffleLabels)
    L.Disturb = agent::shuffledLabels(O.Seed);
  agent::Loop Loop(**Bench, P, std::move(*Known), L);
  auto R = Loop.run();
  if (!R)
    return complain(llvm::toString(R.takeError()));
  json::Value J = agent::toJson(*R);
  if (Result)
    *Result = *J.getAsObject();
  if (O.Format == "json")
    llvm::outs() << llvm::formatv("{0:2}\n", J);
  else
    summary(*R, Folder);
  return 0;
}

int optimize(OptimizeOptions &O, const Context &Ctx) {
  if (O.Format != "text" && O.Format != "json")
    return complain("--format " + O.Format + ": neither 'text' nor 'json'");
  if (O.Task.empty() == O.Op.empty())
    return complain("name a task.yaml, or an operator with --op and the kernel with --kernel");
  if (O.Candidates < 1 || O.Candidates > agent::MostCandidates)
    return complain("--candidates: 1 to " + llvm::Twine(agent::MostCandidates));
  if (!O.Task.empty() && !llvm::sys::fs::exists(O.Task))
    return complain(O.Task + ": no such file");
  auto Kernel = kernelOf(O);
  if (!Kernel)
    return complain(llvm::toString(Kernel.takeError()));
  auto Text = readInput(*Kernel);
  if (!Text)
    return complain(llvm::toString(Text.takeError()));
  std::string Error;
  auto P = agent::makePolicy(O.Policy, Error);
  if (!P)
    return complain(Error);
  std::string Folder = O.Out.empty() ? freshFolder(*Kernel) : O.Out;
  agent::RunFolder F(Folder);
  json::Value Wanted = request(O, *Kernel, (*Text)->getBuffer().str());
  if (auto Old = F.readJson("run.json"); Old && *Old != Wanted)
    return complain(Folder + ": holds another run; take another folder, or call it as it was called before to go on");
  if (!F.writeJson("run.json", Wanted))
    return complain(Folder + ": cannot be written");
  if (!O.Task.empty())
    if (auto Copy = llvm::MemoryBuffer::getFile(O.Task))
      F.write("task.yaml", (*Copy)->getBuffer());
  InterruptedText = "\nkcheck: interrupted; the same call goes on where this one ended (" + Folder + ")\n";
  SearchingProcess = ::getpid();
  std::signal(SIGINT, interrupted);
  return run(O, *Kernel, (*Text)->getBuffer().str(), Folder, *P, Ctx);
}

//===--- replay ---------------------------------------------------------------===//

/// Answers what was answered before.
class Recorded : public agent::Policy {
public:
  explicit Recorded(agent::RunFolder F) : F(std::move(F)) {}
  std::string name() const override { return "recorded"; }
  agent::Proposal propose(const agent::PolicyRequest &R) override {
    auto V = F.readJson(agent::RunFolder::round(R.Round) + "proposal.json");
    auto P = V ? agent::proposalFromJson(*V) : std::nullopt;
    return P ? std::move(*P) : agent::Proposal();
  }

private:
  agent::RunFolder F;
};

/// Which candidates ended otherwise than recorded.
std::vector<std::string> differences(const json::Object &Old, const json::Object &New) {
  std::vector<std::string> Out;
  auto ends = [](const json::Object &R) {
    std::map<std::string, std::string> Ends;
    if (const json::Array *Rounds = R.getArray("rounds"))
      for (const json::Value &X : *Rounds)
        if (const json::Object *Round = X.getAsObject())
          if (const json::Array *All = Round->getArray("candidates"))
            for (const json::Value &C : *All)
              if (const json::Object *O = C.getAsObject())
                Ends[O->getString("id").value_or("").str()] = O->getString("failure") ? O->getString("failure")->str() : llvm::formatv("{0:f4} ms", O->getNumber("ms").value_or(0)).str();
    return Ends;
  };
  std::map<std::string, std::string> Before = ends(Old), After = ends(New);
  for (const auto &[Id, End] : Before)
    if (After[Id] != End)
      Out.push_back(Id + ": was " + End + ", is " + (After[Id].empty() ? "absent" : After[Id]));
  return Out;
}

struct ReplayOptions {
  std::string Folder, Device, Out;
  bool Quiet = false;
};

int replay(const ReplayOptions &R, const Context &Ctx) {
  agent::RunFolder F(R.Folder);
  auto Asked = F.readJson("run.json"), Old = F.readJson("result.json");
  const json::Object *J = Asked ? Asked->getAsObject() : nullptr;
  if (!J || !Old || !Old->getAsObject())
    return complain(R.Folder + ": " + (J ? "the run has not ended; call 'kcheck optimize' as before to go on" : "holds no run of 'kcheck optimize'"));
  OptimizeOptions O;
  auto text = [&](const char *Key) { return J->getString(Key).value_or("").str(); };
  O.Task = text("task"), O.Op = text("op"), O.Arch = text("arch"), O.Quiet = R.Quiet;
  if (!O.Task.empty() && !llvm::sys::fs::exists(O.Task))
    O.Task = R.Folder + "/task.yaml";
  O.Device = R.Device.empty() ? text("device") : R.Device;
  O.Rounds = unsigned(Old->getAsObject()->getArray("rounds") ? Old->getAsObject()->getArray("rounds")->size() - 1 : 0);
  O.Candidates = unsigned(J->getInteger("candidates").value_or(agent::MostCandidates));
  O.Seed = uint64_t(J->getInteger("seed").value_or(1));
  Recorded P(F);
  json::Object New;
  std::string Folder = R.Out.empty() ? freshFolder(text("kernel")) : R.Out;
  if (llvm::sys::fs::exists(Folder + "/start.json"))
    return complain(Folder + ": holds a run already; take another folder");
  if (int Exit = run(O, text("kernel"), text("text"), Folder, P, Ctx, &New))
    return Exit;
  std::vector<std::string> Differ = differences(*Old->getAsObject(), New);
  for (const std::string &D : Differ)
    llvm::outs() << "differs " << D << "\n";
  if (Differ.empty())
    llvm::outs() << "replay: every candidate ended as recorded\n";
  return Differ.empty() ? 0 : 1;
}

void addOptimize(CLI::App &App, Context &Ctx) {
  auto O = std::make_shared<OptimizeOptions>();
  CLI::App *Sub = App.add_subcommand("optimize", "search for a faster kernel, every candidate checked and measured");
  Sub->add_option("task", O->Task, "task.yaml that says what the kernel must compute")->type_name("TASK");
  Sub->add_option("--kernel", O->Kernel, "the kernel to start from; default: naive.cu beside the task")->type_name("FILE");
  Sub->add_option("--op", O->Op, "built-in operator, instead of a task")->type_name("NAME");
  Sub->add_option("--policy", O->Policy.Name, "who proposes candidates: builtin (the default), llm or command")->type_name("NAME");
  Sub->add_option("--command", O->Policy.Command, "--policy command: the program that reads the prompt and answers, run by the shell")->type_name("PROGRAM");
  Sub->add_option("--llm-url", O->Policy.Url, "--policy llm: base of an OpenAI-compatible endpoint")->type_name("URL");
  Sub->add_option("--llm-model", O->Policy.Model, "--policy llm: the model's name there")->type_name("NAME");
  Sub->add_option("--llm-key-variable", O->Policy.KeyVariable, "--policy llm: environment variable that holds the key")->type_name("NAME");
  Sub->add_option("--answer-seconds", O->Policy.Seconds, "llm, command: most seconds for one answer; default 120")->type_name("S");
  Sub->add_option("--llm-tokens", O->Policy.MostTokens, "--policy llm: most tokens of the whole run; default no limit")->type_name("N");
  Sub->add_option("--llm-cost", O->Policy.MostCost, "--policy llm: most cost of the whole run; default no limit")->type_name("X");
  Sub->add_option("--rounds", O->Rounds, "most rounds; default 4")->type_name("N");
  Sub->add_option("--candidates", O->Candidates, "most candidates a round; default 8, the most there are")->type_name("N");
  Sub->add_option("--device", O->Device, "where to measure: sim (the default, modelled times), gpu, gpu:N; several, separated by commas, are scored together")->type_name("D");
  Sub->add_option("--arch", O->Arch, "sm_XX; on sim several, separated by commas, are modelled and scored together")->type_name("ARCH");
  Sub->add_option("--seed", O->Seed, "the same seed gives the same search on sim; default 1")->type_name("N");
  Sub->add_option("-o,--out", O->Out, "run folder; one that holds the same run is taken up where it ended")->type_name("DIR");
  Sub->add_option("--record", O->Record, "keep every candidate in this corpus, and learn from it")->type_name("DB");
  Sub->add_option("--tokens", O->Tokens, "budget of a prompt, in tokens; default 12000")->type_name("N");
  Sub->add_option("--format", O->Format, "text (default) or json")->type_name("NAME");
  Sub->add_flag("--shuffle-labels", O->ShuffleLabels, "an experiment: exchange the labels of all diagnoses, to see what they are worth");
  Sub->add_flag("-q,--quiet", O->Quiet, "no progress on stderr");
  Sub->callback([O, &Ctx] { Ctx.Exit = inDeepThread([&] { return optimize(*O, Ctx); }); });
}

void addReplay(CLI::App &App, Context &Ctx) {
  auto R = std::make_shared<ReplayOptions>();
  CLI::App *Sub = App.add_subcommand("replay", "run a recorded search once more, step by step, and say what differs");
  Sub->add_option("folder", R->Folder, "run folder of 'kcheck optimize'")->type_name("DIR")->required();
  Sub->add_option("--device", R->Device, "another device than the recorded one")->type_name("D");
  Sub->add_option("-o,--out", R->Out, "folder of the new run")->type_name("DIR");
  Sub->add_flag("-q,--quiet", R->Quiet, "no progress on stderr");
  Sub->callback([R, &Ctx] { Ctx.Exit = inDeepThread([&] { return replay(*R, Ctx); }); });
}

} // namespace

KCHECK_COMMAND(60, addOptimize);
KCHECK_COMMAND(62, addReplay);
