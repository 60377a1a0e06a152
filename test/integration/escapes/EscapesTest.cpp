// Every way out of the sandbox, tried for real: the program runs itself inside with the name of an attempt and says
// what it could do. Each attempt is made under every mechanism that works on this machine.
#include "runner/client/Sandbox.h"
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kcheck::client;

//===- Inside: the attempts ---------------------------------------------------===//

// 0: it worked (the sandbox failed), 40: refused.
static int said(bool Worked) { return Worked ? 0 : 40; }
static bool canRead(const std::string &Path) {
  int FD = open(Path.c_str(), O_RDONLY);
  char C;
  return FD >= 0 && read(FD, &C, 1) >= 0;
}

static int connectTo(int Port) {
  int FD = socket(AF_INET, SOCK_STREAM, 0);
  if (FD < 0)
    return said(false);
  sockaddr_in A{};
  A.sin_family = AF_INET;
  A.sin_port = htons(Port);
  A.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return said(connect(FD, reinterpret_cast<sockaddr *>(&A), sizeof(A)) == 0);
}

static int attempt(const std::string &Name, const std::string &Argument) {
  if (Name == "nothing")
    return 0;
  if (Name == "exit7")
    return 7;
  if (Name == "crash")
    abort();
  if (Name == "answer") {
    std::string Text;
    std::getline(std::cin, Text);
    std::cout << "chatter\n" << std::flush;
    Text = "got " + Text;
    return write(ResultDescriptor, Text.data(), Text.size()) == ssize_t(Text.size()) ? 0 : 1;
  }
  if (Name == "environment") {
    for (char **E = environ; *E; ++E)
      std::cout << *E << "\n";
    return 0;
  }
  if (Name == "scratch") {
    std::ofstream("made-here") << "x";
    return said(canRead("made-here"));
  }
  if (Name == "read")
    return said(canRead(Argument));
  if (Name == "write") {
    int FD = open(Argument.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    return said(FD >= 0 && write(FD, "x", 1) == 1 && access(Argument.c_str(), F_OK) == 0);
  }
  if (Name == "remove")
    return said(unlink(Argument.c_str()) == 0);
  if (Name == "truncate")
    return said(truncate(Argument.c_str(), 0) == 0);
  if (Name == "mode")
    return said(chmod(Argument.c_str(), 0777) == 0);
  if (Name == "link")
    return said(link(Argument.c_str(), "stolen") == 0 && canRead("stolen"));
  if (Name == "symlink")
    return said(symlink(Argument.c_str(), "alias") == 0 && canRead("alias"));
  if (Name == "connect")
    return connectTo(atoi(Argument.c_str()));
  if (Name == "unix") {
    int FD = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un A{};
    A.sun_family = AF_UNIX;
    strncpy(A.sun_path, Argument.c_str(), sizeof(A.sun_path) - 1);
    return said(FD >= 0 && connect(FD, reinterpret_cast<sockaddr *>(&A), sizeof(A)) == 0);
  }
  if (Name == "kill")
    return said(kill(atoi(Argument.c_str()), SIGUSR1) == 0);
  if (Name == "kill-all")
    return said(kill(-1, 0) == 0);
  if (Name == "ptrace")
    return said(ptrace(PTRACE_ATTACH, atoi(Argument.c_str()), nullptr, nullptr) == 0);
  if (Name == "namespace")
    return said(unshare(CLONE_NEWUSER) == 0);
  if (Name == "mount")
    return said(mount("none", "/tmp", "tmpfs", 0, nullptr) == 0);
  if (Name == "forks") { // a bomb that would stop by itself
    int Made = 0;
    for (int I = 0; I < 1500; ++I) {
      pid_t Child = fork();
      if (Child == 0)
        for (;;)
          pause();
      Made += Child > 0;
    }
    return said(Made >= 1500);
  }
  if (Name == "fork")
    return said(fork() >= 0 || vfork() >= 0);
  if (Name == "thread") {
    std::thread([] { std::cout << "threads work" << std::flush; }).join();
    return 0;
  }
  if (Name == "memory") {
    for (;;) {
      void *P = mmap(nullptr, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (P == MAP_FAILED)
        return 12;
      memset(P, 1, 16 << 20);
    }
  }
  if (Name == "memory-children") { // each is small, together they are not
    for (int I = 0; I < 12; ++I)
      if (fork() == 0) {
        void *P = mmap(nullptr, 48 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(P, 1, 48 << 20);
        sleep(30);
      }
    sleep(30);
  }
  if (Name == "output") {
    std::string Block(65536, 'x');
    while (write(1, Block.data(), Block.size()) > 0)
      ;
    return 0;
  }
  if (Name == "file") {
    int FD = open("big", O_WRONLY | O_CREAT, 0600);
    std::string Block(1 << 20, 'x');
    while (write(FD, Block.data(), Block.size()) > 0)
      ;
    return 0;
  }
  if (Name == "sleep") {
    sleep(60);
    return 0;
  }
  if (Name == "ignore-signals") {
    for (int S = 1; S < 32; ++S)
      signal(S, SIG_IGN);
    for (;;)
      sleep(1);
  }
  if (Name == "left-behind") { // a daemon: new session, orphaned, streams kept open
    if (fork() == 0) {
      setsid();
      if (fork() == 0)
        for (int I = 0; I < 600; ++I) {
          std::ofstream("alive", std::ios::app) << ".";
          usleep(50000);
        }
      _exit(0);
    }
    usleep(200000);
    return 0;
  }
  return 99;
}

//===- Outside: what must come of them ----------------------------------------===//

namespace {

std::string self() {
  char Path[4096];
  ssize_t N = readlink("/proc/self/exe", Path, sizeof(Path));
  return std::string(Path, N > 0 ? N : 0);
}

class Escapes : public testing::TestWithParam<SandboxKind> {
protected:
  void SetUp() override {
    SandboxResult R = runSandboxed(command("nothing"), GetParam());
    if (R.How == Outcome::NotStarted)
      GTEST_SKIP() << toString(GetParam()) << ": " << R.Why;
    ASSERT_TRUE(R.ok()) << toString(R.How) << " " << R.Status << " " << R.Err << R.Why;
  }
  SandboxCommand command(const std::string &Name, const std::string &Argument = "") {
    SandboxCommand C;
    C.Argv = {self(), "--attempt", Name, Argument};
    C.ReadPaths = {self()};
    C.Scratch = Scratch.path();
    C.Limits.WallSeconds = 20;
    return C;
  }
  SandboxResult run(const std::string &Name, const std::string &Argument = "") {
    return runSandboxed(command(Name, Argument), GetParam());
  }
  void refused(const std::string &Name, const std::string &Argument = "") {
    SandboxResult R = run(Name, Argument);
    EXPECT_EQ(R.How, Outcome::Exited) << Name << " " << Argument << ": " << R.Why << R.Err;
    EXPECT_EQ(R.Status, 40) << Name << " " << Argument << " was possible";
  }
  ScratchFolder Scratch, Outside;
};

TEST_P(Escapes, OrdinaryEndsAreTold) {
  EXPECT_EQ(run("exit7").Status, 7);
  SandboxResult R = run("crash");
  EXPECT_EQ(R.How, Outcome::Signalled);
  EXPECT_EQ(R.Status, SIGABRT);
  EXPECT_TRUE(run("scratch").ok());
}

TEST_P(Escapes, AnswersOnItsOwnDescriptor) {
  SandboxCommand C = command("answer");
  C.Input = "a job\n";
  C.WantResult = true;
  SandboxResult R = runSandboxed(C, GetParam());
  EXPECT_TRUE(R.ok()) << R.Err;
  EXPECT_EQ(R.Result, "got a job");
  EXPECT_EQ(R.Out, "chatter\n");
}

TEST_P(Escapes, EnvironmentIsScrubbed) {
  setenv("KCHECK_TEST_SECRET", "sesame", 1);
  SandboxResult R = run("environment");
  EXPECT_TRUE(R.ok());
  EXPECT_NE(R.Out.find("PATH="), std::string::npos);
  EXPECT_EQ(R.Out.find("sesame"), std::string::npos);
}

TEST_P(Escapes, FilesOutsideAreClosed) {
  ASSERT_TRUE(Outside.write("secret", "s"));
  for (const std::string &P : {std::string("/etc/passwd"), std::string("/etc/shadow"), std::string(getenv("HOME") ? getenv("HOME") : "/root") + "/.bashrc",
                               Outside.path() + "/secret", std::string("/dev/mem")})
    refused("read", P);
  if (GetParam() == SandboxKind::Landlock) // process 1 is the sandbox's own under bubblewrap
    refused("read", "/proc/1/environ");
  refused("write", Outside.path() + "/secret");
  refused("write", "/usr/kcheck-was-here");
  refused("write", self());
  refused("remove", Outside.path() + "/secret");
  refused("truncate", Outside.path() + "/secret");
  refused("mode", Outside.path() + "/secret");
  refused("mode", self());
  refused("link", Outside.path() + "/secret");
  refused("symlink", Outside.path() + "/secret");
  std::ifstream In(Outside.path() + "/secret");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(In), {}), "s");
}

TEST_P(Escapes, TmpIsPrivate) {
  std::string Name = "/tmp/kcheck-escape-" + std::to_string(getpid());
  run("write", Name);
  EXPECT_NE(access(Name.c_str(), F_OK), 0) << "wrote into the real /tmp";
}

TEST_P(Escapes, NoNetwork) {
  int FD = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in A{};
  A.sin_family = AF_INET;
  A.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t Size = sizeof(A);
  ASSERT_EQ(bind(FD, reinterpret_cast<sockaddr *>(&A), Size), 0);
  ASSERT_EQ(listen(FD, 1), 0);
  getsockname(FD, reinterpret_cast<sockaddr *>(&A), &Size);
  std::string Port = std::to_string(ntohs(A.sin_port));
  EXPECT_EQ(attempt("connect", Port), 0) << "the test's own server must be reachable from outside";
  refused("connect", Port);
  close(FD);
  std::string Path = Outside.path() + "/socket";
  int Local = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un U{};
  U.sun_family = AF_UNIX;
  strncpy(U.sun_path, Path.c_str(), sizeof(U.sun_path) - 1);
  ASSERT_EQ(bind(Local, reinterpret_cast<sockaddr *>(&U), sizeof(U)), 0);
  ASSERT_EQ(listen(Local, 1), 0);
  refused("unix", Path);
  close(Local);
}

volatile sig_atomic_t Hit = 0;
TEST_P(Escapes, ParentIsOutOfReach) {
  signal(SIGUSR1, [](int) { Hit = 1; });
  std::string Me = std::to_string(getpid());
  refused("kill", Me);
  EXPECT_EQ(Hit, 0);
  refused("ptrace", Me);
  int FD = open((Outside.path() + "/log").c_str(), O_RDWR | O_CREAT, 0600);
  refused("write", "/proc/" + Me + "/fd/" + std::to_string(FD));
  refused("write", "/proc/" + Me + "/mem");
  refused("read", "/proc/" + Me + "/environ");
  close(FD);
}

TEST_P(Escapes, NoNewNamespacesAndMounts) {
  refused("namespace");
  refused("mount");
}

TEST_P(Escapes, EndlessRunsEnd) {
  for (const char *Name : {"sleep", "ignore-signals"}) {
    SandboxCommand C = command(Name);
    C.Limits.WallSeconds = 0.5;
    SandboxResult R = runSandboxed(C, GetParam());
    EXPECT_EQ(R.How, Outcome::TimedOut) << Name;
    EXPECT_LT(R.Seconds, 10) << Name;
  }
}

TEST_P(Escapes, MemoryIsBounded) {
  for (const char *Name : {"memory", "memory-children"}) {
    SandboxCommand C = command(Name);
    C.Limits.MemoryBytes = 200 << 20;
    SandboxResult R = runSandboxed(C, GetParam());
    EXPECT_EQ(R.How, Outcome::OutOfMemory) << Name << ": " << toString(R.How) << " " << R.Why;
  }
}

TEST_P(Escapes, ForkBombIsDefused) {
  SandboxCommand C = command("forks");
  C.Limits.Processes = 20;
  C.Limits.Threads = 0;
  C.Limits.WallSeconds = 5;
  SandboxResult R = runSandboxed(C, GetParam());
  EXPECT_TRUE(R.How == Outcome::TooManyProcesses || R.How == Outcome::TimedOut || (R.How == Outcome::Exited && R.Status == 40))
      << toString(R.How) << R.Status;
  EXPECT_LT(R.Seconds, 15);
}

TEST_P(Escapes, WorkersStartNoProcess) {
  SandboxCommand C = command("fork");
  C.Limits.Processes = 1;
  SandboxResult R = runSandboxed(C, GetParam());
  EXPECT_EQ(R.Status, 40) << toString(R.How) << " " << R.Why;
  C.Argv[2] = "thread";
  R = runSandboxed(C, GetParam());
  EXPECT_TRUE(R.ok()) << toString(R.How) << " " << R.Why << R.Err;
  EXPECT_EQ(R.Out, "threads work");
}

TEST_P(Escapes, OutputIsBounded) {
  SandboxCommand C = command("output");
  C.Limits.OutputBytes = 1 << 20;
  SandboxResult R = runSandboxed(C, GetParam());
  EXPECT_EQ(R.How, Outcome::OutputLimit);
  EXPECT_EQ(R.Out.size(), 1u << 20);
}

TEST_P(Escapes, FilesAreBounded) {
  SandboxCommand C = command("file");
  C.Limits.FileBytes = 4 << 20;
  SandboxResult R = runSandboxed(C, GetParam());
  EXPECT_EQ(R.How, Outcome::Signalled);
  EXPECT_EQ(R.Status, SIGXFSZ);
  struct stat S;
  ASSERT_EQ(stat((Scratch.path() + "/big").c_str(), &S), 0);
  EXPECT_LE(S.st_size, 4 << 20);
}

TEST_P(Escapes, NothingIsLeftBehind) {
  SandboxResult R = run("left-behind");
  EXPECT_EQ(R.How, Outcome::Exited) << R.Why;
  EXPECT_LT(R.Seconds, 10);
  auto Size = [&] {
    struct stat S;
    return stat((Scratch.path() + "/alive").c_str(), &S) == 0 ? long(S.st_size) : 0l;
  };
  usleep(100000);
  long Before = Size();
  usleep(400000);
  EXPECT_EQ(Size(), Before) << "a background process goes on";
}

TEST_P(Escapes, ManyThreadsAtOnce) {
  std::vector<std::thread> Threads;
  std::atomic<int> Good = 0;
  for (int I = 0; I < 4; ++I)
    Threads.emplace_back([&] {
      for (int J = 0; J < 5; ++J)
        Good += run("exit7").Status == 7;
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Good, 20);
}

TEST(Sandbox, SaysWhatWorksHere) {
  const SandboxProbe &P = probe();
  if (P.Best == SandboxKind::None) {
    EXPECT_FALSE(P.Reasons.empty());
    SandboxCommand C;
    C.Argv = {"/bin/true"};
    EXPECT_EQ(runSandboxed(C).How, Outcome::NotStarted);
  }
}

TEST(Sandbox, AStartedCommandGetsItsInputLater) {
  if (probe().Best == SandboxKind::None)
    GTEST_SKIP() << "no sandbox works here";
  SandboxCommand C;
  C.Argv = {"/bin/sh", "-c", "while read -r Word; do echo got $Word >&3; done; exit 7"};
  C.WantResult = true;
  SandboxRun Run(C);
  usleep(50000);
  Run.feed("one\ntwo\n", 30);
  std::string Line;
  ASSERT_TRUE(Run.line(Line));
  EXPECT_EQ(Line, "got one");
  ASSERT_TRUE(Run.line(Line));
  EXPECT_EQ(Line, "got two");
  EXPECT_FALSE(Run.line(Line));
  EXPECT_EQ(Run.result().How, Outcome::Exited);
  EXPECT_EQ(Run.result().Status, 7);
}

TEST(Sandbox, WhatNobodyWantsAnyMoreEnds) {
  if (probe().Best == SandboxKind::None)
    GTEST_SKIP() << "no sandbox works here";
  ScratchFolder Scratch;
  SandboxCommand C;
  C.Argv = {"/bin/sh", "-c", "echo up >&3; while :; do echo . >> alive; sleep 0.02; done"};
  C.Scratch = Scratch.path();
  C.WantResult = true;
  auto Size = [&] {
    struct stat S;
    return stat((Scratch.path() + "/alive").c_str(), &S) == 0 ? long(S.st_size) : 0l;
  };
  {
    SandboxRun Fed(C);
    Fed.feed("", 60);
    std::string Line;
    ASSERT_TRUE(Fed.line(Line));
    while (!Size())
      usleep(10000);
  }
  usleep(100000);
  long Before = Size();
  usleep(300000);
  EXPECT_EQ(Size(), Before);
  { SandboxRun Unfed(C); }
  usleep(100000);
  Before = Size();
  usleep(300000);
  EXPECT_EQ(Size(), Before);
}

TEST(Sandbox, RelativeProgramsAreRefused) {
  SandboxCommand C;
  C.Argv = {"true"};
  EXPECT_EQ(runSandboxed(C, SandboxKind::Landlock).How, Outcome::NotStarted);
}

INSTANTIATE_TEST_SUITE_P(Mechanism, Escapes, testing::Values(SandboxKind::Bubblewrap, SandboxKind::Landlock),
                         [](const auto &I) { return I.param == SandboxKind::Bubblewrap ? "Bubblewrap" : "Landlock"; });

} // namespace

int main(int argc, char **argv) {
  if (argc == 4 && !strcmp(argv[1], "--attempt"))
    return attempt(argv[2], argv[3]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
