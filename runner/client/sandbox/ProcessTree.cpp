#include "runner/client/sandbox/ProcessTree.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck::client;

static std::string readSmall(const std::string &Path) {
  std::string Text;
  int FD = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (FD < 0)
    return Text;
  char Buffer[4096];
  for (ssize_t N; (N = read(FD, Buffer, sizeof(Buffer))) > 0;)
    Text.append(Buffer, N);
  close(FD);
  return Text;
}

static uint64_t fieldKB(const std::string &Status, const char *Name) {
  size_t At = Status.find(Name);
  return At == std::string::npos ? 0 : strtoull(Status.c_str() + At + strlen(Name), nullptr, 10);
}

static void addUse(pid_t Pid, TreeUse &Use, unsigned Depth) {
  if (Depth > 200 || Use.Processes > 5000)
    return;
  std::string Base = "/proc/" + std::to_string(Pid);
  std::string Status = readSmall(Base + "/status");
  if (Status.empty())
    return;
  ++Use.Processes;
  Use.Bytes += (fieldKB(Status, "RssAnon:") + fieldKB(Status, "RssShmem:")) * 1024;
  DIR *Tasks = opendir((Base + "/task").c_str());
  if (!Tasks)
    return;
  while (dirent *E = readdir(Tasks)) {
    if (E->d_name[0] == '.')
      continue;
    std::string Children = readSmall(Base + "/task/" + E->d_name + "/children");
    for (char *P = Children.data(); *P;) {
      char *End;
      long Child = strtol(P, &End, 10);
      if (End == P)
        break;
      addUse(pid_t(Child), Use, Depth + 1);
      P = *End ? End + 1 : End;
    }
  }
  closedir(Tasks);
}

TreeUse kcheck::client::useOfTree(pid_t Root) {
  TreeUse Use;
  addUse(Root, Use, 0);
  return Use;
}

uint64_t kcheck::client::bytesBelow(const std::string &Folder) {
  uint64_t Sum = 0;
  std::error_code EC;
  std::filesystem::recursive_directory_iterator It(Folder, std::filesystem::directory_options::skip_permission_denied, EC), End;
  for (; !EC && It != End; It.increment(EC)) {
    std::error_code Gone;
    if (It->symlink_status(Gone).type() == std::filesystem::file_type::regular)
      Sum += It->file_size(Gone);
  }
  return Sum;
}

namespace {
struct Entry {
  uint64_t Inode;
  int64_t Offset;
  unsigned short Length;
  unsigned char Type;
  char Name[];
};
} // namespace

/// Parent of a process from /proc/PID/stat, 0 when it is gone.
static pid_t parentOf(const char *Name) {
  char Path[64] = "/proc/", Text[512];
  strncat(Path, Name, 20);
  strncat(Path, "/stat", 6);
  int FD = open(Path, O_RDONLY | O_CLOEXEC);
  if (FD < 0)
    return 0;
  ssize_t N = read(FD, Text, sizeof(Text) - 1);
  close(FD);
  if (N <= 0)
    return 0;
  Text[N] = 0;
  char *After = strrchr(Text, ')'); // the name may hold anything
  if (!After || strlen(After) < 5)
    return 0;
  pid_t Parent = 0;
  for (char *P = After + 4; *P >= '0' && *P <= '9'; ++P)
    Parent = Parent * 10 + (*P - '0');
  return Parent;
}

void kcheck::client::killAllChildren() {
  pid_t Self = getpid();
  for (unsigned Round = 0; Round < 100000; ++Round) {
    int FD = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    alignas(Entry) char Buffer[8192];
    for (long N; FD >= 0 && (N = syscall(SYS_getdents64, FD, Buffer, sizeof(Buffer))) > 0;)
      for (long At = 0; At < N;) {
        Entry *E = reinterpret_cast<Entry *>(Buffer + At);
        if (E->Name[0] >= '0' && E->Name[0] <= '9' && parentOf(E->Name) == Self) {
          pid_t Pid = 0;
          for (char *P = E->Name; *P; ++P)
            Pid = Pid * 10 + (*P - '0');
          kill(Pid, SIGKILL);
        }
        At += E->Length;
      }
    if (FD >= 0)
      close(FD);
    for (;;) {
      pid_t Dead = waitpid(-1, nullptr, WNOHANG);
      if (Dead < 0)
        return; // no child is left
      if (Dead == 0)
        break;
    }
    usleep(500);
  }
}
