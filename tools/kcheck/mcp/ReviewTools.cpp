// check, lint and run for agents: one candidate, the JSON report.
#include "gate/Session.h"
#include "tools/kcheck/ReviewOptions.h"
#include "tools/kcheck/mcp/Tools.h"

using namespace kcheck;
using namespace kcheck::cli;

namespace {

const std::string RuleMembers = R"json(
  "rules": {"type": "string", "maxLength": 2000, "description": "rules, tags or checks to use: 'kcheck-sync,kcheck-api-*', or '-kcheck-perf'"},
  "block_dim": {"type": "string", "maxLength": 64, "description": "assumed block X[,Y[,Z]] for kernels that the file does not launch"},
  "grid_dim": {"type": "string", "maxLength": 64, "description": "assumed grid for them"},)json";

const std::string RunMembers = R"json(
  "task": {"type": "string", "maxLength": 4096, "description": "path of a task.yaml that says what the kernel must compute"},
  "op": {"type": "string", "maxLength": 100, "description": "a built-in operator that it must compute, in place of a task"},
  "device": {"type": "string", "pattern": "^(sim|none|gpu(:[0-9]{1,3}|:all)?)$",
             "description": "where to run: sim (the CPU simulator), gpu, gpu:N or gpu:all where there are some, none; by default what the server was started with, else sim"},
  "seed": {"type": "string", "maxLength": 32, "description": "seed of the inputs, from an earlier report"},)json";

const char *ReportSchema = R"json({"type": "object", "required": ["schema", "tool", "results"], "properties": {
  "schema": {"const": "kcheck.report/1"},
  "tool": {"type": "object"},
  "results": {"type": "array", "minItems": 1, "items": {"type": "object", "required": ["file", "verdict", "reasons", "coverage", "static", "dynamic"], "properties": {
    "file": {"type": "string"},
    "verdict": {"enum": ["PASS", "REVIEW", "REJECT"]},
    "reasons": {"type": "array", "items": {"type": "string"}, "description": "tags, worst first"},
    "coverage": {"type": "array", "items": {"type": "string"}, "description": "what was looked at"},
    "static": {"type": "object", "required": ["findings"], "properties": {
      "findings": {"type": "array", "items": {"type": "object", "required": ["tag", "severity", "line", "message"]}}}},
    "dynamic": {"type": "object", "required": ["state", "why", "device"], "properties": {
      "state": {"enum": ["done", "not_run"]}, "why": {"type": "string"}, "device": {"type": "string"}}}}}}}})json";

std::string object(const std::string &Members) { return R"({"type": "object", "additionalProperties": false, "properties": {)" + Members + "}}"; }

ReviewOptions reviewOptions(const llvm::json::Object &A, const LintInput &In) {
  ReviewOptions O;
  O.Texts[In.File] = *In.Text;
  O.Arch = text(A, "arch");
  O.Rules = text(A, "rules");
  O.BlockDim = text(A, "block_dim");
  O.GridDim = text(A, "grid_dim");
  O.Jobs = 1;
  O.Quiet = true;
  return O;
}

llvm::Expected<llvm::json::Value> report(const ReviewOptions &O, const Context &Ctx, const Finish &Finish) {
  auto R = makeReport(O, Ctx, Finish);
  if (!R)
    return R.takeError();
  for (const FileReport &F : R->Files)
    if (!F.Error.empty())
      return llvm::createStringError(F.Error);
  return toJson(*R);
}

llvm::Expected<llvm::json::Value> lintOne(const llvm::json::Object &A, const ToolLimits &L, const mcp::Report &Progress) {
  auto In = candidate(A, L);
  if (!In)
    return In.takeError();
  Progress("reading " + In->File);
  return report(reviewOptions(A, *In), contextOf(A), [](FileReport &F, const Policy &) {
    F.Dynamic.Why = "lint";
    conclude(F);
  });
}

llvm::Expected<llvm::json::Value> checkOne(const llvm::json::Object &A, const ToolLimits &L, const mcp::Report &Progress, bool DynamicOnly) {
  auto In = candidate(A, L);
  if (!In)
    return In.takeError();
  if (std::string Task = text(A, "task"); !Task.empty())
    if (llvm::Error E = allowed(Task, L))
      return std::move(E);
  gate::SessionOptions S;
  S.TaskFile = text(A, "task");
  S.Op = text(A, "op");
  S.Device = text(A, "device");
  if (S.Device.empty())
    S.Device = L.Device;
  S.Seed = text(A, "seed");
  S.KeepGoing = A.getBoolean("keep_going").value_or(false);
  S.Parse.Arch = text(A, "arch");
  Context Ctx = contextOf(A);
  S.Parse.ExtraArgs = Ctx.AfterDashes;
  auto Session = gate::Session::open(S);
  if (!Session)
    return Session.takeError();
  Progress("reading " + In->File);
  ReviewOptions O = reviewOptions(A, *In);
  if (O.Arch.empty())
    O.Arch = (*Session)->arch(); // what it runs on is what it is read for
  (*Session)->expect();
  return report(O, Ctx, [&](FileReport &F, const Policy &Rules) {
    if (DynamicOnly)
      dropStaticFindings(F);
    Progress("running on " + (S.Device.empty() ? std::string("sim") : S.Device));
    (*Session)->check(F, Rules);
  });
}

} // namespace

mcp::Tool cli::lintTool(const ToolLimits &L) {
  return makeTool("lint", "Read a kernel",
                  "Static review of a CUDA candidate: reads the code with Clang's full AST, runs nothing, and gives PASS, REVIEW or REJECT with findings, "
                  "each with a line, a tag, evidence and often a fix. Takes well under a second; use it after every edit.",
                  object(CandidateMembers + RuleMembers + FlagMembers), ReportSchema,
                  [L](const llvm::json::Object &A, const mcp::Report &P) { return lintOne(A, L, P); });
}

mcp::Tool cli::checkTool(const ToolLimits &L) {
  return makeTool("check", "Check a kernel",
                  "The whole gate: static review, then the candidate is run in a sandbox and its results are compared with a reference over many shapes. "
                  "Name a task or a built-in operator, else the verdict is REVIEW at best. A candidate is only done when this says PASS.",
                  object(CandidateMembers + RuleMembers + RunMembers +
                         R"("keep_going": {"type": "boolean", "description": "run it also after a static reject"},)" + FlagMembers),
                  ReportSchema, [L](const llvm::json::Object &A, const mcp::Report &P) { return checkOne(A, L, P, false); });
}

mcp::Tool cli::runTool(const ToolLimits &L) {
  return makeTool("run", "Run a kernel",
                  "Only runs the candidate and compares: compile, sanitize, numerics, and time and counters where the device has them. "
                  "Static findings do not count; use check for the verdict.",
                  object(CandidateMembers + RunMembers + FlagMembers), ReportSchema,
                  [L](const llvm::json::Object &A, const mcp::Report &P) { return checkOne(A, L, P, true); });
}
