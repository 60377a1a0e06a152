// Matrix operations of a warp: each lane brings its fragments, the table of all lanes does the arithmetic.
#include "runner/sim/Matrix.h"
#include "runner/sim/Shadow.h"
#include <cmath>
#include <cstring>

using namespace kcheck;
using namespace kcheck::sim;

namespace {

Thread &self(ThreadContext *C) { return *static_cast<Thread *>(C); }

double fromBits(uint64_t Bits, MatrixType T) {
  switch (T) {
  case MatrixType::F16: { _Float16 H; uint16_t B = uint16_t(Bits); memcpy(&H, &B, 2); return double(H); }
  case MatrixType::BF16: { uint32_t B = uint32_t(Bits & 0xFFFF) << 16; float F; memcpy(&F, &B, 4); return F; }
  case MatrixType::TF32: { uint32_t B = uint32_t(Bits) & 0xFFFFE000u; float F; memcpy(&F, &B, 4); return F; }
  case MatrixType::F32: { uint32_t B = uint32_t(Bits); float F; memcpy(&F, &B, 4); return F; }
  case MatrixType::F64: { double D; memcpy(&D, &Bits, 8); return D; }
  case MatrixType::S8: return int8_t(Bits);
  case MatrixType::U8: return uint8_t(Bits);
  case MatrixType::S32: return int32_t(Bits);
  }
  return 0;
}

uint64_t toBits(double V, MatrixType T) {
  switch (T) {
  case MatrixType::F16: { _Float16 H = _Float16(float(V)); uint16_t B; memcpy(&B, &H, 2); return B; }
  case MatrixType::F32: { float F = float(V); uint32_t B; memcpy(&B, &F, 4); return B; }
  case MatrixType::F64: { uint64_t B; memcpy(&B, &V, 8); return B; }
  case MatrixType::S32: return uint32_t(int32_t(int64_t(V)));
  default: return 0;
  }
}

unsigned bitsOf(MatrixType T) {
  switch (T) {
  case MatrixType::F16:
  case MatrixType::BF16: return 16;
  case MatrixType::S8:
  case MatrixType::U8: return 8;
  case MatrixType::F64: return 64;
  default: return 32;
  }
}

struct Fragments {
  const uint64_t *A, *B, *C;
};

/// Element (Row, K) of A: PTX's layout of m16n8kK fragments, the same rule for every element width.
double elementA(void **Lanes, unsigned Row, unsigned K, MatrixType T) {
  unsigned E = 32 / bitsOf(T), Reg = (Row >= 8 ? 1 : 0) + 2 * (K / (4 * E)), Lane = (Row % 8) * 4 + K % (4 * E) / E;
  auto *F = static_cast<Fragments *>(Lanes[Lane]);
  return F ? fromBits(F->A[Reg] >> (K % E * bitsOf(T)), T) : 0;
}
double elementB(void **Lanes, unsigned K, unsigned Column, MatrixType T) {
  unsigned E = 32 / bitsOf(T), Reg = K / (4 * E), Lane = Column * 4 + K % (4 * E) / E;
  auto *F = static_cast<Fragments *>(Lanes[Lane]);
  return F ? fromBits(F->B[Reg] >> (K % E * bitsOf(T)), T) : 0;
}

} // namespace

extern "C" {

/// D = A * B + C for m16n8kK; Types: four bits each for D, A, B, C.
void kcheck_rt_mma(ThreadContext *Ctx, uint64_t *Out, uint64_t *A, uint64_t *B, uint64_t *C, uint32_t K, uint32_t Types, uint32_t Site) {
  Thread &T = self(Ctx);
  auto Td = MatrixType(Types & 15), Ta = MatrixType(Types >> 4 & 15), Tb = MatrixType(Types >> 8 & 15), Tc = MatrixType(Types >> 12 & 15);
  Fragments Mine{A, B, C};
  void **Lanes = kcheck_collect(Ctx, &Mine, ~0u, Site);
  unsigned Group = T.Lane / 4, In = T.Lane % 4;
  uint64_t Result[4] = {};
  for (unsigned I = 0; I < 4; ++I) {
    unsigned Row = Group + (I >= 2 ? 8 : 0), Column = In * 2 + I % 2;
    bool PackedC = bitsOf(Tc) == 16;
    double Sum = fromBits(PackedC ? C[I / 2] >> (I % 2 * 16) : C[I], Tc);
    for (unsigned X = 0; X < K; ++X)
      Sum += elementA(Lanes, Row, X, Ta) * elementB(Lanes, X, Column, Tb);
    if (bitsOf(Td) == 16)
      Result[I / 2] |= (toBits(Sum, Td) & 0xFFFF) << (I % 2 * 16);
    else
      Result[I] = toBits(Sum, Td);
  }
  // Nobody may reuse its fragments before everybody has read them.
  T.Op = {WarpOp::Sync, 1, ~0u, Site};
  arriveWarp(T);
  memcpy(Out, Result, sizeof Result);
}

void kcheck_rt_ldmatrix(ThreadContext *Ctx, uint64_t *Out, void *Address, uint32_t Count, uint32_t Transposed, uint32_t Site) {
  Thread &T = self(Ctx);
  if (T.Lane < 8 * Count) {
    if (T.Trace)
      kcheck_trace(Ctx, Address, Site, 16);
    if (!checkAccess(T, uint64_t(Address), Site, 16, 16, {.Reads = true})) {
      memset(T.Scratch, 0, sizeof T.Scratch);
      Address = T.Scratch;
    }
  }
  void **Rows = kcheck_collect(Ctx, Address, ~0u, Site);
  uint64_t Result[4] = {};
  for (uint32_t M = 0; M < Count; ++M)
    for (unsigned I = 0; I < 2; ++I) {
      unsigned Row = Transposed ? T.Lane % 4 * 2 + I : T.Lane / 4, Column = Transposed ? T.Lane / 4 : T.Lane % 4 * 2 + I;
      uint16_t V = 0;
      if (Rows[8 * M + Row])
        memcpy(&V, static_cast<char *>(Rows[8 * M + Row]) + 2 * Column, 2);
      Result[M] |= uint64_t(V) << (16 * I);
    }
  T.Op = {WarpOp::Sync, 1, ~0u, Site};
  arriveWarp(T);
  memcpy(Out, Result, Count * sizeof(uint64_t));
}

/// Fragments of wmma are opaque; ours hold elements Lane*Each .. of the row-major matrix. Elements beyond the
/// matrix (hardware keeps some twice) repeat it.
static unsigned wmmaIndex(unsigned Lane, unsigned I, unsigned Total) {
  unsigned Each = Total / 32;
  return Lane * Each + I % Each;
}

/// Whole rows (or columns) are moved by vector accesses: each starts at a multiple of 16 bytes.
static unsigned wmmaAlign(unsigned InRow, unsigned Bytes) { return InRow == 0 ? 16 : Bytes; }

void kcheck_rt_wmma_load(ThreadContext *Ctx, void *Out, char *Base, uint64_t Stride, uint32_t Rows, uint32_t Columns, uint32_t Code, uint32_t Count, uint32_t Site) {
  Thread &T = self(Ctx);
  unsigned Bytes = bitsOf(MatrixType(Code & 15)) / 8;
  bool ColumnMajor = Code >> 4 & 1;
  for (unsigned I = 0; I < Count; ++I) {
    unsigned Index = wmmaIndex(T.Lane, I, Rows * Columns), R = Index / Columns, K = Index % Columns;
    char *From = Base + (ColumnMajor ? K * Stride + R : R * Stride + K) * Bytes;
    if (I < Rows * Columns / 32 && !checkAccess(T, uint64_t(From), Site, Bytes, wmmaAlign(ColumnMajor ? R : K, Bytes), {.Reads = true})) {
      memset(static_cast<char *>(Out) + I * Bytes, 0, Bytes);
      continue;
    }
    if (Memory::exists(uint64_t(From) - DataBase, Bytes))
      memcpy(static_cast<char *>(Out) + I * Bytes, From, Bytes);
  }
  T.Op = {WarpOp::Matrix, 0, ~0u, Site};
  arriveWarp(T);
}

void kcheck_rt_wmma_store(ThreadContext *Ctx, void *In, char *Base, uint64_t Stride, uint32_t Rows, uint32_t Columns, uint32_t Code, uint32_t Count, uint32_t Site) {
  Thread &T = self(Ctx);
  unsigned Bytes = bitsOf(MatrixType(Code & 15)) / 8;
  bool ColumnMajor = Code >> 4 & 1;
  for (unsigned I = 0; I < std::min(Count, Rows * Columns / 32); ++I) {
    unsigned Index = wmmaIndex(T.Lane, I, Rows * Columns), R = Index / Columns, K = Index % Columns;
    char *To = Base + (ColumnMajor ? K * Stride + R : R * Stride + K) * Bytes;
    if (checkAccess(T, uint64_t(To), Site, Bytes, wmmaAlign(ColumnMajor ? R : K, Bytes), {.Writes = true}))
      memcpy(To, static_cast<char *>(In) + I * Bytes, Bytes);
  }
  T.Op = {WarpOp::Matrix, 0, ~0u, Site};
  arriveWarp(T);
}

struct WmmaFragments {
  const char *A, *B, *C;
};

void kcheck_rt_wmma_mma(ThreadContext *Ctx, void *Out, void *A, void *B, void *C, uint32_t Shape, uint32_t Types, uint32_t Count, uint32_t Site) {
  Thread &T = self(Ctx);
  unsigned M = Shape & 255, N = Shape >> 8 & 255, K = Shape >> 16 & 255;
  auto Td = MatrixType(Types & 15), Ta = MatrixType(Types >> 4 & 15), Tb = MatrixType(Types >> 8 & 15), Tc = MatrixType(Types >> 12 & 15);
  WmmaFragments Mine{static_cast<char *>(A), static_cast<char *>(B), static_cast<char *>(C)};
  void **Lanes = kcheck_collect(Ctx, &Mine, ~0u, Site);
  auto element = [&](const char *WmmaFragments::*Which, unsigned Index, unsigned Total, MatrixType Ty) {
    unsigned Each = Total / 32, Bytes = bitsOf(Ty) / 8;
    auto *F = static_cast<WmmaFragments *>(Lanes[Index / Each]);
    uint64_t V = 0;
    if (F)
      memcpy(&V, F->*Which + Index % Each * Bytes, Bytes);
    return fromBits(V, Ty);
  };
  std::vector<char> Result(Count * bitsOf(Td) / 8);
  for (unsigned I = 0; I < Count; ++I) {
    unsigned Index = wmmaIndex(T.Lane, I, M * N), R = Index / N, Col = Index % N;
    double Sum = element(&WmmaFragments::C, Index, M * N, Tc);
    for (unsigned X = 0; X < K; ++X)
      Sum += element(&WmmaFragments::A, R * K + X, M * K, Ta) * element(&WmmaFragments::B, X * N + Col, K * N, Tb);
    uint64_t V = toBits(Sum, Td);
    memcpy(Result.data() + I * bitsOf(Td) / 8, &V, bitsOf(Td) / 8);
  }
  T.Op = {WarpOp::Sync, 1, ~0u, Site};
  arriveWarp(T);
  memcpy(Out, Result.data(), Result.size());
}

uint64_t kcheck_rt_grid_workspace(ThreadContext *C) { return self(C).Owner->Owner->E.GridWorkspace; }

//===--- bit fields and dot products ----------------------------------------===//

uint64_t kcheck_rt_bfe(ThreadContext *, uint64_t V, uint32_t Pos, uint32_t Len, uint32_t Bits, uint32_t Signed) {
  Pos &= 255;
  Len &= 255;
  if (Len == 0)
    return 0;
  uint32_t Msb = std::min(Pos + Len - 1, Bits - 1);
  uint64_t Sign = Signed ? V >> Msb & 1 : 0, R = 0;
  for (uint32_t I = 0; I < Bits; ++I) {
    uint64_t Bit = I < Len && Pos + I < Bits ? V >> (Pos + I) & 1 : Sign;
    R |= Bit << I;
  }
  return R;
}

uint64_t kcheck_rt_bfi(ThreadContext *, uint64_t A, uint64_t B, uint32_t Pos, uint32_t Len, uint32_t Bits) {
  Pos &= 255;
  Len &= 255;
  for (uint32_t I = 0; I < Len && Pos + I < Bits; ++I)
    B = (B & ~(uint64_t(1) << (Pos + I))) | (A >> I & 1) << (Pos + I);
  return B;
}

uint32_t kcheck_rt_dp4a(ThreadContext *, uint32_t A, uint32_t B, uint32_t C, uint32_t Flags) {
  for (unsigned I = 0; I < 32; I += 8)
    C += uint32_t((Flags & 1 ? int32_t(int8_t(A >> I)) : int32_t(uint8_t(A >> I))) * (Flags & 2 ? int32_t(int8_t(B >> I)) : int32_t(uint8_t(B >> I))));
  return C;
}

uint32_t kcheck_rt_dp2a(ThreadContext *, uint32_t A, uint32_t B, uint32_t C, uint32_t Flags) {
  for (unsigned I = 0; I < 2; ++I) {
    int32_t X = Flags & 1 ? int32_t(int16_t(A >> 16 * I)) : int32_t(uint16_t(A >> 16 * I));
    uint32_t Byte = B >> (8 * (I + (Flags & 4 ? 2 : 0)));
    C += uint32_t(X * (Flags & 2 ? int32_t(int8_t(Byte)) : int32_t(uint8_t(Byte))));
  }
  return C;
}

/// A double to half or bfloat16 with directed rounding.
uint32_t kcheck_rt_narrow16(ThreadContext *, double V, uint32_t Bfloat, uint32_t Mode) {
  auto bits = [&](double X) -> uint16_t {
    if (Bfloat) {
      float F = float(X);
      uint32_t B;
      memcpy(&B, &F, 4);
      return uint16_t(X != X ? B >> 16 | 0x40 : (B + 0x7FFF + (B >> 16 & 1)) >> 16);
    }
    _Float16 H = _Float16(X);
    uint16_t B;
    memcpy(&B, &H, 2);
    return B;
  };
  uint16_t B = bits(V);
  double Back = fromBits(B, Bfloat ? MatrixType::BF16 : MatrixType::F16);
  if (V != V || Back == V || (std::isinf(V)))
    return B;
  bool TooFar = std::fabs(Back) > std::fabs(V), Negative = V < 0;
  bool Shrink = Mode == 1 || (Mode == 2 && !Negative) || (Mode == 3 && Negative); // towards zero
  if (Shrink && TooFar)
    return uint16_t(B - 1);
  if (!Shrink && !TooFar)
    return uint16_t(B + 1);
  return B;
}

} // extern "C"
