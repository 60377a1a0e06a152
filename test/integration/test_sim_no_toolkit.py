#!/usr/bin/env python3
"""Without a toolkit plain kernels run all the same, with the same findings: where kcheck is told to see none, and where
there is none for Clang's driver either. Usage: BUILD SOURCE."""
import glob
import os
import shutil
import subprocess
import sys


def main():
    build, source = sys.argv[1:3]
    worker = os.path.join(build, "tools/kcheck-sim/kcheck-sim")
    if not os.path.exists(worker):
        print("kcheck-sim is not built")
        return 77
    environment = dict(os.environ, KCHECK_HIDE_CUDA="1")
    command = [sys.executable, os.path.join(source, "test/sim/run_sim.py"), worker, os.path.join(source, "test/sim/plain")]
    code = subprocess.run(command, env=environment).returncode
    if code:
        return code
    toolkits = {os.path.realpath(d) for d in glob.glob("/usr/local/cuda*") + ["/usr/lib/cuda", "/opt/cuda"] if os.path.isdir(d)}
    hidden = ["bwrap", "--dev-bind", "/", "/", *(w for d in sorted(toolkits) for w in ("--tmpfs", d))]
    if not shutil.which("bwrap") or subprocess.run([*hidden, "true"], capture_output=True).returncode:
        print("no bubblewrap here: the toolkit cannot be hidden from Clang's driver")
        return 0
    return subprocess.run([*hidden, *command], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
