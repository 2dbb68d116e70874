#!/usr/bin/env bash
# Shows one example from its text to its timing: examples/show.sh examples/softmax
set -euo pipefail
program=$1/program.mlir
mapwright=${MAPWRIGHT:-$(dirname "$0")/../target/release/mapwright}

title() { printf '\n== %s\n' "$*"; }

title "the program ($program)"
cat "$program"
title "its indexing maps: every operation, then the result with respect to the argument"
"$mapwright" maps "$program" --compose
title "its fused regions, and why what is apart is apart"
"$mapwright" fusion "$program"
title "compiled and run, one thread and two"
"$mapwright" run "$program" --bench --threads 1
"$mapwright" run "$program" --bench --threads 2
