"""A function of a test of tensor arrays.

An array is a list of NumPy arrays, or of such lists. What only moves elements is done on every type, with numbers that stand for the elements;
arithmetic on numbers that every step is exact for. Buffers are full of other elements behind the last leaf.
"""

import numpy as np

from elementwise import some
from formats import BF16, C64, F16, F32, F64, SIGNED, UNSIGNED
from program import tensor

I8, I32, I64 = SIGNED[2], SIGNED[4], SIGNED[5]
U8, U64 = UNSIGNED[2], UNSIGNED[5]
NUMBERS = [I8, I32, I64, U8, BF16, F16, F32, F64, C64]
REAL = [ty for ty in NUMBERS if not ty.is_complex]


def nearest(i, n):
    return min(max(i, 0), max(n - 1, 0))


def exact(ty):
    """Small integers as elements."""
    if ty.is_complex:
        return lambda x: (float(x), 0.0)
    if ty.is_bool:
        return lambda x: int(x) & 1
    return float if ty.is_float else int


def table(ty, rng, count=400):
    """Numbers that stand for elements of any type."""
    values = some(ty, rng, count)
    return lambda x: values[int(x) % count]


class Case:
    """A function whose tensors and arrays are given by integers; `conv` makes elements of these."""

    def __init__(self, file, label, ty=F32, conv=None):
        self.f, self.ty, self.conv = file.function(f"{label}_{ty}"), ty, conv or exact(ty)

    def tensor(self, x, ty=None):
        x = np.asarray(x)
        ty, conv = (ty, exact(ty)) if ty else (self.ty, self.conv)
        return self.f.constant(ty, list(x.shape), [conv(v) for v in x.flatten()]), tensor(ty, list(x.shape))

    def number(self, n):
        return self.f.constant(I64, [], [n])

    def shape(self, sizes):
        value = self.f.op("tarray.shape ()")
        for i, size in enumerate(sizes):
            n = self.number(size)
            value = self.f.op(f"tarray.insert {value}, {i}, {n} : !tarray.shape<{i}>, tensor<i64>")
        return value, f"!tarray.shape<{len(sizes)}>"

    def type(self, leaf, most, ty=None):
        text = tensor(ty or self.ty, leaf)
        for n in reversed(most):
            text = f"!tarray.array<{text}, max = {n}>"
        return text

    def array(self, lists, leaf, most, ty=None):
        """The lists packed; offsets behind the last one repeat it."""
        offsets, level = [], [lists]
        room = 1
        for n in most:
            own = [0]
            for one in level:
                assert len(one) <= n
                own.append(own[-1] + len(one))
            own += [own[-1]] * (room + 1 - len(own))
            offsets.append(own)
            level = [x for one in level for x in one]
            room *= n
        # Numbers beyond all others in the rest of the buffer.
        rest = [np.full(leaf, 99 - i % 7) for i in range(room - len(level))]
        values = np.array(level + rest, dtype=np.int64).reshape([room, *leaf])
        v, vt = self.tensor(values, ty)
        names = [self.f.constant(I64, [len(o)], o) for o in offsets]
        types = ", ".join([vt] + [f"tensor<{len(o)}xi64>" for o in offsets])
        value = self.f.op(f"tarray.from_offsets {', '.join([v] + names)} max = {list(most)} : {types}")
        return value, self.type(leaf, most, ty)

    def op(self, text):
        return self.f.op("tarray." + text)

    def equal(self, value, want, ty=None):
        want = np.asarray(want)
        ty, conv = (ty, exact(ty)) if ty else (self.ty, self.conv)
        self.f.equal(value, ty, list(want.shape), [conv(v) for v in want.flatten()])

    def equal_array(self, value, lists, leaf, most, ty=None):
        """Offsets, and as many leaves as there are."""
        names = [self.f.fresh() for _ in range(len(most) + 1)]
        self.f.line(f"{', '.join(names)} = tarray.to_offsets {value} : {self.type(leaf, most, ty)}")
        level, room = [lists], 1
        for name, n in zip(names[1:], most):
            own = [0]
            for one in level:
                own.append(own[-1] + len(one))
            own += [own[-1]] * (room + 1 - len(own))
            self.equal(name, own, I64)
            level = [x for one in level for x in one]
            room *= n
        starts = ", ".join([f"0:{len(level)}"] + [f"0:{n}" for n in leaf])
        whole, cut = tensor(ty or self.ty, [room, *leaf]), tensor(ty or self.ty, [len(level), *leaf])
        leaves = self.f.op(f"stablehlo.slice {names[0]} [{starts}] : ({whole}) -> {cut}")
        self.equal(leaves, np.array(level, dtype=np.int64).reshape([len(level), *leaf]), ty)

    def loop(self, text, body, ends):
        """`body` and `ends` get no braces; the value's name."""
        value = self.f.fresh()
        self.f.line(f"{value} = tarray.{text} {{")
        for line in body:
            self.f.line("  " + line)
        self.f.line(f"  tarray.yield {ends}")
        self.f.line("}")
        return value


def leaves(rng, count, leaf, low=-9, high=9):
    return [np.array([rng.randint(low, high) for _ in range(int(np.prod(leaf)))], np.int64).reshape(leaf) for _ in range(count)]


def low(ty):
    """No negative numbers for types without a sign."""
    return 0 if ty in UNSIGNED or ty.is_bool else -9
