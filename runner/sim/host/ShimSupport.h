//===- ShimSupport.h - what the parts of the runtime shim share ---------------===//
#ifndef KCHECK_SIM_HOST_SHIMSUPPORT_H
#define KCHECK_SIM_HOST_SHIMSUPPORT_H

#include "runner/sim/host/HostDevice.h"
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace kcheck::sim {

/// dim3 as the program passes it.
struct ShimDim3 {
  unsigned X, Y, Z;
  operator protocol::Dim3() const { return {X, Y, Z}; }
};

/// One call of the runtime: takes the lock, remembers where the program called.
class ApiCall {
public:
  ApiCall(void *Pc, void *Frame);
  ~ApiCall();
};
#define API_CALL ApiCall Call_(__builtin_return_address(0), __builtin_frame_address(0))

/// cudaStream_t: null and 1 are the legacy default stream, 2 the thread's own.
int streamOf(void *Stream);
/// One more stream that waits for none by itself, for a branch of a graph.
void *branchStream();
/// Whether work on the stream is being recorded into a graph; then Do is, and the call is done.
bool captured(void *Stream, std::function<int()> Do);

/// Frees what graphs have freed; at the program's end.
void releaseGraphMemory();
/// The descriptions behind texture and surface objects are no memory of the program's.
void releaseTextureObjects();
/// Whether the address lies in host memory that cudaHostRegister was told of.
bool isRegistered(uint64_t Address);

using Table = std::map<std::string, void *>;
void addMemory(Table &T);
void addLaunch(Table &T);
void addStreams(Table &T);
void addInfo(Table &T);
void addGraphs(Table &T);
void addArrays(Table &T);
void addProcess(Table &T);
void addTorch(Table &T);
/// By what the others have added: last.
void addDriver(Table &T);
#define SHIM(Name) T[#Name] = reinterpret_cast<void *>(&Name)
#define SHIM_AS(Text, Name) T[Text] = reinterpret_cast<void *>(&Name)

} // namespace kcheck::sim
#endif
