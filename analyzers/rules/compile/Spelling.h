//===- Spelling.h - how alike two names are -----------------------------------===//
#ifndef KCHECK_RULES_COMPILE_SPELLING_H
#define KCHECK_RULES_COMPILE_SPELLING_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kcheck::compile {

/// A name without underscores and capitals: __sync_threads and __syncthreads are the same.
std::string plainName(llvm::StringRef Name);

/// 0 for the same plain name, else the edit distance of the plain names; above Max: Max + 1.
unsigned nameDistance(llvm::StringRef A, llvm::StringRef B, unsigned Max);

/// Share of characters in common runs of the plain names, 0 to 1 (__float_rand_uniform ~ curand_uniform).
double nameLikeness(llvm::StringRef A, llvm::StringRef B);

/// Largest distance at which a name of this length is still a misspelling of another.
unsigned allowedDistance(llvm::StringRef Name);

} // namespace kcheck::compile
#endif
