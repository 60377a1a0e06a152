//===- Runtime.h - what the parts of the guest's CUDA runtime share ----------------===//
#ifndef KCHECK_GPU_GUEST_RUNTIME_H
#define KCHECK_GPU_GUEST_RUNTIME_H

#include "runner/gpu/guest/Guest.h"
#include "runner/guest/Errors.h"
#include "runner/guest/Graphs.h"

namespace kcheck::gpu {

/// One call of the runtime at a time.
struct ApiCall {
  std::lock_guard<std::recursive_mutex> Held{Guest::only().Lock};
};
#define API_CALL kcheck::gpu::ApiCall Call_

inline uint64_t word(const void *P) { return reinterpret_cast<uint64_t>(P); }

// Each gives a cudaError_t and remembers it.
int allocate(void **Out, uint64_t Bytes, bool Managed = false);
int release(void *P);
int copyRows(void *To, uint64_t ToPitch, const void *From, uint64_t FromPitch, uint64_t Width, uint64_t Height, int Kind, void *Stream, bool Async);
/// Does it, or keeps it for the graph that records the stream.
int doOrRecord(void *Stream, guest::GraphStep Do);

} // namespace kcheck::gpu
#endif
