//===- LostUpdates.h - read, change and write back without an atomic -----------===//
//
//   bins[key[i]] += 1;             // two keys alike: both read the old value, and one addition is lost
//   if (x[i] > limit) *count += 1; // two elements above it
//
// Which threads meet where data chooses the place cannot be known, so a finding is a doubt: keys may be unique.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_LOSTUPDATES_H
#define KCHECK_MATCHERS_LOSTUPDATES_H

#include "matchers/LaunchModel.h"
#include "matchers/VariableWrites.h"

namespace kcheck {

/// The write of an update that other threads of the launch may make at the same place at the same time.
struct LostUpdate {
  const eval::Access *Write = nullptr;
  const eval::BlockRun *Block = nullptr;
  bool OnePlace = false; ///< the place is common to the threads, and data chooses which of them write; else data chooses the place
};

/// The updates of shared and global memory in a launch that may be lost; one an expression. Places that a thread has for
/// itself beside what data chooses (`bins[threadIdx.x][key]`) are none, nor are the expressions of Known, which cost no run.
std::vector<LostUpdate> lostUpdates(LaunchModel &Model, const VariableWrites &Writes, const LaunchSample &L,
                                    const llvm::DenseSet<const clang::Expr *> &Known);

/// `list[*count] = v; atomicAdd(count, 1);`: the place is read plainly, and counted on by an atomic that nobody looks at.
struct UnreservedPlace {
  const eval::Access *Write = nullptr, *Count = nullptr; ///< the store to the list, the atomic on its counter
};

/// The stores of a launch whose place several threads read from one counter, before or after any of them counts it on.
std::vector<UnreservedPlace> unreservedPlaces(const VariableWrites &Writes, const LaunchSample &L);

} // namespace kcheck
#endif
