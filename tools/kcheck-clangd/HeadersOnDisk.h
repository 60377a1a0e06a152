//===- HeadersOnDisk.h - the program's own headers as files ----------------------===//
#ifndef KCHECK_TOOLS_KCHECK_CLANGD_HEADERSONDISK_H
#define KCHECK_TOOLS_KCHECK_CLANGD_HEADERSONDISK_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace kcheck {

/// The folder that holds the bundled headers of one part ("ours", "clang") as files, because clangd reads the disk.
/// Written to the user's cache once for each version of them; empty where that cannot be written.
std::string headersOnDisk(llvm::StringRef Part);

} // namespace kcheck
#endif
