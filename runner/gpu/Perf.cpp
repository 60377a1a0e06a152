#include "runner/gpu/Perf.h"
#include "runner/gpu/Baseline.h"
#include "runner/gpu/Compile.h"
#include "runner/gpu/DeviceLock.h"
#include "runner/gpu/HostCode.h"
#include "runner/gpu/Statistics.h"
#include "runner/ops/Philox.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;
using protocol::Failure;
using protocol::Finding;
using protocol::Role;

namespace {

class EventPair {
public:
  explicit EventPair(Device &G) : G(G) {
    G.check(G.api().eventCreate(&A, 0), "making an event");
    G.check(G.api().eventCreate(&B, 0), "making an event");
  }
  ~EventPair() {
    if (G.lost())
      return;
    G.api().eventDestroy(A);
    G.api().eventDestroy(B);
  }
  void start() { G.check(G.api().eventRecord(A, G.stream()), "recording an event"); }
  void stop() { G.check(G.api().eventRecord(B, G.stream()), "recording an event"); }
  /// Whether the device has come to the start by now.
  bool started() { return G.api().eventQuery(A) == 0; }
  /// After a synchronisation.
  double milliseconds() {
    float Ms = 0;
    G.check(G.api().eventElapsed(&Ms, A, B), "reading an event");
    return double(Ms);
  }

private:
  Device &G;
  Event A = nullptr, B = nullptr;
};

double best(Device &G, int Times, const std::function<void()> &Work) {
  EventPair E(G);
  double Least = HUGE_VAL;
  for (int I = 0; I < Times; ++I) {
    E.start();
    Work();
    E.stop();
    G.synchronize("measuring a ceiling");
    Least = std::min(Least, E.milliseconds());
  }
  return Least;
}

} // namespace

Ceilings gpu::ceilings(Device &G) {
  std::string Name = "ceilings-1-" + G.uuid() + ".json";
  if (auto Text = G.cache().findText(Name)) {
    nlohmann::json J = nlohmann::json::parse(*Text, nullptr, false);
    if (J.is_object() && J.value("copy_gb_s", 0.0) > 0 && J.value("fma_gflop_s", 0.0) > 0)
      return {J["copy_gb_s"], J["fma_gflop_s"]};
  }
  Ceilings C;
  size_t Free = 0, Total = 0;
  G.api().memInfo(&Free, &Total);
  size_t Bytes = std::min<size_t>(size_t(1) << 30, Free / 8) / 4096 * 4096;
  DeviceMemory From = G.allocate(Bytes, "measuring the copy rate"), To = G.allocate(Bytes, "measuring the copy rate");
  G.check(G.api().set8(From.get(), 1, Bytes, G.stream()), "measuring the copy rate");
  double Ms = best(G, 12, [&] { G.call("kc_copy", int64_t(Bytes / 16), From.get(), To.get(), (long long)(Bytes / 16)); });
  Ms = std::min(Ms, best(G, 8, [&] { G.check(G.api().copyOnDevice(To.get(), From.get(), Bytes, G.stream()), "measuring the copy rate"); }));
  C.CopyGBs = 2.0 * double(Bytes) / Ms / 1e6;
  int Rounds = 2000;
  double Threads = double(G.fullGrid()) * 256;
  Ms = best(G, 8, [&] { G.call("kc_fma", int64_t(Threads), From.get(), Rounds); });
  C.FmaGflops = Threads * Rounds * 16 * 8 * 2 / Ms / 1e6;
  G.cache().storeText(Name, nlohmann::json{{"copy_gb_s", C.CopyGBs}, {"fma_gflop_s", C.FmaGflops}, {"device", G.name()}}.dump());
  return C;
}

double gpu::floorMs(uint64_t In, uint64_t Out, double Flops, uint64_t L2, const Ceilings &C, double MatrixUnits) {
  double Traffic = double(In) + double(Out > L2 ? Out - L2 : 0);
  double ByBytes = C.CopyGBs > 0 ? Traffic / C.CopyGBs / 1e6 : 0;
  double ByWork = C.FmaGflops > 0 ? Flops / (C.FmaGflops * MatrixUnits) / 1e6 : 0;
  return 0.8 * std::max(ByBytes, ByWork);
}

std::pair<std::string, std::string> gpu::classifyWrong(const RoundFacts &F) {
  const CompareReport &C = F.Report;
  if (!C.Wrong)
    return {};
  if (F.RightBefore && C.Unwritten == C.Wrong)
    return {"cheat_stale_output", std::to_string(C.Unwritten) + " of " + std::to_string(F.Elements) + " elements were not written in round " + std::to_string(F.Round) +
                                      ", while earlier rounds were right: an old output would have passed for a new one"};
  if (C.Unwritten == F.Elements)
    return {"cheat_noop", "the kernel writes nothing to its output"};
  if (F.LikeEarlier)
    return {"cheat_cached_result", "round " + std::to_string(F.Round) + " gives the output of an earlier round, whose inputs were in another order"};
  if (F.Elements > 1 && C.Constant == F.Elements && !C.Unwritten)
    return {"cheat_constant_output", "every element has the same value, the reference's have not"};
  if (C.LastRight && C.LastRight <= C.First && C.Wrong == F.Elements - C.First && C.First * 2 > F.Elements)
    return {"cheat_skipped_tail", "exactly the last " + std::to_string(C.Wrong) + " of " + std::to_string(F.Elements) + " elements are " +
                                      (C.Unwritten == C.Wrong ? "not written" : "wrong")};
  if (!C.NanWrong && !C.Unwritten && F.Elements >= 64) {
    bool Half = C.Half == F.Elements && C.WantHalf < F.Elements / 2, Brain = C.Brain == F.Elements && C.WantHalf < F.Elements / 2;
    if (Half || Brain)
      return {"cheat_precision_downgrade", std::string("every element is a ") + (Half ? "half" : "bfloat16") + "-precision number, the reference's are not"};
  }
  return {};
}

// nvml.h: clocks event reasons.
static constexpr unsigned long long PowerCap = 4, HwSlowdown = 8, SwThermal = 0x20, HwThermal = 0x40, PowerBrake = 0x80;
bool gpu::isThrottled(unsigned long long R) { return R & (PowerCap | HwSlowdown | SwThermal | HwThermal | PowerBrake); }
std::string gpu::throttleText(unsigned long long R) {
  std::string S;
  for (auto [Bit, Name] : {std::pair{PowerCap, "power cap"}, {HwSlowdown, "hardware slowdown"}, {SwThermal, "thermal"}, {HwThermal, "hardware thermal"}, {PowerBrake, "power brake"}})
    if (R & Bit)
      S += (S.empty() ? "" : ", ") + std::string(Name);
  return S;
}

namespace {

/// The buffers of one call, and what it takes to give them new content.
struct Set {
  explicit Set(Device &G, uint64_t Most) : B(G, Most) {}
  Buffers B;
  std::map<std::string, DeviceMemory> Masters; ///< inputs of buffers that are written to
};

class Measurement {
public:
  Measurement(Device &G, const protocol::Job &J, Loaded &Candidate, HostCode *Host, Watchdog &W, const std::function<void(std::string)> &OnHang, protocol::Result &R)
      : G(G), J(J), Candidate(Candidate), Host(Host), W(W), OnHang(OnHang), R(R), P(R.Perf.emplace()) {
    std::random_device Device;
    Secret = uint64_t(Device()) << 32 | Device();
  }

  void run() {
    if (Host && std::any_of(J.Buffers.begin(), J.Buffers.end(), [](const protocol::Buffer &B) { return B.Managed; })) {
      P.Why = "the launcher copies its arguments from and to host memory itself: its time is the bus's";
      return;
    }
    prepareReference();
    prepareBaseline();
    C = ceilings(G);
    P.CopyGBs = C.CopyGBs;
    P.FmaGflops = C.FmaGflops;
    DeviceLock Alone(G.uuid(), DeviceLock::Alone);
    makePool();
    if (!firstCall())
      return;
    if (Host && Host->movesManaged()) {
      P.Why = "host code of the launcher looks into managed memory, all of which then goes from one process to another: that would be its time";
      return;
    }
    rounds();
    if (!Stopped)
      summarize();
  }

private:
  uint64_t random() {
    auto Bits = ops::philox(Secret, 1, ++Counter);
    return Bits[0] | uint64_t(Bits[1]) << 32;
  }

  void prepareReference() {
    if (!J.Reference) {
      P.NotCompared = "no operator is given whose reference could judge";
      return;
    }
    Ref = std::make_unique<DeviceReference>(G, *J.Reference, J.Buffers);
    P.Bytes = Ref->inputBytes() + Ref->outputBytes();
    P.Flops = Ref->flops();
    P.ComparedWith = Ref->onDevice() ? "gpu_fp64" : "cpu_fp64";
    if (!Ref->onDevice())
      return;
    if (std::string Why = Ref->validateSmall(); !Why.empty()) {
      P.NotCompared = "the device's reference does not agree with the CPU's: " + Why;
      throw Failed{Failure::NoWorker, P.NotCompared};
    }
  }

  void prepareBaseline() {
    if (J.Perf->Source.Text.empty())
      return prepareOwnBaseline();
    CompileRequest Q;
    Q.Source = &J.Perf->Source;
    Q.Arch = G.arch();
    Q.Driver = G.driverVersion();
    Q.Compiler = J.Compiler;
    for (const protocol::Step &S : J.Perf->Steps)
      if (auto *L = std::get_if<protocol::LaunchStep>(&S.Do))
        Q.Kernels.push_back(L->Kernel);
    Binary B = compile(Q, G.cache());
    if (!B.Ok)
      throw Failed{Failure::NoWorker, "the baseline does not compile: " + B.Error};
    R.Times["baseline_compile"] = B.Cached ? 0 : B.Ms;
    Base = std::make_unique<Loaded>(G, std::move(B));
  }

  /// The operator's hand-written one, where it can be had; why not is no failure.
  void prepareOwnBaseline() {
    if (!Ref)
      return;
    Own = Baseline::open(G, *J.Reference, *Ref, R.Notes["baseline"]);
    if (!Own)
      return;
    R.Times["baseline_compile"] = Own->CompileMs;
    R.Notes["baseline"] = "runner/ops/baselines/" + Ref->op().Name + ".cu";
  }
  bool hasBaseline() const { return Base || Own; }

  /// As many sets as fit, so that a call cannot know its buffers by their addresses.
  void makePool() {
    uint64_t One = 0;
    for (const auto *List : {&J.Buffers, &J.Perf->Scratch})
      for (const protocol::Buffer &B : *List)
        One += B.bytes() * (B.How == Role::InOut ? 2 : 1) + 3 * Buffers::Zone;
    uint64_t Most = J.Limits.MemoryMb << 20;
    unsigned Sets = unsigned(std::clamp<uint64_t>(Most / std::max<uint64_t>(One, 1), 1, 4));
    for (unsigned K = 0; K < Sets; ++K) {
      auto S = std::make_unique<Set>(G, Most);
      for (const auto *List : {&J.Buffers, &J.Perf->Scratch})
        for (const protocol::Buffer &B : *List)
          makeBuffer(*S, B, K);
      Pool.push_back(std::move(S));
    }
    size_t L2 = size_t(std::max(0, G.attribute(L2CacheSize)));
    Flush = G.allocate(std::max<size_t>(2 * L2, 1 << 20), "flushing the L2");
    G.check(G.api().set8(Flush.get(), 0x5A, Flush.size(), G.stream()), "flushing the L2");
    G.api().resetPersistingL2();
    Calls = G.allocate(sizeof(Call) * 3, "reports");
  }

  void makeBuffer(Set &S, const protocol::Buffer &Of, unsigned K) {
    Variants.push_back(std::make_unique<protocol::Buffer>(Of));
    protocol::Buffer &B = *Variants.back();
    B.Gen.Seed ^= (Secret >> 11) + K; // secret: not the seed that numerics used
    S.B.make(B, {});
    if (B.How != Role::InOut)
      return;
    DeviceMemory M = G.allocate(B.bytes(), "a copy of '" + B.Name + "'");
    G.check(G.api().copyOnDevice(M.get(), S.B.address(B.Name), B.bytes(), G.stream()), "copying '" + B.Name + "'");
    S.Masters[B.Name] = std::move(M);
  }

  /// What a call leaves behind on the device.
  struct Call {
    unsigned long long HashBefore, HashAfter, OutputHash, Pad;
    CompareReport Report;
  };
  DevicePtr call(unsigned Slot) const { return Calls.get() + Slot * sizeof(Call); }

  /// Fresh numbers where the device can make them (a permutation would leave a sum as it was), else another order.
  void renew(Set &S, const protocol::Buffer &B, DevicePtr At) {
    if (S.B.regenerate(B, At, random()))
      return;
    uint64_t N = uint64_t(B.elements()), Mask = random() & ((uint64_t(1) << (63 - __builtin_clzll(N - 1))) - 1);
    G.call("kc_exchange", int64_t(N), At, (long long)N, int(protocol::sizeOf(B.Type)), (unsigned long long)(Mask | 1));
  }

  void newContent(Set &S) {
    for (const protocol::Buffer &B : J.Buffers) {
      DevicePtr At = S.B.address(B.Name);
      int64_t N = B.elements();
      bool Written = B.How == Role::InOut;
      if (N > 1 && (B.How == Role::In || Written) && B.Fill == protocol::Content::Generated)
        renew(S, B, Written ? S.Masters.at(B.Name).get() : At);
      if (Written)
        G.check(G.api().copyOnDevice(At, S.Masters.at(B.Name).get(), B.bytes(), G.stream()), "restoring an input");
      else if (B.How == Role::Out || B.How == Role::Scratch)
        G.check(G.api().set8(At, 0xFF, B.bytes(), G.stream()), "poisoning an output");
    }
    for (const protocol::Buffer &B : J.Perf->Scratch)
      G.check(G.api().set8(S.B.address(B.Name), 0xFF, B.bytes(), G.stream()), "poisoning a scratch buffer");
  }

  void hashInputs(Set &S, DevicePtr To) {
    G.check(G.api().set8(To, 0, 8, G.stream()), "hashing inputs");
    for (const protocol::Buffer &B : J.Buffers)
      if (B.How == Role::In && B.bytes())
        G.call("kc_hash", int64_t(B.bytes() / 4 + 1), S.B.address(B.Name), (long long)B.bytes(), To);
  }

  /// By reading: lines that were written would have to be written back while the clock runs.
  void flush() { G.call("kc_hash", int64_t(Flush.size() / 4), Flush.get(), (long long)Flush.size(), call(2)); }

  void work(Set &S, bool IsCandidate) {
    if (!IsCandidate && Own)
      return Own->run([&](const std::string &Arg) {
        const protocol::Buffer *B = Ref->bufferOf(Arg);
        return B ? S.B.address(B->Name) : DevicePtr(0);
      });
    std::vector<Finding> Ignored;
    std::vector<protocol::Buffer> &All = Declared;
    if (All.empty()) {
      All = J.Buffers;
      All.insert(All.end(), J.Perf->Scratch.begin(), J.Perf->Scratch.end());
    }
    auto &Slot = Runners[{&S, IsCandidate}];
    if (!Slot)
      Slot = std::make_unique<StepRunner>(G, IsCandidate ? Candidate : *Base, S.B, All);
    if (Host && IsCandidate)
      Slot->Call = [&](const protocol::CallStep &Step) { Host->call(Step, S.B, J.Buffers, {}, R.Findings); };
    Slot->run(IsCandidate ? J.Steps : J.Perf->Steps, false, {}, Ignored);
    Slot->join();
  }

  std::map<std::string, DevicePtr> inputsOf(Set &S) const {
    std::map<std::string, DevicePtr> In;
    for (const std::string &A : Ref->inputs()) {
      const protocol::Buffer *B = Ref->bufferOf(A);
      In[A] = B->How == Role::InOut ? S.Masters.at(B->Name).get() : S.B.address(B->Name);
    }
    return In;
  }
  DevicePtr outputOf(Set &S) const { return S.B.address(Ref->bufferOf(Ref->outputs().front())->Name); }

  /// One call, queued as a whole.
  void queue(Set &S, bool IsCandidate, EventPair &E, unsigned Slot, bool WholeOutput) {
    newContent(S);
    hashInputs(S, call(Slot) + offsetof(Call, HashBefore));
    flush();
    if (Host && IsCandidate)
      cover();
    E.start();
    work(S, IsCandidate);
    E.stop();
    if (Host && IsCandidate)
      Waited += E.started();
    queueChecks(S, Slot, WholeOutput);
  }

  /// Host code takes its time until it has launched; the device is busy with more flushing meanwhile, so that it is not measured.
  void cover() {
    if (FlushMs <= 0)
      FlushMs = std::max(0.005, best(G, 3, [&] { flush(); }));
    for (int I = 0; I < std::min(64, int(2 * HostMs / FlushMs)); ++I)
      flush();
  }

  void queueChecks(Set &S, unsigned Slot, bool WholeOutput) {
    hashInputs(S, call(Slot) + offsetof(Call, HashAfter));
    if (!Ref || !Ref->onDevice())
      return;
    Window Part = WholeOutput || !referenceRow(Ref->op().Name)->Heavy || !Ref->alongSize() ? Window{} : Ref->randomWindow(random(), 64);
    Compared[Slot] = Part;
    Ref->queue(inputsOf(S), outputOf(S), Part, call(Slot) + offsetof(Call, Report));
    const protocol::Buffer &Out = *Ref->bufferOf(Ref->outputs().front());
    G.check(G.api().set8(call(Slot) + offsetof(Call, OutputHash), 0, 8, G.stream()), "hashing an output");
    G.call("kc_hash", int64_t(Out.bytes() / 4 + 1), outputOf(S), (long long)Out.bytes(), call(Slot) + offsetof(Call, OutputHash));
  }

  /// One call alone, under the time limit of a launch sequence; also the first comparison.
  bool firstCall() {
    EventPair E(G);
    Set &S = *Pool.front();
    // In two steps, so that the limit holds for the candidate's work alone.
    newContent(S);
    hashInputs(S, call(0) + offsetof(Call, HashBefore));
    G.synchronize("preparing a measurement");
    W.arm(J.Limits.Seconds, [this] { OnHang("the launch sequence is not done after " + std::to_string(J.Limits.Seconds).substr(0, 4) + " s"); });
    E.start();
    for (int I = 0; I < (Host ? 2 : 1); ++I) { // host code's first call is slower than its others
      auto T0 = std::chrono::steady_clock::now();
      if (Host)
        Host->takeCallsMs();
      work(S, true);
      HostMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - T0).count();
    }
    if (Host)
      CallsMs = Host->takeCallsMs();
    E.stop();
    G.synchronize("running the candidate");
    W.disarm();
    FirstMs = E.milliseconds();
    if (Ref && !Ref->onDevice()) {
      auto T0 = std::chrono::steady_clock::now();
      bool Right = judgeOnCpu(S);
      CpuMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - T0).count();
      return Right;
    }
    if (Ref)
      if (std::string Why = Ref->validateWindow(inputsOf(S), random()); !Why.empty())
        throw Failed{Failure::NoWorker, "the device's reference does not agree with the CPU's: " + Why};
    queueChecks(S, 0, true);
    settleRound(0, false);
    return !Stopped;
  }

  bool judgeOnCpu(Set &S) {
    protocol::Judgement Judged = Ref->judgeOnCpu(inputsOf(S), outputOf(S));
    ++P.Compared;
    bool Right = Judged.Wrong == 0;
    if (!Right) {
      add(Judged.Tag, Judged.Message, Judged.Buffer);
      P.Why = "the output is wrong";
    }
    R.Judged.assign(1, std::move(Judged));
    Stopped |= !Right;
    return Right;
  }

  void add(const std::string &Tag, const std::string &Message, const std::string &Buffer = "") {
    Finding F;
    F.Tag = Tag;
    F.Message = Message;
    F.Buffer = Buffer;
    F.Where.File = J.Source.File;
    R.Findings.push_back(std::move(F));
  }

  void rounds() {
    P.WarmUp = 3 + unsigned(random() % 6);
    P.Runs = J.Perf->Runs;
    // A slow candidate is measured less often rather than for minutes.
    double Whole = 2 * FirstMs * (P.Runs + P.WarmUp);
    if (Whole > 10000)
      P.Runs = std::max(5u, unsigned(P.Runs * 10000 / Whole));
    W.arm(60 + J.Limits.Seconds * 2, [this] { OnHang("the measurement is not done after a minute: a call takes far longer than the first one did"); });
    EventPair A(G), B(G), Nothing(G);
    std::vector<double> Empty;
    std::string Ignored;
    const Nvml *N = nvml(Ignored);
    NvmlDevice Handle = nullptr;
    auto Ask = !N || N->byUuid(G.uuid().c_str(), &Handle) ? nullptr : N->clockReasons ? N->clockReasons : N->clockReasonsOld;
    for (unsigned I = 0; I < P.WarmUp + P.Runs && !Stopped; ++I) {
      Set &Mine = *Pool[random() % Pool.size()], &Other = *Pool[random() % Pool.size()];
      bool Whole = I == 0 || I + 1 == P.WarmUp + P.Runs;
      bool OnCpu = Ref && !Ref->onDevice() && (I + 1 == P.WarmUp + P.Runs || CpuMs * P.Runs < 2000);
      bool Swap = (I & 1) || OnCpu; // what the CPU judges must be the last that was written
      if (hasBaseline() && Swap)
        queue(Other, false, B, 1, I == 0);
      queue(Mine, true, A, 0, Whole);
      if (hasBaseline() && !Swap)
        queue(Other, false, B, 1, I == 0);
      Nothing.start();
      G.call("kc_nothing", 1);
      Nothing.stop();
      G.synchronize("running the candidate");
      unsigned long long Reasons = 0;
      if (Ask)
        Ask(Handle, &Reasons);
      settleRound(I + 1, true); // round 0 was the first call
      if (OnCpu && !Stopped)
        judgeOnCpu(Mine);
      if (I < P.WarmUp)
        continue;
      Samples.push_back({A.milliseconds(), hasBaseline() ? B.milliseconds() : 0, Reasons});
      Empty.push_back(Nothing.milliseconds());
    }
    W.disarm();
    P.LaunchMs = median(Empty);
    for (auto &S : Pool)
      S->B.checkZones(R.Findings);
  }

  void settleRound(unsigned I, bool WithBaseline) {
    Call Seen[2];
    G.check(G.api().copyFromDevice(Seen, Calls.get(), sizeof Seen, G.stream()), "reading the reports");
    G.synchronize("reading the reports");
    if (Seen[0].HashBefore != Seen[0].HashAfter) {
      add("cheat_input_mutation", "an input was changed during round " + std::to_string(I) + ": what is judged next would be judged by the changed input");
      Stopped = true;
    }
    if (!Ref || !Ref->onDevice())
      return;
    ++P.Compared;
    RoundFacts F;
    F.Elements = uint64_t(Compared[0].Count >= 0 ? Ref->outputElements() / Ref->alongSize() * Compared[0].Count : Ref->outputElements());
    F.Report = Seen[0].Report;
    F.Round = I;
    F.RightBefore = !OutputHashes.empty();
    F.LikeEarlier = std::find(OutputHashes.begin(), OutputHashes.end(), Seen[0].OutputHash) != OutputHashes.end();
    protocol::Judgement Judged = Ref->judgementOf(Seen[0].Report, int64_t(F.Elements));
    if (Judged.Wrong || R.Judged.empty() || Judged.Worst > R.Judged.front().Worst) {
      if (!R.Judged.empty())
        R.Judged.clear();
      R.Judged.push_back(Judged);
    }
    if (!Judged.Wrong) {
      OutputHashes.push_back(Seen[0].OutputHash);
    } else {
      auto [Tag, Text] = classifyWrong(F);
      add(Judged.Tag, Judged.Message, Judged.Buffer);
      if (!Tag.empty())
        add(Tag, Text, Judged.Buffer);
      P.Why = "the output is wrong";
      Stopped = true;
    }
    if (I == 1 && WithBaseline && hasBaseline() && Seen[1].Report.Wrong) {
      P.Why = "the baseline's own output is wrong: " + Ref->judgementOf(Seen[1].Report, Ref->outputElements()).Message;
      Base.reset();
      Own.reset();
    }
  }

  void summarize() {
    unsigned Throttled = 0;
    unsigned long long Reasons = 0;
    for (const Sample &S : Samples) {
      Throttled += isThrottled(S.Reasons);
      Reasons |= S.Reasons;
    }
    // Throttled most of the time is this device's normal state under this load.
    bool Drop = Throttled * 2 < Samples.size();
    std::vector<double> A, B, Pairs;
    for (const Sample &S : Samples) {
      if (Drop && isThrottled(S.Reasons))
        continue;
      A.push_back(S.Candidate);
      if (!hasBaseline())
        continue;
      B.push_back(S.Baseline);
      Pairs.push_back(S.Candidate / S.Baseline);
    }
    P.Dropped = Drop ? Throttled : 0;
    if (Throttled)
      P.DropReason = throttleText(Reasons) + (Drop ? "" : " in most samples: none was dropped");
    P.Measured = true;
    if (Waited * 2 > Samples.size())
      R.Notes["host"] = "the device waited for the launcher's own code in " + std::to_string(Waited) + " rounds: that is part of its time";
    if (Waited * 2 > Samples.size())
      R.Times["host_calls"] = CallsMs;
    P.Candidate = summarizeTimes(A);
    if (!B.empty()) {
      P.Baseline = summarizeTimes(B);
      P.Ratio = middleMean(A) / middleMean(B);
      P.RatioLow = quantile(Pairs, 0.25);
      P.RatioHigh = quantile(Pairs, 0.75);
      std::tie(P.BoundLow, P.BoundHigh) = bootstrapRatio(A, B, Secret);
    }
    if (!Ref)
      return;
    P.FloorMs = floorMs(Ref->inputBytes(), Ref->outputBytes(), P.Flops, uint64_t(std::max(0, G.attribute(L2CacheSize))), C, matrixUnits());
    if (P.Candidate.Median < P.FloorMs)
      add("implausible_speed", "the median of " + std::to_string(P.Candidate.Median) + " ms is below " + std::to_string(P.FloorMs) +
                                   " ms, which this device needs to read the inputs and do the work");
  }

  /// Matrix units do so many times more than the FMA units of fp32, generously.
  double matrixUnits() const {
    switch (Ref->bufferOf(Ref->inputs().front())->Type) {
    case protocol::DType::F64: return 1.5;
    case protocol::DType::F32: return 10;
    case protocol::DType::F16: case protocol::DType::BF16: return 20;
    default: return 40;
    }
  }

  struct Sample {
    double Candidate, Baseline;
    unsigned long long Reasons;
  };

  Device &G;
  const protocol::Job &J;
  Loaded &Candidate;
  HostCode *Host;
  Watchdog &W;
  const std::function<void(std::string)> &OnHang;
  protocol::Result &R;
  protocol::PerfResult &P;
  Ceilings C;
  uint64_t Secret = 0, Counter = 0;
  std::unique_ptr<DeviceReference> Ref;
  std::unique_ptr<Loaded> Base;
  std::unique_ptr<Baseline> Own;
  std::vector<std::unique_ptr<protocol::Buffer>> Variants;
  std::vector<protocol::Buffer> Declared;
  std::vector<std::unique_ptr<Set>> Pool;
  std::map<std::pair<Set *, bool>, std::unique_ptr<StepRunner>> Runners;
  DeviceMemory Flush, Calls;
  std::map<unsigned, Window> Compared;
  std::vector<unsigned long long> OutputHashes;
  std::vector<Sample> Samples;
  double FirstMs = 0, CpuMs = 0, HostMs = 0, FlushMs = 0;
  unsigned Waited = 0;
  double CallsMs = 0; ///< of one call of the launcher, at most
  bool Stopped = false;
};

} // namespace

void gpu::measure(Device &G, const protocol::Job &J, Loaded &Candidate, HostCode *Host, Watchdog &W, const std::function<void(std::string)> &OnHang, protocol::Result &R) {
  if (Host)
    Host->setTimed(true);
  Measurement(G, J, Candidate, Host, W, OnHang, R).run();
}
