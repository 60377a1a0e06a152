#!/usr/bin/env python3
"""An agent's search for speed: a model behind a chat endpoint proposes, `kcheck mcp` guards, runs and times (tool optimize_step).

    examples/agent/search.py KERNEL.cu (--task TASK.yaml | --op NAME) --url http://127.0.0.1:8000/v1 --model NAME [--rounds 3] [--run FOLDER]

What kcheck says in `next` is the model's prompt; what the model answers are the candidates of the next round. The key is taken from KCHECK_LLM_KEY.
examples/agent/endpoint.py is an endpoint to try it with. Needs nothing but Python.
"""
import argparse
import json
import os
import re
import sys
import tempfile
import time
import urllib.error
import urllib.request

from agent import Kcheck

INSTRUCTIONS = """You make a CUDA kernel faster. A gate checks, runs and times what you propose. First analyse what limits the best kernel so far, by the numbers
given; then propose up to %d different candidates, each from one of the parents, with a hypothesis. Answer with one JSON object and nothing else:
{"analysis": "...", "candidates": [{"parent": "start", "hypothesis": "...", "steps": [{"action": "NAME", "set": {"PARAMETER": 4}}]}]}
or, instead of `steps`, the whole edited file as `source`. Only actions that are listed; keep signatures, bounds checks and barriers."""


class Model:
    """The protocol in twenty lines. Busy servers are asked again when they say so."""

    def __init__(self, url, name, key):
        self.url, self.name, self.key, self.tokens = url.rstrip("/") + "/chat/completions", name, key, 0

    def ask(self, messages, tries=4):
        headers = {"Content-Type": "application/json", **({"Authorization": "Bearer " + self.key} if self.key else {})}
        body = json.dumps({"model": self.name, "messages": messages}).encode()
        for left in range(tries - 1, -1, -1):
            try:
                with urllib.request.urlopen(urllib.request.Request(self.url, body, headers), timeout=300) as reply:
                    answer = json.load(reply)
                self.tokens += answer.get("usage", {}).get("total_tokens", 0)
                return answer["choices"][0]["message"]["content"]
            except urllib.error.HTTPError as e:
                if not left or (e.code != 429 and e.code < 500):
                    raise RuntimeError(f"the endpoint refuses: {e.code} {e.read(200).decode(errors='replace')}") from None
                time.sleep(min(30, float(e.headers.get("Retry-After", "2"))))


def candidates_in(text):
    """What of an answer can be used: a model may write around its JSON."""
    found = re.search(r"\{.*\}", text, re.S)
    try:
        answer = json.loads(found.group(0)) if found else {}
    except ValueError:
        return "", []
    # A model may add what it likes (the gain that it expects); the tool takes these.
    usable = [{k: c[k] for k in ("parent", "hypothesis", "steps", "source") if k in c}
              for c in answer.get("candidates", []) if isinstance(c, dict) and ("steps" in c or "source" in c) and c.get("hypothesis")]
    return str(answer.get("analysis", "")), usable[:8]


def propose(model, prompt, most):
    """Once more where the answer is of no use."""
    messages = [{"role": "system", "content": INSTRUCTIONS % most}, {"role": "user", "content": prompt}]
    for _ in range(2):
        text = model.ask(messages)
        analysis, candidates = candidates_in(text)
        if candidates:
            break
        messages += [{"role": "assistant", "content": text}, {"role": "user", "content": "That holds no candidates. Answer with the JSON object alone."}]
    return analysis, candidates


def show(step):
    for h in (step["feedback"] or {}).get("hypotheses", []):
        print(f"  {h['id']}: {h['hypothesis']} -> {h['outcome']}"[:200])
    for f in (step["feedback"] or {}).get("failures", []):
        print(f"  {f['id']}: {f['type']}  {f.get('message', '')}"[:200])
    print(f"  best: {step['best']['id']}, {step['speedup']:.2f}x of the start{' (modelled)' if step['modelled'] else ''}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kernel")
    parser.add_argument("--task")
    parser.add_argument("--op")
    parser.add_argument("--kcheck", default="kcheck")
    parser.add_argument("--device", default="sim")
    parser.add_argument("--url", default=os.environ.get("KCHECK_LLM_URL"))
    parser.add_argument("--model", default=os.environ.get("KCHECK_LLM_MODEL", "habits"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--candidates", type=int, default=3)
    parser.add_argument("--run", help="folder of the run; it can be taken up again")
    o = parser.parse_args()
    if not o.url or not (o.task or o.op):
        parser.error("--url, and --task or --op, are needed")
    run = os.path.abspath(o.run or tempfile.mkdtemp(prefix="kcheck-search-"))
    model, kcheck = Model(o.url, o.model, os.environ.get("KCHECK_LLM_KEY")), Kcheck(o.kcheck)
    what = {"task": os.path.abspath(o.task)} if o.task else {"op": o.op}
    step, why = kcheck.tool("optimize_step", run=run, file=os.path.abspath(o.kernel), device=o.device, **what)
    for number in range(1, o.rounds + 1):
        if not step:
            break
        analysis, candidates = propose(model, step["next"], o.candidates)
        print(f"round {number}: {analysis}")
        if not candidates:
            print("  no idea left")
            break
        last, (step, why) = step, kcheck.tool("optimize_step", run=run, candidates=candidates)
        if step:
            show(step)
        if not step or (number > 1 and step["speedup"] < 1.01 * last["speedup"]):
            break
    if step:
        step, why = kcheck.tool("optimize_step", run=run, finish=True)
    kcheck.close()
    if not step:
        print(why)
        return 1
    print(f"{step['speedup']:.2f}x by {step['best']['id']} after {model.tokens} tokens: {run}/best.cu, {run}/report.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
