#!/bin/bash
# The searches that docs/benchmarks.md reports, on a GPU: run.sh KCHECK OUT [KERNEL...]
set -u
kcheck=$1 out=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../../../examples
mkdir -p "$out"
for k in "${@:-fused_linear softmax layernorm rmsnorm transpose reduce_sum}"; do
  for name in $k; do
    task=$here/$name/task.yaml
    [ -e "$task" ] || task=$examples/$name/task.yaml
    start=$(date +%s.%N)
    "$kcheck" optimize "$task" --device gpu --arch "${ARCH:-sm_90}" --out "$out/$name" ${MORE:-} >"$out/$name.txt" 2>"$out/$name.log"
    echo "$name: exit $?, $(awk "BEGIN{print $(date +%s.%N)-$start}") s"
    cat "$out/$name.txt"
  done
done
