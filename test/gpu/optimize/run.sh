#!/bin/bash
# The searches that docs/benchmarks.md reports, on a GPU: run.sh KCHECK OUT [KERNEL...]
# MORE: further options of kcheck optimize; SECONDS_EACH: at most so long a kernel.
set -u
kcheck=$1 out=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../../../examples
mkdir -p "$out"
for k in "${@:-fused_linear softmax layernorm rmsnorm transpose reduce_sum unnamed}"; do
  [ "$k" = unnamed ] && k=$(cd "$here" && echo unnamed/*)
  for name in $k; do
    task=$here/$name/task.yaml kernel=$here/$name/naive.cu
    [ -e "$task" ] || task=$examples/$name/task.yaml
    [ -e "$kernel" ] || kernel=$examples/$name/naive.cu
    to=$out/${name//\//-}
    start=$(date +%s.%N)
    timeout "${SECONDS_EACH:-600}" "$kcheck" optimize "$task" --kernel "$kernel" --device gpu --arch "${ARCH:-sm_90}" --out "$to" ${MORE:-} >"$to.txt" 2>"$to.log"
    echo "$name: exit $?, $(awk "BEGIN{print $(date +%s.%N)-$start}") s"
    cat "$to.txt"
  done
done
