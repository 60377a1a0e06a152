//===- Layout.h - addresses and records that compiled kernels and the runtime share ===//
//
// All simulated memory lies in one reserved range, so that one subtraction tells whether an address is
// simulated, and shadow addresses are computed, never looked up:
//
//   Data   global | shared (a slot a live block) | local (a slot a live thread)
//   State  one byte a 4-byte granule: low bits which bytes exist, high bits which were written
//   Write  16 bytes a granule: last writer, last reader (Records.h)
//   Read2  8 bytes a granule: another reader that the last one does not stand for
//
// Planes are reserved, not allocated: only what is touched costs memory. This header is also compiled into
// the check functions that end up inside kernels: no library, no constructors.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_LAYOUT_H
#define KCHECK_SIM_LAYOUT_H

#include <stdint.h>

namespace kcheck::sim {

constexpr uint64_t DataBase = 0x100000000000; // 16 TiB: free in every Linux process
constexpr uint64_t DataSize = uint64_t(1) << 37;
constexpr uint64_t GlobalSize = uint64_t(1) << 36;
constexpr uint64_t HostVisibleOffset = GlobalSize / 2; ///< pinned and managed memory from here on
constexpr uint64_t SharedOffset = GlobalSize;
constexpr uint64_t SharedSlot = uint64_t(1) << 20;
constexpr uint64_t ReservedShared = SharedSlot - 4096, ReservedSharedBytes = 1024; ///< the system's own part, used by cooperative groups
constexpr uint64_t SharedSlots = uint64_t(1) << 12;
constexpr uint64_t LocalOffset = GlobalSize + (uint64_t(1) << 35);
constexpr uint64_t LocalSlot = uint64_t(1) << 20;
constexpr uint64_t LocalSlots = (uint64_t(1) << 35) / LocalSlot;
constexpr uint64_t StateBase = 0x200000000000;
constexpr uint64_t WriteBase = 0x300000000000;
constexpr uint64_t Read2Base = 0x400000000000;

constexpr bool isGlobalOffset(uint64_t Off) { return Off < GlobalSize; }
constexpr bool isSharedOffset(uint64_t Off) { return Off >= SharedOffset && Off < LocalOffset; }
constexpr bool isLocalOffset(uint64_t Off) { return Off >= LocalOffset && Off < DataSize; }

// A record of an access: who, when, where in the code, which bytes.
//   63..40 block uid (unique in a job, rising)  39..24 epoch  23..14 thread  13..6 site  5..2 bytes  1..0 flags
constexpr unsigned UidShift = 40, EpochShift = 24, ThreadShift = 14, SiteShift = 6, MaskShift = 2;
constexpr uint64_t WhoMask = ~uint64_t(0) << ThreadShift;
// Write records, how the write was made: 0 plain, else one of these.
constexpr uint64_t FlagAtomic = 1, FlagVolatile = 2, FlagBlockAtomic = 3, FlagStrong = 3;
constexpr uint64_t FlagCross = 1;  ///< read records: Read2 holds a reader of another block
constexpr uint64_t FlagMany = 2;   ///< read records: Read2 holds another reader of this block and epoch
constexpr uint32_t MaxEpoch = 0xFFFF, MaxUid = (1u << 24) - 1;

// Checks get a site as (index << 8) | record, the record being the eight bits that fit into a shadow record.
constexpr uint32_t siteIndex(uint32_t Code) { return Code >> 8; }
constexpr uint64_t siteBits(uint32_t Code) { return uint64_t(Code & 255) << SiteShift; }

/// What a compiled kernel knows of the thread that runs it. The first argument of every function.
struct ThreadContext {
  uint64_t Me;         ///< record of this thread: uid, epoch, thread
  uint64_t BlockBase;  ///< uid << UidShift
  uint64_t BarrierOff; ///< epoch of the last block barrier, << EpochShift: older records of the block are ordered
  uint64_t Threshold;  ///< older records than this are ordered before the launch
  int64_t Fuel;        ///< loop iterations until the runtime is asked
  uint64_t SharedBase;
  uint64_t LocalTop, LocalEnd; ///< stack of local memory, grows upwards
  uint64_t StackLimit; ///< lowest machine stack address
  uint32_t Trace;      ///< accesses and branches are recorded for the metrics (bit 0) or accesses for a lock (TraceLock)
  uint32_t Lane, Warp, Linear;
  uint32_t Tid[3], Ctaid[3], Ntid[3], Nctaid[3];
  uint32_t DynamicShared, TotalShared;
};

constexpr uint32_t TraceLock = 2;

/// How a site accesses memory.
enum SiteKind : uint8_t { SiteLoad, SiteStore, SiteAtomic, SiteVolatileLoad, SiteVolatileStore, SiteOther };

} // namespace kcheck::sim
#endif
