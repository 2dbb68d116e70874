#!/usr/bin/env python3
"""How far StableHLO's functions are from the exact values, in units in the last place, by function and type.

A development tool: needs numpy and mpmath. `f16` and `bf16` are measured on every number, `f32` on millions against 64-bit extended
precision, `f64` and complex numbers on samples against mpmath. Everything runs twice, with all emitters and with the general one
alone. Writes docs/accuracy.md (or, with names of functions, prints theirs with the worst arguments).

    python3 benches/accuracy.py [--program PATH] [--samples N] [--types f32,c64,…] [function …]

An error counts in units of the last place of the exact value in the type, subnormals included, of the worse part of complex
numbers. Where the exact value is beyond the range the result must be infinite (or the greatest number: 1 unit), where there is none
it must be NaN; the sign of a zero counts. Everything else is an infinite error.
"""

import argparse
import pathlib
import subprocess
import tempfile

import mpmath
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
REALS = {"f64": (53, -1022), "f32": (24, -126), "f16": (11, -14), "bf16": (8, -126)}
COMPLEX = {"c64": ("complex<f32>", np.complex64, "f32"), "c128": ("complex<f64>", np.complex128, "f64")}
L = np.longdouble


def logistic(x):
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1) / (1 + e)


# Name -> function of arrays in extended precision, of mpmath's numbers, exponents of the samples, numbers around which samples are dense.
UNARY = {
    "cbrt": (np.cbrt, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), (-1074, 1024), [1]),
    "cosine": (np.cos, mpmath.cos, (-30, 40), [np.pi / 2, np.pi, 100]),
    "exponential": (np.exp, mpmath.exp, (-60, 10), [0, 88.7, -87.3, -103.9, 709.7, -708.4, -745.1]),
    "exponential_minus_one": (np.expm1, mpmath.expm1, (-70, 10), [0, 0.5, -1, 88.7, 709.7]),
    "log": (np.log, mpmath.log, (-1074, 1024), [1, 2, 0.5]),
    "log_plus_one": (np.log1p, mpmath.log1p, (-80, 1024), [0, -1, 1]),
    "logistic": (logistic, lambda x: 1 / (1 + mpmath.exp(-x)), (-60, 10), [0, -87.3, -103, -709]),
    "rsqrt": (lambda x: 1 / np.sqrt(x), lambda x: 1 / mpmath.sqrt(x), (-1074, 1024), [1, 4]),
    "sine": (np.sin, mpmath.sin, (-60, 40), [np.pi / 2, np.pi, 100]),
    "sqrt": (np.sqrt, mpmath.sqrt, (-1074, 1024), [1, 4]),
    "tan": (np.tan, mpmath.tan, (-60, 40), [np.pi / 2, np.pi, 100]),
    "tanh": (np.tanh, mpmath.tanh, (-60, 6), [0.55, 0.625, 9, 19]),
}
BINARY = {
    "atan2": (np.arctan2, mpmath.atan2, (-20, 20), (-20, 20)),
    "power": (np.power, mpmath.power, (-40, 40), (-6, 6)),
}
# Exponents of the parts of complex samples.
COMPLEX_RANGES = {
    "cosine": (-12, 6), "sine": (-12, 6), "tan": (-12, 6), "tanh": (-12, 6), "exponential": (-12, 6),
    "exponential_minus_one": (-20, 6), "logistic": (-12, 5), "power": (-3, 2), "atan2": (-3, 2),
}  # fmt: skip
ALSO_COMPLEX = {"abs": abs, "sign": lambda z: z / abs(z), "divide": lambda a, b: a / b}


def spread(rng, n, low, high, near):
    """Half of all magnitudes, a quarter around 1, the rest near the given numbers."""
    values = [np.exp2(rng.uniform(low, high, n // 2)) * rng.choice([-1.0, 1.0], n // 2), rng.uniform(-8, 8, n // 4)]
    for center in near:
        values.append(center + np.exp2(rng.uniform(-40, -1, n // 4 // len(near))) * rng.choice([-1.0, 1.0], n // 4 // len(near)))
    return np.concatenate([*values, [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]])


def run(program, name, ty, columns, flags=()):
    """The operation on columns of numbers as they travel in files."""
    n = len(columns[0])
    t = f"tensor<{n}x{ty}>"
    result = f"tensor<{n}x{ty[8:-1]}>" if name == "abs" else t
    arguments = ", ".join(f"%x{i}: {t}" for i in range(len(columns)))
    names = ", ".join(f"%x{i}" for i in range(len(columns)))
    types = f"({t}) -> {result}" if name == "abs" else t
    text = f"func.func @main({arguments}) -> {result} {{\n  %r = stablehlo.{name} {names} : {types}\n  return %r : {result}\n}}\n"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "f.mlir").write_text(text)
        for i, column in enumerate(columns):
            np.save(folder / f"arg{i}.npy", column)
        command = [program, "run", folder / "f.mlir", "--inputs", folder, "--output-dir", folder, "--threads", "1", *flags]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return np.load(folder / "out0.npy")


def units(got, exact, ty):
    """Errors of an array against extended precision."""
    precision, least = REALS[ty]
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(exact)
        unit = np.ldexp(L(1), np.maximum(exponent - 1, least) - precision + 1)
        errors = np.abs(got.astype(L) - exact) / unit
        top = {"f16": L(65520.0), "bf16": L(2.0) ** 128 * (1 - L(2) ** -9), "f32": L(2.0) ** 128 * (1 - L(2) ** -25)}[ty]
        beyond = np.abs(exact) >= top
        right = np.isinf(got) & ((got > 0) == (exact > 0))
        errors = np.where(beyond, np.where(right, 0, np.where(np.isfinite(got) & (np.abs(got) > top / 2), 1, np.inf)), errors)
        errors = np.where(~beyond & np.isinf(got), np.where(np.abs(exact) > top * (1 - L(2) ** (2 - precision)), 1, np.inf), errors)
        errors = np.where(np.isnan(exact), np.where(np.isnan(got), 0, np.inf), np.where(np.isnan(got), np.inf, errors))
        zeros = (exact == 0) & (got == 0)
        errors = np.where(zeros & (np.signbit(exact) != np.signbit(got)), np.inf, errors)
    return errors


def unit_of(exact, ty):
    precision, least = REALS[ty]
    exponent = least if exact == 0 else max(int(mpmath.mag(exact)) - 1, least)
    return mpmath.ldexp(1, exponent - precision + 1)


def one(got, exact, ty):
    """The same for one number against mpmath."""
    if mpmath.isnan(exact):
        return 0.0 if np.isnan(got) else np.inf
    greatest = mpmath.mpf(float(np.finfo(np.float32 if ty == "f32" else np.float64).max))
    if abs(exact) >= greatest + unit_of(greatest, ty) / 2:
        return 0.0 if np.isinf(got) and (got > 0) == (exact > 0) else (1.0 if abs(got) == float(greatest) else np.inf)
    if not np.isfinite(got):
        return 1.0 if np.isinf(got) and abs(exact) > greatest * (1 - mpmath.mpf(2) ** -20) else np.inf
    return float(abs(mpmath.mpf(float(got)) - exact) / unit_of(exact, ty))


def bfloat(x):
    """To the bits of bf16, ties to even; NaN stays NaN."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(x), 0x7FC0, rounded).astype(np.uint16)


def unbfloat(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def fast_columns(name, ty, n, rng):
    """Every number of a 16-bit type, or samples; pairs at random."""
    if name in UNARY and ty in ("f16", "bf16"):
        bits = np.arange(65536, dtype=np.uint16)
        return [bits.view(np.float16) if ty == "f16" else bits]
    low, high = (-24, 16) if ty == "f16" else (-149, 128)
    ranges = [UNARY[name][2]] if name in UNARY else list(BINARY[name][2:])
    near = UNARY[name][3] if name in UNARY else [1]
    columns = [spread(rng, n, max(a, low), min(b, high), near) for a, b in ranges]
    for column in columns[1:]:
        rng.shuffle(column)
    with np.errstate(all="ignore"):
        if ty == "bf16":
            return [bfloat(c.astype(np.float32)) for c in columns]
        return [c.astype(np.float16 if ty == "f16" else np.float32) for c in columns]


def fast(program, name, ty, n, flags):
    rng = np.random.default_rng(1)
    columns = fast_columns(name, ty, n, rng)
    got = run(program, name, ty, columns, flags)
    read = unbfloat if ty == "bf16" else (lambda x: x)
    wide = [read(c).astype(L) for c in columns]
    reference = (UNARY.get(name) or BINARY[name])[0]
    with np.errstate(all="ignore"):
        exact = reference(*wide)
        if name == "rsqrt":
            exact = np.where(wide[0] == 0, np.copysign(L(np.inf), wide[0]), exact)
    return units(read(got), exact, ty), wide, read(got), got.tobytes()


def real_samples(name, n):
    rng = np.random.default_rng(2)
    if name in UNARY:
        _, reference, (low, high), near = UNARY[name]
        return reference, [x[np.isfinite(x)] for x in [spread(rng, n, max(low, -1074), min(high, 1023), near)]]
    _, reference, *ranges = BINARY[name]
    columns = [spread(rng, n, *r, [1]) for r in ranges]
    rng.shuffle(columns[1])
    keep = np.isfinite(columns[0]) & np.isfinite(columns[1])
    return reference, [c[keep] for c in columns]


def exact_real(name, reference, arguments):
    if name in ("log", "sqrt", "rsqrt") and arguments[0] <= 0:
        return None
    if name == "log_plus_one" and arguments[0] <= -1:
        return None
    if name == "power" and (arguments[0] <= 0 or arguments[1] == 0):
        return None
    if arguments[0] == 0 or (name == "atan2" and arguments[1] == 0):
        return None
    return reference(*map(mpmath.mpf, arguments))


def slow(program, name, n, flags):
    """`f64`."""
    reference, columns = real_samples(name, n)
    got = run(program, name, "f64", columns, flags)
    errors = []
    for i, value in enumerate(got):
        exact = exact_real(name, reference, [float(c[i]) for c in columns])
        errors.append(0.0 if exact is None else one(float(value), exact, "f64"))
    return np.array(errors), columns, got, got.tobytes()


MP = {name: row[1] for name, row in {**UNARY, **BINARY}.items()} | ALSO_COMPLEX | {
    "atan2": lambda y, x: -1j * mpmath.log((x + 1j * y) / mpmath.sqrt(x * x + y * y)),
    "cbrt": lambda z: mpmath.power(z, mpmath.mpf(1) / 3),
    "log_plus_one": lambda z: mpmath.log(1 + z),
    "exponential_minus_one": lambda z: mpmath.exp(z) - 1,
}  # fmt: skip


def complex_samples(name, n, dtype):
    rng = np.random.default_rng(3)
    low, high = COMPLEX_RANGES.get(name, (-40, 40))

    def column():
        parts = [np.exp2(rng.uniform(low, high, n // 2)) * rng.choice([-1.0, 1.0], n // 2) for _ in range(2)]
        around = [rng.uniform(-3, 3, n // 4) for _ in range(2)]
        angle = rng.uniform(-np.pi, np.pi, n // 4)
        radius = 1 + np.exp2(rng.uniform(-30, -2, n // 4)) * rng.choice([-1, 1], n // 4)
        return np.concatenate([parts[0] + 1j * parts[1], around[0] + 1j * around[1], radius * np.exp(1j * angle)]).astype(dtype)

    columns = [column() for _ in range(2 if name in (*BINARY, "divide") else 1)]
    if name not in BESIDE:
        return columns
    part = np.float32 if dtype == np.complex64 else np.float64
    beside = BESIDE[name](rng, n, part)
    return [np.concatenate([column, more.astype(dtype)]) for column, more in zip(columns, beside)]


def beside_power(rng, n, part):
    """Exponents for which the angle is nearly a whole number of quarters of a turn."""

    def drawn():
        return (np.exp2(rng.uniform(-3, 3, n)) * rng.choice([-1.0, 1.0], n)).astype(part)

    base, turning = drawn() + 1j * drawn(), drawn()
    log = np.log(base.astype(np.complex128))
    straight = (rng.integers(-6, 7, n) * np.pi / 2 - turning * log.real) / log.imag
    return base, straight.astype(part) + 1j * turning


def beside_one(angle, sign):
    """Arguments at which `exp(sign z)` has a real part of nearly 1, or -1 with `angle` half a turn."""

    def draw(rng, n, part):
        y = (angle + rng.uniform(-1.5, 1.5, n) + 2 * np.pi * rng.integers(-2, 3, n)).astype(part)
        x = -sign * np.log(np.abs(np.cos(y.astype(np.float64))))
        return (x.astype(part) + 1j * y,)

    return draw


def circle(middle):
    """Beside the unit circle around a number."""
    return lambda rng, n, part: (middle + np.exp(1j * rng.uniform(-np.pi, np.pi, n)),)


# Samples beside the curves along which a part of the result vanishes, as near as numbers come to them.
BESIDE = {
    "power": beside_power, "exponential_minus_one": beside_one(0.0, 1), "logistic": beside_one(np.pi, -1),
    "log": circle(0.0), "log_plus_one": circle(-1.0),
}  # fmt: skip


def complex_errors(program, name, ty, n, flags):
    mlir, dtype, part = COMPLEX[ty]
    columns = complex_samples(name, n, dtype)
    got = run(program, name, mlir, columns, flags)
    errors = []
    for i, value in enumerate(got):
        arguments = [mpmath.mpc(float(c[i].real), float(c[i].imag)) for c in columns]
        exact = mpmath.mpmathify(MP[name](*arguments))
        worst = one(float(value.real), exact.real, part)
        if name != "abs":
            worst = max(worst, one(float(value.imag), exact.imag, part))
        errors.append(worst)
    return np.array(errors), columns, got, got.tobytes()


def measure(arguments, name, ty, flags=()):
    if ty in ("f16", "bf16", "f32"):
        return fast(arguments.program, name, ty, arguments.samples, flags)
    if ty == "f64":
        return slow(arguments.program, name, arguments.slow_samples, flags)
    return complex_errors(arguments.program, name, ty, arguments.slow_samples, flags)


def show(value):
    return "∞" if np.isinf(value) else f"{value:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--program", default=str(ROOT / "target/release/mapwright"))
    parser.add_argument("--samples", type=int, default=2_000_000, help="of f32")
    parser.add_argument("--slow-samples", type=int, default=2000, help="of f64 and complex types")
    parser.add_argument("--types", default="f64,f32,f16,bf16,c64,c128")
    arguments = parser.parse_args()
    mpmath.mp.prec = 300
    types = arguments.types.split(",")
    names = arguments.functions or sorted({*UNARY, *BINARY, *ALSO_COMPLEX})
    lines, different = [], []
    for name in names:
        cells = []
        for ty in types:
            if name in ALSO_COMPLEX and ty not in COMPLEX:
                cells.append("")
                continue
            errors, columns, got, bits = measure(arguments, name, ty)
            general = run_bits(arguments, name, ty)
            if general != bits:
                different.append(f"`{name}` {ty}")
                errors = np.maximum(errors, measure(arguments, name, ty, ["--bounds-checks"])[0])
            cells.append(f"{show(errors.max())} ({show(np.percentile(errors, 99))})")
            print(name, ty, cells[-1], "" if general == bits else "emitters differ", flush=True)
            if arguments.functions:
                for i in np.argsort(errors)[::-1][:3]:
                    print(f"  {[c[i] for c in columns]}: got {got[i]}, {show(errors[i])} units")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    if arguments.functions:
        return
    header = f"| function | {' | '.join(types)} |\n|---|{'---:|' * len(types)}\n"
    identical = "Both emitters give the same bits in every row." if not different else f"The emitters differ in: {', '.join(different)}."
    text = (
        "# Accuracy of StableHLO's functions\n\n"
        "As `mapwright run` computes them: the largest error, and in parentheses the error that 99 of 100 arguments stay below, in units in\n"
        "the last place of the exact value; of complex numbers, of the worse part. `f16` and `bf16`: every number (functions of two\n"
        f"arguments: {arguments.samples} pairs); `f32`: {arguments.samples} samples of all magnitudes against 64 bits of precision; `f64` and complex\n"
        f"types: {arguments.slow_samples} samples against mpmath (300 bits). `c64` and `c128` are `complex<f32>` and `complex<f64>`. Each is measured with all emitters\n"
        f"and with the general one alone. {identical} `benches/accuracy.py` measures it anew; the functions of\n"
        f"CHLO are in [chlo-accuracy.md](chlo-accuracy.md). This is of vectors of {vector_bits()} bits: `exponential` of `f32` is right to 0.96 units on 256 bits\n"
        "and to 1.00 on 512.\n\n"
    )
    (ROOT / "docs/accuracy.md").write_text(text + header + "\n".join(lines) + "\n" + OTHERS)


OTHERS = """
## Where terms cancel

A part of a power, of `exponential_minus_one`, `logistic`, `log` and `log_plus_one` of complex numbers is zero along curves, and beside them it is what
nearly equal terms leave, of any fixed precision too little. Half of the samples of these rows are as near to such curves as numbers of their types
come. Squares of lengths are exact up to the last sum; where too few bits are left of the other functions the runtime computes them with 192 bits, or
1280 (`src/runtime/complex`): parts that are 1e-300 times smaller than the other ones are right too, and those that vanish, as of `i^2`, are zero.

## Functions of `f64`

Against mpmath (160 bits) at 200000 arguments of all magnitudes each, subnormal ones, beside roots, poles, multiples of π/2 and the seams of polynomials
among them, the largest errors are: `sine` 0.75, `cosine` 0.76, `tan` 0.81, `log_plus_one` 0.83, `exponential_minus_one` 0.79, `power` 0.75, `cbrt` 0.51,
`atan2` 0.62, and of CHLO's, as `mapwright run` computes them by themselves: `erf` 0.96, `erfc` 0.89, `asin` 0.73, `acos` 0.69, `atan` 0.67, `sinh` 0.80,
`cosh` 0.59, `asinh` 0.75, `acosh` 0.74, `atanh` 0.81. `remainder` is exact.

## Transforms and products

- `fft` computes in the precision of its elements. The root mean square of the errors, as a part of that of the elements, of all four kinds and lengths from
  97 to 65537, is in double precision 2.6e-16 to 4.8e-16 where the length has small factors only and up to 1.3e-15 where it has large ones; in single
  precision 1.1e-7 to 1.6e-7 and up to 2.9e-7. Where terms cancel, an element has the error of the others.
- Products of `bf16` are added in `f32`. Where the machine has AVX512-BF16 its instruction is used for them, which adds two products at a time and
  takes subnormal numbers as zero. Blocks of rows and columns with factors so small that it might lose something are added up product by
  product, more slowly: subnormal numbers are kept. Which way a block goes depends on its factors only, not on threads.
"""


def vector_bits():
    """Of the machine's registers."""
    features = pathlib.Path("/proc/cpuinfo").read_text().split()
    return 512 if "avx512f" in features else 256 if "avx2" in features else 128


def run_bits(arguments, name, ty):
    """The result of the general emitter alone on the same samples."""
    if ty in ("f16", "bf16", "f32"):
        columns, mlir = fast_columns(name, ty, arguments.samples, np.random.default_rng(1)), ty
    elif ty == "f64":
        columns, mlir = real_samples(name, arguments.slow_samples)[1], ty
    else:
        mlir, dtype, _ = COMPLEX[ty]
        columns = complex_samples(name, arguments.slow_samples, dtype)
    return run(arguments.program, name, mlir, columns, ["--bounds-checks"]).tobytes()


if __name__ == "__main__":
    main()
