// Fetches through texture objects, accesses through surface objects. Every texel that is read or written passes the checks.
#include "runner/sim/Texture.h"
#include "runner/sim/Shadow.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

using namespace kcheck;
using namespace kcheck::sim;

namespace {

using Texel = std::array<uint32_t, 4>; ///< the registers of a fetch

void report(Thread &T, const char *Tag, uint32_t Site, bool Sure, const std::string &What) {
  T.Owner->Owner->E.Out.add(Tag, siteIndex(Site), ~0u, [&](protocol::Finding &F) {
    F.Kernel = T.Owner->Owner->K.Name;
    F.Threads = {{blockName(*T.Owner), threadName(T)}};
    F.Sure = Sure;
    F.Message = "thread " + threadName(T) + " of block " + blockName(*T.Owner) + " " + What;
  });
}

/// The object that a handle names. What is none ends the thread.
TextureObject objectOf(Thread &T, uint64_t Handle, uint64_t Mark, uint32_t Site) {
  TextureObject O;
  uint64_t Off = Handle - DataBase;
  bool Made = Handle % alignof(TextureObject) == 0 && isGlobalOffset(Off) && Memory::exists(Off, sizeof O);
  if (Made)
    memcpy(&O, reinterpret_cast<const void *>(Handle), sizeof O);
  if (O.Mark == Mark)
    return O;
  const std::string What = Mark == TextureObject::TextureMark ? "texture object" : "surface object";
  if (Made) {
    report(T, "illegal_address", Site, true, "uses a handle that is no " + What);
    T.Owner->Owner->fail(protocol::Failure::IllegalAddress, "a handle is no " + What);
  } else { // a job without host code has none to give: that is no fault of the kernel's
    report(T, "unsupported_by_simulator", Site, true, "uses a " + What + " that no host code has made here");
    T.Owner->Owner->fail(protocol::Failure::Unsupported, "a " + What + " that no host code has made");
  }
  endThread(T);
}

uint64_t addressOf(const TextureObject &O, int64_t X, int64_t Y, int64_t Z) {
  return O.Data + uint64_t(Z) * O.SliceBytes + uint64_t(Y) * O.RowBytes + uint64_t(X) * O.texelBytes();
}

/// Checks an access to Bytes at Address. False: do not touch it.
bool allowed(Thread &T, uint64_t Address, uint32_t Bytes, uint32_t Align, uint32_t Site, bool Writes) {
  if (T.Trace)
    kcheck_trace(&T, reinterpret_cast<void *>(Address), Site, Bytes);
  return checkAccess(T, Address, Site, Bytes, Align, {.Reads = !Writes, .Writes = Writes});
}

/// A channel's bits as the register that a fetch gives.
uint32_t channel(const TextureObject &O, const uint8_t *From) {
  uint32_t V = 0;
  memcpy(&V, From, O.ChannelBytes);
  unsigned Bits = O.ChannelBytes * 8u;
  if (O.Format == TexelFormat::Float)
    return O.ChannelBytes == 2 ? std::bit_cast<uint32_t>(float(std::bit_cast<_Float16>(uint16_t(V)))) : V;
  int32_t S = Bits == 32 ? int32_t(V) : int32_t(V << (32 - Bits)) >> (32 - Bits);
  if (O.NormalizedRead) {
    float Most = float((1ull << (O.Format == TexelFormat::Signed ? Bits - 1 : Bits)) - 1);
    return std::bit_cast<uint32_t>(O.Format == TexelFormat::Signed ? std::max(float(S) / Most, -1.0f) : float(V) / Most);
  }
  return O.Format == TexelFormat::Signed ? uint32_t(S) : V;
}

/// One axis: which texel a coordinate meets.
struct Axis {
  int64_t First = 0, Second = 0; ///< -1: the border
  float Weight = 0;              ///< of the second
};

int64_t wrapped(int64_t I, int64_t N, TextureEdge Edge) {
  if (I >= 0 && I < N)
    return I;
  switch (Edge) {
  case TextureEdge::Wrap: return (I % N + N) % N;
  case TextureEdge::Mirror: {
    int64_t P = (I % (2 * N) + 2 * N) % (2 * N);
    return P < N ? P : 2 * N - 1 - P;
  }
  case TextureEdge::Border: return -1;
  case TextureEdge::Clamp: break;
  }
  return std::clamp<int64_t>(I, 0, N - 1);
}

Axis meet(const TextureObject &O, float X, uint32_t Size, unsigned Dim, bool Filter) {
  // Wrap and mirror are defined for normalized coordinates only.
  TextureEdge Edge = O.Edge[Dim];
  if (!O.Normalized && Edge != TextureEdge::Border)
    Edge = TextureEdge::Clamp;
  double Place = double(X) * (O.Normalized ? Size : 1);
  if (!(std::fabs(Place) < 1e15))
    Place = Place > 0 ? 1e15 : Place < 0 ? -1e15 : 0;
  if (!Filter) {
    int64_t I = wrapped(int64_t(std::floor(Place)), Size, Edge);
    return {I, I, 0};
  }
  Place -= 0.5;
  double Low = std::floor(Place);
  // The hardware keeps eight bits of the fraction.
  float Weight = float(std::floor((Place - Low) * 256 + 0.5) / 256);
  return {wrapped(int64_t(Low), Size, Edge), wrapped(int64_t(Low) + 1, Size, Edge), Weight};
}

class Fetch {
public:
  Fetch(Thread &T, const TextureObject &O, uint32_t Site) : T(T), O(O), Site(Site) {}

  Texel at(int64_t X, int64_t Y, int64_t Z) {
    Texel R = {};
    if (X < 0 || Y < 0 || Z < 0) {
      for (unsigned I = 0; I < 4; ++I)
        R[I] = O.givesFloat() ? std::bit_cast<uint32_t>(O.Border[I]) : uint32_t(int32_t(O.Border[I]));
      return R;
    }
    uint64_t A = addressOf(O, X, Y, Z);
    if (!allowed(T, A, O.texelBytes(), O.ChannelBytes, Site, false))
      return R;
    for (unsigned I = 0; I < O.Channels; ++I)
      R[I] = channel(O, reinterpret_cast<const uint8_t *>(A) + I * O.ChannelBytes);
    return R;
  }

  Texel sample(const Axis &X, const Axis &Y, const Axis &Z) {
    if (!X.Weight && !Y.Weight && !Z.Weight)
      return at(X.First, Y.First, Z.First);
    float Sum[4] = {};
    for (unsigned Corner = 0; Corner < 8; ++Corner) {
      float W = (Corner & 1 ? X.Weight : 1 - X.Weight) * (Corner & 2 ? Y.Weight : 1 - Y.Weight) * (Corner & 4 ? Z.Weight : 1 - Z.Weight);
      if (!W)
        continue;
      Texel V = at(Corner & 1 ? X.Second : X.First, Corner & 2 ? Y.Second : Y.First, Corner & 4 ? Z.Second : Z.First);
      for (unsigned I = 0; I < 4; ++I)
        Sum[I] += W * std::bit_cast<float>(V[I]);
    }
    Texel R;
    for (unsigned I = 0; I < 4; ++I)
      R[I] = std::bit_cast<uint32_t>(Sum[I]);
    return R;
  }

  /// The four texels that a filter would meet, one channel of each.
  Texel gather(const Axis &X, const Axis &Y, unsigned Channel) {
    return {at(X.First, Y.Second, 0)[Channel], at(X.Second, Y.Second, 0)[Channel], at(X.Second, Y.First, 0)[Channel], at(X.First, Y.First, 0)[Channel]};
  }

private:
  Thread &T;
  const TextureObject &O;
  uint32_t Site;
};

/// A direction's face of the cube and the place on it.
unsigned faceOf(float X, float Y, float Z, float &U, float &V) {
  float Ax = std::fabs(X), Ay = std::fabs(Y), Az = std::fabs(Z), M, S, R;
  unsigned Face;
  if (Ax >= Ay && Ax >= Az)
    Face = X >= 0 ? 0 : 1, M = Ax, S = X >= 0 ? -Z : Z, R = -Y;
  else if (Ay >= Az)
    Face = Y >= 0 ? 2 : 3, M = Ay, S = X, R = Y >= 0 ? Z : -Z;
  else
    Face = Z >= 0 ? 4 : 5, M = Az, S = Z >= 0 ? X : -X, R = -Y;
  U = (S / M + 1) / 2;
  V = (R / M + 1) / 2;
  return Face;
}

int64_t layerOf(const TextureObject &O, uint64_t Coordinate) { return std::clamp<int64_t>(int32_t(Coordinate), 0, int64_t(O.Depth) - 1); }

} // namespace

extern "C" {

/// How: shape, from bit 8 whether the coordinates are integers, from bit 12 one more than the channel to gather.
void kcheck_rt_texture(ThreadContext *C, uint64_t *Out, uint64_t Handle, const uint64_t *At, uint32_t How, uint32_t Site) {
  Thread &T = *static_cast<Thread *>(C);
  TextureObject O = objectOf(T, Handle, TextureObject::TextureMark, Site);
  Fetch F(T, O, Site);
  auto coordinate = [&](unsigned I) { return std::bit_cast<float>(uint32_t(At[I])); };
  auto Shape = TextureShape(How & 255);
  bool Filter = O.Linear && O.givesFloat();
  Texel R = {};
  Axis None;
  auto flat = [&](int64_t Layer) { return Axis{Layer, Layer, 0}; };
  auto x = [&](float V) { return meet(O, V, O.Width, 0, Filter); };
  auto y = [&](float V) { return meet(O, V, O.Height, 1, Filter); };
  if (How >> 8 & 1) {
    int64_t I = int32_t(At[0]);
    if (I >= 0 && I < int64_t(O.Width)) {
      R = F.at(I, 0, 0);
    } else if (O.Array) {
      R = F.at(O.Edge[0] == TextureEdge::Border ? -1 : std::clamp<int64_t>(I, 0, int64_t(O.Width) - 1), 0, 0);
    } else {
      // The hardware gives zero, and some programs count on that.
      report(T, "out_of_bounds_global", Site, false, "fetches texel " + std::to_string(I) + " of a texture of " + std::to_string(O.Width));
    }
  } else if (unsigned Component = How >> 12 & 7) {
    R = F.gather(meet(O, coordinate(0), O.Width, 0, true), meet(O, coordinate(1), O.Height, 1, true), Component - 1);
  } else {
    switch (Shape) {
    case TextureShape::Line: R = F.sample(x(coordinate(0)), None, None); break;
    case TextureShape::Plane: R = F.sample(x(coordinate(0)), y(coordinate(1)), None); break;
    case TextureShape::Volume: R = F.sample(x(coordinate(0)), y(coordinate(1)), meet(O, coordinate(2), O.Depth, 2, Filter)); break;
    case TextureShape::Lines: R = F.sample(x(coordinate(1)), None, flat(layerOf(O, At[0]))); break;
    case TextureShape::Planes: R = F.sample(x(coordinate(1)), y(coordinate(2)), flat(layerOf(O, At[0]))); break;
    case TextureShape::Cube:
    case TextureShape::Cubes: {
      unsigned First = Shape == TextureShape::Cubes;
      float U, V;
      unsigned Face = faceOf(coordinate(First), coordinate(First + 1), coordinate(First + 2), U, V);
      int64_t Cube = First ? std::clamp<int64_t>(int32_t(At[0]), 0, int64_t(O.Depth) / 6 - 1) : 0;
      O.Normalized = true;
      O.Edge[0] = O.Edge[1] = TextureEdge::Clamp;
      R = F.sample(x(U), y(V), flat(Cube * 6 + Face));
      break;
    }
    }
  }
  for (unsigned I = 0; I < 4; ++I)
    Out[I] = R[I];
}

/// How: shape, from bit 8 what to do outside, from bit 12 lanes, from bit 16 bytes a lane, bit 31 a write. The first coordinate counts bytes.
void kcheck_rt_surface(ThreadContext *C, uint64_t *Lanes, uint64_t Handle, const uint64_t *At, uint32_t How, uint32_t Site) {
  Thread &T = *static_cast<Thread *>(C);
  TextureObject O = objectOf(T, Handle, TextureObject::SurfaceMark, Site);
  auto Shape = TextureShape(How & 255);
  auto Edge = SurfaceEdge(How >> 8 & 15);
  uint32_t Count = How >> 12 & 15, Each = How >> 16 & 255, Bytes = Count * Each;
  bool Writes = How >> 31;
  bool Layered = Shape == TextureShape::Lines || Shape == TextureShape::Planes;
  unsigned First = Layered;
  bool Rows = Shape != TextureShape::Line && Shape != TextureShape::Lines;
  int64_t X = int32_t(At[First]), Y = Rows ? int32_t(At[First + 1]) : 0;
  int64_t Z = Layered ? int32_t(At[0]) : Shape == TextureShape::Volume ? int32_t(At[2]) : 0;
  int64_t RowBytes = int64_t(O.Width) * O.texelBytes();
  bool Inside = X >= 0 && X + Bytes <= RowBytes && Y >= 0 && Y < int64_t(O.Height) && Z >= 0 && Z < int64_t(O.Depth);
  if (!Writes)
    std::fill(Lanes, Lanes + 4, 0);
  if (!Inside && Edge == SurfaceEdge::Trap) {
    report(T, "out_of_bounds_global", Site, true, std::string(Writes ? "writes" : "reads") + " a surface at byte " + std::to_string(X) + " of row " + std::to_string(Y) +
                                                      (Z ? " of slice " + std::to_string(Z) : "") + ": it has " + std::to_string(O.Height) + " rows of " +
                                                      std::to_string(RowBytes) + " bytes" + (O.Depth > 1 ? " in " + std::to_string(O.Depth) + " slices" : ""));
    return;
  }
  if (!Inside && Edge == SurfaceEdge::Zero)
    return;
  X = std::clamp<int64_t>(X, 0, RowBytes - Bytes);
  Y = std::clamp<int64_t>(Y, 0, int64_t(O.Height) - 1);
  Z = std::clamp<int64_t>(Z, 0, int64_t(O.Depth) - 1);
  uint64_t A = O.Data + uint64_t(Z) * O.SliceBytes + uint64_t(Y) * O.RowBytes + uint64_t(X);
  if (!allowed(T, A, Bytes, Bytes, Site, Writes))
    return;
  auto *P = reinterpret_cast<uint8_t *>(A);
  for (uint32_t I = 0; I < Count; ++I, P += Each)
    Writes ? memcpy(P, &Lanes[I], Each) : memcpy(&Lanes[I], P, Each);
}

} // extern "C"
