//===- Types.h - element types and generators that jobs talk about ------------===//
#ifndef KCHECK_PROTOCOL_TYPES_H
#define KCHECK_PROTOCOL_TYPES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcheck::protocol {

/// Element type of a buffer or type of a scalar argument. Bytes: opaque, one byte an element.
enum class DType { F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, Bool, Bytes };

/// Bytes of one element.
size_t sizeOf(DType Type);
/// "f32", "bf16", "u8", "bool", "bytes", ...
std::string_view toString(DType Type);
std::optional<DType> parseDType(std::string_view Text);
bool isFloat(DType Type);

/// How a worker makes a buffer's content by itself: the same seed, stream and distribution give the same
/// bytes on every side (counter-based Philox, runner/ops).
struct Generator {
  std::string Distribution = "normal"; ///< normal uniform constant one_hot extreme denormal nan_inf iota index zero
  uint64_t Seed = 0;
  uint64_t Stream = 0;          ///< tells the buffers of a job apart
  double A = 0, B = 1;          ///< mean and deviation, or low and high, or the constant in A
};

using Bytes = std::vector<uint8_t>;

std::string encodeBase64(const Bytes &Data);
/// Empty when Text is no base64.
std::optional<Bytes> decodeBase64(std::string_view Text);

} // namespace kcheck::protocol
#endif
