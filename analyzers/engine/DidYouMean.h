//===- DidYouMean.h - the nearest of the known words --------------------------===//
#ifndef KCHECK_ENGINE_DIDYOUMEAN_H
#define KCHECK_ENGINE_DIDYOUMEAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kcheck {

/// The known word nearest to Word by edit distance, or empty when none is near enough to be meant.
std::string nearest(llvm::StringRef Word, llvm::ArrayRef<std::string> Known);

} // namespace kcheck
#endif
