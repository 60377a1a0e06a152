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

/// Elements that are drawn together, so that vectors do the arithmetic.
constexpr int64_t Run = 64;

/// philox() of as many counters in a row.
__attribute__((target_clones("avx2", "default"))) void draw(const Generator &Gen, int64_t First, Block (&Out)[Run]) {
  uint32_t C0[Run], C1[Run], C2[Run], C3[Run];
  for (int64_t I = 0; I < Run; ++I) {
    C0[I] = uint32_t(uint64_t(First + I));
    C1[I] = uint32_t(uint64_t(First + I) >> 32);
    C2[I] = uint32_t(Gen.Stream);
    C3[I] = uint32_t(Gen.Stream >> 32);
  }
  uint32_t K0 = uint32_t(Gen.Seed), K1 = uint32_t(Gen.Seed >> 32);
  for (int Round = 0; Round < PhiloxRounds; ++Round) {
    for (int64_t I = 0; I < Run; ++I)
      philoxRound(C0[I], C1[I], C2[I], C3[I], K0, K1);
    philoxNextKey(K0, K1);
  }
  for (int64_t I = 0; I < Run; ++I)
    Out[I] = {C0[I], C1[I], C2[I], C3[I]};
}

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

double normal(const Site &S, int64_t, const Block &B) {
  double Z = standardNormal(B);
  if (protocol::isFloat(S.Type))
    return S.Gen.A + S.Gen.B * Z;
  // Integers of deviation 1 would be mostly 0 and 1: give them room.
  double V = std::round(S.Gen.A + S.Gen.B * Z * 20);
  bool Unsigned = S.Type >= DType::U64;
  return S.Type == DType::Bool ? Z > 0 : Unsigned ? std::fabs(V) : V;
}

double uniform(const Site &S, int64_t, const Block &B) {
  if (protocol::isFloat(S.Type))
    return S.Gen.A + (S.Gen.B - S.Gen.A) * unit(B[2]);
  double Low = std::ceil(S.Gen.A), Span = std::max(1.0, std::floor(S.Gen.B) - Low + 1);
  return Low + double(uint64_t(B[2]) * uint64_t(Span) >> 32);
}

double constant(const Site &S, int64_t, const Block &) { return S.Gen.A; }

double oneHot(const Site &S, int64_t I, const Block &) {
  int64_t Row = I / S.Last;
  return I % S.Last == int64_t(uint64_t(S.bits(Row)[0]) * uint64_t(S.Last) >> 32);
}

double extreme(const Site &S, int64_t, const Block &B) {
  if (!protocol::isFloat(S.Type))
    return B[0] % 4 == 0 ? (B[1] & 1 ? 127 : S.Type >= DType::U64 ? 255 : -128) : double(B[2] % 100);
  bool Half = S.Type == DType::F16;
  static constexpr double Wide[] = {0, 1, 1e-30, 1e-8, 3e3, 1e8, 1e19, 1e30, 3e38};
  static constexpr double Narrow[] = {0, 1, 1e-7, 1e-4, 0.1, 10, 500, 3e4, 6.5e4};
  double V = (Half ? Narrow : Wide)[B[0] % 9] * (0.5 + 0.5 * unit(B[2]));
  return B[1] & 1 ? -V : V;
}

double denormal(const Site &S, int64_t, const Block &B) {
  if (!protocol::isFloat(S.Type))
    return 0;
  double Least = S.Type == DType::F64 ? 0x1p-1074 : S.Type == DType::F16 ? 0x1p-24 : S.Type == DType::F32 ? 0x1p-149 : 0x1p-133;
  double V = Least * double(1 + B[0] % (S.Type == DType::BF16 ? 127 : 1023));
  return B[1] & 1 ? -V : V;
}

/// Puts what is no number, where Nan asks for it, and infinities among numbers that were drawn before.
template <bool Nan> void addInfinities(const Site &S, const Block (&Drawn)[Run], double (&V)[Run]) {
  if (!protocol::isFloat(S.Type))
    return;
  constexpr double Special[] = {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL};
  for (int64_t K = 0; K < Run; ++K)
    if (uint32_t Pick = Drawn[K][3] % 67; Pick < 3 && (Nan || Pick))
      V[K] = Special[Pick];
}
void nothing(const Site &, const Block (&)[Run], double (&)[Run]) {}

double iota(const Site &S, int64_t I, const Block &) {
  size_t Size = protocol::sizeOf(S.Type);
  int64_t Wrap = Size >= 4 ? 1 << 20 : Size == 2 ? 1 << 10 : 100;
  return double(S.Type == DType::BF16 ? I % 256 : I % Wrap);
}

double index(const Site &S, int64_t, const Block &B) {
  double Span = std::max(1.0, std::floor(S.Gen.B - S.Gen.A));
  return S.Gen.A + double(uint64_t(B[2]) * uint64_t(Span) >> 32);
}

/// Elements From .. To. Value gets what was drawn for its index, unless Draws is false; Then changes some of them.
template <double (*Value)(const Site &, int64_t, const Block &), bool Draws = true,
          void (*Then)(const Site &, const Block (&)[Run], double (&)[Run]) = nothing>
void fill(const Site &S, int64_t From, int64_t To, uint8_t *Out) {
  Block Drawn[Run] = {};
  double V[Run];
  for (int64_t I = From; I < To; I += Run) {
    int64_t Count = std::min(Run, To - I);
    if (Draws)
      draw(S.Gen, I, Drawn);
    for (int64_t K = 0; K < Count; ++K)
      V[K] = Value(S, I + K, Drawn[K]);
    Then(S, Drawn, V);
    storeElements(S.Type, V, size_t(Count), Out + I * int64_t(protocol::sizeOf(S.Type)));
  }
}

struct Entry {
  const char *Name;
  void (*Fill)(const Site &, int64_t From, int64_t To, uint8_t *Out); ///< null: made in another way
};
constexpr Entry Table[] = {{"normal", fill<normal>}, {"uniform", fill<uniform>}, {"constant", fill<constant, false>}, {"zero", nullptr},
                           {"one_hot", fill<oneHot, false>}, {"extreme", fill<extreme>}, {"denormal", fill<denormal>}, {"nan_inf", fill<normal, true, addInfinities<true>>},
                           {"inf", fill<normal, true, addInfinities<false>>}, {"iota", fill<iota, false>}, {"index", fill<index>}, {"permutation", nullptr}};

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
  Bytes Out(size_t(Count) * protocol::sizeOf(Type));
  auto Known = std::find_if(std::begin(Table), std::end(Table), [&](const Entry &E) { return Gen.Distribution == E.Name; });
  if (Known != std::end(Table) && Known->Fill)
    parallelFor(Count, 1 << 15, [&](int64_t B, int64_t E) { Known->Fill(S, B, E, Out.data()); });
  return Out;
}
