#include "runner/sim/Memory.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace kcheck::sim;

namespace {

bool reserveAt(uint64_t Base, uint64_t Bytes) {
  void *P = mmap(reinterpret_cast<void *>(Base), Bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (P == MAP_FAILED)
    return false;
  madvise(P, Bytes, MADV_HUGEPAGE);
  madvise(P, Bytes, MADV_DONTDUMP);
  return P == reinterpret_cast<void *>(Base);
}

struct Plane {
  uint64_t Base, PerByteNum, PerByteDen;
};
constexpr Plane Planes[] = {{DataBase, 1, 1}, {StateBase, 1, 4}, {RecordBase, 4, 1}, {Read2Base, 2, 1}};

void drop(const Plane &P, uint64_t Offset, uint64_t Bytes) {
  uint64_t From = (P.Base + Offset * P.PerByteNum / P.PerByteDen) & ~uint64_t(4095);
  uint64_t To = (P.Base + (Offset + Bytes) * P.PerByteNum / P.PerByteDen + 4095) & ~uint64_t(4095);
  madvise(reinterpret_cast<void *>(From), To - From, MADV_DONTNEED);
}

constexpr uint64_t roundUp(uint64_t V, uint64_t A) { return (V + A - 1) / A * A; }

} // namespace

bool Memory::reserve(std::string &Error) {
  if (Reserved)
    return true;
  for (const Plane &P : Planes)
    if (!reserveAt(P.Base, DataSize * P.PerByteNum / P.PerByteDen)) {
      Error = std::string("cannot reserve address space for simulated memory: ") + strerror(errno) +
              " (an address space limit must allow 1 TiB)";
      return false;
    }
  return Reserved = true;
}

void Memory::reset(bool Forget) {
  std::lock_guard<std::mutex> Guard(Lock);
  // Pages of small jobs are kept: the next job finds them mapped. Old records are older than its first launch.
  constexpr uint64_t KeepBytes = uint64_t(256) << 20;
  if (Forget || PeakTop > KeepBytes) {
    for (const Plane &P : Planes) {
      drop(P, 0, PeakTop);
      drop(P, SharedOffset, DataSize - SharedOffset);
    }
  } else {
    for (const auto &[Offset, A] : Map)
      mark(Offset, A.Bytes, false, false);
  }
  Map.clear();
  if (HostTop > HostVisibleOffset)
    for (const Plane &P : Planes)
      drop(P, HostVisibleOffset, HostTop - HostVisibleOffset);
  HostTop = HostVisibleOffset;
  Freed.clear();
  Top = 1 << 16;
  Used = 0;
  PeakTop = Top;
}

void Memory::guard(bool Closed) {
  mprotect(reinterpret_cast<void *>(DataBase), HostVisibleOffset, Closed ? PROT_NONE : PROT_READ | PROT_WRITE);
}

bool Memory::shareHostVisible(bool Shared) {
  void *At = reinterpret_cast<void *>(DataBase + HostVisibleOffset);
  return mmap(At, GlobalSize - HostVisibleOffset, PROT_READ | PROT_WRITE, (Shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == At;
}

void Memory::forgetAll() {
  for (const Plane &P : Planes)
    if (P.Base != DataBase && P.Base != StateBase) {
      drop(P, 0, PeakTop);
      drop(P, HostVisibleOffset, HostTop - HostVisibleOffset);
      drop(P, SharedOffset, DataSize - SharedOffset);
    }
}

std::vector<Allocation> Memory::live() const {
  std::lock_guard<std::mutex> Guard(Lock);
  std::vector<Allocation> All;
  for (const auto &[Off, A] : Map)
    if (!A.Freed)
      All.push_back(A);
  return All;
}

uint64_t Memory::reuse(uint64_t Bytes, bool HostVisible) {
  for (size_t I = 0; I < Freed.size(); ++I) {
    auto It = Map.find(Freed[I]);
    if (It == Map.end() || It->second.HostVisible != HostVisible || It->second.Bytes < Bytes)
      continue;
    uint64_t Offset = Freed[I];
    forget(Offset, It->second.Bytes);
    Freed.erase(Freed.begin() + long(I));
    return Offset;
  }
  return 0;
}

void Memory::mark(uint64_t Offset, uint64_t Bytes, bool Exists, bool Written) {
  if (!Bytes)
    return;
  uint8_t Full = Exists ? (Written ? 0xFF : 0x0F) : 0;
  auto partial = [&](uint64_t Granule, unsigned From, unsigned To) {
    uint8_t Bits = uint8_t((0xF << From) & (0xF >> (4 - To)) & 0xF);
    uint8_t *S = state(Granule);
    *S = uint8_t((*S & ~(Bits * 17)) | (Exists ? Bits : 0) | (Exists && Written ? Bits << 4 : 0));
  };
  uint64_t End = Offset + Bytes;
  uint64_t First = roundUp(Offset, 4), Last = End & ~uint64_t(3);
  if (First > Last) {
    partial(Last, Offset & 3, End & 3);
    return;
  }
  if (Offset & 3)
    partial(Offset & ~uint64_t(3), Offset & 3, 4);
  memset(state(First), Full, (Last - First) / 4);
  if (End & 3)
    partial(Last, 0, End & 3);
}

void Memory::markWritten(uint64_t Offset, uint64_t Bytes) { mark(Offset, Bytes, true, true); }

namespace {
/// Counts the bytes of the range whose bit (Shift 0: exists, 4: written) is clear.
uint64_t clearBits(uint64_t Offset, uint64_t Bytes, unsigned Shift, bool StopAtFirst) {
  uint64_t N = 0, End = Offset + Bytes;
  uint64_t I = Offset;
  while (I < End) {
    if ((I & 3) == 0 && End - I >= 32) {
      uint64_t Word;
      memcpy(&Word, Memory::state(I), 8);
      uint64_t Want = Shift ? 0xF0F0F0F0F0F0F0F0u : 0x0F0F0F0F0F0F0F0Fu;
      if ((Word & Want) == Want) {
        I += 32;
        continue;
      }
    }
    if (!(*Memory::state(I & ~uint64_t(3)) >> Shift >> (I & 3) & 1)) {
      ++N;
      if (StopAtFirst)
        return N;
    }
    ++I;
  }
  return N;
}
} // namespace

bool Memory::written(uint64_t Offset, uint64_t Bytes) { return !clearBits(Offset, Bytes, 4, true); }
bool Memory::exists(uint64_t Offset, uint64_t Bytes) {
  return Offset < DataSize && Bytes <= DataSize - Offset && !clearBits(Offset, Bytes, 0, true);
}
uint64_t Memory::unwrittenBytes(uint64_t Offset, uint64_t Bytes) { return clearBits(Offset, Bytes, 4, false); }

void Memory::forget(uint64_t Offset, uint64_t Bytes) {
  for (uint64_t At = Offset & ~uint64_t(3), End = Offset + Bytes; At < End;) {
    if (At % RecordPageData == 0 && End - At >= RecordPageData) { // a page's lines change places among themselves only
      memset(reinterpret_cast<void *>(RecordBase + At * 4), 0, RecordPageData * 4);
      At += RecordPageData;
    } else {
      *recordsOf(At) = {0, 0};
      At += 4;
    }
  }
}

uint64_t Memory::allocate(const std::string &Name, uint64_t Bytes, uint64_t Element, bool Written, bool HostVisible, unsigned Line, const std::string &File) {
  std::lock_guard<std::mutex> Guard(Lock);
  // A wide gap: an index that is off by a lot still hits nothing.
  uint64_t Gap = std::clamp<uint64_t>(Bytes, 1 << 16, Reuse ? uint64_t(1) << 24 : uint64_t(1) << 28);
  if (Used + Bytes > Limit)
    return 0;
  uint64_t &At = HostVisible ? HostTop : Top;
  uint64_t End = HostVisible ? GlobalSize : HostVisibleOffset, Offset;
  if (Bytes > End || At + Bytes + 2 * Gap + (8 << 20) > End) {
    Offset = Reuse ? reuse(Bytes, HostVisible) : 0;
    if (!Offset)
      return 0;
  } else {
    // Large ones begin where large pages do, in all planes: their neighbours in a page would be cleared for nothing.
    Offset = roundUp(At + Gap, Bytes < 1 << 20 ? 256 : 8 << 20);
    At = Offset + Bytes + Gap;
    if (!HostVisible)
      PeakTop = std::max(PeakTop, Top);
  }
  Used += Bytes;
  Map[Offset] = {Name, Offset, Bytes, Element, false, false, false, HostVisible, Line, File};
  mark(Offset, Bytes, true, Written);
  return DataBase + Offset;
}

void Memory::place(const std::string &Name, uint64_t Offset, uint64_t Bytes, uint64_t Element, bool Written, bool Constant) {
  std::lock_guard<std::mutex> Guard(Lock);
  const bool HostVisible = Offset >= HostVisibleOffset;
  Map[Offset] = {Name, Offset, Bytes, Element, false, Constant, false, HostVisible, 0, {}};
  uint64_t &At = HostVisible ? HostTop : Top;
  At = std::max(At, Offset + Bytes);
  PeakTop = std::max(PeakTop, Top);
  mark(Offset, Bytes, true, Written);
}

bool Memory::release(uint64_t Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto It = Map.find(Address - DataBase);
  if (It == Map.end() || It->second.Freed)
    return false;
  It->second.Freed = true;
  if (Reuse)
    Freed.push_back(It->first);
  Used -= It->second.Bytes;
  mark(It->second.Offset, It->second.Bytes, false, false);
  if (It->second.Bytes >= 1 << 20)
    for (const Plane &P : Planes)
      if (P.Base != StateBase)
        drop(P, roundUp(It->second.Offset, 8192), (It->second.Bytes - 8192) & ~uint64_t(8191));
  return true;
}

const Allocation *Memory::find(uint64_t Address) const {
  std::lock_guard<std::mutex> Guard(Lock);
  uint64_t Off = Address - DataBase;
  auto It = Map.upper_bound(Off);
  if (It == Map.begin())
    return nullptr;
  --It;
  return Off < It->second.Offset + std::max<uint64_t>(It->second.Bytes, 1) ? &It->second : nullptr;
}

const Allocation *Memory::nearest(uint64_t Address) const {
  std::lock_guard<std::mutex> Guard(Lock);
  uint64_t Off = Address - DataBase;
  if (Off >= GlobalSize || Map.empty())
    return nullptr;
  auto After = Map.upper_bound(Off);
  auto Before = After == Map.begin() ? Map.end() : std::prev(After);
  if (Before == Map.end())
    return &After->second;
  if (After == Map.end())
    return &Before->second;
  uint64_t Past = Off - std::min(Off, Before->second.Offset + Before->second.Bytes);
  return Past <= After->second.Offset - Off ? &Before->second : &After->second;
}

const Allocation *Memory::byName(const std::string &Name) const {
  std::lock_guard<std::mutex> Guard(Lock);
  const Allocation *Found = nullptr;
  for (const auto &[Off, A] : Map)
    if (A.Name == Name && !A.Freed)
      Found = &A;
  return Found;
}
