"""Writes program.mlir: a classifier with a symbolic batch, as jax.export makes it (printed without locations).

    python examples/batches/make.py
"""

import pathlib
import re

import jax
import jax.numpy as jnp
from jax import export


def classify(x, w, b):
    y = jax.nn.relu(x @ w + b)
    return jnp.argmax(y, axis=1).astype(jnp.int32), jax.nn.softmax(y, axis=-1)


(batch,) = export.symbolic_shape("batch")
shapes = [(batch, 16), (16, 10), (10,)]
arguments = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
exported = export.export(jax.jit(classify), platforms=["cpu"])(*arguments)
text = exported.mlir_module()
# Locations say nothing here.
text = re.sub(r"^#loc.*\n", "", text, flags=re.M)
text = re.sub(r' loc\((?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*"|\([^()]*\))*\))*\)', "", text)
(pathlib.Path(__file__).parent / "program.mlir").write_text(text)
