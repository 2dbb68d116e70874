"""Prints StableHLO programs with the installed jaxlib and with `mapwright-opt`, and lists the lines that differ.

    python tests/printing/compare.py [--mapwright-opt PROGRAM] [FILE.mlir | FOLDER …]

In development only, with the newest jaxlib. Without files: the shared programs beside the project. A program that jaxlib does not
parse (MHLO, dialects of tests) is counted and left out. Exit code 1 if a line differs or a program is refused.
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEPARATOR = "// -----"
#: Programs that are printed by one process.
AT_ONCE = 200
#: Kinds of lines that are listed.
LISTED = 100


def programs(paths):
    """The programs of files and folders, those of one file apart: (file, text)."""
    for path in paths:
        files = sorted(path.rglob("*.mlir")) if path.is_dir() else [path]
        for file in files:
            if "invalid" not in file.parts:
                for text in file.read_text().split(SEPARATOR):
                    if text.strip():
                        yield file, text


def printed_by_jaxlib(sources):
    """What jaxlib prints of each program that it parses, and how many it refuses."""
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir import ir

    context = mlir.make_ir_context()
    printed, refused = [], 0
    with context:
        for file, text in sources:
            try:
                printed.append((file, str(ir.Module.parse(text))))
            except Exception:  # jaxlib's errors have no type of their own
                refused += 1
    return printed, refused


def main():
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mapwright-opt", default=ROOT / "target" / "release" / "mapwright-opt")
    parser.add_argument("paths", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    shared = pathlib.Path(os.environ.get("MAPWRIGHT_SHARED", ROOT.parent / "shared"))
    paths = arguments.paths or [shared / "conformance", shared / "bench" / "programs"]

    printed, refused = printed_by_jaxlib(programs(paths))
    kinds, same = {}, 0
    for start in range(0, len(printed), AT_ONCE):
        part = printed[start : start + AT_ONCE]
        source = f"\n{SEPARATOR}\n".join(text for _, text in part)
        run = subprocess.run(
            [arguments.mapwright_opt, "--split-input-file", "-"], input=source, capture_output=True, text=True
        )
        if run.returncode != 0:
            print(run.stderr, file=sys.stderr)
            return 1
        for (file, theirs), ours in zip(part, run.stdout.split(SEPARATOR)):
            theirs, ours = theirs.strip().splitlines(), ours.strip().splitlines()
            same += theirs == ours
            for line in difflib.unified_diff(theirs, ours, n=0, lineterm=""):
                if not line.startswith(("---", "+++", "@@")):
                    kind = re.sub(r"%[\w#:]+", "%", re.sub(r"\d+", "N", line))
                    kinds.setdefault(kind, f"{file.name}: {line}")
    for line in list(kinds.values())[:LISTED]:
        print(line)
    print(f"{same} of {len(printed)} programs are printed alike; jaxlib does not parse {refused} others")
    return 0 if same == len(printed) else 1


if __name__ == "__main__":
    sys.exit(main())
