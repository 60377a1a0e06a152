#include "runner/client/GpuSandbox.h"
#include "runner/client/sandbox/Landlock.h"
#include "runner/client/sandbox/Launch.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/prctl.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::client;
namespace fs = std::filesystem;

namespace {

void add(std::vector<std::string> &To, const std::string &Path) {
  std::error_code EC;
  fs::path Real = fs::canonical(Path, EC); // rules hold for what a link leads to
  if (!EC && std::find(To.begin(), To.end(), Real.string()) == To.end())
    To.push_back(Real.string());
}

std::string from(const char *Name) {
  const char *V = getenv(Name);
  return V && *V == '/' ? V : "";
}

/// As the worker chooses it (docs/gpu.md); made here, for the worker may not make it.
std::string cacheFolder() {
  std::string Path = from("KCHECK_CACHE_DIR");
  if (Path.empty() && !from("XDG_CACHE_HOME").empty())
    Path = from("XDG_CACHE_HOME") + "/kcheck";
  if (Path.empty() && !from("HOME").empty())
    Path = from("HOME") + "/.cache/kcheck";
  std::error_code EC;
  if (!Path.empty())
    fs::create_directories(Path, EC);
  return Path;
}

} // namespace

std::vector<std::string> client::gpuDeviceNodes(const std::string &Folder) {
  std::vector<std::string> All;
  std::error_code EC;
  for (const fs::directory_entry &E : fs::directory_iterator(Folder, EC)) {
    std::string Name = E.path().filename();
    if (Name.starts_with("nvidia")) // nvidia0, nvidiactl, nvidia-uvm, nvidia-uvm-tools, nvidia-caps/
      All.push_back(E.path());
  }
  std::sort(All.begin(), All.end());
  return All;
}

GpuConfinement client::confineGpuWorker(const std::string &Program) { return confineGpuWorker(Program, geteuid() == 0); }

GpuConfinement client::confineGpuWorker(const std::string &Program, bool Root) {
  GpuConfinement G;
  if (const char *V = getenv("KCHECK_GPU_SANDBOX"); V && !strcmp(V, "none")) {
    G.Why = "switched off by KCHECK_GPU_SANDBOX";
    return G;
  }
  if (Root) {
    G.Why = "of root: CUDA needs /proc open for writing, where root may change the kernel's settings";
    return G;
  }
  if (!landlockAbi()) {
    G.Why = "the kernel has no landlock";
    return G;
  }
  G.Scratch = std::make_shared<ScratchFolder>();
  if (G.Scratch->path().empty()) {
    G.Why = "no temporary folder can be made";
    return G;
  }
  G.Kind = SandboxKind::Landlock;
  for (const std::string &P : systemReadPaths())
    add(G.Read, P);
  for (const char *P : {"/sys", "/opt/nvidia", "/opt/cuda"})
    add(G.Read, P);
  for (const char *Name : {"CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (std::string P = from(Name); !P.empty())
      add(G.Read, P);
  add(G.Read, fs::path(Program).parent_path());
  add(G.Write, G.Scratch->path());
  add(G.Write, cacheFolder());
  add(G.Write, "/dev/shm");
  add(G.Write, "/proc"); // what it says of processes outside stays closed by landlock itself
  G.Devices = gpuDeviceNodes();
  for (const char *P : {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"})
    add(G.Devices, P);
  G.Wrapper = {"/usr/bin/env", "TMPDIR=" + G.Scratch->path()};
  G.Enter = [Read = G.Read, Write = G.Write, Devices = G.Devices] {
    // Between fork and exec: the descriptor of the rules would not outlive the fork's closing of all others.
    int Rules = makeLandlockRules(Read, Write, Devices);
    bool Done = Rules >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && enterLandlock(Rules);
    if (Rules >= 0)
      close(Rules);
    return Done;
  };
  return G;
}
