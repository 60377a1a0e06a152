//===- StatedSizes.h - what a file says of its launchers' sizes ------------------===//
//
//   // n a power of two, width a multiple of 8
//   void launch(float *x, int n, int width) { … }
//   …
//   int padded = (count + 191) / 192 * 192;   launch(x, padded, w);     // every call passes whole blocks
//
//   if (n % 256) printf("n must be a multiple of 256");                 // and goes on
//
//   place = i & (n - 1);                                                // in a kernel that gets n
//
// Comments count in a launcher, in the kernels that it launches, and right above either. Sizes that break what is
// stated show nothing: they are mended before the launcher is tried with them.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_STATEDSIZES_H
#define KCHECK_MATCHERS_STATEDSIZES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "matchers/eval/Trace.h"

namespace kcheck {

struct StatedSize {
  int64_t Multiple = 1; ///< of which the size is one
  bool PowerOfTwo = false;

  /// The nearest size, not smaller, that keeps to it.
  int64_t fit(int64_t Size) const;
};

/// One entry for each size of \p First. \p Calls: those of the launcher in this file.
std::vector<StatedSize> statedSizes(const eval::HostRun &First, llvm::ArrayRef<const clang::CallExpr *> Calls, clang::ASTContext &AST);

} // namespace kcheck
#endif
