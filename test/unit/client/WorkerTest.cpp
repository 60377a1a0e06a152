#include "runner/client/Worker.h"
#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::client;
using protocol::Failure;

namespace {

/// A worker that is a shell script: whatever it does, the client must answer.
std::string script(const std::string &Name, const std::string &Body) {
  std::string Path = testing::TempDir() + "worker-" + Name + "-" + std::to_string(getpid());
  std::ofstream(Path) << "#!/bin/sh\n" << Body << "\n";
  chmod(Path.c_str(), 0700);
  return Path;
}

protocol::Job job() {
  protocol::Job J;
  J.Id = "x";
  J.Limits.Seconds = J.Limits.CompileSeconds = 0.5;
  return J;
}

WorkerOptions options(const std::string &Program) {
  WorkerOptions O;
  O.Program = Program;
  O.GraceSeconds = 0.5;
  return O;
}

constexpr char Answer[] = R"(echo '{"schema":"kcheck.result/1","id":"x","state":"ok"}' >&3)";

TEST(Worker, AnswersComeOnTheirOwnDescriptor) {
  Worker W(options(script("good", std::string("while read line; do echo noise; ") + Answer + "; done")));
  for (int I = 0; I < 3; ++I) {
    protocol::Result R = W.run(job());
    EXPECT_EQ(R.State, protocol::State::Ok) << R.Message;
    EXPECT_EQ(R.Id, "x");
  }
}

TEST(Worker, AWorkerThatDiesIsAResultAndTheNextJobGetsAFreshOne) {
  Worker W(options(script("dies", "read line; echo gone >&2; kill -SEGV $$")));
  for (int I = 0; I < 2; ++I) {
    protocol::Result R = W.run(job());
    EXPECT_EQ(R.Failure, Failure::Crash);
    EXPECT_NE(R.Message.find("SIGSEGV"), std::string::npos) << R.Message;
    EXPECT_NE(R.Message.find("gone"), std::string::npos) << R.Message;
  }
}

TEST(Worker, AWorkerThatHangsIsKilledWithItsChildren) {
  std::string Mark = testing::TempDir() + "worker-mark-" + std::to_string(getpid());
  Worker W(options(script("hangs", "read line; (sleep 4; touch " + Mark + ") & sleep 60")));
  auto T0 = std::chrono::steady_clock::now();
  EXPECT_EQ(W.run(job()).Failure, Failure::Timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - T0, std::chrono::seconds(20));
  sleep(5);
  EXPECT_NE(access(Mark.c_str(), F_OK), 0) << "a child of the worker lived on";
}

TEST(Worker, NonsenseIsACrash) {
  Worker W(options(script("nonsense", "read line; echo '{\"schema\":' >&3; read line")));
  EXPECT_EQ(W.run(job()).Failure, Failure::Crash);
}

TEST(Worker, NoProgramIsNoWorker) {
  Worker W(options("/nonexistent/kcheck-sim"));
  EXPECT_EQ(W.run(job()).Failure, Failure::NoWorker);
}

TEST(Worker, ConfinementThatFailsStopsTheStart) {
  WorkerOptions O = options(script("confined", std::string("read line; ") + Answer));
  O.Confine = [] { return false; };
  EXPECT_EQ(Worker(O).run(job()).Failure, Failure::NoWorker);
}

} // namespace
