#include "tools/kcheck-clangd/Arguments.h"
#include "tools/kcheck-clangd/HeadersOnDisk.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kcheck;

/// Clang 22's own headers: beside an installed kcheck-clangd, where this program was built, where the
/// distributions put them, or else those that are in this program.
static std::string resourceDir(const char *Argv0) {
  llvm::SmallString<256> Beside(llvm::sys::fs::getMainExecutable(Argv0, (void *)resourceDir));
  llvm::sys::path::remove_filename(Beside);
  llvm::sys::path::append(Beside, "..", "lib", "clang", "22");
  for (llvm::StringRef Candidate : {llvm::StringRef(Beside), llvm::StringRef(KCHECK_CLANG_RESOURCE_DIR),
                                    llvm::StringRef("/usr/lib/llvm-22/lib/clang/22"), llvm::StringRef("/usr/lib/clang/22")})
    if (llvm::sys::fs::exists(Candidate + "/include/stddef.h"))
      return Candidate.str();
  return headersOnDisk("clang");
}

std::vector<std::string> kcheck::clangdArguments(int Argc, char **Argv) {
  std::vector<std::string> Words(Argv, Argv + Argc);
  bool Given = llvm::any_of(Words, [](llvm::StringRef W) { return W.ltrim('-').starts_with("resource-dir"); });
  if (std::string Dir = Given ? "" : resourceDir(Argv[0]); !Dir.empty())
    Words.insert(Words.begin() + 1, "--resource-dir=" + Dir);
  return Words;
}
