// The worker's own kernels: red zones, contents, permutation, comparison, ceilings. Compiled by NVRTC at first use and cached.
// Numbers of element types: kcheck::protocol::DType.
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
enum { F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, BOOL, BYTES };

__device__ __forceinline__ long long first() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ long long step() { return (long long)gridDim.x * blockDim.x; }

__device__ double halfToDouble(unsigned short h) {
  u32 sign = h >> 15, exponent = h >> 10 & 31, fraction = h & 1023;
  double v = exponent == 31 ? (fraction ? __longlong_as_double(0x7ff8000000000000ll) : __longlong_as_double(0x7ff0000000000000ll))
             : exponent ? ldexp(double(1024 + fraction), int(exponent) - 25) : ldexp(double(fraction), -24);
  return sign ? -v : v;
}
// Round to nearest even with 11 (f16) or 8 (bf16) significant bits; subnormals and overflow as IEEE has them.
__device__ unsigned short doubleToSmall(double v, int bits, int least, int most, int bias, int fractionBits) {
  unsigned short sign = __double_as_longlong(v) < 0 ? 0x8000 : 0;
  u32 infinity = ((1u << (15 - fractionBits)) - 1) << fractionBits;
  v = fabs(v);
  if (isnan(v))
    return sign | infinity | 1u << (fractionBits - 1);
  if (isinf(v))
    return sign | infinity;
  if (v == 0)
    return sign;
  int e;
  frexp(v, &e); // v = m * 2^e, m in [0.5, 1)
  int quantum = max(e - bits, least);
  double q = rint(ldexp(v, -quantum)); // integer significand
  if (q == ldexp(1.0, bits)) {
    q = q / 2;
    ++quantum;
  }
  if (q >= ldexp(1.0, bits - 1)) { // normal
    int exponent = quantum + bits - 1 + bias;
    if (quantum + bits - 1 > most)
      return sign | infinity;
    return sign | (unsigned short)((exponent << fractionBits) + (int(q) - (1 << fractionBits)));
  }
  return sign | (unsigned short)(int(q));
}

__device__ double load(const void *p, int type, long long i) {
  switch (type) {
  case F64: return ((const double *)p)[i];
  case F32: return ((const float *)p)[i];
  case F16: return halfToDouble(((const unsigned short *)p)[i]);
  case BF16: return __int_as_float(int(((const unsigned short *)p)[i]) << 16);
  case I64: return double(((const long long *)p)[i]);
  case I32: return ((const int *)p)[i];
  case I16: return ((const short *)p)[i];
  case I8: return ((const signed char *)p)[i];
  case U64: return double(((const u64 *)p)[i]);
  case U32: return ((const u32 *)p)[i];
  case U16: return ((const unsigned short *)p)[i];
  default: return ((const u8 *)p)[i];
  }
}
__device__ void store(void *p, int type, long long i, double v) {
  switch (type) {
  case F64: ((double *)p)[i] = v; break;
  case F32: ((float *)p)[i] = __double2float_rn(v); break;
  case F16: ((unsigned short *)p)[i] = doubleToSmall(v, 11, -24, 15, 15, 10); break;
  case BF16: ((unsigned short *)p)[i] = doubleToSmall(v, 8, -133, 127, 127, 7); break;
  // Integers saturate, as the conversion instructions do.
  case I64: ((long long *)p)[i] = __double2ll_rz(v); break;
  case U64: ((u64 *)p)[i] = __double2ull_rz(v); break;
  case I32: ((int *)p)[i] = __double2int_rz(v); break;
  case U32: ((u32 *)p)[i] = __double2uint_rz(v); break;
  case I16: ((short *)p)[i] = short(fmin(fmax(v, -32768.0), 32767.0)); break;
  case U16: ((unsigned short *)p)[i] = (unsigned short)(fmin(fmax(v, 0.0), 65535.0)); break;
  case I8: ((signed char *)p)[i] = (signed char)(fmin(fmax(v, -128.0), 127.0)); break;
  case BOOL: ((u8 *)p)[i] = v != 0; break;
  default: ((u8 *)p)[i] = u8(fmin(fmax(v, 0.0), 255.0)); break;
  }
}

struct Place { u64 count, first; };

// Bytes of p that are not the canary's.
extern "C" __global__ void kc_canary(const u8 *p, long long n, u8 canary, Place *out) {
  for (long long i = first(); i < n; i += step())
    if (p[i] != canary) {
      atomicAdd(&out->count, 1ull);
      atomicMin(&out->first, (u64)i);
    }
}

// Elements in which two buffers differ, but for those that a still holds as poison pa and b as poison pb.
extern "C" __global__ void kc_differs(const u8 *a, const u8 *b, long long n, int size, u8 pa, u8 pb, Place *out) {
  for (long long i = first(); i < n; i += step()) {
    bool same = true, poisonA = true, poisonB = true;
    for (int k = 0; k < size; ++k) {
      u8 x = a[i * size + k], y = b[i * size + k];
      same &= x == y;
      poisonA &= x == pa;
      poisonB &= y == pb;
    }
    if (!same && !(poisonA && poisonB)) {
      atomicAdd(&out->count, 1ull);
      atomicMin(&out->first, (u64)i);
    }
  }
}

// A sum over mixed words and their places: equal contents give equal sums in any order of addition.
extern "C" __global__ void kc_hash(const u8 *p, long long n, u64 *out) {
  u64 sum = 0;
  long long words = n / 4;
  for (long long i = first(); i < words; i += step()) {
    u64 x = ((const u32 *)p)[i] + 0x9E3779B97F4A7C15ull * u64(i + 1);
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    sum += x ^ x >> 31;
  }
  for (long long i = words * 4 + first(); i < n; i += step())
    sum += (u64(p[i]) + 1) * 0x9E3779B97F4A7C15ull * u64(i + 1);
  for (int d = 16; d; d /= 2)
    sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0)
    atomicAdd(out, sum);
}

struct Bits { u32 v[4]; };
__device__ Bits philox(u64 key, u64 stream, u64 counter) {
  u32 c0 = u32(counter), c1 = u32(counter >> 32), c2 = u32(stream), c3 = u32(stream >> 32), k0 = u32(key), k1 = u32(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    u64 p0 = u64(0xD2511F53u) * c0, p1 = u64(0xCD9E8D57u) * c2;
    u32 n0 = u32(p1 >> 32) ^ c1 ^ k0, n2 = u32(p0 >> 32) ^ c3 ^ k1;
    c1 = u32(p1);
    c3 = u32(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

enum { NORMAL, UNIFORM, CONSTANT, ZERO, INDEX, IOTA };
// The distributions that perf runs draw from, bit for bit what runner/ops makes: no contraction, exact steps.
extern "C" __global__ void kc_generate(void *p, long long n, int type, int what, u64 seed, u64 stream, double a, double b) {
  bool floating = type <= BF16;
  for (long long i = first(); i < n; i += step()) {
    Bits r = philox(seed, stream, u64(i));
    double v = 0;
    if (what == NORMAL) {
      double sum = double(r.v[0] >> 16) + double(r.v[0] & 0xFFFF) + double(r.v[1] >> 16) + double(r.v[1] & 0xFFFF) + 2.0;
      double z = __dmul_rn(__dadd_rn(__dmul_rn(sum, 1.0 / 65536), -2.0), 1.7320508075688772);
      if (floating)
        v = __dadd_rn(a, __dmul_rn(b, z));
      else {
        double w = round(__dadd_rn(a, __dmul_rn(__dmul_rn(b, z), 20)));
        v = type == BOOL ? double(z > 0) : type >= U64 ? fabs(w) : w;
      }
    } else if (what == UNIFORM) {
      if (floating)
        v = __dadd_rn(a, __dmul_rn(__dadd_rn(b, -a), __dmul_rn(double(r.v[2] >> 8), 1.0 / 16777216)));
      else {
        double low = ceil(a), span = fmax(1.0, floor(b) - low + 1);
        v = low + double(u64(r.v[2]) * u64(span) >> 32);
      }
    } else if (what == CONSTANT) {
      v = a;
    } else if (what == INDEX) {
      v = a + double(u64(r.v[2]) * u64(fmax(1.0, floor(b - a))) >> 32);
    } else if (what == IOTA) {
      v = double(i % (type == BF16 ? 256 : type == F64 || type == F32 || type == I64 || type == U64 || type == I32 || type == U32 ? 1 << 20
                      : type == F16 || type == I16 || type == U16 ? 1 << 10 : 100));
    }
    store(p, type, i, v);
  }
}

// Exchanges elements i and i^mask, in place: another order of the same values.
extern "C" __global__ void kc_exchange(u8 *p, long long n, int size, u64 mask) {
  for (long long i = first(); i < n; i += step()) {
    long long j = (long long)(u64(i) ^ mask);
    if (j <= i || j >= n)
      continue;
    if (size == 4) {
      u32 t = ((u32 *)p)[i];
      ((u32 *)p)[i] = ((u32 *)p)[j];
      ((u32 *)p)[j] = t;
    } else if (size == 8) {
      u64 t = ((u64 *)p)[i];
      ((u64 *)p)[i] = ((u64 *)p)[j];
      ((u64 *)p)[j] = t;
    } else
      for (int k = 0; k < size; ++k) {
        u8 t = p[i * size + k];
        p[i * size + k] = p[j * size + k];
        p[j * size + k] = t;
      }
  }
}

extern "C" __global__ void kc_widen(const void *p, int type, long long n, double *out) {
  for (long long i = first(); i < n; i += step())
    out[i] = load(p, type, i);
}

struct Report {
  u64 wrong, nanWrong, unwritten, first;
  u64 maxAbs, maxRel, worst; // bits of non-negative doubles: they order as integers do
  u64 half, wantHalf, brain; // finite elements that f16 and bf16 hold exactly: the output's, the reference's
  u64 constant;              // elements equal to the first one
  u64 lastRight;             // 1 + index of the last right element
};
__device__ double rounded(double v, int type) {
  switch (type) {
  case F32: return __double2float_rn(v);
  case F16: return halfToDouble(doubleToSmall(v, 11, -24, 15, 15, 10));
  case BF16: return __int_as_float(int(doubleToSmall(v, 8, -133, 127, 127, 7)) << 16);
  default: return v;
  }
}
extern "C" __global__ void kc_compare(const u8 *got, int type, int size, const double *want, const double *terms, long long n, double relative,
                                      double absolute, double rounding, u8 poison, long long base, Report *out) {
  Report r = {};
  r.first = ~0ull;
  double start = n ? load(got, type, 0) : 0;
  for (long long i = first(); i < n; i += step()) {
    double g = load(got, type, i), exact = want[i], w = rounded(exact, type);
    r.constant += g == start;
    bool bad = false, nan = false;
    if (!isfinite(g) || !isfinite(w)) {
      bool same = isnan(w) ? isnan(g) : g == w;
      double limit = type == F16 ? 65504 : type == F64 ? 1.797e308 : 3.4028e38, finite = isfinite(g) ? g : w;
      bool near = isinf(w) != isinf(g) && !isnan(w) && !isnan(g) && isfinite(exact) && signbit(w) == signbit(g) &&
                  fabs(fabs(finite) - limit) <= 2 * relative * limit && fabs(fabs(exact) - limit) <= 2 * relative * limit;
      bad = nan = !same && !near;
    } else {
      double error = fabs(g - w);
      if (type == F32) {
        float f = float(g), v = float(w);
        r.half += halfToDouble(doubleToSmall(f, 11, -24, 15, 15, 10)) == f;
        r.wantHalf += halfToDouble(doubleToSmall(v, 11, -24, 15, 15, 10)) == v;
        r.brain += (__float_as_int(f) & 0xFFFF) == 0;
      }
      if (error > 0) {
        double s = terms ? terms[i] : fabs(exact), allowed = relative * fabs(exact) + absolute + rounding * s;
        r.maxAbs = max(r.maxAbs, (u64)__double_as_longlong(error));
        if (w != 0)
          r.maxRel = max(r.maxRel, (u64)__double_as_longlong(error / fabs(w)));
        r.worst = max(r.worst, (u64)__double_as_longlong(allowed > 0 ? error / allowed : 1e300));
        bad = !(error <= allowed);
      }
    }
    if (!bad) {
      r.lastRight = max(r.lastRight, u64(base + i + 1));
      continue;
    }
    bool untouched = true;
    for (int k = 0; k < size; ++k)
      untouched &= got[i * size + k] == poison;
    ++r.wrong;
    r.unwritten += untouched;
    r.nanWrong += nan && !untouched;
    r.first = min(r.first, u64(base + i));
  }
  // One atomic a warp and field.
  for (int d = 16; d; d /= 2) {
    r.wrong += __shfl_down_sync(~0u, r.wrong, d);
    r.nanWrong += __shfl_down_sync(~0u, r.nanWrong, d);
    r.unwritten += __shfl_down_sync(~0u, r.unwritten, d);
    r.first = min(r.first, __shfl_down_sync(~0u, r.first, d));
    r.maxAbs = max(r.maxAbs, __shfl_down_sync(~0u, r.maxAbs, d));
    r.maxRel = max(r.maxRel, __shfl_down_sync(~0u, r.maxRel, d));
    r.worst = max(r.worst, __shfl_down_sync(~0u, r.worst, d));
    r.half += __shfl_down_sync(~0u, r.half, d);
    r.wantHalf += __shfl_down_sync(~0u, r.wantHalf, d);
    r.brain += __shfl_down_sync(~0u, r.brain, d);
    r.constant += __shfl_down_sync(~0u, r.constant, d);
    r.lastRight = max(r.lastRight, __shfl_down_sync(~0u, r.lastRight, d));
  }
  if (threadIdx.x % 32)
    return;
  if (r.wrong) {
    atomicAdd(&out->wrong, r.wrong);
    atomicAdd(&out->nanWrong, r.nanWrong);
    atomicAdd(&out->unwritten, r.unwritten);
    atomicMin(&out->first, r.first);
  }
  atomicMax(&out->maxAbs, r.maxAbs);
  atomicMax(&out->maxRel, r.maxRel);
  atomicMax(&out->worst, r.worst);
  atomicAdd(&out->half, r.half);
  atomicAdd(&out->wantHalf, r.wantHalf);
  atomicAdd(&out->brain, r.brain);
  atomicAdd(&out->constant, r.constant);
  atomicMax(&out->lastRight, r.lastRight);
}
// A report that nothing has been added to.
extern "C" __global__ void kc_clear(Report *r, Place *p) {
  if (r) {
    *r = Report();
    r->first = ~0ull;
  }
  if (p) {
    p->count = 0;
    p->first = ~0ull;
  }
}

// Ceilings: a copy of 16 bytes a thread and step, and four independent chains of fused multiply-adds.
extern "C" __global__ void kc_copy(const uint4 *from, uint4 *to, long long n) {
  for (long long i = first(); i < n; i += step())
    to[i] = from[i];
}
extern "C" __global__ void kc_fma(float *out, int rounds) {
  float a = threadIdx.x * 1e-6f, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7;
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      a = fmaf(a, 0.999f, 0.1f); b = fmaf(b, 0.999f, 0.1f); c = fmaf(c, 0.999f, 0.1f); d = fmaf(d, 0.999f, 0.1f);
      e = fmaf(e, 0.999f, 0.1f); f = fmaf(f, 0.999f, 0.1f); g = fmaf(g, 0.999f, 0.1f); h = fmaf(h, 0.999f, 0.1f);
    }
  }
  if (a + b + c + d + e + f + g + h == -1)
    out[first()] = a;
}
extern "C" __global__ void kc_nothing() {}
