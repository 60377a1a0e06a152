#!/usr/bin/env python3
"""The documents agree with the source: links lead somewhere, every tag of a rule is on its page. Usage: BUILD SOURCE."""
import glob
import os
import re
import sys

import yaml

LINK = re.compile(r"\[[^\]]*\]\((?!https?:|#)([^)#]+)")


def dead_links(source):
    for path in glob.glob(os.path.join(source, "*.md")) + glob.glob(os.path.join(source, "docs", "**", "*.md"), recursive=True):
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"```.*?```", "", f.read(), flags=re.S)
        for target in LINK.findall(text):
            if not os.path.exists(os.path.join(os.path.dirname(path), target)):
                yield f"{os.path.relpath(path, source)}: link to {target} leads nowhere"


def undescribed(source):
    with open(os.path.join(source, "rules.yaml"), encoding="utf-8") as f:
        rules = yaml.safe_load(f)["rules"]
    for rule, body in rules.items():
        page = os.path.join(source, "docs", "rules", rule.removeprefix("kcheck-") + ".md")
        if not os.path.isdir(os.path.join(source, "analyzers", "rules", rule.removeprefix("kcheck-"))):
            continue  # policy without a rule yet
        if not os.path.exists(page):
            yield f"{rule}: no page docs/rules/{os.path.basename(page)}"
            continue
        with open(page, encoding="utf-8") as f:
            text = f.read()
        yield from (f"docs/rules/{os.path.basename(page)}: {tag} is not described" for tag in body["tags"] if tag not in text)


def main():
    source = os.path.abspath(sys.argv[2])
    faults = [*dead_links(source), *undescribed(source)]
    print("\n".join(faults) or "documents and source agree")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
