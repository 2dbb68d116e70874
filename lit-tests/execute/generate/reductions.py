"""`reduce`, windows, `scatter`, `sort`, `map`: operations with a region, on every type.

Sums are of numbers whose partial sums are exact in every order, because the order is open.
"""

import itertools
import math
import random

import numpy as np

from elementwise import some
from formats import ALL, F32, I1, INF, SIGNED, UNSIGNED
from program import File, tensor
from reference import maximum, minimum

I32, I64 = SIGNED[4], SIGNED[5]
SUMMED = [ty for ty in ALL if not (ty.is_float and ty.special == "e8m0")]


def few(ty, rng, count):
    """Numbers whose sums are exact in any order (floats: at most four that are not zero)."""
    if ty.is_bool:
        return [rng.randint(0, 1) for _ in range(count)]
    if ty.is_int:
        return [rng.randint(ty.low, ty.high) for _ in range(count)]
    halves = [rng.choice([0.5, -0.5]) if k % 3 == 0 else 0.0 for k in range(count)]
    if ty.is_complex:
        return [(2.0 * x + k % 4, float(k)) for k, x in enumerate(halves)]
    return halves


def plus(ty, values):
    """The sum from zero."""
    if ty.is_bool:
        return int(any(values))
    if ty.is_int:
        return ty.wrap(sum(values))
    if ty.is_complex:
        return (math.fsum(z[0] for z in values), math.fsum(z[1] for z in values))
    return ty.round(math.fsum(values))


def most(ty, values):
    if not ty.is_float:
        return max(values)  # tuples lexicographically
    out = -INF
    for x in values:
        out = maximum(out, x)
    return out


def least(ty, values):
    if not ty.is_float:
        return min(values)
    out = INF
    for x in values:
        out = minimum(out, x)
    return out


def zero(ty):
    return (0.0, 0.0) if ty.is_complex else (0.0 if ty.is_float else 0)


def bottom(ty):
    """Identity of the maximum."""
    if ty.is_bool:
        return 0
    if ty.is_int:
        return ty.low
    if ty.is_complex:
        return (-INF, -INF)
    if ty.has_inf:
        return -INF
    return -ty.max if ty.signed else ty.tiny


def groups(shape, dims):
    """For every element of the result the positions that it is made of."""
    kept = [d for d in range(len(shape)) if d not in dims]
    p = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape).transpose(kept + list(dims))
    return [shape[d] for d in kept], p.reshape(int(np.prod([shape[d] for d in kept])), -1)


def region(op, ty):
    t = tensor(ty, [])
    return f"{{\n  ^bb0(%x: {t}, %y: {t}):\n    %z = stablehlo.{op} %x, %y : {t}\n    stablehlo.return %z : {t}\n  }}"


def reduce():
    file = File("reduce", covers=["stablehlo.reduce"])
    rng = random.Random("reduce")
    for ty in ALL:
        for op, init, fold, draw in (("add", zero(ty), plus, few), ("maximum", bottom(ty), most, some)):
            if op == "add" and ty not in SUMMED:
                continue
            for shape, dims in (([3, 4], [1]), ([3, 4], [0])) if op == "add" else (([2, 3, 2], [0, 2]),):
                values = draw(ty, rng, int(np.prod(shape)))
                f = file.function(f"reduce_{op}_{ty}")
                v, c = f.constant(ty, shape, values), f.literal(ty, [], [init])
                result, rows = groups(shape, dims)
                types = f"({tensor(ty, shape)}, {tensor(ty, [])}) -> {tensor(ty, result)}"
                r = f.op(f"stablehlo.reduce({v} init: {c}) applies stablehlo.{op} across dimensions = {dims} : {types}")
                f.equal(r, ty, result, [fold(ty, [values[k] for k in row]) for row in rows])
    # NaN wins; everything is reduced; nothing is reduced.
    values = [1.0, math.nan, 3.0, -1.0, 5.0, -0.0]
    for op, fold in ("maximum", most), ("minimum", least):
        f = file.function(f"reduce_nan_{op}")
        v, c = f.constant(F32, [2, 3], values), f.literal(F32, [], [-INF if op == "maximum" else INF])
        types = f"({tensor(F32, [2, 3])}, {tensor(F32, [])}) -> {tensor(F32, [2])}"
        r = f.op(f"stablehlo.reduce({v} init: {c}) applies stablehlo.{op} across dimensions = [1] : {types}")
        f.equal(r, F32, [2], [fold(F32, values[:3]), fold(F32, values[3:])])
    for shape, dims, result in ([0, 2], [0], [2]), ([2, 0], [0], [0]), ([5], [], [5]), ([2, 2], [0, 1], []):
        f = file.function("reduce_shape")
        total = int(np.prod(shape))
        values = [float(k) for k in range(total)]
        v, c = f.constant(F32, shape, values), f.literal(F32, [], [0.0])
        types = f"({tensor(F32, shape)}, {tensor(F32, [])}) -> {tensor(F32, result)}"
        r = f.op(f"stablehlo.reduce({v} init: {c}) applies stablehlo.add across dimensions = {dims} : {types}")
        sums = np.array(values).reshape(shape).sum(tuple(dims)).flatten() if dims else values
        f.equal(r, F32, result, [float(x) for x in sums])
    # Two operands and a region of several operations: the position of the greatest, the first of equals.
    f = file.function("reduce_position")
    values = [3.0, 7.0, 7.0, -1.0, 2.0, 2.0, -5.0, 2.0]
    v, k = f.constant(F32, [2, 4], values), f.op(f"stablehlo.iota dim = 1 : {tensor(I32, [2, 4])}")
    a, b = f.literal(F32, [], [-INF]), f.literal(I32, [], [0x7FFFFFFF])
    f.line("%m, %i = stablehlo.reduce(" + f"{v} init: {a}), ({k} init: {b}) across dimensions = [1] : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)")
    f.line(" reducer(%x: tensor<f32>, %y: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {")
    for text in (
        "%gt = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>",
        "%eq = stablehlo.compare EQ, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>",
        "%before = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>",
        "%tie = stablehlo.and %eq, %before : tensor<i1>",
        "%first = stablehlo.or %gt, %tie : tensor<i1>",
        "%s = stablehlo.select %first, %x, %y : tensor<i1>, tensor<f32>",
        "%t = stablehlo.select %first, %p, %q : tensor<i1>, tensor<i32>",
        "stablehlo.return %s, %t : tensor<f32>, tensor<i32>",
    ):
        f.line("  " + text)
    f.line("}")
    f.equal("%m", F32, [2], [7.0, 2.0])
    f.equal("%i", I32, [2], [1, 0])


def windows(shape, size, stride, base, dilation, pads):
    """Shape of the result and for each of its elements the positions in its window (those in the padding are left out)."""
    padded = [(n - 1) * b + 1 + sum(p) if n else sum(p) for n, b, p in zip(shape, base, pads)]
    result = [(n - ((k - 1) * d + 1)) // s + 1 for n, k, d, s in zip(padded, size, dilation, stride)]
    rows = []
    for index in np.ndindex(*result):
        row = []
        for offset in np.ndindex(*size):
            place = [i * s + o * d - p[0] for i, s, o, d, p in zip(index, stride, offset, dilation, pads)]
            if all(x % b == 0 and 0 <= x // b < n for x, b, n in zip(place, base, shape)):
                row.append(int(np.ravel_multi_index([x // b for x, b in zip(place, base)], shape)))
        rows.append(row)
    return result, rows


def reduce_window():
    file = File("reduce_window", covers=["stablehlo.reduce_window"])
    rng = random.Random("window")
    plain = ([4, 5], [2, 3], [1, 2], [1, 1], [1, 1], [(0, 0), (0, 0)])
    dilated = ([3, 4], [2, 2], [2, 1], [2, 1], [1, 2], [(1, 1), (0, 1)])
    for ty in ALL:
        for op, init, fold, draw, case in (
            ("add", zero(ty), plus, few, plain), ("maximum", bottom(ty), most, some, dilated),
        ):  # fmt: skip
            if op == "add" and ty not in SUMMED:
                continue
            window(file, f"window_{op}_{ty}", ty, op, init, fold, draw, case, rng)
    # Windows of many elements are windows of windows.
    long = ([2, 130], [1, 71], [1, 1], [1, 1], [1, 1], [(0, 0), (3, 2)])
    both = ([17, 23], [9, 10], [3, 1], [1, 1], [1, 2], [(2, 0), (0, 3)])
    for ty in ALL:
        exact = ty.is_int or ty.is_bool or ty.is_float and ty.width >= 32
        window(file, f"long_window_maximum_{ty}", ty, "maximum", bottom(ty), most, some, long, rng)
        if exact:
            window(file, f"wide_window_add_{ty}", ty, "add", zero(ty), plus, few, both, rng)


def window(file, name, ty, op, init, fold, draw, case, rng):
    """A function with a `reduce_window` on random elements."""
    shape, size, stride, base, dilation, pads = case
    values = draw(ty, rng, int(np.prod(shape)))
    result, rows = windows(*case)
    f = file.function(name)
    v, c = f.constant(ty, shape, values), f.literal(ty, [], [init])
    attributes = (
        f"window_dimensions = array<i64: {', '.join(map(str, size))}>, window_strides = array<i64: {', '.join(map(str, stride))}>,"
        f" base_dilations = array<i64: {', '.join(map(str, base))}>, window_dilations = array<i64: {', '.join(map(str, dilation))}>,"
        f" padding = dense<{[list(p) for p in pads]}> : tensor<2x2xi64>"
    )
    types = f"({tensor(ty, shape)}, {tensor(ty, [])}) -> {tensor(ty, result)}"
    r = f.op(f'"stablehlo.reduce_window"({v}, {c}) <{{{attributes}}}> ({region(op, ty)}) : {types}')
    f.equal(r, ty, result, [fold(ty, [init] + [values[k] for k in row]) for row in rows])


def select_and_scatter():
    file = File("select_and_scatter", covers=["stablehlo.select_and_scatter"])
    rng = random.Random("select and scatter")
    for ty in SUMMED:
        if ty.is_bool:
            continue
        # Windows 2x2 that do not overlap: each source element goes to one place, the first of the greatest.
        values, source = some(ty, rng, 16), few(ty, rng, 4)
        out = [zero(ty)] * 16
        for w, (i, j) in enumerate(itertools.product(range(2), range(2))):
            places = [(2 * i + a) * 4 + 2 * j + b for a in range(2) for b in range(2)]
            best = places[0]
            for place in places[1:]:
                if not values[best] >= values[place]:
                    best = place
            out[best] = source[w]
        f = file.function(f"scatter_{ty}")
        v, s, c = f.constant(ty, [4, 4], values), f.constant(ty, [2, 2], source), f.literal(ty, [], [zero(ty)])
        t, p = tensor(ty, []), tensor(I1, [])
        select = f"{{\n  ^bb0(%x: {t}, %y: {t}):\n    %z = stablehlo.compare GE, %x, %y : ({t}, {t}) -> {p}\n    stablehlo.return %z : {p}\n  }}"
        attributes = "window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>, padding = dense<0> : tensor<2x2xi64>"
        r = f.op(
            f'"stablehlo.select_and_scatter"({v}, {s}, {c}) <{{{attributes}}}> ({select}, {region("add", ty)})'
            f" : ({tensor(ty, [4, 4])}, {tensor(ty, [2, 2])}, {t}) -> {tensor(ty, [4, 4])}"
        )
        f.equal(r, ty, [4, 4], out)
    # Overlapping windows and padding.
    f = file.function("scatter_overlap")
    v, s, c = f.constant(F32, [5], [1.0, 9.0, 2.0, 8.0, 3.0]), f.constant(F32, [3], [1.0, 2.0, 4.0]), f.constant(F32, [], [0.5])
    t, p = tensor(F32, []), tensor(I1, [])
    select = f"{{\n  ^bb0(%x: {t}, %y: {t}):\n    %z = stablehlo.compare GE, %x, %y : ({t}, {t}) -> {p}\n    stablehlo.return %z : {p}\n  }}"
    attributes = "window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>"
    r = f.op(f'"stablehlo.select_and_scatter"({v}, {s}, {c}) <{{{attributes}}}> ({select}, {region("add", F32)}) : (tensor<5xf32>, tensor<3xf32>, {t}) -> tensor<5xf32>')
    f.equal(r, F32, [5], [0.5, 3.5, 0.5, 4.5, 0.5])


def scatter():
    file = File("scatter", covers=["stablehlo.scatter"])
    rng = random.Random("scatter")
    integers = [I32, I64, SIGNED[2], UNSIGNED[4]]
    dims = "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
    for i, ty in enumerate(ALL):
        integer = integers[i % 4]
        rows = [2, 0, 7, -1 if integer.signed else 9]
        for op in ("replace", "add"):
            if op == "add" and ty not in SUMMED:
                continue
            values = (some if op == "replace" else few)(ty, rng, 12)
            update = (some if op == "replace" else few)(ty, rng, 12)
            if op == "add":
                rows = [2, 0, 7, 2]  # one row twice
                if ty.is_float:
                    update = [0.5 if k % 3 else 0.0 for k in range(12)]
                    values = [0.5] * 12
            out = list(values)
            for k, row in enumerate(rows):
                for c in range(3):
                    # A window that is not inside changes nothing.
                    if 0 <= row < 4:
                        new = update[3 * k + c]
                        out[3 * row + c] = new if op == "replace" else plus(ty, [out[3 * row + c], new])
            f = file.function(f"scatter_{op}_{ty}")
            v, index, u = f.constant(ty, [4, 3], values), f.constant(integer, [4, 1], rows), f.constant(ty, [4, 3], update)
            t = tensor(ty, [])
            body = region("add", ty) if op == "add" else f"{{\n  ^bb0(%x: {t}, %y: {t}):\n    stablehlo.return %y : {t}\n  }}"
            r = f.op(
                f'"stablehlo.scatter"({v}, {index}, {u}) <{{indices_are_sorted = false, scatter_dimension_numbers = {dims}, unique_indices = false}}> ({body})'
                f" : ({tensor(ty, [4, 3])}, {tensor(integer, [4, 1])}, {tensor(ty, [4, 3])}) -> {tensor(ty, [4, 3])}"
            )
            f.equal(r, ty, [4, 3], out)


def sort():
    file = File("sort", covers=["stablehlo.sort"])
    rng = random.Random("sort")
    for ty in ALL:
        values = some(ty, rng, 12)
        if ty.is_float and ty.special != "e8m0":
            values = [x + 0.0 for x in values]  # no -0, which has no order
        # The comparison of the first operand alone; the second shows that equal ones keep their order.
        for direction in ("LT", "GT"):
            f = file.function(f"sort_{direction}_{ty}")
            v, k = f.constant(ty, [2, 6], values), f.op(f"stablehlo.iota dim = 1 : {tensor(I32, [2, 6])}")
            t, n = tensor(ty, []), tensor(I32, [])
            body = (
                f"{{\n  ^bb0(%x: {t}, %y: {t}, %p: {n}, %q: {n}):\n"
                f"    %z = stablehlo.compare {direction}, %x, %y : ({t}, {t}) -> tensor<i1>\n    stablehlo.return %z : tensor<i1>\n  }}"
            )
            r, s = f.ops(
                2,
                f'"stablehlo.sort"({v}, {k}) <{{dimension = 1 : i64, is_stable = true}}> ({body})'
                f" : ({tensor(ty, [2, 6])}, {tensor(I32, [2, 6])}) -> ({tensor(ty, [2, 6])}, {tensor(I32, [2, 6])})",
            )
            sorted_values, order = [], []
            for row in (values[:6], values[6:]):
                places = sorted(range(6), key=lambda i: row[i]) if direction == "LT" else stable_descending(row)
                sorted_values += [row[i] for i in places]
                order += places
            f.equal(r, ty, [2, 6], sorted_values)
            f.equal(s, I32, [2, 6], order)


def stable_descending(row):
    return sorted(range(len(row)), key=lambda i: row[i], reverse=True)


def map_():
    file = File("map", covers=["stablehlo.map"])
    rng = random.Random("map")
    for ty in ALL:
        a, b = some(ty, rng, 6), some(ty, rng, 6)
        f = file.function(f"map_{ty}")
        v, w = f.constant(ty, [2, 3], a), f.constant(ty, [2, 3], b)
        r = f.op(
            f'"stablehlo.map"({v}, {w}) <{{dimensions = array<i64: 0, 1>}}> ({region("maximum", ty)})'
            f" : ({tensor(ty, [2, 3])}, {tensor(ty, [2, 3])}) -> {tensor(ty, [2, 3])}"
        )
        f.equal(r, ty, [2, 3], [maximum(x, y) if ty.is_float else max(x, y) for x, y in zip(a, b)])


def generate():
    reduce()
    reduce_window()
    select_and_scatter()
    scatter()
    sort()
    map_()
