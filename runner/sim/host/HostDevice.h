//===- HostDevice.h - the simulated device as host code sees it ---------------===//
//
// One a process: memory, kernels, streams, errors, and what is wrong with the way the program uses them. The
// runtime shim (Shim*.cpp) turns CUDA calls into calls of this class.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_HOST_HOSTDEVICE_H
#define KCHECK_SIM_HOST_HOSTDEVICE_H

#include "runner/guest/Errors.h"
#include "runner/sim/Jit.h"
#include "runner/sim/host/HostProgram.h"
#include <functional>
#include <optional>
#include <set>

namespace kcheck::sim {

using namespace guest; // errors, streams, the wire: what both workers' launcher modes share

/// Where host code is when it calls the runtime.
struct CallSite {
  uint64_t Pc = 0;
  void **Frame = nullptr;
  std::vector<uint64_t> Callers; ///< of another process: the addresses in the program's code, innermost first
};

/// The device of another process: launcher mode keeps the candidate's host code away from it (Guest.h). Each call stands for
/// HostDevice's of the same name.
class DeviceLink {
public:
  virtual ~DeviceLink() = default;
  virtual void *allocate(uint64_t Bytes, bool HostVisible, const std::optional<std::string> &Name) = 0;
  virtual int release(void *P, bool HostVisible) = 0;
  virtual int copy(void *To, const void *From, uint64_t Bytes, CopyKind Kind, bool Async) = 0;
  virtual int set(void *To, int Value, uint64_t Bytes) = 0;
  virtual int pointer(const void *P, void **Base, size_t *Bytes) = 0;
  virtual uint64_t symbol(const void *Variable, uint64_t *Bytes) = 0;
  virtual void registerKernel(size_t Unit, const void *Stub, const char *Name) = 0;
  virtual void registerVariable(size_t Unit, const void *Host, const char *Name) = 0;
  virtual int run(const void *Stub, const std::vector<uint8_t> &Params, protocol::Dim3 Grid, protocol::Dim3 Block, uint64_t Shared, int Stream, bool Cooperative) = 0;
  virtual int allow(const void *Stub, uint64_t MostDynamicShared) = 0;
  virtual int fail(int Error) = 0;
  virtual int last(bool Clear) = 0;
  virtual int sticky() const = 0;
  virtual int synced() = 0;
  virtual void order(int What, int Stream, StreamClock &Clock) = 0;
  virtual void report(const char *Tag, const std::string &Message, bool Sure, const std::string &Buffer) = 0;
  [[noreturn]] virtual void unsupported(const std::string &What) = 0;
  [[noreturn]] virtual void exits(int Status) = 0;
};

struct KernelHandle {
  const void *Stub = nullptr;
  const Kernel *K = nullptr;
  EntryFunction Entry = nullptr;
  uint64_t MostDynamicShared = 48 * 1024;
};

class HostDevice {
public:
  HostDevice(Compiled &C, Memory &Mem, protocol::Result &R);

  // The program and where it stands
  void setProgram(HostProgram *P) { Program = P; }
  /// The place in the program's files that called, by the frames of the machine stack.
  Place here() const;
  Place placeOf(const CallSite &Site) const;
  /// The addresses of the program's code that led to the call, innermost first.
  std::vector<uint64_t> callers(const CallSite &Site) const;
  void report(const char *Tag, const std::string &Message, bool Sure = true, const std::string &Buffer = "");
  void reportAt(const Place &At, const char *Tag, const std::string &Message, bool Sure = true, const std::string &Buffer = "");
  /// Ends the program: the call is known to be missing.
  [[noreturn]] void unsupported(const std::string &What);

  // Errors
  int fail(int Error);   ///< remembers the error for cudaGetLastError and gives it back
  int last(bool Clear);
  int sticky() const { return Link ? Link->sticky() : Sticky; }
  int synced();

  // Memory
  bool isDevice(const void *P) const; ///< in the simulated range, of whatever kind
  const Allocation *find(const void *P) const { return isDevice(P) ? Mem.find(uint64_t(P)) : nullptr; }
  /// Name: for findings; empty: the variable that the line assigns to; none: what the line takes the address of.
  void *allocate(uint64_t Bytes, bool HostVisible, std::optional<std::string> Name = std::nullopt);
  int release(void *P, bool HostVisible, bool Waits = true);
  int copy(void *To, const void *From, uint64_t Bytes, CopyKind Kind, bool Async);
  int set(void *To, int Value, uint64_t Bytes);
  /// What the call is about to do beside other streams. Waits: for its end.
  void transfer(const char *Call, int Stream, bool Waits, const void *To, const void *From, uint64_t Bytes, uint64_t ToPitch = 0, uint64_t FromPitch = 0, uint64_t Rows = 1);
  int pointer(const void *P, void **Base, size_t *Bytes); ///< 0 host, 1 host-visible, 2 device
  /// Checks a range of one side of a copy or set. False: reported.
  bool range(const void *P, uint64_t Bytes, const char *What);
  uint64_t symbol(const void *Variable, uint64_t *Bytes = nullptr); ///< 0: unknown

  // Kernels
  void registerKernel(size_t Unit, const void *Stub, const char *Name);
  void registerVariable(size_t Unit, const void *Host, const char *Name);
  KernelHandle *kernel(const void *Stub);
  void allow(KernelHandle &H, uint64_t MostDynamicShared); ///< dynamic shared memory of its launches
  int launch(const void *Stub, protocol::Dim3 Grid, protocol::Dim3 Block, void **Args, uint64_t Shared, int Stream, bool Cooperative);
  std::vector<uint8_t> pack(const Kernel &K, void **Args) const;
  int run(KernelHandle &H, const std::vector<uint8_t> &Params, protocol::Dim3 Grid, protocol::Dim3 Block, uint64_t Shared, int Stream, bool Cooperative);

  // What the streams leave unordered
  enum OrderCall { Blocking, NonBlocking, Sync, SyncAll, Record, Wait, HostWait };
  void order(OrderCall What, int Stream, StreamClock &Clock);
  void orderBlocking(int Stream, bool Blocks) { StreamClock None; order(Blocks ? Blocking : NonBlocking, Stream, None); }
  void orderSync(int Stream) { StreamClock None; order(Sync, Stream, None); }
  void orderSyncAll() { StreamClock None; order(SyncAll, 0, None); }
  StreamClock orderRecord(int Stream) { StreamClock C; order(Record, Stream, C); return C; }
  void orderWait(int Stream, StreamClock Event) { order(Wait, Stream, Event); }
  void orderHostWait(StreamClock Event) { order(HostWait, 0, Event); }
  const Place *lastLaunch(int Stream) const { auto It = LastLaunch.find(Stream); return It == LastLaunch.end() ? nullptr : &It->second; }

  // The end
  /// A signal that ended the host code: a finding, and the result's state.
  void reportCrash(int Signal, uint64_t Address, bool Write, const Place &At, bool InRuntime);
  [[noreturn]] void end(int Status);
  void settle(); ///< leaks and errors that nobody asked for
  const std::string &source(const std::string &File, unsigned Line);
  void addSource(const std::string &File, const std::string &Text);

  Compiled &C;
  Memory &Mem;
  Report Out;
  Engine E;
  protocol::Result &R;
  std::string Arch = "sm_80";
  HostProgram *Program = nullptr;
  DeviceLink *Link = nullptr;          ///< set: this is only the view of it, and every call goes there
  bool Guarded = true;                 ///< host code of this process is kept from device memory
  bool Dry = false;                    ///< launches, copies and sets are left out
  unsigned LeftOut = 0;                ///< launches since
  bool Printing = true;                ///< what kernels print goes to stdout
  std::function<void(int)> EndInstead; ///< throws; else end() ends the process

private:
  std::string nameFor(const Place &At, const char *Call);
  bool direction(const void *To, const void *From, CopyKind Kind);

  std::map<const void *, KernelHandle> Kernels;
  std::map<const void *, std::string> Variables;
  std::map<std::string, std::vector<std::string>> Sources;
  std::map<int, Place> LastLaunch; ///< by stream
  int LastError = 0, Sticky = 0;
  bool LaunchFailed = false; ///< and the program has not asked yet
  Place LaunchAt;
  std::string LaunchWhy;
};

/// Device memory is open while one lives: host code has no business there.
class OpenMemory {
public:
  explicit OpenMemory(HostDevice &D) : D(D) { if (Depth++ == 0 && D.Guarded) D.Mem.guard(false); }
  ~OpenMemory() { if (--Depth == 0 && D.Guarded) D.Mem.guard(true); }

private:
  HostDevice &D;
  static int Depth; // under the runtime's lock
};

HostDevice &hostDevice();
void setHostDevice(HostDevice *D);
/// The call that is under way on this thread.
CallSite &currentCall();

/// Ends the process with the result written. Status: the program's own.
[[noreturn]] void endProgram(int Status);

/// The address that the program's undefined name stands for. Code: of its kernels and __managed__ variables.
void *resolveForProgram(const std::string &Name, const kcheck::sim::Program &Code);

struct ShimSymbol {
  const char *Name;
  void *Address;
};
void addShims(std::map<std::string, void *> &Table); ///< every part of the shim

} // namespace kcheck::sim
#endif
