//===- Extents.h - how far the threads of a launch reach into shared memory -----===//
#ifndef KCHECK_RULES_SHAREDBOUNDS_EXTENTS_H
#define KCHECK_RULES_SHAREDBOUNDS_EXTENTS_H

#include "llvm/ADT/MapVector.h"
#include "matchers/LaunchModel.h"

namespace kcheck::shared {

/// One access at one thread.
struct Witness {
  const eval::Access *A = nullptr;
  const eval::BlockRun *Block = nullptr;
  unsigned Lane = 0;
  int64_t Offset = 0;
  int64_t Size = 0; ///< of the object
  bool ByData = false; ///< only where the data says so
};

/// What one run does to one shared object.
struct Extent {
  int64_t End = 0;                ///< one past the last byte that a thread surely touches
  bool Sure = false;              ///< some thread surely uses it
  bool May = false;
  std::optional<Witness> Outside; ///< first access out of the object
  std::optional<Witness> Crooked; ///< first access at an offset that its type forbids
};

using Extents = llvm::MapVector<const clang::ValueDecl *, Extent>;
Extents extentsOf(const eval::KernelRun &R, clang::ASTContext &Ctx);

/// A write to one extern array that destroys what another holds: both begin at the same byte.
struct Clash {
  const clang::VarDecl *Kept = nullptr, *Overwriting = nullptr;
  const eval::Access *Read = nullptr, *Write = nullptr;
  bool Sure = false;
};
std::optional<Clash> findClash(const eval::KernelRun &R, clang::ASTContext &Ctx);

} // namespace kcheck::shared
#endif
