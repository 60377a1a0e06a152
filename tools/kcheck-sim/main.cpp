// kcheck-sim: the simulator as a worker process. Jobs come in as JSON, results go out as JSON on a descriptor
// of their own, so that nothing the candidate prints can be taken for an answer.
#include "runner/ops/Generate.h"
#include "runner/ops/LargeBlocks.h"
#include "runner/sim/Simulator.h"
#include "runner/sim/host/HostProgram.h"
#include "runner/sim/host/HostRun.h"
#include "runner/sim/host/LauncherJob.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <malloc.h>
#include <map>
#include <sstream>
#include <unistd.h>

using namespace kcheck;

namespace {

constexpr char Usage[] = "usage: kcheck-sim --job FILE [--pretty] [--answer-fd N]\n"
                         "       kcheck-sim --serve [--answer-fd N] [--stop-at-fault]\n"
                         "                                            one job a line on stdin, one result a line\n"
                         "       kcheck-sim --program FILE... [--arch A] [--std S] [-I DIR] [-D NAME[=VALUE]] [--seconds N]\n"
                         "                  [--memory-mb N] [--threads N] [--cwd DIR] [--unchecked] [--pretty] [--answer-fd N] [-- ARGUMENTS]\n"
                         "                  runs a whole program, its host code too\n"
                         "       kcheck-sim --prepare [--arch A] [--std S]   makes the precompiled headers\n"
                         "       kcheck-sim --version\n";

bool writeAll(int FD, const std::string &Text) {
  for (size_t Done = 0; Done < Text.size();) {
    ssize_t N = write(FD, Text.data() + Done, Text.size() - Done);
    if (N <= 0)
      return false;
    Done += size_t(N);
  }
  return true;
}

/// Jobs of one candidate ask for the same inputs again: a few megabytes of them are kept.
bool fill(const protocol::Buffer &B, protocol::Bytes &Out) {
  if (!ops::isDistribution(B.Gen.Distribution))
    return false;
  constexpr size_t MostKept = 8 << 20;
  static std::map<std::string, protocol::Bytes> Kept;
  static size_t Bytes = 0;
  std::ostringstream Key;
  Key << B.Gen.Distribution << ' ' << std::hexfloat << B.Gen.A << ' ' << B.Gen.B << ' ' << B.Gen.Seed << ' ' << B.Gen.Stream << ' ' << int(B.Type);
  for (int64_t D : B.Shape)
    Key << ' ' << D;
  if (auto It = Kept.find(Key.str()); It != Kept.end()) {
    Out = It->second;
    return true;
  }
  Out = ops::generate(B.Gen, B.Type, B.Shape);
  if (Bytes + Out.size() > MostKept) {
    Kept.clear();
    Bytes = 0;
  }
  if (Out.size() <= MostKept) {
    Bytes += Out.size();
    Kept[Key.str()] = Out;
  }
  return true;
}

protocol::Result answer(sim::Simulator &S, const std::string &Text) {
  std::string Error;
  if (auto J = protocol::parseJob(Text, Error))
    return S.run(*J);
  protocol::Result R;
  R.Worker = "kcheck-sim " KCHECK_VERSION;
  R.State = protocol::State::Failed;
  R.Failure = protocol::Failure::BadJob;
  R.Message = Error;
  return R;
}

/// Nothing behind this result is of interest: it failed, or it shows a fault that cannot be a mistake.
bool ends(const protocol::Result &R) {
  bool Fault = false;
  for (const protocol::Finding &F : R.Findings)
    Fault |= F.Sure;
  return Fault || R.State != protocol::State::Ok;
}

} // namespace

/// --program and --prepare. Everything behind -- belongs to the program.
static int program(int Argc, char **Argv) {
  sim::HostJob J;
  bool Pretty = false, Prepare = false;
  std::string Folder;
  int FD = 1;
  for (int I = 1; I < Argc; ++I) {
    std::string A = Argv[I];
    auto value = [&]() -> std::string { return I + 1 < Argc ? Argv[++I] : ""; };
    if (A == "--") {
      J.Arguments.assign(Argv + I + 1, Argv + Argc);
      break;
    }
    if (A == "--program")
      continue;
    if (A == "--prepare")
      Prepare = true;
    else if (A == "--arch")
      J.Arch = value();
    else if (A == "--std")
      J.Standard = value();
    else if (A == "-I" || A == "-isystem") {
      J.CompilerArgs.push_back(A);
      J.CompilerArgs.push_back(value());
    } else if (A.starts_with("-I"))
      J.CompilerArgs.push_back(A);
    else if (A == "-D")
      J.Defines.push_back(value());
    else if (A.starts_with("-D"))
      J.Defines.push_back(A.substr(2));
    else if (A == "--seconds")
      J.Limits.Seconds = atof(value().c_str());
    else if (A == "--memory-mb")
      J.Limits.MemoryMb = strtoull(value().c_str(), nullptr, 10);
    else if (A == "--threads")
      J.Limits.Threads = unsigned(atoi(value().c_str()));
    else if (A == "--answer-fd")
      FD = atoi(value().c_str());
    else if (A == "--cwd")
      Folder = value();
    else if (A == "--unchecked")
      J.Checks = {false, false, false, false, false};
    else if (A == "--pretty")
      Pretty = true;
    else if (!A.starts_with("-"))
      J.Files.push_back(A);
    else {
      fputs(Usage, stderr);
      return 2;
    }
  }
  if (Prepare)
    return sim::prepareHost(J.Arch, J.Standard) ? 0 : 1;
  for (std::string &F : J.Files)
    if (char *Path = realpath(F.c_str(), nullptr)) {
      F = Path;
      free(Path);
    }
  if (!Folder.empty() && chdir(Folder.c_str())) {
    fprintf(stderr, "kcheck-sim: %s: %s\n", Folder.c_str(), strerror(errno));
    return 2;
  }
  sim::runProgram(J, [FD, Pretty](const protocol::Result &R) { writeAll(FD, protocol::toJson(R, Pretty ? 1 : -1) + "\n"); });
}

int main(int Argc, char **Argv) {
  for (int I = 1; I < Argc && strcmp(Argv[I], "--"); ++I)
    if (!strcmp(Argv[I], "--program") || !strcmp(Argv[I], "--prepare"))
      return program(Argc, Argv);
  std::string File;
  bool Serve = false, Pretty = false, StopAtFault = false;
  int FD = 1;
  for (int I = 1; I < Argc; ++I) {
    std::string A = Argv[I];
    if (A == "--job" && I + 1 < Argc)
      File = Argv[++I];
    else if (A == "--answer-fd" && I + 1 < Argc)
      FD = atoi(Argv[++I]);
    else if (A == "--serve")
      Serve = true;
    else if (A == "--stop-at-fault")
      StopAtFault = true;
    else if (A == "--pretty")
      Pretty = true;
    else if (A == "--version") {
      puts("kcheck-sim " KCHECK_VERSION);
      return 0;
    } else {
      fputs(Usage, stderr);
      return 2;
    }
  }
  if (File.empty() == !Serve) {
    fputs(Usage, stderr);
    return 2;
  }
  std::ios::sync_with_stdio(false); // jobs are long lines
  ops::useLargeBlocks();
  // Outputs come and go by the megabyte: handing each back to the system and getting it again costs more than the copy.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  sim::Simulator S(fill, sim::runLauncherJob);
  if (Serve) {
    std::string Line;
    while (std::getline(std::cin, Line)) {
      protocol::Result R = answer(S, Line);
      if (!writeAll(FD, protocol::toJson(R) + "\n"))
        return 2;
      if (StopAtFault && ends(R))
        return 0;
    }
    return 0;
  }
  std::ifstream In(File, std::ios::binary);
  std::stringstream Text;
  if (!In || !(Text << In.rdbuf())) {
    fprintf(stderr, "kcheck-sim: %s: %s\n", File.c_str(), strerror(errno));
    return 2;
  }
  protocol::Result R = answer(S, Text.str());
  writeAll(FD, protocol::toJson(R, Pretty ? 1 : -1) + "\n");
  return R.Failure == protocol::Failure::BadJob ? 2 : 0;
}
