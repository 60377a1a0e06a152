#include "tools/kcheck/Progress.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace kcheck::cli;
using namespace std::chrono_literals;

Progress::Progress(size_t Total, bool Quiet)
    : Total(Total), Show(!Quiet && Total > 1 && llvm::sys::Process::StandardErrIsDisplayed()),
      Start(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (Drawn)
    llvm::errs() << "\r\x1b[K";
}

void Progress::show(size_t Done) {
  auto Now = std::chrono::steady_clock::now();
  if (!Show || Now - Start < 1s || Now - Last < 100ms)
    return;
  Last = Now;
  Drawn = true;
  llvm::errs() << "\r\x1b[Kchecked " << Done << " of " << Total << " files";
}
