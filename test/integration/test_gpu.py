#!/usr/bin/env python3
"""The GPU worker explains itself on any machine; where a GPU is, its test kernels run (else skipped, with the reason)."""
import json
import os
import subprocess
import sys
import tempfile

build, source = sys.argv[1:3]
worker = os.path.join(build, "tools/kcheck-gpu/kcheck-gpu")


def run(*words, text=""):
    return subprocess.run([worker, *words], input=text, capture_output=True, text=True, timeout=120)


probe = json.loads(run("--probe").stdout)
assert probe["program"].startswith("kcheck-gpu "), probe
assert probe["driver"]["found"] or probe["driver"]["why"], probe
for d in probe["devices"]:
    assert d["usable"] or d["why"], d
assert run("--no-such-option").returncode == 2
assert run("--job", "/no/such/file").returncode == 2

# Bad jobs are answered, each by itself, and a job without a device says why.
job = {"schema": "kcheck.job/1", "id": "a", "source": {"text": "__global__ void k(float *p) { *p = 1; }"},
       "buffers": [{"name": "p", "dtype": "f32", "shape": [1], "role": "out", "content": "poison"}],
       "steps": [{"do": "launch", "kernel": "k", "grid": [1], "block": [1], "args": [{"pointer": {"buffer": "p"}}]}], "outputs": ["p"]}
lines = ["{", json.dumps({"schema": "kcheck.job/1", "sanitizers": ["lint"]}), json.dumps(job)]
answers = [json.loads(x) for x in run("--serve", text="\n".join(lines) + "\n").stdout.splitlines()]
assert [a["failure"] for a in answers[:2]] == ["bad_job", "bad_job"], answers
assert "unknown tool 'lint'" in answers[1]["message"], answers[1]
assert len(answers) == 3 and answers[2]["id"] == "a", answers
if not any(d["usable"] for d in probe["devices"]):
    assert answers[2]["failure"] == "no_worker" and answers[2]["message"], answers[2]
with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
    f.write(json.dumps(job))
    f.flush()
    one = json.loads(run("--job", f.name).stdout)
    assert one["failure"] == answers[2]["failure"], one

# Which labels count as ncu's: the same, or what its own numbers allow within what two runs differ by.
sys.path.insert(0, os.path.join(source, "test/gpu"))
from compare_ncu import same_label
def numbers(memory, compute):
    return {"memory_pct": memory, "compute_pct": compute}
assert same_label(numbers(80, 30), numbers(78, 31)) and same_label(numbers(60.4, 30), numbers(59.6, 30)) and same_label(numbers(81, 82), numbers(82, 81))
assert not same_label(numbers(70, 30), numbers(59, 30)) and not same_label(numbers(82, 70), numbers(70, 82)) and not same_label(numbers(50, 30), numbers(64, 30))

sys.exit(subprocess.run([sys.executable, os.path.join(source, "test/gpu/run_gpu.py"), worker]).returncode)
