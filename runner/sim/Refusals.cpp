#include "runner/sim/Refusals.h"

using namespace kcheck;
using namespace kcheck::sim;

namespace {

struct Refusal {
  const char *Said, *Means;
};
constexpr Refusal Known[] = {
    {"initialization is not supported for __shared__ variables", "shared variables with a constructor (cuda::barrier, pipeline state)"},
    {"requires relocatable device code", "launches from device code (dynamic parallelism)"},
};

} // namespace

void sim::refuse(protocol::Result &R, const std::string &Error) {
  R.State = protocol::State::Failed;
  R.Failure = Error.starts_with("internal") ? protocol::Failure::Crash : protocol::Failure::CompileError;
  R.Message = Error;
  for (const protocol::CompileMessage &M : R.Compile)
    for (const Refusal &K : Known) {
      if (M.Level != "error" || M.Message.find(K.Said) == std::string::npos)
        continue;
      R.Failure = protocol::Failure::Unsupported;
      R.Message = std::string("the simulator does not know ") + K.Means;
      protocol::Finding F;
      F.Tag = "unsupported_by_simulator";
      F.Message = R.Message;
      F.Where = M.Where;
      F.Sure = false;
      R.Findings.push_back(std::move(F));
      return;
    }
}
