// --policy llm: a model behind a chat endpoint.
#include "agent/policy/Asking.h"

using namespace kcheck;
using namespace kcheck::agent;

namespace {

const char *failureType(ChatReply::Outcome O) {
  switch (O) {
  case ChatReply::Outcome::TimedOut:
    return "policy_timeout";
  case ChatReply::Outcome::Limit:
    return "policy_limit";
  case ChatReply::Outcome::Garbage:
    return "policy_garbage";
  default:
    return "policy_unreachable";
  }
}

class Llm final : public AskingPolicy {
public:
  explicit Llm(ChatOptions O) : Model(std::move(O)) {}
  std::string name() const override { return "llm"; }

private:
  Asked ask(const std::vector<ChatMessage> &Messages, const PolicyRequest &R) override {
    ChatReply A = Model.ask(Messages, /*WantJson=*/true, R.Seed);
    Asked Out;
    Out.Text = A.Text;
    if (A.How != ChatReply::Outcome::Answered) {
      Out.FailureType = failureType(A.How);
      Out.Why = A.Why;
    }
    Out.Facts = llvm::json::Object{{"outcome", toString(A.How)}, {"model", A.Model}, {"prompt_tokens", int64_t(A.PromptTokens)}, {"reply_tokens", int64_t(A.ReplyTokens)},
                 {"cut_short", A.CutShort}, {"seconds", A.Seconds}, {"tries", A.Tries}};
    if (A.Cost > 0)
      Out.Facts["cost"] = A.Cost;
    return Out;
  }
  Chat Model;
};

} // namespace

std::unique_ptr<Policy> agent::llmPolicy(const PolicyOptions &O, std::string &Error) {
  ChatOptions C;
  C.Url = O.Url;
  C.Model = O.Model;
  C.Seconds = O.Seconds;
  C.MostTokens = O.MostTokens;
  C.MostCost = O.MostCost;
  if (!completeChatOptions(C, O.KeyVariable, Error)) {
    Error = "--policy llm: " + Error;
    return nullptr;
  }
  return std::make_unique<Llm>(std::move(C));
}
