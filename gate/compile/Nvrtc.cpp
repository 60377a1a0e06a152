#include "gate/compile/Nvrtc.h"
#include "gate/compile/ResultCache.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "runner/client/Sandbox.h"

using namespace kcheck;
using namespace kcheck::gate;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string gate::nvrtcLibrary(llvm::StringRef Root) {
  if (Root.empty())
    return {};
  for (llvm::StringRef Sub : {"lib64", "targets/x86_64-linux/lib", "lib"})
    for (llvm::StringRef Name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}) {
      std::string P = (Root + "/" + Sub + "/" + Name).str();
      if (fs::exists(P))
        return P;
    }
  return {};
}

/// kcheck-nvrtc: beside this program, beside it in the build tree, or installed.
static std::string helperProgram() {
  if (const char *Named = getenv("KCHECK_NVRTC_PROGRAM"); Named && fs::can_execute(Named))
    return Named;
  llvm::SmallString<256> Self;
  if (fs::real_path("/proc/self/exe", Self))
    return {};
  llvm::StringRef Folder = path::parent_path(Self);
  for (llvm::StringRef P : {"/kcheck-nvrtc", "/../kcheck-nvrtc/kcheck-nvrtc", "/../../tools/kcheck-nvrtc/kcheck-nvrtc",
                            "/../../../tools/kcheck-nvrtc/kcheck-nvrtc", "/../lib/kcheck/kcheck-nvrtc", "/../libexec/kcheck/kcheck-nvrtc"}) {
    llvm::SmallString<256> Real;
    if (!fs::real_path(Folder + P, Real) && fs::can_execute(Real))
      return std::string(Real);
  }
  return {};
}

bool gate::haveNvrtc(llvm::StringRef Root) { return !nvrtcLibrary(Root).empty() && !helperProgram().empty(); }

static std::vector<std::string> optionsFor(const CompileJob &Job) {
  std::vector<std::string> O = {"-arch=" + Job.Arch, "-default-device", "--pre-include=kcheck_slice_prelude.h", "-I" + Job.CudaRoot + "/include",
                                "-I" + Job.CudaRoot + "/include/cccl", "-w"};
  for (size_t I = 0; I < Job.Flags.size(); ++I) {
    llvm::StringRef F = Job.Flags[I];
    if (F == "-D" || F == "-U")
      O.push_back(F.str() + Job.Flags[++I]);
    else if (F.starts_with("-D") || F.starts_with("-U") || F.starts_with("-std="))
      O.push_back(F.str());
    else if ((F == "-I" || F == "-isystem") && I + 1 < Job.Flags.size())
      O.push_back("-I" + Job.Flags[++I]);
  }
  return O;
}

CompileResult gate::compileByNvrtc(const CompileJob &Job, const DeviceSlice &Slice) {
  CompileResult R;
  R.Compiler = "NVRTC";
  std::string Library = nvrtcLibrary(Job.CudaRoot), Program = helperProgram();
  if (Library.empty() || Program.empty()) {
    R.Why = Library.empty() ? "no NVRTC" : "kcheck-nvrtc is not beside this program";
    return R;
  }
  CompileJob Sliced = Job;
  Sliced.Text = Slice.Text;
  std::vector<std::string> Options = optionsFor(Job);
  for (auto &[Name, Text] : Slice.Headers)
    Sliced.Flags.push_back(Name + "\n" + Text);
  Sliced.Flags.insert(Sliced.Flags.end(), Slice.NameExpressions.begin(), Slice.NameExpressions.end());
  llvm::SmallString<256> Real;
  fs::real_path(Library, Real);
  std::optional<std::string> Key;
  if (!Job.CacheDir.empty())
    Key = cacheKey(Sliced, "nvrtc", {std::string(Real), Program});
  if (Key)
    if (auto Known = loadResult(Job.CacheDir, *Key))
      return *Known;

  llvm::json::Object Headers;
  for (auto &[Name, Text] : Slice.Headers)
    Headers[Name] = llvm::json::fixUTF8(Text);
  std::string Name = path::filename(Job.File).str();
  llvm::json::Value Request = llvm::json::Object{{"library", Library}, {"name", llvm::json::fixUTF8(Name)}, {"source", llvm::json::fixUTF8(Slice.Text)},
                                                 {"headers", std::move(Headers)}, {"options", llvm::json::Array(Options)},
                                                 {"names", llvm::json::Array(Slice.NameExpressions)}};
  client::SandboxCommand C;
  C.Argv = {Program};
  llvm::raw_string_ostream(C.Input) << Request;
  C.ReadPaths = {Program};
  C.ReadPaths.push_back(Job.CudaRoot);
  C.ReadPaths.insert(C.ReadPaths.end(), Job.IncludeDirs.begin(), Job.IncludeDirs.end());
  C.WantResult = true;
  C.Limits.WallSeconds = Job.Seconds;
  C.Limits.MemoryBytes = uint64_t(Job.MemoryMB) << 20;
  client::SandboxResult S = client::runSandboxed(C);
  R.Milliseconds = S.Seconds * 1000;
  R.Ran = client::toString(S.Kind);
  if (S.How != client::Outcome::Exited) {
    R.Why = "NVRTC " + std::string(client::toString(S.How)) + (S.Why.empty() ? "" : ": " + S.Why);
    return R;
  }
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(S.Result);
  const llvm::json::Object *O = V ? V->getAsObject() : nullptr;
  if (!V)
    llvm::consumeError(V.takeError());
  if (!O || O->getString("error")) {
    R.Why = "kcheck-nvrtc: " + (O ? O->getString("error")->str() : std::string("no answer"));
    return R;
  }
  R.Compiler = "NVRTC " + O->getString("version").value_or("").str();
  if (O->getBoolean("ok").value_or(false)) {
    R.How = CompileResult::State::Accepted;
  } else {
    R.Errors = parseMessages(O->getString("log").value_or(""), Name);
    if (R.Errors.empty()) {
      R.Why = "NVRTC failed without a message about the source";
      return R;
    }
    R.How = CompileResult::State::Rejected;
  }
  if (Key)
    storeResult(Job.CacheDir, *Key, R);
  return R;
}
