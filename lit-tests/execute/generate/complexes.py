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


def atan2(y, x):
    with mpmath.workprec(400):
        z = exact_atan2(mpmath.mpc(*y), mpmath.mpc(*x))
        return (z.real, z.imag)


def exact_atan2(y, x):
    return -1j * mpmath.log((x + 1j * y) / mpmath.sqrt(x * x + y * y))


HARD_VALUES = {
    "divide": lambda x, y: x / y,
    "power": mpmath.power,
    "atan2": exact_atan2,
    "rsqrt": lambda z: 1 / mpmath.sqrt(z),
}

BINARY = {
    "add": lambda x, y: (x[0] + y[0], x[1] + y[1]),
    "subtract": lambda x, y: (x[0] - y[0], x[1] - y[1]),
    "multiply": multiply,
    "divide": None,
    "maximum": max,  # lexicographic, as Python's tuples
    "minimum": min,
    "power": power,
    "atan2": atan2,
}

# Where rounding errors of a straightforward way add up, or parts cancel: beside the unit circle, far from it, with parts far apart.
HARD = {
    "divide": [
        ((-0.3441824937617367, 1.2375322081222363e-08), (5.6922625076883044e-05, 188.25449839176636)),
        ((-1.3200520140486953, 0.9045701819836971), (0.4468052447815509, 1.5585793755343573)),
        ((1.5172506589031372e-11, 4.936562057761504e-09), (-11880.425875348537, -1556.8532278947205)),
    ],
    "power": [((1.0, -1.0642928507013143e-06), (0.25, -0.06657143472934154)), ((0.6, -0.8), (1.5, 0.25)), ((-1.25, 1e-09), (0.5, 2.0))],
    "atan2": [
        ((-0.5139712089532718, -145856.2063792658), (-0.013010622738317056, 0.8164901757384114)),
        ((0.5, 0.008469127593292663), (1.118809464381106, 0.03697240646307004)),
        ((-1.2827830860070963, 0.43231709514647), (2.5, -0.9899619509489253)),
        ((3e-09, -2e-07), (-1.5, 0.25)),
        ((-2.0, 0.5), (-0.75, -3.0)),
        ((1.0, 1e-12), (-2.0, 1e-13)),
    ],
    "rsqrt": [(0.03415386819804578, 2.101299427298451), (-1238.2245526597146, 140790103.09828892), (0.0014893448469979892, -9301.235805212624)],
}


def hard(file, name, ty):
    """The operation on `HARD`, within 3 units in the last place."""
    from program import tensor

    part = ty.part
    rows = [row if isinstance(row[0], tuple) else (row,) for row in HARD.get(name, [])]
    rows = [tuple(tuple(part.round(x) for x in z) for z in row) for row in rows]
    if not rows:
        return
    n = [len(rows)]
    t = tensor(ty, n)
    f = file.function(f"{name}_{ty}_hard")
    arguments = [f.constant(ty, n, column) for column in zip(*rows)]
    value = f.op(f"stablehlo.{name} {', '.join(arguments)} : {t}")
    with mpmath.workprec(400):
        exact = [mpmath.mpc(HARD_VALUES[name](*(mpmath.mpc(*z) for z in row))) for row in rows]
        f.close(value, ty, n, [(part.round(e.real), part.round(e.imag)) for e in exact], 3)


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
        if name in ("power", "atan2"):
            x, y = (rng.uniform(-3, 3), rng.uniform(-3, 3)), (rng.uniform(-2, 2), rng.uniform(-2, 2))
            x, y = (tuple(ty.part.round(p) for p in z) for z in (x, y))
            rows.append(((x, y), tuple(ty.part.round(p) for p in BINARY[name](x, y))))
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


# CHLO's functions of complex numbers.
CHLO = {name: getattr(mpmath, name) for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "tan")}


def chlo(file, name, ty, rng):
    """In the whole plane, on both sides of the branch cuts, and beside zero and the branch points."""
    from program import tensor

    part = ty.part
    values = [(rng.uniform(-4, 4), rng.uniform(-4, 4)) for _ in range(12)]
    values += [(x, y) for x in (-1.0001, 1.0001, -0.9999, 3.0) for y in (1e-05, -1e-05)]
    values += [(x, y) for x in (1e-05, -1e-05) for y in (-1.0001, 1.0001, 0.9999, -3.0)]
    values += [(math.ldexp(rng.uniform(-1, 1), rng.randint(-30, 3)), math.ldexp(rng.uniform(-1, 1), rng.randint(-30, 3))) for _ in range(12)]
    values += [(-4.306286755504037e-07, -0.02843710569046232), (1.00001127238011, -2.267800060538882e-06), (0.007140660931433771, -9.263561211826471e-09)]
    values = [(part.round(x), part.round(y)) for x, y in values]
    n = [len(values)]
    t = tensor(ty, n)
    f = file.function(f"{name}_{ty}")
    value = f.op(f"chlo.{name} {f.constant(ty, n, values)} : {t} -> {t}")
    with mpmath.workprec(400):
        exact = [mpmath.mpc(CHLO[name](mpmath.mpc(*z))) for z in values]
        f.close(value, ty, n, [(part.round(e.real), part.round(e.imag)) for e in exact], 3)
