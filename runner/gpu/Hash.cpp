#include "runner/gpu/Hash.h"
#include <bit>
#include <cstring>

using namespace kcheck::gpu;

static constexpr uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void Sha256::block(const uint8_t *Data) {
  uint32_t W[64];
  for (int I = 0; I < 16; ++I)
    W[I] = uint32_t(Data[4 * I]) << 24 | uint32_t(Data[4 * I + 1]) << 16 | uint32_t(Data[4 * I + 2]) << 8 | Data[4 * I + 3];
  for (int I = 16; I < 64; ++I) {
    uint32_t A = std::rotr(W[I - 15], 7) ^ std::rotr(W[I - 15], 18) ^ (W[I - 15] >> 3);
    uint32_t B = std::rotr(W[I - 2], 17) ^ std::rotr(W[I - 2], 19) ^ (W[I - 2] >> 10);
    W[I] = W[I - 16] + A + W[I - 7] + B;
  }
  auto S = State;
  for (int I = 0; I < 64; ++I) {
    uint32_t E = std::rotr(S[4], 6) ^ std::rotr(S[4], 11) ^ std::rotr(S[4], 25);
    uint32_t T1 = S[7] + E + ((S[4] & S[5]) ^ (~S[4] & S[6])) + K[I] + W[I];
    uint32_t A = std::rotr(S[0], 2) ^ std::rotr(S[0], 13) ^ std::rotr(S[0], 22);
    uint32_t T2 = A + ((S[0] & S[1]) ^ (S[0] & S[2]) ^ (S[1] & S[2]));
    S = {T1 + T2, S[0], S[1], S[2], S[3] + T1, S[4], S[5], S[6]};
  }
  for (int I = 0; I < 8; ++I)
    State[I] += S[I];
}

Sha256 &Sha256::raw(std::string_view Text) {
  for (char C : Text) {
    Pending[Bytes++ % 64] = uint8_t(C);
    if (Bytes % 64 == 0)
      block(Pending.data());
  }
  return *this;
}

Sha256 &Sha256::part(std::string_view Text) {
  raw(std::to_string(Text.size()) + ":");
  return raw(Text);
}

std::string Sha256::hex() {
  uint64_t Bits = Bytes * 8;
  raw(std::string_view("\x80", 1));
  while (Bytes % 64 != 56)
    raw(std::string_view("\0", 1));
  char Length[8];
  for (int I = 0; I < 8; ++I)
    Length[I] = char(Bits >> (56 - 8 * I));
  raw({Length, 8});
  std::string Out;
  for (uint32_t W : State)
    for (int Shift = 28; Shift >= 0; Shift -= 4)
      Out += "0123456789abcdef"[W >> Shift & 15];
  return Out;
}
