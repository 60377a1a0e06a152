//===- Staging.h - a buffer in another layout for one launch --------------------------------===//
//
//   float *xColumns = nullptr; ...                  before
//   k<<<grid, block>>>(xColumns, out, n);           the argument
//   cudaFree(xColumns);                             behind
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_LAYOUT_STAGING_H
#define KCHECK_ACTIONS_LAYOUT_STAGING_H

#include "actions/engine/ActionContext.h"

namespace kcheck {

/// Why code cannot be put around L with another argument for P; empty when it can.
std::string whyNotStaged(const ActionContext &Ctx, const LaunchSite &L, const clang::ParmVarDecl *P);

void stage(const ActionContext &Ctx, const LaunchSite &L, const clang::ParmVarDecl *P, const std::string &Before, const std::string &Argument,
           const std::string &Behind, std::vector<Edit> &Edits);

/// "<<<grid, block>>>", on L's stream.
std::string besideLaunch(const ActionContext &Ctx, const LaunchSite &L, const std::string &Grid, const std::string &Block);

/// Where a kernel may be put in front of K: above the comment that belongs to it.
unsigned lineInFrontOf(const ActionContext &Ctx, const KernelView &K);

/// Wanted, or with a number behind it where the file has that word.
std::string freeInFile(const ActionContext &Ctx, const std::string &Wanted);

} // namespace kcheck
#endif
