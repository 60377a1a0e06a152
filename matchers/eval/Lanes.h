//===- Lanes.h - one integer a thread of a block ------------------------------===//
//
// The SIMT interpreter evaluates each expression once for all threads of a block. A Lanes holds either one
// value for all (uniform) or one a thread; Unk marks a thread whose value is not known.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_EVAL_LANES_H
#define KCHECK_MATCHERS_EVAL_LANES_H

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace kcheck::eval {

inline constexpr unsigned MaxLanes = 1024;
/// The value of a lane that is not known.
inline constexpr int64_t Unk = INT64_MIN + 0x5a17;

/// A set of threads of one block.
class Mask {
public:
  static Mask first(unsigned N) {
    Mask M;
    for (unsigned I = 0; I < N / 64; ++I)
      M.W[I] = ~0ull;
    if (N % 64)
      M.W[N / 64] = (1ull << (N % 64)) - 1;
    return M;
  }
  bool test(unsigned I) const { return W[I / 64] >> (I % 64) & 1; }
  void set(unsigned I) { W[I / 64] |= 1ull << (I % 64); }
  bool none() const {
    for (uint64_t X : W)
      if (X)
        return false;
    return true;
  }
  bool any() const { return !none(); }
  unsigned count() const {
    unsigned C = 0;
    for (uint64_t X : W)
      C += std::popcount(X);
    return C;
  }
  /// Index of the first thread, or -1.
  int lowest() const {
    for (unsigned I = 0; I < W.size(); ++I)
      if (W[I])
        return int(I * 64 + std::countr_zero(W[I]));
    return -1;
  }
  /// The 32 threads of warp I as bits.
  uint32_t warp(unsigned I) const { return uint32_t(W[I / 2] >> (I % 2 * 32)); }
  friend Mask operator&(Mask A, const Mask &B) {
    for (unsigned I = 0; I < A.W.size(); ++I)
      A.W[I] &= B.W[I];
    return A;
  }
  friend Mask operator|(Mask A, const Mask &B) {
    for (unsigned I = 0; I < A.W.size(); ++I)
      A.W[I] |= B.W[I];
    return A;
  }
  /// A without B.
  friend Mask operator-(Mask A, const Mask &B) {
    for (unsigned I = 0; I < A.W.size(); ++I)
      A.W[I] &= ~B.W[I];
    return A;
  }
  bool operator==(const Mask &) const = default;

private:
  std::array<uint64_t, MaxLanes / 64> W{};
};

/// Calls F(thread) for each thread of M below N.
template <class Fn> void forEachLane(const Mask &M, unsigned N, Fn F) {
  for (unsigned I = 0; I < N; ++I)
    if (M.test(I))
      F(I);
}

/// One integer a thread, cheap to copy. The number of threads is the interpreter's.
class Lanes {
public:
  Lanes() = default;
  explicit Lanes(int64_t Uniform) : U(Uniform) {}
  Lanes(const Lanes &O) : U(O.U), B(O.B) {
    if (B)
      ++B->Refs;
  }
  Lanes(Lanes &&O) noexcept : U(O.U), B(std::exchange(O.B, nullptr)) {}
  Lanes &operator=(Lanes O) noexcept {
    std::swap(U, O.U);
    std::swap(B, O.B);
    return *this;
  }
  ~Lanes() { release(); }

  /// Storage for one value a thread, not filled in.
  static Lanes varying() {
    Lanes L;
    L.B = Buffer::take();
    return L;
  }
  bool uniform() const { return !B; }
  bool unknown() const { return !B && U == Unk; }
  int64_t at(unsigned I) const { return B ? B->D[I] : U; }
  /// Writable storage; only right after varying().
  int64_t *data() { return B->D; }

  /// The one value of all lanes below N, or Unk when they differ or one is not known.
  int64_t uniformValue(unsigned N) const {
    if (!B)
      return U;
    for (unsigned I = 1; I < N; ++I)
      if (B->D[I] != B->D[0])
        return Unk;
    return B->D[0];
  }

  template <class Fn> static Lanes map(const Lanes &A, unsigned N, Fn F) {
    if (A.uniform())
      return Lanes(A.U == Unk ? Unk : F(A.U));
    Lanes R = varying();
    for (unsigned I = 0; I < N; ++I)
      R.B->D[I] = A.B->D[I] == Unk ? Unk : F(A.B->D[I]);
    return R;
  }
  template <class Fn> static Lanes map(const Lanes &A, const Lanes &C, unsigned N, Fn F) {
    if (A.unknown() || C.unknown())
      return Lanes();
    if (A.uniform() && C.uniform())
      return Lanes(F(A.U, C.U));
    Lanes R = varying();
    int64_t *D = R.B->D;
    if (C.uniform()) {
      for (unsigned I = 0; I < N; ++I)
        D[I] = A.B->D[I] == Unk ? Unk : F(A.B->D[I], C.U);
    } else if (A.uniform()) {
      for (unsigned I = 0; I < N; ++I)
        D[I] = C.B->D[I] == Unk ? Unk : F(A.U, C.B->D[I]);
    } else {
      for (unsigned I = 0; I < N; ++I)
        D[I] = A.B->D[I] == Unk || C.B->D[I] == Unk ? Unk : F(A.B->D[I], C.B->D[I]);
    }
    return R;
  }

private:
  struct Buffer {
    unsigned Refs;
    Buffer *Next;
    int64_t D[MaxLanes];
    static Buffer *take() {
      Buffer *&Free = freeList();
      Buffer *B = Free;
      if (B)
        Free = B->Next;
      else
        B = new Buffer;
      B->Refs = 1;
      return B;
    }
    static Buffer *&freeList() {
      thread_local struct Pool {
        Buffer *Head = nullptr;
        ~Pool() {
          while (Head)
            delete std::exchange(Head, Head->Next);
        }
      } P;
      return P.Head;
    }
  };
  void release() {
    if (B && --B->Refs == 0) {
      Buffer *&Free = Buffer::freeList();
      B->Next = Free;
      Free = B;
    }
  }
  int64_t U = Unk;
  Buffer *B = nullptr;
};

} // namespace kcheck::eval
#endif
