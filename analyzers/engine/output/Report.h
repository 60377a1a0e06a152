//===- Report.h - what kcheck says of files, and who writes it ----------------===//
//
//   LintResult ─► makeFileReport ─► FileReport ─┐
//   gate (dynamic track) ─► DynamicTrack ───────┴► Report ─► text | json | sarif | github | junit | html
//
// A report is plain data. Every writer is a function from a Report to a stream and looks at nothing else.
// To add a writer: a unit <Name>Writer.cpp here, its declaration below, and a name in parseFormat.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_OUTPUT_REPORT_H
#define KCHECK_ENGINE_OUTPUT_REPORT_H

#include "analyzers/engine/Driver.h"
#include "analyzers/engine/Finding.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace kcheck {

enum class Verdict { Pass, Review, Reject };
llvm::StringRef toString(Verdict V);
/// Off and note are PASS.
Verdict verdictOf(Severity S);

/// One line of a block of the text report.
enum class Mark { Ok, Review, Reject, NotRun };
struct CheckLine {
  Mark Kind = Mark::Ok;
  std::string Text;
};

struct StaticTrack {
  Verdict Result = Verdict::Pass;
  double ElapsedMs = 0;
  std::string Arch;
  bool HasToolkit = false; ///< false: read against the bundled declarations
  std::vector<std::string> MissingHeaders;
  std::vector<KernelSummary> Kernels;
  std::vector<Finding> Findings; ///< suppressed ones too, by place
  std::vector<PassedCheck> Passed;
  std::vector<std::string> RulesOff; ///< rules that the policy switches off: they say nothing, not "no findings"
};

/// A reason of the dynamic track: a tag with its weight.
struct Reason {
  std::string Tag;
  Severity Level = Severity::Review;
};

/// What the dynamic track did. Findings are the faults that running showed, weighed by the policy as the static ones
/// are (rule kcheck-dynamic). Sections holds compile, sanitize, numerics, perf, counters as they stand in the report;
/// Lines is the same for a reader.
struct DynamicTrack {
  std::optional<Verdict> Result; ///< nothing: no verdict, State and Why say why
  std::string Device = "none";
  std::string State = "not_run"; ///< "not_run" or "done"
  std::string Why;               ///< of not_run: "lint", "static_reject", "no_device", …
  bool HostCodeExecuted = false;
  std::vector<Finding> Findings;
  std::vector<Reason> Reasons; ///< what weighs without being a fault at a place: numerics_not_run, …
  std::vector<CheckLine> Lines;
  llvm::json::Object Sections;
};

struct FileReport {
  std::string File;
  std::string Text;  ///< the source, for writers that show it
  std::string Error; ///< kcheck could not look at the file; then there is no verdict
  Verdict Result = Verdict::Pass;
  std::vector<std::string> Reasons;  ///< tags, worst first
  std::vector<std::string> Coverage; ///< "static", …
  StaticTrack Static;
  DynamicTrack Dynamic;
};

struct ToolInfo {
  std::string Version, Clang, Cuda; ///< Cuda empty: none found
};

struct Report {
  ToolInfo Tool;
  std::vector<FileReport> Files;
};

/// The static half of a file's report: findings sorted by place, verdict, reasons, coverage.
FileReport makeFileReport(LintResult R, llvm::StringRef Text);
/// Combines both tracks: verdict is the worse, reasons are worst first. Call after filling in Dynamic or
/// after suppressing findings.
void conclude(FileReport &F);

/// One fingerprint a finding, for baselines and for tools that follow findings over time.
std::vector<std::string> fingerprints(const FileReport &F, const std::vector<Finding> &Findings);
std::vector<std::string> fingerprints(const FileReport &F);

/// How many findings are suppressed, by what did it ("NOLINT", "exempt", "baseline").
std::map<std::string, unsigned> suppressedCounts(const FileReport &F);

/// One line a rule group without findings, in the order of the rules.
std::vector<std::pair<std::string, std::string>> passedGroups(const FileReport &F);

enum class Format { Text, Json, Sarif, Html, Github, Junit };
std::optional<Format> parseFormat(llvm::StringRef Name);
llvm::ArrayRef<llvm::StringRef> formatNames();

struct WriteOptions {
  bool Color = false;
  bool Quiet = false; ///< text: leave out what is in order
};
void writeReport(llvm::raw_ostream &OS, const Report &R, Format F, const WriteOptions &O);
void writeText(llvm::raw_ostream &OS, const Report &R, const WriteOptions &O);
void writeJson(llvm::raw_ostream &OS, const Report &R);
void writeSarif(llvm::raw_ostream &OS, const Report &R);
void writeHtml(llvm::raw_ostream &OS, const Report &R);
void writeGithub(llvm::raw_ostream &OS, const Report &R);
void writeJunit(llvm::raw_ostream &OS, const Report &R);
llvm::json::Value toJson(const Report &R);
llvm::json::Value toJson(const FileReport &F);
/// HTML: error table and value histograms of the dynamic track's numerics.
void writeNumericsHtml(llvm::raw_ostream &OS, const llvm::json::Object &Numerics);

} // namespace kcheck
#endif
