//===- Records.h - where the access records of a granule lie ------------------===//
//
// Writer and reader of a granule lie side by side, four granules a cache line. The lines of a page are permuted by the bits
// above: a thread that walks down a column touches one line a row, and rows are powers of two apart, so that without it
// all of them would fall into a few sets of the cache. Compiled into kernels too (Checks.cpp): no library.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_RECORDS_H
#define KCHECK_SIM_RECORDS_H

#include "runner/sim/Layout.h"

namespace kcheck::sim {

constexpr uint64_t RecordBase = WriteBase; ///< 16 bytes a granule
constexpr uint64_t RecordPageData = 1024;  ///< bytes of data whose records fill a page

struct Records {
  uint64_t Writer, Reader;
};

inline Records *recordsOf(uint64_t Off) {
  uint64_t Line = Off >> 4;
  Line ^= (Line >> 6 ^ Line >> 12) & 63;
  return (Records *)(RecordBase + (Line << 6) + (Off << 2 & 48));
}
/// The second reader of a granule.
inline uint64_t *secondReader(const Records *R) { return (uint64_t *)(Read2Base + (((uint64_t)R - RecordBase) >> 1)); }

} // namespace kcheck::sim
#endif
