//===- Extensions.h - functions of PyTorch extensions, run at sizes that they accept ----===//
//
//   function ─► jobs: all dims alike, then all different ─► findings ─┬─ seen where all dims are alike ─────────────► sure
//                                                                     └─ else again, with two dims made one ─ gone ─► a doubt
//                                                                                                           └ still ─► sure
//
// Nothing says which tensors fit together but the function's own checks; where they are silent, a fault that ends when two dims
// are the same may only be a size that two tensors share.
//
//===------------------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_DYNAMIC_EXTENSIONS_H
#define KCHECK_GATE_DYNAMIC_EXTENSIONS_H

#include "gate/dynamic/Dynamic.h"
#include "gate/dynamic/Prepare.h"
#include "gate/plan/PythonInputs.h"
#include "llvm/ADT/ArrayRef.h"

namespace kcheck::gate {

struct ExtensionFinding {
  protocol::Finding What;
  std::string At; ///< "x[33,33], w[33]"
};

struct ExtensionOutcome {
  std::vector<ExtensionFinding> Findings;
  std::vector<protocol::Result> Results; ///< of all jobs, for times and counters
  std::vector<std::string> Problems;     ///< functions that could not be run, and why
  std::string Trouble;                   ///< the worker's own
  unsigned Ran = 0;                      ///< functions that launched at sizes of theirs
};

/// C++ behind the candidate's that finds arguments and calls the function. Known: what a Python file shows of them.
std::string extensionText(const ExtensionCall &C, llvm::ArrayRef<KnownArgument> Known);

ExtensionOutcome runExtensions(const std::vector<PreparedExtension> &Functions, const RunJobs &Run);

} // namespace kcheck::gate
#endif
