//===- Memory.h - simulated memory: planes, allocations, names ----------------===//
#ifndef KCHECK_SIM_MEMORY_H
#define KCHECK_SIM_MEMORY_H

#include "runner/sim/Records.h"
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace kcheck::sim {

struct Allocation {
  std::string Name;
  uint64_t Offset = 0, Bytes = 0, Element = 1;
  bool Freed = false, Constant = false, DeviceHeap = false;
  bool HostVisible = false; ///< pinned or managed: host code may use it
  unsigned Line = 0;        ///< of the host code that asked for it
  std::string File;
};

/// Global memory of one job. Addresses are never used twice in a job, so a stale pointer stays recognisable.
class Memory {
public:
  /// Reserves the planes; false with a reason when the address space does not allow it.
  bool reserve(std::string &Error);
  /// Makes room for the next job. Forget: access records too, because block uids start over.
  void reset(bool Forget);

  /// Address, or 0 when there is no room. Written: the content counts as initialised.
  uint64_t allocate(const std::string &Name, uint64_t Bytes, uint64_t Element, bool Written, bool HostVisible = false, unsigned Line = 0, const std::string &File = {});
  void place(const std::string &Name, uint64_t Offset, uint64_t Bytes, uint64_t Element, bool Written, bool Constant);
  /// False: Address is the start of no live allocation.
  bool release(uint64_t Address);

  const Allocation *find(uint64_t Address) const;    ///< the allocation that holds Address (live or freed)
  const Allocation *nearest(uint64_t Address) const; ///< the one whose end or start is closest
  const Allocation *byName(const std::string &Name) const;
  std::vector<Allocation> live() const; ///< what has not been freed
  uint64_t used() const { return Used; }
  void setLimit(uint64_t Bytes) { Limit = Bytes; }
  uint64_t limit() const { return Limit; }
  /// Programs that allocate for long get freed ranges back once the address range is used up.
  void setReuse(bool On) { Reuse = On; }
  /// Host code must not touch device memory: closes the range, or opens it while a kernel or a copy runs.
  void guard(bool Closed);
  /// Pinned and managed memory begins anew, in pages that processes made from here on see too, or in the process's own.
  bool shareHostVisible(bool Shared);
  /// Forgets all access records: block uids start over.
  void forgetAll();
  void reserveModule(uint64_t End) { Top = Top > End ? Top : End; }

  static void mark(uint64_t Offset, uint64_t Bytes, bool Exists, bool Written);
  static void markWritten(uint64_t Offset, uint64_t Bytes);
  static bool written(uint64_t Offset, uint64_t Bytes);
  static uint64_t unwrittenBytes(uint64_t Offset, uint64_t Bytes);
  static bool exists(uint64_t Offset, uint64_t Bytes);
  /// Forgets who accessed the range.
  static void forget(uint64_t Offset, uint64_t Bytes);
  static uint8_t *state(uint64_t Offset) { return reinterpret_cast<uint8_t *>(StateBase + Offset / 4); }
  static uint64_t *writer(uint64_t Offset) { return &recordsOf(Offset)->Writer; }
  static uint64_t *reader(uint64_t Offset) { return &recordsOf(Offset)->Reader; }
  static uint64_t *reader2(uint64_t Offset) { return secondReader(recordsOf(Offset)); }

private:
  std::map<uint64_t, Allocation> Map;
  mutable std::mutex Lock;
  uint64_t reuse(uint64_t Bytes, bool HostVisible);
  uint64_t Top = 1 << 16, Used = 0, Limit = ~uint64_t(0), PeakTop = 1 << 16, HostTop = HostVisibleOffset;
  bool Reserved = false, Reuse = false;
  std::vector<uint64_t> Freed; ///< offsets, oldest first
};

} // namespace kcheck::sim
#endif
