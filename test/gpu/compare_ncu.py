#!/usr/bin/env python3
"""Holds kcheck-gpu's counters against Nsight Compute's on the kernels of test/gpu/perf: same label, values within 5 %.
Usage: WORKER [files]. Exit status 77: no GPU or no ncu here."""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_gpu

METRICS = {"memory_pct": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
           "compute_pct": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
           "dram_pct": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
           "occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
           "active_lanes": "smsp__thread_inst_executed_per_inst_executed.ratio",
           "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
           "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
           "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
           "time_ns": "gpu__time_duration.sum"}


def ncu_values(ncu, worker, job, kernel):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(job, f)
        f.flush()
        p = subprocess.run([ncu, "--clock-control", "none", "--csv", "--print-units", "base", "--metrics", ",".join(METRICS.values()),
                            "-k", "regex:^" + kernel + "$", worker, "--bare", "--job", f.name], capture_output=True, text=True)
    rows = list(csv.DictReader(io.StringIO("".join(l + "\n" for l in p.stdout.splitlines() if l.startswith('"')))))
    if not rows:
        print(p.stdout[-500:], p.stderr[-500:])
    return {r["Metric Name"]: float(r["Metric Value"].replace(",", "")) for r in rows}


def label(v):
    m, c = v["memory_pct"], v["compute_pct"]
    return "latency_bottleneck" if max(m, c) < 60 else "memory_throughput" if m >= c else "compute_throughput"


def near(a, b, name):
    """As near as two runs come: 5 %, of a percentage a point at least."""
    return abs(a - b) <= max(0.05 * abs(b), 1.0 if name.endswith("pct") else 0)


def same_label(ours, theirs):
    """A label follows from two percentages, each known to a point or 5 %, and changes at 60 % and where they are equal. Where ncu's own numbers may be on
    either side of that, either label is ncu's; numbers that are apart are no excuse."""
    if label(ours) == label(theirs):
        return True
    keys = ("memory_pct", "compute_pct")
    if not all(near(ours[k], theirs[k], k) for k in keys):
        return False
    steps = [(theirs[k] - max(0.05 * theirs[k], 1.0), theirs[k], theirs[k] + max(0.05 * theirs[k], 1.0)) for k in keys]
    return label(ours) in {label({"memory_pct": m, "compute_pct": c}) for m in steps[0] for c in steps[1]}


def main():
    worker, files = sys.argv[1], sys.argv[2:]
    ncu = shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    probe = json.loads(subprocess.run([worker, "--probe"], capture_output=True, text=True, check=True).stdout)
    if not any(d["usable"] for d in probe["devices"]) or not os.path.exists(ncu):
        print("SKIPPED: no GPU or no ncu")
        return 77
    folder = os.path.join(run_gpu.HERE, "perf")
    files = files or sorted(os.path.join(folder, f) for f in os.listdir(folder))
    w, labels, inside, total = run_gpu.Worker(worker, 0), 0, 0, 0
    for path in files:
        job, _ = run_gpu.job_of(path)
        for key in ("perf", "reference", "sanitizers"):
            job.pop(key, None)
        job["counters"] = True
        job["checks"] = {"init": False}  # atomics add in any order
        ours = w.ask(job)
        values = ours["counters"][-1]["values"] if "counters" in ours else {}
        kernel = job["steps"][-1]["kernel"]
        theirs = ncu_values(ncu, worker, {k: v for k, v in job.items() if k != "counters"}, kernel)
        theirs = {k: theirs[m] for k, m in METRICS.items() if m in theirs}
        if not values or not theirs:
            print("FAIL", os.path.basename(path), [c["why"] for c in ours.get("counters", [])] or ours.get("findings") or ours.get("message"), theirs)
            continue
        same = same_label(values, theirs)
        labels += same
        off = {}
        for k in theirs:
            total += 1
            close = near(values[k], theirs[k], k)
            inside += close
            if not close:
                off[k] = "%.4g, ncu %.4g" % (values[k], theirs[k])
        numbers = "" if label(values) == label(theirs) else "(ncu: %s; memory %.1f, ncu %.1f; compute %.1f, ncu %.1f)" % (
            label(theirs), values["memory_pct"], theirs["memory_pct"], values["compute_pct"], theirs["compute_pct"])
        print("%s %-22s %s %s %s" % ("ok  " if same else "FAIL", os.path.basename(path), label(values), numbers, off or ""))
    w.close()
    print("%d of %d kernels have ncu's label, %d of %d values are within 5 %%" % (labels, len(files), inside, total))
    return 0 if labels == len(files) else 1


if __name__ == "__main__":
    sys.exit(main())
