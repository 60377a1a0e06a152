#!/usr/bin/env python3
"""The commands that README and the guide show are run as they stand there, and say what is shown. Usage: BUILD SOURCE.

Names that stand for the reader's own files (k.cu, kernels/) are files of examples/. What is shown below a command are lines of
its output in this order; "…" stands for what differs from run to run. A comment that begins with a verdict names it.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

PAGES = ["README.md", "docs/guide.md", "docs/tasks.md", "docs/editors.md", "docs/agents.md", "docs/actions/README.md", "docs/guard.md", "docs/policy.md", "docs/simulator.md"]
STANDS_FOR = {"k.cu": "linear_relu/naive.cu", "prog.cu": None, "task.yaml": "linear_relu/task.yaml"}
OPERATOR = {"softmax": "linear_relu"}  # k.cu is one of these
PROGRAM = """#include <cstdio>
__global__ void twice(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}
int main(int, char **words) {
  int n = atoi(words[1]), *a;
  cudaMalloc(&a, n * sizeof(int));
  cudaMemset(a, 0, n * sizeof(int));
  twice<<<(n + 255) / 256, 256>>>(a, n);
  printf("%d\\n", int(cudaDeviceSynchronize()));
  cudaFree(a);
}
"""
ELSEWHERE = re.compile(r"^(script/|export |examples/agent/(endpoint|search)\.py)|--device (gpu|http)|^kcheck mcp|pre-commit |apt|dpkg|curl |docker|kcheck-gpu")


def commands(path):
    """(command, comment, lines shown) of each console block."""
    with open(path, encoding="utf-8") as f:
        blocks = re.findall(r"^ *```console\n(.*?)^ *```", f.read(), re.S | re.M)
    for block in blocks:
        found = []
        for line in block.splitlines():
            if line.strip().startswith("$ "):
                command, _, comment = line.strip()[2:].partition("  #")
                found.append((command.strip(), comment.strip(), []))
            elif found and line.strip():
                found[-1][2].append(line)
        yield from found


def missing(shown, output):
    """The first line that does not come, in order."""
    at = 0
    for line in shown:
        m = re.compile(r"[^\n]*?".join(map(re.escape, line.strip().split("…")))).search(output, at)
        if not m:
            return line
        at = m.end()
    return None


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    kcheck = os.path.join(build, "tools/kcheck/kcheck")
    path = os.pathsep.join([os.path.dirname(kcheck), os.path.join(build, "tools/kcheck-sim"), os.environ["PATH"]])
    faults, ran = [], 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(source, "examples"), os.path.join(folder, "examples"))
        shutil.copytree(os.path.join(source, "examples"), os.path.join(folder, "kernels"))
        for name, of in STANDS_FOR.items():
            if of:
                shutil.copy(os.path.join(source, "examples", of), os.path.join(folder, name))
        with open(os.path.join(folder, "prog.cu"), "w") as f:
            f.write(PROGRAM)
        for page in PAGES:
            for command, comment, shown in commands(os.path.join(source, page)):
                plugin = os.path.join(build, "tools/clang-tidy-plugin/kcheck-tidy.so")
                if ELSEWHERE.search(command) or (command.startswith("clang-tidy") and not (shutil.which("clang-tidy-22") and os.path.exists(plugin))):
                    continue
                command = command.replace("/usr/lib/kcheck/kcheck-tidy.so", plugin)
                if " k.cu " in command:
                    for shown_op, own in OPERATOR.items():
                        command = command.replace(f"--op {shown_op}", f"--op {own}")
                p = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=300, env={**os.environ, "PATH": path, "NO_COLOR": "1"})
                output, ran = p.stdout + p.stderr, ran + 1
                verdict = re.match(r"(PASS|REVIEW|REJECT)\b", comment)
                if p.returncode not in (0, 1):
                    faults.append(f"{page}: {command}: exit {p.returncode}\n{output[-1500:]}")
                elif line := missing(shown, output):
                    faults.append(f"{page}: {command} does not say\n{line}\nbut\n{output}")
                elif verdict and not output.rstrip().endswith("result: " + verdict[0]):
                    faults.append(f"{page}: {command}: not {verdict[0]}\n{output}")
    print("\n\n".join(faults) or f"{ran} commands do what the pages say")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
