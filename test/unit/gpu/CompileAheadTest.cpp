#include "runner/gpu/CompileAhead.h"
#include "runner/protocol/Job.h"
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>

using namespace kcheck;
using gpu::CompileAhead;

namespace {

std::string job(const std::string &Text, const std::string &Id) {
  protocol::Job J;
  J.Id = Id;
  J.Source.Text = Text;
  return protocol::toJson(J);
}

/// Waits until it is opened.
class Gate {
public:
  void open() {
    std::lock_guard Held(Lock);
    Open = true;
    Changed.notify_all();
  }
  void pass() {
    std::unique_lock Held(Lock);
    Changed.wait(Held, [&] { return Open; });
  }

private:
  std::mutex Lock;
  std::condition_variable Changed;
  bool Open = false;
};

void until(const std::function<bool()> &Done) {
  for (int I = 0; I < 1000 && !Done(); ++I)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(GpuCompileAhead, SeveralSourcesAtATime) {
  std::atomic<unsigned> Running{0}, Most{0};
  Gate G;
  CompileAhead A(3, [&](unsigned, const std::string &) {
    unsigned Now = ++Running;
    for (unsigned Was = Most; Was < Now && !Most.compare_exchange_weak(Was, Now);) {
    }
    G.pass();
    --Running;
  });
  for (int I = 0; I < 6; ++I)
    A.expect(job("// " + std::to_string(I), "j"));
  until([&] { return Most == 3; });
  EXPECT_EQ(Most, 3u);
  G.open();
}

TEST(GpuCompileAhead, OneSourceOnce) {
  std::atomic<unsigned> Times{0};
  CompileAhead A(2, [&](unsigned, const std::string &) { ++Times; });
  for (int I = 0; I < 5; ++I)
    A.expect(job("// the same", "j" + std::to_string(I)));
  A.expect("no job");
  until([&] { return Times > 0; });
  A.turn(job("// the same", "x"));
  EXPECT_EQ(Times, 1u);
}

TEST(GpuCompileAhead, WhatRunsIsWaitedForAndWhatWaitsIsLeftToTheWorker) {
  std::atomic<unsigned> Times{0};
  std::atomic<bool> Done{false};
  Gate G;
  CompileAhead A(1, [&](unsigned, const std::string &) {
    if (++Times == 1) {
      G.pass();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      Done = true;
    }
  });
  A.expect(job("// first", "j"));
  until([&] { return Times == 1; });
  A.expect(job("// second", "j"));
  A.turn(job("// second", "j")); // returns at once
  EXPECT_FALSE(Done);
  G.open();
  A.turn(job("// first", "j"));
  EXPECT_TRUE(Done);
  EXPECT_EQ(Times, 1u);
  A.expect(job("// third", "j"));
  A.forget();
}

} // namespace
