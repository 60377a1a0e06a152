#include "runner/client/Batch.h"
#include "runner/client/Worker.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::client;
using protocol::Failure;
using protocol::State;
namespace fs = std::filesystem;

namespace {

constexpr const char *ToolkitVariables[] = {"CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH", "KCHECK_HIDE_CUDA"};

std::string outputFile(const ScratchFolder &Scratch, size_t I) { return Scratch.path() + "/out" + std::to_string(I); }

/// The outputs of a job from its own file: whatever path the answer names is not looked at. A link is not followed.
bool readOutputs(const std::string &File, protocol::Result &R) {
  uint64_t Wanted = 0;
  for (const protocol::Output &O : R.Outputs)
    Wanted += O.Data.empty() ? O.Size : 0;
  if (!Wanted)
    return true;
  int FD = open(File.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  struct stat S;
  bool Good = FD >= 0 && fstat(FD, &S) == 0 && S_ISREG(S.st_mode);
  for (protocol::Output &O : R.Outputs) {
    if (!O.Data.empty() || !O.Size)
      continue;
    Good = Good && O.Offset <= uint64_t(S.st_size) && O.Size <= uint64_t(S.st_size) - O.Offset;
    if (!Good)
      break;
    O.Data.resize(O.Size);
    for (uint64_t Done = 0; Good && Done < O.Size;) {
      ssize_t N = pread(FD, O.Data.data() + Done, O.Size - Done, off_t(O.Offset + Done));
      Good = N > 0;
      Done += Good ? uint64_t(N) : 0;
    }
  }
  if (FD >= 0)
    close(FD);
  unlink(File.c_str()); // its pages serve the next one
  return Good;
}

protocol::Result failed(const std::string &Id, State S, Failure F, std::string Message) {
  protocol::Result R;
  R.Id = Id;
  R.Device = "sim";
  R.State = S;
  R.Failure = F;
  R.Message = std::move(Message);
  return R;
}

std::string firstLine(const std::string &Text) { return Text.substr(0, Text.find('\n')); }

/// What the end of a worker says of the job that it owed an answer.
protocol::Result missing(const std::string &Id, const SandboxResult &S) {
  std::string Words = S.Err.empty() ? "" : ": " + firstLine(S.Err);
  switch (S.How) {
  case Outcome::NotStarted: return failed(Id, State::Failed, Failure::NoWorker, S.Why);
  case Outcome::TimedOut: return failed(Id, State::NotMeasured, Failure::None, "the worker gave no answer in time and was killed");
  case Outcome::OutOfMemory: return failed(Id, State::NotMeasured, Failure::None, "the worker needed " + S.Why + " and was killed");
  case Outcome::Signalled: return failed(Id, State::Failed, Failure::Crash, "the worker was killed by " + S.Why + Words);
  case Outcome::Exited:
    if (S.Status == 126 || S.Status == 127 || (S.Kind == SandboxKind::Bubblewrap && S.Err.starts_with("bwrap: ")))
      return failed(Id, State::Failed, Failure::NoWorker, "the worker could not be started" + Words);
    return failed(Id, State::Failed, Failure::Crash, "the worker ended with status " + std::to_string(S.Status) + Words);
  default: return failed(Id, State::Failed, Failure::Crash, "the worker was ended: " + S.Why);
  }
}

bool ends(const protocol::Result &R) {
  return R.State != State::Ok || std::any_of(R.Findings.begin(), R.Findings.end(), [](const protocol::Finding &F) { return F.Sure; });
}

/// Makes a folder readable and says by which name: links are resolved, what the system's folders hold is there already.
std::string readable(SandboxCommand &C, const std::string &Path) {
  std::error_code EC;
  fs::path Real = fs::canonical(Path, EC);
  if (EC || Path.starts_with("/usr/"))
    return Path;
  if (!Real.string().starts_with("/usr/") && std::find(C.ReadPaths.begin(), C.ReadPaths.end(), Real.string()) == C.ReadPaths.end())
    C.ReadPaths.push_back(Real.string());
  return Real.string();
}

void addToolkit(SandboxCommand &C) {
  for (const char *Name : ToolkitVariables)
    if (const char *V = getenv(Name); V && *V)
      C.Environment.push_back({Name, *V == '/' ? readable(C, V) : V});
  std::error_code EC;
  if (fs::exists("/opt/cuda", EC))
    readable(C, "/opt/cuda");
}

} // namespace

std::string client::cacheFolder() {
  std::string Folder;
  if (const char *Own = getenv("KCHECK_CACHE_DIR"))
    Folder = std::string(Own) + "/sim";
  else if (const char *Xdg = getenv("XDG_CACHE_HOME"); Xdg && *Xdg)
    Folder = std::string(Xdg) + "/kcheck/sim";
  else if (const char *Home = getenv("HOME"); Home && *Home)
    Folder = std::string(Home) + "/.cache/kcheck/sim";
  std::error_code EC;
  if (!Folder.empty())
    fs::create_directories(Folder, EC);
  return EC ? "" : Folder;
}

static SandboxCommand workerCommand(const BatchOptions &O, const std::string &Scratch) {
  SandboxCommand C;
  C.Argv = {readable(C, O.Program), "--serve", "--answer-fd", std::to_string(ResultDescriptor)};
  if (O.StopAtFault)
    C.Argv.push_back("--stop-at-fault");
  C.Scratch = Scratch;
  addToolkit(C);
  for (const std::string &Path : O.ReadPaths)
    readable(C, Path);
  if (!O.CacheFolder.empty())
    C.Environment.push_back({"KCHECK_CACHE_DIR", readable(C, O.CacheFolder)});
  C.Environment.push_back({"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"}); // the compiler's heap: fewer, larger page faults
  C.WantResult = true;
  C.Limits.Processes = O.HostCode ? 2 : 1; // the candidate's host code is a process of its own
  C.Limits.BoundAddressSpace = false; // shadow memory reserves much and touches little
  C.Limits.MemoryBytes = O.MemoryBytes;
  C.Limits.FileBytes = 4ull << 30;
  C.Limits.OutputBytes = 256ull << 20;
  return C;
}

Batch::Batch(const BatchOptions &O) : Options(O), Worker(workerCommand(O, Scratch.path())) {}

void Batch::give(std::vector<protocol::Job> Jobs) {
  std::string Input;
  double Seconds = Options.GraceSeconds + (Jobs.empty() ? 0 : Jobs.front().Limits.CompileSeconds);
  for (size_t I = 0; I < Jobs.size(); ++I) {
    Jobs[I].OutputFile = outputFile(Scratch, I);
    Seconds += Jobs[I].Limits.Seconds;
    Input += protocol::toJson(Jobs[I]) + "\n";
    Waiting.push_back(std::move(Jobs[I].Id));
  }
  Worker.feed(std::move(Input), Seconds);
}

std::optional<protocol::Result> Batch::next() {
  if (Ended || Given == Waiting.size())
    return std::nullopt;
  const std::string &Id = Waiting[Given];
  std::string Line, Error;
  if (!Scratch.path().empty() && Worker.line(Line)) {
    auto R = protocol::parseResult(Line, Error);
    if (!R || !readOutputs(outputFile(Scratch, Given), *R))
      R = failed(Id, State::Failed, Failure::Crash, "the worker's answer makes no sense: " + (R ? "an output is missing" : Error));
    ++Given;
    LastEnds = ends(*R);
    return R;
  }
  Ended = true;
  if (Scratch.path().empty())
    return failed(Id, State::Failed, Failure::NoWorker, "no scratch folder can be made below the temporary folder");
  if (Options.StopAtFault && Worker.result().ok() && LastEnds)
    return std::nullopt;
  return missing(Id, Worker.result());
}

std::vector<protocol::Result> client::runBatch(std::vector<protocol::Job> Jobs, BatchOptions O) {
  std::vector<protocol::Result> Answers;
  if (Jobs.empty())
    return Answers;
  O.HostCode = wantsHostCode(Jobs);
  Batch B(O);
  B.give(std::move(Jobs));
  while (auto R = B.next())
    Answers.push_back(std::move(*R));
  return Answers;
}

bool client::wantsHostCode(const std::vector<protocol::Job> &Jobs) {
  return std::any_of(Jobs.begin(), Jobs.end(), [](const protocol::Job &J) { return !J.Source.CallText.empty(); });
}

namespace {

/// One mark for a worker, an architecture and a toolkit: what the header depends on, seen from outside.
std::string markOf(const std::string &Program, const protocol::Source &Like, const char *Name) {
  std::string Key = Program + "\n" + Like.Arch + "\n" + Like.Standard + "\n";
  struct stat S;
  if (stat(Program.c_str(), &S) == 0)
    Key += std::to_string(S.st_mtim.tv_sec) + "." + std::to_string(S.st_mtim.tv_nsec) + "\n";
  for (const char *Variable : ToolkitVariables)
    if (const char *V = getenv(Variable))
      Key += std::string(Variable) + "=" + V + "\n";
  for (const char *P : {"/usr/local/cuda/version.json", "/opt/cuda/version.json"})
    if (stat(P, &S) == 0)
      Key += std::to_string(S.st_mtim.tv_sec) + "\n";
  for (const auto *List : {&Like.Defines, &Like.Args})
    for (const std::string &W : *List)
      Key += W + "\n";
  char File[64];
  std::snprintf(File, sizeof(File), "%s-%016zx", Name, std::hash<std::string>()(Key));
  return File;
}

/// The same words for the toolkit as the sandbox gives: they are part of the header's name.
std::vector<std::string> environmentFor(const std::string &Folder) {
  std::vector<std::string> Words = {"/usr/bin/env", "KCHECK_CACHE_DIR=" + Folder};
  SandboxCommand Later;
  addToolkit(Later);
  for (const auto &[Name, Value] : Later.Environment)
    Words.push_back(Name + "=" + Value);
  return Words;
}

} // namespace

void client::prepareHostCache(const std::string &Program, const protocol::Source &Like, const std::string &Folder) {
  std::error_code EC;
  fs::path Mark = fs::path(Folder) / markOf(Program, Like, "host-ready");
  if (Folder.empty() || fs::exists(Mark, EC))
    return;
  std::vector<std::string> Words = environmentFor(Folder);
  Words.insert(Words.end(), {Program, "--prepare", "--arch", Like.Arch, "--std", Like.Standard});
  std::vector<char *> Argv;
  for (std::string &W : Words)
    Argv.push_back(W.data());
  Argv.push_back(nullptr);
  pid_t Pid = 0;
  int Status = 1;
  if (posix_spawn(&Pid, Argv[0], nullptr, nullptr, Argv.data(), environ) == 0)
    while (waitpid(Pid, &Status, 0) < 0 && errno == EINTR) {
    }
  if (Status == 0)
    std::ofstream(Mark) << "ready\n";
}

std::string client::prepareCache(const std::string &Program, const protocol::Source &Like) {
  std::string Folder = cacheFolder();
  std::error_code EC;
  if (Folder.empty())
    return "";
  fs::path Mark = fs::path(Folder) / markOf(Program, Like, "sim-ready");
  if (fs::exists(Mark, EC))
    return Folder;
  // No text of the candidate's is in this job, so that nothing of it can end up in a header that others read.
  protocol::Job J;
  J.Source = Like;
  J.Source.File = "empty.cu";
  J.Source.CallText.clear();
  J.Source.Includes.clear();
  J.Source.Text = "__global__ void kcheck_empty() {}\n";
  protocol::LaunchStep L;
  L.Kernel = "kcheck_empty";
  J.Steps.push_back({L, 0});
  WorkerOptions W;
  W.Program = Program;
  W.Wrapper = environmentFor(Folder);
  protocol::Result R = Worker(std::move(W)).run(J);
  if (R.State == State::Ok)
    std::ofstream(Mark) << "ready\n";
  return Folder;
}
