#!/usr/bin/env python3
"""--record in kcheck optimize: every candidate that has a text is kept, a reject is paired with what repaired it, and a later
search shows the pair to its policy. Usage: BUILD SOURCE."""
import json
import os
import subprocess
import sys
import tempfile

from softmax_task import softmax_task

TASK = softmax_task("[{rows: 5, cols: 33}]", "{rows: 1024, cols: 128}")
# A policy that proposes a wrong sum, a kernel without its bounds check, and a right kernel.
POLICY = """import json, sys
prompt, text = sys.stdin.read(), open(sys.argv[1]).read()
wrong = text.replace("sum += expf", "sum += 2.0f * expf")
open_end = text.replace("  if (r >= rows)\\n    return;\\n", "")
right = text.replace("sum += expf(in[c] - top);", "{\\n    float d = in[c] - top;\\n    sum += expf(d);\\n  }")
print(json.dumps({"candidates": [{"source": s, "hypothesis": h} for s, h in ((wrong, "wrong"), (open_end, "no check"), (right, "right"))]}))
"""


def main():
    build, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    kcheck, worker = (os.path.join(build, "tools", p, p) for p in ("kcheck", "kcheck-sim"))
    if not os.path.exists(worker) or not os.path.exists(kcheck):
        print("kcheck or kcheck-sim is not built")
        return 77
    env = dict(os.environ, PATH=os.path.dirname(worker) + os.pathsep + os.environ.get("PATH", ""))
    kernel = os.path.join(source, "examples", "softmax", "naive.cu")
    with tempfile.TemporaryDirectory() as work:
        for name, text in (("task.yaml", TASK), ("policy.py", POLICY)):
            with open(os.path.join(work, name), "w", encoding="utf-8") as f:
                f.write(text)

        def run(*words):
            p = subprocess.run([kcheck, *words], cwd=work, env=env, capture_output=True, text=True, timeout=300)
            assert p.returncode == 0, (words, p.stdout, p.stderr)
            return p.stdout

        def prompt(folder):
            with open(os.path.join(work, folder, "round-1", "prompt.md"), encoding="utf-8") as f:
                return f.read()

        search = ["optimize", "task.yaml", "--kernel", kernel, "--rounds", "1", "--candidates", "3", "--policy", "command",
                  "--command", f"{sys.executable} policy.py {kernel}", "--record", "db", "--quiet"]
        run(*search, "--out", "first")
        ends = {}
        for i in (1, 2, 3):
            with open(os.path.join(work, "first", "round-1", f"r1c{i}.json"), encoding="utf-8") as f:
                o = json.load(f)
            ends[o["candidate"]["hypothesis"]] = (o["stage"], o["failure"])
        assert ends["wrong"][0] == "dynamic" and ends["no check"][0] == "guard" and ends["right"][0] == "measured", ends
        stats = json.loads(run("corpus", "stats", "--db", "db", "--format", "json"))
        reasons = json.dumps(stats)
        assert ends["wrong"][1] in reasons and ends["no check"][1] in reasons, (ends, stats)
        assert "Rejected before" not in prompt("first"), "nothing was recorded yet"

        pairs = [json.loads(line) for line in run("corpus", "export", "--repairs", "--db", "db", "--format", "jsonl").splitlines()]
        assert {p["reason"] for p in pairs} == {ends["wrong"][1], ends["no check"][1]}, pairs
        for p in pairs:
            assert "float d = in[c] - top;" in p["good"] and p["bad"] != p["good"], p

        run(*search, "--out", "second")
        shown = prompt("second")
        assert "Rejected before, and repaired" in shown and "sum += 2.0f * expf" in shown and "What repaired it" in shown, shown[-3000:]
    print("optimize --record: kept, paired, shown to the next search")
    return 0


if __name__ == "__main__":
    sys.exit(main())
