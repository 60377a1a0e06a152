#!/usr/bin/env python3
"""kcheck-gpu serve and kcheck --device URL, without a GPU: a worker that answers by the simulator stands for one. Usage: BUILD SOURCE."""
import atexit
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

build, source = map(os.path.abspath, sys.argv[1:3])
serve = os.path.join(build, "tools/kcheck-gpu/kcheck-gpu-serve")
kcheck = os.path.join(build, "tools/kcheck/kcheck")
sim = os.path.join(build, "tools/kcheck-sim/kcheck-sim")
if not os.path.exists(serve):
    print("SKIPPED: kcheck-gpu-serve is not built (cpp-httplib or OpenSSL missing)")
    sys.exit(77)
scratch = tempfile.mkdtemp(prefix="kcheck-serve-")
TOKEN = "a-token-of-this-test"
base = {k: v for k, v in os.environ.items() if not k.startswith("KCHECK_GPU") and not k.lower().endswith("_proxy")}

# A worker with two devices; a job whose id is "sleep N" takes N seconds first, one whose id is "die" ends it.
fake = os.path.join(scratch, "worker")
with open(fake, "w") as f:
    f.write("""#!%s
import json, os, subprocess, sys, time
if "--probe" in sys.argv:
    print(json.dumps({"driver": {"found": True}, "devices": [{"index": i, "usable": True, "name": "Fake %%d" %% i, "arch": "sm_80"} for i in (0, 1)]}))
    sys.exit(0)
number = sys.argv[sys.argv.index("--device") + 1]
r, w = os.pipe()
p = subprocess.Popen([%r, "--serve", "--answer-fd", str(w)], stdin=subprocess.PIPE, pass_fds=[w], text=True)
answers = os.fdopen(r)
for line in sys.stdin:
    name = json.loads(line).get("id", "") if line.startswith("{") else ""
    if name.startswith("sleep "):
        time.sleep(float(name[6:]))
    if name == "die":
        os.kill(os.getpid(), 11)
    p.stdin.write(line)
    p.stdin.flush()
    a = json.loads(answers.readline())
    a["device"] = "gpu:%%s Fake, sm_80" %% number
    os.write(3, (json.dumps(a) + "\\n").encode())
""" % (sys.executable, sim))
os.chmod(fake, 0o755)


# The largest size is one that a GPU's worker would judge itself; the simulator's time limit is a GPU's here, so it is no short one.
task = os.path.join(scratch, "task.yaml")
with open(task, "w") as f:
    f.write("""kcheck: 1
op: tanh_add
shapes: [{n: 1}, {n: 31}, {n: 257}, {n: 1023}, {n: 20000}]
limits: {seconds: 60, sim_seconds: 60}
""")


class Server:
    def __init__(self, *words, env=None):
        self.p = subprocess.Popen([serve, "--listen", "127.0.0.1:0", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**base, **(env or {})})
        atexit.register(self.p.kill)  # also where an assertion ends this script
        self.line = self.p.stdout.readline()
        assert "://127.0.0.1:" in self.line, (self.line, self.p.stderr.read())
        self.port = int(self.line.split("://127.0.0.1:")[1].split(",")[0])
        self.url = "http://127.0.0.1:%d" % self.port

    def ask(self, method, path, body=None, token=TOKEN, read=True):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        c.request(method, path, body, {"Authorization": "Bearer " + token} if token else {})
        if not read:
            return c
        a = c.getresponse()
        return a.status, a.read().decode()

    def metric(self, name):
        for line in self.ask("GET", "/metrics")[1].splitlines():
            if line.startswith("kcheck_" + name + " "):
                return float(line.split()[-1])
        raise AssertionError(name)

    def stop(self):
        self.p.send_signal(signal.SIGTERM)
        assert self.p.wait(timeout=20) == 0, self.p.returncode


def refused(*words, say):
    p = subprocess.run([serve, *words], capture_output=True, text=True, env=base, timeout=60)
    assert p.returncode == 2 and say in p.stderr, (words, p.returncode, p.stderr)


def check(device, *words, env=None, file="tanh_add.cu"):
    p = subprocess.run([kcheck, "check", os.path.join(source, "examples", file), "--task", task, "--device", device, "--seed", "7", "--format", "json", *words],
                       capture_output=True, text=True, env={**base, **(env or {})}, timeout=120)
    return p.returncode, p.stdout, p.stderr


def job(name, **more):
    return json.dumps({"schema": "kcheck.job/1", "id": name, "source": {"text": "__global__ void k(float *p) { p[threadIdx.x] = 1; }"},
                       "buffers": [{"name": "p", "dtype": "f32", "shape": [4], "role": "out", "content": "poison"}],
                       "steps": [{"do": "launch", "kernel": "k", "grid": [1], "block": [4], "args": [{"pointer": {"buffer": "p"}}]}], "outputs": ["p"], **more}) + "\n"


token_file = os.path.join(scratch, "token")
with open(token_file, "w") as f:
    f.write(TOKEN + "\n")
cert, key = os.path.join(scratch, "cert.pem"), os.path.join(scratch, "key.pem")
subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"], check=True, capture_output=True)

# What it does not start with.
refused("--listen", "0.0.0.0:0", say="a certificate (--cert, --key) and a token (--token-file)")
refused("--listen", "0.0.0.0:0", "--token-file", token_file, say="needs a certificate")
refused("--listen", "0.0.0.0:0", "--cert", cert, "--key", key, say="needs a token")
refused("--cert", cert, say="--cert and --key go together")
refused("--cert", token_file, "--key", token_file, "--worker", fake, "--listen", "127.0.0.1:0", say="cannot be used")
refused("--queue", "many", say="--queue many")
refused("--port", "1", say="unknown option --port")
refused("--worker", "/no/such/worker", say="is not there")
refused("--worker", fake, "--devices", "7", say="no usable GPU 7")
with open(os.path.join(scratch, "short"), "w") as f:
    f.write("x\n")
refused("--token-file", os.path.join(scratch, "short"), say="at least 16 characters")
assert subprocess.run([os.path.join(build, "tools/kcheck-gpu/kcheck-gpu"), "serve", "--help"], capture_output=True, text=True, check=True).stdout.startswith("usage: kcheck-gpu serve")

# The real worker, where there is no GPU: the server starts and says so.
probe = json.loads(subprocess.run([os.path.join(build, "tools/kcheck-gpu/kcheck-gpu"), "--list"], capture_output=True, text=True, check=True).stdout)
if not probe["devices"]:
    assert probe["why"], probe
    s = Server()
    status, text = s.ask("GET", "/health", token=None)
    health = json.loads(text)
    assert status == 200 and health["status"] == "no_device" and health["driver"]["why"], health
    status, text = s.ask("POST", "/v1/jobs", job("a"))
    assert status == 503 and "no device" in text, text
    code, _, err = check(s.url)
    assert code == 2 and "has no GPU" in err, err
    s.stop()
    code, _, err = check("gpu")
    assert code == 2 and "no usable GPU on this machine" in err, err

# Two devices and a token.
s = Server("--worker", fake, "--token-file", token_file, "--max-body", "1", "--queue", "1", "--job-seconds", "5")
health = json.loads(s.ask("GET", "/health", token=None)[1])
assert health["status"] == "ok" and "devices" not in health, health
health = json.loads(s.ask("GET", "/health")[1])
assert [d["name"] for d in health["devices"]] == ["Fake 0", "Fake 1"] and health["limits"]["queue"] == 1, health
assert s.ask("GET", "/health", token="a-token-of-this-tesT")[0] == 401
assert s.ask("GET", "/metrics", token=None)[0] == 401
assert s.ask("POST", "/v1/jobs", job("a"), token=None)[0] == 401
assert s.ask("GET", "/nothing")[0] == 404
assert s.ask("POST", "/v1/jobs", "\n")[0] == 400
assert s.ask("POST", "/v1/jobs?device=5", job("a"))[0] == 404
status, text = s.ask("POST", "/v1/jobs", "x" * (2 << 20))
assert status == 413 and "1 MB" in text, (status, text)
assert s.metric("too_large_total") == 1 and s.metric("unauthorized_total") == 3

# Jobs: bad ones are answered each, a worker that dies is replaced, paths of the client are not the server's.
there = os.path.join(scratch, "written-by-the-server")
status, text = s.ask("POST", "/v1/jobs?device=1", "{\n" + job("die") + job("b", output_file=there))
answers = [json.loads(x) for x in text.splitlines() if x]
assert [a.get("failure", "none") for a in answers] == ["bad_job", "crash", "none"], answers
assert answers[2]["device"].startswith("gpu:1 ") and answers[2]["outputs"][0].get("data") and not os.path.exists(there), answers[2]
assert len([x for x in s.ask("POST", "/v1/jobs?stop_at_fault=1", "{\n" + job("c"))[1].splitlines() if x]) == 1

# Both devices busy, one request waits, the next one is told to come back.
busy = [s.ask("POST", "/v1/jobs", job("sleep 2"), read=False) for _ in range(2)]
time.sleep(0.5)
waits = s.ask("POST", "/v1/jobs", job("sleep 0"), read=False)
time.sleep(0.5)
c = s.ask("POST", "/v1/jobs", job("d"), read=False)
a = c.getresponse()
assert a.status == 429 and a.getheader("Retry-After"), a.status
for x in busy + [waits]:
    assert json.loads([l for l in x.getresponse().read().decode().splitlines() if l][0])["state"] == "ok"

# A client that goes away gives its device back.
gone = s.ask("POST", "/v1/jobs?device=0", job("sleep 60"), read=False)
time.sleep(0.5)
gone.sock.shutdown(socket.SHUT_RDWR)
gone.close()
start = time.time()
while s.metric("cancelled_total") < 1 or any(d["busy"] for d in json.loads(s.ask("GET", "/health")[1])["devices"]):
    assert time.time() - start < 20, "the device is still busy"
    time.sleep(0.2)

# kcheck against it: the same answer as on the simulator behind it.
code, out, err = check(s.url, env={"KCHECK_GPU_TOKEN_FILE": token_file})
here = json.loads(check("sim")[1])["results"][0]
remote = json.loads(out)["results"][0]
assert remote["dynamic"]["device"] == s.url + " gpu:0 Fake, sm_80" or remote["dynamic"]["device"] == s.url + " gpu:1 Fake, sm_80", remote["dynamic"]["device"]
assert remote["dynamic"]["numerics"]["state"] == here["dynamic"]["numerics"]["state"] == "pass", [r["dynamic"]["numerics"]["state"] for r in (remote, here)]
assert len(remote["dynamic"]["numerics"]["shapes"]) == len(here["dynamic"]["numerics"]["shapes"])
assert remote["verdict"] == here["verdict"], (remote["reasons"], here["reasons"])
code, out, err = check("sim," + s.url, env={"KCHECK_GPU_TOKEN": TOKEN})
both = json.loads(out)["results"][0]["dynamic"]["devices"]
assert [d["device"].split()[0] for d in both] == ["sim", s.url] and all(d["numerics"]["state"] == "pass" for d in both), [(d["device"], d["numerics"]["state"]) for d in both]

# What a user sees when something is wrong.
code, out, err = check(s.url, env={"KCHECK_GPU_TOKEN": "another-token-of-these"})
assert code == 2 and "refuses the token" in err, err
code, out, err = check(s.url)
assert code == 2 and "asks for a token" in err, err
s.stop()
code, out, err = check(s.url)
assert code == 2 and "nobody answers at " + s.url in err, err
code, out, err = check("http://gpu.example:80")
assert code == 2 and "https" in err, err
code, out, err = check("ftp://x")
assert code == 2 and "neither sim" in err, err
with socket.socket() as quiet:  # something that listens and is no such server
    quiet.bind(("127.0.0.1", 0))
    quiet.listen()
    import threading

    def talk():
        c, _ = quiet.accept()
        c.recv(65536)
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        c.close()
    threading.Thread(target=talk, daemon=True).start()
    code, out, err = check("http://127.0.0.1:%d" % quiet.getsockname()[1])
    assert code == 2 and "is no kcheck-gpu server" in err, err

# HTTPS.
s = Server("--worker", fake, "--cert", cert, "--key", key, "--devices", "1")
assert "https://" in s.line, s.line
c = http.client.HTTPSConnection("127.0.0.1", s.port, context=ssl.create_default_context(cafile=cert), timeout=30)
c.request("GET", "/health")
assert len(json.loads(c.getresponse().read())["devices"]) == 1
url = "https://127.0.0.1:%d" % s.port
code, out, err = check(url)
assert code == 2 and "is not trusted" in err and "KCHECK_GPU_CA" in err, err
code, out, err = check(url, env={"KCHECK_GPU_CA": cert})
assert json.loads(out)["results"][0]["dynamic"]["numerics"]["state"] == "pass", (code, err)
s.stop()
shutil.rmtree(scratch)
print("the server and its client behave")
