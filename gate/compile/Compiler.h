//===- Compiler.h - the real compilers, asked in a sandbox --------------------===//
//
//   CompileJob ─► cache ─► sandbox(nvcc | kcheck-nvrtc) ─► messages of the candidate's own lines ─► CompileResult
//
// Sources are hostile: a compiler sees the toolkit, the system's headers and the files below the job's root, and
// ends by its limits. Messages quote no file but the candidate.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_COMPILE_COMPILER_H
#define KCHECK_GATE_COMPILE_COMPILER_H

#include "analyzers/engine/Driver.h"
#include <string>
#include <vector>

namespace kcheck::gate {

struct CompileJob {
  std::string File;               ///< the candidate's name; local includes start at its folder
  std::string Text;
  std::string Root;               ///< includes resolve below it, the toolkit and IncludeDirs
  std::vector<std::string> Flags; ///< -D -U -I -isystem -include -std=…, folders absolute
  std::vector<std::string> IncludeDirs;
  std::string Arch = "sm_80";
  std::string CudaRoot;
  unsigned CudaVersion = 0;
  std::string CacheDir;           ///< empty: no cache
  double Seconds = 60;
  unsigned MemoryMB = 4096;
  bool StandIns = false;          ///< nvcc finds kcheck's own declarations where PyTorch's headers are asked for
};

struct CompilerMessage {
  unsigned Line = 0, Column = 0; ///< 0: not at a line of the candidate
  std::string Text;
  bool FromAssembler = false;    ///< ptxas or the linker: not about the source's form
  std::string Types;             ///< what the compiler adds of the operands or arguments: "operand types are: …"
};

struct CompileResult {
  enum class State { Accepted, Rejected, NotRun };
  State How = State::NotRun;
  std::string Compiler;          ///< "nvcc 13.0"
  std::vector<CompilerMessage> Errors;
  std::string Why;               ///< of NotRun: no nvcc, time, memory, no sandbox
  std::string Ran;               ///< mechanism of the sandbox
  double Milliseconds = 0;
  bool Cached = false;
  bool NeedsRelaxed = false;     ///< accepted only with --expt-relaxed-constexpr or --extended-lambda
};

/// A job for one file, from the options of its parse. Error where the flags are refused.
llvm::Expected<CompileJob> makeJob(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options);

/// The whole file by nvcc, host and device half.
CompileResult compileByNvcc(const CompileJob &Job);
bool haveNvcc(llvm::StringRef CudaRoot);

/// Errors of nvcc's or NVRTC's output; Name is what the candidate is called there.
std::vector<CompilerMessage> parseMessages(llvm::StringRef Output, llvm::StringRef Name);

} // namespace kcheck::gate
#endif
