// The checks that run at every memory access, compiled to bitcode and inlined into kernels. What they cannot
// settle in a few instructions goes to the runtime (kcheck_slow_*), which also decides what is a fault.
#include "runner/sim/Records.h"

using namespace kcheck::sim;

#define HOT extern "C" __attribute__((always_inline, used))
#define LIKELY(X) __builtin_expect(!!(X), 1)
#define UNLIKELY(X) __builtin_expect(!!(X), 0)

extern "C" {
__attribute__((cold)) void *kcheck_slow_load(ThreadContext *, void *, uint32_t Site, uint32_t Size, uint32_t Align);
__attribute__((cold)) void *kcheck_slow_store(ThreadContext *, void *, uint32_t Site, uint32_t Size, uint32_t Align, uint64_t V0, uint64_t V1);
__attribute__((cold)) void kcheck_slow_fuel(ThreadContext *, uint32_t Site);
__attribute__((cold)) void kcheck_trace(ThreadContext *, void *, uint32_t Site, uint32_t Size);
__attribute__((cold)) void kcheck_trace_block(ThreadContext *, uint32_t Block, uint32_t Count);
}

namespace {

template <unsigned Size> struct StateOf;
template <> struct StateOf<16> { using T = uint32_t; };
template <> struct StateOf<8> { using T = uint16_t; };
template <> struct StateOf<4> { using T = uint8_t; };
template <> struct StateOf<2> { using T = uint8_t; };
template <> struct StateOf<1> { using T = uint8_t; };

/// The bits of the state byte that an access of Size bytes at Off needs, for one kind (exists or written).
template <unsigned Size> inline uint32_t bytesOf(uint64_t Off) {
  if constexpr (Size >= 4)
    return 15;
  else if constexpr (Size == 2)
    return 3u << (Off & 2);
  else
    return 1u << (Off & 3);
}

/// The record is older than what this launch or this block's last barrier ordered, or is this thread's own.
inline bool ordered(const ThreadContext *C, uint64_t R) {
  return R < C->Threshold || R - C->BlockBase < C->BarrierOff || ((R ^ C->Me) >> ThreadShift) == 0;
}

/// The records of an access, granule by granule: side by side only within 16 aligned bytes.
template <unsigned Size> struct RecordsOfAccess {
  Records *First;
  uint64_t Off;
  bool Together;
  RecordsOfAccess(uint64_t Off, uint32_t Align) : First(recordsOf(Off)), Off(Off), Together(Size <= 4 || Align >= Size) {}
  Records &operator[](unsigned I) const { return Together ? First[I] : *recordsOf(Off + 4 * I); }
};

template <unsigned Size, bool Races> inline void *load(ThreadContext *C, void *P, uint32_t Site, uint32_t Align) {
  if (UNLIKELY(C->Trace))
    kcheck_trace(C, P, Site, Size);
  uint64_t Off = (uint64_t)P - DataBase;
  if (UNLIKELY(Off >= DataSize || (Off & (Align - 1)) || Align < (Size < 4 ? Size : 4)))
    return kcheck_slow_load(C, P, Site, Size, Align);
  using T = typename StateOf<Size>::T;
  T St = *(T *)(StateBase + (Off >> 2));
  if constexpr (Size >= 4) {
    if (UNLIKELY(St != T(~T(0))))
      return kcheck_slow_load(C, P, Site, Size, Align);
  } else {
    uint32_t Need = bytesOf<Size>(Off) * 17;
    if (UNLIKELY((St & Need) != Need))
      return kcheck_slow_load(C, P, Site, Size, Align);
  }
  if constexpr (Races) {
    constexpr unsigned N = Size < 4 ? 1 : Size / 4;
    const RecordsOfAccess<Size> G(Off, Align);
    uint64_t Mask = uint64_t(bytesOf<Size>(Off)) << MaskShift;
#pragma clang loop unroll(full)
    for (unsigned I = 0; I < N; ++I) {
      if (UNLIKELY(!ordered(C, G[I].Writer) && (Size >= 4 || (G[I].Writer & Mask))))
        return kcheck_slow_load(C, P, Site, Size, Align);
    }
#pragma clang loop unroll(full)
    for (unsigned I = 0; I < N; ++I) {
      uint64_t Old = G[I].Reader, New = C->Me | Mask | siteBits(Site);
      if (((Old ^ New) & (WhoMask | 60)) == 0)
        continue;
      if (Old >= C->Threshold && Old != 0) {
        uint64_t *R2 = secondReader(&G[I]);
        if ((Old ^ New) >> UidShift) {
          *R2 = Old;
          New |= FlagCross;
        } else if (Old & FlagCross) {
          New |= FlagCross;
        } else if ((Old ^ New) >> ThreadShift == 0) {
          New |= Old & (60 | FlagMany);
        } else if (Old - C->BlockBase >= C->BarrierOff) {
          *R2 = Old;
          New |= FlagMany;
        }
      }
      G[I].Reader = New;
    }
  }
  return P;
}

template <unsigned Size, bool Races>
inline void *store(ThreadContext *C, void *P, uint32_t Site, uint32_t Align, uint64_t V0, uint64_t V1) {
  if (UNLIKELY(C->Trace))
    kcheck_trace(C, P, Site, Size);
  uint64_t Off = (uint64_t)P - DataBase;
  if (UNLIKELY(Off >= DataSize || (Off & (Align - 1)) || Align < (Size < 4 ? Size : 4)))
    return kcheck_slow_store(C, P, Site, Size, Align, V0, V1);
  using T = typename StateOf<Size>::T;
  T *SP = (T *)(StateBase + (Off >> 2)), St = *SP;
  if constexpr (Size >= 4) {
    if (UNLIKELY((St & T(0x0F0F0F0F)) != T(0x0F0F0F0F)))
      return kcheck_slow_store(C, P, Site, Size, Align, V0, V1);
  } else {
    uint32_t Need = bytesOf<Size>(Off);
    if (UNLIKELY((St & Need) != Need))
      return kcheck_slow_store(C, P, Site, Size, Align, V0, V1);
  }
  if constexpr (Races) {
    constexpr unsigned N = Size < 4 ? 1 : Size / 4;
    const RecordsOfAccess<Size> G(Off, Align);
    uint64_t Mask = uint64_t(bytesOf<Size>(Off)) << MaskShift;
#pragma clang loop unroll(full)
    for (unsigned I = 0; I < N; ++I) {
      uint64_t Read = G[I].Reader, Written = G[I].Writer;
      bool ReadFine = Read < C->Threshold ||
                      (!(Read & FlagCross) && (Read - C->BlockBase < C->BarrierOff ||
                                               (((Read ^ C->Me) >> ThreadShift) == 0 && !(Read & FlagMany))));
      if (UNLIKELY((!ordered(C, Written) && (Size >= 4 || (Written & Mask))) ||
                   (!ReadFine && (Size >= 4 || (Read & (Mask | FlagCross | FlagMany))))))
        return kcheck_slow_store(C, P, Site, Size, Align, V0, V1);
    }
#pragma clang loop unroll(full)
    for (unsigned I = 0; I < N; ++I)
      G[I].Writer = Size < 4 && ((G[I].Writer ^ C->Me) >> ThreadShift) == 0 ? (G[I].Writer | Mask) & ~FlagStrong : C->Me | Mask | siteBits(Site);
  }
  if constexpr (Size >= 4)
    *SP = T(~T(0));
  else if (uint8_t Bits = bytesOf<Size>(Off) << 4; (St & Bits) != Bits)
    __atomic_fetch_or(SP, Bits, __ATOMIC_RELAXED); // neighbouring bytes may belong to another block
  return P;
}

} // namespace

#define SIZES(X) X(1) X(2) X(4) X(8) X(16)
#define DEFINE(N)                                                                                                          \
  HOT void *kcheck_load_##N(ThreadContext *C, void *P, uint32_t S, uint32_t A) { return load<N, true>(C, P, S, A); }        \
  HOT void *kcheck_local_load_##N(ThreadContext *C, void *P, uint32_t S, uint32_t A) { return load<N, false>(C, P, S, A); } \
  HOT void *kcheck_store_##N(ThreadContext *C, void *P, uint32_t S, uint32_t A, uint64_t V0, uint64_t V1) {                 \
    return store<N, true>(C, P, S, A, V0, V1);                                                                              \
  }                                                                                                                         \
  HOT void *kcheck_local_store_##N(ThreadContext *C, void *P, uint32_t S, uint32_t A, uint64_t V0, uint64_t V1) {           \
    return store<N, false>(C, P, S, A, V0, V1);                                                                             \
  }
SIZES(DEFINE)

HOT void kcheck_fuel(ThreadContext *C, uint32_t Site) {
  if (UNLIKELY(--C->Fuel < 0))
    kcheck_slow_fuel(C, Site);
}

HOT void kcheck_block(ThreadContext *C, uint32_t Block, uint32_t Count) {
  if (UNLIKELY(C->Trace))
    kcheck_trace_block(C, Block, Count);
}
