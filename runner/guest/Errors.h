//===- Errors.h - the CUDA runtime's numbers, without its headers ---------------===//
#ifndef KCHECK_GUEST_ERRORS_H
#define KCHECK_GUEST_ERRORS_H

namespace kcheck::guest {

/// cudaError_t, the ones that the runtimes of ours give back.
enum CudaError : int {
  Success = 0, InvalidValue = 1, MemoryAllocation = 2, InvalidConfiguration = 9, InvalidPitch = 12, InvalidSymbol = 13, InvalidDevicePointer = 17,
  InvalidMemcpyDirection = 21, InvalidDeviceFunction = 98, InvalidDevice = 101, InvalidResourceHandle = 400, NotReady = 600,
  IllegalAddress = 700, LaunchOutOfResources = 701, LaunchTimeout = 702, PeerAccessAlreadyEnabled = 704, PeerAccessNotEnabled = 705,
  Assert = 710, LaunchFailure = 719, CooperativeLaunchTooLarge = 720, NotPermitted = 800, NotSupported = 801,
  CaptureUnsupported = 900, CaptureInvalidated = 901, Unknown = 999
};

enum class CopyKind : int { HostToHost = 0, HostToDevice = 1, DeviceToHost = 2, DeviceToDevice = 3, Default = 4 };

const char *errorName(int Error);
const char *errorText(int Error);

} // namespace kcheck::guest
#endif
