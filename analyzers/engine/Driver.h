//===- Driver.h - parse a candidate once, run the rules -----------------------===//
//
//   flags ─► Setup ─┐
//   text ─► leading includes ─► PCH ─┴─► device view ─► rules ─┐
//                                   └─► host view, where it differs ─► rules ─┴─► merged findings
//
// parse() is for one view of one text. lint() is the static track on one text, in this process. lintFiles() is
// for programs: many files on all cores, each parse in a process of its own, so that a crash, a hang or a memory
// bomb costs one file's result and nothing else.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_H
#define KCHECK_ENGINE_DRIVER_H

#include "analyzers/engine/KernelSummary.h"
#include "analyzers/engine/Rule.h"

namespace kcheck {

/// What became of reading a single file in the process that was started (OneShot.h).
enum class FirstTry {
  NotMade,  ///< files are read in worker processes
  Here,     ///< this is that process: a single file is read in it
  Crashed,  ///< it died: worker processes have their turn
  TooLong,  ///< it used more than its processor time
  TooLarge  ///< it used more than its memory
};

struct ParseOptions {
  std::string Arch;                   ///< "sm_90"; empty: from the flags, else sm_80
  std::vector<std::string> ExtraArgs; ///< nvcc's or Clang's arguments (after `--`, or of a compile command)
  std::string CudaRoot;               ///< empty: find it; "none": act as if absent
  std::string Directory;              ///< where relative folders in ExtraArgs start; empty: the working directory
  std::string Root;                   ///< includes resolve below it; empty: see projectRoot()
  std::string BuildDir;               ///< folder of compile_commands.json (`-p`); empty: none
  bool UseCache = true;               ///< precompiled headers
  std::string CacheDir;               ///< empty: $XDG_CACHE_HOME/kcheck or ~/.cache/kcheck
  double Seconds = 10;                ///< bound on one file in lintFiles()
  unsigned MemoryMB = 4096;           ///< bound on one worker's memory in lintFiles()
  unsigned Jobs = 0;                  ///< workers of lintFiles(); 0: one a core
  FirstTry Try = FirstTry::NotMade;
  bool ReadTemplates = false;         ///< instantiate launchers that nobody instantiates (see driver/Templates.h)
  bool LastParse = false;             ///< the process ends after it: memory need not be given back
};

/// What the static track says of one file.
struct LintResult {
  std::string File;
  std::vector<Finding> Findings;
  std::vector<KernelSummary> Kernels;
  std::vector<PassedCheck> Passed;
  double ElapsedMs = 0;
  std::string Error; ///< kcheck could not look at the file: exit status 2
  std::vector<std::string> Notes;    ///< about the run, not the code: raised architecture, no cache, ...
  std::vector<std::string> MissingHeaders;
  std::string Arch;
  unsigned CudaVersion = 0;
  bool HasToolkit = false;
  bool HostViewToo = false; ///< the host view was looked at as well
};

/// Parses Text (the content of File) and calls Use while the AST is alive. An error says why there is no AST
/// (a refused flag, unreadable text); errors in the text itself are diagnostics of the unit.
llvm::Error parse(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, View Which,
                  llvm::function_ref<void(TranslationUnit &)> Use);

/// The static track on one file. A Python file's CUDA strings are looked at one by one.
LintResult lint(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, const Policy &P);

struct LintInput {
  std::string File;
  std::optional<std::string> Text; ///< the content, where it is not that of File on disk
};

/// lint() over many files, in processes of their own. Results are in the order of the inputs; Progress is called
/// with the number of finished files.
std::vector<LintResult> lintFiles(llvm::ArrayRef<LintInput> Inputs, const ParseOptions &Options, const Policy &P,
                                  llvm::function_ref<void(size_t)> Progress = nullptr);

/// The folder below which a file's includes must lie: the nearest enclosing repository, else the working
/// directory where the file is below it, else the file's own folder.
std::string projectRoot(llvm::StringRef File);

} // namespace kcheck
#endif
