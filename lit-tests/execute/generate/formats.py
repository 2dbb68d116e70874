"""The element types of StableHLO: which numbers they hold, how numbers are rounded to them, and how MLIR writes them.

A number is an `int` for booleans and integers, a `float` for every real format (all of them are parts of binary64), and a pair of
floats for complex types. Rounding is done here, from exact values: nothing depends on what NumPy or ml_dtypes do.
"""

from dataclasses import dataclass
from fractions import Fraction
import math
import struct

import mpmath

INF, NAN = math.inf, math.nan


@dataclass(frozen=True)
class Type:
    """An element type by its name in MLIR."""

    name: str
    width: int

    def __str__(self):
        return self.name

    is_bool = is_int = is_float = is_complex = is_quantized = False


@dataclass(frozen=True)
class Bool(Type):
    is_bool = True

    def literal(self, x):
        return "true" if x else "false"

    def wrap(self, x):
        return int(bool(x))


@dataclass(frozen=True)
class Int(Type):
    signed: bool
    is_int = True

    @property
    def low(self):
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def high(self):
        return (1 << (self.width - int(self.signed))) - 1

    def wrap(self, x):
        """The number with the same low bits that the type holds."""
        x &= (1 << self.width) - 1
        return x - (1 << self.width) if self.signed and x >> (self.width - 1) else x

    def bits(self, x):
        return x & ((1 << self.width) - 1)

    def literal(self, x):
        assert self.low <= x <= self.high, (self.name, x)
        return str(x)


@dataclass(frozen=True)
class Float(Type):
    """`special`: ieee, fn (no infinity, NaN all ones), fnuz (NaN is the sign bit, one zero), finite (neither), e8m0."""

    exponent: int
    mantissa: int
    bias: int
    special: str
    is_float = True

    @property
    def has_inf(self):
        return self.special == "ieee"

    @property
    def has_nan(self):
        return self.special != "finite"

    @property
    def has_negative_zero(self):
        return self.special not in ("fnuz", "e8m0")

    @property
    def signed(self):
        return self.special != "e8m0"

    @property
    def has_zero(self):
        return self.special != "e8m0"

    @property
    def least_exponent(self):
        """Of the least normal number."""
        return -127 if self.special == "e8m0" else 1 - self.bias

    @property
    def tiny(self):
        """Least positive number."""
        return math.ldexp(1.0, self.least_exponent - self.mantissa)

    @property
    def normal(self):
        return math.ldexp(1.0, self.least_exponent)

    @property
    def max(self):
        top = (1 << self.exponent) - 1
        if self.special == "e8m0":
            return math.ldexp(1.0, 127)
        if self.special == "ieee":
            return math.ldexp(2.0 - math.ldexp(1.0, -self.mantissa), top - 1 - self.bias)
        ones = 2.0 - math.ldexp(1.0, -self.mantissa)
        if self.special == "fn":
            ones -= math.ldexp(1.0, -self.mantissa)
        return math.ldexp(ones, top - self.bias)

    def overflow(self, negative):
        if self.special == "ieee":
            return -INF if negative else INF
        if self.special == "finite":
            return -self.max if negative else self.max
        return NAN

    def round(self, x, negative_zero=False):
        """The nearest number of the type, ties to even, of an exact value (int, Fraction, float or mpf)."""
        if isinstance(x, (float, mpmath.mpf)):
            if mpmath.isnan(x):
                return NAN
            if mpmath.isinf(x):
                return self.overflow(x < 0)
            if x == 0:
                negative_zero = negative_zero or (isinstance(x, float) and math.copysign(1, x) < 0)
            elif isinstance(x, mpmath.mpf) and abs(mpmath.mag(x)) > 4000:
                # Far outside of every type, and too long to be written as a fraction.
                if mpmath.mag(x) > 0:
                    return self.overflow(x < 0)
                if self.special == "e8m0":
                    return NAN if x < 0 else self.tiny
                return -0.0 if x < 0 and self.has_negative_zero else 0.0
        value = exact(x)
        if self.special == "e8m0":
            return self._round_power(value)
        if value == 0:
            return -0.0 if negative_zero and self.has_negative_zero else 0.0
        magnitude = abs(value)
        exponent = floor_log2(magnitude)
        unit = max(exponent, self.least_exponent) - self.mantissa
        scaled = magnitude / Fraction(2) ** unit
        steps = scaled.numerator // scaled.denominator
        rest = scaled - steps
        if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and steps & 1):
            steps += 1
        result = Fraction(steps) * Fraction(2) ** unit
        if result > Fraction(self.max):
            return self.overflow(value < 0)
        if result == 0:
            return -0.0 if value < 0 and self.has_negative_zero else 0.0
        return math.copysign(float(result), -1.0 if value < 0 else 1.0)

    def _round_power(self, value):
        if value <= 0:
            return NAN
        exponent = floor_log2(value)
        low = Fraction(2) ** exponent
        # A tie goes up: the significand of every power of two is 1, which is odd.
        if value >= low * 3 / 2:
            exponent += 1
        if exponent > 127:
            return NAN
        return math.ldexp(1.0, max(exponent, -127))

    def encode(self, x):
        """The bits of a number of the type."""
        if self.name == "f64":
            return struct.unpack("<Q", struct.pack("<d", x))[0]
        if self.special == "e8m0":
            return 255 if math.isnan(x) else int(math.log2(x)) + 127
        sign = 1 << (self.exponent + self.mantissa)
        top = ((1 << self.exponent) - 1) << self.mantissa
        if math.isnan(x):
            return {"ieee": top | 1 << (self.mantissa - 1), "fn": sign - 1, "fnuz": sign}[self.special]
        negative = sign if math.copysign(1.0, x) < 0 else 0
        if math.isinf(x):
            assert self.special == "ieee"
            return negative | top
        if x == 0:
            return negative if self.has_negative_zero else 0
        magnitude = Fraction(abs(x))
        exponent = floor_log2(magnitude)
        if exponent < self.least_exponent:
            code = magnitude / Fraction(self.tiny)
        else:
            code = (exponent - self.least_exponent + 1 << self.mantissa) + (
                magnitude / Fraction(2) ** exponent - 1
            ) * (1 << self.mantissa)
        assert Fraction(code).denominator == 1, (self.name, x)
        return negative | int(code)

    def decode(self, bits):
        if self.name == "f64":
            return struct.unpack("<d", struct.pack("<Q", bits))[0]
        if self.special == "e8m0":
            return NAN if bits == 255 else math.ldexp(1.0, bits - 127)
        sign = bits >> (self.exponent + self.mantissa)
        field = bits >> self.mantissa & ((1 << self.exponent) - 1)
        fraction = bits & ((1 << self.mantissa) - 1)
        top = (1 << self.exponent) - 1
        if self.special == "fnuz" and sign and not field and not fraction:
            return NAN
        if self.special == "ieee" and field == top:
            return NAN if fraction else (-INF if sign else INF)
        if self.special == "fn" and field == top and fraction == (1 << self.mantissa) - 1:
            return NAN
        if field:
            value = math.ldexp(fraction + (1 << self.mantissa), field - self.bias - self.mantissa)
        else:
            value = math.ldexp(fraction, self.least_exponent - self.mantissa)
        return -value if sign else value

    def literal(self, x):
        if math.isnan(x) or math.isinf(x):
            return f"0x{self.encode(x):0{(self.width + 3) // 4}X}"
        self.encode(x)  # it is a number of the type
        if self.name == "f64":
            text = repr(x)
        else:
            text = shortest(self, x)
        return text if any(c in text for c in ".") else (text.replace("e", ".0e") if "e" in text else text + ".0")

    def sample(self, x):
        """A number of the type near `x`, or None where the type has no such sign, zero, infinity or NaN."""
        if math.isnan(x):
            return x if self.has_nan else None
        if math.isinf(x):
            return x if self.has_inf else None
        if x == 0:
            if not self.has_zero or (math.copysign(1, x) < 0 and not self.has_negative_zero):
                return None
            return x
        if x < 0 and not self.signed:
            return None
        value = self.round(x)
        return None if math.isnan(value) or math.isinf(value) or value == 0 else value


@dataclass(frozen=True)
class Complex(Type):
    part: Float
    is_complex = True

    def literal(self, z):
        return f"({self.part.literal(z[0])}, {self.part.literal(z[1])})"


@dataclass(frozen=True)
class Quantized(Type):
    """Numbers are the stored integers; `axis` is None for one scale of the whole tensor."""

    storage: Int
    expressed: Float
    scales: tuple
    zeros: tuple
    axis: object = None
    low: int = 0
    high: int = 0

    is_quantized = True

    def literal(self, x):
        return self.storage.literal(x)

    def parameters(self, channel=0):
        channel = channel if self.axis is not None else 0
        return self.scales[channel], self.zeros[channel]

    def real(self, x, channel=0):
        """The number that stored `x` stands for: `(x - zero_point) * scale`, both factors in the expressed type."""
        scale, zero = self.parameters(channel)
        return self.expressed.round(Fraction(self.expressed.round(x - zero)) * Fraction(scale))

    def store(self, real, channel=0):
        """`clamp(round_nearest_even(real / scale + zero_point))`, every step in the expressed type."""
        scale, zero = self.parameters(channel)
        ratio = real if math.isinf(real) else self.expressed.round(Fraction(real) / Fraction(scale))
        if math.isinf(ratio):
            return self.high if ratio > 0 else self.low
        shifted = self.expressed.round(Fraction(ratio) + Fraction(self.expressed.round(zero)))
        return min(max(round(Fraction(shifted)), self.low), self.high)


def quantized(storage, expressed, scales, zeros, axis=None, bounds=None):
    """The type from its parameters; `scales` are rounded to the expressed type."""
    scales = tuple(expressed.round(s) for s in scales)
    low, high = bounds or (storage.low, storage.high)
    limits = f"<{low}:{high}>" if bounds else ""
    prefix = "u" if not storage.signed else "i"
    name = f"!quant.uniform<{prefix}{storage.width}{limits}:{expressed}"
    # As many digits as tell the scale in binary64, which is how MLIR keeps it.
    pairs = [f"{float(s)!r}:{z}" for s, z in zip(scales, zeros)]
    if axis is None:
        name += f", {pairs[0]}>"
    else:
        name += f":{axis}, {{{', '.join(pairs)}}}>"
    return Quantized(name, storage.width, storage, expressed, scales, tuple(zeros), axis, low, high)


def shortest(ty, x):
    """Few decimal digits that are rounded to `x` by way of binary64."""
    for digits in range(1, 18):
        text = f"{x:.{digits}g}"
        if ty.round(float(text)) == x:
            return text
    return repr(x)


def exact(x):
    if isinstance(x, mpmath.mpf):
        sign, mantissa, exponent, _ = x._mpf_
        return Fraction(-mantissa if sign else mantissa) * Fraction(2) ** exponent
    return Fraction(x)


def floor_log2(x):
    """Of a positive fraction."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


I1 = Bool("i1", 1)
SIGNED = [Int(f"i{w}", w, True) for w in (2, 4, 8, 16, 32, 64)]
UNSIGNED = [Int(f"ui{w}", w, False) for w in (2, 4, 8, 16, 32, 64)]
F32 = Float("f32", 32, 8, 23, 127, "ieee")
F64 = Float("f64", 64, 11, 52, 1023, "ieee")
F16 = Float("f16", 16, 5, 10, 15, "ieee")
BF16 = Float("bf16", 16, 8, 7, 127, "ieee")
TINY = [
    Float("f4E2M1FN", 4, 2, 1, 1, "finite"),
    Float("f6E2M3FN", 6, 2, 3, 1, "finite"),
    Float("f6E3M2FN", 6, 3, 2, 3, "finite"),
    Float("f8E3M4", 8, 3, 4, 3, "ieee"),
    Float("f8E4M3", 8, 4, 3, 7, "ieee"),
    Float("f8E4M3FN", 8, 4, 3, 7, "fn"),
    Float("f8E4M3FNUZ", 8, 4, 3, 8, "fnuz"),
    Float("f8E4M3B11FNUZ", 8, 4, 3, 11, "fnuz"),
    Float("f8E5M2", 8, 5, 2, 15, "ieee"),
    Float("f8E5M2FNUZ", 8, 5, 2, 16, "fnuz"),
]
E8M0 = Float("f8E8M0FNU", 8, 8, 0, 127, "e8m0")
QI8 = quantized(SIGNED[2], F32, [0.5], [-3])
QU8 = quantized(UNSIGNED[2], F32, [0.25], [128])
QI4 = quantized(SIGNED[1], F32, [0.125], [1])
QI16 = quantized(SIGNED[3], F32, [0.0625], [7])
QUANTIZED = [QI8, QU8, QI4, QI16]
C64 = Complex("complex<f32>", 64, F32)
C128 = Complex("complex<f64>", 128, F64)

INTS = SIGNED + UNSIGNED
FLOATS = [*TINY, E8M0, F16, BF16, F32, F64]
COMPLEX = [C64, C128]
ALL = [I1, *INTS, *FLOATS, *COMPLEX]
# What operations that only move elements are tested on.
MOVED = [*ALL, *QUANTIZED]
BY_NAME = {ty.name: ty for ty in ALL}
