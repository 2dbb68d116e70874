"""Products, convolution, linear algebra, transforms and normalisation. Products are of numbers whose sums are exact."""

import itertools
import math
import random

import mpmath
import numpy as np

from formats import ALL, BF16, C64, C128, COMPLEX, F16, F32, F64, SIGNED, TINY, UNSIGNED
from program import File, tensor
from reductions import SUMMED, plus

I8, I32 = SIGNED[2], SIGNED[4]
U8, U32 = UNSIGNED[2], UNSIGNED[4]


def times(ty, x, y):
    if ty.is_bool:
        return x & y
    if ty.is_complex:
        return (x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0])
    return x * y


def factors(ty, rng, count):
    """Few floats are not zero, so that sums of products are exact."""
    if ty.is_bool:
        return [rng.randint(0, 1) for _ in range(count)]
    if ty.is_int:
        return [rng.randint(max(ty.low, -9), min(ty.high, 9)) for _ in range(count)]
    if ty.is_complex:
        return [(float(rng.randint(-5, 5)), float(rng.randint(-5, 5))) for _ in range(count)]
    if ty.width >= 16:
        return [float(rng.randint(-7, 7)) for _ in range(count)]
    return [rng.choice([1.0, -1.0, 0.0, 0.0]) for _ in range(count)]


def product(ty, result, left, right):
    """The sum of products of pairs, in the type of the result."""
    products = [times(ty, x, y) for x, y in zip(left, right)]
    if result.is_int and not ty.is_bool:
        return result.wrap(sum(products))
    return plus(result, products)


def dots():
    rng = random.Random("dot")
    pairs = [(ty, ty, ty) for ty in SUMMED]
    mixed = [(I8, I8, I32), (U8, U8, U32), (BF16, BF16, F32), (F16, F16, F32), (TINY[5], TINY[8], F32), (TINY[5], TINY[5], BF16), (F32, F32, F64)]
    dot, general = File("dot", covers=["stablehlo.dot"]), File("dot_general", covers=["stablehlo.dot_general"])
    einsum = File("einsum", covers=["stablehlo.einsum"])
    for a, b, c in pairs + mixed:
        label = f"{a}" if a is b is c else f"{a}_{b}_{c}"
        x, y = factors(a, rng, 2 * 3), factors(b, rng, 3 * 4)
        out = [product(a, c, x[3 * i : 3 * i + 3], y[j::4]) for i in range(2) for j in range(4)]
        for file, text in ((dot, "stablehlo.dot {x}, {y}"), (einsum, 'stablehlo.einsum {x}, {y}, config = "ij,jk->ik"'), (general, "stablehlo.dot_general {x}, {y}, contracting_dims = [1] x [0]")):
            f = file.function(f"{file.name}_{label}")
            v, w = f.constant(a, [2, 3], x), f.constant(b, [3, 4], y)
            types = f"({tensor(a, [2, 3])}, {tensor(b, [3, 4])}) -> {tensor(c, [2, 4])}"
            f.equal(f.op(f"{text.format(x=v, y=w)} : {types}"), c, [2, 4], out)
    # Batches, several contracted dimensions, none, and none of size.
    for ty in (I32, F32, F64, C64, BF16):
        x, y = factors(ty, rng, 2 * 3 * 2 * 2), factors(ty, rng, 2 * 2 * 3 * 4)
        xs = {i: x[k] for k, i in enumerate(itertools.product(range(2), range(3), range(2), range(2)))}
        ys = {i: y[k] for k, i in enumerate(itertools.product(range(2), range(2), range(3), range(4)))}
        out = []
        for b, i, j in itertools.product(range(2), range(2), range(4)):
            places = list(itertools.product(range(3), range(2)))
            out.append(product(ty, ty, [xs[b, k, i, m] for k, m in places], [ys[m, b, k, j] for k, m in places]))
        f = general.function(f"batch_{ty}")
        v, w = f.constant(ty, [2, 3, 2, 2], x), f.constant(ty, [2, 2, 3, 4], y)
        types = f"({tensor(ty, [2, 3, 2, 2])}, {tensor(ty, [2, 2, 3, 4])}) -> {tensor(ty, [2, 2, 4])}"
        r = f.op(f"stablehlo.dot_general {v}, {w}, batching_dims = [0] x [1], contracting_dims = [1, 3] x [2, 0] : {types}")
        f.equal(r, ty, [2, 2, 4], out)
    f = general.function("outer")
    v, w = f.constant(F32, [2], [2.0, 3.0]), f.constant(F32, [3], [1.0, -1.0, 0.5])
    r = f.op(f"stablehlo.dot_general {v}, {w}, contracting_dims = [] x [] : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>")
    f.equal(r, F32, [2, 3], [2.0, -2.0, 1.0, 3.0, -3.0, 1.5])
    f = general.function("nothing")
    v, w = f.constant(F32, [2, 0], []), f.constant(F32, [0, 2], [])
    r = f.op(f"stablehlo.dot_general {v}, {w}, contracting_dims = [1] x [0] : (tensor<2x0xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>")
    f.equal(r, F32, [2, 2], [0.0] * 4)
    f = dot.function("vectors")
    v, w = f.constant(F32, [3], [1.0, 2.0, 3.0]), f.constant(F32, [3], [4.0, -5.0, 6.0])
    f.equal(f.op(f"stablehlo.dot {v}, {w} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>"), F32, [], [12.0])
    m = f.constant(F32, [2, 3], [1.0, 0.0, 2.0, 0.0, 1.0, 0.0])
    f.equal(f.op(f"stablehlo.dot {m}, {v} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>"), F32, [2], [7.0, 2.0])
    unary = File("unary_einsum", covers=["stablehlo.unary_einsum"])
    for ty in SUMMED:
        x = factors(ty, rng, 6)
        f = unary.function(f"unary_einsum_{ty}")
        v = f.constant(ty, [2, 3], x)
        r = f.op(f'stablehlo.unary_einsum {v}, config = "ij->j" : ({tensor(ty, [2, 3])}) -> {tensor(ty, [3])}')
        f.equal(r, ty, [3], [plus(ty, x[j::3]) for j in range(3)])
        r = f.op(f'stablehlo.unary_einsum {v}, config = "ij->ji" : ({tensor(ty, [2, 3])}) -> {tensor(ty, [3, 2])}')
        f.equal(r, ty, [3, 2], [x[i * 3 + j] for j in range(3) for i in range(2)])
        y = factors(ty, random.Random(f"diagonal {ty}"), 18)
        f = unary.function(f"diagonal_{ty}")
        v = f.constant(ty, [3, 2, 3], y)
        r = f.op(f'stablehlo.unary_einsum {v}, config = "iji->ij" : ({tensor(ty, [3, 2, 3])}) -> {tensor(ty, [3, 2])}')
        f.equal(r, ty, [3, 2], [y[i * 6 + j * 3 + i] for i in range(3) for j in range(2)])
    # A diagonal is moved, nothing is added to it: zeros keep their signs, and what is beside it does not count.
    for ty in (F16, BF16, F32, F64):
        f = unary.function(f"diagonal_signs_{ty}")
        beside = [math.nan, math.inf]
        y = [-0.0, *beside, beside[0], 1.5, *beside, beside[1], -0.0]
        v = f.constant(ty, [3, 3], y)
        r = f.op(f'stablehlo.unary_einsum {v}, config = "ii->i" : ({tensor(ty, [3, 3])}) -> {tensor(ty, [3])}')
        f.bits_equal(r, ty, [3], [-0.0, 1.5, -0.0])
        y = [math.nan, 1.0, 2.0, -math.inf]
        v = f.constant(ty, [2, 2], y)
        r = f.op(f'stablehlo.unary_einsum {v}, config = "ii->i" : ({tensor(ty, [2, 2])}) -> {tensor(ty, [2])}')
        f.equal(r, ty, [2], [math.nan, -math.inf])
    # Three times, and two pairs that do not stand beside each other; and nothing at all.
    y = list(range(27))
    f = unary.function("diagonal_of_three")
    v = f.constant(I32, [3, 3, 3], y)
    r = f.op(f'stablehlo.unary_einsum {v}, config = "iii->i" : ({tensor(I32, [3, 3, 3])}) -> {tensor(I32, [3])}')
    f.equal(r, I32, [3], [13 * i for i in range(3)])
    y = list(range(36))
    f = unary.function("two_diagonals")
    v = f.constant(I32, [2, 3, 2, 3], y)
    r = f.op(f'stablehlo.unary_einsum {v}, config = "ijij->ji" : ({tensor(I32, [2, 3, 2, 3])}) -> {tensor(I32, [3, 2])}')
    f.equal(r, I32, [3, 2], [i * 18 + j * 6 + i * 3 + j for j in range(3) for i in range(2)])
    f = unary.function("diagonal_of_nothing")
    v = f.constant(I32, [0, 0, 2], [])
    r = f.op(f'stablehlo.unary_einsum {v}, config = "iij->ij" : ({tensor(I32, [0, 0, 2])}) -> {tensor(I32, [0, 2])}')
    f.equal(r, I32, [0, 2], [])


def convolution():
    """2-D, with every attribute that shapes can have: strides, padding, dilations, groups, reversal."""
    rng = random.Random("convolution")
    file = File("convolution", covers=["stablehlo.convolution", "stablehlo.dynamic_conv"])
    mixed = [(I8, I32), (BF16, F32), (U8, I32)]
    for ty, result in [(ty, ty) for ty in SUMMED if not ty.is_bool] + mixed:
        for case in range(3 if ty in (F32, I32, C128) and ty is result else 1):
            label = f"conv_{ty}" if ty is result else f"conv_{ty}_{result}"
            one_convolution(file, f"{label}_{case}", ty, result, rng, case)


def one_convolution(file, label, ty, result, rng, case):
    groups, batches = (1, 1), None
    stride, pads, lhs, rhs, reverse = (1, 1), [(0, 0), (0, 0)], (1, 1), (1, 1), (False, False)
    feature_groups = batch_groups = 1
    n, features, outputs = 1, 2, 2
    if case == 1:
        stride, pads, lhs, rhs, reverse = (2, 1), [(1, 2), (0, 1)], (1, 2), (2, 1), (True, False)
        feature_groups, features, outputs = 2, 4, 2
    if case == 2:
        n, batch_groups, features, outputs = 2, 2, 2, 4
    h, w, kh, kw = 3, 4, 2, 2
    x, k = factors(ty, rng, n * h * w * features), factors(ty, rng, kh * kw * features // feature_groups * outputs)
    if ty.width < 16:
        # At most two products are not zero.
        k = [v if i in (0, 5) else (0 if ty.is_int else 0.0) for i, v in enumerate(k)] if ty.is_float else k
    xs = np.empty((n, h, w, features), object)
    ks = np.empty((kh, kw, features // feature_groups, outputs), object)
    for i, index in enumerate(np.ndindex(*xs.shape)):
        xs[index] = x[i]
    for i, index in enumerate(np.ndindex(*ks.shape)):
        ks[index] = k[i]
    sizes = []
    for d, (size, kernel) in enumerate(((h, kh), (w, kw))):
        padded = (size - 1) * lhs[d] + 1 + sum(pads[d])
        sizes.append((padded - ((kernel - 1) * rhs[d] + 1)) // stride[d] + 1)
    out = []
    for b in range(n // batch_groups):
        for i, j, o in itertools.product(range(sizes[0]), range(sizes[1]), range(outputs)):
            left, right = [], []
            group = o // (outputs // feature_groups)
            batch = b + (o // (outputs // batch_groups)) * (n // batch_groups)
            for p, q, c in itertools.product(range(kh), range(kw), range(features // feature_groups)):
                place = [i * stride[0] + p * rhs[0] - pads[0][0], j * stride[1] + q * rhs[1] - pads[1][0]]
                if any(v % l or not 0 <= v // l < size for v, l, size in zip(place, lhs, (h, w))):
                    continue
                left.append(xs[batch, place[0] // lhs[0], place[1] // lhs[1], c + group * (features // feature_groups)])
                right.append(ks[kh - 1 - p if reverse[0] else p, kw - 1 - q if reverse[1] else q, c, o])
            out.append(product(ty, result, left, right))
    f = file.function(label)
    a, b = f.constant(ty, list(xs.shape), x), f.constant(ty, list(ks.shape), k)
    shape = [n // batch_groups, *sizes, outputs]
    window = f"stride = {list(stride)}, pad = {[list(p) for p in pads]}, lhs_dilate = {list(lhs)}, rhs_dilate = {list(rhs)}, reverse = {str(list(reverse)).lower()}"
    types = f"({tensor(ty, xs.shape)}, {tensor(ty, ks.shape)}) -> {tensor(result, shape)}"
    attributes = f"{{batch_group_count = {batch_groups} : i64, feature_group_count = {feature_groups} : i64}}"
    numbers = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
    r = f.op(f"stablehlo.convolution({a}, {b}) dim_numbers = {numbers}, window = {{{window}}} {attributes} : {types}")
    f.equal(r, result, shape, out)
    if case == 0 and ty in (F32, I32, BF16, C64) and ty is result:
        padding = f.literal(SIGNED[5], [2, 2], [0, 0, 0, 0])
        types = f"({tensor(ty, xs.shape)}, {tensor(ty, ks.shape)}, tensor<2x2xi64>) -> {tensor(result, shape)}"
        r = f.op(
            f'"stablehlo.dynamic_conv"({a}, {b}, {padding}) <{{batch_group_count = 1 : i64, feature_group_count = 1 : i64,'
            f" dimension_numbers = #stablehlo.conv<{numbers}>}}> : {types}"
        )
        f.equal(r, result, shape, out)


def linear_algebra():
    """Factors of small integers, so that every number on the way is exact."""
    chol = File("cholesky", covers=["stablehlo.cholesky"])
    solve = File("triangular_solve", covers=["stablehlo.triangular_solve"])
    lower = np.array([[2, 0, 0], [1, 3, 0], [-2, 1, 1]], float)
    for ty in (F64, F32, F16, BF16, *COMPLEX):
        factor = lower.astype(complex)
        if ty.is_complex:
            factor[1, 0] += 2j
            factor[2, 1] -= 1j
        put = lambda m: [(float(z.real), float(z.imag)) if ty.is_complex else float(z.real) for z in m.flatten()]
        matrix = factor @ factor.conj().T
        for low, triangle in (True, factor), (False, factor.conj().T):
            f = chol.function(f"cholesky_{ty}_{'lower' if low else 'upper'}")
            a = f.constant(ty, [2, 3, 3], put(matrix) + put(matrix * 4))
            r = f.op(f"stablehlo.cholesky {a}, lower = {str(low).lower()} : {tensor(ty, [2, 3, 3])}")
            # The other triangle is open: it is taken away before the comparison.
            mask = f.literal(ALL[0], [2, 3, 3], [int(i >= j) if low else int(i <= j) for _ in range(2) for i in range(3) for j in range(3)])
            none = f.literal(ty, [2, 3, 3], [(0.0, 0.0) if ty.is_complex else 0.0] * 18)
            r = f.op(f"stablehlo.select {mask}, {r}, {none} : {tensor(ALL[0], [2, 3, 3])}, {tensor(ty, [2, 3, 3])}")
            f.equal(r, ty, [2, 3, 3], put(triangle) + put(triangle * 2))
        x = np.array([[1, -2], [3, 4], [-1, 0]], complex)
        if ty.is_complex:
            x[0, 1] += 3j
        for left, low, unit, how in itertools.product((True, False), (True, False), (True, False), ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")):
            if ty not in (F64, C128, F32) and (unit or left):
                continue
            triangle = factor if low else factor.T
            used = triangle.copy()
            if unit:
                np.fill_diagonal(used, 1)
            op = {"NO_TRANSPOSE": used, "TRANSPOSE": used.T, "ADJOINT": used.conj().T}[how]
            want = x if left else x.T
            right = op @ want if left else want @ op
            # What is not in the triangle must not be read.
            given = triangle + np.where(np.tri(3, dtype=bool) if low else ~np.tri(3, k=-1, dtype=bool), 0, 77)
            f = solve.function(f"solve_{ty}_{'left' if left else 'right'}_{'lower' if low else 'upper'}_{'unit' if unit else 'full'}_{how.lower()}")
            a, b = f.constant(ty, [3, 3], put(given)), f.constant(ty, list(right.shape), put(right))
            r = f.op(
                f'"stablehlo.triangular_solve"({a}, {b}) <{{left_side = {str(left).lower()}, lower = {str(low).lower()}, transpose_a = #stablehlo<transpose {how}>, unit_diagonal = {str(unit).lower()}}}>'
                f" : ({tensor(ty, [3, 3])}, {tensor(ty, right.shape)}) -> {tensor(ty, right.shape)}"
            )
            f.almost(r, ty, list(right.shape), put(want), 0.1 if ty.width == 16 else 1e-4 if ty.width == 32 or ty is C64 else 1e-12)


def fft():
    file = File("fft", covers=["stablehlo.fft"])
    rng = random.Random("fft")
    for part, ty in (F32, C64), (F64, C128):
        tolerance = 2e-5 if part is F32 else 1e-13
        for lengths in ([1], [4], [5], [7], [12], [3, 4], [2, 3, 5]):
            batch = 2
            total = int(np.prod(lengths))
            zs = [(float(rng.randint(-9, 9)) / 4, float(rng.randint(-9, 9)) / 4) for _ in range(batch * total)]
            shape = [batch, *lengths]
            z = np.array([complex(*v) for v in zs]).reshape(shape)
            axes = tuple(range(1, len(shape)))
            for kind in ("FFT", "IFFT", "RFFT", "IRFFT"):
                f = file.function(f"{kind.lower()}_{part}_{'x'.join(map(str, lengths))}")
                exact = transform(z.real if kind == "RFFT" else z, lengths, kind == "IFFT")
                n = f"length = {lengths}"
                half = shape[:-1] + [shape[-1] // 2 + 1]
                if kind in ("FFT", "IFFT"):
                    v = f.constant(ty, shape, zs)
                    r = f.op(f"stablehlo.fft {v}, type = {kind}, {n} : ({tensor(ty, shape)}) -> {tensor(ty, shape)}")
                    compare_complex(f, r, part, ty, shape, exact, tolerance * total)
                elif kind == "RFFT":
                    v = f.constant(part, shape, [v[0] for v in zs])
                    r = f.op(f"stablehlo.fft {v}, type = {kind}, {n} : ({tensor(part, shape)}) -> {tensor(ty, half)}")
                    compare_complex(f, r, part, ty, half, exact[..., : half[-1]], tolerance * total)
                else:
                    # The transform of real numbers comes back; its own numbers are rounded, hence the tolerance.
                    spectrum = transform(z.real, lengths, False)[..., : half[-1]]
                    v = f.constant(ty, half, [(part.round(s.real), part.round(s.imag)) for s in spectrum.flatten()])
                    r = f.op(f"stablehlo.fft {v}, type = {kind}, {n} : ({tensor(ty, half)}) -> {tensor(part, shape)}")
                    near(f, r, part, shape, z.real.flatten(), tolerance * 4)
            del axes


def transform(z, lengths, inverse):
    """By the definition, one axis after another, in 300 bits."""
    z = np.vectorize(lambda v: mpmath.mpc(v), otypes=[object])(z)
    for axis, n in enumerate(lengths, start=1):
        turn = 2 if inverse else -2
        matrix = np.array([[mpmath.expjpi(mpmath.mpf(turn * i * j) / n) / (n if inverse else 1) for j in range(n)] for i in range(n)], object)
        z = np.moveaxis(np.tensordot(matrix, z, (1, axis)), 0, axis)
    return z


def compare_complex(f, r, part, ty, shape, exact, tolerance):
    for name in ("real", "imag"):
        p = f.op(f"stablehlo.{name} {r} : ({tensor(ty, shape)}) -> {tensor(part, shape)}")
        near(f, p, part, shape, [getattr(z, name) for z in exact.flatten()], tolerance)


def near(f, value, ty, shape, exact, tolerance):
    """At most this far apart, whatever the signs."""
    t = tensor(ty, shape)
    want = f.literal(ty, shape, [ty.round(x) for x in exact])
    gap = f.op(f"stablehlo.abs {f.op(f'stablehlo.subtract {value}, {want} : {t}')} : {t}")
    f.almost(gap, ty, shape, [0.0] * int(np.prod(shape)), float(f"{tolerance:.2g}"))


def batch_norm():
    rng = random.Random("norm")
    files = {n: File(f"batch_norm_{n}", covers=[f"stablehlo.batch_norm_{n}"]) for n in ("inference", "training", "grad")}
    for ty in (F64, F32, F16, BF16, TINY[8]):
        for shape, feature in ([2, 3, 4], 1), ([4, 2], 1), ([2, 2, 2], 0):
            n, count = shape[feature], int(np.prod(shape))
            draw = lambda k: [ty.round(rng.randint(-8, 8) / 4) for _ in range(k)]
            x, scale, offset, mean = draw(count), draw(n), draw(n), draw(n)
            var = [abs(v) + 0.5 for v in draw(n)]
            var = [ty.round(v) for v in var]
            g = draw(count)
            epsilon = 0.125
            exact = lambda values: np.array([mpmath.mpf(v) for v in values], object)
            full = [1] * len(shape)
            full[feature] = n
            wide = lambda values: exact(values).reshape(full)
            others = tuple(d for d in range(len(shape)) if d != feature)
            X, G = exact(x).reshape(shape), exact(g).reshape(shape)
            root = lambda v: np.vectorize(mpmath.sqrt, otypes=[object])(v)
            # Numbers of a narrow type are rounded after every step of the definition: a few units of the largest.
            unit = 2.0 ** -ty.mantissa
            attributes = f"<{{epsilon = 1.250000e-01 : f32, feature_index = {feature} : i64}}>"
            t, c = tensor(ty, shape), tensor(ty, [n])
            out = wide(scale) * (X - wide(mean)) / root(wide(var) + epsilon) + wide(offset)
            f = files["inference"].function(f"inference_{ty}_{'x'.join(map(str, shape))}")
            a = [f.constant(ty, s, v) for s, v in ((shape, x), ([n], scale), ([n], offset), ([n], mean), ([n], var))]
            r = f.op(f'"stablehlo.batch_norm_inference"({", ".join(a)}) {attributes} : ({t}, {c}, {c}, {c}, {c}) -> {t}')
            near(f, r, ty, shape, out.flatten(), bound(ty, unit, out))
            mu = X.sum(others) / (count // n)
            sigma = ((X - mu.reshape(full)) ** 2).sum(others) / (count // n)
            out = wide(scale) * (X - mu.reshape(full)) / root(sigma.reshape(full) + epsilon) + wide(offset)
            f = files["training"].function(f"training_{ty}_{'x'.join(map(str, shape))}")
            a = [f.constant(ty, s, v) for s, v in ((shape, x), ([n], scale), ([n], offset))]
            r, m, v = f.ops(3, f'"stablehlo.batch_norm_training"({", ".join(a)}) {attributes} : ({t}, {c}, {c}) -> ({t}, {c}, {c})')
            near(f, r, ty, shape, out.flatten(), bound(ty, unit, out) * 4)
            near(f, m, ty, [n], mu, bound(ty, unit, X))
            near(f, v, ty, [n], sigma, bound(ty, unit, sigma) * 2)
            # The gradient by the specification's formulas.
            centered, stddev = X - wide(mean), root(wide(var) + epsilon)
            normalized = centered / stddev
            elements = count // n
            i1 = elements * G
            i2 = G.sum(others).reshape(full)
            i3 = (G * centered).sum(others).reshape(full)
            i4 = i3 * centered
            i5 = i4 / (wide(var) + epsilon)
            grad = wide(scale) / stddev / elements * (i1 - i2 - i5)
            grad_scale = (G * normalized).sum(others)
            grad_offset = G.sum(others)
            f = files["grad"].function(f"grad_{ty}_{'x'.join(map(str, shape))}")
            a = [f.constant(ty, s, v) for s, v in ((shape, x), ([n], scale), ([n], mean), ([n], var), (shape, g))]
            r, s, o = f.ops(3, f'"stablehlo.batch_norm_grad"({", ".join(a)}) {attributes} : ({t}, {c}, {c}, {c}, {t}) -> ({t}, {c}, {c})')
            near(f, r, ty, shape, grad.flatten(), bound(ty, unit, grad) * 8)
            near(f, s, ty, [n], grad_scale, bound(ty, unit, grad_scale) * 8)
            near(f, o, ty, [n], grad_offset, bound(ty, unit, grad_offset) * 4)
    exact_norms(files)


def exact_norms(files):
    """On the narrowest formats, too: numbers for which every step is exact."""
    for ty in [*TINY, F16, BF16, F32, F64]:
        x, one = [1.0, -1.0, 1.0, -1.0], [1.0]
        t, c = tensor(ty, [4, 1]), tensor(ty, [1])
        attributes = "<{epsilon = 0.0 : f32, feature_index = 1 : i64}>"
        constants = lambda f, *rows: ", ".join(f.constant(ty, [4, 1] if len(v) == 4 else [1], v) for v in rows)
        f = files["inference"].function(f"exact_inference_{ty}")
        r = f.op(f'"stablehlo.batch_norm_inference"({constants(f, x, [2.0], one, [0.0], [4.0])}) {attributes} : ({t}, {c}, {c}, {c}, {c}) -> {t}')
        f.equal(r, ty, [4, 1], [2.0, 0.0, 2.0, 0.0])
        f = files["training"].function(f"exact_training_{ty}")
        r, m, v = f.ops(3, f'"stablehlo.batch_norm_training"({constants(f, x, [2.0], one)}) {attributes} : ({t}, {c}, {c}) -> ({t}, {c}, {c})')
        f.equal(r, ty, [4, 1], [3.0, -1.0, 3.0, -1.0])
        f.equal(m, ty, [1], [0.0])
        f.equal(v, ty, [1], [1.0])
        if ty.tiny > 0.25:
            continue
        f = files["grad"].function(f"exact_grad_{ty}")
        r, s, o = f.ops(3, f'"stablehlo.batch_norm_grad"({constants(f, x, one, [0.0], one, [1.0, 0.0, 0.0, 0.0])}) {attributes} : ({t}, {c}, {c}, {c}, {t}) -> ({t}, {c}, {c})')
        f.equal(r, ty, [4, 1], [0.5, 0.0, -0.5, 0.0])
        f.equal(s, ty, [1], [1.0])
        f.equal(o, ty, [1], [1.0])


def bound(ty, unit, values):
    return 4 * unit * max(2.0, max(abs(float(v)) for v in np.ravel(values)))


def generate():
    dots()
    convolution()
    linear_algebra()
    fft()
    batch_norm()
