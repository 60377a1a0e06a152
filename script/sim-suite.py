#!/usr/bin/env python3
"""Runs the programs of a public suite through kcheck-sim and counts how they end.

    script/sim-suite.py WORKER hecbench FOLDER/src [--only NAME,...] [--sample N] [--seconds S] [--out FILE.tsv]
    script/sim-suite.py WORKER samples FOLDER [...]

A program counts as run when it ends by itself, and as checked when its exit status is 0 and what it prints does not say that a
check failed. Programs that name a vendor library (cuBLAS, cuFFT, ...) or MPI are left out of the sample, and such that are no program
(PyTorch extensions). Those whose input files are not in the checkout ("no data"), and samples that say that they do not suit the device
("waived": it has no peers), are counted, but nothing can be said of them.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

VENDOR = re.compile(r"#\s*include\s*[<\"](cublas|cufft|curand|cusparse|cusolver|nccl|mpi\.h|cudnn|boost/|nvml|opencv|cutlass|nvrtc|"
                    r"cudaGL|GL/|npp|nvjpeg|helper_gl|cudaEGL|cudla|d3d|DirectX|windows\.h|EGL/|GLES|drm|vulkan|nvsci|gdal|hdf5|zlib|omp\.h.*target)", re.I)
BAD = re.compile(r"\bFAIL|\bfailed\b|mismatch|\bincorrect|\bwrong\b|not correct", re.I)
NO_DATA = re.compile(r"(can ?not|can.?t|could ?n.t|could not|unable to|fail(ed)? to|error:?)\s+(open|read|find|load)|no such file|bad file|"
                     r"file\b.{0,60}\bnot (be )?(found|exist|open)", re.I)
SOURCE = (".cu", ".cpp", ".cc", ".c")
NONE_BAD = re.compile(r"\w*(fail|mismatch|incorrect|wrong)\w*\s*[:=]?\s*0\b|\b(no|0)\s+\w*(fail|mismatch)\w*", re.I)
GOOD = re.compile(r"\bPASS|success|correct|verified|\bOK\b", re.I)


def text_of(folder):
    text = ""
    for root, _, files in os.walk(folder):
        for f in files:
            if f.endswith((".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc", ".c")):
                with open(os.path.join(root, f), errors="replace") as x:
                    text += x.read()
    return text


def is_program(folder):
    return any(n.endswith(SOURCE) for d in (folder, os.path.join(folder, "src")) if os.path.isdir(d) for n in os.listdir(d))


def scale(word, size):
    """A size that is too large for a simulator, made smaller: by a factor (>1), or by powers of two until it is no more than -size."""
    if re.fullmatch(r"\d+", word):
        n = int(word)
        if size > 1:
            return str(n // size if n // size >= 2 and n >= 64 else n)
        while size < 0 and n > -size:
            n //= 2
        return str(n)
    return "small" if word == "large" and size != 1 else word


def hecbench(folder, size):
    """Files, flags and arguments from the Makefile."""
    make = os.path.join(folder, "Makefile")
    with open(make, errors="replace") as f:
        text = f.read().replace("\\\n", " ")
    # Simple variables are filled in.
    named = dict(reversed(re.findall(r"^(\w+)\s*:?=\s*([^\n#]*?)\s*$", text, re.M)))
    for _ in range(3):
        text = re.sub(r"\$[({](\w+)[)}]", lambda m: m.group(0) if m.group(1) in ("program", "source", "obj", "LAUNCHER", "EXTRA_CFLAGS") else
                      named.get(m.group(1), m.group(0)), text)
    names = " ".join(re.findall(r"^(?:\w*source\w*|kernels?|SOURCES?|SRCS?)\s*[:+]?=\s*(.*)$", text, re.M)).split()
    names = [n for n in dict.fromkeys(names) if n.endswith(SOURCE)]
    # Objects by name alone, perhaps of files in a neighbour's folder.
    beside = [os.path.normpath(os.path.join(folder, d)) for d in re.findall(r"^SPATH\s*=\s*(\S+)", text, re.M)]
    objects = set(re.findall(r"(\w+)\.o\b", " ".join(re.findall(r"^obj\s*[:+]?=\s*(.*)$", text, re.M))))
    objects = sorted(objects - {os.path.splitext(os.path.basename(n))[0] for n in names})
    names += [n for o in objects for n in [next((os.path.join(d, o + e) for d in [folder] + beside for e in SOURCE if os.path.exists(os.path.join(d, o + e))), "")] if n]
    for sub in ("", "src"):
        if not any(os.path.exists(os.path.join(folder, s, n)) for n in names for s in ("", "src")) and os.path.isdir(os.path.join(folder, sub)):
            names = sorted(n for n in os.listdir(os.path.join(folder, sub)) if n.endswith(SOURCE))
    files = []
    for n in names:
        for sub in ("", "src"):
            if os.path.exists(os.path.join(folder, sub, n)):
                files.append(os.path.join(folder, sub, n))
                break
    files.sort(key=lambda f: not f.endswith(".cu"))
    cflags = " ".join(re.findall(r"^C(?:C)?FLAGS\s*[:+]?=\s*(.*)$", text, re.M))
    flags = ["-I", os.path.join(folder, "include")] if os.path.isdir(os.path.join(folder, "include")) else []
    for word in cflags.split():
        if word.startswith("-D") and "$" not in word and word != "-DDEBUG":
            flags.append(word)
        if word.startswith("-I") and "$" not in word:
            flags += ["-I", os.path.normpath(os.path.join(folder, word[2:]))]
        if word.startswith("-std="):
            flags += ["--std", word[5:]]
    run = re.search(r"^run:.*\n(?:\t.*\n)*?\t(?:.*?[ \t])?\./\S+[ \t]*(.*)$", text, re.M) or re.search(r"\./(?:\$\(program\)|main)\s*(.*)$", text, re.M)
    args = run.group(1).split() if run else []
    args = [a for a in args if not a.startswith((">", "|", "2>", "<"))]
    numbers = [i for i, a in enumerate(args) if re.fullmatch(r"\d+", a)]
    given, args = args, [scale(a, size) for a in args]
    # The last number is nearly always how often to repeat the measurement, unless an option says what it is.
    if numbers and int(given[numbers[-1]]) >= 10 and not (numbers[-1] and re.fullmatch(r"--?[a-qs-z]\w*", args[numbers[-1] - 1])):
        args[numbers[-1]] = "1"
    return files, flags, args


# What the samples call their sizes on the command line, and a value that a simulator gets done.
SMALL = {"n": 1 << 16, "wA": 64, "hA": 64, "wB": 64, "hB": 64, "width": 64, "height": 64, "numbodies": 256, "num_items": 4096, "numElems": 4096,
         "timesteps": 2, "iterations": 2, "passes": 1, "xsize": 32, "ysize": 32, "zsize": 32, "vectors": 64, "size": 4096}


def samples(folder, size):
    files = [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.endswith((".cu", ".cpp"))]
    files.sort(key=lambda f: not f.endswith(".cu"))
    root = folder
    while root != "/" and not os.path.isdir(os.path.join(root, "Common")):
        root = os.path.dirname(root)
    common = os.path.join(root, "Common")
    text = text_of(folder)
    files += [os.path.join(common, n + ".cpp") for n in ("helper_multiprocess", "multithreading") if n + ".h" in text]
    flags = ["-I", common]
    for beside in (os.path.join(folder, "inc"), os.path.join(os.path.dirname(folder), "inc")):
        if os.path.isdir(beside):
            flags += ["-I", beside]
    known = [n for n in dict.fromkeys(re.findall(r'getCmdLineArgumentInt\([^"]*"(\w+)"', text)) if n in SMALL]
    return files, flags, ["-%s=%d" % (n, SMALL[n]) for n in known] if size != 1 else []


def run(worker, files, flags, args, seconds, folder):
    out = tempfile.TemporaryFile("w+")
    answer = tempfile.TemporaryFile("w+")
    fd = answer.fileno()
    begin = time.time()
    try:
        p = subprocess.run([worker, "--program", "--seconds", str(seconds), "--answer-fd", str(fd)] + flags + files + ["--"] + args, stdout=out,
                           stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=folder, pass_fds=[fd], timeout=seconds * 4 + 60)
        code = p.returncode
    except subprocess.TimeoutExpired:
        code = "time-out"
    out.seek(0)
    answer.seek(0)
    printed = out.read(1 << 20)
    try:
        result = json.loads(answer.read())
    except ValueError:
        result = None
    return result, printed, code, time.time() - begin


def judge(result, printed, code):
    if result is None and code == "time-out":
        return "slow", "killed by this script"
    if result is None:
        return "CRASH", "the worker ended with %s and no result" % code
    why = result["message"] or ""
    if result["failure"] == "compile_error":
        return "compile", why
    if result["failure"] == "unsupported":
        return "unsupported", why
    if result["state"] == "not_measured":
        return "slow", why
    if result["failure"] == "crash" and "simulator" in why:
        return "CRASH", why
    if result["failure"] == "crash" and NO_DATA.search(printed[-600:]):
        return "no data", printed.strip().split("\n")[-1][:120]
    if result["state"] != "ok":
        return "failed", result["failure"] + ": " + why
    if result.get("exit_status", 0) == 2 and re.search(r"\bwaiv", printed, re.I):
        return "waived", printed.strip().split("\n")[-1][:120]
    if result.get("exit_status", 0) != 0 and NO_DATA.search(printed[-600:]):
        return "no data", printed.strip().split("\n")[-1][:120]
    if result.get("exit_status", 0) != 0:
        return "exit", "status %s: %s" % (result.get("exit_status"), printed.strip().split("\n")[-1][:120])
    printed = NONE_BAD.sub("", printed)
    if BAD.search(printed) and not (GOOD.search(printed) and not re.search(r"\bFAIL", printed)):
        return "own check", next((l for l in printed.split("\n") if BAD.search(l)), "")[:120]
    return "ok", ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("worker")
    p.add_argument("suite", choices=["hecbench", "samples"])
    p.add_argument("folder")
    p.add_argument("--only", default="")
    p.add_argument("--sample", type=int, default=0)
    p.add_argument("--seed", type=int, default=1, help="which sample")
    p.add_argument("--every", type=int, default=0, help="every Nth program")
    p.add_argument("--first", type=int, default=0, help="from this one on")
    p.add_argument("--seconds", type=int, default=60)
    p.add_argument("--most", type=int, default=1 << 16)
    p.add_argument("--jobs", type=int, default=1, help="programs at a time")
    p.add_argument("--out", default="")
    a = p.parse_args()
    a.worker = os.path.abspath(a.worker)
    folders = []
    if a.suite == "hecbench":
        folders = sorted(os.path.join(a.folder, d) for d in os.listdir(a.folder) if d.endswith("-cuda"))
        folders = [f for f in folders if os.path.exists(os.path.join(f, "Makefile"))]
    else:
        for root, dirs, files in os.walk(a.folder):
            dirs.sort()
            if any(f.endswith(".cu") for f in files) and "Common" not in root:
                folders.append(root)
    if a.only:
        folders = [f for f in folders if os.path.basename(f).replace("-cuda", "") in a.only.split(",")]
    folders = [f for f in folders if not VENDOR.search(text_of(f)) and is_program(f)]
    if a.every:
        folders = folders[a.first::a.every]
    if a.sample and a.sample < len(folders):
        folders = sorted(random.Random(a.seed).sample(folders, a.sample))
    counts, rows, noisy = {}, [], 0

    def one(f):
        # What is not done in time is tried with other arguments, and so is what does not like these: some want proportions, some want to be large.
        tried, first = set(), None
        for size in (-a.most, 16, 256, -64, 1):
            try:
                files, flags, args = (hecbench if a.suite == "hecbench" else samples)(f, size)
            except OSError as e:
                return f, None, str(e), 2, 0.0
            if tuple(args) in tried:
                continue
            tried.add(tuple(args))
            end = run(a.worker, files, flags, args, a.seconds, f)
            how = judge(*end[:3])[0]
            if how == "slow" and size == 1 and first:
                break # no wonder
            first = first or end
            if how not in ("slow", "exit", "own check", "failed"):
                return (f, *end)
        return (f, *first)

    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for f, result, printed, code, took in pool.map(one, folders):
            how, why = judge(result, printed, code)
            found = [x for x in (result or {}).get("findings", []) if x["tag"] not in ("leak", "unsupported_by_simulator")]
            noisy += bool(found)
            counts[how] = counts.get(how, 0) + 1
            marks = " ".join("%s@%s:%s" % (x["tag"], x["where"]["file"], x["where"]["line"]) for x in found[:3])
            rows.append((os.path.basename(f), how, "%.1f" % took, why.replace("\n", " ")[:200], marks))
            print("\t".join(rows[-1]), flush=True)
    total = max(1, len(rows) - counts.get("no data", 0) - counts.get("waived", 0))
    print("%d programs: " % len(rows) + ", ".join("%s %d" % kv for kv in sorted(counts.items(), key=lambda kv: -kv[1])) +
          "; %d with findings; %.0f %% of those with their data run and pass their own check" % (noisy, 100 * counts.get("ok", 0) / total))
    if a.out:
        with open(a.out, "w") as f:
            f.write("\n".join("\t".join(r) for r in rows) + "\n")
    return 1 if counts.get("CRASH") else 0


if __name__ == "__main__":
    sys.exit(main())
