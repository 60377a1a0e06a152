#!/usr/bin/env python3
"""A chat endpoint for trying things out: it speaks OpenAI's protocol over HTTP, and behind it is no model but a list of habits.

    examples/agent/endpoint.py [--port N] [--key KEY] [--busy N] [--garbage N]

It prints its address once it listens. The first --busy requests are answered with 429 and a time to wait, the next --garbage
ones with text that is no JSON: what happens to everybody sooner or later. For kcheck itself:

    KCHECK_LLM_URL=http://127.0.0.1:8000/v1 KCHECK_LLM_MODEL=habits kcheck optimize --policy llm ...
"""
import argparse
import http.server
import json
import re
import time

# What usually helps, in this order, and why. A model reads the profile instead.
HABITS = [("row-per-block", "neighbouring threads should read neighbouring elements, and a row deserves a whole block"),
          ("tile-shared", "each element should be fetched once a block"), ("register-tile", "an element read from shared memory should serve several products"),
          ("stage-transpose", "loads and stores should both walk memory in its order"), ("vectorize-loads", "wide accesses keep more bytes in flight"),
          ("fuse-passes", "one pass less over the data"), ("stage-row", "a row should be fetched once for all passes"), ("coarsen", "independent loads hide the latency"),
          ("unroll", "loads of several steps in flight together")]


def sites_of(prompt):
    """Parent -> the steps that apply to it, from the sections 'Where actions apply to ...'."""
    found = {}
    for parent, text in re.findall(r"## Where actions apply to (\S+)\n(.*?)(?=\n## |\Z)", prompt, re.S):
        for action, kernel, line in re.findall(r"^- `([a-z-]+)(?:@(\w*)(?::(\d+))?)?`", text, re.M):
            step = {"action": action, **({"kernel": kernel} if kernel else {}), **({"line": int(line)} if line else {})}
            found.setdefault(parent, []).append(step)
    return found


def proposals(prompt, most=3):
    wanted = []
    for parent, steps in sites_of(prompt).items():
        for action, why in HABITS:
            for step in [s for s in steps if s["action"] == action][:1]:
                wanted.append({"parent": parent, "hypothesis": why, "predicted_gain": 1.5, "steps": [step]})
    return {"analysis": "habits, not thought: " + ", ".join(sorted({w["steps"][0]["action"] for w in wanted})), "candidates": wanted[:most]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "habits/1"

    def reply(self, status, body, **headers):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, status, message, **headers):
        self.reply(status, {"error": {"message": message, "type": "invalid_request_error"}}, **headers)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        o = self.server.options
        if self.path != "/v1/chat/completions":
            return self.refuse(404, "there is POST /v1/chat/completions")
        if o.key and self.headers.get("Authorization") != "Bearer " + o.key:
            return self.refuse(401, "the key is wrong")
        try:
            request = json.loads(body)
            prompt = "\n".join(m["content"] for m in request["messages"] if m["role"] == "user")
            model = request["model"]
        except (ValueError, KeyError, TypeError):
            return self.refuse(400, "model and messages are needed")
        if o.busy > 0:
            o.busy -= 1
            return self.refuse(429, "too many requests", Retry_After="1")
        text = json.dumps(proposals(prompt))
        if o.garbage > 0:
            o.garbage -= 1
            text = "Certainly! Here are some ideas for a faster kernel."
        self.reply(200, {"id": "chatcmpl-1", "object": "chat.completion", "created": int(time.time()), "model": model,
                         "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                         "usage": {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(text) // 4, "total_tokens": (len(prompt) + len(text)) // 4}})

    def log_message(self, *words):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8000, help="0: a free one")
    parser.add_argument("--key", help="what clients must send")
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--garbage", type=int, default=0)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler)
    server.options = parser.parse_args()
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
