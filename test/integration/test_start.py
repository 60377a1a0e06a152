#!/usr/bin/env python3
"""kcheck loads nothing but the C and C++ libraries, and starts in a moment."""
import os, subprocess, sys

kcheck = os.path.join(sys.argv[1], "tools/kcheck/kcheck")
out = subprocess.run(["readelf", "-d", kcheck], capture_output=True, text=True, check=True).stdout
needed = {line.split("[")[1].split("]")[0] for line in out.splitlines() if "(NEEDED)" in line}
allowed = ("libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "ld-linux", "libdl.so", "libpthread.so", "librt.so")
others = sorted(n for n in needed if not n.startswith(allowed))
if "asan" in out or any("asan" in n or "ubsan" in n for n in others):
    print("skipped: a sanitizer's build")
    sys.exit(77)
assert not others, f"loaded at start: {others}"


def cpu_seconds(*words):
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return used.ru_utime + used.ru_stime


# The clock of a busy machine says little; the processor time of the best of many runs does, measured against a
# program that does nothing: 5 ms where that takes 1.
best = min(cpu_seconds(kcheck, "--version") for _ in range(30)) * 1000
unit = max(1.0, min(cpu_seconds("true") for _ in range(30)) * 1000)
print(f"--version: {best:.1f} ms of processor time, `true` {unit:.1f}; needs {sorted(needed)}")
assert best < 5 * unit, "kcheck --version takes too long"
