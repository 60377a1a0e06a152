#!/usr/bin/env python3
"""Compiles rules.yaml to a C++ header holding the same policy as JSON: policy-to-json.py IN OUT.

Scalars are read as the program itself reads them (YAML's core schema): `off` is a text, not false, and a key
such as 12.0 stays "12.0".
"""
import json, re, sys
import yaml

class Core(yaml.SafeLoader):
    yaml_implicit_resolvers = {}

Core.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), list("tf"))
Core.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(null|~|)$"), ["n", "~", ""])
Core.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
Core.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?$"),
                           list("-+.0123456789"))

def construct_map(loader, node):
    out = {}
    for key, value in node.value:
        if key.value in out:
            raise SystemExit(f"{sys.argv[1]}:{key.start_mark.line + 1}: '{key.value}' stands here twice")
        out[key.value] = loader.construct_object(value, deep=True)
    return out

Core.add_constructor("tag:yaml.org,2002:map", construct_map)

with open(sys.argv[1]) as f:
    text = json.dumps(yaml.load(f, Loader=Core), separators=(",", ":"))
chunks = [text[i:i + 4000] for i in range(0, len(text), 4000)]
with open(sys.argv[2], "w") as f:
    f.write("// made from rules.yaml\nnamespace kcheck {\ninline constexpr char BuiltinPolicyJson[] =\n")
    for c in chunks:
        f.write('R"policy(' + c + ')policy"\n')
    f.write(";\n}\n")
