#!/usr/bin/env python3
"""Every JSON-based writer obeys its schema: the report, SARIF, the built-in policy. Runs on small inputs that give
findings with notes and fixes, suppressed ones, and a file that cannot be read."""
import glob, json, os, re, subprocess, sys, tempfile
import xml.etree.ElementTree as xml

try:
    import jsonschema, yaml
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(77)

build, source = sys.argv[1:3]
kcheck = os.path.join(build, "tools/kcheck/kcheck")
files = sorted(glob.glob(os.path.join(source, "test/lit/cli/**/*.cu"), recursive=True)
               + glob.glob(os.path.join(source, "examples/**/*.cu"), recursive=True)) + ["/no/such/folder.cu"]
files += sorted(glob.glob(os.path.join(source, "../shared/cases/*.cu")))[:8]


def run(*words):
    p = subprocess.run([kcheck, *words], capture_output=True, text=True)
    assert p.returncode in (0, 1, 2), (words, p.returncode, p.stderr[-500:])
    return p.stdout


def schema(name):
    with open(os.path.join(source, name)) as f:
        return json.load(f)


readable = [f for f in files if os.path.exists(f)]
report_schema = schema("docs/schema/report.schema.json")
jsonschema.Draft7Validator.check_schema(report_schema)
softmax = os.path.join(source, "examples/softmax")
dynamic = [f for f in readable if os.path.dirname(f) == softmax]
for words in (["lint", *readable], ["check", *readable[:6]], ["check", "--task", os.path.join(softmax, "task.yaml"), *dynamic]):
    report = json.loads(run(words[0], "--format", "json", *words[1:]))
    if words[0] == "lint":
        linted = report
    jsonschema.validate(report, report_schema)
    assert len(report["results"]) == len([f for f in words if f in readable])
    for r in report["results"]:
        worst = {f["severity"] for f in r["static"]["findings"] if not f.get("suppressed")}
        want = "REJECT" if "reject" in worst else "REVIEW" if "review" in worst else "PASS"
        assert r["static"]["verdict"] == want, r["file"]
if os.path.exists(os.path.join(build, "tools/kcheck-sim/kcheck-sim")):
    states = {r["dynamic"].get("numerics", {}).get("state") for r in report["results"]}
    assert {"pass", "fail"} <= states, states
    assert any(f["check"] == "kcheck-dynamic-nan-inf" for r in report["results"] for f in r["dynamic"]["findings"])
    page = run("check", "--format", "html", "--task", os.path.join(softmax, "task.yaml"), os.path.join(softmax, "broken_overflow.cu"))
    assert "<svg" in page and "candidate:" in page and "<script" not in page, "no histograms in the page"
assert any(f.get("suppressed") for r in linted["results"] for f in r["static"]["findings"]), "no suppressed finding in the test's inputs"

# The schema itself is no rubber stamp.
bad = json.loads(json.dumps(report))
bad["results"][0]["verdict"] = "MAYBE"
try:
    jsonschema.validate(bad, report_schema)
    sys.exit("the schema took a wrong verdict")
except jsonschema.ValidationError:
    pass

sarif_schema = schema("test/integration/sarif-2.1.0-subset.schema.json")
sarif = json.loads(run("lint", "--format", "sarif", *readable))
jsonschema.validate(sarif, sarif_schema)
drive = sarif["runs"][0]["tool"]["driver"]
for r in sarif["runs"][0]["results"]:
    if "ruleIndex" in r:
        assert drive["rules"][r["ruleIndex"]]["id"] == r["ruleId"], r
assert any("suppressions" in r for r in sarif["runs"][0]["results"])

root = xml.fromstring(run("lint", "--format", "junit", *readable))
assert root.tag == "testsuites" and len(root) == len(readable)
for suite in root:
    assert int(suite.get("tests")) == len(suite), suite.get("name")
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
    assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))

page = run("lint", "--format", "html", *readable)
assert "<script" not in page and not re.search(r"(src|href)=\"(http|//)", page), "the page is not self-contained"

for line in run("lint", "--format", "github", *readable).splitlines():
    assert re.match(r"::(error|warning|notice) file=[^,:]+,(line=\d+,)?(col=\d+,)?title=[a-z0-9-]+::.+", line), line

policy_schema = schema("docs/schema/policy.schema.json")


class Core(yaml.SafeLoader):
    """`off` is a text here."""
    yaml_implicit_resolvers = {k: [(t, r) for t, r in v if t != "tag:yaml.org,2002:bool"] for k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}


Core.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))
with open(os.path.join(source, "rules.yaml")) as f:
    policy = yaml.load(f, Loader=Core)
jsonschema.validate(policy, policy_schema)

# What rules can report, the policy weighs; what rules ask for, the policy has.
rules = json.loads(run("rules", "--format", "json"))["rules"]
for r in rules:
    known = policy["rules"].get(r["rule"], {}).get("tags", {})
    missing = [t["tag"] for t in r["tags"] if t["tag"] not in known]
    assert not missing, f"{r['rule']}: rules.yaml does not weigh {missing}"
asked = set()
for path in glob.glob(os.path.join(source, "analyzers/rules/**/*.cpp"), recursive=True):
    with open(path) as f:
        asked |= set(re.findall(r"(?:int|bool|real|list)Option\(\s*\"(kcheck-[a-z-]+)\",\s*\"(\w+)\"", f.read()))
unknown = sorted(f"{rule}: {option}" for rule, option in asked if option not in policy["rules"].get(rule, {}).get("options", {}))
assert not unknown, f"options that rules.yaml does not have, so nobody can set them: {unknown}"
print(f"{len(readable)} files, {len(rules)} rules, {len(asked)} options")
