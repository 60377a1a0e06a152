#!/usr/bin/env python3
"""The simulator needs no Clang on the machine: its headers travel inside. Usage: BUILD SOURCE.

The compiler's folder is hidden, and the caches are empty, so that a header that comes from there is missed.
"""
import glob
import os
import subprocess
import sys
import tempfile


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    worker = os.path.join(build, "tools/kcheck-sim/kcheck-sim")
    if not os.path.exists(worker):
        print("kcheck-sim is not built")
        return 77
    hidden = [d for d in glob.glob("/usr/lib/llvm-*") + ["/usr/lib/clang"] if os.path.isdir(d) and not os.path.islink(d)]
    hide = ["bwrap", "--dev-bind", "/", "/"] + [w for d in hidden for w in ("--tmpfs", d)]
    try:
        if not hidden or subprocess.run(hide + ["true"], capture_output=True).returncode:
            raise OSError("bwrap does not work here")
    except OSError as e:
        print("cannot hide the compiler:", e)
        return 77
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, KCHECK_CACHE_DIR=cache)
        run = hide + [sys.executable, os.path.join(source, "test/sim/run_sim.py"), worker]
        plain = subprocess.run(run + [os.path.join(source, "test/sim/plain")], env=dict(environment, KCHECK_HIDE_CUDA="1"))
        if plain.returncode:
            return plain.returncode
        if not os.path.exists("/usr/local/cuda/include/cuda_runtime.h"):
            return 0
        program = hide + [sys.executable, os.path.join(source, "test/sim/run_programs.py"), worker, os.path.join(source, "test/sim/programs/clean.cu")]
        return subprocess.run(program, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
