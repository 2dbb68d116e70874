"""Tensor arrays: every operation of the `tarray` dialect, with lists of NumPy arrays as the expectation.

An array is a list of NumPy arrays, or of such lists. What only moves elements is done on every type, with numbers that stand for the elements;
arithmetic on numbers that every step is exact for. Buffers are full of other elements behind the last leaf.
"""

import random

import numpy as np

from elementwise import some
from formats import ALL, BF16, C64, F16, F32, F64, I1, SIGNED, UNSIGNED
from program import File, tensor

I8, I32, I64 = SIGNED[2], SIGNED[4], SIGNED[5]
U8, U64 = UNSIGNED[2], UNSIGNED[5]
NUMBERS = [I8, I32, I64, U8, BF16, F16, F32, F64, C64]
REAL = [ty for ty in NUMBERS if not ty.is_complex]


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


def shapes():
    file = File("tarray_shapes", covers=["tarray.shape"])
    c = Case(file, "tuples")
    s, st = c.shape([1, 2, 3])
    t, tt = c.shape([4, 5])
    def sizes(value, rank, want):
        grid = c.op(f"cartesian_product {value} : !tarray.shape<{rank}>")
        c.equal(grid, np.array(want, np.int64).reshape(rank, 1), I64)
    sizes(c.op(f"add {s}, {t} : {st}, {tt}"), 5, [1, 2, 3, 4, 5])
    five = c.number(5)
    sizes(c.op(f"insert {s}, 1, {five} : {st}, tensor<i64>"), 4, [1, 5, 2, 3])
    u, ut = c.shape([2, 3, 4])
    sizes(c.op(f"del {u}, 1 : {ut}"), 2, [2, 4])
    sizes(c.op(f"replace {u}, 1, {five} : {ut}, tensor<i64>"), 3, [2, 5, 4])
    minus = c.number(-5)
    sizes(c.op(f"replace {u}, 2, {minus} : {ut}, tensor<i64>"), 3, [2, 3, 0])
    c.equal(c.op(f"numel {u} : {ut}"), 24, I64)
    c.equal(c.op(f"ndims {u} : {ut}"), 3, I64)
    e, et = c.shape([])
    c.equal(c.op(f"numel {e} : {et}"), 1, I64)
    v, vt = c.shape([0, 1])
    want = [[2, 0], [3, 0], [4, 0], [2, 1], [3, 1], [4, 1]]
    c.equal(c.op(f"cartesian_product {u}, {v} : {ut}, {vt}"), want, I64)
    three = c.op(f"cartesian_product {v}, {u}, {t} : {vt}, {ut}, {tt}")
    c.equal(three, [[a, b, d] for d in (4, 5) for b in (2, 3, 4) for a in (0, 1)], I64)
    for order in "xy", "ij":
        names = [c.f.fresh() for _ in range(3)]
        c.f.line(f"{', '.join(names)} = tarray.meshgrid {order} {u}, {v}, {t} : {ut}, {vt}, {tt}")
        for name, want in zip(names, np.meshgrid([2, 3, 4], [0, 1], [4, 5], indexing=order)):
            c.equal(name, want, I64)
    c = Case(file, "size")
    t, tt = c.tensor(np.zeros([3, 0, 2], np.int64))
    s = c.op(f"size {t} : {tt}")
    c.equal(c.op(f"cartesian_product {s} : !tarray.shape<3>"), [[3], [0], [2]], I64)
    c.equal(c.op(f"size {t} dim = 2 : {tt}"), 2, I64)
    for k, (start, stop, step, most) in enumerate([(0, 5, 1, 8), (2, 9, 3, 8), (5, -6, -4, 8), (3, 3, 1, 4), (0, 9, 0, 4), (9, 0, 1, 4), (0, 100, 7, 4), (-5, 5, 2, 1), (1, 4, 1, 0)]):
        c = Case(file, f"arange{k}")
        a, b, d = c.number(start), c.number(stop), c.number(step)
        value = c.op(f"arange {a}, {b}, {d} max = {most} : tensor<i64>, tensor<i64>, tensor<i64>")
        c.equal_array(value, list(np.arange(start, stop, step))[:most] if step else [], [], [most], I64)


def conversions():
    file = File("tarray_conversions", covers=["tarray.slices"])
    for ty in ALL:
        rng = random.Random(f"conversions{ty}")
        c = Case(file, "slices", ty, table(ty, rng))
        x = np.arange(24).reshape(2, 3, 4)
        t, tt = c.tensor(x)
        for d in range(3):
            value = c.op(f"slices {t} dim = {d} : {tt}")
            parts = [np.take(x, i, d) for i in range(x.shape[d])]
            c.equal_array(value, parts, list(parts[0].shape), [x.shape[d]])
            zero, zt = c.tensor(0)
            back = c.op(f"stack {value} dim = {d} padding {zero} : {c.type(list(parts[0].shape), [x.shape[d]])}, {zt}")
            c.equal(back, x)
        for n, d in (2, 0), (1, 1), (3, 1), (2, 2):
            value = c.op(f"chunks {t} n = {n} dim = {d} : {tt}")
            parts = np.split(x, n, d)
            c.equal_array(value, parts, list(parts[0].shape), [n])
            zero, zt = c.tensor(0)
            back = c.op(f"concatenate {value} dim = {d} padding {zero} : {c.type(list(parts[0].shape), [n])}, {zt}")
            c.equal(back, x)
    for length in 0, 1, 3, 4:
        rng = random.Random(f"padding{length}")
        c = Case(file, f"padding{length}")
        parts = leaves(rng, length, [2, 3])
        a, at = c.array(parts, [2, 3], [4])
        seven, zt = c.tensor(7)
        for d in range(3):
            want = np.full([2, 3], 7)
            want = np.stack(parts + [want] * (4 - length), d)
            c.equal(c.op(f"stack {a} dim = {d} padding {seven} : {at}, {zt}"), want)
        for d in range(2):
            want = np.concatenate(parts + [np.full([2, 3], 7)] * (4 - length), d)
            c.equal(c.op(f"concatenate {a} dim = {d} padding {seven} : {at}, {zt}"), want)
        c.equal(c.op(f"length {a} : {at}"), length, I64)
    nests = {
        "some": [leaves(random.Random(n), n, [2]) for n in (2, 0, 3)],
        "full": [leaves(random.Random(n), 3, [2]) for n in range(4)],
        "none": [],
        "empty": [[], []],
        "one": [leaves(random.Random(5), 1, [2])],
    }
    for name, lists in nests.items():
        c = Case(file, f"nest_{name}")
        a, at = c.array(lists, [2], [4, 3])
        c.equal_array(a, lists, [2], [4, 3])
        c.equal(c.op(f"length {a} : {at}"), len(lists), I64)
    deep = [[[], leaves(random.Random(1), 2, [])], [], [leaves(random.Random(2), 1, []), [], leaves(random.Random(3), 3, [])]]
    c = Case(file, "deep")
    a, at = c.array(deep, [], [4, 3, 3])
    c.equal_array(a, deep, [], [4, 3, 3])
    # Offsets that are not well-formed are brought into the range.
    c = Case(file, "offsets_out_of_range")
    values, vt = c.tensor(np.arange(6))
    for offsets, want in ([0, 9], 3), ([5, 2], 0), ([-4, -2], 2):
        o = c.f.constant(I64, [2], offsets)
        half = c.f.op(f"stablehlo.slice {values} [0:3] : ({vt}) -> tensor<3xf32>")
        a = c.op(f"from_offsets {half}, {o} max = [3] : tensor<3xf32>, tensor<2xi64>")
        c.equal_array(a, list(np.arange(3))[:want], [], [3])
    o = c.f.constant(I64, [2], [0, 2])
    for inner, want in ([0, 2, 1, 5], [[0, 1], []]), ([0, 99, -99, 7], [[0, 1], []]), ([3, 4, 5, 6], [[0], [1]]):
        i = c.f.constant(I64, [4], inner)
        a = c.op(f"from_offsets {values}, {o}, {i} max = [3, 2] : {vt}, tensor<2xi64>, tensor<4xi64>")
        c.equal_array(a, want, [], [3, 2])


def nearest(i, n):
    return min(max(i, 0), max(n - 1, 0))


def access():
    file = File("tarray_access", covers=["tarray.index"])
    for ty in ALL:
        rng = random.Random(f"access{ty}")
        c = Case(file, "index", ty, table(ty, rng))
        x = np.arange(24).reshape(2, 3, 4)
        t, tt = c.tensor(x)
        for at in (1, 2, 3), (0, 0, 0), (-1, 5, 2):
            s, st = c.shape([max(i, 0) for i in at])
            want = x[tuple(nearest(i, n) for i, n in zip(at, x.shape))]
            c.equal(c.op(f"index {t} at {s} : {tt}, {st}"), want)
        parts = list(np.arange(60, 78).reshape(3, 2, 3))
        a, at = c.array(parts, [2, 3], [5])
        for i in 0, 2, 4:
            s, st = c.shape([i])
            c.equal(c.op(f"index {a} at {s} : {at}, {st}"), parts[nearest(i, 3)])
        s, st = c.shape([1])
        v, vt = c.tensor(np.arange(6).reshape(2, 3))
        changed = [parts[0], np.arange(6).reshape(2, 3), parts[2]]
        c.equal_array(c.op(f"index_update set {a}, {v} at {s} : {at}, {vt}, {st}"), changed, [2, 3], [5])
        k, kt = c.tensor([2, 0, 2, 7, -1], I32)
        taken = [nearest(i, 3) for i in (2, 0, 2, 7, -1)]
        c.equal_array(c.op(f"gather {a} at {k} : {at}, {kt}"), [parts[i] for i in taken], [2, 3], [5])
        for d, size in enumerate(x.shape):
            want = np.take(x, [nearest(i, size) for i in (2, 0, 2, 7, -1)], d)
            c.equal(c.op(f"gather {t} at {k} dim = {d} : {tt}, {kt}"), want)
            want = np.moveaxis(want, d, 0)
            c.equal(c.op(f"embedding {k} in {t} dim = {d} : {kt}, {tt}"), want)
        u = np.arange(100, 116).reshape(2, 2, 4)
        updates, ut = c.tensor(u)
        at2, at2t = c.tensor([2, 0], I64)
        want = x.copy()
        want[:, [2, 0], :] = u
        c.equal(c.op(f"scatter {t}, {updates} at {at2} dim = 1 : {tt}, {ut}, {at2t}"), want)
    for ty in NUMBERS:
        rng = random.Random(f"updates{ty}")
        least = low(ty)
        names = ["add", "mul", "set"] + ([] if ty.is_complex else ["max", "min"])
        functions = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "set": lambda _, y: y}
        c = Case(file, "update", ty)
        x = leaves(rng, 1, [3, 4], least)[0]
        t, tt = c.tensor(x)
        parts = leaves(rng, 3, [2], least)
        a, at = c.array(parts, [2], [4])
        nest = [leaves(rng, 2, [2], least), [], leaves(rng, 1, [2], least)]
        n, nt = c.array(nest, [2], [4, 3])
        for name in names:
            v = rng.randint(least, 9)
            scalar, scalar_type = c.tensor(v)
            for i, j in (1, 2), (3, 0), (0, 4):
                s, st = c.shape([i, j])
                want = x.copy()
                if i < 3 and j < 4:
                    want[i, j] = functions[name](want[i, j], v)
                c.equal(c.op(f"index_update {name} {t}, {scalar} at {s} : {tt}, {scalar_type}, {st}"), want)
            v = leaves(rng, 1, [2], least)[0]
            new, new_type = c.tensor(v)
            for i in 0, 3:
                s, st = c.shape([i])
                want = [functions[name](p, v) if k == i else p for k, p in enumerate(parts)]
                c.equal_array(c.op(f"index_update {name} {a}, {new} at {s} : {at}, {new_type}, {st}"), want, [2], [4])
            for i, j in (0, 1), (2, 1), (1, 0), (2, 0):
                s, st = c.shape([i, j])
                want = [[functions[name](p, v) if (k, l) == (i, j) else p for l, p in enumerate(one)] for k, one in enumerate(nest)]
                value = c.op(f"index_update {name} {n}, {new} at {s} : {nt}, {new_type}, {st}")
                c.equal_array(value, want, [2], [4, 3])
        pools(file, ty, rng)
    # Elements of nests.
    c = Case(file, "nests")
    nest = [leaves(random.Random(1), 2, [2]), [], leaves(random.Random(2), 3, [2])]
    n, nt = c.array(nest, [2], [4, 3])
    for i in 0, 1, 2, 3:
        s, st = c.shape([i])
        c.equal_array(c.op(f"index {n} at {s} : {nt}, {st}"), nest[nearest(i, 3)], [2], [3])
        s, st = c.shape([i, 1])
        one = nest[nearest(i, 3)]
        c.equal(c.op(f"index {n} at {s} : {nt}, {st}"), one[nearest(1, len(one))] if one else np.zeros(2))
    k, kt = c.tensor([2, 2, 1, 0], I64)
    c.equal_array(c.op(f"gather {n} at {k} : {nt}, {kt}"), [nest[i] for i in (2, 2, 1, 0)], [2], [4, 3])
    deep = [[[], leaves(random.Random(1), 2, [])], [], [leaves(random.Random(2), 1, []), [], leaves(random.Random(3), 3, [])]]
    a, at = c.array(deep, [], [4, 3, 3])
    for i in range(3):
        s, st = c.shape([i])
        c.equal_array(c.op(f"index {a} at {s} : {at}, {st}"), deep[i], [], [3, 3])
    k, kt = c.tensor([2, 0, 1, 2], I64)
    c.equal_array(c.op(f"gather {a} at {k} : {at}, {kt}"), [deep[i] for i in (2, 0, 1, 2)], [], [4, 3, 3])
    # Of an array without elements.
    c = Case(file, "nothing")
    a, at = c.array([], [2], [4])
    s, st = c.shape([0])
    c.equal(c.op(f"index {a} at {s} : {at}, {st}"), [0, 0])
    n, nt = c.array([], [2], [4, 3])
    c.equal_array(c.op(f"index {n} at {s} : {nt}, {st}"), [], [2], [3])
    k, kt = c.tensor([1, 0], I64)
    c.equal_array(c.op(f"gather {a} at {k} : {at}, {kt}"), [np.zeros(2)] * 2, [2], [2])
    c.equal(c.op(f"gather sum {a} at {k} : {at}, {kt}"), [0, 0])


def pools(file, ty, rng):
    """gather_* and scatter_*; of means only those that are exact."""
    least = low(ty)
    ways = {"sum": np.sum}
    if not ty.is_complex:
        ways |= {"max": np.max, "min": np.min}
    if ty.is_float or ty.is_complex:
        ways["mean"] = lambda x, axis: np.sum(x, axis=axis) / x.shape[axis]
    c = Case(file, "pool", ty)
    for name, way in ways.items():
        x = 4 * leaves(rng, 1, [5, 3], least, 4)[0] if name == "mean" else leaves(rng, 1, [5, 3], least)[0]
        t, tt = c.tensor(x)
        k, kt = c.tensor([4, 0, 2, 2], I32)
        c.equal(c.op(f"gather {name} {t} at {k} dim = 0 : {tt}, {kt}"), way(x[[4, 0, 2, 2]], axis=0))
        k2, k2t = c.tensor([1, 2], I32)
        c.equal(c.op(f"gather {name} {t} at {k2} dim = 1 : {tt}, {k2t}"), way(x[:, [1, 2]], axis=1))
        a, at = c.array(list(x), [3], [7])
        c.equal(c.op(f"gather {name} {a} at {k} : {at}, {kt}"), way(x[[4, 0, 2, 2]], axis=0))
        # As many indices as an array has at run time.
        few, few_type = c.array([np.int64(3), np.int64(1)], [], [6], I64)
        c.equal(c.op(f"gather {name} {a} at {few} : {at}, {few_type}"), way(x[[3, 1]], axis=0))
        u = leaves(rng, 1, [4, 3], least)[0]
        if name == "mean":
            u = u * 4
            x = x * 2
            t, tt = c.tensor(x)
            a, at = c.array(list(x), [3], [7])
        updates, ut = c.tensor(u)
        # Index 0 gets one, 2 gets three (with itself a power of two each), the others stay or are outside.
        where = [0, 2, 2, 2]
        k, kt = c.tensor(where, I64)
        groups = [np.array([x[i]] + [u[j] for j in range(4) if where[j] == i]) for i in range(5)]
        want = np.array([way(group, axis=0) for group in groups])
        c.equal(c.op(f"scatter {name} {t}, {updates} at {k} dim = 0 : {tt}, {ut}, {kt}"), want)
        b, bt = c.array(list(u), [3], [4])
        c.equal_array(c.op(f"scatter {name} {a}, {b} at {k} : {at}, {bt}, {kt}"), list(want), [3], [7])
        k, kt = c.tensor([9, -1, 6, 5], I64)
        c.equal_array(c.op(f"scatter {name} {a}, {b} at {k} : {at}, {bt}, {kt}"), list(x), [3], [7])


def layouts():
    file = File("tarray_layouts", covers=["tarray.slice"])
    for ty in ALL:
        rng = random.Random(f"layouts{ty}")
        c = Case(file, "layouts", ty, table(ty, rng))
        x = np.arange(24).reshape(2, 3, 4)
        t, tt = c.tensor(x)
        c.equal(c.op(f"slice {t} [1 : 2 : 4] dim = 2 : {tt}"), x[:, :, 1:4:2])
        c.equal(c.op(f"slice {t} [2 : 1 : 2] dim = 1 : {tt}"), x[:, 2:2])
        c.equal(c.op(f"slice {t} [1 : 1 : 2] dim = 1 keep_dim = true : {tt}"), x[:, 1:2])
        c.equal(c.op(f"slice {t} [1 : 1 : 2] dim = 1 keep_dim = false : {tt}"), x[:, 1])
        for i in 0, 2, -3, 9:
            n = c.number(i)
            at = nearest(i, 3)
            c.equal(c.op(f"slice {t} at {n} dim = 1 keep_dim = false : {tt}, tensor<i64>"), x[:, at])
            c.equal(c.op(f"slice {t} at {n} dim = 1 keep_dim = true : {tt}, tensor<i64>"), x[:, at:at + 1])
        c.equal(c.op(f"transpose {t} dims = [2, 0, 1] : {tt}"), x.transpose(2, 0, 1))
        c.equal(c.op(f"reshape {t} to (4, -1) : {tt}"), x.reshape(4, -1))
        c.equal(c.op(f"reshape {t} to (24) : {tt}"), x.reshape(24))
        u = c.op(f"unsqueeze {t} dim = 1 : {tt}")
        c.equal(u, x[:, None])
        c.equal(c.op(f"squeeze {u} dim = 1 : {tensor(ty, [2, 1, 3, 4])}"), x)


def binary(name, a, b, t):
    return f"%r = stablehlo.{name} {a}, {b} : {t}"


def loops():
    file = File("tarray_loops", covers=["tarray.parallel_foreach"])
    for ty in NUMBERS:
        rng = random.Random(f"loops{ty}")
        least = low(ty)
        for length in 0, 1, 3:
            c = Case(file, f"each{length}", ty)
            parts, others = leaves(rng, length, [3], least), leaves(rng, length + 1, [3], least)
            a, at = c.array(parts, [3], [4])
            b, bt = c.array(others, [3], [5])
            t, s = tensor(ty, [3]), tensor(ty, [])
            both = c.loop(f"parallel_foreach (%e in {a} : {at}, %f in {b} : {bt})", [binary("multiply", "%e", "%f", t)], f"%r : {t}")
            c.equal_array(both, [x * y for x, y in zip(parts, others)], [3], [4])
            v = leaves(rng, 1, [3], least)[0]
            y, yt = c.tensor(v)
            wide = c.loop(f"broadcast (%e in {a} : {at}, %f = {y} : {yt})", [binary("add", "%e", "%f", t)], f"%r : {t}")
            c.equal_array(wide, [x + v for x in parts], [3], [4])
            scan = c.loop(f"scan forward (%e in {a} : {at}, %f = {y} : {yt})", [binary("add", "%e", "%f", t)], f"%r : {t}")
            c.equal_array(scan, list(v + np.cumsum(np.array(parts).reshape(-1, 3), 0)), [3], [4])
            back = c.loop(f"scan backward (%e in {a} : {at}, %f = {y} : {yt})", [binary("add", "%e", "%f", t)], f"%r : {t}")
            total = np.array(parts).reshape(-1, 3)
            c.equal_array(back, list(v + np.cumsum(total[::-1], 0)[::-1]), [3], [4])
            zero, zt = c.tensor(np.zeros(3, np.int64))
            c.equal(c.loop(f"reduce (%e in {a} : {at}, %f = {zero} : {zt})", [binary("add", "%e", "%f", t)], f"%r : {t}"), total.sum(0))
            # In this order: the last element counts once, the one before twice, and so on.
            lines = [f"%s = stablehlo.add %f, %f : {t}", f"%r = stablehlo.add %s, %e : {t}"]
            small = leaves(rng, length, [3], 0, 3)
            d, dt = c.array(small, [3], [4])
            folded = np.zeros(3, np.int64)
            for x in small:
                folded = 2 * folded + x
            c.equal(c.loop(f"fold (%e in {d} : {dt}, %f = {zero} : {zt})", lines, f"%r : {t}"), folded)
        c = Case(file, "tensors", ty)
        x = leaves(rng, 1, [3, 4], least, 4)[0]
        t, tt = c.tensor(x)
        s = tensor(ty, [])
        c.equal(c.loop(f"parallel_foreach (%e in {t} : {tt}, %f in {t} : {tt})", [binary("multiply", "%e", "%f", s)], f"%r : {s}"), x * x)
        v = leaves(rng, 1, [4], least)[0]
        y, yt = c.tensor(v)
        c.equal(c.loop(f"broadcast (%e in {t} : {tt}, %f = {y} : {yt})", [binary("multiply", "%e", "%f", s)], f"%r : {s}"), x * v)
        w = leaves(rng, 1, [3], least)[0]
        z, zt = c.tensor(w)
        value = c.loop(f"broadcast dims = [0] (%e in {t} : {tt}, %f = {z} : {zt})", [binary("add", "%e", "%f", s)], f"%r : {s}")
        c.equal(value, x + w[:, None])
        one, ot = c.tensor(w[:1])
        value = c.loop(f"broadcast dims = [1] (%e in {t} : {tt}, %f = {one} : {ot})", [binary("add", "%e", "%f", s)], f"%r : {s}")
        c.equal(value, x + w[0])
        row = tensor(ty, [4])
        c.equal(c.loop(f"reduce (%e in {t} : {tt}, %f = {y} : {yt})", [binary("add", "%e", "%f", row)], f"%r : {row}"), v + x.sum(0))
        c.equal(c.loop(f"fold (%e in {t} : {tt}, %f = {y} : {yt})", [binary("add", "%f", "%e", row)], f"%r : {row}"), v + x.sum(0))
        value = c.loop(f"scan forward (%e in {t} : {tt}, %f = {y} : {yt})", [binary("add", "%e", "%f", row)], f"%r : {row}")
        c.equal(value, v + np.cumsum(x, 0))
        column = tensor(ty, [3])
        lines = [
            f"%u = stablehlo.slice %e [0:2] : ({column}) -> {tensor(ty, [2])}",
            f"%v = stablehlo.slice %e [1:3] : ({column}) -> {tensor(ty, [2])}",
            f"%r = stablehlo.add %u, %v : {tensor(ty, [2])}",
        ]
        value = c.loop(f"apply_along_axis dim = 0 (%e in {t} : {tt})", lines, f"%r : {tensor(ty, [2])}")
        c.equal(value, x[:2] + x[1:])
        lines = [f"%r = stablehlo.reverse %e, dims = [0] : {row}"]
        c.equal(c.loop(f"apply_along_axis dim = 1 (%e in {t} : {tt})", lines, f"%r : {row}"), x[:, ::-1])
    for ty in REAL:
        rng = random.Random(f"orders{ty}")
        least = low(ty)
        for length in 0, 1, 5:
            c = Case(file, f"order{length}", ty)
            parts = leaves(rng, length, [2], least)
            a, at = c.array(parts, [2], [6])
            limit, lt = c.tensor(2)
            key = [f"%k = stablehlo.slice %e [0:1] : ({tensor(ty, [2])}) -> {tensor(ty, [1])}", f"%s = stablehlo.reshape %k : ({tensor(ty, [1])}) -> {lt}"]
            test = key + [f"%r = stablehlo.compare GE, %s, {limit} : ({lt}, {lt}) -> tensor<i1>"]
            c.equal_array(c.loop(f"filter (%e in {a} : {at})", test, "%r : tensor<i1>"), [x for x in parts if x[0] >= 2], [2], [6])
            c.equal_array(c.loop(f"sortby (%e in {a} : {at})", key, f"%s : {lt}"), sorted(parts, key=lambda x: x[0]), [2], [6])
        c = Case(file, "order_tensor", ty)
        x = leaves(rng, 1, [7], least, 3)[0]
        t, tt = c.tensor(x)
        limit, lt = c.tensor(1)
        test = [f"%r = stablehlo.compare GT, %e, {limit} : ({lt}, {lt}) -> tensor<i1>"]
        c.equal_array(c.loop(f"filter (%e in {t} : {tt})", test, "%r : tensor<i1>"), list(x[x > 1]), [], [7])
        c.equal(c.loop(f"sortby (%e in {t} : {tt})", [], f"%e : {lt}"), np.sort(x, kind="stable"))
    nan_keys(file)
    nests(file)
    builders(file)


def nan_keys(file):
    c = Case(file, "nan_keys")
    values = [float("nan"), 2.0, -0.0, float("inf"), 0.0, float("nan"), -1.0]
    keys = c.f.constant(F32, [7], values)
    numbers, nt = c.tensor(np.arange(7), I32)
    a = c.op(f"slices {numbers} dim = 0 : {nt}")
    lines = [
        "%z = stablehlo.convert %e : (tensor<i32>) -> tensor<i64>",
        f"%k = stablehlo.dynamic_slice {keys}, %z, sizes = [1] : (tensor<7xf32>, tensor<i64>) -> tensor<1xf32>",
        "%s = stablehlo.reshape %k : (tensor<1xf32>) -> tensor<f32>",
    ]
    value = c.loop(f"sortby (%e in {a} : !tarray.array<tensor<i32>, max = 7>)", lines, "%s : tensor<f32>")
    # Both zeros are equal, and NaN is behind all else; equal keys stay in their order.
    c.equal_array(value, [6, 2, 4, 1, 3, 0, 5], [], [7], I32)


def nests(file):
    rng = random.Random("nests")
    nest = [leaves(rng, 2, [2]), [], leaves(rng, 3, [2])]
    inner = "!tarray.array<tensor<2xf32>, max = 3>"
    c = Case(file, "nest")
    n, nt = c.array(nest, [2], [4, 3])
    zero, _ = c.tensor(np.zeros(2, np.int64))
    sums = [
        f"%r = tarray.reduce (%v in %e : {inner}, %a = {zero} : tensor<2xf32>) {{",
        "  %s = stablehlo.add %v, %a : tensor<2xf32>",
        "  tarray.yield %s : tensor<2xf32>",
        "}",
    ]
    value = c.loop(f"parallel_foreach (%e in {n} : {nt})", sums, "%r : tensor<2xf32>")
    c.equal_array(value, [sum(one, np.zeros(2, np.int64)) for one in nest], [2], [4])
    each = [
        f"%r = tarray.parallel_foreach (%v in %e : {inner}) {{",
        "  %s = stablehlo.add %v, %v : tensor<2xf32>",
        "  tarray.yield %s : tensor<2xf32>",
        "}",
    ]
    value = c.loop(f"parallel_foreach (%e in {n} : {nt})", each, f"%r : {inner}")
    c.equal_array(value, [[2 * x for x in one] for one in nest], [2], [4, 3])
    keeps = [
        f"%l = tarray.length %e : {inner}",
        "%one = stablehlo.constant dense<1> : tensor<i64>",
        "%r = stablehlo.compare GE, %l, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>",
    ]
    value = c.loop(f"filter (%e in {n} : {nt})", keeps, "%r : tensor<i1>")
    c.equal_array(value, [one for one in nest if one], [2], [4, 3])
    lengths = [f"%l = tarray.length %e : {inner}"]
    value = c.loop(f"sortby (%e in {n} : {nt})", lengths, "%l : tensor<i64>")
    c.equal_array(value, sorted(nest, key=len), [2], [4, 3])
    # Elements of different lengths carried along.
    first, first_type = c.array(nest[0], [2], [3])
    value = c.loop(f"scan forward (%e in {n} : {nt}, %a = {first} : {first_type})", [], f"%e : {inner}")
    c.equal_array(value, nest, [2], [4, 3])
    value = c.loop(f"fold (%e in {n} : {nt}, %a = {first} : {first_type})", [], f"%e : {inner}")
    c.equal_array(value, nest[-1], [2], [3])
    deep = [[[], leaves(rng, 2, [])], [], [leaves(rng, 1, []), [], leaves(rng, 3, [])]]
    a, at = c.array(deep, [], [4, 3, 3])
    middle, inmost = "!tarray.array<!tarray.array<tensor<f32>, max = 3>, max = 3>", "!tarray.array<tensor<f32>, max = 3>"
    negated = [
        f"%r = tarray.parallel_foreach (%v in %e : {middle}) {{",
        f"  %q = tarray.parallel_foreach (%w in %v : {inmost}) {{",
        "    %s = stablehlo.negate %w : tensor<f32>",
        "    tarray.yield %s : tensor<f32>",
        "  }",
        f"  tarray.yield %q : {inmost}",
        "}",
    ]
    value = c.loop(f"parallel_foreach (%e in {a} : {at})", negated, f"%r : {middle}")
    c.equal_array(value, [[[-x for x in one] for one in two] for two in deep], [], [4, 3, 3])
    names = [c.f.fresh(), c.f.fresh()]
    c.f.line(f"{', '.join(names)} = tarray.zip {n}, {a} : {nt}, {at}")
    c.equal_array(names[0], nest, [2], [4, 3])
    c.equal_array(names[1], deep, [], [4, 3, 3])
    few, few_type = c.array([np.int64(7), np.int64(8)], [], [2], I32)
    names = [c.f.fresh(), c.f.fresh()]
    c.f.line(f"{', '.join(names)} = tarray.zip {a}, {few} : {at}, {few_type}")
    c.equal_array(names[0], deep[:2], [], [2, 3, 3])
    c.equal_array(names[1], [7, 8], [], [2], I32)


def builders(file):
    for rounds, most in (5, 8), (5, 2), (0, 3), (-2, 3), (4, 0):
        c = Case(file, f"build{rounds}_{most}".replace("-", "m"))
        n = c.number(rounds)
        one = c.number(1)
        names = [c.f.fresh(), c.f.fresh()]
        c.f.line(f"{', '.join(names)} = tarray.build max = {most} (%i in {n} : tensor<i64>, %a = {one} : tensor<i64>) {{")
        for line in [
            "%two = stablehlo.constant dense<2> : tensor<i64>",
            "%b = stablehlo.multiply %a, %two : tensor<i64>",
            "%c = stablehlo.compare NE, %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>",
            "tarray.yield %c, %a, %b : tensor<i1>, tensor<i64>, tensor<i64>",
        ]:
            c.f.line("  " + line)
        c.f.line("}")
        rounds = max(rounds, 0)
        c.equal_array(names[0], [2**i for i in range(rounds) if i != 2][:most], [], [most], I64)
        c.equal(names[1], 2**rounds, I64)
    c = Case(file, "foreach")
    s, st = c.shape([4, 5, 6])
    one = c.number(1)
    names = [c.f.fresh(), c.f.fresh()]
    c.f.line(f"{', '.join(names)} = tarray.foreach (%e in {s} : {st}, %a = {one} : tensor<i64>) {{")
    c.f.line("  %b = stablehlo.multiply %a, %e : tensor<i64>")
    c.f.line("  tarray.yield %a, %b : tensor<i64>, tensor<i64>")
    c.f.line("}")
    c.equal_array(names[0], [1, 4, 20], [], [3], I64)
    c.equal(names[1], 120, I64)
    c = Case(file, "shared")
    # Every iteration adds to an element of a shared tensor.
    where, wt = c.array([np.int64(i) for i in (3, 0, 3)], [], [4], I64)
    total, tt = c.tensor(np.arange(4))
    unit, ut = c.tensor(1)
    value = c.loop(
        f"parallel_foreach (%e in {where} : {wt}, %o = {total} : {tt})",
        [
            "%none = tarray.shape ()",
            "%at = tarray.insert %none, 0, %e : !tarray.shape<0>, tensor<i64>",
            f"%r = tarray.index_update add %o, {unit} at %at : {tt}, {ut}, !tarray.shape<1>",
        ],
        f"%r : {tt}",
    )
    c.equal(value, [1, 1, 2, 5])
    file.extra.append(
        """func.func private @square_sum(%x: tensor<3xf32>, %y: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<3xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.add %1, %y : tensor<f32>
  return %2 : tensor<f32>
}"""
    )
    c = Case(file, "vectorize")
    rng = random.Random("vectorize")
    x, y = leaves(rng, 1, [2, 4, 3])[0], leaves(rng, 1, [2, 4])[0]
    (a, at), (b, bt) = c.tensor(x), c.tensor(y)
    c.equal(c.op(f"vectorize @square_sum({a}, {b}) : {at}, {bt} -> tensor<2x4xf32>"), (x * x).sum(-1) + y)
    parts, others = leaves(rng, 2, [3]), leaves(rng, 3, [])
    (a, at), (b, bt) = c.array(parts, [3], [4]), c.array(others, [], [5])
    value = c.op(f"vectorize @square_sum({a}, {b}) : {at}, {bt} -> !tarray.array<tensor<f32>, max = 4>")
    c.equal_array(value, [(p * p).sum() + q for p, q in zip(parts, others)], [], [4])


def generate():
    shapes()
    conversions()
    access()
    layouts()
    loops()
