//===- ResultCache.h - what compilers said before -----------------------------===//
#ifndef KCHECK_GATE_COMPILE_RESULTCACHE_H
#define KCHECK_GATE_COMPILE_RESULTCACHE_H

#include "gate/compile/Compiler.h"
#include <optional>

namespace kcheck::gate {

/// Key of a job for one compiler: source, local includes with their text, flags, identity of the compiler's
/// programs. Nothing where an include cannot be followed by its text.
std::optional<std::string> cacheKey(const CompileJob &Job, llvm::StringRef Compiler, llvm::ArrayRef<std::string> Programs);

std::optional<CompileResult> loadResult(llvm::StringRef CacheDir, llvm::StringRef Key);
/// Keeps accepted and rejected alike; safe among processes. Old entries are dropped when there are many.
void storeResult(llvm::StringRef CacheDir, llvm::StringRef Key, const CompileResult &R);

/// The files below the job's root (and include folders) that its text includes, directly or not. False where an
/// include is computed by a macro.
bool localIncludes(const CompileJob &Job, std::vector<std::string> &Files);

} // namespace kcheck::gate
#endif
