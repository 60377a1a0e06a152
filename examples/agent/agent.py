#!/usr/bin/env python3
"""An agent's loop around `kcheck mcp`: read, explain, edit, guard, run; until the gate says PASS.

    examples/agent/agent.py [--kcheck PROGRAM] [--brain 'PROGRAM'] KERNEL.cu --op NAME [-o RESULT.cu]

The loop is what matters here; who decides is exchangeable. Without --brain a few lines of Python do: take the fix that a
finding brings, else the action that repairs its tag. With --brain any program does: it gets the notebook so far on stdin
and answers with one JSON object: {"why": …, "steps": […]} for actions, or {"why": …, "source": …} for a whole new file.
Needs nothing but Python.
"""
import argparse
import json
import subprocess
import sys

REPAIRS = {"barrier_divergence": "fix-barrier", "missing_barrier": "fix-barrier", "warp_sync_missing": "fix-barrier", "missing_bounds_check": "fix-guard", "out_of_bounds_global": "fix-guard",
           "tail_not_covered": "fix-tail", "wrong_sizeof": "fix-sizeof", "double_literal": "double-literal"}


class Kcheck:
    """The protocol in thirty lines: one JSON object a line, requests with a number, answers with the same."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0

    def ask(self, method, params):
        self.number += 1
        params["_meta"] = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
                           "io.modelcontextprotocol/clientInfo": {"name": "example-agent", "version": "1"}}
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                return message["result"]
        raise RuntimeError("kcheck ended")

    def tool(self, tool, /, **arguments):
        """The structured answer; or None and the reason."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            return None, result["content"][0]["text"]
        return result["structuredContent"], ""

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def weighty(report):
    """Findings of either track that keep the kernel from PASS, worst first."""
    result = report["results"][0]
    found = result["static"]["findings"] + result["dynamic"].get("findings", [])
    order = {"reject": 0, "review": 1}
    return sorted((f for f in found if f["severity"] in order and not f.get("suppressed")), key=lambda f: (order[f["severity"]], f["line"]))


def with_edits(source, edits):
    data = source.encode()
    for e in sorted(edits, key=lambda e: -e["offset"]):
        data = data[:e["offset"]] + e["text"].encode() + data[e["offset"] + e["length"]:]
    return data.decode()


def decide(source, findings, notebook):
    """The built-in brain. A proposal, or None."""
    for f in findings:
        for fix in f["fixes"]:
            return {"why": f"line {f['line']}: {f['tag']}; {fix['description']}", "source": with_edits(source, fix["edits"])}
        if f["tag"] in REPAIRS:
            return {"why": f"line {f['line']}: {f['tag']}; {REPAIRS[f['tag']]} is made for it", "steps": [{"action": REPAIRS[f["tag"]]}]}
    return None


def ask_brain(program, source, findings, notebook):
    told = "\n".join(notebook) + "\n\nThe kernel:\n" + source + "\n\nFindings:\n" + json.dumps(findings, indent=1)
    reply = subprocess.run(program, shell=True, input=told, capture_output=True, text=True, timeout=300).stdout
    try:
        answer = json.loads(reply)
        return answer if isinstance(answer, dict) and ("steps" in answer or "source" in answer) else None
    except ValueError:
        return None


def apply(kcheck, source, proposal, note):
    """The new text, or None. An edit that is not a named action must pass the guard."""
    if "steps" in proposal:
        done, why = kcheck.tool("rewrite", source=source, steps=proposal["steps"])
        if not done:
            note(f"  does not work: {why}")
            return None
        note("  changed:\n" + "".join("    " + line + "\n" for line in done["diff"].splitlines()[2:]).rstrip())
        return done["text"]
    judged, why = kcheck.tool("guard", parent_source=source, candidate_source=proposal["source"])
    if not judged or judged["verdict"] == "REJECT":
        note("  the guard refuses: " + (why or "; ".join(v["message"] for v in judged["violations"])))
        return None
    note("  the guard lets it pass: " + ", ".join(f"{t['function']} {t['what']}" for t in judged["touched"]))
    return proposal["source"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kernel")
    parser.add_argument("--kcheck", default="kcheck")
    parser.add_argument("--op", required=True)
    parser.add_argument("--device", default="sim")
    parser.add_argument("--brain")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    with open(options.kernel) as f:
        source = f.read()
    kcheck, notebook = Kcheck(options.kcheck), []

    def note(text):
        notebook.append(text)
        print(text, flush=True)

    verdict = None
    for number in range(1, options.rounds + 1):
        report, why = kcheck.tool("lint", source=source)
        if report and report["results"][0]["verdict"] != "REJECT":  # it reads well: worth a run
            note(f"round {number}: reads well, running it")
            report, why = kcheck.tool("check", source=source, op=options.op, device=options.device)
        if not report:
            note(f"round {number}: {why}")
            break
        verdict, findings = report["results"][0]["verdict"], weighty(report)
        note(f"round {number}: {verdict} {', '.join(report['results'][0]['reasons'])}")
        if verdict == "PASS":
            break
        for f in findings[:1]:
            note(f"  line {f['line']}: {f['message']}")
            page, _ = kcheck.tool("explain", name=f["tag"])
            note("  " + page["text"].splitlines()[0] if page else "")
        proposal = (ask_brain(options.brain, source, findings, notebook) if options.brain else decide(source, findings, notebook))
        if not proposal:
            note("  no idea left; this one needs a person")
            break
        note("  hypothesis: " + str(proposal.get("why", "")))
        source = apply(kcheck, source, proposal, note) or source
    kcheck.close()
    if options.output:
        with open(options.output, "w") as f:
            f.write(source)
    return 0 if verdict == "PASS" else 1


if __name__ == "__main__":
    sys.exit(main())
