// optimize_step for agents: a search in which the agent is the policy. Each call is one round; what is known lies in the run
// folder between them, so that a call that was cancelled is made again and goes on where it ended.
#include "agent/bench/LocalBench.h"
#include "agent/loop/Folder.h"
#include "tools/kcheck/OptimizeSetup.h"
#include "tools/kcheck/Version.h"
#include "tools/kcheck/mcp/Tools.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kcheck;
using namespace kcheck::cli;
namespace json = llvm::json;

namespace {

const char *StepSchema = R"json({"type": "object", "required": ["schema", "run", "round", "start_ms", "best_ms", "speedup", "modelled", "best", "limits", "feedback", "next"],
"properties": {
  "schema": {"const": "kcheck.optimize_step/1"},
  "run": {"type": "string"}, "round": {"type": "integer", "description": "of the last round; 0: only the kernel as it came was measured"},
  "start_ms": {"type": "number"}, "best_ms": {"type": "number"}, "speedup": {"type": "number"},
  "modelled": {"type": "boolean", "description": "times are of a cost model, not of a clock"},
  "best": {"type": "object", "required": ["id", "source"], "properties": {"id": {"type": "string"}, "source": {"type": "string"}}},
  "roofline": {"type": "object", "properties": {"share": {"type": "number"}, "ceiling": {"type": "string"}}},
  "limits": {"type": "array", "description": "what limits the best one, worst first", "items": {"type": "object", "required": ["label", "evidence"]}},
  "feedback": {"description": "of the round: ranking, failures with their messages, hypothesis against outcome; null where none was run"},
  "next": {"type": "string", "description": "Markdown: all that is known for the next round, with the edits that apply and where"},
  "warnings": {"type": "array", "items": {"type": "string"}}, "dispatch": {"type": "string"},
  "files": {"type": "array", "items": {"type": "string"}}}})json";

/// What the run is about. What a later call leaves out is as it was.
struct Asked {
  std::string Task, Op, Device, Arch, File, Text;
};

std::string member(const json::Object &A, const json::Object *Old, llvm::StringRef Key) {
  std::string Given = text(A, Key);
  return Given.empty() && Old ? Old->getString(Key).value_or("").str() : Given;
}

llvm::Expected<Asked> asked(const json::Object &A, const ToolLimits &L, const json::Object *Old) {
  Asked Q;
  Q.Task = text(A, "op").empty() ? member(A, Old, "task") : text(A, "task");
  Q.Op = text(A, "task").empty() ? member(A, Old, "op") : text(A, "op");
  Q.Device = member(A, Old, "device"), Q.Arch = member(A, Old, "arch");
  if (Q.Device.empty())
    Q.Device = L.Device.empty() ? "sim" : L.Device;
  if (Q.Task.empty() == Q.Op.empty())
    return llvm::createStringError("name a task (a task.yaml) or an operator (op), one of them");
  if (!Q.Task.empty())
    if (llvm::Error E = allowed(Q.Task, L))
      return std::move(E);
  if (Old && text(A, "file").empty() && !A.getString("source")) {
    Q.File = Old->getString("kernel").value_or("").str(), Q.Text = Old->getString("text").value_or("").str();
    return Q;
  }
  auto In = candidate(A, L);
  if (!In)
    return In.takeError();
  Q.File = In->File, Q.Text = *In->Text;
  return Q;
}

json::Value request(const Asked &Q) {
  return json::Object{{"schema", "kcheck.run/1"}, {"task", Q.Task}, {"op", Q.Op}, {"kernel", Q.File}, {"text", json::fixUTF8(Q.Text)}, {"device", Q.Device}, {"arch", Q.Arch}, {"policy", "agent"}};
}

/// A folder that is there must be allowed, one that is yet to be made needs a parent that is.
llvm::Error allowedFolder(const std::string &Folder, const ToolLimits &L) {
  if (llvm::sys::fs::exists(Folder))
    return allowed(Folder, L);
  llvm::StringRef Parent = llvm::sys::path::parent_path(Folder);
  if (llvm::sys::path::filename(Folder) == "..")
    return llvm::createStringError(Folder + ": no name for a folder");
  return allowed(Parent.empty() ? "." : Parent, L);
}

llvm::Expected<std::vector<agent::Candidate>> candidatesOf(const json::Object &A) {
  std::vector<agent::Candidate> All;
  for (const json::Value &V : *A.getArray("candidates")) {
    std::string Error;
    auto C = agent::candidateFromJson(V, Error);
    if (!C)
      return llvm::createStringError("candidate " + llvm::Twine(All.size() + 1) + ": " + Error);
    All.push_back(std::move(*C));
  }
  return All;
}

json::Value stateJson(agent::Loop &Loop, const std::string &Folder, bool Ran) {
  const agent::LoopResult &R = Loop.result();
  const agent::Outcome &Best = R.winner();
  json::Array Limits;
  for (const agent::Bottleneck &B : Best.Why.Found)
    Limits.push_back(json::Object{{"label", B.Label}, {"evidence", B.Evidence}, {"line", B.Line}});
  json::Object J{{"schema", "kcheck.optimize_step/1"}, {"run", Folder}, {"round", int64_t(R.Rounds.size()) - 1}, {"start_ms", R.StartMs}, {"best_ms", R.BestMs},
                 {"speedup", R.Speedup}, {"modelled", Best.Measured.Modelled}, {"best", json::Object{{"id", R.Winner}, {"source", json::fixUTF8(Best.Text)}}},
                 {"limits", std::move(Limits)}, {"feedback", Ran ? agent::feedbackJson(R.Rounds.back()) : json::Value(nullptr)},
                 {"next", json::fixUTF8(agent::renderContext(Loop.context(), 12000))}};
  if (Best.Why.RooflineShare > 0)
    J["roofline"] = json::Object{{"share", Best.Why.RooflineShare}, {"ceiling", Best.Why.Ceiling}};
  return J;
}

void addEnd(json::Value &State, const agent::LoopResult &R, const std::string &Folder) {
  json::Object &J = *State.getAsObject();
  J["warnings"] = json::Array(R.Warnings);
  J["dispatch"] = R.Dispatch;
  json::Array Files;
  for (const char *Name : {"best.cu", "best.diff", "notebook.md", "report.html", "result.json"})
    Files.push_back(Folder + "/" + Name);
  J["files"] = std::move(Files);
}

llvm::Expected<json::Value> step(const json::Object &A, const ToolLimits &L, const mcp::Report &Progress) {
  std::string Folder = text(A, "run");
  if (llvm::Error E = allowedFolder(Folder, L))
    return std::move(E);
  agent::RunFolder F(Folder);
  auto Old = F.readJson("run.json");
  auto Q = asked(A, L, Old ? Old->getAsObject() : nullptr);
  if (!Q)
    return Q.takeError();
  json::Value Wanted = request(*Q);
  if (Old && *Old != Wanted)
    return llvm::createStringError(Folder + ": holds another run; leave out what is to stay as it was, or name another folder");
  std::vector<agent::Candidate> Given;
  if (A.getArray("candidates")) {
    auto All = candidatesOf(A);
    if (!All)
      return All.takeError();
    Given = std::move(*All);
  }
  auto T = searchTask(Q->Task, Q->Op);
  if (!T)
    return T.takeError();
  agent::BenchOptions B;
  B.File = Q->File;
  B.Task = std::move(*T);
  B.Devices = wordsOf(Q->Device);
  B.Archs = wordsOf(Q->Arch);
  B.Parse.Arch = B.Archs.empty() ? "" : B.Archs.front();
  B.Parse.ExtraArgs = contextOf(A).AfterDashes;
  B.Version = toolInfo().Version;
  auto Bench = agent::localBench(B);
  if (!Bench)
    return Bench.takeError();
  auto Known = agent::collectContext(B, Q->Text);
  if (!Known)
    return Known.takeError();
  if (!F.writeJson("run.json", Wanted))
    return llvm::createStringError(Folder + ": cannot be written");
  agent::LoopOptions O;
  O.Folder = Folder;
  O.Rounds = 100000, O.EnoughRoofline = 2, O.LeastGain = -1; // the agent says when it is enough
  O.Candidates = unsigned(A.getInteger("builtin").value_or(agent::MostCandidates));
  O.Say = Progress;
  std::string Error;
  auto Policy = agent::makePolicy({}, Error);
  agent::Loop Loop(**Bench, *Policy, std::move(*Known), O);
  if (llvm::Error E = Loop.begin())
    return std::move(E);
  while (F.readJson(agent::RunFolder::round(unsigned(Loop.result().Rounds.size())) + "round.json"))
    Loop.round();
  bool Run = !Given.empty() || A.getInteger("builtin");
  if (Run)
    Loop.round(Given.empty() ? nullptr : &Given);
  bool End = A.getBoolean("finish").value_or(false);
  if (End) {
    Progress("measuring the best ones at every shape");
    Loop.finish();
  }
  json::Value State = stateJson(Loop, Folder, Run);
  if (End)
    addEnd(State, Loop.result(), Folder);
  return State;
}

} // namespace

mcp::Tool cli::optimizeStepTool(const ToolLimits &L) {
  return makeTool("optimize_step", "A round of optimisation",
                  "Measures ideas for a faster kernel. The first call names kernel, task or op, and a run folder: it is checked, timed and diagnosed. Later calls name the "
                  "folder and up to eight candidates, each a parent (start, or an id of an earlier round), steps or a whole source, and why it should be faster; each is guarded, "
                  "read, run and timed, and the answer says which hypotheses held and what to try next. With builtin a search without a model proposes instead.",
                  R"json({"type": "object", "additionalProperties": false, "required": ["run"], "properties": {)json" + CandidateMembers + R"json(
  "run": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "run folder; made by the first call, and the only place that is written to"},
  "task": {"type": "string", "maxLength": 4096, "description": "path of a task.yaml that says what the kernel must compute"},
  "op": {"type": "string", "maxLength": 100, "description": "a built-in operator that it must compute, in place of a task"},
  "device": {"type": "string", "pattern": "^(sim|gpu(:[0-9]{1,3})?)$", "description": "where to time: sim (modelled times), gpu or gpu:N"},
  "candidates": {"type": "array", "maxItems": 8, "items": {"type": "object", "additionalProperties": false, "properties": {
    "parent": {"type": "string", "maxLength": 32, "description": "start or an id such as r1c2; by default the best one so far"},
    "steps": {"type": "array", "minItems": 1, "maxItems": 20, "description": "named edits, as in rewrite"},
    "source": {"type": "string", "maxLength": 8000000, "description": "the edited file instead; the guard must let it pass"},
    "hypothesis": {"type": "string", "maxLength": 4000, "description": "what limits the parent and why this helps"}}}},
  "builtin": {"type": "integer", "minimum": 1, "maximum": 8, "description": "so many candidates of the built-in search instead of your own"},
  "finish": {"type": "boolean", "description": "after this round: time the best ones at every shape, write best.cu, notebook and report"},)json" +
                      FlagMembers + "}}",
                  StepSchema, [L](const json::Object &A, const mcp::Report &P) { return step(A, L, P); });
}
