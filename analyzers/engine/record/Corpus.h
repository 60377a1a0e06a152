//===- Corpus.h - what was checked, kept ---------------------------------------===//
//
//   check --record ─► source (by content), check (verdict, report), reason (tag, severity, line, message)
//                                             ├─► corpus stats:  counts by verdict, reason, ISO week
//                                             └─► corpus export: short, distinct bad examples by reason
//
// To change the schema: raise Version in Corpus.cpp and add the step from the last version to its list.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_RECORD_CORPUS_H
#define KCHECK_ENGINE_RECORD_CORPUS_H

#include "analyzers/engine/output/Report.h"
#include "analyzers/engine/record/Database.h"

namespace kcheck {

struct CorpusStats {
  int64_t Checks = 0, Sources = 0;
  std::map<std::string, int64_t> ByVerdict;
  std::vector<std::pair<std::string, int64_t>> ByReason;                     ///< most first
  std::map<std::string, std::map<std::string, int64_t>> ByWeek;              ///< "2026-W48" -> verdict -> count
  std::map<std::string, std::vector<std::pair<std::string, int64_t>>> WeekReasons; ///< most first
};

/// A bad candidate that shows one reason.
struct CorpusExample {
  std::string Reason, Severity, File, Message, Source;
  unsigned Line = 0;
};

class Corpus {
public:
  /// $XDG_DATA_HOME/kcheck/corpus.db, or the same under ~/.local/share.
  static std::string defaultPath();
  /// Opens, creates or brings up to date.
  static llvm::Expected<std::unique_ptr<Corpus>> open(llvm::StringRef Path);

  /// Now: seconds since 1970, for tests; -1 takes the clock.
  llvm::Error add(const FileReport &F, const ToolInfo &Tool, int64_t Now = -1);
  llvm::Expected<CorpusStats> stats();
  /// At most PerReason short examples of each reason (all, or Only), no two nearly the same.
  llvm::Expected<std::vector<CorpusExample>> examples(unsigned PerReason, unsigned MaxLines, llvm::StringRef Only = "");

private:
  explicit Corpus(std::unique_ptr<Database> D) : D(std::move(D)) {}
  llvm::Error migrate();

  std::unique_ptr<Database> D;
};

/// The examples for a prompt.
void writeExamplesMarkdown(llvm::raw_ostream &OS, llvm::ArrayRef<CorpusExample> Examples);
void writeExamplesJsonl(llvm::raw_ostream &OS, llvm::ArrayRef<CorpusExample> Examples);

/// How alike two sources are, 0 to 1: shared runs of three tokens, comments and names of numbers left out.
double similarity(llvm::StringRef A, llvm::StringRef B);

} // namespace kcheck
#endif
