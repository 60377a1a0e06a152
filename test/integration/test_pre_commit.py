#!/usr/bin/env python3
"""pre-commit in a scratch repository: a bad kernel cannot be committed, a good one can; the hook that runs kernels; changed lines only.
Usage: BUILD SOURCE."""
import os
import shutil
import subprocess
import sys
import tempfile

BAD = "__global__ void scale(float *a, int n) {\n  printf(\"%d\\n\", n);\n  if (threadIdx.x < n)\n    a[threadIdx.x] *= 2.0f;\n}\n"
GOOD = BAD.replace('  printf("%d\\n", n);\n', "")
LAUNCHED = GOOD + """
void launch_scale(float *a, int n) { scale<<<1, 256>>>(a, n); }
"""
CONFIG = """repos:
  - repo: {hooks}
    rev: v1
    hooks:
      - id: kcheck
        args: [--fail-on, review]
"""
SIMULATOR = CONFIG.replace("id: kcheck\n        args: [--fail-on, review]", "id: kcheck-sim\n        verbose: true")
CHANGED = CONFIG.replace("review]", "review, --diff-base, HEAD]")


def run(command, folder, path, fails=False):
    home = os.path.join(folder, "home")
    env = {**os.environ, "PATH": path, "HOME": home, "PRE_COMMIT_HOME": home, "GIT_CONFIG_GLOBAL": os.path.join(home, ".gitconfig"),
           "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))}
    p = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    if (p.returncode != 0) != fails:
        raise SystemExit(f"{' '.join(command)}: exit {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stdout + p.stderr


def new_repository(folder):
    os.makedirs(os.path.join(folder, "home"))
    run(["git", "init", "-q", "."], folder, os.environ["PATH"])
    for key, value in (("user.name", "a tester"), ("user.email", "tester@example.org"), ("core.excludesFile", "")):
        run(["git", "config", key, value], folder, os.environ["PATH"])
    with open(os.path.join(folder, ".git", "info", "exclude"), "w") as f:
        f.write("/home/\n")


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    pre_commit = "/usr/bin/pre-commit" if os.path.exists("/usr/bin/pre-commit") else shutil.which("pre-commit")
    if not pre_commit:
        print("skipped: no pre-commit here")
        return 77
    system = "/usr/bin:/bin"
    ours = os.path.join(build, "tools", "kcheck") + ":" + system
    with tempfile.TemporaryDirectory() as top:
        hooks, work = os.path.join(top, "hooks"), os.path.join(top, "work")
        new_repository(hooks)
        shutil.copy(os.path.join(source, ".pre-commit-hooks.yaml"), hooks)
        for command in (["git", "add", "-A"], ["git", "commit", "-qm", "hooks"], ["git", "tag", "v1"]):
            run(command, hooks, ours)
        new_repository(work)

        def configure(text):
            with open(os.path.join(work, ".pre-commit-config.yaml"), "w") as f:
                f.write(text.format(hooks=hooks))

        configure(CONFIG)
        run([pre_commit, "install"], work, ours)

        def write(text):
            with open(os.path.join(work, "scale.cu"), "w") as f:
                f.write(text)
            run(["git", "add", "-A"], work, ours)

        write(BAD)
        said = run(["git", "commit", "-m", "bad"], work, ours, fails=True)
        if "device_printf" not in said:
            raise SystemExit(f"the reason is not shown:\n{said}")
        said = run(["git", "commit", "-m", "no kcheck"], work, system, fails=True)
        if "kcheck" not in said or "not found" not in said:
            raise SystemExit(f"a missing kcheck is not named:\n{said}")
        write(GOOD)
        run(["git", "commit", "-m", "good"], work, ours)
        if os.path.exists(os.path.join(build, "tools", "kcheck-sim", "kcheck-sim")):
            configure(SIMULATOR)
            write(LAUNCHED)
            said = run(["git", "commit", "-m", "run"], work, ours)
            if "[dynamic_check] sim" not in said or "sanitize: clean" not in said:
                raise SystemExit(f"the second hook ran nothing:\n{said}")
            write(LAUNCHED.replace("a[threadIdx.x] *=", "a[0] +="))
            said = run(["git", "commit", "-m", "a lost update"], work, ours, fails=True)
            if "result: REJECT" not in said:
                raise SystemExit(f"not for its verdict:\n{said}")
        configure(CHANGED)
        write(BAD)
        run(["git", "commit", "-qnm", "an old fault"], work, ours)
        write(BAD + "// a comment\n")
        run(["git", "commit", "-m", "another line"], work, ours)
        write(BAD.replace('"%d', '"n %d'))
        said = run(["git", "commit", "-m", "that line"], work, ours, fails=True)
        if "device_printf" not in said:
            raise SystemExit(f"a changed line does not count:\n{said}")
    print("bad kernels were held back, good ones went in, a missing kcheck was named, only changed lines counted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
