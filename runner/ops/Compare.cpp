#include "runner/ops/Compare.h"
#include "runner/ops/Parallel.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>

using namespace kcheck;
using namespace kcheck::ops;

Tolerance ops::defaultTolerance(DType Type) {
  switch (Type) {
  case DType::F64: return {1e-9, 1e-11, 4};
  case DType::F32: return {1e-4, 1e-5, 4};
  case DType::F16: return {1e-2, 1e-3, 4};
  case DType::BF16: return {2e-2, 1e-2, 4};
  default: return {0, 0, 0};
  }
}

namespace {

/// u of the formula in the header.
double accumulationRoundoff(DType Type, double Length) {
  double U = unitRoundoff(Type);
  return Length > 4 ? std::min(U, 0x1p-24) : U;
}

std::vector<int64_t> unflatten(int64_t Flat, const std::vector<int64_t> &Shape) {
  std::vector<int64_t> Index(Shape.size());
  for (size_t D = Shape.size(); D-- > 0;) {
    Index[D] = Shape[D] ? Flat % Shape[D] : 0;
    Flat = Shape[D] ? Flat / Shape[D] : 0;
  }
  return Index;
}

std::string show(double V) {
  char Text[40];
  std::snprintf(Text, sizeof(Text), "%.9g", V);
  return Text;
}

std::string show(const std::vector<int64_t> &Index) {
  std::string S;
  for (int64_t I : Index)
    S += (S.empty() ? "[" : ", ") + std::to_string(I);
  return S.empty() ? "[0]" : S + "]";
}

/// One worker's share of the comparison.
struct Part {
  int64_t Wrong = 0, NanWrong = 0, Unwritten = 0;
  double MaxAbs = 0, MaxRel = 0, Worst = 0;
  std::vector<int64_t> Bad; // all of them, for the pattern; bounded
  std::vector<int64_t> Errors = std::vector<int64_t>(16);
};
constexpr size_t MostBad = 1 << 16;

/// How many of these an error reaches.
int errorBin(double E) {
  constexpr double From[] = {1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100};
  int Bin = 0;
  for (double F : From)
    Bin += E >= F;
  return Bin;
}

class Comparer {
public:
  Comparer(const Bytes &Got, const Value &Want, const Tolerance &T, uint8_t Poison,
           const std::function<bool(int64_t, double)> &Accept)
      : Got(Got), Want(Want), T(T), Poison(Poison), Accept(Accept), Size(protocol::sizeOf(Want.Type)) {
    Rounding = Want.Length > 1 ? T.Factor * accumulationRoundoff(Want.Type, Want.Length) * std::sqrt(Want.Length) : 0;
  }

  double want(int64_t I) const { return roundTo(Want.Type, Want.Data[I]); }
  double got(int64_t I) const { return loadElement(Want.Type, Got.data() + I * Size); }
  double allowed(int64_t I) const {
    double W = Want.Data[I];
    double S = Want.Terms.empty() ? std::fabs(W) : Want.Terms[I];
    return T.Relative * std::fabs(W) + T.Absolute + Rounding * S;
  }

  void range(int64_t B, int64_t E, Part &P) const {
    for (int64_t I = B; I < E; ++I)
      element(I, P);
  }

private:
  bool poisoned(int64_t I) const {
    const uint8_t *At = Got.data() + I * Size;
    return std::all_of(At, At + Size, [&](uint8_t X) { return X == Poison; });
  }

  void wrong(int64_t I, bool Nan, double G, Part &P) const {
    if (Accept && Accept(I, G))
      return;
    ++P.Wrong;
    if (poisoned(I))
      ++P.Unwritten;
    else
      P.NanWrong += Nan;
    if (P.Bad.size() < MostBad)
      P.Bad.push_back(I);
  }

  void element(int64_t I, Part &P) const {
    double G = got(I), W = want(I);
    if (!std::isfinite(G) || !std::isfinite(W)) {
      bool Same = std::isnan(W) ? std::isnan(G) : G == W;
      // A value next to the type's limit may overflow or not: both are within rounding.
      bool NearLimit = std::isinf(W) != std::isinf(G) && !std::isnan(W) && !std::isnan(G) && std::isfinite(Want.Data[I]) &&
                       std::signbit(W) == std::signbit(G) && nearLimit(I, std::isfinite(G) ? G : W);
      if (!Same && !NearLimit)
        wrong(I, true, G, P);
      return;
    }
    double Error = std::fabs(G - W);
    if (Error == 0) { // the common case of exact code
      ++P.Errors[0];
      return;
    }
    ++P.Errors[errorBin(Error)];
    double Allowed = allowed(I);
    P.MaxAbs = std::max(P.MaxAbs, Error);
    if (W != 0)
      P.MaxRel = std::max(P.MaxRel, Error / std::fabs(W));
    P.Worst = std::max(P.Worst, Allowed > 0 ? Error / Allowed : HUGE_VAL);
    if (!(Error <= Allowed))
      wrong(I, false, G, P);
  }

  bool nearLimit(int64_t I, double Finite) const {
    double Exact = std::fabs(Want.Data[I]);
    double Limit = Want.Type == DType::F16 ? 65504 : Want.Type == DType::F64 ? 1.797e308 : 3.4028e38;
    return std::fabs(std::fabs(Finite) - Limit) <= 2 * (T.Relative * Limit) && std::fabs(Exact - Limit) <= 2 * T.Relative * Limit;
  }

  const Bytes &Got;
  const Value &Want;
  const Tolerance &T;
  uint8_t Poison;
  const std::function<bool(int64_t, double)> &Accept;
  size_t Size;
  double Rounding = 0;
};

/// What the wrong elements have in common. A model can act on "all of the last 3 elements", not on a sum.
std::string pattern(const Comparison &C, const std::vector<int64_t> &Bad, const std::vector<int64_t> &Shape,
                    const std::vector<double> &Got, const std::vector<double> &Want) {
  if (Bad.empty() || C.Wrong != int64_t(Bad.size()))
    return "";
  int64_t N = C.Elements;
  if (C.Unwritten == C.Wrong && C.Wrong == N)
    return "no element was written";
  std::string What = C.Unwritten == C.Wrong ? "not written: " : "";
  if (Bad.front() + C.Wrong == N && Bad.back() == N - 1 && C.Wrong < N)
    return What + "exactly the last " + std::to_string(C.Wrong) + " of " + std::to_string(N) + " elements";
  if (Bad.front() == 0 && Bad.back() == C.Wrong - 1 && C.Wrong < N)
    return What + "exactly the first " + std::to_string(C.Wrong) + " of " + std::to_string(N) + " elements";
  for (size_t D = 0; D < Shape.size() && Shape.size() > 1; ++D) {
    int64_t Only = unflatten(Bad.front(), Shape)[D];
    if (Shape[D] > 1 && std::all_of(Bad.begin(), Bad.end(), [&](int64_t I) { return unflatten(I, Shape)[D] == Only; }))
      return What + "all at index " + std::to_string(Only) + " of dimension " + std::to_string(D);
  }
  if (C.NanWrong || C.Unwritten)
    return What.empty() ? "" : "not written: " + std::to_string(C.Unwritten) + " elements";
  // One factor for all: a missing scale. One element off: a shift.
  double Ratio = Want[Bad.front()] != 0 ? Got[Bad.front()] / Want[Bad.front()] : 0;
  if (Ratio != 0 && C.Wrong > 3 &&
      std::all_of(Bad.begin(), Bad.end(), [&](int64_t I) { return std::fabs(Got[I] - Ratio * Want[I]) <= 1e-3 * std::fabs(Got[I]); }))
    return "all are " + show(Ratio) + " times the right value";
  for (int64_t Off : {int64_t(1), int64_t(-1)})
    if (C.Wrong > 3 && std::all_of(Bad.begin(), Bad.end(), [&](int64_t I) {
          int64_t J = I + Off;
          return J < 0 || J >= N || std::fabs(Got[I] - Want[J]) <= 1e-3 * std::fabs(Want[J]) + 1e-5;
        }))
      return std::string("each holds the right value of its ") + (Off > 0 ? "next" : "previous") + " element";
  if (std::all_of(Bad.begin(), Bad.end(), [&](int64_t I) { return Got[I] == 0; }))
    return "all are 0";
  return "";
}

/// Kolmogorov-Smirnov distance of the finite values, on the common histogram.
double shift(const Summary &A, const Summary &B) {
  double SumA = 0, SumB = 0, Max = 0;
  int64_t NA = A.Count - A.Nan - A.Inf, NB = B.Count - B.Nan - B.Inf;
  if (!NA || !NB)
    return NA == NB ? 0 : 1;
  for (size_t I = 0; I < A.Histogram.size() && I < B.Histogram.size(); ++I) {
    SumA += double(A.Histogram[I]) / double(NA);
    SumB += double(B.Histogram[I]) / double(NB);
    Max = std::max(Max, std::fabs(SumA - SumB));
  }
  return Max;
}

} // namespace

Summary ops::summarize(const std::vector<double> &Values, double Low, double High, int Bins) {
  Summary S;
  S.Count = int64_t(Values.size());
  double Sum = 0, Squares = 0;
  int64_t Finite = 0;
  for (double V : Values) {
    if (!std::isfinite(V)) {
      ++(std::isnan(V) ? S.Nan : S.Inf);
      continue;
    }
    S.Zero += V == 0;
    S.Min = Finite ? std::min(S.Min, V) : V;
    S.Max = Finite ? std::max(S.Max, V) : V;
    ++Finite;
    Sum += V;
    Squares += V * V;
  }
  if (Finite) {
    S.Mean = Sum / double(Finite);
    S.Deviation = std::sqrt(std::max(0.0, Squares / double(Finite) - S.Mean * S.Mean));
  }
  S.Low = Low > High ? S.Min : Low;
  S.High = Low > High ? S.Max : High;
  S.Histogram.assign(size_t(Bins), 0);
  double Width = (S.High - S.Low) / Bins;
  for (double V : Values)
    if (std::isfinite(V))
      ++S.Histogram[Width > 0 ? size_t(std::clamp((V - S.Low) / Width, 0.0, Bins - 1.0)) : 0];
  return S;
}

std::string Comparison::tag() const {
  if (pass())
    return "";
  return Unwritten ? "not_all_written" : NanWrong ? "nan_inf" : "wrong_result";
}

Comparison ops::compare(const Bytes &Got, const Value &Want, const Tolerance &T, uint8_t Poison,
                        const std::function<bool(int64_t, double)> &Accept) {
  Comparer Each(Got, Want, T, Poison, Accept);
  Comparison C;
  C.Elements = int64_t(Want.Data.size());
  C.ErrorHistogram.assign(16, 0);
  std::vector<int64_t> Bad;
  std::mutex Lock;
  parallelFor(C.Elements, 1 << 16, [&](int64_t B, int64_t E) {
    Part P;
    Each.range(B, E, P);
    std::lock_guard Guard(Lock);
    C.Wrong += P.Wrong;
    C.NanWrong += P.NanWrong;
    C.Unwritten += P.Unwritten;
    C.MaxAbs = std::max(C.MaxAbs, P.MaxAbs);
    C.MaxRel = std::max(C.MaxRel, P.MaxRel);
    C.Worst = std::max(C.Worst, P.Worst);
    Bad.insert(Bad.end(), P.Bad.begin(), P.Bad.end());
    for (size_t I = 0; I < P.Errors.size(); ++I)
      C.ErrorHistogram[I] += P.Errors[I];
  });
  std::sort(Bad.begin(), Bad.end());
  for (size_t I = 0; I < std::min<size_t>(8, Bad.size()); ++I)
    C.First.push_back({Bad[I], unflatten(Bad[I], Want.Shape), Each.got(Bad[I]), Each.want(Bad[I]), Each.allowed(Bad[I])});

  std::vector<double> G = toDoubles(Want.Type, Got);
  C.Want = summarize(Want.Data);
  C.Got = summarize(G, C.Want.Low, C.Want.High);
  C.Shift = shift(C.Got, C.Want);
  C.Pattern = pattern(C, Bad, Want.Shape, G, Want.Data);
  return C;
}

std::string ops::describe(const Comparison &C) {
  if (C.pass())
    return "max abs err " + show(C.MaxAbs) + ", max rel err " + show(C.MaxRel);
  std::string S = std::to_string(C.Wrong) + " of " + std::to_string(C.Elements) + " elements wrong";
  if (C.Unwritten)
    S += ", " + std::to_string(C.Unwritten) + " never written";
  if (C.NanWrong)
    S += ", " + std::to_string(C.NanWrong) + " NaN or infinite against the reference";
  if (!C.First.empty()) {
    const Mismatch &M = C.First.front();
    S += "; first at " + show(M.Index) + ": " + show(M.Got) + ", expected " + show(M.Want);
  }
  return C.Pattern.empty() ? S : S + " (" + C.Pattern + ")";
}

int64_t ops::firstDifference(const Bytes &A, const Bytes &B, DType Type) {
  size_t N = std::min(A.size(), B.size());
  auto Found = std::mismatch(A.begin(), A.begin() + N, B.begin());
  if (Found.first == A.begin() + N && A.size() == B.size())
    return -1;
  return int64_t((Found.first - A.begin()) / protocol::sizeOf(Type));
}
