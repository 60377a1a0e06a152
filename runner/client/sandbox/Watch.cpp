#include "runner/client/sandbox/Watch.h"
#include "runner/client/sandbox/ProcessTree.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck::client;

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Watch::Watch(const SandboxCommand &Command, SandboxKind Kind, Started Program, int Wake) : C(Command), S(std::move(Program)), Wake(Wake) { R.Kind = Kind; }

/// write(), to a reader that may be gone: that is an error of this call, not a signal that ends who uses the library. The mask is the
/// thread's own, whatever the program does with SIGPIPE.
static ssize_t writeToPipe(int FD, const char *Data, size_t Size) {
  sigset_t Pipe, Before;
  sigemptyset(&Pipe);
  sigaddset(&Pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &Pipe, &Before);
  ssize_t N = write(FD, Data, Size);
  const int Error = errno;
  if (N < 0 && Error == EPIPE && !sigismember(&Before, SIGPIPE)) {
    const timespec Now{};
    sigtimedwait(&Pipe, nullptr, &Now);
  }
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  errno = Error;
  return N;
}

void Watch::feed() {
  ssize_t N = writeToPipe(S.In, C.Input.data() + Fed, C.Input.size() - Fed);
  if (N > 0)
    Fed += N;
  if (Fed == C.Input.size() || (N < 0 && errno != EAGAIN && errno != EINTR)) {
    close(S.In);
    S.In = -1;
  }
}

void Watch::drain(int &FD, std::string &Into, size_t &Seen, const std::function<void(std::string_view)> &Arrived) {
  char Buffer[65536];
  ssize_t N = read(FD, Buffer, sizeof(Buffer));
  if (N > 0) {
    size_t Room = Seen < C.Limits.OutputBytes ? C.Limits.OutputBytes - Seen : 0;
    std::string_view Text(Buffer, std::min<size_t>(N, Room));
    Seen += Text.size();
    if (Arrived)
      Arrived(Text);
    else
      Into += Text;
    if (size_t(N) > Room)
      stop(Outcome::OutputLimit, "more than " + std::to_string(C.Limits.OutputBytes) + " bytes of output");
  } else if (N == 0 || (errno != EAGAIN && errno != EINTR)) {
    close(FD);
    FD = -1;
  }
}

void Watch::stop(Outcome How, std::string Why) {
  if (Killed)
    return;
  Killed = true;
  R.How = How;
  R.Why = std::move(Why);
  // bwrap's death ends its whole process namespace; the supervisor kills what it can see before it ends.
  kill(S.Pid, S.Status >= 0 ? SIGTERM : SIGKILL);
  if (S.Group.valid())
    S.Group.killAll();
}

void Watch::checkLimits(double Elapsed) {
  if (C.Limits.WallSeconds > 0 && Elapsed > C.Limits.WallSeconds)
    return stop(Outcome::TimedOut, "longer than " + std::to_string(C.Limits.WallSeconds).substr(0, 6) + " s");
  if (C.Cancelled && C.Cancelled())
    return stop(Outcome::Cancelled, "cancelled");
  TreeUse Use = useOfTree(S.Pid);
  R.PeakBytes = std::max(R.PeakBytes, Use.Bytes);
  if (Use.Bytes > C.Limits.MemoryBytes)
    return stop(Outcome::OutOfMemory, "more than " + std::to_string(C.Limits.MemoryBytes >> 20) + " MiB of memory");
  if (Use.Processes > C.Limits.Processes + 3) // bwrap and its init, or the supervisor
    return stop(Outcome::TooManyProcesses, "more than " + std::to_string(C.Limits.Processes) + " processes");
}

void Watch::reap(bool Block) {
  if (Ended)
    return;
  int Status = 0;
  pid_t Done = waitpid(S.Pid, &Status, Block ? 0 : WNOHANG);
  if (Done == S.Pid || (Done < 0 && errno == ECHILD)) {
    Ended = true;
    WaitStatus = Status;
  }
}

void Watch::conclude() {
  if (S.Status >= 0) {
    int Inner = 0;
    if (read(S.Status, &Inner, sizeof(Inner)) == sizeof(Inner))
      WaitStatus = Inner;
    close(S.Status);
  } else if (WIFEXITED(WaitStatus) && WEXITSTATUS(WaitStatus) > 128 && WEXITSTATUS(WaitStatus) <= 128 + 64) {
    WaitStatus = WEXITSTATUS(WaitStatus) - 128; // bwrap's way to say "died of a signal"
  }
  if (Killed)
    return;
  if (WIFEXITED(WaitStatus)) {
    R.How = Outcome::Exited;
    R.Status = WEXITSTATUS(WaitStatus);
  } else {
    R.How = Outcome::Signalled;
    R.Status = WTERMSIG(WaitStatus);
    R.Why = std::string("signal ") + strsignal(R.Status);
    if (R.Status == SIGXCPU) {
      R.How = Outcome::TimedOut;
      R.Why = "longer than its CPU time";
    }
  }
}

SandboxResult Watch::run() {
  for (int FD : {S.In, S.Out, S.Err, S.Result})
    fcntl(FD, F_SETFL, O_NONBLOCK);
  double Start = now(), NextCheck = 0, StopBy = 0;
  int Death = int(syscall(SYS_pidfd_open, S.Pid, 0)); // readable when it has ended; -1 on old kernels
  if (C.Input.empty()) {
    close(S.In);
    S.In = -1;
  }
  while (!Ended || S.Out >= 0 || S.Err >= 0 || S.Result >= 0) {
    int Ends[6] = {S.In, S.Out, S.Err, S.Result, Ended ? -1 : Death, Killed ? -1 : Wake};
    pollfd Polled[6];
    for (int I = 0; I < 6; ++I)
      Polled[I] = {Ends[I], short(I == 0 ? POLLOUT : POLLIN), 0};
    double Elapsed = now() - Start;
    // Without a word of its death short programs need a look every few milliseconds.
    poll(Polled, 6, Death < 0 && Elapsed < 0.05 ? 2 : 15);
    if (Polled[0].revents)
      feed();
    if (Polled[1].revents)
      drain(S.Out, R.Out, SeenOut, {});
    if (Polled[2].revents)
      drain(S.Err, R.Err, SeenErr, {});
    if (Polled[3].revents)
      drain(S.Result, R.Result, SeenResult, C.Arrived);
    reap(false);
    Elapsed = now() - Start;
    if (!Ended && !Killed && (Elapsed >= NextCheck || Polled[5].revents)) {
      checkLimits(Elapsed);
      NextCheck = Elapsed + 0.015;
    }
    // Whoever still holds a stream after the end is dead or about to be.
    if ((Ended || Killed) && StopBy == 0)
      StopBy = Elapsed + 2;
    if (StopBy && Elapsed > StopBy) {
      kill(S.Pid, SIGKILL);
      break;
    }
  }
  R.Seconds = now() - Start;
  reap(true);
  conclude();
  for (int FD : {S.In, S.Out, S.Err, S.Result, Death})
    if (FD >= 0)
      close(FD);
  return R;
}
