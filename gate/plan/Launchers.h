//===- Launchers.h - the launchers of a candidate and what they do at given sizes ---===//
//
//   parsed file ─► launchers (plain data) ─► binding, cases ─► planSteps at each case ─► protocol steps
//
// The AST lives only inside withCandidate(); nothing that leaves it points into the AST.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_PLAN_LAUNCHERS_H
#define KCHECK_GATE_PLAN_LAUNCHERS_H

#include "analyzers/engine/Driver.h"
#include "runner/ops/Match.h"
#include "runner/protocol/Job.h"

namespace kcheck::gate {

/// A host function that launches kernels, or a kernel.
struct Launcher {
  std::string Name;
  unsigned Line = 0;
  bool Kernel = false;
  std::vector<ops::Param> Params;
};

/// A value for each parameter of a launcher.
struct ParamValue {
  enum class Kind { Buffer, Integer, Real, None } What = Kind::None; ///< None: a stream, a null handle
  std::string Buffer;
  int64_t Int = 0;
  double Real = 0;
};

/// What the launcher does with these arguments; with Refusal, what could not be derived.
struct StepPlan {
  std::vector<protocol::Step> Steps;
  std::vector<protocol::Buffer> Scratch; ///< buffers that the launcher allocates itself
  std::string Refusal;
  unsigned RefusalLine = 0;
};

/// What a launcher touches says how long its buffers are: the contract that explains its launches at several sizes. Where there is
/// none a size room_<name> of its own is ample.
struct Guess {
  std::vector<std::string> Elements;      ///< a parameter: an expression over the sizes; empty where it is no buffer
  std::vector<bool> Written;              ///< a parameter
  std::vector<ops::Dims> Sizes;           ///< sample sizes, by the parameters' names
};

/// How the launcher itself is called (launcher mode); Text is C++ behind the candidate's, empty where it cannot be called from there.
struct HostCall {
  std::string Text;
  std::vector<bool> HostMemory; ///< a parameter: the launcher copies from or to it as host memory
  std::vector<bool> HostTouched; ///< likewise, or reads or writes it itself
  std::string State;            ///< a variable of the file that it reads and that other functions set; empty: none
};

/// A function with tensors among its parameters, which is called itself.
struct ExtensionCall {
  std::string Name;
  unsigned Line = 0;
  std::string Call;    ///< C++, with arguments that are asked for
  std::string Refusal; ///< why there is none
};

/// A parsed candidate, while its AST is alive.
class Candidate {
public:
  virtual ~Candidate() = default;
  virtual const std::vector<Launcher> &launchers() const = 0;
  /// Null where the file has no such function.
  virtual const Launcher *find(llvm::StringRef Name) const = 0;
  virtual StepPlan plan(const Launcher &L, const std::vector<ParamValue> &Values) = 0;
  /// One launch of a kernel with sizes from the task.
  virtual StepPlan planKernel(const Launcher &L, const std::vector<ParamValue> &Values, protocol::Dim3 Grid, protocol::Dim3 Block,
                              uint64_t SharedBytes) = 0;
  /// The file has a main of its own.
  virtual bool isProgram() const = 0;
  /// Floating-point atomics anywhere: the order of sums may differ from run to run.
  virtual bool hasFloatAtomics() const = 0;
  /// Constants with which the code compares sizes, rising: what it does at them may differ from what it does elsewhere.
  virtual const std::vector<int64_t> &comparedSizes() const = 0;
  virtual HostCall hostCall(const Launcher &L) const = 0;
  /// What in the file's host code only running it shows, and where; empty: nothing.
  virtual const std::string &hostConcern() const = 0;
  /// Buffers and sizes of a launcher without a task; nothing, and why, where they do not follow from its launches.
  virtual std::optional<Guess> guess(const Launcher &L, std::string &Why) = 0;
  virtual std::vector<ExtensionCall> extensionCalls() const = 0;
  /// The candidate's text and the local files that it includes.
  virtual const protocol::Source &source() const = 0;
};

/// Parses the host view and calls Use. The error says why there is no AST.
llvm::Error withCandidate(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options,
                          llvm::function_ref<void(Candidate &)> Use);

} // namespace kcheck::gate
#endif
