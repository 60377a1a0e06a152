#include "agent/policy/Asking.h"

using namespace kcheck;
using namespace kcheck::agent;

std::string agent::instructions(unsigned Wanted) {
  return "You make a CUDA kernel faster. A gate compiles, checks, runs and times whatever you propose; a kernel that computes something else, touches what it may not "
         "touch, or is only fast at one size is thrown away.\n\n"
         "First analyse: what limits the best kernel so far, by the numbers given, and what earlier rounds showed. Then propose up to " +
         std::to_string(Wanted) +
         " different candidates, the most promising first. Each starts from one of the parents and has a hypothesis: what limits the parent, what the change does "
         "about it, what gain you expect.\n\n"
         "A candidate is either a list of the named actions (safe, preferred; only actions, parameters and places that are listed, with whole numbers), or the whole edited "
         "file in `source` (keep every signature, bounds check, barrier and the launcher's interface).\n\n"
         "Answer with one JSON object and nothing else:\n"
         "{\"analysis\": \"...\",\n"
         " \"candidates\": [\n"
         "  {\"parent\": \"start\", \"hypothesis\": \"...\", \"predicted_gain\": 1.5,\n"
         "   \"steps\": [{\"action\": \"NAME\", \"set\": {\"PARAMETER\": 4}, \"kernel\": \"NAME\", \"line\": 12}]},\n"
         "  {\"parent\": \"start\", \"hypothesis\": \"...\", \"predicted_gain\": 1.2, \"source\": \"the whole file\"}]}\n"
         "`set`, `kernel`, `line` and `predicted_gain` may be left out. Do not propose again what was tried already.\n";
}

static std::string mend(const std::vector<std::string> &Faults) {
  std::string Text = "Parts of that answer cannot be used:\n";
  for (const std::string &F : Faults)
    Text += "- " + F + "\n";
  return Text + "Answer once more in the same form, with these candidates mended or replaced, and without those that were right.\n";
}

static std::string all(const std::vector<ChatMessage> &Messages) {
  std::string Text;
  for (const ChatMessage &M : Messages)
    Text += "<!-- " + M.Role + " -->\n" + M.Text + "\n";
  return Text;
}

Asked AskingPolicy::exchange(const std::vector<ChatMessage> &Messages, const PolicyRequest &R, Proposal &Out) {
  Asked A = ask(Messages, R);
  llvm::json::Object Facts = A.Facts;
  if (!A.FailureType.empty())
    Facts["failure"] = A.FailureType + ": " + A.Why;
  Out.Exchanges.push_back({all(Messages), A.Text, std::move(Facts)});
  return A;
}

Proposal AskingPolicy::propose(const PolicyRequest &R) {
  Proposal Out;
  std::vector<ChatMessage> Messages{{"system", instructions(R.Wanted)}, {"user", renderContext(R.Context, R.TokenBudget)}};
  Asked First = exchange(Messages, R, Out);
  if (!First.FailureType.empty()) {
    Out.Failures.push_back({First.FailureType, First.Why});
    return Out;
  }
  ReadReply Read = readReply(First.Text, R.Context, R.Wanted);
  Out.Analysis = Read.Analysis;
  Out.Candidates = std::move(Read.Candidates);
  std::vector<std::string> Faults = std::move(Read.Faults);
  if (!Faults.empty() && Out.Candidates.size() < R.Wanted) {
    Messages.push_back({"assistant", First.Text});
    Messages.push_back({"user", mend(Faults)});
    Asked Second = exchange(Messages, R, Out);
    if (!Second.FailureType.empty()) {
      Out.Failures.push_back({Second.FailureType, Second.Why});
    } else {
      ReadReply Again = readReply(Second.Text, R.Context, R.Wanted - unsigned(Out.Candidates.size()));
      if (Out.Analysis.empty())
        Out.Analysis = Again.Analysis;
      for (Candidate &C : Again.Candidates)
        Out.Candidates.push_back(std::move(C));
      Faults = std::move(Again.Faults);
    }
  }
  for (std::string &F : Faults)
    Out.Failures.push_back({"policy_garbage", std::move(F)});
  return Out;
}
