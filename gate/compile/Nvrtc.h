//===- Nvrtc.h - the device slice by NVRTC ------------------------------------===//
#ifndef KCHECK_GATE_COMPILE_NVRTC_H
#define KCHECK_GATE_COMPILE_NVRTC_H

#include "gate/compile/Compiler.h"
#include "gate/compile/Slice.h"

namespace kcheck::gate {

/// libnvrtc of the toolkit, empty where there is none.
std::string nvrtcLibrary(llvm::StringRef CudaRoot);
/// The library and our program that opens it are both there.
bool haveNvrtc(llvm::StringRef CudaRoot);

/// Compiles the slice of the job's file; messages carry the file's own lines.
CompileResult compileByNvrtc(const CompileJob &Job, const DeviceSlice &Slice);

} // namespace kcheck::gate
#endif
