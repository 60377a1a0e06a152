// kcheck-gpu-guest: the process in which a candidate's own host code runs, without a GPU. Started by kcheck-gpu (runner/gpu/HostCode.h).
#include "runner/client/sandbox/Landlock.h"
#include "runner/client/sandbox/Launch.h"
#include "runner/gpu/guest/Guest.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

using namespace kcheck;

/// Files: the system's and the libraries, to read. Of root nothing is left but the name of nobody. Empty: done.
static std::string confine(const std::string &Folder) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || chdir("/"))
    return "privileges cannot be given up";
  const char *Choice = getenv("KCHECK_GPU_SANDBOX");
  bool Wanted = !Choice || strcmp(Choice, "none") != 0, Root = geteuid() == 0;
  std::vector<std::string> Read = client::systemReadPaths();
  Read.push_back(Folder);
  int Rules = client::landlockAbi() ? client::makeLandlockRules(Read, {}, {"/dev/null"}) : -1;
  bool Closed = Rules >= 0 && client::enterLandlock(Rules);
  if (Rules >= 0)
    close(Rules);
  constexpr unsigned Nobody = 65534;
  bool Left = Root && setgroups(0, nullptr) == 0 && setresgid(Nobody, Nobody, Nobody) == 0 && setresuid(Nobody, Nobody, Nobody) == 0;
  if (Wanted && !Closed && !Left)
    return "the kernel has no landlock";
  clearenv();
  return "";
}

int main(int Argc, char **Argv) {
  if (Argc < 4) {
    fputs("kcheck-gpu-guest is started by kcheck-gpu\n", stderr);
    return 2;
  }
  std::vector<std::string> Libraries(Argv + 3, Argv + Argc);
  gpu::runGuest(Libraries, guest::Wire(atoi(Argv[1]), atoi(Argv[2])), [&] { return confine(std::filesystem::path(Libraries.front()).parent_path()); });
}
