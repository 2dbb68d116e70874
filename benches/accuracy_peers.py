#!/usr/bin/env python3
"""Errors of Mapwright and of XLA:CPU side by side, where values of the two differ by some units in the last place.

A development tool: needs jax, numpy and mpmath. Every function is run by both on the same arguments and compared with 200 bits of precision; an
error counts in units in the last place of the exact value, of transforms in units of the largest element. Writes docs/accuracy-beside-xla.md.

    python3 benches/accuracy_peers.py [--program PATH] [--print]
"""

import argparse
import pathlib
import subprocess
import tempfile

import mpmath
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
mpmath.mp.prec = 200
MLIR = {"float32": "f32", "float64": "f64", "complex64": "complex<f32>", "complex128": "complex<f64>"}


def ours(program, body, result, arguments):
    """What `mapwright run` makes of `arguments`."""
    types = ["tensor<%s>" % "x".join([*map(str, a.shape), MLIR[a.dtype.name]]) for a in arguments]
    names = ", ".join(f"%{i}: {ty}" for i, ty in enumerate(types))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        text = f"func.func @main({names}) -> {result} {{\n{body}\n  return %r : {result}\n}}\n"
        (folder / "p.mlir").write_text(text)
        for i, argument in enumerate(arguments):
            np.save(folder / f"arg{i}.npy", argument)
        command = [program, "run", folder / "p.mlir", "--inputs", folder, "--output-dir", folder]
        subprocess.run(command, check=True)
        return np.load(folder / "out0.npy")


def units(found, exact, least=None):
    """Errors in units in the last place of `exact` (numbers of mpmath), or of `least` where that is larger."""
    real = np.float32 if found.dtype in (np.float32, np.complex64) else np.float64
    errors = []
    for value, right in zip(found.ravel(), exact):
        parts = [(value, right)] if found.dtype.kind == "f" else [(value.real, right.real), (value.imag, right.imag)]
        worst = 0.0
        for part, number in parts:
            size = max(abs(float(number)), least or 0.0)
            unit = float(np.spacing(real(max(size, np.finfo(real).tiny))))
            worst = max(worst, float(abs(mpmath.mpf(float(part)) - number)) / unit)
        errors.append(worst)
    return np.array(errors)


def number(x):
    return mpmath.mpc(float(x.real), float(x.imag)) if np.iscomplexobj(x) else mpmath.mpf(float(x))


def dft(x, sign=-1):
    """The transform of a list of numbers, by the definition."""
    n = len(x)
    roots = [mpmath.expjpi(mpmath.mpf(sign * 2 * k) / n) for k in range(n)]
    return [mpmath.fsum(x[j] * roots[j * k % n] for j in range(n)) for k in range(n)]


def rows(program):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    rng = np.random.default_rng(7)
    for dtype in (np.float32, np.float64):
        for name, exact, scale in (("cosh", mpmath.cosh, 9), ("sinh", mpmath.sinh, 9)):
            x = (rng.standard_normal(4000) * scale).astype(dtype)
            ty = f"tensor<4000x{MLIR[x.dtype.name]}>"
            right = [exact(number(v)) for v in x]
            mine = ours(program, f"  %r = chlo.{name} %0 : {ty} -> {ty}", ty, [x])
            yield f"`{name}`", x.dtype.name, units(mine, right), units(np.asarray(jax.jit(getattr(jnp, name))(x)), right)
    for dtype in (np.complex64, np.complex128):
        for name, op, exact in (("sin", "sine", mpmath.sin), ("cos", "cosine", mpmath.cos)):
            x = ((rng.standard_normal(2000) + 1j * rng.standard_normal(2000)) * 4).astype(dtype)
            ty = f"tensor<2000x{MLIR[x.dtype.name]}>"
            right = [exact(number(v)) for v in x]
            mine = ours(program, f"  %r = stablehlo.{op} %0 : {ty}", ty, [x])
            yield f"`{op}`", x.dtype.name, units(mine, right), units(np.asarray(jax.jit(getattr(jnp, name))(x)), right)
    for dtype in (np.float32, np.float64):
        x = (1 + rng.standard_normal(500) * 0.2).astype(dtype)
        ty = f"tensor<500x{MLIR[x.dtype.name]}>"
        scalar = f"tensor<{MLIR[x.dtype.name]}>"
        right, product = [], mpmath.mpf(1)
        for v in x:
            product *= number(v)
            right.append(product)
        body = f"""  %one = stablehlo.constant dense<1.0> : {scalar}
  %r = "stablehlo.reduce_window"(%0, %one) <{{window_dimensions = array<i64: 500>, padding = dense<[[499, 0]]> : tensor<1x2xi64>}}> ({{
  ^bb0(%a: {scalar}, %b: {scalar}):
    %c = stablehlo.multiply %a, %b : {scalar}
    stablehlo.return %c : {scalar}
  }}) : ({ty}, {scalar}) -> {ty}"""
        yield "`cumprod` of 500", x.dtype.name, units(ours(program, body, ty, [x]), right), units(np.asarray(jax.jit(jnp.cumprod)(x)), right)
    for dtype in (np.complex64, np.complex128):
        for n in (256, 360, 257):
            x = (rng.standard_normal(n) + 1j * rng.standard_normal(n)).astype(dtype)
            ty = f"tensor<{n}x{MLIR[x.dtype.name]}>"
            right = dft([number(v) for v in x])
            largest = max(float(abs(v)) for v in right)
            mine = ours(program, f"  %r = stablehlo.fft %0, type = FFT, length = [{n}] : ({ty}) -> {ty}", ty, [x])
            yield f"`fft` of {n}", x.dtype.name, units(mine, right, largest), units(np.asarray(jax.jit(jnp.fft.fft)(x)), right, largest)


def table(program):
    lines = [
        "# Accuracy beside XLA:CPU",
        "",
        "Where values of `mapwright run` and of XLA:CPU (through JAX) differ in the last places: root mean square and largest error of both against 200",
        "bits of precision, in units in the last place of the exact value, of transforms in units of the largest element.",
        "`benches/accuracy_peers.py` measures it anew.",
        "",
        "| function | type | Mapwright: mean, largest | XLA:CPU: mean, largest |",
        "|---|---|---:|---:|",
    ]
    mean = lambda errors: f"{np.sqrt(np.mean(errors**2)):.2f}, {errors.max():.2f}"
    for name, dtype, mine, theirs in rows(program):
        lines.append(f"| {name} | {dtype} | {mean(mine)} | {mean(theirs)} |")
    return "\n".join([*lines, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "target" / "release" / "mapwright"))
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    text = table(options.program)
    if options.print:
        print(text)
    else:
        (ROOT / "docs" / "accuracy-beside-xla.md").write_text(text)


main()
