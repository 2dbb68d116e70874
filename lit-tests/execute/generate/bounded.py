"""Values of bounded run-time size as operands of every operation: against the same operation on the static slice of the value.

What lies beyond the run-time size is nowhere to be seen: it is NaN or the greatest number here.
"""

import random

from formats import BF16, C64, F32, F64, I1, INF, NAN, QI8, SIGNED, UNSIGNED
from program import File, Function, size, tensor

I8, I32, I64 = SIGNED[2], SIGNED[4], SIGNED[5]
U32 = UNSIGNED[4]
BOUND = 5


class Dim:
    """A size that follows from the run-time size."""

    def __init__(self, of=lambda n: n):
        self.of = of


N = Dim()


def static_text(ty, shape, n):
    return tensor(ty, [d.of(n) if isinstance(d, Dim) else d for d in shape])


def bounded_text(ty, shape):
    if not any(isinstance(d, Dim) for d in shape):
        return tensor(ty, shape)
    sizes = "".join("?x" if isinstance(d, Dim) else f"{d}x" for d in shape)
    bounds = ", ".join(str(d.of(BOUND)) if isinstance(d, Dim) else "?" for d in shape)
    return f"tensor<{sizes}{ty}, #stablehlo.bounds<{bounds}>>"


class Arg:
    """An operand. `values`: a function from the random numbers and the count to numbers; without it, whole numbers of the type."""

    def __init__(self, ty, shape, values=None):
        self.ty, self.shape, self.values = ty, shape, values

    def numbers(self, rng, count):
        if self.values is not None:
            return self.values(rng, count)
        if self.ty.is_bool:
            return [rng.randint(0, 1) for _ in range(count)]
        if self.ty.is_complex:
            return [(float(rng.randint(-4, 4)), float(rng.randint(-4, 4))) for _ in range(count)]
        if self.ty.is_float:
            return [float(rng.randint(-4, 4)) for _ in range(count)]
        low = getattr(self.ty, "low", 0)
        return [rng.randint(max(low, -4), 4) for _ in range(count)]

    def beyond(self):
        if self.ty.is_bool:
            return 1
        if self.ty.is_complex:
            return (NAN, INF)
        if self.ty.is_float:
            return NAN
        return self.ty.high

    def both(self, f, rng, n):
        """The value with its bounds, and its static slice."""
        full = [d.of(BOUND) if isinstance(d, Dim) else d for d in self.shape]
        now = [d.of(n) if isinstance(d, Dim) else d for d in self.shape]
        values = self.numbers(rng, size(full))
        for k in range(size(full)):
            rest, inside = k, True
            for whole, part in zip(reversed(full), reversed(now)):
                inside &= rest % whole < part
                rest //= whole
            if not inside:
                values[k] = self.beyond()
        x = f.constant(self.ty, full, values)
        if full == now and not any(isinstance(d, Dim) for d in self.shape):
            return x, x
        limits = ", ".join(f"0:{d}" for d in now)
        s = f.op(f"stablehlo.slice {x} [{limits}] : ({tensor(self.ty, full)}) -> {tensor(self.ty, now)}")
        before = list(full)
        for axis, d in enumerate(self.shape):
            if isinstance(d, Dim):
                count = f.constant(I32, [], [d.of(n)])
                kept = [self.shape[i] if i < axis else full[i] for i in range(len(full))]
                after = [self.shape[i] if i <= axis else full[i] for i in range(len(full))]
                x = f.op(
                    f"stablehlo.set_dimension_size {x}, {count}, dim = {axis} : ({bounded_text(self.ty, kept)}, tensor<i32>) -> {bounded_text(self.ty, after)}"
                )
        return x, s


class Case:
    """`text`: of the operation in its generic form up to the colon, `{0}` and so on for the operands, `{T0}` for their types, `{E0}` for
    those of their elements as scalars. The last `captured` operands are those of regions. `sizes`: run-time sizes that make sense.
    `close`: units in the last place. `replicas`: how many processes run it beside each other."""

    def __init__(self, name, args, results, text, sizes=None, close=0, label="", captured=0, replicas=0):
        self.name, self.args, self.results, self.text = name, args, results, text
        self.sizes, self.close, self.label = sizes, close, label or name
        self.captured, self.replicas = captured, replicas

    def operation(self, f, values, types, results):
        fields = {f"T{i}": t for i, t in enumerate(types)} | {f"E{i}": tensor(a.ty, []) for i, a in enumerate(self.args)}
        body = self.text.format(*values, **fields)
        to = results[0] if len(results) == 1 else f"({', '.join(results)})"
        whole = f"{body} : ({', '.join(types[: len(types) - self.captured])}) -> {to}"
        if len(results) == 1:
            return [f.op(whole)]
        name = f.fresh()
        f.line(f"{name}:{len(results)} = {whole}")
        return [f"{name}#{i}" for i in range(len(results))]

    def write(self, file, usual):
        for n in self.sizes or usual:
            rng = random.Random(f"{self.label} {n}")
            f = file.function(f"{self.label}_{n}")
            if self.replicas:
                # The case runs it in so many processes.
                f.line(f'"interpreter.run_parallel"() {{programs = [{", ".join([f"[@{f.name}_program]"] * self.replicas)}]}} : () -> ()')
                f = Function(f"{f.name}_program")
            self.compare(f, rng, n)
            if self.replicas:
                file.extra.append(f.text().replace("func.func", "func.func private"))

    def compare(self, f, rng, n):
        pairs = [a.both(f, rng, n) for a in self.args]
        bounded = [bounded_text(a.ty, a.shape) for a in self.args], [bounded_text(*r) for r in self.results]
        static = [static_text(a.ty, a.shape, n) for a in self.args], [static_text(*r, n) for r in self.results]
        ours = self.operation(f, [p[0] for p in pairs], *bounded)
        want = self.operation(f, [p[1] for p in pairs], *static)
        for x, y, (ty, shape) in zip(ours, want, self.results):
            now = [d.of(n) if isinstance(d, Dim) else d for d in shape]
            own, t = bounded_text(ty, shape), tensor(ty, now)
            for axis, d in enumerate(shape):
                if isinstance(d, Dim):
                    got = f.op(f"stablehlo.get_dimension_size {x}, dim = {axis} : ({own}) -> tensor<i32>")
                    f.equal(got, I32, [], [now[axis]])
            if own != t:
                sizes = f.literal(I64, [len(now)], now)
                x = f.op(f"stablehlo.dynamic_reshape {x}, {sizes} : ({own}, {tensor(I64, [len(now)])}) -> {t}")
            if self.close:
                f.line(f"check.expect_close {x}, {y}, max_ulp_difference = {self.close} : {t}, {t}")
            else:
                f.line(f"check.expect_eq {x}, {y} : {t}")


def fractions(rng, count):
    return [rng.randint(1, 15) / 16 for _ in range(count)]


def large(rng, count):
    return [1 + rng.randint(1, 30) / 16 for _ in range(count)]


def zeros(rng, count):
    return [0] * count


def neutral(ty, op):
    """Of a reduction: operations and their initial values form monoids, or the specification says nothing."""
    if op in ("and", "minimum"):
        value = 1 if ty.is_bool else (-1 if op == "and" else ty.high) if not ty.is_float else INF
    elif op == "maximum":
        value = 0 if ty.is_bool else ty.low if not ty.is_float else -INF
    else:
        value = float(op == "multiply") if ty.is_float else int(op == "multiply")
    return Arg(ty, [], lambda r, c: [(value, 0.0) if ty.is_complex else value] * c)


def fold(op="add", at=0):
    return f"({{{{\n  ^bb0(%p: {{E{at}}}, %q: {{E{at}}}):\n    %z = stablehlo.{op} %p, %q : {{E{at}}}\n    stablehlo.return %z : {{E{at}}}\n  }}}})"


def region(args, lines):
    """A region with arguments given as text, braces doubled for the template."""
    return f"{{{{\n  ^bb0({args}):\n{lines}  }}}}"


def elementwise():
    for ty, names in (
        (F32, "abs ceil floor negate round_nearest_afz round_nearest_even sign exponential exponential_minus_one logistic tanh cosine sine tan cbrt"),
        (F64, "abs exponential tanh sine"),
        (BF16, "negate tanh logistic"),
        (I32, "abs negate not popcnt count_leading_zeros sign"),
        (I8, "abs popcnt"),
        (I1, "not"),
        (C64, "negate exponential cosine"),
    ):
        for name in names.split():
            yield Case(name, [Arg(ty, [N, 3])], [(ty, [N, 3])], f'"stablehlo.{name}"({{0}})', label=f"{name}_{ty}")
    for name in ("log", "log_plus_one", "sqrt", "rsqrt"):
        yield Case(name, [Arg(F32, [3, N], large)], [(F32, [3, N])], f'"stablehlo.{name}"({{0}})')
    yield Case("is_finite", [Arg(F32, [N])], [(I1, [N])], '"stablehlo.is_finite"({0})')
    for name in ("real", "imag", "abs"):
        yield Case(name, [Arg(C64, [N, 2])], [(F32, [N, 2])], f'"stablehlo.{name}"({{0}})', label=f"{name}_complex")
    yield Case("complex", [Arg(F32, [N, 2]), Arg(F32, [N, 2])], [(C64, [N, 2])], '"stablehlo.complex"({0}, {1})')
    for ty, names in (
        (F32, "add subtract multiply divide maximum minimum remainder power atan2"),
        (I32, "add subtract multiply divide maximum minimum remainder power and or xor shift_left shift_right_arithmetic shift_right_logical"),
        (I1, "and or xor add"),
        (C64, "add subtract multiply divide power"),
        (BF16, "add multiply"),
    ):
        for name in names.split():
            yield Case(name, [Arg(ty, [2, N, 2]), Arg(ty, [2, N, 2])], [(ty, [2, N, 2])], f'"stablehlo.{name}"({{0}}, {{1}})', label=f"{name}_{ty}")
    compare = '"stablehlo.compare"({0}, {1}) <{{comparison_direction = #stablehlo<comparison_direction LT>}}>'
    for ty in (F32, I32, U32):
        yield Case("compare", [Arg(ty, [N, 3]), Arg(ty, [N, 3])], [(I1, [N, 3])], compare, label=f"compare_{ty}")
    yield Case("select", [Arg(I1, [N, 3]), Arg(F32, [N, 3]), Arg(F32, [N, 3])], [(F32, [N, 3])], '"stablehlo.select"({0}, {1}, {2})')
    yield Case("select", [Arg(I1, []), Arg(F32, [N, 3]), Arg(F32, [N, 3])], [(F32, [N, 3])], '"stablehlo.select"({0}, {1}, {2})', label="select_scalar")
    yield Case("clamp", [Arg(F32, [], lambda r, c: [-2.0] * c), Arg(F32, [N, 3]), Arg(F32, [], lambda r, c: [2.0] * c)], [(F32, [N, 3])], '"stablehlo.clamp"({0}, {1}, {2})', label="clamp_scalars")
    yield Case("clamp", [Arg(I32, [N, 3], lambda r, c: [-2] * c), Arg(I32, [N, 3]), Arg(I32, [N, 3], lambda r, c: [2] * c)], [(I32, [N, 3])], '"stablehlo.clamp"({0}, {1}, {2})')
    for a, b in ((F32, I32), (I32, F32), (F32, BF16), (I1, F32), (F32, C64), (F64, F32)):
        yield Case("convert", [Arg(a, [N, 3])], [(b, [N, 3])], '"stablehlo.convert"({0})', label=f"convert_{a}_{b}")
    yield Case("bitcast_convert", [Arg(F32, [N, 3])], [(I32, [N, 3])], '"stablehlo.bitcast_convert"({0})')
    yield Case("bitcast_convert", [Arg(I32, [N, 3])], [(I8, [N, 3, 4])], '"stablehlo.bitcast_convert"({0})', label="bitcast_convert_narrow")
    yield Case("bitcast_convert", [Arg(I8, [N, 3, 4])], [(I32, [N, 3])], '"stablehlo.bitcast_convert"({0})', label="bitcast_convert_wide")
    yield Case("reduce_precision", [Arg(F32, [N, 3], fractions)], [(F32, [N, 3])], '"stablehlo.reduce_precision"({0}) <{{exponent_bits = 5 : i32, mantissa_bits = 2 : i32}}>')
    yield Case("uniform_quantize", [Arg(F32, [N, 3])], [(QI8, [N, 3])], '"stablehlo.uniform_quantize"({0})')
    yield Case("uniform_dequantize", [Arg(QI8, [N, 3], lambda r, c: [r.randint(-9, 9) for _ in range(c)])], [(F32, [N, 3])], '"stablehlo.uniform_dequantize"({0})')
    for name in "asin acos atan asinh atanh erf erf_inv sinh cosh lgamma digamma square bessel_i1e erfc".split():
        yield Case(name, [Arg(F32, [N, 3], fractions)], [(F32, [N, 3])], f'"chlo.{name}"({{0}})', label=f"chlo_{name}")
    yield Case("acosh", [Arg(F32, [N, 3], large)], [(F32, [N, 3])], '"chlo.acosh"({0})', label="chlo_acosh")
    for name in ("broadcast_add", "broadcast_maximum", "broadcast_power"):
        yield Case(name, [Arg(F32, [N, 3]), Arg(F32, [3])], [(F32, [N, 3])], f'"chlo.{name}"({{0}}, {{1}})', label=f"chlo_{name}")


def moves():
    for ty in (F32, I8, I1, BF16, C64):
        yield Case("transpose", [Arg(ty, [2, N, 3])], [(ty, [3, 2, N])], '"stablehlo.transpose"({0}) <{{permutation = array<i64: 2, 0, 1>}}>', label=f"transpose_{ty}")
        yield Case("reverse", [Arg(ty, [2, N])], [(ty, [2, N])], '"stablehlo.reverse"({0}) <{{dimensions = array<i64: 1>}}>', label=f"reverse_{ty}")
        yield Case("broadcast_in_dim", [Arg(ty, [N, 3])], [(ty, [2, N, 3])], '"stablehlo.broadcast_in_dim"({0}) <{{broadcast_dimensions = array<i64: 1, 2>}}>', label=f"broadcast_in_dim_{ty}")
        yield Case("concatenate", [Arg(ty, [N, 3]), Arg(ty, [2, 3]), Arg(ty, [N, 3])], [(ty, [Dim(lambda n: 2 * n + 2), 3])], '"stablehlo.concatenate"({0}, {1}, {2}) <{{dimension = 0 : i64}}>', label=f"concatenate_{ty}")
        yield Case("pad", [Arg(ty, [N, 3]), Arg(ty, [])], [(ty, [Dim(lambda n: 3 + n + max(n - 1, 0)), 4])], '"stablehlo.pad"({0}, {1}) <{{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 2, 1>, interior_padding = array<i64: 1, 0>}}>', label=f"pad_{ty}")
    yield Case("pad", [Arg(F32, [N, 3]), Arg(F32, [])], [(F32, [Dim(lambda n: max(n - 1, 0)), 3])], '"stablehlo.pad"({0}, {1}) <{{edge_padding_low = array<i64: -2, 0>, edge_padding_high = array<i64: 1, 0>, interior_padding = array<i64: 0, 0>}}>', label="pad_negative", sizes=(2, 3, 5))
    yield Case("broadcast", [Arg(F32, [N])], [(F32, [2, N])], '"stablehlo.broadcast"({0}) <{{broadcast_sizes = array<i64: 2>}}>')
    yield Case("concatenate", [Arg(F32, [2, N]), Arg(F32, [1, N])], [(F32, [3, N])], '"stablehlo.concatenate"({0}, {1}) <{{dimension = 0 : i64}}>', label="concatenate_beside")
    yield Case("reshape", [Arg(F32, [N, 4])], [(F32, [N, 2, 2])], '"stablehlo.reshape"({0})')
    yield Case("reshape", [Arg(F32, [N, 2, 3])], [(F32, [Dim(lambda n: 6 * n)])], '"stablehlo.reshape"({0})', label="reshape_flat")
    yield Case("slice", [Arg(F32, [N, 3])], [(F32, [N, 2])], '"stablehlo.slice"({0}) <{{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 5, 3>, strides = array<i64: 1, 1>}}>', label="slice_whole", sizes=(5,))
    yield Case("dynamic_slice", [Arg(F32, [N, 4]), Arg(I32, [], lambda r, c: [1]), Arg(I32, [], lambda r, c: [9])], [(F32, [2, 3])], '"stablehlo.dynamic_slice"({0}, {1}, {2}) <{{slice_sizes = array<i64: 2, 3>}}>', sizes=(2, 3, 5))
    yield Case("dynamic_update_slice", [Arg(F32, [N, 4]), Arg(F32, [2, 2]), Arg(I32, [], lambda r, c: [9]), Arg(I32, [], lambda r, c: [1])], [(F32, [N, 4])], '"stablehlo.dynamic_update_slice"({0}, {1}, {2}, {3})', sizes=(2, 3, 5))
    yield Case("dynamic_update_slice", [Arg(F32, [6, 4]), Arg(F32, [N, 2]), Arg(I32, [], lambda r, c: [4]), Arg(I32, [], lambda r, c: [1])], [(F32, [6, 4])], '"stablehlo.dynamic_update_slice"({0}, {1}, {2}, {3})', label="dynamic_update_slice_update")
    index = lambda r, c: [r.randint(-1, 5) for _ in range(c)]
    gather = '"stablehlo.gather"({{0}}, {{1}}) <{{{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, {w}>, indices_are_sorted = false}}}}>'
    yield Case("gather", [Arg(F32, [N, 3]), Arg(I32, [4, 1], index)], [(F32, [4, 3])], gather.format(w=3), label="gather_operand", sizes=(1, 3, 5))
    yield Case("gather", [Arg(F32, [4, 3]), Arg(I32, [N, 1], index)], [(F32, [N, 3])], gather.format(w=3), label="gather_indices")
    dynamic = '"stablehlo.dynamic_gather"({0}, {1}, {2}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}}>'
    yield Case("dynamic_gather", [Arg(F32, [4, 3]), Arg(I32, [N, 1], index), Arg(I64, [2], lambda r, c: [1, 3])], [(F32, [N, 3])], dynamic)
    yield Case("torch_index_select", [Arg(F32, [N, 3]), Arg(I32, [4], lambda r, c: [0] * c)], [(F32, [4, 3])], '"stablehlo.torch_index_select"({0}, {1}) <{{dim = 0 : i64, batch_dims = 0 : i64}}>', sizes=(1, 3, 5), label="torch_index_select_operand")
    yield Case("torch_index_select", [Arg(F32, [4, 3]), Arg(I32, [N], lambda r, c: [r.randint(0, 3) for _ in range(c)])], [(F32, [N, 3])], '"stablehlo.torch_index_select"({0}, {1}) <{{dim = 0 : i64, batch_dims = 0 : i64}}>', label="torch_index_select_indices")
    scatter = '"stablehlo.scatter"({0}, {1}, {2}) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}}> ' + fold()
    yield Case("scatter", [Arg(F32, [N, 3]), Arg(I32, [4, 1], index), Arg(F32, [4, 3])], [(F32, [N, 3])], scatter, label="scatter_operand")
    yield Case("scatter", [Arg(F32, [5, 3]), Arg(I32, [N, 1], index), Arg(F32, [N, 3])], [(F32, [5, 3])], scatter, label="scatter_updates")
    yield Case("scatter", [Arg(I32, [N, 3]), Arg(I32, [N, 1], index), Arg(I32, [N, 3])], [(I32, [N, 3])], scatter, label="scatter_both")
    yield Case("scatter", [Arg(F32, [5, N]), Arg(I32, [4, 1], index), Arg(F32, [4, N])], [(F32, [5, N])], scatter, label="scatter_windows")
    # Operations with operands that say sizes.
    yield Case("real_dynamic_slice", [Arg(F32, [N, 4]), *(Arg(I64, [2], lambda r, c, v=v: list(v)) for v in ([0, 1], [2, 4], [1, 2]))], [(F32, [2, 2])], '"stablehlo.real_dynamic_slice"({0}, {1}, {2}, {3})', sizes=(2, 3, 5))
    yield Case("dynamic_pad", [Arg(F32, [N, 4]), Arg(F32, []), *(Arg(I64, [2], lambda r, c, v=v: list(v)) for v in ([1, 0], [1, 0], [0, 0]))], [(F32, [Dim(lambda n: n + 2), 4])], '"stablehlo.dynamic_pad"({0}, {1}, {2}, {3}, {4})')
    # Two bounded dimensions, and one that gets another size.
    yield Case("transpose", [Arg(F32, [N, Dim(lambda n: n // 2)])], [(F32, [Dim(lambda n: n // 2), N])], '"stablehlo.transpose"({0}) <{{permutation = array<i64: 1, 0>}}>', label="transpose_two")
    yield Case("get_dimension_size", [Arg(F32, [3, N])], [(I32, [])], '"stablehlo.get_dimension_size"({0}) <{{dimension = 1 : i64}}>')


def reductions():
    for ty, names in ((F32, "add maximum minimum multiply"), (I32, "add maximum minimum and or xor"), (I1, "and or"), (BF16, "add maximum"), (C64, "add"), (I8, "add maximum"), (F64, "add")):
        for name in names.split():
            for label, shape, dims, kept in (("outer", [N, 3], [0], [3]), ("inner", [3, N], [1], [3]), ("all", [N, 3], [0, 1], []), ("kept", [N, 3], [1], [N])):
                text = f'"stablehlo.reduce"({{0}}, {{1}}) <{{{{dimensions = array<i64: {", ".join(map(str, dims))}>}}}}> ' + fold(name)
                yield Case("reduce", [Arg(ty, shape), neutral(ty, name)], [(ty, kept)], text, label=f"reduce_{name}_{ty}_{label}")
    greatest = region(
        "%a: {E0}, %i: {E1}, %b: {E0}, %j: {E1}",
        "    %c = stablehlo.compare GE, %a, %b : ({E0}, {E1x}) -> tensor<i1>\n".replace("{E1x}", "{E0}")
        + "    %x = stablehlo.select %c, %a, %b : tensor<i1>, {E0}\n    %y = stablehlo.select %c, %i, %j : tensor<i1>, {E1}\n    stablehlo.return %x, %y : {E0}, {E1}\n",
    )
    distinct = lambda r, c: [float(v) for v in r.sample(range(1, 100), c)]
    yield Case("reduce", [Arg(F32, [N, 3], distinct), Arg(I32, [N, 3]), Arg(F32, [], lambda r, c: [0.0]), Arg(I32, [], zeros)], [(F32, [3]), (I32, [3])], '"stablehlo.reduce"({0}, {1}, {2}, {3}) <{{dimensions = array<i64: 0>}}> (' + greatest + ")", label="reduce_two")
    window = '"stablehlo.reduce_window"({{0}}, {{1}}) <{{{{window_dimensions = array<i64: {w}, 1>, window_strides = array<i64: {s}, 1>, base_dilations = array<i64: {b}, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[{l}, {h}], [0, 0]]> : tensor<2x2xi64>}}}}> '
    for ty in (F32, I32, BF16):
        for name in ("add", "maximum"):
            of = lambda w, s, b, l, h: Dim(lambda n: max(((n - 1) * b + 1 if n else 0) + l + h - w + s, 0) // s)
            for label, v in (("same", (3, 1, 1, 1, 1)), ("valid", (2, 1, 1, 0, 0)), ("strided", (2, 2, 1, 0, 1)), ("dilated", (3, 1, 2, 1, 0))):
                w, s, b, l, h = v
                yield Case("reduce_window", [Arg(ty, [N, 3]), neutral(ty, name)], [(ty, [of(*v), 3])], window.format(w=w, s=s, b=b, l=l, h=h) + fold(name), label=f"reduce_window_{name}_{ty}_{label}")
            yield Case("reduce_window", [Arg(ty, [3, N]), neutral(ty, name)], [(ty, [2, N])], window.format(w=2, s=1, b=1, l=0, h=0) + fold(name), label=f"reduce_window_{name}_{ty}_beside")
    pick = region("%p: {E0}, %q: {E0}", "    %z = stablehlo.compare GE, %p, %q : ({E0}, {E0}) -> tensor<i1>\n    stablehlo.return %z : tensor<i1>\n")
    add = fold()[1:-1]
    spread = '"stablehlo.select_and_scatter"({0}, {1}, {2}) <{{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>, padding = dense<0> : tensor<2x2xi64>}}> (' + pick + ", " + add + ")"
    yield Case("select_and_scatter", [Arg(F32, [N, 4]), Arg(F32, [N, 2]), Arg(F32, [])], [(F32, [N, 4])], spread)
    along = spread.replace("array<i64: 1, 2>", "array<i64: 2, 1>")
    half = Dim(lambda n: n // 2)
    yield Case("select_and_scatter", [Arg(F32, [N, 4]), Arg(F32, [half, 4]), Arg(F32, [])], [(F32, [N, 4])], along, label="select_and_scatter_along")
    less = region("%p: {E0}, %q: {E0}", "    %z = stablehlo.compare LT, %p, %q : ({E0}, {E0}) -> tensor<i1>\n    stablehlo.return %z : tensor<i1>\n")
    for ty in (F32, I32, I8):
        for axis, shape in ((0, [N, 3]), (1, [3, N]), (1, [N, 3])):
            yield Case("sort", [Arg(ty, shape)], [(ty, shape)], f'"stablehlo.sort"({{0}}) <{{{{dimension = {axis} : i64, is_stable = true}}}}> ({less})', label=f"sort_{ty}_{axis}_{'outer' if shape[0] is N else 'inner'}")
    pairs = region("%p: {E0}, %q: {E0}, %r: {E1}, %s: {E1}", "    %z = stablehlo.compare GT, %p, %q : ({E0}, {E0}) -> tensor<i1>\n    stablehlo.return %z : tensor<i1>\n")
    yield Case("sort", [Arg(I32, [N, 2]), Arg(F32, [N, 2])], [(I32, [N, 2]), (F32, [N, 2])], '"stablehlo.sort"({0}, {1}) <{{dimension = 0 : i64, is_stable = true}}> (' + pairs + ")", label="sort_two")
    body = region("%p: {E0}, %q: {E0}", "    %z = stablehlo.multiply %p, %q : {E0}\n    stablehlo.return %z : {E0}\n")
    yield Case("map", [Arg(F32, [N, 3]), Arg(F32, [N, 3])], [(F32, [N, 3])], '"stablehlo.map"({0}, {1}) <{{dimensions = array<i64: 0, 1>}}> (' + body + ")")
    yield Case("top_k", [Arg(F32, [N, 4], distinct)], [(F32, [N, 2]), (I32, [N, 2])], '"chlo.top_k"({0}) <{{k = 2 : i64}}>', label="chlo_top_k")


def contractions():
    dot = '"stablehlo.dot_general"({{0}}, {{1}}) <{{{{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [{lb}], rhs_batching_dimensions = [{rb}], lhs_contracting_dimensions = [{lc}], rhs_contracting_dimensions = [{rc}]>}}}}>'
    for ty in (F32, I32, BF16, F64, C64, I8):
        yield Case("dot_general", [Arg(ty, [N, 4]), Arg(ty, [4, 3])], [(ty, [N, 3])], dot.format(lb="", rb="", lc="1", rc="0"), label=f"dot_general_{ty}_rows")
        yield Case("dot_general", [Arg(ty, [2, 4]), Arg(ty, [4, N])], [(ty, [2, N])], dot.format(lb="", rb="", lc="1", rc="0"), label=f"dot_general_{ty}_columns")
        yield Case("dot_general", [Arg(ty, [2, N]), Arg(ty, [N, 3])], [(ty, [2, 3])], dot.format(lb="", rb="", lc="1", rc="0"), label=f"dot_general_{ty}_contracted")
        yield Case("dot_general", [Arg(ty, [N, 2, 4]), Arg(ty, [N, 4, 3])], [(ty, [N, 2, 3])], dot.format(lb="0", rb="0", lc="2", rc="1"), label=f"dot_general_{ty}_batch")
        yield Case("dot_general", [Arg(ty, [N]), Arg(ty, [N])], [(ty, [N, N])], dot.format(lb="", rb="", lc="", rc=""), label=f"dot_general_{ty}_outer")
        yield Case("dot_general", [Arg(ty, [N]), Arg(ty, [N])], [(ty, [])], dot.format(lb="", rb="", lc="0", rc="0"), label=f"dot_general_{ty}_scalar")
    yield Case("dot", [Arg(F32, [N, 4]), Arg(F32, [4, 3])], [(F32, [N, 3])], '"stablehlo.dot"({0}, {1})', label="dot_rows")
    yield Case("dot", [Arg(F32, [2, N]), Arg(F32, [N, 3])], [(F32, [2, 3])], '"stablehlo.dot"({0}, {1})', label="dot_contracted")
    yield Case("dot", [Arg(F32, [2, N]), Arg(F32, [N])], [(F32, [2])], '"stablehlo.dot"({0}, {1})', label="dot_vector")
    yield Case("einsum", [Arg(F32, [N, 4]), Arg(F32, [4, 3])], [(F32, [N, 3])], '"stablehlo.einsum"({0}, {1}) <{{einsum_config = "ij,jk->ik"}}>')
    yield Case("einsum", [Arg(F32, [2, N]), Arg(F32, [N, 3])], [(F32, [2, 3])], '"stablehlo.einsum"({0}, {1}) <{{einsum_config = "ij,jk->ik"}}>', label="einsum_contracted")
    yield Case("unary_einsum", [Arg(F32, [N, 4])], [(F32, [N])], '"stablehlo.unary_einsum"({0}) <{{einsum_config = "ij->i"}}>')
    yield Case("unary_einsum", [Arg(F32, [N, 4])], [(F32, [4])], '"stablehlo.unary_einsum"({0}) <{{einsum_config = "ij->j"}}>', label="unary_einsum_summed")
    conv = '"stablehlo.{op}"({args}) <{{{{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, window_strides = array<i64: {s}>, {pad}lhs_dilation = array<i64: {b}>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, feature_group_count = {g} : i64, batch_group_count = 1 : i64}}}}>'
    for ty in (F32, I32, BF16):
        pads = "padding = dense<[[{0}, {1}]]> : tensor<1x2xi64>, "
        of = lambda w, s, b, l, h: Dim(lambda n: max(((n - 1) * b + 1 if n else 0) + l + h - w + s, 0) // s)
        plain = conv.format(op="convolution", args="{0}, {1}", s=1, b=1, g=1, pad=pads.format(1, 1))
        yield Case("convolution", [Arg(ty, [N, 6, 2]), Arg(ty, [3, 2, 4])], [(ty, [N, 6, 4])], plain, label=f"convolution_{ty}_batch")
        yield Case("convolution", [Arg(ty, [2, N, 2]), Arg(ty, [3, 2, 4])], [(ty, [2, N, 4])], plain, label=f"convolution_{ty}_same")
        strided = conv.format(op="convolution", args="{0}, {1}", s=2, b=1, g=1, pad=pads.format(0, 1))
        yield Case("convolution", [Arg(ty, [2, N, 2]), Arg(ty, [2, 2, 4])], [(ty, [2, of(2, 2, 1, 0, 1), 4])], strided, label=f"convolution_{ty}_strided")
        dilated = conv.format(op="convolution", args="{0}, {1}", s=1, b=2, g=2, pad=pads.format(1, 0))
        yield Case("convolution", [Arg(ty, [2, N, 2]), Arg(ty, [2, 1, 4])], [(ty, [2, of(2, 1, 2, 1, 0), 4])], dilated, label=f"convolution_{ty}_dilated")
        yield Case("convolution", [Arg(ty, [2, 6, N]), Arg(ty, [3, N, 4])], [(ty, [2, 6, 4])], plain, label=f"convolution_{ty}_features", sizes=(1, 3, 5))
        yield Case("convolution", [Arg(ty, [2, 6, 2]), Arg(ty, [3, 2, N])], [(ty, [2, 6, N])], plain, label=f"convolution_{ty}_outputs", sizes=(1, 3, 5))
    moving = conv.format(op="dynamic_conv", args="{0}, {1}, {2}", s=1, b=1, g=1, pad="")
    yield Case("dynamic_conv", [Arg(F32, [2, N, 2]), Arg(F32, [3, 2, 4]), Arg(I64, [1, 2], lambda r, c: [1, 1])], [(F32, [2, N, 4])], moving)


def calculus():
    spread = lambda r, c: [r.randint(1, 40) / 8 for _ in range(c)]
    normalised = '<{{epsilon = 0.5 : f32, feature_index = 1 : i64}}>'
    scales = [Arg(F32, [3], spread) for _ in range(4)]
    yield Case("batch_norm_inference", [Arg(F32, [N, 3], spread), *scales], [(F32, [N, 3])], '"stablehlo.batch_norm_inference"({0}, {1}, {2}, {3}, {4}) ' + normalised, close=3)
    yield Case("batch_norm_training", [Arg(F32, [N, 3], spread), *scales[:2]], [(F32, [N, 3]), (F32, [3]), (F32, [3])], '"stablehlo.batch_norm_training"({0}, {1}, {2}) ' + normalised, sizes=(1, 3, 5), close=3)
    yield Case("batch_norm_grad", [Arg(F32, [N, 3], spread), *scales[:3], Arg(F32, [N, 3], spread)], [(F32, [N, 3]), (F32, [3]), (F32, [3])], '"stablehlo.batch_norm_grad"({0}, {1}, {2}, {3}, {4}) ' + normalised, sizes=(1, 3, 5), close=3)
    lower = lambda r, c: [v for _ in range(c // 4) for v in (4.0, 2.0, 2.0, 5.0)]
    yield Case("cholesky", [Arg(F32, [N, 2, 2], lower)], [(F32, [N, 2, 2])], '"stablehlo.cholesky"({0}) <{{lower = true}}>')
    solve = '"stablehlo.triangular_solve"({0}, {1}) <{{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}}>'
    yield Case("triangular_solve", [Arg(F32, [N, 2, 2], lower), Arg(F32, [N, 2, 3])], [(F32, [N, 2, 3])], solve)
    yield Case("triangular_solve", [Arg(F32, [2, 2], lower), Arg(F32, [2, N])], [(F32, [2, N])], solve, label="triangular_solve_columns")
    identity = lambda r, c: [1.0 if k // BOUND == k % BOUND else 0.25 if k // BOUND > k % BOUND else 0.0 for k in range(c)]
    yield Case("triangular_solve", [Arg(F32, [N, N], identity), Arg(F32, [N, 2])], [(F32, [N, 2])], solve, label="triangular_solve_order")
    twice = lambda r, c: [4.0 if k // BOUND == k % BOUND else 0.5 for k in range(c)]
    yield Case("cholesky", [Arg(F32, [N, N], twice)], [(F32, [N, N])], '"stablehlo.cholesky"({0}) <{{lower = true}}>', label="cholesky_order")
    yield Case("fft", [Arg(C64, [N, 4])], [(C64, [N, 4])], '"stablehlo.fft"({0}) <{{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>}}>')
    yield Case("fft", [Arg(F32, [N, 4])], [(C64, [N, 3])], '"stablehlo.fft"({0}) <{{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>}}>', label="rfft")
    yield Case("fft", [Arg(C64, [N, 3])], [(F32, [N, 4])], '"stablehlo.fft"({0}) <{{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 4>}}>', label="irfft")


def control():
    branch = "{{\n    %a = stablehlo.add {1}, {1} : {T1}\n    stablehlo.return %a : {T1}\n  }}, {{\n    stablehlo.return {1} : {T1}\n  }}"
    for on in (0, 1):
        pick = Arg(I1, [], lambda r, c, on=on: [on])
        yield Case("if", [pick, Arg(F32, [N, 3])], [(F32, [N, 3])], '"stablehlo.if"({0}) (' + branch + ")", label=f"if_{on}", captured=1)
    yield Case("case", [Arg(I32, [], lambda r, c: [1]), Arg(F32, [N, 3])], [(F32, [N, 3])], '"stablehlo.case"({0}) (' + branch + ")", captured=1)
    loop = (
        '"stablehlo.while"({0}, {1}) ({{\n  ^bb0(%i: {T0}, %x: {T1}):\n    %m = stablehlo.constant dense<3> : tensor<i32>\n    %c = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  }}, '
        "{{\n  ^bb0(%i: {T0}, %x: {T1}):\n    %o = stablehlo.constant dense<1> : tensor<i32>\n    %j = stablehlo.add %i, %o : tensor<i32>\n    %y = stablehlo.add %x, %x : {T1}\n    stablehlo.return %j, %y : tensor<i32>, {T1}\n  }})"
    )
    yield Case("while", [Arg(I32, [], zeros), Arg(F32, [N, 3])], [(I32, []), (F32, [N, 3])], loop)
    yield Case("optimization_barrier", [Arg(F32, [N, 3]), Arg(I32, [N])], [(F32, [N, 3]), (I32, [N])], '"stablehlo.optimization_barrier"({0}, {1})')


def parallel():
    """Among two replicas that hold the same value."""
    add = fold()
    groups = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
    twice = Dim(lambda n: 2 * n)
    for label, result, text in (
        ("all_reduce", [N, 4], f'"stablehlo.all_reduce"({{0}}) <{{{{{groups}}}}}> ' + add),
        ("all_gather", [N, 8], f'"stablehlo.all_gather"({{0}}) <{{{{all_gather_dim = 1 : i64, {groups}}}}}>'),
        ("all_gather_along", [twice, 4], f'"stablehlo.all_gather"({{0}}) <{{{{all_gather_dim = 0 : i64, {groups}}}}}>'),
        ("all_to_all", [twice, 2], f'"stablehlo.all_to_all"({{0}}) <{{{{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, {groups}}}}}>'),
        ("reduce_scatter", [N, 2], f'"stablehlo.reduce_scatter"({{0}}) <{{{{scatter_dimension = 1 : i64, {groups}}}}}> ' + add),
        ("collective_broadcast", [N, 4], '"stablehlo.collective_broadcast"({0}) <{{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}}>'),
        ("collective_permute", [N, 4], '"stablehlo.collective_permute"({0}) <{{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}}>'),
    ):
        yield Case(label, [Arg(F32, [N, 4])], [(F32, result)], text, replicas=2)


GROUPS = (elementwise, moves, reductions, contractions, calculus, control, parallel)


def generate():
    for group in GROUPS:
        file = File(f"bounded_{group.__name__}", covers=[], comment="Values of bounded run-time size against their static slices.")
        seen = set()
        for case in group():
            # One size within, nothing, and the ends for one type of each operation that is not element by element.
            more = (0, 3) if group is elementwise else (0, 1, 3, 5)
            case.write(file, (3,) if case.name in seen or "chlo" in case.label else more)
            seen.add(case.name)
