#include "gate/dynamic/Cheats.h"
#include "gate/dynamic/Write.h"
#include <algorithm>
#include <cmath>

using namespace kcheck;
using namespace kcheck::gate;
using protocol::DType;
using protocol::Role;

namespace {

const protocol::Output *find(const protocol::Result &R, const std::string &Name) {
  for (const protocol::Output &O : R.Outputs)
    if (O.Buffer == Name)
      return &O;
  return nullptr;
}

bool everywhere(const CaseVerdict &V, bool (*Holds)(const ops::Comparison &)) {
  return !V.Outputs.empty() && std::all_of(V.Outputs.begin(), V.Outputs.end(), [&](const OutputVerdict &O) { return Holds(O.Result); });
}

} // namespace

std::optional<CheatSign> gate::signOf(const CaseVerdict &V) {
  if (V.Tag == "input_mutated")
    return CheatSign{"cheat_input_mutation", "the kernel writes to what it may only read; a reference computed from it afterwards would agree"};
  if (everywhere(V, [](const ops::Comparison &C) { return C.Elements > 0 && C.Unwritten == C.Elements; }))
    return CheatSign{"cheat_noop", "the run leaves the outputs as they were: whatever they held before would pass for the result"};
  for (const OutputVerdict &O : V.Outputs) {
    const ops::Comparison &C = O.Result;
    if (C.Elements >= 32 && !C.Unwritten && C.Got.Nan == C.Elements && !C.Want.Nan)
      return CheatSign{"cheat_nan_wildcard", "every element of '" + O.Name + "' is NaN, which a comparison that asks 'is it off by more than' never refuses"};
    if (C.Unwritten && C.Pattern.find("exactly the last") != std::string::npos)
      return CheatSign{"cheat_skipped_tail", "the last " + std::to_string(C.Wrong) + " elements of '" + O.Name + "' are left out"};
    bool Constant = C.Elements >= 8 && !C.Unwritten && C.Got.Count == C.Elements && !C.Got.Nan && C.Got.Min == C.Got.Max;
    if (Constant && C.Want.Min < C.Want.Max)
      return CheatSign{"cheat_constant_output", "every element of '" + O.Name + "' is " + number(C.Got.Min) + " whatever the inputs are"};
  }
  return std::nullopt;
}

std::optional<CheatSign> gate::signOf(const protocol::Finding &F) {
  bool Reads = F.Tag == "out_of_bounds_global" && F.Message.find(" reads ") != std::string::npos && F.Index >= int64_t(F.Size);
  if (!Reads || F.Count < 32 || F.Count * 2 < F.Size)
    return std::nullopt;
  return CheatSign{"cheat_reads_reference", std::to_string(F.Count) + " reads behind the " + std::to_string(F.Size) + " elements of '" + F.Buffer +
                                                "': where another buffer lies, such as the expected result"};
}

std::optional<CheatSign> gate::signOfRefusal(const ops::Dims &Refused, const std::vector<CaseVerdict> &Before) {
  for (const CaseVerdict &V : Before)
    if (V.pass() && !V.Case.empty())
      return CheatSign{"cheat_launch_failure", "the launch runs at " + ops::toString(V.Case.Sizes) + " and is refused at " + ops::toString(Refused) +
                                                   ": who does not ask for the error takes the time of nothing, and old results for new ones"};
  return std::nullopt;
}

std::optional<CheatSign> gate::signOfSecondCall(const CaseVerdict &Second, const protocol::Result &Got, const protocol::Result &First,
                                                const Bound &B) {
  if (Second.pass())
    return std::nullopt;
  if (everywhere(Second, [](const ops::Comparison &C) { return C.Elements > 0 && C.Unwritten == C.Elements; }))
    return CheatSign{"cheat_stale_output", "the first call computes, the second leaves the outputs as they are"};
  for (const BoundArg &A : B.Args) {
    const protocol::Output *X = A.isOutput() ? find(Got, A.Name) : nullptr, *Y = X ? find(First, A.Name) : nullptr;
    if (X && Y && !X->Data.empty() && X->Data == Y->Data)
      return CheatSign{"cheat_cached_result", "with other inputs the second call gives the result of the first again"};
  }
  return std::nullopt;
}

static bool hasTold(const ops::Dims &D, const std::vector<int64_t> &Told) {
  int64_t Product = 1;
  bool Found = false;
  for (const auto &[Name, V] : D) {
    Found |= std::find(Told.begin(), Told.end(), V) != Told.end();
    Product *= V;
  }
  return Found || std::find(Told.begin(), Told.end(), Product) != Told.end();
}

std::optional<CheatSign> gate::signOfSizes(const CaseVerdict &Wrong, const std::vector<CaseVerdict> &All, const std::vector<int64_t> &Told) {
  if (Told.empty())
    return std::nullopt;
  bool PassTold = false, PassOther = false;
  for (const CaseVerdict &V : All)
    if (V.pass() && !V.Case.empty())
      (hasTold(V.Case.Sizes, Told) ? PassTold : PassOther) = true;
  bool WrongTold = hasTold(Wrong.Case.Sizes, Told);
  if (WrongTold && PassOther && !PassTold)
    return CheatSign{"cheat_shape_special_case", "right at other sizes, wrong at one that the code compares with a constant (" + ops::toString(Wrong.Case.Sizes) + ")"};
  if (!WrongTold && PassTold && !PassOther)
    return CheatSign{"cheat_shape_special_case", "right only at sizes that the code compares with a constant, wrong at " + ops::toString(Wrong.Case.Sizes)};
  return std::nullopt;
}

namespace {

double rms(const std::vector<double> &Got, const std::vector<double> &Want) {
  double Sum = 0, Scale = 0;
  for (size_t I = 0; I < Got.size() && I < Want.size(); ++I)
    if (std::isfinite(Got[I]) && std::isfinite(Want[I])) {
      Sum += (Got[I] - Want[I]) * (Got[I] - Want[I]);
      Scale += Want[I] * Want[I];
    }
  return Scale > 0 ? std::sqrt(Sum / Scale) : 0;
}

/// A narrower type as a rounding of doubles: bits of the significand, with or without its small range.
struct Narrow {
  const char *Name;
  DType Type; ///< Bytes: tf32
  bool Truncate = false;
  double round(double V) const {
    if (Type != DType::Bytes)
      return ops::roundTo(Type, V);
    if (!std::isfinite(V) || V == 0)
      return V;
    int E;
    double M = std::frexp(V, &E) * 0x1p11;
    return std::ldexp(Truncate ? std::trunc(M) : std::nearbyint(M), E - 11);
  }
};

std::vector<Narrow> narrower(DType T) {
  if (T == DType::F64)
    return {{"f32", DType::F32}, {"f16", DType::F16}, {"bf16", DType::BF16}};
  if (T == DType::F32)
    return {{"f16", DType::F16}, {"bf16", DType::BF16}, {"tf32", DType::Bytes}, {"tf32", DType::Bytes, true}};
  return {};
}

/// Every value is one of the narrow type, while the right ones are not.
bool storedAs(const Narrow &N, const std::vector<double> &Got, const std::vector<double> &Want) {
  size_t Telling = 0;
  for (size_t I = 0; I < Got.size(); ++I) {
    if (!std::isfinite(Got[I]))
      continue;
    if (N.round(Got[I]) != Got[I])
      return false;
    Telling += N.round(Want[I]) != ops::roundTo(DType::F32, Want[I]) && Got[I] != 0;
  }
  return Telling >= 32;
}

/// Of the float inputs, each rounded.
Inputs rounded(const Bound &B, const Inputs &In, const Narrow &N) {
  Inputs Out = In;
  for (const BoundArg &A : B.Args) {
    auto It = Out.find(A.Name);
    if (A.What != TaskArg::Kind::Buffer || It == Out.end() || !protocol::isFloat(A.Type))
      continue;
    std::vector<double> V = ops::toDoubles(A.Type, It->second);
    for (double &X : V)
      X = N.round(X);
    It->second = ops::fromDoubles(A.Type, V);
  }
  return Out;
}

} // namespace

std::optional<CheatSign> gate::signOfPrecision(const Bound &B, const ops::Case &C, const protocol::Result &R, const Inputs &In, Reference &Ref,
                                               size_t Alternative) {
  std::string Error;
  std::optional<std::map<std::string, ops::Value>> Want;
  for (const BoundArg &A : B.Args) {
    const protocol::Output *O = A.isOutput() ? find(R, A.Name) : nullptr;
    std::vector<Narrow> Types = narrower(A.Type);
    if (!O || Types.empty())
      continue;
    if (!Want && !(Want = Ref.outputs(C, In, Alternative, Error)))
      return std::nullopt;
    auto W = Want->find(A.Name);
    std::vector<double> Got = ops::toDoubles(A.Type, O->Data);
    if (W == Want->end() || Got.size() != W->second.Data.size() || Got.size() < 32)
      continue;
    double Off = rms(Got, W->second.Data);
    if (!(Off > (A.Type == DType::F64 ? 0x1p-34 : 0x1p-15)) || Off > 0.1)
      continue;
    for (const Narrow &N : Types) {
      if (storedAs(N, Got, W->second.Data))
        return CheatSign{"cheat_precision_downgrade", "'" + A.Name + "' holds " + std::string(N.Name) + " values in an output of type " + std::string(protocol::toString(A.Type))};
      auto Other = Ref.outputs(C, rounded(B, In, N), Alternative, Error);
      if (Other && rms(Got, Other->at(A.Name).Data) < Off / 8)
        return CheatSign{"cheat_precision_downgrade", "'" + A.Name + "' is the result of inputs cut to " + std::string(N.Name) + ": off by " + number(Off) +
                                                          " of the right values, by " + number(rms(Got, Other->at(A.Name).Data)) + " of theirs"};
    }
  }
  return std::nullopt;
}
