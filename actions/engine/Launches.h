//===- Launches.h - the sizes of a launch, read and written ----------------------===//
//
//   dim3 block(16, 16);                      dim3 block(8, 8);
//   k<<<grid, block>>>(a, n);                k<<<grid, block>>>(a, n);
//
// A size that stands in a local variable of its own is changed there; one that other code shares, at the launch.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_LAUNCHES_H
#define KCHECK_ACTIONS_ENGINE_LAUNCHES_H

#include "actions/engine/ActionContext.h"
#include <array>

namespace kcheck {

using DimText = std::array<std::string, 3>;

/// The three extents of a grid or block operand as host expressions.
DimText extentsOf(const ActionContext &Ctx, const clang::Expr *Operand);
/// The expression of one extent, where the operand is spelt out; null otherwise.
std::array<const clang::Expr *, 3> extentExprs(const ActionContext &Ctx, const clang::Expr *Operand);

/// Makes the launch use these sizes. OfNewBlock: where the grid's words name the block's variable they mean what it will be, not what it was.
void setLaunchSizes(const ActionContext &Ctx, const LaunchSite &L, const DimText *Grid, const DimText *Block, std::vector<Edit> &Edits, bool OfNewBlock = false);

/// Makes __launch_bounds__ of the kernel fit blocks of so many threads (Exactly: no more than them either). Large blocks get
/// bounds where there are none: without them the compiler may give a thread more registers than such a block has.
/// The reason why it cannot, else empty.
std::string fitLaunchBounds(const ActionContext &Ctx, const clang::FunctionDecl *Kernel, int64_t Threads, bool Exactly, std::vector<Edit> &Edits);

/// E of the kernel (parameters and constants only) as the host would say it at L; empty when it cannot.
std::string atLaunch(const ActionContext &Ctx, const LaunchSite &L, const clang::FunctionDecl *Kernel, const clang::Expr *E);

/// "(n + 63) / 64", and plain when By is 1.
std::string ceilDivide(const std::string &What, int64_t By);
/// How loosely words hold together: by their loosest operator outside of parentheses.
enum class Holds { Firmly, Product, Sum, Loosely };
/// What as an operand that may hold together so loosely: in parentheses where it does not, without such that it needs no more.
std::string asOperand(llvm::StringRef What, Holds May = Holds::Firmly);

/// Where E stands in the file, also where a macro stands for all of it; nothing where it is a part of a macro.
std::optional<std::pair<unsigned, unsigned>> bytesAsWritten(const ActionContext &Ctx, const clang::Expr *E);

} // namespace kcheck
#endif
