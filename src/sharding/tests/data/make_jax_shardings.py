"""Records which slice JAX puts on which of eight simulated CPU devices; the output is jax_shardings.json.

    python -m venv V && V/bin/pip install "jax==0.4.35" "jaxlib==0.4.35"   # the last versions with PositionalSharding
    V/bin/python make_jax_shardings.py > jax_shardings.json

A case is {"kind", "shape", "hlo": the HLO string of the sharding, "starts": [first global index per dimension] per device id,
"shard": [shape of a slice]}, "devices": [ids in the order of the sharding; the strings number the devices by it]; for NamedSharding
"mesh": [[name, size]…], "spec" and "sdy", Shardy's text.
"""

import json
import os
import random

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import numpy as np
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jax.sharding import GSPMDSharding, Mesh, NamedSharding, PartitionSpec, PositionalSharding

DEVICES = jax.devices()
RNG = random.Random(6)


def slices(sharding, shape):
    starts = [None] * 8
    shards = set()
    for device, index in sharding.devices_indices_map(shape).items():
        bounds = [s.indices(n)[:2] for s, n in zip(index, shape)]
        starts[device.id] = [lo for lo, _ in bounds]
        shards.add(tuple(hi - lo for lo, hi in bounds))
    assert len(shards) == 1, (sharding, shape)
    return {"starts": starts, "shard": list(shards.pop())}


def sdy_text(sharding, rank):
    with jax_mlir.make_ir_context():
        return str(sharding._to_sdy_sharding(rank).build())


def named():
    sizes = RNG.choice([(8,), (2, 4), (4, 2), (2, 2, 2), (1, 8), (2, 1, 4), (2, 2, 1, 2)])
    names = [f"m{i}" for i in range(len(sizes))]
    RNG.shuffle(names)
    order = list(range(8))
    how = RNG.random()
    if how < 0.2:
        RNG.shuffle(order)
    elif how < 0.4:
        order = [int(i) for i in np.arange(8).reshape(2, 2, 2).transpose(RNG.sample(range(3), 3)).ravel()]
    mesh = Mesh(np.array([DEVICES[i] for i in order]).reshape(sizes), tuple(names))
    rank = RNG.randint(0, 4)
    spec = [[] for _ in range(rank)]
    for name in RNG.sample(names, len(names)):
        if rank and RNG.random() < 0.75:
            RNG.choice(spec).append(name)
    size = dict(zip(names, sizes))
    shape = tuple(int(np.prod([size[n] for n in axes], dtype=int)) * RNG.choice([1, 2, 3]) for axes in spec)
    sharding = NamedSharding(mesh, PartitionSpec(*[tuple(a) if a else None for a in spec]))
    return {
        "kind": "named",
        "mesh": [[n, s] for n, s in zip(names, sizes)],
        "devices": order,
        "spec": spec,
        "shape": list(shape),
        "hlo": str(sharding._to_xla_hlo_sharding(rank)),
        "sdy": sdy_text(sharding, rank),
        **slices(sharding, shape),
    }


def positional():
    grid = RNG.choice([(8,), (2, 4), (4, 2), (2, 2, 2), (1, 8), (8, 1), (2, 1, 4)])
    order = list(range(8))
    if RNG.random() < 0.6:
        RNG.shuffle(order)
    sharding = PositionalSharding([DEVICES[i] for i in order]).reshape(grid)
    for axis in range(len(grid)):
        if RNG.random() < 0.3:
            sharding = sharding.replicate(axis, keepdims=True)
    parts = [sharding.shape[i] for i in range(len(grid))]
    shape = tuple(p * RNG.choice([1, 2, 3]) for p in parts)
    return {
        "kind": "positional",
        "devices": order,
        "shape": list(shape),
        "hlo": str(sharding._to_xla_hlo_sharding(len(shape))),
        **slices(sharding, shape),
    }


def gspmd():
    form = RNG.choice(["iota", "list", "replicated"])
    if form == "replicated":
        text, tile = "{replicated}", [1, 1]
    else:
        tile = list(RNG.choice([(8,), (2, 4), (4, 2), (2, 2, 2), (4, 1, 2), (2, 2, 1, 2)]))
        replicate = len(tile) > 1 and RNG.random() < 0.5
        if form == "iota":
            dims = list(RNG.choice([(8,), (2, 4), (4, 2), (2, 2, 2)]))
            perm = RNG.sample(range(len(dims)), len(dims))
            devices = f"<=[{','.join(map(str, dims))}]"
            if len(dims) > 1:
                devices += f"T({','.join(map(str, perm))})"
        else:
            devices = ",".join(map(str, RNG.sample(range(8), 8)))
        end = RNG.choice([" last_tile_dim_replicate", " last_tile_dims={replicated}"]) if replicate else ""
        text = f"{{devices=[{','.join(map(str, tile))}]{devices}{end}}}"
        if replicate:
            tile = tile[:-1]
    shape = tuple(p * RNG.choice([1, 2, 3]) for p in tile)
    sharding = GSPMDSharding(DEVICES, xla_client.HloSharding.from_string(text))
    return {"kind": "gspmd", "shape": list(shape), "hlo": text, **slices(sharding, shape)}


def main():
    cases = [named() for _ in range(240)] + [positional() for _ in range(60)] + [gspmd() for _ in range(80)]
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    print(f"[\n{lines}\n]")


if __name__ == "__main__":
    main()
