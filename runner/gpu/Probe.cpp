#include "runner/gpu/Probe.h"
#include "runner/gpu/Counters.h"
#include "runner/gpu/Perf.h"
#include <nlohmann/json.hpp>

using namespace kcheck;
using namespace kcheck::gpu;
using nlohmann::json;

namespace {

json describe(int Index, bool Deep) {
  std::string Why;
  auto G = Device::open(Index, Why);
  if (!G)
    return {{"index", Index}, {"usable", false}, {"why", Why}};
  size_t Free = 0, Total = 0;
  G->api().memInfo(&Free, &Total);
  json J{{"index", Index}, {"usable", true}, {"name", G->name()}, {"uuid", G->uuid()}, {"arch", G->arch()}, {"memory_mb", Total >> 20},
         {"free_mb", Free >> 20}, {"multiprocessors", G->attribute(UnitCount)}, {"l2_bytes", G->attribute(L2CacheSize)},
         {"shared_per_block", G->attribute(MaxSharedPerBlock)}, {"shared_opt_in", G->attribute(MaxSharedOptIn)}};
  if (!Deep)
    return J;
  try {
    std::string Denied = countersDenied(*G);
    J["counters"] = Denied.empty() ? json{{"allowed", true}} : json{{"allowed", false}, {"why", Denied}};
    Ceilings C = ceilings(*G);
    J["copy_gb_s"] = C.CopyGBs;
    J["fma_gflop_s"] = C.FmaGflops;
  } catch (const Failed &F) {
    J["why"] = F.Message;
  }
  return J;
}

} // namespace

int gpu::deviceCount() {
  std::string Why;
  int N = 0;
  if (const Driver *D = driver(Why))
    D->deviceCount(&N);
  return N;
}

std::string gpu::listText() {
  json J{{"program", "kcheck-gpu " KCHECK_VERSION}, {"devices", json::array()}};
  std::string Why;
  const Driver *D = driver(Why);
  for (int I = 0, N = D ? deviceCount() : 0; I < N; ++I) {
    char Name[256] = "";
    int Ordinal = 0, Major = 0, Minor = 0;
    if (D->deviceGet(&Ordinal, I) || D->deviceAttribute(&Major, CapabilityMajor, Ordinal) || D->deviceAttribute(&Minor, CapabilityMinor, Ordinal))
      continue;
    D->deviceName(Name, sizeof Name, Ordinal);
    J["devices"].push_back({{"index", I}, {"name", Name}, {"arch", "sm_" + std::to_string(Major) + std::to_string(Minor)}});
  }
  if (J["devices"].empty())
    J["why"] = Why.empty() ? "the driver sees no device" : Why;
  return J.dump();
}

std::string gpu::probeText(bool Deep) {
  json J{{"program", "kcheck-gpu " KCHECK_VERSION}, {"devices", json::array()}};
  std::string Why;
  if (const Driver *D = driver(Why)) {
    int Version = 0;
    D->driverVersion(&Version);
    J["driver"] = {{"found", true}, {"cuda", std::to_string(Version / 1000) + "." + std::to_string(Version % 1000 / 10)}};
    char Text[80] = "";
    if (const Nvml *N = nvml(Why); N && N->driverText(Text, sizeof Text) == 0)
      J["driver"]["version"] = Text;
    for (int I = 0; I < deviceCount(); ++I)
      J["devices"].push_back(describe(I, Deep));
  } else {
    J["driver"] = {{"found", false}, {"why", Why}};
  }
  std::string NoNvrtc;
  if (const Nvrtc *N = nvrtc(NoNvrtc))
    J["nvrtc"] = {{"found", true}, {"version", std::to_string(N->Major) + "." + std::to_string(N->Minor)}};
  else
    J["nvrtc"] = {{"found", false}, {"why", NoNvrtc}};
  for (const char *P : {"nvcc", "compute-sanitizer", "ncu"}) {
    std::string Path = toolkitProgram(P);
    J[P] = Path.empty() ? json{{"found", false}} : json{{"found", true}, {"path", Path}};
  }
  J["toolkit"] = toolkitRoot();
  J["cache"] = Cache().folder();
  return J.dump(2);
}
