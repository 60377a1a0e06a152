#include "runner/sim/Runtime.h"
#include "runner/sim/Layout.h"
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>

using namespace kcheck::sim;

// Declared with their real types in Runtime.cpp and Shadow.cpp; only their addresses matter here.
#define RUNTIME(X)                                                                                                     \
  X(kcheck_slow_load) X(kcheck_slow_store) X(kcheck_slow_fuel) X(kcheck_trace) X(kcheck_trace_block)                   \
  X(kcheck_rt_acquire) X(kcheck_rt_move_load) X(kcheck_rt_moved) X(kcheck_rt_atomic) X(kcheck_rt_fence) X(kcheck_rt_lock) X(kcheck_rt_yield) X(kcheck_rt_exit) X(kcheck_rt_stack)  \
  X(kcheck_rt_trap) X(kcheck_rt_assert) X(kcheck_rt_unsupported) X(kcheck_rt_callee) X(kcheck_rt_enter)                \
  X(kcheck_rt_leave) X(kcheck_rt_alloca) X(kcheck_rt_memset) X(kcheck_rt_memcpy) X(kcheck_rt_cp_async)                 \
  X(kcheck_rt_cp_commit) X(kcheck_rt_cp_wait) X(kcheck_rt_shfl) X(kcheck_rt_vote) X(kcheck_rt_match)                   \
  X(kcheck_rt_redux) X(kcheck_rt_syncwarp) X(kcheck_rt_activemask) X(kcheck_rt_barrier) X(kcheck_rt_barrier_red)       \
  X(kcheck_rt_barrier_arrive) X(kcheck_rt_printf) X(kcheck_rt_malloc) X(kcheck_rt_free) X(kcheck_rt_clock)             \
  X(kcheck_rt_prmt) X(kcheck_rt_fns) X(kcheck_rt_round_f32) X(kcheck_rt_round_f64) X(kcheck_rt_d2f) X(kcheck_rt_i2f)   \
  X(kcheck_rt_i2d) X(kcheck_rt_mma) X(kcheck_rt_ldmatrix) X(kcheck_rt_grid_workspace) \
  X(kcheck_rt_wmma_load) X(kcheck_rt_wmma_store) X(kcheck_rt_wmma_mma) X(kcheck_rt_bfe) X(kcheck_rt_bfi)               \
  X(kcheck_rt_dp4a) X(kcheck_rt_dp2a) X(kcheck_rt_narrow16) X(kcheck_rt_texture) X(kcheck_rt_surface)             \
  X(kcheck_rt_mbarrier_init) X(kcheck_rt_mbarrier_inval) X(kcheck_rt_mbarrier_arrive) X(kcheck_rt_mbarrier_test)       \
  X(kcheck_rt_mbarrier_pending) X(kcheck_rt_mbarrier_copies) X(kcheck_rt_bulk_load) X(kcheck_rt_bulk_store)

#define DECLARE(F) extern "C" void F();
RUNTIME(DECLARE)

// What the code generator calls for bfloat16, half and 128-bit arithmetic.
extern "C" {
uint16_t kcheck_f32_to_bf16(float V) {
  uint32_t B;
  memcpy(&B, &V, 4);
  if (V != V)
    return uint16_t(B >> 16 | 0x40);
  return uint16_t((B + 0x7FFF + (B >> 16 & 1)) >> 16);
}
uint16_t kcheck_f64_to_bf16(double V) {
  float F = float(V);
  // Round to odd in between, so that rounding twice is rounding once.
  if (double(F) != V && V == V && std::isfinite(F)) {
    uint32_t B;
    memcpy(&B, &F, 4);
    bool Away = std::fabs(double(F)) > std::fabs(V);
    if (Away)
      --B;
    B |= 1;
    memcpy(&F, &B, 4);
  }
  return kcheck_f32_to_bf16(F);
}
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
}

static _Float16 f32ToF16(float V) { return _Float16(V); }
static _Float16 f64ToF16(double V) { return _Float16(V); }
static float f16ToF32(_Float16 V) { return float(V); }
// __bf16 travels in a vector register, as _Float16 does.
static _Float16 bits(uint16_t B) {
  _Float16 H;
  memcpy(&H, &B, 2);
  return H;
}
static _Float16 f32ToBf16(float V) { return bits(kcheck_f32_to_bf16(V)); }
static _Float16 f64ToBf16(double V) { return bits(kcheck_f64_to_bf16(V)); }

const std::vector<RuntimeSymbol> &kcheck::sim::runtimeSymbols() {
  static const std::vector<RuntimeSymbol> Table = [] {
    std::vector<RuntimeSymbol> T;
#define ENTRY(F) T.push_back({#F, reinterpret_cast<void *>(&F)});
    RUNTIME(ENTRY)
#define F1(N)                                                                                                          \
  T.push_back({#N "f", reinterpret_cast<void *>(static_cast<float (*)(float)>(&::N##f))});                             \
  T.push_back({#N, reinterpret_cast<void *>(static_cast<double (*)(double)>(&::N))});
#define F2(N)                                                                                                          \
  T.push_back({#N "f", reinterpret_cast<void *>(static_cast<float (*)(float, float)>(&::N##f))});                      \
  T.push_back({#N, reinterpret_cast<void *>(static_cast<double (*)(double, double)>(&::N))});
    F1(sin) F1(cos) F1(tan) F1(asin) F1(acos) F1(atan) F1(sinh) F1(cosh) F1(tanh) F1(asinh) F1(acosh) F1(atanh)
    F1(exp) F1(exp2) F1(exp10) F1(expm1) F1(log) F1(log2) F1(log10) F1(log1p) F1(sqrt) F1(cbrt) F1(floor) F1(ceil)
    F1(trunc) F1(round) F1(rint) F1(nearbyint) F1(roundeven) F1(fabs) F1(erf) F1(erfc) F1(tgamma) F1(lgamma)
    F2(fmod) F2(pow) F2(atan2) F2(fmin) F2(fmax) F2(hypot) F2(copysign) F2(remainder) F2(fdim) F2(nextafter)
    T.push_back({"fmaf", reinterpret_cast<void *>(static_cast<float (*)(float, float, float)>(&::fmaf))});
    T.push_back({"fma", reinterpret_cast<void *>(static_cast<double (*)(double, double, double)>(&::fma))});
    T.push_back({"ldexpf", reinterpret_cast<void *>(static_cast<float (*)(float, int)>(&::ldexpf))});
    T.push_back({"ldexp", reinterpret_cast<void *>(static_cast<double (*)(double, int)>(&::ldexp))});
    // The code generator joins what has the same argument.
    T.push_back({"sincosf", reinterpret_cast<void *>(static_cast<void (*)(float, float *, float *)>(&::sincosf))});
    T.push_back({"sincos", reinterpret_cast<void *>(static_cast<void (*)(double, double *, double *)>(&::sincos))});
    T.push_back({"frexpf", reinterpret_cast<void *>(static_cast<float (*)(float, int *)>(&::frexpf))});
    T.push_back({"frexp", reinterpret_cast<void *>(static_cast<double (*)(double, int *)>(&::frexp))});
    T.push_back({"memcpy", reinterpret_cast<void *>(&::memcpy)});
    T.push_back({"memmove", reinterpret_cast<void *>(&::memmove)});
    T.push_back({"memset", reinterpret_cast<void *>(&::memset)});
    T.push_back({"__truncsfhf2", reinterpret_cast<void *>(&f32ToF16)});
    T.push_back({"__truncdfhf2", reinterpret_cast<void *>(&f64ToF16)});
    T.push_back({"__extendhfsf2", reinterpret_cast<void *>(&f16ToF32)});
    T.push_back({"__truncsfbf2", reinterpret_cast<void *>(&f32ToBf16)});
    T.push_back({"__truncdfbf2", reinterpret_cast<void *>(&f64ToBf16)});
    ENTRY(__divti3) ENTRY(__modti3) ENTRY(__udivti3) ENTRY(__umodti3)
    return T;
  }();
  return Table;
}

namespace {
std::mutex Lock;
std::map<uint64_t, uint64_t> Ranges;
} // namespace

void kcheck::sim::setCodeRange(uint64_t From, uint64_t To) {
  std::lock_guard<std::mutex> Guard(Lock);
  Ranges[From] = To;
}

bool kcheck::sim::isCode(uint64_t Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto It = Ranges.upper_bound(Address);
  return It != Ranges.begin() && Address < std::prev(It)->second;
}
