#!/usr/bin/env python3
"""The plugin in stock clang-tidy: the checks, weights and options of `kcheck rules` and rules.yaml, and an option does in both what it says.
Usage: BUILD SOURCE."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import yaml

MANY = """template <int N> __global__ void add(float *a) { a[threadIdx.x] += N; }
""" + "".join(f"template __global__ void add<{n}>(float *);\n" for n in range(6))


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    kcheck, plugin = os.path.join(build, "tools/kcheck/kcheck"), os.path.join(build, "tools/clang-tidy-plugin/kcheck-tidy.so")
    tidy = shutil.which("clang-tidy-22")
    if not tidy or not os.path.exists(plugin):
        print("skipped: no clang-tidy-22 or no plugin here")
        return 77
    with open(os.path.join(source, "rules.yaml"), encoding="utf-8") as f:
        policy = yaml.safe_load(f)["rules"]
    listed = json.loads(subprocess.run([kcheck, "rules", "--format", "json"], capture_output=True, text=True, check=True).stdout)["rules"]
    ours = {t["check"]: (r["rule"], t["proven"]) for r in listed for t in r["tags"]}
    faults = []
    mock = os.path.join(source, "test/lit/Inputs/mock_cuda.h")
    flags = ["--", "-xcuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.8", "-include", mock]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "many.cu")
        with open(path, "w") as f:
            f.write(MANY)

        def stock(*words):
            return subprocess.run([tidy, f"--load={plugin}", "--checks=-*,kcheck-*", *words, path, *flags], capture_output=True, text=True, cwd=folder).stdout

        names = {l.strip() for l in stock("--list-checks").splitlines() if l.strip().startswith("kcheck-")}
        if names != set(ours):
            faults.append(f"only in one of both: {sorted(names ^ set(ours))}")
        has = yaml.safe_load(stock("--dump-config"))["CheckOptions"]
        for check, (rule, weight) in ours.items():
            wanted = {"severity": weight, **{k: ";".join(map(str, v)) if isinstance(v, list) else str(v) for k, v in policy[rule].get("options", {}).items()}}
            for name, value in wanted.items():
                if (got := str(has.get(f"{check}.{name}"))) != value:
                    faults.append(f"{check}.{name} is {got}, not {value}")

        def found(most):
            config = os.path.join(folder, "policy.yaml")
            with open(config, "w") as f:
                f.write(f"kcheck: 1\nrules:\n  kcheck-template-bloat:\n    options: {{max_instantiations: {most}}}\n")
            report = json.loads(subprocess.run([kcheck, "lint", "--format", "json", "--config", config, path], capture_output=True, text=True).stdout)
            own = {f["check"] for f in report["results"][0]["static"]["findings"] if f["rule"] == "kcheck-template-bloat"}
            said = stock("--config={CheckOptions: {kcheck-template-bloat.max_instantiations: '%d'}}" % most)
            return own, {c for c in ours if f"[{c}]" in said and c.startswith("kcheck-template-bloat")}

        for most, any_found in ((4, True), (60, False)):
            own, theirs = found(most)
            if own != theirs or bool(own) != any_found:
                faults.append(f"at most {most} instantiations: kcheck finds {own}, clang-tidy {theirs}")
    print("\n".join(faults) or f"{len(ours)} checks with their options agree")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
