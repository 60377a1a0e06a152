// CUDA arrays, texture and surface objects. An array is plain memory of the device, row after row; what only the host needs to know of
// it stays here.
#include "runner/sim/Texture.h"
#include "runner/sim/host/ShimSupport.h"
#include <algorithm>
#include <set>

using namespace kcheck::sim;

namespace {

HostDevice &D() { return hostDevice(); }

/// cudaChannelFormatDesc and cudaExtent as the program passes them.
struct Channels {
  int X, Y, Z, W, Format;
};
struct Extent {
  size_t Width, Height, Depth;
};

struct ArrayInfo {
  Channels Of;
  Extent Size; ///< zero where there is no such axis
  unsigned Flags;
  size_t texel() const { return size_t(Of.X + Of.Y + Of.Z + Of.W) / 8; }
  size_t rowBytes() const { return Size.Width * texel(); }
  size_t rows() const { return std::max<size_t>(Size.Height, 1); }
  size_t slices() const { return std::max<size_t>(Size.Depth, 1); }
};
std::map<void *, ArrayInfo> Arrays;
std::set<void *> Objects;

const ArrayInfo *arrayOf(const void *A) {
  auto It = Arrays.find(const_cast<void *>(A));
  return It == Arrays.end() ? nullptr : &It->second;
}

/// All channels are alike, one, two or four of them; a texture may have nothing else.
bool fill(TextureObject &O, const Channels &C) {
  int Bits = C.X, Count = 1 + (C.Y > 0) + (C.Z > 0) + (C.W > 0);
  bool Alike = (Count < 2 || C.Y == Bits) && (Count < 3 || (C.Z == Bits && C.W == Bits));
  if ((Bits != 8 && Bits != 16 && Bits != 32) || Count == 3 || !Alike || C.Format < 0 || C.Format > 2)
    return false;
  O.Channels = uint8_t(Count);
  O.ChannelBytes = uint8_t(Bits / 8);
  O.Format = TexelFormat(C.Format);
  return O.Format != TexelFormat::Float || Bits > 8;
}

void fill(TextureObject &O, const void *Array, const ArrayInfo &A) {
  O.Array = true;
  O.Data = uint64_t(Array);
  O.RowBytes = A.rowBytes();
  O.SliceBytes = O.RowBytes * A.rows();
  O.Width = uint32_t(A.Size.Width);
  O.Height = uint32_t(A.rows());
  O.Depth = uint32_t(A.slices());
}

int create(unsigned long long *Out, const TextureObject &O) {
  void *P = D().allocate(sizeof O, false);
  if (!P)
    return D().fail(MemoryAllocation);
  if (int E = D().copy(P, &O, sizeof O, CopyKind::HostToDevice, true))
    return E;
  Objects.insert(P);
  *Out = uint64_t(P);
  return Success;
}

int destroy(unsigned long long Object) {
  void *P = reinterpret_cast<void *>(Object);
  return Objects.erase(P) ? D().release(P, false) : D().fail(InvalidValue);
}

/// A region of an array: Rows of Bytes each, from byte X of row Y of slice Z. Null: it leaves the array, which was reported.
char *region(void *Array, size_t X, size_t Y, size_t Z, size_t Bytes, size_t Rows, size_t Slices) {
  const ArrayInfo *A = arrayOf(Array);
  if (!A) {
    D().fail(InvalidResourceHandle);
    return nullptr;
  }
  auto fits = [](size_t At, size_t Count, size_t Most) { return At <= Most && Count <= Most - At; };
  if (!fits(X, Bytes, A->rowBytes()) || !fits(Y, Rows, A->rows()) || !fits(Z, Slices, A->slices())) {
    D().report("memcpy_size", "copy of " + std::to_string(Rows) + " rows of " + std::to_string(Bytes) + " bytes leaves the array, which has " +
                                  std::to_string(A->rows()) + " of " + std::to_string(A->rowBytes()));
    D().fail(InvalidValue);
    return nullptr;
  }
  return static_cast<char *>(Array) + (Z * A->rows() + Y) * A->rowBytes() + X;
}

int copyRows(char *To, size_t ToPitch, const char *From, size_t FromPitch, size_t Bytes, size_t Rows, int Kind, bool Async) {
  if (Rows > 1 && (Bytes > ToPitch || Bytes > FromPitch))
    return D().fail(12);
  OpenMemory Open(D());
  for (size_t Y = 0; Y < Rows; ++Y)
    if (int E = D().copy(To + Y * ToPitch, From + Y * FromPitch, Bytes, CopyKind(Kind), Async))
      return E;
  return Success;
}

int copyIn(void *Array, size_t X, size_t Y, const void *From, size_t Pitch, size_t Bytes, size_t Rows, int Kind, bool Async) {
  char *To = region(Array, X, Y, 0, Bytes, Rows, 1);
  return To ? copyRows(To, arrayOf(Array)->rowBytes(), static_cast<const char *>(From), Pitch, Bytes, Rows, Kind, Async) : D().last(false);
}
int copyOut(void *To, size_t Pitch, const void *Array, size_t X, size_t Y, size_t Bytes, size_t Rows, int Kind, bool Async) {
  const char *From = region(const_cast<void *>(Array), X, Y, 0, Bytes, Rows, 1);
  return From ? copyRows(static_cast<char *>(To), Pitch, From, arrayOf(Array)->rowBytes(), Bytes, Rows, Kind, Async) : D().last(false);
}

int makeArray(void **Out, const Channels *C, Extent Size, unsigned Flags) {
  TextureObject O;
  if (!Out || !C || !Size.Width || !fill(O, *C))
    return D().fail(InvalidValue);
  ArrayInfo A = {*C, Size, Flags};
  *Out = D().allocate(A.rowBytes() * A.rows() * A.slices(), false);
  if (!*Out)
    return D().fail(MemoryAllocation);
  Arrays[*Out] = A;
  return Success;
}

} // namespace

void kcheck::sim::releaseTextureObjects() {
  for (void *P : Objects)
    D().release(P, false);
  Objects.clear();
}

extern "C" {

static int cudaMallocArray(void **Out, const Channels *C, size_t Width, size_t Height, unsigned Flags) { API_CALL; return makeArray(Out, C, {Width, Height, 0}, Flags); }
static int cudaMalloc3DArray(void **Out, const Channels *C, Extent Size, unsigned Flags) { API_CALL; return makeArray(Out, C, Size, Flags); }
static int cudaFreeArray(void *A) {
  API_CALL;
  if (!A)
    return Success;
  return Arrays.erase(A) ? D().release(A, false) : D().fail(InvalidResourceHandle);
}
static int cudaArrayGetInfo(Channels *C, Extent *Size, unsigned *Flags, void *Array) {
  API_CALL;
  const ArrayInfo *A = arrayOf(Array);
  if (!A)
    return D().fail(InvalidResourceHandle);
  if (C)
    *C = A->Of;
  if (Size)
    *Size = A->Size;
  if (Flags)
    *Flags = A->Flags;
  return Success;
}
static int cudaGetChannelDesc(Channels *C, const void *Array) { return cudaArrayGetInfo(C, nullptr, nullptr, const_cast<void *>(Array)); }

static int cudaMemcpy2DToArray(void *To, size_t X, size_t Y, const void *From, size_t Pitch, size_t W, size_t H, int Kind) {
  API_CALL;
  return copyIn(To, X, Y, From, Pitch, W, H, Kind, false);
}
static int cudaMemcpy2DToArrayAsync(void *To, size_t X, size_t Y, const void *From, size_t Pitch, size_t W, size_t H, int Kind, void *Stream) {
  API_CALL;
  auto Do = [=] { return copyIn(To, X, Y, From, Pitch, W, H, Kind, true); };
  return captured(Stream, Do) ? Success : Do();
}
static int cudaMemcpy2DFromArray(void *To, size_t Pitch, const void *From, size_t X, size_t Y, size_t W, size_t H, int Kind) {
  API_CALL;
  return copyOut(To, Pitch, From, X, Y, W, H, Kind, false);
}
static int cudaMemcpy2DFromArrayAsync(void *To, size_t Pitch, const void *From, size_t X, size_t Y, size_t W, size_t H, int Kind, void *Stream) {
  API_CALL;
  auto Do = [=] { return copyOut(To, Pitch, From, X, Y, W, H, Kind, true); };
  return captured(Stream, Do) ? Success : Do();
}
static int cudaMemcpy2DArrayToArray(void *To, size_t ToX, size_t ToY, const void *From, size_t X, size_t Y, size_t W, size_t H, int Kind) {
  API_CALL;
  const char *Source = region(const_cast<void *>(From), X, Y, 0, W, H, 1);
  return Source ? copyIn(To, ToX, ToY, Source, arrayOf(From)->rowBytes(), W, H, Kind, false) : D().last(false);
}
// The old calls know one number of bytes, which may be several whole rows.
static int cudaMemcpyToArray(void *To, size_t X, size_t Y, const void *From, size_t N, int Kind) {
  API_CALL;
  const ArrayInfo *A = arrayOf(To);
  size_t Row = A && !X ? std::min(N, A->rowBytes()) : N;
  return copyIn(To, X, Y, From, Row, Row, Row ? N / Row : 0, Kind, false);
}
static int cudaMemcpyFromArray(void *To, const void *From, size_t X, size_t Y, size_t N, int Kind) {
  API_CALL;
  const ArrayInfo *A = arrayOf(From);
  size_t Row = A && !X ? std::min(N, A->rowBytes()) : N;
  return copyOut(To, Row, From, X, Y, Row, Row ? N / Row : 0, Kind, false);
}

/// For the glue. A side of a copy of three dimensions that is an array: X counts texels there, and Bytes are given back.
static int kcheck_host_array(void *Array, size_t X, size_t Y, size_t Z, size_t Width, size_t Height, size_t Depth, char **At, size_t *Pitch, size_t *Rows, size_t *Bytes) {
  API_CALL;
  const ArrayInfo *A = arrayOf(Array);
  size_t Texel = A ? A->texel() : 1;
  *At = region(Array, X * Texel, Y, Z, Width * Texel, Height, Depth);
  if (!*At)
    return D().last(false);
  *Pitch = A->rowBytes();
  *Rows = A->rows();
  *Bytes = Width * Texel;
  return Success;
}

/// Resource: cudaResourceType (0 array, 2 linear, 3 rows). Settings: null for a surface; else three edges, filter, normalized read, normalized coordinates.
static int kcheck_host_texture(unsigned long long *Out, int Resource, void *Data, const Channels *C, size_t Width, size_t Height, size_t Pitch, const int *Settings,
                               const float *Border) {
  API_CALL;
  TextureObject O;
  O.Mark = Settings ? TextureObject::TextureMark : TextureObject::SurfaceMark;
  const ArrayInfo *A = Resource == 0 ? arrayOf(Data) : nullptr;
  if (!Out || (Resource == 0 && !A) || (!A && !Data) || !fill(O, A ? A->Of : *C))
    return D().fail(InvalidValue);
  if (A) {
    fill(O, Data, *A);
  } else {
    O.Data = uint64_t(Data);
    O.Width = uint32_t(Resource == 2 ? Width / O.texelBytes() : Width);
    O.Height = uint32_t(Resource == 2 ? 1 : Height);
    O.RowBytes = Pitch;
  }
  if (Settings) {
    for (unsigned I = 0; I < 3; ++I) {
      O.Edge[I] = TextureEdge(Settings[I] & 3);
      O.Border[I] = Border[I];
    }
    O.Border[3] = Border[3];
    O.Linear = Settings[3];
    O.NormalizedRead = Settings[4] && O.Format != TexelFormat::Float && O.ChannelBytes < 4;
    O.Normalized = Settings[5];
    // As the runtime: a filter needs something to weigh.
    if (O.Linear && !O.givesFloat())
      return D().fail(InvalidValue);
  }
  return create(Out, O);
}
static int cudaDestroyTextureObject(unsigned long long O) { API_CALL; return destroy(O); }
static int cudaDestroySurfaceObject(unsigned long long O) { API_CALL; return destroy(O); }

} // extern "C"

void kcheck::sim::addArrays(Table &T) {
  SHIM(cudaMallocArray); SHIM(cudaMalloc3DArray); SHIM(cudaFreeArray); SHIM(cudaArrayGetInfo); SHIM(cudaGetChannelDesc);
  SHIM(cudaMemcpy2DToArray); SHIM(cudaMemcpy2DToArrayAsync); SHIM(cudaMemcpy2DFromArray); SHIM(cudaMemcpy2DFromArrayAsync);
  SHIM(cudaMemcpy2DArrayToArray); SHIM(cudaMemcpyToArray); SHIM(cudaMemcpyFromArray); SHIM(kcheck_host_array);
  SHIM(kcheck_host_texture); SHIM(cudaDestroyTextureObject); SHIM(cudaDestroySurfaceObject);
}
