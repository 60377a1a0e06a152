#include "runner/gpu/Counters.h"
#include "runner/gpu/DeviceLock.h"
#include "runner/gpu/HostCode.h"
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>

#if __has_include(<cupti_range_profiler.h>) && __has_include(<cuda.h>)
#define KCHECK_HAVE_CUPTI 1
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#endif
#include <dlfcn.h>

using namespace kcheck;
using namespace kcheck::gpu;

#ifndef KCHECK_HAVE_CUPTI
std::string gpu::countersDenied(Device &) { return "this kcheck-gpu was built without CUPTI's headers"; }
void gpu::count(Device &G, const protocol::Job &, Loaded &, protocol::Result &R) {
  for (const protocol::KernelFacts &K : R.Kernels) {
    protocol::CounterResult C;
    C.Kernel = K.Name;
    C.Why = countersDenied(G);
    C.Labels = labelCounters({}, K);
    R.Counters.push_back(std::move(C));
  }
}
#else
namespace {

/// Our name and the hardware's.
struct Metric {
  const char *Name, *Hardware;
};
constexpr Metric Metrics[] = {
    {"time_ns", "gpu__time_duration.sum"},
    {"memory_pct", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"compute_pct", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"dram_pct", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"l2_pct", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"dram_bytes", "dram__bytes.sum"},
    {"occupancy_pct", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"active_lanes", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {"shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    {"shared_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {"load_bytes_asked", "smsp__sass_data_bytes_mem_global_op_ld.sum"},
    {"stall_long_scoreboard", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"},
    {"stall_short_scoreboard", "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio"},
    {"stall_barrier", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"},
    {"stall_wait", "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"},
    {"stall_mio_throttle", "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio"},
    {"stall_lg_throttle", "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio"},
    {"stall_math_pipe_throttle", "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio"},
    {"stall_membar", "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio"},
};

#define KCHECK_CUPTI_FUNCTIONS(F)                                                                                               \
  F(cuptiProfilerInitialize)                                                                                                    \
  F(cuptiDeviceGetChipName)                                                                                                     \
  F(cuptiProfilerGetCounterAvailability)                                                                                        \
  F(cuptiProfilerHostInitialize)                                                                                                \
  F(cuptiProfilerHostDeinitialize)                                                                                              \
  F(cuptiProfilerHostConfigAddMetrics)                                                                                          \
  F(cuptiProfilerHostGetConfigImageSize)                                                                                        \
  F(cuptiProfilerHostGetConfigImage)                                                                                            \
  F(cuptiProfilerHostEvaluateToGpuValues)                                                                                       \
  F(cuptiRangeProfilerEnable)                                                                                                   \
  F(cuptiRangeProfilerDisable)                                                                                                  \
  F(cuptiRangeProfilerSetConfig)                                                                                                \
  F(cuptiRangeProfilerStart)                                                                                                    \
  F(cuptiRangeProfilerStop)                                                                                                     \
  F(cuptiRangeProfilerDecodeData)                                                                                               \
  F(cuptiRangeProfilerGetCounterDataSize)                                                                                       \
  F(cuptiRangeProfilerCounterDataImageInitialize)                                                                               \
  F(cuptiRangeProfilerGetCounterDataInfo)                                                                                       \
  F(cuptiGetResultString)

struct Cupti {
#define KCHECK_MEMBER(F) decltype(&::F) F = nullptr;
  KCHECK_CUPTI_FUNCTIONS(KCHECK_MEMBER)
#undef KCHECK_MEMBER
  std::string Why;
};

const Cupti &cupti() {
  static const Cupti All = [] {
    Cupti C;
    void *L = openLibrary({"libcupti.so.13", "libcupti.so.12", "libcupti.so"}, C.Why);
    if (!L)
      return C;
#define KCHECK_TAKE(F)                                                                                                          \
  if (!(C.F = reinterpret_cast<decltype(C.F)>(dlsym(L, #F))))                                                                   \
    C.Why = "CUPTI has no " #F;
    KCHECK_CUPTI_FUNCTIONS(KCHECK_TAKE)
#undef KCHECK_TAKE
    return C;
  }();
  return All;
}

/// A step of CUPTI that failed.
struct Denied {
  std::string Why;
};

void must(CUptiResult S, const char *What) {
  if (S == CUPTI_SUCCESS)
    return;
  const char *Text = nullptr;
  cupti().cuptiGetResultString(S, &Text);
  throw Denied{std::string(What) + ": " + (Text ? Text : "error " + std::to_string(S))};
}

/// What counting needs of a chip, made once: the metrics that it has and the passes that they take.
class Plan {
public:
  explicit Plan(int Ordinal) : C(cupti()) {
    if (!C.Why.empty())
      throw Denied{C.Why};
    CUpti_Profiler_Initialize_Params Init = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE, nullptr};
    must(C.cuptiProfilerInitialize(&Init), "starting the profiler");
    CUpti_Device_GetChipName_Params Chip = {CUpti_Device_GetChipName_Params_STRUCT_SIZE, nullptr, size_t(Ordinal), nullptr};
    must(C.cuptiDeviceGetChipName(&Chip), "asking for the chip");
    CUpti_Profiler_GetCounterAvailability_Params A = {};
    A.structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE;
    must(C.cuptiProfilerGetCounterAvailability(&A), "asking which counters there are");
    Availability.resize(A.counterAvailabilityImageSize);
    A.pCounterAvailabilityImage = Availability.data();
    must(C.cuptiProfilerGetCounterAvailability(&A), "asking which counters there are");
    openHost(Chip.pChipName);
    for (const Metric &M : Metrics)
      if (add({M.Hardware}))
        Used.push_back(&M);
    if (Used.empty())
      throw Denied{"the chip has none of the metrics"};
    // Once more, all at once: those that are added together share passes.
    closeHost();
    openHost(Chip.pChipName);
    if (!add(names())) {
      for (const char *Name : names())
        add({Name});
    }
    configure();
  }
  ~Plan() { closeHost(); }
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  /// Of a device, kept to the end of the process: making it takes longer than counting. One that failed is tried again.
  static const Plan &of(int Ordinal) {
    static std::map<int, std::unique_ptr<Plan>> &All = *new std::map<int, std::unique_ptr<Plan>>; // CUPTI may be gone before the statics are
    auto &P = All[Ordinal];
    if (!P)
      P = std::make_unique<Plan>(Ordinal);
    return *P;
  }

  std::vector<const char *> names() const {
    std::vector<const char *> N;
    for (const Metric *M : Used)
      N.push_back(M->Hardware);
    return N;
  }

  std::vector<uint8_t> Config;
  CUpti_Profiler_Host_Object *Host = nullptr;
  std::vector<const Metric *> Used;

private:
  void openHost(const char *Chip) {
    CUpti_Profiler_Host_Initialize_Params H = {};
    H.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
    H.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    H.pChipName = Chip;
    H.pCounterAvailabilityImage = Availability.data();
    must(C.cuptiProfilerHostInitialize(&H), "starting the profiler");
    Host = H.pHostObject;
  }

  void closeHost() {
    if (!Host)
      return;
    CUpti_Profiler_Host_Deinitialize_Params D = {CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE, nullptr, Host};
    C.cuptiProfilerHostDeinitialize(&D);
    Host = nullptr;
  }

  bool add(std::vector<const char *> Names) {
    CUpti_Profiler_Host_ConfigAddMetrics_Params A = {};
    A.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
    A.pHostObject = Host;
    A.ppMetricNames = Names.data();
    A.numMetrics = Names.size();
    return C.cuptiProfilerHostConfigAddMetrics(&A) == CUPTI_SUCCESS;
  }

  void configure() {
    CUpti_Profiler_Host_GetConfigImageSize_Params Size = {};
    Size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
    Size.pHostObject = Host;
    must(C.cuptiProfilerHostGetConfigImageSize(&Size), "configuring the counters");
    Config.resize(Size.configImageSize);
    CUpti_Profiler_Host_GetConfigImage_Params Image = {};
    Image.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
    Image.pHostObject = Host;
    Image.configImageSize = Config.size();
    Image.pConfigImage = Config.data();
    must(C.cuptiProfilerHostGetConfigImage(&Image), "configuring the counters");
  }

  const Cupti &C;
  std::vector<uint8_t> Availability;
};

class Session {
public:
  explicit Session(int Ordinal) : C(cupti()), P(Plan::of(Ordinal)) {
    CUpti_RangeProfiler_Enable_Params E = {};
    E.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
    must(C.cuptiRangeProfilerEnable(&E), "enabling the counters");
    Ranges = E.pRangeProfilerObject;
  }
  ~Session() {
    if (!Ranges)
      return;
    CUpti_RangeProfiler_Disable_Params D = {CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE, nullptr, Ranges};
    C.cuptiRangeProfilerDisable(&D);
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Values of every launch by our metric names. Prepare and Work are done anew for every pass; what Work launches is
  /// counted. Metrics that the chip lacks are left out.
  std::vector<std::map<std::string, double>> collect(size_t MostRanges, const std::function<void()> &Prepare, const std::function<void()> &Work) {
    std::vector<uint8_t> Data = dataImage(MostRanges);
    CUpti_RangeProfiler_SetConfig_Params S = {};
    S.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
    S.pRangeProfilerObject = Ranges;
    S.configSize = P.Config.size();
    S.pConfig = P.Config.data();
    S.counterDataImageSize = Data.size();
    S.pCounterDataImage = Data.data();
    S.range = CUPTI_AutoRange;
    S.replayMode = CUPTI_UserReplay;
    S.maxRangesPerPass = MostRanges;
    S.numNestingLevels = 1;
    S.minNestingLevel = 1;
    must(C.cuptiRangeProfilerSetConfig(&S), "configuring the counters");
    constexpr int MostPasses = 64;
    bool Done = false;
    for (int Pass = 0; Pass < MostPasses && !Done; ++Pass) {
      Prepare();
      CUpti_RangeProfiler_Start_Params Start = {CUpti_RangeProfiler_Start_Params_STRUCT_SIZE, nullptr, Ranges};
      must(C.cuptiRangeProfilerStart(&Start), "starting the counters");
      Work();
      CUpti_RangeProfiler_Stop_Params Stop = {};
      Stop.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
      Stop.pRangeProfilerObject = Ranges;
      must(C.cuptiRangeProfilerStop(&Stop), "stopping the counters");
      Done = Stop.isAllPassSubmitted;
      ++Passes;
    }
    if (!Done)
      throw Denied{"the counters need too many passes"};
    CUpti_RangeProfiler_DecodeData_Params Decode = {};
    Decode.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
    Decode.pRangeProfilerObject = Ranges;
    must(C.cuptiRangeProfilerDecodeData(&Decode), "reading the counters");
    return values(Data);
  }

private:
  std::vector<uint8_t> dataImage(size_t MostRanges) {
    std::vector<const char *> Names = P.names();
    CUpti_RangeProfiler_GetCounterDataSize_Params Size = {};
    Size.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
    Size.pRangeProfilerObject = Ranges;
    Size.pMetricNames = Names.data();
    Size.numMetrics = Names.size();
    Size.maxNumOfRanges = MostRanges;
    Size.maxNumRangeTreeNodes = uint32_t(MostRanges);
    must(C.cuptiRangeProfilerGetCounterDataSize(&Size), "configuring the counters");
    std::vector<uint8_t> Data(Size.counterDataSize);
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params Init = {};
    Init.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
    Init.pRangeProfilerObject = Ranges;
    Init.counterDataSize = Data.size();
    Init.pCounterData = Data.data();
    must(C.cuptiRangeProfilerCounterDataImageInitialize(&Init), "configuring the counters");
    return Data;
  }

  std::vector<std::map<std::string, double>> values(std::vector<uint8_t> &Data) {
    CUpti_RangeProfiler_GetCounterDataInfo_Params Info = {};
    Info.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
    Info.pCounterDataImage = Data.data();
    Info.counterDataImageSize = Data.size();
    must(C.cuptiRangeProfilerGetCounterDataInfo(&Info), "reading the counters");
    std::vector<const char *> Names = P.names();
    std::vector<std::map<std::string, double>> All;
    for (size_t I = 0; I < Info.numTotalRanges; ++I) {
      std::vector<double> V(Names.size());
      CUpti_Profiler_Host_EvaluateToGpuValues_Params E = {};
      E.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
      E.pHostObject = P.Host;
      E.pCounterDataImage = Data.data();
      E.counterDataImageSize = Data.size();
      E.rangeIndex = I;
      E.ppMetricNames = Names.data();
      E.numMetrics = Names.size();
      E.pMetricValues = V.data();
      must(C.cuptiProfilerHostEvaluateToGpuValues(&E), "evaluating the counters");
      std::map<std::string, double> Range;
      for (size_t K = 0; K < V.size(); ++K)
        if (V[K] - V[K] == 0)
          Range[P.Used[K]->Name] = V[K];
      All.push_back(std::move(Range));
    }
    return All;
  }

  const Cupti &C;
  const Plan &P;
  CUpti_RangeProfiler_Object *Ranges = nullptr;

public:
  unsigned Passes = 0; ///< that the last collection took
};

} // namespace

std::string gpu::countersDenied(Device &G) try {
  Session S(G.ordinal());
  return "";
} catch (const Denied &D) {
  return D.Why;
}

void gpu::count(Device &G, const protocol::Job &J, Loaded &Code, protocol::Result &R) {
  std::vector<const protocol::LaunchStep *> Launches;
  for (const protocol::Step &S : J.Steps)
    if (auto *L = std::get_if<protocol::LaunchStep>(&S.Do))
      Launches.push_back(L);
  auto facts = [&](const std::string &Name) {
    for (const protocol::KernelFacts &K : R.Kernels)
      if (K.Name == Name)
        return K;
    return protocol::KernelFacts{};
  };
  auto refuse = [&](const std::string &Why) {
    for (const protocol::LaunchStep *L : Launches) {
      protocol::CounterResult C;
      C.Kernel = L->Kernel;
      C.Why = Why;
      C.Labels = labelCounters({}, facts(L->Kernel));
      R.Counters.push_back(std::move(C));
    }
  };
  if (callsHost(J.Steps)) { // which launches there are is its own business, each time anew
    for (const protocol::KernelFacts &K : R.Kernels)
      R.Counters.push_back({K.Name, false, "host code of the candidate launches the kernels", {}, labelCounters({}, K)});
    return;
  }
  if (Launches.empty() || Launches.size() > 64)
    return refuse("more than 64 launches");
  DeviceLock Alone(G.uuid(), DeviceLock::Alone);
  try {
    Buffers B(G, J.Limits.MemoryMb << 20);
    StepRunner Run(G, Code, B, J.Buffers);
    std::vector<protocol::Finding> Ignored;
    size_t L2 = size_t(std::max(0, G.attribute(L2CacheSize)));
    DeviceMemory Flush = G.allocate(std::max<size_t>(2 * L2, 1 << 20), "flushing the L2");
    G.check(G.api().set8(Flush.get(), 0x5A, Flush.size(), G.stream()), "flushing the L2");
    auto T0 = std::chrono::steady_clock::now();
    auto since = [&] { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - T0).count(); };
    Session S(G.ordinal());
    R.Times["counters_setup"] = since();
    auto Values = S.collect(
        Launches.size(),
        [&] {
          for (const protocol::Buffer &X : J.Buffers) // as before the first pass
            B.make(X, {});
          G.call("kc_hash", int64_t(Flush.size() / 8), Flush.get(), (long long)(Flush.size() - 8), Flush.get() + Flush.size() - 8); // by reading
          G.synchronize("flushing the L2");
        },
        [&] {
          Run.run(J.Steps, false, {}, Ignored);
          Run.join();
          G.synchronize("counting");
        });
    R.Times["counters"] = since();
    R.Notes["counters"] = std::to_string(S.Passes) + " passes";
    if (Values.size() != Launches.size())
      throw Denied{std::to_string(Values.size()) + " ranges were counted for " + std::to_string(Launches.size()) + " launches"};
    for (size_t I = 0; I < Values.size() && I < Launches.size(); ++I) {
      auto &V = Values[I];
      V["global_sectors"] = V["load_sectors"] + V["store_sectors"];
      // The chip counts the bytes that loads ask for, not those of stores: their width is taken to be the loads'.
      if (V["load_bytes_asked"] > 0 && V["load_requests"] > 0)
        V["ideal_sectors"] = V["load_bytes_asked"] / 32 * (1 + V["store_requests"] / V["load_requests"]);
      protocol::CounterResult C;
      C.Kernel = Launches[I]->Kernel;
      C.Measured = true;
      C.Values = V;
      C.Labels = labelCounters(V, facts(C.Kernel));
      R.Counters.push_back(std::move(C));
    }
  } catch (const Denied &D) {
    refuse(D.Why);
  }
}
#endif
