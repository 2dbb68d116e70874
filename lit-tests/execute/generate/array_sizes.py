"""Tensor arrays: operations on Tensors of sizes that are known at run time only, with the values of those of static shape."""

import itertools

import numpy as np

from array_case import I32, I64, Case, nearest
from formats import F32, F64, I1
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
        # The definitions do not say what sizes elements have that are not there.
        if varying and not parts:
            return
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


def several(file):
    """Indices of several numbers, as vectors and as rows of matrices, of Tensors of all kinds of sizes."""
    for c, n, x, varying, t, tt in cases(file, "several", ([], [0], [0, 1])):
        for at in (0, 0), (2, 1), (9, 2):
            k, kt = c.tensor(at, I64)
            want = x[nearest(at[0], n), nearest(at[1], 3)] if n else 0
            c.equal(c.op(f"index {t} at {k} : {tt}, {kt}"), want)
        where = np.array([(0, 2), (7, 1), (1, -4), (1, 0)])
        near = [(nearest(i, n), nearest(j, 3)) for i, j in where]
        found = np.array([x[at] if n else 0 for at in near])
        for m, open_rows in itertools.product((0, 4), ([], [0])):
            k, kt = c.sized(where[:m], open_rows, I64)
            c.equal_sized(c.op(f"gather {t} at {k} : {tt}, {kt}"), found[:m], open_rows)
            c.equal(c.op(f"gather sum {t} at {k} : {tt}, {kt}"), found[:m].sum())
            u = np.arange(m) + 70
            updates, ut = c.sized(u, open_rows)
            added = x.copy()
            for (i, j), number in zip(where, u):
                if 0 <= i < n and 0 <= j < 3:
                    added[i, j] += number
            c.equal_sized(c.op(f"scatter sum {t}, {updates} at {k} : {tt}, {ut}, {kt}"), added, varying)
            first, ft = c.sized(where[:m, :1], open_rows, I64)
            rows = x[[i for i, _ in near]] if n else np.zeros([4, 3], np.int64)
            c.equal_sized(c.op(f"gather {t} at {first} : {tt}, {ft}"), rows[:m], open_rows + [d for d in varying if d])
        # The tuples of a product, of which the first runs fastest.
        if n > 1:
            a, at = c.shape([1, 0])
            b, bt = c.shape([0, 2])
            grid = c.op(f"cartesian_product {a}, {b} : {at}, {bt}")
            c.equal(c.op(f"gather {t} at {grid} : {tt}, tensor<4x2xi64>"), [x[1, 0], x[0, 0], x[1, 2], x[0, 2]])
        # Words of sentences, looked up in a table.
        words = [[np.int64(1), np.int64(9)], [], [np.int64(0)]]
        a, at = c.array(words, [], [4, 3], I64)
        value = c.op(f"embedding {a} in {t} dim = 0 : {at}, {tt}")
        leaf = c.open([3], [d - 1 for d in varying if d])
        for i, sentence in enumerate(words):
            k, kt = c.shape([i])
            lists = f"!tarray.array<{leaf}, max = 3>"
            one = c.op(f"index {value} at {k} : !tarray.array<{lists}, max = 4>, {kt}")
            rows = [x[nearest(w, n)] if n else np.zeros(3) for w in sentence]
            c.equal_list(one, rows, 3, [3], [d - 1 for d in varying if d])


def elements(file):
    """Arrays whose elements have a size that is known at run time only."""
    for n, count in itertools.product(SIZES, (0, 1, 3)):
        c = Sized(file, f"elements_{n}_{count}", F32)
        x = np.arange(3 * n * 2).reshape(3, n, 2)
        whole, wt = c.sized(x[:count], [0, 1])
        value = c.op(f"slices {whole} dim = 0 max = 4 : {wt}")
        parts, leaf = list(x[:count]), [n, 2]
        e = c.open(leaf, [0])
        a = f"!tarray.array<{e}, max = 4>"
        c.equal_list(value, parts, 4, leaf, [0])
        double = c.loop(f"parallel_foreach (%e in {value} : {a})", [f"%r = stablehlo.add %e, %e : {e}"], f"%r : {e}")
        c.equal_list(double, [2 * part for part in parts], 4, leaf, [0])
        turned = c.open([2, n], [1])
        flip = c.loop(f"parallel_foreach (%e in {value} : {a})", [f"%r = tarray.transpose %e dims = [1, 0] : {e}"], f"%r : {turned}")
        c.equal_list(flip, [part.T for part in parts], 4, [2, n], [1])
        lines = [f"%r = tarray.reshape %e to (-1) : {e}"]
        flat = c.loop(f"parallel_foreach (%e in {value} : {a})", lines, "%r : tensor<?xf32>")
        c.equal_list(flat, [part.reshape(-1) for part in parts], 4, [2 * n], [0])
        k, kt = c.tensor([1, 0, 8], I64)
        s, st = c.shape([1])
        if count:
            found = [parts[nearest(i, count)] for i in (1, 0, 8)]
            c.equal_list(c.op(f"gather {value} at {k} : {a}, {kt}"), found, 3, leaf, [0])
            c.equal_sized(c.op(f"index {value} at {s} : {a}, {st}"), found[0], [0])
        v = np.full(leaf, 5)
        init, _ = c.sized(v, [0])
        added = c.op(f"index_update add {value}, {init} at {s} : {a}, {e}, {st}")
        c.equal_list(added, [part + v * (i == 1) for i, part in enumerate(parts)], 4, leaf, [0])
        sums = [f"%r = stablehlo.add %e, %f : {e}"]
        fold = c.loop(f"fold (%e in {value} : {a}, %f = {init} : {e})", sums, f"%r : {e}")
        c.equal_sized(fold, v + x[:count].sum(0), [0])
        scan = c.loop(f"scan forward (%e in {value} : {a}, %f = {init} : {e})", sums, f"%r : {e}")
        c.equal_list(scan, list(v + np.cumsum(x[:count], 0)), 4, leaf, [0])
        yes, _ = c.tensor(1, I1)
        c.equal_list(c.loop(f"filter (%e in {value} : {a})", [], f"{yes} : tensor<i1>"), parts, 4, leaf, [0])
        zero = c.f.literal(F32, [], [0.0])
        total = [f"%s = stablehlo.reduce(%e init: {zero}) applies stablehlo.add across dimensions = [0, 1] : ({e}, tensor<f32>) -> tensor<f32>"]
        by = c.loop(f"sortby (%e in {value} : {a})", total + ["%k = stablehlo.negate %s : tensor<f32>"], "%k : tensor<f32>")
        c.equal_list(by, parts[::-1] if n else parts, 4, leaf, [0])
        c.equal_list(c.loop(f"parallel_foreach (%e in {value} : {a})", total, "%s : tensor<f32>"), [p.sum() for p in parts], 4, [], [])


def branches(file):
    """Arrays through control flow."""
    for one, two in itertools.product((0, 2, 4), (1, 3)):
        c = Case(file, f"branches_{one}_{two}", F32)
        parts = [list(np.arange(2 * k).reshape(k, 2) + k) for k in (one, two)]
        (a, t), (b, _) = (c.array(part, [2], [4]) for part in parts)
        nests = [[parts[0], []], [parts[1]]]
        (m, nt), (o, _) = (c.array(nest, [2], [3, 4]) for nest in nests)
        def chosen(head, ends, ty, tail):
            value = c.f.fresh()
            c.f.line(f"{value} = {head} ({{")
            for k, end in enumerate(ends):
                c.f.line(f"  stablehlo.return {end} : {ty}")
                c.f.line("}, {" if k + 1 < len(ends) else f"}}) : ({tail}) -> {ty}")
            return value
        for k in 0, 1:
            p, _ = c.tensor(k, I1)
            c.equal_array(chosen(f'"stablehlo.if"({p})', [b, a], t, "tensor<i1>"), parts[k], [2], [4])
            c.equal_array(chosen(f'"stablehlo.if"({p})', [o, m], nt, "tensor<i1>"), nests[k], [2], [3, 4])
            c.equal_array(c.f.op(f"stablehlo.select {p}, {b}, {a} : tensor<i1>, {t}"), parts[k], [2], [4])
            c.equal_array(c.f.op(f"stablehlo.select {p}, {o}, {m} : tensor<i1>, {nt}"), nests[k], [2], [3, 4])
            shapes = [c.shape(sizes)[0] for sizes in ([4, 5], [6, 7])]
            sizes = c.f.op(f"stablehlo.select {p}, {shapes[1]}, {shapes[0]} : tensor<i1>, !tarray.shape<2>")
            c.equal(c.op(f"numel {sizes} : !tarray.shape<2>"), [20, 42][k], I64)
            # As `scf.if` the same.
            holds = c.f.op(f"tensor.extract {p}[] : tensor<i1>")
            value = c.f.fresh()
            c.f.line(f"{value} = scf.if {holds} -> ({nt}) {{")
            c.f.line(f"  scf.yield {o} : {nt}")
            c.f.line("} else {")
            c.f.line(f"  scf.yield {m} : {nt}")
            c.f.line("}")
            c.equal_array(value, nests[k], [2], [3, 4])
            i, _ = c.tensor(k, I32)
            c.equal_array(chosen(f'"stablehlo.case"({i})', [a, b], t, "tensor<i32>"), parts[k], [2], [4])
        # Twice as much in each round, and without the elements that are great.
        for rounds in 0, 3:
            n, start, step = c.number(rounds), c.number(0), c.number(1)
            limit, _ = c.tensor(20)
            i, value = c.f.fresh(), c.f.fresh()
            c.f.line(f'{i}, {value} = "stablehlo.while"({start}, {a}) ({{')
            c.f.line(f"^bb0(%i: tensor<i64>, %a: {t}):")
            c.f.line(f"  %l = stablehlo.compare LT, %i, {n} : (tensor<i64>, tensor<i64>) -> tensor<i1>")
            c.f.line("  stablehlo.return %l : tensor<i1>")
            c.f.line("}, {")
            c.f.line(f"^bb0(%i: tensor<i64>, %a: {t}):")
            c.f.line(f"  %j = stablehlo.add %i, {step} : tensor<i64>")
            c.f.line(f"  %b = tarray.parallel_foreach (%e in %a : {t}) {{")
            c.f.line("    %s = stablehlo.add %e, %e : tensor<2xf32>")
            c.f.line("    tarray.yield %s : tensor<2xf32>")
            c.f.line("  }")
            c.f.line(f"  %c = tarray.filter (%e in %b : {t}) {{")
            c.f.line("    %k = stablehlo.slice %e [0:1] : (tensor<2xf32>) -> tensor<1xf32>")
            c.f.line("    %x = stablehlo.reshape %k : (tensor<1xf32>) -> tensor<f32>")
            c.f.line(f"    %s = stablehlo.compare LT, %x, {limit} : (tensor<f32>, tensor<f32>) -> tensor<i1>")
            c.f.line("    tarray.yield %s : tensor<i1>")
            c.f.line("  }")
            c.f.line(f"  stablehlo.return %j, %c : tensor<i64>, {t}")
            c.f.line(f"}}) : (tensor<i64>, {t}) -> (tensor<i64>, {t})")
            want = parts[0]
            for _ in range(rounds):
                want = [2 * x for x in want if 2 * x[0] < 20]
            c.equal_array(value, want, [2], [4])
            c.equal(i, rounds, I64)


SENTENCE = """func.func private @sentence(%x: tensor<?x3xf32>, %w: tensor<3x2xf32>, %l: {list}, %n: tensor<f32>) -> (tensor<?x2xf32>, tensor<2xf32>, {list}) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %y = stablehlo.dot_general %s, %p, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %z = tarray.parallel_foreach (%a in %y : tensor<?x2xf32>, %b in %p : tensor<?x2xf32>) {{
    %0 = stablehlo.subtract %a, %b : tensor<f32>
    tarray.yield %0 : tensor<f32>
  }}
  %t = stablehlo.reduce(%z init: %n) applies stablehlo.add across dimensions = [0] : (tensor<?x2xf32>, tensor<f32>) -> tensor<2xf32>
  %m = tarray.parallel_foreach (%e in %l : {list}) {{
    %0 = stablehlo.add %e, %t : tensor<2xf32>
    tarray.yield %0 : tensor<2xf32>
  }}
  return %z, %t, %m : tensor<?x2xf32>, tensor<2xf32>, {list}
}}"""


def shared(file):
    """Functions of elements with what all of them share, and of lists as matrices."""
    file.extra.append(SENTENCE.format(list="!tarray.array<tensor<2xf32>, max = 2>"))
    for lengths in [], [1], [0, 3, 0], [2, 1, 4]:
        c = Sized(file, f"shared_{len(lengths)}_{sum(lengths)}", F32)
        rng = np.random.default_rng(len(lengths))
        sentences = [list(rng.integers(-2, 3, [n, 3])) for n in lengths]
        w, extra, number = rng.integers(-2, 3, [3, 2]), list(rng.integers(-9, 9, [2, 2])), np.array(5)
        (x, xt), (v, vt), (n, nt), (l, lt) = c.array(sentences, [3], [4, 5]), c.tensor(w), c.tensor(number), c.array(extra, [2], [2])
        results = c.type([2], [4, 5]), c.type([2], [4]), c.type([2], [4, 2])
        y, t, m = (c.f.fresh() for _ in range(3))
        c.f.line(f"{y}, {t}, {m} = tarray.vectorize @sentence({x}, {v}, {l}, {n}) : {xt}, {vt}, {lt}, {nt} -> {', '.join(results)}")
        want = []
        for sentence in sentences:
            matrix = np.array(sentence, np.int64).reshape(-1, 3)
            want.append(matrix @ matrix.T @ (matrix @ w) - matrix @ w)
        totals = [z.sum(0) + number for z in want]
        c.equal_array(y, [list(z) for z in want], [2], [4, 5])
        c.equal_array(t, totals, [2], [4])
        c.equal_array(m, [[e + total for e in extra] for total in totals], [2], [4, 2])


ATTENTION = """
%y1 = stablehlo.dot_general {w}, {x}, contracting_dims = [1] x [0] : (tensor<8x8xf64>, tensor<8x?xf64>) -> tensor<8x?xf64>
%y4 = tarray.reshape %y1 to (4, 2, -1) : tensor<8x?xf64>
%q = tarray.slices %y4 dim = 0 : tensor<4x2x?xf64>
%y8 = tarray.parallel_foreach (%a in %q : HEADS, %b in %q : HEADS) {{
  %t = tarray.transpose %a dims = [1, 0] : tensor<2x?xf64>
  %v = stablehlo.dot_general %t, %b, contracting_dims = [1] x [0] : (tensor<?x2xf64>, tensor<2x?xf64>) -> tensor<?x?xf64>
  tarray.yield %v : tensor<?x?xf64>
}}
%y9 = tarray.stack %y8 dim = 0 padding {zero} : SCORES, tensor<f64>
%y10 = tarray.apply_along_axis dim = 1 (%line in %y9 : tensor<4x?x?xf64>) {{
  %m = tarray.reduce (%e in %line : tensor<?xf64>, %a = {least} : tensor<f64>) {{
    %v = stablehlo.maximum %e, %a : tensor<f64>
    tarray.yield %v : tensor<f64>
  }}
  %d = tarray.broadcast (%e in %line : tensor<?xf64>, %a = %m : tensor<f64>) {{
    %v = stablehlo.subtract %e, %a : tensor<f64>
    %u = stablehlo.exponential %v : tensor<f64>
    tarray.yield %u : tensor<f64>
  }}
  %s = tarray.reduce (%e in %d : tensor<?xf64>, %a = {zero} : tensor<f64>) {{
    %v = stablehlo.add %e, %a : tensor<f64>
    tarray.yield %v : tensor<f64>
  }}
  %r = tarray.broadcast (%e in %d : tensor<?xf64>, %a = %s : tensor<f64>) {{
    %v = stablehlo.divide %e, %a : tensor<f64>
    tarray.yield %v : tensor<f64>
  }}
  tarray.yield %r : tensor<?xf64>
}}
%y11 = tarray.slices %y10 dim = 0 : tensor<4x?x?xf64>
%y12 = tarray.parallel_foreach (%a in %q : HEADS, %b in %y11 : SCORES) {{
  %v = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x?xf64>, tensor<?x?xf64>) -> tensor<2x?xf64>
  tarray.yield %v : tensor<2x?xf64>
}}
%y14 = tarray.stack %y12 dim = 0 padding {zero} : HEADS, tensor<f64>
%y15 = tarray.reshape %y14 to (8, -1) : tensor<4x2x?xf64>
""".replace("HEADS", "!tarray.array<tensor<2x?xf64>, max = 4>").replace("SCORES", "!tarray.array<tensor<?x?xf64>, max = 4>")


def attention(file):
    """Self-attention, in parallel over heads, of any number of columns."""
    for n in 1, 2, 5, 8:
        c = Sized(file, f"attention_{n}", F64)
        rng = np.random.default_rng(n)
        x, w = rng.integers(-3, 4, [8, n]), rng.integers(-1, 2, [8, 8])
        value, _ = c.sized(x, [1])
        names = {"x": value, "w": c.tensor(w)[0], "zero": c.tensor(0)[0], "least": c.f.literal(F64, [], [-1e300])}
        for line in ATTENTION.strip().format(**names).splitlines():
            c.f.line(line)
        heads = (w @ x).reshape(4, 2, n).astype(np.float64)
        scores = np.einsum("hdi,hdj->hij", heads, heads)
        powers = np.exp(scores - scores.max(1, keepdims=True))
        want = np.einsum("hdi,hij->hdj", heads, powers / powers.sum(1, keepdims=True)).reshape(8, n)
        shape = c.f.constant(I64, [2], [8, n])
        fixed = c.f.op(f"stablehlo.dynamic_reshape %y15, {shape} : (tensor<8x?xf64>, tensor<2xi64>) -> {tensor(F64, [8, n])}")
        c.f.almost(fixed, F64, [8, n], want.flatten().tolist(), 1e-9)


def sizes():
    branches(File("tarray_branches", covers=["tarray.filter"], interpreted=True))
    shared(File("tarray_vectorize", covers=["tarray.vectorize"], interpreted=True))
    for of, name, *way in (access, "access"), (layouts, "layouts"), (loops, "loops", [0]), (loops, "loops_any", [0, 1]), (several, "several"), (elements, "elements"), (attention, "attention"):
        of(File(f"tarray_sizes_{name}", covers=["tarray.gather"], interpreted=True), *way)
