#!/usr/bin/env python3
"""Compiles rules.yaml to a C++ header holding the same policy as JSON: policy-to-json.py IN OUT."""
import json, sys
import yaml

with open(sys.argv[1]) as f:
    text = json.dumps(yaml.safe_load(f), separators=(",", ":"))
chunks = [text[i:i + 4000] for i in range(0, len(text), 4000)]
with open(sys.argv[2], "w") as f:
    f.write("// made from rules.yaml\nnamespace kcheck {\ninline constexpr char BuiltinPolicyJson[] =\n")
    for c in chunks:
        f.write('R"policy(' + c + ')policy"\n')
    f.write(";\n}\n")
