//===- Hash.h - SHA-256 of texts, for keys that a candidate must not be able to forge ---===//
#ifndef KCHECK_GPU_HASH_H
#define KCHECK_GPU_HASH_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kcheck::gpu {

class Sha256 {
public:
  /// Adds the text and its length, so that neighbouring parts cannot be shifted into each other.
  Sha256 &part(std::string_view Text);
  Sha256 &raw(std::string_view Text);
  /// 64 hexadecimal digits. Ends the object's use.
  std::string hex();

private:
  void block(const uint8_t *Data);
  std::array<uint32_t, 8> State{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> Pending{};
  uint64_t Bytes = 0;
};

} // namespace kcheck::gpu
#endif
