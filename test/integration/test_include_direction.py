#!/usr/bin/env python3
"""Each folder includes only what docs/design.md lets it include. Usage: BUILD SOURCE."""
import os
import re
import subprocess
import sys

# Folder -> folders that it may include directly; what those may include follows.
MAY = {
    "matchers": [],
    "analyzers/engine": [],
    "analyzers/rules": ["analyzers/engine", "matchers"],
    "actions": ["analyzers/engine", "matchers"],
    "runner/protocol": [],
    "runner/ops": ["runner/protocol"],
    "runner/client": ["runner/protocol"],
    "runner/guest": [],
    "runner/sim": ["runner/protocol", "runner/ops", "runner/guest"],
    "runner/gpu": ["runner/protocol", "runner/ops", "runner/guest"],
    "gate": ["analyzers/rules", "actions", "runner/client", "runner/ops"],
    "agent": ["gate"],
    "tools": ["agent", "runner/sim", "runner/gpu"],
}
NO_LLVM = ("runner/protocol", "runner/ops", "runner/client", "runner/guest", "runner/gpu")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def folder_of(path):
    return max((f for f in MAY if path.startswith(f + "/")), key=len, default=None)


def reach(folder):
    seen, todo = {folder}, [folder]
    while todo:
        for n in MAY[todo.pop()]:
            if n not in seen:
                seen.add(n)
                todo.append(n)
    return seen


def main():
    source = sys.argv[2]
    files = subprocess.run(["git", "-C", source, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    names = files.stdout.split() if files.returncode == 0 else [
        os.path.relpath(os.path.join(d, f), source) for top in {f.split("/")[0] for f in MAY}
        for d, _, fs in os.walk(os.path.join(source, top)) for f in fs]
    faults, checked = [], 0
    for name in names:
        folder = folder_of(name)
        if not folder or not name.endswith((".h", ".cpp")) or not os.path.exists(os.path.join(source, name)):
            continue
        with open(os.path.join(source, name), encoding="utf-8") as f:
            text = f.read()
        checked += 1
        for _, target in INCLUDE.findall(text):
            other = folder_of(target)
            if other and other not in reach(folder):
                faults.append(f"{name} includes {target}: {folder} may not include {other}")
            if folder in NO_LLVM and re.match(r"(llvm|clang)(-c)?/", target):
                faults.append(f"{name} includes {target}: {folder} uses no LLVM")
    print("\n".join(faults) or f"{checked} files keep the direction")
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
