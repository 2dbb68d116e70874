"""Complex numbers: exact arithmetic on numbers whose results are exact, functions by mpmath."""

import math

import mpmath

from formats import INF, NAN

EXACT = {"add", "subtract", "multiply", "divide", "maximum", "minimum"}


def multiply(x, y):
    return (x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0])


def power(x, y):
    z = mpmath.power(mpmath.mpc(*x), mpmath.mpc(*y))
    return (z.real, z.imag)


BINARY = {
    "add": lambda x, y: (x[0] + y[0], x[1] + y[1]),
    "subtract": lambda x, y: (x[0] - y[0], x[1] - y[1]),
    "multiply": multiply,
    "divide": None,
    "maximum": max,  # lexicographic, as Python's tuples
    "minimum": min,
    "power": power,
}


def binary_rows(name, ty, rng):
    """Arguments and results."""
    whole = lambda: (float(rng.randint(-12, 12)), float(rng.randint(-12, 12)))
    rows = []
    for _ in range(19):
        x, y = whole(), whole()
        if name == "divide":
            # By a power of two or i times one, and back from a product: quotients that are exact.
            y = rng.choice([(2.0, 0.0), (0.0, -4.0), (0.5, 0.0), (1.0, 1.0), (-2.0, 2.0)])
            rows.append(((multiply(x, y), y), x))
            continue
        if name == "power":
            x, y = (rng.uniform(-3, 3), rng.uniform(-3, 3)), (rng.uniform(-2, 2), rng.uniform(-2, 2))
            x, y = (tuple(ty.part.round(p) for p in z) for z in (x, y))
            rows.append(((x, y), tuple(ty.part.round(p) for p in power(x, y))))
            continue
        rows.append(((x, y), BINARY[name](x, y)))
    if name in ("maximum", "minimum"):
        for x, y in [((1.0, 2.0), (1.0, 3.0)), ((1.0, 9.0), (2.0, -9.0)), ((-1.0, 0.0), (-2.0, 5.0))]:
            rows.append(((x, y), BINARY[name](x, y)))
    return rows


def sign(z):
    length = abs(mpmath.mpc(*z))
    return mpmath.mpc(z[0] / length, z[1] / length) if length else mpmath.mpc(0)


UNARY = {
    "abs": abs,
    "negate": lambda z: -z,
    "sign": None,
    "cbrt": lambda z: mpmath.power(z, mpmath.mpf(1) / 3),
    "cosine": mpmath.cos,
    "sine": mpmath.sin,
    "tan": mpmath.tan,
    "tanh": mpmath.tanh,
    "exponential": mpmath.exp,
    "exponential_minus_one": mpmath.expm1,
    "log": mpmath.log,
    "log_plus_one": mpmath.log1p,
    "logistic": lambda z: 1 / (1 + mpmath.exp(-z)),
    "rsqrt": lambda z: 1 / mpmath.sqrt(z),
    "sqrt": mpmath.sqrt,
}


def exact_value(name, z):
    if name == "sign":
        return sign(z)
    mpmath.mp.prec = 400
    value = UNARY[name](mpmath.mpc(*z))
    mpmath.mp.prec = 300
    return value


def samples(ty, rng):
    part = ty.part
    values = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -2.0), (3.0, 4.0), (-3.0, -4.0), (0.5, -0.25)]
    for _ in range(14):
        values.append((part.round(rng.uniform(-3, 3)), part.round(rng.uniform(-3, 3))))
    for _ in range(6):
        values.append(
            (part.round(math.ldexp(rng.uniform(-1, 1), rng.randint(-12, 4))), part.round(math.ldexp(rng.uniform(-1, 1), rng.randint(-12, 4))))
        )
    return values


def unary(file, name, ty, rng, dialect):
    from program import tensor

    values = [z for z in samples(ty, rng) if not (name in ("log", "rsqrt") and z == (0.0, 0.0))]
    values = [z for z in values if not (name == "log_plus_one" and z == (-1.0, 0.0))]
    n = [len(values)]
    result = ty.part if name == "abs" else ty
    f = file.function(f"{name}_{ty}")
    argument = f.constant(ty, n, values)
    types = f"({tensor(ty, n)}) -> {tensor(result, n)}" if result is not ty or dialect == "chlo" else tensor(ty, n)
    value = f.op(f"{dialect}.{name} {argument} : {types}")
    exact = [exact_value(name, z) for z in values]
    if result is ty:
        expected = [(ty.part.round(e.real), ty.part.round(e.imag)) for e in exact]
    else:
        expected = [ty.part.round(e) for e in exact]
    if name == "negate":
        f.equal(value, ty, n, expected)
    else:
        f.close(value, result, n, expected, 3)
    specials(file, name, ty)


def specials(file, name, ty):
    """Infinities, NaN and zero, where the answer follows from the definition."""
    from program import tensor

    rows = {
        "abs": [((INF, NAN), INF), ((NAN, 1.0), NAN), ((-INF, 1.0), INF), ((ty.part.max / 2, 0.0), ty.part.max / 2)],
        "sign": [((0.0, 0.0), (0.0, 0.0)), ((NAN, 1.0), (NAN, NAN)), ((1.0, NAN), (NAN, NAN))],
        "sqrt": [((0.0, 0.0), (0.0, 0.0)), ((-4.0, 0.0), (0.0, 2.0)), ((INF, 0.0), (INF, 0.0))],
        "exponential": [((0.0, 0.0), (1.0, 0.0)), ((-INF, 1.0), (0.0, 0.0)), ((INF, 0.0), (INF, 0.0))],
        "tanh": [((0.0, 0.0), (0.0, 0.0)), ((50.0, 0.0), (1.0, 0.0)), ((-800.0, 1.0), (-1.0, 0.0))],
    }.get(name)
    if not rows:
        return
    result = ty.part if name == "abs" else ty
    f = file.function(f"{name}_{ty}_special")
    n = [len(rows)]
    argument = f.constant(ty, n, [z for z, _ in rows])
    types = f"({tensor(ty, n)}) -> {tensor(result, n)}" if result is not ty else tensor(ty, n)
    value = f.op(f"stablehlo.{name} {argument} : {types}")
    f.equal(value, result, n, [r for _, r in rows])
