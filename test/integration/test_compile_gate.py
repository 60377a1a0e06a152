#!/usr/bin/env python3
"""What the compile gate rejects, keeps as a doubt and drops, seen from the command line. Usage: BUILD SOURCE."""
import json
import os
import subprocess
import sys
import tempfile

HEAD = "#include <cuda_runtime.h>\n"
RUN = "\nvoid run(float *x, int n) { k<<<(n + 255) / 256, 256>>>(x, n); }\n"
GUARDED = "__global__ void k(float *x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n)\n    "

# What nvcc takes, although Clang or the text alone might say otherwise: no finding of the compile layer.
ACCEPTED = {
    "barrier object in shared memory": "#include <cuda/barrier>\n" + HEAD + """
__global__ void k(float *x, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0)
    init(&bar, blockDim.x);
  __syncthreads();
  bar.arrive_and_wait();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 1.0f;
}""" + RUN,
    "dynamic shared scalar": HEAD + """
__global__ void k(float *x, int n) {
  extern __shared__ int total;
  if (threadIdx.x == 0)
    total = n;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = (float)total;
}
void run(float *x, int n) { k<<<(n + 255) / 256, 256, sizeof(int)>>>(x, n); }
""",
    "cache hints": HEAD + GUARDED + "__stcs(x + i, __ldcs(x + i) + 1.0f);\n}" + RUN,
    "overloads of the host": HEAD + GUARDED + "x[i] = 2.0f;\n}\nint least(int a, int b) { return min(a, b); }" + RUN,
    "printf with its header": "#include <cstdio>\n" + HEAD + GUARDED + 'printf("%d\\n", i), x[i] = 0.0f;\n}' + RUN,
    "printf by way of another header": "#include <iostream>\n" + HEAD + GUARDED + 'printf("%d\\n", i), x[i] = 0.0f;\n}' + RUN,
}

# text, tag, line, the half that must be confirmed
REJECTED = {
    "invented intrinsic": (HEAD + GUARDED + "x[i] = __float_rand_uniform(i);\n}" + RUN, "undeclared_api", 5, "compile_device"),
    "invented host call": (HEAD + GUARDED + "x[i] = 1.0f;\n}\nvoid copy(float *x) {\n  cudaMemCpy(x, x, 4, cudaMemcpyDefault);\n}" + RUN, "undeclared_api", 8, "compile_host"),
    "misspelt attribute": (HEAD + GUARDED.replace("__global__", "__global") + "x[i] = 1.0f;\n}" + RUN, "misspelt_attribute", 2, "compile_device"),
    "printf without its header": (HEAD + GUARDED + 'printf("%d\\n", i), x[i] = 0.0f;\n}' + RUN, "missing_include", 5, "compile_device"),
    "missing semicolon": (HEAD + GUARDED + "x[i] = 1.0f\n}" + RUN, "syntax_error", 5, "compile_device"),
    "no extern": (HEAD + GUARDED.replace("{\n", "{\n  __shared__ float s[];\n", 1) + "s[threadIdx.x] = x[i], x[i] = 2.0f * s[threadIdx.x];\n}" + RUN, "missing_extern_shared", 3, "compile_device"),
}

EXTENSION = """import torch
from torch.utils.cpp_extension import load_inline

src = '''
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = %s;
}

torch::Tensor run(torch::Tensor x) {
  k<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), x.numel());
  %s;
  return x;
}
'''
e = load_inline(name="e", cpp_sources="torch::Tensor run(torch::Tensor x);", cuda_sources=src, functions=["run"])
"""
# Python files: text, line and tag of what is rejected; no line: nothing is.
PYTHON = {
    "as it should be": (EXTENSION % ("1.0f", ""), 0, ""),
    "no such overload in a kernel": (EXTENSION % ("atomicMax(x, 1.0f)", ""), 8, "type_mismatch"),
    "missing semicolon in a kernel": (EXTENSION.replace("%s;", "%s", 1) % ("1.0f", ""), 8, "syntax_error"),
    "invented call in the launcher": (EXTENSION % ("1.0f", "cudaGetLastErorr()"), 13, "undeclared_api"),
    "a method of PyTorch's that the stand-ins lack": (EXTENSION % ("1.0f", "x.some_method_of_theirs()"), 0, ""),
    "a header that is not here": (EXTENSION.replace("'''\n", "'''\n#include <no_such/lib.h>\n", 1) % ("vendor::one()", ""), 0, ""),
}

WITHOUT_HEADER = "#include <no_such_vendor/lib.h>\n" + HEAD + GUARDED + "x[i] = vendor::twice(x[i]);\n}" + RUN

# What a file may not reach; nothing of /etc/passwd may show up in the report.
HOSTILE = ['#include "/etc/passwd"\n', "#include </etc/passwd>\n", '#include "../../../../../../../../etc/passwd"\n',
           '#include "/dev/zero"\n', '#include "/proc/self/environ"\n', "const unsigned char s[] = {\n#embed \"/etc/passwd\"\n};\n",
           'asm(".incbin \\"/etc/passwd\\"");\nint wrong = no_such_name;\n',
           "constexpr int f(int n) { int s = 0; for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) s += j; return s; }\nconstexpr int v = f(2000000);\n"]
DATABASES = [["nvcc", "-fplugin=/tmp/evil.so"], ["nvcc", "-Xcompiler", "-fplugin=/tmp/evil.so"], ["clang++", "-Xclang", "-load", "-Xclang", "/tmp/evil.so"],
             ["nvcc", "@/etc/passwd"], ["nvcc", "--options-file", "/etc/passwd"], ["clang++", "-fpass-plugin=/tmp/evil.so"]]

failures = []


def expect(truth, what, detail=""):
    if not truth:
        failures.append(f"{what}: {detail}")


class Gate:
    def __init__(self, kcheck, folder, environment):
        self.kcheck, self.folder, self.environment = kcheck, folder, environment

    def run(self, texts, *words, prefix=(), ending=".cu"):
        """{name: result of the report}, exit status and what went to stderr."""
        files = {}
        for number, (name, text) in enumerate(texts.items()):
            files[name] = os.path.join(self.folder, f"c{number}{ending}")
            with open(files[name], "w") as f:
                f.write(text)
        p = subprocess.run([*prefix, self.kcheck, "lint", "--format", "json", *files.values(), *words], capture_output=True, text=True,
                           errors="replace", env=self.environment, cwd=self.folder, timeout=280)
        report = json.loads(p.stdout) if p.stdout.startswith("{") else {"results": []}
        by_file = {os.path.realpath(r["file"]): r for r in report["results"]}
        return {name: by_file.get(os.path.realpath(f)) for name, f in files.items()}, p.returncode, p.stdout + p.stderr


def compile_findings(result):
    return [f for f in result["static"]["findings"] if f["rule"] == "kcheck-compile" and f["severity"] != "note"]


def check_confirmed(gate, most=100, prefix=()):
    accepted, rejected = dict([*ACCEPTED.items()][:most]), dict([*REJECTED.items()][:most])
    texts = {**accepted, **{n: c[0] for n, c in rejected.items()}, "third-party header": WITHOUT_HEADER}
    results, status, output = gate.run(texts, prefix=prefix)
    expect(status == 1, "exit status", f"{status} {output[-600:]}")
    for name in accepted:
        found = compile_findings(results[name])
        expect(not found, name, found)
    for name, (_, tag, line, half) in rejected.items():
        found = compile_findings(results[name])
        hit = [f for f in found if f["tag"] == tag and f["line"] == line and f["severity"] == "reject"]
        expect(hit, name, found)
        if hit:
            expect(hit[0]["evidence"].get("error") and hit[0]["evidence"].get("compiler"), name + " carries the compiler's words", hit[0])
        expect(half in results[name]["coverage"], name + " says what was confirmed", results[name]["coverage"])
    found = compile_findings(results["third-party header"])
    expect(found and all(f["severity"] == "review" for f in found), "third-party header", found)


def check_python(gate):
    results, _, output = gate.run({n: c[0] for n, c in PYTHON.items()}, ending=".py")
    for name, (_, line, tag) in PYTHON.items():
        expect(results[name], name, output[-600:])
        rejects = [f for f in compile_findings(results[name]) if f["severity"] == "reject"] if results[name] else []
        if not line:
            expect(not rejects, name, rejects)
        else:
            expect([f for f in rejects if f["line"] == line and f["tag"] == tag and f["evidence"].get("compiler")], name, results[name] and compile_findings(results[name]))


def check_hostile(gate):
    results, status, output = gate.run({w: w + "\n" + HEAD + GUARDED + "x[i] = no_such_call(i);\n}" + RUN for w in HOSTILE})
    expect(status in (0, 1), "hostile sources are judged", f"{status} {output[-600:]}")
    expect("root:" not in output and "daemon:" not in output, "no line of /etc/passwd is quoted", output[-2000:])
    for way, result in results.items():
        expect(result and result["verdict"] != "PASS", way, result and result["verdict"])


def check_databases(gate):
    file = os.path.join(gate.folder, "c0.cu")
    for words in DATABASES:
        with open(os.path.join(gate.folder, "compile_commands.json"), "w") as f:
            json.dump([{"directory": gate.folder, "file": file, "arguments": [*words, "-c", file]}], f)
        _, status, output = gate.run({"x": ACCEPTED["cache hints"]}, "-p", gate.folder)
        expect(status == 2 and "refused" in output, f"flags {words}", f"{status} {output[-300:]}")
        expect("root:" not in output, f"flags {words} quote nothing", output[-300:])
    os.remove(os.path.join(gate.folder, "compile_commands.json"))


def check_without_toolkit(gate):
    gate = Gate(gate.kcheck, gate.folder, {**gate.environment, "KCHECK_HIDE_CUDA": "1"})
    results, status, output = gate.run({n: c[0] for n, c in REJECTED.items()})
    expect(status == 0, "without a toolkit nothing rejects", f"{status} {output[-600:]}")
    for name, result in results.items():
        expect("compile_device" not in result["coverage"], name, result["coverage"])
        # Without nvcc nobody can tell whether printf needs its header.
        if name != "printf without its header":
            expect(compile_findings(result), name + " is a doubt without a toolkit", result["verdict"])


def check_as_ordinary_user(gate):
    """As root the test steps down; otherwise it was one all along."""
    user = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if os.getuid() != 0 or not os.path.exists(user[0]) or subprocess.run([*user, gate.kcheck, "--version"], capture_output=True).returncode != 0:
        return
    os.chown(gate.folder, 65534, 65534)
    home = {"HOME": gate.folder, "XDG_CACHE_HOME": os.path.join(gate.folder, "cache")}
    check_confirmed(Gate(gate.kcheck, gate.folder, {**gate.environment, **home}), most=2, prefix=user)


def main():
    build = os.path.abspath(sys.argv[1])
    kcheck = os.path.join(build, "tools/kcheck/kcheck")
    environment = {k: v for k, v in os.environ.items() if k != "KCHECK_HIDE_CUDA"}
    doctor = json.loads(subprocess.run([kcheck, "doctor", "--format", "json"], capture_output=True, text=True, env=environment, check=True).stdout)
    found = {p["name"]: p["found"] for p in doctor["probes"]}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        gate = Gate(kcheck, folder, environment)
        check_without_toolkit(gate)
        if not (found["nvcc"] and found["NVRTC"] and found["sandbox"]):
            print(f"not confirmed, this machine lacks a compiler or a sandbox: {found}")
        else:
            check_confirmed(gate)
            check_python(gate)
            check_hostile(gate)
            check_as_ordinary_user(gate)
        check_databases(Gate(kcheck, folder, environment))
    for f in failures:
        print("FAILED", f)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
