// kcheck mcp: kcheck's functions for agents, over stdin and stdout (Model Context Protocol).
#include "agent/mcp/Server.h"
#include "tools/kcheck/Version.h"
#include "tools/kcheck/mcp/Tools.h"
#include <thread>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::cli;

namespace {

struct McpFlags {
  ToolLimits Limits;
  mcp::ServerOptions Server;
};

const char *Instructions =
    "kcheck judges CUDA kernels. Work in this order: lint after every edit (fast); explain a tag you do not know; actions and rewrite for edits that are known to be "
    "safe; guard after an edit of your own; check with the task or operator before you call a kernel done. REJECT is proven wrong, REVIEW is a doubt that a person or a "
    "run must settle, PASS is PASS only for what stands in coverage. For speed, optimize_step measures up to eight ideas a call and says what limits the best one. No "
    "tool but optimize_step writes files, and that one only into its run folder: write the text that rewrite returns yourself.";

int serveMcp(McpFlags &O) {
  if (::isatty(STDIN_FILENO) && ::isatty(STDOUT_FILENO))
    complain("mcp speaks JSON-RPC on stdin and stdout; it is started by an agent's client (see docs/agents.md)");
  O.Server.Calls = std::max(2u, std::thread::hardware_concurrency() / 2);
  return mcp::serve(allTools(O.Limits), {"kcheck", "kcheck: checks CUDA kernels", toolInfo().Version, Instructions}, O.Server);
}

void addMcp(CLI::App &App, Context &Ctx) {
  auto O = std::make_shared<McpFlags>();
  CLI::App *Sub = App.add_subcommand("mcp", "the same tools for agents, over stdin and stdout (Model Context Protocol)");
  Sub->add_option("--root", O->Limits.Roots, "folder below which the files that agents name must lie; may be repeated")->allow_extra_args(false)
      ->check(CLI::ExistingDirectory)->type_name("DIR");
  Sub->add_option("--device", O->Limits.Device, "where kernels run unless the agent says: as in 'kcheck check'; only here may it be a URL")->type_name("D");
  Sub->add_option("--call-seconds", O->Server.CallSeconds, "a call that takes longer is ended (900)")->check(CLI::Range(1.0, 86400.0))->type_name("N");
  Sub->callback([O, &Ctx] { Ctx.Exit = serveMcp(*O); });
}

} // namespace

KCHECK_COMMAND(70, addMcp);
