//===- Tool.h - what an agent may call -----------------------------------------===//
//
//   tools/call ─► arguments checked against Input ─► Run, in a process of its own ─► Answer, as Output says
//
// Schemas, arguments and answers are JSON as text: whoever implements a tool uses the JSON library that suits it.
// Run may crash, hang or be ended half way: it has a process to itself, and a temporary folder that is removed.
//
//===----------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_MCP_TOOL_H
#define KCHECK_AGENT_MCP_TOOL_H

#include <functional>
#include <string>

namespace kcheck::mcp {

struct Answer {
  bool Failed = false;
  std::string Text; ///< a JSON value as the output schema says; where it failed, words that help to do better
};

/// Says what is going on, in a few words; shown to those who asked for progress.
using Report = std::function<void(const std::string &)>;

struct Tool {
  std::string Name, Title, Description;
  std::string Input, Output; ///< JSON schemas of objects
  std::function<Answer(const std::string &Arguments, const Report &Progress)> Run;
};

} // namespace kcheck::mcp
#endif
