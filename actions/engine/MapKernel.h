//===- MapKernel.h - one element a thread -----------------------------------------===//
//
//   int i = blockIdx.x * blockDim.x + threadIdx.x;
//   if (i < n) { work }                 or    if (i >= n) return; work
//
// The work knows the thread by i alone, and threads do not meet in it. In the wide form another thread of the grid may
// take over the work of i as it stands, and so may a loop that does several of them:
//
//   const float k = scale[blockIdx.y];                    what is the same along x stands in front
//   int i = first + blockIdx.x * 256 + threadIdx.x;       an offset, a block of another size than blockDim.x
//   if (i >= n || blockIdx.y >= rows) return;             more conditions than the bound
//   if (mask[i]) return;                                  early returns, which become the end of one i's work
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
  std::vector<const clang::Stmt *> Between; ///< declarations between the index and the check that belong to the work
  const clang::Stmt *Check = nullptr;
  std::vector<const clang::Stmt *> Work;
  std::pair<unsigned, unsigned> Bytes{0, 0}; ///< from the index's declaration to the end of the work
  std::string WhyNot;

  // What only the wide form has.
  const clang::Expr *Span = nullptr;           ///< i = Offsets + blockIdx.x * Span + threadIdx.x; null: blockDim.x
  std::vector<const clang::Expr *> Offsets;
  bool Leaves = false;                         ///< the check is of the form `if (i >= n) return;`
  std::vector<const clang::Expr *> Conditions; ///< beside the bound, as written
  std::vector<const clang::Stmt *> Front;      ///< behind the index, the same along x
  std::vector<const clang::Expr *> FrontConditions; ///< of the check, the same along x
  std::vector<const clang::ReturnStmt *> Returns; ///< of the work

  std::string type(const ActionContext &Ctx) const;
  std::string start(const ActionContext &Ctx) const; ///< the index expression's words
  std::string bound(const ActionContext &Ctx) const;
  std::string span(const ActionContext &Ctx) const;  ///< as an operand
  bool wideType(const ActionContext &Ctx) const;     ///< of the index: more than 32 bits
  /// What stands once in front of all work.
  std::string front(const ActionContext &Ctx) const;
  /// The work's words with inner edits, the declarations in between in front. In the wide form for the body of a loop.
  std::string work(const ActionContext &Ctx, const std::vector<Edit> &Inner = {}) const;
};

MapKernel mapKernel(ActionContext &Ctx, const KernelView &K);
MapKernel wideMapKernel(ActionContext &Ctx, const KernelView &K);

/// The axis of `blockIdx.a * blockDim.a + threadIdx.a`.
std::optional<unsigned> globalIndexAxis(const clang::Expr *E);

/// "(n + 255) / 256" as (n, 256), where both numbers are literals.
std::optional<std::pair<std::string, int64_t>> ceilForm(const ActionContext &Ctx, const clang::Expr *E);

/// The grid for Times as many elements a block along x.
std::string coarserGrid(const ActionContext &Ctx, const LaunchSite &L, int64_t Times);

/// The constant extent along x that the blocks of all launches have; 0: none.
int64_t blockWidth(ActionContext &Ctx, const KernelView &K);

} // namespace kcheck
#endif
