#!/bin/sh
# Writes the reference of every dialect from its .td files into this folder;
# with --check it only says whether the pages are up to date (exit code 1: no).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
llvm=${MLIR_SYS_220_PREFIX:-/usr/lib/llvm-22}
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

for dialect in check chlo indexing interpreter mhlo sdy stablehlo tarray; do
    "$llvm/bin/mlir-tblgen" -gen-dialect-doc --dialect=$dialect \
        -I "$root/dialect" -I "$llvm/include" \
        "$root/dialect/$dialect/Ops.td" -o "$new/$dialect.md"
done

if [ "${1:-}" = --check ]; then
    status=0
    for page in "$new"/*.md; do
        if ! diff -u "$here/$(basename "$page")" "$page"; then
            status=1
        fi
    done
    [ $status = 0 ] || echo "run docs/dialects/update.sh" >&2
    exit $status
fi
cp "$new"/*.md "$here/"
