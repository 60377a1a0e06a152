#!/usr/bin/env python3
"""Writes kcheck's man page and shell completions from the program's own --help: cli-docs.py KCHECK OUT_DIR

With --markdown FILE it writes the command-line reference (docs/cli.md) instead.
"""
import os
import re
import subprocess
import sys

OPTION = re.compile(r"^\s+((?:-\w|--[\w-]+)(?:,\s*--?[\w-]+)*)\s*(.*)$")


class Command:
    def __init__(self, program, name):
        self.name = name
        words = [program, *name.split(), "--help"]
        self.help = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, "NO_COLOR": "1"}).stdout.rstrip()
        lines = self.help.splitlines()
        self.summary = next((l.strip() for l in lines if l.strip() and not l.startswith(("Usage", "kcheck "))), "")
        self.options = [o for l in lines for m in [OPTION.match(l)] if m for o in re.split(r",\s*", m.group(1))]
        inside = False
        self.subcommands = []
        for l in lines:
            if re.match(r"(?i)^subcommands:", l):
                inside = True
            elif inside and re.match(r"^\s+[a-z]", l):
                part, _, text = l.strip().partition(" ")
                self.subcommands.append((part, text.strip()))
            elif l and not l.startswith(" "):
                inside = False
        # Those of `kcheck` itself are made by main().
        self.parts = [Command(program, f"{name} {n}") for n, _ in self.subcommands] if name else []

    def words(self):
        """What may follow the command's name on the line, besides files."""
        return list(dict.fromkeys([n for n, _ in self.subcommands] + self.options + [o for p in self.parts for o in p.options]))


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-").replace("\n.", "\n\\&.").replace("\n'", "\n\\&'")


def man_page(top, subs):
    out = [".TH KCHECK 1 \"\" \"kcheck\" \"User Commands\"", ".SH NAME", "kcheck \\- gate for CUDA kernels",
           ".SH SYNOPSIS", ".B kcheck", ".I COMMAND", "[\\fIOPTION\\fR]... [\\fIFILE\\fR]...",
           ".SH DESCRIPTION", roff("kcheck reads a CUDA kernel with Clang's full syntax tree, runs it on a CPU simulator or a GPU,\n"
                                  "and says PASS, REVIEW or REJECT with reasons."), ".SH COMMANDS"]
    for s in subs:
        text = dict(top.subcommands)[s.name]
        out += [f".SS kcheck {roff(s.name)}", roff(text), ".PP", ".nf", roff("\n".join(s.help.splitlines()[1:])).lstrip("\n"), ".fi"]
        for p in s.parts:
            out += [f".SS kcheck {roff(p.name)}", ".nf", roff("\n".join(p.help.splitlines()[1:])).lstrip("\n"), ".fi"]
    out += [".SH EXIT STATUS", ".TP", ".B 0", "nothing at or above \\-\\-fail\\-on (default reject)", ".TP", ".B 1", "something was",
            ".TP", ".B 2", "usage, missing input, or a failure of kcheck itself",
            ".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "no colours", ".TP", ".B KCHECK_HIDE_CUDA", "act as if no CUDA toolkit were installed",
            ".TP", ".B CUDAToolkit_ROOT, CUDA_HOME, CUDA_PATH", "where the CUDA toolkit is",
            ".SH SEE ALSO", ".BR clangd (1),", ".BR clang\\-tidy (1)"]
    return "\n".join(out) + "\n"


def bash(top, subs):
    cases = "\n".join(f"    {s.name}) words='{' '.join(s.words())}' parts={len(s.parts)} ;;" for s in subs)
    names = " ".join(s.name for s in subs)
    return f"""# bash completion for kcheck
_kcheck() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} words= parts=0
  case ${{COMP_WORDS[1]}} in
{cases}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{names} {' '.join(top.options)}'
  elif [[ $cur != -* ]] && ! (( parts && COMP_CWORD == 2 )); then
    compopt -o default
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}}
complete -F _kcheck kcheck
"""


def zsh(top, subs):
    names = "\n".join("    '" + s.name + ":" + dict(top.subcommands)[s.name].replace("'", "’").replace(":", "\\:") + "'" for s in subs)
    cases = "\n".join(f"    {s.name}) compadd -- {' '.join(s.words())}; _files ;;" for s in subs)
    return f"""#compdef kcheck
_kcheck() {{
  local -a commands=(
{names}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
{cases}
  esac
}}
_kcheck "$@"
"""


def fish(top, subs):
    out = ["# fish completion for kcheck"]
    for s in subs:
        text = dict(top.subcommands)[s.name].replace("'", "’")
        out.append(f"complete -c kcheck -n __fish_use_subcommand -a {s.name} -d '{text}'")
        for n, words in s.subcommands:
            out.append(f"complete -c kcheck -n '__fish_seen_subcommand_from {s.name}' -a {n} -d '{words.replace(chr(39), chr(8217))}'")
        for o in (w for w in s.words() if w.startswith("-")):
            flag = f"-l {o[2:]}" if o.startswith("--") else f"-s {o[1:]}"
            out.append(f"complete -c kcheck -n '__fish_seen_subcommand_from {s.name}' {flag}")
    return "\n".join(out) + "\n"


def markdown(top, subs):
    out = ["# Command line", "", "Made by `script/cli-docs.py` from `kcheck --help`; a test compares it with the program.", "",
           "```", top.help, "```"]
    for s in subs:
        out += ["", f"## kcheck {s.name}", "```", s.help, "```"]
        for p in s.parts:
            out += ["", f"### kcheck {p.name}", "```", p.help, "```"]
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    program = sys.argv[1]
    top = Command(program, "")
    subs = [Command(program, name) for name, _ in top.subcommands]
    if not subs:
        print("cli-docs: kcheck --help lists no commands", file=sys.stderr)
        return 1
    if sys.argv[2] == "--markdown":
        files = {sys.argv[3]: markdown(top, subs)}
    else:
        files = {os.path.join(sys.argv[2], name): make(top, subs) for name, make in
                 (("kcheck.1", man_page), ("kcheck.bash", bash), ("_kcheck", zsh), ("kcheck.fish", fish))}
    for name, text in files.items():
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
