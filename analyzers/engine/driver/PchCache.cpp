#include "analyzers/engine/driver/PchCache.h"
#include "analyzers/engine/driver/BundledHeaders.h"
#include "analyzers/engine/driver/Includes.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA1.h"
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

using namespace kcheck;
using namespace clang;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string below(llvm::StringRef A, llvm::StringRef B) {
  llvm::SmallString<128> P(A);
  path::append(P, B);
  return std::string(P);
}

std::string kcheck::defaultCacheDir() {
  if (const char *X = getenv("XDG_CACHE_HOME"); X && path::is_absolute(X))
    return below(X, "kcheck");
  if (const char *H = getenv("HOME"); H && path::is_absolute(H) && fs::is_directory(H))
    return below(below(H, ".cache"), "kcheck");
  llvm::SmallString<128> Tmp;
  path::system_temp_directory(true, Tmp);
  return below(Tmp, "kcheck-cache-" + std::to_string(getuid()));
}

//===- which headers -------------------------------------------------------===//

/// Headers that the base holds already: naming them changes nothing.
static bool inBase(llvm::StringRef Name) {
  static constexpr llvm::StringRef Names[] = {"cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h", "vector_types.h",
                                              "vector_functions.h", "cmath", "math.h", "cstdlib", "stdlib.h", "string.h", "limits.h", "stddef.h"};
  return llvm::is_contained(Names, Name);
}

static bool isFile(llvm::StringRef Folder, llvm::StringRef Name, SourceFiles &Files) {
  auto S = Files.status(below(Folder, Name));
  return S && S->isRegularFile();
}

/// The system headers among the leading includes, sorted; stops at the first that is none.
static std::vector<std::string> systemHeaders(const Setup &S, llvm::StringRef File, llvm::StringRef Text, SourceFiles &Files) {
  std::vector<std::string> Out;
  for (const IncludeName &I : leadingIncludes(Text)) {
    auto In = [&](llvm::StringRef Dir) { return isFile(Dir, I.Name, Files); };
    if (llvm::StringRef(I.Name).contains("..") || path::is_absolute(I.Name))
      break;
    if (!I.Angled && In(path::parent_path(File).empty() ? "." : path::parent_path(File)))
      break;
    if (llvm::any_of(S.UserDirs, In) || !llvm::any_of(S.SystemDirs, In))
      break;
    if (!inBase(I.Name))
      Out.push_back(I.Name);
  }
  llvm::sort(Out);
  Out.erase(llvm::unique(Out), Out.end());
  return Out;
}

//===- building ------------------------------------------------------------===//

namespace {

/// Holds the lock file of one PCH while alive.
class FileLock {
public:
  explicit FileLock(const std::string &Path) {
    Fd = ::open(Path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    // A builder needs two seconds at most on an idle machine; a parse does not wait for ever for a stuck one.
    for (int Tries = 0; Fd >= 0 && !Held && Tries < 3000; ++Tries) {
      Held = ::flock(Fd, LOCK_EX | LOCK_NB) == 0;
      if (!Held)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  ~FileLock() {
    if (Fd >= 0)
      ::close(Fd);
  }
  FileLock(const FileLock &) = delete;
  bool held() const { return Held; }

private:
  int Fd = -1;
  bool Held = false;
};

uint64_t capBytes() {
  if (const char *E = getenv("KCHECK_CACHE_MB"))
    if (unsigned MB = atoi(E))
      return uint64_t(MB) << 20;
  return uint64_t(1024) << 20;
}

/// Removes the PCHs that were not used for longest until the folder is below the cap.
void trim(llvm::StringRef Dir, llvm::StringRef Keep) {
  struct Entry {
    std::string Path;
    uint64_t Size;
    llvm::sys::TimePoint<> Used;
  };
  std::vector<Entry> Entries;
  uint64_t Total = 0;
  std::error_code EC;
  for (fs::directory_iterator I(Dir, EC), E; I != E && !EC; I.increment(EC)) {
    fs::file_status St;
    if (!llvm::StringRef(I->path()).ends_with(".pch") || fs::status(I->path(), St))
      continue;
    Entries.push_back({I->path(), St.getSize(), St.getLastModificationTime()});
    Total += St.getSize();
  }
  llvm::sort(Entries, [](const Entry &A, const Entry &B) { return A.Used < B.Used; });
  for (const Entry &E : Entries) {
    if (Total <= capBytes())
      return;
    if (E.Path == Keep)
      continue;
    fs::remove(E.Path);
    Total -= E.Size;
  }
}

/// Marks the PCH as used now, at most once a day.
void touch(llvm::StringRef Path) {
  fs::file_status St;
  if (fs::status(Path, St))
    return;
  auto Now = std::chrono::system_clock::now();
  if (Now - St.getLastModificationTime() < std::chrono::hours(24))
    return;
  int Fd;
  if (fs::openFileForWrite(Path, Fd, fs::CD_OpenExisting, fs::OF_Append))
    return;
  fs::setLastAccessAndModificationTime(Fd, Now);
  ::close(Fd);
}

struct Layer {
  std::string Source; ///< virtual path of the text that is precompiled
  std::string Text;
  std::string Path;
};

/// One PCH; On is the one below it, or empty. Returns the first error, or nothing.
std::optional<std::string> build(const Setup &S, const Layer &L, llvm::StringRef On, SourceFiles &Files) {
  auto I = std::make_shared<CompilerInvocation>(*S.Base);
  PreprocessorOptions &P = I->getPreprocessorOpts();
  P.Includes.resize(S.HeadersInBase); // what the user includes by flag is read with the file
  if (!On.empty()) {
    P.ImplicitPCHInclude = On.str();
    P.Includes.clear();
  }
  FrontendOptions &F = I->getFrontendOpts();
  F.Inputs.assign(1, FrontendInputFile(L.Source, InputKind(Language::CUDA)));
  F.OutputFile = L.Path;
  F.ProgramAction = frontend::GeneratePCH;
  CompilerInstance CI(I);
  CI.setVirtualFileSystem(&Files);
  TextDiagnosticBuffer Messages;
  CI.createDiagnostics(&Messages, false);
  GeneratePCHAction Action;
  bool Ran = CI.ExecuteAction(Action);
  if (Messages.err_begin() != Messages.err_end())
    return Messages.err_begin()->second;
  if (!Ran || !fs::exists(L.Path))
    return std::string("it could not be written");
  return std::nullopt;
}

enum class Ready { Yes, Broken, NoCache };

Ready ensure(const Setup &S, const Layer &L, llvm::StringRef On, SourceFiles &Files) {
  if (fs::exists(L.Path)) {
    touch(L.Path);
    return Ready::Yes;
  }
  std::string Bad = L.Path + ".bad"; // headers with errors of their own: no PCH can be made
  if (fs::exists(Bad))
    return Ready::Broken;
  FileLock Lock(L.Path + ".lock");
  if (!Lock.held())
    return Ready::NoCache;
  if (fs::exists(L.Path))
    return Ready::Yes;
  std::optional<std::string> Fault = build(S, L, On, Files);
  if (!Fault) {
    trim(path::parent_path(L.Path), L.Path);
    return Ready::Yes;
  }
  std::error_code EC;
  llvm::raw_fd_ostream Out(Bad, EC);
  if (EC)
    return Ready::NoCache;
  Out << *Fault << "\n";
  return Ready::Broken;
}

bool privateFolder(llvm::StringRef Dir) {
  return !fs::create_directories(Dir, true, fs::owner_all) && fs::can_write(Dir.str());
}

} // namespace

Pch kcheck::pchFor(const Setup &S, llvm::StringRef File, llvm::StringRef Text, llvm::StringRef CacheDir, SourceFiles &Files) {
  std::string Root = CacheDir.empty() ? defaultCacheDir() : CacheDir.str();
  std::string Dir = below(Root, "pch");
  // Asked of the disk only when something has to be built: the usual case is one look at the file.
  auto NoCache = [&] { return Pch{"", "the cache folder " + Root + " cannot be written: headers are read anew for every file"}; };

  Layer Base{(BundledRoot + "pch/base.h").str(), "\n", below(Dir, S.Key + ".pch")};
  Files.addText(Base.Source, Base.Text);
  if (!fs::exists(Base.Path) && !privateFolder(Dir))
    return NoCache();
  Files.allow(Dir);
  switch (ensure(S, Base, "", Files)) {
  case Ready::Yes: break;
  case Ready::Broken: return Pch{"", "the CUDA headers do not parse: read anew for every file"};
  case Ready::NoCache: return NoCache();
  }

  std::vector<std::string> Headers = systemHeaders(S, File, Text, Files);
  if (Headers.empty())
    return {Base.Path, ""};
  Layer Set;
  for (const std::string &H : Headers)
    Set.Text += "#include <" + H + ">\n";
  std::string Name = llvm::toHex(llvm::ArrayRef<uint8_t>(llvm::SHA1::hash(llvm::arrayRefFromStringRef(Set.Text))), true).substr(0, 16);
  Set.Source = (BundledRoot + "pch/" + Name + ".h").str();
  Set.Path = below(Dir, S.Key + "-" + Name + ".pch");
  Files.addText(Set.Source, Set.Text);
  if (ensure(S, Set, Base.Path, Files) == Ready::Yes)
    return {Set.Path, ""};
  return {Base.Path, ""};
}

void kcheck::dropPch(const Pch &P) {
  if (!P.Path.empty())
    fs::remove(P.Path);
}
