#include "agent/mcp/Message.h"
#include "agent/Brackets.h"
#include <algorithm>

using namespace kcheck::mcp;

void LineBuffer::add(std::string_view Bytes) { Pending += Bytes; }

std::optional<std::string> LineBuffer::next(bool &TooLong) {
  TooLong = false;
  size_t End = Pending.find('\n', Looked);
  if (End == std::string::npos) {
    Looked = Pending.size();
    if (Pending.size() > MostLineBytes) {
      Pending.clear();
      Looked = 0;
      Skipping = true;
    }
    return std::nullopt;
  }
  std::string Line = Pending.substr(0, End);
  Pending.erase(0, End + 1);
  Looked = 0;
  TooLong = std::exchange(Skipping, false) || Line.size() > MostLineBytes;
  if (TooLong)
    return std::string();
  if (!Line.empty() && Line.back() == '\r')
    Line.pop_back();
  return Line;
}

std::string LineBuffer::rest() {
  Looked = 0;
  return std::exchange(Skipping, false) ? std::string() : std::exchange(Pending, {});
}

/// How deep brackets nest outside of strings: the parser and the writer recurse as deep.
static unsigned depth(std::string_view Text) {
  unsigned Now = 0, Most = 0;
  kcheck::agent::forEachBracket(Text, [&](size_t, bool Opens) {
    if (Opens)
      Most = std::max(Most, ++Now);
    else if (Now)
      --Now;
    return true;
  });
  return Most;
}

std::optional<Json> kcheck::mcp::parseMessage(std::string_view Line, std::string &Why) {
  if (depth(Line) > MostDepth) {
    Why = "JSON nests deeper than " + std::to_string(MostDepth);
    return std::nullopt;
  }
  Json Value = Json::parse(Line, nullptr, /*allow_exceptions=*/false);
  if (!Value.is_discarded())
    return Value;
  Why = "not JSON";
  return std::nullopt;
}

Json kcheck::mcp::errorResponse(const Json &Id, int Code, const std::string &Message, Json Data) {
  Json Out{{"jsonrpc", "2.0"}, {"error", {{"code", Code}, {"message", Message}}}};
  if (!Data.is_null())
    Out["error"]["data"] = std::move(Data);
  if (!Id.is_null()) // MCP has no null ids: what cannot be told is left out
    Out["id"] = Id;
  return Out;
}

Json kcheck::mcp::response(const Json &Id, Json Result) { return {{"jsonrpc", "2.0"}, {"id", Id}, {"result", std::move(Result)}}; }

Json kcheck::mcp::notification(const std::string &Method, Json Params) {
  return {{"jsonrpc", "2.0"}, {"method", Method}, {"params", std::move(Params)}};
}

std::string kcheck::mcp::toLine(const Json &Message) { return Message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }
