#!/usr/bin/env python3
"""An editor's session with kcheck-clangd: findings while typing, no configuration. Usage: BUILD SOURCE."""
import json
import os
import sys
import tempfile

from lsp import Server, apply_edits

PRINTS = """__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    printf("%d\\n", i);
    a[i] *= 2.0f;
  }
}
"""
QUIET = PRINTS.replace('    printf("%d\\n", i);\n', "")


def found(diagnostics):
    return {(d["range"]["start"]["line"] + 1, d.get("code")) for d in diagnostics}


def session(program, mock, config):
    """Hover and links, findings on open, after an edit that repairs, after one that breaks again."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "compile_flags.txt"), "w") as f:
            f.write("\n".join(["-xcuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib", "-Xclang",
                               "-target-sdk-version=12.8", f"-isystem{mock}/mock", "-include", f"{mock}/mock_cuda.h"]))
        if config:
            with open(os.path.join(folder, ".clangd"), "w") as f:
                f.write(config)
        server = Server([program, "--background-index=false"], folder)
        uri = server.open(os.path.join(folder, "a.cu"), PRINTS)
        shown = server.diagnostics(uri)
        hover = server.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 5}})
        links = [d["codeDescription"]["href"] for d in shown if "codeDescription" in d and d["code"].startswith("kcheck-")]
        answers = [(hover or {}).get("contents", {}).get("value", ""), links, found(shown)]
        for text in (QUIET, PRINTS, PRINTS.replace("i);\n", "i); // NOLINT(kcheck-api-device-printf)\n", 1)):
            server.change(uri, text)
            answers.append(found(server.diagnostics(uri)))
        return answers, server.stop()


MAPS = """// Größe: twice the values.
__global__ void twice(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = 2 * a[i];
}
void launch_twice(const float *a, float *b, int n) { twice<<<(n + 255) / 256, 256>>>(a, b, n); }
"""


def choose(server, command):
    """What the editor does when its user chooses an action: the edit that the server asks for, and its answer."""
    number = server.next_id
    server.next_id += 1
    server._send({"id": number, "method": "workspace/executeCommand", "params": {"command": command["command"], "arguments": command["arguments"]}})
    edit = server.wait(lambda m: m.get("method") == "workspace/applyEdit")["params"]["edit"]
    return edit, server.wait(lambda m: m.get("id") == number and "method" not in m)


def barrier(program, source):
    """The findings of a kernel that lacks a barrier, before and after the quick fix that stands at one of them."""
    with open(os.path.join(source, "examples", "linear_relu", "broken_barrier.cu")) as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as folder:
        server = Server([program, "--background-index=false"], folder)
        uri = server.open(os.path.join(folder, "a.cu"), text)
        shown = [d for d in server.diagnostics(uri, 120) if d.get("code", "").startswith("kcheck-sync")]
        fixes = [a for d in shown for a in server.actions(uri, d) if a["title"].startswith("kcheck: put the missing barrier")]
        edit, _ = choose(server, fixes[0]["command"])
        server.change(uri, apply_edits(text, edit["changes"][uri]))
        left = [d for d in server.diagnostics(uri, 120) if d.get("code", "").startswith("kcheck-sync")]
        server.stop()
        return [d["code"] for d in shown], [d["code"] for d in left]


def actions(program):
    """kcheck's actions among the code actions: offered on their line, made when chosen; a refusal is an answer too."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server([program, "--background-index=false"], folder)
        uri = server.open(os.path.join(folder, "a.cu"), "\n" + MAPS)
        server.version[uri] += 1  # an incremental edit, columns behind letters beyond ASCII
        server.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": server.version[uri]}, "contentChanges": [
            {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}, "text": ""},
            {"range": {"start": {"line": 0, "character": 14}, "end": {"line": 0, "character": 19}}, "text": "two times"}]})
        server.diagnostics(uri, 120)

        def offered(line, only=None):
            context = {"diagnostics": [], **({"only": only} if only else {})}
            at = {"line": line, "character": 3}
            found = server.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": context})
            return {a["title"].split(" (")[0]: a for a in found or [] if a["title"].startswith("kcheck: ")}

        here, elsewhere, fixes = offered(1), offered(3), offered(1, ["quickfix"])
        command = here["kcheck: load and store several elements at a time"]["command"]
        edit, answer = choose(server, command)
        text = apply_edits(MAPS.replace("twice the", "two times the"), edit["changes"][uri])
        try:
            server.request("workspace/executeCommand", {"command": command["command"], "arguments": [{**command["arguments"][0], "action": "tile-shared"}]})
            refusal = ""
        except RuntimeError as e:
            refusal = str(e)
        announced = server.capabilities["executeCommandProvider"]["commands"]
        server.stop()
    return here, elsewhere, fixes, answer, text, refusal, announced


def nvcc_project(program):
    """Findings in a project whose compile_commands.json was written for nvcc."""
    text = PRINTS.replace("2.0f", "FACTOR") + "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900\n#error wrong architecture\n#endif\n"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.cu")
        command = f"nvcc -gencode arch=compute_90,code=sm_90 -std=c++17 -DFACTOR=3.0f -Xcompiler -Wall,-O2 --expt-relaxed-constexpr -c {path} -o a.o"
        with open(os.path.join(folder, "compile_commands.json"), "w") as f:
            json.dump([{"directory": folder, "file": path, "command": command}], f)
        with open(path, "w") as f:
            f.write(text)
        server = Server([program, "--background-index=false"], folder)
        answer = server.diagnostics(server.open(path, text), 120)
        server.stop()
        return found(answer), [d["message"] for d in answer if d["severity"] == 1]


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    program = os.path.join(build, "tools", "kcheck-clangd", "kcheck-clangd")
    if not os.path.exists(program):
        print("skipped: kcheck-clangd is not built")
        return 77
    mock = os.path.join(source, "test", "lit", "Inputs")
    finding = {(4, "kcheck-api-device-printf")}
    faults = []

    def expect(what, got, wanted):
        if got != wanted:
            faults.append(f"{what}: {got} instead of {wanted}")

    (hover, links, opened, repaired, broken, nolint), status = session(program, mock, config="")
    expect("on open", finding & opened, finding)
    expect("after the repair", finding & repaired, set())
    expect("broken again", finding & broken, finding)
    expect("with NOLINT", finding & nolint, set())
    expect("exit status", status, 0)
    expect("hover explains the rule", "printf left in device code" in hover and "kcheck explain device_printf" in hover, True)
    expect("links to pages that are not ours", links, [])
    (hover, _, opened, *_), _ = session(program, mock, config="Diagnostics: {ClangTidy: {Remove: 'kcheck-api-*'}}\n")
    expect("the user's Remove", finding & opened, set())
    expect("hover without a finding", "kcheck" in hover, False)
    opened, errors = nvcc_project(program)
    expect("nvcc's flags", finding & opened, finding)
    expect("errors with nvcc's flags", errors, [])
    here, elsewhere, fixes, answer, text, refusal, announced = actions(program)
    expect("the command is announced", "kcheck.rewrite" in announced, True)
    expect("actions of another line", [t for t in elsewhere if "several elements" in t], [])
    expect("no refactoring among fixes", [t for t in fixes if "several elements" in t], [])
    expect("the command's answer", "error" in answer, False)
    expect("the edited text", "float4" in text and text.startswith("// Größe: two times the values.\n__global__") and text.endswith("}\n"), True)
    shown, left = barrier(program, source)
    expect("a missing barrier is found", bool(shown), True)
    expect("what is left behind its fix", left, [])
    expect("a refusal says why", "tile-shared" in refusal, True)
    print("\n".join(faults) or "the session went as an editor expects")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
