//===- BlockReduce.h - one value of a block, in every thread ---------------------------===//
//
// The helper functions blockSum, blockMax and blockMin that actions put in front of a kernel, once a file and type.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_BLOCKREDUCE_H
#define KCHECK_ACTIONS_ENGINE_BLOCKREDUCE_H

#include "actions/engine/ActionContext.h"

namespace kcheck {

enum class Reduction { Sum, Max, Min };

llvm::StringRef reducerName(Reduction R);

/// Puts the helper for Type in front of K, unless the file has it. False: the name means something else there.
bool needReducer(const ActionContext &Ctx, const KernelView &K, Reduction R, const std::string &Type, std::vector<Edit> &Edits);

/// Is F the helper, word for word?
bool isBlockReducer(const ActionContext &Ctx, const clang::FunctionDecl *F, Reduction R);

/// Is every launch's block one row of a known multiple of 32 threads? The reason why not, else empty.
std::string whyNotWholeWarps(ActionContext &Ctx, const KernelView &K);

} // namespace kcheck
#endif
