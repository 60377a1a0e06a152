//===- Shadow.h - checks of one access, slow path -----------------------------===//
#ifndef KCHECK_SIM_SHADOW_H
#define KCHECK_SIM_SHADOW_H

#include "runner/sim/Engine.h"

namespace kcheck::sim {

struct Access {
  bool Reads = false, Writes = false;
  bool Strong = false; ///< atomic or volatile: does not race with others of its kind
  bool NoRace = false;
  bool Block = false;    ///< an atomic of block scope: what another block sees of it is undefined
  bool Volatile = false; ///< strong, but volatile only
  bool Decides = false;  ///< a strong read whose value decides a branch
  bool Moves = false;    ///< a read that only moves the value on: it may be unwritten
};

/// Reports what is wrong with an access and records it. False: there is no such memory, do not touch it.
bool checkAccess(Thread &T, uint64_t Address, uint32_t Site, uint64_t Bytes, uint64_t Align, Access How);

/// A strong read that decides something makes the location one that threads agree through.
void noteDeciding(Thread &T, uint64_t Address, uint64_t Bytes);

/// Whether the streams order one launch before the other.
bool launchesOrdered(const LaunchRecord &Earlier, const LaunchRecord &Later);
/// Block uid of the oldest launch that may still run beside L: everything older is ordered before it.
uint32_t oldestBeside(const Engine &E, const LaunchRecord &L);
/// The launch that a block's uid belongs to; null: forgotten.
const LaunchRecord *launchOf(Engine &E, uint32_t Uid);

/// A write to an atomic or volatile location: publishes what the thread has fenced.
/// Block: with the scope of the block only.
void releaseAt(Thread &T, uint64_t Address, bool Fenced, bool Block = false);

} // namespace kcheck::sim

extern "C" {
void kcheck_trace(kcheck::sim::ThreadContext *C, void *P, uint32_t Site, uint32_t Size);
void *kcheck_slow_load(kcheck::sim::ThreadContext *C, void *P, uint32_t Site, uint32_t Size, uint32_t Align);
void *kcheck_slow_store(kcheck::sim::ThreadContext *C, void *P, uint32_t Site, uint32_t Size, uint32_t Align, uint64_t V0, uint64_t V1);
}
#endif
