#include "runner/client/sandbox/Filter.h"

#ifdef KCHECK_HAVE_SECCOMP
#include <cerrno>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace kcheck::client;

bool kcheck::client::haveSystemCallFilter() { return true; }

static void refuse(scmp_filter_ctx F, const char *Name, int Error = EPERM) {
  int Call = seccomp_syscall_resolve_name(Name);
  if (Call != __NR_SCMP_ERROR)
    seccomp_rule_add(F, SCMP_ACT_ERRNO(Error), Call, 0);
}

std::string kcheck::client::systemCallFilter(bool Shared, bool Forks, const std::vector<pid_t> &Protected) {
  scmp_filter_ctx F = seccomp_init(SCMP_ACT_ALLOW);
  if (!F)
    return {};
  // Other processes, the kernel's insides, the machine.
  for (const char *Name : {"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp", "bpf",
                           "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "kexec_load", "kexec_file_load", "init_module",
                           "finit_module", "delete_module", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "settimeofday",
                           "clock_settime", "adjtimex", "clock_adjtime", "sethostname", "setdomainname", "iopl", "ioperm", "syslog", "nfsservctl",
                           "lookup_dcookie", "vhangup", "fanotify_init", "open_by_handle_at", "name_to_handle_at"})
    refuse(F, Name);
  // Namespaces and mounts: a new user namespace brings back what was taken away.
  for (const char *Name : {"mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "fsopen", "fsconfig", "fsmount", "fspick",
                           "open_tree", "move_mount", "mount_setattr", "mknod", "mknodat"})
    refuse(F, Name);
  for (unsigned long Flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP})
    seccomp_rule_add(F, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, Flag, Flag));
  refuse(F, "clone3", ENOSYS); // its flags lie in memory; the C library then takes clone
  if (!Forks) {
    refuse(F, "fork", EAGAIN);
    refuse(F, "vfork", EAGAIN);
    seccomp_rule_add(F, SCMP_ACT_ERRNO(EAGAIN), SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  }
  // The network. io_uring makes sockets without these calls. Pairs of connected sockets stay.
  for (const char *Name : {"socket", "connect", "bind", "listen", "accept", "accept4", "io_uring_setup", "io_uring_enter", "io_uring_register"})
    refuse(F, Name, EACCES);
  // Keystrokes into a terminal.
  seccomp_rule_add(F, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, 0x5412 /*TIOCSTI*/));
  seccomp_rule_add(F, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, 0x541c /*TIOCLINUX*/));
  if (Shared) {
    // Landlock has no say over modes, owners, times and attributes of files.
    for (const char *Name : {"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat",
                             "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "setxattrat",
                             "removexattrat", "setpriority", "sched_setscheduler", "ioprio_set", "shmget", "shmat", "msgget", "semget",
                             "mq_open"})
      refuse(F, Name);
    for (pid_t P : Protected)
      for (const char *Name : {"kill", "tgkill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open"}) {
        int Call = seccomp_syscall_resolve_name(Name);
        seccomp_rule_add(F, SCMP_ACT_ERRNO(EPERM), Call, 1, SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffffu, uint32_t(P)));
      }
    // Whole groups: "everyone I may signal" is -1; negative numbers are process groups.
    seccomp_rule_add(F, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(kill), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, 0x80000000u, 0x80000000u));
  }
  std::string Program;
  int Memory = memfd_create("filter", MFD_CLOEXEC);
  if (Memory >= 0 && seccomp_export_bpf(F, Memory) == 0) {
    off_t Size = lseek(Memory, 0, SEEK_END);
    Program.resize(Size > 0 ? Size : 0);
    if (pread(Memory, Program.data(), Program.size(), 0) != ssize_t(Program.size()))
      Program.clear();
  }
  if (Memory >= 0)
    close(Memory);
  seccomp_release(F);
  return Program;
}

#else

bool kcheck::client::haveSystemCallFilter() { return false; }
std::string kcheck::client::systemCallFilter(bool, bool, const std::vector<pid_t> &) { return {}; }

#endif
