"""Tensor arrays: the operations of the `tarray` dialect without a body, with lists of NumPy arrays as the expectation."""

import random

import numpy as np

import array_loops
import array_sizes
from array_case import I32, I64, NUMBERS, Case, leaves, low, nearest, table
from formats import ALL, F32
from program import File, tensor

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


def generate():
    shapes()
    conversions()
    access()
    layouts()
    array_loops.loops()
    array_sizes.sizes()
