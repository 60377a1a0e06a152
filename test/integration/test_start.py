#!/usr/bin/env python3
"""kcheck loads nothing but the C and C++ libraries, and starts in a moment."""
import os, subprocess, sys, time

kcheck = os.path.join(sys.argv[1], "tools/kcheck/kcheck")
out = subprocess.run(["readelf", "-d", kcheck], capture_output=True, text=True, check=True).stdout
needed = {line.split("[")[1].split("]")[0] for line in out.splitlines() if "(NEEDED)" in line}
allowed = ("libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "ld-linux", "libdl.so", "libpthread.so", "librt.so")
others = sorted(n for n in needed if not n.startswith(allowed))
if "asan" in out or any("asan" in n or "ubsan" in n for n in others):
    print("skipped: a sanitizer's build")
    sys.exit(77)
assert not others, f"loaded at start: {others}"


def cpu_seconds():
    before = os.times()
    subprocess.run([kcheck, "--version"], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


# The clock of a busy machine says little; the processor time of the best of many runs does. The counter has
# steps of 10 ms, so it is taken over a hundred runs.
runs = 100
start = time.monotonic()
total = sum(cpu_seconds() for _ in range(runs))
mean = total / runs * 1000
print(f"--version: {mean:.1f} ms of processor time, {(time.monotonic() - start) / runs * 1000:.1f} ms on the clock; needs {sorted(needed)}")
assert mean < 20, "kcheck --version takes too long"
