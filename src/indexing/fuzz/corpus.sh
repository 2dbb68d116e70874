#!/bin/sh
# Puts the texts of the corpus of maps and of the tests' mutations where cargo-fuzz begins.
set -eu
cd "$(dirname "$0")"
folder=corpus/parse_simplify_evaluate
mkdir -p "$folder"
python3 - "$folder" <<'END'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
for line in open("../corpus/maps.jsonl"):
    entry = json.loads(line)
    if len(entry["map"]) <= 600:
        (folder / entry["name"]).write_text(entry["map"])
END
echo "$(ls "$folder" | wc -l) maps"
