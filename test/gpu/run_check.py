#!/usr/bin/env python3
"""kcheck check --device gpu on a machine with a GPU: examples and shortcuts get their verdicts, a kernel against itself takes as long as
itself, a batch and a warm candidate are fast enough, a server on this machine gives the same. Usage: FOLDER-OF-PROGRAMS [--out DIR] [--many N].
Checks that end in a verdict run beside one another (--beside); what is timed has the device to itself by the workers' own lock."""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BAD = []
AFTER = []


def expect(good, *what):
    print("ok  " if good else "FAIL", *what)
    sys.stdout.flush()
    if not good:
        BAD.append(what)


def beside(o, what, items):
    """what(item) for each, several at once, in the order of the items: what it gives is expected."""
    with concurrent.futures.ThreadPoolExecutor(o.beside) as pool:
        for said in pool.map(what, items):
            for good, *words in said:
                expect(good, *words)


def check(o, files, *words, device="gpu", env=None):
    start = time.time()
    p = subprocess.run([os.path.join(o.programs, "kcheck"), "check", *files, "--device", device, "--format", "json", *words, *AFTER], capture_output=True, text=True,
                       env={**os.environ, **(env or {})})
    took = time.time() - start
    try:
        results = json.loads(p.stdout)["results"]
    except ValueError:
        results = []
        print("no report, status %d: %s" % (p.returncode, p.stderr[-1000:]))
    if o.log:
        o.log.write(p.stdout)
    return results, took, p


def tags(r):
    return {f["tag"] for part in ("static", "dynamic") for f in r[part].get("findings", []) if f["severity"] == "reject"}


def ratio(r):
    return r["dynamic"].get("perf", {}).get("ratio", {}).get("value")


def examples(o):
    def one(task):
        said = []
        for r in check(o, sorted(glob.glob(os.path.join(os.path.dirname(task), "*.cu"))), "--task", task)[0]:
            with open(r["file"], encoding="utf-8") as f:
                wanted = re.search(r"verdict: (\w+)", f.readline()).group(1)
            slow = "perf_regression_ratio_exceeded" in r["reasons"] and ratio(r) > 2  # the promise is of the numbers, not of the speed here
            right = r["verdict"] == wanted or (wanted != "REJECT" and slow)
            said.append((right, os.path.relpath(r["file"], SOURCE), r["verdict"], r["reasons"], "ratio %s" % ratio(r), "" if right else r["dynamic"].get("why")))
        return said or [(False, task, "no results")]
    beside(o, one, sorted(glob.glob(os.path.join(SOURCE, "examples", "*", "task.yaml"))))


def cheats(o):
    def one(path):
        with open(path, encoding="utf-8") as f:
            op, wanted = re.match(r"// op: (\w+)  tags: (.*)", f.readline()).groups()
        said = []
        for r in check(o, [path], "--op", op, "--keep-going", "--counters", "off")[0]:
            named = {t for t in wanted.split() if t.startswith("cheat_")} or set(wanted.split())  # what else is seen depends on the device
            right = r["verdict"] == "REJECT" and all(set(t.split("|")) & tags(r) for t in named)
            said.append((right, os.path.basename(path), r["verdict"], sorted(tags(r)), "wanted", wanted, "" if right else json.dumps(r["dynamic"])[:1500]))
        return said or [(False, path, "no results")]
    beside(o, one, sorted(glob.glob(os.path.join(SOURCE, "test/integration/cheats/*.cu"))))


def launchers(o):
    """Candidates whose own host code has to run, and what they say of themselves."""
    def one(path):
        with open(path, encoding="utf-8") as f:
            op, plain, trusted, wanted = re.match(r"// op: (\w+)  verdict: (\w+) (\w+)  tags: (.*)", f.readline()).groups()
        said = []
        for verdict, words in ((plain, []), (trusted, ["--trust-host"])):
            for r in check(o, [path], "--op", op, "--keep-going", *words)[0]:
                found = {f["tag"] for f in r["dynamic"].get("findings", [])} | set(r["reasons"])
                missing = [t for t in wanted.split() if not set(t.split("|")) & found and not (words and t == "host_code_executed")]
                # A launcher that makes a stream and waits for it is timed with that: right, and honestly slow.
                slow = r["reasons"] and "perf_regression_ratio_exceeded" in r["reasons"]
                right = (r["verdict"] == verdict or slow) and not missing and r["dynamic"].get("host_code_executed")
                perf = r["dynamic"].get("perf", {})
                said.append((right, os.path.basename(path), *words, r["verdict"], sorted(found), "wanted", verdict, wanted, "ratio %s" % ratio(r), perf.get("why", ""),
                             "" if right else json.dumps(r["dynamic"])[:1500]))
        return said if len(said) == 2 else [(False, path, "no results")]
    beside(o, one, sorted(glob.glob(os.path.join(SOURCE, "test/integration/launcher/*.cu"))))


def host_time(o):
    """A launcher that is timed against the operator's baseline."""
    plain = os.path.join(SOURCE, "test/gpu/host/plain.cu")
    for r in check(o, [plain], "--op", "relu", "--trust-host", "--counters", "off")[0]:
        expect(r["verdict"] == "PASS" and ratio(r) and ratio(r) < 1.1, "host code that only launches costs no time: ratio", ratio(r), r["verdict"], r["reasons"])


def against_itself(o, folder):
    path = os.path.join(SOURCE, "examples/tanh_add/good.cu")
    task = os.path.join(folder, "task.yaml")
    with open(os.path.join(SOURCE, "examples/tanh_add/task.yaml"), encoding="utf-8") as f:
        text = f.read()
    with open(task, "w", encoding="utf-8") as f:
        f.write(text + "baseline: %s\n" % path)
    results, _, _ = check(o, [path], "--task", task, "--counters", "off")
    for r in results:
        expect(ratio(r) and abs(ratio(r) - 1) <= 0.01, "a kernel against itself:", ratio(r), r["verdict"])


def variants(folder, count):
    with open(os.path.join(SOURCE, "examples/tanh_add/good.cu"), encoding="utf-8") as f:
        text = f.read()
    files = []
    for i in range(count):
        files.append(os.path.join(folder, "v%03d.cu" % i))
        with open(files[-1], "w", encoding="utf-8") as f:
            f.write(text + "// %d %f\n" % (i, time.time()))
    return files


def batch(o, folder):
    task = os.path.join(SOURCE, "examples/tanh_add/task.yaml")
    results, took, p = check(o, variants(folder, o.many), "--task", task)
    passed = sum(r["verdict"] == "PASS" for r in results)
    expect(passed == o.many and o.many / took >= 3, "batch of %d: %d pass, %.1f s, %.1f a second" % (o.many, passed, took, o.many / took))
    for r in results[:1]:
        if r["verdict"] != "PASS":
            print(json.dumps(r["dynamic"])[:1500])


def several(o, folder):
    """All GPUs of this machine."""
    listed = json.loads(subprocess.run([os.path.join(o.programs, "kcheck-gpu"), "--list"], capture_output=True, text=True).stdout)["devices"]
    if len(listed) < 2:
        return print("one GPU here: gpu:all is that one")
    task = os.path.join(SOURCE, "examples/tanh_add/task.yaml")
    results, took, _ = check(o, variants(folder, o.many), "--task", task, device="gpu:all")
    used = {r["dynamic"]["device"].split()[0] for r in results}
    passed = sum(r["verdict"] == "PASS" for r in results)
    expect(passed == o.many and len(used) == len(listed), "gpu:all, batch of %d: %d pass, %.1f s, %.1f a second, on %s" % (o.many, passed, took, o.many / took, sorted(used)))
    names = ",".join("gpu:%d" % d["index"] for d in listed)
    r = check(o, [os.path.join(SOURCE, "examples/tanh_add/good.cu")], "--task", task, "--counters", "off", device=names)[0][0]
    expect([d["verdict"] for d in r["dynamic"]["devices"]] == ["PASS"] * len(listed), "a verdict on each of", names, r["dynamic"]["score"])


def server(o, folder):
    """A running worker: each candidate is new to it."""
    program = os.path.join(o.programs, "kcheck-gpu-serve")
    if not os.path.exists(program):
        return print("no server here")
    p = subprocess.Popen([program, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    url = re.search(r"http://\S+:\d+", p.stdout.readline()).group(0)
    task = os.path.join(SOURCE, "examples/tanh_add/task.yaml")
    warm, parts = [], {}
    for i, f in enumerate(variants(folder, 12)):
        results, took, _ = check(o, [f], "--task", task, "--counters", "off", device=url)
        r = results[0]
        if i < 2:
            continue
        warm.append(took)
        for name, ms in r["dynamic"].get("times_ms", {}).items():
            parts.setdefault(name, []).append(ms)
        parts.setdefault("static", []).append(r["static"]["elapsed_ms"])
        if r["verdict"] != "PASS":
            expect(False, "by the server:", r["verdict"], r["reasons"])
    expect(statistics.median(warm) <= 0.5, "a new candidate with a running worker, kcheck's own start included: median %.3f s, worst %.3f s" % (statistics.median(warm), max(warm)))
    print("     median ms: " + ", ".join("%s %.1f" % (n, statistics.median(v)) for n, v in sorted(parts.items())))
    good = os.path.join(SOURCE, "examples/tanh_add/good.cu")
    here, there = check(o, [good], "--task", task, "--seed", "5")[0][0], check(o, [good], "--task", task, "--seed", "5", device=url, env={"KCHECK_HIDE_CUDA": "1"})[0][0]
    same = here["verdict"] == there["verdict"] == "PASS" and [s["state"] for s in here["dynamic"]["numerics"]["shapes"]] == [s["state"] for s in there["dynamic"]["numerics"]["shapes"]]
    expect(same and abs(ratio(here) / ratio(there) - 1) < 0.03, "a client without a toolkit gets the same:", here["verdict"], there["verdict"], ratio(here), ratio(there), there["reasons"])
    two = check(o, [good], "--task", task, device="gpu," + url)[0][0]["dynamic"]
    expect(len(two["devices"]) == 2 and two["score"]["devices"] == 2, "two devices in one check:", [d["verdict"] for d in two["devices"]], two["score"])
    p.terminate()
    expect(p.wait(timeout=30) == 0, "the server ends when asked")


def left_behind(o):
    """Workers of a check that has ended."""
    mine, start = os.path.join(o.programs, "kcheck-gpu"), time.time()
    while True:
        alive = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink("/proc/%s/exe" % pid).startswith(mine):
                    alive.append(pid)
            except OSError:
                pass
        if not alive or time.time() - start > 10:
            return expect(not alive, "no worker is left behind", alive)
        time.sleep(0.2)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("programs")
    a.add_argument("--out")
    a.add_argument("--many", type=int, default=100)
    a.add_argument("--beside", type=int, default=1, help="so many checks at once where only the verdict counts")
    a.add_argument("--only", help="parts to run, by name, with commas")
    a.add_argument("--clang-args", help="words for kcheck after its --")
    o = a.parse_args()
    if o.clang_args:
        AFTER.extend(["--", *o.clang_args.split()])
    o.programs = os.path.abspath(o.programs)
    o.log = open(os.path.join(o.out, "check-%s.json" % (o.only or "all").replace(",", "-")), "w", encoding="utf-8") if o.out else None
    path = os.path.join(SOURCE, "examples/tanh_add/good.cu")
    p = subprocess.run([os.path.join(o.programs, "kcheck"), "check", path, "--task", os.path.join(SOURCE, "examples/tanh_add/task.yaml"), "--device", "gpu", *AFTER],
                       capture_output=True, text=True)
    print(p.stdout, p.stderr[-1500:])
    if "no usable GPU" in p.stderr:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        parts = {"examples": lambda: examples(o), "cheats": lambda: cheats(o), "launchers": lambda: launchers(o), "host_time": lambda: host_time(o), "itself": lambda: against_itself(o, folder), "batch": lambda: batch(o, folder),
                 "several": lambda: several(o, folder), "server": lambda: server(o, folder), "left": lambda: left_behind(o)}
        for name, part in parts.items():
            if not o.only or name in o.only.split(","):
                start = time.time()
                try:
                    part()
                except (KeyError, IndexError, TypeError, AttributeError, ZeroDivisionError) as e:
                    expect(False, name, "stopped:", repr(e))
                print("     %s took %.1f s" % (name, time.time() - start))
    print("%d faults" % len(BAD))
    return 1 if BAD else 0


if __name__ == "__main__":
    sys.exit(main())
