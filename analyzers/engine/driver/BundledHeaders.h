//===- BundledHeaders.h - the headers inside the program ----------------------===//
//
// Clang's own headers (clang/include) and ours (ours/prelude, ours/cuda, ours/torch) are linked into the
// program and served under one virtual folder, so that kcheck runs where no Clang is installed.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_BUNDLEDHEADERS_H
#define KCHECK_ENGINE_DRIVER_BUNDLEDHEADERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace kcheck {

/// The virtual folder; nothing on disk is ever looked up below it.
inline constexpr llvm::StringRef BundledRoot = "/kcheck-builtin/";

struct BundledHeader {
  const char *Path; ///< below BundledRoot: "ours/torch/torch/extension.h"
  unsigned Offset, Size;
};

/// Sorted by path.
llvm::ArrayRef<BundledHeader> bundledHeaders();
/// Text of the header (zero-terminated), or nothing.
std::optional<llvm::StringRef> bundledHeader(llvm::StringRef Path);
/// True where some header lies below this folder.
bool isBundledFolder(llvm::StringRef Path);
/// Where the headers lie that stand in for PyTorch's.
inline constexpr llvm::StringRef TorchStandIns = "ours/torch/";
/// True where Text includes one of these.
bool includesTorch(llvm::StringRef Text);
/// Changes whenever any header does.
llvm::StringRef bundledHeadersDigest();

} // namespace kcheck
#endif
