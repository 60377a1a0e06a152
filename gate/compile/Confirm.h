//===- Confirm.h - no reject on Clang's word alone ----------------------------===//
//
//   kcheck-compile findings ─► NVRTC on the device slice ─ same fault ──────────────► confirmed (compile_device)
//                                        └─ anything else ─► nvcc on the whole file ─► confirmed | dropped | doubt
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_COMPILE_CONFIRM_H
#define KCHECK_GATE_COMPILE_CONFIRM_H

#include "gate/compile/Compiler.h"

namespace kcheck::gate {

/// Asks the real compiler about R's findings of the compile layer. What it accepts is dropped, what it refuses gets
/// its message, and where none can be asked a reject becomes a review. The answer is what was confirmed:
/// "compile_device", "compile_host", for the report's coverage. Files without such findings cost nothing.
std::vector<std::string> confirmCompile(LintResult &R, llvm::StringRef Text, const ParseOptions &Options, const Policy &P);

/// The same for many files, as many at a time as Options.Jobs allows. Inputs and answers are in the order of Results.
std::vector<std::vector<std::string>> confirmAll(std::vector<LintResult> &Results, llvm::ArrayRef<LintInput> Inputs,
                                                 const ParseOptions &Options, const Policy &P);

/// The tag of kcheck-compile that a compiler's message belongs to.
llvm::StringRef tagOfMessage(llvm::StringRef Message);

/// Fits the findings to the compiler's answer (the decision alone, without running anything).
void applyAnswer(LintResult &R, const CompileResult &Answer, const Policy &P);

/// Fits the findings to NVRTC's answer about the device slice. True where nothing is left for nvcc to decide: it
/// refused the slice, and every finding is one of its errors. With Torch the candidate includes PyTorch's headers, which
/// neither compiler read: only faults about names that start like CUDA's own (`__`) are settled.
bool applyDeviceAnswer(LintResult &R, const CompileResult &Answer, const Policy &P, bool Torch);

/// Fits the findings to nvcc's answer about a candidate that includes PyTorch's headers, for which kcheck's own declarations
/// stood in: what these may lack is no fault of the candidate. Text is what the compiler read.
void applyStandInAnswer(LintResult &R, const CompileResult &Answer, llvm::StringRef Text, const Policy &P);

} // namespace kcheck::gate
#endif
