#include "analyzers/engine/driver/SourceFiles.h"
#include "analyzers/engine/driver/BundledHeaders.h"
#include "llvm/Support/Path.h"

using namespace kcheck;
namespace vfs = llvm::vfs;

/// A header is never as large as this; a file that is was not meant to be one.
static constexpr uint64_t MaxFileBytes = 64u << 20;

namespace {

/// A file whose text lies in memory already.
class TextFile : public vfs::File {
public:
  TextFile(vfs::Status S, llvm::StringRef Text) : Stat(std::move(S)), Text(Text) {}
  llvm::ErrorOr<vfs::Status> status() override { return Stat; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &Name, int64_t, bool, bool) override {
    return llvm::MemoryBuffer::getMemBuffer(Text, Name.str());
  }
  std::error_code close() override { return {}; }

private:
  vfs::Status Stat;
  llvm::StringRef Text;
};

/// Identity of a file that no disk has: made of its name, so that it is the same in every process.
vfs::Status textStatus(llvm::StringRef Path, llvm::StringRef Text) {
  return vfs::Status(Path, llvm::sys::fs::UniqueID(~0ull, llvm::hash_value(Path)), llvm::sys::TimePoint<>(), 0, 0,
                     Text.size(), llvm::sys::fs::file_type::regular_file, llvm::sys::fs::perms::all_read);
}

std::string realFolder(llvm::StringRef Path) {
  llvm::SmallString<256> Real;
  if (llvm::sys::fs::real_path(Path, Real))
    return {};
  Real += '/';
  return std::string(Real);
}

} // namespace

SourceFiles::SourceFiles() : Disk(vfs::createPhysicalFileSystem()) {}

void SourceFiles::addText(llvm::StringRef Path, llvm::StringRef Text) { Texts[Path] = Text.str(); }

void SourceFiles::allow(llvm::StringRef Folder) {
  std::string Real = realFolder(Folder);
  if (Real.size() > 1 && !llvm::is_contained(Folders, Real))
    Folders.push_back(Real);
}

bool SourceFiles::allowed(llvm::StringRef Path) {
  if (Everything)
    return true;
  // Verdicts are kept by folder: a link inside a folder is looked at on its own below.
  llvm::StringRef Parent = llvm::sys::path::parent_path(Path);
  auto Known = FolderVerdicts.find(Parent);
  bool FolderOk;
  auto Below = [&](llvm::StringRef Real) {
    return llvm::any_of(Folders, [&](const std::string &F) { return Real.starts_with(F); });
  };
  if (Known != FolderVerdicts.end()) {
    FolderOk = Known->second;
  } else {
    FolderOk = Below(realFolder(Parent.empty() ? "." : Parent));
    FolderVerdicts[Parent] = FolderOk;
  }
  if (!llvm::sys::fs::is_symlink_file(Path))
    return FolderOk;
  llvm::SmallString<256> Real;
  return !llvm::sys::fs::real_path(Path, Real) && Below(Real);
}

bool SourceFiles::readable(llvm::StringRef Path, const vfs::Status &S) {
  if (S.isDirectory())
    return true; // folders are only walked, what they hold is asked for by name
  if (S.isRegularFile() && S.getSize() <= MaxFileBytes && allowed(Path))
    return true;
  if (!llvm::is_contained(Refused, Path))
    Refused.push_back(Path.str());
  return false;
}

static std::error_code absent() { return make_error_code(llvm::errc::no_such_file_or_directory); }

llvm::ErrorOr<vfs::Status> SourceFiles::status(const llvm::Twine &P) {
  llvm::SmallString<256> Path;
  P.toVector(Path);
  if (auto T = Texts.find(Path); T != Texts.end())
    return textStatus(Path, T->second);
  llvm::StringRef Bundled = Path;
  if (Bundled.consume_front(BundledRoot)) {
    if (auto Text = bundledHeader(Bundled))
      return textStatus(Path, *Text);
    auto HoldsText = [&] {
      return llvm::any_of(Texts, [&](const auto &T) { return llvm::sys::path::parent_path(T.getKey()) == Path; });
    };
    if (!isBundledFolder(Bundled) && !HoldsText())
      return absent();
    return vfs::Status(Path, llvm::sys::fs::UniqueID(~0ull, llvm::hash_value(llvm::StringRef(Path))), llvm::sys::TimePoint<>(), 0, 0, 0,
                       llvm::sys::fs::file_type::directory_file, llvm::sys::fs::perms::all_read);
  }
  llvm::ErrorOr<vfs::Status> S = Disk->status(Path);
  if (S && !readable(Path, *S))
    return absent();
  return S;
}

llvm::ErrorOr<std::unique_ptr<vfs::File>> SourceFiles::openFileForRead(const llvm::Twine &P) {
  llvm::SmallString<256> Path;
  P.toVector(Path);
  if (auto T = Texts.find(Path); T != Texts.end())
    return std::make_unique<TextFile>(textStatus(Path, T->second), T->second);
  llvm::StringRef Bundled = Path;
  if (Bundled.consume_front(BundledRoot)) {
    if (auto Text = bundledHeader(Bundled))
      return std::make_unique<TextFile>(textStatus(Path, *Text), *Text);
    return absent();
  }
  // Asked first: opening a FIFO would wait for its writer.
  llvm::ErrorOr<vfs::Status> S = Disk->status(Path);
  if (!S)
    return S.getError();
  if (!readable(Path, *S))
    return absent();
  return Disk->openFileForRead(Path);
}

vfs::directory_iterator SourceFiles::dir_begin(const llvm::Twine &Dir, std::error_code &EC) {
  return Disk->dir_begin(Dir, EC);
}
std::error_code SourceFiles::setCurrentWorkingDirectory(const llvm::Twine &Path) {
  FolderVerdicts.clear();
  return Disk->setCurrentWorkingDirectory(Path);
}
llvm::ErrorOr<std::string> SourceFiles::getCurrentWorkingDirectory() const { return Disk->getCurrentWorkingDirectory(); }
std::error_code SourceFiles::getRealPath(const llvm::Twine &Path, llvm::SmallVectorImpl<char> &Output) {
  return Disk->getRealPath(Path, Output);
}
