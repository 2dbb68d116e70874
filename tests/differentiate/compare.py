#!/usr/bin/env python3
"""Gradients of this project beside JAX's: vector-Jacobian products of the functions in `cases.py`, in double and in single precision.

Each function (also those of `cases_of_sizes.py`, whose sizes are known at run time only) is exported as StableHLO, differentiated by `indexing-differentiate`, compiled and run; the cotangents of all its
floating-point arguments for random cotangents of its results are compared with those of `jax.vjp`. For development, where JAX is installed:

    python tests/differentiate/compare.py [--type f64,f32] [--loops values] [--models FILE.py] [--special] [--order 2] [PATTERN …]

`--models` compares the models of a file (see `models.py`) instead. With `--special` arguments have zeros, ties, infinities, numbers at the ends of the
range and indices out of it among their elements, and ours has to be finite where JAX's derivative is; at kinks it may be another one. `--order 2` differentiates the
derivative again; where the function is no number or the first derivative not finite, the next is no question, and neither is one at the end of
the range, where the order of two multiplications decides. An index out of range is moved into it by `stablehlo.gather`, and so is its derivative,
which JAX drops.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
from jax import export

import models
import cases_of_sizes  # noqa: F401, adds to the cases
import cases_wider  # noqa: F401, adds to the cases
from cases import CASES, Case

ROOT = pathlib.Path(__file__).resolve().parents[2]
BARS = {"f64": 1e-9, "f32": 1e-4}

# What sizes with names are, which programs know at run time only.
SIZES = {"a": 3, "b": 4, "n": 5}


def argument(text, real, rng):
    """The values that the text of a case describes."""
    words = text.split(" ")
    shape = tuple(SIZES[n] if n in SIZES else int(n) for n in words[0].split(",") if n)
    kind = words[1] if len(words) > 1 else ""
    if kind.startswith("<"):
        return rng.integers(0, int(kind[1:]), shape).astype(np.int32)
    if kind == "true":
        return rng.integers(0, 2, shape).astype(bool)
    if kind == "c":
        wide = np.complex128 if real == np.float64 else np.complex64
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(wide)
    if kind == "pos":
        return rng.uniform(0.5, 1.5, shape).astype(real)
    if kind == "unit":
        return rng.uniform(-0.9, 0.9, shape).astype(real)
    values = np.asarray(rng.standard_normal(shape))
    if kind == "spd":
        values = values @ np.swapaxes(values, -1, -2) + shape[-1] * np.eye(shape[-1])
    if kind == "tall":
        values = values + 3 * np.eye(*shape[-2:])
    if kind == "tri":
        values = values + 3 * np.eye(shape[-1])
    return np.asarray(values, dtype=real)


# Numbers at which functions have kinks, poles or none of the usual branches; neighbours are ties.
SPECIAL = [0.0, 0.0, -0.0, 1.0, 1.0, -1.0, np.inf, 0.5, -np.inf, 2.0, -2.0, "tiny", "huge", -0.5, 3.0, -100.0]


def special(value, text, rng):
    """The argument with special values among its elements."""
    kind = text.partition(" ")[2]
    if value.size == 0 or kind in ("spd", "tall", "tri", "true"):
        return value
    found = value.reshape(-1).copy()
    if kind.startswith("<"):
        limit = int(kind[1:])
        found[rng.integers(0, found.size)] = rng.choice([-1, -limit, -limit - 1, limit, limit + 3])
        return found.reshape(value.shape)
    real = found.real.dtype
    ends = {"tiny": np.finfo(real).tiny, "huge": np.finfo(real).max / 2}
    first = rng.integers(0, len(SPECIAL))
    for i in range(found.size):
        if found.size < 3 or i % 3 < 2:
            number = SPECIAL[(first + i) % len(SPECIAL)]
            found[i] = ends.get(number, number) if isinstance(number, str) else number
    return found.reshape(value.shape)


def is_number(value):
    return np.issubdtype(value.dtype, np.inexact)


def random_like(value, rng):
    shape = np.shape(value)
    values = rng.standard_normal(shape)
    if np.issubdtype(value.dtype, np.complexfloating):
        values = values + 1j * rng.standard_normal(shape)
    return np.asarray(values).astype(value.dtype)


def run_of_jax(function, point, folder, tools):
    """What the derivative that JAX writes gives, run by this project."""
    exported = export.export(jax.jit(function), platforms=["cpu"])(*point)
    folder = folder / "jax"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.npy"):
        old.unlink()
    (folder / "f.mlir").write_text(exported.mlir_module())
    for i, value in enumerate(point):
        np.save(folder / f"arg{i}.npy", np.asarray(value))
    run = subprocess.run(
        [tools / "mapwright", "run", folder / "f.mlir", "--inputs", folder, "--output-dir", folder], capture_output=True, text=True
    )
    return None if run.returncode else [np.load(folder / f"out{k}.npy") for k in range(len(exported.out_avals))]


def one(case, type_name, options, folder):
    """An error, or `None`, and the greatest difference relative to the bar."""
    real = {"f64": np.float64, "f32": np.float32}[type_name]
    rng = np.random.default_rng(sum(map(ord, case.name)))
    function = case.function
    if options.models:
        function, arguments = models.model(options.module, case.name, real, rng)
    else:
        arguments = [argument(text, real, rng) for text in case.arguments]
        if options.special:
            arguments = [special(*of, rng) for of in zip(arguments, case.arguments)]
    numbers = [i for i, value in enumerate(arguments) if is_number(value)]

    def flat(*values):
        return tuple(jax.tree.leaves(function(*values)))

    shapes = [text.split(" ")[0] for text in case.arguments]
    names = {name for shape in shapes for name in shape.split(",") if name in SIZES}
    if names:
        scope = export.SymbolicScope([f"{name} >= 3" for name in sorted(names)])
        shapes = [export.symbolic_shape(shape, scope=scope) for shape in shapes]
        types = [jax.ShapeDtypeStruct(shape, value.dtype) for shape, value in zip(shapes, arguments)]
    else:
        types = arguments
    exported = export.export(jax.jit(flat), platforms=["cpu"])(*types)

    def of_numbers(*values):
        all = list(arguments)
        for i, value in zip(numbers, values):
            all[i] = value
        return tuple(v for v in flat(*all) if jnp.issubdtype(v.dtype, jnp.inexact))

    point = [jnp.asarray(arguments[i]) for i in numbers]
    differentiated, seeds, matters = jax.jit(of_numbers), [], [np.full(np.shape(value), True) for value in point]
    for order in range(options.order):
        results, pull = jax.vjp(differentiated, *point)
        # The argument that has the shape of a result is looked at by the function element by element, more often than not.
        sound = np.isfinite if order > 0 else (lambda value: ~np.isnan(value))
        pairs = [(below, sound(np.asarray(result))) for below, result in zip(matters, results)]
        matters = [below & own if np.shape(below) == np.shape(own) else below for below, own in pairs] + matters[len(pairs) :]
        own = tuple(jnp.asarray(random_like(result, rng)) for result in results)
        wanted = pull(own)
        seeds += [np.asarray(seed) for seed in own]

        def differentiated(*values, inner=differentiated, own=own):
            return jax.vjp(inner, *values)[1](own)

    source = folder / "f.mlir"
    source.write_text(exported.mlir_module())
    wrt = ",".join(str(i) for i in numbers)
    tools = pathlib.Path(options.tools)
    opt = subprocess.run(
        [tools / "mapwright-opt", source, "-o", folder / "g.mlir"]
        + [f"--indexing-differentiate=of=main{'_vjp' * order} wrt={wrt} loops={options.loops}" for order in range(options.order)],
        capture_output=True,
        text=True,
    )
    if opt.returncode:
        return opt.stderr.strip().split("\n")[0][:300], None
    for old in folder.glob("*.npy"):
        old.unlink()
    for i, value in enumerate(arguments + seeds):
        np.save(folder / f"arg{i}.npy", value)
    command = [tools / "mapwright", "run", folder / "g.mlir", "--entry", "main" + "_vjp" * options.order, "--inputs", folder, "--output-dir", folder]
    if options.interpret:
        command.append("--interpret")
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return run.stderr.strip().split("\n")[0][:300], None
    worst = 0.0
    for k, value in enumerate(wanted):
        value = np.asarray(value)
        found = np.load(folder / f"out{k}.npy")
        if found.shape != value.shape or found.dtype != value.dtype:
            return f"cotangent {k} is {found.dtype}{found.shape}, not {value.dtype}{value.shape}", None
        if value.size == 0:
            continue
        if options.special:
            counts = matters[k] & (np.abs(value) < np.finfo(value.dtype).max / 1e8)
            found, value = found[counts], value[counts]
            if not np.isfinite(found).all():
                # Where the program of JAX is not finite here, this is no question of derivatives.
                theirs = run_of_jax(differentiated, point, folder, tools)
                if theirs is not None:
                    good = np.isfinite(theirs[k][counts])
                    if np.isfinite(found[good]).all():
                        continue
                at = np.argwhere(counts)[~np.isfinite(found)][0].tolist()
                return f"cotangent {k} has {found[~np.isfinite(found)][0]} at {at} where JAX has {value[~np.isfinite(found)][0]}", None
            if value.size == 0:
                continue
        scale = max(1.0, float(np.max(np.abs(value))))
        difference = float(np.max(np.abs(found - value))) / scale
        if not np.isfinite(difference):
            return f"cotangent {k} has {found.ravel()[:4]} where JAX has {value.ravel()[:4]}", None
        worst = max(worst, difference)
    if options.special:
        # Of slopes at a kink JAX takes another one.
        return None, None
    bar = BARS[type_name] * case.tolerance
    if worst > bar:
        return f"differs by {worst:.3g}, more than {bar:.3g}", worst / bar
    return None, worst / bar


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--type", default="f64,f32")
    parser.add_argument("--loops", default="values")
    parser.add_argument("--models")
    parser.add_argument("--keep", help="a folder for the programs of the last case")
    parser.add_argument("--special", action="store_true")
    parser.add_argument("--order", type=int, default=1)
    parser.add_argument("--interpret", action="store_true")
    parser.add_argument("--tools", default=str(ROOT / "target/release"))
    options = parser.parse_args()
    cases = CASES
    if options.models:
        options.module = models.load(options.models)
        cases = [Case(name, "models", None, [], 1.0) for name in models.NAMES]
    done, failed, families = 0, 0, {}
    with tempfile.TemporaryDirectory() as folder:
        folder = options.keep or folder
        for case in cases:
            name = f"{case.family}/{case.name}"
            if options.patterns and not any(re.search(pattern, name) for pattern in options.patterns):
                continue
            for type_name in options.type.split(","):
                done += 1
                try:
                    error, _ = one(case, type_name, options, pathlib.Path(folder))
                except Exception as problem:  # JAX itself may have no rule.
                    error = f"{type(problem).__name__}: {str(problem).splitlines()[0][:200]}"
                good, all = families.get(case.family, (0, 0))
                families[case.family] = (good + (error is None), all + 1)
                if error:
                    failed += 1
                    print(f"{name} {type_name}: {error}", flush=True)
    for family, (good, all) in families.items():
        print(f"{family}: {good} of {all}")
    print(f"{done - failed} of {done} agree")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
