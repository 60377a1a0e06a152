#!/usr/bin/env python3
"""The installed tree works from any folder: programs, plugin, find_package(kcheck). Usage: BUILD SOURCE."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(user CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(kcheck REQUIRED)
add_executable(user main.cpp)
target_link_libraries(user kcheck::protocol)
"""
PROGRAM = """#include "runner/protocol/Job.h"
int main() { return kcheck::protocol::toJson(kcheck::protocol::Job{}).empty(); }
"""
KERNEL = "__global__ void k(float *a) {\n  printf(\"x\");\n  a[threadIdx.x] = 1.0f;\n}\n"


def run(command, **more):
    p = subprocess.run(command, capture_output=True, text=True, **more)
    if p.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit {p.returncode}\n{p.stdout}{p.stderr}")
    return p


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    if not os.path.exists(os.path.join(build, "packaging", "kcheck.1.gz")):
        print("skipped: not everything is built")
        return 77
    with tempfile.TemporaryDirectory() as top:
        first, prefix = os.path.join(top, "first"), os.path.join(top, "moved")
        if run(["cmake", "--install", build, "--prefix", first]).returncode:
            raise SystemExit("cmake --install failed")
        os.rename(first, prefix)
        kernel = os.path.join(top, "k.cu")
        with open(kernel, "w") as f:
            f.write(KERNEL)
        report = json.loads(run([os.path.join(prefix, "bin", "kcheck"), "lint", "--format", "json", kernel]).stdout)
        tags = [x["tag"] for x in report["results"][0]["static"]["findings"]]
        if "device_printf" not in tags:
            raise SystemExit(f"the installed kcheck finds {tags}")
        for name in ("share/man/man1/kcheck.1.gz", "share/bash-completion/completions/kcheck", "share/doc/kcheck/copyright"):
            if not os.path.getsize(os.path.join(prefix, name)):
                raise SystemExit(f"{name} is empty")
        if run(["bash", "-n", os.path.join(prefix, "share/bash-completion/completions/kcheck")]).returncode:
            raise SystemExit("the bash completion does not parse")
        tidy = shutil.which("clang-tidy-22")
        if tidy:
            checks = run([tidy, f"--load={prefix}/lib/kcheck/kcheck-tidy.so", "--checks=-*,kcheck-*", "--list-checks"]).stdout
            if "kcheck-api-device-printf" not in checks:
                raise SystemExit(f"the installed plugin offers no checks:\n{checks}")
        user = os.path.join(top, "user")
        os.makedirs(user)
        for name, text in (("CMakeLists.txt", PROJECT), ("main.cpp", PROGRAM)):
            with open(os.path.join(user, name), "w") as f:
                f.write(text)
        compiler = shutil.which("clang++-22") or "c++"
        for command in (["cmake", "-S", user, "-B", user + "/b", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}"],
                        ["cmake", "--build", user + "/b"], [user + "/b/user"]):
            p = run(command)
            if p.returncode:
                raise SystemExit(f"{' '.join(command)}: exit 1\n{p.stdout}{p.stderr}")
    print("installed, moved, run, linked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
