"""`convert` between all types, `bitcast_convert`, `reduce_precision`."""

import math
import random
from fractions import Fraction

from elementwise import float_samples, int_samples, unique
from formats import (
    ALL,
    BF16,
    C64,
    C128,
    COMPLEX,
    F16,
    F32,
    F64,
    FLOATS,
    INF,
    NAN,
    SIGNED,
    UNSIGNED,
    floor_log2,
)
from program import File, tensor

I2, I4, I8, I16, I32, I64 = SIGNED
U2, U4, U8, U16, U32, U64 = UNSIGNED


def converted(x, source, target):
    """None where the specification leaves the result open and README.md states no choice."""
    if source.is_complex:
        if target.is_complex:
            return (target.part.round(x[0]), target.part.round(x[1]))
        return converted(x[0], source.part, target)
    if target.is_complex:
        return (converted(x, source, target.part), 0.0)
    if target.is_bool:
        return int(x != 0)
    if target.is_int:
        if source.is_float:
            if math.isnan(x):
                return 0
            if math.isinf(x):
                return target.high if x > 0 else target.low
            return min(max(int(x), target.low), target.high)
        return target.wrap(x)
    if target.special == "e8m0" and not x > 0 and x == x:
        return None
    result = target.round(x)
    if math.isnan(result):
        return result if target.has_nan else None
    return result


def source_values(ty, rng):
    if ty.is_bool:
        return [0, 1]
    if ty.is_int:
        ties = [(1 << k) + d for k in (4, 8, 11, 24, 53) for d in (1, -1, 3)]
        return [x for x in unique(int_samples(ty, rng) + ties) if ty.low <= x <= ty.high]
    if ty.is_float:
        # Bounds of integers, ties of narrower formats, subnormals.
        extra = [255.5, -128.5, 128.0, 1.0625, 1.1875, -17.5, 2.0**31, 2.0**63, -(2.0**31), 2.0**64, 449.0, 464.0, 465.0]
        extra += [65519.0, 65520.0, 57344.0, 61440.0, 2.0**-10, 3 * 2.0**-11, 2.0**-17, 2.0**-24, 2.0**-25, 1.5 * 2.0**-25]
        return float_samples(ty, rng, -8, 8, extra, 4)
    part = ty.part
    return [(0.0, 0.0), (0.0, 1.5), (-2.75, 0.0), (300.0, INF), (NAN, 0.0), (part.tiny, 1.0), (1.1875, -part.max)]


# Pairs of types with one of these are executed; so every type is source and target of several.
HUBS = {"i1", "i32", "ui8", "f32", "f64", "complex<f32>"}


def convert():
    groups = {"convert": [t for t in ALL if not t.is_float], "convert_floats": FLOATS}
    for name, sources in groups.items():
        file = File(name, covers=["stablehlo.convert"])
        for source in sources:
            values = source_values(source, random.Random(1))
            f = file.function(f"convert_{source}")
            whole = f.constant(source, [len(values)], values)
            for target in ALL:
                if source.name not in HUBS and target.name not in HUBS:
                    continue
                rows = [(i, converted(x, source, target)) for i, x in enumerate(values)]
                kept = [(i, r) for i, r in rows if r is not None]
                if not kept:
                    continue
                value, n = whole, [len(kept)]
                if len(kept) < len(values):
                    value = f.literal(source, n, [values[i] for i, _ in kept])
                result = f.op(f"stablehlo.convert {value} : ({tensor(source, n)}) -> {tensor(target, n)}")
                f.equal(result, target, n, [r for _, r in kept])


def to_bits(ty, x):
    if ty.is_complex:
        return ty.part.encode(x[0]) | ty.part.encode(x[1]) << ty.part.width
    return ty.encode(x) if ty.is_float else x & ((1 << ty.width) - 1)


def of_bits(ty, bits):
    if ty.is_complex:
        mask = (1 << ty.part.width) - 1
        return (ty.part.decode(bits & mask), ty.part.decode(bits >> ty.part.width))
    return ty.decode(bits) if ty.is_float else ty.wrap(bits)


def bitcast():
    rng = random.Random("bits")
    file = File("bitcast_convert", covers=["stablehlo.bitcast_convert"])
    plain = [t for t in ALL if not t.is_bool and not t.is_complex and t.width != 6]
    pairs = [(a, b) for a in plain for b in plain if a.width == b.width and a is not b]
    # One target each keeps the number of programs down; every type is a source and a target.
    pairs = [(a, b) for i, (a, b) in enumerate(pairs) if (a.is_int and not a.signed) or (b.is_int and not b.signed)]
    for a, b in pairs:
        codes = [rng.getrandbits(a.width) for _ in range(11)] + [0, 1, (1 << a.width) - 1, 1 << (a.width - 1)]
        # The bits of a NaN do not survive being written down.
        codes = [c for c in codes if to_bits(a, of_bits(a, c)) == c and to_bits(b, of_bits(b, c)) == c]
        f = file.function(f"bitcast_{a}_{b}")
        n = [len(codes)]
        value = f.constant(a, n, [of_bits(a, c) for c in codes])
        result = f.op(f"stablehlo.bitcast_convert {value} : ({tensor(a, n)}) -> {tensor(b, n)}")
        f.equal(result, b, n, [of_bits(b, c) for c in codes])
    for wide, narrow in [(I32, U8), (F32, I8), (U64, I16), (F64, F32), (F64, BF16), (F32, F16), (I8, I4), (U8, U2), (U16, U4), (I64, I32), (C128, C64)]:
        ratio = wide.width // narrow.width
        codes = []
        while len(codes) < 6:
            code = rng.getrandbits(wide.width)
            pieces = [code >> (i * narrow.width) & ((1 << narrow.width) - 1) for i in range(ratio)]
            again = [to_bits(narrow, of_bits(narrow, p)) for p in pieces]
            if to_bits(wide, of_bits(wide, code)) == code and again == pieces:
                codes.append((code, pieces))
        wides = [of_bits(wide, c) for c, _ in codes]
        narrows = [of_bits(narrow, p) for _, ps in codes for p in ps]
        f = file.function(f"bitcast_{wide}_{narrow}_x{ratio}")
        value = f.constant(wide, [2, 3], wides)
        result = f.op(f"stablehlo.bitcast_convert {value} : ({tensor(wide, [2, 3])}) -> {tensor(narrow, [2, 3, ratio])}")
        f.equal(result, narrow, [2, 3, ratio], narrows)
        value = f.constant(narrow, [2, 3, ratio], narrows)
        result = f.op(f"stablehlo.bitcast_convert {value} : ({tensor(narrow, [2, 3, ratio])}) -> {tensor(wide, [2, 3])}")
        f.equal(result, wide, [2, 3], wides)


def reduced(ty, x, exponent, mantissa):
    """The significand is rounded in the operand's own format; an exponent outside the smaller range then is an infinity or zero."""
    if math.isnan(x) or math.isinf(x) or x == 0:
        return x
    magnitude = abs(Fraction(x))
    kept = min(mantissa, ty.mantissa)
    unit = Fraction(2) ** (max(floor_log2(magnitude), ty.least_exponent) - kept)
    magnitude = round(magnitude / unit) * unit
    if exponent < ty.exponent:
        bias = (1 << (exponent - 1)) - 1
        if magnitude < Fraction(2) ** (1 - bias):
            magnitude = Fraction(0)
        elif magnitude >= Fraction(2) ** (bias + 1):
            return math.copysign(INF, x)
    if magnitude > Fraction(ty.max):
        return ty.overflow(x < 0)
    return math.copysign(float(magnitude), x)


def reduce_precision():
    file = File("reduce_precision", covers=["stablehlo.reduce_precision"], both=True)
    for ty in FLOATS:
        if ty.special != "ieee":
            continue
        values = float_samples(ty, random.Random(7), -20, 18, [1.0625, 1.1875, 65519.0, 65520.0, 6e-8, 3e-5, 448.0], 24)
        values += [ty.tiny * k for k in (3, 5, 6, 7)]
        n = [len(values)]
        f = file.function(f"reduce_precision_{ty}")
        value = f.constant(ty, n, values)
        formats = [(ty.exponent, ty.mantissa), (ty.exponent, 1), (3, ty.mantissa), (4, 3), (5, 2), (5, 10), (8, 7), (2, 1), (11, 52)]
        for exponent, mantissa in dict.fromkeys(formats):
            result = f.op(f"stablehlo.reduce_precision {value}, format = e{exponent}m{mantissa} : {tensor(ty, n)}")
            f.equal(result, ty, n, [reduced(ty, x, exponent, mantissa) for x in values])


def generate():
    convert()
    bitcast()
    reduce_precision()


__all__ = ["COMPLEX", "generate"]
