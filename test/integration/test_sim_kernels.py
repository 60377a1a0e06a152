#!/usr/bin/env python3
"""The simulator finds what the kernels in test/sim/kernels say, and nothing else; jobs obey their schema. Usage: BUILD SOURCE."""
import json
import os
import subprocess
import sys


def main():
    build, source = sys.argv[1:3]
    worker = os.path.join(build, "tools/kcheck-sim/kcheck-sim")
    if not os.path.exists(worker):
        print("kcheck-sim is not built")
        return 77
    sys.path.insert(0, os.path.join(source, "test/sim"))
    import run_sim
    try:
        import jsonschema
        with open(os.path.join(source, "docs/schema/job.schema.json"), encoding="utf-8") as f:
            schema = json.load(f)
        folder = os.path.join(source, "test/sim/kernels")
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                text = f.read()
            for _, job in run_sim.jobs_of(name, text):
                jsonschema.validate(job, schema)
    except ImportError:
        print("no jsonschema: jobs are not validated")
    return subprocess.run([sys.executable, os.path.join(source, "test/sim/run_sim.py"), worker,
                           os.path.join(source, "test/sim/kernels")]).returncode


if __name__ == "__main__":
    sys.exit(main())
