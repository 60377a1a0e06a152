//===- Pipeline.h - from raw NVPTX IR to checked x86-64 IR --------------------===//
//
//   raw IR ─ early ─► small IR ─ retarget ─► x86 data layout ─ lower ─► context argument, runtime calls
//          ─ instrument ─► checks inlined ─ late ─► ready for code generation
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_PIPELINE_H
#define KCHECK_SIM_PIPELINE_H

#include "runner/sim/Program.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace kcheck::sim {

/// Runs a textual pass pipeline with the passes of TM's target.
void runPasses(llvm::Module &M, llvm::TargetMachine &TM, llvm::StringRef Pipeline);

/// Early optimisation as the GPU's own compiler would see it; keeps what checks need to see.
/// OwnFiles: how the names of the candidate's files begin.
void optimiseEarly(llvm::Module &M, llvm::TargetMachine &Gpu, llvm::StringRef OwnFiles);

/// Gives every function the context argument, moves variables into simulated memory, replaces intrinsics and
/// inline PTX by code or runtime calls. Fills P's tables.
void lower(llvm::Module &M, Program &P);

/// Puts a check before every access, fuel into every loop.
void instrument(llvm::Module &M, Program &P);

/// Translates one inline PTX call in place. False: something in it is unknown; nothing was changed.
bool translatePtx(llvm::CallInst *Call, Program &P, std::string &Unknown);

} // namespace kcheck::sim
#endif
