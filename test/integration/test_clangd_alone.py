#!/usr/bin/env python3
"""kcheck-clangd on a machine without a compiler and without a toolkit: the headers in the program do. Usage: BUILD SOURCE."""
import glob
import os
import subprocess
import sys
import tempfile

from lsp import Server


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    program = os.path.join(build, "tools", "kcheck-clangd", "kcheck-clangd")
    if not os.path.exists(program):
        print("skipped: kcheck-clangd is not built")
        return 77
    hidden = [d for d in glob.glob("/usr/lib/llvm-*") + ["/usr/lib/clang"] if os.path.isdir(d) and not os.path.islink(d)]
    with tempfile.TemporaryDirectory() as folder:
        hide = ["bwrap", "--dev-bind", "/", "/"] + [w for d in hidden for w in ("--tmpfs", d)]
        hide += ["--setenv", "KCHECK_HIDE_CUDA", "1", "--setenv", "XDG_CACHE_HOME", os.path.join(folder, "cache")]
        try:
            if not hidden or subprocess.run(hide + ["true"], capture_output=True).returncode:
                raise OSError("bwrap does not work here")
        except OSError as e:
            print("skipped: cannot hide the compiler:", e)
            return 77
        with open(os.path.join(source, "examples", "row_sum_stuck.cu")) as f:
            text = f.read()
        for _ in range(2):  # the headers are written, then found
            server = Server(hide + [program, "--background-index=false"], folder)
            shown = server.diagnostics(server.open(os.path.join(folder, "k.cu"), text), 300)
            codes = [d.get("code") for d in shown]
            server.stop()
            if codes != ["kcheck-sync-barrier-divergence"]:
                print("\n".join(d["message"] for d in shown))
                return 1
    print("the finding and nothing else, twice")
    return 0


if __name__ == "__main__":
    sys.exit(main())
