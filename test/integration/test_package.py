#!/usr/bin/env python3
"""The .deb: made, clean for lintian, and enough for a machine that has nothing else than what it depends on. Usage: BUILD SOURCE.

The clean machine is a root that holds the files of the package and of its dependencies, as Debian's package system lists them here.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TRIES = """set -e
kcheck --version
kcheck lint -q /k/row_sum_stuck.cu || test $? = 1
kcheck check -q /k/softmax/good.cu --op softmax
kcheck-clangd --version
"""
BASE = ["libc-bin", "dash", "coreutils", "base-files", "bash"]  # what every Debian has


def run(command, **more):
    p = subprocess.run(command, capture_output=True, text=True, **more)
    if p.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {p.returncode}\n{p.stdout[-3000:]}{p.stderr[-3000:]}")
    return p.stdout


def installed():
    """Name, and what a package provides -> (its name, its dependencies as lists of alternatives)."""
    packages = {}
    for line in run(["dpkg-query", "-W", "-f", "${binary:Package}\t${db:Status-Status}\t${Provides}\t${Pre-Depends}, ${Depends}\n"]).splitlines():
        name, status, provides, depends = line.split("\t")
        if status != "installed":
            continue
        entry = (name, alternatives(depends))
        for n in [name.split(":")[0], *(a for group in alternatives(provides) for a in group)]:
            packages.setdefault(n, entry)
    return packages


def alternatives(text):
    return [[re.split(r"[\s(:]", a.strip())[0] for a in group.split("|")] for group in text.split(",") if group.strip()]


def closure(groups):
    """The installed packages that these dependencies need, and what of them is not here."""
    known, wanted, missing = installed(), {}, []
    todo = [*groups, *([b] for b in BASE)]
    while todo:
        group = todo.pop()
        entry = next((known[a] for a in group if a in known), None)
        if not entry:
            missing.append(" | ".join(group))
        elif entry[0] not in wanted:
            wanted[entry[0]] = True
            todo += entry[1]
    return wanted, missing


def clean_root(root, packages):
    for link in ("bin", "lib", "lib64", "sbin"):
        if os.path.islink("/" + link):
            os.makedirs(os.path.join(root, "usr", link), exist_ok=True)
            os.symlink("usr/" + link, os.path.join(root, link))
    names = run(["dpkg-query", "-L", *packages]).splitlines()
    files = {os.path.realpath(os.path.dirname(n)) + "/" + os.path.basename(n) for n in names if n.startswith("/") and os.path.dirname(n) != "/" and "/share/doc" not in n}
    listed = "\0".join(sorted(f[1:] for f in files if os.path.lexists(f) and (os.path.islink(f) or not os.path.isdir(f))))
    pack = subprocess.Popen(["tar", "-C", "/", "--null", "-T", "-", "-cf", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpack = subprocess.Popen(["tar", "-C", root, "-xf", "-"], stdin=pack.stdout)
    pack.stdin.write(listed.encode())
    pack.stdin.close()
    if unpack.wait() or pack.wait():
        raise SystemExit("the files of the dependencies cannot be copied")
    for folder in ("tmp", "proc", "dev", "root", "k", "etc"):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    run(["/sbin/ldconfig", "-r", root])


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    if not os.path.exists(os.path.join(build, "packaging", "kcheck.1.gz")):
        print("skipped: not everything is built")
        return 77
    if not shutil.which("dpkg-shlibdeps") or not shutil.which("bwrap"):
        print("skipped: no dpkg-dev or no bubblewrap here")
        return 77
    with tempfile.TemporaryDirectory() as top:
        run(["cpack", "-G", "DEB", "-B", top, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"], cwd=build)
        deb = glob.glob(os.path.join(top, "*.deb"))[0]
        shutil.rmtree(os.path.join(top, "_CPack_Packages"))
        version = run([os.path.join(build, "tools/kcheck/kcheck"), "--version"]).split()[1]
        if (has := run(["dpkg-deb", "-f", deb, "Version"]).strip()) != version:
            raise SystemExit(f"the package is {has}, the program {version}")
        if lintian := shutil.which("lintian"):
            run([lintian, "--allow-root", "--fail-on", "error,warning", deb])
        packages, missing = closure(alternatives(run(["dpkg-deb", "-f", deb, "Depends"])))
        if missing:
            print("skipped: of the dependencies these are not installed here:", ", ".join(missing))
            return 77
        root = os.path.join(top, "root")
        os.makedirs(root)
        clean_root(root, packages)
        run(["dpkg-deb", "-x", deb, root])
        shutil.copytree(os.path.join(source, "examples"), os.path.join(root, "k"), dirs_exist_ok=True)
        inside = ["bwrap", "--bind", root, "/", "--proc", "/proc", "--dev", "/dev", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/root"]
        if subprocess.run([*inside, "true"], capture_output=True).returncode:
            print("skipped: bubblewrap does not work here")
            return 77
        said = run([*inside, "sh", "-c", TRIES])
        if "barrier_divergence" not in said or "result: PASS" not in said:
            raise SystemExit(f"not the verdicts of the examples:\n{said}")
    print(f"{os.path.basename(deb)}: {'lintian is content, ' if lintian else ''}{len(packages)} packages are enough")
    return 0


if __name__ == "__main__":
    sys.exit(main())
