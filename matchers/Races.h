//===- Races.h - conflicting accesses of two threads ---------------------------===//
//
// Two accesses conflict when different threads touch the same bytes, one of them writes, and nothing orders
// them: no block barrier between (shared memory; two barrier intervals), no warp synchronisation (threads of
// one warp), no grid-wide order (blocks of one launch).
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_RACES_H
#define KCHECK_MATCHERS_RACES_H

#include "matchers/eval/Trace.h"
#include "llvm/ADT/DenseMap.h"
#include <unordered_map>

namespace kcheck {

/// Places lie a row or a plane apart, by powers of two: all their bits have to count, or they meet in a few buckets.
struct PlaceInfo : llvm::DenseMapInfo<int64_t> {
  static unsigned getHashValue(const int64_t &Place) { return unsigned(uint64_t(Place) * 0x9e3779b97f4a7c15u >> 32); }
};
template <class T> using ByPlace = llvm::DenseMap<int64_t, T, PlaceInfo>;

struct Race {
  const eval::Access *First = nullptr, *Second = nullptr; ///< in the order of the run
  unsigned FirstThread = 0, SecondThread = 0;             ///< linear index in the block
  int64_t Offset = 0;                                     ///< bytes, in the object
  bool SameWarp = false;                                  ///< a warp synchronisation would do
  bool Sure = false;                                      ///< both certainly happen
  const eval::BlockRun *FirstBlock = nullptr, *SecondBlock = nullptr;
};

/// Two sides of one branch that all threads of the block take alike: the accesses never meet.
bool exclusive(const eval::Access &A, const eval::Access &B);
/// Is the access unknown, if it is, only because of conditions that all threads of the block share?
bool likely(const eval::Access &A);

/// Several axes of a block that the file does not show are a guess at a shape: that two threads of it meet says nothing.
inline bool guessedShape(const eval::KernelRun &R) { return R.Assumed && !R.ShownShape && (R.Block[1] > 1 || R.Block[2] > 1); }

/// Two blocks read the same places of global memory: nothing tells the one from the other.
bool readAlike(const eval::BlockRun &A, const eval::BlockRun &B, unsigned Threads);

/// The races of the runs that the launch model made: each found once, however many rules ask.
class RaceModel {
public:
  explicit RaceModel(clang::ASTContext &) {}

  /// Between threads of one block, in shared and in global memory. At most one a pair of expressions.
  const std::vector<Race> &inBlock(const eval::KernelRun &Run, const eval::BlockRun &Block);
  /// In global memory, between the blocks that were run. Accesses ordered by atomics are left out.
  const std::vector<Race> &betweenBlocks(const eval::KernelRun &Run);

private:
  std::unordered_map<const eval::BlockRun *, std::vector<Race>> Within;
  std::unordered_map<const eval::KernelRun *, std::vector<Race>> Between;
};

} // namespace kcheck
#endif
