# Writes expected.txt: random bits as XLA computes them, through JAX (a development dependency only).
import jax
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
STATES = [(0x0123456789ABCDEF, 0xFFFFFFFFFFFFFFFE), (7, 42)]
SHAPES = [(), (1,), (5,), (3, 5), (4, 3), (3, 4), (5, 3, 7), (2, 65)]
print("# algorithm, state, element type, shape, state afterwards | elements; written by generate.py with jax", jax.__version__)
for name in ("three_fry", "philox", "default"):
    algorithm = getattr(lax.RandomAlgorithm, "RNG_" + name.upper())
    for state in STATES:
        for bits in (8, 16, 32, 64):
            for shape in SHAPES:
                after, values = lax.rng_bit_generator(
                    np.array(state, np.uint64), shape, dtype=np.dtype(f"uint{bits}"), algorithm=algorithm
                )
                print(
                    name,
                    ",".join(f"{s:x}" for s in state),
                    f"ui{bits}",
                    "x".join(map(str, shape)) or "s",
                    ",".join(f"{int(s):x}" for s in after),
                    "|",
                    " ".join(f"{int(v):x}" for v in np.asarray(values).ravel()),
                )
