// The verdict logic, with a worker that answers from the reference instead of running the candidate.
#include "gate/dynamic/Dynamic.h"
#include "runner/ops/Generate.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace kcheck;
using namespace kcheck::gate;
using protocol::State;

namespace {

constexpr char Candidate[] = R"(
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
void launch_tanh_add(const float *a, const float *b, float *out, int n) {
  k<<<(n + 255) / 256, 256>>>(a, b, out, n);
}
)";

FileReport report() {
  FileReport F;
  F.File = "candidate.cu";
  F.Text = std::string("#include <cuda_runtime.h>\n") + Candidate;
  F.Static.Result = Verdict::Pass;
  return F;
}

/// tanh(a) + b for the job's generated inputs, changed by Spoil.
protocol::Result answer(const protocol::Job &J, const std::function<void(std::vector<double> &)> &Spoil) {
  protocol::Result R;
  std::vector<std::vector<double>> In, InFirst;
  auto made = [](const protocol::Buffer &X) { return ops::generate(X.Gen, X.Type, X.Shape); };
  // What an input holds at the end: the copy of a second call, else what the generator made.
  auto content = [&](const protocol::Buffer &B) {
    protocol::Bytes Data = made(B);
    for (const protocol::Step &S : J.Steps)
      if (const auto *C = std::get_if<protocol::CopyStep>(&S.Do); C && C->To.Buffer == B.Name)
        Data = C->From.Buffer.empty() ? C->Data : made(*J.find(C->From.Buffer));
    return Data;
  };
  for (const protocol::Buffer &B : J.Buffers)
    if (B.How == protocol::Role::In && B.Name.find(" of the ") == std::string::npos) {
      In.push_back(ops::toDoubles(B.Type, content(B)));
      InFirst.push_back(ops::toDoubles(B.Type, made(B)));
    }
  for (const protocol::Buffer &B : J.Buffers) {
    protocol::Output O;
    O.Buffer = B.Name;
    // A job of two calls keeps what the first one left.
    size_t Kept = B.Name.find(" of the first call");
    const protocol::Buffer &Of = Kept == std::string::npos ? B : *J.find(B.Name.substr(0, Kept));
    if (B.Name.find(" of the second call") != std::string::npos)
      continue;
    if (Of.How == protocol::Role::In) {
      O.Data = Kept == std::string::npos ? content(B) : made(Of);
    } else {
      const auto &From = Kept == std::string::npos ? In : InFirst;
      std::vector<double> V;
      for (size_t I = 0; I < From[0].size(); ++I)
        V.push_back(std::tanh(From[0][I]) + From[1][I]);
      Spoil(V);
      O.Data = ops::fromDoubles(B.Type, V);
    }
    R.Outputs.push_back(std::move(O));
  }
  return R;
}

using Answer = std::function<protocol::Result(const protocol::Job &)>;

/// As a worker does it: in order, up to the job that ends it.
RunJobs batch(Answer Each) {
  return [Each](std::vector<protocol::Job> Jobs, bool StopAtFault) {
    std::vector<protocol::Result> All;
    for (const protocol::Job &J : Jobs) {
      All.push_back(Each(J));
      if (StopAtFault && (All.back().State != State::Ok || !All.back().Findings.empty()))
        break;
    }
    return All;
  };
}

FileReport checked(const Answer &Run, bool WithTask = true) {
  FileReport F = report();
  DynamicOptions O;
  O.Parse.CudaRoot = "none";
  if (WithTask)
    O.Task = taskForOperator("tanh_add");
  runDynamic(F, O, batch(Run));
  return F;
}

TEST(Dynamic, RightNumbersPass) {
  int Jobs = 0;
  FileReport F = checked([&](const protocol::Job &J) {
    ++Jobs;
    EXPECT_GE(J.Steps.size(), 1u);
    return answer(J, [](auto &) {});
  });
  EXPECT_EQ(F.Result, Verdict::Pass) << (F.Reasons.empty() ? "" : F.Reasons.front());
  EXPECT_GT(Jobs, 15);
  EXPECT_EQ(F.Dynamic.State, "done");
}

TEST(Dynamic, WrongNumbersReject) {
  FileReport F = checked([](const protocol::Job &J) {
    return answer(J, [](std::vector<double> &V) {
      if (V.size() > 32)
        V.back() += 1;
    });
  });
  EXPECT_EQ(F.Result, Verdict::Reject);
  EXPECT_EQ(F.Reasons, std::vector<std::string>{"wrong_result"});
}

TEST(Dynamic, NoAnswerIsAskedForBehindTheOnesThatDecide) {
  FileReport F = report();
  DynamicOptions O;
  O.Parse.CudaRoot = "none";
  O.Task = taskForOperator("tanh_add");
  size_t Given = 0, Asked = 0;
  runDynamic(F, O, [&](std::vector<protocol::Job> Jobs, bool) {
    Given = Jobs.size();
    return Answers([&Asked, Jobs = std::move(Jobs)]() -> std::optional<protocol::Result> {
      if (Asked == Jobs.size())
        return std::nullopt;
      return answer(Jobs[Asked++], [](std::vector<double> &V) {
        for (double &X : V)
          X += 1;
      });
    });
  });
  EXPECT_EQ(F.Result, Verdict::Reject);
  EXPECT_EQ(Asked, 1u); // a thousand wrong elements need no second case
  EXPECT_GT(Given, 10u);
}

TEST(Dynamic, FindingsReject) {
  FileReport F = checked([](const protocol::Job &J) {
    protocol::Result R = answer(J, [](auto &) {});
    protocol::Finding X;
    X.Tag = "race_shared";
    X.Where = {"candidate.cu", 4, 3};
    R.Findings.push_back(X);
    return R;
  });
  EXPECT_EQ(F.Result, Verdict::Reject);
  EXPECT_EQ(F.Reasons, std::vector<std::string>{"race_shared"});
  ASSERT_EQ(F.Dynamic.Findings.size(), 1u);
  EXPECT_EQ(F.Dynamic.Findings[0].check(), "kcheck-dynamic-race-shared");
  EXPECT_EQ(F.Dynamic.Findings[0].Where.Line, 4u);
}

TEST(Dynamic, ADoubtOfTheWorkerIsReview) {
  FileReport F = checked([](const protocol::Job &J) {
    protocol::Result R = answer(J, [](auto &) {});
    protocol::Finding X;
    X.Tag = "race_shared";
    X.Sure = false;
    R.Findings.push_back(X);
    return R;
  });
  EXPECT_EQ(F.Result, Verdict::Review);
}

/// The tags of a candidate that answers so.
std::vector<std::string> reasonsOf(const std::function<void(std::vector<double> &)> &Spoil) {
  return checked([&](const protocol::Job &J) { return answer(J, Spoil); }).Reasons;
}
bool has(const std::vector<std::string> &All, const char *Tag) { return std::find(All.begin(), All.end(), Tag) != All.end(); }

TEST(Dynamic, SignsOfShortcuts) {
  auto Constant = reasonsOf([](std::vector<double> &V) { std::fill(V.begin(), V.end(), 0.25); });
  EXPECT_TRUE(has(Constant, "wrong_result") && has(Constant, "cheat_constant_output"));
  auto Half = reasonsOf([](std::vector<double> &V) {
    for (double &X : V)
      X = ops::roundTo(protocol::DType::F16, X);
  });
  EXPECT_TRUE(has(Half, "cheat_precision_downgrade"));
  EXPECT_TRUE(reasonsOf([](auto &) {}).empty());
}

TEST(Dynamic, SecondCallThatRepeatsTheFirst) {
  FileReport F = checked([&](const protocol::Job &J) {
    protocol::Result R = answer(J, [](auto &) {});
    for (protocol::Output &O : R.Outputs)
      if (O.Buffer == "out")
        for (const protocol::Output &P : R.Outputs)
          if (P.Buffer == "out of the first call")
            O.Data = P.Data;
    return R;
  });
  EXPECT_EQ(F.Result, Verdict::Reject);
  EXPECT_TRUE(has(F.Reasons, "cheat_cached_result"));
}

TEST(Dynamic, OutputsThatNobodyAnswersAreNotWritten) {
  FileReport F = checked([](const protocol::Job &J) {
    protocol::Result R = answer(J, [](auto &) {});
    std::erase_if(R.Outputs, [](const protocol::Output &O) { return O.Buffer == "out"; });
    return R;
  });
  EXPECT_EQ(F.Result, Verdict::Reject);
  EXPECT_TRUE(has(F.Reasons, "not_all_written") && has(F.Reasons, "cheat_noop"));
}

TEST(Dynamic, WhatTheSimulatorCannotDoIsReview) {
  FileReport F = checked([](const protocol::Job &) {
    protocol::Result R;
    R.State = State::Failed;
    R.Failure = protocol::Failure::Unsupported;
    R.Message = "textures";
    return R;
  });
  EXPECT_EQ(F.Result, Verdict::Review);
}

TEST(Dynamic, SlowIsReviewAndHangIsReject) {
  FileReport Slow = checked([](const protocol::Job &) {
    protocol::Result R;
    R.State = State::NotMeasured;
    return R;
  });
  EXPECT_EQ(Slow.Result, Verdict::Review);
  FileReport Hang = checked([](const protocol::Job &) {
    protocol::Result R;
    R.State = State::Failed;
    R.Failure = protocol::Failure::Timeout;
    return R;
  });
  EXPECT_EQ(Hang.Result, Verdict::Reject);
  EXPECT_EQ(Hang.Reasons, std::vector<std::string>{"timeout"});
}

TEST(Dynamic, OurOwnTroubleIsNoReject) {
  FileReport F = checked([](const protocol::Job &) {
    protocol::Result R;
    R.State = State::Failed;
    R.Failure = protocol::Failure::NoWorker;
    return R;
  });
  EXPECT_EQ(F.Result, Verdict::Review);
  EXPECT_EQ(F.Dynamic.State, "not_run");
}

TEST(Dynamic, WithoutATaskNumericsAreNotRun) {
  FileReport F = checked([](const protocol::Job &J) { return answer(J, [](auto &) {}); }, false);
  EXPECT_EQ(F.Result, Verdict::Review);
  EXPECT_EQ(F.Reasons, std::vector<std::string>{"numerics_not_run"});
}

/// Without a task: what a worker's race in a scatter by drawn indices comes to.
FileReport scattered(bool AlsoWhereAllDiffer) {
  FileReport F = report();
  F.Text = "#include <cuda_runtime.h>\n"
           "__global__ void k(const float *x, const int *perm, float *out, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) out[perm[i]] = x[i];\n"
           "}\n"
           "void launch(const float *x, const int *perm, float *out, int n) { k<<<(n + 255) / 256, 256>>>(x, perm, out, n); }\n";
  DynamicOptions O;
  O.Parse.CudaRoot = "none";
  runDynamic(F, O, batch([&](const protocol::Job &J) {
               bool AllDiffer = llvm::any_of(J.Buffers, [](const protocol::Buffer &B) { return B.Name == "perm" && B.Gen.Distribution == "iota"; });
               protocol::Result R;
               if (AllDiffer && !AlsoWhereAllDiffer)
                 return R;
               protocol::Finding X;
               X.Tag = "race_global";
               X.Where = {"candidate.cu", 4, 14};
               R.Findings.push_back(X);
               return R;
             }));
  return F;
}

TEST(Dynamic, ARaceOfDrawnIndicesIsTheDatas) {
  FileReport Gone = scattered(false), Stays = scattered(true);
  EXPECT_TRUE(Gone.Dynamic.Findings.empty());
  EXPECT_EQ(Gone.Result, Verdict::Review);
  ASSERT_EQ(Stays.Dynamic.Findings.size(), 1u);
  EXPECT_EQ(Stays.Result, Verdict::Reject);
}

TEST(Dynamic, ABufferThatNothingBoundsHasNoEnd) {
  FileReport F = report();
  F.Text = "#include <cuda_runtime.h>\n"
           "__global__ void k(const int *where, float *out, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) out[where[i]] = i;\n"
           "}\n"
           "void launch(const int *where, float *out, int n) { k<<<(n + 255) / 256, 256>>>(where, out, n); }\n";
  DynamicOptions O;
  O.Parse.CudaRoot = "none";
  runDynamic(F, O, batch([](const protocol::Job &) {
               protocol::Result R;
               for (auto [Tag, Buffer] : {std::pair("out_of_bounds_global", "out"), std::pair("race_blocks", "where"), std::pair("misaligned_access", "out")}) {
                 protocol::Finding X;
                 X.Tag = Tag;
                 X.Buffer = Buffer;
                 X.Where = {"candidate.cu", 4, 14};
                 R.Findings.push_back(X);
               }
               return R;
             }));
  ASSERT_EQ(F.Dynamic.Findings.size(), 1u);
  EXPECT_EQ(F.Dynamic.Findings[0].Tag, "misaligned_access");
}

TEST(Dynamic, AStaticRejectEndsIt) {
  FileReport F = report();
  Finding X;
  X.Tag = "barrier_divergence";
  X.Level = Severity::Reject;
  F.Static.Findings.push_back(X);
  F.Static.Result = Verdict::Reject;
  DynamicOptions O;
  O.Task = taskForOperator("tanh_add");
  runDynamic(F, O, batch([](const protocol::Job &) -> protocol::Result {
    ADD_FAILURE() << "nothing may run";
    return {};
  }));
  EXPECT_EQ(F.Dynamic.Why, "static_reject");
  EXPECT_EQ(F.Result, Verdict::Reject);
}

TEST(Dynamic, NumericsDecideDeferredFindings) {
  auto Run = [](bool Right) {
    FileReport F = report();
    Finding X;
    X.Tag = "no_global_write";
    X.Level = Severity::Review;
    X.Defer = true;
    F.Static.Findings.push_back(X);
    DynamicOptions O;
    O.Parse.CudaRoot = "none";
    O.Task = taskForOperator("tanh_add");
    runDynamic(F, O, batch([&](const protocol::Job &J) {
                 return answer(J, [&](std::vector<double> &V) {
                   for (double &Y : V)
                     Y += Right ? 0 : 1;
                 });
               }));
    return F.Result;
  };
  EXPECT_EQ(Run(true), Verdict::Pass);
  EXPECT_EQ(Run(false), Verdict::Reject);
}

TEST(Dynamic, SameSeedSameJobs) {
  std::vector<std::string> First, Second;
  for (auto *Into : {&First, &Second}) {
    FileReport F = report();
    DynamicOptions O;
    O.Parse.CudaRoot = "none";
    O.Task = taskForOperator("tanh_add");
    O.Seed = 77;
    runDynamic(F, O, batch([&](const protocol::Job &J) {
                 Into->push_back(protocol::toJson(J));
                 return answer(J, [](auto &) {});
               }));
  }
  EXPECT_EQ(First, Second);
}

} // namespace
