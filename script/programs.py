"""What a CUDA file prints on the simulator: as a program, or, where it has no main, what its launchers change.

    shown = Programs(kcheck, limit=20)
    before, why = shown.of("kernels.cu", ["-I", "."])     (text, None) or (None, why it says nothing)
    after, why = shown.of("kernels.cu", ["-I", "."], new="edited.cu")
    same(before, after)

A file without main is included by one that calls its launchers (drive.cuh) with arguments made from their types.
"""
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
PLACE = re.compile(r"\S*\.(cu|cuh|h|hpp|cpp):\d+(:\d+)?|(?<!\w)/\w+/\S+")  # of the source, or of the program itself
TIMED = re.compile(r"time|\bms\b|\bus\b|sec|/s\b|speed|perf|elapsed|throughput|bandwidth|gflop", re.I)
MAIN = re.compile(r"\bmain\s*\(")
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
SCOPE = re.compile(r"\bnamespace\s*([\w:]*)\s*$|\bextern\s*$")
SIGNATURE = re.compile(r"([\w:]+)\s*\(([^{};]*)\)\s*(?:noexcept\s*)?$")
CHOICES = 14  # as drive.cuh


def same(a, b, relative=1e-3, absolute=1e-5):
    """The same words and whole numbers, and others that agree within what rounding does; places in the source move with an edit."""
    a, b = ([l for l in (PLACE.sub("", l) for l in t.splitlines()) if l.strip() and not TIMED.search(l)] for t in (a, b))
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):
        if x == y:
            continue
        if NUMBER.sub("#", x) != NUMBER.sub("#", y):
            return False
        for p, q in zip(NUMBER.findall(x), NUMBER.findall(y)):
            exact = p.lstrip("+-").isdigit() and q.lstrip("+-").isdigit()
            if p != q if exact else abs(float(p) - float(q)) > relative * max(abs(float(p)), abs(float(q))) + absolute:
                return False
    return True


def launchers(text):
    """Names of the host functions that launch a kernel and could be called from outside."""
    text = NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    found, scopes, depth, at, start = [], [], 0, 0, 0
    for m in re.finditer(r"[{};]", text):
        c = m.group(0)
        if c == "{" and depth == len(scopes):
            head = text[at:m.start()]
            scope = SCOPE.search(head.rstrip())
            if scope:
                scopes.append(scope.group(1) or "")
            else:
                start, signature = m.start(), SIGNATURE.search(head.strip())
                name = None if not signature or re.search(r"__global__|__device__|\btemplate\b|\boperator\b", head) else signature.group(1)
            depth += 1
            at = m.end()
        elif c == "{":
            depth += 1
        elif c == "}":
            depth -= 1
            if depth < len(scopes):
                scopes.pop()
            elif depth == len(scopes) and name:
                if "<<<" in text[start:m.start()] and name != "main":
                    found.append("::".join([s for s in scopes if s] + [name]))
                name = None
            if depth == len(scopes):
                at = m.end()
        elif depth == len(scopes):
            at = m.end()
    return list(dict.fromkeys(n for n in found if found.count(n) == 1))


class Programs:
    def __init__(self, kcheck, limit):
        self.kcheck, self.limit = os.path.abspath(kcheck), limit
        self.chosen = {}  # of a file: the launchers that can be called, each with its choice of arguments

    def sim(self, words, args, cwd):
        try:
            p = subprocess.run([self.kcheck, "sim", *words, "--", *args], capture_output=True, text=True, errors="replace", timeout=self.limit,
                               stdin=subprocess.DEVNULL, cwd=cwd)
        except subprocess.TimeoutExpired:
            return None, "", "too long a program"
        unrun = re.search(r"^\s+\? program: (.*)", p.stdout, re.M)
        if unrun:
            return p.returncode, "", "no main" if "no main" in unrun.group(1) else "the simulator does not run it: " + unrun.group(1)[:100]
        shown = p.stdout.rsplit("[dynamic_check]", 1)[0]
        return p.returncode, shown, None if p.returncode == 0 and "program: exit status 0" in p.stdout else "fails on the simulator"

    def driven(self, path, flags, new, names, choice):
        with tempfile.TemporaryDirectory() as folder:
            main = os.path.join(folder, "main.cu")
            with open(main, "w", encoding="utf-8") as f:
                f.write(f'#include "{new or path}"\n#include "{os.path.join(HERE, "drive.cuh")}"\n\nint main(int c, char **v) {{\n'
                        "  drive::Choice = drive::number(c, v);\n  return " + " + ".join(f'drive::launch("{n}", {n})' for n in names) + ";\n}\n")
            seen = [w for d in {os.path.dirname(new or path), HERE} for w in ("-I", d)]  # the sandbox shows no other folders
            return self.sim([main, *flags, *seen], [str(choice)], os.path.dirname(path))

    def choose(self, path, flags):
        with open(path, errors="replace") as f:
            names = launchers(f.read())
        chosen, why = [], "no main, nor a launcher to call"
        for name in names:
            for choice in range(CHOICES):
                code, out, why = self.driven(path, flags, None, [name], choice)
                if not why:
                    chosen.append((name, choice))
                    break
                if why.startswith("the simulator") or code is None:
                    break  # no such arguments can be made, or it takes too long
        return chosen, why

    def of(self, path, flags, args=(), new=None, files=()):
        """What path prints; new: a text in its place."""
        path, new = os.path.abspath(path), os.path.abspath(new) if new else None
        with open(path, errors="replace") as f:
            has_main = MAIN.search(f.read()) or files
        if has_main:
            words = [new if new and f == path else f for f in files or [path]]
            _, out, why = self.sim([*flags, *words], list(args), os.path.dirname(path))
            return (None, why) if why else (out, None)
        if path not in self.chosen:
            self.chosen[path] = self.choose(path, flags)
        chosen, why = self.chosen[path]
        if not chosen:
            return None, why
        text = ""
        for choice in sorted({c for _, c in chosen}):
            _, out, why = self.driven(path, flags, new, [n for n, c in chosen if c == choice], choice)
            if why:
                return None, why
            text += out
        return text, None
