"""Programs from npm for tests that want the real thing: fetched once a build folder, SKIPPED where npm is not reachable."""
import os
import shutil
import subprocess
import sys


def skip(why):
    print("SKIPPED: " + why)
    sys.exit(77)


def fetch(build, package, program):
    """Path of a program of package ("name@version")."""
    if not shutil.which("npm") or not shutil.which("node"):
        skip("npm is not installed")
    folder = os.path.join(build, "npm", package.rsplit("@", 1)[0].replace("/", "+").lstrip("@"))
    path = os.path.join(folder, "node_modules", program)
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        try:
            done = subprocess.run(["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1",
                                   "--fetch-timeout=20000", package], capture_output=True, text=True, timeout=240)
        except subprocess.TimeoutExpired:
            skip("npm did not finish within 240 s")
        if done.returncode or not os.path.exists(path):
            skip("npm cannot fetch " + package + ": " + (done.stderr.strip().splitlines() or ["no reason given"])[-1][:200])
    return path
