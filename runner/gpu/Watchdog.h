//===- Watchdog.h - ends a process whose device does not answer ---------------===//
//
// A kernel that hangs cannot be stopped from its own process but by ending it. Whoever starts something that may hang arms
// the watchdog with what to say; when the time is over it says so and ends the process at once.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_WATCHDOG_H
#define KCHECK_GPU_WATCHDOG_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace kcheck::gpu {

class Watchdog {
public:
  Watchdog() : Thread([this] { watch(); }) {}
  ~Watchdog() {
    {
      std::lock_guard Guard(Lock);
      Ended = true;
    }
    Changed.notify_one();
    Thread.join();
  }

  /// OnExpiry runs on the watchdog's thread, unless disarm() comes first. It should not return to whoever hangs.
  void arm(double Seconds, std::function<void()> OnExpiry) {
    {
      std::lock_guard Guard(Lock);
      Until = Clock::now() + std::chrono::microseconds(int64_t(Seconds * 1e6));
      Then = std::move(OnExpiry);
    }
    Changed.notify_one();
  }
  void disarm() {
    std::lock_guard Guard(Lock);
    Then = nullptr;
  }

private:
  using Clock = std::chrono::steady_clock;
  void watch() {
    std::unique_lock Guard(Lock);
    while (!Ended) {
      if (!Then)
        Changed.wait(Guard);
      else if (Clock::now() < Until)
        Changed.wait_until(Guard, Until);
      else
        std::exchange(Then, nullptr)();
    }
  }

  std::mutex Lock;
  std::condition_variable Changed;
  std::function<void()> Then;
  Clock::time_point Until;
  bool Ended = false;
  std::thread Thread;
};

} // namespace kcheck::gpu
#endif
