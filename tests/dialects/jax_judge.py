#!/usr/bin/env python3
"""JAX's own parser and printer over what mapwright-opt prints.

A development tool: needs jaxlib. Every program of the shared folders is printed by mapwright-opt, as it is and after the passes that
produce StableHLO; JAX has to read each and print it the same, byte for byte. Operations of dialects that JAX does not know (`check`,
`interpreter`) stand in generic form in both texts, and their lines are not compared. Programs with quantized types count as `unknown to
JAX`, which has no such types.

    python3 tests/dialects/jax_judge.py [--program PATH] [--shared PATH] [--show N] [folder …]
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess

from jax._src.interpreters import mlir
from jaxlib.mlir import ir

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ["programs", "quantized", "dynamic", "units", "valid"]
PASSES = {
    "printed": [],
    "mhlo-to-stablehlo": ["--indexing-legalize-mhlo"],
    "chlo-to-stablehlo": ["--indexing-legalize-chlo"],
    "canonicalize": ["--indexing-canonicalize"],
    "fold": ["--indexing-canonicalize", "--indexing-fold"],
    "refine": ["--indexing-refine-shapes"],
}
# Not known to JAX. A generic operation is printed by the printer of the framework, not of a dialect.
UNKNOWN = re.compile(r"\b(check|interpreter)\.\w")


def text(program, file, flags):
    """What the program prints, or None and what it says; in the generic form too, where JAX needs that."""
    split = ["--split-input-file"] if "// -----" in file.read_text() else []
    command = [program, file, *flags, *split]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return None, None, done.stderr.strip().splitlines()[0]
    generic = None
    if UNKNOWN.search(done.stdout):
        generic = subprocess.run([*command, "--mlir-print-op-generic"], capture_output=True, text=True).stdout
    return done.stdout, generic, None


def known_lines(text):
    """The lines with something on them, except those of operations that JAX does not know."""
    return [line for line in text.splitlines() if line.strip() and not UNKNOWN.search(line) and not line.startswith("// -----")]


def first_difference(ours, theirs):
    for a, b in zip(known_lines(ours), known_lines(theirs)):
        if a != b:
            return f"\n    {a}\n    {b}"
    return None if len(known_lines(ours)) == len(known_lines(theirs)) else "\n    lengths differ"


def judge(context, pretty, generic):
    """None where JAX reads the text and prints the same; else the difference or the error."""
    parts = zip(pretty.split("// -----"), (generic or pretty).split("// -----"))
    for part, source in parts:
        try:
            module = ir.Module.parse(source, context)
        except ir.MLIRError as error:
            return "rejected: " + str(error).splitlines()[0] + " " + "; ".join(d.message for d in error.error_diagnostics)[:300]
        difference = first_difference(part, str(module))
        if difference:
            return difference
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--program", default=str(ROOT / "target/release/mapwright-opt"))
    parser.add_argument("--shared", type=pathlib.Path, default=ROOT.parent / "shared")
    parser.add_argument("--passes", nargs="*", default=list(PASSES))
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("--every", type=int, default=1, help="only every N-th program")
    arguments = parser.parse_args()
    files = [f for folder in arguments.folders for f in sorted((arguments.shared / "conformance" / folder).glob("*.mlir"))]
    files = files[:: arguments.every]
    for name in arguments.passes:
        count = collections.Counter()
        shown = 0
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            texts = pool.map(lambda file: text(arguments.program, file, PASSES[name]), files)
            context = mlir.make_ir_context()
            context.allow_unregistered_dialects = True
            for file, (pretty, generic, refused) in zip(files, texts):
                if not refused and "!quant." in pretty:
                    count["unknown to JAX"] += 1
                    continue
                verdict = f"refused by us: {refused}" if refused else judge(context, pretty, generic)
                kind = "same" if verdict is None else "different"
                count[verdict.split(":")[0] if verdict and not verdict.startswith("\n") else kind] += 1
                if verdict and shown < arguments.show:
                    shown += 1
                    print(f"{name}: {file.parent.name}/{file.name}: {verdict}", flush=True)
        print(f"{name}: {len(files)} programs: {dict(count)}", flush=True)


if __name__ == "__main__":
    main()
