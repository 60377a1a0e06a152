#!/usr/bin/env python3
"""Runs labelled racy, faulty and clean programs of public suites through kcheck-sim and counts what it finds.

    script/sim-faults.py WORKER FOLDER... [--sample N] [--only REGEX] [--jobs N] [--show missed,false,error] [--json FILE]

A FOLDER is a checkout of ScoR, IndigoSuite, Indigo3Suite, compute-sanitizer-samples or gpuverify; its layout tells which. Programs that
the Indigo suites generate are generated first, by their own scripts, where the checkout does not hold them. Labels
come from file names, first lines and folders. Every program runs with its own main on inputs of a few dozen threads (gpuverify's
kernels get one, and are judged by races and barriers only, which is what their labels speak of). A program with a planted fault counts as found when a finding of a tag that the label is about stands in the
result, a clean one as a false alarm when any finding does; leaks and warnings about launches that nobody checks count for neither.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time

RACES = {"race_shared", "race_global", "race_blocks", "race_launches"}
BOUNDS = {"out_of_bounds_global", "out_of_bounds_shared", "out_of_bounds_local", "out_of_bounds_constant", "null_access", "illegal_address",
          "misaligned_access", "uninitialised_read", "use_after_free"}
SYNC = {"barrier_divergence", "warp_lane_absent", "timeout"} | RACES
HOST = {"memcpy_size", "memcpy_direction", "double_free", "launch_config", "invalid_argument"}
IGNORED = {"leak", "unchecked_launch_error", "unsupported_by_simulator"}


class Case:
    def __init__(self, suite, path, bad, tags=(), kind="", flags=(), runs=((),), text=None, seconds=20, false=None):
        self.suite, self.path, self.bad, self.tags, self.kind = suite, path, bad, set(tags), kind
        self.flags, self.runs, self.text, self.seconds = list(flags), list(runs), text, seconds
        self.false = false  # what the label of a clean one speaks of; None: of everything
        self.outcome, self.detail, self.took = "error", "", 0.0


def files_below(folder, *ends):
    out = []
    for root, dirs, names in os.walk(folder):
        dirs.sort()
        out += [os.path.join(root, n) for n in sorted(names) if n.endswith(ends)]
    return out


def read(path):
    with open(path, errors="replace") as f:
        return f.read()


def scor(folder, scratch):
    for path in files_below(folder, ".cu"):
        name = os.path.basename(path)
        if name.startswith(("race_", "norace_")):
            yield Case("ScoR", path, name.startswith("race_"), RACES, "race")


def graph(path, lists):
    """A graph in the suite's binary form: nodes, edges, where each node's neighbours begin, neighbours."""
    index, flat = [0], []
    for neighbours in lists:
        flat += sorted(neighbours)
        index.append(len(flat))
    with open(path, "wb") as f:
        f.write(struct.pack("ii", len(lists), len(flat)) + struct.pack(f"{len(index)}i", *index) + struct.pack(f"{len(flat)}i", *flat))
    return path


def graphs(scratch):
    """Undirected: a random one, a star whose centre comes last, one with lonely nodes at both ends."""
    rng = random.Random(7)
    dense = [set() for _ in range(61)]
    for _ in range(160):
        a, b = rng.randrange(61), rng.randrange(61)
        if a != b:
            dense[a].add(b)
            dense[b].add(a)
    star = [{40} for _ in range(40)] + [set(range(40))]
    lonely = [set() for _ in range(30)]
    for a in range(3, 25):
        b = (a * 7) % 19 + 4
        if a != b:
            lonely[a].add(b)
            lonely[b].add(a)
    return [graph(os.path.join(scratch, n + ".egr"), g) for n, g in (("dense", dense), ("star", star), ("lonely", lonely))]


INDIGO = {"atomic": RACES, "race": RACES, "sync": SYNC, "bounds": BOUNDS, "guard": RACES, "nbrbounds": BOUNDS, "nborbounds": BOUNDS,
          "excessthreads": BOUNDS | RACES, "uninitialized": BOUNDS}


def planted(path):
    return [w[:-3].lower() for w in os.path.basename(path)[:-3].split("_") if w.endswith("Bug") and not w.startswith("No")]


CONFIGURATION = "/**/\nCODE:\n  bug: {%s}\n  pattern: {all}\n  option: {all}\n  dataType: {%s}\nINPUTS:\n"


def generated(folder, scratch, name, sources, words, types):
    """The folder of the suite's programs, made by its own generator: once for those with bugs, once for those without."""
    out = os.path.join(scratch, name)
    os.makedirs(out)
    for bug in ("hasbug", "nobug"):
        with open(os.path.join(out, "configure.txt"), "w") as f:
            f.write(CONFIGURATION % (bug, types))
        for source in files_below(os.path.join(folder, sources), ".idg"):
            # The generators read configure.txt of the folder that they are called in.
            subprocess.run([sys.executable, *(w.format(folder=folder, source=source, out=out) for w in words)], cwd=out, check=True, stdout=subprocess.DEVNULL)
    return out


def indigo(folder, scratch):
    inputs = graphs(scratch)
    programs, headers = os.path.join(folder, "generated"), os.path.join(folder, "generated", "include")
    if not os.path.isdir(programs):
        home = os.path.join(folder, "Generators")
        programs = generated(folder, scratch, "indigo", "Generators/CUDA_sources",
                             [home + "/generate_CUDA_codes.py", "{source}", "{folder}/copyright.txt", "{out}"], "int")
        headers = os.path.join(scratch, "indigo-include")
        os.makedirs(headers)
        for part in ("graph_include", "sources_include"):
            for n in os.listdir(os.path.join(home, part)):
                os.symlink(os.path.join(home, part, n), os.path.join(headers, n))
    for path in files_below(programs, ".cu"):
        bugs = planted(path)
        tags = set().union(*(INDIGO.get(b, set()) for b in bugs))
        yield Case("Indigo", path, bool(bugs), tags, "+".join(bugs) or "none", ["-I", headers],
                   [(g, "64", "2") for g in inputs])


def indigo3(folder, scratch):
    inputs = [os.path.join(folder, "inputs", n) for n in ("undirected_graph_4n_8e_3570.egr", "undirect_rand_neighbors_500n_1000e.egr")]
    programs = folder
    if not files_below(folder, ".cu"):
        programs = generated(folder, scratch, "indigo3", "codeGen/cuda",
                             [folder + "/scripts/generate_codes.py", "{source}", "{out}", "CUDA", "{out}/configure.txt", "{folder}/copyright.txt"], "IntType")
    for path in files_below(programs, ".cu"):
        bugs = planted(path)
        known = [b for b in bugs if b in INDIGO]
        if (bugs and not known) or "livelock" in bugs or "field" in bugs:
            continue  # wrong arithmetic, which only a comparison of results shows; a host loop that never ends; a count that is too small and hides the rest
        tags = set().union(*(INDIGO[b] for b in known)) if known else set()
        # CUDA 13 has no clockRate any more.
        more = ("1", "0") if re.match(r"(BFS|SSSP)", os.path.basename(path)) else ("1",)
        yield Case("Indigo3", path, bool(known), tags, "+".join(known) or "none", ["-I", os.path.join(folder, "lib"), "-DclockRate=warpSize", "-DmemoryClockRate=warpSize"], [(g, *more) for g in inputs],
                   seconds=30)


SANITIZER = {"memcheck_demo.cu": BOUNDS, "block_error.cu": RACES, "warp_error.cu": RACES, "illegal_syncwarp.cu": SYNC, "divergent_threads.cu": SYNC,
             "memset_error.cu": BOUNDS, "suppressions_demo.cu": {"leak"}, "suppressions_initcheck_demo.cu": BOUNDS}


def sanitizer(folder, scratch):
    for path in files_below(folder, ".cu"):
        tags = SANITIZER.get(os.path.basename(path))
        if tags:
            yield Case("compute-sanitizer", path, True, tags, os.path.basename(os.path.dirname(path)), ["-I", os.path.dirname(path)])


MACROS = {"((__VA_ARGS__)?(void)0:__trap())": "requires assume", "((void)0)": "ensures invariant global_invariant global_assert requires_fresh_array",
          "true": "enabled all uniform_bool uniform_int distinct_int distinct_bool no_read no_write read_implies write_implies",
          "false": "read write accessed return_val_bool", "0": "read_offset_bytes write_offset_bytes ptr_offset_bytes return_val_int",
          "static_assert(true)": "axiom function_wide_invariant"}
HEAD = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(([^()]*)\)\s*\{", re.S)


def dims(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def main_for(text, grid, block):
    """A main that gives every pointer a large buffer of rising numbers and every number its argument, or what a contract says."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    heads = HEAD.findall(code)
    if len(heads) != 1 or "template" in code.split("__global__")[0][-80:]:
        return ""
    name, parameters = heads[0]
    fixed = dict(re.findall(r"__requires\s*\(\s*(\w+)\s*==\s*(-?\w+)\s*\)", code))
    lines, args = [], []
    for i, p in enumerate(filter(None, (p.strip() for p in parameters.split(",")))):
        m = re.search(r"(\w+)\s*((?:\[[^\]]*\]\s*)*)$", p)
        if p == "void" or not m or "(" in p:
            return ""
        kind = re.sub(r"\b(const|restrict|__restrict__|__restrict|volatile)\b", " ", p[:m.start()]).strip()
        if "*" in kind or m.group(2):
            lines.append(f"  char *b{i}; cudaMalloc(&b{i}, 1 << 20); cudaMemcpy(b{i}, ramp, 1 << 20, cudaMemcpyHostToDevice);")
            kind = p[:m.start()].strip()
            if m.group(2):
                kind += " *" if m.group(2).count("[") == 1 else ""
                if m.group(2).count("[") > 1:
                    return ""
            args.append(f"({re.sub(r'__restrict__|__restrict|restrict', '', kind)})b{i}")
        elif re.search(r"\b(int|unsigned|long|short|char|float|double|size_t|uint\w*|int\w*_t|bool)\b", kind):
            value = fixed.get(m.group(1), "atoi(argv[1])")
            args.append(f"({kind})({value})")
        else:
            lines.append(f"  {kind} s{i}; memset((void *)&s{i}, 0, sizeof s{i});")
            args.append(f"s{i}")
    g, b = (", ".join(map(str, x)) for x in (grid, block))
    launch = f"{name}<<<dim3({g}), dim3({b})>>>({', '.join(args)});"
    if "this_grid" in code: # a grid barrier wants a cooperative launch
        lines += [f"  auto a{i} = {a};" for i, a in enumerate(args)]
        lines.append(f"  void *all[] = {{{', '.join(f'&a{i}' for i in range(len(args))) or 'nullptr'}}};")
        launch = f"cudaLaunchCooperativeKernel((void *){name}, dim3({g}), dim3({b}), all, 0, 0);"
    return ("\nint main(int argc, char **argv) {\n  static int ramp[1 << 18];\n  for (int i = 0; i < 1 << 18; ++i) ramp[i] = i % 61;\n" + "\n".join(lines) +
            f"\n  {launch}\n  return cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess;\n}}\n")


def gpuverify(folder, scratch):
    # Behind the toolkit's headers, which have names of their own such as __all.
    macros = [f"#define __{name}(...) {value}" for value, names in MACROS.items() for name in names.split()]
    macros += ["#define __implies(a, ...) (!(a) || (__VA_ARGS__))", "#define __other_int(x) (x)", "#define __other_bool(x) (x)", "#define __assert(...) ((void)0)"]
    with open(os.path.join(scratch, "contracts.h"), "w") as f:
        f.write("\n".join(["#include <cstdlib>", "#include <cstring>", "#include <cooperative_groups.h>", *macros,
                            "template <class G> __device__ void synchronize(const G &g) { g.sync(); }", ""]))
    for path in files_below(os.path.join(folder, "testsuite", "CUDA"), ".cu"):
        text = read(path)
        lines = (text + "\n\n\n").split("\n")
        first = lines[0].strip().lower()
        said = " ".join(lines[1:6]).lower() + " " + path.lower()
        if "--warp-sync" in lines[1] or "warpsync" in path:
            continue  # told that a warp runs in step; no device promises that any more
        if first.startswith("//pass"):
            bad, kind = False, "pass"
        elif first.startswith("//xfail:not_all_verified") and ("race" in said or "divergen" in said):
            bad, kind = True, "race" if "race" in said else "divergence"
        else:
            continue
        grid, block = (re.search(rf"--{w}=(\[[^\]]*\]|\d+)", lines[1]) for w in ("gridDim", "blockDim"))
        if not grid or not block:
            continue
        defines = re.findall(r"-D\S+", lines[1])
        grid, block = dims(grid.group(1)), dims(block.group(1))
        total = 1
        for n in block:
            total *= n
        if total > 1024:
            continue  # no device runs it
        grid = [min(n, 4) for n in grid]
        extra = main_for(text, grid, block)
        if not extra:
            continue
        lines[0] = '#include "contracts.h"'
        if "curand" in text:
            lines[1] = "#include <curand_kernel.h>"
        yield Case("gpuverify", path, bad, SYNC | BOUNDS, kind, ["-I", scratch, "-I", os.path.dirname(path)] + defines,
                   [(str(total),), ("1",)], "\n".join(lines) + extra, false=SYNC)


LAYOUTS = [("microbenchmarks/src", scor), ("codeGen", indigo3), ("generatedCodes_hasbug", indigo3), ("generated/CUDA", indigo), ("Generators/CUDA_sources", indigo), ("Racecheck", sanitizer),
           ("testsuite/CUDA", gpuverify)]


def run(worker, case, scratch, number):
    path, begin = case.path, time.monotonic()
    if case.text is not None:
        path = os.path.join(scratch, "%d_%s" % (number, os.path.basename(case.path)))
        with open(path, "w") as f:
            f.write(case.text)
    found, trouble = [], ""
    for arguments in case.runs:
        with tempfile.TemporaryFile("w+") as answer:
            fd = answer.fileno()
            try:
                subprocess.run([worker, "--program", "--seconds", str(case.seconds), "--answer-fd", str(fd), *case.flags, path, "--", *arguments],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=scratch, pass_fds=[fd],
                               timeout=case.seconds * 10 + 60)
                answer.seek(0)
                result = json.loads(answer.read())
            except (subprocess.TimeoutExpired, ValueError):
                trouble = "no result"
                continue
        hits = [f for f in result["findings"] if f["tag"] not in IGNORED or f["tag"] in case.tags]
        found += hits
        if result["failure"] in ("compile_error", "unsupported", "crash") and not hits:
            trouble = result["failure"] + ": " + (result["message"] or "")[:200]
        if case.bad and any(f["tag"] in case.tags for f in found):
            break
    case.took = time.monotonic() - begin
    case.detail = "; ".join("%s%s@%s: %s" % (f["tag"], "" if f.get("sure", True) else "?", f["where"].get("line"), f["message"][:150]) for f in found[:4])
    if case.bad and any(f["tag"] in case.tags for f in found):
        case.outcome = "found"
    elif trouble:
        case.outcome, case.detail = "error", trouble
    elif case.bad:
        case.outcome = "missed"
    else:
        case.outcome = "false" if any(case.false is None or f["tag"] in case.false for f in found) else "clean"


def sampled(cases, most):
    groups = collections.defaultdict(list)
    for c in cases:
        groups[c.kind].append(c)
    rng = random.Random(1)
    return [c for g in groups.values() for c in (g if not most or len(g) <= most else rng.sample(g, most))]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("worker")
    ap.add_argument("folders", nargs="+")
    ap.add_argument("--sample", type=int, default=0, help="at most N programs of one kind, always the same ones")
    ap.add_argument("--only", default="")
    ap.add_argument("--kinds", default=".*", help="kinds of faults that match this expression")
    ap.add_argument("--jobs", type=int, default=1)
    ap.add_argument("--show", default="missed,false,error")
    ap.add_argument("--json")
    a = ap.parse_args()
    worker, everything = os.path.abspath(a.worker), []
    with tempfile.TemporaryDirectory() as scratch:
        for folder in map(os.path.abspath, a.folders):
            reader = next((r for mark, r in LAYOUTS if os.path.exists(os.path.join(folder, mark))), None)
            if not reader:
                sys.exit(f"sim-faults: {folder}: none of the suites that it knows")
            everything += [c for c in sampled([c for c in reader(folder, scratch) if re.search(a.only, c.path) and re.fullmatch(a.kinds, c.kind)], a.sample)]
        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            for number, work in enumerate([pool.submit(run, worker, c, scratch, i) for i, c in enumerate(everything)]):
                work.result()
                c = everything[number]
                if c.outcome in a.show.split(","):
                    print(f"{c.outcome}: {c.path} [{c.kind}] {c.detail}", flush=True)
    print("suite | bad | found | clean | false alarms | not run")
    for suite in dict.fromkeys(c.suite for c in everything):
        n = collections.Counter((c.outcome) for c in everything if c.suite == suite)
        bad, good = n["found"] + n["missed"], n["clean"] + n["false"]
        print(f"{suite} | {bad} | {n['found']} ({100 * n['found'] / max(1, bad):.0f} %) | {good} | {n['false']} | {n['error']}")
    kinds = collections.defaultdict(collections.Counter)
    for c in everything:
        kinds[c.suite, c.kind][c.outcome] += 1
    for (suite, kind), n in sorted(kinds.items()):
        print(f"  {suite} {kind}: " + ", ".join(f"{k} {v}" for k, v in sorted(n.items())))
    if a.json:
        with open(a.json, "w") as f:
            json.dump([{k: getattr(c, k) for k in ("suite", "path", "bad", "kind", "outcome", "detail", "took")} for c in everything], f, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
