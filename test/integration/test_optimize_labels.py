#!/usr/bin/env python3
"""What the diagnoses are worth to `kcheck optimize --policy builtin`: with their labels exchanged (--shuffle-labels) real kernels end clearly slower, on the
simulator's cost model, at fixed seeds. Usage: BUILD SOURCE."""
import json
import math
import os
import subprocess
import sys
import tempfile

from softmax_task import softmax_task

TRANSPOSE = """kcheck: 1
op: transpose
entry: launch_transpose
args:
  - {name: x, in:  "f32[rows, cols]"}
  - {name: y, out: "f32[cols, rows]"}
  - {name: rows, dim: rows}
  - {name: cols, dim: cols}
shapes: [{rows: 31, cols: 33}]
perf: {shape: {rows: 4096, cols: 4096}}
"""
KERNELS = {"softmax": softmax_task("[{rows: 5, cols: 33}]", "{rows: 4096, cols: 512}"), "transpose": TRANSPOSE}
SEEDS = (1, 2)


def speedup(kcheck, env, work, kernel, task, seed, *more):
    out = os.path.join(work, "-".join([os.path.basename(os.path.dirname(kernel)), str(seed), *more]))
    done = subprocess.run([kcheck, "optimize", task, "--kernel", kernel, "--rounds", "2", "--candidates", "4", "--seed", str(seed), "--quiet", "--out", out, *more],
                          env=env, capture_output=True, text=True, timeout=580)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    with open(os.path.join(out, "result.json"), encoding="utf-8") as f:
        return json.load(f)["speedup"]


def main():
    build, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    kcheck, worker = os.path.join(build, "tools/kcheck/kcheck"), os.path.join(build, "tools/kcheck-sim/kcheck-sim")
    if not os.path.exists(worker) or not os.path.exists(kcheck):
        print("kcheck or kcheck-sim is not built")
        return 77
    env = dict(os.environ, PATH=os.path.dirname(worker) + os.pathsep + os.environ.get("PATH", ""))
    logs, lines = {"right": 0.0, "shuffled": 0.0}, []
    with tempfile.TemporaryDirectory() as work:
        for name, text in KERNELS.items():
            task = os.path.join(work, name + ".yaml")
            with open(task, "w", encoding="utf-8") as f:
                f.write(text)
            kernel = os.path.join(source, "examples", name, "naive.cu")
            for seed in SEEDS:
                right, shuffled = speedup(kcheck, env, work, kernel, task, seed), speedup(kcheck, env, work, kernel, task, seed, "--shuffle-labels")
                logs["right"] += math.log(right)
                logs["shuffled"] += math.log(shuffled)
                lines.append(f"{name}, seed {seed}: {right:.2f}x, with exchanged labels {shuffled:.2f}x")
    right, shuffled = (math.exp(v / len(lines)) for v in logs.values())
    print("\n".join(lines), f"geometric means: {right:.2f}x, {shuffled:.2f}x", sep="\n")
    return 0 if right > 1.5 * shuffled else 1


if __name__ == "__main__":
    sys.exit(main())
