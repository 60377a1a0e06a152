//===- JitSupport.h - code generation that device and host code share ---------===//
#ifndef KCHECK_SIM_JITSUPPORT_H
#define KCHECK_SIM_JITSUPPORT_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace kcheck::sim {

void initialiseTargets();

/// This machine's code generator. Thread-local variables of loaded code need emulation.
std::unique_ptr<llvm::TargetMachine> hostTargetMachine(bool EmulatedTls = false);

/// The variables that the front end marks as __managed__; the marks are gone afterwards.
std::vector<llvm::GlobalVariable *> takeManaged(llvm::Module &M);

std::unique_ptr<llvm::MemoryBuffer> generateObject(llvm::Module &M, llvm::TargetMachine &Host);

} // namespace kcheck::sim
#endif
