//===- MapKernel.h - one element a thread -----------------------------------------===//
//
//   int i = blockIdx.x * blockDim.x + threadIdx.x;
//   if (i < n) { work }                 or    if (i >= n) return; work
//
// The work knows the thread by i alone, and threads do not meet in it.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_MAPKERNEL_H
#define KCHECK_ACTIONS_ENGINE_MAPKERNEL_H

#include "actions/engine/ActionContext.h"

namespace kcheck {

struct MapKernel {
  const clang::VarDecl *Index = nullptr;  ///< null: no such kernel, WhyNot says why
  const clang::DeclStmt *IndexDecl = nullptr;
  const clang::Expr *Bound = nullptr;     ///< i < Bound
  std::vector<const clang::Stmt *> Between; ///< declarations between the index and the check
  const clang::Stmt *Check = nullptr;
  std::vector<const clang::Stmt *> Work;
  std::pair<unsigned, unsigned> Bytes{0, 0}; ///< from the index's declaration to the end of the work
  std::string WhyNot;

  std::string type(const ActionContext &Ctx) const;
  std::string start(const ActionContext &Ctx) const; ///< the index expression's words
  std::string bound(const ActionContext &Ctx) const;
  /// The work's words with inner edits, the declarations in between in front.
  std::string work(const ActionContext &Ctx, const std::vector<Edit> &Inner = {}) const;
};

MapKernel mapKernel(ActionContext &Ctx, const KernelView &K);

/// The axis of `blockIdx.a * blockDim.a + threadIdx.a`.
std::optional<unsigned> globalIndexAxis(const clang::Expr *E);

/// "(n + 255) / 256" as (n, 256), where both numbers are literals.
std::optional<std::pair<std::string, int64_t>> ceilForm(const ActionContext &Ctx, const clang::Expr *E);

/// The grid for Times as many elements a block along x.
std::string coarserGrid(const ActionContext &Ctx, const LaunchSite &L, int64_t Times);

} // namespace kcheck
#endif
