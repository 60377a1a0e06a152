//===- SourceFiles.h - the files that a parse may see -------------------------===//
//
// The candidate's text, the headers inside the program, and of the disk only regular files below allowed
// folders: the file's root, the toolkit, the system's include folders and configured -I folders. Anything
// else (#include "/etc/passwd", devices, FIFOs) looks absent, and is remembered as refused.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_SOURCEFILES_H
#define KCHECK_ENGINE_DRIVER_SOURCEFILES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace kcheck {

class SourceFiles : public llvm::vfs::FileSystem {
public:
  SourceFiles();

  /// Serves Text for Path; the text must outlive this and be followed by a zero byte when Terminated.
  void addText(llvm::StringRef Path, llvm::StringRef Text);
  /// Files below Folder may be read. Symbolic links count where they lead.
  void allow(llvm::StringRef Folder);
  /// Every file of the disk may be read (the set-up of an invocation, which reads no candidate's words).
  void allowAll() { Everything = true; }
  /// What was asked for, exists and was not allowed.
  const std::vector<std::string> &refused() const { return Refused; }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override;
  bool exists(const llvm::Twine &Path) override { return bool(status(Path)); }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &Path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &Dir, std::error_code &EC) override;
  std::error_code setCurrentWorkingDirectory(const llvm::Twine &Path) override;
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override;
  std::error_code getRealPath(const llvm::Twine &Path, llvm::SmallVectorImpl<char> &Output) override;

private:
  bool allowed(llvm::StringRef Path);
  bool readable(llvm::StringRef Path, const llvm::vfs::Status &S);

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk;
  llvm::StringMap<std::string> Texts;
  std::vector<std::string> Folders; ///< real paths with a final slash
  llvm::StringMap<bool> FolderVerdicts;
  std::vector<std::string> Refused;
  bool Everything = false;
};

} // namespace kcheck
#endif
