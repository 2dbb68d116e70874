"""A training step of a small network on the ranks of MPI, some devices each, or on as many devices of one process: the same losses to the last bit.

``mpirun -n N python on_ranks.py PORT`` joins the ranks by ``jax.distributed``; ``python on_ranks.py`` alone takes the devices that there are.
With ``fails`` behind the port the last rank raises an exception in the middle, which ends all.
"""

import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

if len(sys.argv) > 1:
    names = ("OMPI_COMM_WORLD", "PMI")
    of = next(name for name in names if f"{name}_SIZE" in os.environ)
    rank, size = (int(os.environ[f"{of}_{what}"]) for what in ("RANK", "SIZE"))
    jax.distributed.initialize(f"localhost:{sys.argv[1]}", size, rank)
    assert jax.process_count() == size and jax.process_index() == rank
    each = jax.local_device_count()
    assert [device.process_index for device in jax.devices()] == [i // each for i in range(size * each)]
    assert [device.id for device in jax.local_devices()] == list(range(rank * each, (rank + 1) * each))
fails = sys.argv[2:] == ["fails"]

mesh = jax.make_mesh((jax.device_count(),), ("batch",), axis_types=(jax.sharding.AxisType.Auto,))
split, whole = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in (("batch",), ()))


def placed(values, sharding):
    """A global array, of which each process puts in what its devices have."""
    return jax.make_array_from_callback(values.shape, sharding, lambda index: values[index])


random = np.random.default_rng(0)
batch = placed(random.normal(size=(64, 32)).astype(np.float32), split)
wanted = placed(random.normal(size=(64, 8)).astype(np.float32), split)
sizes = [(32, 48), (48, 48), (48, 8)]
weights = [placed((random.normal(size=size) / 8).astype(np.float32), whole) for size in sizes]


def loss(weights, batch, wanted):
    for weight in weights[:-1]:
        batch = jnp.tanh(batch @ weight)
    return jnp.mean((batch @ weights[-1] - wanted) ** 2)


@jax.jit
def step(weights, batch, wanted):
    value, slopes = jax.value_and_grad(loss)(weights, batch, wanted)
    return value, [weight - 0.1 * slope for weight, slope in zip(weights, slopes)]


losses = []
for i in range(20):
    value, weights = step(weights, batch, wanted)
    losses.append(value)
    if fails and i == 10 and jax.process_index() == jax.process_count() - 1:
        raise ValueError("something is wrong here")
losses = [float(value) for value in losses]
assert losses[-1] < 0.9 * losses[0], losses

# By hand: each device hands its rows to the next one, and knows what all have in sum.
turned = jax.jit(
    jax.shard_map(
        lambda x: jax.lax.ppermute(x, "batch", [(i, (i + 1) % mesh.size) for i in range(mesh.size)]) + jax.lax.psum(x, "batch"),
        mesh=mesh,
        in_specs=PartitionSpec("batch"),
        out_specs=PartitionSpec("batch"),
    )
)(batch)
sums = float(jnp.sum(jnp.abs(turned)))
if jax.process_index() == 0:
    print("losses", *(value.hex() for value in [*losses, sums]))
