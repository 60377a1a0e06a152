#!/usr/bin/env python3
"""Candidates whose launcher has to run itself: the verdict without and with --trust-host, and the tags, as their first line says. A tag
with bars is one of several. Usage: BUILD SOURCE."""
import glob
import json
import os
import re
import subprocess
import sys


def check(kcheck, path, op, more):
    done = subprocess.run([kcheck, "check", path, "--op", op, "--device", "sim", "--keep-going", "--format", "json", *more],
                          capture_output=True, text=True, timeout=300)
    try:
        return json.loads(done.stdout)["results"][0]
    except (ValueError, IndexError):
        return {"verdict": "none: " + done.stderr[-400:], "reasons": [], "dynamic": {}, "static": {}}


def main():
    build, source = sys.argv[1:3]
    kcheck = os.path.join(build, "tools", "kcheck", "kcheck")
    if not os.path.exists(os.path.join(build, "tools", "kcheck-sim", "kcheck-sim")) or not os.path.exists(kcheck):
        print("kcheck or kcheck-sim is not built")
        return 77
    faults, count = [], 0
    for path in sorted(glob.glob(os.path.join(source, "test/integration/launcher/*.cu"))):
        name = os.path.basename(path)
        with open(path, encoding="utf-8") as f:
            op, plain, trusted, tags = re.match(r"// op: (\w+)  verdict: (\w+) (\w+)  tags: (.*)", f.readline()).groups()
        for want, more in ((plain, []), (trusted, ["--trust-host"])):
            count += 1
            result = check(kcheck, path, op, more)
            dynamic = result["dynamic"]
            found = {f["tag"] for f in dynamic.get("findings", [])} | set(result["reasons"])
            missing = [t for t in tags.split() if not set(t.split("|")) & found and not (more and t == "host_code_executed")]
            verdict = result["verdict"]
            if verdict != want or missing or not dynamic.get("host_code_executed"):
                faults.append(f"{name} {more}: wanted {want} with {tags}, got {verdict} {sorted(found)}")
    print("\n".join(faults) or f"{count} runs of launchers as they should be")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
