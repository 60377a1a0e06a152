#!/usr/bin/env python3
"""The SARIF report under the format's own validator (npm), with GitHub's rules for uploads. SKIPPED where npm cannot fetch it.
Usage: BUILD SOURCE. KCHECK_SARIF_MULTITOOL names an installed one."""
import glob
import json
import os
import subprocess
import sys
import tempfile

import npm

BUILD, SOURCE = map(os.path.abspath, sys.argv[1:3])
# The program has no web page that the report could name.
EXPECTED = {"SARIF2005"}


def main():
    tool = os.environ.get("KCHECK_SARIF_MULTITOOL") or npm.fetch(BUILD, "@microsoft/sarif-multitool@5.7.0", "@microsoft/sarif-multitool-linux/Sarif.Multitool")
    os.chmod(tool, 0o755)
    files = glob.glob(os.path.join(SOURCE, "examples", "*.cu"))
    with tempfile.TemporaryDirectory() as folder:
        report, judged = os.path.join(folder, "report.sarif"), os.path.join(folder, "judged.sarif")
        subprocess.run([os.path.join(BUILD, "tools/kcheck/kcheck"), "lint", "--format", "sarif", "-o", report, *files], capture_output=True, cwd=SOURCE)
        done = subprocess.run([tool, "validate", report, "-o", judged, "--log", "ForceOverwrite", "--rule-kind", "Sarif;Ghas"], capture_output=True, text=True,
                              timeout=240, env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})
        if not os.path.exists(judged):
            print(done.stdout + done.stderr)
            return 1
        with open(judged, encoding="utf-8-sig") as f:
            results = json.load(f)["runs"][0].get("results", [])
    wrong = [r for r in results if r["ruleId"] not in EXPECTED]
    for r in wrong:
        print(r["ruleId"], r.get("level", "warning"), r["message"], r.get("locations", [{}])[0].get("physicalLocation", {}).get("region"))
    print(f"{len(results)} remarks, {len(wrong)} that count")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
