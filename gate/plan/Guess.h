//===- Guess.h - what to call a launcher with when no task says so ------------------===//
#ifndef KCHECK_GATE_PLAN_GUESS_H
#define KCHECK_GATE_PLAN_GUESS_H

#include "gate/plan/Launchers.h"
#include "matchers/LaunchModel.h"

namespace kcheck::gate {

/// The size that a buffer gets whose length follows from nothing: it is no bound.
inline std::string roomFor(const std::string &Buffer) { return "room_" + Buffer; }

/// Buffers from the footprints of F's launches, sizes from the model's samples of F.
std::optional<Guess> guessArguments(const clang::FunctionDecl *F, llvm::ArrayRef<ops::Param> Params, LaunchModel &Model, std::string &Why);

/// Constants that integer parameters are compared with, in launchers and kernels of the file.
std::vector<int64_t> comparedWithParameters(clang::ASTContext &Ctx, llvm::ArrayRef<clang::Decl *> Decls);

} // namespace kcheck::gate
#endif
