#include "tools/kcheck/Command.h"
#include "analyzers/engine/DidYouMean.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <mutex>

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

std::string cli::didYouMean(llvm::StringRef Word, llvm::ArrayRef<std::string> Known) {
  std::string Near = nearest(Word, Known);
  return Near.empty() ? Near : "; did you mean '" + Near + "'?";
}
