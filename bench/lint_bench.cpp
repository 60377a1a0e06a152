// How fast the static track is, next to clang-tidy on the same files in the same run.
//
//   lint_bench [--kcheck PROGRAM] [--clang-tidy PROGRAM] [--repeat N] [--folder N] [--diagnostics] [--cuda ROOT|none] FILE...
//
//   one-shot   a fresh process a file, headers precompiled before (the state after the first run)
//   warm       lint() again and again in one process
//   folder     N copies of the files through lintFiles(), one worker
//
// Times are wall times, medians over --repeat rounds; processor times stand beside them, for a busy machine.
// --diagnostics prints the front end's errors for each file instead, to compare two set-ups.
#include "analyzers/engine/Driver.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck;
extern char **environ;

namespace {

struct Cost {
  double WallMs = 0, CpuMs = 0;
  long PeakKB = 0;
};

double ms(const timeval &T) { return double(T.tv_sec) * 1e3 + double(T.tv_usec) / 1e3; }

double median(std::vector<double> V) {
  if (V.empty())
    return 0;
  std::sort(V.begin(), V.end());
  return V[V.size() / 2];
}

Cost spawnAndWait(const std::vector<std::string> &Words) {
  std::vector<char *> Argv;
  for (const std::string &W : Words)
    Argv.push_back(const_cast<char *>(W.c_str()));
  Argv.push_back(nullptr);
  posix_spawn_file_actions_t Quiet;
  posix_spawn_file_actions_init(&Quiet);
  posix_spawn_file_actions_addopen(&Quiet, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&Quiet, 2, "/dev/null", O_WRONLY, 0);
  auto Start = std::chrono::steady_clock::now();
  pid_t Pid;
  Cost C;
  if (posix_spawnp(&Pid, Argv[0], &Quiet, nullptr, Argv.data(), environ)) {
    llvm::errs() << "lint_bench: cannot start " << Words[0] << "\n";
    exit(2);
  }
  rusage Used{};
  int Status;
  wait4(Pid, &Status, 0, &Used);
  posix_spawn_file_actions_destroy(&Quiet);
  C.WallMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - Start).count();
  C.CpuMs = ms(Used.ru_utime) + ms(Used.ru_stime);
  C.PeakKB = Used.ru_maxrss;
  return C;
}

double ownCpuMs(int Who) {
  rusage Used{};
  getrusage(Who, &Used);
  return ms(Used.ru_utime) + ms(Used.ru_stime);
}

Cost inProcess(llvm::function_ref<void()> Work) {
  Cost C;
  double Cpu = ownCpuMs(RUSAGE_SELF);
  auto Start = std::chrono::steady_clock::now();
  Work();
  C.WallMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - Start).count();
  C.CpuMs = ownCpuMs(RUSAGE_SELF) - Cpu;
  rusage Used{};
  getrusage(RUSAGE_SELF, &Used);
  C.PeakKB = Used.ru_maxrss;
  return C;
}

struct Flags {
  std::string Kcheck, ClangTidy = KCHECK_CLANG_TIDY, Cuda;
  unsigned Repeat = 3, Folder = 200;
  bool Diagnostics = false;
  std::vector<std::string> Files;
};

void printDiagnostics(const Flags &F) {
  ParseOptions O;
  O.CudaRoot = F.Cuda;
  for (const std::string &File : F.Files) {
    auto Text = llvm::MemoryBuffer::getFile(File);
    if (!Text)
      continue;
    llvm::Error E = parse(File, (*Text)->getBuffer(), O, View::Device, [&](TranslationUnit &TU) {
      for (const ParseDiagnostic &D : TU.Diagnostics)
        if (D.IsError)
          llvm::outs() << D.Where.File << ":" << D.Where.Line << ":" << D.Where.Column << ": " << D.Message << "\n";
    });
    if (E)
      llvm::outs() << File << ": " << llvm::toString(std::move(E)) << "\n";
    llvm::outs().flush();
  }
}

void row(llvm::StringRef Name, const std::vector<Cost> &Costs, const std::vector<Cost> *Base = nullptr) {
  std::vector<double> Wall, Cpu;
  long Peak = 0;
  for (const Cost &C : Costs) {
    Wall.push_back(C.WallMs);
    Cpu.push_back(C.CpuMs);
    Peak = std::max(Peak, C.PeakKB);
  }
  llvm::outs() << llvm::formatv("{0,-28} {1,9:f1} ms wall {2,9:f1} ms cpu {3,6} MB", Name, median(Wall), median(Cpu), Peak / 1024);
  if (Base) {
    std::vector<double> W, C;
    for (size_t I = 0; I < Costs.size(); ++I) {
      W.push_back((*Base)[I].WallMs / std::max(0.01, Costs[I].WallMs));
      C.push_back((*Base)[I].CpuMs / std::max(0.01, Costs[I].CpuMs));
    }
    llvm::outs() << llvm::formatv("   1/{0:f0} of clang-tidy's wall time, 1/{1:f0} of its cpu time", median(W), median(C));
  }
  llvm::outs() << "\n";
  llvm::outs().flush();
}

Flags parseFlags(int Argc, char **Argv) {
  Flags F;
  for (int I = 1; I < Argc; ++I) {
    llvm::StringRef A = Argv[I];
    auto Value = [&] { return I + 1 < Argc ? std::string(Argv[++I]) : std::string(); };
    if (A == "--kcheck") F.Kcheck = Value();
    else if (A == "--clang-tidy") F.ClangTidy = Value();
    else if (A == "--cuda") F.Cuda = Value();
    else if (A == "--repeat") F.Repeat = std::max(1, atoi(Value().c_str()));
    else if (A == "--folder") F.Folder = unsigned(atoi(Value().c_str()));
    else if (A == "--diagnostics") F.Diagnostics = true;
    else F.Files.push_back(A.str());
  }
  return F;
}

} // namespace

int main(int Argc, char **Argv) {
  Flags F = parseFlags(Argc, Argv);
  if (F.Files.empty()) {
    llvm::errs() << "usage: lint_bench [--kcheck PROGRAM] [--clang-tidy PROGRAM] [--repeat N] [--folder N] [--diagnostics] FILE...\n";
    return 2;
  }
  if (F.Diagnostics) {
    printDiagnostics(F);
    return 0;
  }
  ParseOptions O;
  O.CudaRoot = F.Cuda;
  O.Jobs = 1;
  const Policy &P = Policy::builtin();
  std::vector<LintInput> Inputs;
  for (const std::string &File : F.Files)
    if (auto Text = llvm::MemoryBuffer::getFile(File))
      Inputs.push_back({File, (*Text)->getBuffer().str()});
  for (const LintInput &I : Inputs) // fills the cache
    lint(I.File, *I.Text, O, P);

  std::vector<Cost> Tidy, OneShot, Parse, Warm;
  for (unsigned R = 0; R < F.Repeat; ++R)
    for (const LintInput &I : Inputs) {
      if (!F.ClangTidy.empty())
        Tidy.push_back(spawnAndWait({F.ClangTidy, "--checks=-*,bugprone-*,clang-diagnostic-*", I.File, "--", "-x", "cuda", "--cuda-device-only",
                                     "--cuda-gpu-arch=sm_80", "-std=c++17", "-Wno-unknown-cuda-version"}));
      if (!F.Kcheck.empty())
        OneShot.push_back(spawnAndWait({F.Kcheck, "lint", I.File}));
      Parse.push_back(inProcess([&] { llvm::cantFail(parse(I.File, *I.Text, O, View::Device, [](TranslationUnit &) {})); }));
      Warm.push_back(inProcess([&] { lint(I.File, *I.Text, O, P); }));
    }
  if (!Tidy.empty())
    row("clang-tidy (bugprone-*)", Tidy);
  if (!OneShot.empty())
    row("kcheck lint, one-shot", OneShot, Tidy.empty() ? nullptr : &Tidy);
  row("parse() in process, warm", Parse, Tidy.empty() ? nullptr : &Tidy);
  row("lint() in process, warm", Warm, Tidy.empty() ? nullptr : &Tidy);

  if (F.Folder) {
    std::vector<LintInput> Many;
    for (unsigned I = 0; I < F.Folder; ++I)
      Many.push_back(Inputs[I % Inputs.size()]);
    double Cpu = ownCpuMs(RUSAGE_CHILDREN);
    auto Start = std::chrono::steady_clock::now();
    lintFiles(Many, O, P);
    double Seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
    double CpuSeconds = (ownCpuMs(RUSAGE_CHILDREN) - Cpu) / 1e3;
    rusage Used{};
    getrusage(RUSAGE_CHILDREN, &Used);
    llvm::outs() << llvm::formatv("folder of {0}, one worker       {1:f1} files/s wall, {2:f1} files/s of cpu time, peak {3} MB\n", F.Folder, F.Folder / Seconds,
                                  F.Folder / std::max(1e-6, CpuSeconds), Used.ru_maxrss / 1024);
  }
}
