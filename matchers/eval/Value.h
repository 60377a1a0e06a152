//===- Value.h - what an expression is worth to all threads of a block --------===//
#ifndef KCHECK_MATCHERS_EVAL_VALUE_H
#define KCHECK_MATCHERS_EVAL_VALUE_H

#include "matchers/eval/Lanes.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace kcheck::eval {

/// Thread dependence: among whom a value may differ.
enum class Vary : uint8_t {
  Grid,  ///< the same for every thread of the grid
  Block, ///< the same for every thread of a block
  Warp,  ///< the same for every thread of a warp
  Thread
};

/// Where a value comes from.
struct Taint {
  Vary V = Vary::Grid;
  bool Data = false;    ///< read from memory
  bool Atomic = false;  ///< result of an atomic operation: an order between blocks may rest on it
  bool Own = false;     ///< an address with a part that the thread index chooses besides one from data
  bool OwnWarp = false; ///< the same, with a part that all threads of a warp share
  bool Assumed = false; ///< rests on a launch that the file does not show
  uint64_t Params = 0;  ///< launcher parameters (bit i: size i) that it depends on

  Taint &operator|=(const Taint &O) {
    V = std::max(V, O.V);
    Data |= O.Data;
    Atomic |= O.Atomic;
    Own |= O.Own;
    OwnWarp |= O.OwnWarp;
    Assumed |= O.Assumed;
    Params |= O.Params;
    return *this;
  }
  friend Taint operator|(Taint A, const Taint &B) { return A |= B; }
};

struct Object;

/// Where a value lies that is not known: `warp * 64 + (key & 63)`, from warp * 64 on.
struct Band {
  Lanes Low;          ///< the least, a lane
  int64_t Width = 0;  ///< how much more it may be
};

/// What a value is up to a multiple that is not known: `(n + 31) & ~31` is 0 and some 32s, a counter that steps by the block
/// its first value and some blocks.
struct Residue {
  Lanes Rest;              ///< a lane
  int64_t Of = 0;          ///< what it is repeated by, more than 1
  Vary Times = Vary::Grid; ///< among whom the number of times may differ
};

/// A scalar (integer or floating: the bits of a double), a pointer (object and byte offset) or an aggregate
/// (cells by byte offset). References and lvalues are pointers.
struct Value {
  enum Kind : uint8_t { Scalar, Pointer, Aggregate };
  using Cells = std::map<int64_t, Value>;

  Kind K = Scalar;
  bool Float = false;     ///< lanes hold the bits of doubles
  Lanes L;                ///< scalar: values; pointer: byte offsets
  Object *Obj = nullptr;  ///< pointer: what it points into, null when not known
  std::shared_ptr<Cells> Agg;
  std::shared_ptr<const Band> Within; ///< scalars and pointers whose lanes are not known; null: anything
  std::shared_ptr<const Residue> Modulo; ///< scalars of which lanes are not known; null: anything
  Taint T;

  static Value unknown(Taint T = {}) {
    Value V;
    V.T = T;
    return V;
  }
  static Value integer(int64_t I, Taint T = {}) {
    Value V;
    V.L = Lanes(I);
    V.T = T;
    return V;
  }
  static Value lanes(Lanes L, Taint T) {
    Value V;
    V.L = std::move(L);
    V.T = T;
    return V;
  }
  static Value real(double D, Taint T = {}) {
    Value V = integer(std::bit_cast<int64_t>(D), T);
    V.Float = true;
    return V;
  }
  static Value pointer(Object *O, Lanes Offset, Taint T = {}) {
    Value V;
    V.K = Pointer;
    V.Obj = O;
    V.L = std::move(Offset);
    V.T = T;
    return V;
  }
};

/// The state spaces of the CUDA Programming Guide, plus those of the host.
enum class Space : uint8_t { Local, Shared, DynamicShared, Global, Symbol, Constant, Host, Managed };

/// A piece of memory that pointers point into.
struct Object {
  Space Where = Space::Local;
  const clang::ValueDecl *Decl = nullptr; ///< variable or launcher parameter it stands for
  std::string Name;
  std::optional<int64_t> Bytes;           ///< size where it is known
  clang::QualType Element;                ///< of what is allocated or made: by the pointer or data_ptr<T>(); else null
  Taint BytesTaint;
  Value::Cells Contents;                  ///< local memory only
  Taint Stored;                           ///< of everything stored so far (shared memory)
  const clang::Expr *AllocatedAt = nullptr;
  bool Freed = false;
  bool Touched = false;                   ///< local memory: stored to at a place that is not known, or by unseen code
  unsigned Frame = 0;
};

/// Shared memory, of a fixed size or given at the launch.
inline bool isShared(const Object *O) { return O && (O->Where == Space::Shared || O->Where == Space::DynamicShared); }
/// Memory that other blocks see: allocated, managed, or a variable of the device.
inline bool isGlobal(const Object *O) { return O && (O->Where == Space::Global || O->Where == Space::Symbol || O->Where == Space::Managed); }

} // namespace kcheck::eval
#endif
