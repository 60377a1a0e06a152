#include "analyzers/engine/driver/OneShot.h"
#include "llvm/Support/ErrorHandling.h"
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

using namespace kcheck;

namespace {

// What the program starts again with; made beforehand, for a signal handler may not allocate.
struct Restart {
  char **Words = nullptr;
  std::vector<char *> Environment; ///< this process's, Variable added, null at the end
  char Variable[32] = "KCHECK_FIRST_TRY=?";
  int Stderr = -1; ///< where the errors went before the first try silenced them
} Again;

constexpr FirstTry Outcomes[] = {FirstTry::Crashed, FirstTry::TooLong, FirstTry::TooLarge};

void liftLimit(int Which) {
  rlimit L;
  ::getrlimit(Which, &L);
  L.rlim_cur = L.rlim_max;
  ::setrlimit(Which, &L);
}

/// Safe in a signal handler, whatever state the process is in.
[[noreturn]] void startAgain(FirstTry Outcome) {
  Again.Variable[std::strlen(Again.Variable) - 1] = char('0' + int(Outcome));
  unsilenceErrors();
  for (int Which : {RLIMIT_CPU, RLIMIT_AS})
    liftLimit(Which);
  sigset_t None;
  sigemptyset(&None);
  ::sigprocmask(SIG_SETMASK, &None, nullptr);
  ::execve("/proc/self/exe", Again.Words, Again.Environment.data());
  static constexpr char Text[] = "kcheck: crashed, and cannot start again (is /proc there?)\n";
  (void)!::write(STDERR_FILENO, Text, sizeof(Text) - 1);
  ::_exit(2);
}

void died(int Signal) { startAgain(Signal == SIGXCPU ? FirstTry::TooLong : FirstTry::Crashed); }
[[noreturn]] void ranOutOfMemory() { startAgain(FirstTry::TooLarge); }
[[noreturn]] void endOutOfMemory() { ::_exit(OutOfMemoryExit); }

/// Handlers run on a stack of their own: the fault may be that the stack is full.
void watchSignals() {
  static char Stack[16384];
  stack_t Other{};
  Other.ss_sp = Stack;
  Other.ss_size = sizeof Stack;
  ::sigaltstack(&Other, nullptr);
  struct sigaction Action{};
  Action.sa_handler = died;
  Action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (int Signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGXCPU})
    ::sigaction(Signal, &Action, nullptr);
}

} // namespace

void kcheck::unsilenceErrors() {
  if (Again.Stderr >= 0)
    ::dup2(Again.Stderr, STDERR_FILENO);
}

FirstTry kcheck::firstTry(char **Words) {
  static constexpr char Name[] = "KCHECK_FIRST_TRY";
  if (const char *Said = ::getenv(Name)) {
    FirstTry Outcome = FirstTry::NotMade;
    for (FirstTry O : Outcomes)
      if (Said[0] == char('0' + int(O)) && !Said[1])
        Outcome = O;
    ::unsetenv(Name);
    return Outcome;
  }
  Again.Words = Words;
  for (char **E = environ; *E; ++E)
    Again.Environment.push_back(*E);
  Again.Environment.push_back(Again.Variable);
  Again.Environment.push_back(nullptr);
  watchSignals();
  return FirstTry::Here;
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

/// \p End is called where memory ran out.
static void boundMemory(const ParseOptions &Options, void (*End)()) {
  static void (*Ended)();
  Ended = End;
  rlimit NoCore{0, RLIM_INFINITY};
  ::setrlimit(RLIMIT_CORE, &NoCore);
#if !__has_feature(address_sanitizer)
  rlimit Memory;
  ::getrlimit(RLIMIT_AS, &Memory);
  Memory.rlim_cur = std::min(Memory.rlim_max, rlim_t(Options.MemoryMB) << 20);
  ::setrlimit(RLIMIT_AS, &Memory);
#endif
  std::set_new_handler(End);
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { Ended(); });
}

void kcheck::boundMemory(const ParseOptions &Options) { ::boundMemory(Options, endOutOfMemory); }

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

/// Runs a function on a large stack in this thread: a second thread would make every change of a page's rights a
/// message between processors.
class DeepStack {
public:
  DeepStack() : Base(::mmap(nullptr, DeepStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0)) {
    if (Base != MAP_FAILED)
      ::mprotect(Base, Guard, PROT_NONE); // an overflow faults instead of writing over what lies below
  }
  ~DeepStack() {
    if (Base != MAP_FAILED)
      ::munmap(Base, DeepStackBytes);
  }

  void run(llvm::function_ref<void()> Work) {
    if (Base == MAP_FAILED)
      return Work(); // on the stack at hand; a file that needs more ends in a second try
    Todo = &Work;
    ::getcontext(&There);
    There.uc_stack.ss_sp = Base;
    There.uc_stack.ss_size = DeepStackBytes;
    There.uc_link = &Here;
    Current = this;
    ::makecontext(&There, enter, 0);
    ::swapcontext(&Here, &There);
  }

private:
  static void enter() { (*Current->Todo)(); }
  static constexpr size_t Guard = 64u << 10;
  static DeepStack *Current;
  void *Base;
  llvm::function_ref<void()> *Todo = nullptr;
  ucontext_t Here{}, There{};
};
DeepStack *DeepStack::Current;

} // namespace

LintResult kcheck::lintHere(llvm::function_ref<LintResult(const ParseOptions &)> Lint, const ParseOptions &Options) {
  LimitScope Time(RLIMIT_CPU), Memory(RLIMIT_AS), Core(RLIMIT_CORE);
  ::boundMemory(Options, ranOutOfMemory);
  boundProcessorTime(Options.Seconds);
  // A crash is the second try's to tell; LLVM's last words are for nobody.
  int Stderr = ::getenv("KCHECK_DEBUG") ? -1 : ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  int Null = Stderr >= 0 ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  if (Null >= 0)
    ::dup2(Null, STDERR_FILENO);
  LintResult R;
  ParseOptions Mine = Options;
  Mine.LastParse = true;
  Again.Stderr = Stderr;
  DeepStack().run([&] { R = Lint(Mine); });
  Again.Stderr = -1;
  if (Null >= 0)
    ::dup2(Stderr, STDERR_FILENO);
  for (int Fd : {Stderr, Null})
    if (Fd >= 0)
      ::close(Fd);
  return R;
}
