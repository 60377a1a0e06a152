#!/usr/bin/env python3
"""The jobs of docs/ci, their commands run as they stand there, in a clone whose branch touches an old file. Usage: BUILD SOURCE."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import yaml

OLD = """__global__ void halve(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] /= 2.0f;
  if (threadIdx.x < 3)
    __syncthreads();
}
void launch_halve(float *a, int n) { halve<<<(n + 255) / 256, 256>>>(a, n); }
"""
HARMLESS = OLD.replace("/= 2.0f", "*= 0.5f")
WORSE = HARMLESS.replace("threadIdx.x < 3", "threadIdx.x < 5")


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    if not shutil.which("git") or not shutil.which("bash"):
        print("skipped: no git or no bash here")
        return 77
    with open(os.path.join(source, "docs/ci/github.yml")) as f:
        steps = yaml.safe_load(f)["jobs"]["kernels"]["steps"]
    with open(os.path.join(source, "docs/ci/gitlab.yml")) as f:
        gitlab = yaml.safe_load(f)["kcheck"]
    faults = []
    with tempfile.TemporaryDirectory() as top:
        env = {**os.environ, "PATH": os.path.join(build, "tools/kcheck") + os.pathsep + os.environ["PATH"], "HOME": top,
               "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "GIT_CONFIG_GLOBAL": os.path.join(top, ".gitconfig")}
        theirs, ours = os.path.join(top, "theirs"), os.path.join(top, "ours")

        def git(folder, *words):
            return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=folder, check=True, capture_output=True,
                                  text=True, env=env).stdout.strip()

        def write(folder, text):
            with open(os.path.join(folder, "kernels", "halve.cu"), "w") as f:
                f.write(text)
            git(folder, "add", "-A")
            git(folder, "commit", "-qm", "a change")

        os.makedirs(os.path.join(theirs, "kernels"))
        git(theirs, "init", "-qb", "main")
        write(theirs, OLD)
        git(top, "clone", "-q", theirs, ours)
        base = git(ours, "rev-parse", "HEAD")
        env |= {"GITHUB_WORKSPACE": ours, "GITHUB_BASE_REF": "main", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}

        def job(script):
            p = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=ours, env=env, capture_output=True, text=True)
            return p.returncode, p.stdout + p.stderr

        for text, fails in ((HARMLESS, False), (WORSE, True)):
            write(ours, text)
            status = {s.get("name", ""): job(s["run"]) for s in steps if "run" in s}
            code, said = status["Annotate the changed lines"]
            if code != int(fails) or ("::error file=kernels/halve.cu,line=6" in said) != fails:
                faults.append(f"GitHub, {'a' if fails else 'no'} new fault: exit {code}\n{said}")
            if bad := {n: s for n, s in status.items() if s[0] and n != "Annotate the changed lines"}:
                faults.append(f"GitHub: {bad}")
            upload = next(s["with"]["sarif_file"] for s in steps if "upload-sarif" in s.get("uses", ""))
            with open(os.path.join(ours, upload)) as f:
                if json.load(f)["version"] != "2.1.0":
                    faults.append("GitHub: no SARIF to upload")
            code, said = job("\n".join(gitlab["script"]))
            cases = ET.parse(os.path.join(ours, gitlab["artifacts"]["reports"]["junit"])).getroot().iter("failure")
            if code != int(fails) or bool(list(cases)) != fails:
                faults.append(f"GitLab, {'a' if fails else 'no'} new fault: exit {code}\n{said}")
    print("\n".join(faults) or "both jobs let the old fault pass and stop the new one")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
