//===- Wire.h - messages between the candidate's process and the device's ------===//
//
// Two pipes. Whatever does not have the form of a message was not written by the runtime: the candidate's code looked for
// the descriptor.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GUEST_WIRE_H
#define KCHECK_GUEST_WIRE_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace kcheck::guest {

enum class Op : uint32_t {
  // The device's process
  Reply, Call,
  // The candidate's process: where it stands
  Ready, Done, Threw, Exits, Crashed, Patches, Unsupported, Report,
  // … and its calls of the runtime
  Allocate, Release, Copy, Set, Pointer, Symbol, RegisterKernel, RegisterVariable, Run, Allow, Fail, Last, Synced, Order,
  // … of a real device
  Stream, Event, Ask, Fetch, Texture,
  Count
};

struct Message {
  Op What = Op::Reply;
  std::vector<uint64_t> Words, Callers; ///< Callers: addresses in the program's code
  std::vector<uint8_t> Bytes;
};

class Wire {
public:
  Wire() = default;
  Wire(int In, int Out) : In(In), Out(Out) {}
  enum class Got { Message, End, Nonsense, Late };
  using Clock = std::chrono::steady_clock;

  bool send(const Message &M);
  Got receive(Message &M, Clock::time_point Until);
  int in() const { return In; }
  int out() const { return Out; }

  /// A head of one message, for code that may not allocate (signal handlers).
  struct Head {
    uint64_t Magic, Bytes;
    uint32_t What, Sequence, Words, Callers;
  };
  Head head(const Message &M);
  static constexpr uint64_t MostBytes = uint64_t(4) << 30;

private:
  Got read(void *To, size_t Bytes, Clock::time_point Until, bool AtStart);
  int In = -1, Out = -1;
  uint32_t Sent = 0, Received = 0;
};

} // namespace kcheck::guest
#endif
