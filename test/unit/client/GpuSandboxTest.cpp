#include "runner/client/GpuSandbox.h"
#include "runner/client/Worker.h"
#include "runner/client/sandbox/Landlock.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::client;
namespace fs = std::filesystem;

namespace {

TEST(GpuSandbox, OnlyTheCardsNodes) {
  ScratchFolder F;
  for (const char *Name : {"nvidia0", "nvidiactl", "nvidia-uvm", "sda", "tty0", "kvm", "mem"})
    ASSERT_TRUE(F.write(Name, ""));
  std::vector<std::string> Names;
  for (const std::string &P : gpuDeviceNodes(F.path()))
    Names.push_back(fs::path(P).filename());
  EXPECT_EQ(Names, (std::vector<std::string>{"nvidia-uvm", "nvidia0", "nvidiactl"}));
  EXPECT_TRUE(gpuDeviceNodes("/nowhere").empty());
}

/// A worker that is a script: it says whether it could read and write what it should and should not.
TEST(GpuSandbox, TheWorkerSeesItsOwnFoldersOnly) {
  if (!landlockAbi())
    GTEST_SKIP() << "the kernel has no landlock";
  ScratchFolder Program, Secret;
  ASSERT_TRUE(Secret.write("secret", "mine"));
  ASSERT_TRUE(Program.write("worker", "#!/bin/sh\nread line\n"
                                      "read=no; cat " + Secret.path() + "/secret >/dev/null 2>&1 && read=yes\n"
                                      "write=no; (echo x >" + Secret.path() + "/new) 2>/dev/null && write=yes\n"
                                      "temp=no; (echo x >$TMPDIR/x) 2>/dev/null && temp=yes\n"
                                      "here=no; (echo x >" + Program.path() + "/x) 2>/dev/null && here=yes\n"
                                      "echo '{\"schema\":\"kcheck.result/1\",\"id\":\"'read $read, write $write, temp $temp, here $here'\",\"state\":\"ok\"}' >&3\n"));
  std::string Path = Program.path() + "/worker";
  chmod(Path.c_str(), 0700);
  GpuConfinement G = confineGpuWorker(Path, false);
  ASSERT_EQ(G.Kind, SandboxKind::Landlock) << G.Why;
  WorkerOptions O;
  O.Program = Path;
  O.Wrapper = G.Wrapper;
  O.Confine = G.Enter;
  Worker W(O);
  protocol::Job J;
  J.Id = "x";
  protocol::Result R = W.run(J);
  EXPECT_EQ(R.State, protocol::State::Ok) << R.Message;
  EXPECT_EQ(R.Id, "read no, write no, temp yes, here no") << R.Message;
}

TEST(GpuSandbox, CanBeSwitchedOff) {
  setenv("KCHECK_GPU_SANDBOX", "none", 1);
  GpuConfinement G = confineGpuWorker("/usr/bin/true", false);
  unsetenv("KCHECK_GPU_SANDBOX");
  EXPECT_EQ(G.Kind, SandboxKind::None);
  EXPECT_FALSE(G.Enter);
  EXPECT_NE(G.Why.find("switched off"), std::string::npos);
}

TEST(GpuSandbox, RootSaysWhyNot) {
  GpuConfinement G = confineGpuWorker("/usr/bin/true", true);
  EXPECT_FALSE(G.Enter);
  EXPECT_NE(G.Why.find("root"), std::string::npos);
}

} // namespace
