#include "tools/kcheck-clangd/HeadersOnDisk.h"
#include "analyzers/engine/driver/BundledHeaders.h"
#include "analyzers/engine/driver/PchCache.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace kcheck;

namespace {

bool writeAll(llvm::StringRef Part, llvm::StringRef Folder) {
  for (const BundledHeader &H : bundledHeaders()) {
    llvm::StringRef Name = H.Path;
    if (!Name.consume_front(Part) || !Name.consume_front("/"))
      continue;
    llvm::SmallString<256> To(Folder);
    llvm::sys::path::append(To, Name);
    std::error_code E;
    if (llvm::sys::fs::create_directories(llvm::sys::path::parent_path(To)))
      return false;
    llvm::raw_fd_ostream File(To, E);
    if (E)
      return false;
    File << bundledHeader(H.Path).value_or("");
    File.close();
    if (File.has_error()) {
      File.clear_error();
      return false;
    }
  }
  return true;
}

} // namespace

std::string kcheck::headersOnDisk(llvm::StringRef Part) {
  llvm::SmallString<256> Folder(defaultCacheDir());
  llvm::sys::path::append(Folder, "headers-" + Part + "-" + bundledHeadersDigest());
  if (llvm::sys::fs::is_directory(Folder))
    return std::string(Folder);
  llvm::SmallString<256> Fresh; // written aside, then renamed: others see all or nothing
  llvm::sys::fs::createUniquePath(Folder + "-%%%%%%%%", Fresh, false);
  if (!writeAll(Part, Fresh)) {
    llvm::sys::fs::remove_directories(Fresh);
    return "";
  }
  if (llvm::sys::fs::rename(Fresh, Folder)) {
    llvm::sys::fs::remove_directories(Fresh);
    if (!llvm::sys::fs::is_directory(Folder))
      return "";
  }
  return std::string(Folder);
}
