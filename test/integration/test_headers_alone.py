#!/usr/bin/env python3
"""Every header of ours compiles on its own, with the flags of a unit beside it. Usage: BUILD SOURCE."""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys


def flags_of(entry):
    words = shlex.split(entry["command"])
    while words and not re.search(r"(clang|g)\+\+", os.path.basename(words[0])):
        words.pop(0)  # the compiler launcher and its environment
    out, skip = [], False
    for w in words:
        if skip:
            skip = False
        elif w in ("-o", "-MF", "-MT"):
            skip = True
        elif w not in ("-c", "-MD", entry["file"]):
            out.append(w)
    return out


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    with open(os.path.join(build, "compile_commands.json")) as f:
        units = {os.path.relpath(e["file"], source): e for e in json.load(f)}
    jobs = []
    for unit_folder in sorted({os.path.dirname(u) for u in units if not u.startswith((".", "build", "test"))}):
        # a folder may hold units with and without LLVM's headers: take the flags that know more of them
        unit = max((u for u in units if os.path.dirname(u) == unit_folder), key=lambda u: units[u]["command"].count("-isystem"))
        for h in sorted(os.listdir(os.path.join(source, unit_folder))):
            if h.endswith(".h"):
                jobs.append((f"{unit_folder}/{h}", units[unit]))

    def compile_one(job):
        header, entry = job
        p = subprocess.run([*flags_of(entry), "-fsyntax-only", "-Wno-unused-function", "-x", "c++", "-"], cwd=entry["directory"],
                           input=f'#include "{header}"\n', capture_output=True, text=True)
        return None if p.returncode == 0 else f"{header}:\n{p.stderr[:1500]}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [r for r in pool.map(compile_one, jobs) if r]
    print("\n".join(failed) or f"{len(jobs)} headers compile alone")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
