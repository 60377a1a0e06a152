#include "agent/chat/Chat.h"
#include <cmath>
#include <nlohmann/json.hpp>

using namespace kcheck;
using namespace kcheck::agent;
using Json = nlohmann::json;

namespace {

constexpr size_t MostReplyBytes = 16u << 20, MostQuoted = 400;

std::string endpoint(std::string Url) {
  while (!Url.empty() && Url.back() == '/')
    Url.pop_back();
  constexpr std::string_view End = "/chat/completions";
  return Url.ends_with(End) ? Url : Url + std::string(End);
}

/// About four characters a token, as the prompts are cut.
uint64_t tokensOf(const std::string &Text) { return (Text.size() + 3) / 4; }

/// A string inside an object, whatever else is there.
std::string textOf(const Json &Object, const char *Key) {
  if (!Object.is_object())
    return "";
  auto It = Object.find(Key);
  return It != Object.end() && It->is_string() ? It->get<std::string>() : "";
}
uint64_t numberOf(const Json &Object, const char *Key, uint64_t Otherwise) {
  if (!Object.is_object())
    return Otherwise;
  auto It = Object.find(Key);
  return It != Object.end() && It->is_number_unsigned() ? It->get<uint64_t>() : Otherwise;
}

/// Content is a string, or a list of parts.
std::string contentOf(const Json &Message) {
  if (std::string Text = textOf(Message, "content"); !Text.empty())
    return Text;
  std::string All;
  if (Message.is_object() && Message.contains("content") && Message["content"].is_array())
    for (const Json &Part : Message["content"])
      All += textOf(Part, "text");
  return All;
}

/// What the endpoint says went wrong, in one line.
std::string complaint(const std::string &Body) {
  Json J = Json::parse(Body, nullptr, false);
  std::string Text = Body;
  if (J.is_object() && J.contains("error"))
    Text = J["error"].is_string() ? J["error"].get<std::string>() : textOf(J["error"], "message");
  for (char &C : Text)
    if (static_cast<unsigned char>(C) < ' ')
      C = ' ';
  return Text.substr(0, MostQuoted);
}

} // namespace

const char *agent::toString(ChatReply::Outcome O) {
  switch (O) {
  case ChatReply::Outcome::Answered:
    return "answered";
  case ChatReply::Outcome::TimedOut:
    return "timed_out";
  case ChatReply::Outcome::Unreachable:
    return "unreachable";
  case ChatReply::Outcome::Refused:
    return "refused";
  case ChatReply::Outcome::Garbage:
    return "garbage";
  case ChatReply::Outcome::Limit:
    return "limit";
  }
  return "";
}

std::string Chat::withoutKey(std::string Text) const {
  if (O.Key.size() < 4) // no key worth the name; striking out single letters would garble everything
    return Text;
  for (size_t At = Text.find(O.Key); At != Text.npos; At = Text.find(O.Key, At))
    Text.replace(At, O.Key.size(), "[key]");
  return Text;
}

std::string Chat::body(const std::vector<ChatMessage> &Messages, bool WantJson, uint64_t Seed) const {
  Json J{{"model", O.Model}, {"messages", Json::array()}};
  for (const ChatMessage &M : Messages)
    J["messages"].push_back({{"role", M.Role}, {"content", M.Text}});
  auto add = [&](const char *Key, Json Value) {
    if (!Unknown.count(Key))
      J[Key] = std::move(Value);
  };
  add("temperature", O.Temperature);
  add("seed", Seed & 0x7fffffff);
  if (WantJson)
    add("response_format", {{"type", "json_object"}});
  if (Unknown.count("max_tokens"))
    add("max_completion_tokens", O.ReplyTokens);
  else
    J["max_tokens"] = O.ReplyTokens;
  return J.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A 400 that names a part of the request which can do without: true, and it is left out from now on.
bool Chat::leaveOut(const client::HttpResponse &R) {
  if (R.Status != 400 && R.Status != 422)
    return false;
  // max_tokens last: newer endpoints name it beside its successor.
  for (const char *Part : {"response_format", "temperature", "seed", "max_completion_tokens", "max_tokens"}) {
    bool Sent = std::string_view(Part) != "max_completion_tokens" || Unknown.count("max_tokens");
    if (Sent && !Unknown.count(Part) && R.Body.find(Part) != std::string::npos)
      return Unknown.insert(Part).second;
  }
  return false;
}

bool Chat::affordable(const std::vector<ChatMessage> &Messages, ChatReply &R) const {
  uint64_t Prompt = 0;
  for (const ChatMessage &M : Messages)
    Prompt += tokensOf(M.Text);
  R.How = ChatReply::Outcome::Limit;
  if (O.MostTokens && Tokens + Prompt + O.ReplyTokens > O.MostTokens)
    R.Why = "the limit of " + std::to_string(O.MostTokens) + " tokens would be passed: " + std::to_string(Tokens) + " were used";
  double Most = (double(Prompt) * O.PromptPrice + double(O.ReplyTokens) * O.ReplyPrice) / 1e6;
  if (O.MostCost > 0 && Cost + Most > O.MostCost)
    R.Why = "the cost limit would be passed";
  return R.Why.empty();
}

void Chat::read(const client::HttpResponse &H, ChatReply &R) const {
  using Http = client::HttpResponse::Outcome;
  if (H.How == Http::TimedOut) {
    R.How = ChatReply::Outcome::TimedOut;
    R.Why = withoutKey(H.Why);
    return;
  }
  if (H.How == Http::TooLarge) {
    R.How = ChatReply::Outcome::Garbage;
    R.Why = "the answer has more than " + std::to_string(MostReplyBytes >> 20) + " MiB";
    return;
  }
  if (!H.ok()) {
    bool Theirs = H.How == Http::Answered && H.Status >= 400 && H.Status < 500 && H.Status != 429;
    R.How = Theirs || H.How == Http::BadUrl || H.How == Http::Certificate ? ChatReply::Outcome::Refused : ChatReply::Outcome::Unreachable;
    R.Why = H.How == Http::Answered ? "HTTP " + std::to_string(H.Status) + ": " + complaint(H.Body) : H.Why;
    R.Why = withoutKey(R.Why);
    return;
  }
  R.How = ChatReply::Outcome::Garbage;
  Json J = Json::parse(H.Body, nullptr, false);
  if (!J.is_object() || !J.contains("choices") || !J["choices"].is_array() || J["choices"].empty() || !J["choices"][0].is_object()) {
    R.Why = "the answer is no chat completion: " + withoutKey(complaint(H.Body));
    return;
  }
  const Json &Choice = J["choices"][0];
  R.Text = withoutKey(Choice.contains("message") ? contentOf(Choice["message"]) : "");
  R.Model = withoutKey(textOf(J, "model"));
  R.CutShort = textOf(Choice, "finish_reason") == "length";
  const Json Usage = J.contains("usage") ? J["usage"] : Json();
  R.PromptTokens = numberOf(Usage, "prompt_tokens", R.PromptTokens);
  R.ReplyTokens = numberOf(Usage, "completion_tokens", tokensOf(R.Text));
  if (R.Text.empty())
    R.Why = R.CutShort ? "the model thought until its tokens ran out and said nothing" : "the model said nothing";
  else
    R.How = ChatReply::Outcome::Answered;
}

ChatReply Chat::ask(const std::vector<ChatMessage> &Messages, bool WantJson, uint64_t Seed) {
  ChatReply R;
  if (!affordable(Messages, R))
    return R;
  for (const ChatMessage &M : Messages)
    R.PromptTokens += tokensOf(M.Text);
  client::HttpRequest Q;
  Q.Method = "POST";
  Q.Url = endpoint(O.Url);
  Q.Headers = {"Content-Type: application/json", "Accept: application/json"};
  Q.Token = O.Key;
  Q.CaFile = O.CaFile;
  Q.Seconds = O.Seconds;
  Q.MostBytes = MostReplyBytes;
  Q.Cancelled = O.Cancelled;
  client::RetryPolicy Again{.Tries = O.Tries, .ServerErrors = true, .FirstSeconds = 0.5, .MostSeconds = O.MostWait};
  client::HttpResponse H;
  do {
    Q.Body = body(Messages, WantJson, Seed);
    H = Http.sendWithRetries(Q, Again);
    R.Tries += H.Tries;
    R.Seconds += H.Seconds;
  } while (leaveOut(H));
  read(H, R);
  // What was sent may have been charged, whatever came back of it.
  R.Cost = (double(R.PromptTokens) * O.PromptPrice + double(R.ReplyTokens) * O.ReplyPrice) / 1e6;
  Tokens += R.PromptTokens + R.ReplyTokens;
  Cost += R.Cost;
  return R;
}
