"""Collectives among replicas and partitions of one process, messages, and the infeed: as programs that run beside each other."""

import random

from elementwise import some
from formats import ALL, F32, SIGNED, UNSIGNED
from program import File, dense, tensor
from reductions import SUMMED, few, plus

I32, I64, U32 = SIGNED[4], SIGNED[5], UNSIGNED[4]


def parallel(file, label, ty, shape, result, body, inputs, outputs, grid):
    """Two or more processes run the function `body` (text with the type of its argument); `grid`: its place for each process."""
    name = f"{label}_{ty}".replace("<", "_").replace(">", "")
    a, r = tensor(ty, shape), tensor(ty, result)
    file.extra.append(f"func.func private @{name}_program(%x: {a}) -> {r} {{\n{body.format(a=a, r=r, s=tensor(ty, []))}\n  return %r : {r}\n}}")
    f = file.function(name)
    values = [f.literal(ty, shape, v) for v in inputs]
    programs = ", ".join("[" + ", ".join([f"@{name}_program"] * columns) + "]" for columns in grid)
    n = len(inputs)
    f.line(f'%r:{n} = "interpreter.run_parallel"({", ".join(values)}) {{programs = [{programs}]}} : ({", ".join([a] * n)}) -> ({", ".join([r] * n)})')
    for k, expected in enumerate(outputs):
        f.equal(f"%r#{k}", ty, result, expected)


def add_region():
    return "({{\n  ^bb0(%p: {s}, %q: {s}):\n    %z = stablehlo.add %p, %q : {s}\n    stablehlo.return %z : {s}\n  }})"


def several(file, label, name, region, expected):
    """Two replicas give two operands each; the roots are values: the second place for one operand, the first for the other."""
    t = tensor(F32, [2])
    both = f"({t}, {t}, tensor<2xi32>) -> ({t}, {t})"
    region = region.format(s=tensor(F32, []))
    file.extra.append(
        f"func.func private @{label}_several(%x: {t}, %y: {t}, %roots: tensor<2xi32>) -> ({t}, {t}) {{\n"
        f'  %r:2 = "stablehlo.{name}"(%x, %y, %roots) <{{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, has_dynamic_root}}> {region} : {both}\n'
        f"  return %r#0, %r#1 : {t}, {t}\n}}"
    )
    f = file.function(f"{label}_of_several")
    # Of each operand what replicas 0 and 1 have, and the root: place 1 of the group is replica 0, place 0 is replica 1.
    operands = [(0, [[1.0, 2.0], [3.0, 5.0]]), (1, [[7.0, 11.0], [13.0, 17.0]])]
    roots = f.literal(I32, [2], [1, 0])
    values = []
    for k in range(2):
        values += [f.literal(F32, [2], given[k]) for _, given in operands] + [roots]
    types = f"({', '.join([t, t, 'tensor<2xi32>'] * 2)}) -> ({', '.join([t] * 4)})"
    f.line(f'%r:4 = "interpreter.run_parallel"({", ".join(values)}) {{programs = [[@{label}_several], [@{label}_several]]}} : {types}')
    for k in range(2):
        for i, (root, given) in enumerate(operands):
            f.equal(f"%r#{2 * k + i}", F32, [2], expected(root, given)[k])


def collectives():
    rng = random.Random("collectives")
    two = [2]  # one row of the grid: two partitions; [1, 1]: two replicas
    replicas = [1, 1]
    del two
    gather = File("all_gather", covers=["stablehlo.all_gather"])
    exchange = File("all_to_all", covers=["stablehlo.all_to_all"])
    permute = File("collective_permute", covers=["stablehlo.collective_permute"])
    broadcast = File("collective_broadcast", covers=["stablehlo.collective_broadcast"])
    for ty in ALL:
        x, y = some(ty, rng, 4), some(ty, rng, 4)
        rows = lambda v: [v[0:2], v[2:4]]
        joined = [row for p, q in zip(rows(x), rows(y)) for row in p + q]
        body = '  %r = "stablehlo.all_gather"(%x) <{{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}> : ({a}) -> {r}'
        parallel(gather, "all_gather", ty, [2, 2], [2, 4], body, [x, y], [joined, joined], replicas)
        body = '  %r = "stablehlo.all_to_all"(%x) <{{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}> : ({a}) -> {r}'
        column = lambda k: [x[k], x[2 + k], y[k], y[2 + k]]
        parallel(exchange, "all_to_all", ty, [2, 2], [4, 1], body, [x, y], [column(0), column(1)], replicas)
        body = '  %r = "stablehlo.collective_permute"(%x) <{{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}}> : ({a}) -> {r}'
        if not (ty.is_float and ty.special == "e8m0"):
            # Who gets nothing has zeros.
            zeros = [(0.0, 0.0) if ty.is_complex else 0.0 if ty.is_float else 0] * 4
            parallel(permute, "collective_permute", ty, [2, 2], [2, 2], body, [x, y], [zeros, x], replicas)
        body = '  %r = "stablehlo.collective_broadcast"(%x) <{{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}}> : ({a}) -> {r}'
        parallel(broadcast, "collective_broadcast", ty, [2, 2], [2, 2], body, [x, y], [y, y], replicas)
    several(broadcast, "broadcast", "collective_broadcast", "", lambda root, values: [values[root]] * 2)
    at_root = File("collective_reduce", covers=["stablehlo.collective_reduce"])
    reduced = lambda root, values: [[p + q for p, q in zip(*values)] if k == root else [0.0] * 2 for k in range(2)]
    several(at_root, "reduce", "collective_reduce", add_region(), reduced)
    for ty in SUMMED:
        x, y = few(ty, rng, 4), few(ty, rng, 4)
        if ty.is_float and ty.special == "e8m0":
            continue
        total = [plus(ty, [p, q]) for p, q in zip(x, y)]
        zeros = [(0.0, 0.0) if ty.is_complex else 0.0 if ty.is_float else 0] * 4
        body = '  %r = "stablehlo.collective_reduce"(%x) <{{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}}> ' + add_region() + " : ({a}) -> {r}"
        parallel(at_root, "collective_reduce", ty, [4], [4], body, [x, y], [zeros, total], replicas)
    reduce, scatter = File("all_reduce", covers=["stablehlo.all_reduce"]), File("reduce_scatter", covers=["stablehlo.reduce_scatter"])
    for ty in SUMMED:
        x, y = few(ty, rng, 4), few(ty, rng, 4)
        total = [plus(ty, [p, q]) for p, q in zip(x, y)]
        body = '  %r = "stablehlo.all_reduce"(%x) <{{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}> ' + add_region() + " : ({a}) -> {r}"
        parallel(reduce, "all_reduce", ty, [4], [4], body, [x, y], [total, total], replicas)
        body = '  %r = "stablehlo.reduce_scatter"(%x) <{{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}}> ' + add_region() + " : ({a}) -> {r}"
        parallel(scatter, "reduce_scatter", ty, [4], [2], body, [x, y], [total[:2], total[2:]], replicas)
    # Partitions, by a channel; and groups of some.
    x, y = [1.0, 2.0], [3.0, 5.0]
    body = '  %r = "stablehlo.all_reduce"(%x) <{{replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}}> ' + add_region() + " : ({a}) -> {r}"
    # cross_replica_and_partition: a group of one replica holds all of its partitions.
    parallel(reduce, "partitions", F32, [2], [2], body.replace("dense<[[0], [1]]> : tensor<2x1xi64>", "dense<[[0]]> : tensor<1x1xi64>"), [x, y], [[4.0, 7.0]] * 2, [2])
    body = '  %r = "stablehlo.all_reduce"(%x) <{{replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}}> ' + add_region() + " : ({a}) -> {r}"
    parallel(reduce, "alone", F32, [2], [2], body, [x, y], [x, y], replicas)
    ids = File("process_ids", covers=["stablehlo.replica_id", "stablehlo.partition_id"])
    for name, grid in (("replica_id", [1, 1, 1]), ("partition_id", [3])):
        ids.extra.append(f"func.func private @{name}() -> tensor<ui32> {{\n  %0 = stablehlo.{name} : tensor<ui32>\n  return %0 : tensor<ui32>\n}}")
        f = ids.function(f"{name}_of_three")
        programs = ", ".join("[" + ", ".join([f"@{name}"] * n) + "]" for n in grid)
        f.line(f'%r:3 = "interpreter.run_parallel"() {{programs = [{programs}]}} : () -> (tensor<ui32>, tensor<ui32>, tensor<ui32>)')
        for k in range(3):
            f.equal(f"%r#{k}", U32, [], [k])
        f = ids.function(f"{name}_alone")
        f.equal(f.op(f"stablehlo.{name} : tensor<ui32>"), U32, [], [0])


def messages():
    rng = random.Random("messages")
    file = File("send_recv", covers=["stablehlo.send", "stablehlo.recv", "stablehlo.infeed", "stablehlo.outfeed"])
    token = "!stablehlo.token"
    for ty in ALL:
        values = some(ty, rng, 4)
        name = "".join(c if c.isalnum() else "_" for c in str(ty))
        t = tensor(ty, [2, 2])
        channel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = {}>, is_host_transfer = true"
        file.extra.append(
            f"func.func private @send_{name}(%x: {t}, %t: {token}) -> {token} {{\n"
            f'  %0 = "stablehlo.send"(%x, %t) <{{{channel.format(2)}}}> : ({t}, {token}) -> {token}\n  return %0 : {token}\n}}'
        )
        file.extra.append(
            f"func.func private @recv_{name}(%t: {token}) -> ({t}, {token}) {{\n"
            f'  %0:2 = "stablehlo.recv"(%t) <{{{channel.format(3)}}}> : ({token}) -> ({t}, {token})\n  return %0#0, %0#1 : {t}, {token}\n}}'
        )
        f = file.function(f"message_{name}")
        x, s = f.literal(ty, [2, 2], values), f.op(f"stablehlo.create_token : {token}")
        f.line(f'%r:3 = "interpreter.run_parallel"({x}, {s}, {s}) {{programs = [[@send_{name}], [@recv_{name}]]}} : ({t}, {token}, {token}) -> ({token}, {t}, {token})')
        f.equal("%r#1", ty, [2, 2], values)
        file.extra.append(f"func.func private @queue_{name}() -> {t} {{\n  %0 = stablehlo.constant {dense(ty, [2, 2], values)} : {t}\n  return %0 : {t}\n}}")
        file.extra.append(
            f"func.func private @feed_{name}(%t: {token}) -> ({t}, {token}) {{\n"
            f'  %0:2 = "stablehlo.infeed"(%t) : ({token}) -> ({t}, {token})\n'
            f'  %1 = "stablehlo.outfeed"(%0#0, %0#1) : ({t}, {token}) -> {token}\n  return %0#0, %1 : {t}, {token}\n}}'
        )
        f = file.function(f"infeed_{name}")
        s = f.op(f"stablehlo.create_token : {token}")
        f.line(f'%r:2 = "interpreter.run_parallel"({s}) {{infeed = [@queue_{name}], programs = [[@feed_{name}]]}} : ({token}) -> ({t}, {token})')
        f.equal("%r#0", ty, [2, 2], values)


def generate():
    collectives()
    messages()
