//===- Builtin.h - the policy without a language model -----------------------------------===//
#ifndef KCHECK_AGENT_POLICY_BUILTIN_H
#define KCHECK_AGENT_POLICY_BUILTIN_H

#include "agent/Policy.h"

namespace kcheck::agent {

std::unique_ptr<Policy> builtinPolicy();

} // namespace kcheck::agent
#endif
