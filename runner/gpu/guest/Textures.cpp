// Textures over memory, and arrays of two dimensions as such memory: their rows are what a texture of rows reads, with all its filters and edges.
// Arrays of one or three dimensions, layers and surfaces would be memory in an order that only the driver knows.
#include "runner/gpu/guest/Calls.h"
#include "runner/gpu/guest/Runtime.h"
#include <algorithm>
#include <cstring>
#include <map>

using namespace kcheck::gpu;
using namespace kcheck::guest;

namespace {

Guest &G() { return Guest::only(); }

/// cudaChannelFormatDesc as the program passes it.
struct Channels {
  int X, Y, Z, W, Kind;
  unsigned count() const { return 1 + (Y > 0) + (Z > 0) + (W > 0); }
  uint64_t bytes() const { return uint64_t(X + Y + Z + W) / 8; }
};
/// cudaExtent.
struct Extent {
  size_t Width, Height, Depth;
};
/// Where a texture's rows begin, as devices ask for it.
constexpr uint64_t RowAlignment = 512;

struct Array {
  Channels Of;
  Extent Size;
  unsigned Flags;
  uint64_t rowBytes() const { return Size.Width * Of.bytes(); }
  uint64_t pitch() const { return (rowBytes() + RowAlignment - 1) / RowAlignment * RowAlignment; }
};
std::map<const void *, Array> Arrays;

const Array *arrayOf(const void *At) {
  auto It = Arrays.find(At);
  return It == Arrays.end() ? nullptr : &It->second;
}

/// The driver's word for a channel (CUarray_format); 0 where there is none.
uint64_t formatOf(const Channels &C) {
  bool Alike = (!C.Y || C.Y == C.X) && (!C.Z || C.Z == C.X) && (!C.W || C.W == C.X);
  if (!Alike || C.count() == 3)
    return 0;
  enum { Signed, Unsigned, Float };
  switch (C.X) {
  case 8: return C.Kind == Signed ? 0x08 : C.Kind == Unsigned ? 0x01 : 0;
  case 16: return C.Kind == Signed ? 0x09 : C.Kind == Unsigned ? 0x02 : 0x10;
  case 32: return C.Kind == Signed ? 0x0a : C.Kind == Unsigned ? 0x03 : 0x20;
  default: return 0;
  }
}

int makeArray(void **Out, const Channels *C, Extent Size, unsigned Flags) {
  if (!Out || !C || !Size.Width || !formatOf(*C))
    return G().fail(InvalidValue);
  if (!Size.Height || Size.Depth || Flags & ~4u) // 4: gathers of four texels
    G().unsupported(Flags & 2 ? "surfaces" : "arrays of one or three dimensions, or with layers");
  Array A = {*C, Size, Flags};
  int E = allocate(Out, A.pitch() * Size.Height);
  if (!E)
    Arrays[*Out] = A;
  return E;
}

/// Bytes of Rows from byte X of row Y. Null: they leave the array, which was reported.
char *region(const void *At, size_t X, size_t Y, size_t Bytes, size_t Rows) {
  const Array *A = arrayOf(At);
  if (!A) {
    G().fail(InvalidResourceHandle);
    return nullptr;
  }
  auto fits = [](size_t From, size_t Count, size_t Most) { return From <= Most && Count <= Most - From; };
  if (!fits(X, Bytes, A->rowBytes()) || !fits(Y, Rows, A->Size.Height)) {
    G().report("memcpy_size", "copy of " + std::to_string(Rows) + " rows of " + std::to_string(Bytes) + " bytes leaves the array, which has " + std::to_string(A->Size.Height) +
                                  " of " + std::to_string(A->rowBytes()));
    G().fail(InvalidValue);
    return nullptr;
  }
  return const_cast<char *>(static_cast<const char *>(At)) + Y * A->pitch() + X;
}

int copyIn(void *To, size_t X, size_t Y, const void *From, size_t Pitch, size_t Bytes, size_t Rows, int Kind, void *Stream, bool Async) {
  char *At = region(To, X, Y, Bytes, Rows);
  return At ? copyRows(At, arrayOf(To)->pitch(), From, Pitch, Bytes, Rows, Kind, Stream, Async) : G().last(false);
}
int copyOut(void *To, size_t Pitch, const void *From, size_t X, size_t Y, size_t Bytes, size_t Rows, int Kind, void *Stream, bool Async) {
  const char *At = region(From, X, Y, Bytes, Rows);
  return At ? copyRows(To, Pitch, At, arrayOf(From)->pitch(), Bytes, Rows, Kind, Stream, Async) : G().last(false);
}

} // namespace

extern "C" {

int cudaMallocArray(void **Out, const Channels *C, size_t Width, size_t Height, unsigned Flags) { API_CALL; return makeArray(Out, C, {Width, Height, 0}, Flags); }
int cudaMalloc3DArray(void **Out, const Channels *C, Extent Size, unsigned Flags) { API_CALL; return makeArray(Out, C, Size, Flags); }
int cudaFreeArray(void *A) {
  API_CALL;
  if (!A)
    return Success;
  return Arrays.erase(A) ? release(A) : G().fail(InvalidResourceHandle);
}
int cudaArrayGetInfo(Channels *C, Extent *Size, unsigned *Flags, const void *At) {
  API_CALL;
  const Array *A = arrayOf(At);
  if (!A)
    return G().fail(InvalidResourceHandle);
  if (C)
    *C = A->Of;
  if (Size)
    *Size = A->Size;
  if (Flags)
    *Flags = A->Flags;
  return Success;
}
int cudaGetChannelDesc(Channels *C, const void *At) { return cudaArrayGetInfo(C, nullptr, nullptr, At); }

int cudaMemcpy2DToArray(void *To, size_t X, size_t Y, const void *From, size_t Pitch, size_t W, size_t H, int Kind) {
  API_CALL;
  return copyIn(To, X, Y, From, Pitch, W, H, Kind, nullptr, false);
}
int cudaMemcpy2DToArrayAsync(void *To, size_t X, size_t Y, const void *From, size_t Pitch, size_t W, size_t H, int Kind, void *Stream) {
  API_CALL;
  return doOrRecord(Stream, [=](void *On) { return copyIn(To, X, Y, From, Pitch, W, H, Kind, On, true); });
}
int cudaMemcpy2DFromArray(void *To, size_t Pitch, const void *From, size_t X, size_t Y, size_t W, size_t H, int Kind) {
  API_CALL;
  return copyOut(To, Pitch, From, X, Y, W, H, Kind, nullptr, false);
}
int cudaMemcpy2DFromArrayAsync(void *To, size_t Pitch, const void *From, size_t X, size_t Y, size_t W, size_t H, int Kind, void *Stream) {
  API_CALL;
  return doOrRecord(Stream, [=](void *On) { return copyOut(To, Pitch, From, X, Y, W, H, Kind, On, true); });
}

/// For the glue. A side of a copy of three dimensions that is an array: X counts texels there, and Bytes are given back.
int kcheck_host_array(void *At, size_t X, size_t Y, size_t Z, size_t Width, size_t Height, size_t Depth, char **Out, size_t *Pitch, size_t *Rows, size_t *Bytes) {
  API_CALL;
  const Array *A = arrayOf(At);
  uint64_t Texel = A ? A->Of.bytes() : 1;
  if (A && (Z || Depth > 1))
    return G().fail(InvalidValue);
  *Out = region(At, X * Texel, Y, Width * Texel, Height);
  if (!*Out)
    return G().last(false);
  *Pitch = A->pitch();
  *Rows = A->Size.Height;
  *Bytes = Width * Texel;
  return Success;
}

/// Resource: cudaResourceType (0 array, 2 linear, 3 rows). Settings: null for a surface; else three edges, filter, normalized read, normalized coordinates.
int kcheck_host_texture(unsigned long long *Out, int Resource, void *Data, const Channels *C, size_t Width, size_t Height, size_t Pitch, const int *Settings, const float *Border) {
  API_CALL;
  if (!Settings)
    G().unsupported("surfaces");
  const Array *A = Resource == 0 ? arrayOf(Data) : nullptr;
  const Channels *Of = A ? &A->Of : C;
  if (!Out || !Data || (Resource == 0 && !A) || !formatOf(*Of))
    return G().fail(InvalidValue);
  if (A)
    Resource = 3, Width = A->Size.Width, Height = A->Size.Height, Pitch = A->pitch();
  std::vector<uint64_t> Words = {TextureMake, uint64_t(Resource), word(Data), formatOf(*Of), Of->count(), Width, Height, Pitch};
  for (int I = 0; I < 6; ++I)
    Words.push_back(uint64_t(uint32_t(Settings[I])));
  for (int I = 0; I < 4; ++I) {
    uint32_t Bits;
    memcpy(&Bits, &Border[I], sizeof Bits);
    Words.push_back(Bits);
  }
  Message M = G().ask(Op::Texture, std::move(Words));
  *Out = M.Words[2];
  return G().fail(int(M.Words[0]));
}
int cudaDestroyTextureObject(unsigned long long Object) { API_CALL; return G().code(Op::Texture, {TextureDrop, Object}); }

} // extern "C"
