#!/usr/bin/env python3
"""docs/cli.md is what `kcheck --help` says; script/cli-docs.py KCHECK --markdown docs/cli.md writes it anew."""
import difflib, os, subprocess, sys, tempfile

build, source = sys.argv[1:3]
with tempfile.TemporaryDirectory() as d:
    fresh = os.path.join(d, "cli.md")
    subprocess.run([sys.executable, os.path.join(source, "script/cli-docs.py"), os.path.join(build, "tools/kcheck/kcheck"), "--markdown", fresh],
                   check=True, stdout=subprocess.DEVNULL)
    new, old = open(fresh).read(), open(os.path.join(source, "docs/cli.md")).read()
if new != old:
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "docs/cli.md", "kcheck --help"))
    sys.exit("docs/cli.md is old; write it anew with script/cli-docs.py KCHECK --markdown docs/cli.md")
