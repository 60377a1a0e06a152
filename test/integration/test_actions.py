#!/usr/bin/env python3
"""Legal actions work: 100 random sequences over the examples and the kernels of the actions' tests, and the naive
examples through chosen sequences, run on the simulator by their tasks. Usage: BUILD SOURCE."""
import json
import os
import re
import subprocess
import sys
import tempfile

build, source = sys.argv[1:3]
kcheck = os.path.join(build, "tools/kcheck/kcheck")

p = subprocess.run([sys.executable, os.path.join(source, "script/action-fuzz"), "--kcheck", kcheck, "--count", "100", "--seed", "1", "--seconds", "25"],
                   capture_output=True, text=True)
print(p.stdout, end="")
if p.returncode:
    sys.exit(p.stderr or 1)
if int(re.search(r"^(\d+) sequences, .* s$", p.stdout, re.M).group(1)) < 5:
    sys.exit("hardly a sequence was finished")

CHAINS = {
    "linear_relu": ["tile-shared:bm=16,bn=32,bk=16 register-tile:tm=4,tn=4,bm=32,bn=64,bk=8 vectorize-loads double-buffer qualify:bounds=1,blocks=2",
                    "tile-shared:bm=16,bn=16,bk=16 double-buffer:async=1 register-tile:tm=2,tn=4,bm=16,bn=64,bk=8 vectorize-loads"],
    "softmax": ["row-per-block:threads=64 stage-row:items=4,shared=0 vectorize-loads qualify", "row-per-block fuse-passes vectorize-loads stage-row:items=0,shared=1024",
                "fuse-passes", "layout"],
    "layernorm": ["row-per-block stage-row:items=2,shared=0 vectorize-loads fast-math:division=1"],
    "reduce_sum": ["grid-stride:blocks=64 privatise-atomics vectorize-loads"],
    "tanh_add": ["block-shape:x=128 vectorize-loads", "coarsen:items=2"],
    "transpose": ["stage-transpose"],
    "structures": ["layout layout layout layout qualify", "coarsen:items=2 layout"],
}
ran = 0
with tempfile.TemporaryDirectory() as folder:
    for op, chains in CHAINS.items():
        beside = os.path.join(source, "test/integration" if op == "structures" else "examples", op)
        start, task = (os.path.join(beside, n) for n in ("naive.cu", "task.yaml"))
        if not os.path.exists(start) or not os.path.exists(os.path.join(build, "tools/kcheck-sim/kcheck-sim")):
            continue
        for number, chain in enumerate(chains):
            out = os.path.join(folder, f"{op}{number}.cu")
            subprocess.run([kcheck, "rewrite", start, *(w for a in chain.split() for w in ("--action", a)), "-o", out], check=True)
            p = subprocess.run([kcheck, "check", out, "--task", task, "--device", "sim", "--format", "json"], capture_output=True, text=True)
            dynamic = json.loads(p.stdout)["results"][0]["dynamic"]
            if dynamic["verdict"] != "PASS":
                sys.exit(f"{op}: {chain}: {json.dumps(dynamic)[:1500]}")
            ran += 1
print(f"{ran} chains agree on the simulator")
