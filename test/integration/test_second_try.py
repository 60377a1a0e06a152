#!/usr/bin/env python3
"""A single file is read in the process that was started; what kills that process costs a second try, not the report."""
import os, signal, subprocess, sys, tempfile, time

kcheck = os.path.join(sys.argv[1], "tools/kcheck/kcheck")
folder = tempfile.mkdtemp()
slow = os.path.join(folder, "slow.cu")
with open(slow, "w") as f:
    # Some hundred thousand instantiations: seconds for the parser, within its bounds.
    f.write("""template <int N, int M> struct A { static const int v = A<N - 1, 2 * M>::v + A<N - 1, 2 * M + 1>::v; };
template <int M> struct A<0, M> { static const int v = M & 1; };
__global__ void k(int *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = A<13, 1>::v; }
""")


def start(*more):
    env = {**os.environ, "KCHECK_CACHE_DIR": folder}
    return subprocess.Popen([kcheck, "lint", slow, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def used_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def kill_first_try(how):
    child = start()
    while child.poll() is None and used_seconds(child.pid) < 0.15:  # it reads the file by then
        time.sleep(0.01)
    child.send_signal(how)
    out, err = child.communicate(timeout=50)
    return child.returncode, out, err


plain = start()
out, err = plain.communicate(timeout=50)
assert plain.returncode == 0 and "result: " in out, (plain.returncode, out, err)

for how in (signal.SIGSEGV, signal.SIGABRT):
    code, again, err = kill_first_try(how)
    assert code == 0 and again == out, (how, code, again, err)

code, out, err = kill_first_try(signal.SIGXCPU)
assert code == 2 and "takes more than" in err, (code, out, err)

code, out, err = kill_first_try(signal.SIGINT)
assert code == 2 and not out and "interrupted" in err, (code, out, err)

full = subprocess.run([kcheck, "lint", slow], stdout=open("/dev/full", "w"), stderr=subprocess.PIPE, text=True)
assert full.returncode == 2 and "No space left" in full.stderr, (full.returncode, full.stderr)
print("signals, bounds, interrupts and a full disk: as they should be")
