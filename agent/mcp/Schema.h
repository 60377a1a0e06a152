//===- Schema.h - a JSON value held against a schema ----------------------------===//
#ifndef KCHECK_AGENT_MCP_SCHEMA_H
#define KCHECK_AGENT_MCP_SCHEMA_H

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace kcheck::mcp {

/// What is wrong with Value, one line a fault, each with its place; empty: nothing. A schema that is none itself is a fault too.
std::vector<std::string> faults(const nlohmann::json &Value, const nlohmann::json &Schema);

} // namespace kcheck::mcp
#endif
