#include "runner/protocol/MeasureJson.h"

using namespace kcheck::protocol;
using nlohmann::json;

namespace {

/// One list of fields serves both directions: V(key, field) writes or reads.
template <typename V> void fields(V &&F, ReferenceRequest &R) {
  F("operator", R.Operator), F("variant", R.Variant), F("dims", R.Dims), F("attrs", R.Attrs), F("buffers", R.Buffers);
  F("relative", R.Relative), F("absolute", R.Absolute);
}
template <typename V> void fields(V &&F, KernelFacts &K) {
  F("name", K.Name), F("registers", K.Registers), F("static_shared", K.StaticShared), F("local_bytes", K.LocalBytes);
  F("const_bytes", K.ConstBytes), F("max_threads", K.MaxThreads), F("block_threads", K.BlockThreads);
  F("blocks_per_unit", K.BlocksPerUnit), F("dynamic_shared", K.DynamicShared), F("occupancy", K.Occupancy), F("limiter", K.Limiter);
}
template <typename V> void fields(V &&F, Judgement &G) {
  F("buffer", G.Buffer), F("elements", G.Elements), F("wrong", G.Wrong), F("nan_wrong", G.NanWrong), F("unwritten", G.Unwritten);
  F("first", G.First), F("max_abs", G.MaxAbs), F("max_rel", G.MaxRel), F("worst", G.Worst), F("got", G.Got), F("want", G.Want);
  F("allowed", G.Allowed), F("tag", G.Tag), F("message", G.Message);
}
template <typename V> void fields(V &&F, Timing &T) {
  F("median_ms", T.Median), F("low_ms", T.Low), F("high_ms", T.High), F("least_ms", T.Least), F("samples", T.Samples);
}
template <typename V> void fields(V &&F, PerfResult &P) {
  F("measured", P.Measured), F("why", P.Why), F("ratio", P.Ratio), F("ratio_low", P.RatioLow), F("ratio_high", P.RatioHigh);
  F("bound_low", P.BoundLow), F("bound_high", P.BoundHigh), F("runs", P.Runs), F("dropped", P.Dropped), F("compared", P.Compared);
  F("warm_up", P.WarmUp), F("drop_reason", P.DropReason), F("bytes", P.Bytes), F("flops", P.Flops), F("copy_gb_s", P.CopyGBs);
  F("fma_gflop_s", P.FmaGflops), F("floor_ms", P.FloorMs), F("launch_ms", P.LaunchMs), F("compared_with", P.ComparedWith);
  F("not_compared", P.NotCompared);
}
template <typename V> void fields(V &&F, CounterLabel &L) {
  F("name", L.Name), F("text", L.Text), F("value", L.Value), F("limit", L.Limit), F("line", L.Line), F("primary", L.Primary);
}
template <typename V> void fields(V &&F, CounterResult &C) {
  F("kernel", C.Kernel), F("measured", C.Measured), F("why", C.Why), F("values", C.Values);
}

/// JSON has no NaN and no infinity: such a number travels as a string.
json number(double D) {
  if (D - D == 0)
    return D;
  return D != D ? "nan" : D > 0 ? "inf" : "-inf";
}

template <typename S> json writeFields(const S &From) {
  json J = json::object();
  fields(
      [&](const char *Key, auto &Value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(Value)>, double>)
          J[Key] = number(Value);
        else
          J[Key] = Value;
      },
      const_cast<S &>(From));
  return J;
}

template <typename S> void readFields(Reader &R, S &To) {
  fields(
      [&](const char *Key, auto &Value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(Value)>, double>)
          if (const json *V = R.get(Key); V && V->is_string()) {
            Value = *V == "nan" ? __builtin_nan("") : *V == "inf" ? __builtin_inf() : -__builtin_inf();
            return;
          }
        R.into(Key, Value);
      },
      To);
}

template <typename S> S readWhole(const json &J, const std::string &Path) {
  Reader R(J, Path);
  S Out;
  readFields(R, Out);
  R.finish();
  return Out;
}

} // namespace

json kcheck::protocol::writeMeasure(const ReferenceRequest &R) { return writeFields(R); }
json kcheck::protocol::writeMeasure(const KernelFacts &K) { return writeFields(K); }
json kcheck::protocol::writeMeasure(const Judgement &G) { return writeFields(G); }

json kcheck::protocol::writeMeasure(const PerfResult &P) {
  json J = writeFields(P);
  J["candidate"] = writeFields(P.Candidate);
  J["baseline"] = writeFields(P.Baseline);
  return J;
}

json kcheck::protocol::writeMeasure(const CounterResult &C) {
  json J = writeFields(C);
  J["labels"] = json::array();
  for (const CounterLabel &L : C.Labels)
    J["labels"].push_back(writeFields(L));
  return J;
}

ReferenceRequest kcheck::protocol::readReference(const json &J, const std::string &Path) { return readWhole<ReferenceRequest>(J, Path); }
KernelFacts kcheck::protocol::readKernelFacts(const json &J, const std::string &Path) { return readWhole<KernelFacts>(J, Path); }
Judgement kcheck::protocol::readJudgement(const json &J, const std::string &Path) { return readWhole<Judgement>(J, Path); }

PerfResult kcheck::protocol::readPerf(const json &J, const std::string &Path) {
  Reader R(J, Path);
  PerfResult P;
  readFields(R, P);
  if (const json *T = R.get("candidate"))
    P.Candidate = readWhole<Timing>(*T, Path + ".candidate");
  if (const json *T = R.get("baseline"))
    P.Baseline = readWhole<Timing>(*T, Path + ".baseline");
  R.finish();
  return P;
}

CounterResult kcheck::protocol::readCounters(const json &J, const std::string &Path) {
  Reader R(J, Path);
  CounterResult C;
  readFields(R, C);
  R.each("labels", [&](const json &E, const std::string &P) { C.Labels.push_back(readWhole<CounterLabel>(E, P)); });
  R.finish();
  return C;
}
