#include "analyzers/engine/driver/OneShot.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/thread.h"
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <malloc.h>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck;

OneShot kcheck::startOneShot() {
  OneShot Shot;
  pid_t Parent = ::getpid(), Child = ::fork();
  if (Child < 0)
    return Shot;
  if (Child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != Parent)
      ::_exit(2);
    Shot.Try = FirstTry::Here;
    return Shot;
  }
  int Status = 0;
  while (::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(Status) && WEXITSTATUS(Status) != OutOfMemoryExit)
    Shot.Exit = WEXITSTATUS(Status);
  else if (WIFEXITED(Status))
    Shot.Try = FirstTry::TooLarge;
  else
    Shot.Try = WTERMSIG(Status) == SIGXCPU ? FirstTry::TooLong : FirstTry::Crashed;
  return Shot;
}

void kcheck::prepareHeap() {
  constexpr uintptr_t Step = 32u << 20, Large = 2u << 20, Small = 256u << 10;
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_TOP_PAD, Step);
  ::mallopt(M_MMAP_THRESHOLD, Step);
  ::mallopt(M_TRIM_THRESHOLD, 4 * Step);
  // Large pages start at From. The allocation that makes the heap grow writes its headers just before: a page that is
  // touched too early stays small, and its neighbours with it.
  uintptr_t Before = reinterpret_cast<uintptr_t>(::sbrk(0));
  uintptr_t From = (Before + 2 * Small + Large - 1) / Large * Large;
  if (::sbrk(intptr_t(From - 2 * Small - Before)) == reinterpret_cast<void *>(-1))
    return;
  void *volatile Grown = ::malloc(Small); // volatile, or the pair is optimised away
  uintptr_t After = reinterpret_cast<uintptr_t>(::sbrk(0));
  if (After > From)
    ::madvise(reinterpret_cast<void *>(From), After - From, MADV_HUGEPAGE);
  ::free(Grown);
}

void kcheck::boundMemory(const ParseOptions &Options) {
  rlimit NoCore{0, RLIM_INFINITY};
  ::setrlimit(RLIMIT_CORE, &NoCore);
#if !__has_feature(address_sanitizer)
  rlimit Memory;
  ::getrlimit(RLIMIT_AS, &Memory);
  Memory.rlim_cur = std::min(Memory.rlim_max, rlim_t(Options.MemoryMB) << 20);
  ::setrlimit(RLIMIT_AS, &Memory);
#endif
  std::set_new_handler([] { ::_exit(OutOfMemoryExit); });
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { ::_exit(OutOfMemoryExit); });
}

namespace {

/// Puts a limit of this process back at the end.
class LimitScope {
public:
  explicit LimitScope(int Which) : Which(Which) { ::getrlimit(Which, &Before); }
  ~LimitScope() { ::setrlimit(Which, &Before); }

private:
  int Which;
  rlimit Before{};
};

void boundProcessorTime(double Seconds) {
  rusage Used{};
  ::getrusage(RUSAGE_SELF, &Used);
  rlimit Time;
  ::getrlimit(RLIMIT_CPU, &Time);
  Time.rlim_cur = std::min(Time.rlim_max, rlim_t(double(Used.ru_utime.tv_sec + Used.ru_stime.tv_sec) + std::ceil(Seconds) + 1));
  ::setrlimit(RLIMIT_CPU, &Time);
}

} // namespace

LintResult kcheck::lintHere(llvm::function_ref<LintResult(const ParseOptions &)> Lint, const ParseOptions &Options) {
  LimitScope Time(RLIMIT_CPU), Memory(RLIMIT_AS), Core(RLIMIT_CORE);
  boundMemory(Options);
  boundProcessorTime(Options.Seconds);
  // A crash is the parent's to tell; LLVM's last words are for nobody.
  int Stderr = ::getenv("KCHECK_DEBUG") ? -1 : ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  int Null = Stderr >= 0 ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  if (Null >= 0)
    ::dup2(Null, STDERR_FILENO);
  LintResult R;
  ParseOptions Mine = Options;
  Mine.LastParse = true;
  llvm::thread Deep(std::optional<unsigned>(DeepStackBytes), [&] { R = Lint(Mine); });
  Deep.join();
  if (Null >= 0)
    ::dup2(Stderr, STDERR_FILENO);
  for (int Fd : {Stderr, Null})
    if (Fd >= 0)
      ::close(Fd);
  return R;
}
