"""Operations that only move elements, on every type, quantized ones included: the expectation is a list of positions."""

import random

import numpy as np

from elementwise import some
from formats import ALL, F32, I1, MOVED, SIGNED, UNSIGNED
from program import File, tensor

I8, I32, I64 = SIGNED[2], SIGNED[4], SIGNED[5]
U8 = UNSIGNED[2]


def positions(*shape):
    return np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)


def move(file, label, ty, shape, text, result, seed=0):
    """One function. `text` of the operation with {v}, {a} (type of the operand), {r} (of the result), {s} (of a scalar);
    `result`: positions in the operand."""
    rng = random.Random(f"{label}{seed}")
    values = some(ty, rng, int(np.prod(shape)))
    f = file.function(f"{label}_{ty}")
    v = f.constant(ty, shape, values)
    r = f.op(text.format(v=v, a=tensor(ty, shape), r=tensor(ty, result.shape), s=tensor(ty, [])))
    f.equal(r, ty, list(result.shape), [values[i] for i in result.flatten()])


def transpose():
    file = File("transpose", covers=["stablehlo.transpose"])
    for ty in MOVED:
        move(file, "transpose", ty, [2, 3, 5], "stablehlo.transpose {v}, dims = [2, 0, 1] : ({a}) -> {r}", positions(2, 3, 5).transpose(2, 0, 1))
    for shape, dims in ([3, 0], [1, 0]), ([1, 4], [1, 0]), ([], []), ([17, 19], [1, 0]), ([2, 1, 3, 2], [3, 1, 0, 2]):
        p = positions(*shape) if shape else np.zeros((), np.int64)
        move(file, "transpose_more", F32, shape, f"stablehlo.transpose {{v}}, dims = {dims} : ({{a}}) -> {{r}}", p.transpose(dims))


def reshape():
    file = File("reshape", covers=["stablehlo.reshape"])
    for ty in MOVED:
        move(file, "reshape", ty, [2, 6], "stablehlo.reshape {v} : ({a}) -> {r}", positions(2, 6).reshape(3, 4))
    for before, after in ([1, 1], []), ([], [1]), ([0, 3], [5, 0]), ([12], [2, 1, 6]):
        p = positions(*before) if before else np.zeros((), np.int64)
        move(file, "reshape_more", F32, before, "stablehlo.reshape {v} : ({a}) -> {r}", p.reshape(after))


def broadcast():
    file = File("broadcast_in_dim", covers=["stablehlo.broadcast_in_dim"])
    for ty in MOVED:
        p = np.broadcast_to(positions(1, 3).transpose(1, 0)[None], (2, 3, 4))
        move(file, "broadcast", ty, [1, 3], "stablehlo.broadcast_in_dim {v}, dims = [2, 1] : ({a}) -> {r}", p)
    for shape, dims, result in ([], [], [3]), ([2], [0], [2, 0]), ([0], [1], [2, 0]), ([2], [1], [3, 2]):
        p = positions(*shape) if shape else np.zeros((), np.int64)
        full = [1] * len(result)
        for size, d in zip(shape, dims):
            full[d] = size
        text = f"stablehlo.broadcast_in_dim {{v}}, dims = {dims} : ({{a}}) -> {{r}}"
        move(file, "broadcast_more", F32, shape, text, np.broadcast_to(p.reshape(full), result))
    file = File("broadcast", covers=["stablehlo.broadcast"])
    for ty in MOVED:
        text = "stablehlo.broadcast {v}, sizes = [2, 1] : ({a}) -> {r}"
        move(file, "broadcast", ty, [3], text, np.broadcast_to(positions(3), (2, 1, 3)))


def slices():
    file = File("slice", covers=["stablehlo.slice"])
    for ty in MOVED:
        move(file, "slice", ty, [5, 7], "stablehlo.slice {v} [1:5:2, 0:7:3] : ({a}) -> {r}", positions(5, 7)[1:5:2, 0:7:3])
    for text, p in ("[2:2, 0:3]", positions(4, 3)[2:2]), ("[3:4, 1:3]", positions(4, 3)[3:4, 1:3]), ("[0:4, 0:3]", positions(4, 3)):
        move(file, "slice_more", F32, [4, 3], f"stablehlo.slice {{v}} {text} : ({{a}}) -> {{r}}", p)
    file = File("reverse", covers=["stablehlo.reverse"])
    for ty in MOVED:
        move(file, "reverse", ty, [2, 3, 2], "stablehlo.reverse {v}, dims = [0, 2] : {a}", positions(2, 3, 2)[::-1, :, ::-1])
    move(file, "reverse_none", F32, [0, 3], "stablehlo.reverse {v}, dims = [0] : {a}", positions(0, 3))


def starts(f, integer, values):
    return [f.constant(integer, [], [x]) for x in values]


def dynamic_slices():
    # Starts are clamped, so that the slice lies inside; of every integer type.
    rng = random.Random("starts")
    file = File("dynamic_slice", covers=["stablehlo.dynamic_slice"])
    for i, ty in enumerate(MOVED):
        integer = [I32, I64, I8, U8][i % 4]
        for start in ((1, 2), (-3, 100)) if integer.signed else ((1, 2), (200, 250)):
            low = [min(max(s, 0), most) for s, most in zip(start, (2, 4))]
            values = some(ty, rng, 20)
            f = file.function(f"dynamic_slice_{ty}")
            v = f.constant(ty, [4, 5], values)
            a, b = starts(f, integer, start)
            types = f"({tensor(ty, [4, 5])}, {tensor(integer, [])}, {tensor(integer, [])}) -> {tensor(ty, [2, 1])}"
            r = f.op(f"stablehlo.dynamic_slice {v}, {a}, {b}, sizes = [2, 1] : {types}")
            p = positions(4, 5)[low[0] : low[0] + 2, low[1] : low[1] + 1]
            f.equal(r, ty, [2, 1], [values[k] for k in p.flatten()])
    file = File("dynamic_update_slice", covers=["stablehlo.dynamic_update_slice"])
    for i, ty in enumerate(MOVED):
        integer = [I32, I64, I8, U8][i % 4]
        for start in ((1, 2), (-3, 100)) if integer.signed else ((1, 2), (200, 250)):
            low = [min(max(s, 0), most) for s, most in zip(start, (2, 3))]
            values, update = some(ty, rng, 20), some(ty, rng, 4)
            f = file.function(f"dynamic_update_slice_{ty}")
            v, u = f.constant(ty, [4, 5], values), f.constant(ty, [2, 2], update)
            a, b = starts(f, integer, start)
            types = f"({tensor(ty, [4, 5])}, {tensor(ty, [2, 2])}, {tensor(integer, [])}, {tensor(integer, [])}) -> {tensor(ty, [4, 5])}"
            r = f.op(f"stablehlo.dynamic_update_slice {v}, {u}, {a}, {b} : {types}")
            p = positions(4, 5)
            p[low[0] : low[0] + 2, low[1] : low[1] + 2] = 20 + positions(2, 2)
            f.equal(r, ty, [4, 5], [(values + update)[k] for k in p.flatten()])


def concatenate():
    rng = random.Random("concatenate")
    file = File("concatenate", covers=["stablehlo.concatenate"])
    for ty in MOVED:
        sizes = [2, 0, 1, 3]
        parts = [some(ty, rng, 2 * n) for n in sizes]
        f = file.function(f"concatenate_{ty}")
        arguments = [f.constant(ty, [2, n], p) for n, p in zip(sizes, parts)]
        types = ", ".join(tensor(ty, [2, n]) for n in sizes)
        r = f.op(f"stablehlo.concatenate {', '.join(arguments)}, dim = 1 : ({types}) -> {tensor(ty, [2, 6])}")
        f.equal(r, ty, [2, 6], [p[row * n + k] for row in range(2) for n, p in zip(sizes, parts) for k in range(n)])


def pad():
    rng = random.Random("pad")
    file = File("pad", covers=["stablehlo.pad"])
    cases = [([2, 3], [1, -1], [2, 1], [1, 2]), ([0, 2], [1, 0], [1, 0], [0, 0]), ([4], [-1], [-2], [0]), ([3], [-2], [1], [1])]
    for i, ty in enumerate(MOVED):
        for shape, low, high, interior in cases[:1] if i else cases:
            total = int(np.prod(shape))
            values, filler = some(ty, rng, total), some(ty, rng, 1)
            result = [l + h + (0 if n == 0 else n + (n - 1) * k) for n, l, h, k in zip(shape, low, high, interior)]
            out = np.full(result, total)
            for index in np.ndindex(*shape):
                place = tuple(l + x * (k + 1) for x, l, k in zip(index, low, interior))
                if all(0 <= x < n for x, n in zip(place, result)):
                    out[place] = np.ravel_multi_index(index, shape)
            f = file.function(f"pad_{ty}")
            v, c = f.constant(ty, shape, values), f.constant(ty, [], filler)
            types = f"({tensor(ty, shape)}, {tensor(ty, [])}) -> {tensor(ty, result)}"
            r = f.op(f"stablehlo.pad {v}, {c}, low = {low}, high = {high}, interior = {interior} : {types}")
            f.equal(r, ty, result, [(values + filler)[k] for k in out.flatten()])


def constants():
    rng = random.Random("constant")
    file = File("constant", covers=["stablehlo.constant"])
    for ty in MOVED:
        values = some(ty, rng, 6)
        f = file.function(f"constant_{ty}")
        # Without a barrier in between, and as one number for all elements.
        f.equal(f.literal(ty, [2, 3], values), ty, [2, 3], values)
        f.equal(f.literal(ty, [3], values[:1] * 3), ty, [3], values[:1] * 3)
        f.equal(f.literal(ty, [0], []), ty, [0], [])
    file = File("optimization_barrier", covers=["stablehlo.optimization_barrier"])
    for ty in MOVED:
        values = some(ty, rng, 6)
        f = file.function(f"barrier_{ty}")
        a, b = f.literal(ty, [6], values), f.literal(I1, [2], [1, 0])
        r, s = f.ops(2, f"stablehlo.optimization_barrier {a}, {b} : {tensor(ty, [6])}, {tensor(I1, [2])}")
        f.equal(r, ty, [6], values)
        f.equal(s, I1, [2], [1, 0])


def iota():
    file = File("iota", covers=["stablehlo.iota", "stablehlo.dynamic_iota"])
    for ty in ALL:
        if ty.is_bool or (ty.is_float and ty.special == "e8m0"):
            continue  # no type of iota, and a type without zero
        for shape, axis in ([3, 2], 0), ([2, 3], 1):
            numbers = np.indices(shape)[axis].flatten()
            if ty.is_int:
                expected = [ty.wrap(int(x)) for x in numbers]
            elif ty.is_complex:
                expected = [(float(x), 0.0) for x in numbers]
            else:
                expected = [ty.round(float(x)) for x in numbers]
            f = file.function(f"iota_{ty}_{axis}")
            f.equal(f.op(f"stablehlo.iota dim = {axis} : {tensor(ty, shape)}"), ty, shape, expected)
            if axis:
                n = f.literal(I64, [2], shape)
                r = f.op(f"stablehlo.dynamic_iota {n}, dim = {axis} : ({tensor(I64, [2])}) -> {tensor(ty, shape)}")
                f.equal(r, ty, shape, expected)
    f = file.function("iota_empty")
    f.equal(f.op(f"stablehlo.iota dim = 0 : {tensor(F32, [0, 2])}"), F32, [0, 2], [])


def gathers():
    rng = random.Random("gather")
    for name in ("gather", "dynamic_gather"):
        file = File(name, covers=[f"stablehlo.{name}"])
        for i, ty in enumerate(MOVED):
            integer = [I32, I64, I8, UNSIGNED[4]][i % 4]
            values = some(ty, rng, 24)
            # Rows 0, 1, 3 as they are, beyond the end and (where there are signs) before the beginning clamped.
            rows = [1, 3, 0, 100, -5 if integer.signed else 2, 2]
            f = file.function(f"{name}_{ty}")
            v, start = f.constant(ty, [4, 6], values), f.constant(integer, [3, 2], rows)
            expected = []
            for row in range(3):
                # start_index_map [1, 0]: the first number is the column.
                column, line = rows[2 * row], rows[2 * row + 1]
                column, line = min(max(column, 0), 6 - 2), min(max(line, 0), 4 - 1)
                expected += [values[line * 6 + column + k] for k in range(2)]
            dims = "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>"
            if name == "gather":
                r = f.op(
                    f'"stablehlo.gather"({v}, {start}) <{{dimension_numbers = {dims}, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}}>'
                    f" : ({tensor(ty, [4, 6])}, {tensor(integer, [3, 2])}) -> {tensor(ty, [3, 2])}"
                )
            else:
                n = f.literal(I64, [2], [1, 2])
                r = f.op(
                    f'"stablehlo.dynamic_gather"({v}, {start}, {n}) <{{dimension_numbers = {dims}, indices_are_sorted = false}}>'
                    f" : ({tensor(ty, [4, 6])}, {tensor(integer, [3, 2])}, {tensor(I64, [2])}) -> {tensor(ty, [3, 2])}"
                )
            f.equal(r, ty, [3, 2], expected)
        if name == "gather":
            batched(file)
    file = File("torch_index_select", covers=["stablehlo.torch_index_select"])
    for ty in MOVED:
        values = some(ty, rng, 12)
        f = file.function(f"select_{ty}")
        v, index = f.constant(ty, [3, 4], values), f.constant(I32, [2], [2, 0])
        r = f.op(
            f'"stablehlo.torch_index_select"({v}, {index}) <{{batch_dims = 0 : i64, dim = 0 : i64}}>'
            f" : ({tensor(ty, [3, 4])}, {tensor(I32, [2])}) -> {tensor(ty, [2, 4])}"
        )
        f.equal(r, ty, [2, 4], [values[k] for k in positions(3, 4)[[2, 0]].flatten()])
    values = some(F32, rng, 24)
    f = file.function("select_batch")
    v, index = f.constant(F32, [2, 3, 4], values), f.constant(I32, [2, 2], [3, 0, 1, 1])
    r = f.op(
        f'"stablehlo.torch_index_select"({v}, {index}) <{{batch_dims = 1 : i64, dim = 2 : i64}}>'
        f" : ({tensor(F32, [2, 3, 4])}, {tensor(I32, [2, 2])}) -> {tensor(F32, [2, 3, 2])}"
    )
    p = positions(2, 3, 4)
    out = [p[b, row, c] for b, columns in enumerate([[3, 0], [1, 1]]) for row in range(3) for c in columns]
    f.equal(r, F32, [2, 3, 2], [values[k] for k in out])


def batched(file):
    """operand_batching_dims, and an index vector in the middle."""
    rng = random.Random("batch")
    values = some(F32, rng, 24)
    f = file.function("gather_batching")
    v = f.constant(F32, [2, 4, 3], values)
    index = [0, 3, 9, 1]
    start = f.constant(I32, [2, 1, 2], index)  # batch, index vector, free
    r = f.op(
        f'"stablehlo.gather"({v}, {start}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],'
        f" operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>,"
        f" indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 3>}}>"
        f" : ({tensor(F32, [2, 4, 3])}, {tensor(I32, [2, 1, 2])}) -> {tensor(F32, [2, 2, 3])}"
    )
    p = positions(2, 4, 3)
    out = [p[b, min(index[b * 2 + k], 3), c] for b in range(2) for k in range(2) for c in range(3)]
    f.equal(r, F32, [2, 2, 3], [values[k] for k in out])


def generate():
    transpose()
    reshape()
    broadcast()
    slices()
    dynamic_slices()
    concatenate()
    pad()
    constants()
    iota()
    gathers()
