#!/usr/bin/env python3
"""Compares `mapwright run --bench` with plain single-threaded C loops for the same programs, one after the other in one run.

usage: against_c.py [--tool target/release/mapwright] [--programs examples] [--seconds 1] [--json]

Prints, for each program, the C loop's time, ours at one and two threads, and the ratios (C / ours: above 1 is faster than C).
Every figure is the median of its repetitions; the three contestants are measured in turns, three rounds, and the best round counts.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# name of the C loop, program, least ratio at one thread that is asked for
PROGRAMS = [
    ("softmax", "softmax", 1.0),
    ("layernorm", "layer_norm", 1.0),
    ("gelu", "bias_gelu", 1.0),
    ("add_transpose", "add_transpose", 3.0),
]


def find(folder, name):
    """The program's file: `name/program.mlir`, or `name.mlir`."""
    for path in [os.path.join(folder, name, "program.mlir"), os.path.join(folder, name + ".mlir")]:
        if os.path.exists(path):
            return path
    sys.exit(f"no program {name} in {folder}")


def build():
    clang = shutil.which("clang-22") or "/usr/lib/llvm-22/bin/clang"
    binary = os.path.join(tempfile.mkdtemp(), "loops")
    source = os.path.join(HERE, "loops.c")
    subprocess.run([clang, "-O3", "-march=native", source, "-o", binary, "-lm"], check=True)
    return binary


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default=os.path.join(ROOT, "target/release/mapwright"))
    parser.add_argument("--programs", default=os.path.join(ROOT, "examples"))
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    loops = build()
    rows, failed = [], False
    for loop, program, least in PROGRAMS:
        path = find(args.programs, program)
        best = {}
        for _ in range(3):
            runs = {
                "c": [loops, loop, str(args.seconds)],
                "one": [args.tool, "run", path, f"--bench={args.seconds}", "--threads", "1", "--json"],
                "two": [args.tool, "run", path, f"--bench={args.seconds}", "--threads", "2", "--json"],
            }
            for who, command in runs.items():
                result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                best[who] = min(best.get(who, float("inf")), result["median_ms"])
        row = {
            "program": program,
            "c_ms": best["c"],
            "one_thread_ms": best["one"],
            "two_threads_ms": best["two"],
            "one_thread_ratio": best["c"] / best["one"],
            "two_thread_ratio": best["c"] / best["two"],
            "least": least,
        }
        rows.append(row)
        failed |= row["one_thread_ratio"] < least or row["two_threads_ms"] > row["one_thread_ms"]
        if not args.json:
            print(
                f"{program:26} C {row['c_ms']:8.3f} ms   1 thread {row['one_thread_ms']:8.3f} ms ({row['one_thread_ratio']:5.2f}x)"
                f"   2 threads {row['two_threads_ms']:8.3f} ms ({row['two_thread_ratio']:5.2f}x)"
            )
    if args.json:
        print(json.dumps(rows))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
