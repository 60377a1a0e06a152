#!/usr/bin/env python3
"""Each example gets the verdict and the tags that its first line names, run on the simulator against its task. Usage: BUILD SOURCE."""
import glob
import os
import re
import subprocess
import sys


def main():
    build, source = sys.argv[1], sys.argv[2]
    kcheck = os.path.join(build, "tools", "kcheck", "kcheck")
    worker = os.path.join(build, "tools", "kcheck-sim", "kcheck-sim")
    if not os.path.exists(worker) or not os.path.exists(kcheck):
        print("kcheck or kcheck-sim is not built")
        return 77
    env = dict(os.environ, PATH=os.path.dirname(worker) + os.pathsep + os.environ.get("PATH", ""))
    faults, count = [], 0
    for task in sorted(glob.glob(os.path.join(source, "examples", "*", "task.yaml"))):
        for candidate in sorted(glob.glob(os.path.join(os.path.dirname(task), "*.cu"))):
            with open(candidate, encoding="utf-8") as f:
                wanted, *tags = re.search(r"verdict: (\w+.*)", f.readline()).group(1).split()
            done = subprocess.run([kcheck, "check", candidate, "--task", task, "--device", "sim"], capture_output=True, text=True, env=env, timeout=300)
            found = re.search(r"^result: (\w+)", done.stdout, re.M)
            count += 1
            missing = [t for t in tags if f" {t}: " not in done.stdout]
            if not found or found.group(1) != wanted or missing or done.returncode != (wanted == "REJECT"):
                faults.append(f"{os.path.relpath(candidate, source)}: wanted {wanted}, status {done.returncode}\n{done.stdout}{done.stderr}")
    print("\n".join(faults) or f"{count} examples as they say")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
