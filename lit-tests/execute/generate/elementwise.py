"""Element-wise operations on every type that they accept."""

import math
import random

import mpmath

from formats import (
    ALL,
    C64,
    C128,
    COMPLEX,
    F32,
    F64,
    FLOATS,
    I1,
    INF,
    INTS,
    NAN,
    SIGNED,
)
from program import File, Int, tensor
from reference import BOOL_BINARY, FLOAT_BINARY, FLOAT_UNARY, FLOAT_UNARY_EXACT, INT_BINARY, INT_UNARY
import complexes

EDGES = [0.0, -0.0, 1.0, -1.5, INF, -INF, NAN]


def unique(values):
    seen, out = set(), []
    for x in values:
        if x is None or repr(x) in seen:
            continue
        seen.add(repr(x))
        out.append(x)
    return out


def float_samples(ty, rng, low=-6, high=6, extra=(), count=10):
    """Special values, halves and random numbers with exponents in the range."""
    values = [ty.sample(x) for x in [*EDGES, -1.0, 0.5, -0.5, 2.5, -2.5, 3.0, *extra]]
    values += [ty.tiny, ty.normal, ty.max]
    if ty.signed:
        values += [-ty.tiny, -ty.max]
    for _ in range(count):
        x = math.ldexp(rng.uniform(0.5, 1), rng.randint(low, high)) * rng.choice([1, -1])
        values.append(ty.sample(x))
    return unique(values)


def float_pairs(ty, rng):
    edges = [ty.sample(x) for x in [0.0, -0.0, 1.0, -1.5, INF, -INF, NAN]] + [ty.tiny, ty.max]
    if ty.signed:
        edges.append(-ty.max)
    edges = unique(edges)
    pairs = [(x, y) for x in edges for y in edges]
    for low, high in [(-2, 4)] * 12 + [(ty.least_exponent - ty.mantissa, ty.least_exponent + 1)] * 4:
        x, y = (ty.sample(math.ldexp(rng.uniform(0.5, 1), rng.randint(low, high)) * rng.choice([1, -1])) for _ in "xy")
        if x is not None and y is not None:
            pairs.append((x, y))
    return pairs


def int_samples(ty, rng):
    values = [0, 1, 2, 3, -1, -2, ty.low, ty.low + 1, ty.high, ty.high - 1, ty.high // 2 + 1]
    values += [rng.randint(ty.low, ty.high) for _ in range(5)]
    return sorted({x for x in values if ty.low <= x <= ty.high})


def int_pairs(ty, rng):
    few = sorted({x for x in [0, 1, 2, 3, -1, -2, ty.low, ty.high, ty.width, ty.width - 1] if ty.low <= x <= ty.high})
    pairs = [(x, y) for x in few for y in few]
    return pairs + [(rng.randint(ty.low, ty.high), rng.randint(ty.low, ty.high)) for _ in range(12)]


def tolerance(ty):
    """3 ULP, where one is nearly nothing; the narrow formats are rounded from a wider one."""
    return 3 if ty.width >= 32 else 1


def signature(dialect, types, result):
    return f"({', '.join(types)}) -> {result}" if dialect == "chlo" else result


def run(file, name, ty, columns, results, exact=True, dialect="stablehlo"):
    """One function: `name` on the columns gives the results; zeros are compared with their sign in a second call."""
    columns = [list(column) for column in columns]
    f = file.function(f"{name}_{ty}")
    t = tensor(ty, [len(results)])
    arguments = [f.constant(ty, [len(results)], column) for column in columns]
    value = f.op(f"{dialect}.{name} {', '.join(arguments)} : {signature(dialect, [t] * len(columns), t)}")
    if exact or not (ty.is_float or ty.is_complex):
        f.equal(value, ty, [len(results)], results)
    else:
        f.close(value, ty, [len(results)], results, tolerance(ty))
    if not ty.is_float or ty.width < 8 or not ty.has_negative_zero or not ty.has_zero:
        return
    rows = [i for i, x in enumerate(results) if x == 0]
    if not rows:
        return
    t = tensor(ty, [len(rows)])
    arguments = [f.constant(ty, [len(rows)], [column[i] for i in rows]) for column in columns]
    value = f.op(f"{dialect}.{name} {', '.join(arguments)} : {signature(dialect, [t] * len(columns), t)}")
    f.bits_equal(value, ty, [len(rows)], [results[i] for i in rows])


def rounded(ty, value):
    """The number of the type; None where the type has none for it."""
    if value is None:
        return None
    if isinstance(value, (float, mpmath.mpf)) and mpmath.isnan(value):
        return NAN if ty.has_nan else None
    if isinstance(value, float) and math.isinf(value):
        # A format without infinity: how division by zero ends is open.
        return value if ty.has_inf else None
    if ty.special == "e8m0" and value <= 0:
        # It has neither zero nor negative numbers.
        return NAN
    result = ty.round(value)
    return None if math.isnan(result) and not ty.has_nan else result


def shapes(file, name, count):
    """The operation on tensors without elements and of rank 0 and 2."""
    for shape in ([0], [3, 0], [], [1, 1], [2, 3]):
        f = file.function(f"{name}_shape_{'x'.join(map(str, shape)) or 'scalar'}")
        total = math.prod(shape)
        values = [float(i + 1) for i in range(total)]
        arguments = [f.constant(F32, shape, values) for _ in range(count)]
        t = tensor(F32, shape)
        value = f.op(f"stablehlo.{name} {', '.join(arguments)} : {t}")
        function = {**FLOAT_BINARY, **FLOAT_UNARY_EXACT}[name]
        f.equal(value, F32, shape, [F32.round(function(*[x] * count)) for x in values])


def binary(name, dialect="stablehlo", file_name=None):
    rng = random.Random(name)
    file = File(file_name or name, covers=[f"{dialect}.{name}"], both=dialect == "stablehlo")
    if name in BOOL_BINARY:
        pairs = [(x, y) for x in (0, 1) for y in (0, 1)]
        run(file, name, I1, zip(*pairs), [BOOL_BINARY[name](x, y) for x, y in pairs])
    if name in INT_BINARY:
        for ty in INTS:
            pairs = int_pairs(ty, rng)
            run(file, name, ty, zip(*pairs), [INT_BINARY[name](ty, x, y) for x, y in pairs])
    if name in FLOAT_BINARY:
        for ty in FLOATS:
            rows = [(p, rounded(ty, FLOAT_BINARY[name](*p))) for p in float_pairs(ty, rng)]
            rows = [(p, r) for p, r in rows if r is not None]
            if rows:
                columns = zip(*[p for p, _ in rows])
                run(file, name, ty, list(columns), [r for _, r in rows], name not in ("power", "atan2"), dialect)
    if name in complexes.BINARY:
        for ty in COMPLEX:
            rows = complexes.binary_rows(name, ty, rng)
            run(file, name, ty, zip(*[p for p, _ in rows]), [r for _, r in rows], name in complexes.EXACT, dialect)
            complexes.hard(file, name, ty)
    if name in ("add", "maximum"):
        shapes(file, name, 2)
    return file


# Where the interesting arguments of a function are: exponents of random samples and more values.
RANGES = {
    "cosine": (-10, 12, [3.140625, 1.5703125, 1000.0]),
    "sine": (-10, 12, [3.140625, 1.5703125, 1000.0]),
    "tan": (-10, 10, [3.140625, 1.5703125, 1000.0]),
    "tanh": (-10, 5, [20.0, -20.0]),
    "exponential": (-10, 6, [88.0, 89.0, -87.0, -103.0, -104.5, 709.0, 710.0, -745.0, -746.5, 11.0, -17.0]),
    "exponential_minus_one": (-20, 6, [88.0, 89.0, -40.0, 709.0, 710.0]),
    "log": (-20, 20, [0.99609375, 1.0078125, 2.0]),
    "log_plus_one": (-20, 20, [-0.99609375, 1.0078125]),
    "logistic": (-10, 6, [-87.0, -104.0, 40.0, -700.0]),
}


def unary(name, dialect="stablehlo", file_name=None):
    rng = random.Random(name)
    file = File(file_name or name, covers=[f"{dialect}.{name}"], both=dialect == "stablehlo")
    if name == "not":
        run(file, name, I1, [[0, 1]], [1, 0])
    if name in INT_UNARY:
        for ty in SIGNED if name in ("abs", "sign") else INTS:
            values = int_samples(ty, rng)
            run(file, name, ty, [values], [INT_UNARY[name](ty, x) for x in values])
    reals = {**FLOAT_UNARY, **FLOAT_UNARY_EXACT}
    if name in reals:
        low, high, extra = RANGES.get(name, (-6, 8, ()))
        for ty in FLOATS:
            rows = [(x, rounded(ty, reals[name](x))) for x in float_samples(ty, rng, low, high, extra)]
            # What overflows or vanishes to 0 by a hair is a matter of the last bit; only clear cases stay.
            rows = [(x, r) for x, r in rows if r is not None]
            if rows:
                run(file, name, ty, [[x for x, _ in rows]], [r for _, r in rows], name in FLOAT_UNARY_EXACT, dialect)
    if name in complexes.UNARY:
        for ty in COMPLEX:
            complexes.unary(file, name, ty, rng, dialect)
            complexes.hard(file, name, ty)
    if name in ("negate", "sqrt"):
        shapes(file, name, 1)
    return file


def predicates():
    file = File("is_finite", covers=["stablehlo.is_finite"], both=True)
    for ty in FLOATS:
        values = float_samples(ty, random.Random(1))
        f = file.function(f"is_finite_{ty}")
        value = f.constant(ty, [len(values)], values)
        n = [len(values)]
        result = f.op(f"stablehlo.is_finite {value} : ({tensor(ty, n)}) -> {tensor(I1, n)}")
        f.equal(result, I1, n, [int(math.isfinite(x)) for x in values])
    for name, test in [
        ("is_inf", math.isinf),
        ("is_pos_inf", lambda x: x == INF),
        ("is_neg_inf", lambda x: x == -INF),
    ]:
        file = File(name, covers=[f"chlo.{name}"])
        for ty in FLOATS:
            values = float_samples(ty, random.Random(1))
            f = file.function(f"{name}_{ty}")
            value = f.constant(ty, [len(values)], values)
            n = [len(values)]
            result = f.op(f"chlo.{name} {value} : {tensor(ty, n)} -> {tensor(I1, n)}")
            f.equal(result, I1, n, [int(test(x)) for x in values])


def parts():
    for name in ("real", "imag"):
        file = File(name, covers=[f"stablehlo.{name}"], both=True)
        for ty in FLOATS:
            values = float_samples(ty, random.Random(1))
            run(file, name, ty, [values], [x if name == "real" else ty.round(0.0) for x in values])
        for ty in COMPLEX:
            values = [(1.5, -2.0), (-0.0, 0.0), (INF, NAN), (ty.part.tiny, ty.part.max)]
            f = file.function(f"{name}_{ty}")
            value = f.constant(ty, [4], values)
            result = f.op(f"stablehlo.{name} {value} : ({tensor(ty, [4])}) -> {tensor(ty.part, [4])}")
            f.equal(result, ty.part, [4], [z[name == "imag"] for z in values])
    file = File("complex", covers=["stablehlo.complex"], both=True)
    for ty in COMPLEX:
        re, im = [1.5, -0.0, INF, ty.part.tiny], [-2.0, 0.0, NAN, ty.part.max]
        f = file.function(f"complex_{ty}")
        arguments = [f.constant(ty.part, [4], x) for x in (re, im)]
        result = f.op(f"stablehlo.complex {', '.join(arguments)} : {tensor(ty, [4])}")
        f.equal(result, ty, [4], zip(re, im))


def total_order(ty, x):
    bits = ty.encode(x)
    half = 1 << (ty.width - 1)
    return half - 1 - bits if bits >= half else bits


DIRECTIONS = {
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
}


def compared(direction, x, y):
    """Complex numbers are compared lexicographically; NE is the negation of EQ also with NaN."""
    if not isinstance(x, tuple):
        return DIRECTIONS[direction](x, y)
    if direction == "EQ":
        return x[0] == y[0] and x[1] == y[1]
    if direction == "NE":
        return not compared("EQ", x, y)
    return DIRECTIONS[direction](x[1], y[1]) if x[0] == y[0] else DIRECTIONS[direction](x[0], y[0])


def compare():
    rng = random.Random("compare")
    file = File("compare", covers=["stablehlo.compare"])
    for ty in ALL:
        kinds = [None, "TOTALORDER"] if ty.is_float and ty.has_negative_zero and ty.width > 8 else [None]
        if ty.is_bool:
            pairs = [(x, y) for x in (0, 1) for y in (0, 1)]
        elif ty.is_int:
            pairs = int_pairs(ty, rng)
        elif ty.is_float:
            pairs = float_pairs(ty, rng)
        else:
            zs = [(0.0, 1.0), (0.0, -1.0), (-0.0, 1.0), (1.0, NAN), (NAN, 1.0), (2.0, 0.0), (INF, 0.0), (-INF, INF)]
            pairs = [(x, y) for x in zs for y in zs]
        n = [len(pairs)]
        for kind in kinds:
            f = file.function(f"compare_{ty}_{kind or 'default'}")
            a, b = (f.constant(ty, n, column) for column in zip(*pairs))
            for direction in DIRECTIONS:
                text = f", {kind}" if kind else ""
                result = f.op(
                    f"stablehlo.compare {direction}, {a}, {b}{text} : ({tensor(ty, n)}, {tensor(ty, n)}) -> {tensor(I1, n)}"
                )
                if kind:
                    expected = [DIRECTIONS[direction](total_order(ty, x), total_order(ty, y)) for x, y in pairs]
                else:
                    expected = [compared(direction, x, y) for x, y in pairs]
                f.equal(result, I1, n, [int(e) for e in expected])
    for ty in FLOATS:
        signed_nan(file, ty)


def signed_nan(file, ty):
    """In the total order NaN is at the end where its sign is; the only NaN of a format without a negative zero has none."""
    if ty.width < 8 or not ty.signed:
        return
    negative = 1 << (ty.width - 1)
    if ty.has_negative_zero:
        numbers = [ty.encode(NAN) | negative, ty.encode(-ty.max), negative, 0, ty.encode(ty.max), ty.encode(NAN)]
    else:
        numbers = [ty.encode(-ty.max), 0, ty.encode(ty.max), ty.encode(NAN)]
    pairs = [(i, j) for i in range(len(numbers)) for j in range(len(numbers))]
    n = [len(pairs)]
    unsigned = Int(f"ui{ty.width}", ty.width, False)
    f = file.function(f"compare_{ty}_signed_nan")
    t = tensor(ty, n)
    arguments = []
    for k in (0, 1):
        bits = f.constant(unsigned, n, [numbers[pair[k]] for pair in pairs])
        arguments.append(f.op(f"stablehlo.bitcast_convert {bits} : ({tensor(unsigned, n)}) -> {t}"))
    for direction in DIRECTIONS:
        result = f.op(f"stablehlo.compare {direction}, {', '.join(arguments)}, TOTALORDER : ({t}, {t}) -> {tensor(I1, n)}")
        f.equal(result, I1, n, [int(DIRECTIONS[direction](i, j)) for i, j in pairs])


def some(ty, rng, count):
    """Ordinary numbers of the type."""
    if ty.is_quantized:
        return [rng.randint(ty.low, ty.high) for _ in range(count)]
    if ty.is_bool:
        return [rng.randint(0, 1) for _ in range(count)]
    if ty.is_int:
        return [rng.randint(ty.low, ty.high) for _ in range(count)]
    if ty.is_complex:
        return [(float(rng.randint(-9, 9)), float(rng.randint(-9, 9))) for _ in range(count)]
    values = [x for x in float_samples(ty, rng, -4, 4, count=4 * count) if math.isfinite(x)]
    return [rng.choice(values) for _ in range(count)]


def select_and_clamp():
    rng = random.Random("select")
    file = File("select", covers=["stablehlo.select"], both=True)
    for ty in ALL:
        f = file.function(f"select_{ty}")
        n = [9]
        pred = [rng.randint(0, 1) for _ in range(9)]
        yes, no = some(ty, rng, 9), some(ty, rng, 9)
        p, a, b = f.constant(I1, n, pred), f.constant(ty, n, yes), f.constant(ty, n, no)
        t = tensor(ty, n)
        result = f.op(f"stablehlo.select {p}, {a}, {b} : {tensor(I1, n)}, {t}")
        f.equal(result, ty, n, [x if c else y for c, x, y in zip(pred, yes, no)])
        scalar = f.constant(I1, [], [0])
        result = f.op(f"stablehlo.select {scalar}, {a}, {b} : {tensor(I1, [])}, {t}")
        f.equal(result, ty, n, no)
    file = File("clamp", covers=["stablehlo.clamp"], both=True)
    for ty in ALL:
        f = file.function(f"clamp_{ty}")
        n = [12]
        if ty.is_float:
            high, low = FLOAT_BINARY["maximum"], FLOAT_BINARY["minimum"]
        else:
            high, low = max, min  # Python's tuples are ordered lexicographically, as complex numbers here.
        x, a, b = some(ty, rng, 12), some(ty, rng, 12), some(ty, rng, 12)
        if ty.is_float and ty.has_nan:
            x[0], a[1], b[2] = NAN, NAN, NAN
        value, least, most = f.constant(ty, n, x), f.constant(ty, n, a), f.constant(ty, n, b)
        t = tensor(ty, n)
        result = f.op(f"stablehlo.clamp {least}, {value}, {most} : {t}")
        f.equal(result, ty, n, [low(high(p, q), r) for p, q, r in zip(x, a, b)])
        least, most = f.constant(ty, [], a[3:4]), f.constant(ty, [], b[3:4])
        s = tensor(ty, [])
        result = f.op(f"stablehlo.clamp {least}, {value}, {most} : ({s}, {t}, {s}) -> {t}")
        f.equal(result, ty, n, [low(high(p, a[3]), b[3]) for p in x])


BINARY = [
    "add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "power", "and", "or", "xor",
    "shift_left", "shift_right_arithmetic", "shift_right_logical", "atan2",
]  # fmt: skip
UNARY = [
    "abs", "cbrt", "ceil", "cosine", "count_leading_zeros", "exponential", "exponential_minus_one", "floor", "log",
    "log_plus_one", "logistic", "negate", "not", "popcnt", "round_nearest_afz", "round_nearest_even", "rsqrt", "sign",
    "sine", "sqrt", "tan", "tanh",
]  # fmt: skip


def generate():
    for name in BINARY:
        binary(name)
    for name in UNARY:
        unary(name)
    predicates()
    parts()
    compare()
    select_and_clamp()


__all__ = ["generate", "some", "C64", "C128", "F64"]
