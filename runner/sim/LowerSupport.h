//===- LowerSupport.h - small helpers that the lowering units share -----------===//
#ifndef KCHECK_SIM_LOWERSUPPORT_H
#define KCHECK_SIM_LOWERSUPPORT_H

#include "runner/sim/Program.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace kcheck::sim {

/// The context argument of the function that holds I.
inline llvm::Value *contextOf(const llvm::Instruction *I) {
  return const_cast<llvm::Function *>(I->getFunction())->getArg(0);
}

/// Calls a runtime function: NAME(context, Args...). Its declaration is made on first use.
llvm::CallInst *callRuntime(llvm::IRBuilder<> &B, llvm::StringRef Name, llvm::Type *Result,
                            llvm::ArrayRef<llvm::Value *> Args);

/// A new site for I; its number is an argument of checks and runtime calls.
llvm::ConstantInt *newSite(Program &P, const llvm::Instruction *I, SiteKind Kind, unsigned Space = 0, unsigned Bytes = 0);

/// Loads a member of the thread context.
llvm::Value *loadContext(llvm::IRBuilder<> &B, llvm::Value *Context, unsigned Offset, llvm::Type *Type);

/// A slot on the machine stack of the function that holds I.
llvm::AllocaInst *entrySlot(const llvm::Instruction *I, llvm::Type *Type);

/// Replaces an NVVM intrinsic call; false when nothing is known of it.
bool lowerIntrinsic(llvm::CallInst *Call, Program &P);

/// Replaces a wmma intrinsic; false: its shape or types are unknown.
bool lowerWmma(llvm::CallInst *Call, Program &P);

/// Emits a finding unsupported_by_simulator at run time, and gives an undefined-but-fixed (zero) value.
void lowerUnsupported(llvm::CallInst *Call, Program &P, const llvm::Twine &What);

} // namespace kcheck::sim
#endif
