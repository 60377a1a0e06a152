#include "actions/engine/Device.h"
#include <algorithm>

using namespace kcheck;

DeviceLimits DeviceLimits::of(llvm::StringRef Arch) {
  DeviceLimits D;
  llvm::StringRef Number = Arch;
  if (!Number.consume_front("sm_"))
    Number.consume_front("compute_");
  Number.consumeInteger(10, D.Capability);
  switch (D.Capability) {
  case 75:
    D.ThreadsPerSM = 1024, D.BlocksPerSM = 16, D.SharedPerSM = 64 * 1024;
    break;
  case 86:
  case 87:
    D.ThreadsPerSM = 1536, D.BlocksPerSM = 16, D.SharedPerSM = D.Capability == 86 ? 100 * 1024 : 164 * 1024;
    break;
  case 89:
    D.ThreadsPerSM = 1536, D.BlocksPerSM = 24, D.SharedPerSM = 100 * 1024;
    break;
  case 90:
  case 100:
  case 103:
    D.SharedPerSM = 228 * 1024;
    break;
  case 120:
  case 121:
    D.ThreadsPerSM = 1536, D.BlocksPerSM = 24, D.SharedPerSM = 100 * 1024;
    break;
  default:
    break;
  }
  return D;
}

double DeviceLimits::occupancy(unsigned Threads, unsigned SharedBytes, unsigned Registers) const {
  if (!Threads || Threads > ThreadsPerBlock)
    return 0;
  unsigned Warps = (Threads + 31) / 32;
  unsigned Blocks = std::min(BlocksPerSM, ThreadsPerSM / (Warps * 32));
  if (SharedBytes) // the driver keeps a kilobyte a block
    Blocks = std::min(Blocks, SharedPerSM / (SharedBytes + 1024));
  if (Registers) // given out a warp at a time, in units of 256
    Blocks = std::min(Blocks, RegistersPerSM / (Warps * ((Registers * 32 + 255) / 256 * 256)));
  return double(Blocks * Warps * 32) / ThreadsPerSM;
}
