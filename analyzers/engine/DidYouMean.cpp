#include "analyzers/engine/DidYouMean.h"

using namespace kcheck;

std::string kcheck::nearest(llvm::StringRef Word, llvm::ArrayRef<std::string> Known) {
  // A third of the word may be wrong, but never so much that short words match anything.
  unsigned Best = std::max<unsigned>(1, Word.size() / 3) + 1;
  std::string Found;
  for (const std::string &K : Known) {
    unsigned D = Word.edit_distance_insensitive(K, /*AllowReplacements=*/true, Best);
    if (D < Best) {
      Best = D;
      Found = K;
    }
  }
  if (!Found.empty() || Word.size() < 4)
    return Found;
  // "barrier-div" for "kcheck-sync-barrier-divergence": a part of exactly one word.
  for (const std::string &K : Known)
    if (llvm::StringRef(K).contains(Word)) {
      if (!Found.empty())
        return {};
      Found = K;
    }
  return Found;
}
