//===- Compile.h - a candidate's source as a module of the device -----------------===//
//
//   Source ─► vet (no include leaves the toolkit and the job) ─► cache ─► NVRTC on the device text
//                                                                     └─► nvcc on the whole file, where NVRTC fails or is not wanted
//
// Messages name the candidate's own lines only: text of other files is never quoted.
//
//===------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_COMPILE_H
#define KCHECK_GPU_COMPILE_H

#include "runner/gpu/Cache.h"
#include "runner/protocol/Job.h"

namespace kcheck::gpu {

struct CompileRequest {
  const protocol::Source *Source = nullptr;
  std::vector<std::string> Kernels; ///< name expressions
  std::string Arch = "sm_90";
  std::string Compiler;             ///< nvrtc, nvcc; empty: nvrtc, then nvcc
  std::string Driver;               ///< version, part of the key
  double Seconds = 30;
  bool FullDebug = false;
};

/// Everything that decides the outcome, hashed.
std::string cacheKey(const CompileRequest &R, const std::string &Compilers);

class CompilerProcess;
/// NVRTC on the device text, in this process and past the cache.
Binary compileByNvrtc(const CompileRequest &R);

/// Why this source may not be compiled here (an include that leaves the job's folder and the toolkit); empty: it may.
std::string refusedInclude(const protocol::Source &S);
/// The same of its arguments, macro definitions and standard: a job may come from anywhere.
std::string refusedArgument(const protocol::Source &S);

/// Messages of NVRTC's and nvcc's logs that stand in a file of the job; File is the candidate's name.
std::vector<protocol::CompileMessage> parseCompilerLog(const std::string &Log, const protocol::Source &S);

/// "ns::scale<float, 4>" of a demangled "void ns::scale<float, 4>(float*, int)", without spaces and suffixes, to compare names.
std::string plainKernelName(std::string Demangled);

/// Compiles, or takes the outcome from the cache.
Binary compile(const CompileRequest &R, const Cache &C, CompilerProcess *Helper = nullptr);

} // namespace kcheck::gpu
#endif
