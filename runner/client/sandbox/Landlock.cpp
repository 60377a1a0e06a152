#include "runner/client/sandbox/Landlock.h"
#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kcheck::client;

namespace {

// The system's header may be older than the kernel, so the interface is written out here.
struct RulesetAttr {
  uint64_t Files, Net, Scoped;
};
struct __attribute__((packed)) PathBeneath {
  uint64_t Allowed;
  int32_t Parent;
};
enum Right : uint64_t {
  Execute = 1, WriteFile = 1 << 1, ReadFile = 1 << 2, ReadDir = 1 << 3, RemoveDir = 1 << 4, RemoveFile = 1 << 5, MakeChar = 1 << 6,
  MakeDir = 1 << 7, MakeReg = 1 << 8, MakeSock = 1 << 9, MakeFifo = 1 << 10, MakeBlock = 1 << 11, MakeSym = 1 << 12, Refer = 1 << 13,
  Truncate = 1 << 14, IoctlDev = 1 << 15
};

long createRuleset(const RulesetAttr *A, size_t Size, unsigned Flags) { return syscall(444, A, Size, Flags); }

void addPath(int Rules, const std::string &Path, uint64_t Allowed, uint64_t Handled) {
  int FD = open(Path.c_str(), O_PATH | O_CLOEXEC);
  if (FD < 0)
    return;
  struct stat S;
  if (fstat(FD, &S) == 0) {
    if (!S_ISDIR(S.st_mode))
      Allowed &= Execute | WriteFile | ReadFile | Truncate | IoctlDev;
    PathBeneath Rule{Allowed & Handled, FD};
    syscall(445, Rules, 1 /*LANDLOCK_RULE_PATH_BENEATH*/, &Rule, 0);
  }
  close(FD);
}

} // namespace

int kcheck::client::landlockAbi() {
  long Abi = createRuleset(nullptr, 0, 1 /*LANDLOCK_CREATE_RULESET_VERSION*/);
  return Abi > 0 ? int(Abi) : 0;
}

int kcheck::client::makeLandlockRules(const std::vector<std::string> &Read, const std::vector<std::string> &Write,
                                      const std::vector<std::string> &Devices) {
  int Abi = landlockAbi();
  if (!Abi)
    return -1;
  RulesetAttr A{};
  A.Files = (1 << 13) - 1;
  if (Abi >= 2)
    A.Files |= Refer;
  if (Abi >= 3)
    A.Files |= Truncate;
  if (Abi >= 5)
    A.Files |= IoctlDev;
  size_t Size = sizeof(uint64_t);
  if (Abi >= 4) {
    A.Net = 3; // bind and connect by TCP
    Size = 2 * sizeof(uint64_t);
  }
  if (Abi >= 6) {
    A.Scoped = 3; // abstract sockets and signals stay inside
    Size = sizeof(A);
  }
  int Rules = createRuleset(&A, Size, 0);
  if (Rules < 0)
    return -1;
  for (const std::string &P : Read)
    addPath(Rules, P, Execute | ReadFile | ReadDir, A.Files);
  for (const std::string &P : Write)
    addPath(Rules, P, A.Files & ~uint64_t(MakeChar | MakeBlock | IoctlDev), A.Files);
  for (const std::string &P : Devices)
    addPath(Rules, P, ReadFile | WriteFile | ReadDir | IoctlDev, A.Files);
  return Rules;
}

bool kcheck::client::enterLandlock(int Rules) { return syscall(446, Rules, 0) == 0; }
