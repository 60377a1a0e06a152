//===- Calls.h - the words of a guest's messages -----------------------------------===//
//
//   Call              (kind, value, bytes) an argument: 0 a value, 1 an address of the device, 2 host memory whose content is in the
//                     message's bytes (value 1: Done brings it back)
//   Allocate          bytes                                 -> address
//   Release           address
//   Copy              to, from, bytes, stream, async, rows of so many bytes, their distance at to and at from
//                     0: host memory, which travels as bytes, row behind row
//   Set               to, value, bytes, stream, async
//   Fetch             address, bytes                        -> content as bytes: host code looks into managed memory
//   RegisterKernel    stub; name as bytes                   -> (offset, bytes) a parameter, from word 4
//   RegisterVariable  name as bytes                         -> address, bytes
//   Run               stub, grid, block, shared, stream, cooperative, cluster (0: none); parameters as bytes
//   Allow             stub, attribute of a function, value
//   Texture           TextureMake, kind of resource, address, format, channels, width (linear: bytes), height, pitch, three edges, filter,
//                     normalized read, normalized coordinates, border (four floats) -> object; TextureDrop, object
//   Stream, Event, Ask: which of the calls below, and what it is about
//
// Answers begin with the result and the device's lasting error.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_GUEST_CALLS_H
#define KCHECK_GPU_GUEST_CALLS_H

#include <cstdint>

namespace kcheck::gpu {

enum StreamCall : uint64_t { StreamMake, StreamDrop, StreamSync, StreamQuery, DeviceSync };
enum EventCall : uint64_t { EventMake, EventDrop, EventRecord, EventWait, EventSync, EventQuery, EventElapsed };
enum AskCall : uint64_t { AskAttribute, AskMemory, AskOccupancy, AskFunction, AskName };
enum TextureCall : uint64_t { TextureMake, TextureDrop };
enum CellKind : uint64_t { CellValue, CellDevice, CellHost };

/// Numbers of streams that host code makes begin here; below are CUDA's own.
inline constexpr uint64_t FirstStream = 16;

} // namespace kcheck::gpu
#endif
