#!/usr/bin/env python3
"""Runs the set of benchmark programs, keeps the figures in a history file, and compares with the run before.

usage: bench.py [--tool target/release/mapwright] [--seconds 0.3] [--threads 1,2] [--only NAME,NAME] [--history FILE] [--folder DIR]

The set: the programs of `examples`, those that `programs.py` makes (one for each kind of region), and the `.mlir` files of
`--folder` (default: `../shared/bench/programs` beside the checkout, left out where it is not there).

Every figure is the least time of its repetitions in milliseconds, which other load disturbs least. A line of the history is one run as
JSON: when, which machine, which commit, and the times by program and number of threads. The comparison is with the last line of the same
machine. The exit status is 1 when a program failed or is slower than before by more than `--tolerance` (default 1.25).
"""
import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def machine():
    """A name for what the figures depend on: processor and number of hardware threads."""
    model = platform.processor()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), model)
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} threads"


def commit():
    found = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return found.stdout.strip() or None


def collect(folder, made):
    """Names and files of the set."""
    found = {}
    examples = os.path.join(ROOT, "examples")
    for name in sorted(os.listdir(examples)):
        path = os.path.join(examples, name, "program.mlir")
        if os.path.exists(path):
            found[f"example_{name}"] = path
    for name, text in sorted(programs.all().items()):
        path = os.path.join(made, name + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        found[name] = path
    if os.path.isdir(folder):
        for file in sorted(os.listdir(folder)):
            if file.endswith(".mlir"):
                found[file[: -len(".mlir")]] = os.path.join(folder, file)
    return found


def last_of(history, name):
    """The last run on this machine."""
    try:
        with open(history, encoding="utf-8") as file:
            runs = [json.loads(line) for line in file if line.strip()]
    except FileNotFoundError:
        return None
    return next((run for run in reversed(runs) if run["machine"] == name), None)


def measure(tool, path, threads, seconds):
    command = [tool, "run", path, f"--bench={seconds}", "--threads", str(threads), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return json.loads(done.stdout), None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=os.path.join(ROOT, "target", "release", "mapwright"))
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--history", default=os.path.join(HERE, "history.jsonl"))
    parser.add_argument("--folder", default=os.path.join(ROOT, "..", "shared", "bench", "programs"))
    parser.add_argument("--tolerance", type=float, default=1.25)
    options = parser.parse_args()

    before = last_of(options.history, machine())
    failed, slower = [], []
    run = {
        "when": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": machine(),
        "commit": commit(),
        "times": {},
    }
    with tempfile.TemporaryDirectory() as made:
        chosen = collect(options.folder, made)
        if options.only:
            names = options.only.split(",")
            unknown = [name for name in names if name not in chosen]
            if unknown:
                sys.exit(f"no program {', '.join(unknown)}")
            chosen = {name: chosen[name] for name in names}
        threads = [int(count) for count in options.threads.split(",")]
        print(f"{'program':28} " + " ".join(f"{f'{count} thr. (ms)':>14} {'before':>9} {'ratio':>6}" for count in threads) + f" {'compile':>8}")
        for name, path in chosen.items():
            cells, compile_ms = [], None
            for count in threads:
                report, error = measure(options.tool, path, count, options.seconds)
                if report is None:
                    failed.append(f"{name}: {error}")
                    cells.append(f"{'failed':>14} {'':9} {'':6}")
                    continue
                time = report["min_ms"]
                compile_ms = min(report["compile_ms"], compile_ms or report["compile_ms"])
                run["times"].setdefault(name, {})[str(count)] = time
                old = (before or {}).get("times", {}).get(name, {}).get(str(count))
                if old:
                    ratio = time / old
                    cells.append(f"{time:14.4f} {old:9.4f} {ratio:6.2f}")
                    if ratio > options.tolerance:
                        slower.append(f"{name}, {count} threads: {old:.4f} -> {time:.4f} ms")
                else:
                    cells.append(f"{time:14.4f} {'':9} {'':6}")
            print(f"{name:28} " + " ".join(cells) + (f" {compile_ms:8.1f}" if compile_ms else ""), flush=True)
    with open(options.history, "a", encoding="utf-8") as file:
        file.write(json.dumps(run) + "\n")
    if before is None:
        print("no run before this one on this machine")
    for line in failed:
        print("failed:", line)
    for line in slower:
        print("slower:", line)
    sys.exit(1 if failed or slower else 0)


if __name__ == "__main__":
    main()
