//===- FrontEnd.h - candidate text to unoptimised NVPTX IR, in this process ---===//
//
// Clang's cc1 with -O1 -disable-llvm-passes: optimised IR would hide never-written reads, endless loops and
// divergent branches. libdevice is linked as builtin bitcode. A precompiled header of the toolkit's headers
// lies in the cache folder; a file that defines macros before its includes is parsed without it.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_FRONTEND_H
#define KCHECK_SIM_FRONTEND_H

#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace kcheck::sim {

struct FrontEndOptions {
  std::string CudaRoot; ///< empty: find it
  std::string CacheDir; ///< empty: $KCHECK_CACHE_DIR, $XDG_CACHE_HOME/kcheck or ~/.cache/kcheck; "none": no cache
  std::string Root = "/kcheck-src/"; ///< stands before the source's file names; the real folder of a whole program
  bool Host = false;        ///< the host side, for x86-64
  bool PlainHost = false;   ///< a C++ file without CUDA
  bool PrepareOnly = false; ///< only make the precompiled header
};

struct DeviceModule {
  std::unique_ptr<llvm::Module> IR; ///< null when Clang had errors
  /// Mangled name of each kernel name expression asked for; absent when it names no kernel.
  std::map<std::string, std::string> Kernels;
  std::vector<protocol::CompileMessage> Messages;
  bool Prepared = false; ///< PrepareOnly: the precompiled header is there
};

/// Compiles one side of S. KernelNames are name expressions that the job launches.
DeviceModule compileSide(const protocol::Source &S, const std::vector<std::string> &KernelNames,
                         llvm::LLVMContext &Context, FrontEndOptions Options);

/// The CUDA toolkit's root folder, empty when there is none.
std::string findCudaRoot();
std::string defaultCacheDir();

} // namespace kcheck::sim
#endif
