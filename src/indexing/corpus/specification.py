"""Writes maps that follow from the StableHLO specification's definitions: single operations, and the chains of them that programs
are made of. Nothing is simplified.

    python3 specification.py > NEW.jsonl

One line per map: {"family", "name", "map"}.
"""

import json

from chain import Chain

FAMILIES = {}


def family(f):
    FAMILIES[f.__name__] = f
    return f


@family
def broadcast():
    yield Chain([10, 20, 30]).broadcast([20], [1])
    yield Chain([10, 20, 30]).broadcast([], [])
    yield Chain([10, 20]).broadcast([1, 20], [0, 1])
    yield Chain([4, 7, 5]).broadcast([7, 1], [1, 2])
    yield Chain([8, 8]).broadcast([8], [0]).broadcast([1], [0])
    # Broadcast after a reduction kept its dimension, as a normalisation does it.
    yield Chain([32, 100]).broadcast([32], [0]).reduce([32, 100], [1])
    yield Chain([2, 65, 125]).broadcast([2, 65], [0, 1]).reduce([2, 65, 125], [2])
    yield Chain([12, 16]).reshape([12, 4, 4]).broadcast([12, 4], [0, 1]).reshape([48])
    yield Chain([3, 4, 5]).broadcast([5, 3], [2, 0]).reshape([15])
    yield "(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], s0 in [0, 9], s1 in [0, 29]"


@family
def transpose():
    yield Chain([3, 128, 6, 12]).transpose([0, 2, 3, 1])
    yield Chain([5, 7]).transpose([1, 0]).transpose([1, 0])
    yield Chain([2, 3, 4, 5]).transpose([3, 1, 0, 2]).transpose([2, 1, 3, 0])
    yield Chain([2, 3, 4]).transpose([1, 2, 0]).transpose([1, 2, 0]).transpose([1, 2, 0])
    yield Chain([6, 10]).transpose([1, 0]).reshape([60])
    yield Chain([60]).reshape([6, 10]).transpose([1, 0]).reshape([60])
    yield Chain([60]).reshape([6, 10]).transpose([1, 0]).reshape([60]).reshape([10, 6]).transpose([1, 0]).reshape([60])
    yield Chain([24, 8]).reshape([4, 6, 8]).transpose([1, 0, 2]).reshape([24, 8])
    yield Chain([16, 16]).reshape([4, 4, 4, 4]).transpose([0, 2, 1, 3]).transpose([0, 2, 1, 3]).reshape([16, 16])


@family
def reshape():
    pairs = [
        ([32], [4, 8]), ([4, 8], [32]), ([2, 4, 4], [4, 8]), ([4, 8], [2, 4, 4]), ([32, 3, 4], [4, 8, 12]),
        ([4, 8, 12], [32, 3, 4]), ([6, 10], [10, 6]), ([6, 10], [4, 15]), ([9, 8], [12, 6]), ([5, 7, 11], [11, 35]),
        ([2, 3, 5, 7], [14, 15]), ([1, 24, 1], [24]), ([24], [2, 1, 12]), ([7, 1, 9], [9, 7]), ([30, 30], [25, 36]),
        ([128, 3], [6, 64]), ([49, 64], [56, 56]), ([2, 2, 2, 2, 2, 2], [4, 16]), ([64], [2, 2, 2, 2, 2, 2]),
    ]  # fmt: skip
    for result, operand in pairs:
        yield Chain(result).reshape(operand)
    # There and back, by one and by two ways around.
    for result, way in [
        ([10, 10, 10], [[50, 20]]), ([12, 15], [[9, 20]]), ([8, 27], [[6, 36]]), ([4, 9, 25], [[30, 30], [6, 150]]),
        ([7, 12], [[4, 21], [14, 6]]), ([64, 5], [[10, 32], [320], [2, 160]]), ([3, 4, 5, 6], [[5, 72], [8, 9, 5]]),
        ([16, 81], [[24, 54], [36, 36]]), ([100], [[4, 25], [10, 10]]), ([2, 3, 5, 7, 2], [[10, 42], [6, 70], [14, 30]]),
    ]:  # fmt: skip
        chain = Chain(result)
        for shape in way:
            chain.reshape(shape)
        yield chain.reshape(result)
    for result, way in [
        ([10, 12], [[8, 15], [6, 20]]), ([12, 12], [[9, 16], [144]]), ([5, 24], [[120], [8, 15]]), ([42, 4], [[7, 24], [28, 6]]),
        ([13, 4, 9], [[39, 12], [26, 18]]), ([36, 4], [[48, 3], [2, 72]]),
    ]:  # fmt: skip
        chain = Chain(result)
        for shape in way:
            chain.reshape(shape)
        yield chain


@family
def reverse():
    yield Chain([1, 17, 9, 9]).reverse([1, 2])
    yield Chain([12]).reverse([0]).reverse([0])
    yield Chain([12, 5]).reverse([0]).reverse([1]).reverse([0, 1])
    yield Chain([24]).reverse([0]).reshape([4, 6])
    yield Chain([4, 6]).reverse([0, 1]).reshape([24])
    yield Chain([4, 6]).reshape([24]).reverse([0]).reshape([4, 6])
    yield Chain([24]).reshape([4, 6]).reverse([0, 1]).reshape([24])
    yield Chain([24]).reshape([4, 6]).reverse([1]).reshape([24])
    yield Chain([24]).reverse([0]).reshape([2, 12]).reverse([0, 1]).reshape([24])
    yield Chain([30]).reverse([0]).reshape([5, 6]).reverse([0])
    yield Chain([8, 3]).reverse([0]).transpose([1, 0]).reverse([0]).reshape([24])
    yield Chain([36]).reshape([6, 6]).transpose([1, 0]).reverse([1]).reshape([36])


@family
def slice():
    yield Chain([5, 3, 25]).slice([10, 20, 50], [5, 3, 0], [1, 7, 2])
    yield Chain([10, 20, 50]).unslice([5, 3, 25], [5, 3, 0], [10, 20, 50], [1, 7, 2])
    yield Chain([4]).slice([16], [1], [4])
    yield Chain([4]).slice([10], [2], [2]).slice([25], [3], [2])
    yield Chain([16]).unslice([4], [1], [16], [4])
    yield Chain([25]).unslice([10], [3], [23], [2]).unslice([4], [2], [10], [2])
    yield Chain([4]).slice([16], [1], [4]).unslice([4], [1], [16], [4])
    yield Chain([3, 4]).slice([3, 8], [0, 4], [1, 1]).reshape([24])
    yield Chain([24]).reshape([3, 8]).slice([3, 16], [0, 0], [1, 2]).reshape([48])
    yield Chain([12]).slice([24], [1], [2]).reshape([12, 2])
    yield Chain([12]).slice([24], [0], [2]).reshape([12, 2])
    yield Chain([6, 5]).slice([12, 5], [1, 0], [2, 1]).reshape([60]).reshape([6, 10])
    yield Chain([8]).slice([32], [3], [4]).reshape([8, 4]).transpose([1, 0])
    yield Chain([7]).slice([50], [5], [7]).reshape([10, 5])
    yield Chain([60]).unslice([20], [2], [60], [3]).reshape([4, 5])
    yield Chain([5, 12]).reshape([60]).unslice([5], [0], [60], [12])
    yield Chain([5, 12]).reshape([60]).unslice([15], [3], [60], [4])


@family
def pad():
    yield Chain([14]).pad([10], [2], [0])
    yield Chain([10]).unpad([14], [2], [0])
    yield Chain([18]).pad([6], [2], [2])
    yield Chain([6]).unpad([18], [2], [2])
    yield Chain([6]).pad([10], [-2], [0])
    yield Chain([12, 9]).pad([10, 4], [1, 1], [0, 1])
    yield Chain([9]).pad([5], [0], [1]).pad([9], [-2], [0])
    yield Chain([13]).pad([11], [1], [0]).pad([6], [0], [1])
    yield Chain([25]).pad([9], [0], [2]).reshape([3, 3])
    yield Chain([4, 12]).pad([4, 10], [0, 1], [0, 0]).reshape([40])
    yield Chain([48]).reshape([4, 12]).pad([4, 10], [0, 1], [0, 0]).reshape([40])
    yield Chain([12]).slice([16], [2], [1]).pad([12], [2], [0])
    yield Chain([12]).slice([26], [2], [2]).pad([13], [0], [1])
    yield Chain([12]).slice([26], [1], [2]).pad([13], [0], [1])
    yield Chain([20]).pad([7], [0], [2]).reverse([0])
    yield Chain([7]).unpad([21], [1], [2]).unslice([7], [1], [21], [3])
    yield Chain([30, 4]).pad([10, 4], [0, 0], [2, 0]).transpose([1, 0]).reshape([40])
    yield Chain([15]).pad([8], [-1], [1])


@family
def concatenate():
    for which in range(2):
        yield Chain([3, 80]).concatenate([50, 30], which, 1)
    for which in range(3):
        yield Chain([24]).reshape([2, 12]).concatenate([3, 4, 5], which, 1)
    for which in range(2):
        # A rotation: the second part, then the first.
        sizes, starts = [7, 5], [5, 0]
        yield Chain([12]).concatenate(sizes, which, 0).slice([12], [starts[which]], [1])
    for which in range(2):
        yield Chain([4, 8]).concatenate([4, 4], which, 1).slice([4, 8], [0, 4 * (1 - which)], [1, 1]).reshape([32])
    for which in range(2):
        yield Chain([6, 6]).concatenate([2, 4], which, 0).reverse([0]).transpose([1, 0])
    # Rows put side by side and read as one.
    for which in range(3):
        yield Chain([36]).reshape([12, 3]).concatenate([1, 1, 1], which, 1).reshape([12])
    yield Chain([64]).concatenate([16] * 4, 2, 0).reshape([4, 4]).transpose([1, 0])
    # Even and odd elements of a scan, put together by padding.
    yield Chain([16]).pad([8], [0], [1]).concatenate([1, 7], 1, 0).slice([16], [1], [2])
    yield Chain([16]).pad([8], [1], [1]).slice([15], [0], [2])


@family
def reduce():
    yield Chain([10]).reduce([256, 10], [0])
    yield Chain([]).reduce([6, 7, 8], [0, 1, 2])
    yield Chain([4, 5]).reduce([4, 9, 5], [1])
    yield Chain([12]).reduce([12, 16], [1]).reshape([192])
    yield Chain([3, 4]).reshape([12]).reduce([12, 16], [1]).reshape([3, 4, 4, 4])
    yield Chain([8]).reduce([8, 4, 4], [1, 2]).reshape([8, 16])
    yield Chain([8]).reduce([8, 4, 4], [1, 2]).reshape([128]).reshape([16, 8])
    yield Chain([5]).reduce([6, 5], [0]).transpose([1, 0]).reshape([30])
    yield Chain([2, 3]).reduce([2, 5, 3], [1]).reverse([1])
    yield Chain([]).reduce([24], [0]).reshape([2, 12]).transpose([1, 0])
    yield Chain([7]).reduce([7, 10], [1]).slice([7, 20], [0, 1], [1, 2])
    yield "(d0, d1) -> (d1), domain: d0 in [0, 255], d1 in [0, 9]"
    yield "()[s0] -> (s0), domain: s0 in [0, 9]"
    yield "(d0, d1, d2)[s0] -> (d0, d2 + s0 * 0), domain: d0 in [0, 3], d1 in [0, 8], d2 in [0, 4], s0 in [0, 0]"


@family
def reduce_window():
    yield Chain([5, 5]).window([10, 10], [2, 2], [2, 2])
    yield Chain([5, 5]).window([10, 10], [3, 3], [2, 2], low=[1, 1])
    yield Chain([8, 8]).window([8, 8], [3, 3], [1, 1], low=[1, 1])
    yield Chain([3, 6]).window([4, 7], [3, 2], [4, 1], base=[2, 1], dilation=[3, 1], low=[2, 0])
    yield Chain([1, 112, 112, 1]).window([1, 224, 224, 1], [1, 3, 3, 1], [1, 2, 2, 1], low=[0, 1, 1, 0])
    yield Chain([16]).window([16], [16], [1], low=[15])
    yield Chain([9]).window([5], [1], [1], base=[2])
    yield Chain([17]).window([5], [1], [1], base=[4])
    yield Chain([10]).window([6], [2], [1], base=[2], low=[1])
    yield Chain([4]).window([20], [3], [4], dilation=[3], low=[0])
    yield Chain([5]).window([12], [2], [3], dilation=[2], low=[1])
    yield Chain([10, 10]).unwindow([5, 5], [2, 2], [2, 2])
    yield Chain([10]).unwindow([5], [3], [2], low=[1])
    yield Chain([16]).unwindow([16], [16], [1], low=[15])
    yield Chain([12]).unwindow([4], [3], [3])
    # A window that does not overlap is a reshape and a reduction.
    yield Chain([6]).window([24], [4], [4]).reshape([6, 4])
    yield Chain([4, 4]).window([16, 16], [4, 4], [4, 4]).reshape([4, 4, 16, 4])
    yield Chain([3, 3]).window([9, 9], [3, 3], [3, 3]).reshape([81])
    yield Chain([8]).window([8], [3], [1], low=[1]).reverse([0])
    yield Chain([8]).window([12], [5], [1]).pad([8], [2], [0])


@family
def select_and_scatter():
    # Every element of the source goes to one of its window of the operand; from the operand, the windows that hold it.
    yield Chain([5, 5]).window([10, 10], [2, 2], [2, 2])
    yield Chain([11]).unwindow([5], [3], [2])
    yield Chain([10, 10]).unwindow([5, 5], [3, 3], [2, 2], low=[1, 1])
    yield Chain([12]).unwindow([4], [5], [3], low=[2])
    yield Chain([8, 9]).unwindow([4, 3], [2, 3], [2, 3])


@family
def convolution():
    # lhs and rhs of batch, space, feature times space, input feature, output feature.
    def lhs(n, space, f, g, window, stride, operand, c, **more):
        chain = Chain([n, *space, f])
        one = [1] * len(space)
        more = {k: [0 if k in ("low", "reverse") else 1] + v + [0 if k in ("low", "reverse") else 1] for k, v in more.items()}
        chain.window([n, *operand, f], [1, *window, 1], [1, *stride, 1], **more)
        # The feature: that of the group, and which of it.
        group = f // g
        s = chain._range(c // g)
        chain.index[-1] = f"({chain.index[-1]} floordiv {group}) * {c // g} + {s}" if g > 1 else s
        chain.shape[-1] = c
        return chain

    yield lhs(1, [56, 56], 64, 1, [3, 3], [1, 1], [56, 56], 64, low=[1, 1])
    yield lhs(2, [28, 28], 32, 1, [1, 1], [2, 2], [56, 56], 16)
    yield lhs(2, [14], 12, 3, [3], [1], [16], 6)
    yield lhs(1, [112, 112], 64, 64, [3, 3], [1, 1], [112, 112], 64, low=[1, 1])
    yield lhs(2, [9], 8, 2, [5], [2], [18], 4, low=[2], dilation=[1])
    yield lhs(2, [16, 16], 4, 1, [3, 3], [1, 1], [8, 8], 4, base=[2, 2], low=[1, 1])
    yield lhs(1, [10], 6, 6, [3], [1], [14], 6, dilation=[2], reverse=[1])
    yield lhs(1, [13], 6, 1, [4], [1], [5], 3, base=[3], low=[3], reverse=[1])
    yield lhs(3, [7, 5], 8, 4, [2, 3], [2, 1], [14, 7], 8)
    yield lhs(3, [7, 5], 8, 4, [2, 3], [2, 1], [14, 7], 8).reshape([3, 98, 8])
    yield lhs(3, [7, 5], 8, 2, [1, 1], [1, 1], [7, 5], 8).reshape([3, 35, 2, 4])
    yield lhs(1, [4, 4], 5, 1, [4, 4], [4, 4], [16, 16], 3).reshape([1, 4, 4, 4, 4, 3])
    yield Chain([3, 3, 4, 8]).take(["{0}", "{1}", "{2}", "{3}"], [3, 3, 4, 8]).reverse([0, 1])
    # Batch groups: the batch of the operand is the group of the output feature, then the batch.
    yield Chain([2, 9, 6]).take(["{0} + ({2} floordiv 2) * 2", "{1}", "0"], [6, 9, 1])
    yield Chain([2, 9, 6]).take(["{0} + ({2} floordiv 2) * 2", "{1}", "0"], [6, 9, 1]).reshape([3, 2, 9, 1])
    # The windows as a matrix.
    yield Chain([49, 27]).reshape([7, 7, 3, 3, 3]).take(["{0} * 2 + {2}", "{1} * 2 + {3}", "{4}"], [15, 15, 3])
    yield Chain([49, 27]).reshape([7, 7, 27]).reshape([7, 7, 3, 9]).take(
        ["{0} * 2 + {2}", "{1} * 2 + {3} floordiv 3", "{3} mod 3"], [15, 15, 3]
    )


@family
def dot_general():
    yield Chain([4, 128, 64]).take(["{0}", "{1}"], [4, 128])._append(256)
    yield "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]"
    yield "(d0, d1)[s0, s1] -> (s1, d0, s0), domain: d0 in [0, 7], d1 in [0, 8], s0 in [0, 4], s1 in [0, 5]"
    # Heads of attention: (batch, sequence, width) to (batch, head, sequence, depth), a product, and back.
    yield Chain([2, 8, 64, 16]).transpose([0, 2, 1, 3]).reshape([2, 64, 128])
    yield Chain([2, 64, 128]).reshape([2, 64, 8, 16]).transpose([0, 2, 1, 3])
    yield Chain([2, 64, 128]).reshape([2, 64, 8, 16]).transpose([0, 2, 1, 3]).transpose([0, 2, 1, 3]).reshape([2, 64, 128])
    yield Chain([16, 64, 64]).reshape([2, 8, 64, 64]).take(["{0}", "{1}", "{2}"], [2, 8, 64])._append(16).transpose(
        [0, 2, 1, 3]
    ).reshape([2, 64, 128])
    yield Chain([128, 128]).reshape([2, 64, 128]).reshape([2, 64, 8, 16]).transpose([0, 2, 1, 3]).reshape([16, 64, 16])
    yield Chain([64, 48]).take(["{0}"], [64])._append(32).reshape([2048])
    yield Chain([64, 48]).take(["{1}"], [48])._append(32).transpose([1, 0]).reshape([32, 6, 8])
    # Grouped queries: several heads read one of the keys.
    yield Chain([2, 8, 10, 16]).take(["{0}", "{1} floordiv 4", "{2}", "{3}"], [2, 2, 10, 16]).transpose([0, 2, 1, 3]).reshape(
        [2, 10, 32]
    )
    yield Chain([2, 8, 10, 16]).reshape([2, 2, 4, 10, 16]).broadcast([2, 2, 1, 10, 16], [0, 1, 2, 3, 4]).reshape([2, 2, 10, 16])
    yield Chain([6, 6]).reduce([6, 6, 6], [2]).take(["{0} * 6 + {2}", "{1}"], [36, 6])


@family
def gather():
    def start(chain, *limits):
        for d, n in enumerate(limits):
            if n is not None:
                chain.index[d] = f"{chain._runtime(0, n)} + {chain.index[d]}"
        return chain

    yield start(Chain([16, 128]).take(["0", "{1}"], [1, 128]), 999, None)
    yield start(Chain([4, 3, 2]).take(["{1}", "{2}"], [3, 2]), 7, 5)
    yield start(Chain([2, 8, 64]).take(["0", "{2}"], [1, 64]), 511, None).reshape([512, 4, 16])
    yield start(Chain([10, 12]).take(["0", "{1}"], [1, 12]), 19, None).reshape([20, 3, 4]).transpose([0, 2, 1])
    yield start(Chain([5, 4]).take(["{0}", "0", "{1}"], [5, 1, 4]), None, 8, None).reshape([45, 4])
    yield start(Chain([5, 4]).take(["{0}", "0", "{1}"], [5, 1, 4]), None, 8, None).reshape([45, 4]).reshape([5, 9, 2, 2])
    yield start(Chain([6, 6]).take(["{0}", "{1}"], [6, 6]), 4, 3).reverse([0])
    # The place of the index that is read.
    yield Chain([3, 4, 7]).take(["{0}", "{1}"], [3, 4])._append(1)
    yield Chain([12, 7]).take(["{0}"], [12]).reshape([3, 4])


@family
def scatter():
    def update(chain, *limits):
        for d, (n, m) in enumerate(limits):
            if n is not None:
                e = f"{chain.index[d]} - {chain._runtime(0, n)}"
                chain.constrain(e, 0, m - 1)
                chain.index[d] = e
        return chain

    yield update(Chain([8, 4]), (7, 1), (None, 4))
    yield update(Chain([8, 4]), (6, 2), (2, 2))
    yield update(Chain([32]), (28, 4)).reshape([2, 2])
    yield update(Chain([4, 8]).reshape([32]), (24, 8))
    yield update(Chain([4, 8]).reshape([32]).reshape([4, 8]), (3, 1), (None, 8))


@family
def dynamic_slice():
    yield Chain([8]).dynamic_slice([13])
    yield Chain([1, 64]).dynamic_slice([512, 64])
    yield Chain([2, 3]).dynamic_slice([6, 3]).reshape([3, 2, 3])
    yield Chain([12]).reshape([3, 4]).dynamic_slice([9, 4]).reshape([36])
    yield Chain([4]).dynamic_slice([10]).dynamic_slice([20])
    yield Chain([4, 4]).dynamic_slice([8, 8]).transpose([1, 0]).dynamic_slice([8, 8])
    yield Chain([5]).dynamic_slice([5])
    yield Chain([5]).slice([10], [0], [2]).dynamic_slice([30]).slice([90], [0], [3])
    yield Chain([8, 16]).dynamic_slice([8, 64]).reshape([8, 4, 16])
    yield Chain([7]).dynamic_slice([14]).reverse([0])


@family
def dynamic_update_slice():
    yield Chain([13]).dynamic_update([8])
    yield Chain([512, 64]).dynamic_update([1, 64])
    yield Chain([512, 64]).dynamic_update([1, 64]).reshape([64])
    yield Chain([2, 8, 6]).dynamic_update([1, 1, 6]).reshape([6])
    yield Chain([36]).reshape([9, 4]).dynamic_update([3, 4]).reshape([12])
    yield Chain([5]).dynamic_update([5])
    yield Chain([20]).reverse([0]).dynamic_update([4])
    yield Chain([6, 6]).transpose([1, 0]).dynamic_update([2, 3]).reshape([6])


@family
def whole_dimensions():
    yield Chain([8, 16]).whole(1)
    yield Chain([8, 16]).reshape([128]).whole(0).reshape([8, 16])
    yield Chain([8, 16]).whole(0).transpose([1, 0]).reshape([128])
    yield Chain([4, 6, 6]).whole(1).whole(2).reshape([4, 36])
    yield Chain([3, 9]).take(["{0}", "{1}"], [3, 9]).whole(1).slice([3, 18], [0, 0], [1, 2])
    yield Chain([2, 5, 5]).whole(1).whole(2)


@family
def bitcast_convert():
    yield Chain([4]).bitcast_wider(4)
    yield Chain([4, 4]).bitcast_narrower()
    yield Chain([4]).bitcast_wider(4).reshape([16])
    yield Chain([16]).reshape([4, 4]).bitcast_narrower()
    yield Chain([3, 8]).reshape([3, 4, 2]).bitcast_narrower().reshape([12])
    yield Chain([6]).bitcast_wider(2).bitcast_wider(4).reshape([48])


@family
def collectives():
    # The local index and the device, one map: who has the element.
    yield Chain([32, 6]).take(["{0} floordiv 8", "{0} mod 8", "{1}"], [4, 8, 6])
    yield Chain([4, 8, 6]).take(["{0} * 8 + {1}", "{2}"], [32, 6])
    yield Chain([4, 8, 6]).take(["{0} * 8 + {1}", "{2}"], [32, 6]).take(["{0} floordiv 8", "{0} mod 8", "{1}"], [4, 8, 6])
    # all_to_all: split one dimension, concatenate another.
    yield Chain([4, 2, 12]).take(["{2} floordiv 3", "{0} * 2 + {1}", "{2} mod 3"], [4, 8, 3])
    yield Chain([4, 2, 12]).take(["{2} floordiv 3", "{0} * 2 + {1}", "{2} mod 3"], [4, 8, 3]).take(
        ["{1} floordiv 2", "{1} mod 2", "{0} * 3 + {2}"], [4, 2, 12]
    )
    yield Chain([4, 8]).take(["({0} + 1) mod 4", "{1}"], [4, 8])
    yield Chain([4, 8]).take(["({0} + 1) mod 4", "{1}"], [4, 8]).take(["({0} + 3) mod 4", "{1}"], [4, 8])
    yield Chain([8, 10]).take(["{0} floordiv 2", "({0} mod 2) * 10 + {1}"], [4, 20])
    yield Chain([8, 10]).take(["{0} floordiv 2", "({0} mod 2) * 10 + {1}"], [4, 20]).take(["{0} * 20 + {1}"], [80])
    yield Chain([12, 4]).take(["({0} floordiv 4) * 4 + ({0} + 1) mod 4", "{1}"], [12, 4])
    yield Chain([2, 3, 10]).take(["({0} * 3 + {1}) floordiv 2", "({0} * 3 + {1}) mod 2", "{2}"], [3, 2, 10]).take(
        ["{0} * 2 + {1}", "{2}"], [6, 10]
    )


@family
def layouts():
    # Arrays in memory of another order of dimensions, of other tiles.
    yield Chain([3, 4, 5]).transpose([2, 0, 1]).reshape([60]).reshape([60])
    yield Chain([60]).reshape([5, 3, 4]).transpose([1, 2, 0]).reshape([12, 5]).transpose([1, 0]).reshape([60])
    yield Chain([60]).reshape([5, 12]).transpose([1, 0]).reshape([3, 4, 5]).transpose([2, 0, 1]).reshape([60])
    yield Chain([16, 256]).reshape([2, 8, 2, 128]).transpose([0, 2, 1, 3]).reshape([4096])
    yield Chain([4096]).reshape([2, 2, 8, 128]).transpose([0, 2, 1, 3]).reshape([16, 256])
    yield Chain([4096]).reshape([2, 2, 8, 128]).transpose([0, 2, 1, 3]).reshape([4096]).reshape([2, 8, 2, 128]).transpose(
        [0, 2, 1, 3]
    ).reshape([4096])
    yield Chain([6, 8]).take(["{0} floordiv 2", "{1} floordiv 4", "{0} mod 2", "{1} mod 4"], [3, 2, 2, 4]).reshape([48])
    yield Chain([5, 7]).take(["{0} floordiv 2", "{1} floordiv 4", "{0} mod 2", "{1} mod 4"], [3, 2, 2, 4]).reshape([48])
    yield Chain([5, 7]).take(["{0} floordiv 2", "{1} floordiv 4", "{0} mod 2", "{1} mod 4"], [3, 2, 2, 4]).take(
        ["{0} * 2 + {2}", "{1} * 4 + {3}"], [6, 8]
    )
    yield Chain([32, 32]).take(["{0} floordiv 4", "{1} floordiv 8", "{0} mod 4", "{1} mod 8"], [8, 4, 4, 8]).transpose(
        [0, 2, 1, 3]
    ).reshape([32, 32])
    yield Chain([12, 10]).reshape([120]).take(["({0} floordiv 30) * 32 + {0} mod 30"], [126])
    yield Chain([12, 10]).take(["{0} * 16 + {1}"], [186]).take(["{0} floordiv 16", "{0} mod 16"], [12, 16])
    # Columns one after another.
    yield Chain([9, 11]).take(["{1} * 9 + {0}"], [99]).take(["{0} mod 9", "{0} floordiv 9"], [9, 11])
    # Swizzled rows (sums, not exclusive or).
    yield Chain([8, 32]).take(["{0}", "({1} + {0} * 4) mod 32"], [8, 32])
    yield Chain([8, 32]).take(["{0}", "({1} + {0} * 4) mod 32"], [8, 32]).take(["{0}", "({1} + {0} * 28) mod 32"], [8, 32])


@family
def shuffles():
    # Depth to space and back, channel shuffles, patches.
    yield Chain([2, 8, 8, 3]).reshape([2, 4, 2, 4, 2, 3]).transpose([0, 1, 3, 2, 4, 5]).reshape([2, 4, 4, 12])
    yield Chain([2, 4, 4, 12]).reshape([2, 4, 4, 2, 2, 3]).transpose([0, 1, 3, 2, 4, 5]).reshape([2, 8, 8, 3])
    yield Chain([2, 8, 8, 3]).reshape([2, 4, 2, 4, 2, 3]).transpose([0, 1, 3, 2, 4, 5]).reshape([2, 4, 4, 12]).reshape(
        [2, 4, 4, 2, 2, 3]
    ).transpose([0, 1, 3, 2, 4, 5]).reshape([2, 8, 8, 3])
    yield Chain([2, 12, 5]).reshape([2, 3, 4, 5]).transpose([0, 2, 1, 3]).reshape([2, 12, 5])
    yield Chain([2, 12, 5]).reshape([2, 3, 4, 5]).transpose([0, 2, 1, 3]).reshape([2, 12, 5]).reshape([2, 4, 3, 5]).transpose(
        [0, 2, 1, 3]
    ).reshape([2, 12, 5])
    yield Chain([196, 768]).reshape([14, 14, 16, 16, 3]).transpose([0, 2, 1, 3, 4]).reshape([224, 224, 3])
    yield Chain([224, 224, 3]).reshape([14, 16, 14, 16, 3]).transpose([0, 2, 1, 3, 4]).reshape([196, 768])
    yield Chain([196, 768]).reshape([14, 14, 16, 16, 3]).transpose([0, 2, 1, 3, 4]).reshape([224, 224, 3]).reshape(
        [14, 16, 14, 16, 3]
    ).transpose([0, 2, 1, 3, 4]).reshape([196, 768])
    yield Chain([64]).reshape([2, 2, 2, 2, 2, 2]).transpose([5, 4, 3, 2, 1, 0]).reshape([64])
    yield Chain([64]).reshape([2, 2, 2, 2, 2, 2]).transpose([5, 4, 3, 2, 1, 0]).reshape([64]).reshape(
        [2, 2, 2, 2, 2, 2]
    ).transpose([5, 4, 3, 2, 1, 0]).reshape([64])
    yield Chain([30]).reshape([2, 3, 5]).transpose([2, 0, 1]).reshape([30]).reshape([3, 5, 2]).transpose([1, 0, 2]).reshape([30])
    yield Chain([4, 4, 4]).reshape([64]).reshape([8, 8]).transpose([1, 0]).reshape([4, 16])
    yield Chain([16, 9]).reshape([4, 4, 3, 3]).transpose([0, 2, 1, 3]).reshape([12, 12])
    yield Chain([12, 12]).reshape([4, 3, 4, 3]).transpose([0, 2, 1, 3]).reshape([16, 9]).reshape([4, 36])


@family
def tiles():
    # Loops over tiles, then over their elements: what is read through a chain.
    def tiled(sizes, tile):
        grid = [-(-n // t) for n, t in zip(sizes, tile)]
        chain = Chain([*grid, *tile])
        n = len(sizes)
        chain.take([f"{{{i}}} * {t} + {{{n + i}}}" for i, t in enumerate(tile)], sizes)
        for e, size, t in zip(chain.index, sizes, tile):
            if size % t:
                chain.constrain(e, 0, size - 1)
        return chain

    yield tiled([64, 64], [8, 16])
    yield tiled([64, 60], [8, 16])
    yield tiled([64, 64], [8, 16]).reshape([8, 8, 4, 16])
    yield tiled([64, 64], [8, 16]).reshape([4096]).reshape([64, 64])
    yield tiled([60, 64], [7, 16]).reshape([3840]).reshape([60, 64])
    yield tiled([128], [32]).reshape([4, 32]).transpose([1, 0])
    yield tiled([128], [32]).reshape([16, 8])
    yield tiled([100], [32]).reshape([10, 10])
    yield tiled([96, 10], [12, 5]).reshape([8, 12, 10]).reshape([96, 10])
    yield tiled([24, 24], [6, 4]).transpose([1, 0]).reshape([6, 4, 4, 6])
    yield tiled([56, 56], [8, 8]).window([58, 58], [3, 3], [1, 1])
    yield tiled([28, 28], [7, 7]).window([56, 56], [3, 3], [2, 2], low=[1, 1])
    yield tiled([48], [5]).reverse([0])
    yield tiled([48], [6]).reverse([0]).reshape([8, 6])
    yield tiled([1024], [32]).take(["({0} floordiv 128) * 128 + {0} mod 128"], [1024])
    yield tiled([33, 65], [8, 8]).pad([31, 65], [1, 0], [0, 0])
    yield Chain([4, 32, 2]).take(["({0} * 32 + {1}) * 2 + {2}"], [256]).reshape([16, 16])
    yield Chain([4, 32, 8]).take(["({0} * 32 + {1}) floordiv 16", "(({0} * 32 + {1}) mod 16) * 8 + {2}"], [8, 128]).reshape([1024])


@family
def scans():
    # The steps of a logarithmic scan: a strided slice, a shift, an interleaving.
    n = 32
    for step in range(4):
        chain = Chain([n])
        for _ in range(step):
            chain.slice([2 * n], [1], [2])
        yield chain.take(["{0} * 2 + 1"], [n << (step + 1)])
    yield Chain([32]).pad([16], [1], [1]).slice([31], [1], [2])
    yield Chain([32]).pad([16], [1], [1])
    yield Chain([32]).pad([31], [1], [0])
    yield Chain([32]).pad([31], [1], [0]).pad([15], [1], [1])
    yield Chain([32]).pad([30], [2], [0]).pad([31], [1], [0])
    yield Chain([33]).pad([16], [1], [1]).pad([8], [0], [1]).pad([3], [1], [1])
    yield Chain([6, 32]).pad([6, 16], [0, 0], [0, 1]).reshape([96])
    yield Chain([6, 16]).slice([6, 32], [0, 1], [1, 2]).reshape([192]).reshape([6, 16, 2])
    yield Chain([4]).slice([8], [0], [2]).slice([17], [1], [2]).slice([35], [0], [2])


@family
def rolls():
    for n, k in [(12, 5), (16, 1), (10, -3)]:
        yield Chain([n]).take([f"({{0}} + {k}) mod {n}"], [n])
        yield Chain([n]).take([f"({{0}} + {k}) mod {n}"], [n]).take([f"({{0}} - {k}) mod {n}"], [n])
    yield Chain([12]).take(["({0} + 5) mod 12"], [12]).take(["({0} + 9) mod 12"], [12])
    yield Chain([12]).take(["({0} + 5) mod 12"], [12]).take(["({0} + 3) mod 12"], [12]).reshape([3, 4])
    yield Chain([3, 4]).reshape([12]).take(["({0} + 4) mod 12"], [12]).reshape([3, 4])
    yield Chain([9]).take(["(8 - {0}) mod 9"], [9])
    yield Chain([9]).take(["(9 - {0}) mod 9"], [9])
    yield Chain([7]).take(["({0} * 3) mod 7"], [7]).take(["({0} * 5) mod 7"], [7])
    yield Chain([5, 5]).take(["{0}", "({0} + {1}) mod 5"], [5, 5])
    yield Chain([5, 5]).take(["{0}", "({0} + {1}) mod 5"], [5, 5]).take(["{0}", "({1} - {0}) mod 5"], [5, 5])
    yield Chain([20]).take(["({0} + 10) mod 20"], [20]).reshape([2, 10])
    yield Chain([20]).take(["({0} + 10) mod 20"], [20]).reshape([2, 10]).reverse([0]).reshape([20])


@family
def signs():
    for e in [
        "-{0} floordiv 4", "-(-{0} floordiv 4)", "(11 - {0}) floordiv 4", "(35 - {0}) floordiv 3", "{0} floordiv -3", "-({0} floordiv -3)",
        "{0} mod -5", "(-{0}) mod 6", "-{0} mod 12 + {0}", "({0} - 100) floordiv 4 + 25", "({0} - 100) mod 4", "{0} ceildiv 4",
        "-({0} floordiv 4) * 4 + {0}", "{0} - {0} mod 5", "(-{0} - 1) floordiv 6 + 2", "(-{0} - 1) mod 6", "({0} * -3) floordiv 3",
        "({0} * -6 + 66) floordiv 6", "({0} * 6) floordiv -4", "({0} ceildiv 4) * 4 - {0}", "11 - (11 - {0}) floordiv 1",
        "(-11 * {0} + 109 - {0} mod 11) floordiv 11", "{0} floordiv 4 + {0} ceildiv 4", "(({0} floordiv -2) mod -5) ceildiv -2",
    ]:  # fmt: skip
        yield Chain([12]).take([e], [12])
    yield "(d0) -> ((d0 + 24) floordiv 8, (d0 + 24) mod 8), domain: d0 in [-24, -9]"
    yield "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [-8, -1]"
    yield "(d0, d1) -> ((d0 * 8 - d1 - 1) floordiv 8, (d0 * 8 - d1 - 1) mod 8), domain: d0 in [1, 9], d1 in [0, 7]"
    yield "(d0, d1) -> (-((-11 * d0 - d1 + 109) floordiv 11) + 9), domain: d0 in [0, 9], d1 in [0, 10]"


@family
def worked_examples():
    yield "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]"
    yield (
        "(d0, d1, d2) -> ((100 * d0 + 10 * d1 + d2) floordiv 100, ((100 * d0 + 10 * d1 + d2) mod 100) floordiv 10, d2 mod 10), "
        "domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"
    )
    yield (
        "(d0, d1, d2) -> ((16 * d0 + 4 * d1 + d2) floordiv 8, (16 * d0 + 4 * d1 + d2) mod 8), "
        "domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"
    )
    yield Chain([20, 10, 50]).transpose([1, 0, 2]).transpose([2, 1, 0])
    yield Chain([1000, 1000]).transpose([1, 0]).transpose([1, 0])
    yield "(d0) -> (d0 - (d0 floordiv 8) * 8), domain: d0 in [0, 99]"
    yield "(d0) -> (min(d0, 31), max(d0, 0), min(d0 floordiv 8, 3)), domain: d0 in [0, 31]"
    yield "(d0, d1) -> (min(d0 * 8 + d1, 99)), domain: d0 in [0, 11], d1 in [0, 7], d0 * 8 + d1 in [0, 90]"


@family
def wrong_answers_of_others():
    """Each of these has come out wrong of one simplifier or another."""
    yield "(d0) -> (d0), domain: d0 in [-7, -4], d0 mod 4 in [2, 2]"
    yield "(d0, d1) -> (d0, d1), domain: d0 in [4, 8], d1 in [0, 5], d0 - d1 * 8 in [0, 11]"
    yield "()[s0] -> (s0), domain: s0 in [0, 40], s0 floordiv -3 in [-11, -5]"
    yield "(d0) -> ((-d0 + 35) floordiv 3), domain: d0 in [0, 35]"
    yield "(d0) -> (d0 floordiv -3), domain: d0 in [0, 35]"
    yield "(d0) -> (d0), domain: d0 in [-9, 9], (d0 + 3) mod 4 in [1, 2]"
    yield "(d0) -> (d0 floordiv 4), domain: d0 in [-9, 9], d0 floordiv 4 in [-2, 1]"
    yield "(d0) -> ((d0 floordiv 6) mod 2, (d0 mod 12) floordiv 6, (d0 mod 8) floordiv 3), domain: d0 in [0, 99]"
    yield "(d0, d1) -> ((d0 * 4 + d1) floordiv 4), domain: d0 in [0, 9], d1 in [0, 4]"


def main():
    for name, make in FAMILIES.items():
        for i, chain in enumerate(make(), 1):
            text = chain if isinstance(chain, str) else chain.text()
            print(json.dumps({"family": name, "name": f"{name}_{i:02}", "map": text}))


if __name__ == "__main__":
    main()
