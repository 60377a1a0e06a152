#!/usr/bin/env python3
"""kcheck mcp under the protocol's own inspector (npm), in both eras. SKIPPED where npm cannot fetch it. Usage: BUILD SOURCE.
KCHECK_INSPECTOR names an installed inspector."""
import json
import os
import subprocess
import sys

import jsonschema

import npm

BUILD, SOURCE = map(os.path.abspath, sys.argv[1:3])
KCHECK = os.path.join(BUILD, "tools/kcheck/kcheck")
VERSION = "2.12.0"


def inspect(program, era, *words):
    home = os.path.join(BUILD, "npm-inspector-home")
    os.makedirs(home, exist_ok=True)
    done = subprocess.run([program, "--cli", "--format", "json", "--quiet", "--protocol-era", era, "--cwd", SOURCE, KCHECK, "mcp", *words],
                          capture_output=True, text=True, timeout=120, env={**os.environ, "HOME": home})
    return done.returncode, done.stdout, done.stderr


def main():
    program = os.environ.get("KCHECK_INSPECTOR") or npm.fetch(BUILD, f"@modelcontextprotocol/inspector@{VERSION}", ".bin/mcp-inspector")
    for era in ("legacy", "modern"):
        status, out, err = inspect(program, era, "--method", "tools/list", "--strict")
        assert status == 0, (era, status, out[-2000:], err[-2000:])
        tools = {t["name"]: t for t in find(json.loads(out), "tools")}
        assert "check" in tools and "lint" in tools, out[:2000]
        status, out, err = inspect(program, era, "--method", "tools/call", "--tool-name", "lint", "--tool-arg", "file=examples/tanh_add.cu")
        assert status == 0, (era, status, out[-2000:], err[-2000:])
        report = find(json.loads(out), "structuredContent")
        jsonschema.validate(report, tools["lint"]["outputSchema"])
        assert report["results"][0]["reasons"] == ["scalar_access"], report
        status, out, err = inspect(program, era, "--method", "tools/call", "--tool-name", "lint", "--tool-arg", "file=no/such.cu")
        assert "no/such.cu" in out + err, (status, out, err)
        print(f"{era}: lists {len(tools)} tools, calls one, shows an error")
    return 0


def find(value, key):
    """The member of that name, however deep the inspector wraps it."""
    if isinstance(value, dict):
        if key in value:
            return value[key]
        for v in value.values():
            if (found := find(v, key)) is not None:
                return found
    return None


if __name__ == "__main__":
    sys.exit(main())
