//===- Chat.h - a language model behind a chat endpoint ----------------------------===//
//
//   messages ─► limits ─► POST …/chat/completions (OpenAI's form) ─► tries again on 429 and 5xx ─► text, tokens, cost
//
// The key is in none of its texts: neither in errors, nor in what is recorded, even where the endpoint repeats it. It is
// not sent over plain http but to this machine. What an endpoint does not know (a response format, a seed) is left out
// when it says so.
//
//===-------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_CHAT_CHAT_H
#define KCHECK_AGENT_CHAT_CHAT_H

#include "runner/client/Http.h"
#include <set>

namespace kcheck::agent {

struct ChatOptions {
  std::string Url;   ///< up to /v1, or all of it up to /chat/completions
  std::string Model;
  std::string Key;   ///< empty: none is sent
  std::string CaFile;
  double Seconds = 120;       ///< of one try
  unsigned Tries = 4;
  double MostWait = 60;       ///< between tries, also where the endpoint asks for more
  unsigned ReplyTokens = 8192;
  uint64_t MostTokens = 0;    ///< of all requests together; 0: no limit
  double MostCost = 0;        ///< the same in money; needs prices
  double PromptPrice = 0, ReplyPrice = 0; ///< of a million tokens
  double Temperature = 0.7;
  std::function<bool()> Cancelled;
};

/// Fills in what is empty: from KCHECK_LLM_URL, _MODEL, _KEY, _PROMPT_PRICE, _REPLY_PRICE, then from the file
/// $XDG_CONFIG_HOME/kcheck/llm.json (url, model, key, key_variable, prompt_price, reply_price, ca_file). KeyVariable names another
/// variable that holds the key. False, and why: no URL, no model, an unreadable file, a key that others may read.
bool completeChatOptions(ChatOptions &O, const std::string &KeyVariable, std::string &Error);

struct ChatMessage {
  std::string Role, Text; ///< "system", "user", "assistant"
};

struct ChatReply {
  enum class Outcome {
    Answered,
    TimedOut,
    Unreachable, ///< no connection, a broken one, or the endpoint's own fault after all tries
    Refused,     ///< 4xx: a wrong key, model or request
    Garbage,     ///< an answer that is none
    Limit        ///< not asked: the limits would be passed
  } How = Outcome::Unreachable;
  std::string Text;
  std::string Why;       ///< for people; empty where it was answered
  std::string Model;     ///< as the endpoint calls it
  bool CutShort = false; ///< it ran into ReplyTokens
  uint64_t PromptTokens = 0, ReplyTokens = 0;
  double Cost = 0, Seconds = 0;
  unsigned Tries = 0;
};
const char *toString(ChatReply::Outcome O);

class Chat {
public:
  explicit Chat(ChatOptions O) : O(std::move(O)) {}
  /// WantJson asks the endpoint for a JSON object. Never throws.
  ChatReply ask(const std::vector<ChatMessage> &Messages, bool WantJson, uint64_t Seed);
  uint64_t tokens() const { return Tokens; }
  double cost() const { return Cost; }
  /// Text with the key struck out.
  std::string withoutKey(std::string Text) const;

private:
  std::string body(const std::vector<ChatMessage> &Messages, bool WantJson, uint64_t Seed) const;
  bool leaveOut(const client::HttpResponse &R);
  bool affordable(const std::vector<ChatMessage> &Messages, ChatReply &R) const;
  void read(const client::HttpResponse &H, ChatReply &R) const;

  ChatOptions O;
  client::HttpClient Http;
  std::set<std::string> Unknown; ///< parts of the request that the endpoint does not take
  uint64_t Tokens = 0;
  double Cost = 0;
};

} // namespace kcheck::agent
#endif
