"""Writes maps of StableHLO programs, composed through the program and not simplified.

    python3 programs.py MAPWRIGHT PROGRAM.mlir… > NEW.jsonl

MAPWRIGHT is the command. Of every program the maps with the most operations are taken; none that differs from an earlier
one in its numbers only, and none that is longer than a page. One line per map: {"family": "programs", "name", "map"}.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

LONGEST = 1500


def texts(answer):
    if isinstance(answer, dict):
        if "text" in answer:
            yield answer["text"]
        else:
            for value in answer.values():
                yield from texts(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from texts(value)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("command")
    arguments.add_argument("programs", nargs="+", type=pathlib.Path)
    arguments.add_argument("--each", type=int, default=4, help="most maps of one program")
    options = arguments.parse_args()
    seen = set()
    for path in options.programs:
        command = [options.command, "maps", "--compose", "--no-simplify", "--direction", "both", "--json", path]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode:
            print(f"{path}: {ran.stderr.strip()[:120]}", file=sys.stderr)
            continue
        found = []
        for text in texts(json.loads(ran.stdout)):
            operations = len(re.findall(r"[+*]| - |floordiv|mod|min\(|max\(", text))
            # Sizes alone do not make another map.
            shape = re.sub(r"\d+", "0", text)
            if operations and len(text) <= LONGEST and shape not in seen and text.startswith("("):
                seen.add(shape)
                found.append((operations, text))
        found.sort(key=lambda f: -f[0])
        for i, (_, text) in enumerate(found[: options.each], 1):
            print(json.dumps({"family": "programs", "name": f"{path.stem}_{i}", "map": text}))


if __name__ == "__main__":
    main()
