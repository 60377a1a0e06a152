// kcheck-gpu: the GPU worker. Jobs come in as JSON, results go out as JSON on a descriptor of their own. Without a GPU it
// starts all the same and says what is missing.
#include "runner/gpu/CompilerProcess.h"
#include "runner/gpu/Probe.h"
#include "runner/gpu/Process.h"
#include "runner/gpu/SelfTest.h"
#include "runner/gpu/Supervisor.h"
#include "runner/gpu/Worker.h"
#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <iostream>
#include <malloc.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;

namespace {

constexpr char Usage[] = "usage: kcheck-gpu --job FILE [--device N] [--pretty] [--answer-fd N]\n"
                         "       kcheck-gpu --serve [--device N] [--answer-fd N]   one job a line on stdin, one result a line\n"
                         "       kcheck-gpu --serve --compile-ahead [--device N]   the same, but only compiles, into the cache\n"
                         "       kcheck-gpu --probe [--deep]                       what this machine allows, as JSON\n"
                         "       kcheck-gpu --list                                 devices by number and name, as JSON\n"
                         "       kcheck-gpu --self-test [--device N]               its own kernels against the CPU's code\n"
                         "       kcheck-gpu serve --help                           jobs over HTTP, for kcheck --device URL\n"
                         "       kcheck-gpu --version\n";

struct CommandLine {
  std::string Job;
  int Device = 0, AnswerFd = 1;
  bool Serve = false, Child = false, Probe = false, Deep = false, Pretty = false, Bare = false, SelfTest = false, Ahead = false;
};

bool read(int Argc, char **Argv, CommandLine &C) {
  for (int I = 1; I < Argc; ++I) {
    std::string A = Argv[I];
    bool More = I + 1 < Argc;
    if (A == "--job" && More)
      C.Job = Argv[++I];
    else if (A == "--device" && More)
      C.Device = atoi(Argv[++I]);
    else if (A == "--answer-fd" && More)
      C.AnswerFd = atoi(Argv[++I]);
    else if (A == "--serve")
      C.Serve = true;
    else if (A == "--child")
      C.Child = true;
    else if (A == "--probe")
      C.Probe = true;
    else if (A == "--deep")
      C.Deep = true;
    else if (A == "--pretty")
      C.Pretty = true;
    else if (A == "--self-test")
      C.SelfTest = true;
    else if (A == "--compile-ahead")
      C.Ahead = true;
    else if (A == "--bare")
      C.Bare = true;
    else
      return false;
  }
  return C.SelfTest + C.Probe + C.Serve + C.Child + !C.Job.empty() == 1 && (C.Serve || !C.Ahead);
}

protocol::Result refused(const std::string &Error) {
  protocol::Result R;
  R.Worker = "kcheck-gpu " KCHECK_VERSION;
  R.State = protocol::State::Failed;
  R.Failure = protocol::Failure::BadJob;
  R.Message = Error;
  return R;
}

/// What printf writes on the device is kept in memory: stdout may be the channel of answers.
int catchPrinted() {
  int FD = memfd_create("kcheck-printed", MFD_CLOEXEC);
  if (FD >= 0)
    dup2(FD, 1);
  return FD;
}

/// NVRTC takes and frees tens of megabytes a compile: kept, they need not be mapped anew each time.
void keepMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
  mallopt(M_TOP_PAD, 64 << 20);
}

/// A child of the supervisor: answers until its context is lost.
int serveAsChild(const CommandLine &C) {
  keepMemory();
  WorkerOptions O;
  O.Device = C.Device;
  O.PrintedFd = catchPrinted();
  auto say = [&](const protocol::Result &R, bool Last) { return writeWhole(C.AnswerFd, (Last ? "!" : "") + protocol::toJson(R) + "\n"); };
  O.Answer = [&](const protocol::Result &R) { say(R, true); };
  Worker W(O);
  W.warmUp(); // while nobody waits; a reason comes with the first job
  std::string Line, Error;
  while (std::getline(std::cin, Line)) {
    auto J = protocol::parseJob(Line, Error);
    protocol::Result R = J ? W.run(*J) : refused(Error);
    bool Lost = W.lost();
    if (!say(R, Lost) || Lost)
      _exit(Lost ? HangStatus : 2); // destructors would talk to a dead context
  }
  return 0;
}

int runOne(const CommandLine &C) {
  bool Ok = false;
  std::string Text = readWhole(C.Job, Ok), Error;
  if (!Ok) {
    fprintf(stderr, "kcheck-gpu: %s: cannot be read\n", C.Job.c_str());
    return 2;
  }
  auto J = protocol::parseJob(Text, Error);
  int Answers = C.AnswerFd == 1 ? dup(1) : C.AnswerFd;
  auto say = [&](const protocol::Result &R) { writeWhole(Answers, protocol::toJson(R, C.Pretty ? 1 : -1) + "\n"); };
  WorkerOptions O;
  O.Device = C.Device;
  O.Bare = C.Bare;
  O.PrintedFd = C.Bare ? -1 : catchPrinted();
  O.Answer = say;
  Worker W(O);
  protocol::Result R = J ? W.run(*J) : refused(Error);
  say(R);
  if (W.lost())
    _exit(0);
  return R.Failure == protocol::Failure::BadJob ? 2 : 0;
}

/// In this very process: a source that crashes the compiler costs the head start, no more.
int serveAhead(const CommandLine &C) {
  keepMemory();
  rlimit None{0, 0}, Memory{16ull << 30, 16ull << 30};
  setrlimit(RLIMIT_CORE, &None);
  setrlimit(RLIMIT_DATA, &Memory);
  std::string Line, Error, Why;
  auto G = Device::identify(C.Device, Why);
  Cache Files;
  while (std::getline(std::cin, Line)) {
    auto J = protocol::parseJob(Line, Error);
    protocol::Result R = J && G ? compileAhead(*J, *G, Files) : refused(J ? Why : Error);
    if (!writeWhole(C.AnswerFd, protocol::toJson(R) + "\n"))
      return 2;
  }
  return 0;
}

/// Lines are read ahead, so that later jobs are compiled while earlier ones run.
int serve(const CommandLine &C) {
  Supervisor S(C.Device);
  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<std::string> Lines;
  bool Ended = false, Busy = false;
  std::thread Reader([&] {
    for (std::string Line; std::getline(std::cin, Line);) {
      std::unique_lock Held(Lock);
      bool Waits = Busy || !Lines.empty();
      Lines.push_back(Line);
      Changed.notify_all();
      Held.unlock();
      if (Waits)
        S.expect(Line);
    }
    std::lock_guard Held(Lock);
    Ended = true;
    Changed.notify_all();
  });
  bool Good = true;
  for (std::string Line; Good;) {
    {
      std::unique_lock Held(Lock);
      Busy = false;
      Changed.wait(Held, [&] { return Ended || !Lines.empty(); });
      if (Lines.empty())
        break;
      Line = std::move(Lines.front());
      Lines.pop_front();
      Busy = true;
    }
    Good = writeWhole(C.AnswerFd, S.answer(Line) + "\n");
  }
  if (!Good)
    _exit(2); // the reader waits for input that nobody wants answered
  Reader.join();
  return 0;
}

/// The server is a program of its own, so that this one needs no library of its.
int becomeServer(char **Argv) {
  char Self[4096];
  ssize_t Size = readlink("/proc/self/exe", Self, sizeof Self - 1);
  std::string Program = std::string(Self, size_t(std::max<ssize_t>(Size, 0))) + "-serve";
  std::vector<char *> Words = {Program.data()};
  for (char **A = Argv + 2; *A; ++A)
    Words.push_back(*A);
  Words.push_back(nullptr);
  execv(Program.c_str(), Words.data());
  fprintf(stderr, "kcheck-gpu serve: %s: %s; it is built where cpp-httplib and OpenSSL are there\n", Program.c_str(), strerror(errno));
  return 2;
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc >= 2 && std::string(Argv[1]) == "serve")
    return becomeServer(Argv);
  if (Argc == 2 && std::string(Argv[1]) == "--version") {
    puts("kcheck-gpu " KCHECK_VERSION);
    return 0;
  }
  CommandLine C;
  if (Argc == 2 && std::string(Argv[1]) == "--compile") // by CompilerProcess
    return serveCompiler();
  if (Argc == 2 && std::string(Argv[1]) == "--list") {
    puts(listText().c_str());
    return 0;
  }
  if (!read(Argc, Argv, C)) {
    fputs(Usage, stderr);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  if (C.Probe) {
    puts(probeText(C.Deep).c_str());
    return 0;
  }
  if (C.SelfTest) {
    int Failures = 0;
    for (const std::string &L : selfTest(C.Device, Failures))
      puts(L.c_str());
    return Failures < 0 ? 77 : Failures > 0;
  }
  return C.Child ? serveAsChild(C) : C.Ahead ? serveAhead(C) : C.Serve ? serve(C) : runOne(C);
}
