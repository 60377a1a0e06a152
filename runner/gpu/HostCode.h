//===- HostCode.h - launcher mode: the candidate's own host code, for one job ---------===//
//
//   call(arguments) ─► kcheck-gpu-guest, a process without a GPU ─► the launcher
//                  ◄─ its calls of the CUDA runtime, done here with the driver, within the job's buffers and its own memory
//
// The process lives as long as the job, so what it keeps from one call to the next is seen by the second one. Nothing that it
// says is believed but calls: they can do what calls of the runtime can do, and their copies stay within memory it was given.
//
//===----------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_HOSTCODE_H
#define KCHECK_GPU_HOSTCODE_H

#include "runner/gpu/Execute.h"
#include "runner/gpu/Process.h"
#include "runner/guest/Process.h"
#include "runner/guest/Streams.h"
#include "runner/protocol/Result.h"
#include <utility>

namespace kcheck::gpu {

/// Whether steps call the candidate's launcher.
bool callsHost(const std::vector<protocol::Step> &Steps);

class HostCode {
public:
  /// Starts the process; what the candidate's constructors do is done then.
  HostCode(Device &G, const protocol::Job &J, Loaded &Code, protocol::Result &R);
  ~HostCode();
  HostCode(const HostCode &) = delete;
  HostCode &operator=(const HostCode &) = delete;

  /// One call of the launcher. What it queued comes before what is queued next on the main stream.
  void call(const protocol::CallStep &S, Buffers &B, const std::vector<protocol::Buffer> &Declared, const FillBytes &F, std::vector<protocol::Finding> &Out);
  /// Nothing is done but what is asked: no red zones around new memory, nothing checked after a call.
  void setTimed(bool On) { Timed = On; }
  /// Registers, shared memory and occupancy of the kernels that were launched.
  std::vector<protocol::KernelFacts> facts();
  /// Whether host code has looked into managed memory, which then went from one process to the other.
  bool movesManaged() const { return Moved; }
  /// What calls of the runtime may have cost by coming from another process, at most, since the last time.
  double takeCallsMs() { return MostMs * std::exchange(Asked, 0); }
  std::string takePrinted() { return Process.takePrinted(); }

private:
  struct Memory {
    std::unique_ptr<protocol::Buffer> Of;
    std::unique_ptr<Buffers> In;
  };
  struct Recorded {
    Event E = nullptr;
    guest::StreamClock Before;
  };
  struct Kernel {
    std::string Name; ///< as people write it
    Function F = nullptr;
    std::vector<std::pair<size_t, size_t>> Params;
    protocol::LaunchStep Last; ///< without a grid: never launched
  };
  using Message = guest::Message;

  void serve(guest::Op Last, Message *Final = nullptr);
  bool status(const Message &M);
  void answer(const Message &M, Message &A);
  int allocate(uint64_t Bytes, DevicePtr &At);
  int release(DevicePtr At);
  int copy(const Message &M, Message &A);
  int set(const Message &M);
  int fetch(const Message &M, Message &A);
  int registerKernel(const Message &M, Message &A);
  int registerVariable(const Message &M, Message &A);
  int run(const Message &M);
  Status launchCluster(const Message &M, const Kernel &K, Stream On, void **Args);
  int allow(const Message &M);
  int stream(const Message &M, Message &A);
  int event(const Message &M, Message &A);
  int ask(const Message &M, Message &A);
  int texture(const Message &M, Message &A);

  /// What the status means for the candidate; one that costs the context ends the job.
  int done(Status S, const std::string &What);
  bool range(DevicePtr At, uint64_t Bytes, const char *What);
  Stream streamOf(uint64_t Number);
  void queued(uint64_t Number) { Order.launch(int(Number), ++Launches); }
  void beginStream(Stream S);
  void settle();
  void report(const std::string &Tag, const std::string &Message, bool Sure = true);
  [[noreturn]] void gone();

  Device &G;
  const protocol::Job &J;
  Loaded &Code;
  protocol::Result &R;
  TemporaryFolder Folder;
  guest::GuestProcess Process;
  std::map<DevicePtr, Memory> Own;
  std::map<DevicePtr, std::pair<uint64_t, std::string>> Known; ///< what calls may name: bytes and name
  std::map<uint64_t, Kernel> Kernels;                          ///< by stub
  std::map<uint64_t, Stream> Streams;
  std::map<uint64_t, Recorded> Events;
  std::set<uint64_t> Textures;
  guest::Streams Order;
  uint32_t Launches = 0;
  std::map<int, uint32_t> LastKernel; ///< the number of a stream's last kernel
  uint64_t Next, Used = 0;
  Event Begun = nullptr; ///< what the caller had queued before the call
  FillBytes Fill;
  std::vector<protocol::Finding> *Out = nullptr; ///< of the call under way
  std::vector<protocol::Finding> Early;          ///< of the constructors
  static constexpr double MostMs = 0.05; ///< a question and its answer
  unsigned Asked = 0;
  bool Timed = false, Moved = false;
};

} // namespace kcheck::gpu
#endif
