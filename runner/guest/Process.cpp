#include "runner/guest/Process.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace kcheck::guest;

Wire kcheck::guest::arrange(Pipes P) {
  constexpr int Far = 700;
  int In = fcntl(P.In, F_DUPFD, Far), Out = fcntl(P.Out, F_DUPFD, In + 1);
  int Null = open("/dev/null", O_RDONLY);
  int Print = fcntl(P.Print, F_DUPFD, 20), Bait = fcntl(P.Bait, F_DUPFD, 20);
  if (In < 0 || Out < 0 || Print < 0 || Bait < 0)
    _exit(1);
  if (Null >= 0)
    dup2(Null, 0);
  dup2(Print, 1);
  dup2(Print, 2);
  dup2(Bait, 3);
  syscall(SYS_close_range, 4u, unsigned(In - 1), 0u);
  if (Out > In + 1)
    syscall(SYS_close_range, unsigned(In + 1), unsigned(Out - 1), 0u);
  syscall(SYS_close_range, unsigned(Out + 1), ~0u, 0u);
  return Wire(In, Out);
}

bool GuestProcess::start(const std::function<void(Pipes)> &Child) {
  int ToGuest[2], FromGuest[2], Prints[2], Baits[2];
  for (int *P : {ToGuest, FromGuest, Prints, Baits})
    if (pipe2(P, O_CLOEXEC))
      return false;
  fcntl(FromGuest[1], F_SETPIPE_SZ, 1 << 20);
  Pid = fork();
  if (Pid < 0)
    return false;
  if (Pid == 0) {
    Child({ToGuest[0], FromGuest[1], Prints[1], Baits[1]});
    _exit(1);
  }
  for (int FD : {ToGuest[0], FromGuest[1], Prints[1], Baits[1]})
    close(FD);
  W = Wire(FromGuest[0], ToGuest[1]);
  Print = Prints[0];
  Bait = Baits[0];
  for (int FD : {Print, Bait})
    fcntl(FD, F_SETFL, O_NONBLOCK);
  return true;
}

int GuestProcess::end() {
  int Status = 0, Exit = -1;
  if (Pid > 0) {
    // One that has closed its end of the wire is about to go by itself.
    for (int I = 0; I < 50 && Exit < 0; ++I) {
      if (waitpid(Pid, &Status, WNOHANG) == Pid)
        Exit = WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
      else if (I == 0 && W.in() >= 0) {
        pollfd Gone{W.in(), 0, 0};
        if (poll(&Gone, 1, 0) <= 0 || !(Gone.revents & POLLHUP))
          break;
      } else
        usleep(1000);
    }
    if (Exit < 0) {
      kill(Pid, SIGKILL);
      waitpid(Pid, nullptr, 0);
    }
    Pid = -1;
  }
  for (int FD : {W.in(), W.out(), Print, Bait})
    if (FD >= 0)
      close(FD);
  W = Wire();
  Print = Bait = -1;
  return Exit;
}

bool GuestProcess::wait(Wire::Clock::time_point Until) {
  for (;;) {
    auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(Until - Wire::Clock::now()).count();
    if (Left <= 0)
      return false;
    pollfd Wait[3] = {{W.in(), POLLIN, 0}, {PrintOpen ? Print : -1, POLLIN, 0}, {BaitOpen ? Bait : -1, POLLIN, 0}};
    if (poll(Wait, 3, int(std::min<long long>(Left, 1000))) < 0 && errno != EINTR)
      return true;
    if (Wait[1].revents)
      drain(false);
    if (Wait[2].revents)
      drain(true);
    if (Wait[0].revents)
      return true;
  }
}

void GuestProcess::drain(bool OfBait) {
  char Text[65536];
  std::string &To = OfBait ? Baited : Printed;
  for (;;) {
    ssize_t N = read(OfBait ? Bait : Print, Text, sizeof Text);
    if (N == 0)
      (OfBait ? BaitOpen : PrintOpen) = false;
    if (N <= 0)
      return;
    constexpr size_t Most = 256 << 10;
    To.append(Text, std::min<size_t>(size_t(N), Most - std::min(Most, To.size())));
  }
}

std::vector<std::string> GuestProcess::takeForged() {
  drain(false);
  drain(true);
  std::vector<std::string> All;
  if (!Baited.empty())
    All.push_back("the host code wrote " + std::to_string(Baited.size()) + " bytes to a descriptor that it was not given, where a worker's answer goes");
  for (const char *Word : {"kcheck.result", "kcheck.report", "kcheck.job", "\nresult: PASS", "verdict: PASS"})
    if (("\n" + Printed).find(Word) != std::string::npos) {
      All.push_back("the host code prints what reads like an answer of kcheck's");
      break;
    }
  Baited.clear();
  return All;
}

std::string GuestProcess::takePrinted() {
  drain(false);
  return std::exchange(Printed, {});
}
