#!/usr/bin/env python3
"""Every pair of test/integration/guard: a parent, and a candidate that cheats or does no harm. The first line of a file says what the guard must find:
a verdict and, with one that is no PASS, the tags of which one must stand there. Usage: BUILD SOURCE [NAME...]."""
import json
import os
import re
import subprocess
import sys
import tempfile


def judged(kcheck, text, work):
    """(verdict and tags that are expected, those that come)"""
    first, parent, candidate = re.match(r"// expect: (.*)\n(?:.*\n)*?//--- parent\n((?:.*\n)*?)//--- candidate\n((?:.*\n)*)", text).groups()
    paths = []
    for name, source in (("parent.cu", parent), ("candidate.cu", candidate)):
        paths.append(os.path.join(work, name))
        with open(paths[-1], "w", encoding="utf-8") as f:
            f.write(source)
    done = subprocess.run([kcheck, "guard", "--json", *paths], capture_output=True, text=True, timeout=300)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return first, "ended with %d: %s" % (done.returncode, done.stderr[-300:]), []
    return first, report["verdict"], [v["tag"] for v in report["violations"]]


def main():
    kcheck = os.path.join(os.path.abspath(sys.argv[1]), "tools/kcheck/kcheck")
    folder = os.path.join(os.path.abspath(sys.argv[2]), "test/integration/guard")
    if not os.path.exists(kcheck):
        print("kcheck is not built")
        return 77
    names, wrong = sorted(n for n in os.listdir(folder) if n.endswith(".cu")), 0
    for name in names:
        if sys.argv[3:] and name[:-3] not in sys.argv[3:]:
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as f, tempfile.TemporaryDirectory() as work:
            expected, verdict, tags = judged(kcheck, f.read(), work)
        want, _, some = expected.partition(" ")
        if verdict != want or (some and not set(some.split("|")) & set(tags)) or (not some and tags):
            wrong += 1
            print(f"{name}: expected {expected}, got {verdict} {' '.join(tags)}")
    print(f"{len(names)} pairs, {wrong} wrong")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
