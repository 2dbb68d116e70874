"""Control flow, tokens, tuples, calls; random numbers."""

import random

from elementwise import some
from formats import ALL, BF16, F16, F32, F64, FLOATS, I1, INTS, MOVED, SIGNED, TINY, UNSIGNED
from program import File, tensor

I32, I64 = SIGNED[4], SIGNED[5]
U8, U16, U32, U64 = UNSIGNED[2:]


def branches():
    rng = random.Random("branches")
    cond, case = File("if", covers=["stablehlo.if", "stablehlo.return"]), File("case", covers=["stablehlo.case"])
    for ty in MOVED:
        a, b, c = (some(ty, rng, 3) for _ in range(3))
        t = tensor(ty, [3])
        for pred in (1, 0):
            f = cond.function(f"if_{ty}")
            p, x, y = f.constant(I1, [], [pred]), f.constant(ty, [3], a), f.constant(ty, [3], b)
            r = f.op(f'"stablehlo.if"({p}) ({{\n    stablehlo.return {x} : {t}\n  }}, {{\n    stablehlo.return {y} : {t}\n  }}) : (tensor<i1>) -> {t}')
            f.equal(r, ty, [3], a if pred else b)
        # What is out of range takes the last branch.
        for index, expected in ((0, a), (1, b), (2, c), (-1, c), (7, c)) if ty is F32 else ((0, a), (9, c)):
            f = case.function(f"case_{ty}")
            i, x, y, z = f.constant(I32, [], [index]), *(f.constant(ty, [3], v) for v in (a, b, c))
            regions = ", ".join(f"{{\n    stablehlo.return {v} : {t}\n  }}" for v in (x, y, z))
            r = f.op(f'"stablehlo.case"({i}) ({regions}) : (tensor<i32>) -> {t}')
            f.equal(r, ty, [3], expected)


def loops():
    rng = random.Random("while")
    file = File("while", covers=["stablehlo.while"])
    for ty in MOVED:
        for count in (3, 0) if ty in (F32, I32) else (3,):
            values = some(ty, rng, 4)
            f = file.function(f"while_{ty}")
            zero, one, n = (f.literal(I32, [], [v]) for v in (0, 1, count))
            x = f.constant(ty, [4], values)
            t = tensor(ty, [4])
            f.line(f"%r:2 = stablehlo.while(%i = {zero}, %x = {x}) : tensor<i32>, {t}")
            f.line("cond {")
            f.line(f"  %p = stablehlo.compare LT, %i, {n} : (tensor<i32>, tensor<i32>) -> tensor<i1>")
            f.line("  stablehlo.return %p : tensor<i1>")
            f.line("} do {")
            f.line(f"  %next = stablehlo.add %i, {one} : tensor<i32>")
            # Turned by one place in every round.
            f.line(f"  %head = stablehlo.slice %x [1:4] : ({t}) -> {tensor(ty, [3])}")
            f.line(f"  %last = stablehlo.slice %x [0:1] : ({t}) -> {tensor(ty, [1])}")
            f.line(f"  %turned = stablehlo.concatenate %head, %last, dim = 0 : ({tensor(ty, [3])}, {tensor(ty, [1])}) -> {t}")
            f.line(f"  stablehlo.return %next, %turned : tensor<i32>, {t}")
            f.line("}")
            f.equal("%r#0", I32, [], [count])
            f.equal("%r#1", ty, [4], [values[(k + count) % 4] for k in range(4)])


def calls():
    file = File("composite", covers=["stablehlo.composite"])
    file.extra.append(
        "func.func private @twice(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
        "  %0 = stablehlo.add %x, %x : tensor<2xf32>\n  return %0, %x : tensor<2xf32>, tensor<2xf32>\n}"
    )
    f = file.function("by_decomposition")
    x = f.constant(F32, [2], [1.5, -2.0])
    r, s = f.ops(2, f'stablehlo.composite "my.twice" {x} {{decomposition = @twice, version = 3 : i32, composite_attributes = {{n = 2 : i64}}}} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)')
    f.equal(r, F32, [2], [3.0, -4.0])
    f.equal(s, F32, [2], [1.5, -2.0])
    f = file.function("by_call")
    x = f.constant(F32, [2], [0.25, 8.0])
    r, s = f.ops(2, f"func.call @twice({x}) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)")
    f.equal(r, F32, [2], [0.5, 16.0])
    file = File("tuple", covers=["stablehlo.tuple", "stablehlo.get_tuple_element"])
    rng = random.Random("tuple")
    for ty in MOVED:
        a, b = some(ty, rng, 2), some(I32, rng, 1)
        f = file.function(f"tuple_{ty}")
        x, y = f.constant(ty, [2], a), f.constant(I32, [], b)
        inner, outer = f"tuple<tensor<i32>, {tensor(ty, [2])}>", f"tuple<{tensor(ty, [2])}, tuple<tensor<i32>, {tensor(ty, [2])}>>"
        p = f.op(f"stablehlo.tuple {y}, {x} : {inner}")
        q = f.op(f"stablehlo.tuple {x}, {p} : {outer}")
        r = f.op(f"stablehlo.get_tuple_element {q}[1] : ({outer}) -> {inner}")
        s = f.op(f"stablehlo.get_tuple_element {r}[1] : ({inner}) -> {tensor(ty, [2])}")
        f.equal(s, ty, [2], a)
        f.equal(f.op(f"stablehlo.get_tuple_element {r}[0] : ({inner}) -> tensor<i32>"), I32, [], b)
    file = File("tokens", covers=["stablehlo.create_token", "stablehlo.after_all"])
    f = file.function("tokens")
    a = f.op("stablehlo.create_token : !stablehlo.token")
    b = f.op("stablehlo.after_all : !stablehlo.token")
    c = f.op(f"stablehlo.after_all {a}, {b} : !stablehlo.token")
    x = f.constant(F32, [], [2.0])
    y, z = f.ops(2, f"stablehlo.optimization_barrier {x}, {c} : tensor<f32>, !stablehlo.token")
    f.op(f"stablehlo.after_all {z} : !stablehlo.token")
    f.equal(y, F32, [], [2.0])
    file = File("custom_call", covers=["stablehlo.custom_call"])
    for ty in [t for t in FLOATS if t.special != "e8m0"] + INTS + [I1]:
        values = some(ty, rng, 5)
        f = file.function(f"custom_call_{ty}")
        x, want = f.constant(ty, [5], values), f.literal(ty, [5], values)
        t = tensor(ty, [5])
        for check in ["expect_eq"] + (["expect_close", "expect_almost_eq"] if ty.is_float and ty.width > 8 else []):
            f.line(f"stablehlo.custom_call @check.{check}({x}, {want}) {{has_side_effect = true}} : ({t}, {t}) -> ()")
    file = File("dimension_size", covers=["stablehlo.get_dimension_size"])
    for ty in MOVED:
        f = file.function(f"size_{ty}")
        x = f.constant(ty, [2, 3], some(ty, rng, 6))
        f.equal(f.op(f"stablehlo.get_dimension_size {x}, dim = 1 : ({tensor(ty, [2, 3])}) -> tensor<i32>"), I32, [], [3])


def threefry(key, counter):
    """Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw, 2011)."""
    mask = 0xFFFFFFFF
    keys = [key & mask, key >> 32, (key & mask) ^ (key >> 32) ^ 0x1BD11BDA]
    x, y = (counter & mask) + keys[0] & mask, (counter >> 32) + keys[1] & mask
    for group in range(5):
        for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            x = x + y & mask
            y = (y << turn | y >> (32 - turn)) & mask
            y ^= x
        x = x + keys[(group + 1) % 3] & mask
        y = y + keys[(group + 2) % 3] + group + 1 & mask
    return x, y


def philox(key, counter):
    """Philox-4x32 with 10 rounds, of the same paper; four words."""
    mask = 0xFFFFFFFF
    k = [key & mask, key >> 32]
    c = [counter >> (32 * i) & mask for i in range(4)]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & mask, (p >> 32) ^ c[3] ^ k[1], p & mask]
        k = [k[0] + 0x9E3779B9 & mask, k[1] + 0xBB67AE85 & mask]
    return c


# The vectors that come with the paper's code.
assert threefry(0, 0) == (0x6B200159, 0x99BA4EFE)
assert threefry(2**64 - 1, 2**64 - 1) == (0x1CB996FC, 0xBB002BE7)
assert philox(0, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox(2**64 - 1, 2**128 - 1) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def threefry_elements(key, counter, ty, shape):
    """Elements of 64 bits take a counter each; of others two neighbours along the first even dimension, or the largest."""
    total = 1
    for n in shape:
        total *= n
    if ty.width == 64:
        words = [threefry(key, counter + i & 2**64 - 1) for i in range(total)]
        return [x | y << 32 for x, y in words], total
    even = [d for d, n in enumerate(shape) if n % 2 == 0]
    split = even[0] if even else max(range(len(shape)), key=lambda d: (shape[d], d))
    size = shape[split]
    after = 1
    for n in shape[split + 1 :]:
        after *= n
    half = (size + 1) // 2
    out = [0] * total
    count = total // size * half
    for c in range(count):
        before, place, inner = c // after // half, c // after % half, c % after
        for p, word in enumerate(threefry(key, counter + c & 2**64 - 1)):
            if 2 * place + p < size:
                out[(before * size + 2 * place + p) * after + inner] = word & (1 << ty.width) - 1
    return out, count


def philox_elements(key, counter, ty, shape):
    total = 1
    for n in shape:
        total *= n
    words, count = [], 0
    while len(words) < total:
        c = philox(key, counter + count & 2**128 - 1)
        words += [c[0] | c[1] << 32, c[2] | c[3] << 32] if ty.width == 64 else [w & (1 << ty.width) - 1 for w in c]
        count += 1
    return words[:total], count


def bits():
    file = File("rng_bit_generator", covers=["stablehlo.rng_bit_generator"])
    state = [0x0123456789ABCDEF, 0xFFFFFFFFFFFFFFFE]
    for ty in (U8, U16, U32, U64, SIGNED[2], SIGNED[3], I32, I64):
        for shape in ([5], [4, 3], [3, 5]):
            f = file.function(f"three_fry_{ty}_{'x'.join(map(str, shape))}")
            s = f.constant(U64, [2], state)
            words, count = threefry_elements(state[0], state[1], ty, shape)
            a, b = f.ops(2, f"stablehlo.rng_bit_generator {s}, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, {tensor(ty, shape)})")
            f.equal(a, U64, [2], [state[0], state[1] + count & 2**64 - 1])
            f.equal(b, ty, shape, [ty.wrap(w) for w in words])
            f = file.function(f"philox_{ty}_{'x'.join(map(str, shape))}")
            # Three words: the key, and the counter with its lower half first.
            s = f.constant(U64, [3], [state[0], state[1], 5])
            words, count = philox_elements(state[0], state[1] | 5 << 64, ty, shape)
            after = (state[1] | 5 << 64) + count & 2**128 - 1
            a, b = f.ops(2, f"stablehlo.rng_bit_generator {s}, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, {tensor(ty, shape)})")
            f.equal(a, U64, [3], [state[0], after & 2**64 - 1, after >> 64])
            f.equal(b, ty, shape, [ty.wrap(w) for w in words])


def rng():
    """The generator is open: the numbers are checked to be in range, and their mean and spread to be those of the distribution."""
    file = File("rng", covers=["stablehlo.rng"])
    n = 10000
    for ty in (F64, F32, F16, BF16, TINY[8], I1, I32, I64, SIGNED[2], U8, U16, U32, U64):
        low, high = (0, 1) if ty.is_bool else ((-2.0, 6.0) if ty.is_float else (3, 11) if not ty.signed else (-5, 3))
        uniform(file, ty, low, high, n)
    for ty in (F64, F32, F16, BF16):
        f = file.function(f"normal_{ty}")
        a, b, s = f.constant(ty, [], [2.0]), f.constant(ty, [], [3.0]), f.literal(I64, [1], [n])
        r = f.op(f"stablehlo.rng {a}, {b}, {s}, distribution = NORMAL : ({tensor(ty, [])}, {tensor(ty, [])}, tensor<1xi64>) -> {tensor(ty, [n])}")
        r = f.op(f"stablehlo.convert {r} : ({tensor(ty, [n])}) -> {tensor(F64, [n])}")
        # Standard errors: of the mean 0.03, of the variance 0.13; five of them are allowed.
        moments(f, r, n, 2.0, 9.0, 0.15, 0.65)


def uniform(file, ty, low, high, n):
    f = file.function(f"uniform_{ty}")
    a, b, s = f.constant(ty, [], [low]), f.constant(ty, [], [high]), f.literal(I64, [1], [n])
    t = tensor(ty, [n])
    r = f.op(f"stablehlo.rng {a}, {b}, {s}, distribution = UNIFORM : ({tensor(ty, [])}, {tensor(ty, [])}, tensor<1xi64>) -> {t}")
    p = tensor(I1, [n])
    bounds = [f.op(f"stablehlo.broadcast_in_dim {x}, dims = [] : ({tensor(ty, [])}) -> {t}") for x in (a, b)]
    inside = f.op(f"stablehlo.compare GE, {r}, {bounds[0]} : ({t}, {t}) -> {p}")
    below = f.op(f"stablehlo.compare LT, {r}, {bounds[1]} : ({t}, {t}) -> {p}")
    f.equal(inside, I1, [n], [1] * n)
    f.equal(below, I1, [n], [1] * n)
    if ty.is_bool:
        return
    r = f.op(f"stablehlo.convert {r} : ({t}) -> {tensor(F64, [n])}")
    width = high - low
    if ty.is_float:
        mean, variance = (low + high) / 2, width**2 / 12
    else:
        mean, variance = (low + high - 1) / 2, (width**2 - 1) / 12
    slack = 0.3 if ty.is_float and ty.width == 8 else 0.0
    moments(f, r, n, mean, variance, 0.12 + slack, 0.25 + slack)


def moments(f, r, n, mean, variance, mean_slack, variance_slack):
    """Mean and variance of n numbers of f64, at most so far from what they should be."""
    t, s = tensor(F64, [n]), tensor(F64, [])
    zero, count = f.literal(F64, [], [0.0]), f.literal(F64, [], [float(n)])
    total = f"({t}, {s}) -> {s}"
    one = f.op(f"stablehlo.reduce({r} init: {zero}) applies stablehlo.add across dimensions = [0] : {total}")
    square = f.op(f"stablehlo.multiply {r}, {r} : {t}")
    two = f.op(f"stablehlo.reduce({square} init: {zero}) applies stablehlo.add across dimensions = [0] : {total}")
    one, two = f.op(f"stablehlo.divide {one}, {count} : {s}"), f.op(f"stablehlo.divide {two}, {count} : {s}")
    spread = f.op(f"stablehlo.subtract {two}, {f.op(f'stablehlo.multiply {one}, {one} : {s}')} : {s}")
    for value, expected, slack in ((one, mean, mean_slack), (spread, variance, variance_slack)):
        gap = f.op(f"stablehlo.abs {f.op(f'stablehlo.subtract {value}, {f.literal(F64, [], [expected])} : {s}')} : {s}")
        f.almost(gap, F64, [], [0.0], slack)


def generate():
    branches()
    loops()
    calls()
    bits()
    rng()


__all__ = ["ALL", "generate"]
