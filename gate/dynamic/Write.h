//===- Write.h - pieces of the dynamic track as report lines and JSON -------------------===//
#ifndef KCHECK_GATE_DYNAMIC_WRITE_H
#define KCHECK_GATE_DYNAMIC_WRITE_H

#include "analyzers/engine/Finding.h"
#include "gate/dynamic/Case.h"
#include "llvm/Support/JSON.h"

namespace kcheck::gate {

/// "6.1e-08".
std::string number(double V);
/// "12.3 ms".
std::string milliseconds(double V);
/// A worker's finding as one of the report's. At: the case that showed it; Own: how the job called the candidate.
Finding findingOf(const protocol::Finding &F, Severity Level, Certainty Sure, const std::string &At, const std::string &File,
                  const std::string &Own);
llvm::json::Object caseJson(const CaseVerdict &V, const std::string &Alternative);
llvm::json::Array compileJson(const std::vector<protocol::CompileMessage> &M);

} // namespace kcheck::gate
#endif
