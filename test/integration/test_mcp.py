#!/usr/bin/env python3
"""kcheck mcp, spoken to by a plain client over pipes: both eras of the protocol, every tool, progress, cancellation,
hostile input, the end of input. Usage: BUILD SOURCE."""
import json
import os
import select
import subprocess
import sys
import tempfile
import time

import jsonschema

from softmax_task import softmax_task

BUILD, SOURCE = map(os.path.abspath, sys.argv[1:3])
KCHECK = os.path.join(BUILD, "tools/kcheck/kcheck")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}
BAD = """__global__ void scale(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) a[i] *= 2.0f;
}
void launch_scale(float* a, int n) { scale<<<(n + 255) / 256, 256>>>(a, n); }
"""
DIVERGENT = """__global__ void k(float* a) {
  __shared__ float s[256];
  s[threadIdx.x] = a[threadIdx.x];
  if (threadIdx.x < 16) __syncthreads();
  a[threadIdx.x] = s[255 - threadIdx.x];
}
void launch_k(float* a) { k<<<1, 256>>>(a); }
"""
# Runs for long on the simulator, without being stuck.
SLOW = """__global__ void slow(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i < n ? a[i] : 0.0f;
  for (int k = 0; k < 400000000; ++k) x = x * 0.999f + 0.001f;
  if (i < n) out[i] = x;
}
void launch_slow(const float* a, float* out, int n) { slow<<<(n + 255) / 256, 256>>>(a, out, n); }
"""


SMALL_TASK = softmax_task("[{rows: 5, cols: 33}]", "{rows: 2048, cols: 128}")


class Client:
    def __init__(self, *args, session="2025-11-25"):
        self.p = subprocess.Popen([KCHECK, "mcp", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=SOURCE)
        self.buffer, self.next, self.notes = b"", 0, []
        self.modern = session is None
        if session:
            self.first = self.ask("initialize", {"protocolVersion": session, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.raw(json.dumps(message).encode())

    def raw(self, data):
        self.p.stdin.write(data + b"\n")
        self.p.stdin.flush()

    def hear(self, seconds=120):
        end = time.time() + seconds
        while b"\n" not in self.buffer:
            if not select.select([self.p.stdout], [], [], max(0, end - time.time()))[0]:
                return None
            more = os.read(self.p.stdout.fileno(), 1 << 16)
            if not more:
                return None
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def request(self, method, params=None, token=None):
        self.next += 1
        params = dict(params or {})
        if self.modern:
            params["_meta"] = dict(META)
        if token is not None:
            params.setdefault("_meta", {})["progressToken"] = token
        self.send({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        return self.next

    def answer(self, wanted):
        while True:
            m = self.hear()
            assert m is not None, self.p.stderr.read1(4000) if self.p.poll() is not None else "no answer"
            if "method" in m:
                self.notes.append(m)
            else:
                assert m.get("id") == wanted, m
                return m

    def ask(self, method, params=None, token=None):
        return self.answer(self.request(method, params, token))

    def call(self, tool, /, token=None, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments}, token)["result"]

    def close(self):
        self.p.stdin.close()
        status = self.p.wait(30)
        assert status == 0, (status, self.p.stderr.read())


def good(result, schema):
    assert result["isError"] is False, result
    jsonschema.validate(result["structuredContent"], schema)
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result["structuredContent"]


def bad(result, *words):
    assert result["isError"] is True and "structuredContent" not in result, result
    for w in words:
        assert w in result["content"][0]["text"], (w, result)


def test_every_tool():
    c = Client()
    info = c.first["result"]
    assert info["protocolVersion"] == "2025-11-25" and info["serverInfo"]["name"] == "kcheck" and info["instructions"], info
    listed = c.ask("tools/list")["result"]["tools"]
    tools = {t["name"]: t for t in listed}
    assert {"check", "lint", "run", "actions", "rewrite", "guard", "optimize_step", "explain"} <= set(tools), list(tools)
    for t in listed:
        jsonschema.Draft202012Validator.check_schema(t["inputSchema"])
        jsonschema.Draft202012Validator.check_schema(t["outputSchema"])
        assert t["inputSchema"]["additionalProperties"] is False and len(t["description"]) > 40, t
    out = {n: t["outputSchema"] for n, t in tools.items()}
    whole = json.load(open(os.path.join(SOURCE, "docs/schema/report.schema.json")))

    r = good(c.call("lint", source=DIVERGENT), out["lint"])
    jsonschema.validate(r, whole)
    assert r["results"][0]["verdict"] == "REJECT" and r["results"][0]["reasons"][0] == "barrier_divergence", r
    r = good(c.call("lint", file="examples/tanh_add.cu"), out["lint"])
    assert r["results"][0]["file"] == "examples/tanh_add.cu" and r["results"][0]["reasons"] == ["scalar_access"], r["results"][0]
    assert "barrier" in good(c.call("explain", name="barrier_divergence"), out["explain"])["text"]
    bad(c.call("explain", name="barier_divergence"), "barrier_divergence")

    r = good(c.call("actions", file="examples/tanh_add.cu"), out["actions"])
    sites = [(a["action"], s) for a in r["actions"] for s in a["sites"] if s["applies"]]
    assert sites, r
    name, site = sites[0]
    step = {"action": name, "kernel": site["kernel"], "line": site["line"], **({"set": site["sets"][0]["set"]} if site["sets"] else {})}
    if not step["kernel"]:
        del step["kernel"]
    before = open(os.path.join(SOURCE, "examples/tanh_add.cu")).read()
    r = good(c.call("rewrite", file="examples/tanh_add.cu", steps=[step]), out["rewrite"])
    assert r["text"] != before and r["diff"].startswith("---") and r["steps"][0]["action"] == name, r
    assert open(os.path.join(SOURCE, "examples/tanh_add.cu")).read() == before
    bad(c.call("rewrite", file="examples/tanh_add.cu", steps=[{"action": "vectorise"}]), "unknown action")
    bad(c.call("rewrite", file="examples/tanh_add.cu", steps=[]), "steps")

    g = good(c.call("guard", parent_file="examples/tanh_add.cu", candidate_source=before.replace("if (i < n)", "if (i < n + 1)")), out["guard"])
    assert g["verdict"] in ("PASS", "REVIEW", "REJECT")
    assert good(c.call("guard", parent_source=before, candidate_source=before), out["guard"])["verdict"] == "PASS"
    bad(c.call("guard", parent_source=before), "candidate_file")

    r = good(c.call("check", token="tok", file="examples/tanh_add.cu", op="tanh_add", device="none"), out["check"])
    assert r["results"][0]["dynamic"]["state"] == "not_run", r["results"][0]["dynamic"]
    steps = [n["params"]["progress"] for n in c.notes if n["method"] == "notifications/progress"]
    assert len(steps) >= 2 and steps == sorted(set(steps)), steps
    assert all(n["params"]["progressToken"] == "tok" for n in c.notes)

    bad(c.call("lint", file="no/such.cu"), "no/such.cu")
    bad(c.call("lint"), "file")
    bad(c.call("lint", fiel="x.cu"), "'fiel'", "file")
    bad(c.call("lint", source="x", arch="sm_1"), "sm_1")
    bad(c.call("lint", file="examples"), "folder")
    bad(c.call("check", source=BAD, op="tanh_ad"), "tanh_add")
    bad(c.call("lint", source="int x;", args=["-fplugin=evil.so"]))
    assert c.ask("tools/call", {"name": "nothing", "arguments": {}})["error"]["code"] == -32602
    c.close()


def test_simulator():
    if not os.path.exists(os.path.join(BUILD, "tools/kcheck-sim/kcheck-sim")):
        return "no simulator in this build"
    c = Client(session=None)
    r = c.call("check", file="examples/tanh_add.cu", op="tanh_add", device="sim")
    assert r["resultType"] == "complete" and r["structuredContent"]["results"][0]["verdict"] in ("PASS", "REVIEW"), r
    assert r["structuredContent"]["results"][0]["dynamic"]["state"] == "done", r
    # A cancelled run: no answer, and nothing of it is left running.
    marker = "KCHECK_TEST_%d" % os.getpid()
    ident = c.request("tools/call", {"name": "run", "arguments": {"source": SLOW, "device": "sim", "args": ["-D" + marker]}}, token=7)
    m = c.hear()
    while "running" not in m.get("params", {}).get("message", ""):
        assert m is not None and m.get("id") != ident, m
        m = c.hear()
    end = time.time() + 10
    while time.time() < end and not descendants(c.p.pid):
        time.sleep(0.05)
    time.sleep(0.3)  # in the midst of it: a quiet machine is done with the loop's budget in three seconds
    c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident, "reason": "test"}})
    assert c.call("explain", name="race")["isError"] in (True, False)
    end = time.time() + 10
    while time.time() < end and descendants(c.p.pid):
        time.sleep(0.2)
    assert not descendants(c.p.pid), descendants(c.p.pid)
    assert c.hear(1) is None
    c.close()


def test_optimize_step():
    """A search driven from outside: start, a round of own ideas, one that is cancelled and made again, the end."""
    if not os.path.exists(os.path.join(BUILD, "tools/kcheck-sim/kcheck-sim")):
        return "no simulator in this build"
    with tempfile.TemporaryDirectory() as work:
        task, run = os.path.join(work, "task.yaml"), os.path.join(work, "run")
        with open(task, "w", encoding="utf-8") as f:
            f.write(SMALL_TASK)
        c = Client("--root", SOURCE, "--root", work)
        tools = {t["name"]: t for t in c.ask("tools/list")["result"]["tools"]}
        out = tools["optimize_step"]["outputSchema"]
        kernel = os.path.join(SOURCE, "examples/softmax/naive.cu")
        r = good(c.call("optimize_step", token=3, run=run, task=task, file=kernel), out)
        assert r["round"] == 0 and r["modelled"] and r["best"]["id"] == "start" and r["feedback"] is None and r["limits"], r
        assert "row-per-block" in r["next"] and any("start:" in n["params"].get("message", "") for n in c.notes), c.notes

        wrong = r["best"]["source"].replace("expf(", "2.0f * expf(", 1)
        ideas = [{"parent": "start", "steps": [{"action": "row-per-block"}], "hypothesis": "neighbours read neighbours"}, {"steps": [{"action": "no-such-action"}]},
                 {"source": wrong, "hypothesis": "twice as much"}]
        ident = c.request("tools/call", {"name": "optimize_step", "arguments": {"run": run, "candidates": ideas}}, token=4)
        m = c.hear()
        while "round 1" not in m.get("params", {}).get("message", ""):
            assert m is not None and m.get("id") != ident, m
            m = c.hear()
        c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident, "reason": "test"}})
        r = good(c.call("optimize_step", token=5, run=run, candidates=ideas, finish=True), out)
        assert r["round"] == 1 and r["best"]["id"] == "r1c1" and r["speedup"] > 1.5, r
        assert {"not_applicable"} <= {f["type"] for f in r["feedback"]["failures"]} and len(r["feedback"]["failures"]) == 2, r["feedback"]
        assert all(os.path.getsize(f) for f in r["files"]), r["files"]
        with open(os.path.join(run, "best.cu"), encoding="utf-8") as f:
            assert f.read() == r["best"]["source"]

        bad(c.call("optimize_step", run=run, task=task, file=kernel, device="gpu"), "another run")
        bad(c.call("optimize_step", run=run, candidates=[{"hypothesis": "nothing"}] * 9), "candidates")
        bad(c.call("optimize_step", run="/proc/kcheck", task=task, file=kernel), "--root")
        bad(c.call("optimize_step", run=os.path.join(work, "other"), file=kernel), "task")
        c.close()


def descendants(root):
    children = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            if fields[0] != "Z":
                children.setdefault(int(fields[1]), []).append(int(pid))
        except OSError:
            pass
    found, todo = [], [root]
    while todo:
        for pid in children.get(todo.pop(), []):
            found.append(pid)
            todo.append(pid)
    return found


def test_example():
    if not os.path.exists(os.path.join(BUILD, "tools/kcheck-sim/kcheck-sim")):
        return "no simulator in this build"
    p = subprocess.run([sys.executable, "examples/agent/agent.py", "examples/agent/softmax_draft.cu", "--op", "softmax", "--kcheck", KCHECK],
                       capture_output=True, text=True, cwd=SOURCE, timeout=300)
    assert p.returncode == 0 and "round 1: REJECT" in p.stdout and p.stdout.rstrip().splitlines()[-1].endswith("PASS"), p


def test_search_example():
    """An agent, a model's endpoint over HTTP that is busy and talks nonsense at first, kcheck: a faster kernel at the end. The same endpoint serves kcheck's own search."""
    if not os.path.exists(os.path.join(BUILD, "tools/kcheck-sim/kcheck-sim")):
        return "no simulator in this build"
    with tempfile.TemporaryDirectory() as work:
        task = os.path.join(work, "task.yaml")
        with open(task, "w", encoding="utf-8") as f:
            f.write(SMALL_TASK)
        endpoint = subprocess.Popen([sys.executable, "examples/agent/endpoint.py", "--port", "0", "--key", "secret", "--busy", "1", "--garbage", "1"],
                                    stdout=subprocess.PIPE, text=True, cwd=SOURCE)
        url = endpoint.stdout.readline().strip()
        env = {**os.environ, "KCHECK_LLM_KEY": "secret", "KCHECK_LLM_URL": url, "KCHECK_LLM_MODEL": "habits"}
        try:
            p = subprocess.run([sys.executable, "examples/agent/search.py", "examples/softmax/naive.cu", "--task", task, "--kcheck", KCHECK, "--rounds", "1", "--run",
                                os.path.join(work, "run")], capture_output=True, text=True, cwd=SOURCE, env=env, timeout=300)
            assert p.returncode == 0 and float(p.stdout.splitlines()[-1].split("x")[0]) > 1.5, p
            assert "row-per-block" in p.stdout and os.path.getsize(os.path.join(work, "run", "best.cu")), p.stdout
            refused = subprocess.run([sys.executable, "examples/agent/search.py", "examples/softmax/naive.cu", "--task", task, "--kcheck", KCHECK], capture_output=True, text=True,
                                     cwd=SOURCE, env={**env, "KCHECK_LLM_KEY": "wrong"}, timeout=300)
            assert refused.returncode and "401" in refused.stderr, refused
            own = subprocess.run([KCHECK, "optimize", task, "--kernel", "examples/softmax/naive.cu", "--policy", "llm", "--rounds", "1", "--candidates", "2", "--out",
                                  os.path.join(work, "own"), "--quiet"], capture_output=True, text=True, cwd=SOURCE, env=env, timeout=300)
            with open(os.path.join(work, "own", "result.json"), encoding="utf-8") as f:
                assert own.returncode == 0 and json.load(f)["speedup"] > 1.5, own
        finally:
            endpoint.terminate()
            endpoint.wait()


def test_stateless():
    c = Client(session=None)
    d = c.ask("server/discover")["result"]
    assert "2026-07-28" in d["supportedVersions"] and d["resultType"] == "complete" and d["ttlMs"] >= 0, d
    assert d["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "kcheck", d
    assert c.ask("tools/list")["result"]["cacheScope"] == "public"
    c.send({"jsonrpc": "2.0", "id": "v", "method": "tools/list", "params": {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}}})
    e = c.hear()["error"]
    assert e["code"] == -32022 and "2026-07-28" in e["data"]["supported"], e
    c.close()
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", "1999-09-09"):
        c = Client(session=version)
        agreed = c.first["result"]["protocolVersion"]
        assert agreed == version or (version == "1999-09-09" and agreed == "2025-11-25"), agreed
        assert c.call("explain", name="kcheck-sync")["isError"] is False
        c.close()


def test_hostile():
    c = Client()
    code = lambda: c.hear()["error"]["code"]
    for line, want in ((b"garbage", -32700), (b"\x00\xff\xfe", -32700), (b"[" * 200000, -32700), (b"{\"a\":" * 50000, -32700), (b"{}", -32600), (b"[]", -32600),
                       (b"42", -32600), (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600), (b'{"jsonrpc":"2.0","id":1}', -32600),
                       (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}', -32602),
                       (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602),
                       (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601), (b"x" * (17 << 20), -32600)):
        c.raw(line)
        got = code()
        assert got == want, (line[:40], got)
    c.raw(b"")
    c.raw(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}')
    # Code that nests so deep that reading it in this process would end it.
    deep = "__global__ void k(int* a) { a[0] = " + "(" * 100000 + "1" + ")" * 100000 + "; }"
    r = c.call("actions", source=deep)
    assert r["isError"] or "errors" in r["structuredContent"], r
    assert c.ask("ping")["result"] == {}
    c.close()


def test_roots():
    c = Client("--root", os.path.join(SOURCE, "examples"))
    assert c.call("lint", file="examples/tanh_add.cu")["isError"] is False
    bad(c.call("lint", file="test/lit/rules/sync.cu"), "--root")
    bad(c.call("lint", file="examples/../README.md"), "--root")
    bad(c.call("check", source=BAD, task="/etc/passwd"), "--root")
    c.close()


def test_end():
    for said in (b"", b'{"jsonrpc":"2.0","id":1,"method":"ping"}', b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'):
        p = subprocess.run([KCHECK, "mcp"], input=said, capture_output=True, timeout=60)
        assert p.returncode == 0 and p.stderr == b"", p
        assert p.stdout == (b"" if not said else b'{"id":1,"jsonrpc":"2.0","result":{}}\n'), p


def main():
    skipped = []
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            start = time.time()
            why = test()
            print(f"{name}: {'SKIPPED: ' + why if why else 'ok'} ({time.time() - start:.1f} s)")
            skipped += [why] if why else []
    return 0


if __name__ == "__main__":
    sys.exit(main())
