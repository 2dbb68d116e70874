#!/usr/bin/env python3
"""How far CHLO's functions are from the exact values, in units in the last place, by function and type.

A development tool: needs numpy and mpmath. Compiles each function for each type, runs it over samples of all magnitudes and writes a
table to docs/chlo-accuracy.md (or, with names of functions, prints theirs with the worst arguments).

    python3 benches/chlo_accuracy.py [--program PATH] [function …]

An error counts in units of the last place of the exact value in the type, subnormals included; where the exact value is beyond
the range the result must be infinite, where there is none it must be NaN. Both count as an infinite error otherwise.
"""

import argparse
import pathlib
import subprocess
import tempfile

import mpmath
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Type -> (precision in bits, exponent of the least normal number, largest finite number).
TYPES = {
    "f64": (53, -1022, float(np.finfo(np.float64).max)),
    "f32": (24, -126, float(np.finfo(np.float32).max)),
    "f16": (11, -14, 65504.0),
    "bf16": (8, -126, float(np.float32(3.3895314e38))),
}


def wide(low, high):
    """Of all magnitudes between 2^low and 2^high, and as many of both signs around 1."""

    def draw(rng, n):
        half = n // 2
        magnitudes = np.exp2(rng.uniform(low, high, half))
        return np.concatenate([magnitudes * rng.choice([-1.0, 1.0], half), rng.uniform(-4, 4, n - half)])

    return draw


def between(low, high):
    return lambda rng, n: rng.uniform(low, high, n)


def near(center, high=-1, low=-20):
    def draw(rng, n):
        return center + np.exp2(rng.uniform(low, high, n)) * rng.choice([-1.0, 1.0], n)

    return draw


def mixed(*draws):
    return lambda rng, n: np.concatenate([draw(rng, n // len(draws)) for draw in draws])


def bessel_i1e(x):
    return mpmath.besseli(1, x) * mpmath.exp(-abs(x))


def digamma(x):
    if x <= 0 and x == mpmath.floor(x):
        return mpmath.nan
    return mpmath.digamma(x)


def lgamma(x):
    if x <= 0 and x == mpmath.floor(x):
        return mpmath.inf
    return mpmath.re(mpmath.loggamma(x))


def erf_inv(x):
    if abs(x) > 1:
        return mpmath.nan
    if abs(x) == 1:
        return mpmath.sign(x) * mpmath.inf
    return mpmath.erfinv(x)


def real(function):
    """NaN where the exact value is not real."""

    def evaluate(*arguments):
        value = function(*arguments)
        return mpmath.nan if isinstance(value, mpmath.mpc) and value.imag != 0 else mpmath.re(value)

    return evaluate


def zeta(x, q):
    return mpmath.zeta(x, q)


def polygamma(n, x):
    return mpmath.polygamma(int(n), x)


ONE = {
    "acos": (real(mpmath.acos), mixed(between(-1, 1), near(1), near(-1))),
    "acosh": (real(mpmath.acosh), mixed(near(1), between(1, 10), lambda rng, n: np.exp2(rng.uniform(0, 100, n)))),
    "asin": (real(mpmath.asin), mixed(between(-1, 1), near(1), wide(-30, 0))),
    "asinh": (mpmath.asinh, wide(-60, 100)),
    "atan": (mpmath.atan, wide(-60, 60)),
    "atanh": (real(mpmath.atanh), mixed(between(-1, 1), near(1), wide(-60, 0))),
    "bessel_i1e": (bessel_i1e, mixed(wide(-40, 20), between(-30, 30))),
    "cosh": (mpmath.cosh, mixed(wide(-20, 6), between(-80, 80))),
    "digamma": (digamma, mixed(between(0, 20), near(1.4616321449683623), between(-10, 0), wide(-10, 40))),
    "erf": (mpmath.erf, mixed(wide(-60, 3), between(-4, 4))),
    "erf_inv": (erf_inv, mixed(between(-1, 1), near(1), near(-1), wide(-40, 0))),
    "erfc": (mpmath.erfc, mixed(between(-4, 10), wide(-40, 3))),
    "lgamma": (lgamma, mixed(between(0, 20), near(1), near(2), between(-10, 0), wide(-10, 40))),
    "sinh": (mpmath.sinh, mixed(wide(-60, 6), between(-80, 80))),
    "tan": (mpmath.tan, mixed(wide(-60, 3), between(-1000, 1000))),
}

TWO = {
    "zeta": (
        zeta,
        lambda rng, n: (np.concatenate([1 + np.exp2(rng.uniform(-8, 5, n))]), np.exp2(rng.uniform(-3, 8, n))),
    ),
    "polygamma": (
        polygamma,
        lambda rng, n: (rng.integers(1, 8, n).astype(np.float64), np.exp2(rng.uniform(-3, 7, n))),
    ),
}

SOURCE = """func.func @main({arguments}) -> tensor<{n}x{io}> {{
{before}
  %r = {op} {operands} : {types}
{after}
}}
"""


def source(name, count, ty, n):
    """The program: narrow types are converted from and to f32 around the function."""
    io = "f64" if ty == "f64" else "f32"
    arguments = ", ".join(f"%x{i}: tensor<{n}x{io}>" for i in range(count))
    if io == ty:
        before, operands = "", ", ".join(f"%x{i}" for i in range(count))
        after = f"  return %r : tensor<{n}x{io}>"
    else:
        before = "\n".join(
            f"  %c{i} = stablehlo.convert %x{i} : (tensor<{n}x{io}>) -> tensor<{n}x{ty}>" for i in range(count)
        )
        operands = ", ".join(f"%c{i}" for i in range(count))
        after = f"  %s = stablehlo.convert %r : (tensor<{n}x{ty}>) -> tensor<{n}x{io}>\n  return %s : tensor<{n}x{io}>"
    each = f"tensor<{n}x{ty}>"
    types = f"{', '.join([each] * count)} -> {each}"
    return SOURCE.format(
        arguments=arguments, n=n, io=io, before=before, op=f"chlo.{name}", operands=operands, types=types, after=after
    )


def rounded(values, ty):
    """To numbers of the type."""
    precision, least, largest = TYPES[ty]
    with np.errstate(all="ignore"):
        fraction, exponent = np.frexp(values)
        bits = np.minimum(precision, precision + exponent - 1 - least)
        out = np.ldexp(np.round(np.ldexp(fraction, bits)), exponent - bits)
    return out[np.isfinite(out) & (np.abs(out) <= largest)]


def error(got, exact, ty):
    """Distance in units in the last place of the exact value."""
    precision, least, largest = TYPES[ty]
    if mpmath.isnan(exact):
        return 0.0 if np.isnan(got) else np.inf
    half_unit = mpmath.mpf(largest) * (1 + mpmath.ldexp(1, -precision))
    if abs(exact) >= half_unit:
        return 0.0 if np.isinf(got) and (got > 0) == (exact > 0) else (1.0 if abs(got) == largest else np.inf)
    if np.isnan(got):
        return np.inf
    if np.isinf(got):
        got = np.sign(got) * float(largest) * 2 if ty != "f64" else mpmath.ldexp(np.sign(got), 1024)
    exponent = least if exact == 0 else max(int(mpmath.floor(mpmath.log(abs(exact), 2))), least)
    return float(abs(mpmath.mpf(got) - exact) / mpmath.ldexp(1, exponent - precision + 1))


def measure(program, name, ty, n, worst=0):
    """Largest and 99th percentile of the errors over about `n` samples; prints the `worst` arguments."""
    rng = np.random.default_rng(1)
    if name in ONE:
        reference, draw = ONE[name]
        columns = [rounded(draw(rng, n), ty)]
    else:
        reference, draw = TWO[name]
        drawn = draw(rng, n)
        rows = [(rounded(drawn[0][i : i + 1], ty), rounded(drawn[1][i : i + 1], ty)) for i in range(n)]
        rows = [(a[0], b[0]) for a, b in rows if len(a) and len(b)]
        columns = [np.array(column) for column in zip(*rows)]
    io = np.float64 if ty == "f64" else np.float32
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "f.mlir").write_text(source(name, len(columns), ty, len(columns[0])))
        for i, column in enumerate(columns):
            np.save(folder / f"arg{i}.npy", column.astype(io))
        subprocess.run(
            [program, "run", folder / "f.mlir", "--inputs", folder, "--output-dir", folder, "--threads", "1"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        got = np.load(folder / "out0.npy").astype(np.float64)
    errors = []
    for i, value in enumerate(got):
        arguments = [float(column[i]) for column in columns]
        errors.append(error(float(value), reference(*map(mpmath.mpf, arguments)), ty))
    order = np.argsort(errors)
    for i in order[::-1][:worst]:
        print(f"  {name} {ty} {[float(c[i]) for c in columns]}: got {got[i]}, {errors[i]:.3g} ULP")
    return float(np.max(errors)), float(np.percentile(errors, 99))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--program", default=str(ROOT / "target/release/mapwright"))
    parser.add_argument("--samples", type=int, default=2000)
    arguments = parser.parse_args()
    mpmath.mp.prec = 200
    names = arguments.functions or [*ONE, *TWO]
    lines = []
    for name in names:
        n = arguments.samples if name in ONE else arguments.samples // 4
        cells = []
        for ty in TYPES:
            largest, most = measure(arguments.program, name, ty, n, worst=3 if arguments.functions else 0)
            cells.append(f"{largest:.1f} ({most:.1f})")
            print(name, ty, cells[-1], flush=True)
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    if not arguments.functions:
        header = f"| function | {' | '.join(TYPES)} |\n|---|{'---:|' * len(TYPES)}\n"
        text = (
            "# Accuracy of CHLO's functions\n\n"
            "As `mapwright run` computes them: the largest error over some hundred samples of all magnitudes, and in parentheses the error that 99\n"
            "of 100 samples stay below, in units in the last place of the exact value (mpmath, 200 bits). `benches/chlo_accuracy.py` measures it\n"
            "anew. Beside their zeros on the negative axis `lgamma` and `digamma` have no digits of `f64` to spare, where their largest errors lie.\n\n"
        )
        (ROOT / "docs/chlo-accuracy.md").write_text(text + header + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
