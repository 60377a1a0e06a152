#!/usr/bin/env python3
"""Without a toolkit plain kernels run all the same, with the same findings. Usage: BUILD SOURCE."""
import os
import subprocess
import sys


def main():
    build, source = sys.argv[1:3]
    worker = os.path.join(build, "tools/kcheck-sim/kcheck-sim")
    if not os.path.exists(worker):
        print("kcheck-sim is not built")
        return 77
    environment = dict(os.environ, KCHECK_HIDE_CUDA="1")
    return subprocess.run([sys.executable, os.path.join(source, "test/sim/run_sim.py"), worker,
                           os.path.join(source, "test/sim/plain")], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
