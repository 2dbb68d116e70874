#!/usr/bin/env python3
"""What five optimisations are worth: calls of kernels, bytes moved and time with all of them, and without each.

usage: optimisations.py [--tool target/release/mapwright] [--threads 1] [--rounds 3] [--seconds 1] [--sentences 8] [--longest 96] [--only NAME,…] [--write] [PROGRAM …]

Without a program: the layer of a Transformer over sentences of different lengths (`examples/transformer`), and dense attention and a chain of reshapes,
whose sizes are known to the compiler (`examples/attention`, `examples/reshape_chain`).

- `fusion`: operations share loops;
- `distribution`: a loop over tokens is distributed over the operations of its body, so that the product of each token is one product of all;
- `movement`: transposes, reshapes, slices and concatenations are a part of the index of who reads them;
- `common-values`: what two loops compute of the same elements is computed once;
- `batching`: sentences of different lengths are one behind the other, and not padded to the longest that there may be.

Lengths are drawn uniformly from a sixteenth of the longest on. The forms take turns; a time is the least of all rounds. Bytes are those of the operands and
results of every call of a kernel, counted while the program runs. With `--write` the tables are put into docs/ragged.md, with this command and machine.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np

import figures

ROOT = pathlib.Path(__file__).parent.parent
NAMES = ["fusion", "distribution", "movement", "common-values", "batching"]
D, HIDDEN = 512, 2048


def prepare(folder, sentences, longest):
    rng = np.random.default_rng(5)

    def some(*shape, size=1.0):
        return (size * rng.standard_normal(shape)).astype(np.float32)

    own = rng.integers(max(longest // 16, 1), longest + 1, sentences)
    weights = [some(D, D, size=D**-0.5) for _ in range(3)] + [1 + some(D, size=0.1), some(D, size=0.1)]
    weights += [some(D, HIDDEN, size=D**-0.5), some(HIDDEN, size=0.1), some(HIDDEN, D, size=HIDDEN**-0.5), some(D, size=0.1)]
    weights += [1 + some(D, size=0.1), some(D, size=0.1)]
    np.save(folder / "arg0.values.npy", some(int(own.sum()), D))
    np.save(folder / "arg0.offsets0.npy", np.array([0, sentences]))
    np.save(folder / "arg0.offsets1.npy", np.cumsum([0, *own]))
    for i, x in enumerate(weights):
        np.save(folder / f"arg{i + 1}.npy", x)
    text = (ROOT / "examples/transformer/layer.mlir").read_text()
    text = text.replace("max = 24", f"max = {longest}").replace("max = 4>", f"max = {sentences}>")
    (folder / "layer.mlir").write_text(text)
    return own


def measured(options, program, without, profile, out):
    file, inputs = program
    command = [options.tool, "run", file, "--threads", str(options.threads), "--json"]
    command += ["--inputs", inputs] if inputs else []
    command += ["--profile"] if profile else [f"--bench={options.seconds}"]
    command += ["--disable", without] if without else []
    found = subprocess.run([*command, "--output-dir", out], capture_output=True, text=True)
    if found.returncode:
        return None, found.stderr.strip().splitlines()[-1]
    first = "out0.values.npy" if inputs else "out0.npy"
    return json.loads(found.stdout), np.load(out / first)


def table(options, program, out, rows, names):
    """Measures a program; the rows of a table."""
    forms = [None, *names]
    least, moved, kernels, wanted = {}, {}, {}, None
    for form in list(forms):
        report, values = measured(options, program, form, True, out)
        if report is None:
            print(f"  without {form}: {values}")
            forms.remove(form)
            continue
        values = values[:rows]
        wanted = values if wanted is None else wanted
        worst = np.abs(values.astype(np.float64) - wanted).max()
        assert worst < 1e-3, (form, worst)
        parts = report["profile"]["parts"]
        kernels[form] = sum(part["calls"] for part in parts)
        moved[form] = sum(part["bytes"] * part["calls"] for part in parts)
    for _ in range(options.rounds):
        for form in forms:
            report, _ = measured(options, program, form, False, out)
            least[form] = min(report["min_ms"], least.get(form, 1e30))
    lines = ["| without | calls of kernels | bytes moved | time, of that with all |", "|---|---|---|---|"]
    for form in forms:
        words = f"without {form}" if form else "with all"
        name = f"`{form}`" if form else "(all on)"
        lines.append(f"| {name} | {kernels[form]:,.0f} | {moved[form] / 1e6:.2f} MB | {least[form] / least[None]:.2f} |")
        megabytes = f"{moved[form] / 1e6:9.2f} MB"
        print(f"  {words:24} {kernels[form]:6.0f} calls {megabytes:12}  {least[form]:9.3f} ms  {least[form] / least[None]:6.2f}", flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=str(ROOT / "target/release/mapwright"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--sentences", type=int, default=8)
    parser.add_argument("--longest", type=int, default=96)
    parser.add_argument("--only", default=",".join(NAMES))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    names = options.only.split(",")
    examples = ROOT / "examples"
    dense = options.programs or [examples / "attention/program.mlir", examples / "reshape_chain/program.mlir"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not options.programs:
            own = prepare(folder, options.sentences, options.longest)
            what = f"{own.sum()} tokens in {len(own)} sentences of at most {options.longest}, threads: {options.threads}"
            print(f"layer: {what}")
            lines = table(options, (folder / "layer.mlir", folder), folder / "out", int(own.sum()), names)
            if options.write:
                figures.write("ragged.md", "layer", [f"The layer, {what}:", "", *lines])
        for file in dense:
            print(file)
            own = [name for name in names if name not in ("distribution", "batching")]
            lines = table(options, (file, None), folder / "out", None, own)
            if options.write and not options.programs:
                figures.write("ragged.md", file.parent.name, [f"`examples/{file.parent.name}`, threads: {options.threads}:", "", *lines])


if __name__ == "__main__":
    main()
