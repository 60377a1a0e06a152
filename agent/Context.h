//===- Context.h - all that is known before a round, for whoever proposes candidates ------===//
//
//   source, launcher, callers, comments, shapes, limits, findings, profile, ranking ─► Context ─► renderContext ─► Markdown
//
// The rendering keeps to a token budget: sections are cut from the least important one up. Constraints, the task and the
// source of the best candidate are never cut.
//
//===------------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_CONTEXT_H
#define KCHECK_AGENT_CONTEXT_H

#include "agent/Workbench.h"

namespace kcheck::agent {

/// A device with its limits and ceilings.
struct DeviceFacts {
  std::string Name, Arch;
  unsigned ThreadsPerBlock = 1024, StaticShared = 48 * 1024, RegistersPerThread = 255;
  unsigned Units = 0, ThreadsPerUnit = 0, SharedPerUnit = 0, RegistersPerUnit = 0; ///< of a multiprocessor; 0: not known
  double CopyGBs = 0, FmaGflops = 0; ///< measured; 0: not known
  bool Modelled = false;
};

/// A candidate that may be built upon: the best ones so far, "start" among them until better ones crowd it out.
struct Parent {
  std::string Id, Text;
  std::vector<Step> Steps; ///< from Root
  std::string Root = "start"; ///< or the last free edit before it
  double Ms = 0, Speedup = 1;
  Measurement Measured;
  Diagnosis Why;
  std::vector<ActionSite> Sites;
};

/// A rejected source and what repaired it, from earlier recorded runs.
struct RepairExample {
  std::string Reason, Message, Bad, Good;
};

struct Context {
  // The task.
  std::string Operator, Formula;  ///< empty: a reference of the user's
  std::string Signature;          ///< the launcher's declaration, which must not change
  std::vector<std::string> Shapes; ///< at which the result must be right
  std::string TunedShape;
  std::string Tolerance;
  std::vector<std::string> Constraints; ///< what no candidate may do or exceed; never cut
  // The code.
  std::string File, Source;       ///< as it came
  std::string Launcher, Callers;  ///< code
  std::vector<std::string> Comments;
  std::vector<std::string> Findings; ///< "line 12: uncoalesced_access: message"
  // The machine and what was seen on it.
  std::vector<DeviceFacts> Devices;
  double StartMs = 0;
  std::vector<Parent> Parents;    ///< the best first
  std::vector<Round> Rounds;      ///< earlier ones, oldest first
  std::vector<ActionDoc> Actions;
  std::vector<RepairExample> Examples;
};

/// About four characters a token.
size_t tokensOf(llvm::StringRef Text);

/// Markdown of at most Budget tokens (0: all of it), unless what is never cut is longer. Cut: names of the sections that
/// were shortened or left out.
std::string renderContext(const Context &C, size_t Budget, std::vector<std::string> *Cut = nullptr);

} // namespace kcheck::agent
#endif
