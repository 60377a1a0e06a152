#include "runner/ops/Samples.h"
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

using namespace kcheck;
using namespace kcheck::ops;

namespace {

constexpr int64_t FlatEdges[] = {1, 31, 32, 33, 63, 127, 255, 256, 257, 511, 513, 1000, 1009, 1023, 1025, 4095, 4097, 10007, 65537, 262147, 0};
constexpr int64_t Edges[] = {1, 31, 32, 33, 65, 97, 127, 129, 257};
constexpr int64_t LongEdges[] = {1023, 1025, 4099};

/// Elements of all buffers together.
double elements(const Binding &B, const Dims &Sizes) {
  Dims D = B.operatorDims(Sizes);
  double Sum = 0;
  for (const Arg &A : B.Op->Args) {
    double N = A.What == Arg::Kind::Buffer ? 1 : 0;
    for (const std::string &E : A.Shape)
      N *= double(evaluate(E, D).value_or(0));
    Sum += N;
  }
  return Sum;
}

double work(const Binding &B, const Dims &Sizes) {
  double W = 1;
  for (const auto &[Name, V] : B.operatorDims(Sizes))
    W *= double(std::max<int64_t>(1, V));
  return W;
}

/// The operator's usual shapes in the launcher's dims: where it splits a flat size, in near equal factors.
std::vector<Dims> usualShapes(const Binding &B) {
  bool Same = std::all_of(B.DimOf.begin(), B.DimOf.end(), [](const auto &E) { return E.first == E.second; });
  if (Same)
    return B.Op->Shapes;
  std::vector<Dims> Out;
  for (auto Sizes : {std::vector<int64_t>{32, 128}, {7, 143}, {33, 31}}) {
    Dims D;
    for (size_t I = 0; I < B.Free.size(); ++I)
      D[B.Free[I]] = I < Sizes.size() ? Sizes[I] : 3;
    Out.push_back(std::move(D));
  }
  return Out;
}

/// By rising cost; ties by name, so that the order is always the same.
template <typename Fn> void sortBy(std::vector<Case> &Cases, Fn Cost) {
  auto key = [&](const Case &C) { return std::tuple(Cost(C), toString(C.Sizes), C.Inputs.Distribution, C.Inputs.A); };
  std::sort(Cases.begin(), Cases.end(), [&](const Case &X, const Case &Y) { return key(X) < key(Y); });
}

class Sampler {
public:
  Sampler(const Binding &B, const SampleOptions &O) : B(B), O(O) {}

  std::vector<Case> run() {
    std::vector<Dims> Usual = usualShapes(B);
    const Draw First = B.Op->Draws.front();
    for (const Dims &D : Usual)
      add(D, First);
    bool Flat = B.Free.size() == 1;
    for (const std::string &Name : B.Free)
      edges(Usual.front(), Name, Flat, First);
    if (!Flat)
      corner(Usual.front(), First);
    if (!O.Quick)
      for (size_t I = 1; I < B.Op->Draws.size(); ++I)
        add(smallest(Usual), B.Op->Draws[I]);
    sortBy(Cases, [&](const Case &C) { return cost(C); });
    return std::move(Cases);
  }

private:
  double cost(const Case &C) const { return elements(B, C.Sizes) + work(B, C.Sizes) / 16; }

  /// The other distributions run at a shape that is no multiple of anything.
  Dims smallest(const std::vector<Dims> &Usual) const {
    if (B.Free.size() == 1 && B.Op->Least.empty() && B.Op->Shapes.front().size() == 1)
      return {{B.Free.front(), 1009}};
    return Usual.size() > 1 ? *std::min_element(Usual.begin(), Usual.end(), [&](const Dims &X, const Dims &Y) { return work(B, X) < work(B, Y); })
                            : Usual.front();
  }

  void edges(const Dims &Base, const std::string &Name, bool Flat, const Draw &W) {
    auto put = [&](int64_t V) {
      Dims D = Base;
      D[Name] = V;
      add(std::move(D), W);
    };
    if (O.Quick) {
      put(1);
      put(33);
      return;
    }
    for (int64_t V : O.Also)
      put(V);
    if (Flat) {
      for (int64_t V : FlatEdges)
        put(V);
      return;
    }
    for (int64_t V : Edges)
      put(V);
    for (int64_t V : LongEdges)
      put(V);
  }

  /// All dims at 1, and all at 0 where that means something.
  void corner(const Dims &Base, const Draw &W) {
    for (int64_t V : {1, 0}) {
      Dims D = Base;
      for (auto &[Name, X] : D)
        X = V;
      add(std::move(D), W);
    }
  }

  void add(Dims D, const Draw &W) {
    Dims Inner = B.operatorDims(D);
    if (!B.Op->fits(Inner) || elements(B, D) > double(O.MostElements) * 2 || work(B, D) > O.MostWork)
      return;
    std::string Key = toString(D) + W.Distribution + std::to_string(W.A) + "," + std::to_string(W.B);
    if (Seen.insert(Key).second)
      Cases.push_back({std::move(D), W});
  }

  const Binding &B;
  const SampleOptions &O;
  std::vector<Case> Cases;
  std::set<std::string> Seen;
};

} // namespace

bool Case::empty() const {
  return std::any_of(Sizes.begin(), Sizes.end(), [](const auto &E) { return E.second == 0; });
}

std::vector<Case> ops::sampleCases(const Binding &B, const SampleOptions &Options) { return Sampler(B, Options).run(); }

std::vector<Case> ops::casesAt(const std::vector<Dims> &Shapes, const std::vector<Draw> &Draws) {
  std::vector<Case> Cases;
  if (Shapes.empty() || Draws.empty())
    return Cases;
  auto size = [](const Dims &D) {
    double W = 1;
    for (const auto &[Name, V] : D)
      W *= double(V);
    return W;
  };
  for (const Dims &D : Shapes)
    Cases.push_back({D, Draws.front()});
  // Not the very smallest: one element shows little of a distribution.
  Dims At = Shapes.front();
  for (const Dims &D : Shapes)
    if (size(D) >= 64 && (size(At) < 64 || size(D) < size(At)))
      At = D;
  // At a large shape those that show most: others differ from them in the values only, and a million values take long.
  constexpr double Large = 1 << 18, Heavy = 1 << 24;
  bool Special = std::any_of(Draws.begin(), Draws.end(), [](const Draw &D) { return D.Distribution == "extreme"; });
  auto tells = [&](const std::string &Name) { return Name == "extreme" || Name == "nan_inf" || Name == "inf" || (!Special && Name == "one_hot"); };
  for (size_t I = 1; I < Draws.size(); ++I)
    if (size(At) < Large || (size(At) < Heavy && tells(Draws[I].Distribution)))
      Cases.push_back({At, Draws[I]});
  sortBy(Cases, [&](const Case &C) { return size(C.Sizes); });
  return Cases;
}

protocol::Generator ops::generatorFor(const Arg &A, DType Type, const Draw &D, const Dims &OperatorDims, uint64_t Seed, uint64_t Stream) {
  protocol::Generator G;
  G.Seed = Seed;
  G.Stream = Stream;
  auto set = [&](const char *Name, double Low, double High) {
    G.Distribution = Name;
    G.A = Low;
    G.B = High;
    return G;
  };
  switch (A.Values) {
  case Domain::Positive: return set("uniform", 0.5, 1.5);
  case Domain::Angle: return set("uniform", -1, 1);
  case Domain::Index: return set("index", 0, double(std::max<int64_t>(1, evaluate(A.Bound, OperatorDims).value_or(1))));
  case Domain::Zero: return set("zero", 0, 0);
  case Domain::Any: break;
  }
  G.Distribution = D.Distribution;
  G.A = D.A;
  G.B = D.B;
  if (!protocol::isFloat(Type) && D.Distribution == "uniform" && D.B - D.A <= 2) {
    G.A = Type >= DType::U64 ? 0 : -100; // a span of two integers would say little
    G.B = 100;
  }
  if (!protocol::isFloat(Type) && D.Distribution == "constant")
    G.A = std::max(1.0, std::round(D.A));
  return G;
}
