#include "runner/sim/JobRunner.h"
#include <cstring>
#include <fcntl.h>
#include <new>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::sim;
using protocol::Failure;

namespace {

using Steady = std::chrono::steady_clock;

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

template <class T> std::vector<uint8_t> bytesOf(const T &V, size_t N = sizeof(T)) {
  const auto *P = reinterpret_cast<const uint8_t *>(&V);
  return {P, P + N};
}

} // namespace

std::vector<uint8_t> JobRunner::scalarBytes(const protocol::Argument &A) {
  switch (A.Type) {
  case protocol::DType::F64: return bytesOf(A.Float);
  case protocol::DType::F32: return bytesOf(float(A.Float));
  case protocol::DType::F16: return bytesOf(halfBits(A.Float));
  case protocol::DType::BF16: return bytesOf(bfloatBits(A.Float));
  default: return bytesOf(A.Int, sizeOf(A.Type));
  }
}

void JobRunner::call(const protocol::CallStep &) { throw StepFailed{Failure::BadJob, "this worker runs no host code"}; }

void JobRunner::run() {
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
  } catch (const StepFailed &F) {
    R.State = F.Why == Failure::None ? protocol::State::NotMeasured : protocol::State::Failed;
    R.Failure = F.Why;
    R.Message = F.Message;
    R.FailedStep = unsigned(I);
  } catch (const std::bad_alloc &) {
    R.State = protocol::State::Failed;
    R.Failure = Failure::OutOfMemory;
    R.Message = "no room for the content of the buffers";
    R.FailedStep = unsigned(I);
  }
  if (R.State == protocol::State::Ok)
    outputs();
  R.Findings = Out.take();
  R.Printed += E.Printed;
}

void JobRunner::loadVariables() {
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

const protocol::Buffer &JobRunner::buffer(const std::string &Name) {
  if (const protocol::Buffer *B = J.find(Name))
    return *B;
  throw StepFailed{Failure::BadJob, "no buffer '" + Name + "'"};
}

uint64_t JobRunner::addressOf(const protocol::Place &P, bool NeedsLife) {
  if (!P.Symbol.empty()) {
    for (const Variable &V : C.Code.Variables)
      if (!V.Shared && (V.Name == P.Symbol || V.Mangled == P.Symbol))
        return DataBase + V.Address + P.Offset;
    throw StepFailed{Failure::BadJob, "the module has no variable '" + P.Symbol + "'"};
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

void JobRunner::step(const protocol::AllocStep &S) {
  const protocol::Buffer &B = buffer(S.Buffer);
  protocol::Bytes Content;
  bool Written = B.Fill != protocol::Content::Uninitialised && B.Fill != protocol::Content::Poison;
  if (B.Fill == protocol::Content::Generated && !Fill(B, Content))
    throw StepFailed{Failure::BadJob, "buffer '" + B.Name + "': unknown distribution '" + B.Gen.Distribution + "'"};
  uint64_t A = Mem.allocate(B.Name, B.bytes(), sizeOf(B.Type), Written, B.Managed);
  if (!A)
    throw StepFailed{Failure::OutOfMemory, "no room for buffer '" + B.Name + "' (" + std::to_string(B.bytes()) + " bytes)"};
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

void JobRunner::step(const protocol::FreeStep &S) {
  auto It = Addresses.find(S.Buffer);
  if (It == Addresses.end() || !Mem.release(It->second))
    host("double_free", "buffer '" + S.Buffer + "' is freed but not allocated");
  E.Order.syncAll(); // freeing waits for the device
}

void JobRunner::host(const char *Tag, const std::string &Message) {
  unsigned L = Line;
  std::string File = J.Source.File;
  Out.add(Tag, ~0u, ~0u, [&](protocol::Finding &F) {
    F.Where = {File, L, 0};
    F.Message = Message;
  });
}

bool JobRunner::range(uint64_t A, uint64_t Bytes, const char *What) {
  if (Memory::exists(A - DataBase, Bytes))
    return true;
  const Allocation *Al = Mem.find(A);
  host("memcpy_size", std::string(What) + " of " + std::to_string(Bytes) + " bytes" +
                          (Al ? " leaves '" + Al->Name + "' (" + std::to_string(Al->Bytes) + " bytes)" : " at no buffer"));
  return false;
}

void JobRunner::step(const protocol::SetStep &S) {
  uint64_t A = addressOf(S.To);
  Initial.erase(S.To.Buffer);
  if (!range(A, S.Bytes, "memset"))
    return;
  memset(reinterpret_cast<void *>(A), S.Value, S.Bytes);
  Memory::markWritten(A - DataBase, S.Bytes);
}

void JobRunner::step(const protocol::CopyStep &S) {
  uint64_t To = addressOf(S.To), From = 0;
  Initial.erase(S.To.Buffer);
  if (!range(To, S.Bytes, "copy"))
    return;
  if (S.From.Buffer.empty() && S.From.Symbol.empty()) {
    memcpy(reinterpret_cast<void *>(To), S.Data.data(), S.Bytes);
  } else {
    From = addressOf(S.From);
    if (!range(From, S.Bytes, "copy"))
      return;
    bool Whole = S.From.Symbol.empty() && !S.From.Offset && !S.To.Offset;
    if (auto Made = Initial.find(S.From.Buffer); Made != Initial.end() && Whole && S.Bytes == Made->second.size() &&
                                                 !memcmp(reinterpret_cast<void *>(From), Made->second.data(), S.Bytes))
      Initial[S.To.Buffer] = Made->second; // as it was made: need not travel
    memmove(reinterpret_cast<void *>(To), reinterpret_cast<void *>(From), S.Bytes);
  }
  Memory::markWritten(To - DataBase, S.Bytes);
  // What was not written stays so in the copy.
  if (From && !Memory::written(From - DataBase, S.Bytes))
    for (uint64_t I = 0; I < S.Bytes; ++I)
      if (!Memory::written(From - DataBase + I, 1))
        Memory::mark(To - DataBase + I, 1, true, false);
  E.Order.syncAll();
}

void JobRunner::step(const protocol::SyncStep &S) { S.Stream < 0 ? E.Order.syncAll() : E.Order.sync(S.Stream); }

void JobRunner::put(std::vector<uint8_t> &Block, const Parameter &P, const protocol::Argument &A, size_t Index) {
  uint8_t *To = Block.data() + P.Offset;
  auto store = [&](const void *From, size_t N) {
    if (N != P.Bytes)
      throw StepFailed{Failure::BadJob, "argument " + std::to_string(Index + 1) + " has " + std::to_string(N) + " bytes, the kernel wants " + std::to_string(P.Bytes)};
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
  std::vector<uint8_t> Bytes = scalarBytes(A);
  store(Bytes.data(), Bytes.size());
}

void JobRunner::checkConfiguration(const protocol::LaunchStep &S, const Kernel &K) {
  std::string Why = launchLimits(S, K);
  if (Why.empty() && S.Args.size() != K.Params.size())
    throw StepFailed{Failure::BadJob, "kernel " + K.Name + " takes " + std::to_string(K.Params.size()) + " arguments, the job gives " + std::to_string(S.Args.size())};
  if (Why.empty())
    return;
  host("launch_config", "launch of " + K.Name + ": " + Why);
  throw StepFailed{Failure::LaunchConfig, Why};
}

void JobRunner::step(const protocol::LaunchStep &S) {
  auto Name = C.Names.find(S.Kernel);
  const Kernel *K = Name == C.Names.end() ? nullptr : C.Code.findKernel(Name->second);
  if (!K)
    throw StepFailed{Failure::BadJob, "no kernel '" + S.Kernel + "'"};
  checkConfiguration(S, *K);
  if (E.NextUid + S.Grid.count() >= MaxUid)
    throw StepFailed{Failure::None, "more than 16 million blocks"};
  auto *Entry = reinterpret_cast<EntryFunction>(C.address(K->Entry));
  if (!Entry)
    throw StepFailed{Failure::Crash, "no code for kernel " + K->Name};
  std::vector<uint8_t> Params(std::max<uint64_t>(K->ParamBytes, 1) + 16);
  for (size_t I = 0; I < S.Args.size(); ++I)
    put(Params, K->Params[I], S.Args[I], I);
  protocol::LaunchMetrics Metrics;
  LaunchEnd End = runLaunch(E, *K, Entry, S, std::move(Params), Metrics);
  Metrics.HostLine = Line;
  R.Launches.push_back(std::move(Metrics));
  if (End.How == Stop::Slow)
    throw StepFailed{Failure::None, "not done after " + std::to_string(int(J.Limits.Seconds)) + " s on the simulator"};
  if (End.How != Stop::No)
    throw StepFailed{End.Why, End.Message};
}

void JobRunner::outputs() {
  int FD = -1;
  uint64_t At = 0;
  if (!J.OutputFile.empty()) {
    FD = open(J.OutputFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (FD < 0)
      throw StepFailed{Failure::BadJob, "cannot write " + J.OutputFile};
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
    if (!buffer(Name).Managed) // what host code writes is not seen
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
