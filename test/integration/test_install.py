#!/usr/bin/env python3
"""The installed tree works from any folder: programs, plugin, find_package(kcheck). Usage: BUILD SOURCE."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(user CXX)
find_package(kcheck {version} REQUIRED)
add_executable(user main.cpp)
target_link_libraries(user kcheck::protocol)
add_executable(asks asks.cpp)
target_link_libraries(asks kcheck::client)
"""
PROGRAM = """#include "runner/protocol/Job.h"
int main() { return kcheck::protocol::toJson(kcheck::protocol::Job{}).empty(); }
"""
ASKS = """#include "runner/client/Worker.h"
#include <cstdio>
int main(int, char **words) {
  kcheck::client::WorkerOptions O;
  O.Program = words[1];
  kcheck::protocol::Result R = kcheck::client::Worker(O).run(kcheck::protocol::Job{});
  std::printf("%s: %s\\n", std::string(kcheck::protocol::toString(R.Failure)).c_str(), R.Message.c_str());
}
"""
# Completion as the shell asks for it: after `kcheck che` and after `kcheck lint --form`.
BASH = """. {0}; compopt() {{ :; }}
COMP_WORDS=(kcheck che) COMP_CWORD=1; _kcheck; echo "${{COMPREPLY[@]}}"
COMP_WORDS=(kcheck lint --form) COMP_CWORD=2; _kcheck; echo "${{COMPREPLY[@]}}"
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
        said = run(["bash", "-c", BASH.format(os.path.join(prefix, "share/bash-completion/completions/kcheck"))]).stdout
        if said.split() != ["check", "--format"]:
            raise SystemExit(f"the bash completion offers {said}")
        for shell, name in (("zsh", "zsh/vendor-completions/_kcheck"), ("fish", "fish/vendor_completions.d/kcheck.fish")):
            if shutil.which(shell) and run([shell, "-n", os.path.join(prefix, "share", name)]).returncode:
                raise SystemExit(f"the completion for {shell} does not parse")
        if shutil.which("fish"):
            said = run(["fish", "-N", "-c", f"source {prefix}/share/fish/vendor_completions.d/kcheck.fish; complete -C 'kcheck lint --form'"]).stdout
            if not said.startswith("--format"):
                raise SystemExit(f"the completion for fish offers {said}")
        if shutil.which("mandoc"):
            for page in glob.glob(os.path.join(prefix, "share/man/man1/*.gz")):
                if wrong := [l for l in subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True).stdout.splitlines() if "missing date" not in l]:
                    raise SystemExit(f"the man page: {wrong[0]}")
        tidy = shutil.which("clang-tidy-22")
        if tidy:
            checks = run([tidy, f"--load={prefix}/lib/kcheck/kcheck-tidy.so", "--checks=-*,kcheck-*", "--list-checks"]).stdout
            if "kcheck-api-device-printf" not in checks:
                raise SystemExit(f"the installed plugin offers no checks:\n{checks}")
        version = run([os.path.join(prefix, "bin", "kcheck"), "--version"]).stdout.split()[1].split("+")[0]
        user = os.path.join(top, "user")
        os.makedirs(user)
        for name, text in (("CMakeLists.txt", PROJECT.replace("{version}", version)), ("main.cpp", PROGRAM), ("asks.cpp", ASKS)):
            with open(os.path.join(user, name), "w") as f:
                f.write(text)
        compiler = shutil.which("clang++-22") or "c++"
        for command in (["cmake", "-S", user, "-B", user + "/b", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}"],
                        ["cmake", "--build", user + "/b"], [user + "/b/user"]):
            p = run(command)
            if p.returncode:
                raise SystemExit(f"{' '.join(command)}: exit 1\n{p.stdout}{p.stderr}")
        for worker, wanted in (("kcheck-sim", "none:"), ("no-such-program", "no_worker:")):
            path = os.path.join(prefix, "bin", worker)
            if wanted == "none:" and not os.path.exists(path):
                continue
            said = run([user + "/b/asks", path]).stdout
            if not said.startswith(wanted):
                raise SystemExit(f"{worker}'s answer to an empty job: {said}")
    print("installed, moved, run, linked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
