#!/usr/bin/env python3
"""Writes the rule reference (docs/rule-reference.md) from the program and its policy: rule-docs.py KCHECK RULES.YAML OUT.md"""
import json
import subprocess
import sys

import yaml

HEAD = """# Rule reference

Made by `script/rule-docs.py` from `kcheck rules` and `rules.yaml`; a test compares it with both. The [pages](rules/README.md) say more.
"""


def value(v):
    return "`" + (", ".join(map(str, v)) if isinstance(v, list) else str(v)) + "`"


def cell(text):
    return text.replace("|", "\\|")


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    listed = json.loads(subprocess.run([sys.argv[1], "rules", "--format", "json"], capture_output=True, text=True, check=True).stdout)["rules"]
    with open(sys.argv[2], encoding="utf-8") as f:
        policy = yaml.safe_load(f)["rules"]
    out = [HEAD]
    for rule in listed:
        name = rule["rule"]
        out += [f"## [{name}](rules/{name.removeprefix('kcheck-')}.md)", f"{rule['summary']}", "", "| check | proven | doubt | |", "|---|---|---|---|"]
        out += [f"| `{t['check']}` | {t['proven']} | {t['doubt']} | {cell(t['summary'])} |" for t in rule["tags"]]
        if options := policy.get(name, {}).get("options"):
            out += ["", "| option | built in |", "|---|---|", *(f"| `{k}` | {value(v)} |" for k, v in options.items())]
        out.append("")
    # What running shows has no rule of the AST, but severities all the same.
    for name, page in (("kcheck-dynamic", "rules/dynamic.md"), ("kcheck-guard", "guard.md")):
        body = policy[name]
        out += [f"## [{name}]({page})", "", "| tag | severity |", "|---|---|"]
        out += [f"| `{tag}` | {s if isinstance(s, str) else ' / '.join(f'{k}: {v}' for k, v in s.items())} |" for tag, s in body["tags"].items()]
        if options := body.get("options"):
            out += ["", "| option | built in |", "|---|---|", *(f"| `{k}` | {value(v)} |" for k, v in options.items())]
        out.append("")
    with open(sys.argv[3], "w", encoding="utf-8") as f:
        f.write("\n".join(out).rstrip() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
