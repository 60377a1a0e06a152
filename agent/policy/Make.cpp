#include "agent/policy/Asking.h"
#include "agent/policy/Builtin.h"

using namespace kcheck;
using namespace kcheck::agent;

std::unique_ptr<Policy> agent::makePolicy(const PolicyOptions &O, std::string &Error) {
  if (O.Name == "builtin")
    return builtinPolicy();
  if (O.Name == "llm")
    return llmPolicy(O, Error);
  if (O.Name == "command")
    return commandPolicy(O, Error);
  Error = "--policy " + O.Name + ": neither builtin, llm nor command";
  return nullptr;
}
