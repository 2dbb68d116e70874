"""Exports functions of JAX with symbolic shapes, runs them with `mapwright run`, and compares with JAX.

    python tests/export/export.py [--mapwright PROGRAM] [--only WORD,…] [--modes on,off,interpret] [--folder FOLDER]

Each case of `cases.py` is exported once and run at all of its sizes: compiled for the sizes of its arguments (`on`), compiled once for
all sizes (`off`) and interpreted (`interpret`). The folder keeps programs, arguments and what JAX computed, so that a second run does
not need JAX. What fails is printed as a table, with the first line of the reason; the exit code is 1 then.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy


def argument(words, sizes, rng):
    """An array for an argument like `f32 n,4 pos`."""
    import ml_dtypes

    kind, shape, *rest = words.split(" ")
    shape = [eval(size.replace("floordiv", "//"), {}, dict(sizes)) for size in shape.split(",") if size]
    rest = rest[0] if rest else ""
    if kind[0] in "iu":
        dtype = numpy.dtype({"i8": "int8", "i32": "int32", "u8": "uint8", "u32": "uint32"}[kind])
        if rest == "perm":
            return rng.permutation(shape[0]).astype(dtype)
        high = 2**32 if rest == "key" else int(rest[1:])
        return rng.integers(0, high, shape).astype(dtype)
    values = rng.standard_normal(shape)
    if rest == "pos":
        values = numpy.abs(values) + 0.5
    elif rest == "big":
        values = values + 10.0
    elif rest == "sorted":
        values = numpy.sort(values)
    elif rest == "spd":
        values = values @ numpy.swapaxes(values, -1, -2) + 3 * numpy.eye(shape[-1])
    return values.astype({"f32": numpy.float32, "bf16": ml_dtypes.bfloat16}[kind])


def prepare(case, folder):
    """Writes the program of `case`, and arguments and results at each of its sizes."""
    import jax
    from jax import export

    scope = export.SymbolicScope(case.constraints)
    specs = []
    for words in case.arguments:
        kind, shape = words.split(" ")[:2]
        dtype = {"f32": "float32", "bf16": "bfloat16", "i8": "int8", "i32": "int32", "u8": "uint8", "u32": "uint32"}[kind]
        dims = export.symbolic_shape(shape, scope=scope) if shape else ()
        specs.append(jax.ShapeDtypeStruct(dims, dtype))
    exported = export.export(jax.jit(case.function))(*specs)
    folder.mkdir(parents=True, exist_ok=True)
    kept = list(exported.module_kept_var_idx)
    calls = []
    for number, sizes in enumerate(case.sizes):
        rng = numpy.random.default_rng(number + 7)
        values = [argument(words, sizes, rng) for words in case.arguments]
        expected = jax.tree.leaves(jax.jit(case.function)(*values))
        place = folder / f"size{number}"
        place.mkdir(exist_ok=True)
        for i, k in enumerate(kept):
            numpy.save(place / f"arg{i}.npy", as_stored(values[k]))
        for i, value in enumerate(expected):
            if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
                value = jax.random.key_data(value)
            numpy.save(place / f"expected{i}.npy", as_stored(numpy.asarray(value)))
        calls.append({"sizes": sizes, "results": len(expected)})
    (folder / "calls.json").write_text(json.dumps(calls))
    # Last: a folder with a program is complete.
    (folder / "program.mlir").write_text(exported.mlir_module())


def as_stored(value):
    """NumPy's format has no bfloat16: its bits stand in for it."""
    value = numpy.asarray(value)
    return value.view(numpy.uint16) if value.dtype.name == "bfloat16" else value


def differs(found, expected, tolerance):
    """What is wrong with a result, if anything is."""
    if found.dtype.kind == "V" or (found.dtype != expected.dtype and expected.dtype == numpy.uint16):
        found = found.view(numpy.uint16)
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"gives {found.dtype}{list(found.shape)}, expected {expected.dtype}{list(expected.shape)}"
    if expected.dtype.kind in "fc":
        if numpy.allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True):
            return None
        return f"differs by {numpy.nanmax(numpy.abs(found - expected)):.3g}"
    return None if numpy.array_equal(found, expected) else "differs"


def run(mapwright, case, folder, number, results, mode):
    """The reason why a call fails, or `None`."""
    place = folder / f"size{number}"
    options = ["--interpret"] if mode == "interpret" else [f"--specialize={mode}", "--threads", "2"]
    with tempfile.TemporaryDirectory() as out:
        command = [mapwright, "run", str(folder / "program.mlir"), "--inputs", str(place), "--output-dir", out, *options]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return "takes more than two minutes"
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or [""]
            return f"exit code {done.returncode}: {lines[0]}"
        for i in range(results):
            found, expected = numpy.load(f"{out}/out{i}.npy"), numpy.load(place / f"expected{i}.npy")
            if wrong := differs(found, expected, case.tolerance):
                return f"result {i} {wrong}"
    return None


def kind_of(reason):
    """A reason without the places and numbers of one program."""
    reason = re.sub(r"^.*?error: ", "", reason)
    reason = re.sub(r" at loc\(.*?\)+|loc\(.*?\)+", "", reason)
    return re.sub(r"\d+", "#", reason)[:110]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--mapwright", default=str(here.parent.parent / "target/release/mapwright"))
    parser.add_argument("--only", default="", help="names or families of cases, separated by commas")
    parser.add_argument("--modes", default="on,off,interpret")
    parser.add_argument("--folder", default=str(here.parent.parent / "target/export"))
    options = parser.parse_args()
    sys.path.insert(0, str(here))
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import wider  # noqa: F401  (adds cases)
    from cases import CASES

    words = [word for word in options.only.split(",") if word]
    cases = [case for case in CASES if not words or case.name in words or case.family in words]
    modes = [mode for mode in options.modes.split(",") if mode]
    passed = collections.Counter()
    kinds = collections.defaultdict(list)
    exported = 0
    for case in cases:
        folder = pathlib.Path(options.folder) / case.name
        if not (folder / "program.mlir").exists():
            try:
                prepare(case, folder)
            except Exception as error:  # JAX itself refuses the case: it is to be mended here.
                kinds["export", str(error).splitlines()[0][:110]].append(case.name)
                continue
        exported += 1
        calls = json.loads((folder / "calls.json").read_text())
        for mode in modes:
            reasons = [run(options.mapwright, case, folder, i, call["results"], mode) for i, call in enumerate(calls)]
            wrong = [(i, reason) for i, reason in enumerate(reasons) if reason]
            if not wrong:
                passed[mode] += 1
                continue
            number, reason = wrong[0]
            kinds[mode, kind_of(reason)].append(f"{case.name}[{','.join(str(i) for i, _ in wrong)}]")
            print(f"{mode:10} {case.family}/{case.name} at {calls[number]['sizes']}: {reason[:300]}", flush=True)
    print()
    for (mode, kind), names in sorted(kinds.items(), key=lambda item: (item[0][0], -len(item[1]))):
        print(f"{mode:10} {len(names):3}  {kind}\n                {' '.join(names)}")
    for mode in modes:
        print(f"{mode:10} {passed[mode]} of {exported} functions pass (of {len(cases)} cases)")
    sys.exit(1 if kinds else 0)


if __name__ == "__main__":
    main()
