#include "agent/mcp/Call.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck::mcp;
namespace fs = std::filesystem;

namespace {

/// A process that ran out of memory says so by this status (analyzers/engine/driver/OneShot.h).
constexpr int OutOfMemoryExit = 77;
/// Reserved, not used, until some code nests deep.
constexpr size_t StackBytes = 512u << 20;

std::string newFolder() {
  std::error_code EC;
  fs::path Base = fs::temp_directory_path(EC);
  std::string Pattern = (EC ? fs::path("/tmp") : Base).string() + "/kcheck-call-XXXXXX";
  return ::mkdtemp(Pattern.data()) ? Pattern : std::string();
}

void writeAll(int Fd, std::string_view Text) {
  while (!Text.empty()) {
    ssize_t N = ::write(Fd, Text.data(), Text.size());
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      ::_exit(1); // nobody listens any more
    Text.remove_prefix(size_t(N));
  }
}

void frame(int Fd, char Kind, const std::string &Text) { writeAll(Fd, Kind + std::to_string(Text.size()) + "\n" + Text); }

struct Errand {
  const Tool *T;
  const std::string *Arguments;
  int Fd;
};

void *work(void *Opaque) {
  auto *E = static_cast<Errand *>(Opaque);
  Answer A;
  try {
    A = E->T->Run(*E->Arguments, [&](const std::string &Message) { frame(E->Fd, 'P', Message); });
  } catch (const std::exception &X) {
    A = {true, std::string("kcheck failed: ") + X.what()};
  }
  frame(E->Fd, A.Failed ? 'F' : 'A', A.Text);
  ::_exit(0);
}

/// Of the child: nothing that a tool or a compiler prints reaches the protocol.
[[noreturn]] void runChild(const Tool &T, const std::string &Arguments, int Fd, const std::string &Folder, pid_t Parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != Parent)
    ::_exit(1);
  for (int Signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD})
    ::signal(Signal, SIG_DFL);
  sigset_t None;
  sigemptyset(&None);
  ::sigprocmask(SIG_SETMASK, &None, nullptr);
  rlimit NoCore{0, 0};
  ::setrlimit(RLIMIT_CORE, &NoCore);
  if (int Null = ::open("/dev/null", O_RDONLY); Null >= 0)
    ::dup2(Null, STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  if (!Folder.empty())
    ::setenv("TMPDIR", Folder.c_str(), 1);
  Errand E{&T, &Arguments, Fd};
  pthread_attr_t Attributes;
  pthread_t Thread;
  pthread_attr_init(&Attributes);
  pthread_attr_setstacksize(&Attributes, StackBytes);
  if (pthread_create(&Thread, &Attributes, work, &E) == 0)
    pthread_join(Thread, nullptr);
  else
    work(&E);
  ::_exit(1);
}

} // namespace

std::unique_ptr<Call> Call::start(const Tool &T, const std::string &Arguments) {
  int Pipe[2];
  if (::pipe2(Pipe, O_CLOEXEC))
    return nullptr;
  std::unique_ptr<Call> C(new Call);
  C->Folder = newFolder();
  pid_t Self = ::getpid();
  C->Pid = ::fork();
  if (C->Pid == 0) {
    ::close(Pipe[0]);
    runChild(T, Arguments, Pipe[1], C->Folder, Self);
  }
  ::close(Pipe[1]);
  C->Fd = Pipe[0];
  if (C->Pid < 0)
    return nullptr;
  ::setpgid(C->Pid, C->Pid); // both sides, so that stop() never comes too early
  ::fcntl(C->Fd, F_SETFL, O_NONBLOCK);
  return C;
}

Call::~Call() {
  stop();
  if (Fd >= 0)
    ::close(Fd);
  std::error_code EC;
  if (!Folder.empty())
    fs::remove_all(Folder, EC);
}

void Call::stop() {
  if (Pid < 0)
    return;
  ::kill(-Pid, SIGKILL);
  ::kill(Pid, SIGKILL);
  while (::waitpid(Pid, nullptr, 0) < 0 && errno == EINTR)
    ;
  Pid = -1;
}

std::optional<Answer> Call::take(std::vector<std::string> &Progress) {
  char Bytes[65536];
  for (;;) {
    ssize_t N = ::read(Fd, Bytes, sizeof Bytes);
    if (N > 0) {
      Pending.append(Bytes, size_t(N));
      continue;
    }
    if (N < 0 && errno == EINTR)
      continue;
    if (auto A = scan(Progress))
      return A;
    if (N < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return std::nullopt;
    return ended();
  }
}

std::optional<Answer> Call::scan(std::vector<std::string> &Progress) {
  for (;;) {
    size_t End = Pending.find('\n');
    if (End == std::string::npos)
      return std::nullopt;
    size_t Size = std::strtoull(Pending.c_str() + 1, nullptr, 10);
    if (Pending.size() - End - 1 < Size)
      return std::nullopt;
    char Kind = Pending[0];
    std::string Text = Pending.substr(End + 1, Size);
    Pending.erase(0, End + 1 + Size);
    if (Kind != 'P')
      return Answer{Kind == 'F', std::move(Text)};
    Progress.push_back(std::move(Text));
  }
}

/// The pipe is closed without an answer.
Answer Call::ended() {
  int Status = 0;
  while (::waitpid(Pid, &Status, 0) < 0 && errno == EINTR)
    ;
  ::kill(-Pid, SIGKILL); // what it may have started
  Pid = -1;
  if (WIFEXITED(Status) && WEXITSTATUS(Status) == OutOfMemoryExit)
    return {true, "not done: it needs more memory than it may have"};
  if (WIFSIGNALED(Status))
    return {true, std::string("not done: reading this code crashed (") + ::strsignal(WTERMSIG(Status)) + "); it may nest too deep"};
  return {true, "not done: the process ended without an answer"};
}
