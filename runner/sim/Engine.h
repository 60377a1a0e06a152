//===- Engine.h - runs the blocks of a launch ---------------------------------===//
//
// A block's threads are fibers on one OS thread. A thread runs until it must wait, so a kernel without
// barriers never switches. Blocks spread over OS threads; a block whose threads only spin is parked and the
// next one starts, so blocks that wait for each other make progress.
//
//   Launch ─ worker (OS thread) ─ Block ─ Warp ─ Thread (fiber)
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_ENGINE_H
#define KCHECK_SIM_ENGINE_H

#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"
#include "runner/sim/Clocks.h"
#include "runner/sim/Memory.h"
#include "runner/sim/Program.h"
#include "runner/sim/Report.h"
#include "runner/guest/Streams.h"
#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace kcheck::sim {

using guest::StreamClock;
using guest::Streams;

using EntryFunction = void (*)(ThreadContext *, void *Params);
using boost::context::detail::fcontext_t;

enum class Wait : uint8_t {
  Fresh,   ///< not started
  Ready,   ///< in the block's queue
  Running,
  Warp,    ///< for the other lanes of a warp operation
  Barrier, ///< for the block
  Active,  ///< at __activemask: for the lanes that may still come
  Done
};

struct Block;
struct Launch;
struct FiberStack;

/// A warp operation that a thread has arrived at.
struct WarpOp {
  enum Kind : uint8_t { Sync, Shuffle, Vote, Match, Redux, Active, Collect, Matrix } What = Sync;
  uint8_t Mode = 0;
  uint32_t Mask = 0, Site = 0;
  uint64_t Value = 0;
  uint32_t B = 0, C = 0;
  // results
  uint64_t Result = 0;
  uint8_t Predicate = 0;
};

/// How far a thread is in a sum over the lanes of a mask by shfl_down, and what of its value came from beyond the mask.
struct TreeSum {
  uint32_t Mask = 0; ///< 0: in none
  uint8_t By = 0;    ///< the last step
  uint8_t StrangeBy = 0, StrangeLane = 0, Reader = 0; ///< the step that brought something from StrangeLane, and who read it; 0: none did
  uint32_t Site = 0;                                  ///< where it was read
};

struct PendingCopy {
  uint64_t To = 0;
  uint64_t Barrier = 0; ///< the mbarrier whose phase waits for it, or 0
  uint32_t Bytes = 0, Group = 0, Site = 0;
  bool Bulk = false;    ///< belongs to no group
  uint8_t Data[16];
};

struct TraceEvent {
  uint32_t Site;
  uint32_t Size;
  uint64_t Address;
};

/// What one thread of a sampled block did.
struct ThreadTrace {
  std::vector<TraceEvent> Events;
  std::unordered_map<uint32_t, uint64_t> BlockCounts;
  std::unordered_map<uint32_t, std::vector<uint32_t>> Outcomes; ///< of branching code blocks: where each went
  uint32_t LastCode = ~0u;
};

/// What a thread does between taking a lock and its next fence: nothing holds it back until the lock is taken.
struct HeldLock {
  struct Access {
    uint64_t Offset;
    uint64_t Other; ///< the record of a thread that has been there already, or 0
    uint32_t Site;
    uint8_t Level; ///< widest fence since the lock was taken: 0 none, 1 of the block
    bool Writes, OtherWrites;
  };
  uint64_t Address = 0; ///< 0: no lock is watched
  uint32_t Site = 0;
  uint8_t Level = 0;
  std::vector<Access> Accesses;
};

/// An access of that kind, once the lock has been given back.
struct UnfencedAccess {
  HeldLock::Access What;
  uint32_t LockSite, Uid, Thread;
};

struct FrameMark {
  uint64_t Base;
  uint32_t Index;
};

struct Thread : ThreadContext {
  Block *Owner = nullptr;
  fcontext_t Fiber = nullptr;
  FiberStack *Stack = nullptr;
  Wait State = Wait::Fresh;
  bool Spinning = false;
  bool Dead = false; ///< stopped by a fault
  uint16_t StrongOps = 0; ///< polls in a row
  uint64_t PollAddress = 0, PollValue = 0;
  uint32_t Epoch = 1, WarpSync = 0;
  uint32_t FenceEpoch = 0, FenceBarrier = 0; ///< what a release publishes
  uint8_t FenceLevel = 0;
  uint64_t Iterations = 0;
  WarpOp Op;
  TreeSum Tree;
  uint32_t BarrierId = 0, BarrierSite = 0, BarrierValue = 0;
  void *Brought = nullptr; ///< what this lane gives to a matrix operation
  Acquired Knows;
  Acquired Sees; ///< what relaxed reads have seen: known after the next fence
  HeldLock Lock;
  uint64_t LastDeciding = ~uint64_t(0); ///< granule that this thread has noted last
  std::vector<FrameMark> Frames;
  std::vector<PendingCopy> Copies;
  uint32_t CopyGroup = 0;
  std::unique_ptr<ThreadTrace> Log; ///< of a sampled block
  alignas(16) uint8_t Scratch[64] = {};
};

struct NamedBarrier {
  uint32_t Arrived = 0, Expected = 0; ///< Expected 0: all threads
  uint32_t Value = 0, Result = 0;
  bool All = true;
  std::vector<uint32_t> Waiting;
  uint32_t FirstSite = 0, FirstThread = 0;
  Acquired Knows;
};

struct WarpState {
  uint32_t Epoch = 1;
  uint32_t Alive = 0;   ///< lanes that have not exited
  uint32_t Waiting = 0; ///< lanes in Wait::Warp
};

struct Block {
  Launch *Owner = nullptr;
  uint64_t Linear = 0;
  uint32_t Uid = 0;
  uint32_t Ctaid[3];
  uint32_t BarrierEpoch = 1;
  bool NoWarpOrder = false, Sampled = false, Progress = false;
  uint32_t Count = 0, Alive = 0, NextFresh = 0;
  uint64_t SharedSlotBase = 0;
  std::unique_ptr<Thread[]> Threads;
  std::vector<WarpState> Warps;
  std::deque<uint32_t> Queue;
  std::vector<NamedBarrier> Barriers;
  unsigned IdleRounds = 0;
  std::unordered_map<uint64_t, Acquired> Phases; ///< by mbarrier: what its last phase's arrivals published

  void setRecord(Thread &T);
};

/// Machine stack of a fiber and the local memory of the thread that it runs.
struct FiberStack {
  void *Base = nullptr, *Top = nullptr;
  uint64_t Local = 0;
};

/// What a worker thread owns.
struct Worker {
  fcontext_t Scheduler = nullptr;
  std::vector<FiberStack *> FreeStacks;
  FiberStack *Finished = nullptr; ///< of a fiber that has just ended
  std::vector<uint64_t> FreeShared;
  std::vector<std::unique_ptr<Block>> FreeBlocks;
  Launch *Owner = nullptr;
  ~Worker();
};

/// One launch that ran or runs: what a shadow record's block uid leads to.
struct LaunchRecord {
  uint32_t FirstUid = 0, Count = 0;
  int Stream = 0;
  uint32_t Number = 0; ///< counts launches, from 1
  std::shared_ptr<const StreamClock> Before; ///< launches that are ordered before it
  std::string Kernel;
  protocol::Dim3 Grid, Block;
  std::optional<Place> Call; ///< no launch, but a copy, set or free (Transfers.h): where host code asks for it
};

/// What a copy, set or free touches.
struct TransferRange {
  uint64_t Offset = 0, Bytes = 0;
  bool Writes = false;
};
struct Transfer {
  LaunchRecord Record;
  std::vector<TransferRange> Ranges;
};

/// All launches of a job share this.
struct Engine {
  Engine(Program &P, Memory &M, Report &R) : Code(P), Mem(M), Out(R) {}
  Program &Code;
  Memory &Mem;
  Report &Out;
  Clocks Sync;
  protocol::Checks Checks;
  protocol::Limits Limits;
  std::vector<LaunchRecord> Launches;
  std::vector<Transfer> Transfers; ///< that the host has not waited for
  uint32_t NextUid = 1;
  std::unordered_map<uint32_t, uint32_t> RenewedUid; ///< extra uid -> first uid of the same block
  std::unordered_set<uint64_t> CasGranules;
  std::unordered_set<uint64_t> DecidingGranules; ///< a strong read of them decided a branch: flags, counters, locks
  std::vector<UnfencedAccess> Unfenced;
  std::mutex Lock;
  std::string Printed;
  uint64_t GridWorkspace = 0;
  uint64_t HeapUsed = 0, HeapLimit = 8 << 20; ///< of device malloc; the limit is the device's default
  std::atomic<uint64_t> NextShared{0}, NextLocal{0};
  std::chrono::steady_clock::time_point Deadline;
  /// Whole programs: the deadline counts only once the process has had this much processor time.
  double ProcessorSeconds = 0;
  bool late() const;
  std::vector<std::unique_ptr<Worker>> Idle; ///< with their stacks, for the next launch
  Streams Order;

  uint32_t newUid(uint32_t Of);
};

enum class Stop : uint8_t { No, Fault, Timeout, Slow };

struct Launch {
  Engine &E;
  const Kernel &K;
  EntryFunction Entry;
  protocol::LaunchStep Step;
  std::vector<uint8_t> Params;
  LaunchRecord Record;
  size_t Index = 0;
  uint64_t Threshold = 0;
  uint64_t Blocks = 0;
  uint32_t ThreadsPerBlock = 0;
  std::atomic<uint64_t> Next{0};
  std::atomic<uint64_t> Progress{0};
  std::atomic<Stop> Stopped{Stop::No};
  std::atomic<unsigned> Live{0};
  std::atomic<unsigned> Workers{0}, IdleWorkers{0}; ///< OS threads at work, and those whose blocks have only polled for a while
  uint64_t SampleStride = 0;
  std::mutex MetricsLock;
  protocol::LaunchMetrics Metrics;
  std::map<unsigned, protocol::LineMetrics> Lines;
  protocol::Failure Why = protocol::Failure::None;
  std::string Message;

  Launch(Engine &E, const Kernel &K, EntryFunction Entry, const protocol::LaunchStep &S)
      : E(E), K(K), Entry(Entry), Step(S) {}
  /// Runs all blocks; returns when they are done or the launch was stopped.
  void run();
  void work();
  void fail(protocol::Failure F, const std::string &Text);
  bool startBlock(Worker &W, uint64_t Linear, std::unique_ptr<Block> &Out);
  /// True: the block is finished. False: it only spins, come back later.
  bool runBlock(Worker &W, Block &B);
  void finishBlock(Worker &W, std::unique_ptr<Block> B);
  void countBlock(Block &B);
};

struct LaunchEnd {
  Stop How = Stop::No;
  protocol::Failure Why = protocol::Failure::None;
  std::string Message;
};

/// What forbids a launch of this size; empty: nothing. MostShared: what the kernel's attributes allow.
std::string launchLimits(const protocol::LaunchStep &S, const Kernel &K, uint64_t MostShared = 227 * 1024);

/// Orders the launch behind the earlier ones of its stream and runs it.
LaunchEnd runLaunch(Engine &E, const Kernel &K, EntryFunction Entry, const protocol::LaunchStep &S, std::vector<uint8_t> Params,
                    protocol::LaunchMetrics &Metrics);

/// The worker of this OS thread.
Worker &currentWorker();

// Synchronisation (Sync.cpp)
void suspend(Thread &T);                      ///< back to the scheduler until woken
void wake(Thread &T);
void arriveWarp(Thread &T);                   ///< T.Op is filled; returns when it is done
void arriveBarrier(Thread &T, uint32_t Id, uint32_t Count, uint32_t Site, uint32_t Value, uint32_t Mode, bool WaitHere);
uint32_t barrierResult(Thread &T, uint32_t Id);
void threadGone(Thread &T);                   ///< T has exited: others may be complete without it
bool resolveStuck(Block &B);                  ///< nobody can run: activemask groups, then faults; true: somebody can run now
[[noreturn]] void endThread(Thread &T);

// What the runtime functions share (Runtime.cpp)
void passEpoch(Thread &T);     ///< what follows is later than what was published
void letOthersRun(Thread &T);  ///< the thread polls; ends it where the launch was stopped
void land(const PendingCopy &C); ///< writes an asynchronous copy's bytes where they belong
template <typename F> void landCopies(Thread &T, F Which) {
  for (const PendingCopy &C : T.Copies)
    if (Which(C))
      land(C);
  std::erase_if(T.Copies, Which);
}

// Shadow memory (Shadow.cpp)
void finishRaces(Launch &L);

// Locks (Locks.cpp)
void watchAccess(Thread &T, uint64_t Address, uint32_t Site, uint32_t Bytes);
void givenBack(Thread &T, uint64_t Address); ///< a strong write, which gives the watched lock back if it is to its address
void reportUnfenced(Launch &L);

std::string blockName(const Block &B);
std::string threadName(const Thread &T);
std::string threadName(const protocol::Dim3 &Block, uint32_t Linear);
std::string blockName(const protocol::Dim3 &Grid, uint64_t Linear);

} // namespace kcheck::sim
#endif
