"""Tensor arrays: operations on Tensors of sizes that are known at run time only, with the values of those of static shape."""

import itertools

import numpy as np

from array_case import I64, Case, nearest
from formats import F32
from program import File, tensor

SIZES = 0, 1, 4, 5


class Sized(Case):
    """A function whose tensors have sizes that nothing but the run says."""

    def sized(self, x, varying, ty=None):
        """The tensor, and its type: of dimensions that vary the size is `?`."""
        x = np.asarray(x)
        room = np.pad(x, [(0, int(d in varying)) for d in range(x.ndim)], constant_values=99)
        value, whole = self.tensor(room, ty)
        text = self.open(x.shape, varying, ty)
        starts, ends, strides = (self.f.constant(I64, [x.ndim], n) for n in ([0] * x.ndim, x.shape, [1] * x.ndim))
        vector = f"tensor<{x.ndim}xi64>"
        value = self.f.op(
            f"stablehlo.real_dynamic_slice {value}, {starts}, {ends}, {strides} : ({whole}, {vector}, {vector}, {vector}) -> {text}"
        )
        return value, text

    def open(self, shape, varying, ty=None):
        return tensor(ty or self.ty, ["?" if d in varying else n for d, n in enumerate(shape)])

    def equal_sized(self, value, want, varying, ty=None):
        """The sizes, and the elements in their order."""
        want = np.asarray(want)
        text = self.open(want.shape, varying, ty)
        for d in varying:
            size = self.f.op(f"stablehlo.get_dimension_size {value}, dim = {d} : ({text}) -> tensor<i32>")
            self.f.line(f"check.expect_eq_const {size}, dense<{want.shape[d]}> : tensor<i32>")
        shape = self.f.constant(I64, [want.ndim], want.shape)
        own = tensor(ty or self.ty, want.shape)
        value = self.f.op(f"stablehlo.dynamic_reshape {value}, {shape} : ({text}, tensor<{want.ndim}xi64>) -> {own}")
        self.equal(value, want, ty)

    def equal_list(self, value, parts, most, leaf, varying):
        """An array of tensors whose dimensions `varying` have sizes that the run says, by its elements put together."""
        element = self.open(leaf, varying)
        text = f"!tarray.array<{element}, max = {most}>"
        length = self.op(f"length {value} : {text}")
        self.equal(length, len(parts), I64)
        whole = self.op(f"stack {value} dim = 0 : {text}")
        want = np.array(parts, np.int64).reshape([len(parts), *leaf])
        self.equal_sized(whole, want, [0] + [d + 1 for d in varying])


def cases(file, name, ways=([0], [0, 1])):
    """A tensor of 3 columns with as many rows as each of the sizes, whose columns are known or not."""
    for n, varying in itertools.product(SIZES, ways):
        c = Sized(file, f"{name}_{n}{'_any' if len(varying) > 1 else ''}", F32)
        x = np.arange(3 * n).reshape(n, 3) + 1
        yield c, n, x, varying, *c.sized(x, varying)


def access(file):
    for c, n, x, varying, t, tt in cases(file, "index"):
        for at in (0, 0), (2, 1), (9, 2), (3, 7):
            s, st = c.shape(at)
            want = x[nearest(at[0], n), nearest(at[1], 3)] if n else 0
            c.equal(c.op(f"index {t} at {s} : {tt}, {st}"), want)
            changed = x.copy()
            if at[0] < n and at[1] < 3:
                changed[at] += 50
            v, vt = c.tensor(50)
            c.equal_sized(c.op(f"index_update add {t}, {v} at {s} : {tt}, {vt}, {st}"), changed, varying)
    for c, n, x, varying, t, tt in cases(file, "gather"):
        where = np.array([1, 0, 7, -1, 1])
        k, kt = c.tensor(where, I64)
        rows = [nearest(i, n) for i in where]
        want = x[rows] if n else np.zeros([5, 3], np.int64)
        c.equal_sized(c.op(f"gather {t} at {k} dim = 0 : {tt}, {kt}"), want, varying[1:])
        c.equal_sized(c.op(f"gather sum {t} at {k} dim = 0 : {tt}, {kt}"), want.sum(0), varying[:-1] if len(varying) > 1 else [])
        columns = [nearest(i, 3) for i in where]
        c.equal_sized(c.op(f"gather {t} at {k} dim = 1 : {tt}, {kt}"), x[:, columns], [0])
        c.equal_sized(c.op(f"gather max {t} at {k} dim = 1 : {tt}, {kt}"), x[:, columns].max(1), [0])
        c.equal_sized(c.op(f"embedding {k} in {t} dim = 0 : {kt}, {tt}"), want, varying[1:])
        c.equal_sized(c.op(f"embedding {k} in {t} dim = 1 : {kt}, {tt}"), x[:, columns].T, [1])
        # As many indices as there turn out to be.
        for m in 0, 1, 5:
            k, kt = c.sized(where[:m], [0], I64)
            c.equal_sized(c.op(f"gather {t} at {k} dim = 0 : {tt}, {kt}"), want[:m], varying)
            c.equal_sized(c.op(f"embedding {k} in {t} dim = 0 : {kt}, {tt}"), want[:m], varying)
            c.equal_sized(c.op(f"gather sum {t} at {k} dim = 1 : {tt}, {kt}"), x[:, columns[:m]].sum(1), [0])
    for c, n, x, varying, t, tt in cases(file, "scatter"):
        u = np.arange(9).reshape(3, 3) + 100
        where = [0, 3, 9]
        for m in 0, 2, 3:
            k, kt = c.sized(where[:m], [0], I64)
            updates, ut = c.sized(u[:m], [0] + varying[1:])
            put, added = x.copy(), x.copy()
            for row, i in zip(u, where[:m]):
                if i < n:
                    put[i] = row
                    added[i] += row
            c.equal_sized(c.op(f"scatter {t}, {updates} at {k} dim = 0 : {tt}, {ut}, {kt}"), put, varying)
            c.equal_sized(c.op(f"scatter sum {t}, {updates} at {k} dim = 0 : {tt}, {ut}, {kt}"), added, varying)


def layouts(file):
    for c, n, x, varying, t, tt in cases(file, "layout"):
        c.equal_sized(c.op(f"slice {t} [0 : 2 : 3] dim = 1 : {tt}"), x[:, 0:3:2], [0])
        c.equal_sized(c.op(f"slice {t} [1 : 1 : 2] dim = 1 keep_dim = false : {tt}"), x[:, 1], [0])
        for i in 1, 8:
            at = c.number(i)
            c.equal_sized(c.op(f"slice {t} at {at} dim = 1 keep_dim = false : {tt}, tensor<i64>"), x[:, nearest(i, 3)], [0])
            if n:
                one = c.op(f"slice {t} at {at} dim = 0 keep_dim = true : {tt}, tensor<i64>")
                c.equal_sized(one, x[[nearest(i, n)]], varying[1:])
        if n >= 3:
            c.equal_sized(c.op(f"slice {t} [1 : 2 : 3] dim = 0 : {tt}"), x[1:3:2], varying[1:])
        u = c.op(f"unsqueeze {t} dim = 1 : {tt}")
        wide = [d + (d > 0) for d in varying]
        c.equal_sized(u, x[:, None], wide)
        c.equal_sized(c.op(f"squeeze {u} dim = 1 : {c.open([n, 1, 3], wide)}"), x, varying)
        c.equal_sized(c.op(f"transpose {t} dims = [1, 0] : {tt}"), x.T, [1 - d for d in varying])
        c.equal_sized(c.op(f"reshape {t} to (-1) : {tt}"), x.reshape(-1), [0])
        c.equal_sized(c.op(f"reshape {t} to (3, -1) : {tt}"), x.reshape(3, -1), [1])
        if n == 4:
            c.equal_sized(c.op(f"reshape {t} to (-1, 4) : {tt}"), x.reshape(-1, 4), [0])
            c.equal_sized(c.op(f"reshape {t} to (2, -1, 2) : {tt}"), x.reshape(2, -1, 2), [1])
        if len(varying) > 1:
            c.equal_sized(c.op(f"reshape {t} to (1, -1, 1, -1) : {tt}"), x.reshape(1, n, 1, 3), [1, 3])
    for c, n, x, varying, t, tt in cases(file, "arrays"):
        if len(varying) == 1:
            c.equal_list(c.op(f"slices {t} dim = 1 : {tt}"), list(x.T), 3, [n], [0])
        value = c.op(f"slices {t} dim = 0 max = 4 : {tt}")
        c.equal_list(value, list(x[:4]), 4, [3], [d - 1 for d in varying[1:]])
        if n % 2 == 0:
            value = c.op(f"chunks {t} n = 2 dim = 0 : {tt}")
            c.equal_list(value, np.split(x, 2), 2, [n // 2, 3], varying)
            text = f"!tarray.array<{c.open([n // 2, 3], varying)}, max = 2>"
            zero, zt = c.tensor(0)
            c.equal_sized(c.op(f"concatenate {value} dim = 0 padding {zero} : {text}, {zt}"), x, varying)
        value = c.op(f"chunks {t} n = 3 dim = 1 : {tt}")
        c.equal_list(value, np.split(x, 3, 1), 3, [n, 1], varying)


def loops(file, way):
    for c, n, x, varying, t, tt in cases(file, "loop", [way]):
        row = c.open([3], [0] if len(varying) > 1 else [])
        v = np.array([3, 1, 2])
        y, _ = c.sized(v, [0]) if len(varying) > 1 else c.tensor(v)
        add = [f"%s = stablehlo.add %f, %f : {row}", f"%r = stablehlo.add %s, %e : {row}"]
        states = [v]
        for line in x:
            states.append(2 * states[-1] + line)
        c.equal_sized(c.loop(f"fold (%e in {t} : {tt}, %f = {y} : {row})", add, f"%r : {row}"), states[-1], [0] if len(varying) > 1 else [])
        scan = c.loop(f"scan forward (%e in {t} : {tt}, %f = {y} : {row})", add, f"%r : {row}")
        c.equal_sized(scan, np.array(states[1:], np.int64).reshape(n, 3), varying)
        # The first number of a row decides.
        zero, one = c.f.literal(I64, [1], [0]), c.f.literal(I64, [1], [1])
        vector = "tensor<1xi64>"
        one_wide = tensor(F32, [1])
        key = [
            f"%k = stablehlo.real_dynamic_slice %e, {zero}, {one}, {one} : ({row}, {vector}, {vector}, {vector}) -> {one_wide}",
            f"%s = stablehlo.reshape %k : ({one_wide}) -> tensor<f32>",
        ]
        five = c.f.literal(F32, [], [5.0])
        test = key + [f"%r = stablehlo.compare GE, %s, {five} : (tensor<f32>, tensor<f32>) -> tensor<i1>"]
        kept = [line for line in x if line[0] >= 5]
        inner = [d - 1 for d in varying[1:]]
        for most in 8, 2:
            value = c.loop(f"filter max = {most} (%e in {t} : {tt})", test, "%r : tensor<i1>")
            c.equal_list(value, kept[:most], most, [3], inner)
        flip = key + ["%m = stablehlo.negate %s : tensor<f32>"]
        c.equal_sized(c.loop(f"sortby (%e in {t} : {tt})", flip, "%m : tensor<f32>"), x[::-1], varying)
        double = ["%r = stablehlo.multiply %e, %g : tensor<f32>"]
        c.equal_sized(c.loop(f"parallel_foreach (%e in {t} : {tt}, %g in {t} : {tt})", double, "%r : tensor<f32>"), x * x, varying)


def sizes():
    for of, name, *way in (access, "access"), (layouts, "layouts"), (loops, "loops", [0]), (loops, "loops_any", [0, 1]):
        of(File(f"tarray_sizes_{name}", covers=["tarray.gather"], interpreted=True), *way)
