#include "runner/gpu/Judge.h"
#include "runner/gpu/Reference.h"
#include "runner/ops/Generate.h"
#include <random>

using namespace kcheck;
using namespace kcheck::gpu;
using protocol::Failure;
using protocol::Role;

namespace {

std::string keyOf(const protocol::ReferenceRequest &R, const protocol::Job &J) {
  std::string Key = R.Operator + "|" + R.Variant;
  for (const auto &[Name, V] : R.Attrs)
    Key += "|" + Name + "=" + std::to_string(V);
  for (const auto &[Arg, Name] : R.Buffers)
    if (const protocol::Buffer *B = J.find(Name))
      Key += "|" + Arg + ":" + std::string(protocol::toString(B->Type));
  return Key;
}

/// The content that a buffer had before the candidate ran.
DeviceMemory pristine(Device &G, const protocol::Buffer &Of, Buffers &B) {
  DeviceMemory M = G.allocate(Of.bytes(), "a fresh copy of '" + Of.Name + "'");
  if (!Of.bytes())
    return M;
  if (Of.Fill == protocol::Content::Generated && B.regenerate(Of, M.get(), Of.Gen.Seed))
    return M;
  protocol::Bytes Data;
  switch (Of.Fill) {
  case protocol::Content::Generated: Data = ops::generate(Of.Gen, Of.Type, Of.Shape); break;
  case protocol::Content::Data: Data = Of.Data; break;
  default: Data.assign(Of.bytes(), Of.Fill == protocol::Content::Zero ? 0 : Of.PoisonByte);
  }
  G.check(G.api().copyToDevice(M.get(), Data.data(), Data.size(), G.stream()), "filling a fresh copy");
  G.synchronize("filling a fresh copy");
  return M;
}

/// An input that is not what it was.
void holdAgainst(Device &G, const protocol::Buffer &Of, DevicePtr Fresh, Buffers &B, protocol::Result &R) {
  uint64_t Count = 0;
  int64_t At = B.firstDifference(Of.Name, Fresh, 0, 0, Count); // zeros on both sides are equal anyway
  if (At < 0)
    return;
  protocol::Judgement J;
  J.Buffer = Of.Name;
  J.Elements = Of.elements();
  J.Wrong = int64_t(Count);
  J.First = At;
  J.Tag = "input_mutated";
  J.Message = "input '" + Of.Name + "' was changed, first at element " + std::to_string(At);
  R.Judged.push_back(std::move(J));
}

} // namespace

void gpu::judge(Device &G, const protocol::Job &J, Buffers &B, std::set<std::string> &Validated, protocol::Result &R) {
  DeviceReference Ref(G, *J.Reference, J.Buffers);
  if (Ref.outputs().size() != 1)
    throw Failed{Failure::BadJob, "an operator with one output is judged here, '" + J.Reference->Operator + "' has " + std::to_string(Ref.outputs().size())};
  std::random_device Random;
  if (std::string Key = keyOf(*J.Reference, J); Ref.onDevice() && !Validated.count(Key)) {
    if (std::string Why = Ref.validateSmall(); !Why.empty())
      throw Failed{Failure::NoWorker, "the device's reference does not agree with the CPU's: " + Why};
    Validated.insert(Key);
  }
  std::map<std::string, DevicePtr> In;
  std::vector<DeviceMemory> Fresh;
  for (const std::string &Arg : Ref.inputs()) {
    const protocol::Buffer *Of = Ref.bufferOf(Arg);
    Fresh.push_back(pristine(G, *Of, B));
    In[Arg] = Fresh.back().get();
    if (Of->How == Role::In && B.has(Of->Name))
      holdAgainst(G, *Of, Fresh.back().get(), B, R);
  }
  const protocol::Buffer *Out = Ref.bufferOf(Ref.outputs().front());
  if (!B.has(Out->Name))
    throw Failed{Failure::BadJob, "no step makes '" + Out->Name + "'"};
  if (!Ref.onDevice()) {
    R.Judged.insert(R.Judged.begin(), Ref.judgeOnCpu(In, B.address(Out->Name)));
    return;
  }
  if (std::string Why = Ref.validateWindow(In, uint64_t(Random()) << 32 | Random()); !Why.empty())
    throw Failed{Failure::NoWorker, "the device's reference does not agree with the CPU's: " + Why};
  DeviceMemory Report = G.allocate(sizeof(CompareReport), "a report");
  Ref.queue(In, B.address(Out->Name), {}, Report.get());
  auto C = G.read<CompareReport>(Report.get(), "reading a report");
  R.Judged.insert(R.Judged.begin(), Ref.judgementOf(C, Ref.outputElements()));
}
