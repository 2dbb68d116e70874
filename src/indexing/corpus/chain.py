"""A chain of StableHLO operations, read from the last result back to the first operand: every step substitutes its definition
in the specification for the index, and nothing is simplified. What comes out is the text of an indexing map."""


def strides(shape):
    out, n = [], 1
    for size in reversed(shape):
        out.append(n)
        n *= size
    return out[::-1]


def bracket(e):
    return e if e.isidentifier() or e.isdigit() else f"({e})"


def linear(index, shape):
    """The place of an index in row-major order."""
    terms = [bracket(e) if s == 1 else f"{bracket(e)} * {s}" for e, s in zip(index, strides(shape))]
    return " + ".join(terms) or "0"


def delinear(e, shape):
    """The index at a place in row-major order."""
    out = []
    for i, (size, stride) in enumerate(zip(shape, strides(shape))):
        part = f"{bracket(e)} floordiv {stride}" if stride > 1 else e
        out.append(f"{bracket(part)} mod {size}" if i else part)
    return out


class Chain:
    """`index` says which element of a tensor of `shape` is meant, by the variables of the map."""

    def __init__(self, shape):
        self.sizes = list(shape)
        self.shape = list(shape)
        self.index = [f"d{i}" for i in range(len(shape))]
        self.ranges = []
        self.runtime = []
        self.constraints = []

    def _range(self, size):
        self.ranges.append((0, size - 1))
        return f"s{len(self.ranges) - 1}"

    def _runtime(self, low, high):
        self.runtime.append((low, high))
        return f"rt{len(self.runtime) - 1}"

    def _within(self, e, low, high):
        self.constraints.append(f"{e} in [{low}, {high}]")

    # Layout

    def reshape(self, shape):
        """result[i] = operand[j] where i and j have the same place in row-major order."""
        place = linear(self.index, self.shape)
        self.index, self.shape = delinear(place, shape), list(shape)
        return self

    def transpose(self, permutation):
        """result[i] = operand[j] where i[d] = j[permutation[d]]; the shape of the operand follows."""
        index, shape = list(self.index), list(self.shape)
        for d, p in enumerate(permutation):
            index[p], shape[p] = self.index[d], self.shape[d]
        self.index, self.shape = index, shape
        return self

    def reverse(self, dimensions):
        """result[i] = operand[j] where j[d] = size - i[d] - 1 in these dimensions."""
        for d in dimensions:
            self.index[d] = f"{self.shape[d]} - {bracket(self.index[d])} - 1"
        return self

    def broadcast(self, operand, dimensions):
        """j[d] = 0 where the operand has one element, else i[dimensions[d]]."""
        self.index = ["0" if n == 1 else self.index[d] for n, d in zip(operand, dimensions)]
        self.shape = list(operand)
        return self

    def _append(self, size):
        self.index.append(self._range(size))
        self.shape.append(size)
        return self

    def bitcast_wider(self, ratio):
        """bitcast_convert to a wider element: the operand has one dimension more, and all of it is read."""
        return self._append(ratio)

    def bitcast_narrower(self):
        """bitcast_convert to a narrower element: the last dimension of the result is a part of one element."""
        self.index.pop(), self.shape.pop()
        return self

    # Parts

    def slice(self, operand, start, step):
        """j = start + i * step."""
        self.index = [f"{a} + {bracket(e)} * {k}" for e, a, k in zip(self.index, start, step)]
        self.shape = list(operand)
        return self

    def unslice(self, result, start, limit, step):
        """From the operand to the result: i = (j - start) / step, where that is one."""
        for d, (a, l, k) in enumerate(zip(start, limit, step)):
            e = bracket(self.index[d])
            self._within(f"{e} - {a}", 0, l - a - 1)
            if k > 1:
                self._within(f"({e} - {a}) mod {k}", 0, 0)
            self.index[d] = f"({e} - {a}) floordiv {k}"
        self.shape = list(result)
        return self

    def pad(self, operand, low, interior):
        """i = low + j * (interior + 1), where that is an element of the operand."""
        for d, (n, a, k) in enumerate(zip(operand, low, interior)):
            if a == 0 and k == 0 and self.shape[d] == n:
                continue
            e = f"{bracket(self.index[d])} - {a}"
            if k:
                self._within(f"({e}) mod {k + 1}", 0, 0)
            e = f"({e}) floordiv {k + 1}"
            self._within(e, 0, n - 1)
            self.index[d] = e
        self.shape = list(operand)
        return self

    def unpad(self, result, low, interior):
        """From the operand to the result."""
        self.index = [f"{a} + {bracket(e)} * ({k} + 1)" for e, a, k in zip(self.index, low, interior)]
        for e, n in zip(self.index, result):
            self._within(e, 0, n - 1)
        self.shape = list(result)
        return self

    def concatenate(self, sizes, which, dimension):
        """The operand `which` of operands of these sizes."""
        first = sum(sizes[:which])
        e = bracket(self.index[dimension])
        self._within(e, first, first + sizes[which] - 1)
        self.index[dimension] = f"{e} - {first}"
        self.shape[dimension] = sizes[which]
        return self

    def dynamic_slice(self, operand):
        """The start is clamped so that the slice lies inside."""
        for d, (n, m) in enumerate(zip(operand, self.shape)):
            self.index[d] = f"{self._runtime(0, n - m)} + {bracket(self.index[d])}"
        self.shape = list(operand)
        return self

    def dynamic_update(self, update):
        """The update of a dynamic_update_slice."""
        for d, (n, m) in enumerate(zip(self.shape, update)):
            e = f"{bracket(self.index[d])} - {self._runtime(0, n - m)}"
            self._within(e, 0, m - 1)
            self.index[d] = e
        self.shape = list(update)
        return self

    # Reductions and windows

    def reduce(self, operand, dimensions):
        index = iter(self.index)
        self.index = [self._range(n) if d in dimensions else next(index) for d, n in enumerate(operand)]
        self.shape = list(operand)
        return self

    def whole(self, dimension):
        """All of one dimension is read: sort, fft, a triangular solve."""
        self.index[dimension] = self._range(self.shape[dimension])
        return self

    def window(self, operand, window, stride, base=None, dilation=None, low=None, reverse=None):
        """reduce_window, and what a convolution does with its spatial dimensions: o * stride + w * dilation - low is a place of
        the operand when `base - 1` elements are put between its elements."""
        one, zero = [1] * len(operand), [0] * len(operand)
        for d, (n, w, k, b, wd, a, turned) in enumerate(
            zip(operand, window, stride, base or one, dilation or one, low or zero, reverse or zero)
        ):
            if (w, k, b, a) == (1, 1, 1, 0):
                continue
            s = self._range(w) if w > 1 else "0"
            if turned:
                s = f"{w} - {s} - 1"
            e = f"{bracket(self.index[d])} * {k} + {bracket(s)} * {wd} - {a}"
            if b > 1:
                self._within(f"({e}) mod {b}", 0, 0)
                e = f"({e}) floordiv {b}"
            self._within(e, 0, n - 1)
            self.index[d] = e
        self.shape = list(operand)
        return self

    def unwindow(self, result, window, stride, dilation=None, low=None):
        """From the operand of a window to the result: i = (j + low - w * dilation) / stride, where that is one."""
        one, zero = [1] * len(result), [0] * len(result)
        for d, (n, w, k, wd, a) in enumerate(zip(result, window, stride, dilation or one, low or zero)):
            if (w, k, a) == (1, 1, 0):
                continue
            s = self._range(w) if w > 1 else "0"
            e = f"{bracket(self.index[d])} + {a} - {s} * {wd}"
            if k > 1:
                self._within(f"({e}) mod {k}", 0, 0)
            self._within(f"({e}) floordiv {k}", 0, n - 1)
            self.index[d] = f"({e}) floordiv {k}"
        self.shape = list(result)
        return self

    # Anything else

    def take(self, index, shape):
        """Index expressions in which `{0}`, `{1}`, … are those so far."""
        self.index = [e.format(*map(bracket, self.index)) for e in index]
        self.shape = list(shape)
        return self

    def constrain(self, e, low, high):
        self._within(e.format(*map(bracket, self.index)), low, high)
        return self

    def text(self):
        names = lambda letter, n: ", ".join(f"{letter}{i}" for i in range(n))
        head = f"({names('d', len(self.sizes))})"
        if self.ranges:
            head += f"[{names('s', len(self.ranges))}]"
        if self.runtime:
            head += "{" + names("rt", len(self.runtime)) + "}"
        domain = [f"d{i} in [0, {n - 1}]" for i, n in enumerate(self.sizes)]
        domain += [f"s{i} in [{a}, {b}]" for i, (a, b) in enumerate(self.ranges)]
        domain += [f"rt{i} in [{a}, {b}]" for i, (a, b) in enumerate(self.runtime)]
        domain += self.constraints
        return f"{head} -> ({', '.join(self.index)})" + (f", domain: {', '.join(domain)}" if domain else "")
