#include "gate/dynamic/Perf.h"
#include "gate/dynamic/Write.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kcheck;
using namespace kcheck::gate;

bool gate::runsHostCode(llvm::StringRef Device) { return Device == "sim" || Device.starts_with("gpu"); }
bool gate::isGpu(llvm::StringRef Device) { return Device.starts_with("gpu") || Device.starts_with("http"); }

protocol::Job gate::perfJob(const Prepared &W, const Task &T, Reference &Ref, size_t Alternative, uint64_t Seed, bool Counters) {
  JobOptions O;
  O.Seconds = T.Seconds;
  O.Seed = Seed;
  O.WantInputs = false;
  protocol::Job J = makeJob(W.B, *W.Perf, W.Source, O, &Ref);
  J.Outputs.clear();
  J.Limits.MemoryMb = T.GpuMb;
  J.Counters = Counters;
  J.Perf.emplace();
  J.Perf->Runs = T.PerfRuns;
  J.Reference = referenceOf(W.B, W.Perf->Case, T, Ref, Alternative);
  return J;
}

namespace {

/// Gives a plan's buffers the names that they have in another.
class Renamer {
public:
  explicit Renamer(std::map<std::string, std::string> Names) : Names(std::move(Names)) {}
  void steps(std::vector<protocol::Step> &All) const {
    for (protocol::Step &S : All)
      std::visit([this](auto &X) { step(X); }, S.Do);
  }
  void name(std::string &Buffer) const {
    if (auto It = Names.find(Buffer); It != Names.end())
      Buffer = It->second;
  }

private:
  void step(protocol::AllocStep &S) const { name(S.Buffer); }
  void step(protocol::FreeStep &S) const { name(S.Buffer); }
  void step(protocol::SetStep &S) const { name(S.To.Buffer); }
  void step(protocol::SyncStep &) const {}
  void step(protocol::CopyStep &S) const {
    name(S.To.Buffer);
    name(S.From.Buffer);
  }
  void step(protocol::LaunchStep &S) const { arguments(S.Args); }
  void step(protocol::CallStep &S) const { arguments(S.Args); }
  void arguments(std::vector<protocol::Argument> &Args) const {
    for (protocol::Argument &A : Args) {
      name(A.Where.Buffer);
      for (protocol::Place &F : A.Fields)
        name(F.Buffer);
    }
  }
  std::map<std::string, std::string> Names;
};

/// Baseline's buffer -> the candidate's: the same argument of the operator, else of the task.
std::map<std::string, std::string> counterparts(const Bound &Baseline, const Bound &Candidate) {
  std::map<std::string, std::string> Names;
  for (size_t I = 0; I < Baseline.Args.size(); ++I) {
    const BoundArg &A = Baseline.Args[I];
    if (!A.isBuffer())
      continue;
    for (size_t K = 0; K < Candidate.Args.size(); ++K)
      if (const BoundArg &B = Candidate.Args[K]; B.isBuffer() && (A.OpArg.empty() ? I == K : A.OpArg == B.OpArg))
        Names[A.Name] = B.Name;
  }
  return Names;
}

} // namespace

std::string gate::addBaseline(protocol::Job &J, const Prepared &W, const Task &T, const ParseOptions &O) {
  if (T.Baseline.empty())
    return "";
  auto Text = llvm::MemoryBuffer::getFile(T.Baseline);
  if (!Text)
    return "the baseline " + T.Baseline + " cannot be read: " + Text.getError().message();
  std::vector<std::string> Problems;
  auto P = prepareTask(T.Baseline, (*Text)->getBuffer(), O, T, Problems);
  if (!P || !P->Perf || !P->Perf->Plan.Refusal.empty())
    return "the baseline " + T.Baseline + ": " + (!Problems.empty() ? Problems.front() : P && P->Perf ? P->Perf->Plan.Refusal : "no size to time it at");
  std::map<std::string, std::string> Names = counterparts(P->B, W.B);
  J.Perf->Scratch = P->Perf->Plan.Scratch;
  for (protocol::Buffer &B : J.Perf->Scratch)
    B.Name = Names[B.Name] = "baseline " + B.Name;
  J.Perf->Steps = P->Perf->Plan.Steps;
  Renamer(std::move(Names)).steps(J.Perf->Steps);
  J.Perf->Source = P->Source;
  return "";
}

static std::string ms(double V) { return llvm::formatv("{0:F4}", V).str(); }
static std::string two(double V) { return llvm::formatv("{0:F2}", V).str(); }

std::string gate::perfLine(const protocol::PerfResult &P) {
  if (!P.Measured)
    return "perf: not measured: " + P.Why;
  std::string S = "perf: ";
  if (P.Baseline.Samples)
    S += "baseline median " + ms(P.Baseline.Median) + " ms, candidate " + ms(P.Candidate.Median) + " ms (" + two(P.Ratio) + "x, IQR " + two(P.RatioLow) + "-" + two(P.RatioHigh) + ")";
  else
    S += "candidate median " + ms(P.Candidate.Median) + " ms, no baseline" + (P.Why.empty() ? "" : ": " + P.Why);
  if (P.Dropped || !P.DropReason.empty())
    S += ", " + std::to_string(P.Dropped) + " throttled samples dropped (" + P.DropReason + ")";
  return S;
}

static llvm::json::Object timingJson(const protocol::Timing &T) {
  return llvm::json::Object{{"median_ms", T.Median}, {"low_ms", T.Low}, {"high_ms", T.High}, {"least_ms", T.Least}, {"samples", int64_t(T.Samples)}};
}

llvm::json::Object gate::perfJson(const protocol::PerfResult &P, const ops::Case &At, double MaxRatio) {
  if (!P.Measured)
    return llvm::json::Object{{"state", "not_measured"}, {"why", P.Why}};
  llvm::json::Object J{{"state", "measured"}, {"shape", ops::toString(At.Sizes)}, {"candidate", timingJson(P.Candidate)}, {"runs", int64_t(P.Runs)},
                       {"warm_up", int64_t(P.WarmUp)}, {"dropped", int64_t(P.Dropped)}, {"drop_reason", P.DropReason}, {"compared", int64_t(P.Compared)},
                       {"compared_with", P.ComparedWith}, {"floor_ms", P.FloorMs}, {"launch_ms", P.LaunchMs}, {"bytes", int64_t(P.Bytes)}, {"flops", P.Flops},
                       {"copy_gb_s", P.CopyGBs}, {"fma_gflop_s", P.FmaGflops}};
  if (!P.NotCompared.empty())
    J["not_compared"] = P.NotCompared;
  if (!P.Baseline.Samples) {
    J["no_baseline"] = P.Why;
    return J;
  }
  J["baseline"] = timingJson(P.Baseline);
  J["ratio"] = llvm::json::Object{{"value", P.Ratio}, {"low", P.RatioLow}, {"high", P.RatioHigh}, {"bound_low", P.BoundLow}, {"bound_high", P.BoundHigh}, {"max", MaxRatio}};
  return J;
}

std::vector<std::string> gate::gpuCounterLines(const std::vector<protocol::CounterResult> &All) {
  std::vector<std::string> Lines;
  for (const protocol::CounterResult &C : All) {
    std::string S = "counters: " + C.Kernel + ": ";
    std::string Labels;
    for (const protocol::CounterLabel &L : C.Labels)
      Labels += (Labels.empty() ? "" : "; ") + L.Name + (L.Primary ? "*" : "") + " (" + L.Text + ")";
    if (!C.Measured)
      S += "not read: " + C.Why + (Labels.empty() ? "" : "; ");
    Lines.push_back(S + (Labels.empty() && C.Measured ? "no label" : Labels));
  }
  return Lines;
}

llvm::json::Object gate::gpuCountersJson(const std::vector<protocol::CounterResult> &All) {
  llvm::json::Array Kernels;
  for (const protocol::CounterResult &C : All) {
    llvm::json::Object K{{"kernel", C.Kernel}, {"state", C.Measured ? "measured" : "not_measured"}};
    if (!C.Measured)
      K["why"] = C.Why;
    llvm::json::Object Values;
    for (const auto &[Name, V] : C.Values)
      Values[Name] = V;
    K["values"] = std::move(Values);
    llvm::json::Array Labels;
    for (const protocol::CounterLabel &L : C.Labels)
      Labels.push_back(llvm::json::Object{{"name", L.Name}, {"value", L.Value}, {"limit", L.Limit}, {"primary", L.Primary}, {"evidence", L.Text}});
    K["labels"] = std::move(Labels);
    Kernels.push_back(std::move(K));
  }
  return llvm::json::Object{{"source", "cupti"}, {"kernels", std::move(Kernels)}};
}

llvm::json::Array gate::kernelsJson(const std::vector<protocol::KernelFacts> &All) {
  llvm::json::Array A;
  for (const protocol::KernelFacts &K : All)
    A.push_back(llvm::json::Object{{"name", K.Name}, {"registers", K.Registers}, {"static_shared", K.StaticShared}, {"local_bytes", K.LocalBytes},
                                   {"dynamic_shared", int64_t(K.DynamicShared)}, {"occupancy", K.Occupancy}, {"limiter", K.Limiter}});
  return A;
}
