"""CHLO and MHLO spellings, dynamic shapes, quantized arithmetic."""

import math
import random
from fractions import Fraction

import mpmath

import complexes
from elementwise import float_samples, int_pairs, rounded, some, tolerance
from formats import ALL, BF16, F16, F32, F64, FLOATS, I1, INF, INTS, NAN, QI8, QU8, SIGNED, TINY, UNSIGNED, quantized
from program import File, dense, tensor
from reference import FLOAT_BINARY, INT_BINARY, smooth

I8, I32, I64 = SIGNED[2], SIGNED[4], SIGNED[5]
U8 = UNSIGNED[2]


def on(low, high):
    return lambda x: low <= x <= high


def pole(function, at_inf, at_minus_inf, zero=None, domain=lambda x: True):
    return smooth(function, at_inf, at_minus_inf, zero, domain)


def atanh(x):
    if abs(x) == 1:
        return math.copysign(INF, x)
    return mpmath.atanh(x)


def beside_roots(function):
    """With so many bits that enough are left where the function is as good as zero."""

    def evaluate(x):
        with mpmath.workprec(400):
            return function(x)

    return evaluate


CHLO = {
    "acos": pole(mpmath.acos, NAN, NAN, None, on(-1, 1)),
    "acosh": pole(mpmath.acosh, INF, NAN, None, lambda x: x >= 1),
    "asin": pole(mpmath.asin, NAN, NAN, "odd", on(-1, 1)),
    "asinh": pole(mpmath.asinh, INF, -INF, "odd"),
    "atan": pole(mpmath.atan, mpmath.pi / 2, -mpmath.pi / 2, "odd"),
    "atanh": pole(atanh, NAN, NAN, "odd", on(-1, 1)),
    "cosh": pole(mpmath.cosh, INF, INF),
    "erf": pole(lambda x: mpmath.erf(x) if abs(x) < 1000 else mpmath.sign(x), 1.0, -1.0, "odd"),
    "erfc": pole(lambda x: mpmath.erfc(x) if abs(x) < 1000 else mpmath.mpf(0 if x > 0 else 2), 0.0, 2.0),
    "erf_inv": pole(lambda x: mpmath.erfinv(x) if abs(x) < 1 else mpmath.sign(x) * mpmath.inf, NAN, NAN, "odd", on(-1, 1)),
    "sinh": pole(mpmath.sinh, INF, -INF, "odd"),
    "tan": pole(mpmath.tan, NAN, NAN, "odd"),
    "square": lambda x: x * x if math.isinf(x) or math.isnan(x) else (Fraction(x) ** 2 if x else 0.0),
    "lgamma": pole(beside_roots(lambda x: mpmath.log(abs(mpmath.gamma(x)))), INF, INF),
    "digamma": pole(beside_roots(mpmath.digamma), INF, NAN),
    "bessel_i1e": pole(lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), 0.0, 0.0, "odd"),
}
# Where the specification of CHLO says nothing: poles, and beyond.
def at_pole(x):
    return math.isinf(x) or x <= 0 and x == math.floor(x)


SKIPPED = {"lgamma": lambda x: at_pole(x) or abs(x) > 1e4, "digamma": lambda x: at_pole(x) or abs(x) > 1e30, "bessel_i1e": lambda x: abs(x) > 1e4}
# Beside the roots left of zero, where 53 bits of the terms leave nothing of their difference, and numbers next to nothing.
BESIDE_ROOTS = {
    "lgamma": [-2.4570247382208006, -2.457, -2.566, -2.7476826467274127, -2.73, -3.14358088835, -4.0603, -9.9999997, -13.00000000016, -15.999999999999952, -17.999999999999993, 1e-310, -1e-310],
    "digamma": [1.4616321449683622, -0.5040830082644554, -0.5040830082644555, -5.667162441556885, -12.036157965279912, -23.7521595586899, -27.759811695826706, -64.8, -33793.9084546685, 1e-20, -1e-20],
}

# Where the roundings of a quotient and of a product add up.
HARD = {"erfc": [0.8152101635932922, 7.6746392250061035]}


def chlo():
    rng = random.Random("chlo")
    for name, function in CHLO.items():
        file = File(f"chlo_{name}", covers=[f"chlo.{name}"])
        for ty in (F16, BF16, F32, F64) if name != "square" else FLOATS:
            values = float_samples(ty, rng, -8, 3, [0.99609375, -0.99609375, 10.0, -10.0, 0.25, 100.0], 20)
            values += BESIDE_ROOTS.get(name, []) if ty is F64 else []
            values += [ty.round(x) for x in HARD.get(name, [])] if ty is F32 else []
            values = [x for x in values if not SKIPPED.get(name, lambda x: False)(x)]
            rows = [(x, rounded(ty, function(x))) for x in values]
            rows = [(x, r) for x, r in rows if r is not None]
            n = [len(rows)]
            f = file.function(f"{name}_{ty}")
            x = f.constant(ty, n, [x for x, _ in rows])
            r = f.op(f"chlo.{name} {x} : {tensor(ty, n)} -> {tensor(ty, n)}")
            ulp = 3 if ty is F64 else tolerance(ty)
            f.close(r, ty, n, [r for _, r in rows], ulp)
        for ty in (t for t in ALL if t.is_complex and name in complexes.CHLO):
            complexes.chlo(file, name, ty, random.Random(f"{name} {ty}"))
    broadcasting(rng)
    file = File("chlo_others", covers=["chlo.conj", "chlo.mulhi", "chlo.next_after", "chlo.constant_like", "chlo.top_k", "chlo.broadcast_compare", "chlo.broadcast_select", "chlo.broadcast_complex"])
    for ty in (t for t in ALL if t.is_complex):
        f = file.function(f"conj_{ty}")
        x = f.constant(ty, [2], [(1.5, -2.0), (-3.0, 0.25)])
        f.equal(f.op(f"chlo.conj {x} : {tensor(ty, [2])} -> {tensor(ty, [2])}"), ty, [2], [(1.5, 2.0), (-3.0, -0.25)])
    for ty in (F16, BF16, F32, F64):
        f = file.function(f"next_after_{ty}")
        step = math.ldexp(1.0, -ty.mantissa)
        rows = [(1.0, 2.0, 1.0 + step), (1.0, -INF, 1.0 - step / 2), (0.0, 1.0, ty.tiny), (0.0, -1.0, -ty.tiny), (ty.max, INF, INF), (2.0, 2.0, 2.0), (NAN, 1.0, NAN), (ty.tiny, 0.0, 0.0), (-1.0, INF, -1.0 + step / 2)]
        n = [len(rows)]
        t = tensor(ty, n)
        a, b = (f.constant(ty, n, [row[k] for row in rows]) for k in (0, 1))
        f.equal(f.op(f"chlo.next_after {a}, {b} : {t}, {t} -> {t}"), ty, n, [row[2] for row in rows])
    for ty in INTS:
        f = file.function(f"mulhi_{ty}")
        pairs = int_pairs(ty, random.Random(f"mulhi {ty}"))
        n = [len(pairs)]
        t = tensor(ty, n)
        a, b = (f.constant(ty, n, [pair[k] for pair in pairs]) for k in (0, 1))
        f.equal(f.op(f"chlo.mulhi {a}, {b} : {t}, {t} -> {t}"), ty, n, [x * y >> ty.width for x, y in pairs])
    for ty in (t for t in FLOATS if t.width <= 8):
        numbers = sorted({ty.decode(code) for code in range(1 << ty.width)}, key=lambda x: (math.isnan(x), x))
        numbers = [x for x in numbers if not math.isnan(x)]
        places = sorted({0, 1, 2, len(numbers) // 3, len(numbers) // 2 - 1, len(numbers) // 2, len(numbers) // 2 + 1, len(numbers) - 2})
        rows = [(numbers[k], numbers[-1], numbers[k + 1]) for k in places]
        rows += [(numbers[k], numbers[0], numbers[max(k - 1, 0)]) for k in places]
        n = [len(rows)]
        t = tensor(ty, n)
        f = file.function(f"next_after_{ty}")
        a, b = (f.constant(ty, n, [row[k] for row in rows]) for k in (0, 1))
        f.equal(f.op(f"chlo.next_after {a}, {b} : {t}, {t} -> {t}"), ty, n, [row[2] for row in rows])
        f.equal(f.op(f"chlo.broadcast_next_after {a}, {b} : ({t}, {t}) -> {t}"), ty, n, [row[2] for row in rows])
    for ty in (F32, I32):
        f = file.function(f"top_k_{ty}")
        values = [ty.wrap(v) if ty.is_int else float(v) for v in (3, 9, -1, 9, 4, 0)]
        x = f.constant(ty, [6], values)
        f.line(f"%v, %i = chlo.top_k({x}, k = 3) : {tensor(ty, [6])} -> ({tensor(ty, [3])}, tensor<3xi32>)")
        f.equal("%v", ty, [3], [values[1], values[3], values[4]])
        f.equal("%i", I32, [3], [1, 3, 4])
    broadcasting_others(file)


def broadcasting(rng):
    """Shapes are aligned at their ends, sizes of one are repeated."""
    file = File("chlo_broadcast", covers=[f"chlo.broadcast_{n}" for n in (*FLOAT_BINARY, "and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical")])
    for name, table, ty in [(n, FLOAT_BINARY, F32) for n in FLOAT_BINARY] + [(n, INT_BINARY, I32) for n in INT_BINARY]:
        f = file.function(f"{name}_{ty}")
        a = [float(v) for v in (1, -2, 0.5, 3, 0.25, -7)] if ty is F32 else [rng.randint(-99, 99) for _ in range(6)]
        b = [2.0, -3.0, 1.5] if ty is F32 else [3, 1, 30]
        if name == "power" and ty is F32:
            a = [abs(v) for v in a]
        x, y = f.constant(ty, [2, 3], a), f.constant(ty, [3], b)
        r = f.op(f"chlo.broadcast_{name} {x}, {y} : ({tensor(ty, [2, 3])}, {tensor(ty, [3])}) -> {tensor(ty, [2, 3])}")
        pairs = [(a[3 * i + j], b[j]) for i in range(2) for j in range(3)]
        if ty is F32:
            f.close(r, ty, [2, 3], [ty.round(table[name](p, q)) for p, q in pairs])
        else:
            f.equal(r, ty, [2, 3], [table[name](ty, p, q) for p, q in pairs])


def broadcasting_others(file):
    """The rest of CHLO's operations that broadcast, and its functions of two numbers."""
    both = "(tensor<2x3xf32>, tensor<3xf32>)"
    a, b = [1.0, -2.0, 0.5, 3.0, 2.5, -7.0], [2.0, -2.0, 1.5]
    pairs = [(a[3 * i + j], b[j]) for i in range(2) for j in range(3)]
    f = file.function("broadcast_compare")
    x, y = f.constant(F32, [2, 3], a), f.constant(F32, [3], b)
    r = f.op(f"chlo.broadcast_compare {x}, {y} {{comparison_direction = #chlo<comparison_direction LE>}} : {both} -> tensor<2x3xi1>")
    f.equal(r, I1, [2, 3], [int(p <= q) for p, q in pairs])
    f = file.function("broadcast_complex")
    x, y = f.constant(F32, [2, 3], a), f.constant(F32, [3], b)
    f.equal(f.op(f"chlo.broadcast_complex {x}, {y} : {both} -> tensor<2x3xcomplex<f32>>"), ALL[-2], [2, 3], pairs)
    f = file.function("broadcast_next_after")
    x, y = f.constant(F32, [2, 1], [1.0, -1.0]), f.constant(F32, [2], [2.0, -2.0])
    step = 2.0**-23
    r = f.op(f"chlo.broadcast_next_after {x}, {y} : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<2x2xf32>")
    f.equal(r, F32, [2, 2], [1.0 + step, 1.0 - step / 2, -1.0 + step / 2, -1.0 - step])
    f = file.function("broadcast_select")
    p, x, y = f.constant(I1, [3], [1, 0, 1]), f.constant(F32, [2, 3], a), f.constant(F32, [3], b)
    r = f.op(f"chlo.broadcast_select {p}, {x}, {y} : (tensor<3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>")
    f.equal(r, F32, [2, 3], [u if (1, 0, 1)[k % 3] else v for k, (u, v) in enumerate(pairs)])
    f = file.function("constant_like")
    x = f.constant(F32, [2, 3], a)
    f.equal(f.op(f'"chlo.constant_like"({x}) {{value = 2.5 : f32}} : (tensor<2x3xf32>) -> tensor<2x3xf32>'), F32, [2, 3], [2.5] * 6)
    left_of_zero(file)
    for ty in (F32, F64):
        t = tensor(ty, [4])
        zs, qs = [1.5, 2.0, 3.25, 12.0], [0.5, 1.0, 4.5, 2.0]
        f = file.function(f"zeta_{ty}")
        x, q = f.constant(ty, [4], zs), f.constant(ty, [4], qs)
        exact = [ty.round(mpmath.mpf(mpmath.zeta(s, v))) for s, v in zip(map(mpmath.mpf, zs), map(mpmath.mpf, qs))]
        f.close(f.op(f"chlo.zeta {x}, {q} : {t}, {t} -> {t}"), ty, [4], exact, 3 if ty is F32 else 24)
        f.close(f.op(f"chlo.broadcast_zeta {x}, {q} : ({t}, {t}) -> {t}"), ty, [4], exact, 3 if ty is F32 else 24)
        ns, xs = [1.0, 2.0, 3.0, 1.0], [0.5, 1.0, 4.5, 20.0]
        f = file.function(f"polygamma_{ty}")
        n, x = f.constant(ty, [4], ns), f.constant(ty, [4], xs)
        exact = [ty.round(mpmath.mpf(mpmath.polygamma(int(k), mpmath.mpf(v)))) for k, v in zip(ns, xs)]
        f.close(f.op(f"chlo.polygamma {n}, {x} : {t}, {t} -> {t}"), ty, [4], exact, 3 if ty is F32 else 8)
        f.close(f.op(f"chlo.broadcast_polygamma {n}, {x} : ({t}, {t}) -> {t}"), ty, [4], exact, 3 if ty is F32 else 8)


def left_of_zero(file):
    """The sums of whole powers, left of zero beside the roots and the poles that they have there."""

    def zeta(s, q):
        """mpmath sums the terms right of zero, the others are added up here."""
        with mpmath.workprec(1500):
            q, steps = mpmath.mpf(q), -int(mpmath.floor(q))
            return sum((q + k) ** -s for k in range(steps)) + mpmath.zeta(s, q + steps)

    rows = [(s, -k - 0.5) for s in (3, 9, 15, 33, 101) for k in (0, 1, 7)]
    rows += [(s, q) for s in (2, 3, 4, 5, 8, 15, 21) for q in (-0.25, -0.625, -1e-6, -0.3333, -2.000001, -9.75, -120.125)]
    # At some distance from a root: nearer to that of 3 at -0.49571…, of 5 at -0.49977… more digits would be needed.
    rows += [(3, -0.4917), (3, -2.5034), (5, -0.4995), (5, -1.49978), (7, -0.49993), (9, -0.4999)]
    n = [len(rows)]
    t = tensor(F64, n)
    f = file.function("zeta_left_of_zero")
    s, q = f.constant(F64, n, [float(s) for s, _ in rows]), f.constant(F64, n, [q for _, q in rows])
    f.close(f.op(f"chlo.zeta {s}, {q} : {t}, {t} -> {t}"), F64, n, [F64.round(zeta(s, q)) for s, q in rows])


def mhlo():
    """MHLO's spelling of operations of StableHLO, and what only it has."""
    file = File("mhlo", covers=["mhlo.copy", "mhlo.bitcast", "mhlo.add", "mhlo.tan", "mhlo.erf"])
    rng = random.Random("mhlo")
    for ty in ALL:
        if ty.is_float and ty.special == "e8m0":
            continue
        values = some(ty, rng, 4)
        f = file.function(f"copy_{ty}")
        x = f.constant(ty, [4], values)
        t = tensor(ty, [4])
        f.equal(f.op(f'"mhlo.copy"({x}) : ({t}) -> {t}'), ty, [4], values)
        f.equal(f.op(f'"mhlo.reverse"({x}) {{dimensions = dense<0> : tensor<1xi64>}} : ({t}) -> {t}'), ty, [4], values[::-1])
    for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum"):
        f = file.function(f"mhlo_{name}")
        a, b = [1.0, -2.0, 6.0], [4.0, 0.5, -3.0]
        x, y = f.constant(F32, [3], a), f.constant(F32, [3], b)
        t = tensor(F32, [3])
        f.equal(f.op(f'"mhlo.{name}"({x}, {y}) : ({t}, {t}) -> {t}'), F32, [3], [F32.round(FLOAT_BINARY[name](p, q)) for p, q in zip(a, b)])


def dynamic():
    """One function of unknown sizes, called with three of them."""
    file = File("dynamic", covers=[f"stablehlo.{n}" for n in ("dynamic_reshape", "dynamic_broadcast_in_dim", "dynamic_pad", "real_dynamic_slice", "dynamic_iota", "set_dimension_size")])
    for ty in (F32, I8, I1, BF16, F64, I64, U8, TINY[8], ALL[-1]):
        for n in (0, 1, 5):
            rng = random.Random(n)
            values = some(ty, rng, 2 * n)
            f = file.function(f"dynamic_{ty}_{n}")
            x = f.constant(ty, [2, n], values)
            u = f"tensor<2x?x{ty}>"
            d = f.op(f"stablehlo.convert {x} : ({tensor(ty, [2, n])}) -> {u}") if False else f.op(f'"stablehlo.dynamic_reshape"({x}, {f.constant(I64, [2], [2, n])}) : ({tensor(ty, [2, n])}, tensor<2xi64>) -> {u}')
            # Reshape, broadcast, pad and slice with sizes that only the values say.
            shape = f.constant(I64, [2], [n, 2])
            r = f.op(f"stablehlo.dynamic_reshape {d}, {shape} : ({u}, tensor<2xi64>) -> tensor<?x2x{ty}>")
            f.equal(static(f, r, f"tensor<?x2x{ty}>", ty, [n, 2]), ty, [n, 2], values)
            shape = f.constant(I64, [3], [3, 2, n])
            r = f.op(f"stablehlo.dynamic_broadcast_in_dim {d}, {shape}, dims = [1, 2] : ({u}, tensor<3xi64>) -> tensor<3x2x?x{ty}>")
            f.equal(static(f, r, f"tensor<3x2x?x{ty}>", ty, [3, 2, n]), ty, [3, 2, n], values * 3)
            filler = some(ty, rng, 1)
            c = f.constant(ty, [], filler)
            low, high, interior = (f.constant(I64, [2], v) for v in ([0, 1], [1, 2], [0, 0]))
            r = f.op(f"stablehlo.dynamic_pad {d}, {c}, {low}, {high}, {interior} : ({u}, {tensor(ty, [])}, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x?x{ty}>")
            rows = [filler + values[n * k : n * k + n] + filler * 2 for k in range(2)] + [filler * (n + 3)]
            f.equal(static(f, r, f"tensor<3x?x{ty}>", ty, [3, n + 3]), ty, [3, n + 3], sum(rows, []))
            if n:
                start, limit, stride = (f.constant(I64, [2], v) for v in ([0, n // 2], [2, n], [1, 1]))
                r = f.op(f"stablehlo.real_dynamic_slice {d}, {start}, {limit}, {stride} : ({u}, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> {u}")
                kept = [values[n * k + i] for k in range(2) for i in range(n // 2, n)]
                f.equal(static(f, r, u, ty, [2, n - n // 2]), ty, [2, n - n // 2], kept)
    for n in (0, 2, 4):
        f = file.function(f"set_dimension_size_{n}")
        x, size = f.constant(I32, [4], [5, 6, 7, 8]), f.constant(I32, [], [n])
        b = "tensor<?xi32, #stablehlo.bounds<4>>"
        r = f.op(f"stablehlo.set_dimension_size {x}, {size}, dim = 0 : (tensor<4xi32>, tensor<i32>) -> {b}")
        f.equal(f.op(f"stablehlo.get_dimension_size {r}, dim = 0 : ({b}) -> tensor<i32>"), I32, [], [n])
        zero = f.literal(I32, [], [0])
        s = f.op(f"stablehlo.reduce({r} init: {zero}) applies stablehlo.add across dimensions = [0] : ({b}, tensor<i32>) -> tensor<i32>")
        f.equal(s, I32, [], [sum([5, 6, 7, 8][:n])])
        t = f.op(f"stablehlo.add {r}, {r} : {b}")
        s = f.op(f"stablehlo.reduce({t} init: {zero}) applies stablehlo.add across dimensions = [0] : ({b}, tensor<i32>) -> tensor<i32>")
        f.equal(s, I32, [], [2 * sum([5, 6, 7, 8][:n])])


def static(f, value, unknown, ty, shape):
    """The same elements with the shape that they must have: an error where they have another number."""
    sizes = f.literal(I64, [len(shape)], shape)
    return f.op(f"stablehlo.dynamic_reshape {value}, {sizes} : ({unknown}, {tensor(I64, [len(shape)])}) -> {tensor(ty, shape)}")


def channel(shape, axis):
    """The index along the axis of every element in row-major order."""
    after = math.prod(shape[axis + 1 :]) if axis is not None else 1
    return [k // after % shape[axis] if axis is not None else 0 for k in range(math.prod(shape))]


def quantized_arithmetic():
    rng = random.Random("quantized")
    file = File("quantized", covers=["stablehlo.uniform_quantize", "stablehlo.uniform_dequantize"])
    columns = quantized(I8, F32, [0.5, 0.125], [-3, 4], 0)
    narrow = quantized(SIGNED[1], F32, [0.5], [1])
    limited = quantized(I8, F32, [0.25], [2], bounds=(-100, 90))
    halves = quantized(I8, BF16, [0.5], [-3])
    # Stored integers, zero points, scales and ends of the range that are no numbers of the expressed type.
    rounded = [
        quantized(SIGNED[3], BF16, [0.01], [5]),
        quantized(UNSIGNED[3], F16, [0.02], [2049]),
        quantized(I8, F16, [0.3], [-3], bounds=(-100, 99)),
        quantized(SIGNED[3], BF16, [0.3], [0], bounds=(-1001, 1003)),
    ]
    types = [QI8, QU8, narrow, limited, columns, quantized(I8, F32, [0.5, 0.25, 2.0], [1, -2, 5], 1), halves, *rounded]
    for k, q in enumerate(types):
        shape = [2, 3]
        n = tensor(q.expressed, shape)
        at = channel(shape, q.axis)
        f = file.function(f"quantize_{k}")
        reals = [q.expressed.round(v) for v in (0.0, 1.25, -7.5, 1000.0, -1000.0, 0.375)]
        x = f.constant(q.expressed, shape, reals)
        r = f.op(f"stablehlo.uniform_quantize {x} : ({n}) -> {tensor(q, shape)}")
        f.equal(r, q, shape, [q.store(v, c) for v, c in zip(reals, at)])
        stored = [rng.randint(q.low, q.high) for _ in range(6)]
        y = f.constant(q, shape, stored)
        r = f.op(f"stablehlo.uniform_dequantize {y} : ({tensor(q, shape)}) -> {n}")
        f.equal(r, q.expressed, shape, [q.real(v, c) for v, c in zip(stored, at)])
        again = quantized(I8, q.expressed, [1.0], [7]) if q.axis is None else None
        if again:
            r = f.op(f"stablehlo.uniform_quantize {y} : ({tensor(q, shape)}) -> {tensor(again, shape)}")
            f.equal(r, again, shape, [again.store(q.real(v)) for v in stored])
        if q.axis is None:
            other = quantized(q.storage, q.expressed, [0.25], [1], bounds=(q.low, q.high) if q.name.count("<") > 1 else None)
            for name in ("add", "subtract", "multiply", "maximum", "minimum"):
                a, b = ([rng.randint(t.low, t.high) for _ in range(6)] for t in (q, q))
                f = file.function(f"{name}_{k}")
                x, y = f.constant(q, shape, a), f.constant(q, shape, b)
                t = tensor(q, shape)
                r = f.op(f"stablehlo.{name} {x}, {y} : ({t}, {t}) -> {tensor(other, shape)}" if name in ("add", "subtract", "multiply") else f"stablehlo.{name} {x}, {y} : {t}")
                out = other if name in ("add", "subtract", "multiply") else q
                exact = [FLOAT_BINARY[name](q.real(u), q.real(v)) for u, v in zip(a, b)]
                f.equal(r, out, shape, [out.store(out.expressed.round(e)) for e in exact])
            for name in ("abs", "negate", "floor", "ceil"):
                a = [rng.randint(q.low, q.high) for _ in range(6)]
                f = file.function(f"{name}_{k}")
                x, t = f.constant(q, shape, a), tensor(q, shape)
                function = {"abs": abs, "negate": lambda v: -v, "floor": math.floor, "ceil": math.ceil}[name]
                r = f.op(f"stablehlo.{name} {x} : {t}")
                f.equal(r, q, shape, [q.store(float(function(q.real(v)))) for v in a])
    products(file, rng)
    by_definition(file, random.Random("by definition"))


def by_definition(file, rng):
    """Operations that are not done on the stored integers: on the real numbers, quantized again."""
    q, shape = QI8, [2, 3]
    t = tensor(q, shape)
    stored = [rng.randint(-40, 40) for _ in range(6)]
    reals = [Fraction(q.real(v)) for v in stored]
    f = file.function("iota_0")
    f.equal(f.op(f"stablehlo.iota dim = 1 : {t}"), q, shape, [q.store(float(j)) for _ in range(2) for j in range(3)])
    f = file.function("reduce_precision_0")
    x = f.constant(q, shape, stored)

    def short(v):
        """With two digits behind the first one, to nearest even."""
        if v == 0:
            return 0.0
        unit = Fraction(2) ** (math.frexp(float(v))[1] - 3)
        return float(round(v / unit) * unit)

    f.equal(f.op(f"stablehlo.reduce_precision {x}, format = e5m2 : {t}"), q, shape, [q.store(short(v)) for v in reals])
    # Deviations of two: 3.5 and 0.5 are added.
    f = file.function("batch_norm_inference_0")
    x, vector = f.constant(q, shape, stored), tensor(q, [3])
    scale, offset, mean = ([rng.randint(-20, 20) for _ in range(3)] for _ in range(3))
    variance = [q.store(3.5)] * 3
    operands = [x, *(f.constant(q, [3], v) for v in (scale, offset, mean, variance))]
    r = f.op(f'"stablehlo.batch_norm_inference"({", ".join(operands)}) {{epsilon = 0.5 : f32, feature_index = 1 : i64}} : ({t}, {", ".join([vector] * 4)}) -> {t}')
    want = [(v - Fraction(q.real(mean[i % 3]))) / 2 * Fraction(q.real(scale[i % 3])) + Fraction(q.real(offset[i % 3])) for i, v in enumerate(reals)]
    f.equal(r, q, shape, [q.store(float(v)) for v in want])
    # With a scale for each column.
    axis = quantized(I8, F32, [0.5, 0.25, 2.0], [1, -2, 5], 1)
    at, ty = channel(shape, 1), tensor(axis, shape)
    a, b = ([rng.randint(-100, 100) for _ in range(6)] for _ in range(2))
    f = file.function("add_axis")
    x, y = f.constant(axis, shape, a), f.constant(axis, shape, b)
    f.equal(f.op(f"stablehlo.add {x}, {y} : {ty}"), axis, shape, [axis.store(axis.real(u, c) + axis.real(v, c), c) for u, v, c in zip(a, b, at)])
    right, out = quantized(I8, F32, [0.5, 0.25, 2.0], [0, 0, 0], 1), quantized(I32, F32, [0.25, 0.125, 1.0], [0, 0, 0], 1)
    f = file.function("dot_axis")
    a, b = [rng.randint(-20, 20) for _ in range(4)], [rng.randint(-20, 20) for _ in range(6)]
    x, y = f.constant(q, [2, 2], a), f.constant(right, shape, b)
    want = [sum(Fraction(q.real(a[2 * i + k])) * Fraction(right.real(b[3 * k + j], j)) for k in range(2)) for i in range(2) for j in range(3)]
    r = f.op(f"stablehlo.dot {x}, {y} : ({tensor(q, [2, 2])}, {tensor(right, shape)}) -> {tensor(out, shape)}")
    f.equal(r, out, shape, [out.store(float(v), i % 3) for i, v in enumerate(want)])


def products(file, rng):
    """Sums of products of the real numbers, quantized again."""
    left = quantized(I8, F32, [0.5], [-3])
    right = quantized(I8, F32, [0.25], [0])
    for label, r, out in (
        ("dot", right, quantized(I32, F32, [0.125], [0])),
    ):
        a = [rng.randint(-20, 20) for _ in range(8)]
        b = [rng.randint(-20, 20) for _ in range(12)]
        f = file.function(label)
        x, y = f.constant(left, [2, 4], a), f.constant(r, [4, 3], b)
        types = f"({tensor(left, [2, 4])}, {tensor(r, [4, 3])}) -> {tensor(out, [2, 3])}"
        expected = []
        for i in range(2):
            for j in range(3):
                total = sum(Fraction(left.real(a[4 * i + k])) * Fraction(r.real(b[3 * k + j], j)) for k in range(4))
                expected.append(out.store(F32.round(total), j))
        value = f.op(f"stablehlo.dot_general {x}, {y}, contracting_dims = [1] x [0] : {types}")
        f.equal(value, out, [2, 3], expected)
        # The same as a convolution with a window of one element.
        f = file.function(label.replace("dot", "convolution"))
        kernel = r if r.axis is None else quantized(I8, F32, r.scales, r.zeros, 2)
        result = out if out.axis is None else quantized(I32, F32, out.scales, out.zeros, 2)
        x, y = f.constant(left, [1, 2, 4], a), f.constant(kernel, [1, 4, 3], b)
        types = f"({tensor(left, [1, 2, 4])}, {tensor(kernel, [1, 4, 3])}) -> {tensor(result, [1, 2, 3])}"
        value = f.op(
            f"stablehlo.convolution({x}, {y}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{stride = [1]}}"
            f" {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : {types}"
        )
        f.equal(value, result, [1, 2, 3], expected)
    # Movements with scales of an axis, which moves along.
    shape = [2, 3]
    stored = [rng.randint(-128, 127) for _ in range(6)]
    q = quantized(I8, F32, [0.5, 0.25, 2.0], [1, -2, 5], 1)
    turned = quantized(I8, F32, q.scales, q.zeros, 0)
    f = file.function("transpose_axis")
    x = f.constant(q, shape, stored)
    f.equal(f.op(f"stablehlo.transpose {x}, dims = [1, 0] : ({tensor(q, shape)}) -> {tensor(turned, [3, 2])}"), turned, [3, 2], [stored[3 * i + j] for j in range(3) for i in range(2)])
    behind = quantized(I8, F32, q.scales, q.zeros, 2)
    f = file.function("reshape_axis")
    x = f.constant(q, shape, stored)
    f.equal(f.op(f"stablehlo.reshape {x} : ({tensor(q, shape)}) -> {tensor(behind, [2, 1, 3])}"), behind, [2, 1, 3], stored)
    f = file.function("broadcast_axis")
    x = f.constant(q, shape, stored)
    r = f.op(f"stablehlo.broadcast_in_dim {x}, dims = [1, 2] : ({tensor(q, shape)}) -> {tensor(behind, [2, 2, 3])}")
    f.equal(r, behind, [2, 2, 3], stored * 2)


def generate():
    chlo()
    mhlo()
    dynamic()
    quantized_arithmetic()


__all__ = ["I1", "INTS", "dense", "generate"]
