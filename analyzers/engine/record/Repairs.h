//===- Repairs.h - rejects and what repaired them, from the corpus ----------------===//
#ifndef KCHECK_ENGINE_RECORD_REPAIRS_H
#define KCHECK_ENGINE_RECORD_REPAIRS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace kcheck {

/// A reject and the next check of the same file that was none, where the two are alike.
struct CorpusRepair {
  std::string Reason, Message, File, Bad, Good;
  unsigned Line = 0;
};

/// At most Most pairs from the corpus in Path, each reason once while there are others. With Like only those that resemble this
/// source, the most alike first; else the latest first.
llvm::Expected<std::vector<CorpusRepair>> repairs(llvm::StringRef Path, llvm::StringRef Like, size_t Most, unsigned MaxLines = 200);

void writeRepairsMarkdown(llvm::raw_ostream &OS, llvm::ArrayRef<CorpusRepair> Repairs);
void writeRepairsJsonl(llvm::raw_ostream &OS, llvm::ArrayRef<CorpusRepair> Repairs);

} // namespace kcheck
#endif
