#include "analyzers/engine/driver/BundledHeaders.h"
#include "analyzers/engine/driver/Parse.h"
#include "analyzers/engine/driver/Flags.h"
#include "analyzers/engine/driver/PchCache.h"
#include "analyzers/engine/driver/Toolkit.h"
#include "gate/compile/Compiler.h"
#include "gate/compile/ResultCache.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "runner/client/Sandbox.h"

using namespace kcheck;
using namespace kcheck::gate;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string nvccOf(llvm::StringRef Root) { return (Root + "/bin/nvcc").str(); }

bool gate::haveNvcc(llvm::StringRef CudaRoot) { return !CudaRoot.empty() && fs::can_execute(nvccOf(CudaRoot)); }

/// Flags that change how the text reads, in the spelling that both compilers know; folders that are absent are dropped.
static void takeFlags(llvm::ArrayRef<std::string> Clang, CompileJob &Job) {
  for (size_t I = 0; I < Clang.size(); ++I) {
    llvm::StringRef F = Clang[I];
    if (F.starts_with("-D") || F.starts_with("-U") || F.starts_with("-std=")) {
      Job.Flags.push_back(F.str());
      if ((F == "-D" || F == "-U") && I + 1 < Clang.size())
        Job.Flags.push_back(Clang[++I]);
      continue;
    }
    for (llvm::StringRef Word : {"-I", "-isystem", "-iquote", "-idirafter"}) {
      if (!F.starts_with(Word))
        continue;
      llvm::StringRef Folder = F.drop_front(Word.size());
      if (Folder.empty() && I + 1 < Clang.size())
        Folder = Clang[++I];
      if (fs::is_directory(Folder)) {
        Job.IncludeDirs.push_back(Folder.str());
        Job.Flags.push_back(Word == "-isystem" ? "-isystem" : "-I");
        Job.Flags.push_back(Folder.str());
      }
      break;
    }
    if (F == "-include" && I + 1 < Clang.size()) {
      Job.Flags.push_back("-include");
      Job.Flags.push_back(Clang[++I]);
    }
  }
}

llvm::Expected<CompileJob> gate::makeJob(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Given) {
  llvm::Expected<ParseOptions> Effective = effectiveOptions(File, Given);
  if (!Effective)
    return Effective.takeError();
  const ParseOptions &Options = *Effective;
  CompileJob Job;
  Job.File = File.str();
  Job.Text = Text.str();
  const Toolkit &T = findToolkit(Options.CudaRoot);
  Job.CudaRoot = T.Root;
  Job.CudaVersion = T.Version;
  Job.Root = Options.Root.empty() ? projectRoot(File) : Options.Root;
  auto Flags = translateFlags(Options.ExtraArgs, Options.Directory);
  if (!Flags)
    return Flags.takeError();
  std::string Note;
  Job.Arch = chooseArch(Options.Arch.empty() ? Flags->Arch : Options.Arch, T, Note);
  takeFlags(Flags->Clang, Job);
  if (Flags->Standard.empty() && llvm::none_of(Job.Flags, [](auto &F) { return llvm::StringRef(F).starts_with("-std="); }))
    Job.Flags.push_back("-std=c++17");
  for (const std::string &A : Options.ExtraArgs)
    if (A == "--expt-relaxed-constexpr" || A == "-expt-relaxed-constexpr" || A == "--extended-lambda" || A == "-extended-lambda" ||
        A == "--expt-extended-lambda" || A == "-rdc=true" || A == "--relocatable-device-code=true")
      Job.Flags.push_back(A);
  Job.CacheDir = Options.UseCache ? (Options.CacheDir.empty() ? defaultCacheDir() : Options.CacheDir) : std::string();
  return Job;
}

static constexpr char StandInFolder[] = "stand-ins";

static bool writeStandIns(const client::ScratchFolder &Scratch) {
  for (const BundledHeader &H : bundledHeaders())
    if (llvm::StringRef Path = H.Path; Path.consume_front(TorchStandIns)) {
      std::string To = std::string(StandInFolder) + "/" + Path.str();
      if (fs::create_directories(path::parent_path(Scratch.path() + "/" + To)) || !Scratch.write(To, bundledHeader(H.Path)->str()))
        return false;
    }
  return true;
}

static CompileResult runNvcc(const CompileJob &Job, llvm::ArrayRef<std::string> Extra) {
  CompileResult R;
  R.Compiler = llvm::formatv("nvcc {0}.{1}", Job.CudaVersion / 1000, Job.CudaVersion % 1000 / 10).str();
  client::ScratchFolder Scratch;
  // The name is the candidate's, so that __FILE__ and messages are; its own folder is searched as if it lay there.
  std::string Name = path::filename(Job.File).str();
  if (!llvm::StringRef(Name).ends_with(".cu"))
    Name += ".cu";
  if (Scratch.path().empty() || !Scratch.write(Name, Job.Text)) {
    R.Why = "no temporary folder";
    return R;
  }
  if (Job.StandIns && !writeStandIns(Scratch)) {
    R.Why = "no room for the headers that stand in for PyTorch's";
    return R;
  }
  llvm::SmallString<256> Own(Job.File);
  fs::make_absolute(Own);
  path::remove_filename(Own);

  client::SandboxCommand C;
  C.Argv = {nvccOf(Job.CudaRoot), "-c", Name, "-o", "candidate.o", "-arch=" + Job.Arch, "-O0", "-Xptxas", "-O0"};
  C.Argv.insert(C.Argv.end(), Job.Flags.begin(), Job.Flags.end());
  C.Argv.insert(C.Argv.end(), Extra.begin(), Extra.end());
  if (Job.StandIns)
    C.Argv.insert(C.Argv.end(), {"-isystem", StandInFolder});
  if (fs::is_directory(Own)) {
    C.Argv.push_back("-I");
    C.Argv.push_back(std::string(Own));
  }
  // A file without local includes needs nothing but the system and the toolkit.
  std::vector<std::string> Local;
  bool Followed = localIncludes(Job, Local);
  if (!Followed || !Local.empty())
    C.ReadPaths.push_back(Job.Root);
  C.ReadPaths.insert(C.ReadPaths.end(), Job.IncludeDirs.begin(), Job.IncludeDirs.end());
  C.ReadPaths.push_back(Job.CudaRoot);
  C.Scratch = Scratch.path();
  C.Limits.WallSeconds = Job.Seconds;
  C.Limits.MemoryBytes = uint64_t(Job.MemoryMB) << 20;
  C.Limits.OutputBytes = 2 << 20;
  client::SandboxResult S = client::runSandboxed(C);
  R.Milliseconds = S.Seconds * 1000;
  R.Ran = client::toString(S.Kind);
  if (S.How != client::Outcome::Exited) {
    R.Why = "nvcc " + std::string(client::toString(S.How)) + (S.Why.empty() ? "" : ": " + S.Why);
    return R;
  }
  if (S.Status == 0) {
    R.How = CompileResult::State::Accepted;
    return R;
  }
  R.Errors = parseMessages(S.Err + "\n" + S.Out, Name);
  bool OwnFault = llvm::any_of(R.Errors, [](const CompilerMessage &M) { return !llvm::StringRef(M.Text).starts_with("nvcc:"); });
  if (!OwnFault) {
    // No word about the source: the compiler itself failed (host compiler absent, disk full, memory).
    R.Why = "nvcc failed without a message about the source" + (R.Errors.empty() ? std::string() : ": " + R.Errors.front().Text);
    return R;
  }
  R.How = CompileResult::State::Rejected;
  return R;
}

CompileResult gate::compileByNvcc(const CompileJob &Job) {
  CompileResult R;
  if (!haveNvcc(Job.CudaRoot)) {
    R.Why = "no nvcc";
    return R;
  }
  std::optional<std::string> Key;
  if (!Job.CacheDir.empty())
    Key = cacheKey(Job, "nvcc", {nvccOf(Job.CudaRoot), Job.CudaRoot + "/nvvm/bin/cicc", Job.CudaRoot + "/bin/cudafe++", "/usr/bin/g++"});
  if (Key)
    if (auto Known = loadResult(Job.CacheDir, *Key))
      return *Known;
  R = runNvcc(Job, {});
  // Some code is valid under options that projects usually set.
  auto AsksFor = [&](llvm::StringRef Word) {
    return llvm::any_of(R.Errors, [&](const CompilerMessage &M) { return llvm::StringRef(M.Text).contains(Word); });
  };
  if (R.How == CompileResult::State::Rejected && (AsksFor("expt-relaxed-constexpr") || AsksFor("extended-lambda"))) {
    CompileResult Again = runNvcc(Job, {"--expt-relaxed-constexpr", "--extended-lambda"});
    if (Again.How == CompileResult::State::Accepted) {
      Again.NeedsRelaxed = true;
      R = std::move(Again);
    }
  }
  if (Key)
    storeResult(Job.CacheDir, *Key, R);
  return R;
}
