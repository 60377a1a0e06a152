//===- PchCache.h - precompiled CUDA headers, built on first use --------------===//
//
//   base     the CUDA runtime and our prelude: what every file reads first
//   set      on top of it (a chained PCH), one for each set of system headers that files begin with
//
// A file gets the PCH of exactly the headers that it names, so a missing include is never hidden. The cache is shared
// by all processes of a user: files are written under another name and renamed; builders of the same file wait for
// each other. Where nothing can be written the parse is a cold one, with a note.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_PCHCACHE_H
#define KCHECK_ENGINE_DRIVER_PCHCACHE_H

#include "analyzers/engine/driver/Invocation.h"
#include "analyzers/engine/driver/SourceFiles.h"

namespace kcheck {

/// What the invocation of a parse needs to read a precompiled header.
struct Pch {
  std::string Path; ///< empty: parse cold
  std::string Note; ///< why it is cold, where that is worth telling
};

/// Default folder: $XDG_CACHE_HOME/kcheck, ~/.cache/kcheck, or a private folder of the temporary directory.
std::string defaultCacheDir();

/// Finds or builds the PCH for the headers that Text begins with. File is the path the text stands for.
/// Adds to Files what the PCH needs to see again.
Pch pchFor(const Setup &S, llvm::StringRef File, llvm::StringRef Text, llvm::StringRef CacheDir, SourceFiles &Files);

/// Forgets a PCH that turned out to be unreadable.
void dropPch(const Pch &P);

} // namespace kcheck
#endif
