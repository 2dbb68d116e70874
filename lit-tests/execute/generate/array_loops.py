"""Tensor arrays: the operations of the `tarray` dialect with a body."""

import random

import numpy as np

from array_case import I32, I64, NUMBERS, REAL, Case, leaves, low, nearest
from formats import F32, F64
from program import File, tensor


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
    by_length(file)
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


def by_length(file):
    """Lists as Tensors with as many rows as they have elements: a product of each element with each other one of its list."""
    lengths = [3, 0, 1, 4]
    for ty in I32, I64, F32, F64:
        rng = random.Random(f"by_length{ty}")
        c = Case(file, "by_length", ty)
        nest = [leaves(rng, n, [3]) for n in lengths]
        n, nt = c.array(nest, [3], [5, 4])
        weights = leaves(rng, 1, [3, 2])[0]
        w, wt = c.tensor(weights)
        inner = c.type([3], [4])
        scalar, name = tensor(ty, []), ty.name
        rows, pairs = f"?x3x{name}", f"?x?x{name}"
        lines = [
            f"%s = tarray.stack %e dim = 0 : {inner}",
            f"%p = stablehlo.dot_general %s, %s, contracting_dims = [1] x [1] : (tensor<{rows}>, tensor<{rows}>) -> tensor<{pairs}>",
            f"%q = tarray.parallel_foreach (%x in %p : tensor<{pairs}>) {{",
            f"  %y = stablehlo.add %x, %x : {scalar}",
            f"  tarray.yield %y : {scalar}",
            "}",
            f"%o = stablehlo.dot_general %q, %s, contracting_dims = [1] x [0] : (tensor<{pairs}>, tensor<{rows}>) -> tensor<{rows}>",
            f"%l = tarray.slices %o dim = 0 max = 4 : tensor<{rows}>",
            f"%r = tarray.parallel_foreach (%t in %l : {inner}) {{",
            f"  %u = stablehlo.dot_general %t, {w}, contracting_dims = [0] x [0] : ({tensor(ty, [3])}, {wt}) -> {tensor(ty, [2])}",
            f"  tarray.yield %u : {tensor(ty, [2])}",
            "}",
        ]
        value = c.loop(f"parallel_foreach (%e in {n} : {nt})", lines, f"%r : {c.type([2], [4])}")
        want = []
        for one in nest:
            x = np.array(one).reshape(-1, 3)
            want.append(list((2 * x @ x.T) @ x @ weights))
        c.equal_array(value, want, [2], [5, 4])
        # The first of each list alone, and an array of fewer than there may be.
        first = [
            f"%s = tarray.stack %e dim = 1 : {inner}",
            f"%o = tarray.transpose %s dims = [1, 0] : tensor<3x?x{name}>",
            f"%r = tarray.slices %o dim = 0 max = 1 : tensor<{rows}>",
        ]
        value = c.loop(f"parallel_foreach (%e in {n} : {nt})", first, f"%r : {c.type([3], [1])}")
        c.equal_array(value, [one[:1] for one in nest], [3], [5, 1])


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
    # One of them for all parts, or elements.
    (a, at), (b, bt) = c.tensor(x), c.tensor(y[0, 0])
    c.equal(c.op(f"vectorize @square_sum({a}, {b}) : {at}, {bt} -> tensor<2x4xf32>"), (x * x).sum(-1) + y[0, 0])
    (a, at), (b, bt) = c.tensor(x[0, 0]), c.tensor(y)
    c.equal(c.op(f"vectorize @square_sum({a}, {b}) : {at}, {bt} -> tensor<2x4xf32>"), (x[0, 0] * x[0, 0]).sum() + y)
    (a, at), (b, bt) = c.array(parts, [3], [4]), c.tensor(y[0, 0])
    value = c.op(f"vectorize @square_sum({a}, {b}) : {at}, {bt} -> !tarray.array<tensor<f32>, max = 4>")
    c.equal_array(value, [(p * p).sum() + y[0, 0] for p in parts], [], [4])
    (a, at), (b, bt) = c.tensor(parts[0]), c.array(others, [], [5])
    value = c.op(f"vectorize @square_sum({a}, {b}) : {at}, {bt} -> !tarray.array<tensor<f32>, max = 5>")
    c.equal_array(value, [(parts[0] * parts[0]).sum() + q for q in others], [], [5])
