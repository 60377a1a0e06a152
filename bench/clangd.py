#!/usr/bin/env python3
"""kcheck-clangd against stock clangd on the same files: bench/clangd.py KCHECK_CLANGD CLANGD FILE...

For each file and server: open, then edits; wall time until diagnostics, and processor time of the whole session.
Both servers get the same compile flags, and find the headers beside the file.
"""
import os
import resource
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "integration"))
from lsp import Server  # noqa: E402

EDITS = 8
# kcheck-clangd finds these by itself; stock clangd would stop at the first header that is missing, and be quick.
CCCL = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "include", "cccl")


def session(program, text, beside):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "compile_flags.txt"), "w") as f:
            f.write(f"-xcuda\n--cuda-gpu-arch=sm_80\n-std=c++17\n-Wno-unknown-cuda-version\n-I{beside}\n-idirafter{CCCL}\n")
        server = Server([program, "--background-index=false"], folder)
        start = time.monotonic()
        uri = server.open(os.path.join(folder, "k.cu"), text)
        server.diagnostics(uri, 300)
        opened, edits = time.monotonic() - start, []
        for n in range(EDITS):
            start = time.monotonic()
            server.change(uri, f"{text}\n// {n}\n")
            server.diagnostics(uri, 300)
            edits.append(time.monotonic() - start)
        server.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return opened, statistics.median(edits), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    ours, stock, *files = [os.path.abspath(w) if os.sep in w or w.endswith(".cu") else w for w in sys.argv[1:]]
    print(f"{'file':28} {'':14} {'open s':>8} {'edit s':>8} {'cpu s':>8}")
    total = {ours: 0.0, stock: 0.0}
    for path in files:
        with open(path) as f:
            text = f.read()
        for program in (stock, ours):
            opened, edit, cpu = session(program, text, os.path.dirname(path))
            total[program] += cpu
            print(f"{os.path.basename(path):28} {os.path.basename(program):14} {opened:8.2f} {edit:8.3f} {cpu:8.2f}")
    print(f"processor time: {total[ours] / total[stock] - 1:+.1%} against stock clangd")
    return 0


if __name__ == "__main__":
    sys.exit(main() if len(sys.argv) > 3 else __doc__)
