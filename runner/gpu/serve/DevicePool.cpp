#include "runner/gpu/serve/DevicePool.h"
#include <algorithm>
#include <chrono>

using namespace kcheck;
using namespace kcheck::gpu;

DevicePool::DevicePool(const std::vector<int> &Devices, const std::string &Program, unsigned Queue, const Confinement &In) : Queue(Queue) {
  for (int D : Devices)
    Slots.push_back({D, std::make_unique<Supervisor>(D, Program, true, In)});
}

DevicePool::Lease::~Lease() {
  if (!Pool)
    return;
  worker().forget(); // of a request that went away
  {
    std::lock_guard Guard(Pool->Lock);
    Slot &S = Pool->Slots[At];
    S.Busy = false;
    S.Replaced = S.Worker->replaced();
  }
  Pool->Changed.notify_all();
}

Supervisor &DevicePool::Lease::worker() const { return *Pool->Slots[At].Worker; }
int DevicePool::Lease::device() const { return Pool->Slots[At].Device; }

size_t DevicePool::freeFor(int Wanted) const {
  for (size_t I = 0; I < Slots.size(); ++I)
    if (!Slots[I].Busy && (Wanted < 0 || Slots[I].Device == Wanted))
      return I;
  return Slots.size();
}

/// Whether nobody before this one could take the device that is free for it.
bool DevicePool::firstInLine(const Ticket *Mine) const {
  for (const Ticket *T : Line) {
    if (T == Mine)
      return true;
    if (freeFor(T->Wanted) < Slots.size())
      return false;
  }
  return true;
}

DevicePool::Answer DevicePool::take(int Wanted, const Cancel &Cancelled, Lease &Out) {
  std::unique_lock Guard(Lock);
  if (std::none_of(Slots.begin(), Slots.end(), [&](const Slot &S) { return Wanted < 0 || S.Device == Wanted; }))
    return Answer::NoSuchDevice;
  Ticket Mine{Wanted};
  bool Free = freeFor(Wanted) < Slots.size() && Line.empty();
  if (!Free && Line.size() >= Queue)
    return Answer::QueueFull;
  Line.push_back(&Mine);
  auto leave = [&] { Line.erase(std::find(Line.begin(), Line.end(), &Mine)); };
  while (freeFor(Wanted) == Slots.size() || !firstInLine(&Mine)) {
    Changed.wait_for(Guard, std::chrono::milliseconds(200));
    if (!Cancelled)
      continue;
    Guard.unlock();
    bool Gone = Cancelled();
    Guard.lock();
    if (Gone) {
      leave();
      Changed.notify_all();
      return Answer::Cancelled;
    }
  }
  leave();
  Out.Pool = this;
  Out.At = freeFor(Wanted);
  Slots[Out.At].Busy = true;
  return Answer::Taken;
}

std::vector<DevicePool::State> DevicePool::states() const {
  std::lock_guard Guard(Lock);
  std::vector<State> All;
  for (const Slot &S : Slots)
    All.push_back({S.Device, S.Busy, S.Replaced});
  return All;
}

unsigned DevicePool::waiting() const {
  std::lock_guard Guard(Lock);
  return unsigned(Line.size());
}
