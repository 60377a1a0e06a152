#include "runner/gpu/CompilerProcess.h"
#include "runner/gpu/Process.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;
using Steady = std::chrono::steady_clock;

namespace {

/// A request travels as the job that it would be.
std::string toLine(const CompileRequest &R) {
  protocol::Job J;
  J.Id = R.Driver;
  J.Source = *R.Source;
  J.Source.Arch = R.Arch;
  J.Compiler = R.Compiler;
  J.Limits.CompileSeconds = R.Seconds;
  for (const std::string &K : R.Kernels) {
    protocol::LaunchStep L;
    L.Kernel = K;
    J.Steps.push_back({L, 0});
  }
  return protocol::toJson(J) + "\n";
}

Binary failedBinary(const protocol::Source &S, std::string Why) {
  Binary B;
  B.Messages.push_back({{S.File, 0, 0}, "error", Why});
  B.Error = std::move(Why);
  return B;
}

} // namespace

int gpu::serveCompiler() {
  // NVRTC takes and frees tens of megabytes a compile: kept, they need not be mapped anew each time.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
  mallopt(M_TOP_PAD, 64 << 20);
  int Answers = dup(1), Null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(Null, 1); // whatever else writes there
  std::string Line, Error;
  while (std::getline(std::cin, Line)) {
    auto J = protocol::parseJob(Line, Error);
    if (!J)
      return 2;
    CompileRequest R;
    R.Source = &J->Source;
    R.Arch = J->Source.Arch;
    R.Driver = J->Id;
    R.Compiler = J->Compiler;
    R.Seconds = J->Limits.CompileSeconds;
    for (const protocol::Step &S : J->Steps)
      if (auto *L = std::get_if<protocol::LaunchStep>(&S.Do))
        R.Kernels.push_back(L->Kernel);
    std::string Entry = writeEntry(compileByNvrtc(R));
    uint64_t Size = Entry.size();
    if (!writeWhole(Answers, std::string(reinterpret_cast<const char *>(&Size), sizeof Size) + Entry))
      return 0;
  }
  return 0;
}

void CompilerProcess::start() {
  int ToChild[2], FromChild[2];
  if (Pid > 0 || pipe2(ToChild, O_CLOEXEC) != 0)
    return;
  if (pipe2(FromChild, O_CLOEXEC) != 0) {
    close(ToChild[0]);
    close(ToChild[1]);
    return;
  }
  Pid = fork();
  if (Pid == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // Not the address space: NVRTC asks the driver, which reserves much of it, and is four times slower where it cannot.
    rlimit None{0, 0}, Memory{16ull << 30, 16ull << 30};
    setrlimit(RLIMIT_CORE, &None);
    setrlimit(RLIMIT_DATA, &Memory);
    dup2(ToChild[0], 0);
    dup2(FromChild[1], 1);
    closefrom(3);
    execl("/proc/self/exe", "kcheck-gpu", "--compile", static_cast<char *>(nullptr));
    _exit(127);
  }
  close(ToChild[0]);
  close(FromChild[1]);
  In = ToChild[1];
  Out = FromChild[0];
  if (Pid < 0)
    end();
}

void CompilerProcess::end() {
  for (int *FD : {&In, &Out}) {
    if (*FD >= 0)
      close(*FD);
    *FD = -1;
  }
  if (Pid > 0) {
    kill(-Pid, SIGKILL);
    kill(Pid, SIGKILL);
    while (waitpid(Pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Pid = -1;
}

bool CompilerProcess::readAnswer(double Seconds, std::string &Text, std::string &Why) {
  auto Until = Steady::now() + std::chrono::milliseconds(int64_t(Seconds * 1000));
  uint64_t Wanted = 0;
  for (;;) {
    if (Text.size() >= sizeof Wanted)
      memcpy(&Wanted, Text.data(), sizeof Wanted);
    if (Text.size() >= sizeof Wanted && Text.size() >= sizeof Wanted + Wanted) {
      Text.erase(0, sizeof Wanted);
      return true;
    }
    int Left = int(std::chrono::duration_cast<std::chrono::milliseconds>(Until - Steady::now()).count());
    pollfd P{Out, POLLIN, 0};
    int N = Left > 0 ? poll(&P, 1, Left) : 0;
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0) {
      Why = "the compiler took longer than " + std::to_string(int(Seconds)) + " s";
      return false;
    }
    char Buffer[65536];
    ssize_t Got = read(Out, Buffer, sizeof Buffer);
    if (Got > 0) {
      Text.append(Buffer, size_t(Got));
      continue;
    }
    int Status = 0;
    waitpid(Pid, &Status, 0);
    Pid = -1;
    const char *Signal = WIFSIGNALED(Status) ? sigabbrev_np(WTERMSIG(Status)) : nullptr;
    Why = Signal ? std::string("the compiler was ended by SIG") + Signal : "the compiler ended with status " + std::to_string(WEXITSTATUS(Status));
    return false;
  }
}

std::optional<Binary> CompilerProcess::compile(const CompileRequest &R) {
  start();
  if (Pid <= 0)
    return std::nullopt;
  std::string Text, Why;
  if (!writeWhole(In, toLine(R))) {
    end(); // it went while idle
    start();
    if (Pid <= 0 || !writeWhole(In, toLine(R)))
      return std::nullopt;
  }
  if (!readAnswer(R.Seconds, Text, Why)) {
    end();
    return failedBinary(*R.Source, Why);
  }
  auto B = readEntry(Text);
  if (!B) {
    end();
    return failedBinary(*R.Source, "the compiler's answer makes no sense");
  }
  B->Cached = false;
  return B;
}
