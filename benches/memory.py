#!/usr/bin/env python3
"""Compares the planned peak memory of training steps and loops with XLA:CPU's: arguments, results and temporaries.

usage: memory.py [--tool target/release/mapwright] [--only NAME] [--programs FOLDER] [--keep FOLDER] [--json]

Needs JAX. The programs are those of this file, and the `.mlir` files of FOLDER. Ours is what `mapwright run --json` calls the peak, XLA's is what
its compiled program says of itself.
"""
import argparse
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PROGRAMS = {}


def program(make):
    """`make` gives a function and its arguments."""
    PROGRAMS[make.__name__] = make
    return make


def normal(*shape, dtype=np.float32):
    return np.random.default_rng(len(shape)).normal(size=shape).astype(dtype)


def layers(*sizes):
    return [(normal(a, b) / np.sqrt(a), np.zeros(b, np.float32)) for a, b in zip(sizes, sizes[1:])]


def forward(params, x, activation=jnp.tanh):
    for w, b in params[:-1]:
        x = activation(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def descend(loss, rate=0.01):
    """A step of gradient descent."""
    def step(params, *args):
        value, grads = jax.value_and_grad(loss)(params, *args)
        return value, jax.tree.map(lambda p, g: p - rate * g, params, grads)
    return step


def adam(loss, rate=1e-3):
    """A step of Adam; the state is a pair of moments."""
    def step(params, state, *args):
        value, grads = jax.value_and_grad(loss)(params, *args)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state[0], grads)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, state[1], grads)
        new = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, m, v)
        return value, new, (m, v)
    return step


def squares(params, x, y):
    return jnp.mean((forward(params, x) - y) ** 2)


@program
def mlp_sgd():
    return descend(squares), (layers(256, 512, 512, 64), normal(256, 256), normal(256, 64))


@program
def mlp_adam():
    params = layers(256, 512, 512, 64)
    zeros = jax.tree.map(np.zeros_like, params)
    return adam(squares), (params, (zeros, zeros), normal(256, 256), normal(256, 64))


@program
def mlp_deep_gelu():
    def loss(params, x, y):
        return jnp.mean((forward(params, x, jax.nn.gelu) - y) ** 2)
    return descend(loss), (layers(128, *[256] * 8, 16), normal(512, 128), normal(512, 16))


@program
def softmax_regression():
    def loss(w, x, y):
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(x @ w) * y, -1))
    return descend(loss), (normal(784, 100), normal(512, 784), np.eye(100, dtype=np.float32)[np.arange(512) % 100])


def attention(x, params, heads, causal=True):
    n, d = x.shape[-2:]
    q, k, v = (jnp.reshape(x @ params[name], (*x.shape[:-1], heads, d // heads)) for name in ("q", "k", "v"))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(d // heads)
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones((n, n), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
    return jnp.reshape(mixed, x.shape) @ params["o"]


def norm(x, scale):
    mean = jnp.mean(x, -1, keepdims=True)
    var = jnp.mean((x - mean) ** 2, -1, keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5) * scale


def block(x, p, heads):
    x = x + attention(norm(x, p["n1"]), p, heads)
    return x + jax.nn.gelu(norm(x, p["n2"]) @ p["up"]) @ p["down"]


def blocks(count, d):
    one = lambda: {**{n: normal(d, d) / math.sqrt(d) for n in "qkvo"}, "n1": np.ones(d, np.float32), "n2": np.ones(d, np.float32),
                   "up": normal(d, 4 * d) / math.sqrt(d), "down": normal(4 * d, d) / math.sqrt(4 * d)}
    return [one() for _ in range(count)]


@program
def transformer_step():
    def loss(params, x, y):
        for p in params:
            x = block(x, p, 4)
        return jnp.mean((x - y) ** 2)
    return descend(loss), (blocks(2, 128), normal(4, 64, 128), normal(4, 64, 128))


@program
def transformer_scan_step():
    def loss(params, x, y):
        x, _ = lax.scan(lambda x, p: (block(x, p, 4), None), x, params)
        return jnp.mean((x - y) ** 2)
    stacked = jax.tree.map(lambda *p: np.stack(p), *blocks(4, 64))
    return descend(loss), (stacked, normal(4, 64, 64), normal(4, 64, 64))


@program
def transformer_remat_step():
    def loss(params, x, y):
        for p in params:
            x = jax.checkpoint(lambda x, p: block(x, p, 4))(x, p)
        return jnp.mean((x - y) ** 2)
    return descend(loss), (blocks(3, 64), normal(8, 64, 64), normal(8, 64, 64))


@program
def transformer_forward():
    def run(params, x):
        for p in params:
            x = block(x, p, 4)
        return x
    return run, (blocks(4, 128), normal(4, 128, 128))


def conv(x, w, stride=1):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@program
def convnet_step():
    def loss(params, x, y):
        for w in params[:-1]:
            x = jax.nn.relu(conv(x, w))
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = jnp.reshape(x, (x.shape[0], -1)) @ params[-1]
        return jnp.mean((x - y) ** 2)
    params = [normal(3, 3, 3, 16), normal(3, 3, 16, 32), normal(8 * 8 * 32, 10)]
    return descend(loss), (params, normal(8, 32, 32, 3), normal(8, 10))


@program
def residual_batchnorm_step():
    def bn(x, p):
        mean = jnp.mean(x, (0, 1, 2))
        var = jnp.mean(x * x, (0, 1, 2)) - mean * mean
        return (x - mean) * lax.rsqrt(var + 1e-5) * p[0] + p[1]
    def loss(params, x, y):
        x = conv(x, params["stem"])
        for w, p, v, q in params["blocks"]:
            h = jax.nn.relu(bn(conv(x, w), p))
            x = jax.nn.relu(x + bn(conv(h, v), q))
        return jnp.mean((jnp.mean(x, (1, 2)) - y) ** 2)
    p = lambda: (np.ones(16, np.float32), np.zeros(16, np.float32))
    one = lambda: (normal(3, 3, 16, 16), p(), normal(3, 3, 16, 16), p())
    params = {"stem": normal(3, 3, 3, 16), "blocks": [one() for _ in range(3)]}
    return descend(loss), (params, normal(8, 24, 24, 3), normal(8, 16))


@program
def autoencoder_step():
    def loss(params, x):
        return jnp.mean((jax.nn.sigmoid(forward(params, x, jax.nn.relu)) - x) ** 2)
    return descend(loss), (layers(784, 256, 32, 256, 784), normal(256, 784))


@program
def variational_step():
    def loss(params, x, noise):
        h = forward(params[0], x)
        mean, log = h[:, :16], h[:, 16:]
        out = forward(params[1], mean + jnp.exp(0.5 * log) * noise)
        return jnp.mean((out - x) ** 2) - 0.5 * jnp.mean(1 + log - mean ** 2 - jnp.exp(log))
    return descend(loss), ((layers(256, 256, 32), layers(16, 256, 256)), normal(256, 256), normal(256, 16))


def lstm(params, h, c, x):
    gates = x @ params["w"] + h @ params["u"] + params["b"]
    i, f, g, o = jnp.split(gates, 4, -1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def recurrent(d):
    return {"w": normal(d, 4 * d) / math.sqrt(d), "u": normal(d, 4 * d) / math.sqrt(d), "b": np.zeros(4 * d, np.float32)}


@program
def lstm_step():
    def loss(params, x, y):
        def cell(state, x):
            h, c = lstm(params, *state, x)
            return (h, c), h
        zero = jnp.zeros(x.shape[1:], x.dtype)
        _, out = lax.scan(cell, (zero, zero), x)
        return jnp.mean((out - y) ** 2)
    return descend(loss), (recurrent(64), normal(64, 32, 64), normal(64, 32, 64))


@program
def gru_forward():
    def run(params, x):
        def cell(h, x):
            z = jax.nn.sigmoid(x @ params[0] + h @ params[1])
            r = jax.nn.sigmoid(x @ params[2] + h @ params[3])
            h = (1 - z) * h + z * jnp.tanh(x @ params[4] + (r * h) @ params[5])
            return h, h
        return lax.scan(cell, jnp.zeros(x.shape[1:], x.dtype), x)
    return run, ([normal(96, 96) / 10 for _ in range(6)], normal(100, 32, 96))


@program
def neural_ode_step():
    def loss(params, x, y):
        def stage(x, _):
            f = lambda x: forward(params, x)
            k1 = f(x)
            k2 = f(x + 0.05 * k1)
            k3 = f(x + 0.05 * k2)
            k4 = f(x + 0.1 * k3)
            return x + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None
        x, _ = lax.scan(stage, x, None, length=20)
        return jnp.mean((x - y) ** 2)
    return descend(loss), (layers(16, 64, 16), normal(256, 16), normal(256, 16))


@program
def laplacian_network():
    def run(params, x):
        f = lambda x: forward(params, x[None])[0, 0]
        return jax.vmap(lambda x: jnp.trace(jax.hessian(f)(x)))(x)
    return run, (layers(8, 64, 64, 1), normal(200, 8))


@program
def physics_step():
    def loss(params, x):
        u = lambda a, b: forward(params, jnp.stack([a, b])[None])[0, 0]
        def residual(a, b):
            return jax.grad(u, 1)(a, b) + u(a, b) * jax.grad(u, 0)(a, b) - 0.01 * jax.grad(jax.grad(u, 0), 0)(a, b)
        return jnp.mean(jax.vmap(residual)(x[:, 0], x[:, 1]) ** 2)
    return descend(loss), (layers(2, 48, 48, 48, 1), normal(800, 2))


@program
def graph_network_step():
    def loss(params, x, src, dst, y):
        for w, v in params:
            messages = jax.nn.relu(x[src] @ w)
            x = jnp.tanh(x @ v + jax.ops.segment_sum(messages, dst, x.shape[0]))
        return jnp.mean((x - y) ** 2)
    rng = np.random.default_rng(1)
    edges = rng.integers(0, 1000, (2, 4000)).astype(np.int32)
    params = [(normal(32, 32) / 6, normal(32, 32) / 6) for _ in range(3)]
    return descend(loss), (params, normal(1000, 32), edges[0], edges[1], normal(1000, 32))


@program
def embedding_bag_step():
    def loss(params, ids, y):
        x = jnp.mean(params[0][ids], 1)
        return jnp.mean((x @ params[1] - y) ** 2)
    ids = np.random.default_rng(2).integers(0, 5000, (128, 20)).astype(np.int32)
    return descend(loss), ((normal(5000, 64), normal(64, 16)), ids, normal(128, 16))


@program
def contrastive_step():
    def loss(params, x, y):
        a, b = (v / jnp.linalg.norm(v, axis=-1, keepdims=True) for v in (forward(params, x), forward(params, y)))
        scores = a @ b.T / 0.1
        return -jnp.mean(jnp.diag(jax.nn.log_softmax(scores)))
    return descend(loss), (layers(128, 256, 64), normal(256, 128), normal(256, 128))


@program
def policy_gradient_step():
    def loss(params, x, actions, advantages):
        logits = jax.nn.log_softmax(forward(params, x))
        chosen = jnp.take_along_axis(logits, actions[:, None], 1)[:, 0]
        return -jnp.mean(chosen * advantages) + 0.01 * jnp.mean(jnp.sum(jnp.exp(logits) * logits, -1))
    actions = (np.arange(1024) % 6).astype(np.int32)
    return descend(loss), (layers(64, 128, 128, 6), normal(1024, 64), actions, normal(1024))


@program
def diffusion_step():
    def loss(params, x, noise, t):
        a = jnp.cos(t)[:, None]
        noisy = a * x + jnp.sqrt(1 - a * a) * noise
        return jnp.mean((forward(params, jnp.concatenate([noisy, t[:, None]], 1), jax.nn.silu) - noise) ** 2)
    t = np.linspace(0.01, 1.5, 512, dtype=np.float32)
    return descend(loss), (layers(65, 256, 256, 64), normal(512, 64), normal(512, 64), t)


@program
def linear_attention_scan():
    def run(q, k, v):
        def step(state, qkv):
            q, k, v = qkv
            state = state + k[:, :, None] * v[:, None, :]
            return state, jnp.einsum("bd,bde->be", q, state)
        return lax.scan(step, jnp.zeros((8, 64, 64), jnp.float32), (q, k, v))
    return run, tuple(normal(64, 8, 64) for _ in range(3))


@program
def state_space_step():
    def loss(params, x, y):
        def step(h, x):
            h = jax.nn.sigmoid(params["a"]) * h + x[..., None] * params["b"]
            return h, jnp.sum(h * params["c"], -1)
        _, out = lax.scan(step, jnp.zeros((16, 64, 16), x.dtype), x)
        return jnp.mean((out - y) ** 2)
    params = {name: normal(64, 16) for name in "abc"}
    return descend(loss), (params, normal(64, 16, 64), normal(64, 16, 64))


@program
def wave_equation():
    def run(u, v):
        def step(_, state):
            u, v = state
            lap = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u
            v = v + 0.1 * lap
            return u + 0.1 * v, v
        return lax.fori_loop(0, 50, step, (u, v))
    return run, (normal(256, 256), normal(256, 256))


@program
def heat_history():
    def run(u):
        def step(u, _):
            lap = jnp.pad(u, 1)[2:, 1:-1] + jnp.pad(u, 1)[:-2, 1:-1] + jnp.pad(u, 1)[1:-1, 2:] + jnp.pad(u, 1)[1:-1, :-2] - 4 * u
            u = u + 0.1 * lap
            return u, jnp.sum(u)
        return lax.scan(step, u, None, length=50)
    return run, (normal(300, 300),)


@program
def conjugate_gradients():
    def run(a, b):
        def step(_, state):
            x, r, p, s = state
            q = a @ p
            alpha = s / jnp.dot(p, q)
            r = r - alpha * q
            t = jnp.dot(r, r)
            return x + alpha * p, r, r + t / s * p, t
        return lax.fori_loop(0, 50, step, (jnp.zeros_like(b), b, b, jnp.dot(b, b)))
    a = normal(600, 600)
    return run, (a @ a.T / 600 + np.eye(600, dtype=np.float32), normal(600))


@program
def sinkhorn():
    def run(cost):
        kernel = jnp.exp(-cost ** 2)
        def step(_, state):
            u, v = state
            u = 1.0 / (kernel @ v)
            return u, 1.0 / (kernel.T @ u)
        u, v = lax.fori_loop(0, 50, step, (jnp.ones(600), jnp.ones(600)))
        return u[:, None] * kernel * v[None, :]
    return run, (normal(600, 600),)


@program
def kmeans():
    def run(x, centres):
        def step(_, c):
            d = jnp.sum((x[:, None] - c[None]) ** 2, -1)
            hot = jax.nn.one_hot(jnp.argmin(d, 1), c.shape[0])
            return (hot.T @ x) / jnp.maximum(jnp.sum(hot, 0), 1.0)[:, None]
        return lax.fori_loop(0, 10, step, centres)
    return run, (normal(4000, 16), normal(32, 16))


@program
def newton_schulz():
    def run(a):
        def step(_, x):
            return 1.5 * x - 0.5 * x @ (x.T @ x)
        return lax.fori_loop(0, 12, step, a / jnp.linalg.norm(a))
    return run, (normal(400, 400),)


@program
def particle_filter():
    def run(particles, noise, seen):
        def step(p, inputs):
            noise, seen = inputs
            p = 0.9 * p + noise
            w = jax.nn.softmax(-jnp.sum((p - seen) ** 2, -1))
            place = jnp.searchsorted(jnp.cumsum(w), (jnp.arange(p.shape[0]) + 0.5) / p.shape[0])
            p = p[jnp.minimum(place, p.shape[0] - 1)]
            return p, jnp.mean(p, 0)
        return lax.scan(step, particles, (noise, seen))
    return run, (normal(4096, 8), normal(10, 4096, 8), normal(10, 8))


def measured(tool, name, text, stats):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", delete=False) as file:
        file.write(text)
    run = subprocess.run([tool, "run", file.name, "--json", "--threads", "1"], capture_output=True, text=True)
    os.unlink(file.name)
    if run.returncode != 0:
        print(f"{name}: {run.stderr.strip().splitlines()[:1]}", file=sys.stderr)
        return None
    ours = json.loads(run.stdout)["memory_bytes"]
    theirs = stats.argument_size_in_bytes + stats.output_size_in_bytes - stats.alias_size_in_bytes + stats.temp_size_in_bytes
    return {"program": name, "ours": ours["peak"], "xla": theirs, "plan": ours["plan"], "temporaries": stats.temp_size_in_bytes,
            "ratio": ours["peak"] / theirs, "copied": ours["copied"]}


def compiled(text):
    """XLA's program of a text."""
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib.mlir import ir
    backend = xla_bridge.get_backend("cpu")
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        options = xla_client.CompileOptions()
        devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
        return backend.compile_and_load(module, devices, options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default=os.path.join(ROOT, "target/release/mapwright"))
    parser.add_argument("--only")
    parser.add_argument("--programs")
    parser.add_argument("--keep")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = []
    texts = []
    for name, make in PROGRAMS.items():
        if args.only and args.only not in name:
            continue
        function, arguments = make()
        lowered = jax.jit(function, keep_unused=True).lower(*arguments)
        texts.append((name, lowered.as_text(), lowered.compile().memory_analysis()))
    for path in sorted(glob.glob(os.path.join(args.programs, "*.mlir"))) if args.programs else []:
        name = os.path.basename(path)[:-5]
        if not args.only or args.only in name:
            text = open(path).read()
            texts.append((name, text, compiled(text).get_compiled_memory_stats()))
    for name, text, stats in texts:
        if args.keep:
            os.makedirs(args.keep, exist_ok=True)
            with open(os.path.join(args.keep, name + ".mlir"), "w") as file:
                file.write(text)
        row = measured(args.tool, name, text, stats)
        if row:
            rows.append(row)
            if not args.json:
                print(f"{name:26} ours {row['ours']:12,}  XLA {row['xla']:12,}  {row['ratio']:5.2f}   (plan {row['plan']:,}, temporaries {row['temporaries']:,})",
                      flush=True)
    mean = math.exp(sum(math.log(row["ratio"]) for row in rows) / max(len(rows), 1))
    if args.json:
        print(json.dumps({"programs": rows, "geometric_mean": mean}))
    else:
        print(f"geometric mean {mean:.3f} of {len(rows)}; more than 1: {[r['program'] for r in rows if r['ratio'] > 1 and r['xla'] > 1 << 20]}")


if __name__ == "__main__":
    main()
