#!/usr/bin/env python3
"""The version comes from the git tag: exactly on it, some commits behind it, without one. Usage: BUILD SOURCE."""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def main():
    source = os.path.abspath(sys.argv[2])
    if not shutil.which("git"):
        print("skipped: no git here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        header = os.path.join(folder, "version.h")
        tree = os.path.join(folder, "tree")
        os.makedirs(tree)

        def git(*words):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=tree, check=True, capture_output=True)

        def version():
            subprocess.run(["cmake", f"-DSOURCE={tree}", "-DFALLBACK=9.9.9", f"-DHEADER={header}", "-P", os.path.join(source, "cmake/KcheckVersion.cmake")], check=True)
            with open(header) as f:
                return re.search(r'KCHECK_FULL_VERSION "([^"]*)"', f.read())[1]

        seen = [version()]
        git("init", "-q")
        git("commit", "-q", "--allow-empty", "-m", "one")
        seen.append(version())
        git("tag", "v1.2.3")
        seen.append(version())
        git("commit", "-q", "--allow-empty", "-m", "two")
        seen.append(version())
    wanted = [r"9\.9\.9", r"9\.9\.9", r"1\.2\.3", r"1\.2\.3\+1\.g[0-9a-f]{8}"]
    if not all(re.fullmatch(w, s) for w, s in zip(wanted, seen)):
        print(seen, "instead of", wanted)
        return 1
    print("versions:", ", ".join(seen))
    return 0


if __name__ == "__main__":
    sys.exit(main())
