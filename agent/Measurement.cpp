#include "agent/Measurement.h"
#include "agent/Diagnosis.h"

using namespace kcheck;
using namespace kcheck::agent;
namespace json = llvm::json;

json::Value agent::toJson(const Measurement &M) {
  json::Array Kernels, Shapes;
  for (const KernelProfile &K : M.Kernels) {
    json::Object Values, Lines;
    for (const auto &[Name, V] : K.Values)
      Values[Name] = V;
    for (const auto &[Name, L] : K.Lines)
      Lines[Name] = L;
    Kernels.push_back(json::Object{{"kernel", K.Kernel}, {"values", std::move(Values)}, {"lines", std::move(Lines)},
                                   {"occupancy_limiter", K.OccupancyLimiter}, {"share", K.Share}});
  }
  for (const ShapeTime &S : M.Shapes)
    Shapes.push_back(json::Object{{"shape", S.Shape}, {"ms", S.Ms}, {"start_ms", S.StartMs}});
  return json::Object{{"device", M.Device}, {"modelled", M.Modelled}, {"ms", M.Ms}, {"low_ms", M.LowMs}, {"high_ms", M.HighMs},
                      {"bytes", M.Bytes}, {"flops", M.Flops}, {"copy_gb_s", M.CopyGBs}, {"fma_gflop_s", M.FmaGflops},
                      {"floor_ms", M.FloorMs}, {"launch_ms", M.LaunchMs}, {"kernels", std::move(Kernels)}, {"shapes", std::move(Shapes)}};
}

static double number(const json::Object &O, llvm::StringRef Key) { return O.getNumber(Key).value_or(0); }
static std::string text(const json::Object &O, llvm::StringRef Key) { return O.getString(Key).value_or("").str(); }

Measurement agent::measurementFromJson(const json::Value &V) {
  Measurement M;
  const json::Object *O = V.getAsObject();
  if (!O)
    return M;
  M.Device = text(*O, "device");
  M.Modelled = O->getBoolean("modelled").value_or(false);
  M.Ms = number(*O, "ms"), M.LowMs = number(*O, "low_ms"), M.HighMs = number(*O, "high_ms");
  M.Bytes = number(*O, "bytes"), M.Flops = number(*O, "flops");
  M.CopyGBs = number(*O, "copy_gb_s"), M.FmaGflops = number(*O, "fma_gflop_s");
  M.FloorMs = number(*O, "floor_ms"), M.LaunchMs = number(*O, "launch_ms");
  if (const json::Array *A = O->getArray("kernels"))
    for (const json::Value &X : *A)
      if (const json::Object *K = X.getAsObject()) {
        KernelProfile P;
        P.Kernel = text(*K, "kernel");
        P.OccupancyLimiter = text(*K, "occupancy_limiter");
        P.Share = K->getNumber("share").value_or(1);
        if (const json::Object *Values = K->getObject("values"))
          for (const auto &[Name, N] : *Values)
            P.Values[llvm::StringRef(Name).str()] = N.getAsNumber().value_or(0);
        if (const json::Object *Lines = K->getObject("lines"))
          for (const auto &[Name, N] : *Lines)
            P.Lines[llvm::StringRef(Name).str()] = unsigned(N.getAsInteger().value_or(0));
        M.Kernels.push_back(std::move(P));
      }
  if (const json::Array *A = O->getArray("shapes"))
    for (const json::Value &X : *A)
      if (const json::Object *S = X.getAsObject())
        M.Shapes.push_back({text(*S, "shape"), number(*S, "ms"), number(*S, "start_ms")});
  return M;
}

const Bottleneck *Diagnosis::find(llvm::StringRef Label) const {
  for (const Bottleneck &B : Found)
    if (B.Label == Label)
      return &B;
  return nullptr;
}

double Diagnosis::weight(llvm::StringRef Label) const {
  const Bottleneck *B = find(Label);
  return B ? B->Weight : 0;
}

json::Value agent::toJson(const Diagnosis &D) {
  json::Array Found;
  for (const Bottleneck &B : D.Found) {
    json::Object J{{"label", B.Label}, {"weight", B.Weight}, {"confidence", B.Confidence}, {"evidence", B.Evidence}};
    if (!B.By.empty())
      J["by"] = B.By;
    if (B.Line)
      J["line"] = B.Line;
    Found.push_back(std::move(J));
  }
  json::Object J{{"found", std::move(Found)}, {"roofline_share", D.RooflineShare}, {"ceiling", D.Ceiling}};
  auto put = [&](const char *Name, const std::optional<double> &V) {
    if (V)
      J[Name] = *V;
  };
  put("memory_pct", D.MemoryPct);
  put("compute_pct", D.ComputePct);
  put("occupancy_pct", D.OccupancyPct);
  put("active_lanes", D.ActiveLanes);
  return J;
}

Diagnosis agent::diagnosisFromJson(const json::Value &V) {
  Diagnosis D;
  const json::Object *O = V.getAsObject();
  if (!O)
    return D;
  D.RooflineShare = number(*O, "roofline_share");
  D.Ceiling = text(*O, "ceiling");
  auto take = [&](const char *Name, std::optional<double> &To) {
    if (auto N = O->getNumber(Name))
      To = *N;
  };
  take("memory_pct", D.MemoryPct);
  take("compute_pct", D.ComputePct);
  take("occupancy_pct", D.OccupancyPct);
  take("active_lanes", D.ActiveLanes);
  if (const json::Array *A = O->getArray("found"))
    for (const json::Value &X : *A)
      if (const json::Object *B = X.getAsObject())
        D.Found.push_back({text(*B, "label"), number(*B, "weight"), number(*B, "confidence"), text(*B, "evidence"), text(*B, "by"),
                           unsigned(B->getInteger("line").value_or(0))});
  return D;
}
