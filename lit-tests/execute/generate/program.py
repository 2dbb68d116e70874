"""Builds the test programs: a module an operation, a function a case, and `@main`, which calls them all."""

import pathlib

from formats import I1, Bool, Complex, Float, Int, Type

FOLDER = pathlib.Path(__file__).resolve().parent.parent


def tensor(ty, shape):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{ty}>"


def size(shape):
    total = 1
    for n in shape:
        total *= n
    return total


def dense(ty, shape, values):
    """The attribute for the values in row-major order (`ty`: a format; numbers of quantized types are their stored integers)."""
    values = list(values)
    assert len(values) == size(shape), (shape, len(values))
    texts = [ty.literal(value) for value in values]
    if not texts:
        return "dense<>"
    if len(set(texts)) == 1 and len(texts) > 1:
        return f"dense<{texts[0]}>"

    def nest(rest, first):
        if not rest:
            return texts[first]
        step = size(rest[1:])
        return "[" + ", ".join(nest(rest[1:], first + i * step) for i in range(rest[0])) + "]"

    return f"dense<{nest(list(shape), 0)}>"


class Function:
    """The body of one case."""

    def __init__(self, name):
        self.name, self.lines, self.count = name, [], 0

    def fresh(self):
        self.count += 1
        return f"%{self.count - 1}"

    def line(self, text):
        self.lines.append("  " + text)

    def op(self, text):
        """`text` is everything right of the equals sign."""
        result = self.fresh()
        self.line(f"{result} = {text}")
        return result

    def ops(self, count, text):
        results = [self.fresh() for _ in range(count)]
        self.line(f"{', '.join(results)} = {text}")
        return results

    def literal(self, ty, shape, values):
        """A constant that the compiler sees."""
        if ty.is_quantized:
            plain = dense(ty.storage, shape, values)
            return self.op(
                f"stablehlo.constant() {{value = {plain} : {tensor(ty.storage, shape)}}} : () -> {tensor(ty, shape)}"
            )
        return self.op(f"stablehlo.constant {dense(ty, shape, values)} : {tensor(ty, shape)}")

    def constant(self, ty, shape, values):
        """A constant behind a barrier: what is computed from it is computed when the program runs. Barriers are for scales of whole tensors,
        so that of others the stored numbers are behind it."""
        if ty.is_quantized and ty.axis is not None:
            stored = self.constant(ty.storage, shape, values)
            return self.op(f"stablehlo.bitcast_convert {stored} : ({tensor(ty.storage, shape)}) -> {tensor(ty, shape)}")
        value = self.literal(ty, shape, values)
        return self.op(f"stablehlo.optimization_barrier {value} : {tensor(ty, shape)}")

    def equal(self, value, ty, shape, expected):
        if ty.is_quantized:
            want = self.literal(ty, shape, expected)
            self.line(f"check.expect_eq {value}, {want} : {tensor(ty, shape)}")
            return
        self.line(f"check.expect_eq_const {value}, {dense(ty, shape, expected)} : {tensor(ty, shape)}")

    def bits_equal(self, value, ty, shape, expected):
        """Distinguishes zeros by their sign; there must be no NaN."""
        unsigned = Int(f"ui{ty.width}", ty.width, False)
        cast = self.op(f"stablehlo.bitcast_convert {value} : ({tensor(ty, shape)}) -> {tensor(unsigned, shape)}")
        self.equal(cast, unsigned, shape, [ty.encode(x) for x in expected])

    def close(self, value, ty, shape, expected, ulp=3):
        want = self.literal(ty, shape, expected)
        t = tensor(ty, shape)
        self.line(f"check.expect_close {value}, {want}, max_ulp_difference = {ulp} : {t}, {t}")

    def almost(self, value, ty, shape, expected, tolerance):
        self.line(
            f"check.expect_almost_eq_const {value}, {dense(ty, shape, expected)} : {tensor(ty, shape)}"
            f" {{tolerance = {tolerance:.6e} : f64}}"
        )

    def text(self):
        return "\n".join([f"func.func @{self.name}() {{", *self.lines, "  return", "}"])


FILES = []


class File:
    """`covers`: names of the operations that the file executes, in every dialect."""

    def __init__(self, name, covers=None, comment="", both=False, options="", interpreted=False):
        self.name, self.comment, self.both, self.options = name, comment, both, options
        self.interpreted = interpreted
        self.covers = covers or [name]
        self.functions, self.extra = [], []
        FILES.append(self)

    def function(self, label):
        name = "".join(c if c.isalnum() else "_" for c in label.replace("!quant.uniform", "q").replace("-", "m")).rstrip("_")
        names = {f.name for f in self.functions}
        while name in names:
            name += "_"
        function = Function(name)
        self.functions.append(function)
        return function

    def text(self):
        runs = [f"// RUN: mapwright run --threads 1 {self.options}%s"]
        if self.both:
            runs.append("// The general emitter alone:")
            runs.append(f"// RUN: mapwright run --threads 1 --bounds-checks {self.options}%s")
        if self.interpreted:
            runs.append(f"// RUN: mapwright run --interpret {self.options}%s")
        head = ["// Generated by lit-tests/execute/generate; expectations are computed there, from the specification."]
        head += ["// " + line if line else "//" for line in self.comment.splitlines()]
        calls = [f"  func.call @{f.name}() : () -> ()" for f in self.functions]
        main = "\n".join(["func.func @main() {", *calls, "  return", "}"])
        return "\n".join(runs + head) + "\n\n" + "\n\n".join([main, *self.extra, *(f.text() for f in self.functions)]) + "\n"

    def write(self):
        (FOLDER / f"{self.name}.mlir").write_text(self.text())


__all__ = ["FILES", "I1", "Bool", "Complex", "File", "Float", "Function", "Int", "Type", "dense", "size", "tensor"]
