#!/usr/bin/env python3
"""docs/rule-reference.md is what program and policy say, and so are the tables of the pages. Usage: BUILD SOURCE.

script/rule-docs.py KCHECK rules.yaml docs/rule-reference.md writes the reference anew.
"""
import difflib
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| (\w+) \|", re.M)


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    kcheck = os.path.join(build, "tools/kcheck/kcheck")
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        fresh = os.path.join(folder, "reference.md")
        subprocess.run([sys.executable, os.path.join(source, "script/rule-docs.py"), kcheck, os.path.join(source, "rules.yaml"), fresh], check=True)
        with open(fresh) as new, open(os.path.join(source, "docs/rule-reference.md")) as old:
            faults += difflib.unified_diff(old.readlines(), new.readlines(), "docs/rule-reference.md", "kcheck rules", n=0)
    listed = json.loads(subprocess.run([kcheck, "rules", "--format", "json"], capture_output=True, text=True, check=True).stdout)["rules"]
    weights = {r["rule"].removeprefix("kcheck-"): {t["tag"]: (t["proven"], t["doubt"]) for t in r["tags"]} for r in listed}
    rows = 0
    for page in glob.glob(os.path.join(source, "docs/rules/*.md")):
        name = os.path.basename(page).removesuffix(".md")
        with open(page) as f:
            for tag, proven, doubt in ROW.findall(f.read()):
                rows += 1
                if weights.get(name, {}).get(tag) != (proven, doubt):
                    faults.append(f"docs/rules/{name}.md: {tag} is {weights.get(name, {}).get(tag)}, not {proven}, {doubt}\n")
    if rows < 20:
        faults.append(f"only {rows} rows found in the pages\n")
    print("".join(faults) or f"the reference and {rows} rows of the pages agree with the program")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
