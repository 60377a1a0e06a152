#include "runner/ops/Generate.h"
#include "runner/ops/Parallel.h"
#include "runner/ops/Philox.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace kcheck;
using namespace kcheck::ops;
using protocol::Generator;

namespace {

using Block = std::array<uint32_t, 4>;

struct Site {
  const Generator &Gen;
  DType Type;
  int64_t Last;  ///< size of the last dimension
  int64_t Count; ///< elements

  Block bits(int64_t Index) const { return philox(Gen.Seed, Gen.Stream, uint64_t(Index)); }
};

/// 24 random bits as a number in [0, 1): exact in fp32, so that it needs no rounding anywhere.
double unit(uint32_t Bits) { return double(Bits >> 8) * 0x1p-24; }

double standardNormal(const Block &B) {
  double Sum = double(B[0] >> 16) + double(B[0] & 0xFFFF) + double(B[1] >> 16) + double(B[1] & 0xFFFF) + 2.0;
  return (Sum * 0x1p-16 - 2.0) * 1.7320508075688772; // four uniforms have variance 1/3
}

double normal(const Site &S, int64_t I) {
  double Z = standardNormal(S.bits(I));
  if (protocol::isFloat(S.Type))
    return S.Gen.A + S.Gen.B * Z;
  // Integers of deviation 1 would be mostly 0 and 1: give them room.
  double V = std::round(S.Gen.A + S.Gen.B * Z * 20);
  bool Unsigned = S.Type >= DType::U64;
  return S.Type == DType::Bool ? Z > 0 : Unsigned ? std::fabs(V) : V;
}

double uniform(const Site &S, int64_t I) {
  Block B = S.bits(I);
  if (protocol::isFloat(S.Type))
    return S.Gen.A + (S.Gen.B - S.Gen.A) * unit(B[2]);
  double Low = std::ceil(S.Gen.A), Span = std::max(1.0, std::floor(S.Gen.B) - Low + 1);
  return Low + double(uint64_t(B[2]) * uint64_t(Span) >> 32);
}

double constant(const Site &S, int64_t) { return S.Gen.A; }
double zero(const Site &, int64_t) { return 0; }

double oneHot(const Site &S, int64_t I) {
  int64_t Row = I / S.Last;
  return I % S.Last == int64_t(uint64_t(S.bits(Row)[0]) * uint64_t(S.Last) >> 32);
}

double extreme(const Site &S, int64_t I) {
  Block B = S.bits(I);
  if (!protocol::isFloat(S.Type))
    return B[0] % 4 == 0 ? (B[1] & 1 ? 127 : S.Type >= DType::U64 ? 255 : -128) : double(B[2] % 100);
  bool Half = S.Type == DType::F16;
  static constexpr double Wide[] = {0, 1, 1e-30, 1e-8, 3e3, 1e8, 1e19, 1e30, 3e38};
  static constexpr double Narrow[] = {0, 1, 1e-7, 1e-4, 0.1, 10, 500, 3e4, 6.5e4};
  double V = (Half ? Narrow : Wide)[B[0] % 9] * (0.5 + 0.5 * unit(B[2]));
  return B[1] & 1 ? -V : V;
}

double denormal(const Site &S, int64_t I) {
  if (!protocol::isFloat(S.Type))
    return 0;
  Block B = S.bits(I);
  double Least = S.Type == DType::F64 ? 0x1p-1074 : S.Type == DType::F16 ? 0x1p-24 : S.Type == DType::F32 ? 0x1p-149 : 0x1p-133;
  double V = Least * double(1 + B[0] % (S.Type == DType::BF16 ? 127 : 1023));
  return B[1] & 1 ? -V : V;
}

double withInfinities(const Site &S, int64_t I, bool Nan) {
  double V = normal(S, I);
  if (!protocol::isFloat(S.Type))
    return V;
  uint32_t Pick = S.bits(I)[3] % 67;
  if (Pick == 0 && Nan)
    return std::numeric_limits<double>::quiet_NaN();
  return Pick == 1 ? HUGE_VAL : Pick == 2 ? -HUGE_VAL : V;
}
double nanInf(const Site &S, int64_t I) { return withInfinities(S, I, true); }
double inf(const Site &S, int64_t I) { return withInfinities(S, I, false); }

double iota(const Site &S, int64_t I) {
  size_t Size = protocol::sizeOf(S.Type);
  int64_t Wrap = Size >= 4 ? 1 << 20 : Size == 2 ? 1 << 10 : 100;
  return double(S.Type == DType::BF16 ? I % 256 : I % Wrap);
}

double index(const Site &S, int64_t I) {
  double Span = std::max(1.0, std::floor(S.Gen.B - S.Gen.A));
  return S.Gen.A + double(uint64_t(S.bits(I)[2]) * uint64_t(Span) >> 32);
}

struct Entry {
  const char *Name;
  double (*Value)(const Site &, int64_t);
};
constexpr Entry Table[] = {{"normal", normal}, {"uniform", uniform}, {"constant", constant}, {"zero", zero},
                           {"one_hot", oneHot}, {"extreme", extreme}, {"denormal", denormal}, {"nan_inf", nanInf},
                           {"inf", inf}, {"iota", iota}, {"index", index}, {"permutation", nullptr}};

Bytes permutation(const Site &S) {
  std::vector<int64_t> Order(S.Count);
  std::iota(Order.begin(), Order.end(), 0);
  for (int64_t I = S.Count - 1; I > 0; --I) // Fisher and Yates
    std::swap(Order[I], Order[int64_t(uint64_t(S.bits(I)[0]) * uint64_t(I + 1) >> 32)]);
  return fromDoubles(S.Type, std::vector<double>(Order.begin(), Order.end()));
}

} // namespace

const std::vector<std::string> &ops::distributions() {
  static const std::vector<std::string> Names = [] {
    std::vector<std::string> N;
    for (const Entry &E : Table)
      N.push_back(E.Name);
    return N;
  }();
  return Names;
}

bool ops::isDistribution(std::string_view Name) {
  const auto &All = distributions();
  return std::find(All.begin(), All.end(), Name) != All.end();
}

Bytes ops::generate(const Generator &Gen, DType Type, const std::vector<int64_t> &Shape) {
  int64_t Count = std::accumulate(Shape.begin(), Shape.end(), int64_t(1), std::multiplies<>());
  Site S{Gen, Type, Shape.empty() ? 1 : std::max<int64_t>(1, Shape.back()), Count};
  if (Gen.Distribution == "permutation")
    return permutation(S);
  size_t Size = protocol::sizeOf(Type);
  Bytes Out(size_t(Count) * Size);
  auto Known = std::find_if(std::begin(Table), std::end(Table), [&](const Entry &E) { return Gen.Distribution == E.Name; });
  if (Known == std::end(Table) || Gen.Distribution == "zero")
    return Out;
  parallelFor(Count, 1 << 15, [&](int64_t B, int64_t E) {
    for (int64_t I = B; I < E; ++I)
      storeElement(Type, Known->Value(S, I), Out.data() + I * Size);
  });
  return Out;
}
