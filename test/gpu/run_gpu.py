#!/usr/bin/env python3
"""Runs GPU test kernels through kcheck-gpu and compares the outcome with what their comments expect.

    // GPU: KERNEL grid=4 block=256 [shared=BYTES] [stream=1] args=a:f32[1024]:in:normal,out:f32[1024]:out,i32=1024
    // GPU-CALL: launch_it args=x:f32[1024]:in,y:f32[1024]:out,i32=1024      instead of GPU: the candidate's own launcher is called
    // GPU-REFERENCE: tanh_add n=1024 a=a b=b out=out     the operator that judges, its sizes and buffers
    // GPU-PERF: runs=20 [baseline=FILE]                  measure; FILE in baselines/ has a GPU line of its own
    // GPU-LIMIT: seconds=1
    // GPU-SANITIZE: memcheck racecheck
    // GPU-COUNTERS
    // GPU-EXPECT: ok | failure NAME | tag NAME[|NAME] [line N] | label NAME | judged TAG   (a reference without GPU-PERF judges the one run)

Jobs go to running workers (--workers), so that good kernels are judged right after bad ones; what is timed has the device to itself by the
workers' own lock. CONTENT is normal (default for
in and inout), uniform, zero, index:LOW:HIGH or none. Exit status 77: no GPU here, with the reason.
"""
import argparse
import concurrent.futures
import json
import os
import queue
import re
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def pairs(words):
    return dict(w.split("=", 1) for w in words)


def argument(text, buffers):
    if text == "null":
        return {"pointer": None}
    if "=" in text:
        dtype, value = text.split("=")
        return {"type": dtype, "value": float(value) if dtype[0] == "f" or dtype == "bf16" else int(value, 0)}
    parts = text.split(":")
    if len(parts) > 1:
        dtype, shape = re.fullmatch(r"(\w+)\[([\d;]+)\]", parts[1]).groups()
        role = parts[2] if len(parts) > 2 else "in"
        kind = parts[3] if len(parts) > 3 else "normal" if role in ("in", "inout") else "poison"
        b = {"name": parts[0], "dtype": dtype, "shape": [int(x) for x in shape.split(";")], "role": role}
        if kind in ("poison", "zero"):
            b["content"] = kind
        elif kind == "none":
            b["content"] = "uninitialised"
        else:
            b["content"] = "generated"
            b["generator"] = {"distribution": kind, "seed": 11, "stream": len(buffers)}
            if kind == "index":
                b["generator"].update(a=float(parts[4]), b=float(parts[5]))
        buffers.append(b)
    return {"pointer": {"buffer": parts[0]}}


def launch(text, buffers, line):
    head, _, args = text.partition(" args=")
    kernel, *options = head.split()
    opt = pairs(options)
    return {"do": "launch", "kernel": kernel.replace("~", " "), "grid": [int(x) for x in opt["grid"].split("x")],
            "block": [int(x) for x in opt["block"].split("x")], "shared_bytes": int(opt.get("shared", 0)), "stream": int(opt.get("stream", 0)),
            "line": line, "args": [argument(a, buffers) for a in args.split(",") if a]}


CTYPES = {"f64": "double", "f32": "float", "i32": "int", "i64": "long long", "u32": "unsigned"}


def call(text, job, line):
    """The launcher is called with the addresses of its arguments."""
    name, _, args = text.partition(" args=")
    words = args.split(",")
    types = [CTYPES[w.split("=")[0]] if "=" in w else ("const " if ":in" in w and ":inout" not in w else "") + CTYPES[w.split(":")[1].split("[")[0]] + " *" for w in words]
    job["source"]["call_text"] = 'extern "C" void kcheck_call(void **a) { %s(%s); }' % (name, ", ".join("*(%s *)a[%d]" % (t, i) for i, t in enumerate(types)))
    return {"do": "call", "line": line, "args": [argument(w, job["buffers"]) for w in words]}


def job_of(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    job = {"schema": "kcheck.job/1", "id": os.path.basename(path), "source": {"file": os.path.basename(path), "text": text}, "buffers": [], "steps": [],
           "limits": {"seconds": 2, "memory_mb": 4096, "compile_seconds": 120}}
    expect = []
    for n, line in enumerate(text.split("\n"), 1):
        m = re.match(r"// GPU(-\w+)?:? ?(.*)", line)
        if not m:
            continue
        what, rest = m.groups()
        if what is None:
            job["steps"].append(launch(rest, job["buffers"], n))
        elif what == "-CALL":
            job["steps"].append(call(rest, job, n))
        elif what == "-REFERENCE":
            op, *words = rest.split()
            r = {"operator": op, "dims": {}, "buffers": {}}
            for k, v in pairs(words).items():
                if v.lstrip("-").isdigit():
                    r["dims"][k] = int(v)
                else:
                    r["buffers"][k] = v
            job["reference"] = r
        elif what == "-PERF":
            opt = pairs(rest.split())
            job["perf"] = {"runs": int(opt.get("runs", 20))}
            if "baseline" in opt:
                with open(os.path.join(HERE, "baselines", opt["baseline"]), encoding="utf-8") as f:
                    base = f.read()
                line = re.search(r"// GPU: (.*)", base).group(1)
                job["perf"].update(source={"file": opt["baseline"], "text": base}, steps=[launch(line, [], 1)])
        elif what == "-LIMIT":
            job["limits"].update({k: float(v) for k, v in pairs(rest.split()).items()})
            job["limits"]["memory_mb"] = int(job["limits"]["memory_mb"])
        elif what == "-SANITIZE":
            job["sanitizers"] = rest.split()
        elif what == "-COUNTERS":
            job["counters"] = True
        elif what == "-EXPECT":
            expect.append(rest.split())
    return job, expect


def faults_of(result, expect):
    tags = {(f["tag"], f["where"]["line"]) for f in result.get("findings", [])}
    names = {t for t, _ in tags}
    labels = {l["name"] for c in result.get("counters", []) for l in c["labels"]}
    out = []
    wanted_failure = next((e[1] for e in expect if e[0] == "failure"), "none")
    got = result.get("failure", "none")
    if got != wanted_failure:
        out.append("failure is %s (%s), wanted %s" % (got, result.get("message"), wanted_failure))
    for e in expect:
        if e[0] == "tag" and (not names & set(e[1].split("|")) if len(e) < 4 else (e[1], int(e[3])) not in tags):
            out.append("no %s among %s" % (" ".join(e[1:]), sorted(tags)))
        if e[0] == "label" and e[1] not in labels:
            out.append("no label %s among %s (%s)" % (e[1], sorted(labels), [c["why"] for c in result.get("counters", [])]))
    judged = {j["tag"] for j in result.get("judged", []) if j["tag"]}
    wanted = {e[1] for e in expect if e[0] == "judged"}
    if judged != wanted and not any(e[0] == "tag" for e in expect):
        out.append("judged %s, wanted %s" % (sorted(judged), sorted(wanted)))
    if not any(e[0] == "tag" for e in expect) and names:
        out.append("unexpected " + "; ".join(f["tag"] + ": " + f["message"] for f in result["findings"]))
    return out


def costs_context(expect):
    return any(e[0] == "failure" and e[1] not in ("compile_error", "timeout") for e in expect)


class Worker:
    def __init__(self, program, device):
        self.p = subprocess.Popen([program, "--serve", "--device", str(device)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, job):
        self.p.stdin.write(json.dumps(job) + "\n")
        self.p.stdin.flush()
        return json.loads(self.p.stdout.readline())

    def ask_all(self, jobs):
        """All at once: later ones are compiled while earlier ones run."""
        writer = threading.Thread(target=lambda: (self.p.stdin.write("".join(json.dumps(j) + "\n" for j in jobs)), self.p.stdin.flush()))
        writer.start()
        for _ in jobs:
            yield json.loads(self.p.stdout.readline())
        writer.join()

    def close(self):
        self.p.stdin.close()
        self.p.wait()


def main():
    a = argparse.ArgumentParser()
    a.add_argument("worker")
    a.add_argument("files", nargs="*")
    a.add_argument("--device", type=int, default=0)
    a.add_argument("--out", help="a folder for the results as JSON lines")
    a.add_argument("--many", type=int, default=0, help="then so many new candidates in one batch: compile, judge, time with a baseline")
    a.add_argument("--workers", type=int, default=1, help="so many workers share the files")
    a.add_argument("--no-files", action="store_true", help="only the batch or the storm")
    a.add_argument("--storm", type=int, default=0, help="then so many bad jobs in a row, good ones between them")
    o = a.parse_intermixed_args()
    probe = json.loads(subprocess.run([o.worker, "--probe"], capture_output=True, text=True, check=True).stdout)
    usable = [d for d in probe["devices"] if d["usable"]]
    if not usable:
        print("SKIPPED: no GPU: " + (probe["driver"].get("why") or "; ".join(d.get("why", "") for d in probe["devices"]) or "the driver sees none"))
        return 77
    files = o.files or sorted(os.path.join(d, f) for d, _, fs in os.walk(HERE) for f in fs if f.endswith(".cu") and not {"baselines", "programs", "optimize"} & set(d[len(HERE):].split(os.sep)))
    log = open(os.path.join(o.out, "results.jsonl"), "w") if o.out and not o.no_files else None
    bad = 0 if o.no_files else run_files(o, files, log)
    if o.storm or o.many:
        w = Worker(o.worker, o.device)
        if o.storm:
            bad += storm(w, files, o.storm)
        if o.many:
            bad += many(w, o.many)
        w.close()
    return 1 if bad or not files else 0


def run_files(o, files, log):
    """Each worker takes the next file when it is done with one. What costs a context goes to one worker, job after job: while the driver
    recovers from a fault of one process, others wait for theirs beyond their limits."""
    jobs = {path: job_of(path) for path in files}
    workers = [Worker(o.worker, o.device) for _ in range(o.workers)]
    idle, faulty = queue.SimpleQueue(), queue.SimpleQueue()
    faulty.put(workers[0])
    for w in workers[1:] or workers:
        idle.put(w)

    def one(path):
        job, expect = jobs[path]
        free = faulty if costs_context(expect) and len(workers) > 1 else idle
        w = free.get()
        start = time.time()
        r = w.ask(job)
        took = time.time() - start
        free.put(w)
        return path, r, faults_of(r, expect), took

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(max(len(files), 1)) as pool:
        for path, r, faults, took in pool.map(one, files):
            bad += bool(faults)
            p = r.get("perf") or {}
            perf = ""
            if p.get("measured"):
                perf = "  %.4f ms" % p["candidate"]["median_ms"]
                if p["baseline"]["samples"]:
                    perf += " against %.4f, ratio %.3f (IQR %.3f-%.3f, 95 %% %.3f-%.3f)" % (
                        p["baseline"]["median_ms"], p["ratio"], p["ratio_low"], p["ratio_high"], p["bound_low"], p["bound_high"])
            print("%s %-32s %6.0f ms%s" % ("FAIL" if faults else "ok  ", os.path.relpath(path, HERE), 1000 * took, perf))
            for f in faults:
                print("     " + f)
            if faults and p.get("why"):
                print("     perf: " + p["why"])
            if log:
                r.pop("outputs", None)
                log.write(json.dumps(r) + "\n")
    for w in workers:
        w.close()
    print("%d of %d pass" % (len(files) - bad, len(files)))
    return bad


def many(w, count):
    """New texts, so that nothing comes from the cache; each is compiled, run, run again, judged and timed in 50 rounds."""
    job, expect = job_of(os.path.join(HERE, "cheats", "honest.cu"))
    job["perf"]["runs"] = 50
    job["outputs"] = ["out"]
    text, wrong, stamp, times = job["source"]["text"], 0, time.time(), {}
    w.ask(job)
    start = time.time()
    for r in w.ask_all([{**job, "source": {**job["source"], "text": text + "// %f %d\n" % (stamp, i)}} for i in range(count)]):
        wrong += bool(faults_of(r, expect))
        for name, ms in r["times_ms"].items():
            times.setdefault(name, []).append(ms)
    took = time.time() - start
    print("%s batch of %d candidates, %d wrong, %.1f a second" % ("FAIL" if wrong else "ok  ", count, wrong, count / took))
    print("     median ms: " + ", ".join("%s %.1f" % (name, statistics.median(v)) for name, v in sorted(times.items())))
    return 1 if wrong else 0


def storm(w, files, count):
    """Bad jobs in a row with good ones among them: each must be judged as it would be alone."""
    jobs = [job_of(f) for f in files if os.sep + "faults" + os.sep in f]
    good = [j for j in jobs if j[1] == [["ok"]]]
    worse = [j for j in jobs if costs_context(j[1])]
    start, wrong = time.time(), 0
    for i in range(count):
        for job, expect in [worse[i % len(worse)]] + ([good[i % len(good)]] if i % 4 == 3 else []):
            wrong += bool(faults_of(w.ask(job), expect))
    n = count + count // 4
    print("%s storm of %d jobs, %d wrong, %.1f a second" % ("FAIL" if wrong else "ok  ", n, wrong, n / (time.time() - start)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
