//===- Philox.h - counter-based random numbers ---------------------------------===//
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"). Integer arithmetic only,
// so that CPU and GPU make the same numbers from the same key and counter, in any order.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_OPS_PHILOX_H
#define KCHECK_OPS_PHILOX_H

#include <array>
#include <cstdint>

namespace kcheck::ops {

constexpr int PhiloxRounds = 10;

inline void philoxRound(uint32_t &C0, uint32_t &C1, uint32_t &C2, uint32_t &C3, uint32_t K0, uint32_t K1) {
  uint64_t P0 = uint64_t(0xD2511F53u) * C0, P1 = uint64_t(0xCD9E8D57u) * C2;
  uint32_t N0 = uint32_t(P1 >> 32) ^ C1 ^ K0, N2 = uint32_t(P0 >> 32) ^ C3 ^ K1;
  C1 = uint32_t(P1);
  C3 = uint32_t(P0);
  C0 = N0;
  C2 = N2;
}

inline void philoxNextKey(uint32_t &K0, uint32_t &K1) {
  K0 += 0x9E3779B9u;
  K1 += 0xBB67AE85u;
}

inline std::array<uint32_t, 4> philox(uint64_t Key, uint64_t Stream, uint64_t Counter) {
  uint32_t C0 = uint32_t(Counter), C1 = uint32_t(Counter >> 32), C2 = uint32_t(Stream), C3 = uint32_t(Stream >> 32);
  uint32_t K0 = uint32_t(Key), K1 = uint32_t(Key >> 32);
  for (int Round = 0; Round < PhiloxRounds; ++Round) {
    philoxRound(C0, C1, C2, C3, K0, K1);
    philoxNextKey(K0, K1);
  }
  return {C0, C1, C2, C3};
}

} // namespace kcheck::ops
#endif
