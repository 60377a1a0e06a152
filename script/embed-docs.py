#!/usr/bin/env python3
"""Compiles the rule pages to a C++ header: embed-docs.py DIR OUT. Each DIR/<rule>.md becomes one entry."""
import pathlib, sys

pages = sorted(p for p in pathlib.Path(sys.argv[1]).glob("*.md") if p.name != "README.md")
with open(sys.argv[2], "w") as f:
    f.write("// made from docs/rules\nnamespace kcheck {\nstruct RulePage { const char *Rule; const char *Text; };\n"
            "inline constexpr RulePage RulePages[] = {\n")
    for p in pages:
        text = p.read_text()
        f.write('{"kcheck-' + p.stem + '",\n')
        for i in range(0, max(1, len(text)), 4000):
            f.write('R"page(' + text[i:i + 4000] + ')page"\n')
        f.write("},\n")
    f.write("{nullptr, nullptr}};\n}\n")
