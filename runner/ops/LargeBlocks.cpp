#include "runner/ops/LargeBlocks.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KCHECK_OWN_NEW 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define KCHECK_OWN_NEW 0
#endif
#endif
#ifndef KCHECK_OWN_NEW
#define KCHECK_OWN_NEW 1
#endif

#if KCHECK_OWN_NEW
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unordered_map>

namespace {

constexpr size_t Least = size_t(1) << 20, Huge = size_t(2) << 20, MostKept = size_t(1) << 30;

class Pool {
public:
  void *take(size_t Bytes) {
    Bytes = (Bytes + Huge - 1) / Huge * Huge;
    std::lock_guard Guard(Lock);
    void *At = nullptr;
    if (auto It = Free.lower_bound(Bytes); It != Free.end() && It->first <= 2 * Bytes) {
      At = It->second;
      Bytes = It->first;
      Kept -= Bytes;
      Free.erase(It);
    } else if (!(At = map(Bytes))) {
      return nullptr;
    }
    Live[At] = Bytes;
    return At;
  }
  /// False: not one of ours.
  bool give(void *At) {
    std::lock_guard Guard(Lock);
    auto It = Live.find(At);
    if (It == Live.end())
      return false;
    if (Kept + It->second > MostKept) {
      munmap(At, It->second);
    } else {
      Kept += It->second;
      Free.emplace(It->second, At);
    }
    Live.erase(It);
    return true;
  }

private:
  static void *map(size_t Bytes) {
    void *P = mmap(nullptr, Bytes + Huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (P == MAP_FAILED)
      return nullptr;
    auto From = reinterpret_cast<uintptr_t>(P), At = (From + Huge - 1) / Huge * Huge;
    if (At > From)
      munmap(P, At - From);
    if (size_t Rest = From + Huge - At)
      munmap(reinterpret_cast<void *>(At + Bytes), Rest);
    madvise(reinterpret_cast<void *>(At), Bytes, MADV_HUGEPAGE);
    return reinterpret_cast<void *>(At);
  }
  std::mutex Lock;
  std::unordered_map<void *, size_t> Live;
  std::multimap<size_t, void *> Free;
  size_t Kept = 0;
};

/// Never destroyed: memory is given back after every destructor.
Pool &pool() {
  alignas(Pool) static char Room[sizeof(Pool)];
  static Pool *P = new (Room) Pool;
  return *P;
}

void release(void *P) {
  // Blocks of the pool begin a huge page, which few others do.
  if (P && (reinterpret_cast<uintptr_t>(P) & (Huge - 1)) == 0 && pool().give(P))
    return;
  std::free(P);
}

} // namespace

void *operator new(size_t Bytes) {
  if (Bytes >= Least)
    if (void *P = pool().take(Bytes))
      return P;
  for (;;) {
    if (void *P = std::malloc(Bytes ? Bytes : 1))
      return P;
    std::new_handler Handler = std::get_new_handler();
    if (!Handler)
      throw std::bad_alloc();
    Handler();
  }
}
void *operator new[](size_t Bytes) { return operator new(Bytes); }
void operator delete(void *P) noexcept { release(P); }
void operator delete[](void *P) noexcept { release(P); }
void operator delete(void *P, size_t) noexcept { release(P); }
void operator delete[](void *P, size_t) noexcept { release(P); }

bool kcheck::ops::useLargeBlocks() { return true; }
#else
bool kcheck::ops::useLargeBlocks() { return false; }
#endif
