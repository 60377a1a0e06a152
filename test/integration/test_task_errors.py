#!/usr/bin/env python3
"""What is wrong with a task, an operator or the command line is one clear error, with its place and what to do, and exit status 2.
Usage: BUILD SOURCE."""
import os
import subprocess
import sys
import tempfile

GOOD = """kcheck: 1
op: tanh_add
entry: launch_tanh_add
args:
  - {name: a, in: "f32[n]"}
  - {name: b, in: "f32[n]"}
  - {name: out, out: "f32[n]"}
  - {name: n, dim: n}
shapes: [{n: 33}, {n: 257}]
"""
# What to change in it, and what the error then says.
BAD = [
    ("op: tanh_add", "op: tanh_ad", "task.yaml:2:5: unknown operator 'tanh_ad'; did you mean 'tanh_add'?"),
    ("entry:", "entri:", "task.yaml:3:1: unknown key 'entri'; did you mean 'entry'?"),
    ("shapes: [{n: 33}", "shapes: [{m: 33}", "task.yaml:9:10: dim 'n' has no value in this shape"),
    ('"f32[n]"', '"f31[n]"', "unknown type 'f31'"),
    ("kcheck: 1", "kcheck: [1", "task.yaml:"),
    ("{n: 33}", "{n: -1}", "out of range"),
    ("op: tanh_add", "reference: {cpp: nowhere.cpp}", "no file 'nowhere.cpp'"),
    ("entry: launch_tanh_add", "entry: launch_tanh", "no launcher 'launch_tanh' in the candidate; did you mean 'launch_tanh_add'?"),
    ('{name: b, in: "f32[n]"}', '{name: b, in: "f64[n]"}', "the task says f64, the code has f32"),
    ("  - {name: n, dim: n}\n", "", "it has 4 parameters, the task has 3 args"),
]


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    kcheck = os.path.join(build, "tools", "kcheck", "kcheck")
    if not os.path.exists(os.path.join(build, "tools", "kcheck-sim", "kcheck-sim")):
        print("kcheck-sim is not built")
        return 77
    candidate = os.path.join(source, "examples", "tanh_add", "good.cu")
    faults = []

    def expect(words, text, where):
        done = subprocess.run([kcheck, "check", *words], capture_output=True, text=True, timeout=120)
        if done.returncode != 2 or text not in done.stderr:
            faults.append(f"{where}: status {done.returncode}, wanted 2 and {text!r}, got\n{done.stderr[-600:]}")

    with tempfile.TemporaryDirectory() as folder:
        task = os.path.join(folder, "task.yaml")
        for old, new, text in BAD:
            assert old in GOOD, old
            with open(task, "w", encoding="utf-8") as f:
                f.write(GOOD.replace(old, new, 1))
            expect([candidate, "--task", task], text, new or old)
        expect([candidate, "--task", os.path.join(folder, "none.yaml")], "cannot read the task", "missing task")
    expect([candidate, "--op", "softmx"], "did you mean 'softmax'?", "operator")
    expect([candidate, "--op", "layernorm"], "good.cu:18: launch_tanh_add: ", "another operator")
    expect([candidate, "--op", "tanh_add", "--seed", "many"], "a whole number below 2^53", "seed")
    expect([candidate, "--op", "tanh_add", "--device", "moon"], "neither sim, gpu", "device")
    expect([candidate, "--op", "tanh_add", "--task", task], "exclude each other", "both")
    print("\n".join(faults) or f"{len(BAD) + 6} errors told")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
