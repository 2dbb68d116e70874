#!/bin/sh
# Fills fuzz/corpus: every program of the lit suite and the examples for the target `text`, and those that are read also as bytecode for
# `bytecode` and as portable artifacts for `artifact`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
opt=${MAPWRIGHT_OPT:-$root/target/release/mapwright-opt}
mkdir -p "$root/fuzz/corpus/text" "$root/fuzz/corpus/bytecode" "$root/fuzz/corpus/artifact"
cp "$root"/src/artifact/corpus/*.mlirbc "$root/fuzz/corpus/artifact"
cd "$root/lit-tests"
find . -name '*.mlir' | sort | while read -r file; do
    name=$(echo "${file#./}" | tr / -)
    # One file a program: a test holds several.
    csplit -s -z -f "$root/fuzz/corpus/text/$name-" "$file" '/^\/\/ -----/' '{*}'
done
for file in "$root"/examples/*/program.mlir; do
    cp "$file" "$root/fuzz/corpus/text/$(basename "$(dirname "$file")").mlir"
done
# Two faults of MLIR itself, which end mlir-opt, too, would be found again and again: its parser of linalg.transpose where the permutation is none,
# and its verifier of sequences of the transform dialect where bytecode has an unknown operation in one.
grep -lE 'linalg\.transpose|transform\.' -r "$root/fuzz/corpus/text" | xargs -r rm
for file in "$root"/fuzz/corpus/text/*; do
    "$opt" "$file" --emit-bytecode -o "$root/fuzz/corpus/bytecode/$(basename "$file").bc" 2>/dev/null || true
    "$opt" "$file" --emit-portable-artifact -o "$root/fuzz/corpus/artifact/$(basename "$file").mlirbc" 2>/dev/null || true
done
