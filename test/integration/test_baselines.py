#!/usr/bin/env python3
"""Every baseline kernel compiles with nvcc for every element type it is offered for. Usage: BUILD SOURCE."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile


def nvcc():
    for root in (os.environ.get("CUDAToolkit_ROOT"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if root and os.path.exists(os.path.join(root, "bin", "nvcc")):
            return os.path.join(root, "bin", "nvcc")
    return shutil.which("nvcc")


def main():
    if os.environ.get("KCHECK_HIDE_CUDA") or not nvcc():
        print("no nvcc")
        return 77
    folder = os.path.join(sys.argv[2], "runner", "ops", "baselines")
    names = sorted(os.path.basename(f)[:-3] for f in glob.glob(os.path.join(folder, "*.cu")))
    # One unit for all: starting the compiler costs more than the kernels do. Each file has a namespace of its own.
    text = '#include "baseline.cuh"\n#include <math.h>\n'
    text += "".join(f'namespace in_{n} {{\n#include "{n}.cu"\n}}\n' for n in names)
    with tempfile.TemporaryDirectory() as scratch:
        unit = os.path.join(scratch, "all.cu")
        with open(unit, "w", encoding="utf-8") as f:
            f.write(text)
        for kind in sys.argv[3:] or ["float", "__half"]:
            done = subprocess.run([nvcc(), "-std=c++17", "-arch=sm_80", "-O1", "-cubin", "-I", folder, f"-DKCHECK_T={kind}", unit, "-o",
                                   os.path.join(scratch, "all.cubin"), "-Werror", "all-warnings"], capture_output=True, text=True)
            if done.returncode:
                print(done.stderr[:6000])
                return 1
    print(f"{len(names)} baselines compile")
    return 0


if __name__ == "__main__":
    sys.exit(main())
