//===- Message.h - JSON-RPC messages, one a line ---------------------------------===//
//
//   bytes ─► LineBuffer ─► lines ─► parseMessage ─► Json
//
// What a peer sends is not trusted: lines are bounded in length, JSON in depth, and bytes that are no UTF-8 are an error.
//
//===-----------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_MCP_MESSAGE_H
#define KCHECK_AGENT_MCP_MESSAGE_H

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace kcheck::mcp {

using Json = nlohmann::json;

enum ErrorCode {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  UnsupportedVersion = -32022
};

inline constexpr size_t MostLineBytes = 16u << 20;
inline constexpr unsigned MostDepth = 64;

class LineBuffer {
public:
  void add(std::string_view Bytes);
  /// The next whole line; TooLong says that it was cut away, and the text is empty.
  std::optional<std::string> next(bool &TooLong);
  /// What stands behind the last newline at the end of the stream.
  std::string rest();

private:
  std::string Pending;
  size_t Looked = 0;       ///< no newline before it
  bool Skipping = false;   ///< inside a line that is too long
};

/// A value, or why the text is none.
std::optional<Json> parseMessage(std::string_view Line, std::string &Why);

Json errorResponse(const Json &Id, int Code, const std::string &Message, Json Data = nullptr);
Json response(const Json &Id, Json Result);
Json notification(const std::string &Method, Json Params);

/// One line of text; bytes that are no UTF-8 are replaced.
std::string toLine(const Json &Message);

} // namespace kcheck::mcp
#endif
