#!/usr/bin/env python3
"""Fits the polynomials of coefficients.rs (needs mpmath).

Each is the interpolation at Chebyshev points of a smooth function on an interval, in high precision, turned into powers of the
scaled variable t = (x - middle) / half, which runs over [-1, 1]; its error is within a small factor of the best possible. The
script prints the file, with the largest error found on a dense grid beside each polynomial.
"""
import math

import mpmath as mp

mp.mp.dps = 60


def fit(f, lo, hi, degree, absolute):
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    # As the program will have them: where the function is steep, an error of the middle is one of the value.
    middle, half = mp.mpf(float((lo + hi) / 2)), mp.mpf(float((hi - lo) / 2))
    n = degree + 1
    nodes = [mp.cos(mp.pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    values = [f(middle + half * t) for t in nodes]
    cheb = [2 * mp.fsum(values[k] * mp.cos(j * mp.pi * (2 * k + 1) / (2 * n)) for k in range(n)) / n for j in range(n)]
    cheb[0] /= 2
    # Sum of Chebyshev polynomials -> powers of t.
    previous, current = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    power = [mp.mpf(0)] * n
    for j in range(n):
        term = previous if j == 0 else current
        for i, c in enumerate(term):
            power[i] += cheb[j] * c
        if j >= 1:
            following = [mp.mpf(0)] + [2 * c for c in current]
            for i, c in enumerate(previous):
                following[i] -= c
            previous, current = current, following
    worst = mp.mpf(0)
    for k in range(2001):
        t = mp.mpf(2 * k) / 2000 - 1
        exact = f(middle + half * t)
        error = abs(mp.polyval(power[::-1], t) - exact)
        worst = max(worst, error / abs(exact) if exact and not absolute else error)
    return middle, half, power, worst


def emit(name, text, f, lo, hi, degree, absolute=False, double_double=0):
    """`double_double`: so many of the first coefficients in two parts."""
    middle, half, power, worst = fit(f, lo, hi, degree, absolute)
    kind = "DoubleDoubleFit" if double_double else "Fit"
    print(f"/// {text}, for x in [{lo}, {hi}]; {'absolute' if absolute else 'relative'} error below {mp.nstr(worst * mp.mpf('1.05'), 2)}.")
    print(f"pub const {name}: {kind} = {kind} {{")
    print(f"    middle: {float(middle)!r},")
    print(f"    half: {float(half)!r},")
    if double_double:
        print("    leading: &[")
        for c in power[:double_double]:
            print(f"        {parts(c)},")
        print("    ],")
    print("    rest: &[" if double_double else "    coefficients: &[")
    for c in power[double_double:]:
        print(f"        {float(c)!r},")
    print("    ],\n};\n")


def parts(x):
    """Rounded, and what the rounding left."""
    return f"({float(x)!r}, {float(x - mp.mpf(float(x)))!r})"


def erf_over_x(s):
    x = mp.sqrt(s)
    return 2 / mp.sqrt(mp.pi) if s == 0 else mp.erf(x) / x


def erfcx_scaled(t, k):
    # t = (x - k) / (x + k)
    x = k * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def lgamma_scaled(x):
    d = (x - 1) * (x - 2)
    if abs(d) < mp.mpf(10) ** -20:
        return -mp.psi(0, 1) if abs(x - 1) < mp.mpf("0.5") else mp.psi(0, 2)
    return mp.loggamma(x).real / d


def bisect(f, lo, hi):
    """Where the function changes its sign between two numbers at which it is positive and negative."""
    for _ in range(4 * mp.mp.dps):
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if f(middle) > 0 else (lo, middle)
    return lo


def log_gamma(x):
    return mp.log(abs(mp.gamma(x)))


def lgamma_roots():
    """In the half intervals (-2.5, -2), (-3, -2.5), … (-17.5, -17)."""
    for half in range(4, 35):
        pole = -((half + 1) // 2)
        yield bisect(log_gamma, pole + mp.mpf(10) ** -40 * (1 if half % 2 else -1), -mp.mpf(half + 1 - half % 2) / 2)


def digamma_near_roots(count):
    """The numbers beside roots, right of zero and in (-1, 0), (-2, -1), …, that are too near for 106 bits, and digamma there."""
    left = (
        bisect(lambda x: mp.psi(0, x), -n - mp.mpf(10) ** -15, -n - 1 + mp.mpf(10) ** -15) for n in range(count)
    )
    for root in (ROOT, *left):
        nearest = float(root)
        for near in (nearest - math.ulp(nearest), nearest, nearest + math.ulp(nearest)):
            value = mp.psi(0, mp.mpf(near))
            if abs(value) < mp.mpf("1.2e-15"):
                yield near, float(value)


def emit_pairs(name, text, pairs):
    print(f"/// {text}.")
    print(f"pub const {name}: [(f64, f64); {len(pairs)}] = [")
    for pair in pairs:
        print(f"    {pair},")
    print("];\n")


def over_distance(f, root):
    """`f(x) / (x - root)`, without the loss of digits at the root."""

    def evaluate(x):
        near = mp.mpf(10) ** -20
        return (f(root + near) - f(root - near)) / (2 * near) if abs(x - root) < near else f(x) / (x - root)

    return evaluate


def cotangent_rest(t):
    x = mp.sqrt(t)
    if t < mp.mpf(10) ** -30:
        return 2 * (mp.zeta(2) - 1)
    return ((1 - 3 * t) / (x * (1 - t)) - mp.pi * mp.cot(mp.pi * x)) / x


def sine_rest(t):
    x = mp.pi * mp.sqrt(t)
    return (mp.sin(x) / x if x else mp.mpf(1)) / (1 - t)


ROOT = mp.findroot(lambda x: mp.psi(0, x), 1.4616321449683623)


def digamma_scaled(x):
    d = x - ROOT
    return mp.psi(1, ROOT) if abs(d) < mp.mpf(10) ** -25 else mp.psi(0, x) / d


def erfinv_over_x(x):
    return mp.sqrt(mp.pi) / 2 if x == 0 else mp.erfinv(x) / x


def erfinv_tail(s):
    # s = sqrt(-log(1 - x^2)); 1 - |x| is computed without cancellation.
    q = mp.exp(-s * s)
    x = mp.sqrt(1 - q)
    p = q / (1 + x)
    y = mp.sqrt(-mp.log(p * mp.sqrt(mp.pi)))
    y = mp.findroot(lambda v: mp.log(mp.erfc(v)) - mp.log(p), y)
    return y / x


def i1e_over_x(x):
    return mp.mpf("0.5") if x == 0 else mp.besseli(1, x) * mp.exp(-x) / x


def i1e_tail(t):
    if t == 0:
        return 1 / mp.sqrt(2 * mp.pi)
    x = 1 / t
    return mp.sqrt(x) * mp.besseli(1, x) * mp.exp(-x)


print("//! Polynomial coefficients, made by fit.py. Do not edit.\n")
print("use super::{Fit, DoubleDoubleFit};\n")
emit("ERF_F32", "erf(sqrt(x)) / sqrt(x)", erf_over_x, 0, 1, 6)
emit("ERF_F64", "erf(sqrt(x)) / sqrt(x)", erf_over_x, 0, 1, 11)
emit("LOG_ERFC_F32", "log(erfc(x))", lambda x: mp.log(mp.erfc(x)), 1, 4, 9)
emit("ERFCX_F32", "(1 + 2 y) exp(y^2) erfc(y) at y = 3 (1 + x) / (1 - x)", lambda t: erfcx_scaled(t, 3), "-0.75", "0.56", 9)
emit("ERFCX_F64", "(1 + 2 y) exp(y^2) erfc(y) at y = 3 (1 + x) / (1 - x)", lambda t: erfcx_scaled(t, 3), "-0.75", "0.81", 22)
emit("LGAMMA", "lgamma(x) / ((x - 1) (x - 2))", lgamma_scaled, "0.75", "2.5", 29)
emit("LGAMMA_CENTRE", "lgamma(1 + x)", lambda x: mp.loggamma(1 + x).real, "-0.6", "0.5", 33, absolute=True)
roots = list(lgamma_roots())
for name, root, half in zip(("FIRST", "SECOND", "THIRD"), roots, ("0.0625", "0.03125", "0.015625")):
    ends = [mp.nstr(root + side * mp.mpf(half), 7) for side in (-1, 1)]
    print(f"/// The {name.lower()} root of lgamma left of zero, rounded, and what the rounding left.\npub const LGAMMA_{name}_ROOT: (f64, f64) = {parts(root)};\n")
    emit(f"LGAMMA_{name}", "lgamma(x) / (x - root)", over_distance(log_gamma, root), *ends, 15)
text = "The roots of lgamma in the half intervals from (-3.5, -3) downwards, rounded, and what the rounding left"
emit_pairs("LGAMMA_ROOTS", text, [parts(root) for root in roots[2:]])
emit("DIGAMMA", "digamma(x) / (x - root)", digamma_scaled, 1, 2, 23)
print(f"/// The positive root of digamma, rounded, and what the rounding left.\npub const DIGAMMA_ROOT: (f64, f64) = {parts(ROOT)};\n")
text = "The numbers that are so near to a root that digamma is below 1.2e-15 there, and digamma there"
emit_pairs("DIGAMMA_NEAR_ROOTS", text, list(digamma_near_roots(2000)))
emit("COTANGENT_REST", "((1 - 3 x) / (y (1 - x)) - pi / tan(pi y)) / y at y = sqrt(x)", cotangent_rest, 0, "0.25", 20, double_double=9)
emit("SINE_REST", "sin(pi y) / (pi y (1 - x)) at y = sqrt(x)", sine_rest, 0, "0.25", 13, double_double=5)
emit("ERF_INV_CENTRE", "erf_inv(y) / y at x = -log(1 - y^2)", lambda w: erfinv_over_x(mp.sqrt(1 - mp.exp(-w))), 0, 5, 9)
emit(
    "ERF_INV_CENTRE_F32",
    "(erf_inv(y) / y - sqrt(pi) / 2) / x at x = -log(1 - y^2)",
    lambda w: (erfinv_over_x(mp.sqrt(1 - mp.exp(-w))) - mp.sqrt(mp.pi) / 2) / w if w else mp.sqrt(mp.pi) * mp.pi / 24,
    0,
    5,
    9,
)
emit("ERF_INV_TAIL_F32", "erf_inv(y) / y at x = sqrt(-log(1 - y^2))", erfinv_tail, "2.2", "4.05", 9)
emit("ERF_INV_TAIL", "erf_inv(y) / y at x = sqrt(-log(1 - y^2))", erfinv_tail, "2.2", "6.1", 12)
emit("I1E_SMALL", "exp(-x) I1(x) / x", i1e_over_x, 0, 2, 17)
emit("I1E_MIDDLE", "exp(-x) I1(x) / x", i1e_over_x, 2, 4, 16)
emit("I1E_LARGE", "exp(-x) I1(x) / x", i1e_over_x, 4, 8, 19)
emit("I1E_TAIL", "sqrt(y) exp(-y) I1(y) at y = 1 / x", i1e_tail, 0, "0.125", 26)
