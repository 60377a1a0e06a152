//===- DeviceLock.h - who may use a device while a clock runs on it -----------------------===//
//
//   running and judging: Shared, any number of processes │ timing and counting: Alone
//
// Between processes, by a lock on a file: a search beside another one, or a server beside a check, measures as if it were alone.
//
//===----------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_DEVICELOCK_H
#define KCHECK_GPU_DEVICELOCK_H

#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <unistd.h>

namespace kcheck::gpu {

class DeviceLock {
public:
  enum Kind { Shared = LOCK_SH, Alone = LOCK_EX };

  /// Where the sandbox leaves no place for the file there is no lock.
  DeviceLock(const std::string &Uuid, Kind K) {
    for (const char *Folder : {"/dev/shm", "/tmp"}) {
      std::string Path = std::string(Folder) + "/kcheck-" + Uuid + ".lock";
      FD = open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW); // first without making it: another user's is as good
      if (FD < 0)
        FD = open(Path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
      if (FD >= 0)
        break;
    }
    if (FD >= 0)
      flock(FD, K);
  }
  ~DeviceLock() {
    if (FD >= 0)
      close(FD);
  }
  DeviceLock(const DeviceLock &) = delete;
  DeviceLock &operator=(const DeviceLock &) = delete;

private:
  int FD = -1;
};

} // namespace kcheck::gpu
#endif
