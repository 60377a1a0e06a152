#!/usr/bin/env python3
"""kcheck sim runs a program in its sandbox: output first, then the report, exit status by verdict. Usage: BUILD SOURCE."""
import json
import os
import subprocess
import sys


def main():
    build, source = sys.argv[1:3]
    kcheck = os.path.join(build, "tools/kcheck/kcheck")
    if not os.path.exists(kcheck) or not os.path.exists(os.path.join(build, "tools/kcheck-sim/kcheck-sim")):
        print("kcheck or kcheck-sim is not built")
        return 77
    if not os.path.exists(os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "include/cuda_runtime.h")):
        print("no CUDA toolkit")
        return 77
    programs = os.path.join(source, "test/sim/programs")

    def run(*words):
        return subprocess.run([kcheck, "sim", *words], capture_output=True, text=True, timeout=500)

    p = run(os.path.join(programs, "clean.cu"), "--", "3000")
    if "sandbox does not work" in p.stderr:
        print(p.stderr.strip())
        return 77
    faults = []
    if p.returncode != 0 or not p.stdout.startswith("sum 6000 min 2") or not p.stdout.rstrip().endswith("result: PASS"):
        faults.append("clean.cu: status %d\n%s%s" % (p.returncode, p.stdout, p.stderr))
    p = run("--format", "json", os.path.join(programs, "misuse.cu"))
    try:
        report = json.loads(p.stdout)
        tags = {f["tag"] for f in report["findings"]}
        wanted = {"out_of_bounds_global", "launch_config", "memcpy_size", "memcpy_direction", "double_free", "leak"}
        if p.returncode != 1 or report["verdict"] != "REJECT" or not wanted <= tags or report["printed"] != "done\n":
            faults.append("misuse.cu: status %d\n%s" % (p.returncode, p.stdout))
    except ValueError:
        faults.append("misuse.cu: no JSON: %s%s" % (p.stdout, p.stderr))
    p = run(os.path.join(programs, "no-such-file.cu"))
    if p.returncode != 2 or "no such file" not in p.stderr:
        faults.append("a missing file: status %d %s" % (p.returncode, p.stderr))
    print("\n".join(faults) or "kcheck sim passes")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
