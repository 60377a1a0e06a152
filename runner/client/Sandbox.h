//===- Sandbox.h - run a program that may be hostile --------------------------===//
//
//   SandboxCommand ─► runSandboxed ─► bubblewrap | landlock + seccomp + rlimits ─► SandboxResult
//                          └─ watches wall time, memory, processes, output; kills all descendants
//
// The program sees the system's libraries, the folders it is given (read-only), one writable scratch folder and a
// private /tmp; no network, no other process, a clean environment. Compilers run in it, and so do the workers that
// execute a candidate's code. What each mechanism holds and does not hold: docs/security.md.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_CLIENT_SANDBOX_H
#define KCHECK_CLIENT_SANDBOX_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcheck::client {

enum class SandboxKind {
  Bubblewrap, ///< namespaces: own file tree, processes, network
  Landlock,   ///< landlock + seccomp + rlimits in the host's namespaces
  None        ///< rlimits and a new session only
};
const char *toString(SandboxKind K);

/// What this machine allows.
struct SandboxProbe {
  SandboxKind Best = SandboxKind::None;
  std::string Bubblewrap; ///< path of bwrap where it works, else empty
  int LandlockAbi = 0;    ///< 0: none
  bool Seccomp = false;
  std::vector<std::string> Reasons; ///< why a better one is not used
};
/// Looked up once a process. KCHECK_SANDBOX=bubblewrap|landlock|none in the environment chooses.
const SandboxProbe &probe();

struct SandboxLimits {
  double WallSeconds = 10;
  double CpuSeconds = 0;               ///< of one process; 0: not limited
  uint64_t MemoryBytes = 4ull << 30;   ///< of all processes together
  unsigned Processes = 64;             ///< 1: the program may make threads but no process
  unsigned Threads = 256;              ///< of all processes together, besides their first
  uint64_t FileBytes = 512ull << 20;   ///< one file
  uint64_t OutputBytes = 8ull << 20;   ///< each of stdout, stderr and the result descriptor
  bool BoundAddressSpace = true;       ///< off for programs that reserve much and touch little (shadow memory, CUDA)
};

/// The descriptor on which a worker answers (SandboxCommand::WantResult); stdout stays the candidate's.
inline constexpr int ResultDescriptor = 3;

struct SandboxCommand {
  std::vector<std::string> Argv;       ///< Argv[0] is an absolute path
  std::string Input;                   ///< stdin
  std::vector<std::string> ReadPaths;  ///< files and folders besides the system's
  std::string Scratch;                 ///< writable folder and working directory; empty: none
  std::vector<std::string> Devices;    ///< device nodes besides null and urandom
  std::vector<std::pair<std::string, std::string>> Environment; ///< besides PATH, HOME, TMPDIR, LANG
  bool WantResult = false;
  SandboxLimits Limits;
  /// Called now and then; true ends the run as Cancelled.
  std::function<bool()> Cancelled;
  /// Gets what arrives on the result descriptor, piece by piece, instead of SandboxResult::Result.
  std::function<void(std::string_view)> Arrived;
};

enum class Outcome { Exited, Signalled, TimedOut, OutOfMemory, OutputLimit, TooManyProcesses, Cancelled, NotStarted };
const char *toString(Outcome O);

struct SandboxResult {
  Outcome How = Outcome::NotStarted;
  int Status = 0;            ///< exit status or signal number
  std::string Out, Err, Result;
  double Seconds = 0;
  uint64_t PeakBytes = 0;
  SandboxKind Kind = SandboxKind::None;
  std::string Why;           ///< for people: which limit, or why it did not start
  bool ok() const { return How == Outcome::Exited && Status == 0; }
};

/// Runs the command. Without any working mechanism the answer is NotStarted, unless KCHECK_SANDBOX=none.
/// Safe to call from several threads.
SandboxResult runSandboxed(const SandboxCommand &Command);
/// The same by one given mechanism (tests; NotStarted where it does not work here).
SandboxResult runSandboxed(const SandboxCommand &Command, SandboxKind Kind);

/// A command that is started now and gets its input later: what it does before it reads is done by then.
class SandboxRun {
public:
  /// Command.Input and .Arrived are not used.
  explicit SandboxRun(SandboxCommand Command);
  ~SandboxRun(); ///< ends what has not ended
  /// Once: feeds it, and watches it in a thread of its own. The limits count from here.
  void feed(std::string Input, double WallSeconds);
  /// Waits for the next line on the result descriptor; false: it has ended, and there is none.
  bool line(std::string &Line);
  /// How it ended, once line() has said so. The lines that were handed out are not in it.
  const SandboxResult &result() const;

private:
  struct State;
  std::unique_ptr<State> S;
};

/// A new private folder below the temporary directory, removed with all its contents by the destructor.
class ScratchFolder {
public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  const std::string &path() const { return Path; } ///< empty where none could be made
  /// Writes a file below it; false on failure.
  bool write(const std::string &Name, const std::string &Text) const;

private:
  std::string Path;
};

} // namespace kcheck::client
#endif
