#!/usr/bin/env python3
"""Checks without a task: what the simulator finds at guessed sizes, and in whole programs. Usage: BUILD SOURCE."""
import json
import os
import re
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
    folder = os.path.join(source, "test/integration/guesses")
    bad = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as f:
            kind, words = re.match(r"(?://|#) (WANT|NOT_RUN):(.*)", f.readline()).groups()
        want = set(words.split())
        p = subprocess.run([kcheck, "check", "--device", "sim", "--keep-going", "--format", "json", path], capture_output=True, text=True, timeout=300)
        try:
            dynamic = json.loads(p.stdout)["results"][0]["dynamic"]
        except (ValueError, KeyError):
            print("FAIL %s: no report: %s%s" % (name, p.stdout[-300:], p.stderr[-300:]))
            bad += 1
            continue
        if "sandbox" in dynamic.get("why", ""):
            print(dynamic["why"])
            return 77
        if kind == "NOT_RUN":
            told = subprocess.run([kcheck, "check", "--device", "sim", path], capture_output=True, text=True, timeout=300).stdout
            good = dynamic["state"] == "not_run" and words.strip() in told
            bad += not good
            print("%s %s" % ("ok  " if good else "FAIL", name) + ("" if good else ": %s, %s" % (dynamic["state"], told[-400:])))
            continue
        found = {f["tag"] for f in dynamic["findings"] if f["severity"] != "note"}
        sure = {f["tag"] for f in dynamic["findings"] if f["severity"] == "reject"}
        good = dynamic["state"] == "done" and sure == want and (found == want or bool(want)) and (dynamic["verdict"] == "REJECT") == bool(want)
        good &= not name.startswith("program") or dynamic["host_code_executed"]
        bad += not good
        print("%s %s" % ("ok  " if good else "FAIL", name) + ("" if good else ": %s %s, found %s, wanted %s" % (dynamic["state"], dynamic["verdict"], sorted(found), sorted(want))))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
