#include "runner/guest/Names.h"
#include <set>

using namespace kcheck;

bool guest::isClockName(const std::string &Name) {
  static const std::set<std::string> Clocks = {"clock_gettime", "gettimeofday", "clock", "time", "timespec_get", "_ZNSt6chrono3_V212steady_clock3nowEv",
                                               "_ZNSt6chrono3_V212system_clock3nowEv", "cudaDeviceSynchronize", "cudaStreamSynchronize"};
  return Clocks.count(Name) || Name.starts_with("cudaEvent");
}

bool guest::isRuntimeName(const std::string &Name) {
  static const std::set<std::string> Others = {"cudaMalloc", "cudaMallocAsync", "cudaMallocManaged", "cudaMallocHost", "cudaFree", "cudaFreeAsync", "cudaMemset",
                                               "cudaMemsetAsync", "cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpy2D", "cudaMemcpy2DAsync", "cudaLaunchKernel",
                                               "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel", "cudaStreamCreate", "cudaStreamCreateWithFlags",
                                               "cudaStreamWaitEvent", "cudaStreamQuery", "cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString",
                                               "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol", "cudaGraphLaunch"};
  return isClockName(Name) || Others.count(Name);
}
