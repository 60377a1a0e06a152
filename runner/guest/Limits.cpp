// What the candidate's process may ask of the system, on top of the sandbox around the worker: it must not reach the files
// with the answers, the worker itself, or code that is not its own.
#include "runner/guest/Limits.h"
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <initializer_list>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace kcheck::guest;

namespace {

/// A BPF program, rule by rule; a call that no rule names is allowed.
class Filter {
public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); // the calls of another word size
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  }
  void refuse(std::initializer_list<int> Calls, int Error) {
    for (int Call : Calls) {
      add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(Call), 0, 1);
      add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | uint32_t(Error));
    }
  }
  /// Where one of the bits of an argument is set (Set) or all are clear (!Set).
  void onBits(int Call, unsigned Argument, uint32_t Bits, bool Set, uint32_t Action) { onArgument(BPF_JSET, Call, Argument, Bits, Set, Action); }
  /// Where an argument is (Same) or is not the value.
  void onValue(int Call, unsigned Argument, uint32_t Value, bool Same, uint32_t Action) { onArgument(BPF_JEQ, Call, Argument, Value, Same, Action); }
  bool install() {
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    sock_fprog Program{static_cast<unsigned short>(Code.size()), Code.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program) == 0;
  }

private:
  /// Where the test of an argument against Operand comes out as Holds says.
  void onArgument(uint16_t Test, int Call, unsigned Argument, uint32_t Operand, bool Holds, uint32_t Action) {
    add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(Call), 0, 4);
    load(uint32_t(offsetof(seccomp_data, args) + 8 * Argument));
    add(BPF_JMP | Test | BPF_K, Operand, Holds ? 0 : 1, Holds ? 1 : 0);
    add(BPF_RET | BPF_K, Action);
    load(offsetof(seccomp_data, nr));
  }
  void load(uint32_t Offset) { add(BPF_LD | BPF_W | BPF_ABS, Offset); }
  void add(uint16_t Op, uint32_t K, uint8_t True = 0, uint8_t False = 0) { Code.push_back({Op, True, False, K}); }
  std::vector<sock_filter> Code;
};

} // namespace

bool kcheck::guest::limitGuest(NewCode Code) {
  Filter F;
  // Files: to read only.
  constexpr uint32_t Writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  F.onBits(SYS_open, 1, Writes, true, SECCOMP_RET_ERRNO | EACCES);
  F.onBits(SYS_openat, 2, Writes, true, SECCOMP_RET_ERRNO | EACCES);
  F.refuse({SYS_openat2}, ENOSYS);
  F.refuse({SYS_creat, SYS_truncate, SYS_rename, SYS_renameat, SYS_renameat2, SYS_link, SYS_linkat, SYS_symlink, SYS_symlinkat, SYS_unlink,
            SYS_unlinkat, SYS_mkdir, SYS_mkdirat, SYS_rmdir, SYS_mknod, SYS_mknodat, SYS_chmod, SYS_fchmod, SYS_fchmodat, SYS_chown, SYS_lchown,
            SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_utimensat, SYS_mq_open, SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget, SYS_memfd_create},
           EACCES);
  // Other processes.
  F.refuse({SYS_fork, SYS_vfork, SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_open, SYS_pidfd_getfd,
            SYS_kcmp, SYS_tkill, SYS_rt_sigqueueinfo, SYS_setpriority, SYS_sched_setscheduler, SYS_io_uring_setup, SYS_io_uring_enter,
            SYS_io_uring_register, SYS_socket, SYS_connect, SYS_bind, SYS_unshare, SYS_setns, SYS_mount},
           EPERM);
  F.refuse({SYS_clone3}, ENOSYS); // the C library then takes clone
  F.onBits(SYS_clone, 0, CLONE_THREAD, false, SECCOMP_RET_ERRNO | EAGAIN);
  uint32_t Self = uint32_t(getpid());
  for (int Call : {SYS_kill, SYS_tgkill, SYS_rt_tgsigqueueinfo})
    F.onValue(Call, 0, Self, false, SECCOMP_RET_ERRNO | EPERM);
  F.onValue(SYS_prlimit64, 0, 0, false, SECCOMP_RET_ERRNO | EPERM);
  // Code: what is loaded is all there is. A change of what is executable is told (the signal), and not done.
  F.onBits(SYS_mprotect, 2, PROT_EXEC, true, SECCOMP_RET_TRAP);
  F.onBits(SYS_pkey_mprotect, 2, PROT_EXEC, true, SECCOMP_RET_TRAP);
  if (Code == NewCode::Refused)
    F.onBits(SYS_mmap, 2, PROT_EXEC, true, SECCOMP_RET_ERRNO | EACCES);
  F.refuse({SYS_remap_file_pages}, EACCES);
  F.onValue(SYS_rt_sigaction, 0, SIGSYS, true, SECCOMP_RET_ERRNO | EPERM);
  return F.install();
}

bool kcheck::guest::refuseNewCode() {
  Filter F;
  F.onBits(SYS_mmap, 2, PROT_EXEC, true, SECCOMP_RET_TRAP);
  return F.install();
}
