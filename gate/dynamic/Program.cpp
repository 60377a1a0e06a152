#include "gate/dynamic/Program.h"
#include "runner/client/Sandbox.h"
#include "runner/client/Worker.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace kcheck;
using namespace kcheck::gate;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

std::string realPath(const std::string &P) {
  llvm::SmallString<256> Out;
  return fs::real_path(P, Out) ? P : std::string(Out);
}

/// The folder that the precompiled headers live in, as the worker looks for it.
std::string cacheFolder() {
  if (const char *V = getenv("KCHECK_CACHE_DIR"))
    return V;
  if (const char *V = getenv("XDG_CACHE_HOME"))
    return std::string(V) + "/kcheck";
  if (const char *V = getenv("HOME"))
    return std::string(V) + "/.cache/kcheck";
  return "";
}

/// The program finds its folder's files where it expects them, and may write beside them: a folder of links.
std::string workingFolder(const client::ScratchFolder &Scratch, const std::string &Folder) {
  std::string Above = Scratch.path() + "/run", Here = Above + "/" + path::filename(Folder).str();
  if (fs::create_directories(Here))
    return Scratch.path();
  std::error_code EC;
  for (fs::directory_iterator I(Folder, EC), End; !EC && I != End; I.increment(EC))
    (void)fs::create_link(I->path(), Here + "/" + path::filename(I->path()).str());
  for (fs::directory_iterator I(path::parent_path(Folder), EC), End; !EC && I != End; I.increment(EC))
    if (!fs::exists(Above + "/" + path::filename(I->path()).str()))
      (void)fs::create_link(I->path(), Above + "/" + path::filename(I->path()).str());
  return Here;
}

/// The folder of a toolkit outside of the system's folders, which the sandbox must show.
void addToolkit(client::SandboxCommand &C) {
  for (const char *Name : {"CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH", "KCHECK_HIDE_CUDA"})
    if (const char *V = getenv(Name)) {
      C.Environment.push_back({Name, V});
      if (V[0] == '/')
        C.ReadPaths.push_back(V);
    }
  for (const char *P : {"/usr/local/cuda", "/opt/cuda"})
    if (fs::exists(P))
      C.ReadPaths.push_back(realPath(P));
}

} // namespace

std::optional<ProgramResult> gate::runProgram(const ProgramRun &O, std::string &Why) {
  auto complain = [&](std::string Text) {
    Why = std::move(Text);
    return std::nullopt;
  };
  ProgramResult Out;
  std::string Worker = client::findWorker("kcheck-sim");
  if (Worker.empty())
    return complain("kcheck-sim is not installed");
  std::vector<std::string> Files;
  for (const std::string &F : O.Files) {
    if (!fs::exists(F))
      return complain(F + ": no such file");
    Files.push_back(realPath(F));
  }
  client::SandboxCommand C;
  C.Argv = {realPath(Worker), "--program", "--answer-fd", std::to_string(client::ResultDescriptor), "--arch", O.Arch, "--std", O.Standard,
            "--seconds", std::to_string(O.Seconds), "--memory-mb", std::to_string(O.MemoryMb)};
  std::string Cache = cacheFolder();
  if (!Cache.empty()) {
    // The headers are precompiled out here, where the cache can be written; nothing of the program takes part.
    llvm::StringRef Words[] = {Worker, "--prepare", "--arch", O.Arch, "--std", O.Standard};
    llvm::sys::ExecuteAndWait(Worker, Words, std::nullopt, {llvm::StringRef("/dev/null"), llvm::StringRef("/dev/null"), llvm::StringRef("/dev/null")}, 300);
    C.Environment.push_back({"KCHECK_CACHE_DIR", realPath(Cache)});
    C.ReadPaths.push_back(realPath(Cache));
  }
  for (const std::string &I : O.Includes) {
    C.Argv.insert(C.Argv.end(), {"-I", realPath(I)});
    C.ReadPaths.push_back(realPath(I));
  }
  for (const std::string &D : O.Defines)
    C.Argv.insert(C.Argv.end(), {"-D", D});
  for (const std::string &D : O.Data)
    C.ReadPaths.push_back(realPath(D));
  client::ScratchFolder Scratch;
  std::string Folder = path::parent_path(Files[0]).str();
  C.Argv.insert(C.Argv.end(), {"--cwd", workingFolder(Scratch, Folder)});
  C.Argv.insert(C.Argv.end(), Files.begin(), Files.end());
  C.Argv.push_back("--");
  C.Argv.insert(C.Argv.end(), O.Arguments.begin(), O.Arguments.end());
  for (const std::string &F : Files)
    C.ReadPaths.push_back(path::parent_path(F).str());
  C.ReadPaths.push_back(path::parent_path(realPath(Worker)).str());
  addToolkit(C);
  C.Scratch = Scratch.path();
  C.WantResult = true;
  C.Limits.WallSeconds = O.Seconds + 90;
  // A byte of device memory has six of bookkeeping; the program's own memory comes on top.
  C.Limits.MemoryBytes = uint64_t(16) << 30;
  C.Limits.Processes = 1;
  C.Limits.OutputBytes = 64ull << 20;
  C.Limits.BoundAddressSpace = false;
  client::SandboxResult S = client::runSandboxed(C);
  Out.Printed = std::move(S.Out);
  Out.Errors = std::move(S.Err);
  if (S.How == client::Outcome::NotStarted)
    return complain("the sandbox does not work here: " + S.Why);
  std::string Error;
  if (auto R = protocol::parseResult(S.Result, Error)) {
    Out.R = std::move(*R);
    return Out;
  }
  Out.R.State = S.How == client::Outcome::OutOfMemory || S.How == client::Outcome::TimedOut ? protocol::State::NotMeasured : protocol::State::Failed;
  Out.R.Failure = Out.R.State == protocol::State::Failed ? protocol::Failure::Crash : protocol::Failure::None;
  Out.R.Message = "the simulator ended without a result (" + std::string(client::toString(S.How)) + (S.Why.empty() ? "" : ": " + S.Why) + ")";
  return Out;
}
