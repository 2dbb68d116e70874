"""Writes maps to compare simplifiers on: random operations of the table in the specification of indexing maps, two to five of
them composed by substitution, nothing simplified.

    python3 corpus.py [--maps N] [--seed S] > corpus.jsonl

One line per map: {"name", "map"}. The same seed gives the same lines.
"""

import argparse
import json
import random


def strides(shape):
    out, n = [], 1
    for size in reversed(shape):
        out.append(n)
        n *= size
    return out[::-1]


def linear(index, shape):
    return " + ".join(f"({e}) * {s}" for e, s in zip(index, strides(shape))) or "0"


def delinear(e, shape):
    parts = []
    for i, (size, stride) in enumerate(zip(shape, strides(shape))):
        part = f"({e}) floordiv {stride}" if stride > 1 else f"({e})"
        parts.append(f"({part}) mod {size}" if i else part)
    return parts


def factorised(r, n, most):
    shape = [n]
    while len(shape) < most and r.random() < 0.7:
        i = r.randrange(len(shape))
        divisors = [k for k in range(2, shape[i]) if shape[i] % k == 0]
        if divisors:
            k = r.choice(divisors)
            shape[i : i + 1] = [k, shape[i] // k]
    return shape


def product(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def step(r, index, shape, constraints):
    """From an index of the result of an operation to one of its operand: the new index and the operand's shape."""
    kind = r.choice(["reshape", "reshape", "transpose", "reverse", "slice", "pad", "tile", "concatenate", "broadcast", "window"])
    if kind == "reshape":
        new = factorised(r, product(shape), 5)
        return delinear(linear(index, shape), new), new
    if kind == "transpose":
        order = list(range(len(shape)))
        r.shuffle(order)
        return [index[o] for o in order], [shape[o] for o in order]
    i = r.randrange(len(shape))
    e, size = index[i], shape[i]
    index, shape = list(index), list(shape)
    if kind == "reverse":
        index[i] = f"{size - 1} - ({e})"
    elif kind == "slice":
        first, stride = r.randrange(4), r.randrange(1, 4)
        index[i], shape[i] = f"({e}) * {stride} + {first}", first + (size - 1) * stride + 1
    elif kind == "pad" and size > 4:
        low, inner = r.randrange(1, 3), r.choice([1, 1, 2])
        new = (size - low - 1) // inner + 1
        constraints.append(f"({e}) - {low} in [0, {(new - 1) * inner}]")
        if inner > 1:
            constraints.append(f"(({e}) - {low}) mod {inner} in [0, 0]")
        index[i], shape[i] = f"(({e}) - {low}) floordiv {inner}", new
    elif kind == "tile":
        n = r.choice([2, 4, 8, 16])
        index[i] = f"(({e}) floordiv {n}) * {n} + ({e}) mod {n}"
    elif kind == "concatenate" and size > 4:
        cut = r.randrange(1, size - 1)
        constraints.append(f"{e} in [{cut}, {size - 1}]")
        index[i], shape[i] = f"({e}) - {cut}", size - cut
    elif kind == "broadcast" and len(shape) > 1:
        del index[i], shape[i]
    elif kind == "window":
        index[i], shape[i] = f"({e}) * 2 + 1", size * 2 + 1
    return index, shape


def one(r):
    shape = [r.choice([2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 24, 32]) for _ in range(r.randrange(1, 4))]
    index, operand, constraints = [f"d{i}" for i in range(len(shape))], list(shape), []
    for _ in range(r.randrange(2, 6)):
        index, operand = step(r, index, operand, constraints)
    if sum(map(len, index)) > 4000:
        return one(r)
    dims = ", ".join(f"d{i}" for i in range(len(shape)))
    domain = [f"d{i} in [0, {n - 1}]" for i, n in enumerate(shape)] + constraints
    return f"({dims}) -> ({', '.join(index)}), domain: {', '.join(domain)}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--maps", type=int, default=360)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    r = random.Random(options.seed)
    for i in range(options.maps):
        print(json.dumps({"name": f"table_{i:03}", "map": one(r)}))


if __name__ == "__main__":
    main()
