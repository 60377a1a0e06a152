"""A small language-server client for tests: JSON-RPC over a child process's pipes."""
import json
import os
import queue
import subprocess
import threading
import time


class Server:
    def __init__(self, command, root):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root)
        self.inbox, self.log, self.next_id, self.version = queue.Queue(), [], 1, {}
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=lambda: self.log.extend(self.child.stderr), daemon=True).start()
        self.capabilities = self.request("initialize", {
            "processId": None, "rootUri": "file://" + root,
            "capabilities": {"textDocument": {
                "publishDiagnostics": {"codeActionsInline": True, "relatedInformation": True},
                "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor"]}}}}}})["capabilities"]
        self.notify("initialized", {})

    def _read(self):
        out = self.child.stdout
        while True:
            length = 0
            while (line := out.readline().strip()):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                return
            self.inbox.put(json.loads(out.read(length)))

    def _send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.child.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.child.stdin.flush()

    def notify(self, method, params):
        self._send({"method": method, "params": params})

    def request(self, method, params, seconds=60):
        number = self.next_id
        self.next_id += 1
        self._send({"id": number, "method": method, "params": params})
        answer = self.wait(lambda m: m.get("id") == number and "method" not in m, seconds)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def wait(self, wanted, seconds=60):
        end = time.monotonic() + seconds
        while True:
            try:
                message = self.inbox.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise TimeoutError(b"".join(self.log[-30:]).decode(errors="replace")) from None
            if "id" in message and "method" in message:  # the server asks: nothing to say
                self._send({"id": message["id"], "result": None})
            if wanted(message):
                return message

    def open(self, path, text):
        uri = "file://" + path
        self.version[uri] = 1
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text}})
        return uri

    def change(self, uri, text):
        self.version[uri] += 1
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.version[uri]},
                                               "contentChanges": [{"text": text}]})

    def diagnostics(self, uri, seconds=60):
        """The next diagnostics of this version of the file."""
        def of_file(m):
            p = m.get("params", {})
            return m.get("method") == "textDocument/publishDiagnostics" and p["uri"] == uri and p.get("version") == self.version[uri]
        return self.wait(of_file, seconds)["params"]["diagnostics"]

    def actions(self, uri, diagnostic):
        return self.request("textDocument/codeAction", {
            "textDocument": {"uri": uri}, "range": diagnostic["range"], "context": {"diagnostics": [diagnostic]}}) or []

    def stop(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.child.wait(timeout=280)  # threads of the lowest priority end their work first; after 300 s clangd gives up


def apply_edits(text, edits):
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    def at(p):
        return starts[p["line"]] + p["character"]
    for e in sorted(edits, key=lambda e: at(e["range"]["start"]), reverse=True):
        text = text[:at(e["range"]["start"])] + e["newText"] + text[at(e["range"]["end"]):]
    return text
