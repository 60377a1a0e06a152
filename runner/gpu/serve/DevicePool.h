//===- DevicePool.h - which request has which device -------------------------------===//
//
//   request ─► take(): the first device that is free, in the order of arrival ─► Lease ─► jobs ─► given back
//                 └─ more than Queue requests wait: refused at once
//
// A device serves one request at a time, so that measurements never share it; several devices serve several.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_SERVE_DEVICEPOOL_H
#define KCHECK_GPU_SERVE_DEVICEPOOL_H

#include "runner/gpu/Supervisor.h"
#include <condition_variable>
#include <deque>
#include <mutex>

namespace kcheck::gpu {

class DevicePool {
public:
  DevicePool(const std::vector<int> &Devices, const std::string &Program, unsigned Queue, const Confinement &In = {});

  /// A device of one's own; given back when it goes out of scope.
  class Lease {
  public:
    Lease() = default;
    Lease(Lease &&Other) noexcept : Pool(Other.Pool), At(Other.At) { Other.Pool = nullptr; }
    Lease &operator=(Lease &&Other) noexcept {
      std::swap(Pool, Other.Pool);
      std::swap(At, Other.At);
      return *this;
    }
    ~Lease();
    explicit operator bool() const { return Pool != nullptr; }
    Supervisor &worker() const;
    int device() const;

  private:
    friend class DevicePool;
    DevicePool *Pool = nullptr;
    size_t At = 0;
  };

  enum class Answer { Taken, QueueFull, Cancelled, NoSuchDevice };
  /// Wanted: a device's number, or -1 for any.
  Answer take(int Wanted, const Cancel &Cancelled, Lease &Out);

  struct State {
    int Device = 0;
    bool Busy = false;
    unsigned Replaced = 0;
  };
  std::vector<State> states() const;
  unsigned waiting() const;

private:
  struct Slot {
    int Device;
    std::unique_ptr<Supervisor> Worker;
    bool Busy = false;
    unsigned Replaced = 0;
  };
  struct Ticket {
    int Wanted;
  };
  size_t freeFor(int Wanted) const;
  bool firstInLine(const Ticket *Mine) const;

  unsigned Queue;
  std::vector<Slot> Slots;
  std::deque<Ticket *> Line;
  mutable std::mutex Lock;
  std::condition_variable Changed;
};

} // namespace kcheck::gpu
#endif
