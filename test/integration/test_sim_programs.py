#!/usr/bin/env python3
"""Whole programs on the simulator: what they print, how they end, what is found in them. Usage: BUILD SOURCE."""
import os
import subprocess
import sys


def main():
    build, source = sys.argv[1:3]
    worker = os.path.join(build, "tools/kcheck-sim/kcheck-sim")
    if not os.path.exists(worker):
        print("kcheck-sim is not built")
        return 77
    if not any(os.path.exists(os.path.join(p, "include/cuda_runtime.h")) for p in
               (os.environ.get(v, "/usr/local/cuda") for v in ("CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH"))):
        print("no CUDA toolkit")
        return 77
    return subprocess.run([sys.executable, os.path.join(source, "test/sim/run_programs.py"), worker,
                           os.path.join(source, "test/sim/programs")]).returncode


if __name__ == "__main__":
    sys.exit(main())
