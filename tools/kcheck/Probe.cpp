#include "tools/kcheck/Probe.h"
#include "analyzers/engine/driver/PchCache.h"
#include "analyzers/engine/driver/Toolkit.h"
#include "clang/Basic/Version.h"
#include "gate/compile/Nvrtc.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "runner/client/Sandbox.h"
#include <csignal>
#include <dlfcn.h>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::cli;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// Runs Body in a child that is killed after Seconds; what it returned, or empty when it did not come back.
std::string inChild(unsigned Seconds, const std::function<std::string()> &Body) {
  int Pipe[2];
  if (::pipe(Pipe) != 0)
    return {};
  pid_t Child = ::fork();
  if (Child == 0) {
    ::close(Pipe[0]);
    std::signal(SIGALRM, SIG_DFL);
    ::alarm(Seconds);
    std::string Text = Body();
    (void)!::write(Pipe[1], Text.data(), Text.size());
    ::_exit(0);
  }
  ::close(Pipe[1]);
  std::string Out;
  char Buffer[512];
  for (ssize_t N; Child > 0 && (N = ::read(Pipe[0], Buffer, sizeof Buffer)) > 0;)
    Out.append(Buffer, N);
  ::close(Pipe[0]);
  if (Child > 0)
    ::waitpid(Child, nullptr, 0);
  return Out;
}

std::string version(unsigned V) { return llvm::formatv("{0}.{1}", V / 1000, V % 1000 / 10).str(); }

Probe clangProbe() {
  return {"Clang", true, CLANG_VERSION_STRING ", built in", "reads CUDA without any installed compiler"};
}

Probe toolkitProbe(const Toolkit &T) {
  if (!T.found())
    return {"CUDA toolkit", false, "none; set CUDAToolkit_ROOT or CUDA_HOME where it is in no usual place",
            "code is read against bundled declarations; compile errors are review at most"};
  return {"CUDA toolkit", true, version(T.Version) + " in " + T.Root, "code is read with its headers"};
}

Probe nvccProbe(const Toolkit &T) {
  if (!gate::haveNvcc(T.Root))
    return {"nvcc", false, "none", "host code that Clang rejects cannot be confirmed: a review at most"};
  return {"nvcc", true, T.Root + "/bin/nvcc", "confirms errors in host code before they reject"};
}

Probe nvrtcProbe(const Toolkit &T) {
  std::string Library = gate::nvrtcLibrary(T.Root);
  if (Library.empty())
    return {"NVRTC", false, "none", "device code that Clang rejects is left to nvcc"};
  if (!gate::haveNvrtc(T.Root))
    return {"NVRTC", false, Library + ", but kcheck-nvrtc is not beside kcheck", "device code that Clang rejects is left to nvcc"};
  return {"NVRTC", true, Library, "confirms errors in device code before they reject"};
}

Probe cacheProbe() {
  std::string Dir = defaultCacheDir();
  bool Made = !fs::create_directories(Dir);
  if (!Made || ::access(Dir.c_str(), W_OK) != 0)
    return {"cache", false, Dir + " cannot be written", "headers are parsed anew for each file; slower, nothing else"};
  uint64_t Bytes = 0;
  std::error_code EC;
  for (fs::recursive_directory_iterator I(Dir, EC), E; I != E && !EC; I.increment(EC))
    if (auto S = I->status())
      Bytes += S->getSize();
  return {"cache", true, llvm::formatv("{0} ({1} MB)", Dir, Bytes >> 20).str(), "precompiled headers are kept here"};
}

Probe sandboxProbe() {
  const client::SandboxProbe &P = client::probe();
  std::string What = client::toString(P.Best);
  if (P.Best == client::SandboxKind::Bubblewrap)
    What += ", " + P.Bubblewrap;
  if (P.LandlockAbi)
    What += "; landlock ABI " + std::to_string(P.LandlockAbi) + (P.Seccomp ? ", seccomp" : ", no seccomp");
  for (const std::string &Why : P.Reasons)
    What += "; " + Why;
  if (P.Best == client::SandboxKind::None)
    return {"sandbox", false, What, "candidates are neither compiled nor run (KCHECK_SANDBOX=none overrides)"};
  return {"sandbox", true, What, "compilers and code under test are kept from files, processes and the network"};
}

std::string askDriver() {
  void *Lib = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!Lib)
    return "none (no NVIDIA driver)";
  auto Init = reinterpret_cast<int (*)(unsigned)>(::dlsym(Lib, "cuInit"));
  auto Count = reinterpret_cast<int (*)(int *)>(::dlsym(Lib, "cuDeviceGetCount"));
  auto Name = reinterpret_cast<int (*)(char *, int, int)>(::dlsym(Lib, "cuDeviceGetName"));
  auto Attribute = reinterpret_cast<int (*)(int *, int, int)>(::dlsym(Lib, "cuDeviceGetAttribute"));
  if (!Init || !Count || !Name || !Attribute)
    return "none (libcuda.so.1 has not the driver's functions)";
  if (int Rc = Init(0))
    return "none (the driver says error " + std::to_string(Rc) + ")";
  int N = 0;
  if (Count(&N) != 0 || N == 0)
    return "none (the driver sees no device)";
  std::string Out = "+";
  for (int I = 0; I < N; ++I) {
    char Text[128] = "";
    int Major = 0, Minor = 0;
    Name(Text, sizeof Text, I);
    Attribute(&Major, 75, I); // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    Attribute(&Minor, 76, I);
    Out += llvm::formatv("{0}gpu:{1} {2}, sm_{3}{4}", I ? "; " : "", I, Text, Major, Minor).str();
  }
  return Out;
}

Probe gpuProbe() {
  std::string Answer = inChild(10, askDriver);
  if (Answer.empty())
    return {"GPU", false, "the driver did not answer in 10 s", "nothing runs on a GPU"};
  if (Answer[0] != '+')
    return {"GPU", false, Answer, "nothing runs on a GPU; timing is not measured"};
  return {"GPU", true, Answer.substr(1), "kernels can be run and timed on it"};
}

} // namespace

std::vector<Probe> cli::probeMachine() {
  const Toolkit &T = findToolkit("");
  return {clangProbe(), toolkitProbe(T), nvccProbe(T), nvrtcProbe(T), cacheProbe(), sandboxProbe(), gpuProbe()};
}
