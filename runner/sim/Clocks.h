//===- Clocks.h - what is ordered by fences and atomics -----------------------===//
//
// A thread that fences and then writes an atomic or volatile location releases: what it and, by its last
// barrier, its block did before. A thread that reads the location acquires that. Clocks only grow, so what a
// thread has acquired is a clock and how much of it there was.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_CLOCKS_H
#define KCHECK_SIM_CLOCKS_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace kcheck::sim {

struct Clock;
struct Known {
  Clock *What;
  uint64_t Version;
};
using Acquired = std::vector<Known>;

void merge(Acquired &Into, const Acquired &From);

struct Clock {
  struct Step {
    uint64_t Version;
    uint32_t Epoch;
  };
  uint64_t Version = 0;
  std::unordered_map<uint64_t, std::vector<Step>> Entries; ///< (uid, thread) or (uid, all threads)
  std::vector<std::pair<uint64_t, Known>> Links;
};

class Clocks {
public:
  bool any() const { return Any.load(std::memory_order_relaxed); }
  void clear();
  /// Thread's accesses up to Epoch, and all of its block's before BarrierEpoch, are published at Address.
  void release(uint64_t Address, uint32_t Uid, uint32_t Thread, uint32_t Epoch, uint32_t BarrierEpoch, const Acquired &Knows);
  void acquire(uint64_t Address, Acquired &Knows);
  /// What an acquire of the address would bring now.
  Acquired published(uint64_t Address);
  bool knows(const Acquired &Knows, uint32_t Uid, uint32_t Thread, uint32_t Epoch);

private:
  std::mutex Lock;
  std::atomic<bool> Any{false};
  std::unordered_map<uint64_t, std::unique_ptr<Clock>> Map;
};

} // namespace kcheck::sim
#endif
