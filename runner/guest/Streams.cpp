#include "runner/guest/Streams.h"
#include <algorithm>

using namespace kcheck::guest;

void Streams::join(StreamClock &Into, const StreamClock &From) {
  for (auto [Stream, Number] : From) {
    uint32_t &N = Into[Stream];
    N = std::max(N, Number);
  }
}

StreamClock Streams::record(int Stream) {
  StreamClock C = Clocks[Stream];
  if (Stream == 0)
    for (auto &[Other, Clock] : Clocks)
      if (Other != 0 && blocks(Other))
        join(C, Clock);
  return C;
}

std::shared_ptr<const StreamClock> Streams::launch(int Stream, uint32_t Number) {
  StreamClock C = record(Stream);
  join(C, Host);
  if (Stream != 0 && blocks(Stream))
    join(C, Clocks[0]);
  auto Before = std::make_shared<const StreamClock>(C);
  C[Stream] = Number;
  Clocks[Stream] = std::move(C);
  Last[Stream] = Number;
  return Before;
}

void Streams::wait(int Stream, const StreamClock &Event) { join(Clocks[Stream], Event); }

void Streams::hostWait(const StreamClock &Event) {
  join(Host, Event);
  std::erase_if(Last, [&](const auto &L) {
    auto It = Host.find(L.first);
    return It != Host.end() && It->second >= L.second;
  });
}

int Streams::unordered(int Stream) {
  StreamClock Before = record(Stream);
  join(Before, Host);
  for (auto [Other, Number] : Last)
    if (Other != Stream && Before[Other] < Number)
      return Other;
  return -1;
}

void Streams::syncAll() {
  for (auto &[Stream, Clock] : Clocks)
    join(Host, Clock);
  Last.clear();
}
