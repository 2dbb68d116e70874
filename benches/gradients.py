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


@function((256, 512), (256, 512))
def elementwise(x, y):
    return jnp.tanh(x) * jnp.exp(-y * y) + nn.sigmoid(x * y)


@function((512, 512))
def gelu_erf(x):
    return nn.gelu(x, approximate=False)


@function((512, 1024))
def log_softmax(x):
    return nn.log_softmax(x)


@function((512, 1024))
def logsumexp(x):
    return jax.scipy.special.logsumexp(x, 1)


@function((64, 64, 128), (128,), (128,))
def batch_norm(x, g, b):
    m, v = x.mean((0, 1)), x.var((0, 1))
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


@function((16, 32, 32, 64), (64,), (64,))
def group_norm(x, g, b):
    y = x.reshape(16, 32, 32, 8, 8)
    m, v = y.mean((1, 2, 4), keepdims=True), y.var((1, 2, 4), keepdims=True)
    return ((y - m) * lax.rsqrt(v + 1e-5)).reshape(x.shape) * g + b


@function((512, 1024), (1024,))
def rms_norm(x, g):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g


@function((8, 128, 8, 64), (8, 128, 8, 64), (8, 128, 8, 64))
def multi_head_attention(q, k, v):
    w = nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8)
    return jnp.einsum("bhqk,bkhd->bqhd", w, v)


@function((4, 256, 4, 64), (4, 256, 4, 64), (4, 256, 4, 64))
def causal_attention(q, k, v):
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8
    s = jnp.where(jnp.tril(jnp.ones((256, 256), bool)), s, -1e30)
    return jnp.einsum("bhqk,bkhd->bqhd", nn.softmax(s), v)


@function((4, 128, 256), (256, 256), (256, 256), (256, 256), (256, 256), (256, 1024), (1024, 256))
def encoder(x, wq, wk, wv, wo, w1, w2):
    def norm(y):
        d = y - y.mean(-1, keepdims=True)
        return d * lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5)

    q, k, v = ((x @ w).reshape(4, 128, 4, 64) for w in (wq, wk, wv))
    a = jnp.einsum("bhqk,bkhd->bqhd", nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8), v)
    y = norm(x + a.reshape(x.shape) @ wo)
    return norm(y + nn.gelu(y @ w1) @ w2)


@function((256, 256), (256, 256), (256, 256))
def products(x, y, z):
    return (x @ y) @ z * x


@function((16, 128, 64), (16, 64, 128))
def batched_product(x, y):
    return jnp.einsum("bij,bjk->bki", x, y)


@function((4, 32, 28, 28), (32, 32, 3, 3))
def convolution_nchw(x, w):
    return nn.relu(lax.conv(x, w, (1, 1), "SAME"))


@function((4, 28, 28, 64), (3, 3, 1, 64))
def depthwise(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=64)


@function((4, 28, 28, 64), (3, 3, 16, 64))
def grouped(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=4)


@function((4, 28, 28, 32), (3, 3, 32, 32))
def dilated(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", rhs_dilation=(2, 2), dimension_numbers=("NHWC", "HWIO", "NHWC"))


@function((4, 14, 14, 32), (3, 3, 32, 32))
def transposed_convolution(x, w):
    return lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@function((8, 256, 32), (5, 32, 32))
def convolution_1d(x, w):
    return lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))


@function((4, 28, 28, 128), (1, 1, 128, 64))
def pointwise(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@function((4, 56, 56, 32))
def average_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4


@function((4, 56, 56, 32))
def max_pool_2(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@function((32, 32, 128), (32, 128), (128, 512), (128, 512), (512,))
def lstm(x, h, w, u, b):
    def step(s, x):
        h, c = s
        i, f, g, o = jnp.split(x @ w + h @ u + b, 4, -1)
        c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
        h = nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (h, jnp.zeros_like(h)), x)[1]


@function((128, 64), (64, 64))
def euler(x, w):
    return lax.fori_loop(0, 32, lambda i, c: c + 0.1 * jnp.tanh(c @ w), x)


@function((4096,))
def scan_scalars(x):
    return lax.scan(lambda c, a: (jnp.sin(c) * a, c), jnp.ones(()), x)[1]


@function((512, 512))
def cumprod(x):
    return jnp.cumprod(1 + 0.01 * x, 1)


@function((512, 512))
def cumulative_maximum(x):
    return lax.cummax(x, 1)


@function((256, 512))
def top_k(x):
    return lax.top_k(x, 32)[0]


@function((1000, 64))
def segment_sum(x):
    return jax.ops.segment_sum(x, (jnp.arange(1000) * 7919) % 100, 100) ** 2


@function((2000, 64), (500, 64))
def scatter_add(x, y):
    return x.at[(jnp.arange(500) * 7919) % 2000].add(y) ** 2


@function((2000, 64), (500, 64))
def scatter_set(x, y):
    return x.at[(jnp.arange(500) * 7919) % 2000].set(y) ** 2


@function((512, 1000))
def gather_columns(x):
    return jnp.take(x, (jnp.arange(256) * 17) % 1000, axis=1) ** 2


@function((1024, 1024))
def movement(x):
    return jnp.concatenate([x[::-1, ::2], jnp.pad(x, ((0, 0), (3, 5)))[:, 2:514]], 1).T ** 2


@function((1024, 1024))
def reductions(x):
    return x.max(1) - x.min(0).sum() + x.mean(1) ** 2


@function((256, 256))
def product_of_elements(x):
    return jnp.prod(1 + 0.01 * x, 1)


@function((64, 512))
def fourier(x):
    return jnp.abs(jnp.fft.rfft(x)) ** 2


@function((64, 64))
def cholesky(x):
    return jnp.linalg.cholesky(x @ x.T / 64 + jnp.eye(64))


@function((64, 64), (64, 16))
def solve(x, y):
    return jnp.linalg.solve(x + 16 * jnp.eye(64), y)


@function((512, 100), (512, 100))
def kl_divergence(x, y):
    return (nn.softmax(x) * (nn.log_softmax(x) - nn.log_softmax(y))).sum(-1).mean()


@function((128, 128), (128, 128))
def contrastive(x, y):
    def unit(z):
        return z * lax.rsqrt((z * z).sum(-1, keepdims=True))

    s = unit(x) @ unit(y).T * 10
    return (jax.scipy.special.logsumexp(s, 1) - jnp.diag(s)).mean()


@function((512, 512), (512, 512))
def huber(x, y):
    d = jnp.abs(x - y)
    return jnp.where(d < 1, 0.5 * d * d, d - 0.5).mean()


@function((512, 512))
def branches(x):
    return lax.cond(x[0, 0] > 0, lambda a: jnp.sin(a) * a, lambda a: jnp.tanh(a), x)


@function((256, 256), (256, 256))
def rotary(x, y):
    c, s = jnp.cos(jnp.arange(256.0))[:, None], jnp.sin(jnp.arange(256.0))[:, None]

    def turned(z):
        a, b = jnp.split(z, 2, -1)
        return jnp.concatenate([a * c - b * s, b * c + a * s], -1)

    return turned(x) @ turned(y).T


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
            source.write_text(export.export(jax.jit(f, keep_unused=True), platforms=["cpu"])(*specs).mlir_module())
            theirs = folder / f"{name}.jax.mlir"
            theirs.write_text(export.export(jax.jit(pull, keep_unused=True), platforms=["cpu"])(*specs, *results).mlir_module())
            ours = folder / f"{name}.ours.mlir"
            wrt = ",".join(str(i) for i in range(len(specs)))
            subprocess.run(
                [tools / "mapwright-opt", source, f"--indexing-differentiate=of=main wrt={wrt} loops={options.loops}", "-o", ours], check=True
            )

            # Values of the size that they have in models, where no exponential comes to its ends: products of subnormal numbers take a hundred times as long.
            for old in folder.glob("arg*.npy"):
                old.unlink()
            for i, spec in enumerate([*specs, *results]):
                scale = spec.shape[-2] ** -0.5 if len(spec.shape) == 2 and 0 < i < len(specs) else 1.0
                np.save(folder / f"arg{i}.npy", np.asarray(scale * rng.standard_normal(spec.shape), np.float32))

            def time(program, entry):
                command = [tools / "mapwright", "run", program, "--inputs", folder, "--entry", entry, f"--bench={options.seconds}", "--json", "--threads", options.threads]
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
