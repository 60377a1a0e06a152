#!/usr/bin/env python3
"""kcheck optimize on the simulator: a gain, the same seed twice, killed and taken up again, replayed. Usage: BUILD SOURCE."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from softmax_task import softmax_task

TASK = softmax_task("[{rows: 5, cols: 33}, {rows: 3, cols: 130}]", "{rows: 4096, cols: 512}")


def main():
    build, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    kcheck = os.path.join(build, "tools", "kcheck", "kcheck")
    worker = os.path.join(build, "tools", "kcheck-sim", "kcheck-sim")
    if not os.path.exists(worker) or not os.path.exists(kcheck):
        print("kcheck or kcheck-sim is not built")
        return 77
    env = dict(os.environ, PATH=os.path.dirname(worker) + os.pathsep + os.environ.get("PATH", ""))
    faults = []
    with tempfile.TemporaryDirectory() as work:
        with open(os.path.join(work, "task.yaml"), "w", encoding="utf-8") as f:
            f.write(TASK)
        kernel = os.path.join(source, "examples", "softmax", "naive.cu")

        def call(out):
            return [kcheck, "optimize", "task.yaml", "--kernel", kernel, "--rounds", "1", "--candidates", "2", "--quiet", "--out", out]

        def result(out):
            with open(os.path.join(work, out, "result.json"), encoding="utf-8") as f:
                return f.read()

        done = subprocess.run(call("whole"), cwd=work, env=env, capture_output=True, text=True, timeout=300)
        if done.returncode:
            print(done.stdout + done.stderr)
            return 1
        whole = result("whole")
        facts = json.loads(whole)
        if facts["speedup"] < 1.5 or not facts["modelled"] or "modelled" not in done.stdout:
            faults.append(f"no gain worth the name, or times not said to be modelled:\n{done.stdout}{whole}")
        for name in ("best.cu", "best.diff", "notebook.md", "report.html", "round-1/feedback.md", "round-1/prompt.md"):
            if not os.path.getsize(os.path.join(work, "whole", name)):
                faults.append(f"{name} is empty")

        # Ctrl-C while the first candidates are made: over at once, with the status and the word of it.
        running = subprocess.Popen(call("killed"), cwd=work, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        asked = os.path.join(work, "killed", "start.json")
        while running.poll() is None and not os.path.exists(asked):
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=60)
        if running.returncode != 2 or "kcheck: interrupted; the same call goes on" not in said:
            faults.append(f"Ctrl-C: status {running.returncode}, said {said!r}")

        # Taken up, and killed as soon as the first candidate is measured.
        running = subprocess.Popen(call("killed"), cwd=work, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        first = os.path.join(work, "killed", "round-1", "r1c1.json")
        while running.poll() is None and not os.path.exists(first):
            time.sleep(0.05)
        running.kill()
        running.wait()
        if subprocess.run(call("killed"), cwd=work, env=env, capture_output=True, timeout=300).returncode:
            faults.append("the killed run cannot be taken up")
        elif result("killed") != whole:
            faults.append("killed and resumed: another result than the run in one go")

        other = call("whole")
        other[other.index("--rounds") + 1] = "2"
        refused = subprocess.run(other, cwd=work, env=env, capture_output=True, text=True, timeout=60)
        if refused.returncode != 2 or "another run" not in refused.stderr:
            faults.append(f"another run in the same folder: status {refused.returncode} {refused.stderr}")

        again = subprocess.run([kcheck, "replay", "whole", "--out", "again", "--quiet"], cwd=work, env=env, capture_output=True, text=True, timeout=300)
        if again.returncode or "as recorded" not in again.stdout:
            faults.append(f"replay: {again.stdout}{again.stderr}")
    print("\n".join(faults) or "optimize: gain, resume and replay as they should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
