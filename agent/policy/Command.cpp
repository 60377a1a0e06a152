// --policy command: any program that reads the prompt on stdin and answers on stdout. It is the user's own: it has the user's
// environment and network, but a time and a size.
#include "agent/policy/Asking.h"
#include "runner/client/Sandbox.h"
#include "llvm/ADT/StringRef.h"
#include <filesystem>

extern char **environ;

using namespace kcheck;
using namespace kcheck::agent;

namespace {

/// The last lines of what it said on stderr.
std::string lastWords(llvm::StringRef Err) {
  Err = Err.trim().take_back(300);
  std::string Out;
  for (char C : Err)
    Out += C == '\n' ? ' ' : C;
  return Out.empty() ? "" : ": " + Out;
}

class CommandPolicy final : public AskingPolicy {
public:
  CommandPolicy(std::string Line, double Seconds) : Line(std::move(Line)), Seconds(Seconds) {}
  std::string name() const override { return "command"; }

private:
  client::SandboxCommand command(const PolicyRequest &R) const {
    client::SandboxCommand C;
    C.Argv = {"/bin/sh", "-c", Line};
    C.Scratch = std::filesystem::current_path().string(); // only a working directory: nothing is confined
    for (char **E = environ; *E; ++E) {
      auto [Name, Value] = llvm::StringRef(*E).split('=');
      C.Environment.emplace_back(Name.str(), Value.str());
    }
    C.Environment.emplace_back("KCHECK_ROUND", std::to_string(R.Round));
    C.Environment.emplace_back("KCHECK_WANTED", std::to_string(R.Wanted));
    C.Environment.emplace_back("KCHECK_SEED", std::to_string(R.Seed));
    C.Limits.WallSeconds = Seconds;
    C.Limits.MemoryBytes = 64ull << 30;
    C.Limits.Processes = 4096;
    C.Limits.Threads = 65536;
    C.Limits.FileBytes = 64ull << 30;
    C.Limits.OutputBytes = 4u << 20;
    C.Limits.BoundAddressSpace = false;
    return C;
  }

  Asked ask(const std::vector<ChatMessage> &Messages, const PolicyRequest &R) override {
    client::SandboxCommand C = command(R);
    for (const ChatMessage &M : Messages)
      C.Input += (M.Role == "assistant" ? "Your answer was:\n" + M.Text : M.Text) + "\n\n";
    client::SandboxResult Done = runSandboxed(C, client::SandboxKind::None);
    Asked Out;
    Out.Text = Done.Out;
    Out.Facts = llvm::json::Object{{"command", Line}, {"seconds", Done.Seconds}, {"status", Done.Status}, {"outcome", client::toString(Done.How)}};
    if (Done.How == client::Outcome::TimedOut) {
      Out.FailureType = "policy_timeout";
      Out.Why = "the program took more than " + std::to_string(int(Seconds)) + " s";
    } else if (Done.How == client::Outcome::NotStarted) {
      Out.FailureType = "policy_unreachable";
      Out.Why = "the program did not start: " + Done.Why;
    } else if (!Done.ok()) {
      Out.FailureType = "policy_garbage";
      Out.Why = (Done.How == client::Outcome::Exited ? "the program ended with status " + std::to_string(Done.Status)
                                                     : "the program was ended: " + (Done.Why.empty() ? std::string(client::toString(Done.How)) : Done.Why)) + lastWords(Done.Err);
    }
    return Out;
  }

  std::string Line;
  double Seconds;
};

} // namespace

std::unique_ptr<Policy> agent::commandPolicy(const PolicyOptions &O, std::string &Error) {
  if (O.Command.empty()) {
    Error = "--policy command: needs the program, --command";
    return nullptr;
  }
  return std::make_unique<CommandPolicy>(O.Command, O.Seconds);
}
