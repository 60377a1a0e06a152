#include "runner/sim/Clocks.h"
#include <algorithm>
#include <unordered_set>

using namespace kcheck::sim;

namespace {
constexpr uint32_t AllThreads = 1024;
uint64_t key(uint32_t Uid, uint32_t Thread) { return uint64_t(Uid) << 11 | Thread; }

void note(Clock &C, uint64_t Key, uint32_t Epoch) {
  auto &Steps = C.Entries[Key];
  if (!Steps.empty() && Steps.back().Epoch >= Epoch)
    return;
  if (Steps.size() >= 8)
    Steps.erase(Steps.begin() + 1);
  Steps.push_back({C.Version, Epoch});
}

uint32_t epochAt(const Clock &C, uint64_t Key, uint64_t Version) {
  auto It = C.Entries.find(Key);
  uint32_t Best = 0;
  if (It != C.Entries.end())
    for (const Clock::Step &S : It->second)
      if (S.Version <= Version)
        Best = std::max(Best, S.Epoch);
  return Best;
}
} // namespace

void kcheck::sim::merge(Acquired &Into, const Acquired &From) {
  for (const Known &K : From) {
    auto It = std::find_if(Into.begin(), Into.end(), [&](const Known &O) { return O.What == K.What; });
    if (It == Into.end())
      Into.push_back(K);
    else
      It->Version = std::max(It->Version, K.Version);
  }
}

void Clocks::clear() {
  std::lock_guard<std::mutex> Guard(Lock);
  Map.clear();
  Any = false;
}

void Clocks::release(uint64_t Address, uint32_t Uid, uint32_t Thread, uint32_t Epoch, uint32_t BarrierEpoch, const Acquired &Knows) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto &C = Map[Address];
  if (!C)
    C = std::make_unique<Clock>();
  ++C->Version;
  note(*C, key(Uid, Thread), Epoch);
  note(*C, key(Uid, AllThreads), BarrierEpoch);
  for (const Known &K : Knows) {
    if (K.What == C.get())
      continue;
    bool Have = std::any_of(C->Links.begin(), C->Links.end(),
                            [&](const auto &L) { return L.second.What == K.What && L.second.Version >= K.Version; });
    if (!Have)
      C->Links.push_back({C->Version, K});
  }
  Any = true;
}

void Clocks::acquire(uint64_t Address, Acquired &Knows) { merge(Knows, published(Address)); }

Acquired Clocks::published(uint64_t Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto It = Map.find(Address);
  return It == Map.end() ? Acquired{} : Acquired{{It->second.get(), It->second->Version}};
}

bool Clocks::knows(const Acquired &Knows, uint32_t Uid, uint32_t Thread, uint32_t Epoch) {
  if (Knows.empty())
    return false;
  std::lock_guard<std::mutex> Guard(Lock);
  Acquired Todo = Knows;
  std::unordered_map<const Clock *, uint64_t> Seen;
  while (!Todo.empty()) {
    Known K = Todo.back();
    Todo.pop_back();
    auto [It, New] = Seen.insert({K.What, K.Version});
    if (!New) {
      if (It->second >= K.Version)
        continue;
      It->second = K.Version;
    }
    if (epochAt(*K.What, key(Uid, Thread), K.Version) >= Epoch || epochAt(*K.What, key(Uid, AllThreads), K.Version) > Epoch)
      return true;
    for (const auto &[Version, Link] : K.What->Links)
      if (Version <= K.Version)
        Todo.push_back(Link);
  }
  return false;
}
