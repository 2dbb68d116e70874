#!/usr/bin/env python3
"""The time of gradients that `indexing-differentiate` makes, beside that of JAX's own gradient programs, both compiled and run by this project.

    python benches/gradients.py [--models FILE.py] [--seconds 1] [--rounds 3] [--threads 1] [PATTERN …]

Both programs run by turns; the ratio is that of the least times. JAX's program computes what ours does: the cotangents of all arguments for given
cotangents of the results.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax, nn

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/differentiate"))
import models

FUNCTIONS = {}


def function(*shapes):
    def add(f):
        FUNCTIONS[f.__name__] = (f, shapes)
        return f

    return add


@function((256, 512), (512, 512), (512,), (512, 128))
def mlp(x, w, b, u):
    return nn.gelu(x @ w + b) @ u


@function((1024, 1024))
def softmax(x):
    return nn.softmax(x)


@function((1024, 1024), (1024,), (1024,))
def layer_norm(x, g, b):
    d = x - x.mean(-1, keepdims=True)
    return d * lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5) * g + b


@function((256, 64), (256, 64), (256, 64))
def attention(q, k, v):
    return nn.softmax(q @ k.T / 8) @ v


@function((4, 28, 28, 32), (3, 3, 32, 32))
def convolution(x, w):
    return nn.relu(lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))


@function((4, 28, 28, 32), (3, 3, 32, 64))
def convolution_strided(x, w):
    return nn.relu(lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))


@function((4, 56, 56, 32))
def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


@function((5000, 128))
def embedding(x):
    return jnp.tanh(x[(jnp.arange(2048) * 7919) % 5000])


@function((64, 16, 128), (16, 128), (128, 128), (128, 128))
def recurrent(x, h, w, u):
    def step(h, x):
        h = jnp.tanh(x @ w + h @ u)
        return h, h

    return lax.scan(step, h, x)[1]


@function((256, 512))
def sort(x):
    return jnp.sort(x) * jnp.arange(512.0)


@function((512, 1024))
def cumsum(x):
    return jnp.cumsum(jnp.sin(x), 1)


@function((1024, 1000))
def cross_entropy(x):
    return -jnp.take_along_axis(nn.log_softmax(x), (jnp.arange(1024) * 7 % 1000)[:, None], 1).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--models")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--loops", default="values")
    parser.add_argument("--tools", default=str(ROOT / "target/release"))
    parser.add_argument("--keep", help="a folder for the programs")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    work = {}
    if options.models:
        module = models.load(options.models)
        for name in models.NAMES:
            f, arguments = models.model(module, name, np.float32, rng)
            work[name] = (f, [argument.shape for argument in arguments])
    else:
        work = FUNCTIONS
    tools = pathlib.Path(options.tools)
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(options.keep or folder)
        for name, (f, shapes) in work.items():
            if options.patterns and not any(re.search(pattern, name) for pattern in options.patterns):
                continue
            specs = [jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes]
            results = jax.tree.leaves(jax.eval_shape(f, *specs))

            def pull(*values):
                out, back = jax.vjp(lambda *v: tuple(jax.tree.leaves(f(*v))), *values[: len(specs)])
                return back(tuple(values[len(specs) :]))

            source = folder / f"{name}.mlir"
            source.write_text(export.export(jax.jit(f), platforms=["cpu"])(*specs).mlir_module())
            theirs = folder / f"{name}.jax.mlir"
            theirs.write_text(export.export(jax.jit(pull), platforms=["cpu"])(*specs, *results).mlir_module())
            ours = folder / f"{name}.ours.mlir"
            wrt = ",".join(str(i) for i in range(len(specs)))
            subprocess.run(
                [tools / "mapwright-opt", source, f"--indexing-differentiate=of=main wrt={wrt} loops={options.loops}", "-o", ours], check=True
            )

            def time(program, entry):
                command = [tools / "mapwright", "run", program, "--entry", entry, f"--bench={options.seconds}", "--json", "--threads", options.threads]
                return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["min_ms"]

            least = {}
            for _ in range(options.rounds):
                for program, entry in [(ours, "main_vjp"), (theirs, "main")]:
                    least[program] = min(least.get(program, 1e30), time(program, entry))
            ratio = least[ours] / least[theirs]
            ratios.append(ratio)
            print(f"{name:24s} {ratio:6.2f}   (ours {least[ours]:.3f} ms)", flush=True)
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}")


if __name__ == "__main__":
    main()
