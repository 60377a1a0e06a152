#!/usr/bin/env python3
"""Every kernel in examples/ gets the verdict and the tags that its first line promises. Usage: BUILD SOURCE.

    // verdict: REVIEW scalar_access
An example whose rule is not part of the source is left out.
"""
import glob
import json
import os
import subprocess
import sys

import yaml


def rules_of_tags(source):
    with open(os.path.join(source, "rules.yaml"), encoding="utf-8") as f:
        rules = yaml.safe_load(f)["rules"]
    return {tag: rule.removeprefix("kcheck-") for rule, body in rules.items() for tag in body["tags"]}


def promise(path):
    with open(path, encoding="utf-8") as f:
        verdict, *tags = f.readline().removeprefix("// verdict:").split()
    return verdict, set(tags)


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    owner = rules_of_tags(source)
    files = [f for f in sorted(glob.glob(os.path.join(source, "examples", "*.cu")))
             if all(os.path.isdir(os.path.join(source, "analyzers", "rules", owner[t])) for t in promise(f)[1])]
    p = subprocess.run([os.path.join(build, "tools/kcheck/kcheck"), "lint", "--format", "json", *files], capture_output=True, text=True)
    results = {os.path.basename(r["file"]): r for r in json.loads(p.stdout)["results"]}
    wrong = []
    for path in files:
        verdict, tags = promise(path)
        r = results[os.path.basename(path)]
        got = {f["tag"] for f in r["static"]["findings"] if f["severity"] != "note"}
        if r["verdict"] != verdict or not tags <= got:
            wrong.append(f"{path}: promised {verdict} {sorted(tags)}, got {r['verdict']} {sorted(got)}")
    print("\n".join(wrong) or f"{len(files)} examples judged as promised")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
