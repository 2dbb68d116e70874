"""What the element-wise operations compute, on exact values: the specification's text as Python.

Functions of real numbers take and give floats or mpf (a result that is not exact is rounded by the caller); functions of integers
take the type. `None` means that the specification leaves the case open: the generator drops it.
"""

import math
from fractions import Fraction

import mpmath

from formats import INF, NAN, exact

mpmath.mp.prec = 300


def negative(x):
    return math.copysign(1, x) < 0


# Integers: (type, x, y) -> int; arithmetic wraps.


def int_divide(ty, x, y):
    # Open in the specification, and what README.md of this folder states: all ones for zero, wrapping for the least value by -1.
    if y == 0:
        return ty.wrap(-1)
    quotient = abs(x) // abs(y)
    return ty.wrap(-quotient if (x < 0) != (y < 0) else quotient)


def int_remainder(ty, x, y):
    if y == 0:
        return x
    rest = abs(x) % abs(y)
    return -rest if x < 0 else rest


def int_power(ty, x, y):
    if y >= 0:
        return ty.wrap(pow(x, y, 1 << ty.width) if x >= 0 else pow(x % (1 << ty.width), y, 1 << ty.width))
    if abs(x) == 1:
        return x if y % 2 else 1
    return 0


def shift_left(ty, x, y):
    y = ty.bits(y)
    return ty.wrap(ty.bits(x) << y) if y < ty.width else 0


def shift_right_logical(ty, x, y):
    y = ty.bits(y)
    return ty.wrap(ty.bits(x) >> y) if y < ty.width else 0


def shift_right_arithmetic(ty, x, y):
    amount = min(ty.bits(y), ty.width - 1)
    bits = ty.bits(x)
    signed = bits - (1 << ty.width) if bits >> (ty.width - 1) else bits
    return ty.wrap(signed >> amount)


INT_BINARY = {
    "add": lambda ty, x, y: ty.wrap(x + y),
    "subtract": lambda ty, x, y: ty.wrap(x - y),
    "multiply": lambda ty, x, y: ty.wrap(x * y),
    "divide": int_divide,
    "remainder": int_remainder,
    "power": int_power,
    "maximum": lambda ty, x, y: max(x, y),
    "minimum": lambda ty, x, y: min(x, y),
    "and": lambda ty, x, y: ty.wrap(x & y),
    "or": lambda ty, x, y: ty.wrap(x | y),
    "xor": lambda ty, x, y: ty.wrap(x ^ y),
    "shift_left": shift_left,
    "shift_right_arithmetic": shift_right_arithmetic,
    "shift_right_logical": shift_right_logical,
}

INT_UNARY = {
    "abs": lambda ty, x: ty.wrap(abs(x)),
    "negate": lambda ty, x: ty.wrap(-x),
    "not": lambda ty, x: ty.wrap(~x),
    "sign": lambda ty, x: (x > 0) - (x < 0),
    "popcnt": lambda ty, x: ty.wrap(ty.bits(x).bit_count()),
    "count_leading_zeros": lambda ty, x: ty.wrap(ty.width - ty.bits(x).bit_length()),
}

BOOL_BINARY = {
    "add": lambda x, y: x | y,
    "multiply": lambda x, y: x & y,
    "maximum": lambda x, y: x | y,
    "minimum": lambda x, y: x & y,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
}


# Real numbers: exact value as float, Fraction or mpf; the second of the pair is the sign of a zero.


def add(x, y):
    if math.isnan(x) or math.isnan(y) or (math.isinf(x) and math.isinf(y) and x != y):
        return NAN
    if math.isinf(x) or math.isinf(y):
        return x if math.isinf(x) else y
    if x == 0 and y == 0:
        return -0.0 if negative(x) and negative(y) else 0.0
    return Fraction(x) + Fraction(y)


def subtract(x, y):
    return add(x, -y)


def multiply(x, y):
    sign = negative(x) != negative(y)
    if math.isnan(x) or math.isnan(y):
        return NAN
    if math.isinf(x) or math.isinf(y):
        return NAN if x == 0 or y == 0 else (-INF if sign else INF)
    if x == 0 or y == 0:
        return -0.0 if sign else 0.0
    return Fraction(x) * Fraction(y)


def divide(x, y):
    sign = negative(x) != negative(y)
    if math.isnan(x) or math.isnan(y) or (x == 0 and y == 0) or (math.isinf(x) and math.isinf(y)):
        return NAN
    if math.isinf(x) or y == 0:
        return -INF if sign else INF
    if math.isinf(y) or x == 0:
        return -0.0 if sign else 0.0
    return Fraction(x) / Fraction(y)


def remainder(x, y):
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return NAN
    if math.isinf(y) or x == 0:
        return x
    rest = abs(Fraction(x)) % abs(Fraction(y))
    if rest == 0:
        return math.copysign(0.0, x)
    return -rest if x < 0 else rest


def maximum(x, y):
    if math.isnan(x) or math.isnan(y):
        return NAN
    if x == y:
        return y if negative(x) else x
    return max(x, y)


def minimum(x, y):
    return -maximum(-x, -y)


def power(x, y):
    """`pow` of IEEE 754."""
    if y == 0 or x == 1:
        return 1.0
    if math.isnan(x) or math.isnan(y):
        return NAN
    odd = not math.isinf(y) and y == math.floor(y) and int(y) % 2 == 1
    if x == 0:
        if y < 0:
            return math.copysign(INF, x) if odd else INF
        return x if odd else 0.0
    if math.isinf(y):
        if abs(x) == 1:
            return 1.0
        return INF if (abs(x) > 1) == (y > 0) else 0.0
    if math.isinf(x):
        if x > 0:
            return INF if y > 0 else 0.0
        if y > 0:
            return -INF if odd else INF
        return -0.0 if odd else 0.0
    if x < 0 and y != math.floor(y):
        return NAN
    value = mpmath.power(mpmath.mpf(abs(x)), mpmath.mpf(y))
    return -value if x < 0 and odd else value


def atan2(y, x):
    if math.isnan(x) or math.isnan(y):
        return NAN
    if y == 0:
        return math.copysign(0.0, y) if not negative(x) else (-mpmath.pi if negative(y) else +mpmath.pi)
    if math.isinf(x) and not math.isinf(y):
        return math.copysign(0.0, y) if x > 0 else mpmath.sign(y) * mpmath.pi
    if math.isinf(y):
        angle = mpmath.pi / 2 if not math.isinf(x) else (mpmath.pi / 4 if x > 0 else 3 * mpmath.pi / 4)
        return angle * (-1 if y < 0 else 1)
    return mpmath.atan2(mpmath.mpf(y), mpmath.mpf(x))


FLOAT_BINARY = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "remainder": remainder,
    "maximum": maximum,
    "minimum": minimum,
    "power": power,
    "atan2": atan2,
}


def sign(x):
    if math.isnan(x) or x == 0:
        return x
    return math.copysign(1.0, x)


def whole(function):
    """To a whole number; zeros keep the sign, infinities and NaN stay."""

    def apply(x):
        if math.isnan(x) or math.isinf(x) or x == 0:
            return x
        return math.copysign(float(function(Fraction(x))), x)

    return apply


def away(x):
    return math.copysign(1, x) * ((abs(x) + Fraction(1, 2)).__floor__())


def smooth(function, at_inf, at_minus_inf, zero=None, domain=lambda x: True, outside=NAN):
    """A function of real numbers from mpmath with its limits. `zero`: "odd" keeps a zero and its sign."""

    def apply(x):
        if math.isnan(x):
            return NAN
        if math.isinf(x):
            return at_inf if x > 0 else at_minus_inf
        if x == 0 and zero == "odd":
            return x
        if not domain(x):
            return outside
        return mpmath.mpf(function(mpmath.mpf(x)))

    return apply


def cbrt(x):
    return mpmath.sign(x) * mpmath.root(abs(x), 3)


def root(x):
    return x if x == 0 else mpmath.sqrt(x)


def rsqrt(x):
    if x == 0:
        return math.copysign(INF, x)
    if math.isnan(x) or x < 0:
        return NAN
    return 0.0 if math.isinf(x) else 1 / mpmath.sqrt(mpmath.mpf(x))


def log(x):
    if math.isnan(x) or x < 0:
        return NAN
    if x == 0:
        return -INF
    return INF if math.isinf(x) else mpmath.log(mpmath.mpf(x))


def log_plus_one(x):
    if math.isnan(x) or x < -1:
        return NAN
    if x == 0 or x == INF:
        return x
    return -INF if x == -1 else mpmath.log1p(mpmath.mpf(x))


def sqrt(x):
    if math.isnan(x) or x < 0:
        return NAN
    return x if x == 0 or math.isinf(x) else mpmath.sqrt(mpmath.mpf(x))


FLOAT_UNARY_EXACT = {
    "abs": lambda x: math.fabs(x),
    "negate": lambda x: -x,
    "sign": sign,
    "floor": whole(lambda x: x.__floor__()),
    "ceil": whole(lambda x: x.__ceil__()),
    "round_nearest_afz": whole(away),
    "round_nearest_even": whole(lambda x: round(x)),
    "sqrt": sqrt,
}

FLOAT_UNARY = {
    "cbrt": smooth(cbrt, INF, -INF, "odd"),
    "cosine": smooth(mpmath.cos, NAN, NAN),
    "sine": smooth(mpmath.sin, NAN, NAN, "odd"),
    "tan": smooth(mpmath.tan, NAN, NAN, "odd"),
    "tanh": smooth(mpmath.tanh, 1.0, -1.0, "odd"),
    "exponential": smooth(mpmath.exp, INF, 0.0),
    "exponential_minus_one": smooth(mpmath.expm1, INF, -1.0, "odd"),
    "log": log,
    "log_plus_one": log_plus_one,
    "logistic": smooth(lambda x: 1 / (1 + mpmath.exp(-x)), 1.0, 0.0),
    "rsqrt": rsqrt,
}

__all__ = [name for name in dir() if not name.startswith("_")] + ["exact"]
