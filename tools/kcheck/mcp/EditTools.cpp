// actions, rewrite and guard for agents: edits by name, and what an edit of the agent's own touched.
#include "actions/engine/Format.h"
#include "analyzers/engine/Policy.h"
#include "analyzers/engine/driver/OneShot.h"
#include "tools/kcheck/EditReports.h"
#include "tools/kcheck/ReviewSetup.h"
#include "tools/kcheck/mcp/Tools.h"

using namespace kcheck;
using namespace kcheck::cli;

namespace {

const char *ActionsSchema = R"json({"type": "object", "required": ["schema", "file", "kernels", "actions"], "properties": {
  "schema": {"const": "kcheck.actions/1"}, "file": {"type": "string"}, "kernels": {"type": "array", "items": {"type": "string"}},
  "errors": {"type": "array", "items": {"type": "string"}, "description": "why the file does not compile; nothing applies then"},
  "actions": {"type": "array", "items": {"type": "object", "required": ["action", "summary", "parameters", "sites"], "properties": {
    "action": {"type": "string"}, "summary": {"type": "string"},
    "parameters": {"type": "array", "items": {"type": "object", "required": ["name", "summary"]}},
    "sites": {"type": "array", "items": {"type": "object", "required": ["kernel", "line", "what", "applies", "sets"], "properties": {
      "applies": {"type": "boolean"}, "why_not": {"type": "string"},
      "sets": {"type": "array", "description": "legal parameter sets with their predicted effect, the best guess first"}}}}}}}}})json";

const char *RewriteSchema = R"json({"type": "object", "required": ["schema", "file", "text", "diff", "steps"], "properties": {
  "schema": {"const": "kcheck.rewrite/1"}, "file": {"type": "string"},
  "text": {"type": "string", "description": "the whole file after the edits; nothing was written to disk"},
  "diff": {"type": "string"},
  "steps": {"type": "array", "items": {"type": "object", "required": ["action", "kernel", "line", "what", "set"], "properties": {
    "action": {"type": "string"}, "kernel": {"type": "string"}, "line": {"type": "integer"}, "what": {"type": "string"},
    "set": {"type": "object", "additionalProperties": {"type": "integer"}}}}}}})json";

const char *GuardSchema = R"json({"type": "object", "required": ["schema", "parent", "candidate", "verdict", "violations", "touched"], "properties": {
  "schema": {"const": "kcheck.guard/1"}, "parent": {"type": "string"}, "candidate": {"type": "string"},
  "verdict": {"enum": ["PASS", "REVIEW", "REJECT"]},
  "violations": {"type": "array", "items": {"type": "object", "required": ["tag", "severity", "line", "message"]}},
  "touched": {"type": "array", "items": {"type": "object", "required": ["function", "line", "what"]}}}})json";

/// Reading happens in this very process: its memory is bounded.
llvm::Expected<ParseOptions> parseOptions(const llvm::json::Object &A) {
  ParseOptions O;
  O.Arch = text(A, "arch");
  if (llvm::Error E = checkArch(O.Arch))
    return std::move(E);
  O.ExtraArgs = contextOf(A).AfterDashes;
  boundMemory(O);
  return O;
}

llvm::Expected<const ActionInfo *> action(const std::string &Name) {
  if (const ActionInfo *Found = findAction(Name))
    return Found;
  std::vector<std::string> Known;
  for (const ActionInfo &X : allActions())
    Known.push_back(X.Name.str());
  return llvm::createStringError("unknown action '" + Name + "'" + didYouMean(Name, Known) + "; known are " + llvm::join(Known, ", "));
}

llvm::Expected<llvm::json::Value> listActions(const llvm::json::Object &A, const ToolLimits &L) {
  const ActionInfo *Only = nullptr;
  if (std::string Name = text(A, "action"); !Name.empty()) {
    auto Found = action(Name);
    if (!Found)
      return Found.takeError();
    Only = *Found;
  }
  auto In = candidate(A, L);
  if (!In)
    return In.takeError();
  auto O = parseOptions(A);
  if (!O)
    return O.takeError();
  auto F = findActions(In->File, *In->Text, *O, Only);
  if (!F)
    return F.takeError();
  return actionsJson(In->File, *F);
}

RewriteRequest request(const llvm::json::Object &Step) {
  RewriteRequest R;
  R.Action = text(Step, "action");
  R.Kernel = text(Step, "kernel");
  R.Line = unsigned(Step.getInteger("line").value_or(0));
  if (const llvm::json::Object *Set = Step.getObject("set"))
    for (const auto &[Key, Value] : *Set)
      R.Set[Key.str()] = Value.getAsInteger().value_or(0);
  return R;
}

llvm::json::Object stepJson(const RewriteRequest &Asked, const RewriteResult &R) {
  llvm::json::Object Set;
  for (const auto &[Key, Value] : R.Used)
    Set[Key] = Value;
  return llvm::json::Object{{"action", Asked.Action}, {"kernel", R.Kernel}, {"line", R.Where.Line}, {"what", R.What}, {"set", std::move(Set)}};
}

llvm::Expected<llvm::json::Value> applySteps(const llvm::json::Object &A, const ToolLimits &L, const mcp::Report &Progress) {
  auto In = candidate(A, L);
  if (!In)
    return In.takeError();
  auto O = parseOptions(A);
  if (!O)
    return O.takeError();
  std::string Text = *In->Text;
  llvm::json::Array Steps;
  for (const llvm::json::Value &Step : *A.getArray("steps")) {
    RewriteRequest R = request(*Step.getAsObject());
    auto Known = action(R.Action);
    if (!Known)
      return Known.takeError();
    Progress("applying " + R.Action);
    auto New = rewrite(In->File, Text, *O, R);
    if (!New)
      return llvm::createStringError("step " + llvm::Twine(Steps.size() + 1) + ", " + R.Action + ": " + llvm::toString(New.takeError()));
    Steps.push_back(stepJson(R, *New));
    Text = std::move(New->Text);
  }
  std::string Diff = unifiedDiff(In->File, *In->Text, Text);
  return llvm::json::Object{{"schema", "kcheck.rewrite/1"}, {"file", In->File}, {"text", llvm::json::fixUTF8(Text)}, {"diff", llvm::json::fixUTF8(Diff)},
                            {"steps", std::move(Steps)}};
}

llvm::Expected<llvm::json::Value> guardBoth(const llvm::json::Object &A, const ToolLimits &L) {
  auto Parent = candidate(A, L, "parent_file", "parent_source"), Candidate = candidate(A, L, "candidate_file", "candidate_source");
  if (!Parent || !Candidate)
    return llvm::joinErrors(Parent ? llvm::Error::success() : Parent.takeError(), Candidate ? llvm::Error::success() : Candidate.takeError());
  auto O = parseOptions(A);
  if (!O)
    return O.takeError();
  GuardOptions G;
  G.InnerOnly = A.getBoolean("inner_only").value_or(false);
  if (const llvm::json::Array *Allow = A.getArray("allow"))
    for (const llvm::json::Value &Tag : *Allow)
      G.Allow.push_back(Tag.getAsString().value_or("").str());
  auto R = guard(*Parent, *Candidate, *O, G, Policy::builtin());
  if (!R)
    return R.takeError();
  return guardJson(Parent->File, Candidate->File, *R);
}

} // namespace

mcp::Tool cli::actionsTool(const ToolLimits &L) {
  return makeTool("actions", "List edits",
                  "The named edits (tiling, vector loads, padding, warp reductions, fixes …) that apply to a candidate: where, with which legal parameters and "
                  "predicted effect, or why not. Feed one of them to rewrite.",
                  R"({"type": "object", "additionalProperties": false, "properties": {)" + CandidateMembers +
                      R"("action": {"type": "string", "maxLength": 100, "description": "only this action"},)" + FlagMembers + "}}",
                  ActionsSchema, [L](const llvm::json::Object &A, const mcp::Report &) { return listActions(A, L); });
}

mcp::Tool cli::rewriteTool(const ToolLimits &L) {
  return makeTool("rewrite", "Edit a kernel",
                  "Applies named edits in order and returns the new text with a diff; writes no file. The result compiles and touches the same elements as before, "
                  "or there is an error with the reason.",
                  R"({"type": "object", "additionalProperties": false, "required": ["steps"], "properties": {)" + CandidateMembers + R"json(
  "steps": {"type": "array", "minItems": 1, "maxItems": 20, "items": {"type": "object", "additionalProperties": false, "required": ["action"], "properties": {
    "action": {"type": "string", "maxLength": 100, "description": "a name that the tool 'actions' gave"},
    "set": {"type": "object", "maxProperties": 20, "additionalProperties": {"type": "integer"}, "description": "parameters, such as {\"factor\": 4}"},
    "kernel": {"type": "string", "maxLength": 200, "description": "only in this kernel"},
    "line": {"type": "integer", "minimum": 1, "maximum": 10000000, "description": "only at this line"}}}},)json" +
                      FlagMembers + "}}",
                  RewriteSchema, [L](const llvm::json::Object &A, const mcp::Report &P) { return applySteps(A, L, P); });
}

mcp::Tool cli::guardTool(const ToolLimits &L) {
  return makeTool("guard", "Guard an edit",
                  "Compares a candidate that was edited by hand with its parent: what was touched, and what may not be touched (bounds checks, barriers, signatures, "
                  "launches, protected regions). Use it after editing a kernel without rewrite.",
                  R"json({"type": "object", "additionalProperties": false, "properties": {
  "parent_file": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "the file before the edit"},
  "parent_source": {"type": "string", "maxLength": 8000000, "description": "its text, in place of what stands in the file"},
  "candidate_file": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "the file after the edit"},
  "candidate_source": {"type": "string", "maxLength": 8000000, "description": "its text"},
  "inner_only": {"type": "boolean", "description": "nothing but the bodies of innermost loops may change"},
  "allow": {"type": "array", "maxItems": 50, "items": {"type": "string", "maxLength": 100}, "description": "tags that are no violation, such as launch_changed"},)json" +
                      FlagMembers + "}}",
                  GuardSchema, [L](const llvm::json::Object &A, const mcp::Report &) { return guardBoth(A, L); });
}
