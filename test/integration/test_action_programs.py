#!/usr/bin/env python3
"""Kernels that no task describes: what their launchers change must be the same after each action. Usage: BUILD SOURCE."""
import json
import os
import shutil
import subprocess
import sys
import tempfile


def main():
    build, source = sys.argv[1:3]
    kcheck = os.path.join(build, "tools/kcheck/kcheck")
    if not os.path.exists(kcheck) or not os.path.exists(os.path.join(build, "tools/kcheck-sim/kcheck-sim")):
        print("kcheck or kcheck-sim is not built")
        return 77
    if not os.path.exists(os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "include/cuda_runtime.h")):
        print("no CUDA toolkit")
        return 77
    sys.path.insert(0, os.path.join(source, "script"))
    from programs import Programs, launchers, same
    bad = 0
    assert not same("0 12 = 1.000000e+00", "0 13 = 1.000000e+00") and same("0 12 = 1.000000e+00", "0 12 = 1.000001e+00")
    programs = Programs(kcheck, 300)
    path = os.path.join(source, "test/lit/actions/wide.cu")
    before, why = programs.of(path, [])
    if before is None and "sandbox" in (why or ""):
        print(why)
        return 77
    if not before:
        print("FAIL: %s" % why)
        return 1
    with open(path, encoding="utf-8") as f:
        bad += len(programs.chosen[os.path.abspath(path)][0]) != len(launchers(f.read()))
    report = json.loads(subprocess.run([kcheck, "actions", "--json", path], capture_output=True, text=True, check=True).stdout)
    with tempfile.TemporaryDirectory() as folder:
        for action in ("coarsen", "grid-stride", "vectorize-loads", "block-shape"):
            new = shutil.copy(path, os.path.join(folder, action + ".cu"))
            kernels = [s["kernel"] for a in report["actions"] if a["action"] == action for s in a["sites"] if s["applies"]]
            for k in kernels:
                p = subprocess.run([kcheck, "rewrite", new, "--action", action, "--kernel", k, "--in-place"], capture_output=True, text=True)
                bad += p.returncode != 0
                print("%s %s %s%s" % ("FAIL" if p.returncode else "ok  ", action, k, p.stderr if p.returncode else ""))
            after, why = programs.of(path, [], new=new)
            good = after is not None and same(before, after) and len(kernels) >= 4
            bad += not good
            print("%s %s: %d kernels%s" % ("ok  " if good else "FAIL", action, len(kernels), "" if good else ": " + (why or "something else is written")))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
