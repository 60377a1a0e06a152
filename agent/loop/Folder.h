//===- Folder.h - the run folder --------------------------------------------------------===//
//
//   run.json                 what was asked for; a resumed run must ask for the same
//   start.cu  start.json     the kernel as it came, and what it does
//   round-1/proposal.json    the policy's answer; prompt.md, exchange-N.json where there was a conversation
//   round-1/r1c1.cu .diff .json   source, change, outcome of each candidate
//   round-1/feedback.md .json, round.json   written last: the round is over
//   best.cu  best.diff  result.json  notebook.md  report.html
//
// Files appear whole or not at all, so a kill at any time leaves a folder that can be taken up again.
//
//===----------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_LOOP_FOLDER_H
#define KCHECK_AGENT_LOOP_FOLDER_H

#include "agent/loop/Loop.h"

namespace kcheck::agent {

class RunFolder {
public:
  explicit RunFolder(std::string Path) : Path(std::move(Path)) {}
  bool none() const { return Path.empty(); }
  /// False where it cannot be written.
  bool write(const std::string &Name, llvm::StringRef Text) const;
  bool writeJson(const std::string &Name, const llvm::json::Value &V) const;
  std::optional<std::string> read(const std::string &Name) const;
  std::optional<llvm::json::Value> readJson(const std::string &Name) const;
  static std::string round(unsigned Number) { return "round-" + std::to_string(Number) + "/"; }

  std::string Path;
};

llvm::json::Value toJson(const Proposal &P);
std::optional<Proposal> proposalFromJson(const llvm::json::Value &V);
llvm::json::Value toJson(const LoopResult &R);

/// Unified diff of two texts, three lines of context.
std::string lineDiff(llvm::StringRef Old, llvm::StringRef New, llvm::StringRef Name);

/// The run as an engineer's notebook: for each candidate hypothesis, change, measurement, conclusion.
std::string notebook(const LoopResult &R, const Context &C, const std::vector<std::pair<unsigned, std::string>> &Analyses);
/// A page that needs nothing else: chart of the rounds, roofline, diff of the winner, table of candidates.
std::string htmlReport(const LoopResult &R, const Context &C);

} // namespace kcheck::agent
#endif
