#include "agent/bench/Sampled.h"
#include "gate/dynamic/Prepare.h"
#include "runner/client/Batch.h"
#include "runner/client/Worker.h"

using namespace kcheck;
using namespace kcheck::agent;
using protocol::Role;

namespace {

constexpr int64_t MostGenerated = 1 << 22; ///< elements that are worth making; longer inputs are zero

double leastBytes(const gate::Bound &B, const ops::Case &C) {
  double Sum = 0;
  for (const gate::BoundArg &A : B.Args) {
    if (!A.isBuffer() || A.How == Role::Scratch)
      continue;
    double Bytes = double(protocol::sizeOf(A.Type)) * (A.How == Role::InOut ? 2 : 1);
    for (int64_t N : B.shapeOf(A, C))
      Bytes *= double(N);
    Sum += Bytes;
  }
  return Sum;
}

/// What blocks compute does not matter, only which way they go: counters and indices keep their values, long inputs are zero.
void lighten(protocol::Job &J) {
  for (protocol::Buffer &B : J.Buffers) {
    if (B.Fill == protocol::Content::Poison || B.Fill == protocol::Content::Uninitialised)
      B.Fill = protocol::Content::Zero;
    if (B.Fill == protocol::Content::Generated && B.elements() > MostGenerated)
      B.Fill = protocol::Content::Zero;
  }
  J.Outputs.clear();
  J.Checks = {};
  J.Checks.Bounds = J.Checks.Init = J.Checks.Races = J.Checks.Sync = false;
  J.Checks.Metrics = true; // and nothing else: only sampled blocks run
}

} // namespace

std::optional<SampledRun> agent::countSampled(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &O, const gate::Task &T,
                                              const ops::Dims &Sizes, std::string &Why) {
  gate::Task Own = T;
  Own.Shapes = {Sizes};
  Own.Draws = {{"uniform", 0, 1}};
  std::vector<std::string> Problems;
  auto P = gate::prepareTask(File, Text, O, Own, Problems);
  if (!P || P->Cases.empty() || !P->Cases.front().Plan.Refusal.empty()) {
    Why = !Problems.empty() ? Problems.front() : P && !P->Cases.empty() ? P->Cases.front().Plan.Refusal : "no launch is known at this size";
    return std::nullopt;
  }
  gate::JobOptions JO;
  JO.Seconds = 120; // by the clock: a busy machine is no fault of the kernel
  JO.Seed = 1;
  JO.Metrics = true;
  JO.WantInputs = false;
  protocol::Job J = gate::makeJob(P->B, P->Cases.front(), P->Source, JO, nullptr);
  lighten(J);
  SampledRun R;
  R.LeastBytes = leastBytes(P->B, P->Cases.front().Case);
  for (const protocol::Buffer &B : J.Buffers)
    R.Footprint += double(B.bytes());
  client::BatchOptions B;
  B.Program = client::findWorker("kcheck-sim");
  B.CacheFolder = client::prepareCache(B.Program, J.Source);
  std::vector<protocol::Result> Answers = client::runBatch({std::move(J)}, B);
  if (Answers.empty() || Answers.front().State != protocol::State::Ok) {
    Why = Answers.empty() ? "the simulator does not answer" : Answers.front().Message.empty() ? "the simulator cannot run it" : Answers.front().Message;
    return std::nullopt;
  }
  R.Launches = std::move(Answers.front().Launches);
  return R;
}
