#!/usr/bin/env python3
"""Each shortcut past the work in test/integration/cheats is rejected on the simulator, with the tags that its first line names, also
where the static track says nothing; a tag with bars is one of several. Usage: BUILD SOURCE."""
import glob
import json
import os
import re
import subprocess
import sys


def main():
    build, source = sys.argv[1:3]
    kcheck = os.path.join(build, "tools", "kcheck", "kcheck")
    worker = os.path.join(build, "tools", "kcheck-sim", "kcheck-sim")
    if not os.path.exists(worker) or not os.path.exists(kcheck):
        print("kcheck or kcheck-sim is not built")
        return 77
    faults, count = [], 0
    for path in sorted(glob.glob(os.path.join(source, "test/integration/cheats/*.cu"))):
        with open(path, encoding="utf-8") as f:
            op, tags = re.match(r"// op: (\w+)  tags: (.*)", f.readline()).groups()
        done = subprocess.run([kcheck, "check", path, "--op", op, "--device", "sim", "--keep-going", "--format", "json"],
                              capture_output=True, text=True, timeout=300)
        count += 1
        try:
            result = json.loads(done.stdout)["results"][0]
        except (ValueError, IndexError):
            faults.append(f"{os.path.basename(path)}: no report: {done.stderr[-400:]}")
            continue
        found = {f["tag"] for f in result["dynamic"].get("findings", []) if f["severity"] == "reject"}
        if result["verdict"] != "REJECT" or done.returncode != 1 or not all(set(t.split("|")) & found for t in tags.split()):
            faults.append(f"{os.path.basename(path)}: wanted {tags}, got {result['verdict']} {sorted(found)} {result['reasons']} {done.stderr[-300:]}")
    print("\n".join(faults) or f"{count} shortcuts rejected by their names")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
