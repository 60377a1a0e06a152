// A worker of the server is held to what the sandbox allows, without any device: a script stands for the worker.
#include "runner/client/GpuSandbox.h"
#include "runner/client/sandbox/Landlock.h"
#include "runner/gpu/serve/DevicePool.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;
namespace fs = std::filesystem;

namespace {

/// Answers each line with what it can do: write beside its program, write to its temporary folder, read a secret.
constexpr char Script[] = R"(#!/bin/sh
while read -r line; do
  a=no b=no c=no
  if (echo x >"$(dirname "$0")/written") 2>/dev/null; then a=yes; fi
  if (echo x >"$TMPDIR/written") 2>/dev/null; then b=yes; fi
  if (read -r x <SECRET) 2>/dev/null; then c=yes; fi
  echo "$a $b $c" >&3
done
)";

std::string answerOf(const std::string &Program, const Confinement &In) {
  Supervisor S(0, Program, false, In);
  return S.answer(R"({"schema": "kcheck.job/1", "id": "j", "source": {"file": "a.cu", "text": ""}, "buffers": [], "steps": []})");
}

TEST(ServeSandbox, WorkersAreHeldToIt) {
  if (!client::landlockAbi())
    GTEST_SKIP() << "this kernel has no landlock";
  std::signal(SIGPIPE, SIG_IGN); // as the server does: a worker that ended is seen at the write
  std::string Folder = (fs::temp_directory_path() / ("kcheck-serve-test-" + std::to_string(getpid()))).string(), Program = Folder + "/bin/worker";
  fs::create_directories(Folder + "/bin");
  fs::create_directories(Folder + "/private");
  std::ofstream(Folder + "/private/secret") << "s\n";
  std::string Text = Script;
  Text.replace(Text.find("SECRET"), 6, Folder + "/private/secret");
  std::ofstream(Program) << Text;
  fs::permissions(Program, fs::perms::owner_all);
  client::GpuConfinement C = client::confineGpuWorker(Program, false); // the script starts as root, too, where CUDA would not
  ASSERT_TRUE(C.Enter) << C.Why;
  EXPECT_EQ(answerOf(Program, {}).substr(0, 3), "yes") << "the script itself is wrong";
  EXPECT_EQ(answerOf(Program, {C.Enter, C.Scratch->path()}), "no yes no");
  std::string Refused = answerOf(Program, {[] { return false; }, ""});
  EXPECT_NE(Refused.find("status 125"), std::string::npos) << Refused;
  fs::remove_all(Folder);
}

} // namespace
