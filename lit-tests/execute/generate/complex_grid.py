"""Functions of complex numbers on the grid of zeros, tiny and huge numbers, ones, infinities and NaN, in both parts.

Where both parts are finite and not zero the value is mpmath's. On the axes and at infinities it is that of the C library, by NumPy, which is
what annex G of the C standard says (a sign that it leaves open is not compared); functions that C does not have follow from those by their
definitions, and the square as CHLO decomposes it.
"""

import math

import mpmath
import numpy as np

from formats import C64, C128, INF, NAN
from program import File, tensor

# mpmath's and NumPy's names.
OF_C = {
    "acos": ("chlo", "acos", "arccos"),
    "acosh": ("chlo", "acosh", "arccosh"),
    "asin": ("chlo", "asin", "arcsin"),
    "asinh": ("chlo", "asinh", "arcsinh"),
    "atan": ("chlo", "atan", "arctan"),
    "atanh": ("chlo", "atanh", "arctanh"),
    "cosh": ("chlo", "cosh", "cosh"),
    "sinh": ("chlo", "sinh", "sinh"),
    "cosine": ("stablehlo", "cos", "cos"),
    "exponential": ("stablehlo", "exp", "exp"),
    "log": ("stablehlo", "log", "log"),
    "sine": ("stablehlo", "sin", "sin"),
    "sqrt": ("stablehlo", "sqrt", "sqrt"),
    "tan": ("stablehlo", "tan", "tan"),
    "tanh": ("stablehlo", "tanh", "tanh"),
}
OTHERS = {
    "exponential_minus_one": "stablehlo",
    "log_plus_one": "stablehlo",
    "logistic": "stablehlo",
    "rsqrt": "stablehlo",
    "square": "chlo",
}


# What XLA decides of powers, and what is finite over what is infinite.
PAIRS = {
    "power": [
        ((INF, 0.0), (1.0, 0.0), (INF, 0.0)),
        ((INF, 0.0), (0.5, 0.0), (INF, 0.0)),
        ((INF, 0.0), (-2.0, 0.0), (0.0, 0.0)),
        ((1.0, 0.0), (INF, 0.0), (1.0, 0.0)),
        ((1.0, 0.0), (1.0, -INF), (1.0, 0.0)),
        ((1.0, 0.0), (NAN, 0.0), (1.0, 0.0)),
        ((0.5, 0.0), (INF, 0.0), (0.0, 0.0)),
        ((2.0, 0.0), (INF, 0.0), (INF, 0.0)),
        ((0.0, 0.0), (2.0, 0.0), (0.0, 0.0)),
        ((NAN, 1.0), (0.0, 0.0), (1.0, 0.0)),
    ],
    "divide": [
        ((1.0, 2.0), (INF, NAN), (0.0, 0.0)),
        ((1.0, 0.0), (INF, INF), (0.0, 0.0)),
        ((1.0, -1.0), (0.0, -INF), (0.0, 0.0)),
        ((INF, 0.0), (1.0, 1.0), (INF, -INF)),
        ((INF, NAN), (1.0, 1.0), (INF, -INF)),
    ],
}


def finite(z):
    return math.isfinite(z[0]) and math.isfinite(z[1])


def of_c(name, z):
    _, exact, approximate = OF_C[name]
    if finite(z) and z[0] and z[1]:
        with mpmath.workprec(5000):
            value = getattr(mpmath, exact)(mpmath.mpc(*z))
            return (+value.real, +value.imag)
    # (A product would make NaN of an infinite part.)
    number = np.zeros((), np.complex128)
    number.real, number.imag = z
    with np.errstate(all="ignore"):
        value = getattr(np, approximate)(number[()])
    return (float(value.real), float(value.imag))


def value(name, z, part):
    """None where the standard leaves a sign open, or nothing is defined."""
    x, y = z
    # Which of the parts an exponential grows with.
    growing = {"exponential": z, "exponential_minus_one": z, "cosh": z, "sinh": z, "sine": (y, x), "cosine": (y, x)}.get(name)
    if growing and math.isinf(growing[0]) and not math.isfinite(growing[1]):
        return None if growing[0] > 0 or not name.startswith("exponential") else (0.0 if name == "exponential" else -1.0, 0.0)
    if name in OF_C:
        # Poles of the logarithm, and the square root of NaN - inf i, whose signs are open.
        return of_c(name, z)
    if name == "square":
        with np.errstate(all="ignore"):
            a, b = (np.float32 if part.width == 32 else np.float64)(z)
            same = abs(x) == abs(y) and math.isfinite(x)
            return (0.0 if same else float((a - b) * (a + b)), float(2 * (a * b)))
    if name == "rsqrt":
        if math.isinf(x) or math.isinf(y):
            return (0.0, 0.0)
        if z == (0.0, 0.0) or not finite(z):
            return None if finite(z) else (NAN, NAN)
        with mpmath.workprec(5000):
            root = 1 / mpmath.sqrt(mpmath.mpc(*z))
            side = -1 if math.copysign(1.0, y) < 0 else 1
            return (root.real, -side * abs(root.imag))
    if name == "log_plus_one":
        if not finite(z):
            return of_c("log", (1.0 + x, y))
        if z[1] == 0.0 and x <= -1.0:
            return None if x == -1.0 else (mpmath.log(abs(1 + mpmath.mpf(x))), math.copysign(math.pi, y))
        with mpmath.workprec(5000):
            log = mpmath.log(1 + mpmath.mpc(*z))
            return (+log.real, +log.imag)
    if name == "exponential_minus_one":
        if not finite(z):
            if y == 0.0:
                return (math.expm1(x) if not math.isnan(x) else NAN, y)
            re, im = of_c("exponential", z)
            return (re - 1, im)
        with mpmath.workprec(5000):
            power = mpmath.exp(mpmath.mpc(*z)) - 1 if abs(x) < 1e5 else None
        if power is None:
            return (-1.0, 0.0) if x < 0 else None
        return (power.real, power.imag)
    if name == "logistic":
        if math.isinf(x):
            return (1.0 if x > 0 else 0.0, 0.0)
        if not finite(z):
            return None
        if abs(x) > 1e5:
            return (1.0 if x > 0 else 0.0, 0.0)
        with mpmath.workprec(5000):
            sigmoid = 1 / (1 + mpmath.exp(-mpmath.mpc(*z)))
            return (sigmoid.real, sigmoid.imag)
    raise KeyError(name)


def rounded(part, x):
    x = x if isinstance(x, float) else mpmath.mpf(x)
    if isinstance(x, float) and not math.isfinite(x):
        return x
    return part.round(x)


def generate():
    file = File(
        "complex_grid",
        [*OF_C, *OTHERS, *PAIRS],
        "Complex functions at zeros, near the ends of the range, at infinities and NaN.",
        both=True,
        interpreted=True,
    )
    for ty in (C64, C128):
        part = ty.part
        line = [x for size in (0.0, part.normal * 4, 1.0, part.max / 4, INF) for x in (size, -size)] + [NAN]
        for name in (*OF_C, *OTHERS):
            dialect = OF_C[name][0] if name in OF_C else OTHERS[name]
            rows = [((x, y), value(name, (x, y), part)) for x in line for y in line]
            rows = [(z, result) for z, result in rows if result is not None]
            n = [len(rows)]
            t = tensor(ty, n)
            f = file.function(f"{name}_{ty}")
            argument = f.constant(ty, n, [z for z, _ in rows])
            types = t if dialect == "stablehlo" else f"{t} -> {t}"
            found = f.op(f"{dialect}.{name} {argument} : {types}")
            expected = [tuple(rounded(part, x) for x in result) for _, result in rows]
            f.close(found, ty, n, expected, 3)
        for name, rows in PAIRS.items():
            n = [len(rows)]
            f = file.function(f"{name}_{ty}")
            arguments = [f.constant(ty, n, column) for column in list(zip(*rows))[:2]]
            found = f.op(f"stablehlo.{name} {', '.join(arguments)} : {tensor(ty, n)}")
            f.close(found, ty, n, [row[2] for row in rows], 3)
