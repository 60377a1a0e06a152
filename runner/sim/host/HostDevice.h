//===- HostDevice.h - the simulated device as host code sees it ---------------===//
//
// One a process: memory, kernels, streams, errors, and what is wrong with the way the program uses them. The
// runtime shim (Shim*.cpp) turns CUDA calls into calls of this class.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_HOST_HOSTDEVICE_H
#define KCHECK_SIM_HOST_HOSTDEVICE_H

#include "runner/sim/Jit.h"
#include "runner/sim/host/HostProgram.h"
#include <set>

namespace kcheck::sim {

/// cudaError_t, the ones that the shim gives back.
enum CudaError : int {
  Success = 0, InvalidValue = 1, MemoryAllocation = 2, InvalidConfiguration = 9, InvalidSymbol = 13, InvalidDevicePointer = 17,
  InvalidMemcpyDirection = 21, InvalidDeviceFunction = 98, InvalidDevice = 101, InvalidResourceHandle = 400, NotReady = 600,
  IllegalAddress = 700, LaunchOutOfResources = 701, LaunchTimeout = 702, PeerAccessAlreadyEnabled = 704, PeerAccessNotEnabled = 705,
  Assert = 710, LaunchFailure = 719, CooperativeLaunchTooLarge = 720, NotPermitted = 800, NotSupported = 801, Unknown = 999
};

enum class CopyKind : int { HostToHost = 0, HostToDevice = 1, DeviceToHost = 2, DeviceToDevice = 3, Default = 4 };

/// Where host code is when it calls the runtime.
struct CallSite {
  uint64_t Pc = 0;
  void **Frame = nullptr;
};

struct KernelHandle {
  const Kernel *K = nullptr;
  EntryFunction Entry = nullptr;
  uint64_t MostDynamicShared = 48 * 1024;
};

class HostDevice {
public:
  HostDevice(Compiled &C, protocol::Result &R);

  // The program and where it stands
  void setProgram(HostProgram *P) { Program = P; }
  /// The place in the program's files that called, by the frames of the machine stack.
  Place here() const;
  Place placeOf(CallSite Site) const;
  void report(const char *Tag, const std::string &Message, bool Sure = true, const std::string &Buffer = "");
  void reportAt(const Place &At, const char *Tag, const std::string &Message, bool Sure = true, const std::string &Buffer = "");
  /// Ends the program: the call is known to be missing.
  [[noreturn]] void unsupported(const std::string &What);

  // Errors
  int fail(int Error);   ///< remembers the error for cudaGetLastError and gives it back
  int last(bool Clear);
  int sticky() const { return Sticky; }
  int synced() { LaunchFailed = false; return Sticky; }

  // Memory
  bool isDevice(const void *P) const; ///< in the simulated range, of whatever kind
  const Allocation *find(const void *P) const { return isDevice(P) ? Mem.find(uint64_t(P)) : nullptr; }
  void *allocate(uint64_t Bytes, bool HostVisible);
  int release(void *P, bool HostVisible);
  int copy(void *To, const void *From, uint64_t Bytes, CopyKind Kind, bool Async);
  int set(void *To, int Value, uint64_t Bytes);
  /// Checks a range of one side of a copy or set. False: reported.
  bool range(const void *P, uint64_t Bytes, const char *What);
  uint64_t symbol(const void *Variable, uint64_t *Bytes = nullptr); ///< 0: unknown

  // Kernels
  void registerKernel(size_t Unit, const void *Stub, const char *Name);
  void registerVariable(size_t Unit, const void *Host, const char *Name);
  KernelHandle *kernel(const void *Stub);
  int launch(const void *Stub, protocol::Dim3 Grid, protocol::Dim3 Block, void **Args, uint64_t Shared, int Stream, bool Cooperative);
  std::vector<uint8_t> pack(const Kernel &K, void **Args) const;
  int run(KernelHandle &H, const std::vector<uint8_t> &Params, protocol::Dim3 Grid, protocol::Dim3 Block, uint64_t Shared, int Stream, bool Cooperative);

  // The end
  void settle(); ///< leaks and errors that nobody asked for
  const std::string &source(const std::string &File, unsigned Line);
  void addSource(const std::string &File, const std::string &Text);

  Compiled &C;
  Memory Mem;
  Report Out;
  Engine E;
  protocol::Result &R;
  std::string Arch = "sm_80";
  HostProgram *Program = nullptr;

private:
  std::string nameFor(const Place &At, const char *Call);
  bool direction(const void *To, const void *From, CopyKind Kind);

  std::map<const void *, KernelHandle> Kernels;
  std::map<const void *, std::string> Variables;
  std::map<std::string, std::vector<std::string>> Sources;
  int LastError = 0, Sticky = 0;
  bool LaunchFailed = false; ///< and the program has not asked yet
  Place LaunchAt;
  std::string LaunchWhy;
};

/// Device memory is open while one lives: host code has no business there.
class OpenMemory {
public:
  explicit OpenMemory(HostDevice &D) : D(D) { if (Depth++ == 0) D.Mem.guard(false); }
  ~OpenMemory() { if (--Depth == 0) D.Mem.guard(true); }

private:
  HostDevice &D;
  static int Depth; // under the runtime's lock
};

HostDevice &hostDevice();
/// The call that is under way on this thread.
CallSite &currentCall();

/// Ends the process with the result written. Status: the program's own.
[[noreturn]] void endProgram(int Status);

/// The address that the program's undefined name stands for.
void *resolveForProgram(const std::string &Name);

struct ShimSymbol {
  const char *Name;
  void *Address;
};
void addShims(std::map<std::string, void *> &Table); ///< every part of the shim
const char *errorName(int Error);
const char *errorText(int Error);

} // namespace kcheck::sim
#endif
