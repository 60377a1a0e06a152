#include "runner/sim/Engine.h"
#include <algorithm>
#include <cstring>
#include <list>
#include <sys/mman.h>
#include <ctime>
#include <thread>
#include <utility>

using namespace kcheck;
using namespace kcheck::sim;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace {

constexpr size_t StackBytes = 256 << 10, GuardBytes = 4096, StackReserve = 48 << 10;
constexpr int64_t Quantum = 4096;
constexpr uint64_t MaxLiveThreads = LocalSlots, MostGuards = 8192;

thread_local Worker *Mine = nullptr;

FiberStack *takeStack(Worker &W, Engine &E) {
  if (!W.FreeStacks.empty()) {
    FiberStack *S = W.FreeStacks.back();
    W.FreeStacks.pop_back();
    return S;
  }
  void *P = mmap(nullptr, StackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P == MAP_FAILED)
    return nullptr;
  auto *S = new FiberStack;
  S->Base = P;
  uint64_t Number = E.NextLocal++;
  // A guard cuts the mapping in two, and the system counts mappings: grids that wait for each other have too many threads.
  if (Number < MostGuards)
    mprotect(P, GuardBytes, PROT_NONE);
  S->Local = DataBase + LocalOffset + (Number % LocalSlots) * LocalSlot;
  // Stacks that all start at the same offset in a page would fight for the same few cache lines.
  S->Top = static_cast<char *>(P) + StackBytes - Number % 128 * 192;
  return S;
}

void adopt(Thread &T, FiberStack *S) {
  T.Stack = S;
  T.LocalTop = S->Local;
  T.LocalEnd = S->Local + LocalSlot;
  T.StackLimit = reinterpret_cast<uint64_t>(S->Base) + StackReserve;
  T.State = Wait::Running;
}

/// The next thread of the block that has not started, or null.
Thread *nextFresh(Block &B) { return B.NextFresh < B.Count ? &B.Threads[B.NextFresh++] : nullptr; }

void finishThread(Thread &T) {
  Block &B = *T.Owner;
  T.State = Wait::Done;
  --B.Alive;
  B.Warps[T.Warp].Alive &= ~(1u << T.Lane);
  B.Progress = true;
  if (T.LocalTop != T.Stack->Local) {
    Memory::mark(T.Stack->Local - DataBase, T.LocalTop - T.Stack->Local, false, false);
    T.LocalTop = T.Stack->Local;
  }
  threadGone(T);
}

void fiberMain(transfer_t From) {
  Worker &W = currentWorker();
  W.Scheduler = From.fctx;
  Thread *T = static_cast<Thread *>(From.data);
  FiberStack *Stack = T->Stack;
  Block &B = *T->Owner;
  Launch &L = *B.Owner;
  while (T) {
    L.Entry(T, L.Params.data());
    finishThread(*T);
    // A thread that never waits leaves its fiber to the next one.
    T = L.Stopped.load(std::memory_order_relaxed) == Stop::No ? nextFresh(B) : nullptr;
    if (T)
      adopt(*T, Stack);
  }
  Worker &Now = currentWorker();
  Now.Finished = Stack;
  jump_fcontext(Now.Scheduler, nullptr);
}

} // namespace

Worker::~Worker() {
  for (FiberStack *S : FreeStacks) {
    munmap(S->Base, StackBytes);
    delete S;
  }
}

Worker &sim::currentWorker() { return *Mine; }

void sim::suspend(Thread &T) {
  transfer_t Back = jump_fcontext(currentWorker().Scheduler, &T);
  currentWorker().Scheduler = Back.fctx;
}

void sim::wake(Thread &T) {
  T.State = Wait::Ready;
  T.Owner->Queue.push_back(T.Linear);
}

void sim::endThread(Thread &T) {
  T.Dead = true;
  FiberStack *Stack = T.Stack;
  finishThread(T);
  Worker &W = currentWorker();
  W.Finished = Stack;
  jump_fcontext(W.Scheduler, nullptr);
  __builtin_unreachable();
}

uint32_t Engine::newUid(uint32_t Of) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto It = RenewedUid.find(Of);
  uint32_t First = It == RenewedUid.end() ? Of : It->second;
  uint32_t Uid = NextUid++;
  RenewedUid[Uid] = First;
  return Uid;
}

void Block::setRecord(Thread &T) {
  T.Me = uint64_t(Uid) << UidShift | uint64_t(T.Epoch) << EpochShift | uint64_t(T.Linear) << ThreadShift;
  T.BlockBase = uint64_t(Uid) << UidShift;
  T.BarrierOff = uint64_t(BarrierEpoch) << EpochShift;
}

void Launch::fail(protocol::Failure F, const std::string &Text) {
  std::lock_guard<std::mutex> Guard(MetricsLock);
  if (Why == protocol::Failure::None) {
    Why = F;
    Message = Text;
  }
  Stop Expected = Stop::No;
  Stopped.compare_exchange_strong(Expected, F == protocol::Failure::Timeout ? Stop::Timeout : Stop::Fault);
}

bool Launch::startBlock(Worker &W, uint64_t Linear, std::unique_ptr<Block> &Out) {
  bool Fresh = W.FreeBlocks.empty() || W.FreeBlocks.back()->Owner != this;
  if (Fresh) {
    uint64_t Slot = E.NextShared++;
    if (Slot >= SharedSlots)
      return false;
    if (W.FreeBlocks.empty()) {
      Out = std::make_unique<Block>();
      Out->Threads = std::make_unique<Thread[]>(ThreadsPerBlock);
    } else {
      Out = std::move(W.FreeBlocks.back()); // of an earlier launch with as many threads
      W.FreeBlocks.pop_back();
    }
    Out->SharedSlotBase = DataBase + SharedOffset + Slot * SharedSlot;
    Out->Warps.resize((ThreadsPerBlock + 31) / 32);
    Out->Count = ThreadsPerBlock;
    Out->Owner = this;
  } else {
    Out = std::move(W.FreeBlocks.back());
    W.FreeBlocks.pop_back();
  }
  Block &B = *Out;
  B.Linear = Linear;
  B.Uid = Record.FirstUid + uint32_t(Linear);
  B.Ctaid[0] = uint32_t(Linear % Step.Grid.X);
  B.Ctaid[1] = uint32_t(Linear / Step.Grid.X % Step.Grid.Y);
  B.Ctaid[2] = uint32_t(Linear / Step.Grid.X / Step.Grid.Y);
  B.BarrierEpoch = 1;
  B.NoWarpOrder = B.Progress = false;
  B.Alive = B.Count;
  B.NextFresh = 0;
  B.IdleRounds = 0;
  B.Queue.clear();
  B.Barriers.clear();
  B.Phases.clear();
  B.Sampled = E.Checks.Metrics && SampleStride && Linear % SampleStride == 0;
  for (size_t I = 0; I < B.Warps.size(); ++I) {
    uint32_t Lanes = std::min<uint32_t>(32, B.Count - uint32_t(I) * 32);
    B.Warps[I] = {1, Lanes == 32 ? ~0u : (1u << Lanes) - 1, 0};
  }
  // Shared memory starts undefined in every block.
  uint64_t Slot = B.SharedSlotBase - DataBase;
  for (const Variable &V : E.Code.Variables)
    if (V.Shared)
      Memory::mark(Slot + V.Address, V.Bytes ? V.Bytes : Step.SharedBytes, true, false);
  if (E.Code.UsesReservedShared) {
    Memory::mark(Slot + ReservedShared, ReservedSharedBytes, true, true);
    memset(reinterpret_cast<void *>(B.SharedSlotBase + ReservedShared), 0, ReservedSharedBytes);
  }
  for (uint32_t I = 0; I < B.Count; ++I) {
    Thread &T = B.Threads[I];
    if (Fresh) {
      T.Owner = &B;
      T.Linear = I;
      T.Lane = I & 31;
      T.Warp = I >> 5;
      T.Tid[0] = I % Step.Block.X;
      T.Tid[1] = I / Step.Block.X % Step.Block.Y;
      T.Tid[2] = I / Step.Block.X / Step.Block.Y;
      T.Ntid[0] = Step.Block.X, T.Ntid[1] = Step.Block.Y, T.Ntid[2] = Step.Block.Z;
      T.Nctaid[0] = Step.Grid.X, T.Nctaid[1] = Step.Grid.Y, T.Nctaid[2] = Step.Grid.Z;
      T.Threshold = Threshold;
      T.SharedBase = B.SharedSlotBase;
      T.DynamicShared = uint32_t(Step.SharedBytes);
      T.TotalShared = uint32_t(Step.SharedBytes + K.StaticShared);
    }
    T.Ctaid[0] = B.Ctaid[0], T.Ctaid[1] = B.Ctaid[1], T.Ctaid[2] = B.Ctaid[2];
    T.Epoch = 1;
    T.WarpSync = T.FenceEpoch = T.FenceBarrier = 0;
    T.FenceLevel = 0;
    T.StrongOps = 0;
    T.PollAddress = 0;
    T.Iterations = 0;
    T.Spinning = T.Dead = false;
    T.State = Wait::Fresh;
    T.Stack = nullptr;
    T.Fuel = Quantum;
    T.Knows.clear();
    T.Sees.clear();
    T.Frames.clear();
    T.Copies.clear();
    T.CopyGroup = 0;
    T.Trace = B.Sampled;
    T.Lock.Address = 0;
    T.Lock.Accesses.clear();
    T.LastDeciding = ~uint64_t(0);
    if (B.Sampled)
      T.Log = std::make_unique<ThreadTrace>();
    B.setRecord(T);
  }
  return true;
}

bool Launch::runBlock(Worker &W, Block &B) {
  while (B.Alive) {
    if (Stopped.load(std::memory_order_relaxed) != Stop::No)
      return true;
    Thread *T = nullptr;
    bool AllSpin = false;
    if ((T = nextFresh(B))) {
      FiberStack *S = takeStack(W, E);
      if (!S) {
        fail(protocol::Failure::OutOfMemory, "the simulator has no memory for another thread's stack");
        return true;
      }
      adopt(*T, S);
      T->Fiber = make_fcontext(S->Top, StackBytes / 2, fiberMain);
    } else if (!B.Queue.empty()) {
      AllSpin = std::all_of(B.Queue.begin(), B.Queue.end(), [&](uint32_t I) { return B.Threads[I].Spinning; });
      if (AllSpin && resolveStuck(B))
        continue;
      if (AllSpin) {
        if (++B.IdleRounds > 2 * B.Queue.size()) {
          B.IdleRounds = 0;
          return false;
        }
      } else {
        B.IdleRounds = 0;
      }
      T = &B.Threads[B.Queue.front()];
      B.Queue.pop_front();
    } else if (resolveStuck(B)) {
      continue;
    } else {
      return true; // reported, cannot go on
    }
    T->Spinning = false;
    T->State = Wait::Running;
    transfer_t Back = jump_fcontext(T->Fiber, T);
    if (auto *S = static_cast<Thread *>(Back.data)) {
      S->Fiber = Back.fctx;
      B.Progress |= !S->Spinning;
    } else {
      W.FreeStacks.push_back(W.Finished);
    }
  }
  return true;
}

void Launch::finishBlock(Worker &W, std::unique_ptr<Block> B) {
  if (B->Sampled)
    countBlock(*B);
  // Threads that were abandoned keep their stacks until here.
  for (uint32_t I = 0; B->Alive && I < B->Count; ++I) {
    Thread &T = B->Threads[I];
    if (T.State != Wait::Done && T.State != Wait::Fresh && T.Stack) {
      Memory::mark(T.Stack->Local - DataBase, T.LocalTop - T.Stack->Local, false, false);
      W.FreeStacks.push_back(T.Stack);
    }
    T.Stack = nullptr;
  }
  W.FreeBlocks.push_back(std::move(B));
}

/// Where nothing but counters is asked for, blocks that are not sampled do not run.
static bool countersOnly(const protocol::Checks &C) { return C.Metrics && !C.any(); }

void Launch::work() {
  std::unique_ptr<Worker> Own;
  {
    std::lock_guard<std::mutex> Guard(E.Lock);
    if (!E.Idle.empty()) {
      Own = std::move(E.Idle.back());
      E.Idle.pop_back();
    }
  }
  if (!Own)
    Own = std::make_unique<Worker>();
  Worker &W = *Own;
  W.Owner = this;
  if (!W.FreeBlocks.empty() && W.FreeBlocks.back()->Count != ThreadsPerBlock)
    W.FreeBlocks.clear();
  Mine = &W;
  std::list<std::unique_ptr<Block>> Parked;
  uint64_t SeenProgress = 0;
  unsigned Idle = 0;
  bool CountedIdle = false;
  auto busy = [&] {
    Idle = 0;
    if (std::exchange(CountedIdle, false))
      --IdleWorkers;
  };
  // Another worker may be in the middle of a long block.
  auto allIdle = [&] {
    if (!std::exchange(CountedIdle, true))
      ++IdleWorkers;
    return IdleWorkers.load() >= Workers.load();
  };
  ++Workers;
  auto Since = std::chrono::steady_clock::now();
  while (Stopped.load(std::memory_order_relaxed) == Stop::No) {
    std::unique_ptr<Block> B;
    if (uint64_t Linear = Next.load(std::memory_order_relaxed);
        Linear < Blocks && Live.load() * uint64_t(ThreadsPerBlock) + ThreadsPerBlock <= MaxLiveThreads &&
        (Linear = Next.fetch_add(countersOnly(E.Checks) ? SampleStride : 1)) < Blocks) {
      ++Live;
      if (!startBlock(W, Linear, B)) {
        fail(protocol::Failure::Unsupported, "more blocks wait for each other than the simulator can hold at once");
        break;
      }
    } else if (!Parked.empty()) {
      B = std::move(Parked.front());
      Parked.pop_front();
    } else {
      break;
    }
    B->Progress = false;
    bool Done = runBlock(W, *B);
    if (B->Progress)
      ++Progress;
    if (B->Progress || Done)
      busy();
    if (Done) {
      --Live;
      ++Progress;
      finishBlock(W, std::move(B));
    } else {
      Parked.push_back(std::move(B));
      // Everybody only waits, and nobody has done anything else for a while: nobody ever will.
      uint64_t Now = Progress.load();
      if (Now != SeenProgress) {
        SeenProgress = Now;
        busy();
        Since = std::chrono::steady_clock::now();
      } else if (++Idle > 50 * Parked.size() && std::chrono::steady_clock::now() - Since > std::chrono::milliseconds(1500) && allIdle()) {
        if (Next.load() < Blocks) {
          fail(protocol::Failure::Unsupported, "more blocks wait for each other than the simulator can hold at once");
          break;
        }
        Block &Stuck = *Parked.front();
        for (uint32_t I = 0; I < Stuck.Count; ++I)
          if (Thread &T = Stuck.Threads[I]; T.State == Wait::Ready && T.Spinning) {
            if (uint64_t Off = T.PollAddress - DataBase; isGlobalOffset(Off) && Off >= HostVisibleOffset) {
              fail(protocol::Failure::Unsupported, "a kernel that waits for the host, which the simulator lets go on only when the kernel has ended");
              break;
            }
            E.Out.add("timeout", siteIndex(T.Op.Site), ~0u, [&](protocol::Finding &F) {
              F.Kernel = K.Name;
              F.Threads = {{blockName(Stuck), threadName(T)}};
              F.Message = "endless wait: thread " + threadName(T) + " of block " + blockName(Stuck) +
                          " polls memory that no running thread changes any more";
            });
            break;
          }
        fail(protocol::Failure::Timeout, "every running thread waits for a value that nobody writes");
      }
    }
    if (E.late()) {
      Stop Expected = Stop::No;
      Stopped.compare_exchange_strong(Expected, Stop::Slow);
    }
  }
  busy();
  --Workers;
  for (auto &B : Parked)
    finishBlock(W, std::move(B));
  Mine = nullptr;
  if (W.FreeBlocks.size() > 1)
    W.FreeBlocks.resize(1);
  for (auto &B : W.FreeBlocks)
    B->Owner = nullptr; // the next launch may lie at the same address
  std::lock_guard<std::mutex> Guard(E.Lock);
  E.Idle.push_back(std::move(Own));
}

bool Engine::late() const {
  if (std::chrono::steady_clock::now() <= Deadline)
    return false;
  if (ProcessorSeconds <= 0)
    return true;
  timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return double(T.tv_sec) >= ProcessorSeconds;
}

void Launch::run() {
  Blocks = Step.Grid.count();
  ThreadsPerBlock = uint32_t(Step.Block.count());
  if (Step.Cooperative && Blocks * ThreadsPerBlock > MaxLiveThreads)
    return fail(protocol::Failure::Unsupported, "a cooperative grid of " + std::to_string(Blocks * ThreadsPerBlock) + " threads: the simulator holds " +
                                                    std::to_string(MaxLiveThreads) + " at once");
  SampleStride = std::max<uint64_t>(1, Blocks / (countersOnly(E.Checks) ? 4 : 8));
  unsigned N = E.Limits.Threads ? E.Limits.Threads : std::max(1u, std::thread::hardware_concurrency());
  N = unsigned(std::min<uint64_t>(N, Blocks));
  if (Blocks * ThreadsPerBlock < 2048)
    N = 1;
  // What the kernel's frames leave behind is cleared by their exits; shared memory is cleared here.
  std::vector<std::thread> Others;
  for (unsigned I = 1; I < N; ++I)
    Others.emplace_back([this] { work(); });
  work();
  for (std::thread &T : Others)
    T.join();
  uint64_t Slots = std::min<uint64_t>(E.NextShared, SharedSlots);
  for (uint64_t S = 0; S < Slots; ++S)
    for (const Variable &V : E.Code.Variables)
      if (V.Shared)
        Memory::mark(SharedOffset + S * SharedSlot + V.Address, V.Bytes ? V.Bytes : Step.SharedBytes, false, false);
  if (E.Code.UsesReservedShared)
    for (uint64_t S = 0; S < Slots; ++S)
      Memory::mark(SharedOffset + S * SharedSlot + ReservedShared, ReservedSharedBytes, false, false);
  E.NextShared = 0;
}

std::string sim::blockName(const protocol::Dim3 &Grid, uint64_t L) {
  return "(" + std::to_string(L % Grid.X) + "," + std::to_string(L / Grid.X % Grid.Y) + "," + std::to_string(L / Grid.X / Grid.Y) + ")";
}
std::string sim::threadName(const protocol::Dim3 &Block, uint32_t L) { return blockName(Block, L); }
std::string sim::blockName(const Block &B) { return blockName(B.Owner->Step.Grid, B.Linear); }
std::string sim::threadName(const Thread &T) { return threadName(T.Owner->Owner->Step.Block, T.Linear); }
