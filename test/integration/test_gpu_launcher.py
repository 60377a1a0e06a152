#!/usr/bin/env python3
"""Launcher mode of the GPU worker, with a driver library that needs no GPU (driver/): the launchers of launcher/ and the host code among the
cheats get the verdicts that they get on the simulator. nvcc compiles the host code. Usage: BUILD SOURCE."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TASK = """kcheck: 1
reference: {cpp: ref.cpp}
entry: launch_relu
args:
  - {name: x, in: "f32[n]"}
  - {name: y, out: "f32[n]"}
  - {name: n, dim: n}
shapes: [{n: 1}, {n: 255}, {n: 257}, {n: 1000}]
"""
REFERENCE = "void reference(const double *x, double *y, long n) {\n  for (long i = 0; i < n; ++i)\n    y[i] = x[i] > 0 ? x[i] : 0;\n}\n"
# What a driver that runs no device code cannot show.
DEVICE_CODE = {"out_of_bounds.cu"}
HOST_CHEATS = {"cheat_side_stream", "cheat_timer", "cheat_channel", "cheat_patched_library"}


def check(build, path, task, *more):
    env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(build, "test/integration/driver"), "KCHECK_GPU_SANDBOX": os.environ.get("KCHECK_GPU_SANDBOX", "")}
    done = subprocess.run([os.path.join(build, "tools/kcheck/kcheck"), "check", path, "--task", task, "--device", "gpu", "--keep-going", "--format", "json", *more],
                          capture_output=True, text=True, timeout=300, env=env)
    try:
        return json.loads(done.stdout)["results"][0]
    except (ValueError, IndexError):
        return {"verdict": "none: " + done.stderr[-400:], "reasons": [], "dynamic": {}, "static": {}}


def cases(source):
    """File, words, wanted verdict, wanted tags."""
    for path in sorted(glob.glob(os.path.join(source, "test/integration/launcher/*.cu"))):
        with open(path, encoding="utf-8") as f:
            plain, trusted, tags = re.match(r"// op: \w+  verdict: (\w+) (\w+)  tags: (.*)", f.readline()).groups()
        if os.path.basename(path) in DEVICE_CODE:
            continue
        yield path, [], plain, tags.split()
        yield path, ["--trust-host"], trusted, [t for t in tags.split() if t != "host_code_executed"]
    for path in sorted(glob.glob(os.path.join(source, "test/integration/cheats/*.cu"))):
        with open(path, encoding="utf-8") as f:
            tags = re.match(r"// op: \w+  tags: (.*)", f.readline()).group(1).split()
        if os.path.basename(path).startswith("host_"):
            yield path, [], "REJECT", tags
        elif HOST_CHEATS & set(tags):
            yield path, [], "REJECT", [t for t in tags if t in HOST_CHEATS]


def main():
    build, source = sys.argv[1:3]
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    for needed in ("tools/kcheck/kcheck", "tools/kcheck-gpu/kcheck-gpu-guest", "test/integration/driver/libcuda.so.1"):
        if not os.path.exists(os.path.join(build, needed)):
            print(needed, "is not built")
            return 77
    if not os.path.exists(nvcc) or os.environ.get("KCHECK_HIDE_CUDA"):
        print("no nvcc here")
        return 77
    faults, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        task = os.path.join(folder, "task.yaml")
        for name, text in (("task.yaml", TASK), ("ref.cpp", REFERENCE)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        for path, more, verdict, tags in cases(source):
            count += 1
            result = check(build, path, task, *more)
            found = {f["tag"] for f in result["dynamic"].get("findings", [])} | set(result["reasons"])
            missing = [t for t in tags if not set(t.split("|")) & found]
            if result["verdict"] != verdict or missing or not result["dynamic"].get("host_code_executed"):
                faults.append(f"{os.path.basename(path)} {more}: wanted {verdict} with {tags}, got {result['verdict']} {sorted(found)} {result['dynamic'].get('lines', '')}")
    print("\n".join(faults) or f"{count} runs of host code as they should be")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
