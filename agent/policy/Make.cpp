#include "agent/policy/Builtin.h"

using namespace kcheck;
using namespace kcheck::agent;

std::unique_ptr<Policy> agent::makePolicy(const PolicyOptions &O, std::string &Error) {
  if (O.Name == "builtin")
    return builtinPolicy();
  Error = "--policy " + O.Name + ": not one of builtin";
  return nullptr;
}
