//===- Trace.h - what the threads of some blocks of a launch did ---------------===//
//
//   host launcher + sample sizes ─► HostRun { steps } ─► each launch ─► KernelRun { blocks { accesses, … } }
//
// Everything is recorded for all threads at once: offsets a lane, and two masks. Sure are the threads that
// certainly did it; May also holds those whose control flow hangs on data that is not known here.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_EVAL_TRACE_H
#define KCHECK_MATCHERS_EVAL_TRACE_H

#include "matchers/eval/Value.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>
#include <vector>

namespace kcheck::eval {

struct Threads {
  Mask May, Sure;
};

/// A branch, loop or early exit that decides whether an event happens.
struct Control {
  enum Kind : uint8_t { Branch, Loop, Exit } K = Branch;
  const clang::Stmt *S = nullptr;    ///< the if/for/while/switch, or the return/break/continue
  const clang::Expr *Cond = nullptr;
  int Side = 0;                      ///< 0 then, 1 else; case number of a switch
  bool Unknown = false;              ///< some lane's condition is not known
  Taint T;                           ///< of the condition
  unsigned Instance = 0;             ///< counts executions of S, so that two loop trips differ
};

enum class AccessKind : uint8_t { Read, Write, Atomic };

struct Access {
  AccessKind Kind = AccessKind::Read;
  const clang::Expr *E = nullptr;     ///< the lvalue expression
  const clang::FunctionDecl *In = nullptr;
  Object *Obj = nullptr;              ///< null: not known
  clang::QualType Type;               ///< accessed type
  unsigned Bytes = 0;
  Lanes Offset;                       ///< bytes from the object's start
  std::shared_ptr<const Band> Within; ///< where it lies when it is not known; null: anywhere
  Taint OffsetTaint;
  Threads Who;
  Taint Stored;                       ///< writes: of the value
  bool SameValue = false;             ///< writes: every thread stores the same known or uniform value
  int64_t Value = Unk;                ///< writes: the value, where all threads store one that is known
  unsigned From = ~0u;                ///< writes: the read of the block whose value is stored as it is
  bool Volatile = false;
  bool Async = false;                 ///< cp.async or bulk copy: visible after a wait
  unsigned Interval = 0;              ///< barrier interval of the block
  unsigned WarpPhase = 0;             ///< grows at each warp-level synchronisation too
  unsigned Sequence = 0;
  unsigned Group = 0;                 ///< copies by cp.async: the group that commits them, from 1; else: how many groups have landed
  std::vector<Control> Path;          ///< the unknown branches it is under
  unsigned LoopDepth = 0;
  std::vector<unsigned> Trips;        ///< iteration of each enclosing loop, outermost first
};

struct BarrierEvent {
  const clang::CallExpr *Call = nullptr;
  const clang::FunctionDecl *In = nullptr;
  Threads Who;
  Mask Exited;                        ///< threads that had left the kernel
  std::vector<Control> Why;           ///< every branch, loop and exit in force
  unsigned Interval = 0;              ///< that it ends
};

/// A warp-level operation: shuffle, vote, __syncwarp.
struct WarpEvent {
  const clang::CallExpr *Call = nullptr;
  const clang::FunctionDecl *In = nullptr;
  bool Legacy = false;                ///< without _sync
  Lanes Named;                        ///< the mask argument a lane; Unk when not known
  Threads Who;
  Mask Exited;
  std::vector<Control> Why;
};

/// A wait for groups of copies: how many had been committed, and how many may stay in flight.
struct GroupWait {
  const clang::CallExpr *Call = nullptr;
  unsigned Committed = 0;
  unsigned Sequence = 0;              ///< of the access that comes next
};

/// Signed arithmetic of 32 bits or fewer that left its type's range.
struct OverflowEvent {
  const clang::Expr *E = nullptr;
  Threads Who;
  int64_t Exact = 0;
  unsigned Lane = 0;
  Taint T;
};

/// A pointer that was handed to code that the file does not show, or to inline assembly.
struct EscapeEvent {
  const clang::Stmt *At = nullptr;
  Object *Obj = nullptr;
  bool MayWrite = true;
};

/// A loop that counts: its variable in the first and in the second trip.
struct CountingLoop {
  const clang::ForStmt *Loop = nullptr;
  const clang::VarDecl *Variable = nullptr;
  const clang::FunctionDecl *In = nullptr;
  Lanes First, Second;                ///< Second: unknown when no thread made two trips
  Mask Sure;
  unsigned Depth = 0;                 ///< 1: not inside another loop
};

/// A read or write of a variable of the thread's own: past its end, or of what nothing has been stored in.
struct LocalFault {
  const clang::Expr *E = nullptr;
  const clang::VarDecl *Variable = nullptr;
  unsigned Thread = 0;
  std::optional<int64_t> Offset;      ///< bytes; none: the read of a variable without a value
};

struct BlockRun {
  std::array<unsigned, 3> Index{};
  std::vector<Access> Accesses;
  std::vector<BarrierEvent> Barriers;
  std::vector<WarpEvent> WarpOps;
  std::vector<GroupWait> GroupWaits;
  unsigned GroupsUntil = ~0u;         ///< the first access before which not all threads committed and waited alike, or steps were left out
  std::vector<OverflowEvent> Overflows;
  std::vector<EscapeEvent> Escapes;
  std::vector<LocalFault> LocalFaults; ///< that surely happen; one an expression
  std::vector<const clang::ReturnStmt *> Returns;
  std::vector<Control> Branches;      ///< every if of the kernel's own body that was reached, once
  std::vector<CountingLoop> Counting;
  bool Skipped = false;               ///< the middle of a long loop was left out
  bool Fences = false;                ///< a memory fence was executed
};

using Dim3 = std::array<int64_t, 3>;

/// One kernel launch with concrete sizes, and what some of its blocks did.
struct KernelRun {
  const clang::FunctionDecl *Kernel = nullptr;
  Dim3 Grid{1, 1, 1}, Block{1, 1, 1};
  std::array<Taint, 3> GridTaint, BlockTaint;
  int64_t SharedBytes = 0;
  Taint SharedTaint;
  bool Assumed = false;               ///< the file shows no launch: sizes are a guess
  bool ShownShape = false;            ///< of which the kernel's index forms show the block
  std::vector<Value> Args;
  std::vector<BlockRun> Blocks;
  std::deque<Object> Objects;         ///< shared, local and symbol objects of the run
  std::string Imprecise;              ///< why the run is not exact; empty when it is
  const clang::Stmt *ImpreciseAt = nullptr;
  bool OutOfFuel = false;
  bool ZeroData = false;              ///< integers that are read from global memory are taken for zeros
  /// Bodies of functions, branches, loops and cases that some thread may have entered, and the ifs met.
  llvm::DenseSet<const clang::Stmt *> Reached;
  unsigned threads() const { return unsigned(Block[0] * Block[1] * Block[2]); }
  /// Of the whole grid; no more than INT64_MAX, whatever sizes of ours multiply to.
  int64_t blocks() const {
    int64_t N = 0;
    return __builtin_mul_overflow(Grid[0], Grid[1], &N) || __builtin_mul_overflow(N, Grid[2], &N) ? INT64_MAX : N;
  }
};

/// One step of a launch plan.
struct Step {
  enum Kind : uint8_t { Allocate, Free, Set, Copy, Launch, Synchronise, Other } K = Other;
  const clang::CallExpr *Call = nullptr;
  bool Sure = true;                   ///< false: under a condition that is not known
  Object *Target = nullptr, *Source = nullptr;
  Value TargetPointer, SourcePointer;
  std::optional<int64_t> Bytes;
  Taint BytesTaint;
  int CopyKind = -1;                  ///< cudaMemcpyKind, -1 not known
  bool Async = false;
  // launches
  const clang::FunctionDecl *Kernel = nullptr;
  std::array<std::optional<int64_t>, 3> Grid, Block;
  std::array<Taint, 3> GridTaint, BlockTaint;
  std::optional<int64_t> SharedBytes;
  Taint SharedTaint;
  std::vector<Value> Args;
  std::vector<std::optional<int64_t>> ArgBytes; ///< of what each argument points to, as this launch types it; a dispatch over types has others
  const clang::Expr *GridExpr = nullptr, *BlockExpr = nullptr, *SharedExpr = nullptr;
};

/// A size that the interpreter chose: an integer parameter of the launcher, or a tensor's extent.
struct Size {
  const clang::ParmVarDecl *Param = nullptr;
  std::string Name;                   ///< "n", "x.size(0)"
  int64_t Value = 0;
};

/// A comparison of host code between known values.
struct Comparison {
  const clang::BinaryOperator *E = nullptr;
  int64_t Left = 0, Right = 0;
  uint64_t LeftSizes = 0, RightSizes = 0; ///< bit i: the side depends on size i
  bool Holds = false;
};

/// The host launcher with concrete sizes.
struct HostRun {
  const clang::FunctionDecl *Launcher = nullptr;
  std::vector<Size> Sizes;
  std::vector<Step> Steps;
  std::deque<Object> Objects;
  /// Constants that the launcher compares a size with: (index of the size, constant).
  std::vector<std::pair<unsigned, int64_t>> Compared;
  /// Sizes that the launcher divides by one another: (dividend, divisor).
  std::vector<std::pair<unsigned, unsigned>> Divided;
  std::vector<OverflowEvent> Overflows;
  std::optional<Comparison> LastTest; ///< of those that depend on a size
  /// Of a condition that is not known take one side, where both would leave a launch's shape unknown: the one that goes on.
  bool Settles = false;
  bool Settled = false;               ///< it was done: no launch is sure
  std::string Refusal;                ///< the construct that could not be interpreted; empty when all was
  const clang::Stmt *RefusedAt = nullptr;
};

} // namespace kcheck::eval
#endif
