//===- BlockOrder.h - values that only an order between blocks would make right ---===//
//
//   if (i == 0) *sum = 0;  __syncthreads();  atomicAdd(sum, x[i]);   // late start: another block has added already
//   atomicAdd(sum, x[i]);  __syncthreads();  y[i] = x[i] / *sum;     // early read: other blocks have yet to add
//
// A barrier holds one block only. Kernels whose blocks look at something that orders them (a ticket, a flag, a barrier of
// the grid) are left alone, for the simulator to judge.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_BLOCKORDER_H
#define KCHECK_MATCHERS_BLOCKORDER_H

#include "matchers/Races.h"

namespace kcheck {

/// Does the block come by a barrier of the whole grid?
bool waitsForGrid(const eval::BlockRun &Block);

/// A block gives a place its first value (First) while another block may already have added to it or set it (Second).
std::vector<Race> lateStarts(const eval::KernelRun &Run);

/// A block takes a value for finished (Second) to which another block may still add (First). One a reading expression.
/// Sure where the other block surely adds and some data make the block read.
std::vector<Race> earlyReads(const eval::KernelRun &Run);

} // namespace kcheck
#endif
