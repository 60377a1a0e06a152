#include "gate/reference/Process.h"
#include "runner/client/Sandbox.h"

using namespace kcheck;
using namespace kcheck::gate;

/// The first line that says error, else the first.
static std::string telling(const std::string &Text) {
  size_t At = Text.find("error");
  size_t Start = At == std::string::npos ? 0 : Text.rfind('\n', At) + 1; // npos + 1 is 0
  return Text.substr(Start, Text.find('\n', Start) - Start);
}

ProcessResult gate::runConfined(std::vector<std::string> Command, const Confinement &C) {
  client::SandboxCommand S;
  S.Argv = std::move(Command);
  S.Scratch = C.Writable;
  S.ReadPaths = C.Readable;
  S.Limits.WallSeconds = C.Seconds;
  S.Limits.MemoryBytes = C.MemoryMb << 20;
  S.Limits.Processes = C.Processes;
  S.Limits.FileBytes = 4ull << 30;
  client::SandboxResult Done = client::runSandboxed(S);
  ProcessResult R;
  R.FirstLine = telling(Done.Err);
  if (Done.How == client::Outcome::NotStarted)
    R.Error = Done.Why;
  else if (Done.How != client::Outcome::Exited)
    R.Error = std::string("it was ended: ") + (Done.Why.empty() ? client::toString(Done.How) : Done.Why);
  else if (Done.Status != 0)
    R.Error = "it ended with status " + std::to_string(Done.Status);
  return R;
}
