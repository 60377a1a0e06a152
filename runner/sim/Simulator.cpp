#include "runner/sim/Simulator.h"
#include "runner/sim/Engine.h"
#include "runner/sim/Refusals.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <ctime>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::sim;
using protocol::Failure;

namespace {

using Steady = std::chrono::steady_clock;
double since(Steady::time_point T) { return std::chrono::duration<double, std::milli>(Steady::now() - T).count(); }

/// Processor time of the process: what a busy machine does not stretch.
double cpuMs() {
  timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return double(T.tv_sec) * 1e3 + double(T.tv_nsec) / 1e6;
}

struct Failed {
  Failure Why;
  std::string Message;
};

uint16_t halfBits(double V) {
  _Float16 H = _Float16(V);
  uint16_t B;
  memcpy(&B, &H, 2);
  return B;
}
uint16_t bfloatBits(double V) {
  float F = float(V);
  uint32_t B;
  memcpy(&B, &F, 4);
  return V != V ? uint16_t(B >> 16 | 0x40) : uint16_t((B + 0x7FFF + (B >> 16 & 1)) >> 16);
}

/// Runs the steps of one job.
class Runner {
public:
  Runner(const protocol::Job &J, Compiled &C, Memory &M, const FillFunction &Fill, protocol::Result &R, uint32_t FirstUid)
      : J(J), C(C), Mem(M), Fill(Fill), R(R), Out(C.Code), E(C.Code, M, Out) {
    E.NextUid = FirstUid;
  }
  uint32_t nextUid() const { return E.NextUid; }

  void run() {
    Out.setLimit(J.Limits.MaxFindings);
    E.Checks = J.Checks;
    E.Limits = J.Limits;
    E.Deadline = Steady::now() + std::chrono::milliseconds(int64_t(J.Limits.Seconds * 1000));
    Mem.setLimit(J.Limits.MemoryMb << 20);
    loadVariables();
    size_t I = 0;
    try {
      for (; I < J.Steps.size(); ++I) {
        Line = J.Steps[I].Line;
        std::visit([&](const auto &S) { step(S); }, J.Steps[I].Do);
      }
    } catch (const Failed &F) {
      R.State = F.Why == Failure::None ? protocol::State::NotMeasured : protocol::State::Failed;
      R.Failure = F.Why;
      R.Message = F.Message;
      R.FailedStep = unsigned(I);
    }
    if (R.State == protocol::State::Ok)
      outputs();
    R.Findings = Out.take();
    R.Printed = E.Printed;
  }

private:
  void loadVariables() {
    Mem.reserveModule(C.Code.GlobalEnd);
    for (const Variable &V : C.Code.Variables) {
      if (V.Shared)
        continue;
      // Device variables without an initialiser are zero, by the language; an earlier job may have left something there.
      Mem.place(V.Name, V.Address, V.Bytes, V.ElementBytes, true, V.Constant);
      memset(reinterpret_cast<void *>(DataBase + V.Address), 0, V.Bytes);
      if (!V.Initial.empty())
        if (void *From = C.address(V.Initial))
          memcpy(reinterpret_cast<void *>(DataBase + V.Address), From, V.Bytes);
    }
  }

  const protocol::Buffer &buffer(const std::string &Name) {
    if (const protocol::Buffer *B = J.find(Name))
      return *B;
    throw Failed{Failure::BadJob, "no buffer '" + Name + "'"};
  }

  uint64_t addressOf(const protocol::Place &P, bool NeedsLife = true) {
    if (!P.Symbol.empty()) {
      for (const Variable &V : C.Code.Variables)
        if (!V.Shared && (V.Name == P.Symbol || V.Mangled == P.Symbol))
          return DataBase + V.Address + P.Offset;
      throw Failed{Failure::BadJob, "the module has no variable '" + P.Symbol + "'"};
    }
    auto It = Addresses.find(P.Buffer);
    if (It == Addresses.end()) {
      if (!NeedsLife)
        return 0;
      // Buffers that no step allocates exist from the start.
      buffer(P.Buffer);
      step(protocol::AllocStep{P.Buffer});
      It = Addresses.find(P.Buffer);
    }
    return It->second + P.Offset;
  }

  void step(const protocol::AllocStep &S) {
    const protocol::Buffer &B = buffer(S.Buffer);
    protocol::Bytes Content;
    bool Written = B.Fill != protocol::Content::Uninitialised && B.Fill != protocol::Content::Poison;
    if (B.Fill == protocol::Content::Generated && !Fill(B, Content))
      throw Failed{Failure::BadJob, "buffer '" + B.Name + "': unknown distribution '" + B.Gen.Distribution + "'"};
    uint64_t A = Mem.allocate(B.Name, B.bytes(), sizeOf(B.Type), Written);
    if (!A)
      throw Failed{Failure::OutOfMemory, "no room for buffer '" + B.Name + "' (" + std::to_string(B.bytes()) + " bytes)"};
    Addresses[S.Buffer] = A;
    auto *To = reinterpret_cast<uint8_t *>(A);
    if (B.Fill == protocol::Content::Data)
      memcpy(To, B.Data.data(), B.Data.size());
    else if (B.Fill == protocol::Content::Generated) {
      memcpy(To, Content.data(), std::min<size_t>(Content.size(), B.bytes()));
      if (B.How == protocol::Role::In && Content.size() == B.bytes() && B.bytes() >= LargeInput && !Initial.count(B.Name))
        Initial[B.Name] = std::move(Content);
    }
    else if (!Written)
      memset(To, B.PoisonByte, B.bytes());
  }

  void step(const protocol::FreeStep &S) {
    auto It = Addresses.find(S.Buffer);
    if (It == Addresses.end() || !Mem.release(It->second))
      host("double_free", "buffer '" + S.Buffer + "' is freed but not allocated");
    E.Order.syncAll(); // freeing waits for the device
  }

  /// A fault of the host code.
  void host(const char *Tag, const std::string &Message) {
    unsigned L = Line;
    std::string File = J.Source.File;
    Out.add(Tag, ~0u, ~0u, [&](protocol::Finding &F) {
      F.Where = {File, L, 0};
      F.Message = Message;
    });
  }

  bool range(uint64_t A, uint64_t Bytes, const char *What) {
    if (Memory::exists(A - DataBase, Bytes))
      return true;
    const Allocation *Al = Mem.find(A);
    host("memcpy_size", std::string(What) + " of " + std::to_string(Bytes) + " bytes" +
                            (Al ? " leaves '" + Al->Name + "' (" + std::to_string(Al->Bytes) + " bytes)" : " at no buffer"));
    return false;
  }

  void step(const protocol::SetStep &S) {
    uint64_t A = addressOf(S.To);
    Initial.erase(S.To.Buffer);
    if (!range(A, S.Bytes, "memset"))
      return;
    memset(reinterpret_cast<void *>(A), S.Value, S.Bytes);
    Memory::markWritten(A - DataBase, S.Bytes);
  }

  void step(const protocol::CopyStep &S) {
    uint64_t To = addressOf(S.To);
    Initial.erase(S.To.Buffer);
    if (!range(To, S.Bytes, "copy"))
      return;
    if (S.From.Buffer.empty() && S.From.Symbol.empty()) {
      memcpy(reinterpret_cast<void *>(To), S.Data.data(), S.Bytes);
    } else {
      uint64_t From = addressOf(S.From);
      if (!range(From, S.Bytes, "copy"))
        return;
      memmove(reinterpret_cast<void *>(To), reinterpret_cast<void *>(From), S.Bytes);
    }
    Memory::markWritten(To - DataBase, S.Bytes);
    E.Order.syncAll();
  }

  void step(const protocol::SyncStep &S) { S.Stream < 0 ? E.Order.syncAll() : E.Order.sync(S.Stream); }

  void put(std::vector<uint8_t> &Block, const Parameter &P, const protocol::Argument &A, size_t Index) {
    uint8_t *To = Block.data() + P.Offset;
    auto store = [&](const void *From, size_t N) {
      if (N != P.Bytes)
        throw Failed{Failure::BadJob, "argument " + std::to_string(Index + 1) + " has " + std::to_string(N) + " bytes, the kernel wants " + std::to_string(P.Bytes)};
      memcpy(To, From, N);
    };
    switch (A.What) {
    case protocol::Argument::Kind::Pointer: {
      uint64_t V = addressOf(A.Where);
      return store(&V, 8);
    }
    case protocol::Argument::Kind::Null: {
      uint64_t V = 0;
      return store(&V, 8);
    }
    case protocol::Argument::Kind::Struct: {
      protocol::Bytes Raw = A.Raw;
      for (size_t I = 0; I < A.Fields.size(); ++I) {
        uint64_t V = addressOf(A.Fields[I]);
        memcpy(Raw.data() + A.FieldOffsets[I], &V, 8);
      }
      return store(Raw.data(), Raw.size());
    }
    case protocol::Argument::Kind::Scalar:
      break;
    }
    switch (A.Type) {
    case protocol::DType::F64: return store(&A.Float, 8);
    case protocol::DType::F32: { float V = float(A.Float); return store(&V, 4); }
    case protocol::DType::F16: { uint16_t V = halfBits(A.Float); return store(&V, 2); }
    case protocol::DType::BF16: { uint16_t V = bfloatBits(A.Float); return store(&V, 2); }
    default: return store(&A.Int, sizeOf(A.Type));
    }
  }

  void checkConfiguration(const protocol::LaunchStep &S, const Kernel &K) {
    std::string Why = launchLimits(S, K);
    if (Why.empty() && S.Args.size() != K.Params.size())
      throw Failed{Failure::BadJob, "kernel " + K.Name + " takes " + std::to_string(K.Params.size()) + " arguments, the job gives " + std::to_string(S.Args.size())};
    if (Why.empty())
      return;
    host("launch_config", "launch of " + K.Name + ": " + Why);
    throw Failed{Failure::LaunchConfig, Why};
  }

  void step(const protocol::LaunchStep &S) {
    auto Name = C.Names.find(S.Kernel);
    const Kernel *K = Name == C.Names.end() ? nullptr : C.Code.findKernel(Name->second);
    if (!K)
      throw Failed{Failure::BadJob, "no kernel '" + S.Kernel + "'"};
    checkConfiguration(S, *K);
    if (E.NextUid + S.Grid.count() >= MaxUid)
      throw Failed{Failure::None, "more than 16 million blocks"};
    auto *Entry = reinterpret_cast<EntryFunction>(C.address(K->Entry));
    if (!Entry)
      throw Failed{Failure::Crash, "no code for kernel " + K->Name};
    std::vector<uint8_t> Params(std::max<uint64_t>(K->ParamBytes, 1) + 16);
    for (size_t I = 0; I < S.Args.size(); ++I)
      put(Params, K->Params[I], S.Args[I], I);
    protocol::LaunchMetrics Metrics;
    LaunchEnd End = runLaunch(E, *K, Entry, S, std::move(Params), Metrics);
    Metrics.HostLine = Line;
    R.Launches.push_back(std::move(Metrics));
    if (End.How == Stop::Slow)
      throw Failed{Failure::None, "not done after " + std::to_string(int(J.Limits.Seconds)) + " s on the simulator"};
    if (End.How != Stop::No)
      throw Failed{End.Why, End.Message};
  }

  void outputs() {
    int FD = -1;
    uint64_t At = 0;
    if (!J.OutputFile.empty()) {
      FD = open(J.OutputFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      if (FD < 0)
        throw Failed{Failure::BadJob, "cannot write " + J.OutputFile};
    }
    for (const std::string &Name : J.Outputs) {
      auto It = Addresses.find(Name);
      if (It == Addresses.end())
        continue;
      // A large input that is as it was made need not travel: who asks can make it too.
      if (auto Made = Initial.find(Name); Made != Initial.end() && !memcmp(reinterpret_cast<void *>(It->second), Made->second.data(), Made->second.size()))
        continue;
      protocol::Output O;
      O.Buffer = Name;
      O.Size = buffer(Name).bytes();
      O.UnwrittenBytes = Memory::unwrittenBytes(It->second - DataBase, O.Size);
      auto *P = reinterpret_cast<uint8_t *>(It->second);
      if (FD < 0) {
        O.Data.assign(P, P + O.Size);
      } else {
        O.File = J.OutputFile;
        O.Offset = At;
        for (uint64_t Done = 0; Done < O.Size;) {
          ssize_t N = write(FD, P + Done, O.Size - Done);
          if (N <= 0)
            break;
          Done += uint64_t(N);
        }
        At += O.Size;
      }
      R.Outputs.push_back(std::move(O));
    }
    if (FD >= 0)
      close(FD);
  }

  const protocol::Job &J;
  Compiled &C;
  Memory &Mem;
  const FillFunction &Fill;
  protocol::Result &R;
  Report Out;
  Engine E;
  std::map<std::string, uint64_t> Addresses;
  static constexpr uint64_t LargeInput = 1 << 20;
  std::map<std::string, protocol::Bytes> Initial; ///< large generated inputs that no step has written to
  unsigned Line = 0;
};

std::vector<std::string> kernelsOf(const protocol::Job &J) {
  std::vector<std::string> Names;
  for (const protocol::Step &S : J.Steps)
    if (auto *L = std::get_if<protocol::LaunchStep>(&S.Do))
      if (std::find(Names.begin(), Names.end(), L->Kernel) == Names.end())
        Names.push_back(L->Kernel);
  return Names;
}

} // namespace

/// Counters come from the same calls as the checks.
static bool instrumented(const protocol::Job &J) { return J.Checks.any() || J.Checks.Metrics; }

Compiled *Simulator::compiled(const protocol::Job &J, const std::vector<std::string> &Kernels, protocol::Result &R) {
  std::string Key = J.Source.Arch + "\n" + J.Source.Standard + "\n" + J.Source.File + "\n" + (instrumented(J) ? "c" : "u") + "\n";
  for (const auto *List : {&J.Source.Defines, &J.Source.Args, &Kernels})
    for (const std::string &S : *List)
      Key += S + "\n";
  for (const protocol::SourceFile &F : J.Source.Includes)
    Key += F.Path + "\n" + F.Text + "\n";
  Key += J.Source.Text;
  if (auto It = Cache.find(Key); It != Cache.end())
    return It->second.get();
  std::string Error;
  auto C = compile(J.Source, Kernels, instrumented(J), R.Compile, Error);
  if (!C) {
    refuse(R, Error);
    if (Error.starts_with("kcheck kernel name")) {
      R.Failure = Failure::BadJob;
      R.Message = "a launched kernel is not in the candidate: " + Error;
    }
    return nullptr;
  }
  R.Times.insert(C->Times.begin(), C->Times.end());
  if (Cache.size() >= 16)
    Cache.clear();
  return (Cache[Key] = std::move(C)).get();
}

protocol::Result Simulator::run(const protocol::Job &J) {
  auto T0 = Steady::now();
  double Cpu0 = cpuMs();
  protocol::Result R;
  R.Id = J.Id;
  R.Worker = "kcheck-sim " KCHECK_VERSION;
  R.Device = "sim";
  std::string Error;
  if (!Mem.reserve(Error)) {
    R.State = protocol::State::Failed;
    R.Failure = Failure::OutOfMemory;
    R.Message = Error;
    return R;
  }
  if (Compiled *C = compiled(J, kernelsOf(J), R)) {
    auto T1 = Steady::now();
    double Cpu1 = cpuMs();
    R.Times["compile_cpu"] = Cpu1 - Cpu0;
    Runner Run(J, *C, Mem, Fill, R, NextUid);
    Run.run();
    bool StartOver = Run.nextUid() > MaxUid / 2;
    NextUid = StartOver ? 1 : Run.nextUid();
    R.Times["run"] = since(T1);
    R.Times["run_cpu"] = cpuMs() - Cpu1;
    Mem.reset(StartOver);
  }
  R.Times["total"] = since(T0);
  return R;
}
