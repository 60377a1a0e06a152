//===- SharedArrays.h - two-dimensional shared arrays and their uses -------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_SHAREDARRAYS_H
#define KCHECK_ACTIONS_ENGINE_SHAREDARRAYS_H

#include "actions/engine/ActionContext.h"

namespace kcheck {

/// `__shared__ T a[..][N]`, touched by full subscripts only.
struct SharedArray {
  const clang::VarDecl *V = nullptr;
  std::vector<uint64_t> Extents;
  clang::QualType Element;
  clang::SourceRange LastExtent;                        ///< the words between the last brackets
  std::vector<const clang::ArraySubscriptExpr *> Places; ///< full subscripts, outermost node
  unsigned Multiple = 1;  ///< elements of the widest vector that is read from it
  std::string WhyNot;
};

/// Every shared array of the kernel; WhyNot says why one cannot change its layout.
std::vector<SharedArray> sharedArrays(const ActionContext &Ctx, const KernelView &K);

/// Bytes of all static shared memory of the kernel.
uint64_t sharedBytes(const ActionContext &Ctx, const KernelView &K);

} // namespace kcheck
#endif
