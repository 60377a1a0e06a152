//===- IndexChecks.h - the parts of rule kcheck-index-space --------------------===//
#ifndef KCHECK_RULES_INDEX_SPACE_INDEXCHECKS_H
#define KCHECK_RULES_INDEX_SPACE_INDEXCHECKS_H

#include "analyzers/engine/Rule.h"
#include "matchers/Describe.h"
#include "matchers/Evidence.h"
#include "matchers/Races.h"
#include <set>

namespace kcheck {

/// Most threads of a block, on every architecture since sm_30.
inline constexpr int64_t MaxThreads = 1024;

/// What one check said that another must not repeat.
inline constexpr llvm::StringLiteral EmptyLaunch = "empty_launch", ArgsSwapped = "launch_args_swapped", SaidShort = "short", SaidIdle = "idle";

/// What the checks share: the runs of the file's launches, and what has been said of them.
class IndexReporter {
public:
  explicit IndexReporter(RuleContext &Ctx);
  RuleContext &Ctx;
  LaunchModel &Model;
  RaceModel &Races;
  const bool Padded;                                     ///< a comment promises multiples: a dropped remainder is the contract
  llvm::DenseSet<const clang::FunctionDecl *> Collided;  ///< kernels with a broken index: their reach says nothing more

  /// True the first time.
  bool once(const void *At, llvm::StringRef What) { return Said.insert({At, What}).second; }
  bool said(const void *At, llvm::StringRef What) const { return Said.count({At, What}); }

private:
  std::set<std::pair<const void *, llvm::StringRef>> Said;
};

/// The axes of the index variables that a kernel uses, itself or in what it calls.
struct AxesUse {
  bool Thread[3] = {}, Block[3] = {}, Dim[3] = {}, Grid[3] = {};
  bool Groups = false; ///< cooperative groups or special registers may number the threads too
};
AxesUse axesOf(const clang::FunctionDecl *Kernel);

/// The first expression in S that is such, or null. Through: also in what the local variables begin with that S names
/// (`blocks = (n + 255) / 256`).
const clang::Expr *findExpr(const clang::Stmt *S, llvm::function_ref<bool(const clang::Expr *)> Is, bool Through = false);

/// `blockIdx.x * blockDim.x + threadIdx.y`, with more or fewer threads along y than along x: the sum that numbers rows by
/// the wrong axis. Null where there is none.
const clang::Expr *mixedAxes(const clang::FunctionDecl *Kernel, const eval::Step &Launch);

/// The first size that the kernel names and leaves, not on purpose; null if there is none.
const clang::ParmVarDecl *unusedSize(const clang::FunctionDecl *Kernel);

/// Does any of these sizes reach the kernel's data, rather than only the launch?
bool isDataSize(const eval::Step &Launch, uint64_t Sizes);
/// rows = size / columns: the launcher takes it that one size is a multiple of the other, which is not so here.
bool breaksDivision(const LaunchSample &L);
/// n / blockSize, both the caller's: it may choose the one to fit the other.
bool dividesByCallersBlock(const LaunchSample &L);

/// "(0,1,0)", or nothing.
inline std::string blockText(const eval::BlockRun *B) { return B ? blockText(B->Index) : ""; }

/// The block touches no memory, and hands no pointer on.
inline bool isIdle(const eval::BlockRun &B) { return B.Accesses.empty() && B.Escapes.empty(); }

/// `i = threadIdx.x * blockDim.x + threadIdx.x` of `y[i]`: what numbers the threads; null where the subscript does.
const clang::Expr *formulaOf(const clang::Expr *Access);

/// Calls Do(block, access) for each access of global memory.
template <class Fn> void forEachGlobal(const eval::KernelRun &R, Fn Do) {
  for (const eval::BlockRun &B : R.Blocks)
    for (const eval::Access &A : B.Accesses)
      if (A.Obj && A.Obj->Where == eval::Space::Global)
        Do(B, A);
}

/// Blocks and grids that the hardware refuses or that are empty, and sizes where the other of the two belongs.
void checkLimits(IndexReporter &R);
/// `<<<256, rows>>>`
void checkSizeAsBlock(IndexReporter &R);
/// Two threads that write different values to one element
void checkCollisions(IndexReporter &R);
/// `for (i = first; i < n; i += blockDim.x)` in a grid of many blocks
void checkStrides(IndexReporter &R);
/// The axes of the kernel against those of its launches
void checkAxes(IndexReporter &R);
/// An index that leaves 32 bits
void checkOverflow(IndexReporter &R);
/// Blocks that do nothing while the grid grows with the data
void checkIdleBlocks(IndexReporter &R);
/// What the launch touches at a size, against what it touches at the sizes that fit
void checkReach(IndexReporter &R);
/// Neighbours along an axis, beyond its extent at one end
void checkHalos(IndexReporter &R);
/// A reduction over the block that leaves some threads out
void checkLostParts(IndexReporter &R);
void checkLinearIds(IndexReporter &R);
/// A grid that leaves out a good part at every size
void checkShortGrids(IndexReporter &R);
/// A grid that is rounded down, or the same for every size
void checkMissingBlocks(IndexReporter &R);
/// Results of one launch that the next one leaves
void checkLeftBehind(IndexReporter &R);
/// `img + y * pitch`, with a pitch of bytes
void checkPitches(IndexReporter &R);
/// A size that the kernel takes and never looks at
void checkUnusedSizes(IndexReporter &R);
/// Rows and columns that are taken for one another
void checkRowForms(IndexReporter &R);
/// A row's number times its own length
void checkRaggedRows(IndexReporter &R);
/// Kernels that the file does not launch: what goes wrong whatever the launch
void checkUnlaunched(IndexReporter &R);

} // namespace kcheck
#endif
