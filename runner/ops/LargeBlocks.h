//===- LargeBlocks.h - vectors of megabytes without a fault a page ---------------===//
//
// References and comparisons make and drop vectors of many megabytes at every case. Where page faults are dear (virtual machines) they
// cost more than the arithmetic. Programs that link this get blocks of a megabyte and more in huge pages, kept for the next one.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_OPS_LARGEBLOCKS_H
#define KCHECK_OPS_LARGEBLOCKS_H

namespace kcheck::ops {

/// Links the program's operator new with the pool. False: a sanitizer has its own.
bool useLargeBlocks();

} // namespace kcheck::ops
#endif
