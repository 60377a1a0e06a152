//===- Streams.h - which launches are ordered before which --------------------===//
//
// Every stream has a clock: for each stream, the last launch of it that is ordered before what the stream does
// next. The host has one too. Stream 0 is the legacy default stream: it waits for the blocking streams, and
// they wait for it.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GUEST_STREAMS_H
#define KCHECK_GUEST_STREAMS_H

#include <cstdint>
#include <map>
#include <memory>

namespace kcheck::guest {

/// Stream -> number of its last launch (from 1) that is ordered before.
using StreamClock = std::map<int, uint32_t>;

class Streams {
public:
  void setBlocking(int Stream, bool Blocks) { NonBlocking[Stream] = !Blocks; }
  /// The next launch on the stream gets Number; what is ordered before it.
  std::shared_ptr<const StreamClock> launch(int Stream, uint32_t Number);
  StreamClock record(int Stream); ///< an event
  void wait(int Stream, const StreamClock &Event);
  void hostWait(const StreamClock &Event);
  void sync(int Stream) { hostWait(record(Stream)); }
  void syncAll();
  /// A stream with a launch that what comes next on Stream does not wait for; -1: none.
  int unordered(int Stream);
  /// Whether the host has waited for the launch of that number.
  bool hostKnows(int Stream, uint32_t Number) const {
    auto It = Last.find(Stream);
    return It == Last.end() || (Host.count(Stream) && Host.at(Stream) >= Number);
  }
  /// Whether there has ever been a stream besides the default one.
  bool several() const { return !NonBlocking.empty(); }
  /// Whether any launch so far may still run beside one that starts now on Stream.
  bool alone(int Stream) const { return Last.empty() || (Last.size() == 1 && Last.begin()->first == Stream); }

private:
  void join(StreamClock &Into, const StreamClock &From);
  bool blocks(int Stream) const {
    auto It = NonBlocking.find(Stream);
    return It == NonBlocking.end() || !It->second;
  }
  std::map<int, StreamClock> Clocks;
  std::map<int, bool> NonBlocking;
  StreamClock Host, Last; ///< Last: number of each stream's last launch that the host has not waited for
};

} // namespace kcheck::guest
#endif
