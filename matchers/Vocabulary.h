//===- Vocabulary.h - CUDA's words over the Clang AST -------------------------===//
//
// Every CUDA spelling that C++ code needs (builtins, intrinsics, attributes) lives in this folder, API
// tables live in rules.yaml; rules and actions ask with the words of the CUDA Programming Guide. Another
// dialect is another vocabulary.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_VOCABULARY_H
#define KCHECK_MATCHERS_VOCABULARY_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include <optional>

namespace kcheck {

/// The built-in index variables.
enum class IndexVar { ThreadIdx, BlockIdx, BlockDim, GridDim, WarpSize };
struct BuiltinUse {
  IndexVar Which;
  unsigned Axis = 0; ///< 0 x, 1 y, 2 z
};

/// What a called function does, as far as parallel execution is concerned.
enum class CallKind {
  Other,
  BlockBarrier,      ///< __syncthreads and friends, thread_block::sync, barrier_sync(0)
  BlockBarrierVote,  ///< __syncthreads_count/and/or: a barrier with a block-uniform result
  WarpBarrier,       ///< __syncwarp
  GridBarrier,       ///< grid_group::sync
  TileBarrier,       ///< tiled_partition / coalesced group sync
  Shuffle,           ///< __shfl_*_sync
  LegacyShuffle,     ///< __shfl_* without _sync
  Vote,              ///< __ballot_sync, __any_sync, __all_sync, __match_*_sync, __reduce_*_sync
  LegacyVote,
  ActiveMask,
  Atomic,            ///< atomicAdd … on the pointer of argument 0
  Fence,             ///< __threadfence*
  AsyncCopy,         ///< cp.async and memcpy_async forms
  AsyncWait,         ///< __pipeline_wait_prior, cp_async_wait, cg::wait
  Printf,
  DeviceMalloc,      ///< malloc, free, operator new in device code
  Assert,
  Trap
};

bool isKernel(const clang::FunctionDecl *F);
bool isDeviceFunction(const clang::FunctionDecl *F); ///< __device__ or __global__
/// Was a number that F is instantiated with chosen by the parser, for want of anyone who instantiates it?
bool hasChosenNumbers(const clang::FunctionDecl *F);
bool isHostFunction(const clang::FunctionDecl *F);   ///< neither attribute, or __host__
bool isSharedVariable(const clang::VarDecl *V);
bool isDynamicShared(const clang::VarDecl *V);       ///< extern __shared__ T v[]
bool isConstantVariable(const clang::VarDecl *V);
bool isDeviceVariable(const clang::VarDecl *V);      ///< __device__ or __managed__ at namespace scope

/// The built-in variable that E reads (threadIdx.x), or nothing.
std::optional<BuiltinUse> builtinUse(const clang::Expr *E);

/// Classifies a call by its callee's name and kind (member functions of cooperative groups included).
CallKind callKind(const clang::CallExpr *Call);
CallKind callKind(const clang::FunctionDecl *Callee);
/// The callee's plain name, also where the callee was not resolved.
std::string calleeName(const clang::CallExpr *Call);

/// Are the two written alike, whatever declares what they name being the same? Parentheses and implicit casts do not count.
bool sameExpression(const clang::Expr *A, const clang::Expr *B, const clang::ASTContext &AST);
/// The same where casts that the source spells do not count either.
inline bool sameBehindCasts(const clang::Expr *A, const clang::Expr *B, const clang::ASTContext &AST) {
  return sameExpression(A->IgnoreParenCasts(), B->IgnoreParenCasts(), AST);
}

/// Body of F's definition (of the pattern's instantiation where F is one), or null.
const clang::Stmt *definitionBody(const clang::FunctionDecl *F);

/// The four operands of a kernel launch.
struct LaunchSyntax {
  const clang::CUDAKernelCallExpr *Call = nullptr;
  const clang::Expr *Grid = nullptr, *Block = nullptr, *Shared = nullptr, *Stream = nullptr;
  const clang::FunctionDecl *Kernel = nullptr; ///< null when the callee is dependent or a pointer
};
LaunchSyntax launchSyntax(const clang::CUDAKernelCallExpr *Call);

namespace match {
using namespace clang::ast_matchers;

/// A function with __global__.
AST_MATCHER(clang::FunctionDecl, kernelFunction) { return isKernel(&Node); }
/// A function with __device__ or __global__.
AST_MATCHER(clang::FunctionDecl, deviceFunction) { return isDeviceFunction(&Node); }
/// A variable in shared memory.
AST_MATCHER(clang::VarDecl, sharedVariable) { return isSharedVariable(&Node); }
/// A call that synchronises the whole block.
AST_MATCHER(clang::CallExpr, blockBarrier) {
  CallKind K = callKind(&Node);
  return K == CallKind::BlockBarrier || K == CallKind::BlockBarrierVote;
}
/// A call of the given kind.
AST_MATCHER_P(clang::CallExpr, callOf, CallKind, Kind) { return callKind(&Node) == Kind; }
} // namespace match

} // namespace kcheck
#endif
