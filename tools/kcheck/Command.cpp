#include "tools/kcheck/Command.h"
#include "analyzers/engine/DidYouMean.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <mutex>
#include <sys/stat.h>

using namespace kcheck;
using namespace kcheck::cli;

static std::vector<Command> &registry() {
  static std::vector<Command> Commands;
  return Commands;
}

CommandRegistration::CommandRegistration(int Order, void (*Add)(CLI::App &, Context &)) {
  registry().push_back({Order, Add});
}

std::vector<Command> cli::allCommands() {
  std::vector<Command> Sorted = registry();
  std::stable_sort(Sorted.begin(), Sorted.end(), [](const Command &A, const Command &B) { return A.Order < B.Order; });
  return Sorted;
}

int cli::complain(const llvm::Twine &Message) {
  static std::mutex Lock;
  std::lock_guard Guard(Lock);
  llvm::errs() << "kcheck: " << Message << "\n";
  return 2;
}

/// Writes to a stream and says what went wrong; the stream is fit to be closed then.
static std::error_code put(llvm::raw_fd_ostream &OS, llvm::StringRef Text) {
  OS << Text;
  OS.flush();
  std::error_code EC = OS.error();
  OS.clear_error();
  return EC;
}

int cli::writeWhole(llvm::StringRef To, llvm::StringRef Text) {
  namespace fs = llvm::sys::fs;
  auto CannotWrite = [&](std::error_code EC) { return complain((To == "-" ? "stdout" : To) + llvm::Twine(": cannot write: ") + EC.message()); };
  if (To == "-") {
    std::error_code EC = put(llvm::outs(), Text);
    return EC ? CannotWrite(EC) : 0;
  }
  fs::file_status Old;
  bool IsThere = !fs::status(To, Old);
  if (IsThere && Old.type() != fs::file_type::regular_file) { // a device or a pipe takes it as it comes
    std::error_code EC;
    llvm::raw_fd_ostream OS(To, EC);
    if (!EC)
      EC = put(OS, Text);
    return EC ? CannotWrite(EC) : 0;
  }
  llvm::SmallString<256> Target(To), Beside;
  if (IsThere)
    fs::real_path(To, Target); // a link stays a link
  int FD = -1;
  if (std::error_code EC = fs::createUniqueFile(Target + ".%%%%%%", FD, Beside, fs::OF_None, IsThere ? Old.permissions() : fs::perms(0666 & ~umask(umask(0)))))
    return CannotWrite(EC);
  std::error_code EC;
  {
    llvm::raw_fd_ostream OS(FD, /*shouldClose=*/true);
    EC = put(OS, Text);
  }
  if (!EC)
    EC = fs::rename(Beside, Target);
  if (!EC)
    return 0;
  fs::remove(Beside);
  return CannotWrite(EC);
}

std::string cli::didYouMean(llvm::StringRef Word, llvm::ArrayRef<std::string> Known) {
  std::string Near = nearest(Word, Known);
  return Near.empty() ? Near : "; did you mean '" + Near + "'?";
}
