//===- Server.h - Model Context Protocol over stdin and stdout ---------------------===//
//
//   stdin ─► LineBuffer ─► Dialog ─► answers ─► stdout
//                            └─► calls: a few at a time, the others wait ─► Call ─► progress, answers
//
// One thread: calls are processes. The end of stdin ends it once what was asked for is answered, or after a while.
//
//===-------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_MCP_SERVER_H
#define KCHECK_AGENT_MCP_SERVER_H

#include "agent/mcp/Dialog.h"

namespace kcheck::mcp {

struct ServerOptions {
  int In = 0, Out = 1;
  unsigned Calls = 2;         ///< at a time
  unsigned Waiting = 100;     ///< behind them; more are refused
  double CallSeconds = 900;   ///< then a call is ended
  double GraceSeconds = 10;   ///< for calls that run when stdin ends
  double HeartbeatSeconds = 2; ///< progress is reported at least this often
};

/// Serves until stdin ends, or SIGTERM or SIGINT comes. The exit status.
int serve(std::vector<Tool> Tools, const ServerInfo &Info, const ServerOptions &O);

} // namespace kcheck::mcp
#endif
