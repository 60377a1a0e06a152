//===- Device.h - the limits of a device generation ----------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_DEVICE_H
#define KCHECK_ACTIONS_ENGINE_DEVICE_H

#include "llvm/ADT/StringRef.h"

namespace kcheck {

/// What a block and a multiprocessor may hold; from the CUDA Programming Guide's table of compute capabilities.
struct DeviceLimits {
  unsigned Capability = 80;
  unsigned ThreadsPerBlock = 1024;
  unsigned ThreadsPerSM = 2048, BlocksPerSM = 32;
  unsigned StaticShared = 48 * 1024; ///< bytes of static shared memory a block
  unsigned SharedPerSM = 164 * 1024;
  unsigned RegistersPerSM = 64 * 1024, RegistersPerThread = 255;

  static DeviceLimits of(llvm::StringRef Arch);
  /// Threads of blocks that fit on one multiprocessor at a time, as a share of what it could hold.
  double occupancy(unsigned Threads, unsigned SharedBytes, unsigned Registers) const;
};

} // namespace kcheck
#endif
