// A libcuda.so.1 for machines without a GPU: memory is the host's, at addresses of its own, and everything happens at once. Code of the device
// cannot run: the worker's helpers are done by their names here, and of a candidate's kernels those called relu_kernel(x, y, n).
// It serves tests of what the worker does around kernels.
#include "runner/gpu/Library.h"
#include "runner/ops/Generate.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <sys/mman.h>

using namespace kcheck;
using gpu::DevicePtr;

namespace {

constexpr uint64_t Base = 0x600000000000, Room = uint64_t(32) << 30;
uint64_t Next = 0;
std::map<uint64_t, uint64_t> Live;
std::map<std::string, std::string> Names; ///< a function is its name's place
int Handles = 0;

bool inside(uint64_t At, uint64_t Bytes) { return At >= Base && At + Bytes <= Base + Next; }

template <class T> T argument(void **Args, unsigned I) {
  T V;
  memcpy(&V, Args[I], sizeof V);
  return V;
}
template <class T> T *pointer(void **Args, unsigned I) { return reinterpret_cast<T *>(argument<uint64_t>(Args, I)); }

struct Place {
  unsigned long long Count, First;
};
void note(Place *P, uint64_t I) {
  ++P->Count;
  P->First = std::min<unsigned long long>(P->First, I);
}

void generate(void **Args) {
  static const char *const Kinds[] = {"normal", "uniform", "constant", "zero", "index", "iota"};
  protocol::Generator Gen;
  Gen.Distribution = Kinds[argument<int>(Args, 3)];
  Gen.Seed = argument<uint64_t>(Args, 4);
  Gen.Stream = decltype(Gen.Stream)(argument<uint64_t>(Args, 5));
  Gen.A = argument<double>(Args, 6);
  Gen.B = argument<double>(Args, 7);
  protocol::Bytes Data = ops::generate(Gen, protocol::DType(argument<int>(Args, 2)), {argument<int64_t>(Args, 1)});
  memcpy(pointer<void>(Args, 0), Data.data(), Data.size());
}

void differs(void **Args) {
  const uint8_t *A = pointer<uint8_t>(Args, 0), *B = pointer<uint8_t>(Args, 1);
  int64_t N = argument<int64_t>(Args, 2);
  int Size = argument<int>(Args, 3);
  uint8_t Pa = argument<uint8_t>(Args, 4), Pb = argument<uint8_t>(Args, 5);
  for (int64_t I = 0; I < N; ++I) {
    auto all = [&](const uint8_t *P, uint8_t V) { return std::all_of(P + I * Size, P + (I + 1) * Size, [&](uint8_t X) { return X == V; }); };
    if (memcmp(A + I * Size, B + I * Size, size_t(Size)) != 0 && !(all(A, Pa) && all(B, Pb)))
      note(pointer<Place>(Args, 6), uint64_t(I));
  }
}

/// The only kernel of candidates.
int relu(uint64_t Threads, void **Args) {
  const float *X = pointer<float>(Args, 0);
  float *Y = pointer<float>(Args, 1);
  uint64_t N = std::min<uint64_t>(Threads, uint64_t(std::max(0, argument<int>(Args, 2))));
  if (!inside(uint64_t(X), N * 4) || !inside(uint64_t(Y), N * 4))
    return gpu::ErrIllegalAddress;
  for (uint64_t I = 0; I < N; ++I)
    Y[I] = X[I] > 0 ? X[I] : 0;
  return 0;
}

int run(const std::string &Name, uint64_t Threads, void **Args) {
  if (Name == "kc_generate")
    generate(Args);
  if (Name == "kc_differs")
    differs(Args);
  if (Name == "kc_clear")
    if (Place *P = pointer<Place>(Args, 1))
      *P = {0, ~0ull};
  if (Name == "kc_canary")
    for (int64_t I = 0; I < argument<int64_t>(Args, 1); ++I)
      if (pointer<uint8_t>(Args, 0)[I] != argument<uint8_t>(Args, 2))
        note(pointer<Place>(Args, 3), uint64_t(I));
  return Name.find("relu_kernel") != Name.npos ? relu(Threads, Args) : 0;
}

/// A handle that is no null and no address of anything.
template <class T> void handle(T *Out) { *Out = reinterpret_cast<T>(uint64_t(++Handles) << 4); }

} // namespace

extern "C" {
int cuInit(unsigned) {
  void *Want = reinterpret_cast<void *>(Base);
  return mmap(Want, Room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == Want ? 0 : 3;
}
int cuDriverGetVersion(int *V) { *V = 13000; return 0; }
int cuDeviceGetCount(int *N) { *N = 1; return 0; }
int cuDeviceGet(int *D, int I) { *D = I; return 0; }
int cuDeviceGetName(char *Text, int N, int) { snprintf(Text, size_t(N), "no GPU"); return 0; }
int cuDeviceGetAttribute(int *V, int Which, int) {
  static const std::map<int, int> Values = {{1, 1024}, {8, 49152}, {16, 132}, {38, 50 << 20}, {39, 2048}, {75, 9}, {76, 0}, {81, 233472}, {82, 65536}, {95, 1}, {97, 232448}, {106, 32}};
  auto It = Values.find(Which);
  *V = It == Values.end() ? 0 : It->second;
  return 0;
}
int cuDeviceTotalMem_v2(size_t *N, int) { *N = Room; return 0; }
int cuDeviceGetUuid_v2(gpu::UuidBytes *U, int) { memset(U, 7, sizeof *U); return 0; }
int cuCtxCreate_v2(void **C, unsigned, int) { handle(C); return 0; }
int cuCtxDestroy_v2(void *) { return 0; }
int cuCtxSynchronize() { return 0; }
int cuCtxSetCurrent(void *) { return 0; }
int cuCtxSetLimit(int, size_t) { return 0; }
int cuCtxResetPersistingL2Cache() { return 0; }
int cuModuleLoadData(void **M, const void *) { handle(M); return 0; }
int cuModuleUnload(void *) { return 0; }
int cuModuleGetFunction(void **F, void *, const char *Name) { *F = &Names.try_emplace(Name, Name).first->second; return 0; }
int cuModuleGetGlobal_v2(DevicePtr *, size_t *, void *, const char *) { return gpu::ErrNotFound; }
int cuFuncGetAttribute(int *V, int Which, void *) { *V = Which == gpu::FnMaxThreads ? 1024 : Which == gpu::FnRegisters ? 16 : 0; return 0; }
int cuFuncSetAttribute(void *, int, int) { return 0; }
int cuFuncGetParamInfo(void *, size_t I, size_t *Offset, size_t *Bytes) {
  constexpr size_t Sizes[] = {8, 8, 4};
  *Offset = 8 * I;
  *Bytes = I < 3 ? Sizes[I] : 0;
  return I < 3 ? 0 : gpu::ErrInvalidValue;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *N, void *, int, size_t) { *N = 8; return 0; }
int cuMemAlloc_v2(DevicePtr *P, size_t N) {
  if (Next + N + 512 > Room)
    return gpu::ErrOutOfMemory;
  *P = Base + Next;
  Next += (N + 511) / 256 * 256;
  Live[*P] = N;
  return 0;
}
int cuMemFree_v2(DevicePtr P) { return Live.erase(P) ? 0 : gpu::ErrInvalidValue; }
int cuMemGetInfo_v2(size_t *Free, size_t *Total) { *Free = Room - Next; *Total = Room; return 0; }
int cuMemcpyHtoDAsync_v2(DevicePtr To, const void *From, size_t N, void *) { memcpy(reinterpret_cast<void *>(To), From, N); return 0; }
int cuMemcpyDtoHAsync_v2(void *To, DevicePtr From, size_t N, void *) { memcpy(To, reinterpret_cast<void *>(From), N); return 0; }
int cuMemcpyDtoDAsync_v2(DevicePtr To, DevicePtr From, size_t N, void *) { memmove(reinterpret_cast<void *>(To), reinterpret_cast<void *>(From), N); return 0; }
int cuMemcpy2DAsync_v2(const gpu::CopyRows *C, void *) {
  auto at = [](const gpu::CopySide &S) { return S.Kind == gpu::CopySide::Device ? reinterpret_cast<char *>(S.At) : static_cast<char *>(const_cast<void *>(S.AtHost)); };
  for (size_t Y = 0; Y < C->Rows; ++Y)
    memmove(at(C->To) + Y * C->To.Pitch, at(C->From) + Y * C->From.Pitch, C->Bytes);
  return 0;
}
int cuMemsetD8Async(DevicePtr To, unsigned char V, size_t N, void *) { memset(reinterpret_cast<void *>(To), V, N); return 0; }
int cuMemsetD32Async(DevicePtr To, unsigned V, size_t N, void *) { std::fill_n(reinterpret_cast<unsigned *>(To), N, V); return 0; }
int cuLaunchCooperativeKernel(void *F, unsigned X, unsigned Y, unsigned Z, unsigned BX, unsigned BY, unsigned BZ, unsigned, void *, void **Args) {
  uint64_t Block = uint64_t(BX) * BY * BZ, Grid = uint64_t(X) * Y * Z;
  return !Grid || !Block || Block > 1024 ? int(gpu::ErrInvalidValue) : run(*static_cast<std::string *>(F), Grid * Block, Args);
}
int cuLaunchKernel(void *F, unsigned X, unsigned Y, unsigned Z, unsigned BX, unsigned BY, unsigned BZ, unsigned Shared, void *S, void **Args, void **) {
  return cuLaunchCooperativeKernel(F, X, Y, Z, BX, BY, BZ, Shared, S, Args);
}
int cuStreamCreate(void **S, unsigned) { handle(S); return 0; }
int cuStreamSynchronize(void *) { return 0; }
int cuStreamQuery(void *) { return 0; }
int cuStreamDestroy_v2(void *) { return 0; }
int cuStreamWaitEvent(void *, void *, unsigned) { return 0; }
int cuEventCreate(void **E, unsigned) { handle(E); return 0; }
int cuEventRecord(void *, void *) { return 0; }
int cuEventSynchronize(void *) { return 0; }
int cuEventQuery(void *) { return 0; }
int cuEventElapsedTime(float *Ms, void *, void *) { *Ms = 1; return 0; }
int cuEventDestroy_v2(void *) { return 0; }
int cuTexObjectCreate(unsigned long long *, const gpu::ResourceDesc *, const gpu::TextureDesc *, const void *) { return gpu::ErrInvalidValue; }
int cuTexObjectDestroy(unsigned long long) { return 0; }
int cuGetErrorName(int, const char **Text) { *Text = "CUDA_ERROR"; return 0; }
int cuGetErrorString(int, const char **Text) { *Text = "an error of the test's driver"; return 0; }
} // extern "C"
