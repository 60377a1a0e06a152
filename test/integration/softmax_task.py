"""The task with which the tests of kcheck optimize search: a softmax of the rows."""


def softmax_task(shapes, perf):
    """task.yaml, with its shapes and the shape that is timed, both as YAML."""
    return """kcheck: 1
op: softmax
entry: launch_softmax
args:
  - {name: x, in:  "f32[rows, cols]"}
  - {name: y, out: "f32[rows, cols]"}
  - {name: rows, dim: rows}
  - {name: cols, dim: cols}
shapes: %s
inputs: [normal]
perf: {shape: %s}
""" % (shapes, perf)
