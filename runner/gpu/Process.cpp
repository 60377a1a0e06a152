#include "runner/gpu/Process.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;
using Steady = std::chrono::steady_clock;

bool gpu::writeWhole(int FD, const std::string &Text) {
  for (size_t Done = 0; Done < Text.size();) {
    ssize_t N = write(FD, Text.data() + Done, Text.size() - Done);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    Done += size_t(N);
  }
  return true;
}

std::string gpu::readWhole(const std::string &File, bool &Ok) {
  std::ifstream In(File, std::ios::binary);
  std::stringstream Text;
  Text << In.rdbuf();
  Ok = bool(In);
  return Text.str();
}

/// In the child, between fork and exec.
static void enter(int In, int Out) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  rlimit None{0, 0}, File{2ull << 30, 2ull << 30};
  setrlimit(RLIMIT_CORE, &None);
  setrlimit(RLIMIT_FSIZE, &File);
  dup2(In, 0);
  dup2(Out, 1);
  dup2(Out, 2);
  for (int FD = 3; FD < 256; ++FD)
    close(FD);
}

ProcessResult gpu::runProcess(const std::vector<std::string> &Argv, const std::string &Input, double Seconds,
                              const std::vector<std::pair<std::string, std::string>> &Extra) {
  ProcessResult R;
  int In = memfd_create("kcheck-input", MFD_CLOEXEC), Out[2];
  if (In < 0 || !writeWhole(In, Input) || lseek(In, 0, SEEK_SET) != 0 || pipe2(Out, O_CLOEXEC) != 0)
    return R;
  std::vector<char *> Words;
  for (const std::string &A : Argv)
    Words.push_back(const_cast<char *>(A.c_str()));
  Words.push_back(nullptr);
  pid_t Pid = fork();
  if (Pid == 0) {
    for (const auto &[Name, Value] : Extra)
      setenv(Name.c_str(), Value.c_str(), 1);
    enter(In, Out[1]);
    execv(Words[0], Words.data());
    _exit(127);
  }
  close(In);
  close(Out[1]);
  if (Pid < 0) {
    close(Out[0]);
    return R;
  }
  setpgid(Pid, Pid);
  R.Started = true;
  auto Until = Steady::now() + std::chrono::milliseconds(int64_t(Seconds * 1000));
  for (;;) {
    int Left = int(std::chrono::duration_cast<std::chrono::milliseconds>(Until - Steady::now()).count());
    pollfd P{Out[0], POLLIN, 0};
    int N = Left > 0 ? poll(&P, 1, Left) : 0;
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0) {
      R.TimedOut = true;
      break;
    }
    char Text[65536];
    ssize_t Got = read(Out[0], Text, sizeof Text);
    if (Got <= 0)
      break;
    if (R.Out.size() < (4u << 20))
      R.Out.append(Text, size_t(Got));
  }
  close(Out[0]);
  if (R.TimedOut)
    kill(-Pid, SIGKILL);
  int Status = 0;
  while (waitpid(Pid, &Status, 0) < 0 && errno == EINTR) {
  }
  kill(-Pid, SIGKILL); // what it left behind
  R.Status = WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
  if (R.Status == 127)
    R.Started = false;
  return R;
}

TemporaryFolder::TemporaryFolder() {
  const char *Base = getenv("TMPDIR");
  std::string Pattern = std::string(Base && *Base ? Base : "/tmp") + "/kcheck-gpu-XXXXXX";
  if (mkdtemp(Pattern.data()))
    Path = Pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code Ignored;
  if (!Path.empty())
    std::filesystem::remove_all(Path, Ignored);
}

bool TemporaryFolder::write(const std::string &Name, const std::string &Text) const {
  std::filesystem::path P = std::filesystem::path(Name).lexically_normal();
  if (Path.empty() || P.empty() || P.is_absolute() || *P.begin() == "..")
    return false;
  std::error_code Error;
  std::filesystem::path Full = std::filesystem::path(Path) / P;
  std::filesystem::create_directories(Full.parent_path(), Error);
  std::ofstream Out(Full, std::ios::binary);
  Out << Text;
  return bool(Out);
}
