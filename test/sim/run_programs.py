#!/usr/bin/env python3
"""Runs whole programs on the simulator and compares what it finds with the lines' comments.

    // PROGRAM: ARGS     // PRINTS: text     // EXIT: 0     // STATE: ok
    call(...); //~ tag    found in this line;   //~? tag   may be found, anywhere
"""
import json
import os
import re
import subprocess
import sys
import tempfile


def check(worker, path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    args, prints, status, state = [], [], 0, "ok"
    must, may = set(), set()
    for n, line in enumerate(text.split("\n"), 1):
        m = re.match(r"// (PROGRAM|PRINTS|EXIT|STATE): (.*)", line)
        if m:
            word, value = m.groups()
            if word == "PROGRAM":
                args = value.split()
            elif word == "PRINTS":
                prints.append(value)
            elif word == "EXIT":
                status = int(value)
            else:
                state = value
        for sure, tags in re.findall(r"//~(\??) ([\w ]+)", line):
            for t in tags.split():
                may.add(t) if sure else must.add((t, n))
    with tempfile.TemporaryFile("w+") as answer:
        fd = answer.fileno()
        p = subprocess.run([worker, "--program", "--seconds", "30", "--answer-fd", str(fd), path, "--"] + args, capture_output=True, text=True,
                           pass_fds=[fd], timeout=300, stdin=subprocess.DEVNULL)
        answer.seek(0)
        words = answer.read()
    if not words:
        return ["no result: %s %s" % (p.returncode, p.stderr[-500:])]
    r = json.loads(words)
    faults = []
    if r["state"] != state:
        faults.append("state %s (%s), not %s" % (r["state"], r["message"], state))
    if r.get("exit_status", 0) != status:
        faults.append("exit status %s, not %s" % (r.get("exit_status"), status))
    for want in prints:
        if want not in p.stdout:
            faults.append("does not print '%s' but '%s'" % (want, p.stdout[-300:]))
    seen = {(f["tag"], f["where"]["line"]) for f in r["findings"]}
    for f in r["findings"]:
        if (f["tag"], f["where"]["line"]) not in must and f["tag"] not in may:
            faults.append("unexpected %s in line %d: %s" % (f["tag"], f["where"]["line"], f["message"]))
    faults += ["missing %s in line %d" % m for m in sorted(must - seen)]
    return faults


def main():
    worker, folder = sys.argv[1:3]
    files = [folder] if folder.endswith(".cu") else sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".cu"))
    bad = 0
    for path in files:
        faults = check(worker, path)
        bad += bool(faults)
        print("%s %s" % ("FAIL" if faults else "ok  ", os.path.basename(path)))
        for f in faults:
            print("     " + f)
    print("%d of %d programs pass" % (len(files) - bad, len(files)))
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
