//===- Tools.h - what kcheck offers to agents ------------------------------------===//
//
// Each tool is a function of kcheck behind a schema, and answers with the JSON that the command of the same name writes.
// To add a tool: a function that makes an mcp::Tool, and its name in allTools().
//
//===-----------------------------------------------------------------------------===//
#ifndef KCHECK_TOOLS_KCHECK_MCP_TOOLS_H
#define KCHECK_TOOLS_KCHECK_MCP_TOOLS_H

#include "agent/mcp/Tool.h"
#include "analyzers/engine/Driver.h"
#include "tools/kcheck/Command.h"
#include "llvm/Support/JSON.h"
#include <vector>

namespace kcheck::cli {

struct ToolLimits {
  std::vector<std::string> Roots; ///< folders below which the files that agents name must lie; none: anywhere
  std::string Device; ///< where kernels run unless the agent says; servers on the network are named here only
};

std::vector<mcp::Tool> allTools(const ToolLimits &L);

mcp::Tool checkTool(const ToolLimits &L), lintTool(const ToolLimits &L), runTool(const ToolLimits &L);
mcp::Tool actionsTool(const ToolLimits &L), rewriteTool(const ToolLimits &L), guardTool(const ToolLimits &L);
mcp::Tool optimizeStepTool(const ToolLimits &L);
mcp::Tool explainTool();

//===- shared by the tools ---------------------------------------------------===//

mcp::Answer failed(llvm::Error E);
mcp::Answer answer(llvm::json::Value V);
/// A member as text; empty where it is absent.
std::string text(const llvm::json::Object &Arguments, llvm::StringRef Key);
/// The file of the arguments, whose text another argument may give.
llvm::Expected<LintInput> candidate(const llvm::json::Object &Arguments, const ToolLimits &L, llvm::StringRef FileKey = "file", llvm::StringRef SourceKey = "source");
/// A path that the limits allow.
llvm::Error allowed(llvm::StringRef Path, const ToolLimits &L);
/// "args": what would stand after `--`.
Context contextOf(const llvm::json::Object &Arguments);
/// A tool whose function gets its arguments parsed.
mcp::Tool makeTool(std::string Name, std::string Title, std::string Description, std::string Input, std::string Output,
                   std::function<llvm::Expected<llvm::json::Value>(const llvm::json::Object &, const mcp::Report &)> Run);

/// Parts of schemas that several tools share: members, each with a comma behind it.
extern const std::string CandidateMembers, FlagMembers;

} // namespace kcheck::cli
#endif
