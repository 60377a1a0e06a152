#include "runner/client/sandbox/Launch.h"
#include "runner/client/sandbox/Filter.h"
#include "runner/client/sandbox/Landlock.h"
#include "runner/client/sandbox/ProcessTree.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck::client;
namespace fs = std::filesystem;

namespace {

constexpr int FilterDescriptor = 4; // bwrap reads the system call filter here

struct Pipe {
  int Read = -1, Write = -1;
  bool open() {
    int FD[2];
    if (pipe2(FD, O_CLOEXEC) != 0)
      return false;
    Read = FD[0], Write = FD[1];
    return true;
  }
};

/// Everything that the child needs, made before the fork: between fork and exec nothing may allocate.
struct Plan {
  std::vector<std::string> Words, Variables;
  std::vector<char *> Argv, Envp;
  std::string Directory;
  SandboxLimits Limits;
  int Rules = -1;         ///< landlock
  std::string Filter;     ///< BPF for the direct start
  int FilterFile = -1;    ///< BPF for bwrap
  uid_t DropTo = 0;       ///< root only: an identity that owns nothing
  unsigned MaxThreads = 0; ///< RLIMIT_NPROC; 0: it would not bind, or a process group does
  bool Supervise = false;

  void seal() {
    for (std::string &W : Words)
      Argv.push_back(W.data());
    for (std::string &V : Variables)
      Envp.push_back(V.data());
    Argv.push_back(nullptr);
    Envp.push_back(nullptr);
  }
};

void limit(int What, uint64_t Value) {
  rlimit R{rlim_t(Value), rlim_t(Value)};
  setrlimit(What, &R);
}

void applyLimits(const SandboxLimits &L, unsigned MaxThreads) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, L.FileBytes);
  limit(RLIMIT_NOFILE, 1024);
  limit(RLIMIT_MSGQUEUE, 0);
  if (L.CpuSeconds > 0) {
    rlimit R{rlim_t(L.CpuSeconds + 0.999), rlim_t(L.CpuSeconds + 1.999)};
    setrlimit(RLIMIT_CPU, &R);
  }
  if (L.BoundAddressSpace)
    limit(RLIMIT_AS, L.MemoryBytes + (2ull << 30)); // the watcher measures what is touched; this is the backstop
  if (MaxThreads)
    limit(RLIMIT_NPROC, MaxThreads);
}

/// Ordinary user or not, nothing regained by exec.
void dropPrivileges(uid_t To) {
  if (geteuid() == 0) {
    prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED, 0, 0, 0);
    for (int C = 0; C <= 63; ++C)
      prctl(PR_CAPBSET_DROP, C, 0, 0, 0);
    if (To) {
      setgroups(0, nullptr);
      if (setresgid(To, To, To) != 0 || setresuid(To, To, To) != 0)
        _exit(126);
    }
  }
  __user_cap_header_struct Header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct None[2] = {};
  syscall(SYS_capset, &Header, None);
}

bool installFilter(const std::string &Program) {
  sock_fprog P;
  P.len = Program.size() / sizeof(sock_filter);
  P.filter = reinterpret_cast<sock_filter *>(const_cast<char *>(Program.data()));
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &P, 0, 0) == 0;
}

void setScore() {
  int FD = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (FD >= 0) {
    (void)!write(FD, "1000", 4);
    close(FD);
  }
}

[[noreturn]] void becomeProgram(const Plan &P, bool UnderBwrap) {
  setScore();
  applyLimits(P.Limits, P.MaxThreads);
  umask(077);
  if (!P.Directory.empty() && !UnderBwrap && chdir(P.Directory.c_str()) != 0)
    _exit(126);
  sigset_t None;
  sigemptyset(&None);
  sigprocmask(SIG_SETMASK, &None, nullptr);
  for (int S = 1; S < 32; ++S)
    signal(S, SIG_DFL);
  if (!UnderBwrap) {
    dropPrivileges(P.DropTo);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
      _exit(126);
    if (P.Rules >= 0 && !enterLandlock(P.Rules))
      _exit(126);
    if (!P.Filter.empty() && !installFilter(P.Filter))
      _exit(126);
  }
  execve(P.Argv[0], P.Argv.data(), P.Envp.data());
  _exit(127);
}

volatile sig_atomic_t StopAsked;
void askStop(int) { StopAsked = 1; }

/// Starts the program, waits for it, then kills whatever it left behind. Dies with kcheck, and takes all along.
[[noreturn]] void supervise(const Plan &P, int StatusPipe, pid_t Watcher) {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  struct sigaction A = {};
  A.sa_handler = askStop;
  sigaction(SIGTERM, &A, nullptr);
  sigset_t Wait;
  sigemptyset(&Wait);
  sigprocmask(SIG_SETMASK, &Wait, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  if (getppid() != Watcher)
    _exit(1);
  pid_t Program = fork();
  if (Program == 0) {
    close(StatusPipe);
    becomeProgram(P, false);
  }
  // Keep no end of the program's streams open: their end must be seen.
  for (int FD = 0; FD <= FilterDescriptor; ++FD)
    if (FD != StatusPipe)
      close(FD);
  int Status = 0;
  while (Program > 0 && !StopAsked) {
    pid_t Done = waitpid(-1, &Status, 0);
    if (Done == Program || (Done < 0 && errno == ECHILD))
      break;
  }
  if (StopAsked)
    Status = SIGKILL;
  killAllChildren();
  (void)!write(StatusPipe, &Status, sizeof(Status));
  _exit(0);
}

std::vector<std::pair<std::string, std::string>> environmentOf(const SandboxCommand &C, bool PrivateTmp) {
  std::string Tmp = PrivateTmp ? "/tmp" : C.Scratch.empty() ? "/nonexistent" : C.Scratch;
  std::vector<std::pair<std::string, std::string>> E = {
      {"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", Tmp}, {"TMPDIR", Tmp}, {"LANG", "C.UTF-8"}};
  if (C.WantResult)
    E.push_back({"KCHECK_RESULT_FD", std::to_string(ResultDescriptor)});
  E.insert(E.end(), C.Environment.begin(), C.Environment.end());
  return E;
}

/// Is Path in none of Folders?
bool outside(const std::vector<std::string> &Folders, const std::string &Path) {
  return std::none_of(Folders.begin(), Folders.end(), [&](const std::string &F) { return Path == F || Path.starts_with(F + "/"); });
}

void planBubblewrap(Plan &P, const SandboxCommand &C, const std::string &Bwrap) {
  auto Add = [&](std::initializer_list<std::string> W) { P.Words.insert(P.Words.end(), W); };
  Add({Bwrap, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
       "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox", "--clearenv"});
  for (auto &[Name, Value] : environmentOf(C, true))
    Add({"--setenv", Name, Value});
  for (const std::string &Path : systemReadPaths()) {
    std::error_code EC;
    if (fs::is_symlink(Path, EC) && fs::path(Path).parent_path() == "/") {
      Add({"--symlink", fs::read_symlink(Path, EC).string(), Path});
      continue;
    }
    Add({"--ro-bind", Path, Path});
  }
  Add({"--proc", "/proc", "--size", std::to_string(std::min<uint64_t>(C.Limits.FileBytes, 1ull << 30)), "--tmpfs", "/tmp", "--dir", "/dev"});
  for (const char *D : {"/dev/null", "/dev/urandom"})
    Add({"--dev-bind", D, D});
  for (const std::string &D : C.Devices)
    Add({"--dev-bind-try", D, D});
  // What lies below a system folder is there already; a link below one (/usr/local/cuda) could not be mounted on.
  for (const std::string &R : C.ReadPaths)
    if (outside(systemReadPaths(), R))
      Add({"--ro-bind", R, R});
  if (!C.Scratch.empty())
    Add({"--bind", C.Scratch, C.Scratch, "--chdir", C.Scratch});
  else
    Add({"--chdir", "/tmp"});
  std::string Filter = systemCallFilter(false, C.Limits.Processes > 1, {});
  if (!Filter.empty()) {
    P.FilterFile = memfd_create("filter", MFD_CLOEXEC);
    if (P.FilterFile >= 0 && write(P.FilterFile, Filter.data(), Filter.size()) == ssize_t(Filter.size()) &&
        lseek(P.FilterFile, 0, SEEK_SET) == 0)
      Add({"--seccomp", std::to_string(FilterDescriptor)});
  }
  Add({"--"});
  P.Words.insert(P.Words.end(), C.Argv.begin(), C.Argv.end());
  P.Variables = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
}

/// Every folder on the way to Path may be passed by anyone.
bool reachableByAnyone(const std::string &Path, mode_t Last) {
  struct stat S;
  for (fs::path P = fs::path(Path).parent_path(); !P.empty() && P != "/"; P = P.parent_path())
    if (stat(P.c_str(), &S) != 0 || !(S.st_mode & S_IXOTH))
      return false;
  return stat(Path.c_str(), &S) == 0 && (S.st_mode & Last) == Last;
}

void giveTo(const std::string &Folder, uid_t Owner) {
  if (lchown(Folder.c_str(), Owner, Owner) != 0)
    return;
  std::error_code EC;
  for (fs::recursive_directory_iterator It(Folder, EC), End; !EC && It != End; It.increment(EC))
    (void)!lchown(It->path().c_str(), Owner, Owner);
}

void planDirect(Plan &P, const SandboxCommand &C, bool Confine) {
  P.Words = C.Argv;
  for (auto &[Name, Value] : environmentOf(C, false))
    P.Variables.push_back(Name + "=" + Value);
  P.Directory = C.Scratch.empty() ? "/" : C.Scratch;
  P.Supervise = true;
  if (!Confine)
    return;
  // Root owns too much: a number that nobody uses owns nothing, and its processes can be counted.
  if (geteuid() == 0) {
    bool Reachable = reachableByAnyone(C.Argv[0], S_IXOTH | S_IROTH) && (C.Scratch.empty() || reachableByAnyone(C.Scratch, 0));
    for (const std::string &R : C.ReadPaths)
      Reachable &= reachableByAnyone(R, S_IROTH);
    if (Reachable) {
      static std::atomic<unsigned> Counter = 0;
      P.DropTo = 0x40000000u + (unsigned(getpid()) % 0x100000u) * 256 + Counter++ % 256;
      if (!C.Scratch.empty())
        giveTo(C.Scratch, P.DropTo);
    }
  }
  std::vector<std::string> Read = systemReadPaths(), Write, Devices = {"/dev/null", "/dev/urandom"};
  for (const char *Info : {"/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/sys/devices/system/cpu"})
    Read.push_back(Info);
  Read.insert(Read.end(), C.ReadPaths.begin(), C.ReadPaths.end());
  Devices.insert(Devices.end(), C.Devices.begin(), C.Devices.end());
  if (!C.Scratch.empty())
    Write.push_back(C.Scratch);
  P.Rules = makeLandlockRules(Read, Write, Devices);
  P.Filter = systemCallFilter(true, C.Limits.Processes > 1, {getpid(), getppid()});
}

} // namespace

std::vector<std::string> kcheck::client::systemReadPaths() {
  std::vector<std::string> Out;
  for (const char *P : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/ld.so.cache", "/etc/alternatives"})
    if (access(P, F_OK) == 0)
      Out.push_back(P);
  return Out;
}

/// Processes, and the threads of those that have many; bwrap, its init and our supervisor come on top.
static unsigned threadsAllowed(const SandboxLimits &L) { return L.Processes + 4 + L.Threads; }

/// Bounds by RLIMIT_NPROC where that binds; false where it does not.
static bool boundByLimits(Plan &P, const SandboxLimits &L) {
  if (P.DropTo != 0)
    P.MaxThreads = threadsAllowed(L);
  else if (geteuid() != 0)
    P.MaxThreads = threadsOfThisUser() + threadsAllowed(L);
  return P.MaxThreads != 0;
}

Started kcheck::client::launch(const SandboxCommand &C, SandboxKind Kind, const std::string &Bubblewrap) {
  Started S;
  Plan P;
  P.Limits = C.Limits;
  if (Kind == SandboxKind::Bubblewrap)
    planBubblewrap(P, C, Bubblewrap);
  else
    planDirect(P, C, Kind == SandboxKind::Landlock);
  if (Kind == SandboxKind::Landlock && (P.Rules < 0 || P.Filter.empty())) {
    S.Error = "landlock or seccomp does not work here";
    return S;
  }
  // Joining a group takes some 20 ms: not for those whom the filter keeps from starting a process at all.
  if (C.Limits.Processes > 1 || !haveSystemCallFilter())
    S.Group = ProcessGroup::make(threadsAllowed(C.Limits));
  if (!S.Group.valid() && !boundByLimits(P, C.Limits) && Kind == SandboxKind::Landlock && C.Limits.Processes > 1) {
    S.Error = "nothing here bounds the number of root's processes: run as an ordinary user, or where control groups can be made";
    return S;
  }
  P.seal();

  Pipe In, Out, Err, Result, Status;
  if (!In.open() || !Out.open() || !Err.open() || !Result.open() || !Status.open()) {
    S.Error = std::string("cannot make pipes: ") + strerror(errno);
    return S;
  }
  int Entry = S.Group.valid() ? S.Group.openEntry() : -1;
  pid_t Watcher = getpid();
  pid_t Child = fork();
  if (Child == 0) {
    if (S.Group.valid() && write(Entry, "0", 1) != 1)
      _exit(126);
    setsid();
    // Out of the way of the numbers that are about to be filled.
    int Ends[] = {In.Read, Out.Write, Err.Write, Result.Write, P.FilterFile};
    int StatusEnd = fcntl(Status.Write, F_DUPFD_CLOEXEC, 20);
    int Rules = P.Rules >= 0 ? fcntl(P.Rules, F_DUPFD_CLOEXEC, 20) : -1;
    for (int &E : Ends)
      if (E >= 0)
        E = fcntl(E, F_DUPFD_CLOEXEC, 20);
    for (int I = 0; I < 5; ++I) {
      if (Ends[I] >= 0 && !(I == ResultDescriptor && !C.WantResult))
        dup2(Ends[I], I);
      else
        close(I);
    }
    // All but 0-4, the status end and the rules.
    int Low = std::min(StatusEnd, Rules < 0 ? StatusEnd : Rules), High = std::max(StatusEnd, Rules);
    syscall(SYS_close_range, 5u, unsigned(Low - 1), 0u);
    if (High > Low + 1)
      syscall(SYS_close_range, unsigned(Low + 1), unsigned(High - 1), 0u);
    syscall(SYS_close_range, unsigned(High + 1), ~0u, 0u);
    P.Rules = Rules;
    if (P.Supervise)
      supervise(P, StatusEnd, Watcher);
    becomeProgram(P, true);
  }
  for (int FD : {In.Read, Out.Write, Err.Write, Result.Write, Status.Write, P.FilterFile, P.Rules, Entry})
    if (FD >= 0)
      close(FD);
  S.Pid = Child;
  S.In = In.Write, S.Out = Out.Read, S.Err = Err.Read, S.Result = Result.Read;
  S.Status = P.Supervise ? Status.Read : -1;
  if (!P.Supervise)
    close(Status.Read);
  if (Child < 0)
    S.Error = std::string("cannot fork: ") + strerror(errno);
  return S;
}
