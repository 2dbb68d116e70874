#!/usr/bin/env python3
"""How far CHLO's functions are from the exact values, in units in the last place, by function and type.

A development tool: needs numpy and mpmath. Legalises each function for each type, runs it over samples of all magnitudes and writes a
table to docs/chlo-accuracy.md (or, with names of functions, prints theirs with the worst arguments).

    python3 benches/chlo_accuracy.py [--program PATH] [function …]

An error counts in units of the last place of the exact value in the type, subnormals included; where the exact value is beyond
the range the result must be infinite, where there is none it must be NaN. Both count as an infinite error otherwise. The error of a
complex value is that of its part with the larger error.
"""

import argparse
import pathlib
import subprocess
import tempfile

import mpmath
import numpy as np

mpmath.mp.prec = 200
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


def beside(*roots):
    """Of all distances from the roots down to a few units in the last place."""
    return lambda rng, n: np.concatenate([near(root, -3, -45)(rng, n // len(roots)) for root in roots])


def poles(rng, n):
    """Of all distances from the integers left of zero."""
    return -rng.integers(0, 40, n) + near(0, -1, -50)(rng, n)


def roots(function, ends):
    """Where the function changes its sign, between each pair of numbers, from the greater one down; they may be poles."""
    for low, high in ends:
        low, high = low - mpmath.mpf(10) ** -30, high + mpmath.mpf(10) ** -30
        sign = function(low) > 0
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if (function(middle) > 0) == sign else (low, middle)
        yield float(low)


def neighbours(numbers):
    """A few numbers on both sides of each."""
    return lambda rng, n: np.concatenate([x + np.spacing(x) * np.arange(-3, 4) for x in numbers])


# All in the half intervals down to -17.5, where numbers of double precision come near to them.
LGAMMA_ROOTS = list(
    roots(
        lambda x: mpmath.log(abs(mpmath.gamma(x))),
        [(-half / 2, -half / 2 - 0.5) for half in range(4, 35)],
    )
)
DIGAMMA_ROOTS = list(roots(mpmath.digamma, [(-n, -n - 1) for n in [*range(40), 100, 1000]]))


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


def precisely(function):
    """With many more bits: mpmath's series are exact in absolute terms, and these values may be small."""

    def evaluate(*arguments):
        with mpmath.workprec(800):
            return function(*arguments)

    return evaluate


def zeta(x, q):
    return precisely(mpmath.zeta)(x, q)


def polygamma(n, x):
    return precisely(mpmath.polygamma)(int(n), x)


ONE = {
    "acos": (real(mpmath.acos), mixed(between(-1, 1), near(1), near(-1))),
    "acosh": (real(mpmath.acosh), mixed(near(1), between(1, 10), lambda rng, n: np.exp2(rng.uniform(0, 100, n)))),
    "asin": (real(mpmath.asin), mixed(between(-1, 1), near(1), wide(-30, 0))),
    "asinh": (mpmath.asinh, wide(-60, 100)),
    "atan": (mpmath.atan, wide(-60, 60)),
    "atanh": (real(mpmath.atanh), mixed(between(-1, 1), near(1), wide(-60, 0))),
    "bessel_i1e": (bessel_i1e, mixed(wide(-40, 20), between(-30, 30))),
    "cosh": (mpmath.cosh, mixed(wide(-20, 6), between(-80, 80))),
    "digamma": (
        digamma,
        mixed(
            between(0, 20),
            beside(1.4616321449683623, *DIGAMMA_ROOTS),
            between(-200, 0),
            poles,
            wide(-1074, 60),
            neighbours([1.4616321449683623, *DIGAMMA_ROOTS]),
        ),
    ),
    "erf": (mpmath.erf, mixed(wide(-60, 3), between(-4, 4))),
    "erf_inv": (erf_inv, mixed(between(-1, 1), near(1), near(-1), wide(-40, 0))),
    "erfc": (mpmath.erfc, mixed(between(-4, 10), wide(-40, 3))),
    "lgamma": (
        lgamma,
        mixed(
            between(0, 20),
            beside(1, 2, *LGAMMA_ROOTS),
            between(-200, 0),
            between(-3, -2),
            poles,
            wide(-1074, 60),
            neighbours(LGAMMA_ROOTS),
        ),
    ),
    "sinh": (mpmath.sinh, mixed(wide(-60, 6), between(-80, 80))),
    "tan": (mpmath.tan, mixed(wide(-60, 3), between(-1000, 1000))),
}

TWO = {
    "next_after": (
        None,
        lambda rng, n: (wide(-1022, 1023)(rng, n), wide(-1022, 1023)(rng, n)),
    ),
    "zeta": (
        zeta,
        lambda rng, n: (1 + np.exp2(rng.uniform(-8, 5, n)), np.exp2(rng.uniform(-3, 8, n))),
    ),
    "polygamma": (
        polygamma,
        lambda rng, n: (rng.integers(1, 8, n).astype(np.float64), np.exp2(rng.uniform(-3, 7, n))),
    ),
}

# In the whole plane, and on both sides of what is special on the axes; branch cuts have numbers on both sides, none on them.
COMPLEX = {name: getattr(mpmath, name) for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "tan")}


def plane(rng, n):
    def beside_axes(real, imaginary):
        return real(rng, n // 4), imaginary(rng, n // 4)

    parts = [
        beside_axes(between(-4, 4), between(-4, 4)),
        beside_axes(wide(-30, 8), wide(-30, 8)),
        beside_axes(mixed(near(1), near(-1)), wide(-30, 0)),
        beside_axes(wide(-30, 0), mixed(near(1), near(-1))),
        beside_axes(wide(-100, 100), wide(-100, 100)),
        beside_axes(wide(-60, 0), wide(-60, 0)),
    ]
    counts = [min(len(re), len(im)) for re, im in parts]
    return (
        np.concatenate([re[:count] for (re, _), count in zip(parts, counts)]),
        np.concatenate([im[:count] for (_, im), count in zip(parts, counts)]),
    )


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


def complex_source(name, ty, n):
    """The program: both parts go in and come out by themselves."""
    part, whole = f"tensor<{n}x{ty}>", f"tensor<{n}xcomplex<{ty}>>"
    return f"""func.func @main(%x0: {part}, %x1: {part}) -> ({part}, {part}) {{
  %z = stablehlo.complex %x0, %x1 : {whole}
  %r = chlo.{name} %z : {whole} -> {whole}
  %re = stablehlo.real %r : ({whole}) -> {part}
  %im = stablehlo.imag %r : ({whole}) -> {part}
  return %re, %im : {part}, {part}
}}
"""


def neighbour(x, y, ty):
    """What `next_after` is, from the bits: those of numbers of one sign have the order of the numbers."""
    if ty == "bf16":
        bits, back = lambda v: int(np.float32(v).view(np.uint32)) >> 16, lambda b: np.uint32(b << 16).view(np.float32)
        x_bits, y_bits, sign = bits(x), bits(y), 1 << 15
        if x_bits & ~sign == 0:
            return float(back(1 | (y_bits & sign))) if y != 0 else y
        return float(back(x_bits + (0 if x == y else 1 if (y > x) == (x > 0) else -1)))
    kind = {"f64": np.float64, "f32": np.float32, "f16": np.float16}[ty]
    return float(np.nextafter(kind(x), kind(y)))


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


def complex_error(got, exact, ty):
    """Of the worse part."""
    return max(error(float(got[0]), exact.real, ty), error(float(got[1]), exact.imag, ty))


def execute(program, text, columns):
    """The results of `@main` of a program with these arguments."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "chlo.mlir").write_text(text)
        for i, column in enumerate(columns):
            np.save(folder / f"arg{i}.npy", column)
        # What is measured is the pass; `mapwright run` by itself has kernels of its own for some of the functions.
        legalize = [f"{program}-opt", folder / "chlo.mlir", "--indexing-legalize-chlo", "-o", folder / "f.mlir"]
        subprocess.run(legalize, check=True)
        command = [program, "run", folder / "f.mlir", "--inputs", folder, "--output-dir", folder, "--threads", "1"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return [np.load(file).astype(np.float64) for file in sorted(folder.glob("out*.npy"))]


def measure_complex(program, name, ty, n, worst=0):
    """As `measure`, of the complex function."""
    rng = np.random.default_rng(1)
    kind = np.float64 if ty == "f64" else np.float32
    columns = [column.astype(kind) for column in plane(rng, n)]
    got = execute(program, complex_source(name, ty, len(columns[0])), columns)
    errors = []
    for i in range(len(columns[0])):
        exact = mpmath.mpc(precisely(COMPLEX[name])(mpmath.mpc(float(columns[0][i]), float(columns[1][i]))))
        errors.append(complex_error((got[0][i], got[1][i]), exact, ty))
    for i in np.argsort(errors)[::-1][:worst]:
        at = [float(c[i]) for c in columns]
        print(f"  {name} complex {ty} {at}: got {[float(c[i]) for c in got]}, {errors[i]:.3g} ULP")
    return float(np.max(errors)), float(np.percentile(errors, 99))


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
    text = source(name, len(columns), ty, len(columns[0]))
    got = execute(program, text, [column.astype(io) for column in columns])[0]
    errors = []
    for i, value in enumerate(got):
        arguments = [float(column[i]) for column in columns]
        exact = reference(*map(mpmath.mpf, arguments)) if reference else mpmath.mpf(neighbour(*arguments, ty))
        errors.append(error(float(value), exact, ty))
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
    names = [name for name in [*ONE, *TWO] if name in arguments.functions or not arguments.functions]
    worst = 3 if arguments.functions else 0
    lines = []
    for name in names:
        n = arguments.samples if name in ONE else arguments.samples // 4
        cells = []
        for ty in TYPES:
            largest, most = measure(arguments.program, name, ty, n, worst)
            cells.append(f"{largest:.1f} ({most:.1f})")
            print(name, ty, cells[-1], flush=True)
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    for name in COMPLEX:
        if arguments.functions and f"complex-{name}" not in arguments.functions:
            continue
        cells = []
        for ty in ("f64", "f32"):
            largest, most = measure_complex(arguments.program, name, ty, arguments.samples, worst)
            cells.append(f"{largest:.1f} ({most:.1f})")
            print("complex", name, ty, cells[-1], flush=True)
        lines.append(f"| `{name}` of complex values | " + " | ".join(cells) + " | | |")
    if not arguments.functions:
        header = f"| function | {' | '.join(TYPES)} |\n|---|{'---:|' * len(TYPES)}\n"
        text = (
            "# Accuracy of CHLO's functions\n\n"
            "As the operations of `indexing-legalize-chlo` compute them: the largest error over some hundred samples of all magnitudes, and in parentheses the error that 99\n"
            "of 100 samples stay below, in units in the last place of the exact value (mpmath, 200 bits). `benches/chlo_accuracy.py` measures it\n"
            "anew. `next_after` is exact. The error of a complex value is that of its worse part.\n\n"
            "Samples of `lgamma` and `digamma` are dense beside their roots left of zero and their poles, where terms cancel.\n\n"
            "Beyond the samples of the table, in `f64` (mpmath, 2400 bits, 150 samples each): `zeta(x, q)` is right to 1.9 units for `x` from 1 + 2^-40 to 64 and `q`\n"
            "from 2^-40 to 2^20, and to 1.5 units beside its poles left of zero; `polygamma` of orders below 8 to 1.6 units for `x` from 2^-20 to 2^30 and,\n"
            "of odd orders, between the poles left of zero; of orders up to 100 to 3.3 units. Left of zero `zeta` of whole `x` is right to 2.5 units but beside\n"
            "the root that odd `x` below 15 have in each interval: near to it the error is 3 units at a distance of 2e-3 for 3, 1e-4 for 5, 4e-6 for 7 and 3e-7\n"
            "for 9, and grows with one over the distance, as the roundings of the sum of the terms right of -`q` (of 0.4, 0.13, 0.06 and 0.03 beside the first\n"
            "root) stay; `polygamma` of even orders likewise. Not right: `polygamma` of orders above 100, which is 0\n"
            "where the power of `x` in it leaves the range.\n\n"
        )
        (ROOT / "docs/chlo-accuracy.md").write_text(text + header + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
