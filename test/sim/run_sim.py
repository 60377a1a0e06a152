#!/usr/bin/env python3
"""Runs the launches that a .cu file asks for in comments, and compares findings with the lines' comments.

    // SIM: KERNEL grid=4 block=256 [shared=BYTES] [stream=1] args=a:f32[1024]:in,out:f32[1024]:out,i32=1024
    s[i] = s[i + 1]; //~ race_shared        a finding that must be reported in this line
    x = *p;          //~? race_blocks       one that may be
    // SIM-EXPECT: timeout                  one that is wanted at any line

Several SIM lines run in one job unless a line `// SIM-NEW` stands between. Anything reported but not listed,
or listed but not reported, fails. Arguments: NAME:TYPE[COUNT]:ROLE[:CONTENT] or TYPE=VALUE or null or NAME again.
CONTENT is ramp (default), zero, one, random or none.
"""
import base64
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

FORMAT = {"f64": "d", "f32": "f", "i64": "q", "u64": "Q", "i32": "i", "u32": "I", "i16": "h", "u16": "H", "i8": "b", "u8": "B", "f16": "e", "bool": "B"}


def content(dtype, count, kind):
    rng = random.Random(7)
    floating = dtype[0] == "f" or dtype == "bf16"
    if kind == "one":
        values = [1] * count
    elif kind == "random":
        values = [rng.random() for _ in range(count)] if floating else [rng.randrange(100) for _ in range(count)]
    else:
        values = [(i % 113) / 8 if floating else i % 113 for i in range(count)]
    if dtype == "bf16":
        return b"".join(struct.pack("<f", float(v))[2:] for v in values)
    return struct.pack("<%d%s" % (count, FORMAT[dtype]), *values)


def argument(text, buffers, steps):
    if text == "null":
        return {"pointer": None}
    if "=" in text:
        dtype, value = text.split("=")
        return {"type": dtype, "value": float(value) if dtype[0] in "f" or dtype == "bf16" else int(value, 0)}
    parts = text.split(":")
    name = parts[0]
    if len(parts) > 1:
        dtype, count = re.fullmatch(r"(\w+)\[(\d+)\]", parts[1]).groups()
        role = parts[2] if len(parts) > 2 else "in"
        kind = parts[3] if len(parts) > 3 else ("none" if role == "out" else "ramp")
        b = {"name": name, "dtype": dtype, "shape": [int(count)], "role": role}
        if kind == "none":
            b["content"] = "uninitialised"
        elif kind == "zero":
            b["content"] = "zero"
        else:
            b["content"] = "data"
            b["data"] = base64.b64encode(content(dtype, int(count), kind)).decode()
        buffers.append(b)
    return {"pointer": {"buffer": name}}


def dims(text):
    return [int(x) for x in text.split("x")]


def jobs_of(path, text):
    groups, current = [], []
    for line in text.split("\n"):
        if re.match(r"\s*// SIM-NEW", line) and current:
            groups.append(current)
            current = []
        m = re.match(r"\s*// (SIM|SIM-OUTPUT): (.*)", line)
        if m:
            current.append(("output " if m.group(1) == "SIM-OUTPUT" else "") + m.group(2))
    groups.append(current)
    for group in groups:
        buffers, steps, wanted = [], [], []
        for g in group:
            if g.startswith("output "):
                wanted.append(re.fullmatch(r"output (\w+)\[(\d+)\] = (\S+)", g).groups())
                continue
            if g.startswith("free "):
                steps.append({"do": "free", "buffer": g.split()[1]})
                continue
            if g == "sync":
                steps.append({"do": "sync"})
                continue
            head, _, args = g.partition(" args=")
            kernel, *options = head.split()
            opt = dict(o.split("=") for o in options)
            launch = {"do": "launch", "kernel": kernel.replace("~", " "), "grid": dims(opt["grid"]), "block": dims(opt["block"]),
                      "shared_bytes": int(opt.get("shared", 0)), "stream": int(opt.get("stream", 0)),
                      "args": [argument(a, buffers, steps) for a in re.split(r",(?![^<]*>)", args) if a]}
            if "coop" in opt:
                launch["cooperative"] = True
            steps.append(launch)
        includes = []
        for name in re.findall(r'^\s*#\s*include "([^"]+)"', text, re.M):
            beside = os.path.join(os.path.dirname(path), name)
            if os.path.exists(beside):
                with open(beside, encoding="utf-8") as f:
                    includes.append({"path": name, "text": f.read()})
        yield wanted, {"schema": "kcheck.job/1", "source": {"file": os.path.basename(path), "text": text, "includes": includes}, "buffers": buffers,
               "steps": steps, "outputs": [b["name"] for b in buffers if b["role"] != "in" and b["shape"][0] <= 4096],
               "checks": {"metrics": os.environ.get("SIM_METRICS", "0") == "1"}}


def run(worker, job):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(job, f)
        f.flush()
        p = subprocess.run([worker, "--job", f.name], capture_output=True, text=True, timeout=300)
    if p.returncode not in (0, 2) or not p.stdout.strip():
        return {"state": "failed", "failure": "crash", "message": "worker died: %s %s" % (p.returncode, p.stderr[-800:]), "findings": []}
    return json.loads(p.stdout)


def check(worker, path, verbose):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    must, may, anywhere = set(), set(), set()
    for n, line in enumerate(text.split("\n"), 1):
        for sure, tags in re.findall(r"//~(\??) ([\w ]+)", line):
            for t in tags.split():
                (may if sure else must).add((t, n))
        m = re.match(r"\s*// SIM-EXPECT: (\w+)", line)
        if m:
            anywhere.add(m.group(1))
    seen, faults = set(), []
    for wanted, job in jobs_of(path, text):
        r = run(worker, job)
        if verbose:
            r2 = dict(r)
            r2["outputs"] = []
            print(json.dumps(r2, indent=1))
        if r.get("failure") in ("crash", "bad_job", "compile_error", "no_worker"):
            faults.append("%s: %s" % (r["failure"], r.get("message")))
        for f in r["findings"]:
            seen.add((f["tag"], f["where"]["line"]))
            if (f["tag"], f["where"]["line"]) not in must | may and f["tag"] not in anywhere:
                faults.append("unexpected %s in line %d: %s" % (f["tag"], f["where"]["line"], f["message"]))
        for name, index, want in wanted:
            for o in r.get("outputs", []):
                if o["buffer"] != name:
                    continue
                dtype = next(b["dtype"] for b in job["buffers"] if b["name"] == name)
                data = base64.b64decode(o["data"])
                got = struct.unpack_from("<" + FORMAT[dtype], data, int(index) * struct.calcsize(FORMAT[dtype]))[0]
                if abs(got - float(want)) > 1e-4 * max(1, abs(float(want))):
                    faults.append("%s[%s] is %r, not %s" % (name, index, got, want))
    for t, n in sorted(must - seen):
        faults.append("missing %s in line %d" % (t, n))
    for t in sorted(anywhere - {t for t, _ in seen}):
        faults.append("missing %s" % t)
    return faults


def main():
    args = [a for a in sys.argv[1:] if not a.startswith("-")]
    verbose = "-v" in sys.argv
    worker, files = args[0], args[1:]
    if len(files) == 1 and os.path.isdir(files[0]):
        folder = files[0]
        files = sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".cu"))
    bad = 0
    for path in files:
        faults = check(worker, path, verbose)
        bad += bool(faults)
        print("%s %s" % ("FAIL" if faults else "ok  ", os.path.basename(path)))
        for f in faults:
            print("     " + f)
    print("%d of %d files pass" % (len(files) - bad, len(files)))
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
