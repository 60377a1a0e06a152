#include "runner/client/sandbox/ProcessBound.h"
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace kcheck::client;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> split(const std::string &Text, char At) {
  std::vector<std::string> Parts;
  std::istringstream In(Text);
  for (std::string Part; std::getline(In, Part, At);)
    Parts.push_back(Part);
  return Parts;
}

bool holds(const std::vector<std::string> &Words, const std::string &Word) {
  for (const std::string &W : Words)
    if (W == Word)
      return true;
  return false;
}

/// Where the hierarchy with the pids controller is mounted, and its version.
struct Mounted {
  std::string Point;
  bool Unified = false;
};

/// cgroups(7), /proc/self/mountinfo: "... <mount point> <options> - <type> <source> <super options>".
std::vector<Mounted> hierarchies() {
  std::vector<Mounted> Found;
  std::ifstream In("/proc/self/mountinfo");
  for (std::string Line; std::getline(In, Line);) {
    size_t Dash = Line.find(" - ");
    if (Dash == std::string::npos)
      continue;
    std::vector<std::string> Front = split(Line.substr(0, Dash), ' '), Back = split(Line.substr(Dash + 3), ' ');
    if (Front.size() < 5 || Back.size() < 3)
      continue;
    if (Back[0] == "cgroup" && holds(split(Back[2], ','), "pids"))
      Found.push_back({Front[4], false});
    else if (Back[0] == "cgroup2")
      Found.push_back({Front[4], true});
  }
  return Found;
}

/// The calling process's own group within a hierarchy: "<id>:<controllers>:<path>", no controllers in version 2.
std::string ownGroup(bool Unified) {
  std::ifstream In("/proc/self/cgroup");
  for (std::string Line; std::getline(In, Line);) {
    std::vector<std::string> Parts = split(Line, ':');
    if (Parts.size() == 3 && (Unified ? Parts[1].empty() : holds(split(Parts[1], ','), "pids")))
      return Parts[2];
  }
  return {};
}

bool writeText(const std::string &Path, const std::string &Text) {
  int FD = open(Path.c_str(), O_WRONLY | O_CLOEXEC);
  if (FD < 0)
    return false;
  bool Written = write(FD, Text.data(), Text.size()) == ssize_t(Text.size());
  close(FD);
  return Written;
}

} // namespace

ProcessGroup::ProcessGroup(ProcessGroup &&Other) noexcept : Folder(std::exchange(Other.Folder, {})) {}

ProcessGroup &ProcessGroup::operator=(ProcessGroup &&Other) noexcept {
  std::swap(Folder, Other.Folder);
  return *this;
}

ProcessGroup::~ProcessGroup() {
  if (!valid())
    return;
  for (unsigned Round = 0; Round < 20; ++Round) {
    killAll();
    if (rmdir(Folder.c_str()) == 0 || errno != EBUSY)
      return;
    usleep(2000); // the last member is not quite gone
  }
}

ProcessGroup ProcessGroup::make(unsigned Max) {
  static std::atomic<unsigned> Counter = 0;
  std::string Name = "kcheck-" + std::to_string(getpid()) + "-" + std::to_string(Counter++);
  for (const Mounted &M : hierarchies()) {
    std::string Own = ownGroup(M.Unified);
    if (Own.empty())
      continue;
    // In version 2 a group with processes may not hold groups with controllers: a sibling serves then.
    for (const std::string &Base : {M.Point + Own, fs::path(M.Point + Own).parent_path().string()}) {
      ProcessGroup G;
      std::string Folder = Base + "/" + Name;
      rmdir(Folder.c_str()); // left by a killed process of the same number
      if (Base.size() < M.Point.size() || mkdir(Folder.c_str(), 0755) != 0)
        continue;
      G.Folder = Folder;
      int Entry = G.openEntry();
      if (Entry >= 0)
        close(Entry);
      if (Entry >= 0 && writeText(Folder + "/pids.max", std::to_string(Max)))
        return G;
    }
  }
  return {};
}

int ProcessGroup::openEntry() const { return open((Folder + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC); }

void ProcessGroup::killAll() const {
  writeText(Folder + "/pids.max", "0");
  for (unsigned Round = 0; Round < 500; ++Round) {
    std::ifstream Members(Folder + "/cgroup.procs");
    bool Any = false;
    for (pid_t Pid; Members >> Pid; Any = true)
      kill(Pid, SIGKILL);
    if (!Any)
      return;
    usleep(2000);
  }
}

unsigned kcheck::client::threadsOfThisUser() {
  unsigned Sum = 0;
  std::error_code EC;
  uid_t Self = getuid();
  for (fs::directory_iterator It("/proc", EC), End; !EC && It != End; It.increment(EC)) {
    struct stat S;
    std::string Path = It->path().string();
    if (!isdigit(static_cast<unsigned char>(It->path().filename().string()[0])) || stat(Path.c_str(), &S) != 0 || S.st_uid != Self)
      continue;
    std::ifstream In(Path + "/status");
    for (std::string Word; In >> Word;)
      if (Word == "Threads:") {
        unsigned Count = 0;
        In >> Count;
        Sum += Count;
        break;
      }
  }
  return Sum;
}
