#!/usr/bin/env python3
"""Runs kcheck's rules on one file in each host and compares the findings with the file's own expectations.

    foo[threadIdx.x] = 1; // expect: barrier_divergence
    bar();                // expect: reject missing_barrier, scalar_access
    // expect@+2: uncoalesced      two lines further down; @-1 the line above

A listed finding that is missing fails, and so does any finding of review or reject that is not listed. A note
must be listed as `note TAG` only where the test wants it. With a severity the finding must have exactly it
(the clang-tidy host prints no severities: there only the tag counts).

Names of functions at the start of a line say what the test means, and are held to it:
    somethingBad, FP_something   at least one expectation (FP_: kcheck is known to be wrong here)
    somethingOk,  FN_something   none                      (FN_: kcheck is known to miss this)
"""
import argparse
import json
import os
import re
import subprocess
import sys

SEVERITIES = ("note", "review", "reject")
EXPECT = re.compile(r"//\s*expect(?:@([+-]\d+))?:\s*(.+?)\s*(?://|$)")
MEANT = re.compile(r"^(?![\s/#]).*?\b(?:(\w+(?:Bad|Ok))|((?:FP|FN)_\w+))\s*\(")
REAL_HEADERS = re.compile(r'#\s*include\s*[<"](?!cuda_runtime\.h|cstdint|cstddef|stdint\.h)[^>"]+[>"]')
TIDY_LINE = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<col>\d+): (?P<level>warning|error|remark): .* \[(?P<checks>[^\]]+)\]$")


class BadTest(Exception):
    pass


def expectations(lines):
    """{(line, tag): severity or None}, and the complaints about names."""
    wanted, complaints = {}, []
    for number, line in enumerate(lines, 1):
        m = EXPECT.search(line)
        if not m:
            continue
        at = number + int(m.group(1) or 0)
        for item in m.group(2).split(","):
            words = item.split()
            if len(words) == 1:
                wanted[at, words[0]] = None
            elif len(words) == 2 and words[0] in SEVERITIES:
                wanted[at, words[1]] = words[0]
            else:
                raise BadTest(f"line {number}: cannot read expectation '{item.strip()}'")
    starts = [(n, m.group(1) or m.group(2)) for n, l in enumerate(lines, 1) for m in [MEANT.match(l)] if m]
    for start, name in starts:
        end = last_line(lines, start)
        inside = [k for k in wanted if start <= k[0] <= end and wanted[k] != "note"]
        if (name.endswith("Bad") or name.startswith("FP_")) and not name.startswith("FN_"):
            if not inside:
                complaints.append(f"line {start}: {name} should carry an expectation")
        elif inside:
            complaints.append(f"line {start}: {name} should carry no expectation")
    return wanted, complaints


def last_line(lines, start):
    """Last line of the function that starts here: its own where it closes there, else the next `}` at the margin."""
    if re.search(r"}\s*(//.*)?$", lines[start - 1]):
        return start
    return next((n for n in range(start + 1, len(lines) + 1) if lines[n - 1].startswith("}")), len(lines))


def asked(a, check):
    return not a.rules or any(check.startswith(f"kcheck-{rule}-") for rule in a.rules.split(","))


def kcheck_findings(a):
    command = [a.kcheck, "lint", "--format", "json", *a.kcheck_args, a.file]
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode not in (0, 1):
        raise BadTest(f"{' '.join(command)}\nexit {p.returncode}: {p.stderr.strip()}")
    result = json.loads(p.stdout)["results"][0]
    return [(f["line"], f["tag"], f["severity"], f["message"]) for f in result["static"]["findings"]
            if not f.get("suppressed") and asked(a, f["rule"] + "-")]


def tidy_findings(a, text):
    if REAL_HEADERS.search(text):
        if not a.cuda_root:
            return None
        headers = [f"--cuda-path={a.cuda_root}", f"-isystem{a.cuda_root}/include/cccl", "-Wno-unknown-cuda-version"]
    else:
        headers = ["-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.8", f"-isystem{a.inputs}/mock", "-include", os.path.join(a.inputs, "mock_cuda.h")]
    # Both views, as kcheck itself does: what stands only in host code shows there only.
    found = {}
    for view in ("--cuda-device-only", "--cuda-host-only"):
        command = [a.clang_tidy, f"--load={a.plugin}", "--checks=-*,kcheck-*", "--quiet", a.file, "--",
                   "-x", "cuda", view, f"--cuda-gpu-arch={a.arch}", "-std=c++17", *headers]
        p = subprocess.run(command, capture_output=True, text=True)
        for line in p.stdout.splitlines():
            m = TIDY_LINE.match(line)
            if not m or os.path.realpath(m["file"]) != os.path.realpath(a.file):
                continue
            for check in m["checks"].split(","):
                if check.startswith("clang-diagnostic-"):
                    raise BadTest(f"clang-tidy host cannot compile the test: {line}")
                if not asked(a, check):
                    continue
                found[int(m["line"]), check] = "note" if m["level"] == "remark" else None
        if p.returncode not in (0, 1):
            raise BadTest(f"{' '.join(command)}\nexit {p.returncode}: {(p.stderr or p.stdout).strip()[-2000:]}")
    return [(line, check, severity, "") for (line, check), severity in found.items()]


def compare(host, wanted, found, by_check):
    """Complaints of one host. by_check: findings carry check ids, of which a tag is the tail."""
    def tag_matches(tag, name):
        return name.endswith("-" + tag.replace("_", "-")) if by_check else name == tag

    complaints = []
    for (line, tag), severity in sorted(wanted.items()):
        hits = [f for f in found if f[0] == line and tag_matches(tag, f[1])]
        if not hits:
            complaints.append(f"{host}: line {line}: expected {tag}, not reported")
        elif severity and not by_check and severity not in [f[2] for f in hits]:
            complaints.append(f"{host}: line {line}: expected {tag} as {severity}, reported as {hits[0][2]}")
    for line, name, severity, message in sorted(found):
        if severity != "note" and not any(l == line and tag_matches(t, name) for l, t in wanted):
            complaints.append(f"{host}: line {line}: unexpected {severity or 'warning'} {name}: {message}")
    return complaints


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file")
    p.add_argument("--kcheck", required=True)
    p.add_argument("--inputs", default=os.path.join(os.path.dirname(__file__), "Inputs"))
    p.add_argument("--clang-tidy")
    p.add_argument("--plugin")
    p.add_argument("--cuda-root")
    p.add_argument("--arch", default="sm_80")
    p.add_argument("--hosts", default="kcheck,clang-tidy", help="where this file runs, e.g. kcheck alone")
    p.add_argument("--rules", help="look at these rules only: a toy kernel may well have other faults")
    p.add_argument("--kcheck-args", default="", type=str.split)
    a = p.parse_args()
    if a.arch != "sm_80":
        a.kcheck_args += ["--arch", a.arch]
    with open(a.file, encoding="utf-8") as f:
        text = f.read()
    try:
        wanted, complaints = expectations(text.splitlines())
        complaints += compare("kcheck", wanted, kcheck_findings(a), by_check=False)
        if a.clang_tidy and "clang-tidy" in a.hosts.split(","):
            found = tidy_findings(a, text)
            if found is not None:
                complaints += compare("clang-tidy", wanted, found, by_check=True)
    except BadTest as e:
        complaints = [str(e)]
    for c in complaints:
        print(f"{a.file}: {c}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
