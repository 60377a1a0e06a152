#!/usr/bin/env python3
"""The score on a folder of labelled kernels beside the checkout, where there is one. Usage: BUILD SOURCE."""
import os
import subprocess
import sys

BOUNDS = ["--min-recall", "1.0", "--min-exact", "0.857", "--max-false-reject", "0", "--max-false-review", "0"]


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    cases = os.path.join(source, "..", "shared", "cases")
    if not os.path.exists(os.path.join(cases, "score.py")):
        print("skipped: no labelled cases beside the checkout")
        return 77
    return subprocess.run([sys.executable, os.path.join(cases, "score.py"), os.path.join(build, "tools/kcheck/kcheck"), cases,
                           "--verbose", *BOUNDS]).returncode


if __name__ == "__main__":
    sys.exit(main())
